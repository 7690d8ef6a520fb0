"""Functions of two operands: divisors, signs, neighbours, shifts, truncated quotients."""

import jax
import jax.numpy as jnp
import jax.scipy.special as special

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size
from sporax.ops.declare import Array, op
from sporax.ops.math.arithmetic import at_least_single, binary, floating, floating_binary


def _check_integers(a, b):
    are_integers = all(jnp.issubdtype(x.dtype, jnp.integer) for x in (a, b))
    require(are_integers, "operands-integers", dtype=a.dtype, dtype2=b.dtype)


def _whole(name):
    def compute(a, b):
        _check_integers(a, b)
        return getattr(jnp, name)(a, b)

    return compute


def _unless_nan(pick):
    """Wrap `pick` to ignore a NaN operand; at ties each operand gets half of the derivative."""

    def compute(a, b):
        if not jnp.issubdtype(a.dtype, jnp.inexact):
            return pick(a, b)
        return jnp.where(jnp.isnan(a), b, jnp.where(jnp.isnan(b), a, pick(a, b)))

    return compute


def _quotient(a, b):
    nothing = a == 0
    return jnp.where(nothing, 0, a / jnp.where(nothing, 1, b))


def _shift(compute):
    def shifted(a, b):
        _check_integers(a, b)
        return compute(a, b)

    return shifted


def _step(x, values):
    """Heaviside step with derivative 0 with respect to `x`; at 0 it is `values`."""
    x = jax.lax.stop_gradient(x)
    return jnp.where(x == 0, values, jnp.where(x > 0, 1, 0).astype(values.dtype))


@jax.custom_jvp
def _next(x, toward):
    return jnp.nextafter(x, toward)


@_next.defjvp
def _next_jvp(operands, tangents):
    out = _next(*operands)
    return out, jnp.broadcast_to(tangents[0], out.shape)


def _toward_zero(a, b):
    require(a.dtype != bool, "operands-numbers-convert-bool")
    if jnp.issubdtype(a.dtype, jnp.integer):
        return jax.lax.div(*jnp.broadcast_arrays(a, b))
    return jnp.trunc(a / b)


def _remainder(a, b):
    require(a.dtype != bool, "operands-numbers-convert-bool")
    return jnp.fmod(a, b)


