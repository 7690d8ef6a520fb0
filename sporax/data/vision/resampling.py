"""Resampling of arrays by weighted sums of pixels: resizing, mapping and blurring.

Results follow OpenCV's conventions, as MindSpore's arrays do: pixel centres at half-integers, no
smoothing when an image is reduced, positions between pixels to 1/32. Integer results are within 1
of OpenCV's, whose weights are integers too.
"""

import math
from typing import Any

import numpy as np

from sporax.data.vision.enums import Border, Inter

PADS: dict[Border, Any] = {  # names in numpy.pad
    Border.CONSTANT: "constant", Border.EDGE: "edge",
    Border.REFLECT: "reflect", Border.SYMMETRIC: "symmetric",
}  # fmt: skip


def rows_axis(image):
    """Return the axis of an image's rows: (H, W), or (..., H, W, C)."""
    return 0 if image.ndim == 2 else image.ndim - 3


def saturated(numbers, dtype):
    """Convert numbers to a dtype; for integers, round them and clip them to its range."""
    if dtype.kind not in "iu":
        return numbers.astype(dtype)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(numbers), limits.min, limits.max).astype(dtype)


def _centres(size, count):
    """Return the coordinates of `count` pixels in a row of `size`."""
    return (np.arange(count) + 0.5) * (size / count) - 0.5


def _cubic(x, a):
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def _nearest(size, count):
    indices = np.floor(np.arange(count) * (size / count)).astype(int)
    return np.minimum(indices, size - 1)[:, None], np.ones((count, 1))


def _linear(size, count):
    centres = _centres(size, count)
    low = np.floor(centres).astype(int)
    fraction = centres - low
    return low[:, None] + np.arange(2), np.stack([1 - fraction, fraction], 1)


def _bicubic(size, count):
    centres = _centres(size, count)
    indices = np.floor(centres).astype(int)[:, None] + np.arange(-1, 3)
    return indices, _cubic(centres[:, None] - indices, -0.75)


def _area(size, count):
    """Return positions and weights that average the area of each pixel."""
    scale = size / count
    start = np.arange(count)[:, None] * scale
    indices = np.floor(start).astype(int) + np.arange(math.ceil(scale) + 1)
    overlap = np.minimum(indices + 1, start + scale) - np.maximum(indices, start)
    return indices, np.maximum(overlap, 0) / scale


def _area_enlarged(size, count):
    """Return positions and weights of pixels as large squares, mixed only across borders."""
    low = np.floor(np.arange(count) * (size / count) + 1e-9).astype(int)
    fraction = np.arange(1, count + 1) - (low + 1) * (count / size)
    fraction = np.where(fraction <= 1e-9, 0, fraction - np.floor(fraction))
    return low[:, None] + np.arange(2), np.stack([1 - fraction, fraction], 1)


def _smooth_bicubic(size, count):
    """Return positions and weights as in Pillow: the kernel is as wide as a result pixel."""
    scale = max(size / count, 1.0)
    centres = _centres(size, count)[:, None]
    indices = np.floor(centres - 2 * scale).astype(int) + np.arange(math.ceil(4 * scale) + 2)
    weights = np.where(
        (indices < 0) | (indices >= size), 0, _cubic((indices - centres) / scale, -0.5)
    )
    return indices, weights / weights.sum(1, keepdims=True)


_TAPS = {
    Inter.NEAREST: _nearest, Inter.LINEAR: _linear, Inter.BICUBIC: _bicubic,
    Inter.PILCUBIC: _smooth_bicubic,
}  # fmt: skip


def resized(image, size, how):
    """Resize an image to `size`: (height, width)."""
    first = rows_axis(image)
    old = image.shape[first : first + 2]
    if how == Inter.AREA:
        smaller = old[0] >= size[0] and old[1] >= size[1]
        taps = _area if smaller else _area_enlarged
    else:
        taps = _TAPS[how]
    if tuple(size) == tuple(old):
        return image.copy()
    result, steps = image, [(first, size[0]), (first + 1, size[1])]
    for axis, count in reversed(steps) if how == Inter.PILCUBIC else steps:
        result = _along(result, axis, *taps(image.shape[axis], count))
        if how == Inter.PILCUBIC:
            result = saturated(result, image.dtype)  # as Pillow does, after each axis
    return saturated(result, image.dtype)


