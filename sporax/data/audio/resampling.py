"""Resampling by a windowed sinc filter."""

import math

import numpy as np

from sporax.data.argument_checks import COUNT
from sporax.data.audio import short_time
from sporax.data.audio.enums import ResampleMethod
from sporax.data.audio.waveform import UNSET, AudioTensorOperation, Count, Positive, Real, Share


class Resample(AudioTensorOperation):
    r"""Changes the sampling rate of a waveform by band-limited interpolation (J. O. Smith, Digital
    audio resampling).

    With $b$ = `rolloff` $\cdot \min(f, f')$ and $w$ = `lowpass_filter_width`, a sample at the time
    $\tau$ is $\frac{b}{f} \sum_n x_n \operatorname{sinc}(u_n) h(u_n)$ over $|u_n| \le w$,
    $u_n = b (n / f - \tau)$. The window $h$ is $\cos^2(\pi u / 2 w)$ for `SINC_INTERPOLATION` and,
    for `KAISER_WINDOW`, $I_0(beta \sqrt{1 - (u / w)^2}) / I_0(beta)$.

    `orig_freq`, `new_freq`: $f$, $f'$, at least 1, truncated to ints. `rolloff`: in
    (0, 1]. `beta`: 14.769656459379492 by default. Waveform (..., time), result
    (..., ceil(time f' / f)).

    >>> Resample(2, 1)(np.ones(8)).shape
    (4,)
    """

    orig_freq: Positive = 16000
    new_freq: Positive = 16000
    resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION
    lowpass_filter_width: Count = 6
    rolloff: Share = 0.99
    beta: Real = UNSET

    def _prepare(self):
        self.beta = _BETA if self.beta is None else self.beta
        for name in ("orig_freq", "new_freq"):
            COUNT.checked(self._who, name, int(getattr(self, name)))

    def _transformed(self, waveform):
        filter_ = self.resample_method, self.lowpass_filter_width, self.rolloff, self.beta
        return resampled(waveform, int(self.orig_freq), int(self.new_freq), *filter_)


_BETA = 14.769656459379492


def resampled(
    waveform, old, new, method=ResampleMethod.SINC_INTERPOLATION, width=6, rolloff=0.99, beta=_BETA
):
    """Resample as `Resample` does; `old`, `new`: int rates."""
    if old == new:
        return waveform
    divisor = math.gcd(old, new)
    old, new = old // divisor, new // divisor
    band = min(1, new / old) * rolloff
    reach = math.ceil(width / band)
    count = math.ceil(new * waveform.shape[-1] / old)
    start, phase = np.divmod(np.arange(min(new, count)) * old, new)  # later samples repeat these
    taps = np.arange(2 * reach + 2)
    u = np.clip((taps - reach - phase[:, None] / new) * band, -width, width)
    weights = (np.sinc(u) * _window(u / width, method, beta) * band).astype(waveform.dtype)
    continued = short_time.padded(waveform, reach, reach + 2 + 2 * old)
    filtered = _by_matrix if (old + len(taps)) * new <= _LARGEST else _by_taps
    return filtered(continued, start, weights, old, new, count)


_LARGEST = 2**20  # maximum elements of a matrix


def _by_matrix(continued, start, weights, old, new, count):
    """Map each `old` samples to `new` samples by a matrix."""
    positions = start[:, None] + np.arange(weights.shape[1])
    matrix = np.zeros((positions.max() + 1, len(start)), weights.dtype)
    matrix[positions, np.arange(len(start))[:, None]] = weights
    segments = short_time.frames(continued, len(matrix), old)[..., : math.ceil(count / new), :]
    return (segments @ matrix).reshape(*continued.shape[:-1], -1)[..., :count]


def _by_taps(continued, start, weights, old, new, count):
    """Apply one filter tap after another to all samples at once."""
    index = np.arange(count)
    start = start[index % new] + index // new * old
    result = np.zeros((*continued.shape[:-1], count), continued.dtype)
    for tap, weight in enumerate(weights.T):
        result += np.take(continued, start + tap, -1) * weight[index % new]
    return result


def _window(x, method, beta):
    if method is ResampleMethod.SINC_INTERPOLATION:
        return np.cos(x * np.pi / 2) ** 2
    return np.i0(beta * np.sqrt(1 - x**2)) / np.i0(beta)


__all__ = ["Resample"]
