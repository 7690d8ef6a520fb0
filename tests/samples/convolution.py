"""Rows for `sporax.ops.convolution`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def conv2d(x, w, b=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """By its definition, one product after the other."""
    sizes, kernel, around = x.shape[2:], w.shape[2:], [(0, 0)] * 4
    for axis in (0, 1):
        if pad_mode == "pad":
            around[2 + axis] = (padding, padding)
        if pad_mode == "same":
            extent = (-(-sizes[axis] // stride) - 1) * stride + (kernel[axis] - 1) * dilation + 1
            total = max(0, extent - sizes[axis])
            around[2 + axis] = (total // 2, total - total // 2)
    x = np.pad(x, around)
    count = [(x.shape[2 + a] - (kernel[a] - 1) * dilation - 1) // stride + 1 for a in (0, 1)]
    y = np.zeros((x.shape[0], w.shape[0], *count))
    for o in range(w.shape[0]):
        first = o // (w.shape[0] // groups) * w.shape[1]
        for c, i, j in np.ndindex(*w.shape[1:]):
            for r, s in np.ndindex(*count):
                seen = x[:, first + c, r * stride + i * dilation, s * stride + j * dilation]
                y[:, o, r, s] += w[o, c, i, j] * seen
    return y if b is None else y + b[:, None, None]


SAMPLES = [
    Sample("conv2d", [(1, 1, 4, 4), (2, 1, 3, 3), (2,)], conv2d),
    Sample("conv2d", [(1, 1, 3, 4), (1, 1, 2, 3)], conv2d),
    Sample("conv2d", [(2, 2, 5, 12), (3, 2, 3, 3)], conv2d),
    Sample("conv2d", [(1, 9, 3, 3), (1, 9, 2, 2)], conv2d),
    Sample(
        "conv2d", [(1, 2, 4, 5), (2, 1, 2, 2)], conv2d,
        {"stride": 2, "pad_mode": "same", "groups": 2},
    ),
    Sample(
        "conv2d", [(1, 1, 5, 5), (1, 1, 2, 2)], conv2d,
        {"pad_mode": "pad", "padding": 1, "dilation": 2},
    ),
]  # fmt: skip

REFUSALS = [
    Refusal(
        "conv2d-channels",
        lambda: ops.conv2d(ops.ones((1, 3, 4, 4)), ops.ones((2, 1, 3, 3))),
        ValueError,
        ("'Conv2D'", "(1, 3, 4, 4)", "1 channels"),
    ),
    Refusal(
        "conv2d-bias",
        lambda: ops.conv2d(ops.ones((1, 1, 4, 4)), ops.ones((2, 1, 3, 3)), ops.ones((3,))),
        ValueError,
        ("'Conv2D'", "'bias'", "(2,)"),
    ),
    Refusal(
        "conv2d-kernel",
        lambda: ops.Conv2D(3, 3)(ops.ones((1, 1, 4, 4)), ops.ones((2, 1, 3, 3))),
        ValueError,
        ("'Conv2D'", "'out_channel'"),
    ),
]