def _along(image, axis, indices, weights):
    if indices.shape[1] == 1:
        return np.take(image, indices[:, 0], axis)
    indices = np.clip(indices, 0, image.shape[axis] - 1)
    shape = [-1 if i == axis else 1 for i in range(image.ndim)]
    weights = weights.astype(np.result_type(image.dtype, np.float32))
    total = 0
    for index, weight in zip(indices.T, weights.T, strict=True):
        total = total + np.take(image, index, axis) * weight.reshape(shape)
    return total


def mapped(image, matrix, size, how, fill):
    """Return an image of `size` whose pixel (x, y) is the pixel of `image` at `matrix` (3, 3) times
    (x, y, 1); `fill`: a value per channel, outside of `image`."""
    rows, columns = np.mgrid[: size[0], : size[1]]
    # OpenCV's affine maps round each term to 1/1024: this makes ties round alike
    denominator = 1024 if tuple(matrix[2]) == (0, 0, 1) else 2**36
    x, y, depth = (
        np.rint(a * columns * denominator) + np.rint((b * rows + c) * denominator)
        for a, b, c in matrix
    )
    x, y = x / depth, y / depth
    pixels = _framed(image, fill)
    if how == Inter.NEAREST:
        nearest = (lambda a: np.floor(a + 0.5)) if denominator == 1024 else np.rint
        return pixels(nearest(y).astype(int), nearest(x).astype(int))
    step, real = 32, np.result_type(image.dtype, np.float32)
    rows, columns = (np.floor(a * step + 0.5).astype(int) for a in (y, x))
    weigh = _weights[Inter.BICUBIC if how == Inter.BICUBIC else Inter.LINEAR]
    total = 0
    for i, down in weigh((rows % step) / step):
        for j, across in weigh((columns % step) / step):
            weight = (down * across).astype(real)[(..., *[None] * (image.ndim - 2))]
            total = total + weight * pixels(rows // step + i, columns // step + j)
    return saturated(total, image.dtype)


_weights = {
    Inter.LINEAR: lambda fraction: [(0, 1 - fraction), (1, fraction)],
    Inter.BICUBIC: lambda fraction: [(i, _cubic(fraction - i, -0.75)) for i in range(-1, 3)],
}


def _framed(image, fill):
    """Return a function of rows and columns to pixels; `fill` outside of the image."""
    height, width = image.shape[:2]
    framed = np.empty((height + 2, width + 2, *image.shape[2:]), image.dtype)
    value = fill[0] if image.ndim == 2 else np.resize(np.asarray(fill), image.shape[2])
    framed[...] = np.asarray(value).astype(image.dtype)
    framed[1:-1, 1:-1] = image
    flat = framed.reshape(-1, *image.shape[2:])

    def pixels(rows, columns):
        rows, columns = np.clip(rows, -1, height) + 1, np.clip(columns, -1, width) + 1
        return np.take(flat, rows * (width + 2) + columns, 0)

    return pixels


def _gauss(size, sigma):
    kernel = np.exp(-0.5 * ((np.arange(size) - (size - 1) / 2) / sigma) ** 2)
    return kernel / kernel.sum()


def blurred(image, sizes, sigmas):
    """Blur an image (H, W) or (H, W, C) by a Gaussian of these widths and sigmas along x and y; a
    sigma of 0 is derived from the width along x."""
    own = 0.3 * ((sizes[0] - 1) * 0.5 - 1) + 0.8
    sigmas = [sigma if sigma > 0 else own for sigma in sigmas]
    result: Any = image.astype(np.result_type(image.dtype, np.float32))
    for axis, size, sigma in zip((1, 0), sizes, sigmas, strict=True):
        length, around = image.shape[axis], size // 2
        widths = [(around, around) if i == axis else (0, 0) for i in range(image.ndim)]
        wide = np.pad(result, widths, "reflect" if length > 1 else "edge")
        starts = range(size)
        shifted = [wide[:, i : i + length] if axis else wide[i : i + length] for i in starts]
        weights = _gauss(size, sigma).astype(result.dtype)
        result = sum(weight * values for weight, values in zip(weights, shifted, strict=True))
    return saturated(result, image.dtype)


def sharpened(image, factor):
    """Scale the difference between an image and a smoothed one by `factor`."""
    real = image.astype(np.result_type(image.dtype, np.float32))
    smooth = real.copy()
    height, width = image.shape[:2]
    around = sum(real[i : height - 2 + i, j : width - 2 + j] for i in range(3) for j in range(3))
    inner = saturated((around + 4 * real[1:-1, 1:-1]) / 13, image.dtype)
    smooth[1:-1, 1:-1] = inner
    return saturated(smooth + (real - smooth) * factor, image.dtype)
