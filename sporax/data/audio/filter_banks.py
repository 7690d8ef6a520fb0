"""Filter banks over spectrogram frequencies, and cepstral coefficients."""

import math
from typing import Annotated

import numpy as np

from sporax._src.core.signature_errors import fitting
from sporax._src.diagnosis.argument_kinds import DICT, member_of, optional
from sporax._src.diagnosis.rules import require
from sporax.data.argument_checks import COUNT, WHOLE
from sporax.data.audio.enums import (
    BorderType,
    MelType,
    NormMode,
    NormType,
    ScaleType,
    WindowType,
)
from sporax.data.audio.levels import decibels
from sporax.data.audio.spectra import Spectrogram
from sporax.data.audio.waveform import (
    NOT_NEGATIVE,
    POSITIVE,
    UNSET,
    AudioTensorOperation,
    Count,
    NotNegative,
    Positive,
    Real,
    Whole,
    one_int_of,
)
from sporax.data.random_streams import stream


@fitting
def create_dct(n_mfcc, n_mels, norm=NormMode.NONE):
    r"""Return the type-2 discrete cosine transform, a Float32 matrix (`n_mels`, `n_mfcc`):
    $2 \cos(\pi k (2 n + 1) / (2 N))$; for `NormMode.ORTHO` with columns of norm 1.

    `n_mfcc`, `n_mels`: ints greater than 0.

    >>> create_dct(2, 2)
    array([[ 2.       ,  1.4142135],
           [ 2.       , -1.4142135]], dtype=float32)
    """
    COUNT("create_dct", n_mfcc=n_mfcc, n_mels=n_mels)
    ortho = member_of(NormMode).checked("create_dct", "norm", norm) is NormMode.ORTHO
    angles = np.pi / n_mels * (np.arange(n_mels)[:, None] + 0.5) * np.arange(n_mfcc)
    matrix = 2 * np.cos(angles)
    if ortho:
        matrix *= np.sqrt(np.where(np.arange(n_mfcc) == 0, 0.25, 0.5) / n_mels)
    return matrix.astype(np.float32)


@fitting
def linear_fbanks(n_freqs, f_min, f_max, n_filter, sample_rate):
    r"""Return triangular filters with equidistant peaks, a Float32 matrix (`n_freqs`, `n_filter`).

    `n_freqs`: number of frequencies, from 0 to `sample_rate` / 2. `f_min`, `f_max`: the range of
    the filters, in Hz. `n_filter`, `sample_rate`: ints greater than 0.

    >>> linear_fbanks(5, 0, 4, 1, 8)[:, 0]
    array([0. , 0.5, 1. , 0.5, 0. ], dtype=float32)
    """
    who = "linear_fbanks"
    _bank_checked(who, n_freqs, f_min, f_max, sample_rate, n_filter=n_filter)
    return _triangles(n_freqs, sample_rate, np.linspace(f_min, f_max, n_filter + 2)).astype("f4")


@fitting
def melscale_fbanks(
    n_freqs, f_min, f_max, n_mels, sample_rate, norm=NormType.NONE, mel_type=MelType.HTK
):
    r"""Return triangular filters with peaks equidistant in mel, a Float32 matrix (`n_freqs`,
    `n_mels`); for `NormType.SLANEY` each is divided by half its width in Hz.

    `mel_type`: HTK's $2595 \log_{10}(1 + f / 700)$, or Slaney's, which is $3 f / 200$ below 1000
    Hz and $15 + 27 \log_{6.4}(f / 1000)$ above. `n_freqs`, `f_min`, `f_max`, `sample_rate`: as for
    `linear_fbanks`.

    >>> melscale_fbanks(5, 0, 4, 1, 8)[:, 0].round(3)
    array([0.   , 0.501, 0.999, 0.499, 0.   ], dtype=float32)
    """
    who = "melscale_fbanks"
    _bank_checked(who, n_freqs, f_min, f_max, sample_rate, n_mels=n_mels)
    member_of(NormType)(who, norm=norm)
    member_of(MelType)(who, mel_type=mel_type)
    return mel_filters(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type).astype("f4")


