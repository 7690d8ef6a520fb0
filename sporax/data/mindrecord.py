"""Writing and reading of MindRecord files: `mindspore.mindrecord`."""

import contextlib
import enum
import importlib
import re
from pathlib import Path

import numpy as np

from sporax._src.core.errors import missing, warn
from sporax._src.diagnosis.argument_kinds import BOOL, INT, LIST, optional
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.argument_checks import PATH
from sporax.data.mindrecord_encryption import decrypt_in_place, is_key_set
from sporax.data.mindrecord_file import (
    RecordFile,
    RecordWriter,
    header_to_be_continued,
    is_blob,
)

_MB = 2**20
_SIZES = {  # setting -> (minimum, maximum)
    "header_size": (16 * 1024, 128 * _MB),
    "page_size": (32 * 1024, 256 * _MB),
}
_NUMBERS = "int32", "int64", "float32", "float64"
# Python type of a value -> matching types of a schema
_FITTING = {
    int: ("int32", "int64"), float: ("float32", "float64"), str: ("string",), bytes: ("bytes",),
    **{getattr(np, name): (name,) for name in _NUMBERS},
}  # fmt: skip


class MSRStatus(enum.IntEnum):
    """Status that converters to MindRecord files return."""

    SUCCESS = 0
    FAILED = 1


SUCCESS, FAILED = MSRStatus


class MindRecordException(Exception):
    """Base of errors of MindRecord files and their fields."""


class ParamTypeError(MindRecordException, TypeError):
    """An argument of a wrong type."""


class ParamValueError(MindRecordException, ValueError):
    """An argument of a wrong value."""


class MRMInvalidSchemaError(MindRecordException, ValueError):
    """An invalid schema."""


class MRMDefineCategoryError(MindRecordException, ValueError):
    """A field by which rows cannot be grouped."""


class MRMDefineIndexError(MindRecordException, ValueError):
    """A field that cannot be in the index."""


def _checked_schema(content):
    def check(holds, rule, got, **fields):
        require(holds, rule, "add_schema", content=got, **fields, error=MRMInvalidSchemaError)

    check(isinstance(content, dict) and content, "dict-of-fields", content)
    for name, kind in content.items():
        is_name = isinstance(name, str) and re.fullmatch("\\w+", name, re.ASCII)
        check(is_name, "names-of-fields", name)
        fits = isinstance(kind, dict) and {"type"} <= kind.keys() <= {"type", "shape"}
        check(fits, "dict-of-field", kind, name=name)
        allowed = _NUMBERS if "shape" in kind else (*_NUMBERS, "string", "bytes")
        check(kind["type"] in allowed, "type-of-field", kind["type"], name=name, types=allowed)
        shape = kind.get("shape", [])
        check(isinstance(shape, list), "shape-of-field", shape, name=name)
    return {name: dict(sorted(kind.items())) for name, kind in sorted(content.items())}


def _unfit(name, kind, row):
    """Return why a row does not match the schema; None if it does."""
    if name not in row:
        return f"has no '{name}'"
    value = row[name]
    if "shape" not in kind:
        if kind["type"] not in _FITTING.get(type(value), ()):
            return f"has a {type(value).__name__} as '{name}', which is to be {kind['type']}"
        if (
            type(value) is int
            and not np.iinfo(kind["type"]).min <= value <= np.iinfo(kind["type"]).max
        ):
            return f"has {value} as '{name}', which is to be {kind['type']}"
        return None
    if not isinstance(value, np.ndarray) or value.dtype != kind["type"]:
        got = getattr(value, "dtype", type(value).__name__)
        return f"has {got} as '{name}', which is to be an array of {kind['type']}"
    try:
        np.reshape(value, kind["shape"])
    except ValueError:
        return f"has shape {value.shape} as '{name}', which is to be {kind['shape']}"
    return None


