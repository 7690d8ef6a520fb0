"""Arithmetic on two operands promoted to one dtype, and Tensor's operators for it."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.promotion import promote
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import WEAK_AVALS, Aval
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.runtime.engine.recorder import apply
from sporax.ops.declare import Array, attach, composite, op
from sporax.ops.math.comparison import ordered


def promote_to_floating(avals, attributes=()):
    """Return the promoted dtype for each operand, but Float32 instead of integer dtypes: a Python
    number then keeps its value, even if the Tensor's dtype cannot hold it."""
    met = promote(avals)
    return [met if met.kind in "fcV" else np.dtype(np.float32)] * len(avals)


binary = functools.partial(op, promotes=True)
floating_binary = functools.partial(op, promotes=promote_to_floating)  # integers give Float32


def floating(*arrays) -> Any:
    """Return the arrays unchanged if floating or complex, else as Float32."""
    converted = [
        x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.float32) for x in arrays
    ]
    return converted[0] if len(converted) == 1 else converted


def at_least_single(x):
    """Return the array as Float32 if it holds integers or 16-bit floats, else unchanged."""
    x = floating(x)
    return x.astype(jnp.float32) if x.dtype.itemsize == 2 else x


@binary(
    primitive=("Add()(input, other)", "TensorAdd()(input, other)"),
    numpy="add(x1: input, x2: other, dtype=None)",
)
def add(input: Array, other: Array):
    """$input + other$, broadcast together; on Bool, "or".

    >>> (Tensor([1, 2]) + 0.5).asnumpy()
    array([1.5, 2.5], dtype=float32)
    """
    return jnp.add(input, other)


@binary(primitive="Sub()(x: input, y: other)", numpy="subtract(x1: input, x2: other, dtype=None)")
def sub(input: Array, other: Array):
    """$input - other$, broadcast together; on Bool, "exclusive or".

    >>> (Tensor([1, 2]) - 3).asnumpy()
    array([-2, -1])
    """
    return jnp.logical_xor(input, other) if input.dtype == bool else jnp.subtract(input, other)


@binary(primitive="MulNoNan()(x: input, y: other)", function=(), tensor=())
def mul_no_nan(input: Array, other: Array):
    """$input \\cdot other$, broadcast together; 0 where `other` is 0, for any `input`.

    >>> ops.MulNoNan()(Tensor([float("nan"), 2.0]), Tensor([0.0, 3.0])).asnumpy()
    array([0., 6.], dtype=float32)
    """
    return jnp.where((other == 0) & ~jnp.isfinite(input), jnp.zeros_like(input), input) * other


def scaled_by(count, floating=False):
    """Return `promotes` of an operation whose last `count` operands are factors: the others are
    promoted first, then Python floats turn integers into Float32; `floating`: always."""

    def promotes(avals, attributes=()):
        met = promote(avals[:-count])
        for factor in avals[-count:]:
            if not factor.weak or (met.kind in "iu" and factor.inexact):
                met = promote((Aval.intern((), met), factor))
        return [np.dtype(np.float32) if floating and met.kind in "biu" else met] * len(avals)

    return promotes


@op(name="AddExt", promotes=scaled_by(2), function=())
def scaled_sum(input: Array, other: Array, beta: Array, alpha: Array):
    """$beta \\cdot input + alpha \\cdot other$; `mint.add`, `addmm` and others call it.

    >>> mint.add(Tensor([1.0]), Tensor([200], ms.uint8), alpha=2).asnumpy()
    array([401.], dtype=float32)
    """
    return beta * input + alpha * other


@op(name="SubExt", promotes=scaled_by(1), function=())
def scaled_difference(input: Array, other: Array, alpha: Array):
    """$input - alpha \\cdot other$; `mint.sub` calls it.

    >>> mint.sub(Tensor([1.0]), Tensor([200], ms.uint8), alpha=2).asnumpy()
    array([-399.], dtype=float32)
    """
    return sub.declaration.fn(input, alpha * other)


def is_one(factor):
    """Return True for the int 1, by which multiplication can be skipped."""
    return factor.__class__ is int and factor == 1


@composite(tensor="add", mint="add", function=())
def scaled_add(input, other, *, alpha=1):
    """$input + alpha \\cdot other$, broadcast together.

    >>> mint.add(Tensor([1.0]), Tensor([2.0]), alpha=3).asnumpy()
    array([7.], dtype=float32)
    """
    return add(input, other) if is_one(alpha) else scaled_sum(input, other, 1, alpha)


