"""Flipping, cropping, padding and slicing of images."""

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, member_of
from sporax._src.diagnosis.rules import require
from sporax.data import argument_checks as check
from sporax.data.vision.enums import Border, SliceMode
from sporax.data.vision.format_conversion import as_picture
from sporax.data.vision.image import (
    ImageTensorOperation,
    PictureOperation,
    crop,
    extent,
    pillow,
    single,
)
from sporax.data.vision.resampling import PADS


def inside(who, image, top, left, height, width):
    rows, columns = extent(image)
    fields = {"size": (height, width), "place": (top, left), "got": (rows, columns)}
    fits = top + height <= rows and left + width <= columns
    require(fits, "part-within-image", who, **fields)
    return top, left, height, width


class HorizontalFlip(ImageTensorOperation):
    """Flips the image horizontally.

    >>> HorizontalFlip()(np.array([[[1], [2], [3]]], np.uint8))[..., 0].tolist()
    [[3, 2, 1]]
    """

    def _array(self, image):
        return np.ascontiguousarray(np.flip(image, 1 if image.ndim == 2 else -2))


class VerticalFlip(ImageTensorOperation):
    """Flips the image vertically.

    >>> VerticalFlip()(np.array([[[1]], [[2]]], np.uint8))[..., 0].tolist()
    [[2], [1]]
    """

    def _array(self, image):
        return np.ascontiguousarray(np.flip(image, 0 if image.ndim == 2 else -3))


class Crop(ImageTensorOperation):
    """Crops the part of `size` with its upper left corner at `coordinates`: (top, left).

    >>> Crop((1, 0), 2)(np.arange(16, dtype=np.uint8).reshape(4, 4, 1))[..., 0].tolist()
    [[4, 5], [8, 9]]
    """

    def __init__(self, coordinates, size):
        self.coordinates = check.several(self._who, "coordinates", coordinates, (2,), check.WHOLE)
        self.size = check.size(self._who, size)

    def _array(self, image):
        return crop(image, *inside(self._who, image, *self.coordinates, *self.size)).copy()


