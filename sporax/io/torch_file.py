"""Reader of PyTorch's `.pth` files that runs no code of the pickle.

A file has a pickle of containers and of calls that build tensors from storages, and the storages'
bytes: in a ZIP archive, or in sequence in a file older than PyTorch 1.6. Each class or function
that a pickle names must be in a table, which has only containers and functions of this module that
store their arguments.
"""

import collections
import io
import math
import os
import pickle
import struct
import zipfile

import ml_dtypes
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax.io import untrusted_file
from sporax.io.corrupt_file import CorruptFile, rejection, require

_MAGIC, _PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
_ROOM = 1 << 27  # bytes that any file may expand to: an expanded tensor is stored as one element
_GROWTH = 8  # additional bytes per byte of the file
_ITEMS = 1 << 16  # containers, numbers and tensors, plus one per byte of the file
_STORAGES = {
    "Double": "f8", "Float": "f4", "Half": "f2", "BFloat16": ml_dtypes.bfloat16, "Long": "i8",
    "Int": "i4", "Short": "i2", "Char": "i1", "Byte": "u1", "Bool": "?", "ComplexFloat": "c8",
    "ComplexDouble": "c16",
}  # fmt: skip
_DTYPES = {
    "float64": "f8", "float32": "f4", "float16": "f2", "bfloat16": ml_dtypes.bfloat16,
    "int64": "i8", "int32": "i4", "int16": "i2", "int8": "i1", "uint8": "u1", "uint16": "u2",
    "uint32": "u4", "uint64": "u8", "bool": "?", "complex64": "c8", "complex128": "c16",
}  # fmt: skip


class _Dtype:
    """A dtype or storage class that a pickle names; `numpy` is None for untyped storages."""

    __slots__ = ("numpy",)

    def __init__(self, numpy):
        object.__setattr__(self, "numpy", None if numpy is None else np.dtype(numpy))

    def __setattr__(self, name, value):
        raise rejection("sets-attribute")


class _Call:
    """A function that a pickle may call but not modify."""

    __slots__ = ("function",)

    def __init__(self, function):
        object.__setattr__(self, "function", function)

    def __call__(self, *args):
        return self.function(*args)

    def __setattr__(self, name, value):
        raise rejection("sets-attribute")


class _Storage:
    """A storage: its key in the file, and the dtype with which a pickle refers to it."""

    __slots__ = ("dtype", "owner")

    def __init__(self, dtype, owner):
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "owner", owner)

    def __setattr__(self, name, value):
        raise rejection("sets-attribute")