@composite(
    tensor=(
        "sub(input, other, *, alpha=1)", "sub(input, y: other, *, alpha=1)", "subtract"
    ), mint="sub",
)  # fmt: skip
def subtract(input, other, *, alpha=1):
    """$input - alpha \\cdot other$, broadcast together.

    >>> ops.subtract(Tensor([4.0]), Tensor([1.0]), alpha=3).asnumpy()
    array([1.], dtype=float32)
    """
    return sub(input, other) if is_one(alpha) else scaled_difference(input, other, alpha)


@binary(
    primitive="Mul()(input, other)",
    tensor=("mul(input, other)", "multiply(input, value: other)"),
    function=("mul(input, other)", "multiply(input, other)"),
    mint="mul(input, other)",
    numpy="multiply(x1: input, x2: other, dtype=None)",
)
def mul(input: Array, other: Array):
    """$input \\cdot other$, broadcast together.

    >>> (Tensor([1.0, 2.0]) * 3).asnumpy()
    array([3., 6.], dtype=float32)
    """
    return jnp.multiply(input, other)


def _whole(divide, input, other):
    """Divide integers; by zero, return the largest or smallest value of the dtype, 0 for 0."""
    input, other = jnp.broadcast_arrays(input, other)
    if input.dtype == bool:  # by False as by True
        return input
    limits, zero = jnp.iinfo(input.dtype), jnp.zeros((), input.dtype)
    least, most = (jnp.array(x, input.dtype) for x in (limits.min, limits.max))
    outermost = jnp.where(input < 0, least, most)
    outermost = jnp.where(input == 0, zero, outermost)
    return jnp.where(other == 0, outermost, divide(input, jnp.where(other == 0, zero + 1, other)))


def _dividends(avals, attributes):
    """Keep integers for a rounded quotient; divide others as floats."""
    if attributes.get("rounding_mode"):
        return [promote(avals)] * len(avals)
    return promote_to_floating(avals)


_ROUNDED = {None: lambda x: x, "floor": jnp.floor, "trunc": jnp.trunc}
_ROUNDING_MODE = kinds.optional(kinds.one_of("floor", "trunc"))


@op(
    primitive=("Div()(input, other)", "RealDiv()(x: input, y: other)"),
    function=(
        "div(input, other, *, rounding_mode=None)",
        "divide(input, other, *, rounding_mode=None)",
        "true_divide(dividend: input, divisor: other)",
    ),
    tensor=(
        "div(input, other, *, rounding_mode=None)",
        "divide(input, other, *, rounding_mode=None)",
        "true_divide(input, other)",
    ),
    mint=(
        "div(input, other, *, rounding_mode=None)",
        "divide(input, other, *, rounding_mode=None)",
    ),
    numpy=(
        "divide(x1: input, x2: other, dtype=None)",
        "true_divide(x1: input, x2: other, dtype=None)",
    ),
    promotes=_dividends,
)
def div(input: Array, other: Array, *, rounding_mode=None):
    """$input / other$, broadcast together; integers divide to Float32.

    `rounding_mode`: None, 'floor' or 'trunc'; with one of these, integers stay integers.

    >>> (Tensor([1, 2]) / 2).asnumpy()
    array([0.5, 1. ], dtype=float32)
    """
    _ROUNDING_MODE(None, rounding_mode=rounding_mode)
    if rounding_mode is not None and not jnp.issubdtype(input.dtype, jnp.inexact):
        whole = {"floor": jnp.floor_divide, "trunc": jax.lax.div}[rounding_mode]
        return _whole(whole, input, other)
    if rounding_mode == "floor":
        return jnp.floor_divide(input, other)
    return _ROUNDED[rounding_mode](jnp.divide(input, other))


@binary(
    primitive="FloorDiv()(input, other)",
    function=("floor_divide(input, other)", "floor_div(x: input, y: other)"),
    tensor="floor_divide(input, other)",
    mint="floor_divide(input, other)",
    numpy="floor_divide(x1: input, x2: other, dtype=None)",
    differentiable=False,
)
def floor_divide(input: Array, other: Array):
    """$\\lfloor input / other \\rfloor$, broadcast together; derivatives are stopped.

    An integer divided by zero gives the largest value of its dtype, the smallest if it is negative.

    >>> (Tensor([7, -7]) // 2).asnumpy()
    array([ 3, -4])
    """
    if jnp.issubdtype(input.dtype, jnp.inexact):
        return jnp.floor_divide(input, other)
    return _whole(jnp.floor_divide, input, other)


