"""Rows for `sporax.ops.nn.convolution`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def convolution(x, w, b=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """By its definition, one product after the other, over any number of axes."""
    sizes, kernel, n = x.shape[2:], w.shape[2:], x.ndim - 2
    around = [(0, 0)] * x.ndim
    for axis in range(n):
        if pad_mode == "pad":
            around[2 + axis] = (padding, padding)
        if pad_mode == "same":
            extent = (-(-sizes[axis] // stride) - 1) * stride + (kernel[axis] - 1) * dilation + 1
            total = max(0, extent - sizes[axis])
            around[2 + axis] = (total // 2, total - total // 2)
    x = np.pad(x, around)
    count = [(x.shape[2 + a] - (kernel[a] - 1) * dilation - 1) // stride + 1 for a in range(n)]
    y = np.zeros((x.shape[0], w.shape[0], *count))
    for o in range(w.shape[0]):
        first = o // (w.shape[0] // groups) * w.shape[1]
        for c, *of_kernel in np.ndindex(*w.shape[1:]):
            for at in np.ndindex(*count):
                seen = [p * stride + k * dilation for p, k in zip(at, of_kernel, strict=True)]
                y[:, o, *at] += w[o, c, *of_kernel] * x[:, first + c, *seen]
    return y if b is None else y + b.reshape(-1, *[1] * n)


SAMPLES = [
    Sample("conv2d", [(1, 1, 4, 4), (2, 1, 3, 3), (2,)], convolution),
    Sample("conv2d", [(1, 1, 3, 4), (1, 1, 2, 3)], convolution),
    Sample("conv2d", [(2, 2, 5, 12), (3, 2, 3, 3)], convolution),
    Sample("conv2d", [(1, 9, 3, 3), (1, 9, 2, 2)], convolution),
    Sample(
        "conv2d", [(1, 2, 4, 5), (2, 1, 2, 2)], convolution,
        {"stride": 2, "pad_mode": "same", "groups": 2},
    ),
    Sample(
        "conv2d", [(1, 1, 5, 5), (1, 1, 2, 2)], convolution,
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
