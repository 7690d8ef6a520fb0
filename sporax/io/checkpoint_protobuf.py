"""MindSpore's checkpoint bytes: protobuf messages, read and written without a protobuf library.

    Checkpoint  { repeated Value value = 1; }
    Value       { required string tag = 1; TensorProto tensor = 2; MapTensorProto maptensor = 3; }
    TensorProto { repeated int64 dims = 1; required string tensor_type = 2;
                  required bytes tensor_content = 3; }

A file is any number of such messages one after another, which is the same as one message with all
their values. A large tensor is several values with the same tag, each with a piece of the content.
"""

import dataclasses

from sporax.io.corrupt_file import CorruptFile

PIECE = 512 * 1024 * 1024  # bytes of content in one value, as MindSpore slices them

_VARINT, _BYTES = 0, 2
_SKIPPED = {1: 8, 5: 4}  # wire types of fixed size -> bytes
_LONGEST_VARINT = 10


@dataclasses.dataclass
class Entry:
    """One stored thing: its tag, its dims and type as written, and its content in pieces."""

    tag: str
    dims: tuple[int, ...]
    kind: str
    pieces: list

    @property
    def nbytes(self):
        """Bytes of content so far."""
        return sum(len(piece) for piece in self.pieces)


def _varint(data, at, end):
    value = shift = 0
    for i in range(at, min(end, at + _LONGEST_VARINT)):
        value |= (data[i] & 0x7F) << shift
        if data[i] < 0x80:
            return value, i + 1
        shift += 7
    if end - at < _LONGEST_VARINT:
        raise CorruptFile(f"it ends in the middle of a number, at byte {end}")
    raise CorruptFile(f"byte {at} begins no number that the format allows")


def _fields(data, at, end, inside):
    """(field, value, where its bytes begin) of each field; the value of bytes is their end."""
    while at < end:
        key, at = _varint(data, at, end)
        field, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, at = _varint(data, at, end)
            yield field, value, None
            continue
        if wire == _BYTES:
            size, at = _varint(data, at, end)
        elif wire in _SKIPPED:
            size = _SKIPPED[wire]
        else:
            raise CorruptFile(f"byte {at} begins nothing that the format knows")
        if at + size > end:
            where = "the file" if inside is None else f"its {inside}"
            raise CorruptFile(f"{where} ends at byte {end}, {at + size - end} bytes too early")
        if wire == _BYTES:
            yield field, at + size, at
        at += size


def _text(data, begin, end):
    try:
        return bytes(data[begin:end]).decode()
    except UnicodeDecodeError:
        raise CorruptFile(f"the bytes from {begin} to {end} should be a name, but are no text")


def _signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def _tensor(data, begin, end):
    dims, kind, content = [], None, None
    for field, value, at in _fields(data, begin, end, "tensor"):
        if field == 1 and at is None:
            dims.append(_signed(value))
        elif field == 1:  # the packed form of the same list
            while at < value:
                dim, at = _varint(data, at, value)
                dims.append(_signed(dim))
        elif field == 2 and at is not None:
            kind = _text(data, at, value)
        elif field == 3 and at is not None:
            content = data[at:value]
    if kind is None or content is None:
        raise CorruptFile("its tensor has no " + ("type" if kind is None else "content"))
    return tuple(dims), kind, content


def _value(data, begin, end):
    tag = tensor = None
    try:
        for field, value, at in _fields(data, begin, end, "value"):
            if field == 1 and at is not None:
                tag = _text(data, at, value)
            elif field == 2 and at is not None:
                tensor = _tensor(data, at, value)
            elif field == 3:
                raise CorruptFile("it is a MapParameter, which sporax does not have yet")
        if tag is None or tensor is None:
            raise CorruptFile(
                f"the value at byte {begin} has no " + ("tag" if tag is None else "tensor")
            )
    except CorruptFile as error:
        if tag is None:
            raise
        raise CorruptFile(f"at '{tag}': {error}")
    return tag, *tensor


def read(data, needed):
    """The entries of a checkpoint's bytes, in order; pieces of one tensor are put together.

    `data`: a memoryview of bytes. `needed(dims, kind)`: how many bytes of content that takes, or
    None where the content itself says (strings). Raises CorruptFile.
    """
    entries = []
    try:
        for field, end, begin in _fields(data, 0, len(data), None):
            if field != 1 or begin is None:
                raise CorruptFile(f"field {field} is none of a checkpoint's")
            tag, dims, kind, content = _value(data, begin, end)
            last = entries[-1] if entries else None
            if last is not None and last.tag == tag and _continues(last, dims, kind, needed):
                last.pieces.append(content)
            else:
                entries.append(Entry(tag, dims, kind, [content]))
    except CorruptFile as error:
        after = f" (the last whole value is '{entries[-1].tag}')" if entries else ""
        raise CorruptFile(f"{error}{after}")
    return entries


def _continues(entry, dims, kind, needed):
    if (entry.dims, entry.kind) != (dims, kind):
        return False
    size = needed(dims, kind)
    return size is None or entry.nbytes < size


def _number(value):
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _head(field, size):
    return bytes([field << 3 | _BYTES]) + _number(size)


def _block(field, content):
    return _head(field, len(content)) + content


def write(tag, dims, kind, content):
    """Chunks of bytes that store one thing; `content`, a memoryview, is not copied."""
    named = _block(1, tag.encode())
    shaped = b"".join(b"\x08" + _number(d) for d in dims) + _block(2, kind.encode())
    for begin in range(0, max(len(content), 1), PIECE):
        piece = content[begin : begin + PIECE]
        tensor = shaped + _head(3, len(piece))
        inner = named + _head(2, len(tensor) + len(piece)) + tensor
        yield _head(1, len(inner) + len(piece)) + inner
        yield piece
