"""Last layer of a network with normalized weights, replacing a norm."""

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.nn.cell import Cell
from sporax.nn.dense import Dense


class CommonHeadLastFN(Cell):
    r"""$m \, (\frac{W}{\|W\|} \frac{x}{\|x\|} + b)$: rows of `weight` `(out, in)` and of the input
    are normalized; m, `multiplier`, is a trained scalar.

    >>> head = CommonHeadLastFN(2, 1, "ones", "zeros")
    >>> head(Tensor([[3.0, 3.0]])).asnumpy().round(4)
    array([[1.]], dtype=float32)
    """

    centralizes_gradients = False  # the rows of the weight are normalized

    def __init__(
        self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True
    ):
        super().__init__()
        layer = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self.weight = Parameter(layer.weight, name="weight")
        self.multiplier = Parameter(Tensor([1.0], float32), name="multiplier")
        self.has_bias = has_bias
        self.bias = Parameter(layer.bias, name="bias") if has_bias else None

    def construct(self, x):
        normalize = ops.L2Normalize(axis=1)
        y = ops.matmul(normalize(x), normalize(self.weight).T)
        return self.multiplier * (y + self.bias if self.has_bias else y)


class LessBN(Cell):
    """`network`; with `fn_flag`, the last `Dense` layer of each of its cells is replaced by one
    with normalized inputs and weights, which can be trained with fewer norms.

    >>> net = LessBN(nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1)), fn_flag=True)
    >>> type(net.network[1]).__name__
    'CommonHeadLastFN'
    """

    def __init__(self, network, fn_flag=False):
        super().__init__()
        self.network = network
        if "less_bn" not in network.get_flags():
            network.set_boost("less_bn")
            network.update_cell_prefix()
            if fn_flag:
                _replace_heads(network)

    def construct(self, *inputs):
        return self.network(*inputs)


def _replace_heads(net):
    last = None
    for name, cell in net.name_cells().items():
        if isinstance(cell, Dense):
            last = name, cell
        else:
            _replace_heads(cell)
    if last is not None:
        name, dense = last
        head = CommonHeadLastFN(dense.in_channels, dense.out_channels, has_bias=False)
        head.weight = dense.weight
        head.multiplier.name = f"{dense.weight.name.removesuffix('weight')}multiplier"
        net._cells[name] = head
