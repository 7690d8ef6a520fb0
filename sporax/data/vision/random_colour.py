"""Random colour transforms: each draws its parameters and applies a fixed transform."""

from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.diagnosis.argument_kinds import INT, NOT_NEGATIVE, at_least, within
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.vision import colour_transforms, cropping
from sporax.data.vision.format_conversion import as_picture
from sporax.data.vision.image import (
    Drawn,
    ImageTensorOperation,
    is_picture,
    single,
    unchanged,
    with_channels,
)


def probability(who, prob):
    """Check a probability in [0, 1]."""
    return check.SHARE.checked(who, "prob", prob)


def uniform(limits):
    """Draw a number between two limits."""
    return random_streams.stream().uniform(*limits)


class _Sometimes(Drawn):
    """Applies `_transform` with probability `prob`."""

    _transform: Callable[[Any], Any]

    def __init__(self, prob=0.5):
        self.prob = probability(self._who, prob)

    def _draw(self, image):
        return self._transform if random_streams.stream().random() < self.prob else unchanged


class RandomHorizontalFlip(_Sometimes):
    """Flips the image horizontally, with probability `prob`.

    >>> RandomHorizontalFlip(1.0)(np.array([[1, 2]]))
    array([[2, 1]])
    """

    def _transform(self, image):
        if is_picture(image):
            return cropping.flipped(image, upright=False)
        return cropping.HorizontalFlip()(image)


class RandomVerticalFlip(_Sometimes):
    """Flips the image vertically, with probability `prob`.

    >>> RandomVerticalFlip(1.0)(np.array([[[1]], [[2]]], np.uint8))[..., 0].tolist()
    [[2], [1]]
    """

    def _transform(self, image):
        if is_picture(image):
            return cropping.flipped(image, upright=True)
        return cropping.VerticalFlip()(image)


class RandomInvert(_Sometimes):
    """Inverts the image, 255 - x, with probability `prob`.

    >>> RandomInvert(1.0)(np.array([[[0, 100, 255]]], np.uint8)).tolist()
    [[[255, 155, 0]]]
    """

    def _transform(self, image):
        return colour_transforms.Invert()(np.asarray(image))


class RandomEqualize(_Sometimes):
    """Equalizes the histogram of each channel, with probability `prob`.

    >>> RandomEqualize()(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def _transform(self, image):
        return colour_transforms.Equalize()(np.asarray(image))


class RandomAutoContrast(_Sometimes):
    """Stretches channels to [0, 255] like `AutoContrast`, with probability `prob`.

    >>> RandomAutoContrast()(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, cutoff=0.0, ignore=None, prob=0.5):
        super().__init__(prob)
        self._fixed = colour_transforms.AutoContrast(cutoff, ignore)

    def _transform(self, image):
        return self._fixed(np.asarray(image))


class RandomAdjustSharpness(_Sometimes):
    """Scales the sharpness by `degree`, with probability `prob`.

    >>> RandomAdjustSharpness(2.0, 1.0)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, degree, prob=0.5):
        super().__init__(prob)
        self._fixed = colour_transforms.AdjustSharpness(degree)

    def _transform(self, image):
        return self._fixed(np.asarray(image))


class RandomGrayscale(_Sometimes):
    """Converts a Pillow image to grey (1 channel for mode L, else 3), with probability `prob`."""

    def __init__(self, prob=0.1):
        super().__init__(prob)

    def _transform(self, image):
        return colour_transforms.Grayscale(1 if getattr(image, "mode", "RGB") == "L" else 3)(image)


class RandomColor(Drawn):
    """Scales the saturation by a random factor within `degrees`: (least, most).

    >>> RandomColor((0.5, 2.0))(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, degrees=(0.1, 1.9)):
        self.degrees = check.interval(self._who, "degrees", degrees, NOT_NEGATIVE)

    def _draw(self, image):
        return colour_transforms.AdjustSaturation(uniform(self.degrees))


