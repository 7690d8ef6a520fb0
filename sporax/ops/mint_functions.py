"""`mint` functions with arguments different from `ops`, composed of operations: PyTorch's rules."""

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import composite
from sporax.ops.loss.losses import kl_div
from sporax.ops.math.arithmetic import mul
from sporax.ops.math.comparison import equal as eq
from sporax.ops.math.elementwise import clamp, exp, sigmoid
from sporax.ops.math.statistics import norm
from sporax.ops.nn.activation import (
    elu,
    hardtanh,
    log_softmax,
    relu,
    relu6,
    silu,
    softmax,
    threshold,
)
from sporax.ops.nn.convolution import conv1d
from sporax.ops.nn.normalization import normalize_batch
from sporax.ops.shape.creation import ones, zeros

_REDUCTION = kinds.one_of("mean", "sum", "none", "batchmean")


def _faces(*written):
    shown = written[0].partition("(")[0].rpartition(".")[2]
    return composite(function=(), mint=written, name=shown)


def _placed(input, out, inplace=True):
    """Return `out`, written to `input` if `inplace`."""
    return input._rebind(out._value) if inplace else out


@_faces("equal(input, other)")
def whole_equal(input, other) -> bool:
    """Return True if two Tensors have the same shape and the same elements.

    >>> mint.equal(Tensor([1, 2]), Tensor([1, 3]))
    False
    """
    return input.shape == other.shape and bool(eq(input, other).all())


# activations that can be put into their input -------------------------------------------------


@_faces("nn.functional.relu6(input, inplace=False)")
def relu6_in_place(input, inplace=False):
    r"""$\min(\max(x, 0), 6)$, element by element; `inplace`: also writes to `input`.

    >>> mint.nn.functional.relu6(Tensor([-1.0, 8.0])).asnumpy()
    array([0., 6.], dtype=float32)
    """
    return _placed(input, relu6(input), inplace)


