"""Datasets of texts, in their published file layouts."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, STR, one_of, optional
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.file_set import FileSet
from sporax.data.row_files import RowFiles
from sporax.data.text_files import CSVRows
from sporax.data.text_lines import lines


def strings(*texts):
    return tuple([np.array(text) for text in texts])


class Corpus(RowFiles):
    """Base of corpora in a folder; a subclass defines the file names by usage, and the columns."""

    _files_of: ClassVar = {"train": ["train.csv"], "test": ["test.csv"]}
    _all = "test", "train"  # the usages whose files make up 'all', in order
    _columns_there = ("text",)
    _default = "all"

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=True,
        num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(dataset_dir, usage, (num_samples, shuffle, num_shards, shard_id, cache))

    def _open(self, dataset_dir, usage, rows):
        self._folder = _folder(self._who, dataset_dir)
        optional(STR)(self._who, usage=usage)
        usages = [*self._files_of, *(["all"] if self._all else [])]
        usage = one_of(*usages).checked(self._who, "usage", usage or self._default)
        splits = self._all if usage == "all" else [usage]
        names = [name for split in splits for name in self._files_of[split]]
        super().__init__([self._folder / name for name in names], self._columns_of(usage), *rows)

    def _columns_of(self, usage):
        return self._columns_there


class _CorpusWorkersLast(Corpus):
    """A `Corpus` whose constructor takes `num_parallel_workers` after the sharding arguments."""

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, shuffle=True, num_shards=None,
        shard_id=None, num_parallel_workers=None, cache=None,
    ):  # fmt: skip
        self._open(dataset_dir, usage, (num_samples, shuffle, num_shards, shard_id, cache))


def _folder(who, dataset_dir):
    is_folder = Path(STR.checked(who, "dataset_dir", dataset_dir)).is_dir()
    require(is_folder, "folder", who, path=dataset_dir, error=ValueError)
    return Path(dataset_dir)


# CSV ----------------------------------------------------------------------------------------


class AGNewsDataset(Corpus, CSVRows):
    r"""News in 4 classes (Zhang et al. 2015): index, title and description, as strings.

    `dataset_dir`: the folder of `train.csv` and `test.csv`. `usage`: 'train', 'test' or 'all', the
    default. The other arguments are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "train.csv").write_text('"3","A ""title"" now","Text"\n')
    >>> [x.item() for x in next(iter(AGNewsDataset(str(folder), "train")))]
    ['3', 'A "title" now', 'Text']
    """

    _columns_there = "index", "title", "description"


class AmazonReviewDataset(Corpus, CSVRows):
    r"""Reviews of products (Zhang et al. 2015): label, title and content, as strings.

    The files and arguments are as for `AGNewsDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.csv").write_text('"1","Bad","It broke"\n')
    >>> [x.item() for x in next(iter(AmazonReviewDataset(str(folder), "test")))]
    ['1', 'Bad', 'It broke']
    """

    _columns_there = "label", "title", "content"


class DBpediaDataset(Corpus, CSVRows):
    r"""Articles in 14 classes (Zhang et al. 2015): class, title and content, as strings.

    The files and arguments are as for `AGNewsDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.csv").write_text('1,"TY KU","A company"\n')
    >>> [x.item() for x in next(iter(DBpediaDataset(str(folder), "test")))]
    ['1', 'TY KU', 'A company']
    """

    _columns_there = "class", "title", "content"


class SogouNewsDataset(_CorpusWorkersLast, CSVRows):
    r"""News in 5 classes (Zhang et al. 2015): index, title and content, as strings.

    The files and arguments are as for `AGNewsDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.csv").write_text('"1","ti4 yu4","bi3 sai4"\n')
    >>> [x.item() for x in next(iter(SogouNewsDataset(str(folder), "test")))]
    ['1', 'ti4 yu4', 'bi3 sai4']
    """

    _columns_there = "index", "title", "content"
    _all = "train", "test"


class YahooAnswersDataset(Corpus, CSVRows):
    r"""Questions in 10 classes (Zhang et al. 2015): class, title, content and answer, as strings.

    The files and arguments are as for `AGNewsDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.csv").write_text('"9","Why?","","Because"\n')
    >>> [x.item() for x in next(iter(YahooAnswersDataset(str(folder), "test")))]
    ['9', 'Why?', '', 'Because']
    """

    _columns_there = "class", "title", "content", "answer"


class YelpReviewDataset(_CorpusWorkersLast, CSVRows):
    r"""Reviews of places (Zhang et al. 2015): label and text, as strings.

    The files and arguments are as for `AGNewsDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.csv").write_text('"2","Good food"\n')
    >>> [x.item() for x in next(iter(YelpReviewDataset(str(folder), "test")))]
    ['2', 'Good food']
    """

    _columns_there = "label", "text"
    _all = "train", "test"


class SST2Dataset(Corpus):
    r"""Sentences of film reviews (Socher et al. 2013): sentence and label, as strings.

    `dataset_dir`: the folder of `train.tsv`, `dev.tsv` and `test.tsv`. `usage`: 'train' (the
    default), 'dev', or 'test', which has no labels. The other arguments are as for
    `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "train.tsv").write_text("sentence\tlabel\na gem \t1\n")
    >>> [x.item() for x in next(iter(SST2Dataset(str(folder))))]
    ['a gem ', '1']
    """

    _files_of: ClassVar = {name: [f"{name}.tsv"] for name in ("train", "test", "dev")}
    _all, _default = (), "train"

    def _columns_of(self, usage):
        return ["sentence"] if usage == "test" else ["sentence", "label"]

    def _read(self, path):
        rows = (line.split("\t") for line in lines(self._who, path))
        head = next(rows, [])
        fits, fields = set(self._columns) <= set(head), {"names": self._columns, "got": head}
        require(fits, "line-named-columns", self._who, path=path, i=1, **fields)
        indices = [head.index(name) for name in self._columns]
        for number, row in enumerate(rows, 2):
            n, fields = len(head), {"names": head, "got": len(row)}
            require(len(row) == n, "line-columns", self._who, path=path, i=number, n=n, **fields)
            yield strings(*[row[i] for i in indices])


# lines --------------------------------------------------------------------------------------


class PennTreebankDataset(Corpus):
    r"""Sentences of the Penn Treebank (Mikolov et al. 2010), as one column of strings, text.

    `dataset_dir`: the folder of `ptb.train.txt`, `ptb.valid.txt` and `ptb.test.txt`. `usage`:
    'train', 'valid', 'test' or 'all', the default. The other arguments are as for
    `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "ptb.test.txt").write_text(" no it was n't \n")
    >>> [text.item() for text, in PennTreebankDataset(str(folder), "test")]
    [" no it was n't "]
    """

    _files_of: ClassVar = {split: [f"ptb.{split}.txt"] for split in ("train", "valid", "test")}
    _all = "test", "train", "valid"

    def _read(self, path):
        return (strings(line) for line in lines(self._who, path) if line)


class WikiTextDataset(PennTreebankDataset):
    r"""Articles of Wikipedia (Merity et al. 2016) by lines, as one column of strings, text.

    `dataset_dir`: the folder of `wiki.train.tokens`, `wiki.valid.tokens` and `wiki.test.tokens`.
    The other arguments are as for `PennTreebankDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "wiki.test.tokens").write_text(" = Title = \n")
    >>> [text.item() for text, in WikiTextDataset(str(folder), "test")]
    [' = Title = ']
    """

    _files_of: ClassVar = {split: [f"wiki.{split}.tokens"] for split in ("train", "valid", "test")}


class EnWik9Dataset(Corpus):
    r"""The lines of the first 10^9 bytes of Wikipedia, including empty ones: strings, text.

    `dataset_dir`: the folder of the file `enwik9`. The other arguments are as for
    `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "enwik9").write_text("<page>\n</page>\n")
    >>> [text.item() for text, in EnWik9Dataset(str(folder), shuffle=False)]
    ['<page>', '</page>']
    """

    _files_of: ClassVar = {"all": ["enwik9"]}
    _all = ("all",)

    def __init__(
        self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=True,
        num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        self._open(dataset_dir, None, (num_samples, shuffle, num_shards, shard_id, cache))

    def _read(self, path):
        return (strings(line) for line in lines(self._who, path))


class IMDBDataset(FileSet):
    """Reviews of films (Maas et al. 2011): text, and label, Int32, 1 for positive and 0 for
    negative reviews.

    `dataset_dir`: the folder of `train` and `test`, each with files in `pos` and in `neg`.
    `usage`: 'train', 'test' or 'all', the default. `num_samples`, `shuffle`, `sampler`,
    `num_shards`, `shard_id`: which rows, as for `GeneratorDataset`. `num_parallel_workers`,
    `cache`: as for `map`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for kind in ("pos", "neg"):
    ...     (folder / "test" / kind).mkdir(parents=True)
    ...     _ = (folder / "test" / kind / "0_9.txt").write_text(f"A {kind} film")
    >>> [(text.item(), label.item()) for text, label in IMDBDataset(str(folder), "test",
    ...                                                             shuffle=False)]
    [('A pos film', 1), ('A neg film', 0)]
    """

    columns: ClassVar = ("text", "label")
    splits: ClassVar = {"all": ("train", "test"), "train": ("train",), "test": ("test",)}

    def __init__(
        self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None,
        sampler=None, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        optional(BOOL)(type(self).__name__, shuffle=shuffle)
        self._open(locals())

    def num_classes(self):
        """Return the number of classes: positive and negative."""
        return 2

    def _split_rows(self, split):
        for kind, label in (("pos", 1), ("neg", 0)):
            paths = sorted(self._folder(f"{split}/{kind}").glob("*.txt"))
            yield from [(path, np.int32(label)) for path in paths]

    def _read_row(self, i, row):
        path, label = row
        text = "".join(lines(self._who, path, keepends=True))
        return text.removesuffix("\n"), label


# columns of words ---------------------------------------------------------------------------


class CoNLL2000Dataset(_CorpusWorkersLast):
    r"""Sentences with chunks (Tjong Kim Sang and Buchholz 2000): arrays of word, pos_tag and
    chunk_tag, as long as the sentence.

    `dataset_dir`: the folder of `train.txt` and `test.txt`, with one line per word and an empty
    line after each sentence. `usage`: 'train', 'test' or 'all', the default. The other arguments
    are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "test.txt").write_text("He PRP B-NP\nreckons VBZ B-VP\n\n")
    >>> [x.tolist() for x in next(iter(CoNLL2000Dataset(str(folder), "test")))]
    [['He', 'reckons'], ['PRP', 'VBZ'], ['B-NP', 'B-VP']]
    """

    _files_of: ClassVar = {"train": ["train.txt"], "test": ["test.txt"]}
    _columns_there = "word", "pos_tag", "chunk_tag"
    _separator = " "

    def _read(self, path):
        sentence = []
        for number, line in enumerate(lines(self._who, path), 1):
            if line.strip():
                sentence.append(line.split(self._separator))
                if len(sentence[-1]) != (n := len(self._columns)):
                    fields = {"n": n, "separator": self._separator, "got": line}
                    raise rejection("line-separated", self._who, path=path, i=number, **fields)
            elif sentence:
                yield strings(*zip(*sentence, strict=True))
                sentence = []
        if sentence:
            yield strings(*zip(*sentence, strict=True))


class UDPOSDataset(CoNLL2000Dataset):
    r"""Sentences with parts of speech (Universal Dependencies): arrays of word, universal and
    stanford, as long as the sentence.

    `dataset_dir`: the folder of `en-ud-tag.v2.train.txt`, `en-ud-tag.v2.dev.txt` and
    `en-ud-tag.v2.test.txt`. `usage`: 'train', 'valid', 'test' or 'all', the default. The other
    arguments are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "en-ud-tag.v2.dev.txt").write_text("From\tADP\tIN\n\n")
    >>> [x.tolist() for x in next(iter(UDPOSDataset(str(folder), "valid")))]
    [['From'], ['ADP'], ['IN']]
    """

    _files_of: ClassVar = {
        usage: [f"en-ud-tag.v2.{split}.txt"]
        for usage, split in (("train", "train"), ("valid", "dev"), ("test", "test"))
    }
    _all = "valid", "test", "train"
    _columns_there = "word", "universal", "stanford"
    _separator = "\t"


__all__ = [
    "AGNewsDataset", "AmazonReviewDataset", "CoNLL2000Dataset", "DBpediaDataset", "EnWik9Dataset",
    "IMDBDataset", "PennTreebankDataset", "SST2Dataset", "SogouNewsDataset", "UDPOSDataset",
    "WikiTextDataset", "YahooAnswersDataset", "YelpReviewDataset",
]  # fmt: skip
