"""The gamma function's relatives: digamma, and the incomplete gamma functions."""

from jax.scipy import special

from sporax.ops.activation import floats_only
from sporax.ops.declare import Array, op


@op(
    function="digamma(input)", tensor="digamma(input)", primitive="Digamma()(x: input)",
    mint="special.digamma(input)", check=floats_only("digamma"),
)  # fmt: skip
def digamma(input: Array):
    r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element.

    >>> ops.digamma(Tensor([1.0])).asnumpy().round(4)
    array([-0.5772], dtype=float32)
    """
    return special.digamma(input)


@op(tensor=True, primitive="Igamma()(a: input, x: other)", promotes=True, name="igamma")
def igamma(input: Array, other: Array):
    r"""$P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a - 1} e^{-t} dt$ with a `input`, x `other`.

    >>> ops.igamma(Tensor([1.0]), Tensor([1.0])).asnumpy().round(4)
    array([0.6321], dtype=float32)
    """
    return special.gammainc(input, other)


@op(tensor=True, primitive="Igammac()(a: input, x: other)", promotes=True, name="igammac")
def igammac(input: Array, other: Array):
    r"""$Q(a, x) = 1 - P(a, x)$, see `igamma`.

    >>> ops.igammac(Tensor([1.0]), Tensor([1.0])).asnumpy().round(4)
    array([0.3679], dtype=float32)
    """
    return special.gammaincc(input, other)
