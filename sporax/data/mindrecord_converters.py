"""Converters of datasets to MindRecord files, such as `Cifar10ToMR`. Nothing in a file is executed:
from pickles, only arrays are read."""

import csv
import gzip
import io
import itertools
import math
import operator
import pickle
import re
import string
import struct
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import tfrecord_file
from sporax.data.argument_checks import PATH
from sporax.data.file_set import existing
from sporax.data.mindrecord import SUCCESS, FileWriter, ParamTypeError
from sporax.data.mindrecord_file import damaged
from sporax.data.text_lines import lines
from sporax.io import untrusted_file
from sporax.io.corrupt_file import CorruptFile
from sporax.io.untrusted_file import MALFORMED, cause

_AT_ONCE = 256  # rows
_MOST_BYTES = 2**28  # of the pixels in an MNIST file
_LARGE = {"header_size": 1 << 24, "page_size": 1 << 26}


_WHO = "mindrecord"


class _Converter:
    """Base of converters; a subclass's `run` writes the files."""

    def _path(self, name, value, is_folder=None):
        is_path, who = PATH.accepts(value), type(self).__name__
        require(
            is_path,
            "must-be-type",
            who,
            argument=name,
            got=value,
            error=ParamTypeError,
            kind="a-path",
        )
        path = Path(value)
        if is_folder is not None:
            existing(who, name, value, is_folder)
        return path

    def transform(self):
        """Write the MindRecord files."""
        self.run()

    def run(self):
        """Write the MindRecord files like `transform`; return `SUCCESS`."""
        raise rejection("method-defined", type(self).__name__, other="run")


def _write(writer, schema, desc, index, rows, sizes=None):
    for name, size in (sizes or {}).items():
        getattr(writer, f"set_{name}")(size)
    writer.add_schema(schema, desc)
    if index:
        writer.add_index(index)
    rows = iter(rows)
    try:
        while some := list(itertools.islice(rows, _AT_ONCE)):
            writer.write_raw_data(some)
        writer.commit()
    except BaseException:
        writer._discard()
        raise
    return SUCCESS


def _jpeg(pixels):
    """Return the bytes of a JPEG file of quality 95, as in MindSpore."""
    from sporax.data.vision.image_files import encode_jpeg  # loads the vision package

    return encode_jpeg(pixels, 95).tobytes()


# images -----------------------------------------------------------------------------------------


class _Array:
    """Placeholder for an array during unpickling: NumPy's reader trusts sizes and dtypes."""

    def __init__(self, *_):
        self.array: Any = None

    def __setstate__(self, state):
        _, shape, dtype, is_fortran, content = state
        array = np.frombuffer(content, np.dtype(dtype.name))
        self.array = array.reshape(shape, order="F" if is_fortran else "C")

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype)

    def __iter__(self):
        return iter(self.array)


class _Dtype:
    """Placeholder for an integer dtype during unpickling."""

    def __init__(self, name, *_):
        name = name.decode() if isinstance(name, bytes) else name
        is_int, error = re.fullmatch("[iu][1248]", name), pickle.UnpicklingError
        require(is_int, "dtype-of-ints", got=name, error=error)
        self.name = name

    def __setstate__(self, state):
        self.name = (">" if state[1] in (">", b">") else "<") + self.name


# names in a pickled array -> their replacements
_ARRAYS = {
    ("numpy", "ndarray"): "ndarray", ("numpy", "dtype"): _Dtype,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},
}  # fmt: skip


class _Unpickler(pickle._Unpickler):  # the one in C allocates any size that a file claims
    dispatch = pickle._Unpickler.dispatch.copy()
    del dispatch[pickle.BYTEARRAY8[0]]  # allocates it too

    def find_class(self, module, name):
        if (module, name) == ("_codecs", "encode"):  # bytes, as Python 3 writes them for Python 2
            return lambda text, encoding: text.encode("latin-1")
        if (module, name) not in _ARRAYS:
            name = f"{module}.{name}"
            raise rejection("names-no-array", name=name, error=pickle.UnpicklingError)
        return _ARRAYS[module, name]


def _pickled(path, labels):
    """Return an iterator over the images (32, 32, 3) and labels of a CIFAR pickle."""
    try:
        content = _Unpickler(io.BytesIO(untrusted_file.content(path)), encoding="bytes").load()
        images = np.asarray(content[b"data"], np.uint8).reshape(-1, 3, 32, 32)
        columns = [[int(x) for x in content[name]] for name in labels]
    except Exception as error:  # noqa: BLE001 - what a damaged pickle raises may be anything
        raise rejection("file-of-cifar", _WHO, path=path, cause=error) from None
    n = len(images)
    for column in columns:
        require(len(column) == n, "file-labels", _WHO, path=path, n=n, got=len(column))
    return zip(images.transpose(0, 2, 3, 1), *columns, strict=True)


