"""Activation functions."""

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import Array, composite, op
from sporax.ops.operand_checks import floats_only, tensors_only
from sporax.ops.shape.zero_dimensional import of_any_rank


def _selu_operand(aval):
    """Reject operands other than floating Tensors and, as MindSpore, those of Int8 and Int32."""
    if aval.weak or aval.dtype.name not in ("int8", "int32"):
        floats_only("SeLU")(aval)


def _declare(name, primitive, parameter, formula, compute, example, shown, mint=True):
    def function(input: Array):
        if input.dtype.itemsize > 2 and jnp.issubdtype(input.dtype, jnp.inexact):
            return compute(input)
        return compute(input.astype(jnp.float32)).astype(input.dtype)  # rounded once

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""{formula}, element by element.

    >>> ops.{name}(Tensor([{example}])).asnumpy()
    array([{shown}], dtype=float32)
    """
    return op(
        primitive=f"{primitive}()({parameter}: input)" if primitive else None,
        function=f"{name}({parameter}: input)",
        mint=f"nn.functional.{name}(input)" if mint else None,
        name=primitive or name,
        check=_selu_operand if name == "selu" else floats_only(primitive or name),
    )(function)


def _relu6(x):
    return jnp.where(x > 6, jnp.asarray(6, x.dtype), jax.nn.relu(x))  # slope 1 at 6


# name, Primitive, its parameter's name, formula, function, an example, whether mint has it
_ROWS = [
    ("relu6", "ReLU6", "x", r"$\min(\max(x, 0), 6)$", _relu6, "-1.0, 8.0", "0., 6.", False),
    ("silu", "SiLU", "input", r"$x \, \sigma(x)$", jax.nn.silu, "0.0", "0.", False),
    ("mish", "Mish", "x", r"$x \tanh(\ln(1 + e^x))$", jax.nn.mish, "0.0", "0."),
    ("selu", "SeLU", "input_x",
     r"$1.0507 (\max(0, x) + \min(0, 1.6733 (e^x - 1)))$", jax.nn.selu, "0.0", "0."),
    ("softsign", "Softsign", "x", "$x / (1 + |x|)$", jax.nn.soft_sign, "1.0", "0.5", False),
    ("logsigmoid", "", "x", r"$\ln \sigma(x)$", jax.nn.log_sigmoid, "0.0", "-0.6931472"),
    ("hardswish", "HSwish", "input", r"$x \min(\max(x + 3, 0), 6) / 6$", jax.nn.hard_swish,
     "3.0", "3."),
    ("hardsigmoid", "HSigmoid", "input", r"$\min(\max(x + 3, 0), 6) / 6$", jax.nn.hard_sigmoid,
     "0.0", "0.5"),
]  # fmt: skip

_functions = {row[0]: _declare(*row) for row in _ROWS}
globals().update(_functions)
if TYPE_CHECKING:

    def __getattr__(name) -> Any: ...  # the functions of `_functions`


@op(function=(), primitive="ReLU()(input)", check=tensors_only("ReLU"))
def relu_of_class(input: Array):
    """$\\max(x, 0)$, element by element; its derivative at 0 is 0.

    >>> ops.ReLU()(Tensor([-1.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return jax.nn.relu(input)


@composite(mint="nn.functional.relu")
def relu(input, inplace=False):
    """$\\max(x, 0)$, element by element; its derivative at 0 is 0. `inplace`: updates `input`.

    >>> ops.relu(Tensor([-1.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    out = relu_of_class(input)
    return input._rebind(out._value) if inplace else out


_APPROXIMATE = {"none": False, "tanh": True}
_APPROXIMATION = kinds.one_of(*_APPROXIMATE)


@op(
    name="GeLU",
    mint=(
        "nn.functional.gelu(input, *, approximate='none')",
        "npu_gelu(input, approximate='none')",
    ),
    check=floats_only("GeLU"),
)
def gelu(input: Array, approximate="none"):
    r"""$x \Phi(x)$, with the normal distribution function $\Phi$ (Hendrycks and Gimpel, 2016).

    `approximate`: 'none', or 'tanh' for
    $\frac{x}{2} (1 + \tanh(\sqrt{2 / \pi} (x + 0.044715 x^3)))$.

    >>> ops.gelu(Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    _APPROXIMATION(None, approximate=approximate)
    return jax.nn.gelu(input, _APPROXIMATE[approximate])


@composite(primitive=("GeLU()(input)", "Gelu()(x: input)"), function=())
def _gelu_by_tanh(input):
    """`gelu` with `approximate='tanh'`, as MindSpore's Primitive computes it.

    >>> ops.GeLU()(Tensor([1.0])).asnumpy().round(4)
    array([0.8412], dtype=float32)
    """
    return gelu(input, "tanh")


@op(mint="nn.functional.leaky_relu(input, negative_slope: alpha=0.01)", name="LeakyReLU",
    check=tensors_only("LeakyReLU"))  # fmt: skip
def leaky_relu(input: Array, alpha=0.2):
    r"""$\max(x, 0) + \alpha \min(x, 0)$, element by element.

    >>> ops.leaky_relu(Tensor([-1.0, 2.0])).asnumpy()
    array([-0.2,  2. ], dtype=float32)
    """
    return jnp.where(input > 0, input, (input * alpha).astype(input.dtype))


@op(primitive="Elu(alpha=1.0)(input_x: input)", function="elu(input_x: input, alpha=1.0)",
    check=floats_only("Elu"))  # fmt: skip
def elu(input: Array, alpha=1.0):
    r"""$x$ where it is positive, else $\alpha (e^x - 1)$ (Clevert et al., 2016).

    >>> ops.elu(Tensor([0.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return jax.nn.elu(input, alpha)


@op(primitive="CeLU(alpha=1.0)(x: input)", function="celu(x: input, alpha=1.0)",
    check=floats_only("CeLU"))  # fmt: skip
def celu(input: Array, alpha=1.0):
    r"""$x$ where it is positive, else $\alpha (e^{x / \alpha} - 1)$ (Barron, 2017).

    >>> ops.celu(Tensor([0.0, 2.0])).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return jax.nn.celu(input, alpha)


@op(primitive="Softplus()(input)", mint="nn.functional.softplus(input, beta=1, threshold=20)",
    check=floats_only("Softplus"))  # fmt: skip
def softplus(input: Array, beta=1, threshold=20):
    r"""$\ln(1 + e^{\beta x}) / \beta$; $x$ itself where $\beta x$ exceeds `threshold`.

    >>> ops.softplus(Tensor([0.0])).asnumpy()
    array([0.6931472], dtype=float32)
    """
    scaled = input * beta
    return jnp.where(scaled > threshold, input, jax.nn.softplus(scaled) / beta)


@op(check=tensors_only("Hardtanh"))
def hardtanh(input: Array, min_val=-1.0, max_val=1.0):
    r"""$\min(\max(x, min), max)$; its derivative at the bounds is 0.

    >>> ops.hardtanh(Tensor([-3.0, 0.5])).asnumpy()
    array([-1. ,  0.5], dtype=float32)
    """
    low, high = (jnp.asarray(bound).astype(input.dtype) for bound in (min_val, max_val))
    return jnp.where(input <= min_val, low, jnp.where(input >= max_val, high, input))


@op(primitive="HShrink(lambd=0.5)(input)", mint="nn.functional.hardshrink(input, lambd=0.5)",
    tensor=True,
    check=floats_only("HShrink"))  # fmt: skip
def hardshrink(input: Array, lambd=0.5):
    r"""$x$ where $|x| > \lambda$, else 0.

    >>> ops.hardshrink(Tensor([0.4, 0.6])).asnumpy()
    array([0. , 0.6], dtype=float32)
    """
    return jnp.where(jnp.abs(input) <= lambd, jnp.zeros((), input.dtype), input)


@op(primitive="SoftShrink(lambd=0.5)(input)", mint="nn.functional.softshrink(input, lambd=0.5)",
    tensor="soft_shrink(input, lambd=0.5)",
    check=floats_only("SoftShrink"))  # fmt: skip
def softshrink(input: Array, lambd=0.5):
    r"""Soft thresholding: $x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$.

    >>> ops.softshrink(Tensor([0.4, 1.5])).asnumpy()
    array([0., 1.], dtype=float32)
    """
    outside = jnp.where(input > 0, input - lambd, input + lambd)
    return jnp.where(jnp.abs(input) <= lambd, jnp.zeros((), input.dtype), outside)


@op(primitive="PReLU()(input, weight)", mint="nn.functional.prelu(input, weight)",
    check=floats_only("PReLU"))  # fmt: skip
def prelu(input: Array, weight: Array):
    r"""$\max(x, 0) + w \min(x, 0)$; `weight` has one number, or one for each channel (axis 1).

    >>> ops.prelu(Tensor([[-1.0, 2.0]]), Tensor([0.5])).asnumpy()
    array([[-0.5,  2. ]], dtype=float32)
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    fits = weight.ndim <= 1 and weight.size in (1, channels)
    require(fits, "one-number-or-per-channel", weight=weight.shape, channels=channels)
    slope = weight.reshape((-1,) + (1,) * (input.ndim - 2) if weight.size > 1 else ())
    return jnp.where(input > 0, input, slope * input)


@op(function="glu(x: input, axis=-1)", primitive="GLU(axis=-1)(x: input)",
    mint="nn.functional.glu(input, dim: axis=-1)", check=floats_only("GLU"))  # fmt: skip
def glu(input: Array, axis=-1):
    r"""$a \, \sigma(b)$, with $a$ and $b$ the halves of `input` along `axis`.

    >>> ops.glu(Tensor([4.0, 0.0])).asnumpy()
    array([2.], dtype=float32)
    """
    return jax.nn.glu(input, axis)


@op(function="swiglu(input, dim: axis=-1)", name="SwiGLU", check=floats_only("SwiGLU"))
def swiglu(input: Array, axis=-1):
    r"""$a \, \sigma(a) \, b$, with $a$ and $b$ the halves of `input` along `dim` (Shazeer, 2020).

    >>> ops.swiglu(Tensor([0.0, 4.0])).asnumpy()
    array([0.], dtype=float32)
    """
    _axis(input, axis)
    require(not input.shape[axis] % 2, "size-axis-even", axis=axis, shape=input.shape[axis])
    a, b = jnp.split(input, 2, axis)
    return jax.nn.silu(a) * b


@op(function="threshold(input, thr: bound, value)", check=tensors_only("Threshold"))
def threshold(input: Array, bound, value):
    """`value` where $x$ is at most `thr`, else $x$.

    >>> ops.threshold(Tensor([1.0, 3.0]), 2.0, 9.0).asnumpy()
    array([9., 3.], dtype=float32)
    """
    return jnp.where(input <= bound, jnp.asarray(value, input.dtype), input)


# along an axis ------------------------------------------------------------------------------


def _axis(input, axis):
    """Return `axis`, an int or a tuple; raise ValueError if `input` does not have it."""
    for n in axis if isinstance(axis, tuple) else (axis,):
        if not isinstance(n, int) or not -input.ndim <= n < max(input.ndim, 1):
            raise rejection("int-in-interval", axis=n, interval=f"[{-input.ndim}, {input.ndim})")
    return axis


def _in(input, dtype):
    return input if dtype is None else input.astype(dtypes.to_numpy(dtype))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _softmax(x, axis):
    return jax.nn.softmax(x, axis)


@_softmax.defjvp
def _softmax_derivative(axis, primals, tangents):
    """Differentiates by the result alone. The derivative of `jax.nn.softmax` goes through its
    quotient: XLA then also keeps the exponentials and the sums, each as large as the result."""
    (x,), (tangent,) = primals, tangents
    y = _softmax(x, axis)
    return y, y * (tangent - (y * tangent).sum(axis, keepdims=True))


@op(
    primitive="Softmax(axis=-1)(input)",
    tensor="softmax(input, axis, dtype=None)",
    check=floats_only("Softmax"),
)
@of_any_rank
def softmax(input: Array, axis=-1, *, dtype=None):
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`, in `dtype` if given.

    >>> ops.softmax(Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    return _softmax(_in(input, dtype), _axis(input, axis))


@op(
    function="log_softmax(logits: input, axis=-1)",
    primitive="LogSoftmax(axis=-1)(logits: input)",
    check=floats_only("LogSoftmax"),
)
@of_any_rank
def log_softmax(input: Array, axis=-1, *, dtype=None):
    r"""$x_i - \ln \sum_j e^{x_j}$ along `axis`.

    >>> ops.log_softmax(Tensor([0.0, 0.0])).asnumpy()
    array([-0.6931472, -0.6931472], dtype=float32)
    """
    return jax.nn.log_softmax(_in(input, dtype), _axis(input, axis))


@composite(function=(), op="log_softmax", primitive="LogSoftmaxExt()(input, dim=None, dtype=None)")
def log_softmax_of_class(input, dim=None, dtype=None):
    r"""`log_softmax` along `dim`; None: axis 0 of 0, 1 or 3 dimensions, else axis 1.

    >>> ops.LogSoftmaxExt()(Tensor([[0.0, 0.0]]), -1).asnumpy()
    array([[-0.6931472, -0.6931472]], dtype=float32)
    """
    dim = (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim
    input = input if dtype is None else input.astype(dtype)
    return log_softmax(input, dim)


@composite()
def softmin(x, axis=-1, *, dtype=None):
    r"""$e^{-x_i} / \sum_j e^{-x_j}$ along `axis`.

    >>> ops.softmin(Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 0.5], dtype=float32)
    """
    return softmax(-x, axis, dtype=dtype)


@op(primitive=("FastGeLU()(x)", "FastGelu()(x)"), check=floats_only("FastGeLU"))
def fast_gelu(x: Array):
    r"""$x \sigma(1.702 x)$, close to `gelu`.

    >>> ops.fast_gelu(Tensor([0.0, 2.0])).asnumpy().round(3)
    array([0.   , 1.936], dtype=float32)
    """
    return x * jax.nn.sigmoid(1.702 * x)