def _bank_checked(who, n_freqs, f_min, f_max, sample_rate, **count):
    WHOLE(who, n_freqs=n_freqs)
    NOT_NEGATIVE(who, f_min=f_min)
    POSITIVE(who, f_max=f_max)
    require(f_min <= f_max, "at-most", who, f_min=f_min, other="f_max", value=f_max)
    COUNT(who, **count, sample_rate=sample_rate)


def _triangles(n_freqs, sample_rate, corners):
    """Return filters (`n_freqs`, len(corners) - 2), each with three consecutive corners."""
    distances = corners - np.linspace(0, sample_rate / 2, n_freqs)[:, None]
    widths = np.diff(corners)
    down, up = distances[:, 2:] / widths[1:], -distances[:, :-2] / widths[:-1]
    return np.minimum(down, up).clip(0) + 0.0


_LOG_STEP = math.log(6.4) / 27

# mel scale -> (from Hz, to Hz)
_MEL = {
    MelType.HTK: (
        lambda f: 2595 * np.log10(1 + f / 700),
        lambda mel: 700 * (10 ** (mel / 2595) - 1),
    ),
    MelType.SLANEY: (
        lambda f: np.where(f < 1000, 3 * f / 200, 15 + np.log(np.maximum(f, 1) / 1000) / _LOG_STEP),
        lambda mel: np.where(mel < 15, 200 * mel / 3, 1000 * np.exp(_LOG_STEP * (mel - 15))),
    ),
}


def mel_filters(n_freqs, f_min, f_max, n_mels, sample_rate, norm, mel_type):
    """Return the filters of `melscale_fbanks` in Float64."""
    to_mel, to_hertz = _MEL[mel_type]
    low, high = to_mel(np.array([f_min, f_max], float))
    corners = to_hertz(np.linspace(low, high, n_mels + 2))
    filters = _triangles(n_freqs, sample_rate, corners)
    if norm is NormType.SLANEY:
        filters = filters * 2 / (corners[2:] - corners[:-2])
    return filters


class _MelBank(AudioTensorOperation, is_base=True):
    """Base of transforms with mel filters: `f_max` is half the sampling rate by default."""

    n_mels: int
    sample_rate: int
    f_min: float
    f_max: float
    n_stft: int
    norm: NormType
    mel_type: MelType

    def _prepare(self):
        self.f_max = band_end(self._who, self.f_min, self.f_max, self.sample_rate)

    def _filters(self, dtype):
        return mel_filters(
            self.n_stft, self.f_min, self.f_max, self.n_mels, self.sample_rate, self.norm,
            self.mel_type,
        ).astype(dtype)  # fmt: skip


def band_end(who, f_min, f_max, sample_rate, least=0):
    """Return the upper frequency of a filter bank, which must exceed the lower one."""
    end = sample_rate // 2 if f_max is None else f_max
    fits = f_min <= end and (f_min != end or (f_max is not None and least))
    require(fits, "less-than-f-max-sample-rate-2", who, f_min=f_min, end=end)
    return end


class MelScale(_MelBank):
    r"""Maps a spectrogram to mel frequencies, by its product with `melscale_fbanks`.

    `n_mels`: number of filters. `n_stft`: number of frequencies of the spectrogram. `f_min`,
    `f_max` (by default half of `sample_rate`), `norm`, `mel_type`: as for `melscale_fbanks`.
    Spectrogram (..., freq, frames), result (..., n_mels, frames).

    >>> MelScale(n_mels=4, n_stft=9)(np.ones((9, 2))).shape
    (4, 2)
    """

    _shape = "..., freq, frames"

    n_mels: Count = 128
    sample_rate: Count = 16000
    f_min: Real = 0.0
    f_max: Positive = UNSET
    n_stft: Count = 201
    norm: NormType = NormType.NONE
    mel_type: MelType = MelType.HTK

    def _transformed(self, spectrogram):
        frequencies_checked(self._who, spectrogram, "n_stft", self.n_stft)
        return self._filters(spectrogram.dtype).T @ spectrogram


def frequencies_checked(who, spectrogram, name, count):
    """Raise RuntimeError unless the spectrogram has `count` frequencies."""
    shape = spectrogram.shape
    require(shape[-2] == count, "input-frequencies", who, name=name, count=count, shape=shape)


