"""Audio transforms of waveforms (..., time) and of spectrograms (..., freq, frames)."""

from sporax._src.core.errors import missing
from sporax.data.audio.enums import (
    BorderType,
    DensityFunction,
    FadeShape,
    GainType,
    Interpolation,
    MelType,
    Modulation,
    NormMode,
    NormType,
    ResampleMethod,
    ScaleType,
    WindowType,
)
from sporax.data.audio.features import ComputeDeltas, SlidingWindowCmn
from sporax.data.audio.filter_banks import (
    LFCC,
    MFCC,
    InverseMelScale,
    MelScale,
    MelSpectrogram,
    create_dct,
    linear_fbanks,
    melscale_fbanks,
)
from sporax.data.audio.filters import (
    AllpassBiquad,
    BandBiquad,
    BandpassBiquad,
    BandrejectBiquad,
    BassBiquad,
    Biquad,
    DeemphBiquad,
    EqualizerBiquad,
    Filtfilt,
    HighpassBiquad,
    LFilter,
    LowpassBiquad,
    RiaaBiquad,
    TrebleBiquad,
)
from sporax.data.audio.levels import (
    AmplitudeToDB,
    Contrast,
    DBToAmplitude,
    DCShift,
    Dither,
    Fade,
    Gain,
    MuLawDecoding,
    MuLawEncoding,
    Overdrive,
    Vol,
)
from sporax.data.audio.masks import (
    FrequencyMasking,
    MaskAlongAxis,
    MaskAlongAxisIID,
    TimeMasking,
)
from sporax.data.audio.modulated_delays import Flanger, Phaser
from sporax.data.audio.resampling import Resample
from sporax.data.audio.spectra import (
    Angle,
    ComplexNorm,
    GriffinLim,
    InverseSpectrogram,
    Magphase,
    PhaseVocoder,
    PitchShift,
    SpectralCentroid,
    Spectrogram,
    TimeStretch,
)
from sporax.data.audio.voice import DetectPitchFrequency, Vad
from sporax.data.audio.waveform import AudioTensorOperation

__all__ = [
    "LFCC", "MFCC", "AllpassBiquad", "AmplitudeToDB", "Angle", "AudioTensorOperation",
    "BandBiquad", "BandpassBiquad", "BandrejectBiquad", "BassBiquad", "Biquad", "BorderType",
    "ComplexNorm", "ComputeDeltas", "Contrast", "DBToAmplitude", "DCShift", "DeemphBiquad",
    "DensityFunction", "DetectPitchFrequency", "Dither", "EqualizerBiquad", "Fade", "FadeShape",
    "Filtfilt", "Flanger", "FrequencyMasking", "Gain", "GainType", "GriffinLim", "HighpassBiquad",
    "Interpolation", "InverseMelScale", "InverseSpectrogram", "LFilter", "LowpassBiquad",
    "Magphase", "MaskAlongAxis", "MaskAlongAxisIID", "MelScale", "MelSpectrogram", "MelType",
    "Modulation", "MuLawDecoding", "MuLawEncoding", "NormMode", "NormType", "Overdrive",
    "PhaseVocoder", "Phaser", "PitchShift", "Resample", "ResampleMethod", "RiaaBiquad",
    "ScaleType", "SlidingWindowCmn", "SpectralCentroid", "Spectrogram", "TimeMasking",
    "TimeStretch", "TrebleBiquad", "Vad", "Vol", "WindowType", "create_dct", "linear_fbanks",
    "melscale_fbanks",
]  # fmt: skip


def __getattr__(name):
    raise missing("dataset.audio", name)
