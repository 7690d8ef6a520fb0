"""Audio transforms, run by MindSpore 2.10 and by sporax.

`CASES`: name -> (function of `mindspore.dataset.audio`, tolerance relative to the largest value). A
function returns an array or a tuple of arrays.
"""

import inspect

import numpy as np

_t = np.arange(48)
_tones = 0.6 * np.sin(0.3 * _t) + 0.3 * np.sin(1.7 * _t + 1)
SOUND = np.stack([_tones, 0.9 * np.cos(0.05 * _t**1.5)])
SINGLE = SOUND.astype(np.float32)
TALL = np.abs(np.outer(1 + np.sin(np.arange(9)), SOUND[0, :12])) + 0.01  # (freq, frames)
STACK = np.stack([TALL, TALL[::-1] ** 2])
PAIRS = np.stack([np.stack([TALL, 0.5 - TALL[::-1]], -1), np.stack([TALL**2, TALL[::-1]], -1)])
LONG = np.stack([np.sin(0.05 * np.arange(900) ** 1.1), np.cos(0.2 * np.arange(900))])
INPUTS = {
    "sound": SOUND[0],  # Float64 (time,)
    "loud": 2 * SOUND,
    "single": SINGLE,  # Float32 (channel, time)
    "spectrogram": TALL,
    "stack": STACK.astype(np.float32),  # (channel, freq, frames)
    "pairs": PAIRS[0],
    "pair stack": PAIRS.astype(np.float32),
    "long": LONG[0],
    "long stack": LONG.astype(np.float32),
}
WAVES, SPECTRA, COMPLEX = "sound single", "spectrogram stack", ("pairs", "pair stack")
LONGS = "long", "long stack"
CASES = {}


def _value(audio, argument):
    """Resolve an argument; 'Kind.MEMBER' names a member of an enumeration."""
    if isinstance(argument, dict):
        return {key: _value(audio, value) for key, value in argument.items()}
    if isinstance(argument, str):
        kind, _, member = argument.partition(".")
        return getattr(getattr(audio, kind), member)
    return argument


def called(name, *args, **options):
    """Return a function that constructs the transform; strings are members of enumerations."""

    def build(audio):
        by_name = {key: _value(audio, value) for key, value in options.items()}
        return getattr(audio, name)(*[_value(audio, arg) for arg in args], **by_name)

    return build


def on(inputs, name, *args, apart=1e-5, every=1, **options):
    """Add rows of a transform; `every`: the step at which values of the last axis are recorded."""
    build = called(name, *args, **options)
    listed = [repr(arg) for arg in args] + [f"{key}={value!r}" for key, value in options.items()]
    for form in inputs.split() if isinstance(inputs, str) else inputs:

        def case(audio, form=form):
            result = build(audio)(INPUTS[form])
            several = result if isinstance(result, tuple) else (result,)
            return tuple([part[..., ::every] for part in several])

        CASES[f"{name}({', '.join(listed)}) of {form}"] = case, apart


for args in ((8000, 1000.0), (8000, 3000.5, 0.3), (-8000, 1000.0)):
    for name in ("AllpassBiquad", "BandpassBiquad", "BandrejectBiquad", "BandBiquad"):
        if not (name == "BandBiquad" and args[0] < 0):
            on(WAVES, name, *args)
    for name in ("LowpassBiquad", "HighpassBiquad"):
        on(WAVES, name, *args)
on(WAVES, "BandpassBiquad", 8000, 1000.0, 0.5, True)
on(WAVES, "BandBiquad", 8000, 1000.0, 0.5, True)
for gain in (-6.0, 3.5, 0):
    on(WAVES, "EqualizerBiquad", 8000, 1000.0, gain)
    on(WAVES, "BassBiquad", 8000, gain)
    on(WAVES, "TrebleBiquad", 8000, gain, Q=0.4)
on(WAVES, "BassBiquad", 8000, 9.0, 700.0, 0.9)
on(WAVES, "TrebleBiquad", 16000, 9.0, 700.0)
for rate in (44100, 48000):
    on(WAVES, "DeemphBiquad", rate)
