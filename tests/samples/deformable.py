"""Rows for `sporax.ops.nn.deformable`."""

import itertools

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def between(plane, y, x):
    """Bilinear; 0 outside."""
    total = 0.0
    for row, column in itertools.product((int(np.floor(y)), int(np.floor(y)) + 1),
                                         (int(np.floor(x)), int(np.floor(x)) + 1)):  # fmt: skip
        if 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]:
            total += plane[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def deformable(
    x, offsets, strides, pads, ksize, dilations=(1,) * 4, deformable_groups=1, data_format="NCHW"
):  # fmt: skip
    n, channels = x.shape[:2]
    (kh, kw), groups, (rows, columns) = ksize, deformable_groups, offsets.shape[2:]
    parts = offsets.reshape(n, 3, groups, kh, kw, rows, columns)
    out = np.zeros((n, channels, rows * kh, columns * kw))
    for b, c, i, j, r, s in np.ndindex(n, channels, kh, kw, rows, columns):
        right, down, weight = parts[b, :, c * groups // channels, i, j, r, s]
        y = r * strides[2] - pads[0] + i * dilations[2] + down
        across = s * strides[3] - pads[2] + j * dilations[3] + right
        out[b, c, r * kh + i, s * kw + j] = weight * between(x[b, c], y, across)
    return out


def dilation(x, filter, stride, dilation, pad_mode="VALID"):
    kernel = filter.shape[1:]
    sizes = [-(-n // s) if pad_mode == "SAME" else (n - (k - 1) * d - 1) // s + 1
             for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)]  # fmt: skip
    short = [max((o - 1) * s + (k - 1) * d + 1 - n, 0) if pad_mode == "SAME" else 0
             for o, n, k, s, d in zip(sizes, x.shape[2:], kernel, stride, dilation,
                                      strict=True)]  # fmt: skip
    x = np.pad(x, [(0, 0), (0, 0), *((p // 2, p - p // 2) for p in short)],
               constant_values=-np.inf)  # fmt: skip
    out = np.full((*x.shape[:2], *sizes), -np.inf)
    for r, s, i, j in np.ndindex(*sizes, *kernel):
        seen = x[:, :, r * stride[0] + i * dilation[0], s * stride[1] + j * dilation[1]]
        out[:, :, r, s] = np.maximum(out[:, :, r, s], seen + filter[:, i, j])
    return out


SETTINGS = {"strides": (1, 1, 2, 1), "pads": (1, 1, 0, 1), "ksize": (2, 2),
            "dilations": (1, 1, 2, 1), "deformable_groups": 2}  # fmt: skip
SAMPLES = [
    Sample("deformable_offsets", [(1, 2, 3, 3), (1, 12, 2, 3)], deformable,
           {"strides": (1,) * 4, "pads": (0, 0, 0, 1), "ksize": (2, 2)}, range=(-1.3, 1.7),
           rtol=1e-4),
    Sample("deformable_offsets", [(2, 4, 4, 4), (2, 24, 2, 4)], deformable, SETTINGS, rtol=1e-4),
    Sample("dilation2d", [(2, 3, 4, 5), (3, 2, 2)], dilation,
           {"stride": (1, 2), "dilation": (2, 1), "pad_mode": "VALID"}),
    Sample("dilation2d", [(2, 3, 4, 5), (3, 2, 3)], dilation,
           {"stride": (2, 1), "dilation": (1, 2), "pad_mode": "SAME"}),
]  # fmt: skip

X, ONE = ops.ones((1, 2, 4, 4)), (1, 1, 1, 1)
REFUSALS = [
    Refusal(f"deformable-{name}", call, ValueError, says)
    for name, call, says in [
        ("offsets", lambda: ops.DeformableOffsets(ONE, (0,) * 4, (2, 2))(X, X),
         ("'DeformableOffsets'", "(1, 12, 3, 3)", "(1, 2, 4, 4)")),
        ("strides", lambda: ops.DeformableOffsets((2, 1, 1, 1), (0,) * 4, (2, 2))(X, X),
         ("'strides'", "(2, 1, 1, 1)")),
        ("mask", lambda: ops.DeformableOffsets(ONE, (0,) * 4, (2, 2), modulated=False)(X, X),
         ("'modulated'", "True", "False")),
        ("filter", lambda: ops.Dilation2D(1, 1)(X, ops.ones((3, 2, 2))), ("'filter'", "(3, 2, 2)")),
        ("window", lambda: ops.Dilation2D(1, 4, "VALID")(X, ops.ones((2, 2, 2))), ("(2, 2)",)),
        ("mode", lambda: ops.Dilation2D(1, 1, "pad")(X, ops.ones((2, 2, 2))),
         ("'pad_mode'", "'pad'")),
    ]
]  # fmt: skip
