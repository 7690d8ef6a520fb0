"""Erasing of rectangles of arrays."""

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, NOT_NEGATIVE, POSITIVE
from sporax._src.diagnosis.rules import require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.vision.image import ImageTensorOperation, PyTensorOperation, single, with_channels
from sporax.data.vision.random_colour import probability
from sporax.data.vision.random_geometry import random_box


class Erase(ImageTensorOperation):
    """Sets the rectangle of `height`, `width` at (`top`, `left`) of an array (H, W, C) to `value`:
    a number, or one per channel, in [0, 255]; `inplace`: modify the input array.

    >>> Erase(0, 0, 1, 2, 7)(np.zeros((2, 2, 3), np.uint8))[..., 0].tolist()
    [[7, 7], [0, 0]]
    """

    def __init__(self, top, left, height, width, value=0.0, inplace=False):
        who = self._who
        self.corner = check.WHOLE.checked(who, "top", top), check.WHOLE.checked(who, "left", left)
        self.size = (
            check.COUNT.checked(who, "height", height), check.COUNT.checked(who, "width", width),
        )  # fmt: skip
        self.value = check.colour(who, value, "value")
        self.inplace = BOOL.checked(who, "inplace", inplace)

    def _array(self, image):
        (top, left), (height, width) = self.corner, self.size
        image = with_channels(self._who, single(self._who, image))
        shape, fits = image.shape, top < image.shape[0] and left < image.shape[1]
        require(fits, "left-within-image", self._who, top=top, left=left, shape=shape)
        result = image if self.inplace else image.copy()
        result[top : top + height, left : left + width] = np.array(self.value).astype(image.dtype)
        return result


class CutOut(ImageTensorOperation):
    """Sets `num_patches` random squares of `length` pixels to 0; `is_hwc`: whether the channels are
    the last axis, rather than the first.

    >>> CutOut(2)(np.ones((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, length, num_patches=1, is_hwc=True):
        self.length = check.COUNT.checked(self._who, "length", length)
        self.num_patches = check.COUNT.checked(self._who, "num_patches", num_patches)
        self.is_hwc = BOOL.checked(self._who, "is_hwc", is_hwc)

    def _array(self, image):
        require(image.ndim == 3, "image-3-axes", self._who, shape=image.shape)
        rows, columns = image.shape[:2] if self.is_hwc else image.shape[1:]
        fields = {"rows": rows, "columns": columns, "error": RuntimeError}
        fits = self.length <= min(rows, columns)
        require(fits, "at-most-image", self._who, length=self.length, **fields)
        result, draw = image.copy(), random_streams.stream()
        view = result if self.is_hwc else result.transpose(1, 2, 0)
        for _ in range(self.num_patches):
            top = int(draw.integers(rows - self.length + 1))
            left = int(draw.integers(columns - self.length + 1))
            view[top : top + self.length, left : left + self.length] = 0
        return result


class RandomErasing(PyTensorOperation):
    """Erases a random rectangle of an array (C, H, W), with probability `prob`.

    `scale`: (least, most) area, as a fraction of the image's; `ratio`: of width to height.
    `value`: a number, one for each channel, or 'random'. `inplace`: modify the input array. The
    image is unchanged if no rectangle fits in `max_attempts` tries.

    >>> RandomErasing(1.0)(np.zeros((3, 4, 6), np.float32)).shape
    (3, 4, 6)
    """

    def __init__(
        self, prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False,
        max_attempts=10,
    ):  # fmt: skip
        who = type(self).__name__
        self.prob = probability(who, prob)
        self.scale = check.interval(who, "scale", scale, NOT_NEGATIVE)
        self.ratio = check.interval(who, "ratio", ratio)
        (
            POSITIVE.checked(who, "scale[1]", self.scale[1]),
            POSITIVE.checked(who, "ratio[0]", ratio[0]),
        )
        many = isinstance(value, (tuple, list)) and len(value) == 3
        fits = isinstance(value, (int, float)) or value == "random" or many
        require(fits, "number-three-numbers-random", who, value=value)
        self.value, self.inplace = value, BOOL.checked(who, "inplace", inplace)
        self.max_attempts = check.COUNT.checked(who, "max_attempts", max_attempts)

    def __call__(self, image):
        who = type(self).__name__
        require(isinstance(image, np.ndarray), "image-array-data-image", who, got=image)
        require(image.ndim == 3, "image-shape-c-h", who, got=image.shape)
        draw = random_streams.stream()
        if draw.random() >= self.prob:
            return image
        box = random_box(image.shape[1:], self.scale, self.ratio, self.max_attempts)
        if box is None:
            return image
        top, left, height, width = box
        shape = image.shape[0], height, width
        random = isinstance(self.value, str)
        value = draw.normal(size=shape) if random else np.reshape(self.value, (-1, 1, 1))
        result = image if self.inplace else image.copy()
        result[:, top : top + height, left : left + width] = value.astype(image.dtype)
        return result


__all__ = ["CutOut", "Erase", "RandomErasing"]