# canonical name, faces of ops, Primitive, formula, function, example, differentiable, more faces
_OF = "input, other"
_ROWS = [
    ("gcd", f"gcd({_OF})", f"Gcd()({_OF})", "The greatest common divisor of integers",
     _whole("gcd"), "Tensor([12]), Tensor([18])", "array([6])", False, "both"),
    ("lcm", f"lcm({_OF})", f"Lcm()({_OF})", "The least common multiple of integers",
     _whole("lcm"), "Tensor([4]), Tensor([6])", "array([12])", False, "tensor"),
    ("ldexp", "ldexp(x: input, other)", "", r"$input \cdot 2^{other}$",
     lambda a, b: at_least_single(a) * jnp.exp2(at_least_single(b)), "Tensor([3.0]), Tensor([2])",
     "array([12.], dtype=float32)", True, "tensor"),
    ("copysign", "copysign(x: input, other)", "", "$|input|$ with the sign of `other`",
     jnp.copysign, "Tensor([3.0]), Tensor([-2.0])", "array([-3.], dtype=float32)", True,
     "tensor"),
    ("heaviside", "heaviside(input, values: other)", "Heaviside()(x: input, values: other)",
     "0 where `input` is negative, 1 where positive, `values` where it is 0", _step,
     "Tensor([0.0]), Tensor([0.5])", "array([0.5], dtype=float32)", True, "tensor"),
    ("fmax", f"fmax({_OF})", "Fmax()(x1: input, x2: other)",
     "The greater one, or the other one if one is NaN", _unless_nan(jnp.maximum),
     "Tensor([float('nan')]), Tensor([2.0])", "array([2.], dtype=float32)", True, "tensor"),
    ("fmin", f"fmin({_OF})", "Fmin()(x1: input, x2: other)",
     "The lesser one, or the other one if one is NaN", _unless_nan(jnp.minimum),
     "Tensor([float('nan')]), Tensor([2.0])", "array([2.], dtype=float32)", True, "tensor"),
    ("nextafter", f"nextafter({_OF})", f"NextAfter()({_OF})",
     "The next number after `input` toward `other`, with the derivative 1 of `input`", _next,
     "Tensor([0.0]), Tensor([0.0])", "array([0.], dtype=float32)", True, "tensor"),
    ("xdivy", "xdivy(x: input, y: other)", "Xdivy()(x: input, y: other)",
     "$x / y$, and 0 where `x` is 0", _quotient, "Tensor([0.0]), Tensor([0.0])",
     "array([0.], dtype=float32)", True, "tensor"),
    ("truncate_div", "truncate_div(x: input, y: other)",
     "TruncateDiv()(x: input, y: other)",
     "$x / y$ rounded toward zero", _toward_zero, "Tensor([-7]), Tensor([2])", "array([-3])", False,
     ""),
    ("truncate_mod", "truncate_mod(x: input, y: other)", "TruncateMod()(x: input, y: other)",
     "The remainder of $x / y$ truncated toward zero; it has the sign of `x`", _remainder,
     "Tensor([-7]), Tensor([2])", "array([-1])", True, ""),
    ("bitwise_left_shift", f"bitwise_left_shift({_OF})", "LeftShift()(x1: input, x2: other)",
     r"$input \cdot 2^{other}$ of integers", _shift(jnp.left_shift), "Tensor([3]), Tensor([2])",
     "array([12])", False, "tensor"),
    ("bitwise_right_shift", f"bitwise_right_shift({_OF})",
     "RightShift()(input_x: input, input_y: other)",
     r"$\lfloor input / 2^{other} \rfloor$ of integers", _shift(jnp.right_shift),
     "Tensor([12]), Tensor([2])", "array([3])", False, "tensor"),
    ("zeta", f"zeta({_OF})", "Zeta()(x: input, q: other)",
     r"Hurwitz' $\sum_{n \ge 0} (n + other)^{-input}$", special.zeta,
     "Tensor([2.0]), Tensor([1.0])", "array([1.64493...], dtype=float32)", False, ""),
]  # fmt: skip


# these return floats for integers, too
_FLOATING = {
    "ldexp", "copysign", "nextafter", "xdivy", "zeta",
}  # fmt: skip