class RandomSharpness(Drawn):
    """Scales the sharpness by a random factor within `degrees`: (least, most).

    >>> RandomSharpness((0.5, 2.0))(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, degrees=(0.1, 1.9)):
        self.degrees = check.interval(self._who, "degrees", degrees, NOT_NEGATIVE)

    def _draw(self, image):
        factor = uniform(self.degrees)
        if is_picture(image):
            return lambda image: colour_transforms.enhanced(image, "Sharpness", factor)
        return colour_transforms.AdjustSharpness(factor)


def _around(who, name, value, centre=1, least: float = 0, most=np.inf):
    """Return (least, most) of a factor; `value`: these, or the largest distance from `centre`."""
    is_open = most == np.inf
    if isinstance(value, (tuple, list)):
        kind = at_least(least) if is_open else within(least, most)
        return check.interval(who, name, value, kind)
    kind = NOT_NEGATIVE if is_open else within(0, most - centre)
    value = kind.checked(who, name, value)
    return max(centre - value, least), min(centre + value, most)


class RandomColorAdjust(Drawn):
    """Changes brightness, contrast, saturation and hue in a random order.

    Each is (least, most) of the factor; a number v means (max(0, 1 - v), 1 + v), and (-v, v) for
    `hue`, which is in [-0.5, 0.5].

    >>> RandomColorAdjust(0.4, 0.4)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        who = self._who
        self._limits = {
            colour_transforms.AdjustBrightness: _around(who, "brightness", brightness),
            colour_transforms.AdjustContrast: _around(who, "contrast", contrast),
            colour_transforms.AdjustSaturation: _around(who, "saturation", saturation),
            colour_transforms.AdjustHue: _around(who, "hue", hue, 0, -0.5, 0.5),
        }

    def _draw(self, image):
        neutral = {colour_transforms.AdjustHue: (0, 0)}
        steps = [
            kind(uniform(limits))
            for kind, limits in self._limits.items()
            if limits != neutral.get(kind, (1, 1))
        ]
        return _one_after_another(
            [steps[i] for i in random_streams.stream().permutation(len(steps))]
        )


def _one_after_another(steps):
    def through(image):
        for step in steps:
            image = step(image)
        return image

    return through


class RandomPosterize(Drawn):
    """Keeps a random number of first bits of each value; `bits`: it, or (least, most), in [1, 8].

    >>> RandomPosterize(1)(np.array([[[0, 100, 200]]], np.uint8)).tolist()
    [[[0, 0, 128]]]
    """

    def __init__(self, bits=(8, 8)):
        bits = (bits, bits) if isinstance(bits, int) else bits
        bits = check.several(self._who, "bits", bits, (2,), within(1, 8, INT))
        self.bits = check.interval(self._who, "bits", bits)

    def _draw(self, image):
        least, most = self.bits
        return colour_transforms.Posterize(int(random_streams.stream().integers(least, most + 1)))


class RandomSolarize(Drawn):
    """Inverts x to 255 - x between two random numbers within `threshold`: (least, most).

    >>> RandomSolarize((0, 255))(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, threshold=(0, 255)):
        who = self._who
        threshold = check.several(who, "threshold", threshold, (2,), check.BYTE)
        self.threshold = check.interval(who, "threshold", threshold)

    def _draw(self, image):
        least, most = self.threshold
        drawn = random_streams.stream().integers(least, most + 1, 2)
        return colour_transforms.Solarize(tuple(sorted(drawn.tolist())))


# variation of ImageNet's colours: principal directions of red, green and blue, times their spread
_DIRECTIONS = np.array([
    [-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203],
]) * [55.46, 4.794, 1.148]  # fmt: skip


class RandomLighting(ImageTensorOperation):
    """Adds a random colour to the image, normally distributed as ImageNet's colours vary, times
    `alpha` (Krizhevsky et al. 2012).

    >>> RandomLighting()(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, alpha=0.05):
        self.alpha = NOT_NEGATIVE.checked(self._who, "alpha", alpha)

    def _array(self, image):
        added = _DIRECTIONS @ random_streams.stream().normal(0, self.alpha, 3)
        lit = single(self._who, with_channels(self._who, image)) + added
        return np.clip(lit, 0, 255).astype(image.dtype)

    def _picture(self, image):
        return as_picture(self._who, self._array(np.asarray(image.convert("RGB"))))


__all__ = [
    "RandomAdjustSharpness", "RandomAutoContrast", "RandomColor", "RandomColorAdjust",
    "RandomEqualize", "RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomLighting",
    "RandomPosterize", "RandomSharpness", "RandomSolarize", "RandomVerticalFlip",
]  # fmt: skip
