"""Rows for `sporax.ops.math.gamma_functions`, against SciPy."""

from scipy import special

from sporax import ops
from tests.samples import Refusal, Sample

POSITIVE = (0.3, 4.0)
ONCE = "JAX differentiates with respect to a once only"
SAMPLES = [
    Sample("digamma", [(2, 3)], special.digamma, range=POSITIVE, rtol=1e-4),
    Sample("lbeta", [(2, 3), (3,)], special.betaln, range=POSITIVE, rtol=1e-4),
    Sample("igamma", [(2, 3), (3,)], special.gammainc, range=POSITIVE, rtol=1e-4, sharp=ONCE),
    Sample("igammac", [(2, 3), (3,)], special.gammaincc, range=POSITIVE, rtol=1e-4, sharp=ONCE),
    Sample("betainc", [(2, 3)] * 3, special.betainc, range=(0.1, 0.9), rtol=1e-4,
           sharp="by x alone"),
]  # fmt: skip
SAMPLES.append(
    Sample("betainc", [(2, 3)] * 3, special.betainc, range=(0.1, 0.9), rtol=1e-4, sharp=ONCE)
)
REFUSALS = [
    Refusal(
        "betainc",
        lambda: ops.Betainc()(ops.ones((2,)), ops.ones((2,)), ops.ones((1,))),
        ValueError,
        ("'Betainc'", "'x' must have the dtype and shape of 'a'", "(1,)"),
    ),
    Refusal("digamma", lambda: ops.digamma(ops.arange(3)), TypeError, ("'digamma'", "Int64")),
]
