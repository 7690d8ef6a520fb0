"""Datasets of arbitrary text and CSV files."""

import csv

import numpy as np

from sporax._src.diagnosis.argument_kinds import STR
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import argument_checks as check
from sporax.data.row_files import RowFiles, matched_files
from sporax.data.text_lines import lines


class TextFileDataset(RowFiles):
    """The non-empty lines of UTF-8 text files.

    `dataset_files`: a path, a pattern such as 'texts/*.txt', or a list of them; files are read in
    the order of their names. `num_samples`: the maximum number of lines. `shuffle`: a bool,
    Shuffle.GLOBAL (files and lines, the default) or Shuffle.FILES. `num_shards`, `shard_id`: read
    one of `num_shards` parts of equal size. `num_parallel_workers` has no effect here.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = path.write_text("Hello\\n\\nworld\\n")
    >>> [text.item() for text, in TextFileDataset(str(path), shuffle=False)]
    ['Hello', 'world']
    """

    def __init__(
        self, dataset_files, num_samples=None, num_parallel_workers=None, shuffle=True,
        num_shards=None, shard_id=None, cache=None,
    ):  # fmt: skip
        files = matched_files(self._who, dataset_files)
        super().__init__(files, ["text"], num_samples, shuffle, num_shards, shard_id, cache)

    def _read(self, path):
        return ((np.array(line),) for line in lines(self._who, path) if line)


class CSVRows(RowFiles):
    """Base of datasets of CSV files."""

    _delimiter = ","
    _kinds = ()  # types of the first columns; others are strings
    _has_header = False

    def _read(self, path):
        for line, row in self._records(path):
            n, fields = len(self._columns), {"names": self._columns, "got": len(row)}
            require(len(row) == n, "line-columns", self._who, path=path, i=line, n=n, **fields)
            kinds = [*self._kinds, *[str] * (len(row) - len(self._kinds))]
            yield tuple(
                np.array(text) if kind is str else self._number(path, line, name, text, kind)
                for name, text, kind in zip(self._columns, row, kinds, strict=True)
            )

    def _records(self, path):
        """Yield (line, list of texts) of each row."""
        content = lines(self._who, path, keepends=True)
        reader = csv.reader(content, delimiter=self._delimiter, strict=True)
        try:
            if self._has_header:
                next(reader, None)
            for row in reader:
                if row:
                    yield reader.line_num, row
        except csv.Error as error:
            fields = {"path": path, "i": reader.line_num, "cause": error}
            raise rejection("line-of-csv", self._who, **fields) from None

    def _number(self, path, line, name, text, kind):
        try:
            number = np.array(kind(text), np.int32 if kind is int else np.float32)
        except (ValueError, OverflowError):
            what = message("int-of-32-bits" if kind is int else "a-number")
            fields = {"path": path, "i": line, "what": what, "name": name, "got": text}
            raise rejection("line-column-holds", self._who, **fields) from None
        return number


class CSVDataset(CSVRows):
    """The rows of CSV files.

    `dataset_files`: a path, a pattern such as 'tables/*.csv', or a list of them. `field_delim`:
    the character between columns. `column_defaults`: a value for each of the first columns, of
    which only the type is used: int for Int32, float for Float32, str. `column_names`: by default,
    the first line of each file. The other arguments are as for `TextFileDataset`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("size,name\\n3,cat\\n4,dog\\n")
    >>> data = CSVDataset(str(path), column_defaults=[0, ""], shuffle=False)
    >>> [(row["size"].item(), row["name"].item()) for row in data.create_dict_iterator(1)]
    [(3, 'cat'), (4, 'dog')]
    """

    def __init__(
        self, dataset_files, field_delim=",", column_defaults=None, column_names=None,
        num_samples=None, num_parallel_workers=None, shuffle=True, num_shards=None, shard_id=None,
        cache=None,
    ):  # fmt: skip
        who = self._who
        files = matched_files(who, dataset_files)
        STR(who, field_delim=field_delim)
        fits = len(field_delim) == 1 and field_delim not in '"\r\n'
        require(fits, "one-character", who, field_delim=field_delim)
        self._delimiter = field_delim
        defaults = check.several(who, "column_defaults", column_defaults or [], (), _kind)
        self._kinds, self._has_header = defaults, not column_names
        fits = not column_names or all(isinstance(name, str) for name in column_names)
        require(fits, "list-str", who, column_names=column_names, error=TypeError)
        columns = column_names or self._names(files)
        n = len(defaults)
        fits = len(set(columns)) == len(columns) >= n
        require(fits, "different-columns", who, got=columns, n=n, paths=[*map(str, files)])
        super().__init__(files, columns, num_samples, shuffle, num_shards, shard_id, cache)

    def _names(self, files):
        """Return the columns named in the first lines of the files, which must be equal."""
        heads = {}
        for path in files:
            reader = csv.reader(lines(self._who, path, True), delimiter=self._delimiter)
            try:
                first = next(reader, [])
            except csv.Error as error:
                fields = {"path": path, "i": reader.line_num, "cause": error}
                raise rejection("line-of-csv", self._who, **fields) from None
            heads.setdefault(tuple(first), path)
        fits = len(heads) == 1 and () not in heads
        fields = {"got": [*map(list, heads)], "paths": [*heads.values()]}
        require(fits, "heads-of-files", self._who, **fields)
        return list(*heads)


def _kind(who, name, value):
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind
    raise rejection("int-float-str", who, argument=name, got=value)


__all__ = ["CSVDataset", "TextFileDataset"]
