"""Transforms of sound: what MindSpore makes of them (`tools.record audio`), torchaudio, and
formulas."""

import fnmatch
import json

import numpy as np
import pytest
from scipy import signal

from sporax import data
from sporax.data import audio
from sporax.data.audio import resampling
from tests import records
from tests.case_results import result_or_error
from tests.data.audio_cases import CASES, CHECKS, COMPLEX, INPUTS, LONG, SOUND, STACK
from tests.data.voice_cases import VOICES, speech

ROWS = records.read("audio")
VOICES_FOUND = records.read("voices")


@pytest.fixture(scope="module")
def values():
    """{case: the arrays that MindSpore returned}."""
    with np.load(records.FOLDER / "audio.npz") as file:
        flat = file["values"]
    arrays, at = {}, 0
    for name in CASES:
        arrays[name] = []
        for _, shape in ROWS[name]:
            size = int(np.prod(shape))
            arrays[name].append(flat[at : at + size].reshape(shape))
            at += size
    assert at == len(flat)
    return arrays


@pytest.mark.parametrize("name", CASES)
def test_answers_as_mindspore(name, values):
    case, apart = CASES[name]
    result = case(audio)
    parts = result if isinstance(result, tuple) else (result,)
    assert [[str(part.dtype), list(part.shape)] for part in parts] == ROWS[name]
    for part, expected in zip(parts, values[name], strict=True):
        scale = np.abs(expected).max(initial=0)
        np.testing.assert_allclose(part, expected, rtol=0, atol=apart * scale)


