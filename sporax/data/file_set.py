"""`FileSet`, a dataset in files whose rows are listed first and read one by one, and the readers
of shared file formats. No reader executes anything from a file."""

import math
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from sporax.data import argument_checks as check
from sporax.data import matlab_file
from sporax.data.sampler import PKSampler
from sporax.data.source import GeneratorDataset
from sporax.diagnosis.rules import rejection, require
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
            if not len(self._listed):
                raise self._source._error("there must be rows in its files, but there are none")
        return self._listed

    def __len__(self):
        return len(self.listed)

    def __getitem__(self, i):
        return self._source._row_or_error(int(i), self.listed[i])

    def origins(self, i):
        """Return the origins of row `i`, as in `FileRow`."""
        parts = [y for x in self.listed[i] for y in (x if isinstance(x, tuple) else (x,))]
        paths = [part for part in parts if isinstance(part, Path)]
        return [(path, None) for path in paths] or [(self._source._place, int(i))]


class FileSet(GeneratorDataset):
    """Base of datasets in files.

    The constructor of a subclass ends with `self._open(locals())`. `choices`: {argument: allowed
    values}, the first being the value for None. `parts`: {value of `usage`: parts of the files to
    read}. `_part(name)` lists the rows of a part, as tuples in which a path stands for an image.
    """

    columns: ClassVar = ("image", "label")
    choices: ClassVar = {}
    parts: ClassVar = {}

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
        usages = {"usage": tuple(self.parts)} if self.parts else {}
        for name, values in (self.choices | usages).items():
            if given[name] is None:
                given[name] = values[0]
            elif not isinstance(given[name], type(values[0])):
                raise rejection(
                    "one-of",
                    who,
                    argument=name,
                    choices=", ".join(map(repr, values)),
                    got=given[name],
                    error=TypeError,
                )
            check.one_of(who, name, given[name], values)
        for name in _PATHS:
            if name in given:
                given[name] = existing(who, name, given[name], name == "dataset_dir")
        if "decode" in given:
            given["decode"] = check.true_or_false(who, "decode", given["decode"] or False)
        if given.get("decrypt") is not None and not callable(given["decrypt"]):
            raise rejection("function-path", who, decrypt=given['decrypt'])  # fmt: skip
        sampling = {name: given.pop(name) for name in _SAMPLING if name in given}
        require(
            sampling.get("sampler") is None or sampling["shuffle"] is None,
            "come-without-shuffle",
            who,
            argument="sampler",
        )
        self.given = SimpleNamespace(**given)
        super().__init__(_Rows(self), self._column_names(), **sampling)

    def _column_names(self):
        return list(self.columns)

    def _rows(self):
        return [row for part in self.parts[self.given.usage] for row in self._part(part)]

    def _indices(self):
        """Extend `GeneratorDataset._indices`: a `PKSampler` gets the rows' classes."""
        if not isinstance(self.sampler, PKSampler):
            return super()._indices()
        name = self.sampler.class_column
        at = self._columns.index(name) if name in self._columns else None
        classes = [] if at is None else np.array([row[at] for row in self.source.listed])
        if at is None or classes.ndim != 1 or classes.dtype.kind not in "iu":
            raise self._error(
                f"'PKSampler' needs the name of a column of classes, but 'class_column' is '{name}'"
                f" and the columns are {self._columns}"
            )
        return self.sampler.begin_classes(classes)

    def _part(self, part):
        raise rejection("method-defined", self._who, other="_part")

    def _rows_or_error(self):
        try:
            return list(self._rows())
        except MALFORMED as error:
            raise self._malformed(error) from error

    def _row_or_error(self, i, row):
        try:
            return self._read_row(i, row)
        except MALFORMED as error:
            raise rejection("belongs-row", value=self._malformed(error), i=i) from error

    # errors ---------------------------------------------------------------------------------

    def _error(self, reason):
        return rejection("for-of", name=self._who, place=self._place, reason=reason)

    @property
    def _place(self):
        """The folder or file passed to the constructor."""
        return vars(self.given).get("dataset_dir") or vars(self.given).get("dataset_file")

    def _malformed(self, error):
        """Return the error for an exception that a malformed file caused."""
        cause = untrusted_file.cause(error)
        if self._path is None:
            return self._error(f"the files must be of its format, but: {cause}")
        return self._damaged(self._path, f"must be as those of this data set, but: {cause}")

    def _damaged(self, path, reason):
        return rejection("file", self._who, path=path, reason=reason)

    def _folder(self, name):
        """Return a folder within `dataset_dir`, which must exist."""
        path = self.given.dataset_dir / name
        if not path.is_dir():
            raise self._error(f"there must be a folder '{name}', but there is none")
        return path

    def _inside(self, path):
        """Return a path from a file list, which must be in `dataset_dir`."""
        top = vars(self.given).get("dataset_dir")
        if top is None:
            return path
        start = os.path.join(os.path.abspath(top), "")
        if "\0" in str(path) or not os.path.abspath(path).startswith(start):
            raise self._damaged(path, f"must be in '{top}', as all that the data set lists")
        return path

    # readers --------------------------------------------------------------------------------

    def _read_row(self, i, row):
        try:
            return tuple([self._image(x) if isinstance(x, Path) else x for x in row])
        except RuntimeError as error:
            raise rejection("belongs-row", value=error, i=i) from None

    def _content(self, path):
        """Return a file's bytes."""
        self._path = path
        try:
            return untrusted_file.content(path)
        except OSError as error:
            reason = untrusted_file.cause(error)
            raise self._damaged(path, f"must be readable: {reason}") from None

    def _text(self, path):
        try:
            return self._content(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._damaged(path, f"must be text in UTF-8: {error}") from None

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
            raise self._damaged(path, f"must be JSON: {error}") from None

    def _entry(self, path, where, entry, *keys):
        """Return the values of keys that an entry of a file must have."""
        for key in keys:
            if not isinstance(entry, dict) or key not in entry:
                raise self._damaged(path, f"must have '{key}', but {where} has none")
        return [entry[key] for key in keys]

    def _mat(self, path, *names):
        """Return arrays from a MATLAB file."""
        try:
            found = matlab_file.arrays(self._content(path))
            return [found[name] for name in names]
        except (KeyError, ValueError) as error:
            wanted = f"{' and '.join(names)} as MATLAB writes them, up to version 7"
            raise self._damaged(path, f"must hold {wanted}, but: {error}") from None

    def _idx(self, path, ndim, dtype=np.uint8):
        """Return the array of an idx file."""
        content, dtype = self._content(path), np.dtype(dtype).newbyteorder(">")
        code = {1: 8, 4: 12}[dtype.itemsize]
        if len(content) < 4 + 4 * ndim or content[:4] != bytes([0, 0, code, ndim]):
            raise self._damaged(path, f"must begin as an idx file of {ndim} axes and {dtype.name}")
        shape, start = np.frombuffer(content, ">u4", ndim, 4).tolist(), 4 + 4 * ndim
        size = math.prod(shape) * dtype.itemsize
        if len(content) != start + size:
            raise self._damaged(
                path, f"must hold {size} bytes of data, as its start says,"
                f" but holds {len(content) - start}",
            )  # fmt: skip
        return np.frombuffer(content, dtype, offset=start).reshape(shape)

    def _numbers(self, path, where, kind, words):
        """Return the numbers of a text file; `where`: its part or line number, for errors."""
        where = f"line {where}" if isinstance(where, int) else where
        try:
            return [kind(word) for word in words]
        except (TypeError, ValueError) as error:
            raise self._damaged(path, f"must hold numbers in {where}: {error}") from None

    def _image(self, path):
        """Return the bytes of an image file, or with `decode` its pixels (H, W, 3)."""
        decrypt = vars(self.given).get("decrypt")
        self._path = self._inside(path)
        content = self._content(path) if decrypt is None else decrypt(str(path))
        if not content.startswith(_IMAGES):
            raise self._damaged(path, "must be an image, but begins with other bytes")
        encoded = np.frombuffer(content, np.uint8)
        if not self.given.decode:
            return encoded.copy()
        from sporax.data.vision.format_conversion import opened

        try:
            return np.array(opened(self._who, encoded))
        except RuntimeError as error:
            raise self._damaged(path, f"must be an image: {error}") from None


def existing(who, name, value, is_folder):
    """Return `value` as the path of an existing folder or file."""
    require(isinstance(value, (str, Path)), "path", who, argument=name, got=value)
    path = Path(value)
    if not (path.is_dir() if is_folder else path.is_file()):
        kind = "folder" if is_folder else "file"
        raise rejection("must-be-a-argument-value", who, argument=name, kind=kind, got=value)
    return path


class LoadedSet(FileSet):
    """Base of datasets of small images, whose files are loaded whole."""

    def _read_row(self, i, row):
        image, *labels = row
        return image.copy(), *labels

    def _paired(self, images, labels, path):
        if len(images) != len(labels):
            raise self._damaged(
                path, f"must hold a label for each of {len(images)} images, but holds {len(labels)}"
            )
        return list(zip(images, labels, strict=True))


__all__ = ["FileSet", "LoadedSet"]
