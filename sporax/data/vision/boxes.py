"""Transforms of an image and its bounding boxes."""

import numpy as np

from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.operation import TensorOperation
from sporax.data.vision import cropping
from sporax.data.vision.enums import Border, Inter
from sporax.data.vision.geometry import Resize, resize_array
from sporax.data.vision.image import as_array, crop, extent, single
from sporax.data.vision.random_colour import probability
from sporax.data.vision.random_geometry import RandomCrop, RandomResize, RandomResizedCrop


class _WithBoxes(TensorOperation):
    """Base of transforms of an image (H, W) or (H, W, C) and boxes (n, 4 or more), rows of (x, y,
    width, height, ...), which return both; `_transform` does not change its arguments."""

    @property
    def _who(self):
        return type(self).__name__

    def __call__(self, image, boxes):
        image = single(self._who, as_array(self._who, image))
        return self._transform(image, self._checked(image, np.asarray(boxes)))

    def _checked(self, image, boxes):
        """Check that the boxes are Float32 and within the image."""
        rows, columns = extent(image)
        got, shape = boxes.dtype, boxes.shape
        fits = boxes.ndim == 2 and shape[1] >= 4 and got == np.float32
        require(fits, "boxes-float32", self._who, got=got, shape=shape)
        x, y, width, height = boxes.T[:4]
        outside = (x < 0) | (y < 0) | (x + width > columns) | (y + height > rows)
        if outside.any():
            i = int(np.argmax(outside))
            fields = {"rows": rows, "columns": columns, "i": i, "got": boxes[i, :4].tolist()}
            raise rejection("boxes-within-image", self._who, **fields)
        return boxes

    def _transform(self, image, boxes):
        raise rejection("method-defined", self._who, other="_transform")


_FLIPS = {0: cropping.HorizontalFlip(), 1: cropping.VerticalFlip()}  # by the axis of boxes


class RandomHorizontalFlipWithBBox(_WithBoxes):
    """Flips an image and its boxes horizontally, with probability `prob`.

    >>> boxes = np.array([[1, 0, 2, 2]], np.float32)
    >>> RandomHorizontalFlipWithBBox(1.0)(np.zeros((4, 6, 3), np.uint8), boxes)[1].tolist()
    [[3.0, 0.0, 2.0, 2.0]]
    """

    _axis = 0

    def __init__(self, prob=0.5):
        self.prob = probability(self._who, prob)

    def _transform(self, image, boxes):
        if random_streams.stream().random() >= self.prob:
            return image, boxes
        axis, boxes = self._axis, boxes.copy()
        boxes[:, axis] = extent(image)[1 - axis] - boxes[:, axis] - boxes[:, axis + 2]
        return _FLIPS[axis](image), boxes


class RandomVerticalFlipWithBBox(RandomHorizontalFlipWithBBox):
    """Flips an image and its boxes vertically, with probability `prob`.

    >>> boxes = np.array([[1, 0, 2, 2]], np.float32)
    >>> RandomVerticalFlipWithBBox(1.0)(np.zeros((4, 6, 3), np.uint8), boxes)[1].tolist()
    [[1.0, 2.0, 2.0, 2.0]]
    """

    _axis = 1


def _scaled(boxes, old, new):
    """Return the boxes of a resized image; `old` and `new`: its (height, width)."""
    down, across = np.array(new, np.float32) / np.array(old, np.float32)
    boxes = boxes.copy()
    boxes[:, :4] *= np.array([across, down, across, down])
    return boxes


def _within(boxes, top, left, height, width):
    """Return the boxes in a part of the image, clipped to its edges, without those outside."""
    low, size = np.array([[left, top], [width, height]], np.float32)
    first, last = boxes[:, :2], boxes[:, :2] + boxes[:, 2:4]
    met = ((first <= low + size) & (last >= low)).all(1)
    corners = [np.clip(corner - low, 0, size) for corner in (first, last)]
    kept = np.concatenate([corners[0], corners[1] - corners[0], boxes[:, 4:]], 1)
    return kept[met]


