"""Colour transforms of images: brightness, contrast, inversion, channels."""

from collections.abc import Callable

import numpy as np

from sporax._src.diagnosis.argument_kinds import (
    BOOL,
    INT,
    NOT_NEGATIVE,
    member_of,
    one_of,
    within,
)
from sporax._src.diagnosis.rules import require
from sporax.data import argument_checks as check
from sporax.data.vision import colour_arrays
from sporax.data.vision.enums import ConvertMode
from sporax.data.vision.image import (
    ImageTensorOperation,
    PictureOperation,
    PyTensorOperation,
    of_bytes,
    pillow,
    single,
    with_channels,
)
from sporax.data.vision.resampling import blurred, sharpened


def enhanced(image, what, factor):
    """Apply Pillow's `ImageEnhance` to a Pillow image."""
    pillow()  # raises if this optional package is missing
    from PIL import ImageEnhance

    return getattr(ImageEnhance, what)(image).enhance(factor)


def _of_pillow(name):
    """Return a function of Pillow's `ImageOps`."""
    pillow()  # raises if this optional package is missing
    from PIL import ImageOps

    return getattr(ImageOps, name)


class AdjustBrightness(ImageTensorOperation):
    """Multiplies the image by `brightness_factor`, at least 0.

    >>> AdjustBrightness(2.0)(np.full((1, 1, 3), 10, np.uint8)).tolist()
    [[[20, 20, 20]]]
    """

    def __init__(self, brightness_factor):
        self.factor = NOT_NEGATIVE.checked(self._who, "brightness_factor", brightness_factor)

    def _array(self, image):
        return colour_arrays.brightened(single(self._who, image), self.factor)

    def _picture(self, image):
        return enhanced(image, "Brightness", self.factor)


class AdjustContrast(ImageTensorOperation):
    """Scales the contrast, the distance to the mean grey, by `contrast_factor`.

    >>> AdjustContrast(2.0)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, contrast_factor):
        self.factor = NOT_NEGATIVE.checked(self._who, "contrast_factor", contrast_factor)

    def _array(self, image):
        return colour_arrays.contrasted(with_channels(self._who, image), self.factor)

    def _picture(self, image):
        return enhanced(image, "Contrast", self.factor)


class AdjustSaturation(ImageTensorOperation):
    """Scales the saturation, the distance to the grey image, by `saturation_factor`.

    >>> AdjustSaturation(0.0)(np.array([[[90, 90, 90]]], np.uint8)).tolist()
    [[[90, 90, 90]]]
    """

    def __init__(self, saturation_factor):
        self.factor = NOT_NEGATIVE.checked(self._who, "saturation_factor", saturation_factor)

    def _array(self, image):
        return colour_arrays.coloured(with_channels(self._who, image), self.factor)

    def _picture(self, image):
        return enhanced(image, "Color", self.factor)


class AdjustSharpness(ImageTensorOperation):
    """Scales the sharpness, the distance to a smoothed image, by `sharpness_factor`.

    >>> AdjustSharpness(2.0)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, sharpness_factor):
        self.factor = NOT_NEGATIVE.checked(self._who, "sharpness_factor", sharpness_factor)

    def _array(self, image):
        return sharpened(single(self._who, image), self.factor)


class AdjustHue(ImageTensorOperation):
    """Rotates hues by `hue_factor` of the circle, in [-0.5, 0.5].

    >>> AdjustHue(0.5)(np.array([[[255, 0, 0]]], np.uint8)).tolist()
    [[[0, 255, 252]]]
    """

    def __init__(self, hue_factor):
        self.factor = within(-0.5, 0.5).checked(self._who, "hue_factor", hue_factor)

    def _array(self, image):
        return colour_arrays.hue_rotated(with_channels(self._who, image), self.factor)

    def _picture(self, image):
        if image.mode in ("L", "1", "I", "F"):
            return image
        hue, saturation, value = image.convert("HSV").split()
        steps = (np.array(hue, np.int32) + int(self.factor * 255)) % 256
        hue = pillow().fromarray(steps.astype(np.uint8))
        return pillow().merge("HSV", (hue, saturation, value)).convert(image.mode)


