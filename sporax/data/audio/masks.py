"""Masks over frequencies or frames of a spectrogram (Park et al. 2019, SpecAugment)."""

from typing import Annotated

import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.data.audio.waveform import (
    AudioTensorOperation,
    Count,
    NotNegative,
    Real,
    Whole,
    one_int_of,
)
from sporax.data.random_streams import stream


def _masked(spectrogram, axis, start, width, value):
    """Return a copy with `value` at positions of axis -2 or -1; `start`, `width`: ints, or arrays
    (..., 1, 1) of them."""
    positions = np.arange(spectrogram.shape[axis])
    positions = positions[:, None] if axis == -2 else positions
    return np.where((positions >= start) & (positions < start + width), value, spectrogram)


class MaskAlongAxis(AudioTensorOperation):
    """Sets `mask_width` frequencies (`axis` 1) or frames (`axis` 2) to `mask_value`, from
    `mask_start` on. Spectrogram (..., freq, frames).

    >>> MaskAlongAxis(1, 2, 0.0, 2)(np.ones((1, 4)))
    array([[1., 0., 0., 1.]])
    """

    _shape = "..., freq, frames"

    mask_start: Whole
    mask_width: Count
    mask_value: Real
    axis: Annotated[int, one_int_of(1, 2)]

    def _transformed(self, spectrogram):
        mask = self.mask_start, self.mask_width, self.mask_value
        return _fixed_mask(self._who, spectrogram, self.axis - 3, "mask_width", *mask)


def _fixed_mask(who, spectrogram, axis, name, start, width, value):
    size, end, argument = spectrogram.shape[axis], start + width, f"mask_start' + '{name}"
    require(end <= size, "at-most-axis", who, argument=argument, size=size, got=end)
    return _masked(spectrogram, axis, start, width, value)


def _random_mask(who, spectrogram, axis, name, most, value):
    """Mask each channel at random: the width is drawn from [0, `most`), the start from the range
    that it leaves."""
    size = spectrogram.shape[axis]
    require(most <= size, "at-most-axis", who, argument=name, size=size, got=most)
    drawn = stream().random((2, *spectrogram.shape[:-2], 1, 1))
    width = drawn[0] * most
    start = np.floor(drawn[1] * (size - width))
    return _masked(spectrogram, axis, start, np.floor(width), value)


class MaskAlongAxisIID(AudioTensorOperation):
    """Masks each channel at random like `MaskAlongAxis`: the width is from [0, `mask_param`],
    the start from [0, size of the axis - width]. Spectrogram (..., freq, frames).

    >>> MaskAlongAxisIID(0, 5.0, 1)(np.ones((1, 4)))
    array([[1., 1., 1., 1.]])
    """

    _shape = "..., freq, frames"

    mask_param: Whole
    mask_value: Real
    axis: Annotated[int, one_int_of(1, 2)]

    def _transformed(self, spectrogram):
        return _random_mask(
            self._who, spectrogram, self.axis - 3, "mask_param", self.mask_param, self.mask_value
        )


class _Masking(AudioTensorOperation, is_base=True):
    """Base of masks along one axis, at a random or a fixed position."""

    _shape = "..., freq, frames"

    iid_masks: bool
    mask_start: int
    mask_value: float

    def _mask(self, spectrogram, axis, name):
        width = getattr(self, name)
        if self.iid_masks:
            return _random_mask(self._who, spectrogram, axis, name, width, self.mask_value)
        mask = self.mask_start, width, self.mask_value
        return _fixed_mask(self._who, spectrogram, axis, name, *mask)


class FrequencyMasking(_Masking):
    """Sets `freq_mask_param` frequencies to `mask_value`, from `mask_start` on; with `iid_masks`,
    masks each channel at random like `MaskAlongAxisIID`.

    Spectrogram (..., freq, frames).

    >>> FrequencyMasking(freq_mask_param=1, mask_start=1)(np.ones((3, 1))).ravel()
    array([1., 0., 1.])
    """

    iid_masks: bool = False
    freq_mask_param: Whole = 0
    mask_start: Whole = 0
    mask_value: NotNegative = 0.0

    def _transformed(self, spectrogram):
        return self._mask(spectrogram, -2, "freq_mask_param")


class TimeMasking(_Masking):
    """Masks frames like `FrequencyMasking`; the width is `time_mask_param`.

    >>> TimeMasking(time_mask_param=2, mask_start=1)(np.ones((1, 4)))
    array([[1., 0., 0., 1.]])
    """

    iid_masks: bool = False
    time_mask_param: Whole = 0
    mask_start: Whole = 0
    mask_value: NotNegative = 0.0

    def _transformed(self, spectrogram):
        return self._mask(spectrogram, -1, "time_mask_param")


__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]
