"""Dicts of numbers and strings in the MessagePack format (https://msgpack.org), as far as rows of
MindRecord files need it."""

import struct

from sporax._src.diagnosis.rules import rejection, require

# first byte -> struct format of the number after it
_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDE: ">H", 0xDF: ">I"}  # of strings, and of maps
_UNSIGNED, _SIGNED = (0xCC, 0xCD, 0xCE, 0xCF), (0xD0, 0xD1, 0xD2, 0xD3)


def _packed_int(value):
    if -32 <= value < 128:
        return struct.pack(">b" if value < 0 else ">B", value)
    for code in _UNSIGNED if value >= 0 else _SIGNED:
        bits = 8 * struct.calcsize(_NUMBERS[code])
        if value < 2**bits if value >= 0 else value >= -(2 ** (bits - 1)):
            return bytes([code]) + struct.pack(_NUMBERS[code], value)
    raise rejection("int-fit-into-64", got=value)


def _packed_float(value):
    single = struct.pack(">f", value) if abs(value) < 3e38 else None
    if single is not None and struct.unpack(">f", single)[0] == value:
        return b"\xca" + single
    return b"\xcb" + struct.pack(">d", value)


def _packed_text(value):
    content = value.encode("utf8")
    if len(content) < 32:
        return bytes([0xA0 | len(content)]) + content
    for code, most in ((0xD9, 2**8), (0xDA, 2**16), (0xDB, 2**32)):
        if len(content) < most:
            return bytes([code]) + struct.pack(_LENGTHS[code], len(content)) + content
    raise rejection("string-less-than-4-gb")


_PACKED = {int: _packed_int, float: _packed_float, str: _packed_text}


def pack(row):
    """Encode a dict of ints, floats and strings.

    >>> pack({"a": 1})
    b'\\x81\\xa1a\\x01'
    """
    start = bytes([0x80 | len(row)]) if len(row) < 16 else b"\xde" + struct.pack(">H", len(row))
    return start + b"".join(_packed_text(k) + _PACKED[type(v)](v) for k, v in row.items())


def unpack(content):
    """Decode a dict of numbers and strings; raises ValueError for malformed bytes.

    >>> unpack(b"\\x81\\xa1a\\x01")
    {'a': 1}
    """
    try:
        value, _ = _value(content, 0)
    except (IndexError, struct.error) as error:
        raise rejection("bytes-end-too-early", cause=error) from None
    except (RecursionError, TypeError):
        raise rejection("dict-key-nested-too") from None
    return value


def _value(content, offset):
    code = content[offset]
    offset += 1
    if code < 0x80:
        return code, offset
    if code >= 0xE0:
        return code - 256, offset
    if code in _CONSTANTS:
        return _CONSTANTS[code], offset
    if code in _NUMBERS:
        kind = _NUMBERS[code]
        return struct.unpack_from(kind, content, offset)[0], offset + struct.calcsize(kind)
    if code in _LENGTHS:
        length = struct.unpack_from(_LENGTHS[code], content, offset)[0]
        offset += struct.calcsize(_LENGTHS[code])
    else:
        length = code & (0x1F if code & 0xE0 == 0xA0 else 0x0F)
    if code & 0xE0 == 0xA0 or code in (0xD9, 0xDA, 0xDB):
        require(offset + length <= len(content), "string-cut-short")
        return content[offset : offset + length].decode("utf8"), offset + length
    require(code & 240 == 128 or code in (222, 223), "byte-begins-neither-number", code=code)
    mapping = {}
    for _ in range(length):
        key, offset = _value(content, offset)
        mapping[key], offset = _value(content, offset)
    return mapping, offset
