"""Rows for `sporax.ops.math.bessel`; SciPy is the reference."""

import numpy as np
import scipy.special as special

from sporax import ops
from tests.samples import Refusal, Sample

FUNCTIONS = ["i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"]
EVERYWHERE = {"i0", "i0e", "i1", "i1e", "j0", "j1"}
# where one formula gives way to another, and at the ends
AT = np.array([1e-30, 1e-3, 0.5, 1.999, 2.0, 2.001, 8.5, 24.999, 25.0, 25.001, 60.0])
SEAMS = "it grows beyond what differences resolve, and has poles"
BEYOND = np.array([0.0, -1.0], np.float32)


def _of(name):
    return getattr(special, name)


SAMPLES = [
    Sample(
        f"bessel_{name}", [points.astype(np.float32)], _of(name), rtol=2e-5, atol=1e-7, sharp=SEAMS
    )
    for name in FUNCTIONS
    for points in (AT, -AT if name in EVERYWHERE else BEYOND)
]
SAMPLES += [
    Sample(f"bessel_{name}", [(2, 3)], _of(name), range=span)
    for name in FUNCTIONS
    for span in [(0.2, 1.9), (2.1, 8.0), (25.5, 60.0)]
    if not (name in ("i0", "i1") and span[1] > 25)
]
SAMPLES += [
    Sample(f"bessel_{name}", [np.array([0.0, -0.7])], _of(name))
    for name in ("i0", "i1", "j0", "j1")
]

REFUSALS = [
    Refusal(
        "bessel-string",
        lambda: ops.bessel_i0("one"),
        TypeError,
        ("For 'BesselI0'", "must be a Tensor or a number", "'one'"),
    ),
]