def _declare(name, face, primitive, formula, compute, example, shown, differentiable, also):
    def function(input: Array, other: Array):
        return compute(input, other)

    public = face.partition("(")[0]
    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""{formula}; broadcast together.

    >>> ops.{public}({example}).asnumpy()
    {shown}
    """
    own = face.replace("(x: input", "(input")  # the name of a method's first operand is not visible
    declared = floating_binary if name in _FLOATING else binary
    return declared(
        function=face, primitive=primitive or None, tensor=own if also else None,
        mint=face if also == "both" else None, differentiable=differentiable,
        name=primitive.partition("(")[0] or public,
    )(function)  # fmt: skip


_functions = {row[0]: _declare(*row) for row in _ROWS}
globals().update(_functions)


@binary(
    function="approximate_equal(x: input, y: other, tolerance=1e-05)",
    tensor="approximate_equal(input, other, tolerance=1e-05)",
    primitive="ApproximateEqual(tolerance=1e-05)(x: input, y: other)",
    differentiable=False,
)
def approximate_equal(input: Array, other: Array, tolerance=1e-5):
    """Return True where $|x - y|$ is less than `tolerance`.

    >>> ops.approximate_equal(Tensor([1.0, 2.0]), Tensor([1.0, 3.0])).asnumpy()
    array([ True, False])
    """
    return jnp.abs(input - other) < tolerance


# of one operand and a number -------------------------------------------------------------------


@op(function="polygamma(n, input)", primitive="Polygamma()(a: n, x: input)")
def polygamma(input: Array, n=1):
    r"""The `n`-th derivative of the digamma function, $\psi^{(n)}(x)$; `n`: an int, or a
    one-element Tensor.

    >>> ops.polygamma(1, Tensor([1.0])).asnumpy().round(4)
    array([1.6449], dtype=float32)
    """
    x = floating(input)
    return special.polygamma(n, x) if n else special.digamma(x)


@op(
    function="mvlgamma(input, p)", tensor="mvlgamma(input, p)", primitive="Mvlgamma(p)(x: input)",
)  # fmt: skip
def mvlgamma(input: Array, p):
    r"""The logarithm of the multivariate gamma function of dimension `p`.

    $\frac{p (p - 1)}{4} \ln \pi + \sum_{i=1}^{p} \ln \Gamma(x - \frac{i - 1}{2})$; `input` is
    greater than $(p - 1) / 2$.

    >>> print(ops.mvlgamma(Tensor([3.0]), 1).asnumpy().round(4))
    [0.6931]
    """
    require(kinds.POSITIVE_INT.accepts(p), "int-at-least", p=p, n=1)
    check_size("Mvlgamma", (p, *input.shape), input.dtype, "'p'")
    return special.multigammaln(floating(input), p)


@op(tensor="logit(input, eps=None)", primitive="Logit(eps=-1.0)(input)")
def logit(input: Array, eps=None):
    r"""$\ln \frac{x}{1 - x}$; `eps`: `input` is first clamped to $[eps, 1 - eps]$.

    >>> ops.logit(Tensor([0.5])).asnumpy()
    array([0.], dtype=float32)
    """
    x = floating(input)
    x = x if eps is None or eps < 0 else jnp.clip(x, eps, 1 - eps)
    return jnp.log(x / (1 - x))


@op()
def tanhshrink(input: Array):
    r"""$x - \tanh x$.

    >>> ops.tanhshrink(Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """
    return floating(input) - jnp.tanh(floating(input))


@op(tensor=True)
def sgn(input: Array):
    """The sign: for a complex number, the number of modulus 1 in its direction; 0 for 0.

    >>> ops.sgn(Tensor([-3.0, 0.0])).asnumpy()
    array([-1.,  0.], dtype=float32)
    """
    if not jnp.iscomplexobj(input):
        return jnp.sign(input)
    size = jnp.abs(input)
    return jnp.where(size == 0, 0, input / jnp.where(size == 0, 1, size))


@op(primitive="Rint()(input_x: input)", function=(),
    differentiable=False)  # fmt: skip
def rint(input: Array):
    """Round to the nearest integer, halves to even.

    >>> ops.Rint()(Tensor([0.5, 1.5, 2.6])).asnumpy()
    array([0., 2., 3.], dtype=float32)
    """
    return jnp.rint(input)


@op(
    function="population_count(input_x: input)", primitive="PopulationCount()(input_x: input)",
    differentiable=False,
)  # fmt: skip
def population_count(input: Array):
    """Count the 1 bits of each integer: UInt8.

    >>> ops.population_count(Tensor([7, 8])).asnumpy()
    array([3, 1], dtype=uint8)
    """
    require(jnp.issubdtype(input.dtype, jnp.integer), "integer-dtype", input=input.dtype)
    return jax.lax.population_count(input).astype(jnp.uint8)


@op(function="eps(x: input)", primitive="Eps()(x: input)", differentiable=False)
def eps(input: Array):
    """The distance from 1 to the next number in the dtype of `x`, in its shape.

    >>> ops.eps(Tensor([1.0, 2.0])).asnumpy()
    array([1.1920929e-07, 1.1920929e-07], dtype=float32)
    """
    return jnp.full_like(input, jnp.finfo(input.dtype).eps)
