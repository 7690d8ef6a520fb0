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
    for at in np.ndindex(*y.shape[2:]):
        inner, place = np.split(np.array(at), 2)
        seen = place * np.array(stride) + inner * np.array(dilation)
        y[:, :, *at] = x[:, :, *seen]
    return y


def glimpse(x, offsets, noise, size, centered, normalized):
    out = noise.copy()
    for n, middle in enumerate(offsets):
        planes = np.array(x.shape[1:3])
        middle = middle * planes if normalized else middle
        middle = (middle + planes) / 2 if centered else middle
        top, left = np.trunc(middle - np.array(size) / 2).astype(int)
        for i, j in np.ndindex(*size):
            if 0 <= top + i < planes[0] and 0 <= left + j < planes[1]:
                out[n, i, j] = x[n, top + i, left + j]
    return out


SAMPLES = [
    Sample(
        "unfold_windows", [(1, 2, 4, 5)], windows,
        {"kernel": (2, 3), "stride": (2, 1), "dilation": (1, 2), "around": ((1, 0), (0, 1))},
    ),
    Sample(
        "unfold_windows", [(1, 2, 3, 4, 3)], windows,
        {"kernel": (2, 3, 1), "stride": (1, 1, 2), "dilation": (1, 1, 1), "around": ((0, 0),) * 3},
    ),
    *[Sample(
        "glimpse", [(2, 4, 5, 2), np.array([[0.7, -0.9], [1.6, 3.3]], "f4"), (2, 3, 2, 2)], glimpse,
        {"size": (3, 2), "centered": centered, "normalized": normalized},
    ) for centered in (True, False) for normalized in (True, False)],
]  # fmt: skip

X = ops.ones((1, 3, 4, 4))
REFUSALS = [
    Refusal(f"patches-{name}", call, ValueError, says)
    for name, call, says in [
        ("large", lambda: ops.unfold(X, 5), ("'unfold'", "(5, 5)")),
        ("dims", lambda: ops.unfold(X[0], 2), ("(N, C, H, W)",)),
        ("shuffle", lambda: ops.pixel_shuffle(X, 2), ("'pixel_shuffle'", "multiple of 4")),
        ("unshuffle", lambda: ops.pixel_unshuffle(X, 3), ("'pixel_unshuffle'", "3")),
        ("im2col", lambda: ops.Im2Col(5)(X), ("'unfold'", "(5, 5)")),
        ("volume", lambda: ops.ExtractVolumePatches(2, 1, "pad")(X[None]), ("'padding'", "'pad'")),
        (
            "volume-five",
            lambda: ops.ExtractVolumePatches((2,) * 5, 1, "SAME")(X[None]),
            ("'kernel_size'", "(2, 2, 2, 2, 2)"),
        ),
        (
            "glimpse-noise",
            lambda: ops.ExtractGlimpse(noise="zero")(X, (1, 1), X[0, 0, :, :2]),
            ("'noise'", "'uniform_noise'", "'zero'"),
        ),
        (
            "glimpse-size",
            lambda: ops.ExtractGlimpse()(X, (0, 1), X[0, 0, :, :2]),
            ("'size'", "(0, 1)"),
        ),
        ("factor", lambda: ops.pixel_shuffle(X, 0), ("'upscale_factor'", "0")),
    ]
]