class FileWriter:
    """Writes rows to MindRecord files, which MindSpore reads too.

    `file_name`: the file, or the prefix of the names of the `shard_num` files (1 to 1000).
    `overwrite`: whether existing files may be replaced.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/digits"
    >>> writer = FileWriter(path)
    >>> writer.add_schema({"label": {"type": "int32"}, "image": {"type": "bytes"}})
    >>> writer.write_raw_data([{"label": 3, "image": b"abc"}])
    >>> writer.commit()
    >>> list(FileReader(path).get_next())
    [{'label': 3, 'image': b'abc'}]
    """

    _is_discarded = False

    def __init__(self, file_name, shard_num=1, overwrite=False):
        def check(kind, words, error: type[Exception] = ParamValueError, **argument):
            (value,) = argument.values()
            fields = {"kind": words, "error": error}
            require(kind.accepts(value), "must-be-type", "FileWriter", **argument, **fields)

        check(PATH, "a-path", file_name=file_name, error=ParamTypeError)
        check(INT, "an-int", shard_num=shard_num)
        fits = 1 <= shard_num <= 1000
        fields = {"interval": "[1, 1000]", "error": ParamValueError}
        require(fits, "in-interval", "FileWriter", shard_num=shard_num, **fields)
        check(BOOL, "a-bool", overwrite=overwrite)
        digits = len(str(shard_num - 1))
        several = [f"{file_name}{i:0{digits}}" for i in range(shard_num)]
        self._paths = [str(file_name)] if shard_num == 1 else several
        self._overwrite, self._append, self._done = overwrite, False, False
        self._schema, self._desc, self._indexed = None, "", None
        self._sizes = {"header_size": 16 * _MB, "page_size": 32 * _MB}
        self._writers, self._next = None, 0

    @classmethod
    def open_for_append(cls, file_name):
        """Return a writer that appends to existing files; `file_name`: one of them."""
        header = header_to_be_continued(file_name)
        folder, writer = Path(file_name).parent, cls(file_name)
        writer._paths = [str(folder / name) for name in header["shard_addresses"]]
        if is_key_set():  # encrypted again by `commit`
            for path in writer._paths:
                decrypt_in_place(path)
                decrypt_in_place(f"{path}.db")
        writer._append = True
        described = header["schema"][0]
        writer._schema, writer._desc = described["schema"], described["desc"]
        writer._indexed = [field["index_field"] for field in header.get("index_fields") or []]
        writer._sizes = {name: header[name] for name in _SIZES}
        return writer

    def add_schema(self, content, desc=None):
        """Set the fields of a row.

        `content`: {name: {"type": one of int32, int64, float32, float64, string, bytes}}, with
        "shape": [...] for an array, whose first size may be -1. `desc`: a text for the header.
        """
        self._schema, self._desc = _checked_schema(content), desc or ""

    def add_index(self, index_fields):
        """Set the fields by which the index can be searched; by default numbers and strings."""
        is_list, error = isinstance(index_fields, list) and index_fields, ParamTypeError
        require(is_list, "list-names", "add_index", index_fields=index_fields, error=error)
        schema = self._schema or {}
        for name in index_fields:
            require(name in schema, "fields-those-schema", "add_index", got=name)
            fits, error = not is_blob(schema[name]), MRMDefineIndexError
            require(fits, "fields-numbers-strings", "add_index", got=name, error=error)
        self._indexed = list(index_fields)

    def set_header_size(self, header_size):
        """Set the space for the header in bytes, in [16 KB, 128 MB], 16 MB by default."""
        self._set("header_size", header_size)

    def set_page_size(self, page_size):
        """Set the space for the rows of a page, in [32 KB, 256 MB], 32 MB by default."""
        self._set("page_size", page_size)

    def _set(self, name, value):
        least, most = _SIZES[name]
        fits = isinstance(value, int) and not value % 4 and least <= value <= most
        fields = {"argument": name, "least": least, "most": most, "got": value}
        require(fits, "int-4-divides", f"set_{name}", **fields)
        self._sizes[name] = value

    def open_and_set_header(self):
        """Do nothing: the files are opened with the first rows."""

    def write_raw_data(self, raw_data, parallel_writer=False):
        """Write rows, a list of dicts. A row that does not match the schema is skipped, with a
        warning. `parallel_writer` has no effect here."""
        BOOL("write_raw_data", parallel_writer=parallel_writer)
        require(not self._done or self._append, "files-not-committed-yet", "write_raw_data")
        is_list, who, error = isinstance(raw_data, list), "write_raw_data", ParamTypeError
        require(is_list, "must-be-type", who, raw_data=raw_data, error=error, kind="a-list")
        for row in raw_data:
            require(isinstance(row, dict), "rows-dicts", who, got=row, error=error)
        writers = self._begin()
        rows = self._fitting(raw_data)
        count = len(writers)
        for i in range(count):  # evenly, the surplus in round-robin order
            few, more = divmod(len(rows), count)
            writer = writers[(self._next + i) % count]
            start = i * few + min(i, more)
            with self._discarding():
                for row in rows[start : start + few + (i < more)]:
                    writer.add(row)
        self._next = (self._next + len(rows)) % count

    @contextlib.contextmanager
    def _discarding(self):
        """Delete the half-written files after an OSError, such as a full disk."""
        try:
            yield
        except OSError:
            self._discard()
            raise

    def _fitting(self, raw_data):
        rows, schema = [], self._schema or {}
        for i, row in enumerate(raw_data):
            unfit = [_unfit(name, kind, row) for name, kind in schema.items()]
            reasons = [reason for reason in unfit if reason]
            if reasons:
                warn(f"For 'write_raw_data', row {i} is left out: it {', '.join(reasons)}.")
            else:
                rows.append({n: _plain(row[n]) for n in schema})
        require(not raw_data or rows, "at-least-one-row-schema", "write_raw_data")
        return rows

    def _begin(self):
        """Return the writers, opened at the first call."""
        if self._writers is not None:
            return self._writers
        require(not self._is_discarded, "nothing-can-written-after", "FileWriter")
        if self._schema is None:
            raise rejection("schema", "FileWriter")
        if not (self._overwrite or self._append):
            for path in self._paths:
                require(not Path(path).exists(), "file-not", "FileWriter", path=path)
        if self._indexed is None:
            self._indexed = [name for name, kind in self._schema.items() if not is_blob(kind)]
        self._writers = [
            RecordWriter(
                path, self._schema, self._desc, self._indexed, tuple(self._sizes.values()),
                header_to_be_continued(path, is_plain=True) if self._append else None,
            )
            for path in self._paths
        ]  # fmt: skip
        return self._writers

    def commit(self):
        """Finish the files: write headers and indices."""
        writers = self._begin()
        names = [Path(path).name for path in self._paths]
        with self._discarding():
            for i, writer in enumerate(writers):
                writer.commit(i, names, self._append)
            for writer in writers:
                writer.publish()
        self._writers, self._done = None, True

    def _discard(self):
        """Delete the unfinished files."""
        for writer in self._writers or []:
            writer.discard()
        self._writers, self._is_discarded = None, True


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


