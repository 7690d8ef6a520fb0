"""Products with the Jacobian as Cells, as older scripts have them; see `ops.jvp`, `ops.vjp`."""

from sporax import autodiff
from sporax.nn.cell import Cell


class Jvp(Cell):
    """`(fn(*inputs), J v)` for a call with the inputs and `v`; `v` is a tuple for several inputs.

    >>> y, dy = nn.Jvp(lambda x: x * x)(Tensor([3.0]), Tensor([1.0]))
    >>> dy.asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        return autodiff.jvp(self.fn, args[:-1], args[-1])


class Vjp(Cell):
    """`(fn(*inputs), v^T J)` for a call with the inputs and `v`; `v` is a tuple for several
    outputs, and so is the second result for several inputs.

    >>> y, dx = nn.Vjp(lambda x: x * x)(Tensor([3.0]), Tensor([1.0]))
    >>> dx.asnumpy()
    array([6.], dtype=float32)
    """

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        *inputs, v = args
        result, pull = autodiff.vjp(self.fn, *inputs)
        gradients = pull(v)
        return result, gradients[0] if len(inputs) == 1 else gradients