for rate in (44100, 48000, 88200, 96000):
    on(WAVES, "RiaaBiquad", rate)
on(WAVES, "Biquad", 0.3, -0.2, 0.1, 1.0, -0.5, 0.2)
on(WAVES, "Biquad", 3.0, 2, 1, 2, 0.5, -0.2)
for name in ("LFilter", "Filtfilt"):
    on(WAVES, name, [1.0, 0.1, 0.3], [0.4, 0.2, 0.9])
    on(WAVES, name, [2.0, 0.1, -0.3, 0.2], [4, 0.2, 0.9, 1.0], clamp=False)
    on(WAVES, name, (1.0,), (3.0,), True)

on(SPECTRA, "AmplitudeToDB")
on(SPECTRA, "AmplitudeToDB", "ScaleType.MAGNITUDE", 0.5, 0.05, 4.0)
on(WAVES, "DBToAmplitude", 1.0, 0.5)
on(WAVES, "DBToAmplitude", 2, 1)
on(WAVES, "Gain")
on(WAVES, "Gain", -7.5)
on(WAVES, "Vol", 1.5)
on(WAVES, "Vol", 0.3, "GainType.POWER")
on(WAVES, "Vol", 3.0, "GainType.DB")
for name in ("Vol", "Contrast", "Overdrive", "MuLawEncoding", "Gain"):
    on("loud", name, *{"Vol": (0.7,)}.get(name, ()))
on("loud", "Fade", 20, 20)
for shape in ("LINEAR", "EXPONENTIAL", "LOGARITHMIC", "QUARTER_SINE", "HALF_SINE"):
    on(WAVES, "Fade", 30, 25, f"FadeShape.{shape}")
on(WAVES, "Fade")
on(WAVES, "Fade", 1, 2)
on(WAVES, "Contrast")
on(WAVES, "Contrast", 0)
for args in ((0.5, 0.02), (0.3,), (-0.3,), (0.0,), (1.2, 0.05), (0.5, 0.0), (0.5, 0.9)):
    on(WAVES, "DCShift", *args)
on(WAVES, "Overdrive")
on(WAVES, "Overdrive", 3.0, 90)
on(WAVES, "MuLawEncoding")
on(WAVES, "MuLawEncoding", 16)
on(WAVES, "MuLawDecoding")
on(WAVES, "MuLawDecoding", 16)
for shaping in (False, True):
    on(WAVES, "Dither", "DensityFunction.TPDF", shaping)

for modulation in ("SINUSOIDAL", "TRIANGULAR"):
    for interpolation in ("LINEAR", "QUADRATIC"):
        kinds = f"Modulation.{modulation}", f"Interpolation.{interpolation}"
        on("single", "Flanger", 2000, 1.0, 3.0, 40.0, 60.0, 10.0, 30.0, *kinds, apart=1e-5)
on(WAVES.replace("sound", "loud"), "Flanger", 44100)
on("single", "Flanger", 1000, 0.0, 0.0, -95, 100, 0.1, 100)
on(WAVES, "Phaser", 44100)
on(WAVES, "Phaser", 1000, 1.0, 2.0, 5.0, 0.9, 2.0, False)
on(WAVES, "Phaser", 2000, 0.7, 1.0, 3.0, 0.5, 2.0, True)

on(COMPLEX, "Angle")
on(COMPLEX, "ComplexNorm")
on(COMPLEX, "ComplexNorm", 2.0)
on(COMPLEX, "ComplexNorm", 0.0)
on(COMPLEX, "Magphase")
on(COMPLEX, "Magphase", 0.5)
on(WAVES, "Spectrogram", 16)
for window in ("BARTLETT", "BLACKMAN", "HAMMING", "KAISER"):
    on("sound", "Spectrogram", 16, 11, 9, window=f"WindowType.{window}", power=1.0, apart=1e-5)