class _View:
    """A tensor that is not built yet: the layout of its elements in a storage."""

    __slots__ = ("dtype", "offset", "owner", "shape", "stride")

    def __init__(self, storage, dtype, offset, shape, stride):
        numbers = (offset, *shape, *stride)
        fits = all(type(n) is int and n >= 0 for n in numbers) and len(shape) == len(stride)
        require(fits, "tensor-offset-sizes-strides", offset=offset, shape=shape, stride=stride)
        values = (dtype, offset, storage.owner, tuple(shape), tuple(stride))
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise rejection("sets-attribute")

    def tensor(self, storages):
        """Build the Tensor; `storages(key)` returns the bytes of a storage."""
        data, count = storages(self.owner), math.prod(self.shape)
        elements = np.frombuffer(data, self.dtype, len(data) // self.dtype.itemsize)
        steps = zip(self.shape, self.stride, strict=True)
        last = self.offset + sum((n - 1) * step for n, step in steps)
        if count and last >= len(elements):
            raise rejection("tensor-sizes-strides-goes", shape=self.shape, stride=self.stride,
                            count=len(elements))  # fmt: skip
        strides = [s * self.dtype.itemsize for s in self.stride]
        begin = elements[self.offset :] if count else elements[:0]
        return Tensor(np.lib.stride_tricks.as_strided(begin, self.shape, strides).copy())


def _rebuild(storage, offset, shape, stride, *_):
    """Build a tensor from a typed storage."""
    fits = isinstance(storage, _Storage) and storage.dtype is not None
    require(fits, "tensor-no-storage-dtype")
    return _View(storage, storage.dtype, offset, shape, stride)


def _rebuild_typed(storage, offset, shape, stride, requires_grad, hooks, dtype, metadata=None):
    """Build a tensor from an untyped storage."""
    fits = isinstance(storage, _Storage) and isinstance(dtype, _Dtype)
    require(fits, "tensor-no-storage-no")
    return _View(storage, dtype.numpy, offset, shape, stride)


def _first(data, *_):
    return data


def _of_subclass(function, kind, args, state):
    return function(*args) if isinstance(function, _Call) else _refuse("a subclass of Tensor", "")


def _refuse(module, name):
    wanted = f"{module}.{name}" if name else module
    raise rejection("asks-for-no-weights", "save-state-dict", name=wanted)


_GLOBALS = {
    ("collections", "OrderedDict"): collections.OrderedDict,
    ("torch._utils", "_rebuild_tensor"): _Call(_rebuild),
    ("torch._utils", "_rebuild_tensor_v2"): _Call(_rebuild),
    ("torch._utils", "_rebuild_tensor_v3"): _Call(_rebuild_typed),
    ("torch._utils", "_rebuild_parameter"): _Call(_first),
    ("torch._utils", "_rebuild_parameter_with_state"): _Call(_first),
    ("torch._tensor", "_rebuild_from_type_v2"): _Call(_of_subclass),
    ("torch.nn.parameter", "Parameter"): _Call(_first),
    ("torch", "Tensor"): _Call(_first),
    ("torch", "Size"): _Call(tuple),
    ("torch", "device"): _Call(lambda *args: ":".join(map(str, args))),
    ("torch.storage", "UntypedStorage"): _Dtype(None),
    ("torch", "UntypedStorage"): _Dtype(None),
    **{("torch", f"{name}Storage"): _Dtype(dtype) for name, dtype in _STORAGES.items()},
    **{("torch", name): _Dtype(dtype) for name, dtype in _DTYPES.items()},
}


class _Bounded:
    """A file whose reads are bounded by its size, whatever length a pickle claims."""

    def __init__(self, file):
        self._file = file
        position = file.tell()
        self._size = file.seek(0, os.SEEK_END)
        file.seek(position)

    def readline(self):
        line = self._file.readline()
        require(line.endswith(b"\n"), "ends-middle-name")
        return line

    def read(self, count):
        return self._file.read(min(count, self._size - self._file.tell()))


class _Unpickler(pickle._Unpickler):  # in Python: the C one allocates what a pickle claims
    """Unpickler that resolves only the classes and functions of `_GLOBALS`."""

    dispatch = pickle._Unpickler.dispatch.copy()
    del dispatch[pickle.BYTEARRAY8[0]]  # also allocates the claimed size

    def find_class(self, module, name):
        return _GLOBALS.get((module, name)) or _refuse(module, name)

    def persistent_load(self, pid):
        kind, dtype, key, *_ = pid
        fits = kind == "storage" and isinstance(dtype, _Dtype)
        require(fits, "refers-outside-pickle", kind=kind)
        return _Storage(dtype.numpy, key)


def _unpickled(file):
    try:
        return _Unpickler(_Bounded(file), encoding="utf-8").load()
    except CorruptFile:
        raise
    except Exception as error:  # noqa: BLE001 - bytes that are no pickle raise errors of any kind
        raise rejection("pickle-damaged", cause=error)


def read(path):
    """Read dicts, lists, tuples, numbers, strings and Tensors from a file; raises CorruptFile."""
    with untrusted_file.opened(path) as file:
        begin = file.read(8)
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if begin.startswith(b"PK"):
            return _read_archive(file, size)
        return _read_sequence(file, size)


def _room(size):
    """Limit on the bytes of the contents of a file of `size` bytes."""
    return _ROOM + _GROWTH * size


def _read_archive(file, size):
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, *untrusted_file.MALFORMED) as error:
        raise rejection("archive-damaged", cause=error)
    with archive:
        names = {name.partition("/")[2]: name for name in archive.namelist()}
        left = _room(size)
        is_program = "constants.pkl" in names or any(name.startswith("code/") for name in names)
        require(not is_program, "is-torchscript", "save-state-dict")

        def record(name):
            nonlocal left
            require(name in names, "archive-no", name=name)
            try:
                info = archive.getinfo(names[name])
                left -= info.file_size
                if left < 0:
                    raise rejection("others-make-more-bytes", room=_room(size))
                return archive.read(info)
            except (zipfile.BadZipFile, RuntimeError, *untrusted_file.MALFORMED) as error:
                raise rejection("archive-damaged-file-damaged", argument=name, cause=error)

        is_little = "byteorder" not in names or record("byteorder") == b"little"
        require(is_little, "big-endian", "save-on-usual-machine")
        contents = _unpickled(io.BytesIO(record("data.pkl")))
        kept = {}

        def bytes_of(key):
            if key not in kept:
                kept[key] = record(f"data/{key}")
            return kept[key]

        return _with_tensors(contents, bytes_of, size)