def _steps(who, name, value):
    """Check `sgdargs`, and return it, or the defaults for None."""
    if value is None:
        return {"sgd_lr": 0.1, "sgd_momentum": 0.9}
    fits = isinstance(value, dict) and value.keys() >= {"sgd_lr", "sgd_momentum"}
    require(fits, "dict-sgd-lr-sgd-momentum", who, argument=name, got=value)
    for key in ("sgd_lr", "sgd_momentum"):
        NOT_NEGATIVE.checked(who, f"{name}['{key}']", value[key])
    return value


class InverseMelScale(_MelBank):
    r"""Estimates a spectrogram $s \ge 0$ from the output $m$ of `MelScale`: gradient descent on the
    squares of $m - F^\top s$, summed over mel frequencies and averaged over the other axes.

    It starts at random values in [0, 1) and ends after `max_iter` steps, at a loss below
    `tolerance_loss` or one that changes by less than `tolerance_change`. `sgdargs`: a dict with the
    rate 'sgd_lr' and 'sgd_momentum', 0.1 and 0.9 by default. `n_stft` and the other arguments are
    as for `MelScale`. Spectrogram (..., n_mels, frames), result (..., n_stft, frames).

    >>> InverseMelScale(n_stft=9, n_mels=4)(np.ones((4, 2))).shape
    (9, 2)
    """

    _shape = "..., n_mels, frames"

    n_stft: Count
    n_mels: Count = 128
    sample_rate: Count = 16000
    f_min: Real = 0.0
    f_max: Positive = UNSET
    max_iter: Count = 100000
    tolerance_loss: Positive = 1e-5
    tolerance_change: Positive = 1e-8
    sgdargs: Annotated[dict, _steps] = UNSET
    norm: NormType = NormType.NONE
    mel_type: MelType = MelType.HTK

    def _transformed(self, mel):
        frequencies_checked(self._who, mel, "n_mels", self.n_mels)
        filters = self._filters(mel.dtype)
        rate, momentum = self.sgdargs["sgd_lr"], self.sgdargs["sgd_momentum"]
        rate = rate * 2 * self.n_mels / mel.size
        spectrogram = stream().random((*mel.shape[:-2], self.n_stft, mel.shape[-1]), mel.dtype)
        step, loss = 0, math.inf
        for _ in range(self.max_iter):
            missing = mel - filters.T @ spectrogram
            before, loss = loss, float(np.square(missing).sum(-2).mean())
            step = momentum * step + rate * (filters @ missing)
            spectrogram = np.maximum(spectrogram + step, 0)
            if loss < self.tolerance_loss or abs(before - loss) < self.tolerance_change:
                break
        return spectrogram


class MelSpectrogram(AudioTensorOperation):
    r"""Mel-frequency spectrogram: `MelScale` of `Spectrogram`.

    The arguments are as for these two, with `mel_scale` as the `mel_type` of `MelScale`. Waveform
    (..., time), result (..., n_mels, frames).

    >>> MelSpectrogram(8000, n_fft=16, n_mels=4)(np.ones(32)).shape
    (4, 5)
    """

    sample_rate: Whole = 16000
    n_fft: Count = 400
    win_length: Count | None = None
    hop_length: Count | None = None
    f_min: Real = 0.0
    f_max: NotNegative | None = None
    pad: Whole = 0
    n_mels: Count = 128
    window: WindowType = WindowType.HANN
    power: Positive = 2.0
    normalized: bool = False
    center: bool = True
    pad_mode: BorderType = BorderType.REFLECT
    onesided: bool = True
    norm: NormType = NormType.NONE
    mel_scale: MelType = MelType.HTK

    def _prepare(self):
        self._spectrogram = Spectrogram(
            self.n_fft, self.win_length, self.hop_length, self.pad, self.window, self.power,
            self.normalized, self.center, self.pad_mode, self.onesided,
        )  # fmt: skip
        frequencies = self.n_fft // 2 + 1 if self.onesided else self.n_fft
        self._mel = MelScale(
            self.n_mels, self.sample_rate, self.f_min, self.f_max, frequencies, self.norm,
            self.mel_scale,
        )  # fmt: skip

    def _transformed(self, waveform):
        return self._mel(self._spectrogram(waveform))


