"""Datasets of recordings, in their published file layouts."""

import csv
import re
from pathlib import Path
from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import sound_files
from sporax.data.file_set import FileSet
from sporax.io.untrusted_file import cause


class _Recordings(FileSet):
    """Base of datasets of recordings: a row is a path, or (path, start, end) in seconds, and the
    values that follow the waveform and the rate."""

    _rate = None  # the sample rate that files must have
    _rate_kind = np.int32

    def _read_row(self, i, row):
        location, *known = row
        path, *interval = location if isinstance(location, tuple) else (location,)
        try:
            samples, rate = sound_files.read(self._inside(path), *interval)
        except OSError as error:
            reason = message("must-be-readable", cause=cause(error))
            raise rejection("file-of-row", self._who, path=path, i=i, reason=reason) from None
        except ValueError as error:
            raise rejection("file-of-row", self._who, path=path, i=i, reason=error) from None
        if self._rate not in (None, rate):
            reason = message("must-have-rate", rate=self._rate, got=rate)
            raise rejection("file-of-row", self._who, path=path, i=i, reason=reason)
        return samples, self._rate_kind(rate), *known

    def _matched(self, path, line, pattern, number):
        """Return the groups of a line of a text file."""
        match = re.fullmatch(pattern, line)
        if match is None:
            raise rejection("file-line-of-set", self._who, path=path, i=number, got=line)
        return match.groups()

    def _table(self, path, pattern):
        """Return the groups of each non-empty line."""
        lines = enumerate(self._lines(path), 1)
        return [self._matched(path, line, pattern, number) for number, line in lines if line]


def _strings(*texts):
    return [np.array(text) for text in texts]


