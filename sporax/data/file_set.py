"""`FileSet`, a dataset in files whose rows are listed first and read one by one, and the readers
of shared file formats. No reader executes anything from a file."""

import math
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, FUNCTION, optional
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import argument_checks as check
from sporax.data import matlab_file
from sporax.data.sampler import PKSampler
from sporax.data.source import GeneratorDataset
from sporax.io import untrusted_file
from sporax.io.untrusted_file import MALFORMED

# first bytes of image files: JPEG, PNG, BMP, GIF, TIFF, WebP, JPEG 2000, Netpbm
_IMAGES = (
    b"\xff\xd8\xff", b"\x89PNG", b"BM", b"GIF8", b"II*\0", b"MM\0*", b"RIFF", b"\0\0\0\x0cjP",
    *[b"P%d" % i for i in range(1, 8)],
)  # fmt: skip
_SAMPLING = "num_samples", "shuffle", "sampler", "num_shards", "shard_id"
_PATHS = "dataset_dir", "dataset_file", "annotation_file"


class _Rows:
    """The rows of a `FileSet`: listed at the first access, each read when it is indexed."""

    def __init__(self, source):
        self._source, self._listed = source, None

    @property
    def listed(self):
        if self._listed is None:
            self._listed = self._source._rows_or_error()
            there, who = len(self._listed) > 0, self._source._who
            require(there, "rows-in-files", who, place=self._source._location)
        return self._listed

    def __len__(self):
        return len(self.listed)

    def __getitem__(self, i):
        return self._source._row_or_error(int(i), self.listed[i])

    def origins(self, i):
        """Return the origins of row `i`, as in `FileRow`."""
        values = [y for x in self.listed[i] for y in (x if isinstance(x, tuple) else (x,))]
        paths = [value for value in values if isinstance(value, Path)]
        return [(path, None) for path in paths] or [(self._source._location, int(i))]