@_faces("nn.functional.silu(input, inplace=False)")
def silu_in_place(input, inplace=False):
    r"""$x \, \sigma(x)$, element by element; `inplace`: also writes to `input`.

    >>> mint.nn.functional.silu(Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    return _placed(input, silu(input), inplace)


@_faces("nn.functional.elu(input, alpha=1.0, inplace=False)")
def elu_in_place(input, alpha=1.0, inplace=False):
    r"""$x$ where it is positive, else $\alpha (e^x - 1)$; `inplace`: also writes to `input`.

    >>> mint.nn.functional.elu(Tensor([0.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return _placed(input, elu(input, alpha), inplace)


@_faces("nn.functional.hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)")
def hardtanh_in_place(input, min_val=-1.0, max_val=1.0, inplace=False):
    r"""$\min(\max(x, min), max)$; `inplace`: also writes to `input`.

    >>> mint.nn.functional.hardtanh(Tensor([-3.0, 0.5])).asnumpy()
    array([-1. ,  0.5], dtype=float32)
    """
    return _placed(input, hardtanh(input, min_val, max_val), inplace)


@_faces("nn.functional.threshold(input, threshold: bound, value, inplace=False)")
def threshold_in_place(input, bound, value, inplace=False):
    """$x$ where it exceeds `threshold`, else `value`; `inplace`: also writes to `input`.

    >>> mint.nn.functional.threshold(Tensor([1.0, 3.0]), 2.0, 9.0).asnumpy()
    array([9., 3.], dtype=float32)
    """
    return _placed(input, threshold(input, bound, value), inplace)


@_faces("nn.functional.relu_")
def relu_(input):
    """`relu` in place.

    >>> mint.nn.functional.relu_(Tensor([-1.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return _placed(input, relu(input))


@_faces("nn.functional.sigmoid_")
def sigmoid_(input):
    """`sigmoid` in place.

    >>> mint.nn.functional.sigmoid_(Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """
    return _placed(input, sigmoid(input))


@_faces("nn.functional.elu_")
def elu_(input, alpha=1.0):
    """`elu` in place.

    >>> mint.nn.functional.elu_(Tensor([0.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return _placed(input, elu(input, alpha))


@_faces("nn.functional.hardtanh_")
def hardtanh_(input, min_val=-1, max_val=1):
    """`hardtanh` in place.

    >>> mint.nn.functional.hardtanh_(Tensor([-3.0, 0.5])).asnumpy()
    array([-1. ,  0.5], dtype=float32)
    """
    return _placed(input, hardtanh(input, min_val, max_val))


@_faces("nn.functional.threshold_(input, threshold: bound, value)")
def threshold_(input, bound, value):
    """`threshold` in place.

    >>> mint.nn.functional.threshold_(Tensor([1.0, 3.0]), 2.0, 9.0).asnumpy()
    array([9., 3.], dtype=float32)
    """
    return _placed(input, threshold(input, bound, value))


# along an axis that may be left open ----------------------------------------------------------


def _axis(input):
    """Return the default axis, by PyTorch's rule."""
    return 0 if input.ndim in (0, 1, 3) else 1


@_faces(
    "softmax(input, dim, *, dtype=None)",
    "nn.functional.softmax(input, dim=None, dtype=None)",
)
def softmax_along(input, dim=None, dtype=None):
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `dim`, in `dtype` if given.

    `dim` None: axis 0 of 0, 1 or 3 dimensions, else axis 1.

    >>> mint.nn.functional.softmax(Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    return softmax(input, _axis(input) if dim is None else dim, dtype=dtype)


@_faces(
    "nn.functional.log_softmax(input, dim=None, *, dtype=None)",
    "special.log_softmax(input, dim=None, *, dtype=None)",
)
def log_softmax_along(input, dim=None, dtype=None):
    r"""$x_i - \ln \sum_j e^{x_j}$ along `dim`; None as in `softmax`.

    >>> mint.special.log_softmax(Tensor([0.0, 0.0])).asnumpy()
    array([-0.6931472, -0.6931472], dtype=float32)
    """
    x = input if dtype is None else input.astype(dtype)
    return log_softmax(x, _axis(input) if dim is None else dim)


@_faces("nn.functional.normalize")
def normalize(input, p=2.0, dim=1, eps=1e-12):
    r"""$x / \max(\|x\|_p, \epsilon)$ along `dim`.

    >>> mint.nn.functional.normalize(Tensor([[3.0, 4.0]])).asnumpy()
    array([[0.6, 0.8]], dtype=float32)
    """
    return input / clamp(norm(input, p, dim, True), eps)


# layers' functions ----------------------------------------------------------------------------


@_faces("nn.functional.kl_div(input, target, reduction='mean', log_target=False)")
def kl_div_of_mint(input, target, reduction="mean", log_target=False):
    r"""$y (\ln y - x)$ for logarithms $x$ and probabilities $y$; `log_target`: `target` is $\ln y$.

    >>> mint.nn.functional.kl_div(Tensor([0.0]), Tensor([0.0]), log_target=True).asnumpy()
    array(0., dtype=float32)
    """
    if not log_target:
        return kl_div(input, target, reduction)
    loss = mul(exp(target), target - input)
    if reduction == "none":
        return loss
    divisors = {"mean": loss.size, "sum": 1, "batchmean": loss.shape[0] if loss.ndim else 1}
    _REDUCTION("kl_div", reduction=reduction)
    return loss.sum() / divisors[reduction]


@_faces(
    "nn.functional.batch_norm(input, running_mean, running_var, weight=None, bias=None, "
    "training=False, momentum=0.1, eps=1e-05)"
)
def batch_norm_of_mint(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1,
    eps=1e-5,
):  # fmt: skip
    """As `ops.batch_norm`; without `weight` and `bias` as with ones and zeros; in training without
    `running_mean` and `running_var`, no running moments are updated.

    >>> x = Tensor([[1.0], [3.0]])
    >>> mint.nn.functional.batch_norm(x, None, None, training=True).asnumpy().round(2)
    array([[-1.],
           [ 1.]], dtype=float32)
    """
    fits = isinstance(input, Tensor) and input.ndim >= 2
    require(fits, "tensor-n-c", "batch_norm", argument="input")
    given = training or (running_mean is not None and running_var is not None)
    require(given, "running-var-given-out-training", "batch_norm", argument="running_mean")
    count = (input.shape[1],)
    parameters = [running_mean, running_var, weight, bias]
    filled = [
        fill(count, input.dtype) if tensor is None else tensor
        for tensor, fill in zip(parameters, (zeros, ones, ones, zeros), strict=True)
    ]
    return normalize_batch(input, *filled, training=training, momentum=momentum, eps=eps)


@_faces("nn.functional.conv1d")
def conv1d_of_mint(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As `ops.conv1d`; `padding`: an int, or 'valid' or 'same'.

    >>> mint.nn.functional.conv1d(ops.ones((1, 1, 4)), ops.ones((2, 1, 3)), padding=1).shape
    (1, 2, 4)
    """
    if isinstance(padding, str):
        return conv1d(input, weight, bias, stride, padding, 0, dilation, groups)
    return conv1d(input, weight, bias, stride, "pad", padding, dilation, groups)
