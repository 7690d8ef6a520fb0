"""Augmentation policies: for each image, some of 15 fixed transforms at random magnitudes."""

import csv
import functools
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.diagnosis.argument_kinds import INT, member_of, within
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.vision import colour_transforms as colour
from sporax.data.vision.enums import AutoAugmentPolicy, Inter
from sporax.data.vision.geometry import affine_matrix, each, for_arrays, turned
from sporax.data.vision.image import (
    ImageTensorOperation,
    extent,
    of_bytes,
    single,
    unchanged,
    with_channels,
)
from sporax.data.vision.resampling import mapped

_BINS = within(2, check.MOST, INT)


def _moved(x=0.0, y=0.0, shear_x=0.0, shear_y=0.0):
    """Return an affine transform; the shears are tangents."""
    shear = [math.degrees(tangent) for tangent in (shear_x, shear_y)]

    def transform(image, how, fill):
        matrix = affine_matrix(image, 0, (x, y), 1.0, shear)
        return each(image, lambda one: mapped(one, np.linalg.inv(matrix), extent(one), how, fill))

    return transform


def _coloured(transform):
    return lambda image, how, fill: transform(image)


# transform -> its function at a magnitude
_AT = {
    "Identity": lambda m: _coloured(unchanged),
    "ShearX": lambda m: _moved(shear_x=m),
    "ShearY": lambda m: _moved(shear_y=m),
    "TranslateX": lambda m: _moved(x=m),
    "TranslateY": lambda m: _moved(y=m),
    "Rotate": lambda m: lambda image, how, fill: turned(image, m, how, False, None, fill),
    "Brightness": lambda m: _coloured(colour.AdjustBrightness(1 + m)),
    "Color": lambda m: _coloured(colour.AdjustSaturation(1 + m)),
    "Contrast": lambda m: _coloured(colour.AdjustContrast(1 + m)),
    "Sharpness": lambda m: _coloured(colour.AdjustSharpness(1 + m)),
    "Posterize": lambda m: _coloured(colour.Posterize(int(m))),
    "Solarize": lambda m: _coloured(colour.Solarize(float(int(m)))),
    "AutoContrast": lambda m: _coloured(colour.AutoContrast()),
    "Equalize": lambda m: _coloured(colour.Equalize()),
    "Invert": lambda m: _coloured(colour.Invert()),
}
_SIGNED = frozenset(list(_AT)[1:10])  # their magnitudes are negative in half of the calls


def _magnitudes(shift, shear=0.3, rotation=30.0, blend=0.9, bits=4):
    """Return {transform: its largest magnitude}; `shift`: for TranslateX and TranslateY."""
    largest = {"Identity": 0.0, "ShearX": shear, "ShearY": shear}
    largest |= dict(zip(("TranslateX", "TranslateY"), shift, strict=True)) | {"Rotate": rotation}
    largest |= dict.fromkeys(("Brightness", "Color", "Contrast", "Sharpness"), blend)
    return largest | {"Posterize": bits, "Solarize": 255.0, "AutoContrast": 0.0, "Equalize": 0.0}


def _by_size(image):
    rows, columns = extent(image)
    return 150 / 331 * columns, 150 / 331 * rows


class _Augment(ImageTensorOperation):
    """Base of the policies: a subclass's `_steps(image)` draws pairs of a transform's name and its
    magnitude."""

    _steps: Callable[[Any], Iterable[tuple[str, float]]]

    def _filled(self, interpolation, fill_value):
        how = member_of(Inter).checked(self._who, "interpolation", interpolation)
        self.options = for_arrays(self._who, how), check.colour(self._who, fill_value)

    def _array(self, image):
        image = with_channels(self._who, of_bytes(self._who, single(self._who, image)))
        for name, magnitude in self._steps(image):
            image = _AT[name](magnitude)(image, *self.options)
        return image


def _magnitude(name, fraction, largest):
    """Return a transform's magnitude at `fraction` (0 to 1) of its range, with a random sign."""
    if name == "Posterize":
        return 8 - round(fraction * largest[name])
    if name == "Solarize":
        return (1 - fraction) * largest[name]
    sign = -1 if name in _SIGNED and random_streams.stream().random() < 0.5 else 1
    return sign * fraction * largest.get(name, 0.0)


@functools.cache
def _policies():
    """Return {policy: [((transform, probability, magnitude of 10), the second one)]}."""
    policies = {}
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        for policy, *both in list(csv.reader(file))[1:]:
            pair = [(n, float(chance), int(m or 0)) for n, chance, m in (both[:3], both[3:])]
            policies.setdefault(policy, []).append(pair)
    return policies


class AutoAugment(_Augment):
    """Applies one of 25 pairs of transforms, each with the probability learned for `policy`'s
    dataset (Cubuk et al. 2019).

    `interpolation`, `fill_value`: for shearing, translation and rotation. Images are arrays
    (H, W, 3) of bytes.

    >>> AutoAugment()(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(
        self, policy=AutoAugmentPolicy.IMAGENET, interpolation=Inter.NEAREST, fill_value=0
    ):
        self.policy = member_of(AutoAugmentPolicy).checked(self._who, "policy", policy)
        self._filled(interpolation, fill_value)

    def _steps(self, image):
        draw, pairs = random_streams.stream(), _policies()[self.policy.value]
        largest = _magnitudes(_by_size(image))
        for name, chance, bin_of_ten in pairs[int(draw.integers(len(pairs)))]:
            if draw.random() < chance:
                yield name, _magnitude(name, bin_of_ten / 9, largest)


class RandAugment(_Augment):
    """Applies `num_ops` of 14 transforms, each drawn anew, at one `magnitude` of
    `num_magnitude_bins` (Cubuk et al. 2020).

    The other arguments, and images, are as for `AutoAugment`.

    >>> RandAugment(3)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(
        self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=Inter.NEAREST,
        fill_value=0,
    ):  # fmt: skip
        who = self._who
        self.num_ops = check.WHOLE.checked(who, "num_ops", num_ops)
        bins = _BINS.checked(who, "num_magnitude_bins", num_magnitude_bins)
        self.fraction = within(0, bins - 1, INT).checked(who, "magnitude", magnitude) / (bins - 1)
        self._filled(interpolation, fill_value)

    def _steps(self, image):
        largest = _magnitudes(_by_size(image))
        for i in random_streams.stream().integers(len(largest), size=self.num_ops):
            name = list(largest)[i]
            yield name, _magnitude(name, self.fraction, largest)


class TrivialAugmentWide(_Augment):
    """Applies one of 14 transforms at one of `num_magnitude_bins` magnitudes, drawn uniformly
    (Müller and Hutter 2021).

    The other arguments, and images, are as for `AutoAugment`.

    >>> TrivialAugmentWide()(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, num_magnitude_bins=31, interpolation=Inter.NEAREST, fill_value=0):
        self.bins = _BINS.checked(self._who, "num_magnitude_bins", num_magnitude_bins)
        self._filled(interpolation, fill_value)

    def _steps(self, image):
        draw = random_streams.stream()
        largest = _magnitudes((32.0, 32.0), 0.99, 135.0, 0.99, 6)
        name = list(largest)[int(draw.integers(len(largest)))]
        yield name, _magnitude(name, int(draw.integers(self.bins)) / (self.bins - 1), largest)


__all__ = ["AutoAugment", "RandAugment", "TrivialAugmentWide"]
