"""Images: arrays (H, W) or (..., H, W, C), or Pillow images."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.operation import PyTensorOperation, TensorOperation
from sporax.data.vision.resampling import rows_axis


def pillow():
    """Import the module `PIL.Image`; Pillow is an optional dependency."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise rejection("sporax-needs-pillow-read") from None
    return Image


def is_picture(image):
    """Return True for a Pillow image."""
    loaded = sys.modules.get("PIL.Image")
    return loaded is not None and isinstance(image, loaded.Image)


def as_array(who, image):
    """Return an array with at least two axes."""
    array = image.asnumpy() if isinstance(image, Tensor) else np.asarray(image)
    if array.ndim < 2 or array.dtype.kind not in "buif":
        error = RuntimeError if array.dtype.kind in "buif" else TypeError
        fields = {"got": array.dtype, "shape": array.shape, "error": error}
        raise rejection("image-of-numbers", who, **fields)
    return array


def with_channels(who, image, counts=(3,)):
    """Check an array (..., H, W, C) whose number of channels is among `counts`."""
    fits = image.ndim >= 3 and image.shape[-1] in counts
    require(fits, "image-of-channels", who, counts=counts, got=image.shape)
    return image


def of_bytes(who, image):
    """Check an array (H, W) or (H, W, C) of bytes."""
    fits = image.dtype == np.uint8 and image.ndim <= 3
    require(fits, "image-of-bytes", who, got=image.dtype, shape=image.shape)
    return image


def single(who, image):
    """Check an array (H, W) or (H, W, C)."""
    require(image.ndim <= 3, "one-image", who, got=image.shape)
    return image


def extent(image):
    """Return (height, width) of an image."""
    if is_picture(image):
        return image.size[::-1]
    first = rows_axis(image)
    return image.shape[first : first + 2]


def crop(image, top, left, height, width):
    """Return a rectangle of an image."""
    if is_picture(image):
        return image.crop((left, top, left + width, top + height))
    rows, columns = slice(top, top + height), slice(left, left + width)
    return image[rows, columns] if image.ndim == 2 else image[..., rows, columns, :]


class ImageTensorOperation(TensorOperation):
    """Base of image transforms: arrays go to `_array`, Pillow images to `_picture`, which converts
    them to arrays unless it is overridden."""

    @property
    def _who(self):
        return type(self).__name__

    def __call__(self, image):
        if is_picture(image):
            return self._picture(image)
        return self._array(as_array(self._who, image))

    def _array(self, image):
        raise rejection("method-defined", self._who, other="__call__")

    def _picture(self, image):
        return self._array(np.asarray(image))


class PictureOperation(PyTensorOperation):
    """Base of transforms only of Pillow images."""

    _picture: Callable[[Any], Any]

    def __call__(self, image):
        who = type(self).__name__
        require(is_picture(image), "image-one-pillow-s", who, got=image)
        return self._picture(image)


class Drawn(ImageTensorOperation):
    """Base of random transforms: `_draw(image)` returns the transform for this image."""

    _draw: Callable[[Any], Callable[[Any], Any]]

    def __call__(self, image):
        image = image if is_picture(image) else as_array(self._who, image)
        return self._draw(image)(image)


def unchanged(image):
    """Return the image unchanged."""
    return image
