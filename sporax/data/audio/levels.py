"""Transforms of sample values: levels, companding, distortion, fades, dither."""

import math
from typing import Annotated

import numpy as np

from sporax._src.diagnosis.argument_kinds import within
from sporax._src.diagnosis.rules import require
from sporax.data.audio.enums import DensityFunction, FadeShape, GainType, ScaleType
from sporax.data.audio.filters import filtered
from sporax.data.audio.waveform import (
    NOT_NEGATIVE,
    POSITIVE,
    AudioTensorOperation,
    Count,
    Positive,
    Real,
    Whole,
)
from sporax.data.random_streams import stream


class AmplitudeToDB(AudioTensorOperation):
    r"""Decibels, $m \log_{10} \max(x, amin) - m \log_{10} \max(ref\_value, amin)$, at least their
    maximum minus `top_db`; $m$ is 10 for `ScaleType.POWER`, 20 for `ScaleType.MAGNITUDE`.

    `ref_value`, `amin`, `top_db`: greater than 0. Spectrogram (..., freq, time); the maximum is
    taken over the last three axes.

    >>> AmplitudeToDB()(np.array([[1.0, 0.01]]))
    array([[  0., -20.]])
    """

    _shape = "..., freq, time"

    stype: ScaleType = ScaleType.POWER
    ref_value: Positive = 1.0
    amin: Positive = 1e-10
    top_db: Positive = 80.0

    def _transformed(self, spectrogram):
        return decibels(spectrogram, self.stype, self.ref_value, self.amin, self.top_db)


def decibels(spectrogram, stype, reference, least, range_):
    """Return decibels as defined in `AmplitudeToDB`."""
    factor = 10 if stype is ScaleType.POWER else 20
    levels = factor * np.log10(np.maximum(spectrogram, least))
    levels -= factor * math.log10(max(reference, least))
    axes = tuple(range(-min(levels.ndim, 3), 0))
    return np.maximum(levels, levels.max(axes, keepdims=True) - range_)


class DBToAmplitude(AudioTensorOperation):
    r"""$ref \cdot 10^{x \cdot power / 10}$: a power for `power` 1, an amplitude for 0.5.

    Waveform or spectrogram (..., time).

    >>> DBToAmplitude(1.0, 0.5)(np.array([20.0]))
    array([10.])
    """

    ref: Real
    power: Real

    def _transformed(self, waveform):
        with np.errstate(over="ignore"):
            return self.ref * 10 ** (0.1 * self.power * waveform)


class Gain(AudioTensorOperation):
    r"""$10^{gain\_db / 20} x$. Waveform (..., time).

    >>> Gain(20.0)(np.array([0.1]))
    array([1.])
    """

    gain_db: Real = 1.0

    def _transformed(self, waveform):
        return waveform * 10 ** (self.gain_db / 20)


class Vol(AudioTensorOperation):
    r"""$r x$, clipped to [-1, 1].

    `gain`, in the unit `gain_type`: $r$ itself (AMPLITUDE, not negative), $r^2$ (POWER, greater
    than 0), or $20 \log_{10} r$ (DB). Waveform (..., time).

    >>> Vol(4.0, GainType.POWER)(np.array([0.1, 0.9]))
    array([0.2, 1. ])
    """

    gain: Real
    gain_type: GainType = GainType.AMPLITUDE

    def _prepare(self):
        if self.gain_type is not GainType.DB:
            kind = NOT_NEGATIVE if self.gain_type is GainType.AMPLITUDE else POSITIVE
            kind(self._who, gain=self.gain)

    def _transformed(self, waveform):
        ratio = {
            GainType.AMPLITUDE: lambda gain: gain,
            GainType.POWER: math.sqrt,
            GainType.DB: lambda gain: 10 ** (gain / 20),
        }[self.gain_type](self.gain)
        return np.clip(waveform * ratio, -1, 1)


