"""Rows for `sporax.ops.math.comparison`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

LEFT, RIGHT = np.array([[1, 2, 3], [3, 2, 1]]), np.array([1, 3, 3])
MASKS = [np.array([True, True, False, False]), np.array([True, False, True, False])]
BITS = [np.array([0, 1, 5, -1], np.int32), np.array([3, 4, 6, 7], np.int32)]

SAMPLES = [
    *[
        Sample(name, [LEFT, RIGHT], getattr(np, name))
        for name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
    ],
    *[
        Sample(f"logical_{name}", masks, getattr(np, f"logical_{name}"))
        for name in ("and", "or", "xor")
        for masks in (MASKS, [LEFT, RIGHT])
    ],
    *[
        Sample(f"bitwise_{name}", numbers, getattr(np, f"bitwise_{name}"))
        for name in ("and", "or", "xor")
        for numbers in (MASKS, BITS)
    ],
    Sample("logical_not", [MASKS[0]], np.logical_not),
    Sample("bitwise_not", [BITS[0]], np.invert),
    Sample(
        "isclose",
        [np.array([1.0, 1.0, np.nan, 2.0]), np.array([1.0, 1.1, np.nan, 2.0000001])],
        np.isclose,
        {"equal_nan": True},
    ),
]

REFUSALS = [
    Refusal(
        "and-floats",
        lambda: ops.bitwise_and(Tensor([1.0]), Tensor([1.0])),
        TypeError,
        ("For 'BitwiseAnd'", "Float32", "astype"),
    ),
]