class Cifar10ToMR(_Converter):
    """Converts CIFAR-10's Python files `data_batch_*` and `test_batch` to MindRecord `destination`
    and `destination` + '_test': `id`, `label` (Int64) and `data`, a JPEG of quality 95.

    >>> Cifar10ToMR("nowhere", "rows")
    Traceback (most recent call last):
    ValueError: For 'Cifar10ToMR', 'source' must be a folder, but got 'nowhere'.
    """

    _files = ("data_batch_*", "img_train"), ("test_batch*", "img_test")
    _labels = ("label",)
    _keys = (b"labels",)

    def __init__(self, source, destination):
        self.source = self._path("source", source, is_folder=True)
        self.destination = str(self._path("destination", destination))
        for pattern, _ in self._files:
            paths, who = [*self.source.glob(pattern)], type(self).__name__
            require(paths, "files-none", who, source=self.source, pattern=pattern)

    def run(self, fields=None):
        """Write the MindRecord files like `transform`; return `SUCCESS`."""
        is_list = not fields or isinstance(fields, list)
        require(is_list, "list-names", type(self).__name__, fields=fields)
        schema = {name: {"type": "int64"} for name in ("id", *self._labels)}
        schema["data"] = {"type": "bytes"}
        for (pattern, desc), end in zip(self._files, ("", "_test"), strict=True):
            rows = itertools.chain.from_iterable(
                _pickled(path, self._keys) for path in sorted(self.source.glob(pattern))
            )
            named = (
                {"id": i, "data": _jpeg(image), **dict(zip(self._labels, labels, strict=True))}
                for i, (image, *labels) in enumerate(rows)
            )
            _write(FileWriter(self.destination + end), schema, desc, fields, named)
        return SUCCESS

    def transform(self, fields=None):
        """Write the MindRecord files; `fields`: the fields of the index, by default all numbers."""
        self.run(fields)


class Cifar100ToMR(Cifar10ToMR):
    """Converts CIFAR-100's Python files `train` and `test` to the MindRecord files `destination`
    and `destination` + '_test': `id`, `fine_label`, `coarse_label` (Int64) and `data`, a JPEG.

    >>> Cifar100ToMR("nowhere", "rows")
    Traceback (most recent call last):
    ValueError: For 'Cifar100ToMR', 'source' must be a folder, but got 'nowhere'.
    """

    _files = ("train", "img_train"), ("test", "img_test")
    _labels = "fine_label", "coarse_label"
    _keys = b"fine_labels", b"coarse_labels"


def _idx(path, magic, axes) -> np.ndarray:
    """Return the bytes of a gzipped MNIST file as an array (N, ...)."""
    try:
        untrusted_file.check_regular(path)
        with gzip.open(path) as file:
            kind, *sizes = struct.unpack(f">{axes + 1}I", file.read(4 * (axes + 1)))
            size = math.prod(sizes)
            require(size <= _MOST_BYTES, "start-says-bytes", sizes=sizes)
            content = file.read(size + 1)
        array = np.frombuffer(content, np.uint8).reshape(sizes)
    except MALFORMED as error:
        raise rejection("file-of-mnist", _WHO, path=path, cause=cause(error)) from error
    require(kind == magic, "file-begins", _WHO, path=path, magic=magic, got=kind)
    return array


class MnistToMR(_Converter):
    """Converts MNIST's four `.gz` files to `destination` + '_train.mindrecord' and
    '_test.mindrecord': `label` (Int64) and `data`, a JPEG of quality 95. `partition_number`: the
    number of files of each.

    >>> MnistToMR("nowhere", "rows")
    Traceback (most recent call last):
    ValueError: For 'MnistToMR', 'source' must be a folder, but got 'nowhere'.
    """

    def __init__(self, source, destination, partition_number=1):
        self.source = self._path("source", source, is_folder=True)
        self._writers = {
            split: FileWriter(f"{self._path('destination', destination)}_{end}", partition_number)
            for split, end in (("train", "train.mindrecord"), ("t10k", "test.mindrecord"))
        }

    def run(self):
        """Write the MindRecord files like `transform`; return `SUCCESS`."""
        schema = {"label": {"type": "int64"}, "data": {"type": "bytes"}}
        for split, writer in self._writers.items():
            images = _idx(self.source / f"{split}-images-idx3-ubyte.gz", 2051, 3)
            labels = _idx(self.source / f"{split}-labels-idx1-ubyte.gz", 2049, 1).tolist()
            n, got = len(images), len(labels)
            require(n == got, "file-labels", _WHO, path=self.source, n=n, got=got)
            pairs = zip(images, labels, strict=True)
            rows = ({"label": label, "data": _jpeg(image)} for image, label in pairs)
            _write(writer, schema, "mnist_schema", ["label"], rows, _LARGE)
        return SUCCESS


