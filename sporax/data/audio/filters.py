"""Recursive filters of waveforms.

Two-pole filters come from an analogue prototype of centre frequency 1 by the bilinear transform
(R. Bristow-Johnson, Cookbook formulae for audio equalizer biquad filter coefficients): with
$\\omega_0 = 2 \\pi f / f_s$, $s = (1 - z^{-1}) / (\\tan(\\omega_0 / 2) (1 + z^{-1}))$.
"""

import math
from typing import Annotated, Any

import numpy as np
from scipy import signal

from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.audio.waveform import REAL, AudioTensorOperation, NonZero, Real, Share, one_int_of


def filtered(waveform, numerator, denominator, clamp=True):
    """Return $y_n = (\\sum_k b_k x_{n - k} - \\sum_{k > 0} a_k y_{n - k}) / a_0$ along the last
    axis, from zero initial state, computed in Float64; `clamp`: clip it to [-1, 1]."""
    result: Any = signal.lfilter(numerator, denominator, waveform.astype(np.float64))
    return (np.clip(result, -1, 1) if clamp else result).astype(waveform.dtype)


class _Filter(AudioTensorOperation, is_base=True):
    """Base of recursive filters of floats; the result has the dtype of the input."""

    _kinds = "f"
    _keeps_halves = True


def _coefficients(who, name, value):
    return check.several(who, name, value, (), REAL)


class LFilter(_Filter):
    r"""Recursive filter, $a_0 y_n = \sum_k b_k x_{n-k} - \sum_{k > 0} a_k y_{n-k}$.

    `a_coeffs`, `b_coeffs`: lists of floats of equal length. `clamp`: whether the result is clipped
    to [-1, 1]. The initial state is zero. Waveform (..., time).

    >>> LFilter([1.0, -0.5], [1.0, 0.0], clamp=False)(np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """

    a_coeffs: Annotated[tuple[float, ...], _coefficients]
    b_coeffs: Annotated[tuple[float, ...], _coefficients]
    clamp: bool = True

    def _prepare(self):
        lengths = len(self.a_coeffs), len(self.b_coeffs)
        one = lengths[0] == lengths[1]
        require(one, "coefficients-equally-many", self._who, a_coeffs=lengths[0], count=lengths[1])

    def _transformed(self, waveform):
        return filtered(waveform, self.b_coeffs, self.a_coeffs, self.clamp)


class Filtfilt(LFilter):
    """Applies the filter of `LFilter` forward and then backward in time, with zero phase shift.

    The arguments are as for `LFilter`; only the final result is clipped. Waveform (..., time).

    >>> Filtfilt([1.0, 0.0], [0.5, 0.5])(np.array([0.0, 1.0, 0.0]))
    array([0.25, 0.5 , 0.25])
    """

    def _transformed(self, waveform):
        forward = filtered(waveform, self.b_coeffs, self.a_coeffs, clamp=False)
        return filtered(forward[..., ::-1], self.b_coeffs, self.a_coeffs, self.clamp)[..., ::-1]


class Biquad(_Filter):
    r"""Filter of two poles and two zeros, clipped to [-1, 1], from zero initial state:
    $a_0 y_n = b_0 x_n + b_1 x_{n-1} + b_2 x_{n-2} - a_1 y_{n-1} - a_2 y_{n-2}$.

    The coefficients are floats, `a0` not 0. Waveform (..., time).

    >>> Biquad(0.5, 0.5, 0.0, 1.0, 0.0, 0.0)(np.array([0.0, 1.0, 0.0]))
    array([0. , 0.5, 0.5])
    """

    _takes_lists = True

    b0: Real
    b1: Real
    b2: Real
    a0: Real
    a1: Real
    a2: Real

    def _prepare(self):
        require(self.a0 != 0, "not-0", "Biquad", argument="a0")

    def _transformed(self, waveform):
        numerator, denominator = (self.b0, self.b1, self.b2), (self.a0, self.a1, self.a2)
        return filtered(waveform, numerator, denominator)


class _Designed(_Filter, is_base=True):
    """A filter whose coefficients `_design` computes."""

    def _design(self) -> Any:
        raise rejection("method-defined", self._who, other="_design")

    def _transformed(self, waveform):
        return filtered(waveform, *self._design())


class _Prototype(_Designed, is_base=True):
    """A filter designed from `_analogue`, which returns the coefficients of numerator and
    denominator, each for $s^2$, $s$ and 1."""

    sample_rate: int
    central_freq: float

    def _analogue(self) -> Any:
        raise rejection("method-defined", self._who, other="_analogue")

    def _frequency(self):
        return self.central_freq

    def _design(self):
        angle = 2 * math.pi * self._frequency() / self.sample_rate
        return [_bilinear(polynomial, angle) for polynomial in self._analogue()]


