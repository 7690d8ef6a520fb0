"""Enumerations for the arguments of audio transforms."""

import enum


class BorderType(enum.StrEnum):
    """The padding of a signal: zeros, its last value, or its reflection without (REFLECT) or with
    (SYMMETRIC) the last value.

    >>> BorderType.EDGE.value
    'edge'
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(enum.StrEnum):
    """The probability density of dither noise: triangular, rectangular, Gaussian.

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
    """The interpolation between the samples around a fractional delay.

    >>> Interpolation.LINEAR.value
    'linear'
    """

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(enum.StrEnum):
    """The mel scale, of HTK or of Slaney's Auditory Toolbox.

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
    """The normalisation of a cosine transform: columns of norm 1, or twice the cosines.

    >>> NormMode.ORTHO.value
    'ortho'
    """

    ORTHO = "ortho"
    NONE = "none"


class NormType(enum.StrEnum):
    """The normalisation of mel filters: SLANEY divides each by half its width in Hz.

    >>> NormType.SLANEY.value
    'slaney'
    """

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(enum.StrEnum):
    """The window of the sinc filter for resampling: a Hann window, or a Kaiser window.

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
