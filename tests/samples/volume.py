"""Rows for `sporax.ops.volume`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def conv3d(x, w, b=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """By its definition, one product after the other."""
    sizes, kernel, around = x.shape[2:], w.shape[2:], [(0, 0)] * 5
    for axis in range(3):
        if pad_mode == "pad":
            around[2 + axis] = (padding, padding)
        if pad_mode == "same":
            extent = (-(-sizes[axis] // stride) - 1) * stride + (kernel[axis] - 1) * dilation + 1
            total = max(0, extent - sizes[axis])
            around[2 + axis] = (total // 2, total - total // 2)
    x = np.pad(x, around)
    count = [(x.shape[2 + a] - (kernel[a] - 1) * dilation - 1) // stride + 1 for a in range(3)]
    y = np.zeros((x.shape[0], w.shape[0], *count))
    for o in range(w.shape[0]):
        first = o // (w.shape[0] // groups) * w.shape[1]
        for c, *of_kernel in np.ndindex(*w.shape[1:]):
            for at in np.ndindex(*count):
                seen = [p * stride + k * dilation for p, k in zip(at, of_kernel, strict=True)]
                y[:, o, *at] += w[o, c, *of_kernel] * x[:, first + c, *seen]
    return y if b is None else y + b[:, None, None, None]


SAMPLES = [
    Sample("conv3d", [(1, 1, 2, 3, 3), (2, 1, 2, 2, 2), (2,)], conv3d),
    Sample("conv3d", [(1, 1, 2, 2, 3), (1, 1, 1, 2, 2)], conv3d),
    Sample(
        "conv3d", [(1, 2, 3, 4, 5), (2, 1, 2, 2, 2)], conv3d,
        {"stride": 2, "pad_mode": "same", "groups": 2},
    ),
    Sample(
        "conv3d", [(1, 1, 3, 3, 4), (1, 1, 2, 2, 2)], conv3d,
        {"pad_mode": "pad", "padding": 1, "dilation": 2},
    ),
]  # fmt: skip

X, W = ops.ones((1, 3, 4, 4, 4)), ops.ones((2, 3, 3, 3, 3))
REFUSALS = [
    Refusal(f"conv3d-{name}", call, ValueError, ("'Conv3D'", *says))
    for name, call, says in [
        ("channels", lambda: ops.conv3d(X[:, :2], W), ("3 channels", "has 2")),
        ("bias", lambda: ops.conv3d(X, W, ops.ones((3,))), ("'bias'", "(2,)")),
        ("large", lambda: ops.conv3d(X[:, :, :2], W), ("at least as large",)),
        ("mode", lambda: ops.conv3d(X, W, None, 1, "x"), ("'pad_mode'",)),
        ("padding", lambda: ops.conv3d(X, W, None, 1, "valid", 1), ("'padding'", "'pad'")),
        ("stride", lambda: ops.conv3d(X, W, None, (1, 2)), ("'stride'", "three")),
        ("kernel", lambda: ops.Conv3D(2, 4)(X, W), ("'kernel_size'",)),
        ("dims", lambda: ops.conv3d(X[0], W), ("5 dimensions",)),
    ]
]
