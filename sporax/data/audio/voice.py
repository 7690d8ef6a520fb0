"""Pitch detection, and voice activity detection."""

import math

import numpy as np

from sporax._src.diagnosis.rules import require
from sporax.data.audio import short_time
from sporax.data.audio.enums import WindowType
from sporax.data.audio.waveform import (
    UNSET,
    AudioTensorOperation,
    Count,
    NotNegative,
    Positive,
    Real,
)


class DetectPitchFrequency(AudioTensorOperation):
    r"""The pitch of each frame in Hz: the lag of the greatest normalised cross-correlation, as the
    median over `win_length` frames.

    A lag in the lower half is preferred if its correlation is above 0.99 of the greatest.
    `frame_time`: of a frame, in seconds. `freq_low`, `freq_high`: the range of the pitch.
    Waveform (..., time), result (..., frames), Float32.

    >>> tone = np.sin(2 * np.pi * 100 * np.arange(4000) / 8000)
    >>> DetectPitchFrequency(8000)(tone)[0].round(3)
    np.float32(100.0)
    """

    _kinds = "f"

    sample_rate: Count
    frame_time: Positive = 0.01
    win_length: Count = 30
    freq_low: Positive = 85
    freq_high: Positive = 3400

    def _transformed(self, waveform):
        correlation = self._correlation(waveform)
        first = math.ceil(self.sample_rate / self.freq_high)
        best = _greatest(correlation, first, correlation.shape[-1])
        near = _greatest(correlation, first, correlation.shape[-1] // 2)
        lags = np.where(near[0] > 0.99 * best[0], near[1], best[1])
        return (self.sample_rate / (1e-9 + self._smoothed(lags))).astype(np.float32)

    def _correlation(self, waveform):
        """Return (..., frames, lags), of each frame with the waveform 1, 2 ... samples later."""
        lags = math.ceil(self.sample_rate / self.freq_low)
        size = math.ceil(self.sample_rate * self.frame_time)
        count = math.ceil(waveform.shape[-1] / size)
        waveform = short_time.padded(waveform, 0, lags + count * size - waveform.shape[-1])
        segments = short_time.frames(waveform, size + lags, size)[..., :count, :]
        later = short_time.frames(segments, size, 1)  # (..., frames, lags + 1, size)
        energy = np.einsum("...ls,...ls->...l", later, later)
        products = np.einsum("...ls,...s->...l", later[..., 1:, :], segments[..., :size])
        return products / (1e-9 + energy[..., :1]) / (1e-9 + energy[..., 1:])

    def _smoothed(self, lags):
        before = (self.win_length - 1) // 2
        got, win_length, who = lags.shape[-1], self.win_length, "DetectPitchFrequency"
        least = win_length - before
        require(got >= least, "frames-for-win-length", who, n=least, win_length=win_length, got=got)
        continued = np.concatenate([np.repeat(lags[..., :1], before, -1), lags], -1)
        windows = short_time.frames(continued, self.win_length, 1)
        return np.partition(windows, before, -1)[..., before]


def _greatest(correlation, first, end):
    """Return the greatest correlation in a range of lags, and its lag."""
    candidates = correlation[..., first:end]
    index = candidates.argmax(-1)
    return np.take_along_axis(candidates, index[..., None], -1)[..., 0], index + first + 1


class Vad(AudioTensorOperation):
    r"""The waveform from the onset of a voice, empty if there is none: SoX's `vad`.

    At `measure_freq` times per second the power cepstrum of the last `measure_duration` seconds
    (2 / `measure_freq` by default) is measured: from the spectrum between `hp_filter_freq` and
    `lp_filter_freq`, smoothed over `measure_smooth_time`, minus `noise_reduction_amount` times the
    noise, which follows it within `noise_up_time` and `noise_down_time`, after `boot_time`; it is
    averaged between the lifters `lp_lifter_freq` and `hp_lifter_freq`. A voice is detected when the
    level's mean over `trigger_time` reaches `trigger_level`. It begins at the earlier measurements
    above that level, at most `search_time` back and with gaps of at most `allowed_gap`, and
    `pre_trigger_time` earlier. All times in seconds, frequencies in Hz. Waveform
    (..., channel, time) or (time,), result shorter.

    >>> Vad(8000)(np.zeros((1, 8000))).shape
    (1, 0)
    """

    sample_rate: Count
    trigger_level: Real = 7.0
    trigger_time: NotNegative = 0.25
    search_time: NotNegative = 1.0
    allowed_gap: NotNegative = 0.25
    pre_trigger_time: NotNegative = 0.0
    boot_time: NotNegative = 0.35
    noise_up_time: NotNegative = 0.1
    noise_down_time: NotNegative = 0.01
    noise_reduction_amount: NotNegative = 1.35
    measure_freq: Positive = 20.0
    measure_duration: NotNegative = UNSET
    measure_smooth_time: NotNegative = 0.4
    hp_filter_freq: Positive = 50.0
    lp_filter_freq: Positive = 6000.0
    hp_lifter_freq: Positive = 150.0
    lp_lifter_freq: Positive = 2000.0

    def _prepare(self):
        up, down = self.noise_up_time, self.noise_down_time
        require(up >= down, "at-least-noise-down-time", "Vad", noise_up_time=up, least=down)
        self.measure_duration = self.measure_duration or 2 / self.measure_freq

    def _transformed(self, waveform):
        channels = waveform.reshape(-1, waveform.shape[-1]).astype(np.float64)
        size = int(self.sample_rate * self.measure_duration + 0.5)
        period = int(self.sample_rate / self.measure_freq + 0.5)
        kept = math.ceil(self.search_time * self.measure_freq)
        meter = _CepstralMeter(self, size, len(channels))
        levels = np.zeros((len(channels), max(kept, 1)))  # the newest first
        mean = np.zeros(len(channels))
        smooth = _decay(self.trigger_time * self.measure_freq)
        for end in range(size, channels.shape[-1] + 1, period):
            levels = np.roll(levels, 1, -1)
            levels[:, 0] = meter.measure(channels[:, end - size : end])
            mean = smooth * mean + (1 - smooth) * levels[:, 0]
            if (mean >= self.trigger_level).any():
                first = (mean >= self.trigger_level).argmax()
                back = max(self._onset(row) for row in levels[first:])
                start = end - size - back * period
                start -= int(self.pre_trigger_time * self.sample_rate + 0.5)
                return waveform[..., max(start, 0) :]
        return waveform[..., :0]

    def _onset(self, levels):
        """Return the number of measurements since the onset of the voice."""
        gap = int(self.allowed_gap * self.measure_freq + 0.5)
        voiced = quiet = len(levels)
        for j, level in enumerate(levels):
            if level >= self.trigger_level and j <= voiced + gap:
                voiced = quiet = j
            elif level == 0 and voiced >= quiet:
                quiet = j
        return min(len(levels), quiet)


def _decay(periods):
    """Return the decay factor of a running mean over `periods`."""
    return math.exp(-1 / periods) if periods else 0.0


class _CepstralMeter:
    """Measures the levels of `Vad`; keeps estimates of the spectrum and the noise."""

    def __init__(self, vad, size, channels):
        rate, half = vad.sample_rate, max(16, 1 << (size - 1).bit_length()) // 2
        self.vad, self.half = vad, half
        self.window = _hann(size)
        first = max(1, int(vad.hp_filter_freq / rate * 2 * half + 0.5))
        end = min(half, int(vad.lp_filter_freq / rate * 2 * half + 0.5))
        self.band = self._bins("filter", first, end)
        first = math.ceil(rate * 0.5 / vad.lp_lifter_freq)
        end = min(half // 2, math.floor(rate * 0.5 / vad.hp_lifter_freq))
        self.lifter = self._bins("lifter", first, end)
        self.taper = _hann(self.band.stop - self.band.start)
        self.spectrum = np.zeros((channels, len(self.taper)))
        self.noise = np.zeros((channels, len(self.taper)))
        self.booted, self.boots = 0, int(vad.boot_time * vad.measure_freq - 0.5)

    def _bins(self, kind, first, end):
        low, high = (getattr(self.vad, f"{name}_{kind}_freq") for name in ("hp", "lp"))
        rate = self.vad.sample_rate
        require(first < end, "frequencies-between", "Vad", kind=kind, low=low, high=high, rate=rate)
        return slice(first, end)

    def measure(self, samples):
        """Return the level of each channel's samples, at least 0."""
        vad, booting = self.vad, self.booted <= self.boots
        powers = np.abs(short_time.fft.rfft(samples * self.window, 2 * self.half)[:, self.band])
        keep = _decay(vad.measure_smooth_time * vad.measure_freq)
        keep = self.booted / (1 + self.booted) if booting else keep
        self.spectrum = keep * self.spectrum + (1 - keep) * powers
        squares = self.spectrum**2
        up, down = [_decay(t * vad.measure_freq) for t in (vad.noise_up_time, vad.noise_down_time)]
        keep = 0 if booting else np.where(squares > self.noise, up, down)
        self.noise = keep * self.noise + (1 - keep) * squares
        self.booted += booting
        clean = np.sqrt(np.maximum(0, squares - vad.noise_reduction_amount * self.noise))
        cepstrum = np.zeros((len(clean), self.half))
        cepstrum[:, self.band] = clean * self.taper
        liftered = np.abs(short_time.fft.rfft(cepstrum)[:, self.lifter]) ** 2
        total = liftered.mean(-1)
        return np.maximum(0, 21 + np.log(total, out=np.full_like(total, -np.inf), where=total > 0))


def _hann(size):
    """Return a Hann window of mean square 1.5 / `size`."""
    return short_time.window(WindowType.HANN, size, size, np.float64) * (2 / math.sqrt(size))


__all__ = ["DetectPitchFrequency", "Vad"]
