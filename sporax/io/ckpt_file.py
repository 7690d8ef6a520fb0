"""`.ckpt` files: arrays and strings in MindSpore's protobuf messages, and a trailing checksum."""

import math
import mmap
import os
import zlib

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax.io import atomic_write, checkpoint_protobuf, encryption, untrusted_file
from sporax.io.corrupt_file import CorruptFile, rejection, require

_STRING = "str"  # the type under which a Python string is stored, as UTF-32
_SUM_MARK, _SUM_BYTES = b"crc_num", 10
_MOST_DIMS = 64  # NumPy's limit
_DTYPES = {t.name: t.numpy_dtype for t in dtypes.NAMES.values() if t.numpy_dtype is not None}


def stored(name, x):
    """Return (dims, type, content) as the file stores an array or a string."""
    if isinstance(x, str):
        return (0,), _STRING, memoryview((x or "\0").encode("utf-32-le"))
    kind = dtypes.from_numpy(x.dtype).name
    content = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
    return x.shape or (0,), kind, memoryview(content)


def write(path, entries, crc_check, remove_redundancy):
    """Write a dict of results of `stored`; the format cannot store `remove_redundancy`."""
    total = 0
    with atomic_write.replacing(path) as temp_path, open(temp_path, "wb") as file:
        for name, (dims, kind, content) in entries.items():
            for chunk in checkpoint_protobuf.write(name, dims, kind, content):
                if crc_check:
                    total = zlib.crc32(chunk, total)
                file.write(chunk)
        if crc_check:
            file.write(_SUM_MARK + total.to_bytes(_SUM_BYTES, "big"))


def read(path, chosen, crc_check):
    """Yield (name, array or string) of each chosen entry; raises CorruptFile."""
    for entry in checkpoint_protobuf.read(_content(path, crc_check), needed):
        if chosen(entry.tag):
            try:
                restored = _restored(entry)
            except untrusted_file.MALFORMED as error:
                cause = untrusted_file.cause(error)
                raise rejection("at", tag=entry.tag, cause=cause) from error
            yield entry.tag, restored


def deduplicated(path):
    """Return None: the file does not store whether parts of it are in other files."""


def _content(path, crc_check):
    """Return the file's bytes, memory-mapped, without the trailing checksum."""
    try:
        with untrusted_file.opened(path) as file:
            require(os.fstat(file.fileno()).st_size != 0, "file-empty")
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise CorruptFile(untrusted_file.cause(error)) from None
    if data[: len(encryption.MARK)] == encryption.MARK:
        raise rejection("is-encrypted", "decrypt-with-mindspore")
    body = data[: -len(_SUM_MARK) - _SUM_BYTES]
    if bytes(data[len(body) : len(body) + len(_SUM_MARK)]) != _SUM_MARK:
        require(not crc_check, "has-no-checksum", "load-without-checksum")
        return data
    fits = not crc_check or zlib.crc32(body) == int.from_bytes(data[-_SUM_BYTES:], "big")
    require(fits, "checksum-does-not-fit")
    return body


def _dtype(kind):
    require(kind in _DTYPES, "type-sporax-does-not", kind=kind)
    return _DTYPES[kind]


def needed(dims, kind):
    """Return the size of such a tensor in bytes; None for a string, whose content defines it."""
    if kind == _STRING:
        return None
    fits = all(d >= 0 for d in dims) and len(dims) <= _MOST_DIMS
    require(fits, "shape-file-damaged", dims=dims)
    shape = () if dims == (0,) else dims  # a 0-d tensor is stored with dims [0]
    return math.prod(shape) * _dtype(kind).itemsize


def _restored(entry):
    if entry.kind == _STRING:
        return b"".join(entry.pieces).decode("utf-32-le").rstrip("\0")
    try:
        size, dtype = needed(entry.dims, entry.kind), _dtype(entry.kind)
        shape = entry.dims
        if shape == (0,) and entry.nbytes:
            shape = ()
        elif shape == (0,):
            size = 0
        n = entry.nbytes
        require(n == size, "takes-bytes", kind=entry.kind, shape=shape, size=size, nbytes=n)
    except CorruptFile as error:
        raise rejection("at", tag=entry.tag, cause=error)
    content = entry.pieces[0] if len(entry.pieces) == 1 else b"".join(entry.pieces)
    return np.frombuffer(content, dtype).reshape(shape)
