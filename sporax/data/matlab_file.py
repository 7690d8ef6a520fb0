"""Reader of MATLAB files, versions 5 to 7: dense and sparse arrays, texts, cells and structs.
Objects and functions, which other readers may run, are rejected; any damaged file raises
ValueError (SciPy's reader can crash)."""

import math
import struct
import zlib

import numpy as np

from sporax._src.diagnosis.rules import rejection, require

# data type of an element -> dtype
_DTYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8",
           13: "u8"}  # fmt: skip
_TEXTS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_MATRIX, _COMPRESSED = 14, 15
_CELL, _STRUCT, _CHAR, _SPARSE = 1, 2, 4, 5
_NUMBERS = range(6, 16)
_MOST = 2**24  # maximum elements of a sparse array, which is made dense
_ROOM = 2**27  # bytes that a small file may be decompressed to
_GROWTH = 8  # further bytes per byte of the file
_DEEPEST = 20  # maximum nesting of cells


def arrays(content):
    """Return {name: array} of a file's bytes; a struct is an object array of dicts, a cell one of
    arrays, a text an array of one string."""
    fits = len(content) >= 136 and content[124:128] in (b"\x00\x01IM", b"\x01\x00MI")
    require(fits, "start-not-file-matlab")
    order = "<" if content[126:128] == b"IM" else ">"
    elements, variables = _Elements(memoryview(content)[128:], order), {}
    room = _ROOM + _GROWTH * len(content)
    while elements.left:
        kind, data = elements.take()
        if kind == _COMPRESSED:
            data = _decompressed(data, room)
            room -= len(data)
            kind, data = _Elements(memoryview(data), order).take()
        name, value = _matrix((kind, data), order)
        variables[name] = value
    return variables


def _decompressed(data, room):
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, max(room, 1))  # 0 would mean no limit
    except zlib.error as error:
        raise rejection("data-cannot-decompressed", cause=error) from None
    require(stream.eof, "data-cut-short-more", room=room)
    return content


class _Elements:
    """The elements of a part of a file, a memoryview, in sequence."""

    def __init__(self, data, order):
        self.data, self.order = data, order

    @property
    def left(self):
        return len(self.data)

    def _cut(self, size, padded):
        more = size - len(self.data)
        require(more <= 0, "ends-bytes-too-early", number=more)
        chunk, self.data = self.data[:size], self.data[padded:]
        return chunk

    def take(self) -> tuple[int, memoryview]:
        """Return (type, bytes) of the next element."""
        (kind,) = struct.unpack(f"{self.order}I", self._cut(4, 4))
        if kind >> 16:  # up to 4 bytes, with the size in the upper half
            return kind & 0xFFFF, self._cut(4, 4)[: kind >> 16]
        (size,) = struct.unpack(f"{self.order}I", self._cut(4, 4))
        return kind, self._cut(size, size if kind == _COMPRESSED else size + -size % 8)

    def numbers(self, kinds=_DTYPES):
        """Return the next element as an array."""
        kind, data = self.take()
        require(kind in kinds, "data-type-numbers", kind=kind)
        dtype = np.dtype(self.order + _DTYPES[kind])
        n, size = len(data), dtype.itemsize
        require(not n % size, "bytes-of-numbers", n=n, size=size)
        return np.frombuffer(data, dtype).astype(dtype.newbyteorder("="))


def _matrix(element, order, depth=0):
    """Return (name, value) of a matrix element: (type, bytes)."""
    kind, data = element
    require(kind == _MATRIX and depth <= _DEEPEST, "data-type-depth-matrix", kind=kind, depth=depth)
    if not data:
        return "", np.zeros((0, 0))
    elements = _Elements(data, order)
    flags, *_ = elements.numbers().tolist()
    shape = tuple(elements.numbers().tolist())
    name = bytes(elements.take()[1]).decode("latin-1")
    require(len(shape) >= 2 and min(shape) >= 0, "shape", argument=name, shape=shape)
    code = flags & 0xFF
    if code in _NUMBERS:
        value = elements.numbers()
        if flags & 0x800:
            value = value + 1j * elements.numbers()
    elif code == _CHAR:
        value = _text(*elements.take())
        shape = value.shape
    elif code == _SPARSE:
        value = _dense(elements, shape)
    elif code == _CELL:
        value = _objects([_matrix(elements.take(), order, depth + 1)[1]
                          for _ in range(_count(shape, elements))])  # fmt: skip
    elif code == _STRUCT:
        value = _objects(_structs(elements, shape, order, depth))
    else:
        raise rejection("class-holds-no-numbers", argument=name, code=code)
    fits = value.size == math.prod(shape)
    require(fits, "shape-values", argument=name, shape=shape, size=value.size)
    return name, value.reshape(shape, order="F")


def _count(shape, elements):
    """Return the number of matrices in a cell or struct; each has at least 8 bytes."""
    count = math.prod(shape)
    require(8 * count <= elements.left, "shape-bytes", shape=shape, left=elements.left)
    return count


def _structs(elements, shape, order, depth):
    (width,) = elements.numbers().tolist()
    names = bytes(elements.take()[1])
    fits = width >= 1 and not len(names) % width
    require(fits, "bytes-of-names", n=len(names), size=width)
    fields = [names[i : i + width].split(b"\0")[0].decode("latin-1")
              for i in range(0, len(names), width)]  # fmt: skip
    _count((*shape, len(fields)), elements)
    return [
        {field: _matrix(elements.take(), order, depth + 1)[1] for field in fields}
        for _ in range(math.prod(shape))
    ]


def _objects(values):
    result = np.empty(len(values), object)
    for i, value in enumerate(values):
        result[i] = value
    return result


def _text(kind, data):
    require(kind in _TEXTS, "data-type-text", kind=kind)
    return np.array([[bytes(data).decode(_TEXTS[kind])]])


def _dense(elements, shape):
    """Return a sparse array as dense values, column by column; column i starts at `starts[i]`."""
    rows, starts, values = elements.numbers(), elements.numbers(), elements.numbers()
    height, width = shape
    fits, got = len(starts) == width + 1 and height * width <= _MOST, len(starts) - 1
    require(fits, "sparse-array-shape-columns", shape=shape, number=got)
    counts = np.diff(starts.astype(np.int64))
    used = int(counts.sum())
    rows = rows[:used].astype(np.int64)
    if starts[0] or (counts < 0).any() or len(rows) != used or len(values) < used or (
        used and not 0 <= rows.min() <= rows.max() < height
    ):  # fmt: skip
        raise rejection("sparse-array-shape-places", shape=shape)
    result = np.zeros((width, height), values.dtype)
    result[np.repeat(np.arange(width), counts), rows] = values[:used]
    return result.ravel()


__all__ = ["arrays"]