class AdjustGamma(ImageTensorOperation):
    r"""$gain \cdot x^{gamma}$ of values in [0, 1]; bytes are in units of 1/255.

    >>> AdjustGamma(2.0)(np.full((1, 1, 3), 0.5, np.float32)).tolist()
    [[[0.25, 0.25, 0.25]]]
    """

    def __init__(self, gamma, gain=1):
        self.gamma = NOT_NEGATIVE.checked(self._who, "gamma", gamma)
        self.gain = check.ORDERED.checked(self._who, "gain", gain)

    def _array(self, image):
        return colour_arrays.gamma_adjusted(image, self.gamma, self.gain)

    def _picture(self, image):
        levels = np.clip(255.999 * self.gain * (np.arange(256) / 255) ** self.gamma, 0, 255)
        grey = image.mode not in ("RGB", "RGBA")
        adjusted = (image if grey else image.convert("RGB")).point(
            levels.astype(np.uint8).tolist() * (1 if grey else 3)
        )
        return adjusted.convert(image.mode)


class Invert(ImageTensorOperation):
    """Inverts the image: 255 - x.

    >>> Invert()(np.array([[[0, 100, 255]]], np.uint8)).tolist()
    [[[255, 155, 0]]]
    """

    def _array(self, image):
        image = single(self._who, with_channels(self._who, image, (1, 2, 3, 4)))
        return (255 - image.astype(np.float64)).astype(image.dtype)

    def _picture(self, image):
        return _of_pillow("invert")(image)


class Equalize(ImageTensorOperation):
    """Equalizes the histogram of each channel.

    >>> Equalize()(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def _array(self, image):
        return colour_arrays.equalized(of_bytes(self._who, image))

    def _picture(self, image):
        return _of_pillow("equalize")(image)


def ignored(who, colours):
    """Return the grey levels to ignore; `colours`: None, one or several."""
    levels = [] if colours is None else [colours] if isinstance(colours, int) else colours
    return check.several(who, "ignore", levels, (), check.BYTE)


class AutoContrast(ImageTensorOperation):
    """Stretches each channel to [0, 255], without the darkest and the lightest `cutoff` percent and
    the levels in `ignore`.

    >>> AutoContrast()(np.array([[[10], [20]]], np.uint8).repeat(3, 2))[0, :, 0].tolist()
    [0, 255]
    """

    def __init__(self, cutoff=0.0, ignore=None):
        self.cutoff = within(0, 50).checked(self._who, "cutoff", cutoff)
        self.ignore = ignored(self._who, ignore)

    def _array(self, image):
        return colour_arrays.stretched(of_bytes(self._who, image), self.cutoff, self.ignore)

    def _picture(self, image):
        return _of_pillow("autocontrast")(image, self.cutoff, list(self.ignore))


class Posterize(ImageTensorOperation):
    """Keeps only the first `bits` bits of each value, in [0, 8].

    >>> Posterize(1)(np.array([[[0, 100, 200]]], np.uint8)).tolist()
    [[[0, 0, 128]]]
    """

    def __init__(self, bits):
        self.bits = within(0, 8, INT).checked(self._who, "bits", bits)

    def _array(self, image):
        return of_bytes(self._who, image) & np.uint8(256 - 2 ** (8 - self.bits) & 255)


class Solarize(ImageTensorOperation):
    """Inverts x to 255 - x within `threshold`: (least, most), or one number for all x from it on.

    >>> Solarize((50, 150))(np.array([[[0, 100, 200]]], np.uint8)).tolist()
    [[[0, 155, 200]]]
    """

    def __init__(self, threshold):
        if isinstance(threshold, (int, float)):
            threshold = threshold, threshold
        self.threshold = check.interval(self._who, "threshold", threshold, check.LEVEL)

    def _array(self, image):
        image, (least, most) = of_bytes(self._who, image), self.threshold
        chosen = image >= least if least == most else (image >= least) & (image <= most)
        return np.where(chosen, 255 - image, image)


class GaussianBlur(ImageTensorOperation):
    """Blurs an array with a Gaussian; `kernel_size`: an odd int or (width, height); `sigma`: a
    number or (along x, along y), by default from the kernel size.

    >>> GaussianBlur(3)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, kernel_size, sigma=None):
        who = self._who
        sizes = (kernel_size,) if isinstance(kernel_size, int) else kernel_size
        sizes = check.several(who, "kernel_size", sizes, (1, 2), check.COUNT)
        require(all(n % 2 for n in sizes), "odd", who, kernel_size=kernel_size)
        deviations = 0 if sigma is None else sigma
        sigmas = (deviations,) if isinstance(deviations, (int, float)) else deviations
        sigmas = check.several(who, "sigma", sigmas, (1, 2), NOT_NEGATIVE)
        self.kernel_size, self.sigma = (sizes * 2)[:2], (sigmas * 2)[:2]

    def _array(self, image):
        return blurred(single(self._who, image), self.kernel_size, self.sigma)