# where sporax answers otherwise: pattern of a check -> the answer; see docs/differences.md
OTHERWISE = {
    "Fade of int16": [["float32", [2, 48]]], "Fade of half": [["float32", [2, 48]]],
    "Fade of bool": [["float32", [2, 48]]], "Flanger of int16": [["float32", [2, 48]]],
    "Flanger of half": [["float32", [2, 48]]], "Flanger of bool": [["float32", [2, 48]]],
    "Flanger of cube": [["float32", [2, 9, 12]]], "Flanger of deep": [["float64", [2, 2, 9, 12]]],
    "Flanger of complex cube": [["float32", [2, 9, 12, 2]]],
    "Flanger of deep complex": [["float64", [2, 2, 9, 12, 2]]],
    "DetectPitchFrequency of *complex*": "raises RuntimeError",  # one frame, a median of two
    "GriffinLim of deep": [["float64", [2, 2, 88]]],
    "MFCC(8000, 4) of single": [["float32", [2, 4, 1]]],
    "MFCC of complex cube": [["float32", [2, 9, 12, 4, 1]]],
    "MFCC of deep complex": [["float32", [2, 2, 9, 12, 4, 1]]],
    "MelSpectrogram of complex cube": [["float32", [2, 9, 12, 4, 1]]],
    "MelSpectrogram of deep complex": [["float64", [2, 2, 9, 12, 4, 1]]],
    "Overdrive of complex cube": [["float32", [2, 9, 12, 2]]],  # MindSpore's process ends
    "Overdrive of deep complex": [["float64", [2, 2, 9, 12, 2]]],
    "PitchShift of deep complex": [["float64", [2, 2, 9, 12, 2]]],  # MindSpore's does not
    "Vad of line": [["float32", [0]]], "Vad of deep": [["float64", [2, 2, 9, 0]]],
    "Vad of cube": [["float32", [2, 9, 0]]], "Vad of complex cube": [["float32", [2, 9, 12, 0]]],
    "Vad of deep complex": [["float64", [2, 2, 9, 12, 0]]],
    "Vad of plane": [["float32", [2, 0]]], "Vad of int16": [["float32", [2, 0]]],
    "Vad of half": [["float32", [2, 0]]], "Vad of bool": [["float32", [2, 0]]],
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_takes_and_refuses_as_mindspore(name):
    outcome = json.loads(json.dumps(result_or_error(CHECKS[name], audio)))
    patterns = [pattern for pattern in OTHERWISE if fnmatch.fnmatchcase(name, pattern)]
    if not patterns:
        assert outcome == ROWS[name]
        return
    assert outcome == OTHERWISE[patterns[0]] != ROWS[name]


@pytest.mark.parametrize("transform, words", [
    (lambda: audio.LowpassBiquad(8000, 1.0, 2.0), "For 'LowpassBiquad', 'Q' must be a number in"),
    (lambda: audio.LowpassBiquad(0, 100.0), "'sample_rate' must be an int other than 0, but got 0"),
    (lambda: audio.Fade(3)(np.ones(2)), "For 'Fade', 'fade_in_len' must be at most 2, the size"),
    (lambda: audio.Angle()(np.ones(3)), "For 'Angle', the input must have shape (..., 2), but"),
    (lambda: audio.Gain()([1.0]), "For 'Gain', the input must be a NumPy array, but got list"),
    (lambda: audio.Phaser(-8000), "For 'Phaser', 'sample_rate' must be an int in [1, 2147483647]"),
    (lambda: audio.Vad(90)(np.ones(90)), "between 'hp_filter_freq' and 'lp_filter_freq', but got"),
    (lambda: audio.Resample(0.5, 2), "For 'Resample', 'orig_freq' must be an int in [1"),
    (lambda: audio.Spectrogram(8, 9), "For 'Spectrogram', 'win_length' must be at most 'n_fft'"),
])  # fmt: skip
def test_errors_name_the_argument(transform, words):
    with pytest.raises((ValueError, RuntimeError, TypeError)) as error:
        transform()
    assert words in str(error.value)


# what MindSpore gets wrong, against formulas and other libraries ---------------------------------


@pytest.mark.parametrize("shift, gain", [(-0.5, 0.02), (-0.4, 0.1), (-1.2, 0.05)])
def test_a_negative_shift_is_the_mirror_image(shift, gain):
    wave = np.linspace(-1, 1, 21)
    mirrored = audio.DCShift(-shift, gain)(-wave)
    np.testing.assert_allclose(audio.DCShift(shift, gain)(wave), -mirrored)


@pytest.mark.parametrize("n_fft", [15, 16])
def test_both_sides_of_a_complex_spectrum(n_fft):
    pairs = audio.Spectrogram(n_fft, power=0, onesided=False, center=False)(SOUND[0])
    _, _, expected = signal.stft(
        SOUND[0], window="hann", nperseg=n_fft, noverlap=n_fft - n_fft // 2, return_onesided=False,
        boundary=None, padded=False, scaling="spectrum",
    )  # fmt: skip
    scale = signal.get_window("hann", n_fft).sum()
    np.testing.assert_allclose(pairs[..., 0] + 1j * pairs[..., 1], expected * scale, atol=1e-12)


@pytest.mark.parametrize("options", [
    {"center": False, "window": "HAMMING", "win_length": 15}, {"onesided": False}, {"pad": 5},
    {"normalized": True, "pad": 3, "onesided": False},
], ids=str)  # fmt: skip
def test_the_inverse_of_a_spectrogram(options):
    options = dict(options, n_fft=16, hop_length=4)
    if "window" in options:
        options["window"] = audio.WindowType[options["window"]]
    wave = LONG[:, :160]
    spectrum = audio.Spectrogram(power=0.0, **options)(wave)
    result = audio.InverseSpectrogram(length=160, **options)(spectrum)
    same = slice(1, -1) if "center" in options else slice(None)  # a window is 0 at its first sample
    np.testing.assert_allclose(result[:, same], wave[:, same], atol=1e-12)


@pytest.mark.parametrize("transform", [
    audio.MelSpectrogram(8000, 32, n_mels=5), audio.LFCC(8000, 6, 5, speckwargs={"n_fft": 32}),
    audio.MFCC(8000, 5, log_mels=True, melkwargs={"n_fft": 32, "n_mels": 6}),
    audio.MelSpectrogram(8000, 31, n_mels=5, onesided=False),
], ids=lambda t: type(t).__name__)  # fmt: skip
def test_doubles_are_transformed_as_singles(transform):
    single = transform(LONG.astype(np.float32))
    np.testing.assert_allclose(transform(LONG), single, rtol=2e-3, atol=2e-4)


def test_large_and_small_ratios_are_resampled_alike(monkeypatch):
    results = []
    for largest in (0, 2**20):
        monkeypatch.setattr(resampling, "_LARGEST", largest)
        results.append([audio.Resample(*f)(LONG) for f in ((7, 5), (160, 441), (1000, 999))])
    for by_taps, by_matrix in zip(*results, strict=True):
        np.testing.assert_allclose(by_taps, by_matrix, atol=1e-12)


def test_a_stretch_by_nothing_keeps_the_shape():
    pairs = INPUTS[COMPLEX[0]]
    assert np.array_equal(audio.TimeStretch(None, 9)(pairs), pairs)


def test_a_waveform_of_griffin_and_lim_has_the_spectrogram():
    wave = np.sin(0.3 * np.arange(400)) + 0.5 * np.sin(1.1 * np.arange(400))
    target = audio.Spectrogram(64, hop_length=16)(wave)
    data.config.set_seed(3)
    for start, length in ((True, None), (False, 400), (True, 400)):
        found = audio.GriffinLim(64, 60, hop_length=16, length=length, rand_init=start)(target)
        assert found.shape == (400,)
        again = audio.Spectrogram(64, hop_length=16)(found)
        assert np.abs(np.sqrt(again) - np.sqrt(target)).sum() < 0.15 * np.sqrt(target).sum()


def test_a_spectrogram_from_mel_frequencies():
    data.config.set_seed(4)
    mel = audio.MelScale(5, 8000, n_stft=17)(np.abs(np.random.RandomState(0).randn(2, 17, 6)))
    found = audio.InverseMelScale(17, 5, 8000, max_iter=400)(mel)
    assert found.shape == (2, 17, 6) and found.min() >= 0
    np.testing.assert_allclose(audio.MelScale(5, 8000, n_stft=17)(found), mel, atol=0.05)


# a voice -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VOICES)
def test_voices_begin_where_torchaudio_finds_them(name):
    wave, rate, options = VOICES[name]
    found = audio.Vad(rate, **options)(wave)
    begin = wave.shape[-1] - found.shape[-1]
    assert begin == VOICES_FOUND[name]
    assert np.array_equal(found, wave[:, begin:])


@pytest.mark.parametrize("wave", [np.zeros(9000), speech(4000, 9)[0]], ids=["silence", "noise"])
def test_without_a_voice_nothing_is_left(wave):
    assert audio.Vad(4000)(wave).shape == (0,)


# random transforms -------------------------------------------------------------------------------


@pytest.mark.parametrize("name, args", [
    ("MaskAlongAxisIID", (5, -1.0, 1)), ("MaskAlongAxisIID", (5, -1.0, 2)),
    ("FrequencyMasking", (True, 5, 0, 7.0)), ("TimeMasking", (True, 5, 0, 7.0)),
])  # fmt: skip
def test_masks_at_random(name, args):
    frequencies = name == "FrequencyMasking" or args[-1] == 1
    spectrogram = STACK if frequencies else np.swapaxes(STACK, 1, 2)
    data.config.set_seed(5)
    transform, widths, starts = getattr(audio, name)(*args), set(), set()
    for _ in range(200):
        result = transform(STACK)
        result = result if frequencies else np.swapaxes(result, 1, 2)
        for channel, original in zip(result, spectrogram, strict=True):
            places = np.flatnonzero((channel != original).any(1))
            assert (channel[places] == (args[1] if "IID" in name else 7.0)).all()
            assert not len(places) or len(places) == places[-1] - places[0] + 1
            widths.add(len(places))
            starts.update(places[:1].tolist())
    assert widths == {0, 1, 2, 3, 4}  # the integer part of a number in [0, 5)
    assert starts >= set(range(spectrogram.shape[1] - 4))


@pytest.mark.parametrize("kind, summands", [("RPDF", 1), ("GPDF", 7)])
def test_noise_is_drawn_from_the_waveform(kind, summands):
    data.config.set_seed(6)
    wave = np.sin(np.arange(1000.0)) * np.where(np.arange(1000) % 2, 1, 0.4)
    dither = audio.Dither(audio.DensityFunction[kind])
    steps = [np.median(dither(wave) * 2**15 - wave * (2**15 - 2)) for _ in range(400)]
    assert abs(np.std(steps) - wave.std() * np.sqrt(summands)) < 0.2 * np.sqrt(summands)
    shaped = audio.Dither(noise_shaping=True)(wave)
    plain = audio.Dither()(wave)
    np.testing.assert_allclose(shaped[1:], plain[1:] + (plain - wave)[:-1])


def test_transforms_in_a_pipeline():
    rows = data.NumpySlicesDataset([SOUND[0], SOUND[1]], ["sound"], shuffle=False)
    steps = [audio.LowpassBiquad(8000, 500.0), audio.Spectrogram(16), audio.AmplitudeToDB()]
    result = rows.map(steps, "sound").create_tuple_iterator(num_epochs=1, output_numpy=True)
    for (spectrogram,), wave in zip(result, SOUND, strict=True):
        for step in steps:
            wave = step(wave)
        np.testing.assert_array_equal(spectrogram, wave)
    pairs = data.NumpySlicesDataset([INPUTS["pairs"]], ["pairs"])
    (both,) = pairs.map(audio.Magphase(), "pairs", ["norm", "phase"]).create_tuple_iterator(
        num_epochs=1, output_numpy=True
    )
    assert [part.shape for part in both] == [(9, 12), (9, 12)]
