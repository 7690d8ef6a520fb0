"""Spectrograms: computed from waveforms, inverted, and stretched."""

import math

import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.data.audio import short_time
from sporax.data.audio.enums import BorderType, WindowType
from sporax.data.audio.resampling import resampled
from sporax.data.audio.waveform import (
    UNSET,
    AudioTensorOperation,
    Count,
    Int32,
    NonZero,
    NotNegative,
    Positive,
    Whole,
)
from sporax.data.random_streams import stream


class Angle(AudioTensorOperation):
    r"""The phase of complex numbers (..., 2), in $[-\pi, \pi]$.

    >>> Angle()(np.array([[0.0, 1.0]])) / np.pi
    array([0.5])
    """

    _shape = "..., 2"

    def _transformed(self, pairs):
        return np.arctan2(pairs[..., 1], pairs[..., 0])


class ComplexNorm(AudioTensorOperation):
    r"""The magnitude of complex numbers (..., 2), raised to `power`, at least 0.

    >>> ComplexNorm()(np.array([[3.0, 4.0]]))
    array([5.])
    """

    _shape = "..., 2"

    power: NotNegative = 1.0

    def _transformed(self, pairs):
        return np.hypot(pairs[..., 0], pairs[..., 1]) ** self.power


class Magphase(ComplexNorm):
    r"""The magnitude of complex numbers (..., 2), raised to `power`, and their phase.

    >>> Magphase()(np.array([[0.0, 2.0]]))
    (array([2.]), array([1.57079633]))
    """

    def _transformed(self, pairs):
        return super()._transformed(pairs), np.arctan2(pairs[..., 1], pairs[..., 0])


class Framed(AudioTensorOperation, is_base=True):
    """Base of transforms in frames: `win_length` is `n_fft` by default, `hop_length` a fraction of
    `win_length`."""

    _hops = 2

    n_fft: int
    win_length: int
    hop_length: int
    window: WindowType

    def _prepare(self):
        self.win_length = self.win_length or self.n_fft
        self.hop_length = self.hop_length or self.win_length // self._hops
        win_length, n_fft = self.win_length, self.n_fft
        fits = win_length <= n_fft
        require(fits, "at-most", self._who, win_length=win_length, other="n_fft", value=n_fft)

    def _window(self, dtype):
        return short_time.window(self.window, self.win_length, self.n_fft, dtype)

    def _frequencies_checked(self, count, onesided=True):
        expected = self.n_fft // 2 + 1 if onesided else self.n_fft
        fits, n_fft = count == expected, self.n_fft
        require(fits, "frequencies-of-n-fft", self._who, n=expected, n_fft=n_fft, got=count)

    def _spectrum(self, waveform, **options):
        """Return the spectrum of a waveform, which must be long enough."""
        least = 1 if options.get("center", True) else self.n_fft
        got, n_fft = waveform.shape[-1], self.n_fft
        require(got >= least, "samples-for-n-fft", self._who, least=least, n_fft=n_fft, got=got)
        shape = self._window(waveform.dtype)
        return short_time.transform(waveform, shape, self.hop_length, **options)


class Spectrogram(Framed):
    r"""Magnitudes of the short-time Fourier transform, raised to `power`; for `power` 0 the
    transform itself, as pairs of real and imaginary parts.

    `n_fft`: samples per frame, which give `n_fft // 2 + 1` frequencies, or `n_fft` if `onesided` is
    False. `win_length`: of the window, `n_fft` by default. `hop_length`: samples between frames,
    `win_length // 2` by default. `pad`: zeros on both sides. `normalized`: whether the transform is
    divided by the window's norm. `center`: whether frames are centred at their samples, with the
    ends padded by `pad_mode`. Waveform (..., time), result (..., freq, frames).

    >>> Spectrogram(n_fft=8)(np.ones(16)).round(3)[:3, 2]
    array([16.,  4.,  0.])
    """

    _takes_lists = True

    n_fft: Count = 400
    win_length: Count = UNSET
    hop_length: Count = UNSET
    pad: Whole = 0
    window: WindowType = WindowType.HANN
    power: NotNegative = 2.0
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True

    def _transformed(self, waveform):
        spectrum = self._spectrum(
            short_time.padded(waveform, self.pad, self.pad),
            center=self.center, border=self.pad_mode, onesided=self.onesided,
        )  # fmt: skip
        if self.normalized:
            spectrum = spectrum / np.linalg.norm(self._window(waveform.dtype))
        if self.power == 0:
            return short_time.pairs_of(spectrum)
        return np.abs(spectrum) ** self.power


