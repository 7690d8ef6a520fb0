"""Enumerations that transforms of sound take as arguments."""

import enum


class BorderType(enum.StrEnum):
    """The padding of a signal: zeros, its last value, or itself mirrored without (REFLECT) and
    with (SYMMETRIC) the last value.

    >>> BorderType.EDGE.value
    'edge'
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(enum.StrEnum):
    """The probability density of a dither: triangular, rectangular, Gaussian.

    >>> DensityFunction.TPDF.value
    'TPDF'
    """

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(enum.StrEnum):
    """The curve of a fade; see `Fade`.

    >>> FadeShape.LINEAR.value
    'linear'
    """

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(enum.StrEnum):
    """The unit of a gain: a ratio of amplitudes, a ratio of powers, decibels.

    >>> GainType.DB.value
    'db'
    """

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(enum.StrEnum):
    """The curve through the samples around a fractional delay.

    >>> Interpolation.LINEAR.value
    'linear'
    """

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(enum.StrEnum):
    """The mel scale: that of HTK, or that of Slaney's Auditory Toolbox.

    >>> MelType.HTK.value
    'htk'
    """

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(enum.StrEnum):
    """The waveform of a low-frequency oscillator.

    >>> Modulation.SINUSOIDAL.value
    'sinusoidal'
    """

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(enum.StrEnum):
    """The norm of the columns of a cosine transform: 1, or twice the cosines themselves.

    >>> NormMode.ORTHO.value
    'ortho'
    """

    ORTHO = "ortho"
    NONE = "none"


class NormType(enum.StrEnum):
    """Whether the mel filters are divided by their width (SLANEY).

    >>> NormType.SLANEY.value
    'slaney'
    """

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(enum.StrEnum):
    """The window of the sinc filter that resamples: a Hann window, or a Kaiser window.

    >>> ResampleMethod.KAISER_WINDOW.value
    'kaiser_window'
    """

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(enum.StrEnum):
    """The unit of a spectrogram: power or magnitude.

    >>> ScaleType.POWER.value
    'power'
    """

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(enum.StrEnum):
    """The window of a short-time Fourier transform.

    >>> WindowType.HANN.value
    'hann'
    """

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"


__all__ = [
    "BorderType", "DensityFunction", "FadeShape", "GainType", "Interpolation", "MelType",
    "Modulation", "NormMode", "NormType", "ResampleMethod", "ScaleType", "WindowType",
]  # fmt: skip
