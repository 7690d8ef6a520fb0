"""Activation functions as Cells."""

from typing import Any

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.functional_layers import layer
from sporax.nn.layer_inputs import check_inputs
from sporax.nn.parameter_init import parameter
from sporax.ops.primitive import Primitive


class Identity(Cell):
    """Return the input unchanged; constructor arguments are ignored.

    >>> nn.Identity()(Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def construct(self, input):
        return input


class ReLU(Cell):
    r"""$\max(x, 0)$, element by element.

    >>> nn.ReLU()(Tensor([-1.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self):
        super().__init__()

    def construct(self, input):
        return ops.relu(input)


ReLU6 = layer("ReLU6()(x)", ops.relu6)
Sigmoid = layer("Sigmoid()(x)", ops.sigmoid)
Tanh = layer("Tanh()(x)", ops.tanh)
SiLU = layer("SiLU()(x)", ops.silu)
Mish = layer("Mish()(input_x)", ops.mish)
HSwish = layer("HSwish()(input)", ops.hardswish)
HSigmoid = layer("HSigmoid()(input)", ops.hardsigmoid)
Softsign = layer("Softsign()(x)", ops.softsign)
LogSigmoid = layer("LogSigmoid()(input_x)", ops.logsigmoid)


class Softmax(Cell):
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`.

    >>> nn.Softmax()(Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """

    def __init__(self, axis=-1):
        super().__init__()
        kinds.AXES("Softmax", axis=axis)
        self.axis = axis

    def construct(self, input):
        return ops.softmax(input, self.axis)


_IMAGES = "(N, C, H, W)", "(C, H, W)"


class Softmax2d(Cell):
    """`Softmax` over the channels of `(N, C, H, W)` or `(C, H, W)`.

    >>> nn.Softmax2d()(ops.ones((2, 1, 1))).asnumpy().ravel()
    array([0.5, 0.5], dtype=float32)
    """

    def __init__(self):
        super().__init__()

    def construct(self, x):
        check_inputs("Softmax2d", x)
        require(x.ndim in (3, 4), "shape-letters", "Softmax2d", x=x.shape, letters=_IMAGES)
        return ops.softmax(x, -3)


LogSoftmax = layer("LogSoftmax(axis=-1)(x)", ops.log_softmax)
Softmin = layer("Softmin(axis=-1)(x)", ops.softmin)
LeakyReLU = layer("LeakyReLU(alpha=0.2)(x)", ops.leaky_relu)
ELU = layer("ELU(alpha=1.0)(x)", ops.elu)
CELU = layer("CELU(alpha=1.0)(x)", ops.celu)


class Hardtanh(Cell):
    r"""$\min(\max(x, min), max)$.

    >>> nn.Hardtanh()(Tensor([-3.0, 0.5])).asnumpy()
    array([-1. ,  0.5], dtype=float32)
    """

    def __init__(self, min_val=-1.0, max_val=1.0):
        super().__init__()
        fields = {"other": "max_val", "high": max_val}
        require(min_val < max_val, "less-than", "Hardtanh", min_val=min_val, **fields)
        self.min_val = min_val
        self.max_val = max_val

    def construct(self, x):
        return ops.hardtanh(x, self.min_val, self.max_val)


HShrink = layer("HShrink(lambd=0.5)(input)", ops.hardshrink)
SoftShrink = layer("SoftShrink(lambd=0.5)(input)", ops.softshrink)


class Threshold(Cell):
    """$x$ where it exceeds `threshold`, else `value`.

    >>> nn.Threshold(2.0, 9.0)(Tensor([1.0, 3.0])).asnumpy()
    array([9., 3.], dtype=float32)
    """

    def __init__(self, threshold, value):
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x):
        return ops.threshold(input_x, self.threshold, self.value)


FastGelu = layer("FastGelu()(x)", ops.fast_gelu)


class GELU(Cell):
    r"""$x \Phi(x)$, with the standard normal CDF $\Phi$ (Hendrycks and Gimpel, 2016).

    `approximate`: use the tanh approximation of `ops.gelu`.

    >>> nn.GELU()(Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """

    def __init__(self, approximate=True):
        super().__init__()
        kinds.BOOL("GELU", approximate=approximate)
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x):
        return ops.gelu(x, self.approximate)


class PReLU(Cell):
    r"""$\max(x, 0) + w \min(x, 0)$; `w` is shared by all channels (axis 1) or per channel.

    `w`: the initial value, a scalar, or a Tensor or list of `channel` elements.

    >>> nn.PReLU()(Tensor([[-4.0]])).asnumpy()
    array([[-1.]], dtype=float32)
    """

    def __init__(self, channel=1, w=0.25):
        super().__init__()
        init = Tensor(w, float32) if isinstance(w, (list, tuple)) else w
        self.w = parameter("PReLU", "w", init, (channel,), float32, name="a")

    def construct(self, x):
        return ops.prelu(x, self.w)


# names accepted by the `activation` argument of layers
_BY_NAME = {
    "softmin": Softmin,
    "softmax": Softmax,
    "logsoftmax": LogSoftmax,
    "relu": ReLU,
    "relu6": ReLU6,
    "silu": SiLU,
    "tanh": Tanh,
    "hardtanh": Hardtanh,
    "gelu": GELU,
    "fast_gelu": FastGelu,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "softsign": Softsign,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "mish": Mish,
}


def get_activation(name, prim_name=None):
    """Return the activation Cell called `name`, with default arguments; None for None.

    >>> nn.get_activation("relu")
    ReLU()
    """
    if name is None:
        return None
    require(name in _BY_NAME, "activation-one-of", prim_name, names=[*_BY_NAME], got=name)
    return _BY_NAME[name]()


_ACTIVATION = kinds.instance((Cell, Primitive), "a-name-a-cell-or-a-primitive")


def activation_of(layer, activation) -> Any:
    """Resolve a layer's `activation` argument to a Cell or Primitive."""
    if activation is None or isinstance(activation, str):
        return get_activation(activation, layer)
    return _ACTIVATION.checked(layer, "activation", activation)