class SpectralCentroid(Framed):
    r"""The mean frequency in Hz, weighted by the magnitudes of the spectrum.

    `sample_rate`: an int. The other arguments are as for `Spectrogram`. Waveform (..., time),
    result (..., 1, frames).

    >>> SpectralCentroid(8, n_fft=8)(np.cos(np.arange(32) * np.pi / 2)).round(3)[..., 2]
    array([2.])
    """

    _takes_lists = True

    sample_rate: Whole
    n_fft: Count = 400
    win_length: Count = UNSET
    hop_length: Count = UNSET
    pad: Whole = 0
    window: WindowType = WindowType.HANN

    def _transformed(self, waveform):
        spectrum = np.abs(self._spectrum(short_time.padded(waveform, self.pad, self.pad)))
        frequencies = np.linspace(0, self.sample_rate // 2, self.n_fft // 2 + 1)[:, None]
        weights = spectrum.sum(-2, keepdims=True)
        return (frequencies.astype(waveform.dtype) * spectrum).sum(-2, keepdims=True) / weights


class InverseSpectrogram(Framed):
    r"""The waveform of a complex spectrogram: the inverse of `Spectrogram` with `power` 0.

    `length`: of the result, by default the length of the frames. The other arguments are as for
    `Spectrogram`. Spectrogram (..., freq, frames, 2), result (..., time).

    >>> tone = np.sin(np.arange(16.0))
    >>> pairs = Spectrogram(n_fft=8, power=0.0)(tone)
    >>> np.abs(InverseSpectrogram(n_fft=8)(pairs) - tone).max() < 1e-12
    np.True_
    """

    _shape = "..., freq, frames, 2"

    length: Whole | None = None
    n_fft: Count = 400
    win_length: Count = UNSET
    hop_length: Count = UNSET
    pad: Whole = 0
    window: WindowType = WindowType.HANN
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True

    def _transformed(self, pairs):
        self._frequencies_checked(pairs.shape[-3], self.onesided)
        spectrum, shape = short_time.complex_of(pairs), self._window(pairs.dtype)
        if self.normalized:
            spectrum = spectrum * np.linalg.norm(shape)
        length = self.length + 2 * self.pad if self.length else None
        waveform = short_time.inverse(
            spectrum, shape, self.hop_length, length, center=self.center, onesided=self.onesided
        )
        return waveform[..., self.pad : waveform.shape[-1] - self.pad]


class GriffinLim(Framed):
    r"""A waveform for a magnitude spectrogram, with the phases of a consistent spectrum, found in
    `n_iter` iterations (Griffin and Lim 1984; Perraudin et al. 2013).

    `power`: exponent of the magnitudes. `momentum` $m$: the phases are taken from
    $s_n + \frac{m}{1 + m} (s_n - s_{n-1})$ with the spectra $s$. `length`: of the result.
    `rand_init`: whether the initial phases are random, rather than 0. `window_type` and the other
    arguments: as for `Spectrogram`. Spectrogram (..., freq, frames), result (..., time).

    >>> GriffinLim(n_fft=8, n_iter=2)(np.ones((5, 4))).shape
    (12,)
    """

    _shape = "..., freq, frames"

    n_fft: Count = 400
    n_iter: Count = 32
    win_length: Whole = UNSET
    hop_length: Whole = UNSET
    window_type: WindowType = WindowType.HANN
    power: Positive = 2.0
    momentum: NotNegative = 0.99
    length: Whole | None = None
    rand_init: bool = True

    def _prepare(self):
        super()._prepare()
        self.window = self.window_type

    def _transformed(self, spectrogram):
        self._frequencies_checked(spectrogram.shape[-2])
        magnitude, shape = spectrogram ** (1 / self.power), self._window(spectrogram.dtype)
        momentum = self.momentum / (1 + self.momentum)
        phases, before = self._start(magnitude), 0
        for _ in range(self.n_iter):
            waveform = short_time.inverse(magnitude * phases, shape, self.hop_length)
            spectrum = short_time.transform(waveform, shape, self.hop_length)
            phases = spectrum + momentum * (spectrum - before)
            phases = phases / (np.abs(phases) + 1e-16)
            before = spectrum
        return short_time.inverse(magnitude * phases, shape, self.hop_length, self.length or None)

    def _start(self, magnitude):
        if not self.rand_init:
            return np.ones_like(magnitude)
        return short_time.complex_of(stream().random((*magnitude.shape, 2), magnitude.dtype))


class PhaseVocoder(AudioTensorOperation):
    r"""Speeds up a spectrum by `rate` at the same pitch (Flanagan and Golden 1966).

    `phase_advance`: an array (freq, 1), the phase advance of each frequency per frame. Spectrum
    (..., freq, frames, 2), result (..., freq, ceil(frames / `rate`), 2).

    >>> spectrum = np.ones((3, 4, 2))
    >>> PhaseVocoder(2.0, np.zeros((3, 1)))(spectrum).shape
    (3, 2, 2)
    """

    _shape = "..., freq, frames, 2"

    rate: Positive
    phase_advance: np.ndarray

    def _transformed(self, pairs):
        advance, shape = self.phase_advance, (pairs.shape[-3], 1)
        got, dtype = (advance.dtype, advance.shape), pairs.dtype
        fits = got == (dtype, shape)
        require(fits, "dtype-and-shape", self._who, phase_advance=got, dtype=dtype, shape=shape)
        spectrum = short_time.complex_of(pairs)
        return short_time.pairs_of(short_time.stretched(spectrum, self.rate, advance))


def _advance(hop, frequencies, dtype):
    return np.linspace(0, np.pi * hop, frequencies, dtype=dtype)[:, None]


class TimeStretch(AudioTensorOperation):
    r"""Speeds up a spectrum by `fixed_rate` at the same pitch: `PhaseVocoder` with phase advance
    $\pi \cdot hop\_length \cdot k / (freq - 1)$ of frequency $k$.

    `hop_length`: of the spectrum's frames, `n_freq` - 1 by default. `fixed_rate`: None leaves the
    spectrum unchanged. Spectrum (..., freq, frames, 2).

    >>> TimeStretch(n_freq=3, fixed_rate=2.0)(np.ones((3, 4, 2))).shape
    (3, 2, 2)
    """

    _shape = "..., freq, frames, 2"

    hop_length: Count = UNSET
    n_freq: Count = 201
    fixed_rate: Positive = UNSET

    def _prepare(self):
        self.hop_length = self.hop_length or self.n_freq - 1
        self.fixed_rate = self.fixed_rate or 1.0

    def _transformed(self, pairs):
        if self.fixed_rate == 1:
            return pairs
        advance = _advance(self.hop_length, pairs.shape[-3], pairs.dtype)
        spectrum = short_time.stretched(short_time.complex_of(pairs), self.fixed_rate, advance)
        return short_time.pairs_of(spectrum)


class PitchShift(Framed):
    r"""Raises the pitch of a waveform by `n_steps` steps at the same length: it is stretched by
    $2^{n\_steps / bins\_per\_octave}$ (`TimeStretch`) and resampled.

    `sample_rate`: in Hz. `n_steps`: an int. `bins_per_octave`: an int, not 0. `hop_length`:
    `win_length // 4` by default. The other arguments are as for `Spectrogram`.
    Waveform (..., time).

    >>> PitchShift(8000, 12, n_fft=16)(np.ones(64)).shape
    (64,)
    """

    _hops = 4

    sample_rate: Whole
    n_steps: Int32
    bins_per_octave: NonZero = 12
    n_fft: Count = 512
    win_length: Count = UNSET
    hop_length: Count = UNSET
    window: WindowType = WindowType.HANN

    def _transformed(self, waveform):
        length, rate = waveform.shape[-1], 2 ** (-self.n_steps / self.bins_per_octave)
        spectrum = self._spectrum(waveform)
        advance = _advance(self.hop_length, spectrum.shape[-2], waveform.dtype)
        longer = short_time.inverse(
            short_time.stretched(spectrum, rate, advance), self._window(waveform.dtype),
            self.hop_length, math.floor(length / rate + 0.5),
        )  # fmt: skip
        shifted = resampled(longer, int(self.sample_rate / rate), self.sample_rate)[..., :length]
        return short_time.padded(shifted, 0, length - shifted.shape[-1])


__all__ = [
    "Angle", "ComplexNorm", "GriffinLim", "InverseSpectrogram", "Magphase", "PhaseVocoder",
    "PitchShift", "SpectralCentroid", "Spectrogram", "TimeStretch",
]  # fmt: skip