def _read_sequence(file, size):
    """Read a file older than PyTorch 1.6: pickles, then the storages in sequence."""
    try:
        magic = _unpickled(file)
    except CorruptFile:
        magic = None
    require(magic == _MAGIC, "neither-zip-nor-old", "save-again-with-pytorch")
    require(_unpickled(file) == _PROTOCOL, "of-another-protocol", "save-again-with-pytorch")
    _unpickled(file)  # describes the machine that wrote it
    contents = _unpickled(file)
    sizes = {}
    _each_view(contents, lambda view: sizes.setdefault(view.owner, view.dtype.itemsize), size)
    storages = {}
    for key in _unpickled(file):
        (count,) = struct.unpack("<q", _exactly(file, 8))
        storages[key] = _exactly(file, count * sizes.get(key, 1))

    def bytes_of(key):
        require(key in storages, "lacks-storage", key=key)
        return storages[key]

    return _with_tensors(contents, bytes_of, size)


def _exactly(file, count):
    left = os.fstat(file.fileno()).st_size - file.tell()
    require(0 <= count <= left, "ends-too-early")
    return file.read(count)


def _each_view(x, visit, size):
    _Replacement(lambda view: visit(view) and None, size)(x)


def _with_tensors(contents, bytes_of, size):
    made, left = {}, _room(size)

    def tensor(view):
        nonlocal left
        if id(view) not in made:
            left -= math.prod(view.shape) * view.dtype.itemsize
            if left < 0:
                raise rejection("tensors-more-bytes", room=_room(size))
            made[id(view)] = view.tensor(bytes_of)
        return made[id(view)]

    return _Replacement(tensor, size)(contents)


class _Replacement:
    """Copies nested containers, replacing each `_View` by `of_view(view)`. Bounds the number of
    items by the `size` of the file in bytes: lists that repeat one list grow exponentially."""

    def __init__(self, of_view, size):
        self.of_view, self.left = of_view, _ITEMS + size

    def __call__(self, x, depth=0):
        self.left -= 1
        require(depth <= 200 and self.left >= 0, "containers-nested-more-200")
        if isinstance(x, _View):
            return self.of_view(x)
        if isinstance(x, dict):
            return {k: self(v, depth + 1) for k, v in x.items()}
        if isinstance(x, (list, tuple, set)):
            return type(x)([self(v, depth + 1) for v in x])
        if isinstance(x, _Dtype):
            return str(x.numpy)
        if isinstance(x, (_Call, _Storage, type)):
            raise rejection("holds-function-or-storage", "save-state-dict")
        return x
