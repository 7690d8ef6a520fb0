"""Datasets of texts in JSON files."""

from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import one_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.row_files import RowFiles, matched_files
from sporax.data.text_corpora import Corpus
from sporax.data.text_lines import lines
from sporax.io.untrusted_file import json_of

_PAIR = "sentence1", "sentence2"
_SPANS = "span1_index", "span1_text", "span2_index", "span2_text"
_NUMBERS = "id", "idx", "span1_index", "span2_index"
_COLUMNS = {  # task: (columns to train and evaluate, columns to test)
    "AFQMC": (["label", *_PAIR], ["id", *_PAIR]),
    "CMNLI": (["label", *_PAIR], ["id", *_PAIR]),
    "TNEWS": (["keywords", "label", "label_desc", "sentence"], ["id", "keywords", "sentence"]),
    "IFLYTEK": (["label", "label_des", "sentence"], ["id", "sentence"]),
    "WSC": (["idx", "label", *_SPANS, "text"], ["idx", *_SPANS, "text"]),
    "CSL": (["abst", "id", "keyword", "label"], ["abst", "id", "keyword"]),
}


class CLUEDataset(RowFiles):
    r"""Tasks of the Chinese Language Understanding Evaluation (Xu et al. 2020).

    `dataset_files`: a path, a pattern, or a list of them, for files with one JSON object per line.
    `task`: 'AFQMC', 'TNEWS', 'IFLYTEK', 'CMNLI', 'WSC' or 'CSL'. `usage`: 'train', 'eval' or
    'test'. The columns are the fields of the task, in alphabetical order: strings, and indices as
    UInt32. The other arguments are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "test.json"
    >>> _ = path.write_text('{"id": 3, "sentence1": "a", "sentence2": "b"}\n')
    >>> data = CLUEDataset(str(path), "AFQMC", "test")
    >>> data.get_col_names(), [x.tolist() for x in next(iter(data))]
    (['id', 'sentence1', 'sentence2'], [3, 'a', 'b'])
    """

    def __init__(
        self, dataset_files, task="AFQMC", usage="train", num_samples=None,
        num_parallel_workers=None, shuffle=True, num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        files = matched_files(self._who, dataset_files)
        columns = _COLUMNS[one_of(*_COLUMNS).checked(self._who, "task", task)]
        one_of("train", "test", "eval")(self._who, usage=usage)
        super().__init__(
            files, columns[usage == "test"], num_samples, shuffle, num_shards, shard_id, cache
        )

    def _read(self, path):
        for number, line in enumerate(lines(self._who, path), 1):
            if not line.strip():
                continue
            try:
                fields = json_of(line)
            except ValueError as error:
                fields = {"path": path, "i": number, "cause": error}
                raise rejection("line-of-json", self._who, **fields) from None
            fields = fields if isinstance(fields, dict) else {}
            fields |= fields.get("target", {}) if "span1_index" in self._columns else {}
            absent = [name for name in self._columns if name not in fields]
            said = {"i": number, "names": self._columns, "got": absent}
            require(not absent, "line-object", self._who, path=path, **said)
            yield tuple([_array(name, fields[name]) for name in self._columns])


def _array(name, value):
    return np.array(value, np.uint32 if name in _NUMBERS else np.str_)


class SQuADDataset(Corpus):
    r"""Questions on paragraphs of Wikipedia (Rajpurkar et al. 2016, 2018), in SQuAD 1.1 and 2.0.

    The columns are context and question, strings, text, an array of the answers, and
    answer_start, their offsets in the context, UInt32. A question without an answer has one text
    '' at offset 2^32 - 1.

    `dataset_dir`: the folder of `train-v1.1.json` and `dev-v1.1.json`, or of the files of 2.0.
    `usage`: 'train', 'dev' or 'all', the default. The other arguments are as for `TextFileDataset`.

    >>> import json, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> question = {"question": "Where?", "answers": [{"text": "Bern", "answer_start": 3}]}
    >>> paragraph = {"context": "In Bern.", "qas": [question]}
    >>> text = json.dumps({"data": [{"paragraphs": [paragraph]}]})
    >>> _ = (folder / "dev-v1.1.json").write_text(text)
    >>> [x.tolist() for x in next(iter(SQuADDataset(str(folder), "dev")))]
    ['In Bern.', 'Where?', ['Bern'], [3]]
    """

    _files_of: ClassVar = {"train": ["train-v*.json"], "dev": ["dev-v*.json"]}
    _all = "train", "dev"
    _columns_there = "context", "question", "text", "answer_start"

    def _open(self, dataset_dir, usage, rows):
        super()._open(dataset_dir, usage, rows)
        patterns, self._paths = self._paths, []
        for pattern in patterns:
            matches = sorted(self._folder.glob(pattern.name))
            require(matches, "there-must-be-file", self._who, path=pattern, error=RuntimeError)
            self._paths += matches

    def _read(self, path):
        try:
            tree = json_of("".join(lines(self._who, path, keepends=True)))
            for article in tree["data"]:
                for paragraph in article["paragraphs"]:
                    for question in paragraph["qas"]:
                        yield _answered(paragraph["context"], question)
        except ValueError as error:
            raise rejection("file-json", self._who, path=path, cause=error) from None
        except (KeyError, TypeError) as error:
            raise rejection("file-of-squad", self._who, path=path, cause=error) from None


def _answered(context, question):
    answers = question["answers"]
    texts = [answer["text"] for answer in answers] or [""]
    starts = [answer["answer_start"] for answer in answers] or [2**32 - 1]
    return (
        np.array(context),
        np.array(question["question"]),
        np.array(texts),
        np.array(starts, np.uint32),
    )


__all__ = ["CLUEDataset", "SQuADDataset"]