for border in ("CONSTANT", "EDGE", "SYMMETRIC"):
    on(WAVES, "Spectrogram", 17, 10, pad_mode=f"BorderType.{border}")
on(WAVES, "Spectrogram", 16, pad=5, normalized=True, center=False, onesided=False, power=3.0)
on(WAVES, "Spectrogram", 15, pad=3, normalized=True, power=1, onesided=False)
on(WAVES, "Spectrogram", 60)
on(WAVES, "Spectrogram", 16, power=0.0, every=1)
on("sound", "Spectrogram", 15, 8, 5, center=False, power=0.5)
on(LONGS, "Spectrogram", every=2)
on(WAVES, "SpectralCentroid", 8000, 16)
on("sound", "SpectralCentroid", 44100, 16, 12, 3, 4, "WindowType.HAMMING")
for options in ({}, {"length": 30}, {"length": 60}, {"normalized": True},
                {"win_length": 12, "hop_length": 5}):  # fmt: skip
    on(COMPLEX, "InverseSpectrogram", n_fft=16, apart=1e-5, **options)
on(["pair stack"], "InverseSpectrogram", 40, 16, pad=3)
on(SPECTRA, "GriffinLim", 16, 4, rand_init=False, apart=2e-4)
on(SPECTRA, "GriffinLim", 16, 3, 14, 5, "WindowType.HAMMING", 1.0, 0.5, None, False, apart=2e-4)
on(SPECTRA, "GriffinLim", 16, 1, momentum=0.0, rand_init=False, apart=2e-4)
for rate in (1.3, 0.7, 2):
    for form, kind in (("pairs", np.float64), ("pair stack", np.float32)):
        advance = np.linspace(0, np.pi * 8, 9, dtype=kind)[:, None]
        build = called("PhaseVocoder", rate, advance)
        case = lambda audio, build=build, form=form: build(audio)(INPUTS[form])  # noqa: E731
        CASES[f"PhaseVocoder({rate}) of {form}"] = case, 1e-5
    on(COMPLEX, "TimeStretch", None, 9, rate, apart=1e-5)
on(COMPLEX, "TimeStretch", 5, 9, 1.5, apart=1e-5)
on(["pair stack"], "TimeStretch", 5, 9)
for steps in (4, -3):
    on(LONGS, "PitchShift", 8000, steps, n_fft=64, every=9, apart=5e-4)
on("long", "PitchShift", 16000, 24, 24, 64, 60, 20, "WindowType.HAMMING", every=9, apart=1e-4)
for rates in ((8000, 4000), (4000, 8000), (3, 2), (44100, 48000), (7, 7), (8000.0, 6000.0)):
    on(WAVES, "Resample", *rates)
on(WAVES, "Resample", 3, 2, "ResampleMethod.KAISER_WINDOW")
on(WAVES, "Resample", 2, 3, "ResampleMethod.KAISER_WINDOW", 10, 0.8, 5.0)
on(WAVES, "Resample", 5, 4, lowpass_filter_width=3, rolloff=1.0)

for args in ((3, 5), (5, 5, "NormMode.ORTHO"), (7, 4), (7, 4, "NormMode.ORTHO")):
    CASES[f"create_dct{args}"] = called("create_dct", *args), 1e-6
for args in ((9, 0.0, 4000.0, 4, 8000), (9, 50, 3000, 3, 8001), (5, 0.0, 9000.0, 4, 8000)):
    CASES[f"linear_fbanks{args}"] = called("linear_fbanks", *args), 1e-6
    CASES[f"melscale_fbanks{args}"] = called("melscale_fbanks", *args), 1e-5
    both = *args, "NormType.SLANEY", "MelType.SLANEY"
    CASES[f"melscale_fbanks{both}"] = called("melscale_fbanks", *both), 1e-5
