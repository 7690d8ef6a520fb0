"""Rows for `sporax.ops.image.resizing`; the references go element by element, by the
definitions."""

import math

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def cubic(d, a=-0.75):
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def place(i, n_in, n_out, step, align_corners):
    if align_corners:
        return i * (n_in - 1) / (n_out - 1)
    return (i + 0.5) * (n_in / n_out if step is None else step) - 0.5


def nearest(row, i, n_out, step, align_corners):
    if align_corners:
        return row[math.floor(place(i, len(row), n_out, step, True) + 0.5)]
    return row[min(math.floor(i * (step or len(row) / n_out) + 1e-9), len(row) - 1)]


def nearest_exact(row, i, n_out, step, align_corners):
    at = place(i, len(row), n_out, step, False)
    return row[min(math.floor(at + 0.5 + 1e-9), len(row) - 1)]


def linear(row, i, n_out, step, align_corners):
    at = place(i, len(row), n_out, step, align_corners)
    return np.interp(at, np.arange(len(row)), row)


def from_edges(row, i, n_out, step, align_corners):
    return np.interp(i * len(row) / n_out, np.arange(len(row)), row)


def bicubic(row, i, n_out, step, align_corners):
    at = place(i, len(row), n_out, step, align_corners)
    places = range(math.floor(at) - 1, math.floor(at) + 3)
    return sum(cubic(at - j) * row[min(max(j, 0), len(row) - 1)] for j in places)


def area(row, i, n_out, step, align_corners):
    n = len(row)
    return np.mean(row[i * n // n_out : -(-(i + 1) * n // n_out)])


def resized(of_row):
    """The reference for arrays: a row's element, applied along each of the last axes."""

    def reference(x, *, size, taps, steps=None, align_corners=False):
        steps = steps or (None,) * len(size)
        for axis, n, step in zip(range(-len(size), 0), size, steps, strict=True):

            def of_axis(row, n=n, step=step):
                return np.array([of_row(row, i, n, step, align_corners) for i in range(n)])

            x = np.apply_along_axis(of_axis, axis, x)
        return x

    return reference


def rows(name, of_row, **more):
    """Larger, smaller and the same, along one axis and two."""
    for size in [(7,), (3,), (5, 2), (4, 5)]:
        yield Sample(
            "interpolate_axes", [(1, 2, 4, 5)], resized(of_row), dict(size=size, taps=name, **more)
        )


def crops(image, boxes, numbers, crop_size, method="bilinear", extrapolation_value=0.0):
    out = np.full((len(boxes), *crop_size, image.shape[3]), extrapolation_value, np.float64)
    for n, i, j in np.ndindex(*out.shape[:3]):
        at = []
        for k, (low, high) in zip((i, j), (boxes[n, ::2], boxes[n, 1::2]), strict=True):
            axis = len(at)
            part = k / (crop_size[axis] - 1) if crop_size[axis] > 1 else 0.5
            at.append((low + part * (high - low)) * (image.shape[1 + axis] - 1))
        if any(not 0 <= a <= s - 1 for a, s in zip(at, image.shape[1:3], strict=True)):
            continue
        whole = [math.floor(a + 0.5) for a in at]
        if method == "nearest":
            out[n, i, j] = image[numbers[n], whole[0], whole[1]]
            continue
        out[n, i, j] = 0
        for y in {math.floor(at[0]), math.ceil(at[0])}:
            for x in {math.floor(at[1]), math.ceil(at[1])}:
                weight = (1 - abs(at[0] - y)) * (1 - abs(at[1] - x))
                out[n, i, j] += weight * image[numbers[n], y, x]
    return out


INSIDE = np.array([[0.13, 0.12, 0.83, 0.77], [0.21, 0.34, 0.64, 0.88]])
BOXES = np.array([[0.0, 0.0, 1.0, 1.0], [0.2, 0.1, 1.2, 0.8], [0.55, 0.5, 0.1, 0.15]], np.float32)
WHICH = np.array([0, 1, 0])

SAMPLES = [
    *rows("nearest", nearest),
    *rows("nearest", nearest, align_corners=True),
    *rows("nearest-exact", nearest_exact),
    *rows("linear", linear),
    *rows("linear", linear, align_corners=True),
    *rows("linear-from-edges", from_edges),
    *rows("cubic", bicubic),
    *rows("cubic", bicubic, align_corners=True),
    *rows("area", area),
    *[
        Sample(
            "interpolate_axes", [(1, 1, 4, 5)], resized(of_row),
            {"size": (5, 8), "taps": name, "steps": (1 / 1.3, 1 / 1.6)},
        )
        for name, of_row in [("nearest", nearest), ("linear", linear), ("cubic", bicubic)]
    ],
    Sample("crop_and_resize", [(2, 3, 4, 2), INSIDE, WHICH[:2]], crops, {"crop_size": (2, 3)}),
    *[
        Sample(
            "crop_and_resize", [(2, 3, 4, 2), BOXES, WHICH], crops, attrs,
            sharp="it bends at pixels and jumps at edges",
        )
        for attrs in [
            {"crop_size": (2, 3)},
            {"crop_size": (1, 4), "extrapolation_value": 5.0},
            {"crop_size": (3, 3), "method": "nearest"},
        ]
    ],
]  # fmt: skip

SAMPLES += [
    Sample(
        "crop_and_resize",
        [(2, 3, 4, 2), (3, 4), WHICH],
        crops,
        {"crop_size": (2, 3), "method": method},
        range=(0.1, 0.9),
    )
    for method in ("bilinear", "nearest")
]

SIGNAL = Tensor([[[1.0, 2.0, 3.0]]])
REFUSALS = [
    Refusal(
        name, lambda given=given: ops.interpolate(SIGNAL, **given), ValueError,
        ("For 'interpolate'", *says),
    )
    for name, given, says in [
        ("interpolate-nothing", {}, ("'size' and 'scale_factor'",)),
        ("interpolate-both", {"size": 2, "scale_factor": 2.0}, ("'size' and 'scale_factor'",)),
        ("interpolate-mode", {"size": 2, "mode": "x"}, ("'mode'", "'nearest-exact'")),
        ("interpolate-dims", {"size": 2, "mode": "bilinear"}, ("4 dimensions", "got 3")),
        ("interpolate-corners", {"size": 2, "align_corners": True}, ("'align_corners'",)),
        ("interpolate-sizes", {"size": (2, 2)}, ("'size' must have 1",)),
    ]
]  # fmt: skip
REFUSALS.append(
    Refusal(
        "crop-method",
        lambda: ops.CropAndResize("x")(
            ops.ones((1, 2, 2, 1)), ops.ones((1, 4)), Tensor([0]), (1, 1)
        ),
        ValueError,
        ("'CropAndResize'", "'method'"),
    )
)
