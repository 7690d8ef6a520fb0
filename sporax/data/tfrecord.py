"""`TFRecordDataset`, a dataset of TFRecord files, and `Schema`, which describes its columns."""

import itertools
import json
from pathlib import Path

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis.argument_kinds import BOOL, INT, LIST, STR, one_of, optional, within
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import argument_checks as check
from sporax.data import tfrecord_file
from sporax.data.row_files import RowFiles, matched_files
from sporax.io.corrupt_file import CorruptFile
from sporax.io.untrusted_file import MALFORMED, cause, content, json_of

_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "string",
)  # fmt: skip


def _type_name(kind):
    name = str(kind).lower() if isinstance(kind, dtypes.Type) else kind
    require(name in _TYPES, "type-of-column", "Schema", names=_TYPES, got=kind)
    return name


class Schema:
    """The columns of a dataset: their names, types and shapes.

    `schema_file`: a JSON file of {"columns": ...}, by default none.

    >>> schema = Schema()
    >>> schema.add_column("label", "int32", [])
    >>> print(schema.to_json()[:30])
    {
      "columns": [
        {
          "
    """

    def __init__(self, schema_file=None):
        self._columns, self._about = {}, {}
        if schema_file is not None:
            self.from_json(_loaded(schema_file))

    def add_column(self, name, de_type, shape=None):
        """Add a column. `de_type`: a type of mindspore, or its name. `shape`: a list, in which one
        size may be -1; by default 1-d, with the size of each row's values."""
        STR("add_column", name=name)
        optional(LIST)("add_column", shape=shape)
        for size in shape or []:
            within(-1, check.MOST, INT)("add_column", shape=size)
        require((shape or []).count(-1) <= 1, "one-size-shape-may", "add_column", got=shape)
        self._columns[name] = _type_name(de_type), shape

    def parse_columns(self, columns):
        """Add columns: a list of {"name", "type", "shape"}, or a dict {name: {"type", "shape"}}.
        A column without "shape" is 0-d, a number or a string."""
        if isinstance(columns, dict):
            columns = [{"name": name} | column for name, column in columns.items()]
        require(isinstance(columns, list), "columns-of-schema", "Schema", columns=columns)
        for column in columns:
            for key in ("name", "type"):
                require(key in column, "key-of-column", "Schema", key=key, got=column)
            self.add_column(column["name"], column["type"], column.get("shape", []))

    def from_json(self, json_obj):
        """Set the columns from a dict with "columns", and optionally "datasetType", "numRows"."""
        fits = isinstance(json_obj, dict) and "columns" in json_obj
        require(fits, "object-with-columns", "Schema", got=json_obj)
        rows = json_obj.get("numRows", 0)
        fits = type(rows) is int and 0 <= rows < 2**31
        require(fits, "number-of-rows", "Schema", numRows=rows)
        self._about = {k: json_obj[k] for k in ("datasetType", "numRows") if k in json_obj}
        self._columns = {}
        self.parse_columns(json_obj["columns"])

    def to_json(self):
        """Return the columns as JSON text."""
        columns = []
        for name, (kind, shape) in self._columns.items():
            shaped = {} if shape is None else {"shape": shape}
            columns.append({"name": name, "rank": 1 if shape is None else len(shape)} | shaped)
            columns[-1]["type"] = kind
        return json.dumps({"columns": columns or None} | self._about, indent=2)

    __str__ = to_json

    @staticmethod
    def get_num_rows(schema):
        """Return "numRows" of a Schema or a schema file; 0 if it is absent."""
        schema = schema if isinstance(schema, Schema) else Schema(schema)
        return schema._about.get("numRows", 0)


def _loaded(path):
    check.PATH("Schema", schema_file=path)
    require(Path(path).is_file(), "there-must-be-file", "Schema", path=path)
    try:
        return json_of(content(path).decode("utf8"))
    except (OSError, ValueError) as error:
        raise rejection("file-json", "Schema", path=path, cause=error) from None


def _of_file(path):
    """Return the Schema of a file; columns without a shape take the shape of each row's values."""
    described, schema = _loaded(path), Schema()
    try:
        schema.from_json(described)
        columns = described["columns"]
        named = columns.items() if isinstance(columns, dict) else ((c["name"], c) for c in columns)
        for name, column in named:
            schema._columns[name] = schema._columns[name][0], column.get("shape")
    except (RuntimeError, *MALFORMED) as error:
        raise rejection("file-describe-columns", "Schema", path=path, cause=error) from error
    return schema