class ImageNetToMR(_Converter):
    """Converts ImageNet's folders of JPEG files to MindRecord files: `label` (Int32), `image` (the
    file's bytes) and `file_name`. `map_file`: lines of a folder name and its label.
    `partition_number`: the number of files.

    >>> ImageNetToMR("nowhere", ".", "rows")
    Traceback (most recent call last):
    ValueError: For 'ImageNetToMR', 'map_file' must be a file, but got 'nowhere'.
    """

    def __init__(self, map_file, image_dir, destination, partition_number=1):
        self.map_file = self._path("map_file", map_file, is_folder=False)
        self.image_dir = self._path("image_dir", image_dir, is_folder=True)
        self._writer = FileWriter(self._path("destination", destination), partition_number)

    def _rows(self):
        for i, line in enumerate(lines("ImageNetToMR", self.map_file), 1):
            try:
                folder, label = line.split()
                folder = self.image_dir / folder
                label = int(label)
                if not -(2**31) <= label < 2**31 or ".." in line or line[0] == "/":
                    raise ValueError
            except (OSError, ValueError):
                fields = {"what": message("folder-and-label"), "i": i, "got": line}
                raise rejection("file-line-holds", _WHO, path=self.map_file, **fields) from None
            for path in sorted(folder.glob("*")) if len(folder.name) < 256 else ():
                if path.name.endswith(("JPEG", "jpg")) and (image := untrusted_file.content(path)):
                    yield {"label": label, "image": image, "file_name": str(path)}

    def run(self):
        """Write the MindRecord files like `transform`; return `SUCCESS`."""
        rows = self._rows()
        first = next(rows, None)
        fields = {"map_file": self.map_file, "image_dir": self.image_dir}
        require(first is not None, "folders-image-dir-files-jpeg", "ImageNetToMR", **fields)
        kinds = {"label": "int32", "image": "bytes", "file_name": "string"}
        schema = {name: {"type": kind} for name, kind in kinds.items()}
        rows = itertools.chain([first], rows)
        return _write(self._writer, schema, "imagenet_schema", ["label", "file_name"], rows, _LARGE)


# tables -----------------------------------------------------------------------------------------

_ABSENT = {"", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A"}


def _column(texts):
    """Return (field type, values) of a column of texts: ints, reals, bools or strings."""
    for kind, convert in (("int64", _whole), ("float64", _real), ("int32", _truth)):
        try:
            return kind, [convert(text) for text in texts]
        except (ValueError, KeyError):
            continue
    return "string", [math.nan if text in _ABSENT else text for text in texts]


def _whole(text):
    number = int(text)
    require(-(2**63) <= number < 2**63, "more-64-bits", text=text)
    return number


def _real(text):
    return math.nan if text in _ABSENT else float(text)


def _truth(text):
    return {"True": 1, "TRUE": 1, "true": 1, "False": 0, "FALSE": 0, "false": 0}[text]


class CsvToMR(_Converter):
    """Converts a CSV file, whose first line names the columns, to MindRecord files. A column is
    Int64, Float64, Int32 (for True and False) or strings, whichever holds all its values.

    `columns_list`: the columns to convert, all by default. `partition_number`: the number of files.

    >>> import pathlib, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = pathlib.Path(folder, "a.csv").write_text("n,name\\n3,cat\\n4,dog\\n")
    >>> CsvToMR(folder + "/a.csv", folder + "/rows").transform()
    >>> from sporax.data.mindrecord import FileReader
    >>> list(FileReader(folder + "/rows").get_next())
    [{'n': 3, 'name': 'cat'}, {'n': 4, 'name': 'dog'}]
    """

    def __init__(self, source, destination, columns_list=None, partition_number=1):
        self.source = self._path("source", source, is_folder=False)
        listed = columns_list or []
        is_list = isinstance(listed, list) and all(isinstance(name, str) for name in listed)
        require(is_list, "list-str", "CsvToMR", columns_list=columns_list)
        self.columns_list = listed
        self._writer = FileWriter(self._path("destination", destination), partition_number)

    def run(self):
        """Write the MindRecord files like `transform`; return `SUCCESS`."""
        try:
            reader = csv.reader(lines("CsvToMR", self.source, keepends=True))
            head, *rows = [line for line in reader if line] or [[]]
        except csv.Error as error:
            raise rejection("file-csv", _WHO, path=self.source, cause=error) from None
        for name in self.columns_list:
            require(name in head, "among", "CsvToMR", columns_list=name, value=head)
        for i, line in enumerate(rows, 1):
            n, got = len(head), len(line)
            require(n == got, "file-row-columns", _WHO, path=self.source, i=i, n=n, got=got)
        differ = len({name.lower() for name in head}) == len(head)
        require(differ, "file-names-differ", _WHO, path=self.source, got=head)
        fits = rows and all(re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) for name in head)
        require(fits, "file-rows-and-names", _WHO, path=self.source, got=head)
        chosen = self.columns_list or head
        columns = {name: _column([line[head.index(name)] for line in rows]) for name in chosen}
        schema = {name: {"type": kind} for name, (kind, _) in columns.items()}
        values = zip(*[column for _, column in columns.values()], strict=True)
        rows = (dict(zip(columns, row, strict=True)) for row in values)
        return _write(self._writer, schema, "csv_schema", list(chosen), rows, _LARGE)


