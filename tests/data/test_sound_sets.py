"""Data sets of recordings: the rows that MindSpore reads (`tools.record audio`), and formats."""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from sporax import data
from sporax.data import sound_files
from tests import records
from tests.case_results import result_or_error
from tests.data.sound_cases import SETS, write_sounds, write_wav

MS = SimpleNamespace(ds=data)
RECORDED = records.read("sound_sets")


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sounds")
    write_sounds(folder)
    return folder


@pytest.mark.parametrize("name", SETS)
def test_rows_are_mindspores(name, where):
    outcome = result_or_error(lambda ms: SETS[name](ms, where), MS)
    assert json.loads(json.dumps(outcome)) == RECORDED[name]


def rows(dataset):
    return list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))


def test_a_sentence_is_a_part_of_the_talk(where):
    dataset = data.TedliumDataset(str(where / "old"), "release1", "dev", shuffle=False)
    samples = [row[0] for row in rows(dataset)]
    assert [part.shape for part in samples] == [(1, 8), (1, 8), (1, 4), (1, 4)]
    expected = (np.arange(4000, 4008) % 999 / np.float32(32767)).astype(np.float32)
    np.testing.assert_array_equal(samples[0], [expected])


@pytest.mark.parametrize("usage, size", [(None, 4), ("train", 2), ("valid", 1), ("test", 1)])
def test_the_size_is_that_of_the_usage(usage, size, where):
    assert data.SpeechCommandsDataset(str(where / "commands"), usage).get_dataset_size() == size


FORMS = [  # (width, format, samples, what they are)
    (1, 1, [0, 128, 192], [-1, 0, 0.5]),
    (2, 1, [-32767, 1, 32767], [-1, 1 / 32767, 1]),
    (3, 1, [-(2**23), 1, 2**22], [-1, 2.0**-23, 0.5]),
    (4, 1, [-(2**31), 2**16, 2**30], [-1, 2.0**-15, 0.5]),
    (4, 3, [-1, 0.25, 1.5], [-1, 0.25, 1.5]),
    (8, 3, [-1, 0.25, 1.5], [-1, 0.25, 1.5]),
]


@pytest.mark.parametrize("width, format, stored, expected", FORMS)
def test_wav_files(width, format, stored, expected, tmp_path):
    write_wav(tmp_path / "1.wav", np.stack([stored, stored[::-1]], 1), 8000, width, format)
    samples, rate = sound_files.read(tmp_path / "1.wav")
    assert (samples.dtype, samples.shape, rate) == (np.float32, (2, 3), 8000)
    np.testing.assert_allclose(samples, [expected, expected[::-1]], rtol=1e-7)
    part, _ = sound_files.read(tmp_path / "1.wav", 1 / 8000, 2 / 8000)
    np.testing.assert_array_equal(part, samples[:, 1:2])


@pytest.mark.parametrize("format, subtype, apart", [
    ("FLAC", "PCM_16", 0), ("FLAC", "PCM_24", 4e-5), ("NIST", "PCM_16", 0), ("OGG", "VORBIS", 0.1),
    ("MP3", "MPEG_LAYER_III", 0.1), ("AIFF", "PCM_16", 0), ("WAV", "ULAW", 0.02),
])  # fmt: skip
def test_other_formats(format, subtype, apart, tmp_path):
    tone = np.round(0.5 * np.sin(0.1 * np.arange(4000)) * 32767).astype(np.int16)
    soundfile.write(tmp_path / "1.sound", tone, 16000, subtype, format=format)
    samples, rate = sound_files.read(tmp_path / "1.sound")
    assert (samples.dtype, samples.shape[0], rate) == (np.float32, 1, 16000)
    expected = tone / np.float32(32767)
    np.testing.assert_allclose(samples[0, :4000], expected, rtol=0, atol=apart)


DAMAGED = {
    "nothing": (lambda good: b"", "must be a sound, but begins with other bytes"),
    "other bytes": (lambda good: b"<html>" * 20, "must be a sound, but begins with other bytes"),
    "cut in its header": (lambda good: good[:20], "ends in its header"),
    "cut in its data": (lambda good: good[:-3], "must hold 50 frames of 2 bytes"),
    "no data": (lambda good: good[:12] + b"LIST\0\0\0\0", "must be a sound, but"),
    "cut FLAC": (lambda good: b"fLaC" + good, "must be a sound, but"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_named_with_the_cause(name, tmp_path):
    path = tmp_path / "1_0.wav"
    write_wav(path, np.arange(50), 8000)
    change, words = DAMAGED[name]
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(RuntimeError) as error:
        rows(data.YesNoDataset(str(tmp_path)))
    assert str(error.value).startswith(f"For 'YesNoDataset', the file '{path}' of row 0 must ")
    assert words in str(error.value)


@pytest.mark.parametrize("file, text, words", [
    ("metadata.csv", "LJ001-0002|b|c\nLJ001-0001|only\n", "line 2 is 'LJ001-0001|only'"),
    ("metadata.csv", "", "there must be rows"),
    ("metadata.csv", "LJ001-0009|b|c", "LJ001-0009.wav' of row 0 must be readable"),
])  # fmt: skip
def test_texts_that_do_not_fit(file, text, words, where, tmp_path):
    (tmp_path / "wavs").mkdir()
    (tmp_path / file).write_text(text)
    with pytest.raises(RuntimeError, match=words.replace("|", r"\|")):
        rows(data.LJSpeechDataset(str(tmp_path), shuffle=False))


def test_a_sentence_after_the_end_of_the_talk(where, tmp_path):
    for kind in ("sph", "stm"):
        (tmp_path / "dev" / kind).mkdir(parents=True)
    talk = (where / "old" / "dev" / "sph" / "A_2010.sph").read_bytes()
    (tmp_path / "dev" / "sph" / "A.sph").write_bytes(talk)
    for text, words in (("A 1 A 0.5 9.5 <o> late", "must last until 9.5 s, .* lasts 1.000 s"),
                        ("A 1 A x 9.5 <o> late", "must hold numbers in sentence 1")):  # fmt: skip
        (tmp_path / "dev" / "stm" / "A.stm").write_text(text)
        with pytest.raises(RuntimeError, match=words):
            rows(data.TedliumDataset(str(tmp_path), "release1", "dev"))


def test_without_soundfile_an_error_names_the_extra(where, tmp_path, monkeypatch):
    soundfile.write(tmp_path / "1_0.wav", np.zeros(9), 8000, "FLOAT")
    monkeypatch.setitem(sys.modules, "soundfile", None)
    assert len(list(data.YesNoDataset(str(where / "yesno")))) == 2
    with pytest.raises(ModuleNotFoundError, match=r"pip install .*\[audio\]'"):
        list(data.YesNoDataset(str(tmp_path)))


@pytest.mark.slow
def test_without_soundfile_wav_files_are_read_and_others_are_not(where, tmp_path):
    soundfile.write(tmp_path / "1_0.wav", np.zeros(9), 8000, "FLOAT")
    script = (
        "import sys; sys.modules['soundfile'] = None\n"
        "from sporax import data\n"
        "for path in sys.argv[1:]:\n"
        "    try:\n        print(len(list(data.YesNoDataset(path))))\n"
        "    except ModuleNotFoundError as error:\n        print(error)"
    )
    command = [sys.executable, "-c", script, str(where / "yesno"), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout.startswith("2\nsporax needs soundfile to read '"), result.stderr
    assert "[audio]'" in result.stdout
