"""Rows for `sporax.ops.image.deformable_attention`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample


def seen(plane, x, y):
    """`plane` (H, W, D) between its elements; 0 outside."""
    height, width = plane.shape[:2]
    total = np.zeros(plane.shape[2])
    for i in range(height):
        for j in range(width):
            total += plane[i, j] * max(0, 1 - abs(y - i)) * max(0, 1 - abs(x - j))
    return total


def deformable(value, shape, offset, locations, weight):
    batch, _, heads, dims = value.shape
    out = np.zeros((batch, locations.shape[1], heads, dims))
    for b, q, h, level, p in np.ndindex(weight.shape):
        height, width = shape[level]
        begin = offset[level]
        plane = value[b, begin : begin + height * width, h].reshape(height, width, dims)
        x, y = locations[b, q, h, level, p] * (width, height) - 0.5
        out[b, q, h] += weight[b, q, h, level, p] * seen(plane, x, y)
    return out.reshape(batch, -1, heads * dims)


SHAPE, OFFSET = np.array([[2, 3], [1, 2]], np.int32), np.array([0, 6], np.int32)
PLACES = np.random.default_rng(1).uniform(-0.2, 1.2, (2, 3, 2, 2, 2, 2))
SAMPLES = [
    Sample("multi_scale_deformable_attn_function",
           [(2, 8, 2, 3), SHAPE, OFFSET, PLACES, (2, 3, 2, 2, 2)], deformable),
]  # fmt: skip

REFUSALS = [
    Refusal(
        "deformable-levels",
        lambda: ops.multi_scale_deformable_attn_function(
            ops.ones((2, 8, 2, 3)), Tensor(SHAPE[:1]), Tensor(OFFSET), Tensor(PLACES),
            ops.ones((2, 3, 2, 2, 2)),
        ),
        ValueError, ("'multi_scale_deformable_attn_function'", "'shape'", "(L, 2)"),
    ),
]  # fmt: skip