on(SPECTRA, "MelScale", 4, 8000, n_stft=9, apart=1e-5)
slaney = "NormType.SLANEY", "MelType.SLANEY"
on(SPECTRA, "MelScale", 3, 8000, 20.0, 3000.0, 9, *slaney, apart=1e-5)
on("single", "MelSpectrogram", 8000, 16, n_mels=4, apart=1e-5)
on("single", "MelSpectrogram", 8000, 16, 12, 5, 20.0, 3000.0, 2, 3, "WindowType.HAMMING", 1.0, True,
   False, "BorderType.EDGE", True, *slaney, apart=1e-5)  # fmt: skip
MEL = {
    "n_fft": 16, "win_length": 12, "hop_length": 6, "f_min": 0.0, "f_max": 3500.0, "pad": 0,
    "n_mels": 6, "window": "WindowType.HANN", "power": 2.0, "normalized": False, "center": True,
    "pad_mode": "BorderType.REFLECT", "onesided": True, "norm": "NormType.NONE",
    "mel_scale": "MelType.HTK",
}  # fmt: skip
on("single", "MFCC", 8000, 4, melkwargs=MEL, apart=1e-5)
on("single", "MFCC", 8000, 6, 2, "NormMode.NONE", True, MEL, apart=1e-5)
on(["long stack"], "MFCC", every=3, apart=1e-4)
PARTS = {key: MEL[key] for key in (
    "n_fft", "win_length", "hop_length", "pad", "window", "power", "normalized", "center",
    "pad_mode", "onesided")}  # fmt: skip
on("single", "LFCC", 8000, 6, 4, speckwargs=PARTS, apart=1e-5)
on("single", "LFCC", 8000, 5, 8, 20.0, 3000.0, 2, "NormMode.NONE", True, PARTS, apart=1e-5)
on(["long stack"], "LFCC", every=3, apart=1e-4)

on(SPECTRA, "ComputeDeltas")
for border in ("CONSTANT", "REFLECT", "SYMMETRIC"):
    on(SPECTRA, "ComputeDeltas", 8, f"BorderType.{border}")
for args in ((), (4, 3), (4, 3, True), (5, 3, True, True), (5, 2, False, True), (3, 20), (100, 3),
             (1, 1, True, True)):  # fmt: skip
    on(SPECTRA, "SlidingWindowCmn", *args, apart=1e-4)
for axis in (1, 2):
    on(SPECTRA, "MaskAlongAxis", 2, 3, 0.5, axis)
    on(SPECTRA, "MaskAlongAxisIID", 0, 0.5, axis)
for name in ("FrequencyMasking", "TimeMasking"):
    on(SPECTRA, name)
    on(SPECTRA, name, False, 3, 4, 0.5)
    on(SPECTRA, name, True, 0, 4, 0.5)
on(LONGS, "DetectPitchFrequency", 8000, 0.01, 5)
on(LONGS, "DetectPitchFrequency", 8000, 0.02, 2, 100, 2000)
on(LONGS, "DetectPitchFrequency", 1000, 0.03, 3, 20, 400)


