"""Functions related to the gamma function: digamma, and the incomplete gamma functions."""

import jax.numpy as jnp
from jax import lax
from jax.scipy import special

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import floats_only


@op(
    function="digamma(input)", tensor="digamma(input)", primitive="Digamma()(x: input)",
    mint="special.digamma(input)", check=floats_only("digamma"),
)  # fmt: skip
def digamma(input: Array):
    r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; infinite at 0.

    >>> ops.digamma(Tensor([1.0])).asnumpy().round(4)
    array([-0.5772], dtype=float32)
    """
    # XLA gives NaN at 0, as at the other poles; the sign of the zero determines the side
    return jnp.where(input == 0, jnp.copysign(jnp.inf, -input), special.digamma(input))


@op(function=(), name="lbeta", promotes=True, check=floats_only("lbeta"))
def lbeta(x: Array, y: Array):
    r"""$\ln B(x, y) = \ln \Gamma(x) + \ln \Gamma(y) - \ln \Gamma(x + y)$ for positive numbers;
    stable if one is much larger than the other.

    >>> nn.LBeta()(Tensor([2.0]), Tensor([3.0])).asnumpy().round(4)
    array([-2.4849], dtype=float32)
    """
    return special.betaln(x, y)


def _of_infinity(a, x, limit, value):
    """Return `value`; for an infinite `a`, `limit` if `x` is finite, else NaN."""
    return jnp.where((a == jnp.inf) & (x >= 0), jnp.where(x == jnp.inf, jnp.nan, limit), value)


@op(tensor=True, primitive="Igamma()(a: input, x: other)", promotes=True, name="igamma")
def igamma(input: Array, other: Array):
    r"""$P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a - 1} e^{-t} dt$ with a `input`, x `other`.

    >>> ops.igamma(Tensor([1.0]), Tensor([1.0])).asnumpy().round(4)
    array([0.6321], dtype=float32)
    """
    return _of_infinity(input, other, 0.0, special.gammainc(input, other))


@op(function=(), primitive="Betainc()(a, b, x)", check=floats_only("Betainc"))
def betainc(a: Array, b: Array, x: Array):
    r"""$I_x(a, b) = \frac{\Gamma(a + b)}{\Gamma(a) \Gamma(b)} \int_0^x t^{a - 1} (1 - t)^{b - 1}
    dt$, element by element; NaN unless a, b > 0 and x is in [0, 1]. Differentiable with respect to
    x; the derivatives with respect to a and b are set to 0.

    >>> ops.Betainc()(Tensor([1.0]), Tensor([2.0]), Tensor([0.5])).asnumpy().round(4)
    array([0.75], dtype=float32)
    """
    own = [a.dtype, a.shape]
    for name, operand in (("b", b), ("x", x)):
        got = [operand.dtype, operand.shape]
        require(got == own, "shape-dtype-of", argument=name, got=got, other="a", own=own)
    return special.betainc(lax.stop_gradient(a), lax.stop_gradient(b), x)


@op(tensor=True, primitive="Igammac()(a: input, x: other)", promotes=True, name="igammac")
def igammac(input: Array, other: Array):
    r"""$Q(a, x) = 1 - P(a, x)$, see `igamma`.

    >>> ops.igammac(Tensor([1.0]), Tensor([1.0])).asnumpy().round(4)
    array([0.3679], dtype=float32)
    """
    return _of_infinity(input, other, 1.0, special.gammaincc(input, other))