# the rise from 0 to 1 over t in [0, 1]; a fall uses 1 - t
_RISES = {
    FadeShape.LINEAR: lambda t: t,
    FadeShape.EXPONENTIAL: lambda t: t * 2 ** (t - 1),
    FadeShape.LOGARITHMIC: lambda t: 1 + np.log10(0.1 + t),
    FadeShape.QUARTER_SINE: lambda t: np.sin(t * np.pi / 2),
    FadeShape.HALF_SINE: lambda t: 0.5 - np.cos(t * np.pi) / 2,
}


class Fade(AudioTensorOperation):
    r"""Fades in over the first `fade_in_len` samples, and out over the last `fade_out_len`.

    The rise over $t$ from 0 to 1 is, by `fade_shape`: $t$ (LINEAR), $t 2^{t-1}$ (EXPONENTIAL),
    $1 + \log_{10}(0.1 + t)$ (LOGARITHMIC), $\sin(\pi t / 2)$ (QUARTER_SINE),
    $(1 - \cos \pi t) / 2$ (HALF_SINE); the fall is its mirror image. Waveform (..., time).

    >>> Fade(3, 2)(np.ones(6))
    array([0. , 0.5, 1. , 1. , 1. , 0. ])
    """

    fade_in_len: Whole = 0
    fade_out_len: Whole = 0
    fade_shape: FadeShape = FadeShape.LINEAR

    def _transformed(self, waveform):
        length = waveform.shape[-1]
        for name in ("fade_in_len", "fade_out_len"):
            n = getattr(self, name)
            require(n <= length, "at-most-axis", "Fade", argument=name, size=length, got=n)
        rise = _RISES[self.fade_shape]
        envelope = np.ones(length)
        envelope[: self.fade_in_len] *= rise(np.linspace(0, 1, self.fade_in_len))
        envelope[length - self.fade_out_len :] *= rise(np.linspace(1, 0, self.fade_out_len))
        return waveform * envelope.astype(waveform.dtype)


class Contrast(AudioTensorOperation):
    r"""Maps $x$ to the louder $\sin(\pi x / 2 + a \sin(2 \pi x))$ with
    $a$ = `enhancement_amount` / 750, SoX's `contrast`.

    `enhancement_amount`: in [0, 100]. Waveform (..., time).

    >>> Contrast(0.0)(np.array([0.0, 1 / 3, 1.0])).round(6)
    array([0. , 0.5, 1. ])
    """

    enhancement_amount: Annotated[float, within(0, 100)] = 75.0

    def _transformed(self, waveform):
        angle = waveform * (math.pi / 2)
        return np.sin(angle + self.enhancement_amount / 750 * np.sin(4 * angle))


class DCShift(AudioTensorOperation):
    r"""$x + shift$, clipped to [-1, 1], SoX's `dcshift`.

    `shift`: in [-2, 2]. With `limiter_gain` $g$, much less than 1, for a positive shift samples
    above $l = 1 - |shift| + g$ become $\min(l + shift + g (x - l) / (1 - l), l)$; a negative shift
    mirrors this. Waveform (..., time).

    >>> DCShift(0.5, 0.02)(np.array([-0.2, 0.1]))
    array([0.3, 0.6])
    """

    shift: Annotated[float, within(-2, 2)]
    limiter_gain: Real | None = None

    def _transformed(self, waveform):
        shifted = np.clip(waveform + self.shift, -1, 1)
        if not self.limiter_gain or abs(self.shift) in (0, self.limiter_gain):
            return shifted
        sign, shift = math.copysign(1, self.shift), abs(self.shift)
        limit = 1 - shift + self.limiter_gain
        beyond = sign * waveform - limit
        squeezed = limit + shift + beyond * (self.limiter_gain / (1 - limit))
        return np.where(beyond > 0, sign * np.minimum(squeezed, limit), shifted)


