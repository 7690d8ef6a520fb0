"""Conversions of images to network inputs: axes, dtypes, scales and containers."""

import io

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis.argument_kinds import BOOL, one_of
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import argument_checks as check
from sporax.data.transforms import TypeCast
from sporax.data.vision.image import (
    ImageTensorOperation,
    PyTensorOperation,
    TensorOperation,
    as_array,
    is_picture,
    pillow,
    single,
)
from sporax.io.untrusted_file import MALFORMED, cause


def as_dtype(who, name, dtype):
    """Return a NumPy dtype; `dtype`: a dtype of MindSpore or NumPy."""
    if isinstance(dtype, dtypes.Type):
        return np.dtype(dtypes.to_numpy(dtype))
    is_dtype = isinstance(dtype, (type, str, np.dtype))
    require(is_dtype, "dtype-mindspore-numpy", who, argument=name, got=dtype)
    return np.dtype(dtype)


class HWC2CHW(ImageTensorOperation):
    """Transposes (H, W, C) to (C, H, W); (H, W) is unchanged.

    >>> HWC2CHW()(np.zeros((5, 4, 3))).shape
    (3, 5, 4)
    """

    def _array(self, image):
        image = single(self._who, image)
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))


class Rescale(TensorOperation):
    """Computes x * rescale + shift, as Float32.

    >>> Rescale(1 / 255.0, 0.0)(np.array([255], np.uint8))
    array([1.], dtype=float32)
    """

    def __init__(self, rescale, shift):
        self.rescale = np.float32(check.ORDERED.checked("Rescale", "rescale", rescale))
        self.shift = np.float32(check.ORDERED.checked("Rescale", "shift", shift))

    def __call__(self, image):
        return np.asarray(image).astype(np.float32) * self.rescale + self.shift


def _spread(who, mean, std):
    mean = check.several(who, "mean", mean, (), check.LEVEL)
    std = check.several(who, "std", std, (), check.LEVEL)
    require(len(mean) == len(std), "one-length", who, mean=len(mean), other="std", count=len(std))
    require(all(std), "greater-than", who, std=std, n=0)
    return np.array(mean, np.float32), np.array(std, np.float32)


class Normalize(ImageTensorOperation):
    r"""Computes $(x - mean) / std$ of each channel, as Float32.

    `mean`, `std`: lists of one number per channel, or of a single one, in [0, 255]. `is_hwc`:
    whether the channels are the last axis, rather than the third from the end.

    >>> Normalize([2.0], [2.0])(np.array([[[6]]]))
    array([[[2.]]], dtype=float32)
    """

    def __init__(self, mean, std, is_hwc=True):
        self.mean, self.std = _spread(self._who, mean, std)
        self.is_hwc = BOOL.checked(self._who, "is_hwc", is_hwc)

    def _array(self, image):
        axis = -1 if self.is_hwc else -3
        channels = image.shape[axis] if image.ndim > 2 else 1
        got = len(self.mean)
        fields = {"channels": channels, "shape": image.shape, "is_hwc": self.is_hwc}
        require(got in (1, channels), "mean-of-channels", self._who, mean=got, **fields)
        result = np.array(image, np.float32, order="C")
        mean, std = self.mean, self.std
        if not self.is_hwc:
            mean, std = mean.reshape(-1, 1, 1), std.reshape(-1, 1, 1)
        elif mean.size > 1:  # a row at once: NumPy's loops over three channels are slow
            mean, std = np.tile(mean, image.shape[-2]), np.tile(std, image.shape[-2])
        rows = result.reshape(-1, mean.size) if self.is_hwc and mean.size > 1 else result
        rows -= mean
        rows /= std
        return result


class NormalizePad(Normalize):
    """Adds a channel of zeros after the others to `Normalize`; `dtype`: 'float32' or 'float16'.

    >>> NormalizePad([1.0] * 3, [2.0] * 3)(np.full((1, 1, 3), 5, np.uint8)).tolist()
    [[[2.0, 2.0, 2.0, 0.0]]]
    """

    def __init__(self, mean, std, dtype="float32", is_hwc=True):
        super().__init__(mean, std, is_hwc)
        self.dtype = one_of("float32", "float16").checked(self._who, "dtype", dtype)

    def _array(self, image):
        normalized = super()._array(single(self._who, image))
        axis = -1 if self.is_hwc else -3
        zeros = np.zeros_like(np.take(normalized, [0], axis))
        return np.concatenate([normalized, zeros], axis).astype(self.dtype)


class ToTensor(ImageTensorOperation):
    """Converts (H, W, C) in [0, 255] to (C, H, W) in [0, 1], of `output_type`; (H, W) becomes
    (1, H, W).

    >>> ToTensor()(np.full((2, 2), 255, np.uint8)).tolist()
    [[[1.0, 1.0], [1.0, 1.0]]]
    """

    def __init__(self, output_type=np.float32):
        self.output_type = as_dtype("ToTensor", "output_type", output_type)

    def _array(self, image):
        image = np.atleast_3d(single(self._who, image)).transpose(2, 0, 1)
        result = np.ascontiguousarray(image).astype(np.float32)
        result *= np.float32(1 / 255)
        return result.astype(self.output_type, copy=False)


class ToType(TypeCast):
    """Converts to another dtype.

    >>> ToType(np.float32)(np.zeros((1, 1, 3), np.uint8)).dtype
    dtype('float32')
    """

    def __init__(self, data_type):
        super().__init__(data_type)


class ToNumpy(PyTensorOperation):
    """Converts a Pillow image to an array."""

    def __call__(self, image):
        return np.array(image)