class TFRecordDataset(RowFiles):
    """The `tf.train.Example`s of TFRecord files, whose checksums are verified.

    `dataset_files`: a path, a pattern, or a list of them. `schema`: a `Schema`, or its JSON file,
    with the columns' types and shapes; by default, the columns of the first record in alphabetical
    order, as 1-d arrays: Int64, Float32, and the bytes of a text as UInt8. `columns_list`: a subset
    of the columns. `num_shards`, `shard_id`: every `num_shards`-th file, or with `shard_equal_rows`
    one of `num_shards` parts of equal size. `compression_type`: '' (none), 'GZIP' or 'ZLIB'.
    `num_samples`, `shuffle`: as for `TextFileDataset`.

    >>> TFRecordDataset("nowhere")
    Traceback (most recent call last):
    ValueError: For 'TFRecordDataset', there must be a file 'nowhere'.
    """

    def __init__(
        self, dataset_files, schema=None, columns_list=None, num_samples=None,
        num_parallel_workers=None, shuffle="global", num_shards=None, shard_id=None,
        shard_equal_rows=False, cache=None, compression_type=None,
    ):  # fmt: skip
        who = self._who
        files = matched_files(who, dataset_files)
        self._compression = one_of("", "GZIP", "ZLIB").checked(
            who, "compression_type", compression_type or ""
        )
        if schema is not None and not isinstance(schema, Schema):
            schema = _of_file(schema)
        if schema is not None and not num_samples:
            num_samples = Schema.get_num_rows(schema)
        self._kinds = schema._columns if schema is not None else dict.fromkeys(self._names(files))
        columns = list(self._kinds)
        if columns_list:
            columns = list(check.several(who, "columns_list", columns_list, (), STR))
            known = [*self._kinds]
            for name in columns:
                require(name in known, "among", who, columns_list=name, value=known)
        if shuffle == "global" and isinstance(shuffle, str):
            shuffle = True
        super().__init__(files, columns, num_samples, shuffle, num_shards, shard_id, cache)
        self._by_file = num_shards is not None and not BOOL.checked(
            who, "shard_equal_rows", shard_equal_rows
        )
        n, fits = len(files), not self._by_file or self._shards <= len(files)
        require(fits, "at-least-num-shards-files", who, n=n, num_shards=num_shards)

    def _damaged(self, path, rule, **fields):
        return rejection("file", self._who, path=path, reason=message(rule, **fields))

    def _names(self, files):
        first = next(self._examples(files[0]), None)
        if first is None:
            raise rejection("file-holds-records", self._who, path=files[0])
        return sorted(first[1])

    def _examples(self, path):
        for i, data in enumerate(tfrecord_file.records(path, self._compression, self._damaged)):
            try:
                yield i, tfrecord_file.example(data)
            except (CorruptFile, *MALFORMED) as error:
                fields = {"i": i, "cause": cause(error)}
                raise rejection("file-holds-examples", self._who, path=path, **fields) from error

    def _read(self, path):
        for i, features in self._examples(path):
            try:
                yield tuple([self._value(name, features) for name in self._columns])
            except ValueError as error:
                fields = {"path": path, "i": i, "cause": error}
                raise rejection("file-has-record", self._who, **fields) from None

    def _value(self, name, features):
        require(name in features, "without-column", name=name)
        value, (kind, shape) = features[name], self._kinds[name] or ("uint8", None)
        if isinstance(value, list):
            value = self._text(name, value, kind)
        elif self._kinds[name]:
            if kind == "string":
                raise rejection("whose-string", name=name, dtype=value.dtype)
            value = value.astype(kind)
        try:
            return value if shape is None else value.reshape(shape)
        except ValueError:
            raise rejection("whose-values-shape", name=name, size=value.size, shape=shape) from None

    def _text(self, name, values, kind):
        if kind == "string":
            return np.array([value.decode() for value in values], np.str_)
        require(kind == "uint8", "whose-bytes", name=name, kind=kind)
        require(len(values) <= 1, "whose-strings-make-string", name=name, count=len(values))
        return np.frombuffer(b"".join(values), np.uint8).copy()

    @property
    def _size(self):
        rows = self._rows_of_shard
        if self._by_file:
            rows = sum(self._counts[path] for path in self._paths[self._shard :: self._shards])
        return min(rows, self._samples or rows)

    def _rows(self, order):
        if not self._by_file:
            return super()._rows(order)
        paths = order[self._shard :: self._shards]
        return itertools.chain.from_iterable(map(self._rows_of, paths))


__all__ = ["Schema", "TFRecordDataset"]
