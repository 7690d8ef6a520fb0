"""MindSpore's checkpoint format: protobuf messages.

    Checkpoint  { repeated Value value = 1; }
    Value       { required string tag = 1; TensorProto tensor = 2; MapTensorProto maptensor = 3; }
    TensorProto { repeated int64 dims = 1; required string tensor_type = 2;
                  required bytes tensor_content = 3; }

A file is a concatenation of such messages, which is equivalent to one message with all their
values. A large tensor is several values with the same tag, each with a piece of the content.
"""

import dataclasses

from sporax.io import protobuf
from sporax.io.corrupt_file import CorruptFile, rejection, require

PIECE = 512 * 1024 * 1024  # bytes of content in one value, as MindSpore slices them


@dataclasses.dataclass
class Entry:
    """A stored tensor or string: its tag, its dims and type as written, its content in pieces."""

    tag: str
    dims: tuple[int, ...]
    kind: str
    pieces: list
    nbytes: int = 0  # of content so far

    def add(self, piece):
        """Append a piece of the content."""
        self.pieces.append(piece)
        self.nbytes += len(piece)


def _text(data):
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        raise rejection("should-name-no-text", bytes=bytes(data))


def _tensor(data):
    dims, kind, content = [], None, None
    for field, wire, value in protobuf.fields(data, "its tensor"):
        if field == 1:  # one by one, or packed
            numbers = [value] if wire == protobuf.VARINT else protobuf.varints(value)
            dims += map(protobuf.signed, numbers)
        elif field == 2 and wire == protobuf.BYTES:
            kind = _text(value)
        elif field == 3 and wire == protobuf.BYTES:
            content = value
    if kind is None or content is None:
        missing = "tensor_type" if kind is None else "tensor_content"
        raise rejection("tensor-lacks-field", name=missing)
    return tuple(dims), kind, content


def _value(data, number):
    tag = tensor = None
    try:
        for field, wire, value in protobuf.fields(data, "its value"):
            if field == 1 and wire == protobuf.BYTES:
                tag = _text(value)
            elif field == 2 and wire == protobuf.BYTES:
                tensor = _tensor(value)
            elif field == 3:
                raise rejection("mapparameter-sporax-does-not")
        if tag is None or tensor is None:
            missing = "tag" if tag is None else "tensor"
            raise rejection("value-no", number=number, missing=missing)
    except CorruptFile as error:
        if tag is None:
            raise
        raise rejection("at", tag=tag, cause=error)
    return tag, *tensor


def read(data, needed):
    """Return the entries of a checkpoint's bytes, in order, with the pieces of a tensor merged.

    `data`: a memoryview of bytes. `needed(dims, kind)`: the size of the content in bytes, or None
    if the content itself defines it (strings). Raises CorruptFile.
    """
    entries = []
    try:
        for number, (field, wire, value) in enumerate(protobuf.fields(data, "the file")):
            is_value = field == 1 and wire == protobuf.BYTES
            require(is_value, "field-none-checkpoint-s", field=field)
            tag, dims, kind, content = _value(value, number)
            last = entries[-1] if entries else None
            if last is None or last.tag != tag or not _continues(last, dims, kind, needed):
                entries.append(Entry(tag, dims, kind, []))
            entries[-1].add(content)
    except CorruptFile as error:
        if not entries:
            raise
        raise rejection("cause-after-value", cause=error, tag=entries[-1].tag)
    return entries


def _continues(entry, dims, kind, needed):
    if (entry.dims, entry.kind) != (dims, kind):
        return False
    size = needed(dims, kind)
    return size is None or entry.nbytes < size


def write(tag, dims, kind, content):
    """Yield chunks of bytes that store one entry; `content`, a memoryview, is not copied."""
    named = protobuf.block(1, tag.encode())
    shaped = b"".join(b"\x08" + protobuf.varint(d) for d in dims) + protobuf.block(2, kind.encode())
    for begin in range(0, max(len(content), 1), PIECE):
        piece = content[begin : begin + PIECE]
        tensor = shaped + protobuf.head(3, len(piece))
        inner = named + protobuf.head(2, len(tensor) + len(piece)) + tensor
        yield protobuf.head(1, len(inner) + len(piece)) + inner
        yield piece