class FileSet(GeneratorDataset):
    """Base of datasets in files.

    The constructor of a subclass ends with `self._open(locals())`. `choices`: {argument: allowed
    values}, the first being the value for None. `splits`: {value of `usage`: names of the
    splits to read}. `_split_rows(name)` lists the rows of a split, as tuples in which a path stands
    for an image.
    """

    columns: ClassVar = ("image", "label")
    choices: ClassVar = {}
    splits: ClassVar = {}

    @property
    def _path(self):
        """The file that this thread is reading."""
        return self._reading.get(threading.get_ident())

    @_path.setter
    def _path(self, path):
        self._reading[threading.get_ident()] = path

    def _open(self, arguments):
        """Check the constructor's arguments; `given` holds all but the sampling ones."""
        who, self._reading = type(self).__name__, {}
        self._who = who
        given = {name: value for name, value in arguments.items() if name != "self"}
        usages = {"usage": tuple(self.splits)} if self.splits else {}
        for name, values in (self.choices | usages).items():
            if given[name] is None:
                given[name] = values[0]
            check.choice(*values)(who, **{name: given[name]})
        for name in _PATHS:
            if name in given:
                given[name] = existing(who, name, given[name], name == "dataset_dir")
        if "decode" in given:
            given["decode"] = BOOL.checked(who, "decode", given["decode"] or False)
        optional(FUNCTION)(who, decrypt=given.get("decrypt"))
        sampling = {name: given.pop(name) for name in _SAMPLING if name in given}
        fits = sampling.get("sampler") is None or sampling["shuffle"] is None
        require(fits, "come-without-shuffle", who, argument="sampler")
        self.given = SimpleNamespace(**given)
        super().__init__(_Rows(self), self._column_names(), **sampling)

    def _column_names(self):
        return list(self.columns)

    def _rows(self):
        return [row for split in self.splits[self.given.usage] for row in self._split_rows(split)]

    def _indices(self):
        """Extend `GeneratorDataset._indices`: a `PKSampler` gets the rows' classes."""
        if not isinstance(self.sampler, PKSampler):
            return super()._indices()
        name = self.sampler.class_column
        index = self._columns.index(name) if name in self._columns else None
        classes = np.array([] if index is None else [row[index] for row in self.source.listed])
        fits = index is not None and classes.ndim == 1 and classes.dtype.kind in "iu"
        require(fits, "column-of-classes", self._who, class_column=name, columns=self._columns)
        return self.sampler.begin_classes(classes)

    def _split_rows(self, split) -> Iterable:
        raise rejection("method-defined", self._who, other="_split_rows")

    def _rows_or_error(self):
        try:
            return list(self._rows())
        except MALFORMED as error:
            raise self._malformed(error) from error

    def _row_or_error(self, i, row):
        try:
            return self._read_row(i, row)
        except MALFORMED as error:
            raise rejection("belongs-row", cause=self._malformed(error), i=i) from error

    # errors ---------------------------------------------------------------------------------

    @property
    def _location(self):
        """The folder or file passed to the constructor."""
        return vars(self.given).get("dataset_dir") or vars(self.given).get("dataset_file")

    def _malformed(self, error):
        """Return the error for an exception that a malformed file caused."""
        cause = untrusted_file.cause(error)
        if self._path is None:
            return rejection("files-of-format", self._who, place=self._location, cause=cause)
        return rejection("file-of-format", self._who, path=self._path, cause=cause)

    def _folder(self, name):
        """Return a folder within `dataset_dir`, which must exist."""
        path = self.given.dataset_dir / name
        require(path.is_dir(), "folder", self._who, path=path)
        return path

    def _inside(self, path):
        """Return a path from a file list, which must be in `dataset_dir`."""
        top = vars(self.given).get("dataset_dir")
        if top is None:
            return path
        start = os.path.join(os.path.abspath(top), "")
        is_inside = "\0" not in str(path) and os.path.abspath(path).startswith(start)
        require(is_inside, "file-inside", self._who, path=path, top=top)
        return path

    # readers --------------------------------------------------------------------------------

    def _read_row(self, i, row):
        try:
            return tuple([self._image(x) if isinstance(x, Path) else x for x in row])
        except RuntimeError as error:
            raise rejection("belongs-row", cause=error, i=i) from None

    def _content(self, path):
        """Return a file's bytes."""
        self._path = path
        try:
            return untrusted_file.content(path)
        except OSError as error:
            cause = untrusted_file.cause(error)
            raise rejection("file-cannot-read", self._who, path=path, cause=cause) from None

    def _text(self, path):
        try:
            return self._content(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise rejection("file-utf-8", self._who, path=path, cause=error) from None

    def _lines(self, path):
        """Return the lines of a text file, without trailing empty lines."""
        return [line.rstrip() for line in self._text(path).rstrip().split("\n")]

    def _json(self, path):
        return self._parsed(path, self._text(path))

    def _parsed(self, path, text):
        """Return the parsed JSON of a file."""
        try:
            return untrusted_file.json_of(text)
        except ValueError as error:
            raise rejection("file-json", self._who, path=path, cause=error) from None

    def _entry(self, path, where, entry, *keys):
        """Return the values of keys that an entry of a file must have; `where`: as in
        `location_phrase`."""
        for key in keys:
            if not isinstance(entry, dict) or key not in entry:
                raise rejection(
                    "file-key", self._who, path=path, key=key, where=location_phrase(where)
                )
        return [entry[key] for key in keys]

    def _mat(self, path, *names):
        """Return arrays from a MATLAB file."""
        try:
            arrays = matlab_file.arrays(self._content(path))
            return [arrays[name] for name in names]
        except (KeyError, ValueError) as error:
            fields = {"names": names, "cause": error}
            raise rejection("file-of-matlab", self._who, path=path, **fields) from None

    def _idx(self, path, ndim, dtype: type[np.integer] = np.uint8):
        """Return the array of an idx file."""
        content, kind = self._content(path), np.dtype(dtype).newbyteorder(">")
        code = {1: 8, 4: 12}[kind.itemsize]
        fits = len(content) >= 4 + 4 * ndim and content[:4] == bytes([0, 0, code, ndim])
        require(fits, "file-idx", self._who, path=path, ndim=ndim, dtype=kind.name)
        shape, start = np.frombuffer(content, ">u4", ndim, 4).tolist(), 4 + 4 * ndim
        size = math.prod(shape) * kind.itemsize
        got = len(content) - start
        require(got == size, "file-bytes", self._who, path=path, size=size, got=got)
        return np.frombuffer(content, kind, offset=start).reshape(shape)

    def _numbers(self, path, where, kind, words):
        """Return the numbers of a text file; `where`: as in `location_phrase`."""
        try:
            return [kind(word) for word in words]
        except (TypeError, ValueError) as error:
            fields = {"where": location_phrase(where), "cause": error}
            raise rejection("file-numbers", self._who, path=path, **fields) from None

    def _image(self, path):
        """Return the bytes of an image file, or with `decode` its pixels (H, W, 3)."""
        decrypt = vars(self.given).get("decrypt")
        self._path = self._inside(path)
        content = self._content(path) if decrypt is None else decrypt(str(path))
        require(content.startswith(_IMAGES), "file-image-begins", self._who, path=path)
        encoded = np.frombuffer(content, np.uint8)
        if not self.given.decode:
            return encoded.copy()
        from sporax.data.vision.format_conversion import opened  # loads the vision package

        try:
            return np.array(opened(self._who, encoded))
        except RuntimeError as error:
            raise rejection("file-image", self._who, path=path, cause=error) from None


def location_phrase(where):
    """Return the phrase of a location in a file; `where`: a line's number, or (phrase, number)."""
    rule, i = where if isinstance(where, tuple) else ("line-number", where)
    return message(rule, i=i)


def existing(who, name, value, is_folder):
    """Return `value` as the path of an existing folder or file."""
    path = Path(check.PATH.checked(who, name, value))
    if is_folder:
        require(path.is_dir(), "existing-folder", who, argument=name, got=value)
    else:
        require(path.is_file(), "existing-file", who, argument=name, got=value)
    return path


class LoadedSet(FileSet):
    """Base of datasets of small images, whose files are loaded whole."""

    def _read_row(self, i, row):
        image, *labels = row
        return image.copy(), *labels

    def _paired(self, images, labels, path):
        n, got = len(images), len(labels)
        require(n == got, "file-labels", self._who, path=path, n=n, got=got)
        return list(zip(images, labels, strict=True))


__all__ = ["FileSet", "LoadedSet"]
