"""The short-time Fourier transform and its inverse, of arrays (..., time)."""

import math
from typing import Any

import numpy as np
import scipy
from scipy import signal

from sporax.data.audio.enums import BorderType, WindowType

fft: Any = scipy.fft  # the types that a checker infers of its dispatched functions are wrong
_ARGUMENTS = {WindowType.KAISER: (12.0,)}


def window(kind, length, n_fft, dtype):
    """Return a periodic window, centred in `n_fft` samples."""
    values = signal.get_window((kind.value, *_ARGUMENTS.get(kind, ())), length)  # periodic
    before = (n_fft - length) // 2
    return np.pad(values, (before, n_fft - length - before)).astype(dtype)


def frames(array, size, hop):
    """Return windows over the last axis, one every `hop` samples: (..., count, size)."""
    return np.lib.stride_tricks.sliding_window_view(array, size, -1)[..., ::hop, :]


def padded(waveform, before, after, mode=BorderType.CONSTANT):
    """Pad a waveform along its last axis."""
    widths = [(0, 0)] * (waveform.ndim - 1) + [(before, after)]
    return np.pad(waveform, widths, mode.value)


def transform(waveform, shape, hop, *, center=True, border=BorderType.REFLECT, onesided=True):
    """Return the spectrum (..., freq, time) of frames in the window `shape`, one every `hop`
    samples; `center`: frames are centred at these samples, rather than beginning there."""
    n_fft = len(shape)
    if center:
        waveform = padded(waveform, n_fft // 2, n_fft // 2, border)
    windowed = frames(waveform, n_fft, hop) * shape
    spectrum = fft.rfft(windowed) if onesided else fft.fft(windowed)
    return np.swapaxes(spectrum, -1, -2)


def inverse(spectrum, shape, hop, length=None, *, center=True, onesided=True):
    """Return the waveform whose frames in the window `shape` have this spectrum, or are closest to
    it in the least-squares sense (Griffin and Lim 1984); `length`: its number of samples."""
    n_fft = len(shape)
    segments = np.swapaxes(spectrum, -1, -2)
    segments = fft.irfft(segments, n_fft) if onesided else fft.ifft(segments, n_fft).real
    total = overlapped(segments * shape, hop)
    weights = overlapped(np.broadcast_to(shape**2, segments.shape[-2:]), hop)
    skipped = n_fft // 2 if center else 0
    end = total.shape[-1] - skipped if length is None else skipped + length
    total, weights = total[..., skipped:end], weights[skipped:end]
    total = total / np.where(weights > 1e-11, weights, 1)
    return padded(total, 0, (end - skipped) - total.shape[-1])


def overlapped(segments, hop):
    """Sum overlapping frames (..., count, size), each `hop` samples after the previous one."""
    count, size = segments.shape[-2:]
    blocks = math.ceil(size / hop)
    segments = padded(segments, 0, blocks * hop - size).reshape(*segments.shape[:-1], blocks, hop)
    total = np.zeros((*segments.shape[:-3], count + blocks - 1, hop), segments.dtype)
    for i in range(blocks):
        total[..., i : i + count, :] += segments[..., i, :]
    flat = total.reshape(*total.shape[:-2], -1)
    return flat[..., : (count - 1) * hop + size]


def complex_of(pairs):
    """Return (..., 2) of real and imaginary parts as complex numbers."""
    return pairs[..., 0] + 1j * pairs[..., 1]


def pairs_of(numbers):
    """Return complex numbers as (..., 2)."""
    return np.stack([numbers.real, numbers.imag], -1)


def stretched(spectrum, rate, advance):
    r"""Return a spectrum (..., freq, time) at times 0, `rate`, 2 `rate` ... by a phase vocoder
    (Flanagan and Golden 1966): magnitudes are interpolated, phases accumulated.

    `advance`: the expected phase advance of each frequency per frame, (freq, 1).
    """
    times = np.arange(0, spectrum.shape[-1], rate)
    start, fraction = times.astype(int), (times % 1).astype(spectrum.real.dtype)
    following = padded(spectrum, 0, 2)
    first, second = following[..., start], following[..., start + 1]
    phase_step = np.angle(second) - np.angle(first) - advance
    phase_step = phase_step - 2 * np.pi * np.round(phase_step / (2 * np.pi)) + advance
    phase = np.concatenate([np.angle(spectrum[..., :1]), phase_step[..., :-1]], -1).cumsum(-1)
    magnitude = fraction * np.abs(second) + (1 - fraction) * np.abs(first)
    return (magnitude * np.exp(1j * phase)).astype(spectrum.dtype)