_FULL = "full"
# conversion -> (number of input channels, source of each output channel)
_CHANNELS = {
    ConvertMode.COLOR_RGB2RGBA: (3, (0, 1, 2, _FULL)),
    ConvertMode.COLOR_RGBA2RGB: (4, (0, 1, 2)),
    ConvertMode.COLOR_RGB2BGRA: (3, (2, 1, 0, _FULL)),
    ConvertMode.COLOR_RGBA2BGR: (4, (2, 1, 0)),
    ConvertMode.COLOR_RGB2BGR: (3, (2, 1, 0)),
    ConvertMode.COLOR_RGBA2BGRA: (4, (2, 1, 0, 3)),
    ConvertMode.COLOR_BGR2GRAY: (3, (2, 1, 0)),
    ConvertMode.COLOR_RGB2GRAY: (3, (0, 1, 2)),
    ConvertMode.COLOR_GRAY2RGB: (1, (0, 0, 0)),
    ConvertMode.COLOR_GRAY2RGBA: (1, (0, 0, 0, _FULL)),
    ConvertMode.COLOR_BGRA2GRAY: (4, (2, 1, 0)),
    ConvertMode.COLOR_RGBA2GRAY: (4, (0, 1, 2)),
}


class ConvertColor(ImageTensorOperation):
    """Converts an array to other channels, by a member of `ConvertMode`.

    >>> from sporax.data.vision import ConvertMode
    >>> ConvertColor(ConvertMode.COLOR_RGB2BGR)(np.array([[[1, 2, 3]]], np.uint8))
    array([[[3, 2, 1]]], dtype=uint8)
    """

    def __init__(self, convert_mode):
        self.convert_mode = member_of(ConvertMode).checked(self._who, "convert_mode", convert_mode)

    def _array(self, image):
        count, sources = _CHANNELS[self.convert_mode]
        if count == 1 and image.ndim == 2:
            image = image[..., None]
        image = with_channels(self._who, single(self._who, image), (count,))
        full = np.full(image.shape[:-1], 255 if image.dtype.kind in "iu" else 1, image.dtype)
        channels = np.stack([full if i == _FULL else image[..., i] for i in sources], -1)
        return colour_arrays.grey(channels) if self.convert_mode.name.endswith("GRAY") else channels


class Grayscale(PictureOperation):
    """Converts a Pillow image to grey, with `num_output_channels` (1 or 3) equal channels."""

    def __init__(self, num_output_channels=1):
        who = type(self).__name__
        self.channels = one_of(1, 3).checked(who, "num_output_channels", num_output_channels)

    def _picture(self, image):
        return as_grey(image, self.channels)


def as_grey(image, channels):
    """Return a Pillow image in grey."""
    grey = image.convert("L")
    return grey if channels == 1 else pillow().merge("RGB", (grey, grey, grey))


class _Space(PyTensorOperation):
    """Base of colour space conversions of arrays in [0, 1]; `is_hwc`: the channels come last."""

    _changed: Callable[[np.ndarray], np.ndarray]

    def __init__(self, is_hwc=False):
        self.is_hwc = BOOL.checked(type(self).__name__, "is_hwc", is_hwc)

    def __call__(self, image):
        who, axis = type(self).__name__, -1 if self.is_hwc else -3
        require(isinstance(image, np.ndarray), "image-array", who, got=image)
        shape, fits = image.shape, image.ndim in (3, 4) and image.shape[axis] == 3
        fields = {"axis": axis, "shape": shape, "is_hwc": self.is_hwc}
        require(fits, "image-3-channels-axis", who, **fields)
        changed = self._changed(np.moveaxis(image.astype(np.float64), axis, -1))
        return np.moveaxis(changed, -1, axis)


class RgbToHsv(_Space):
    """Converts red, green and blue to hue, saturation and value; all in [0, 1].

    >>> RgbToHsv(is_hwc=True)(np.array([[[1.0, 0.0, 0.0]]], np.float32)).tolist()
    [[[0.0, 1.0, 1.0]]]
    """

    def _changed(self, image):
        return np.stack(colour_arrays.to_hsv(image), -1)


class HsvToRgb(_Space):
    """Converts hue, saturation and value to red, green and blue; all in [0, 1].

    >>> HsvToRgb(is_hwc=True)(np.array([[[0.0, 1.0, 1.0]]], np.float32)).tolist()
    [[[1.0, 0.0, 0.0]]]
    """

    def _changed(self, image):
        return colour_arrays.from_hsv(*np.moveaxis(image, -1, 0))


__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation",
    "AdjustSharpness", "AutoContrast", "ConvertColor", "Equalize", "GaussianBlur", "Grayscale",
    "HsvToRgb", "Invert", "Posterize", "RgbToHsv", "Solarize",
]  # fmt: skip
