"""Rows for `sporax.ops.image.patches`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def windows(x, *, kernel, stride, dilation, around):
    x = np.pad(x, [(0, 0), (0, 0), *around])
    count = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    ]
    y = np.zeros((*x.shape[:2], *kernel, *count))
    for i, j, a, b in np.ndindex(*y.shape[2:]):
        row, column = a * stride[0] + i * dilation[0], b * stride[1] + j * dilation[1]
        y[:, :, i, j, a, b] = x[:, :, row, column]
    return y


SAMPLES = [
    Sample(
        "unfold_windows", [(1, 2, 4, 5)], windows,
        {"kernel": (2, 3), "stride": (2, 1), "dilation": (1, 2), "around": ((1, 0), (0, 1))},
    ),
]  # fmt: skip

X = ops.ones((1, 3, 4, 4))
REFUSALS = [
    Refusal(f"patches-{name}", call, ValueError, says)
    for name, call, says in [
        ("large", lambda: ops.unfold(X, 5), ("'unfold'", "(5, 5)")),
        ("dims", lambda: ops.unfold(X[0], 2), ("(N, C, H, W)",)),
        ("shuffle", lambda: ops.pixel_shuffle(X, 2), ("'pixel_shuffle'", "multiple of 4")),
        ("unshuffle", lambda: ops.pixel_unshuffle(X, 3), ("'pixel_unshuffle'", "3")),
        ("factor", lambda: ops.pixel_shuffle(X, 0), ("'upscale_factor'", "0")),
    ]
]
