"""Rows for `sporax.ops.math.ternary`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample

POSITIVE = (0.5, 3.0)
ZEROS = np.array([0.0, 2.0, -1.0])
EDGE = "0 is the edge of the logarithm's domain"
ODD = np.array([np.nan, np.inf, -np.inf, 1.0], np.float32)


def div_no_nan(a, b):
    return np.divide(a, b, out=np.zeros_like(b), where=b != 0)


SAMPLES = [
    Sample("atan2", [(2, 3), (3,)], np.arctan2),
    Sample("hypot", [(2, 3), (3,)], np.hypot),
    Sample("xlogy", [(2, 3), (3,)], lambda a, b: a * np.log(b), range=POSITIVE),
    Sample("xlogy", [np.zeros(2), np.array([0.0, 1.0])], lambda a, b: np.zeros(2), sharp=EDGE),
    Sample("logaddexp", [(2, 3), (3,)], np.logaddexp),
    Sample("logaddexp2", [(2, 3), (3,)], np.logaddexp2),
    Sample("squared_difference", [(2, 3), (3,)], lambda a, b: (a - b) ** 2),
    Sample("div_no_nan", [(2, 3), (2, 3)], div_no_nan, range=POSITIVE),
    Sample("div_no_nan", [(3,), ZEROS], div_no_nan, sharp="the quotient jumps at a divisor of 0"),
    Sample("lerp", [(2, 3), (3,), ()], lambda a, b, w: a + w * (b - a)),
    Sample("addcmul", [(2, 3), (3,), (2, 1)], lambda a, b, c: a + b * c),
    Sample("addcmul", [(2, 3), (3,), (2, 1), ()], lambda a, b, c, value: a + value * b * c),
    Sample("addcdiv", [(2, 3), (3,), (2, 1)], lambda a, b, c: a + b / c, range=POSITIVE),
    Sample(
        "addcdiv",
        [(2, 3), (3,), (2, 1), ()],
        lambda a, b, c, value: a + value * b / c,
        range=POSITIVE,
    ),
    Sample("nan_to_num", [(2, 3)], lambda x: x),
    Sample(
        "nan_to_num",
        [ODD],
        np.nan_to_num,
        {"posinf": 5.0, "neginf": -6.0},
        sharp="its inputs are not finite",
    ),
]

REFUSALS = [
    Refusal(
        "lerp-shapes",
        lambda: ops.lerp(ops.ones((2, 3)), ops.ones((2, 4)), 0.5),
        ValueError,
        ("For 'Lerp'", "'end' Float32 (2, 4)", "reshape"),
    ),
]
