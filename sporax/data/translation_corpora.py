"""Datasets of sentences and their translations."""

import itertools
from typing import ClassVar
from xml.etree import ElementTree

from sporax._src.diagnosis.argument_kinds import BOOL, one_of, optional
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.text_corpora import Corpus, strings
from sporax.data.text_lines import lines
from sporax.io import untrusted_file


class _Translations(Corpus):
    """Base of corpora in pairs of files, read row by row; file names contain {source} and {target}
    for the two languages, and {language} for the language of the file."""

    _columns_there = "text", "translation"
    _all = "train", "valid", "test"
    _languages = ("de", "en")  # the default
    _pairs = ()  # supported pairs

    def _open_pair(self, dataset_dir, usage, language_pair, rows):
        pair = self._languages if language_pair is None else language_pair
        is_pair = isinstance(pair, (list, tuple))
        require(is_pair, "list-tuple-two-languages", self._who, language_pair=pair)
        self._languages = one_of(*self._pairs).checked(self._who, "language_pair", tuple(pair))
        self._open(dataset_dir, usage, rows)
        self._paths = [self._both(path) for path in self._paths]

    def _both(self, path):
        source, target = self._languages
        return tuple([
            path.with_name(path.name.format(source=source, target=target, language=language))
            for language in self._languages
        ])  # fmt: skip

    def _read(self, path):
        for number, row in enumerate(itertools.zip_longest(*map(self._sentences, path)), 1):
            if None in row:
                fields = {"first": path[0], "second": path[1], "got": number - 1}
                short = path[row.index(None)]
                raise rejection("file-sentences", self._who, path=short, **fields)
            if any(row):
                yield strings(*row)

    def _sentences(self, path):
        return lines(self._who, path)