@binary(
    primitive="FloorMod()(x: input, y: other)",
    function=("remainder(input, other)", "floor_mod(x: input, y: other)"),
    tensor=("remainder(input, other)", "remainder(input, divisor: other)"),
    mint="remainder(input, other)",
    numpy=("remainder(x1: input, x2: other, dtype=None)", "mod(x1: input, x2: other, dtype=None)"),
)
def remainder(input: Array, other: Array):
    """$input - other \\lfloor input / other \\rfloor$: the remainder with the divisor's sign.

    For two Bool it is False, as `//` gives the first one.

    >>> (Tensor([7, -7]) % 3).asnumpy()
    array([1, 2])
    """
    return jnp.remainder(input, other) if input.dtype != bool else (input | other) & False


@binary(
    primitive="Mod()(x: input, y: other)",
    tensor="fmod(input, other)",
    mint="fmod(input, other)",
    numpy="fmod(x1: input, x2: other, dtype=None)",
)
def fmod(input: Array, other: Array):
    """The remainder of a division truncated toward zero, with the dividend's sign.

    >>> ops.fmod(Tensor([-7.0]), 3).asnumpy()
    array([-1.], dtype=float32)
    """
    return jnp.fmod(input, other)


# power --------------------------------------------------------------------------------------


def _base_and_exponent(avals, attributes):
    """Promote an integer's exponent to Int64, as it may exceed the range of the base's dtype."""
    met = promote(avals)
    return [met, np.dtype(np.int64) if met.kind in "iu" else met]


def _wrapped_power(x, exponent):
    """$x^{exponent}$ of integers by squaring, modulo 2 to the bits of `x`.

    JAX's own reads only six bits of the exponent, so that $2^{64}$ is 1.
    """
    x, left = jnp.broadcast_arrays(x, jnp.maximum(exponent, 0))

    def body(state):
        result, square, left = state
        return jnp.where(left & 1, result * square, result), square * square, left >> 1

    start = jnp.ones_like(x), x, left
    return jax.lax.while_loop(lambda state: (state[2] > 0).any(), body, start)[0]


@op(name="Pow", numpy="power(x1: input, x2: exponent, dtype=None)", promotes=_base_and_exponent)
def power(input: Array, exponent: Array):
    """$input^{exponent}$ for an exponent computed at run time; `pow` calls it.

    For two Bool it is Bool: False only where `input` is False and `exponent` True.

    >>> ops.power(Tensor([2.0, 3.0]), Tensor([3.0, 2.0])).asnumpy()
    array([8., 9.], dtype=float32)
    """
    if input.dtype == bool:
        return input | ~exponent
    if jnp.issubdtype(input.dtype, jnp.integer):
        # a negative power is truncated toward zero, which leaves only 1 and -1
        unit = jnp.where(exponent % 2 == 0, input * input, input)
        rounded = jnp.where(jnp.abs(input) == 1, unit, 0)
        return jnp.where(exponent < 0, rounded, _wrapped_power(input, exponent))
    # at 0 to the 0 the derivative would be 0 times infinity
    unit = (input == 0) & (exponent == 0)
    return jnp.power(jnp.where(unit, 1, input), exponent)


@op(name="Pow", function=())
def integer_pow(input: Array, exponent, real=False):
    """$input^n$ for a small constant `exponent` that is part of the program; `pow` calls it.

    `real`: True if the exponent was a float. An exponent with a half becomes a square root.
    """
    dtype = promote((Aval.intern((), input.dtype), WEAK_AVALS[float if real else int]))
    x = input.astype(dtype)
    if exponent % 1:
        return jnp.sqrt(x) if exponent > 0 else jax.lax.rsqrt(x)
    if exponent < 0 and not jnp.issubdtype(dtype, jnp.inexact):
        return power.declaration.fn(x, jnp.full((), exponent, jnp.int64))
    return jax.lax.integer_pow(x, int(exponent))


# exponents compiled into the program; any other number is an input of it
_STATIC = {-0.5, 0.5, *range(-4, 9)}


@composite(
    primitive="Pow()(input, exponent)", tensor=("pow", "__pow__"), mint="pow",
    function=("pow", "pows"),
)  # fmt: skip
def pow(input, exponent):
    """$input^{exponent}$, broadcast together.

    Small whole exponents given as Python numbers are multiplied out.

    >>> (Tensor([1.0, 2.0]) ** 2).asnumpy()
    array([1., 4.], dtype=float32)
    """
    kind = exponent.__class__
    if (kind is int or kind is float) and exponent in _STATIC and isinstance(input, Tensor):
        return integer_pow(input, exponent, kind is float)
    return power(input, exponent)