def _options(who, name, value):
    """Check the arguments of another transform: a dict, or None."""
    return dict(optional(DICT).checked(who, name, value) or {})


class _Cepstrum(AudioTensorOperation, is_base=True):
    """Base of cepstral coefficients: the cosine transform of the logarithm of `_powers`."""

    norm: NormMode

    def _cosines(self, powers, count, is_log):
        if is_log:
            levels = np.log(powers + 1e-6)
        else:
            levels = decibels(powers, ScaleType.POWER, 1.0, 1e-10, 80.0)
        cosines = create_dct(count, levels.shape[-2], self.norm)
        return cosines.T @ levels.astype(np.float32)


class MFCC(_Cepstrum):
    r"""Mel-frequency cepstral coefficients: the cosine transform (`create_dct`) of the decibels
    (`AmplitudeToDB`), or for `log_mels` of $\log(x + 10^{-6})$, of `MelSpectrogram`.

    `n_mfcc`: number of coefficients kept. `dct_type`: 2. `norm`: of the transform. `melkwargs`:
    a dict of arguments of `MelSpectrogram`. Waveform (..., time), result (..., n_mfcc, frames).

    >>> MFCC(8000, 3, melkwargs={"n_fft": 16, "n_mels": 4})(np.ones(32)).shape
    (3, 5)
    """

    sample_rate: Whole = 16000
    n_mfcc: Whole = 40
    dct_type: Annotated[int, one_int_of(2)] = 2
    norm: NormMode = NormMode.ORTHO
    log_mels: bool = False
    melkwargs: Annotated[dict, _options] = UNSET

    def _prepare(self):
        self._mel = MelSpectrogram(self.sample_rate, **self.melkwargs)
        n, most = self.n_mfcc, self._mel.n_mels
        require(n <= most, "at-most", "MFCC", n_mfcc=n, other="n_mels", value=most)

    def _transformed(self, waveform):
        return self._cosines(self._mel(waveform), self.n_mfcc, self.log_mels)


class LFCC(_Cepstrum):
    r"""Linear-frequency cepstral coefficients: like `MFCC`, with the filters of `linear_fbanks`.

    `n_filter`: number of filters, from `f_min` to `f_max`. `n_lfcc`: number of coefficients kept.
    `log_lf`: like `log_mels` of `MFCC`. `speckwargs`: a dict of arguments of `Spectrogram`.
    Waveform (..., time), result (..., n_lfcc, frames).

    >>> LFCC(8000, 4, 3, speckwargs={"n_fft": 16})(np.ones(32)).shape
    (3, 5)
    """

    sample_rate: Whole = 16000
    n_filter: Count = 128
    n_lfcc: Count = 40
    f_min: NotNegative = 0.0
    f_max: NotNegative = UNSET
    dct_type: Annotated[int, one_int_of(2)] = 2
    norm: NormMode = NormMode.ORTHO
    log_lf: bool = False
    speckwargs: Annotated[dict, _options] = UNSET

    def _prepare(self):
        self.f_max = band_end(self._who, self.f_min, self.f_max, self.sample_rate)
        self._spectrogram = Spectrogram(**self.speckwargs)
        n, most = self.n_lfcc, self._spectrogram.n_fft
        require(n <= most, "at-most", "LFCC", n_lfcc=n, other="n_fft", value=most)

    def _transformed(self, waveform):
        spectrogram = self._spectrogram(waveform)
        corners = np.linspace(self.f_min, self.f_max, self.n_filter + 2)
        filters = _triangles(spectrogram.shape[-2], self.sample_rate, corners)
        powers = filters.astype(waveform.dtype).T @ spectrogram
        return self._cosines(powers, self.n_lfcc, self.log_lf)


__all__ = [
    "LFCC", "MFCC", "InverseMelScale", "MelScale", "MelSpectrogram", "create_dct", "linear_fbanks",
    "melscale_fbanks",
]  # fmt: skip