# the dtypes and shapes that each takes: the result's, or the error
KINDS = {
    "int16": (SOUND * 1000).astype(np.int16), "half": SOUND.astype(np.float16),
    "bool": SOUND > 0, "text": np.array(["a", "b"]), "number": np.float32(3), "list": [0.1, 0.2],
    "empty": np.zeros((2, 0), np.float32), "line": SINGLE[0], "plane": SINGLE,
    "cube": STACK.astype(np.float32), "complex cube": PAIRS.astype(np.float32),
    "deep": np.stack([STACK, 2 * STACK]), "deep complex": np.stack([PAIRS, PAIRS]),
}  # fmt: skip
TRANSFORMS = {
    "AllpassBiquad": (8000, 1000.0), "AmplitudeToDB": (), "Angle": (), "BandBiquad": (8000, 1000.0),
    "BandpassBiquad": (8000, 1000.0), "BandrejectBiquad": (8000, 1000.0),
    "BassBiquad": (8000, 3.0), "Biquad": (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), "ComplexNorm": (),
    "ComputeDeltas": (), "Contrast": (), "DBToAmplitude": (1.0, 1.0), "DCShift": (0.1,),
    "DeemphBiquad": (44100,), "DetectPitchFrequency": (8000, 0.001, 2), "Dither": (),
    "EqualizerBiquad": (8000, 100.0, 3.0), "Fade": (), "Filtfilt": ([1.0, 0.5], [1.0, 0.2]),
    "Flanger": (44100,), "FrequencyMasking": (), "Gain": (),
    "GriffinLim": (16, 2), "HighpassBiquad": (8000, 1000.0),
    "InverseMelScale": (9, 9, 8000, 0.0, None, 5),
    "InverseSpectrogram": (None, 16), "LFCC": (8000, 4, 3, 0.0, None, 2, "NormMode.ORTHO", False,
    PARTS), "LFilter": ([1.0, 0.5], [1.0, 0.2]), "LowpassBiquad": (8000, 1000.0),
    "MFCC": (8000, 4, 2, "NormMode.ORTHO", False, MEL), "Magphase": (),
    "MaskAlongAxis": (0, 1, 0.0, 1), "MaskAlongAxisIID": (1, 0.0, 1), "MelScale": (4, 8000, 0.0,
    None, 9), "MelSpectrogram": (8000, 16, None, None, 0.0, None, 0, 4), "MuLawDecoding": (),
    "MuLawEncoding": (), "Overdrive": (), "Phaser": (44100,),
    "PitchShift": (8000, 2, 12, 16), "Resample": (3, 2), "RiaaBiquad": (44100,),
    "SlidingWindowCmn": (), "SpectralCentroid": (8000, 16), "Spectrogram": (16,),
    "TimeMasking": (), "TimeStretch": (None, 9, 1.5), "TrebleBiquad": (8000, 3.0), "Vad": (8000,),
    "Vol": (0.5,),
}  # fmt: skip


def described(arrays):
    """Return the dtype and shape of each array."""
    return [[str(array.dtype), list(array.shape)] for array in arrays]


def accepted(name, kind):
    """Return a case: the result's dtype and shape."""

    def case(audio):
        result = called(name, *TRANSFORMS[name])(audio)(KINDS[kind])
        return described(result if isinstance(result, tuple) else (result,))

    return case