class CenterCrop(ImageTensorOperation):
    """Crops the central part of `size`, with black where the image is smaller.

    >>> CenterCrop(2)(np.arange(16, dtype=np.uint8).reshape(4, 4, 1))[..., 0].tolist()
    [[5, 6], [9, 10]]
    """

    def __init__(self, size):
        self.size = check.size(self._who, size)

    def _array(self, image):
        (height, width), (rows, columns) = self.size, extent(image)
        lack = max(height - rows, 0), max(width - columns, 0)
        if any(lack):
            (down, across), around = lack, [(0, 0)] * (image.ndim - (2 if image.ndim == 2 else 3))
            around += [(-(-down // 2), down // 2), (-(-across // 2), across // 2)]
            image = np.pad(image, around + ([(0, 0)] if image.ndim > 2 else []))
            rows, columns = extent(image)
        return crop(image, (rows - height) // 2, (columns - width) // 2, height, width).copy()

    def _picture(self, image):
        (height, width), (rows, columns) = self.size, extent(image)
        return crop(image, round((rows - height) / 2), round((columns - width) / 2), height, width)


def surrounded(image, edges, fill, how):
    """Pad an array by `edges`: (left, top, right, bottom)."""
    left, top, right, bottom = edges
    widths = [(0, 0)] * (image.ndim - 3 if image.ndim > 2 else 0)
    widths += [(top, bottom), (left, right)] + ([(0, 0)] if image.ndim > 2 else [])
    if how != Border.CONSTANT:
        return np.pad(image, widths, PADS[how])
    if image.ndim == 2:
        return np.pad(image, widths, constant_values=fill[0])
    channels = [
        np.pad(image[..., i], widths[:-1], constant_values=fill[i % len(fill)])
        for i in range(image.shape[-1])
    ]
    return np.stack(channels, -1)


class Pad(ImageTensorOperation):
    """Pads the image: `padding` is an int, (left and right, top and bottom), or (left, top, right,
    bottom); `fill_value`: an int or a 3-tuple, for a CONSTANT `padding_mode`.

    >>> Pad(1)(np.zeros((5, 4, 3), np.uint8)).shape
    (7, 6, 3)
    """

    def __init__(self, padding, fill_value=0, padding_mode=Border.CONSTANT):
        self.padding = check.edges(self._who, padding)
        self.fill_value = check.colour(self._who, fill_value)
        self.padding_mode = member_of(Border).checked(self._who, "padding_mode", padding_mode)

    def _array(self, image):
        return surrounded(image, self.padding, self.fill_value, self.padding_mode)

    def _picture(self, image):
        return as_picture(self._who, self._array(np.asarray(image)))


class PadToSize(ImageTensorOperation):
    """Pads an array to `size`; `offset`: the position of the image in it, (top, left), centred by
    default.

    >>> PadToSize((4, 6))(np.zeros((2, 2, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, size, offset=None, fill_value=0, padding_mode=Border.CONSTANT):
        self.size = check.size(self._who, size)
        if isinstance(offset, int):
            offset = offset, offset
        if offset is not None and len(offset):
            offset = check.several(self._who, "offset", offset, (2,), check.WHOLE)
        self.offset = offset or None
        self.fill_value = check.colour(self._who, fill_value)
        self.padding_mode = member_of(Border).checked(self._who, "padding_mode", padding_mode)

    def _array(self, image):
        rows, columns = extent(single(self._who, image))
        down, across = self.size[0] - rows, self.size[1] - columns
        top, left = self.offset or (down // 2, across // 2)
        fields = {"rows": rows, "columns": columns, "place": (top, left)}
        fits = min(top, left, down - top, across - left) >= 0
        require(fits, "hold-image-offset", self._who, size=self.size, **fields)
        edges = left, top, across - left, down - top
        return surrounded(image, edges, self.fill_value, self.padding_mode)


class FiveCrop(PictureOperation):
    """Crops the four corners of `size`, upper ones first, and the centre, as a tuple."""

    def __init__(self, size):
        self.size = check.size(type(self).__name__, size)

    def _picture(self, image):
        (height, width), (rows, columns) = self.size, extent(image)
        fits, who = height <= rows and width <= columns, type(self).__name__
        require(fits, "at-most-image", who, size=self.size, rows=rows, columns=columns)
        down, across = rows - height, columns - width
        corners = [(0, 0), (0, across), (down, 0), (down, across)]
        crops = [crop(image, top, left, height, width) for top, left in corners]
        return (*crops, CenterCrop(self.size)(image))


class TenCrop(FiveCrop):
    """Crops the image and the flipped image like `FiveCrop`."""

    def __init__(self, size, use_vertical_flip=False):
        super().__init__(size)
        who = type(self).__name__
        self.upright = BOOL.checked(who, "use_vertical_flip", use_vertical_flip)

    def _picture(self, image):
        return super()._picture(image) + super()._picture(flipped(image, self.upright))


def flipped(image, upright):
    """Flip a Pillow image."""
    ways = pillow().Transpose
    return image.transpose(ways.FLIP_TOP_BOTTOM if upright else ways.FLIP_LEFT_RIGHT)


class SlicePatches(ImageTensorOperation):
    """Slices an array into `num_height` by `num_width` equal parts, row by row, as a tuple; a
    remainder is padded (PAD, with `fill_value`) or dropped (DROP).

    >>> [patch.shape for patch in SlicePatches(1, 2)(np.zeros((4, 6, 3), np.uint8))]
    [(4, 3, 3), (4, 3, 3)]
    """

    def __init__(self, num_height=1, num_width=1, slice_mode=SliceMode.PAD, fill_value=0):
        self.counts = (
            check.COUNT.checked(self._who, "num_height", num_height),
            check.COUNT.checked(self._who, "num_width", num_width),
        )
        self.slice_mode = member_of(SliceMode).checked(self._who, "slice_mode", slice_mode)
        self.fill_value = check.BYTE.checked(self._who, "fill_value", fill_value)

    def _array(self, image):
        image, filled = single(self._who, image), self.slice_mode
        sizes = [
            -(-n // k) if filled == SliceMode.PAD else n // k
            for n, k in zip(extent(image), self.counts, strict=True)
        ]
        lack = [
            max(s * k - n, 0) for s, k, n in zip(sizes, self.counts, extent(image), strict=True)
        ]
        if any(lack):
            edges = 0, 0, lack[1], lack[0]
            image = surrounded(image, edges, (self.fill_value,), Border.CONSTANT)
        patches = [
            crop(image, i * sizes[0], j * sizes[1], *sizes).copy()
            for i in range(self.counts[0])
            for j in range(self.counts[1])
        ]
        return tuple(patches)


__all__ = [
    "CenterCrop", "Crop", "FiveCrop", "HorizontalFlip", "Pad", "PadToSize", "SlicePatches",
    "TenCrop", "VerticalFlip",
]  # fmt: skip