def _bilinear(polynomial, angle):
    """Return the polynomial in $s$ as one in $z^{-1}$, times
    $\\sin^2(\\omega_0) / (1 - \\cos \\omega_0)$ and the square of $1 + z^{-1}$."""
    square, linear, constant = polynomial
    square, constant = square * (1 + math.cos(angle)), constant * (1 - math.cos(angle))
    linear = linear * math.sin(angle)
    return square + linear + constant, 2 * (constant - square), square - linear + constant


class AllpassBiquad(_Prototype):
    r"""All-pass filter, $H(s) = (s^2 - s / Q + 1) / (s^2 + s / Q + 1)$.

    `sample_rate`: an int. `central_freq`: in Hz. `Q`: the quality factor, in (0, 1]. Waveform
    (..., time); the result is clipped to [-1, 1].

    >>> AllpassBiquad(8000, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([ 0.333, -0.629])
    """

    sample_rate: NonZero
    central_freq: Real
    Q: Share = 0.707

    def _analogue(self):
        return (1, -1 / self.Q, 1), (1, 1 / self.Q, 1)


class BandpassBiquad(_Prototype):
    r"""Band-pass filter, $H(s) = (s / Q) / (s^2 + s / Q + 1)$; with `const_skirt_gain`,
    $H(s) = s / (s^2 + s / Q + 1)$.

    The other arguments are as for `AllpassBiquad`. Waveform (..., time).

    >>> BandpassBiquad(8000, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([0.333, 0.314])
    """

    sample_rate: NonZero
    central_freq: Real
    Q: Share = 0.707
    const_skirt_gain: bool = False

    def _analogue(self):
        return (0, 1 if self.const_skirt_gain else 1 / self.Q, 0), (1, 1 / self.Q, 1)


class BandrejectBiquad(_Prototype):
    r"""Band-reject filter, $H(s) = (s^2 + 1) / (s^2 + s / Q + 1)$.

    The arguments are as for `AllpassBiquad`. Waveform (..., time).

    >>> BandrejectBiquad(8000, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([ 0.667, -0.314])
    """

    sample_rate: NonZero
    central_freq: Real
    Q: Share = 0.707

    def _analogue(self):
        return (1, 0, 1), (1, 1 / self.Q, 1)


class LowpassBiquad(_Prototype):
    r"""Low-pass filter, $H(s) = 1 / (s^2 + s / Q + 1)$.

    `cutoff_freq`: in Hz. The other arguments are as for `AllpassBiquad`. Waveform (..., time).

    >>> LowpassBiquad(8000, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([0.098, 0.287])
    """

    sample_rate: NonZero
    cutoff_freq: Real
    Q: Share = 0.707

    def _frequency(self):
        return self.cutoff_freq

    def _analogue(self):
        return (0, 0, 1), (1, 1 / self.Q, 1)


class HighpassBiquad(LowpassBiquad):
    r"""High-pass filter, $H(s) = s^2 / (s^2 + s / Q + 1)$.

    The arguments are as for `LowpassBiquad`. Waveform (..., time).

    >>> HighpassBiquad(8000, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([ 0.569, -0.602])
    """

    def _analogue(self):
        return (1, 0, 0), (1, 1 / self.Q, 1)


class EqualizerBiquad(_Prototype):
    r"""Peak of `gain` decibels, $H(s) = (s^2 + A s / Q + 1) / (s^2 + s / (A Q) + 1)$, with
    $A = 10^{gain / 40}$.

    `center_freq`: in Hz. The other arguments are as for `AllpassBiquad`. Waveform (..., time).

    >>> EqualizerBiquad(8000, 1000.0, -6.0)(np.array([1.0, 0.0])).round(3)
    array([ 0.794, -0.171])
    """

    sample_rate: NonZero
    center_freq: Real
    gain: Real
    Q: Share = 0.707

    def _frequency(self):
        return self.center_freq

    def _analogue(self):
        ratio = 10 ** (self.gain / 40)
        return (1, ratio / self.Q, 1), (1, 1 / (ratio * self.Q), 1)


class BassBiquad(_Prototype):
    r"""Low shelf of `gain` decibels,
    $H(s) = A (s^2 + \sqrt{A} s / Q + A) / (A s^2 + \sqrt{A} s / Q + 1)$, with $A = 10^{gain / 40}$.

    The other arguments are as for `AllpassBiquad`. Waveform (..., time).

    >>> BassBiquad(8000, -6.0, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([ 0.833, -0.255])
    """

    sample_rate: NonZero
    gain: Real
    central_freq: Real = 100.0
    Q: Share = 0.707

    def _analogue(self):
        ratio = 10 ** (self.gain / 40)
        slope = math.sqrt(ratio) / self.Q
        return (ratio, ratio * slope, ratio**2), (ratio, slope, 1)