class Overdrive(AudioTensorOperation):
    r"""Soft clipping with even harmonics, SoX's `overdrive`.

    $t = 10^{gain / 20} x + color / 200$; $c(t) = t - t^3 / 3$ within [-1, 1], beyond $\pm 2 / 3$;
    $d_n = c_n - c_{n-1} + 0.995 d_{n-1}$; the result is $x / 2 + 3 d / 4$, clipped to [-1, 1].
    `gain`, `color`: in [0, 100]. Waveform (..., time).

    >>> Overdrive(0.0, 0.0)(np.array([0.3, 1.0])).round(4)
    array([0.3682, 0.9989])
    """

    gain: Annotated[float, within(0, 100)] = 20.0
    color: Annotated[float, within(0, 100)] = 20.0

    def _transformed(self, waveform):
        driven = np.clip(waveform * 10 ** (self.gain / 20) + self.color / 200, -1, 1)
        centred = filtered(driven - driven**3 / 3, (1, -1), (1, -0.995), clamp=False)
        return np.clip(waveform / 2 + 0.75 * centred, -1, 1)


class MuLawEncoding(AudioTensorOperation):
    r"""$\lfloor (\operatorname{sign}(x) \log(1 + \mu |x|) / \log(1 + \mu) + 1) \mu / 2 + 0.5
    \rfloor$ with $\mu$ = `quantization_channels` - 1 (ITU-T G.711), Int32. Waveform (..., time).

    >>> MuLawEncoding()(np.array([-1.0, 0.0, 1.0]))
    array([  0, 128, 255], dtype=int32)
    """

    quantization_channels: Count = 256

    def _transformed(self, waveform):
        top = self.quantization_channels - 1
        companded = np.sign(waveform) * np.log1p(top * np.abs(waveform)) / math.log1p(top)
        return ((companded + 1) / 2 * top + 0.5).astype(np.int32)


class MuLawDecoding(AudioTensorOperation):
    r"""The inverse of `MuLawEncoding`: $y = 2 x / \mu - 1$,
    $\operatorname{sign}(y) ((1 + \mu)^{|y|} - 1) / \mu$. Waveform (..., time).

    >>> MuLawDecoding()(np.array([0.0, 127.5, 255.0]))
    array([-1.,  0.,  1.])
    """

    quantization_channels: Count = 256

    def _transformed(self, waveform):
        top = self.quantization_channels - 1
        companded = waveform / top * 2 - 1
        return np.sign(companded) * np.expm1(np.abs(companded) * math.log1p(top)) / top


class Dither(AudioTensorOperation):
    """Rounds the waveform to 16 bits after adding noise, which makes the error independent of the
    signal.

    `density_function`: of the noise, in rounding steps. TPDF: a triangle over time, from 0 to 1;
    RPDF: one random sample of the waveform; GPDF: the sum of seven such samples.
    `noise_shaping`: whether the error of each sample is added to the next.
    Waveform (..., time).

    >>> Dither()(np.zeros(4)) * 2**15
    array([0., 0., 1., 0.])
    """

    density_function: DensityFunction = DensityFunction.TPDF
    noise_shaping: bool = False

    def _transformed(self, waveform):
        noise = self._noise(waveform.reshape(-1, waveform.shape[-1]))
        dithered = np.round(waveform * (2**15 - 2) + noise) / 2**15
        if not self.noise_shaping:
            return dithered.astype(waveform.dtype)
        error = (dithered - waveform)[..., :-1]
        dithered[..., 1:] += error
        return dithered.astype(waveform.dtype)

    def _noise(self, channels):
        length = channels.shape[-1]
        if self.density_function is DensityFunction.TPDF:
            return np.bartlett(length + 1)[:-1]
        some = lambda: channels[tuple(stream().integers(channels.shape))]  # noqa: E731
        if self.density_function is DensityFunction.RPDF:
            return some()
        return sum(some() for _ in range(7))


__all__ = [
    "AmplitudeToDB", "Contrast", "DBToAmplitude", "DCShift", "Dither", "Fade", "Gain",
    "MuLawDecoding", "MuLawEncoding", "Overdrive", "Vol",
]  # fmt: skip
