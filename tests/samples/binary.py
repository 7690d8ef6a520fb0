"""Rows for `sporax.ops.math.binary`."""

import numpy as np
import scipy.special as special

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

A, B = np.array([12, -7, 0, 9], np.int32), np.array([18, 2, 5, -4], np.int32)
FEW = np.array([1, 2, 3, 0], np.int32)
ODD = np.array([1.0, np.nan, -2.0, np.nan])
EVEN = np.array([np.nan, 3.0, -1.0, 0.5])
KINKS = "constant, but for steps"


def hurwitz(x, q):
    """The sum itself, and Euler and Maclaurin's estimate of what comes after it."""
    n = np.arange(200.0).reshape(-1, *(1,) * x.ndim) + q
    end = q + 200
    return (n**-x).sum(0) + end ** (1 - x) / (x - 1) + end**-x / 2 + x * end ** (-x - 1) / 12


SAMPLES = [
    Sample("gcd", [A, B], np.gcd),
    Sample("lcm", [A, B], np.lcm),
    Sample("ldexp", [(2, 3), (3,)], lambda a, b: a * 2**b),
    Sample("copysign", [(2, 3), (3,)], np.copysign, sharp="the sign of the second is a step"),
    Sample("copysign", [(3,)], lambda a, other: np.copysign(a, other), {"other": 2.0}),
    Sample("heaviside", [np.array([-1.0, 0.0, 2.0]), (3,)], np.heaviside, sharp=KINKS),
    Sample("heaviside", [(2, 3), (3,)], np.heaviside, range=(0.5, 2)),
    Sample("fmax", [(2, 3), (3,)], np.fmax),
    Sample("fmax", [ODD, EVEN], np.fmax, sharp="NaN"),
    Sample("fmin", [(2, 3), (3,)], np.fmin),
    Sample("fmin", [ODD, EVEN], np.fmin, sharp="NaN"),
    Sample("nextafter", [(2,), (2,)], np.nextafter),
    Sample("xdivy", [(2, 3), (3,)], np.divide, range=(0.5, 2)),
    Sample("xdivy", [np.array([0.0, 2.0]), np.array([0.0, 4.0])],
           lambda a, b: np.array([0.0, 0.5]), sharp="0 / 0"),
    Sample("truncate_div", [A, B], lambda a, b: np.trunc(a / b).astype(int)),
    Sample("truncate_div", [(3,), (3,)], lambda a, b: np.trunc(a / b)),
    Sample("truncate_mod", [A, B], np.fmod),
    Sample("truncate_mod", [(3,), (3,)], np.fmod),
    Sample("bitwise_left_shift", [A, FEW], np.left_shift),
    Sample("bitwise_right_shift", [A, FEW], np.right_shift),
    Sample("zeta", [(2, 3), (3,)], hurwitz, range=(1.5, 4)),
    Sample("approximate_equal", [np.array([1.0, 2.0]), np.array([1.05, 3.0])],
           lambda a, b, tolerance: np.abs(a - b) < tolerance, {"tolerance": 0.1}),
    Sample("polygamma", [(2, 3)], lambda x, n: special.polygamma(n, x), {"n": 1},
           range=(0.5, 4), names=["input"]),
    Sample("polygamma", [(3,)], lambda x, n: special.polygamma(n, x), {"n": 0},
           range=(0.5, 4), names=["input"]),
    Sample("mvlgamma", [(2, 3)], lambda x, p: special.multigammaln(x, p), {"p": 3}, range=(1.5, 4)),
    Sample("logit", [(2, 3)], lambda x: np.log(x / (1 - x)), range=(0.1, 0.9)),
    Sample("logit", [np.array([0.0, 0.5, 1.0])],
           lambda x, eps: special.logit(np.clip(x, eps, 1 - eps)), {"eps": 0.25},
           sharp="kept within bounds"),
    Sample("tanhshrink", [(2, 3)], lambda x: x - np.tanh(x)),
    Sample("sgn", [(2, 3)], np.sign),
    Sample("sgn", [np.array([3 + 4j, 0, -2j])], lambda x: np.array([0.6 + 0.8j, 0, -1j]),
           sharp="not analytic"),
    Sample("rint", [np.array([0.5, 1.5, -2.4])], np.rint),
    Sample("population_count", [A],
           lambda x: np.array([bin(int(n) & 0xFFFFFFFF).count("1") for n in x])),
    Sample("eps", [(2,)], lambda x: np.full(2, 2.0**-23)),
]  # fmt: skip

REFUSALS = [
    Refusal("gcd-floats", lambda: ops.gcd(Tensor([1.5]), Tensor([2])), TypeError,
            ("For 'Gcd'", "integers")),
    Refusal("mvlgamma-p", lambda: ops.mvlgamma(Tensor([3.0]), 0), ValueError,
            ("'p'", "at least 1")),
]  # fmt: skip
