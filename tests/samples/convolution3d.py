"""Rows for `sporax.ops.nn.convolution3d`."""

from sporax import ops
from tests.samples import Refusal, Sample
from tests.samples.convolution import convolution

SAMPLES = [
    Sample("conv3d", [(1, 1, 2, 3, 3), (2, 1, 2, 2, 2), (2,)], convolution),
    Sample("conv3d", [(1, 1, 2, 2, 3), (1, 1, 1, 2, 2)], convolution),
    Sample(
        "conv3d", [(1, 2, 3, 4, 5), (2, 1, 2, 2, 2)], convolution,
        {"stride": 2, "pad_mode": "same", "groups": 2},
    ),
    Sample(
        "conv3d", [(1, 1, 3, 3, 4), (1, 1, 2, 2, 2)], convolution,
        {"pad_mode": "pad", "padding": 1, "dilation": 2},
    ),
]  # fmt: skip

X, W = ops.ones((1, 3, 4, 4, 4)), ops.ones((2, 3, 3, 3, 3))
REFUSALS = [
    Refusal(f"conv3d-{name}", call, ValueError, ("'Conv3D'", *says))
    for name, call, says in [
        ("channels", lambda: ops.conv3d(X[:, :2], W), ("3 channels", "has 2")),
        ("bias", lambda: ops.conv3d(X, W, ops.ones((3,))), ("'bias'", "(2,)")),
        ("large", lambda: ops.conv3d(X[:, :, :2], W), ("must fit",)),
        ("mode", lambda: ops.conv3d(X, W, None, 1, "x"), ("'pad_mode'",)),
        ("padding", lambda: ops.conv3d(X, W, None, 1, "valid", 1), ("'padding'", "'pad'")),
        ("stride", lambda: ops.conv3d(X, W, None, (1, 2)), ("'stride'", "tuple of 3")),
        ("kernel", lambda: ops.Conv3D(2, 4)(X, W), ("'kernel_size'",)),
        ("dims", lambda: ops.conv3d(X[0], W), ("(N, C, D, H, W)",)),
    ]
]