class FileReader:
    """Reads the rows of MindRecord files.

    `file_name`: one file of a set written together, or a list of files. `columns`: the fields to
    read, all by default. The other arguments have no effect here.
    """

    def __init__(self, file_name, num_consumer=4, columns=None, operator=None):
        is_list = optional(LIST).accepts(columns)
        require(
            is_list,
            "must-be-type",
            "FileReader",
            columns=columns,
            error=ParamTypeError,
            kind="a-list",
        )
        self._files = opened(file_name)
        for name in columns or []:
            schema = [*self._files[0].schema]
            require(name in schema, "columns-among", "FileReader", schema=schema, got=name)
        self._columns = columns

    def get_next(self):
        """Yield the rows, as dicts."""
        for file in self._files:
            for i in range(len(file)):
                row = file.row(i)
                yield row if not self._columns else {n: row[n] for n in row if n in self._columns}

    def schema(self):
        """Return the fields, as passed to `FileWriter.add_schema`."""
        return self._files[0].schema

    def len(self):
        """Return the number of rows."""
        return sum(map(len, self._files))

    def close(self):
        """Close the files."""
        for file in self._files:
            file.close()


def opened(file_name):
    """Open files as `RecordFile`s; `file_name`: one of a set written together, or a list."""
    paths = [file_name] if isinstance(file_name, (str, Path)) else list(file_name)
    for path in paths:
        is_file = Path(path).is_file()
        require(is_file, "there-must-be-file", "mindrecord", path=path, error=RuntimeError)
    files = [RecordFile(paths[0])]
    if isinstance(file_name, (str, Path)):
        folder = Path(file_name).parent
        paths = [folder / name for name in files[0].header["shard_addresses"]]
    is_first = [Path(path) == files[0].path for path in paths]
    files = [files[0] if is_it else RecordFile(p) for p, is_it in zip(paths, is_first, strict=True)]
    for file in files:
        path, other = file.path, files[0].path
        one = file.schema == files[0].schema
        require(one, "files-one-schema", "mindrecord", path=path, other=other)
    return files


# Names that are imported on first use, by module.
_LATER = (
    {"MindPage": "mindrecord_page"}
    | dict.fromkeys(
        ("Cifar100ToMR", "Cifar10ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR"),
        "mindrecord_converters",
    )
    | dict.fromkeys(("set_dec_mode", "set_enc_key", "set_enc_mode"), "mindrecord_encryption")
)

__all__ = [
    "FAILED", "SUCCESS", "FileReader", "FileWriter", "MRMDefineCategoryError",
    "MRMDefineIndexError", "MRMInvalidSchemaError", "MindRecordException", "ParamTypeError",
    "ParamValueError", *_LATER,
]  # fmt: skip


def __getattr__(name):
    if name in _LATER:
        return getattr(importlib.import_module(f"sporax.data.{_LATER[name]}"), name)
    raise missing("mindrecord", name)