class Multi30kDataset(_Translations):
    r"""Captions of pictures in English and German (Elliott et al. 2016): text and translation.

    `dataset_dir`: the folder of `training/train.en`, `validation/val.en`,
    `mmt16_task1_test/test.en`, and the German files, `.de`. `usage`: 'train', 'valid', 'test' or
    'all', the default. `language_pair`: ('en', 'de'), the default, or ('de', 'en'). The other
    arguments are as for `TextFileDataset`, but `shuffle` is a bool.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "training"
    >>> folder.mkdir()
    >>> for language, text in (("en", "A man.\n"), ("de", "Ein Mann.\n")):
    ...     _ = (folder / f"train.{language}").write_text(text)
    >>> [x.item() for x in next(iter(Multi30kDataset(str(folder.parent), "train")))]
    ['A man.', 'Ein Mann.']
    """

    _files_of: ClassVar = {
        "train": ["training/train.{language}"], "valid": ["validation/val.{language}"],
        "test": ["mmt16_task1_test/test.{language}"],
    }  # fmt: skip
    _all = "test", "train", "valid"
    _languages = "en", "de"
    _pairs = ("en", "de"), ("de", "en")

    def __init__(
        self, dataset_dir, usage=None, language_pair=None, num_samples=None,
        num_parallel_workers=None, shuffle=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        optional(BOOL)(self._who, shuffle=shuffle)
        rows = num_samples, shuffle, num_shards, shard_id, cache
        self._open_pair(dataset_dir, usage, language_pair, rows)


# Lines of a talk with one of these are not spoken text.
_TAGS = (
    "<url", "<keywords", "<talkid", "<speaker", "<reviewer", "<translator", "<title",
    "<description", "<doc", "</doc",
)  # fmt: skip


class _Talks(_Translations):
    """Talks: tagged lines for training, XML for validation and test."""

    def _sentences(self, path):
        if path.suffix != ".xml":
            spoken = (line.strip() for line in lines(self._who, path))
            return (line for line in spoken if line and not any(tag in line for tag in _TAGS))
        try:
            tree = ElementTree.fromstring(untrusted_file.content(path))
        except OSError as error:
            cause = untrusted_file.cause(error)
            raise rejection("file-cannot-read", self._who, path=path, cause=cause) from None
        except ElementTree.ParseError as error:
            raise rejection("file-xml", self._who, path=path, cause=error) from None
        return ((segment.text or "").strip() for segment in tree.iter("seg"))


_TRAINING = "train.tags.{source}-{target}.{language}"
_SETS = "dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014"


class IWSLT2016Dataset(_Talks):
    r"""Talks in English and in Arabic, Czech, French or German (Cettolo et al. 2012): text and
    translation.

    `dataset_dir`: the folder of `texts`, which contains `de/en/de-en` and so on. `usage`: 'train',
    'valid', 'test' or 'all', the default. `language_pair`: two of 'en', 'ar', 'cs', 'de' and
    'fr', by default ('de', 'en'). `valid_set`, `test_set`: one of 'dev2010', 'tst2010' to
    'tst2014', by default 'tst2013' and 'tst2014'. The other arguments are as for
    `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "texts/de/en/de-en").mkdir(parents=True)
    >>> for language, text in (("de", "<url>x</url>\nHallo\n"), ("en", "<url>x</url>\nHello\n")):
    ...     path = folder / f"texts/de/en/de-en/train.tags.de-en.{language}"
    ...     _ = path.write_text(text)
    >>> [x.item() for x in next(iter(IWSLT2016Dataset(str(folder), "train")))]
    ['Hallo', 'Hello']
    """

    _pairs = tuple(
        pair for other in ("ar", "cs", "de", "fr") for pair in (("en", other), (other, "en"))
    )

    def __init__(
        self, dataset_dir, usage=None, language_pair=None, valid_set=None, test_set=None,
        num_samples=None, shuffle=True, num_shards=None, shard_id=None, num_parallel_workers=None,
        cache=None,
    ):  # fmt: skip
        sets = "tst2013" if valid_set is None else valid_set, test_set or "tst2014"
        for name, chosen in zip(("valid_set", "test_set"), sets, strict=True):
            one_of(*_SETS).checked(self._who, name, chosen)
        template = "IWSLT16.TED.{set}.{{source}}-{{target}}.{{language}}.xml"
        self._files_of = {
            "train": [_TRAINING], "valid": [template.format(set=sets[0])],
            "test": [template.format(set=sets[1])],
        }  # fmt: skip
        rows = num_samples, shuffle, num_shards, shard_id, cache
        self._open_pair(dataset_dir, usage, language_pair, rows)

    def _both(self, path):
        source, target = self._languages
        folder = path.parent / "texts" / source / target / f"{source}-{target}"
        return super()._both(folder / path.name)


class IWSLT2017Dataset(_Talks):
    r"""Talks in two of German, English, Italian, Dutch and Romanian (Cettolo et al. 2012): text and
    translation.

    `dataset_dir`: the folder of `texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo`. `usage`:
    'train', 'valid' (dev2010), 'test' (tst2010) or 'all', the default. `language_pair`: by
    default ('de', 'en'). The other arguments are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> talks = folder / "texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
    >>> talks.mkdir(parents=True)
    >>> for language, text in (("de", "Hallo\n"), ("en", "Hello\n")):
    ...     _ = (talks / f"train.tags.de-en.{language}").write_text(text)
    >>> [x.item() for x in next(iter(IWSLT2017Dataset(str(folder), "train")))]
    ['Hallo', 'Hello']
    """

    _files_of: ClassVar = {
        usage: [f"texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo/{name}"]
        for usage, name in (
            ("train", _TRAINING),
            ("valid", "IWSLT17.TED.dev2010.{source}-{target}.{language}.xml"),
            ("test", "IWSLT17.TED.tst2010.{source}-{target}.{language}.xml"),
        )
    }
    _pairs = tuple(itertools.permutations(("de", "en", "it", "nl", "ro"), 2))

    def __init__(
        self, dataset_dir, usage=None, language_pair=None, num_samples=None, shuffle=True,
        num_shards=None, shard_id=None, num_parallel_workers=None, cache=None,
    ):  # fmt: skip
        rows = num_samples, shuffle, num_shards, shard_id, cache
        self._open_pair(dataset_dir, usage, language_pair, rows)


__all__ = ["IWSLT2016Dataset", "IWSLT2017Dataset", "Multi30kDataset"]