def magnitude(x):
    """$|x|$; its derivative at 0 is 0, where JAX's is 1."""
    return _magnitude(x) if jnp.issubdtype(x.dtype, jnp.floating) else jnp.abs(x)


@jax.custom_jvp
def _magnitude(x):
    return jnp.abs(x)


@_magnitude.defjvp
def _tangent_of_magnitude(primals, tangents):
    (x,), (tangent,) = primals, tangents
    return jnp.abs(x), tangent * jnp.sign(x)


def _choice(choose, loses):
    """Define a choice of one of two numbers; `loses`: the comparison of one not chosen."""
    chosen = jax.custom_jvp(lambda x, y: choose(x, y))

    @chosen.defjvp
    def _(primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        out = choose(x, y)
        half = jnp.where(x == y, jnp.asarray(0.5, dx.dtype), 1)
        both = [jnp.where(loses(*pair), 0, half) for pair in [(x, y), (y, x)]]
        return out, both[0] * dx + both[1] * dy

    return chosen


_larger = _choice(jnp.maximum, jnp.less)
_smaller = _choice(jnp.minimum, jnp.greater)


# choice between two -------------------------------------------------------------------------


@binary(primitive="Maximum()(input, other)", tensor=True, mint=True)
def maximum(input: Array, other: Array):
    """The larger of both, element by element; NaN where either is NaN.

    The gradient goes to the larger one, in halves to equal ones, and to both where one is NaN.

    >>> ops.maximum(Tensor([1.0, 5.0]), 3).asnumpy()
    array([3., 5.], dtype=float32)
    """
    ordered(input)
    return _larger(input, other)


@binary(primitive="Minimum()(input, other)", tensor=True, mint=True)
def minimum(input: Array, other: Array):
    """The smaller of both, element by element; NaN where either is NaN.

    The gradient goes to the smaller one, in halves to equal ones, and to both where one is NaN.

    >>> ops.minimum(Tensor([1.0, 5.0]), 3).asnumpy()
    array([1., 3.], dtype=float32)
    """
    ordered(input)
    return _smaller(input, other)


# operators ----------------------------------------------------------------------------------


def operators(function, name, symbol, scaled=None):
    """Define Tensor's `a + b` and its reflection; `a += b` makes a new Tensor, as in MindSpore."""
    scaled = scaled or function
    bound = function.declaration.bind([p.default for p in _attributes(function.declaration)])

    def forward(self, other, alpha=1):
        if not is_one(alpha):
            return scaled(self, other, alpha=alpha)
        try:
            return apply(bound, self, other)
        except TypeError:
            if getattr(other, "is_sparse", False):  # its own operator takes a Tensor
                return NotImplemented
            raise

    def reflected(self, other):
        return apply(bound, other, self)

    for method, kind in [(forward, ""), (reflected, "r")]:
        method.__name__ = f"__{kind}{name}__"
        method.__doc__ = f"`{symbol}`"
        if method.__name__ not in Tensor.__dict__:
            attach(method.__name__, method)
    if name != "pow":
        attach(f"__i{name}__", getattr(Tensor, f"__{name}__"))


def _attributes(declaration):
    return [declaration.signature.parameters[n] for n in declaration.attributes]


for _row in [
    (add, "add", "+", scaled_add), (sub, "sub", "-", subtract), (mul, "mul", "*"),
    (div, "truediv", "/"), (floor_divide, "floordiv", "//"), (remainder, "mod", "%"),
    (power, "pow", "**"),
]:  # fmt: skip
    operators(*_row)


def _in_place(function, name, shown):
    def method(self, *args, **kwargs):
        return self._rebind(function(self, *args, **kwargs)._value)

    method.__name__ = name
    method.__doc__ = f"""Apply `{name[:-1]}` in place.

    >>> Tensor([6.0]).{name}(Tensor([4.0])).asnumpy()
    array([{shown}], dtype=float32)
    """
    attach(name, method)


for _function, _name, _shown in [
    (scaled_add, "add_", "10."), (subtract, "sub_", "2."), (mul, "mul_", "24."),
    (div, "div_", "1.5"), (floor_divide, "floor_divide_", "1."), (remainder, "remainder_", "2."),
]:  # fmt: skip
    _in_place(_function, _name, _shown)