class CMUArcticDataset(_Recordings):
    """Sentences read by one speaker (Kominek and Black 2003): waveform (1, time) of Float32,
    sample_rate UInt32, transcript and utterance_id.

    `dataset_dir`: the folder of `cmu_us_aew_arctic` and so on, each with `wav` and
    `etc/txt.done.data`. `name`: the speaker, 'aew' by default. `num_samples`, `shuffle`, `sampler`,
    `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`. `num_parallel_workers`,
    `cache`: as for `map`.

    >>> import pathlib, tempfile, wave
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "cmu_us_aew_arctic" / "wav").mkdir(parents=True)
    >>> (folder / "cmu_us_aew_arctic" / "etc").mkdir()
    >>> text = folder / "cmu_us_aew_arctic" / "etc" / "txt.done.data"
    >>> _ = text.write_text('( arctic_a0001 "Author of the danger trail." )')
    >>> file = wave.open(str(folder / "cmu_us_aew_arctic" / "wav" / "arctic_a0001.wav"), "wb")
    >>> file.setparams((1, 2, 16000, 0, "NONE", "")); file.writeframes(bytes(8)); file.close()
    >>> waveform, rate, text, key = next(iter(CMUArcticDataset(str(folder))))
    >>> waveform.shape, rate.item(), text.item(), key.item()
    ((1, 4), 16000, 'Author of the danger trail.', 'a0001')
    """

    columns = "waveform", "sample_rate", "transcript", "utterance_id"
    choices: ClassVar = {
        "name": (
            "aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp",
            "ljm", "lnh", "rms", "rxr", "slp", "slt",
        )
    }  # fmt: skip
    _rate, _rate_kind = 16000, np.uint32

    def __init__(
        self, dataset_dir, name=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        folder = self._folder(f"cmu_us_{self.given.name}_arctic")
        said = self._table(folder / "etc" / "txt.done.data", r'\( *arctic_(\S+) *"(.*)" *\)')
        return [(folder / "wav" / f"arctic_{key}.wav", *_strings(text, key)) for key, text in said]


_GENRES = (
    "blues", "classical", "country", "disco", "hiphop", "jazz", "metal", "pop", "reggae", "rock",
)  # fmt: skip


class GTZANDataset(_Recordings):
    """Music in 10 genres (Tzanetakis et al. 2001): waveform (1, time) of Float32, sample_rate
    UInt32, and label, the genre's name.

    `dataset_dir`: a folder with one folder per genre, with files such as `blues.00000.wav`.
    `usage`: 'train', 'valid' or 'test', the split without faulty tracks (Kereliuk et al. 2015), or
    'all', the default. The other arguments are as for `CMUArcticDataset`.

    >>> import pathlib, tempfile, wave
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "jazz").mkdir()
    >>> file = wave.open(str(folder / "jazz" / "jazz.00001.wav"), "wb")
    >>> file.setparams((1, 2, 22050, 0, "NONE", "")); file.writeframes(bytes(8)); file.close()
    >>> [label.item() for _, _, label in GTZANDataset(str(folder))]
    ['jazz']
    """

    columns = "waveform", "sample_rate", "label"
    choices: ClassVar = {"usage": ("all", "train", "valid", "test")}
    _rate, _rate_kind = 22050, np.uint32

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        tracks = self._tracks()
        return [
            (path, np.array(genre))
            for genre in _GENRES
            for path in sorted((self.given.dataset_dir / genre).glob(f"{genre}.*.wav"))
            if tracks is None or path.suffixes[0][1:] in tracks[genre]
        ]

    def _tracks(self):
        """Return {genre: its track numbers, of five digits}; None for all."""
        if self.given.usage == "all":
            return None
        with open(Path(__file__).with_name("gtzan_split.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["usage"] == self.given.usage]
        tracks = {genre: set() for genre in _GENRES}
        for row in rows:
            for interval in row["tracks"].split():
                first, _, last = interval.partition("-")
                numbers = range(int(first), int(last or first) + 1)
                tracks[row["genre"]].update(f"{number:05}" for number in numbers)
        return tracks


_LIBRI = (
    "dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360",
    "train-other-500",
)  # fmt: skip


class LibriTTSDataset(_Recordings):
    r"""Sentences of audiobooks (Zen et al. 2019): waveform (1, time) of Float32, sample_rate
    UInt32, original_text, normalized_text, speaker_id and chapter_id UInt32, and utterance_id.

    `dataset_dir`: the folder of `dev-clean` and so on, each with one folder per speaker, which has
    one per chapter. `usage`: 'dev-clean', 'dev-other', 'test-clean', 'test-other',
    'train-clean-100', 'train-clean-360', 'train-other-500' or 'all', the default. The other
    arguments are as for `CMUArcticDataset`.

    >>> import pathlib, tempfile, wave
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "dev-clean" / "84" / "121123"
    >>> folder.mkdir(parents=True)
    >>> _ = (folder / "84_121123.trans.tsv").write_text("84_121123_000007_000001\tDr. X\tDoctor X")
    >>> file = wave.open(str(folder / "84_121123_000007_000001.wav"), "wb")
    >>> file.setparams((1, 2, 24000, 0, "NONE", "")); file.writeframes(bytes(8)); file.close()
    >>> row = next(iter(LibriTTSDataset(str(folder.parents[2]))))
    >>> [x.item() for x in row[1:]]
    [24000, 'Dr. X', 'Doctor X', 84, 121123, '84_121123_000007_000001']
    """

    columns = (
        "waveform", "sample_rate", "original_text", "normalized_text", "speaker_id", "chapter_id",
        "utterance_id",
    )  # fmt: skip
    splits: ClassVar = {"all": _LIBRI, **{split: (split,) for split in _LIBRI}}
    _rate, _rate_kind = 24000, np.uint32

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _split_rows(self, split):
        for path in sorted(self.given.dataset_dir.glob(f"{split}/*/*/*.trans.tsv")):
            for said in self._table(path, r"((\d+)_(\d+)_\S+)\t([^\t]*)\t([^\t]*)"):
                key, speaker, chapter, *texts = said
                known = *_strings(*texts), np.uint32(speaker), np.uint32(chapter), np.array(key)
                yield path.with_name(f"{key}.wav"), *known


class LJSpeechDataset(_Recordings):
    """Sentences of one speaker (Ito and Johnson 2017): waveform (1, time) of Float32, sample_rate
    Int32, transcription and normalized_transcription.

    `dataset_dir`: the folder of `metadata.csv` and `wavs`. The other arguments are as for
    `CMUArcticDataset`.

    >>> import pathlib, tempfile, wave
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "wavs").mkdir()
    >>> _ = (folder / "metadata.csv").write_text("LJ001-0001|In 1456|In fourteen fifty-six")
    >>> file = wave.open(str(folder / "wavs" / "LJ001-0001.wav"), "wb")
    >>> file.setparams((1, 2, 22050, 0, "NONE", "")); file.writeframes(bytes(8)); file.close()
    >>> [x.item() for x in next(iter(LJSpeechDataset(str(folder))))[1:]]
    [22050, 'In 1456', 'In fourteen fifty-six']
    """

    columns = "waveform", "sample_rate", "transcription", "normalized_transcription"

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
        num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        said = self._table(self.given.dataset_dir / "metadata.csv", r"([^|]+)\|([^|]*)\|([^|]*)")
        folder = self._folder("wavs")
        return [(folder / f"{key}.wav", *_strings(*texts)) for key, *texts in said]


class SpeechCommandsDataset(_Recordings):
    """Single words of many speakers (Warden 2018): waveform (1, time) of Float32, sample_rate
    Int32, label (the word), speaker_id, and utterance_number Int32.

    `dataset_dir`: a folder with one folder per word, `validation_list.txt` and `testing_list.txt`.
    `usage`: 'train' (files in neither list), 'valid', 'test' or 'all', the default. The other
    arguments are as for `CMUArcticDataset`.

    >>> import pathlib, tempfile, wave
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "cat").mkdir()
    >>> file = wave.open(str(folder / "cat" / "b433eff_nohash_2.wav"), "wb")
    >>> file.setparams((1, 2, 16000, 0, "NONE", "")); file.writeframes(bytes(8)); file.close()
    >>> [x.item() for x in next(iter(SpeechCommandsDataset(str(folder))))[1:]]
    [16000, 'cat', 'b433eff', 2]
    """

    columns = "waveform", "sample_rate", "label", "speaker_id", "utterance_number"
    choices: ClassVar = {"usage": ("all", "train", "valid", "test")}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        folder, usage = self.given.dataset_dir, self.given.usage
        lists = {"valid": "validation_list.txt", "test": "testing_list.txt"}
        if usage in lists:
            names = [line for line in self._lines(folder / lists[usage]) if line]
        else:
            names = [f"{p.parent.name}/{p.name}" for p in sorted(folder.glob("*/*_nohash_*.wav"))]
        if usage == "train":
            names = set(names).difference(*[self._lines(folder / x) for x in lists.values()])
        return [self._command(name) for name in sorted(names)]

    def _command(self, name):
        pattern = r"([^/]+)/([^/]+)_nohash_(\d+)\.wav"
        word, speaker, number = self._matched(self.given.dataset_dir, name, pattern, name)
        return self.given.dataset_dir / name, *_strings(word, speaker), np.int32(number)


class TedliumDataset(_Recordings):
    r"""Sentences of talks (Rousseau et al. 2012): waveform (1, time) of Float32, sample_rate Int32,
    transcript, talk_id, speaker_id and identifier.

    `dataset_dir`: the folder of `train`, `dev` and `test`, or for release 3 of `data`; each has
    `sph` and `stm`. `release`: 'release1', 'release2' or 'release3'. `usage`: 'train', 'dev',
    'test' or 'all', the default and the only one of release 3. `extensions`: '.sph'. Files are read
    by soundfile: `pip install 'sporax[audio]'`. The other arguments are as for
    `CMUArcticDataset`.

    >>> import pathlib, soundfile, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "dev"
    >>> (folder / "sph").mkdir(parents=True); (folder / "stm").mkdir()
    >>> _ = (folder / "stm" / "X.stm").write_text("X 1 Speaker 0.25 0.5 <o,f0,male> good morning")
    >>> soundfile.write(folder / "sph" / "X.sph", np.zeros(16000), 16000, "PCM_16", format="NIST")
    >>> waveform, *known = next(iter(TedliumDataset(str(folder.parent), "release1", "dev")))
    >>> waveform.shape, [x.item() for x in known]
    ((1, 4000), [16000, 'good morning', 'X', 'Speaker', '<o,f0,male>'])
    """

    columns = "waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier"
    choices: ClassVar = {"release": ("release1", "release2", "release3")}
    splits: ClassVar = {
        "all": ("dev", "test", "train"), "train": ("train",), "test": ("test",), "dev": ("dev",),
    }  # fmt: skip

    def __init__(
        self, dataset_dir, release, usage=None, extensions=None, num_samples=None,
        num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None,
        cache=None,
    ):  # fmt: skip
        require(
            extensions in (None, ".sph"),
            "must-equal",
            "TedliumDataset",
            extensions=extensions,
            value=".sph",
            error=RuntimeError,
        )
        if release == "release3":
            one_of("all")("TedliumDataset", usage=usage or "all")
        self._open(locals())

    def _rows(self):
        splits = ("data",) if self.given.release == "release3" else self.splits[self.given.usage]
        rows = [row for split in splits for row in self._split_rows(split)]
        # as in MindSpore, the first sentence of each talk, then the second
        return [row for _, row in sorted(rows, key=lambda pair: pair[0])]

    def _split_rows(self, split):
        for path in sorted(self._folder(f"{split}/stm").glob("*.stm")):
            sound = path.parents[1] / "sph" / f"{path.stem}.sph"
            said = self._table(path, r"(\S+) \S+ (\S+) (\S+) (\S+) (\S+) ?(.*)")
            for number, (talk, speaker, *times, identifier, text) in enumerate(said):
                start, end = self._numbers(path, ("sentence-number", number + 1), float, times)
                known = _strings(text, talk, speaker, identifier)
                yield (number, path.stem), ((sound, start, end), *known)


class YesNoDataset(_Recordings):
    """Eight words, each yes or no in Hebrew (OpenSLR 1): waveform (1, time) of Float32,
    sample_rate Int32, and label, Int32 (8,): 1 for yes.

    `dataset_dir`: the folder of files such as `0_0_0_0_1_1_1_1.wav`. The other arguments are as for
    `CMUArcticDataset`.

    >>> import pathlib, tempfile, wave
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> file = wave.open(str(folder / "0_0_0_0_1_1_1_1.wav"), "wb")
    >>> file.setparams((1, 2, 8000, 0, "NONE", "")); file.writeframes(bytes(8)); file.close()
    >>> waveform, rate, label = next(iter(YesNoDataset(str(folder))))
    >>> waveform.shape, rate.item(), label.asnumpy()
    ((1, 4), 8000, array([0, 0, 0, 0, 1, 1, 1, 1], dtype=int32))
    """

    columns = "waveform", "sample_rate", "label"

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
        num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(locals())

    def _rows(self):
        paths = sorted(self.given.dataset_dir.glob("*.wav"))
        return [(path, np.array(self._words(path), np.int32)) for path in paths]

    def _words(self, path):
        return self._numbers(path, ("its-name", 0), int, path.stem.split("_"))


__all__ = [
    "CMUArcticDataset", "GTZANDataset", "LJSpeechDataset", "LibriTTSDataset",
    "SpeechCommandsDataset", "TedliumDataset", "YesNoDataset",
]  # fmt: skip
