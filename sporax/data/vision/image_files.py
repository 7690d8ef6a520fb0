"""Reading and writing of images and other files outside of pipelines."""

import io
from pathlib import Path

import numpy as np

from sporax._src.core.signature_errors import fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import INT, STR, member_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.vision.enums import ImageReadMode
from sporax.data.vision.format_conversion import loaded, of_byte_range
from sporax.data.vision.image import is_picture, pillow
from sporax.io import atomic_write, untrusted_file


def _path(who, filename):
    STR(who, filename=filename)
    return Path(filename)


def _content(who, filename):
    """Return a file's bytes."""
    path = _path(who, filename)
    try:
        content = untrusted_file.content(path)
    except OSError as error:
        cause = untrusted_file.cause(error)
        raise rejection("file-can-read", who, filename=filename, cause=cause) from None
    return np.frombuffer(content, np.uint8)


def _write(who, filename, content):
    path = _path(who, filename)
    try:
        atomic_write.write(path, content)
    except OSError as error:
        cause = error.strerror
        raise rejection("file-can-written", who, filename=filename, cause=cause) from None


def _bytes(who, name, value, allowed, shapes):
    """Check an array or Tensor of bytes, and its shape."""
    require(isinstance(value, (np.ndarray, Tensor)), "array-tensor", who, argument=name, got=value)
    array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
    got, shape = array.dtype, array.shape
    fits = got == np.uint8 and allowed(shape)
    require(fits, "uint8-shape", who, argument=name, shapes=shapes, got=got, shape=shape)
    return array


@fitting
def read_file(filename):
    """Read the bytes of a file, as a 1-d array.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "some.bin")
    >>> write_file(path, np.array([1, 2], np.uint8))
    >>> read_file(path)
    array([1, 2], dtype=uint8)
    """
    return _content("read_file", filename)


@fitting
def write_file(filename, data):
    """Write `data`, a 1-d array of bytes, to a file; see `read_file`.

    >>> write_file("some.bin", np.zeros((2, 2), np.uint8))
    Traceback (most recent call last):
    RuntimeError: For 'write_file', 'data' must be uint8 of shape (n,), but got uint8 (2, 2).
    """
    data = _bytes("write_file", "data", data, lambda shape: len(shape) == 1, "(n,)")
    _write("write_file", filename, data.tobytes())


_FORMATS = ("JPEG", "PNG", "BMP", "TIFF")  # supported by `read_image`
# Pillow's modes of one channel of bytes
_GREY = ("L", "1")


@fitting
def read_image(filename, mode=ImageReadMode.UNCHANGED):
    """Read the pixels (H, W, C) of an image file (JPEG, PNG, BMP, TIFF).

    `mode`: UNCHANGED returns 1 channel for a grey file (UInt16 or Float32 if it has those) and 3
    for a colour file, without transparency; GRAYSCALE 1 and COLOR 3, of UInt8, rotated by the
    file's orientation.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "black.png")
    >>> write_png(path, np.zeros((4, 6, 3), np.uint8))
    >>> read_image(path).shape, read_image(path, ImageReadMode.GRAYSCALE).shape
    ((4, 6, 3), (4, 6, 1))
    """
    who = "read_image"
    content = _content(who, filename)
    member_of(ImageReadMode)(who, mode=mode)
    require(content.size, "file-not-empty", who, filename=filename)
    fields = {"path": filename, "names": _FORMATS}
    array = loaded(
        content.tobytes(),
        lambda cause: rejection("file-of-formats", who, **fields, cause=cause),
        _unchanged if mode == ImageReadMode.UNCHANGED else lambda x: _converted(x, mode),
        _FORMATS,
    )
    return array[..., None] if array.ndim == 2 else array


def _unchanged(picture):
    if picture.mode.startswith("I;16"):
        return np.asarray(picture, np.uint16)
    if picture.mode == "F":
        return np.asarray(picture)
    return np.asarray(picture.convert("L" if picture.mode in _GREY else "RGB"))


