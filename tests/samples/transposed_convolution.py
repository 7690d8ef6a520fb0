"""Rows for `sporax.ops.nn.transposed_convolution`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def transposed(x, w, b=None, *, stride, around, sizes, dilation=None, groups=1):
    """Each number of the input spread over the places that it would have been made of."""
    n = len(sizes)
    dilation = dilation or (1,) * n
    wide = [size + sum(sides) for size, sides in zip(sizes, around, strict=True)]
    outs = w.shape[1] * groups
    y = np.zeros((x.shape[0], outs, *[size + 20 for size in wide]))
    for c in range(x.shape[1]):
        first = c // (x.shape[1] // groups) * w.shape[1]
        for o, *of_kernel in np.ndindex(*w.shape[1:]):
            for at in np.ndindex(*x.shape[2:]):
                places = [
                    p * s + k * d
                    for p, s, k, d in zip(at, stride, of_kernel, dilation, strict=True)
                ]
                y[:, first + o, *places] += x[:, c, *at] * w[c, o, *of_kernel]
    kept = [slice(before, before + size) for (before, _), size in zip(around, sizes, strict=True)]
    y = y[:, :, *kept]
    return y if b is None else y + b.reshape(-1, *[1] * n)


SAMPLES = [
    Sample(
        "conv_transpose", [(2, 2, 3, 2), (2, 3, 3, 2), (3,)], transposed,
        {"stride": (2, 1), "around": ((1, 0), (0, 1)), "sizes": (6, 2)},
    ),
    Sample(
        "conv_transpose", [(1, 4, 3), (4, 1, 2)], transposed,
        {"stride": (3,), "around": ((0, 0),), "sizes": (9,), "dilation": (2,), "groups": 2},
    ),
    Sample(
        "conv_transpose", [(1, 1, 2, 1, 2), (1, 2, 2, 1, 2)], transposed,
        {"stride": (1, 2, 2), "around": ((0, 0),) * 3, "sizes": (3, 2, 4)},
    ),
]  # fmt: skip

X, W = ops.ones((1, 3, 4, 4)), ops.ones((3, 2, 3, 3))
REFUSALS = [
    Refusal(f"conv_transpose2d-{name}", call, ValueError, ("For 'conv_transpose", *says))
    for name, call, says in [
        ("channels", lambda: ops.conv_transpose2d(X[:, :2], W), ("3 channels", "has 2")),
        ("bias", lambda: ops.conv_transpose2d(X, W, ops.ones((3,))), ("'bias'", "(2,)")),
        ("stride", lambda: ops.conv_transpose2d(X, W, stride=0), ("'stride'", "2d'", "at least 1")),
        ("more", lambda: ops.conv_transpose2d(X, W, output_padding=1), ("'output_padding'",)),
        ("padding", lambda: ops.conv_transpose2d(X, W, padding=9), ("at least 1 element",)),
        ("dims", lambda: ops.conv_transpose2d(X[0, 0], W), ("(N, C, H, W)", "(4, 4)")),
        ("groups", lambda: ops.conv_transpose2d(X, W, groups=2), ("groups",)),
    ]
] + [
    Refusal(
        "Conv2DTranspose-mode", lambda: ops.Conv2DTranspose(3, 3, "x")(X, W, (1, 2, 4, 4)),
        ValueError, ("'Conv2DTranspose'", "'pad_mode'"),
    ),
    Refusal(
        "Conv3DTranspose-dims", lambda: ops.Conv3DTranspose(3, 2, 3)(X, W), ValueError,
        ("'Conv3DTranspose'", "(N, 3, D, H, W)", "(1, 3, 4, 4)"),
    ),
]  # fmt: skip
