"""Functions of two or three operands promoted to one dtype."""

import math

import jax
import jax.numpy as jnp

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.math.arithmetic import binary, floating_binary, scaled_by

_ATAN2 = ("atan2(input, other)", "arctan2(input, other)")


@floating_binary(
    primitive="Atan2()(input, other)", function=_ATAN2, tensor=_ATAN2, mint=_ATAN2,
    numpy="arctan2(x1: input, x2: other, dtype=None)",
)  # fmt: skip
def atan2(input: Array, other: Array):
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`.

    >>> ops.atan2(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array([0.], dtype=float32)
    """
    y, x = input, other
    # at the origin, where the derivative would be 0 / 0, it is set to 0
    origin = (y == 0) & (x == 0)
    angle = jnp.arctan2(jnp.where(origin, 0, y), jnp.where(origin, 1, x))
    return jnp.where(origin, jax.lax.stop_gradient(jnp.arctan2(y, x)), angle)


@floating_binary(
    primitive="Hypot()(x1: input, x2: other)", tensor=True,
    numpy="hypot(x1: input, x2: other, dtype=None)",
)  # fmt: skip
def hypot(input: Array, other: Array):
    r"""$\sqrt{input^2 + other^2}$.

    >>> ops.hypot(Tensor([3.0]), Tensor([4.0])).asnumpy()
    array([5.], dtype=float32)
    """
    return jnp.hypot(input, other)


@floating_binary(primitive="Xlogy()(input, other)", tensor=True, mint=True)
def xlogy(input: Array, other: Array):
    r"""$input \cdot \ln other$, and 0 where `input` is 0.

    >>> ops.xlogy(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])).asnumpy()
    array([0., 0.], dtype=float32)
    """
    x, y = input, other
    # where `other` has no logarithm, the derivatives at an `input` of 0 are 0
    none = (x == 0) & (y <= 0)
    return jnp.where(none, 0, jax.scipy.special.xlogy(x, jnp.where(none, 1, y)))


def _soft_maximum(compute, scale):
    """Wrap `compute` of two arrays with a derivative that is also valid for infinities."""

    @jax.custom_jvp
    def function(x, y):
        return compute(x, y)

    @function.defjvp
    def _derivative(primals, tangents):
        x, y = primals
        same = jnp.isinf(x) & (x == y)
        apart = jnp.where(same, 0, x - jnp.where(same, 0, y)) * scale
        shares = jax.nn.sigmoid(apart), jax.nn.sigmoid(-apart)
        change = [s * t for s, t in zip(shares, tangents, strict=True)]
        return function(x, y), change[0] + change[1]

    return function


_added = _soft_maximum(jnp.logaddexp, 1.0)
_added2 = _soft_maximum(jnp.logaddexp2, math.log(2))


@floating_binary(tensor=True, mint=True, numpy="logaddexp(x1: input, x2: other, dtype=None)")
def logaddexp(input: Array, other: Array):
    r"""$\ln(e^{input} + e^{other})$, without overflow.

    >>> ops.logaddexp(Tensor([1000.0]), Tensor([900.0])).asnumpy()
    array([1000.], dtype=float32)
    """
    return _added(input, other)


@floating_binary(tensor=True, mint=True, numpy="logaddexp2(x1: input, x2: other, dtype=None)")
def logaddexp2(input: Array, other: Array):
    r"""$\log_2(2^{input} + 2^{other})$, without overflow.

    >>> ops.logaddexp2(Tensor([3.0]), Tensor([3.0])).asnumpy()
    array([4.], dtype=float32)
    """
    return _added2(input, other)


@binary(primitive="SquaredDifference()(x: input, y: other)")
def squared_difference(input: Array, other: Array):
    """$(input - other)^2$.

    >>> ops.SquaredDifference()(Tensor([1.0, 5.0]), 2.0).asnumpy()
    array([1., 9.], dtype=float32)
    """
    return jnp.square(input - other)


@floating_binary(primitive="DivNoNan()(x1: input, x2: other)")
def div_no_nan(input: Array, other: Array):
    """$input / other$; 0 where `other` is 0.

    >>> ops.DivNoNan()(Tensor([1.0, 6.0]), Tensor([0.0, 2.0])).asnumpy()
    array([0., 3.], dtype=float32)
    """
    zero = other == 0
    return jnp.where(zero, 0, input / jnp.where(zero, 1, other))


@composite(mint=True, tensor="float_power(input, other: exponent)")
def float_power(input, exponent):
    """$input^{exponent}$, computed in Float64.

    >>> ops.float_power(Tensor([4]), 0.5).asnumpy()
    array([2.])
    """
    both = input, exponent
    require(any(isinstance(x, Tensor) for x in both), "one-both-tensor", "float_power", got=both)
    base, power = (x.double() if isinstance(x, Tensor) else x for x in both)
    return base**power


@op(
    primitive=("Lerp()(input, end, weight)", "LerpScalar()(input, end, weight)"),
    tensor=True,
    mint=True,
    promotes=True,
)
def lerp(input: Array, end: Array, weight: Array):
    r"""$input + weight \cdot (end - input)$.

    >>> ops.lerp(Tensor([0.0]), Tensor([10.0]), 0.3).asnumpy()
    array([3.], dtype=float32)
    """
    return input + weight * (end - input)


@op(
    primitive="Addcmul()(input, tensor1, tensor2, value)",
    tensor=True,
    mint="addcmul(input, tensor1, tensor2, *, value=1)",
    promotes=scaled_by(1),
)
def addcmul(input: Array, tensor1: Array, tensor2: Array, value: Array = 1):
    r"""$input + value \cdot tensor1 \cdot tensor2$.

    >>> ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0])).asnumpy()
    array([7.], dtype=float32)
    """
    return input + tensor1 * tensor2 * value


@op(
    primitive="Addcdiv()(input, tensor1, tensor2, value)",
    tensor="addcdiv(input, tensor1, tensor2, *, value=1)",
    mint="addcdiv(input, tensor1, tensor2, *, value=1)",
    promotes=scaled_by(1, floating=True),
)
def addcdiv(input: Array, tensor1: Array, tensor2: Array, value: Array = 1):
    r"""$input + value \cdot tensor1 / tensor2$.

    >>> ops.addcdiv(Tensor([1.0]), Tensor([6.0]), Tensor([3.0])).asnumpy()
    array([3.], dtype=float32)
    """
    return input + tensor1 / tensor2 * value


@op(primitive="NanToNum(nan=None, posinf=None, neginf=None)(input)", tensor=True, mint=True)
def nan_to_num(input: Array, nan=None, posinf=None, neginf=None):
    """`input` with `nan` (0) for NaN, `posinf` and `neginf` (the largest numbers) for infinities.

    >>> ops.nan_to_num(Tensor([float("nan"), 1.0])).asnumpy()
    array([0., 1.], dtype=float32)
    """
    return jnp.nan_to_num(input, nan=nan or 0.0, posinf=posinf, neginf=neginf)