class ResizeWithBBox(_WithBoxes):
    """Resizes an image like `Resize`, and its boxes.

    >>> boxes = np.array([[1, 0, 2, 2]], np.float32)
    >>> ResizeWithBBox((8, 18))(np.zeros((4, 6, 3), np.uint8), boxes)[1].tolist()
    [[3.0, 0.0, 6.0, 4.0]]
    """

    def __init__(self, size, interpolation=Inter.LINEAR):
        self._resize = Resize(size, interpolation)

    def _transform(self, image, boxes):
        resized = self._resize(image)
        return resized, _scaled(boxes, extent(image), extent(resized))


class RandomResizeWithBBox(ResizeWithBBox):
    """Resizes an image like `RandomResize`, and its boxes.

    >>> boxes = np.array([[1, 0, 2, 2]], np.float32)
    >>> RandomResizeWithBBox((8, 18))(np.zeros((4, 6, 3), np.uint8), boxes)[1].tolist()
    [[3.0, 0.0, 6.0, 4.0]]
    """

    def __init__(self, size):
        self._resize = RandomResize(size)


class RandomCropWithBBox(_WithBoxes):
    """Crops an image like `RandomCrop`; its boxes are clipped to the edges of the crop, and those
    outside of it dropped.

    >>> boxes = np.array([[1, 0, 2, 2]], np.float32)
    >>> RandomCropWithBBox((4, 6))(np.zeros((4, 6, 3), np.uint8), boxes)[1].tolist()
    [[1.0, 0.0, 2.0, 2.0]]
    """

    def __init__(
        self, size, padding=None, pad_if_needed=False, fill_value=0, padding_mode=Border.CONSTANT
    ):
        self._crop = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)

    def _transform(self, image, boxes):
        image, edges, box = self._crop._placed(image)
        moved = boxes.copy()
        moved[:, :2] += edges
        return crop(image, *box).copy(), _within(moved, *box)


class RandomResizedCropWithBBox(_WithBoxes):
    """Crops an image like `RandomResizedCrop`; its boxes are clipped to the edges of the crop, and
    those outside of it dropped.

    >>> boxes = np.array([[1, 0, 2, 2]], np.float32)
    >>> crop = RandomResizedCropWithBBox((8, 12), (1.0, 1.0), (1.5, 1.5))
    >>> crop(np.zeros((4, 6, 3), np.uint8), boxes)[1].tolist()
    [[2.0, 0.0, 4.0, 4.0]]
    """

    def __init__(
        self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=Inter.BILINEAR,
        max_attempts=10,
    ):  # fmt: skip
        self._crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)

    def _transform(self, image, boxes):
        box = self._crop._box(image)
        resized = self._crop._resize(crop(image, *box))
        return resized, _scaled(_within(boxes, *box), box[2:], extent(resized))


class BoundingBoxAugment(_WithBoxes):
    """Applies `transform` to the content of a random fraction `ratio` of the boxes of each image,
    and resizes the result to its box. The boxes are unchanged.

    >>> from sporax.data.vision import Invert
    >>> boxes = np.array([[1, 0, 2, 1]], np.float32)
    >>> augment = BoundingBoxAugment(Invert(), 1.0)
    >>> augment(np.zeros((1, 4, 3), np.uint8), boxes)[0][..., 0].tolist()
    [[0, 255, 255, 0]]
    """

    def __init__(self, transform, ratio=0.3):
        is_one = isinstance(transform, TensorOperation)
        require(is_one, "transform-of-vision", self._who, transform=transform)
        self.transform = transform
        self.ratio = check.SHARE.checked(self._who, "ratio", ratio)

    def _transform(self, image, boxes):
        image, count = image.copy(), int(len(boxes) * self.ratio)
        for i in random_streams.stream().choice(len(boxes), count, replace=False):
            left, top, width, height = boxes[i, :4].astype(int).tolist()
            inner = crop(image, top, left, height, width)
            result = self.transform(inner)
            if extent(result) != extent(inner):
                result = resize_array(self._who, result, extent(inner), Inter.LINEAR)
            inner[...] = result
        return image, boxes


__all__ = [
    "BoundingBoxAugment", "RandomCropWithBBox", "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox", "RandomResizedCropWithBBox", "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]  # fmt: skip