# arguments that are refused: transform -> what replaces some of its arguments
WRONG = [
    ("AllpassBiquad", (0, 1.0)), ("AllpassBiquad", (8000.0, 1.0)), ("AllpassBiquad", (8000, None)),
    ("AllpassBiquad", (8000, 1.0, 0)), ("AllpassBiquad", (8000, 1.0, 1.01)),
    ("AllpassBiquad", (8000, 2.0**24 + 2)), ("AllpassBiquad", (8000,)),
    ("AmplitudeToDB", ("ScaleType.POWER", 0.0)), ("AmplitudeToDB", ("ScaleType.POWER", 1.0, 0.0)),
    ("AmplitudeToDB", ("NormType.NONE",)), ("AmplitudeToDB", ("ScaleType.POWER", 1.0, 1.0, -1)),
    ("BandBiquad", (8000, 1.0, 0.7, 1)), ("BandpassBiquad", (8000, 1.0, 0.7, None)),
    ("BassBiquad", (8000, [1.0])), ("Biquad", (1.0, 0.0, 0.0, 0, 0.0, 0.0)),
    ("ComplexNorm", (-1.0,)), ("ComputeDeltas", (2,)), ("ComputeDeltas", (5.0,)),
    ("ComputeDeltas", (5, "WindowType.HANN")), ("Contrast", (100.5,)), ("Contrast", ((1,),)),
    ("DBToAmplitude", (1.0, 1j)), ("DCShift", (2.5,)), ("DCShift", (0.1, [1])),
    ("DeemphBiquad", (8000,)), ("DeemphBiquad", (44100.0,)), ("DetectPitchFrequency", (0,)),
    ("DetectPitchFrequency", (8000, 0)), ("DetectPitchFrequency", (8000, 0.1, 0)),
    ("DetectPitchFrequency", (8000, 0.1, 3, 0)), ("Dither", (1,)),
    ("Dither", ("DensityFunction.TPDF", 0)), ("Fade", (-1,)), ("Fade", (1.0,)),
    ("Fade", (1, 1, "GainType.DB")), ("Filtfilt", ([1.0], [1.0, 2.0])), ("LFilter", (1.0, 2.0)),
    ("LFilter", ([1.0], [None])), ("Flanger", (0,)), ("Flanger", (8000, 31)),
    ("Flanger", (8000, 0, 11)), ("Flanger", (8000, 0, 0, 96)), ("Flanger", (8000, 0, 0, 0, 101)),
    ("Flanger", (8000, 0, 0, 0, 0, 0)), ("Flanger", (8000, 0, 0, 0, 0, 1, 101)),
    ("FrequencyMasking", (0,)), ("FrequencyMasking", (False, -1)),
    ("FrequencyMasking", (False, 1, 1, -1.0)), ("TimeMasking", (False, 1.0)),
    ("Gain", ([],)), ("GriffinLim", (0,)), ("GriffinLim", (16, 0)), ("GriffinLim", (16, 1, 17)),
    ("GriffinLim", (16, 1, None, -1)), ("InverseMelScale", (0,)), ("InverseMelScale", (9, 4, 0)),
    ("InverseMelScale", (9, 4, 8000, 5000.0)), ("InverseSpectrogram", (-1,)),
    ("InverseSpectrogram", (None, 16, 17)), ("LFCC", (8000, 0)),
    ("LFCC", (8000, 4, 3, 10.0, 5.0)), ("LFCC", (8000, 4, 3, 0.0, None, 3)),
    ("Magphase", (-1.0,)), ("MFCC", (8000, 4, 1)), ("MFCC", (8000, 10, 2, "NormMode.ORTHO", False,
    MEL)), ("MaskAlongAxis", (-1, 1, 0.0, 1)), ("MaskAlongAxis", (0, 0, 0.0, 1)),
    ("MaskAlongAxis", (0, 1, 0.0, 0)), ("MaskAlongAxisIID", (-1, 0.0, 1)),
    ("MelScale", (0,)), ("MelScale", (4, 8000, 5000.0)), ("MelScale", (4, 8000, 100.0, 100.0)),
    ("MelScale", (4, 8000, 0.0, -1.0)), ("MelSpectrogram", (8000, 0)),
    ("MelSpectrogram", (8000, 16, 17)), ("MuLawEncoding", (0,)), ("MuLawDecoding", (1.0,)),
    ("Overdrive", (101,)), ("Overdrive", (1, -1)), ("PhaseVocoder", (0.0, np.zeros((9, 1)))),
    ("PhaseVocoder", (1.0, [1.0])), ("Phaser", (8000, 1.1)), ("Phaser", (8000, 0.5, 1, 6.0)),
    ("Phaser", (8000, 0.5, 1, 1, 1.0)), ("Phaser", (8000, 0.5, 1, 1, 0.5, 3)),
    ("PitchShift", (8000, 1.5)), ("PitchShift", (8000, 1, 0)), ("Resample", (0,)),
    ("Resample", (1, -1)), ("Resample", (1, 2, "ResampleMethod.KAISER_WINDOW", 0)),
    ("Resample", (1, 2, "ResampleMethod.KAISER_WINDOW", 1, 1.5)), ("RiaaBiquad", (8000,)),
    ("SlidingWindowCmn", (-1,)), ("SlidingWindowCmn", (1, 1, 1)), ("SpectralCentroid", (-1,)),
    ("Spectrogram", (0,)), ("Spectrogram", (16, 17)), ("Spectrogram", (16, None, 0)),
    ("Spectrogram", (16, None, None, -1)), ("Spectrogram", (16, None, None, 0, "ScaleType.POWER")),
    ("TimeStretch", (0,)), ("TimeStretch", (1, 9, 0.0)), ("Vad", (0,)),
    ("Vad", (8000, 1.0, -1.0)), ("Vol", (-1.0,)), ("Vol", (0.0, "GainType.POWER")),
    ("Vol", (1.0, "ScaleType.POWER")), ("create_dct", (0, 1)), ("create_dct", (1.0, 1)),
    ("create_dct", (1, 1, "NormType.NONE")), ("linear_fbanks", (9, 10.0, 5.0, 4, 8000)),
    ("linear_fbanks", (-1, 0.0, 5.0, 4, 8000)), ("melscale_fbanks", (9, 0.0, 5.0, 0, 8000)),
    ("melscale_fbanks", (9, 0.0, 5.0, 4, 8000, "MelType.HTK")), ("Vad", (8000, [])),
]  # fmt: skip
# transforms of inputs that do not fit the arguments
UNFIT = [
    ("Fade", (49,), "single"), ("Fade", (1, 49), "single"),
    ("FrequencyMasking", (False, 10), "stack"),
    ("FrequencyMasking", (False, 3, 7), "stack"), ("FrequencyMasking", (True, 10), "stack"),
    ("TimeMasking", (False, 13), "stack"), ("TimeMasking", (True, 13), "stack"),
    ("MaskAlongAxis", (7, 3, 0.0, 1), "stack"), ("MaskAlongAxisIID", (10, 0.0, 1), "stack"),
    ("MelScale", (4, 8000, 0.0, None, 8), "stack"), ("InverseMelScale", (9, 4), "stack"),
    ("Spectrogram", (100,), "single"), ("Spectrogram", (50,), "single"),
    ("Spectrogram", (96,), "single"), ("Spectrogram", (94,), "single"),
    ("Spectrogram", (60, None, None, 0, "WindowType.HANN", 2.0, False, False), "single"),
    ("TimeStretch", (None, 8, 1.5), "pairs"), ("PhaseVocoder", (1.5, np.zeros((8, 1))), "pairs"),
    ("PhaseVocoder", (1.5, np.zeros((9, 1), np.float32)), "pairs"),
    ("PhaseVocoder", (1.5, np.zeros(9)), "pairs"),
    ("GriffinLim", (14, 1), "stack"), ("InverseSpectrogram", (None, 14), "pairs"),
    ("PitchShift", (8000, 2), "single"), ("LFCC", (8000, 4, 3), "single"),
    ("MFCC", (8000, 4), "single"), ("SpectralCentroid", (8000, 100), "single"),
]  # fmt: skip