def _converted(picture, mode):
    """Return the pixels in grey or in colour, upright."""
    from PIL import ImageOps  # optional: `picture` is Pillow's

    upright = ImageOps.exif_transpose(of_byte_range(picture))
    rgb = upright if upright.mode in _GREY else upright.convert("RGB")
    return np.asarray(rgb.convert("L" if mode == ImageReadMode.GRAYSCALE else "RGB"))


def _encoded(who, image, form, **options):
    shapes = "(H, W), (H, W, 1) or (H, W, 3)"
    array = _bytes(
        who, "image", image,
        lambda shape: 0 not in shape and (len(shape) == 2 or shape[2:] in ((1,), (3,))), shapes,
    )  # fmt: skip
    file = io.BytesIO()
    pillow().fromarray(array[..., 0] if array.shape[2:] == (1,) else array).save(
        file, form, **options
    )
    return np.frombuffer(file.getvalue(), np.uint8)


def _level(who, name, value, least, most):
    INT.checked(who, name, value)
    fields = {"interval": f"[{least}, {most}]", "got": value, "error": RuntimeError}
    require(least <= value <= most, "in-interval", who, argument=name, **fields)
    return value


@fitting
def encode_jpeg(image, quality=75):
    """Encode an image (H, W), (H, W, 1) or (H, W, 3) of UInt8 to the bytes of a JPEG file;
    `quality`: from 1 to 100.

    >>> encode_jpeg(np.zeros((4, 6, 3), np.uint8))[:3].tolist()
    [255, 216, 255]
    """
    quality = _level("encode_jpeg", "quality", quality, 1, 100)
    return _encoded("encode_jpeg", image, "JPEG", quality=quality)


@fitting
def encode_png(image, compression_level=6):
    """Encode an image (H, W), (H, W, 1) or (H, W, 3) of UInt8 to the bytes of a PNG file;
    `compression_level`: from 0 to 9.

    >>> encode_png(np.zeros((4, 6, 3), np.uint8))[1:4].tobytes()
    b'PNG'
    """
    level = _level("encode_png", "compression_level", compression_level, 0, 9)
    return _encoded("encode_png", image, "PNG", compress_level=level)


@fitting
def write_jpeg(filename, image, quality=75):
    """Write an image to a JPEG file; see `encode_jpeg`.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "black.jpg")
    >>> write_jpeg(path, np.zeros((4, 6, 3), np.uint8))
    >>> read_image(path).max()
    np.uint8(0)
    """
    level = _level("write_jpeg", "quality", quality, 1, 100)
    _write("write_jpeg", filename, _encoded("write_jpeg", image, "JPEG", quality=level))


@fitting
def write_png(filename, image, compression_level=6):
    """Write an image to a PNG file; see `encode_png`.

    >>> write_png("black.png", np.zeros((4, 6, 3), np.uint8), compression_level=10)
    Traceback (most recent call last):
    RuntimeError: For 'write_png', 'compression_level' must be in [0, 9], but got 10.
    """
    level = _level("write_png", "compression_level", compression_level, 0, 9)
    _write("write_png", filename, _encoded("write_png", image, "PNG", compress_level=level))


def _shape(who, image):
    """Return (H, W, C) of an array or a Pillow image."""
    if is_picture(image):
        return *image.size[::-1], len(image.getbands())
    require(isinstance(image, np.ndarray), "array-one-pillow-s", who, image=image)
    require(image.ndim >= 2, "at-least-2-axes", who, argument="image", shape=image.shape)
    return (*image.shape, 1) if image.ndim == 2 else image.shape[-3:]


@fitting
def get_image_size(image):
    """Return [height, width] of an array (..., H, W, C) or (H, W), or of a Pillow image.

    >>> get_image_size(np.zeros((4, 6, 3)))
    [4, 6]
    """
    return list(_shape("get_image_size", image)[:2])


@fitting
def get_image_num_channels(image):
    """Return the number of channels of an array (..., H, W, C) or (H, W), or of a Pillow image.

    >>> get_image_num_channels(np.zeros((4, 6, 3)))
    3
    """
    return _shape("get_image_num_channels", image)[2]


__all__ = [
    "encode_jpeg", "encode_png", "get_image_num_channels", "get_image_size", "read_file",
    "read_image", "write_file", "write_jpeg", "write_png",
]  # fmt: skip