class TrebleBiquad(_Prototype):
    r"""High shelf of `gain` decibels,
    $H(s) = A (A s^2 + \sqrt{A} s / Q + 1) / (s^2 + \sqrt{A} s / Q + A)$, with $A = 10^{gain / 40}$.

    The other arguments are as for `AllpassBiquad`. Waveform (..., time).

    >>> TrebleBiquad(8000, -6.0, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([0.602, 0.185])
    """

    sample_rate: NonZero
    gain: Real
    central_freq: Real = 3000
    Q: Share = 0.707

    def _analogue(self):
        return _high_shelf(10 ** (self.gain / 40), 1 / self.Q)


def _high_shelf(ratio, damping):
    slope = math.sqrt(ratio) * damping
    return (ratio**2, ratio * slope, ratio), (1, slope, ratio)


# sample rate -> (frequency in Hz, slope, gain in dB) of the shelf closest to IEC 60908 (SoX)
_DEEMPHASIS = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}


class DeemphBiquad(_Prototype):
    r"""De-emphasis of Compact Discs (IEC 60908): a high shelf like `TrebleBiquad` with SoX values,
    $1 / Q = \sqrt{(A + 1 / A) (1 / S - 1) + 2}$ for the slope $S$.

    `sample_rate`: 44100 or 48000. Waveform (..., time).

    >>> DeemphBiquad(44100)(np.array([1.0, 0.0])).round(3)
    array([0.46 , 0.201])
    """

    sample_rate: Annotated[int, one_int_of(*_DEEMPHASIS)]

    def _frequency(self):
        return _DEEMPHASIS[self.sample_rate][0]

    def _analogue(self):
        _, slope, gain = _DEEMPHASIS[self.sample_rate]
        ratio = 10 ** (gain / 40)
        return _high_shelf(ratio, math.sqrt((ratio + 1 / ratio) * (1 / slope - 1) + 2))


# sample rate -> (zeros, poles) of the playback curve of records (SoX)
_RIAA = {
    44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
    48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
    88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
    96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
}


class RiaaBiquad(_Designed):
    """Playback equalisation of vinyl records, 0 dB at 1 kHz: SoX's `riaa`.

    `sample_rate`: 44100, 48000, 88200 or 96000. Waveform (..., time).

    >>> RiaaBiquad(44100)(np.array([1.0, 0.0])).round(3)
    array([0.238, 0.233])
    """

    sample_rate: Annotated[int, one_int_of(*_RIAA)]

    def _design(self):
        numerator, denominator = map(np.poly, _RIAA[self.sample_rate])
        delay = np.exp(-2j * np.pi * 1000 / self.sample_rate)  # of one sample, at 1 kHz
        gain = np.polyval(denominator[::-1], delay) / np.polyval(numerator[::-1], delay)
        return numerator * abs(gain), denominator


class BandBiquad(_Designed):
    r"""Resonance at `central_freq`, of bandwidth `central_freq` / `Q`: SoX's `band`.

    $a_2 = e^{-2 \pi f / (Q f_s)}$, $a_1 = -4 a_2 \cos \omega_0 / (1 + a_2)$,
    $b_0 = (1 - a_2) \sqrt{1 - a_1^2 / (4 a_2)}$; with `noise`, for percussion, $b_0$ preserves the
    power of white noise. The other arguments are as for `AllpassBiquad`.

    >>> BandBiquad(8000, 1000.0)(np.array([1.0, 0.0])).round(3)
    array([0.531, 0.372])
    """

    sample_rate: NonZero
    central_freq: Real
    Q: Share = 0.707
    noise: bool = False

    def _design(self):
        angle = 2 * math.pi * self.central_freq / self.sample_rate
        a2 = math.exp(-angle / self.Q)
        a1 = -4 * a2 / (1 + a2) * math.cos(angle)
        if self.noise:
            b0 = math.sqrt(((1 + a2) ** 2 - a1**2) * (1 - a2) / (1 + a2))
        else:
            b0 = math.sqrt(1 - a1**2 / (4 * a2)) * (1 - a2)
        return (b0, 0, 0), (1, a1, a2)


__all__ = [
    "AllpassBiquad", "BandBiquad", "BandpassBiquad", "BandrejectBiquad", "BassBiquad", "Biquad",
    "DeemphBiquad", "EqualizerBiquad", "Filtfilt", "HighpassBiquad", "LFilter", "LowpassBiquad",
    "RiaaBiquad", "TrebleBiquad",
]  # fmt: skip