def refused(name, args, form=None):
    def case(audio):
        transform = called(name, *args)(audio)
        return described([transform(INPUTS[form])]) if form else "accepted"

    return case


CHECKS = {f"{name} of {kind}": accepted(name, kind) for name in TRANSFORMS for kind in KINDS}
CHECKS |= {f"{name}{args}": refused(name, args) for name, args in WRONG}
CHECKS |= {f"{name}{args} of {form}": refused(name, args, form) for name, args, form in UNFIT}

KINDS_OF_MEMBERS = (
    "BorderType", "DensityFunction", "FadeShape", "GainType", "Interpolation", "MelType",
    "Modulation", "NormMode", "NormType", "ResampleMethod", "ScaleType", "WindowType",
)  # fmt: skip


def members(kind):
    return lambda audio: {member.name: member.value for member in getattr(audio, kind)}


def parameters(name):
    """Return a case: the names and defaults of a transform's arguments."""

    def case(audio):
        listed = inspect.signature(getattr(audio, name)).parameters.values()
        return [[p.name, "" if p.default is p.empty else str(_plain(p.default))] for p in listed]

    return case


def _plain(default):
    return getattr(default, "value", default)


CHECKS |= {f"members of {kind}": members(kind) for kind in KINDS_OF_MEMBERS}
FUNCTIONS = "create_dct", "linear_fbanks", "melscale_fbanks", "PhaseVocoder"
CHECKS |= {f"parameters of {name}": parameters(name) for name in (*TRANSFORMS, *FUNCTIONS)}