class ToPIL(PyTensorOperation):
    """Converts an array (H, W), (H, W, 1), or of bytes with up to 4 channels, to a Pillow image."""

    def __call__(self, image):
        if is_picture(image):
            return image
        require(isinstance(image, np.ndarray), "image-array-one-pillow", "ToPIL", got=image)
        return as_picture("ToPIL", image)


def as_picture(who, array):
    """Convert an array to a Pillow image."""
    fits = array.ndim == 2 or (array.ndim == 3 and array.shape[-1] <= 4)
    require(fits, "image-of-at-most-4-channels", who, got=array.shape)
    if array.ndim == 3 and array.shape[-1] == 1:
        array = array[..., 0]
    fits = array.ndim != 3 or array.dtype == np.uint8
    require(fits, "image-channels-uint8", who, got=array.dtype)
    return pillow().fromarray(array)


def opened(who, encoded):
    """Decode the content of an image file to a Pillow image in RGB."""
    array = np.asarray(encoded)
    if array.dtype.kind == "S" and array.size == 1:
        array = np.frombuffer(array.tobytes(), np.uint8)
    require(array.ndim == 1, "encoded-image-one-axis", who, shape=array.shape)
    require(array.dtype == np.uint8, "encoded-image-uint8", who, got=array.dtype)
    return loaded(
        array.tobytes(),
        lambda cause: rejection("bytes-of-image", who, cause=cause),
        lambda picture: of_byte_range(picture).convert("RGB"),
    )


# Only these: some of Pillow's formats start programs, and few people need them.
_FORMATS = "JPEG", "PNG", "BMP", "GIF", "TIFF", "WEBP", "PPM", "JPEG2000"
_COPIES = {"WEBP": 2, "JPEG2000": 2}  # decoders of these make more or wider copies


def loaded(content, said, result, formats=_FORMATS):
    """Return `result(picture)` of a file's bytes as a Pillow image; `said(cause)`: a
    RuntimeError. Sizes are checked before anything is decoded."""
    image = pillow()
    try:
        if content[:4] == b"RIFF":  # Pillow allocates memory when it opens it
            _check_size("WEBP", *_webp_size(content))
        picture = image.open(io.BytesIO(content), formats=formats)
        _check_size(picture.format, *picture.size)
        picture.load()
        return result(picture)
    except image.UnidentifiedImageError:
        raise said(message("none-of-formats", names=formats)) from None
    # truncated, damaged, or larger than Pillow allows
    except (*MALFORMED, image.DecompressionBombError, image.DecompressionBombWarning) as error:
        raise said(cause(error).rstrip(".")) from None


def _check_size(form, width, height):
    most, copies = pillow().MAX_IMAGE_PIXELS, _COPIES.get(form, 1)
    if most is not None and width * height > most // copies:
        size = {"width": width, "height": height, "most": most}
        if copies == 1:
            raise rejection("too-many-pixels", **size)
        raise rejection("too-many-pixels-of-form", **size, copies=copies, form=form)


def _webp_size(content):
    """Return (width, height) from the start of a WebP file (RFC 9649); 0 if it has none."""
    kind, head = content[12:16], content[20:30]
    if kind == b"VP8X":
        return [int.from_bytes(head[offset : offset + 3], "little") + 1 for offset in (4, 7)]
    if kind == b"VP8L":
        bits = int.from_bytes(head[1:5], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return [int.from_bytes(head[offset : offset + 2], "little") & 0x3FFF for offset in (6, 8)]


def of_byte_range(picture):
    """Return a Pillow image, with values of 16 bits reduced to their upper halves."""
    if picture.mode.startswith("I;16"):
        return pillow().fromarray((np.asarray(picture, np.uint16) >> 8).astype(np.uint8))
    return picture


class Decode(TensorOperation):
    """Decodes the bytes of an image file to an array (H, W, 3); `to_pil`: to a Pillow image."""

    def __init__(self, to_pil=False):
        self.to_pil = BOOL.checked("Decode", "to_pil", to_pil)

    def __call__(self, image):
        picture = opened("Decode", image)
        return picture if self.to_pil else np.array(picture)


class LinearTransformation(PyTensorOperation):
    """Computes (x - mean_vector) @ transformation_matrix of flattened images (C, H, W).

    >>> LinearTransformation(np.eye(12), np.zeros(12))(np.zeros((3, 2, 2), np.float32)).shape
    (3, 2, 2)
    """

    def __init__(self, transformation_matrix, mean_vector):
        who, self.matrix, self.mean = type(self).__name__, transformation_matrix, mean_vector
        for name, value, ndim in (
            ("transformation_matrix", transformation_matrix, 2),
            ("mean_vector", mean_vector, 1),
        ):
            is_array = isinstance(value, np.ndarray)
            require(is_array, "array", who, argument=name, got=value, error=TypeError)
            fits = value.ndim == ndim and value.shape[0] == len(mean_vector)
            fields = {"got": np.shape(transformation_matrix), "shape": np.shape(mean_vector)}
            require(fits, "shapes-of-matrix", who, argument="transformation_matrix", **fields)

    def __call__(self, image):
        image = as_array(type(self).__name__, image)
        n, who = len(self.mean), type(self).__name__
        require(image.size == n, "image-numbers-mean-vector", who, n=n, shape=image.shape)
        return ((image.ravel() - self.mean) @ self.matrix).reshape(image.shape)


__all__ = [
    "HWC2CHW",
    "Decode",
    "LinearTransformation",
    "Normalize",
    "NormalizePad",
    "Rescale",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
]
