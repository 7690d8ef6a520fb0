"""Rows for `sporax.ops.image.grid_sample`."""

import itertools

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def sampled(x, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    """Place by place."""
    n, c, *sizes = x.shape
    out = np.zeros((n, c, *grid.shape[1:-1]))
    for example, *place in np.ndindex(n, *grid.shape[1:-1]):
        at = []
        for g, size in zip(grid[example, *place][::-1], sizes, strict=True):
            p = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
            low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
            while padding_mode == "reflection" and not low <= p <= high:
                p = 2 * low - p if p < low else 2 * high - p
            at.append(p if padding_mode == "zeros" else np.clip(p, 0, size - 1))
        for side in itertools.product((0, 1), repeat=len(sizes)):
            corner = [int(np.floor(p)) + s for p, s in zip(at, side, strict=True)]
            weight = np.prod([1 - abs(p - k) for p, k in zip(at, corner, strict=True)])
            if mode == "nearest":
                corner, weight = [int(np.round(p)) for p in at], 0.5 ** len(sizes)
            if all(0 <= k < size for k, size in zip(corner, sizes, strict=True)):
                out[example, :, *place] += weight * x[example, :, *corner]
    return out


SAMPLES = [
    Sample("grid_sample", [(2, 2, 3, 4), (2, 2, 3, 2)], sampled, range=(-1.4, 1.4)),
    Sample(
        "grid_sample", [(1, 1, 3, 4), (1, 2, 3, 2)], sampled,
        {"padding_mode": "border", "align_corners": True}, range=(-1.4, 1.4),
        sharp="clipped places have corners",
    ),
    Sample(
        "grid_sample", [(1, 1, 3, 4), (1, 2, 3, 2)], sampled,
        {"padding_mode": "reflection", "mode": "nearest"}, range=(-2.9, 2.9),
        sharp="steps",
    ),
    Sample(
        "grid_sample", [(1, 1, 2, 3, 4), (1, 1, 2, 3, 3)], sampled,
        {"padding_mode": "reflection", "align_corners": True}, range=(-1.9, 1.9),
    ),
]  # fmt: skip

X, G = ops.ones((1, 1, 3, 4)), ops.ones((1, 2, 3, 2))
REFUSALS = [
    Refusal(f"grid-{name}", call, ValueError, says)
    for name, call, says in [
        ("dims", lambda: ops.grid_sample(X[0], G), ("'grid_sample'", "(N, H', W', 2)")),
        ("mode", lambda: ops.grid_sample(X, G, "x"), ("'mode'", "bilinear", "'x'")),
        ("beyond", lambda: ops.grid_sample(X, G, padding_mode="x"), ("'padding_mode'",)),
        (
            "batch",
            lambda: ops.grid_sample(X, ops.ones((2, 2, 3, 2))),
            ("(N, H', W', 2)", "(2, 2, 3, 2)"),
        ),
        ("affine", lambda: ops.affine_grid(ops.ones((1, 2, 2)), (1, 1, 2, 2)), ("'affine_grid'",)),
    ]
]