# records ----------------------------------------------------------------------------------------

_FEATURES = "string", "int64", "float32"  # dtypes in an Example


def _field_name(key):
    return re.sub(rf"[{re.escape(string.punctuation)} ]", "_", key)


class TFRecordToMR(_Converter):
    """Converts a TFRecord file of `tf.train.Example`s to a MindRecord file, without TensorFlow.

    `feature_dict`: {name: feature}, a `tf.io.FixedLenFeature` or a tuple `(shape, dtype)` or
    `(shape, dtype, default_value)`. The shape is `[]` or `[n]`; the dtype Int64, Float32 or string,
    of TensorFlow, MindSpore or by name. `bytes_fields`: the strings that are bytes, such as encoded
    images; others are texts in UTF-8. In names, punctuation and spaces become "_".

    >>> TFRecordToMR("nowhere", "rows", {"label": ([], "int64")})
    Traceback (most recent call last):
    ValueError: For 'TFRecordToMR', 'source' must be a file, but got 'nowhere'.
    """

    def __init__(self, source, destination, feature_dict, bytes_fields=None):
        self.source = self._path("source", source, is_folder=False)
        self.destination = self._path("destination", destination)
        is_dict = isinstance(feature_dict, dict) and feature_dict
        require(is_dict, "dict-features", "TFRecordToMR", feature_dict=feature_dict)
        self.feature_dict = {key: self._feature(key, value) for key, value in feature_dict.items()}
        listed = [] if bytes_fields is None else bytes_fields
        texts = [key for key, (_, kind, _) in self.feature_dict.items() if kind == "string"]
        fits = isinstance(listed, list) and all(name in texts for name in listed)
        fields = {"bytes_fields": bytes_fields, "texts": texts}
        require(fits, "list-features-strings", "TFRecordToMR", **fields)
        self.bytes_fields = listed
        self._schema = {}
        for key, (shape, kind, _) in self.feature_dict.items():
            name, features = _field_name(key), [*self.feature_dict]
            is_new = name not in self._schema
            require(is_new, "names-of-features", "TFRecordToMR", name=name, feature_dict=features)
            sizes = {"shape": shape} if shape else {}
            self._schema[name] = {"type": "bytes" if key in listed else kind} | sizes

    def _feature(self, key, value):
        """Return (shape, dtype name, default value) of an item of 'feature_dict'."""
        try:
            shape, dtype, default = [*value, None][:3]
            kind = str(getattr(dtype, "name", dtype)).lower()
            shape = [operator.index(n) for n in shape]
        except (TypeError, ValueError):
            kind = None
        fits = kind in _FEATURES and len(shape) <= (kind != "string") and min(shape, default=1) >= 1
        fields = {"argument": f"feature_dict[{key!r}]", "names": [*_FEATURES], "got": value}
        require(fits, "tf-io-fixedlenfeature-shape", "TFRecordToMR", **fields)
        return shape, kind, default

    def _rows(self):
        for i, content in enumerate(tfrecord_file.records(self.source, "", damaged)):
            try:
                features = tfrecord_file.example(content)
                yield {_field_name(key): self._value(key, features) for key in self.feature_dict}
            except (CorruptFile, ValueError) as error:
                fields = {"path": self.source, "i": i, "cause": error}
                raise rejection("file-record-fits", _WHO, **fields) from None

    def _value(self, key, features):
        shape, kind, default = self.feature_dict[key]
        values = features.get(key, [])
        if not len(values) and default is not None:
            values = np.full(shape or 1, default, None if kind == "string" else kind)
            values = [x.encode() for x in values.tolist()] if kind == "string" else values
        actual = "string" if isinstance(values, list) else values.dtype.name
        n = math.prod(shape)
        fields = {"n": n, "kind": kind, "got": len(values), "actual": actual}
        require(len(values) == n and actual == kind, "feature-of", argument=key, **fields)
        if shape:
            return values
        value = values[0]
        if kind == "string":
            return value if key in self.bytes_fields else value.decode()
        return value.item()

    def run(self):
        """Write the MindRecord file like `transform`; return `SUCCESS`."""
        writer = FileWriter(self.destination)
        return _write(writer, self._schema, "TFRecord to MindRecord", None, self._rows())


__all__ = [
    "Cifar10ToMR", "Cifar100ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR",
]  # fmt: skip
