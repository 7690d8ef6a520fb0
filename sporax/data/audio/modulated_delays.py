"""Effects of a delay modulated by an oscillator: flanger and phaser, as in SoX."""

import math
from typing import Annotated

import numpy as np

from sporax._src.diagnosis.argument_kinds import within
from sporax.data.audio import short_time
from sporax.data.audio.enums import Interpolation, Modulation
from sporax.data.audio.waveform import AudioTensorOperation, Count


def oscillation(modulation, length, low, high, phase):
    """Return one period of an oscillator between two values; `phase`: its start, in periods."""
    time = (np.arange(length) + int(phase * length + 0.5)) % length / length
    if modulation is Modulation.SINUSOIDAL:
        level = (np.sin(2 * np.pi * time) + 1) / 2
    else:
        level = np.abs((2 * time + 1.5) % 2 - 1)
    return low + (high - low) * level


def independent_segments(lags):
    """Yield (start, end) of consecutive segments of a sequence whose sample n depends on samples
    up to n - lags[n], so that the samples of a segment can be computed at once."""
    needed, start, longest = np.arange(len(lags)) - lags, 0, lags.max(initial=1)
    while start < len(lags):
        inside = needed[start : start + longest] >= start
        end = start + (inside.argmax() if inside.any() else len(inside))
        yield start, end
        start = end


class Flanger(AudioTensorOperation):
    r"""Adds to the waveform its echo after a varying delay, SoX's `flanger`.

    `delay` in [0, 30] and `depth` in [0, 10]: the minimum delay and its range, in milliseconds.
    `regen` in [-95, 95] and `width` in [0, 100]: percent of the echo that is fed back, and that is
    added. `speed` in [0.1, 10]: of the oscillator, in Hz. `phase` in [0, 100]: phase shift from one
    channel to the next, in percent of a period. `modulation`: the oscillator's waveform.
    `interpolation`: for fractional delays. Waveform (..., channel, time); the result is clipped to
    [-1, 1].

    >>> Flanger(1000, delay=1.0, depth=0.0)(np.array([[1.0, 0.0, 0.0]])).round(3)
    array([[0.585, 0.415, 0.   ]])
    """

    _shape = "..., channel, time"

    sample_rate: Count
    delay: Annotated[float, within(0, 30)] = 0.0
    depth: Annotated[float, within(0, 10)] = 2.0
    regen: Annotated[float, within(-95, 95)] = 0.0
    width: Annotated[float, within(0, 100)] = 71.0
    speed: Annotated[float, within(0.1, 10)] = 0.5
    phase: Annotated[float, within(0, 100)] = 25.0
    modulation: Modulation = Modulation.SINUSOIDAL
    interpolation: Interpolation = Interpolation.LINEAR

    def _transformed(self, waveform):
        channels, length = waveform.shape[-2:]
        signal = waveform.reshape(-1, channels, length).astype(np.float64)
        delays, weights = self._delays(channels, length)
        feedback, width = self.regen / 100, self.width / 100
        past = delays.max() + len(weights)
        line = short_time.padded(signal, past, 0)  # delay line of the echoes
        positions, every = past + np.arange(length) - delays, np.arange(channels)[:, None]

        def echo(start, end):
            taps = [line[:, every, positions[:, start:end] - k] for k in range(len(weights))]
            return np.einsum("kbct,kct->bct", taps, weights[..., start:end])

        if feedback:
            for start, end in independent_segments(1 + delays.min(0)[:-1]):
                segment = slice(past + start + 1, past + end + 1)
                line[..., segment] += feedback * echo(start, end)
        mixed = (signal + echo(0, length) * (width * (1 - abs(feedback)))) / (1 + width)
        return np.clip(mixed, -1, 1).reshape(waveform.shape).astype(waveform.dtype)

    def _delays(self, channels, length):
        """Return the delay of each channel and sample in whole samples, and the weights of the
        samples from there on, which interpolate at the exact delay."""
        least = math.floor(self.delay / 1000 * self.sample_rate + 0.5)
        most = int((self.delay + self.depth) / 1000 * self.sample_rate + 0.5)
        period = int(self.sample_rate / self.speed)
        delay = oscillation(self.modulation, period, least, most, 0.75)
        shifts = (np.arange(channels) * period * (self.phase / 100) + 0.5).astype(int)
        delay = delay[(np.arange(length) + shifts[:, None]) % period]
        whole = np.floor(delay).astype(int)
        t = delay - whole
        if self.interpolation is Interpolation.LINEAR:
            return whole, np.stack([1 - t, t])
        return whole, np.stack([(1 - t) * (2 - t) / 2, t * (2 - t), t * (t - 1) / 2])


class Phaser(AudioTensorOperation):
    r"""Recursive echoes after a varying delay, SoX's `phaser`: with the delay $d_n$ in samples,
    $y_n = gain\_in \cdot x_n + decay \cdot y_{n - d_n}$; the result is $gain\_out \cdot y$, clipped
    to [-1, 1].

    `sample_rate`: above 0. `gain_in` in [0, 1], `gain_out` in [0, 1e9], `decay` in [0, 0.99].
    `delay_ms` in [0, 5]: the maximum delay. `mod_speed` in [0.1, 2]: of the oscillator, in Hz.
    `sinusoidal`: whether it is a sine, rather than a triangle. Waveform (..., time).

    >>> Phaser(1000, 1.0, 1.0, 1.0, 0.5)(np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """

    sample_rate: Count
    gain_in: Annotated[float, within(0, 1)] = 0.4
    gain_out: Annotated[float, within(0, 1e9)] = 0.74
    delay_ms: Annotated[float, within(0, 5)] = 3.0
    decay: Annotated[float, within(0, 0.99)] = 0.4
    mod_speed: Annotated[float, within(0.1, 2)] = 0.5
    sinusoidal: bool = True

    def _transformed(self, waveform):
        signal = np.moveaxis(waveform, -1, 0).astype(np.float64) * self.gain_in
        length = len(signal)
        buffer = max(1, int(self.delay_ms / 1000 * self.sample_rate + 0.5))
        period = int(self.sample_rate / self.mod_speed + 0.5)
        modulation = Modulation.SINUSOIDAL if self.sinusoidal else Modulation.TRIANGULAR
        reads = oscillation(modulation, period, 1, buffer, 0.25)
        reads = (reads + 0.5).astype(int)[np.arange(length) % period]
        delays = buffer + 1 - reads
        echoes = np.zeros((buffer + length, *signal.shape[1:]))
        positions = buffer + np.arange(length) - delays
        for start, end in independent_segments(delays):
            heard = echoes[positions[start:end]] * self.decay
            echoes[buffer + start : buffer + end] = signal[start:end] + heard
        result = np.clip(echoes[buffer:] * self.gain_out, -1, 1)
        return np.moveaxis(result, 0, -1).astype(waveform.dtype)


__all__ = ["Flanger", "Phaser"]
