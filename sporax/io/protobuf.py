"""Protobuf messages, read and written without a protobuf library."""

from sporax.io.corrupt_file import rejection, require

VARINT, BYTES = 0, 2  # wire types
_FIXED = {1: 8, 5: 4}  # wire types of fixed size -> bytes
_LONGEST_VARINT, _MOST = 10, 2**64 - 1


def _varint(data, offset):
    value = shift = 0
    for i in range(offset, min(len(data), offset + _LONGEST_VARINT)):
        value |= (data[i] & 0x7F) << shift
        if data[i] < 0x80:
            return value & _MOST, i + 1
        shift += 7
    fits = len(data) - offset >= _LONGEST_VARINT
    require(fits, "ends-middle-number-byte", count=len(data))
    raise rejection("byte-begins-no-number", value=offset)


def varints(data):
    """Yield the unsigned integers of a packed list."""
    offset = 0
    while offset < len(data):
        value, offset = _varint(data, offset)
        yield value


def fields(data, inside="it"):
    """Yield (field, wire type, value) of each field of a message; the value is an unsigned integer
    for `VARINT`, else a slice of `data`. `inside`: the name of the message in errors."""
    require(not isinstance(data, int), "number-should-message", inside=inside)
    offset = 0
    while offset < len(data):
        key, offset = _varint(data, offset)
        wire = key & 7
        if wire == VARINT:
            value, offset = _varint(data, offset)
            yield key >> 3, wire, value
            continue
        if wire == BYTES:
            size, offset = _varint(data, offset)
        elif wire in _FIXED:
            size = _FIXED[wire]
        else:
            raise rejection("byte-begins-nothing-format", value=offset, inside=inside)
        end = offset + size
        if end > len(data):
            early = end - len(data)
            raise rejection("ends-byte-bytes-too", inside=inside, count=len(data), early=early)
        yield key >> 3, wire, data[offset:end]
        offset = end


def signed(value):
    """Reinterpret an unsigned 64-bit integer as signed."""
    return value - (1 << 64) if value >= 1 << 63 else value


def varint(value):
    """Encode an unsigned integer as a varint."""
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def head(field, size):
    """Return the tag and length that precede a field of `size` bytes."""
    return varint(field << 3 | BYTES) + varint(size)


def block(field, content):
    """Return an encoded field of bytes."""
    return head(field, len(content)) + content
