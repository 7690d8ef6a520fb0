"""TFRecord files and the `tf.train.Example`s in them, read without TensorFlow.

A record is the length of its bytes (8 bytes, little-endian), a checksum of these 8, the bytes, and
their checksum. The bytes are a protobuf message:

    Example  { Features features = 1; }       Features { map<string, Feature> feature = 1; }
    Feature  { oneof { BytesList = 1; FloatList = 2; Int64List = 3; } }, lists of values = 1
"""

import functools
import gzip
import struct
import zlib

import numpy as np

from sporax.io import protobuf, untrusted_file

_POLYNOMIAL = 0x82F63B78  # CRC-32C (Castagnoli), low bit first
_TABLE = np.arange(256, dtype=np.uint32)
for _ in range(8):
    _TABLE = (_TABLE >> 1) ^ np.where(_TABLE & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
_INTS = _TABLE.tolist()
_PIECE = 64  # bytes of each piece in the vectorised checksum
_LONGEST = 2**29  # maximum bytes of a record


def _plain_crc(data, crc):
    for byte in data:
        crc = (crc >> 8) ^ _INTS[(crc ^ byte) & 0xFF]
    return crc


@functools.cache
def _after_zeros(level):
    """Return each bit of a checksum, advanced by `_PIECE * 2**level` zero bytes."""
    if level:
        half = _after_zeros(level - 1)
        return _applied(half, half)
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for _ in range(_PIECE):
        bits = (bits >> 8) ^ _TABLE[bits & 0xFF]
    return bits


def _applied(matrix, crcs):
    bits = (crcs[:, None] >> np.arange(32, dtype=np.uint32)) & 1
    return np.bitwise_xor.reduce(np.where(bits, matrix, np.uint32(0)), axis=1)


def crc32c(data):
    """Return the CRC-32C of bytes. Long inputs are split into pieces, processed together and joined
    pairwise: a checksum is linear in the bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    if len(data) < 4 * _PIECE:
        return _plain_crc(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
    pieces = 1 << (-(-len(data) // _PIECE) - 1).bit_length()
    padded = np.zeros(pieces * _PIECE, np.uint8)  # leading 0s change nothing
    start = padded.size - len(data)
    padded[start:] = np.frombuffer(data, np.uint8)
    padded[start : start + 4] ^= 0xFF  # the initial value
    crcs = np.zeros(pieces, np.uint32)
    for column in padded.reshape(pieces, _PIECE).T:
        crcs = (crcs >> 8) ^ _TABLE[(crcs ^ column) & 0xFF]
    level = 0
    while crcs.size > 1:
        crcs = _applied(_after_zeros(level), crcs[0::2]) ^ crcs[1::2]
        level += 1
    return int(crcs[0]) ^ 0xFFFFFFFF


def masked(crc):
    """Return a checksum as TFRecord files store it."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


class _ZlibFile:
    """Reader of a file that holds a zlib stream."""

    def __init__(self, path):
        self._file, self._stream = untrusted_file.opened(path), zlib.decompressobj()
        self._ready = b""

    def read(self, size):
        while len(self._ready) < size:
            more = self._stream.unconsumed_tail or self._file.read(2**16)
            if not more:
                break
            self._ready += self._stream.decompress(more, 2**20)
        content, self._ready = self._ready[:size], self._ready[size:]
        return content

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()


def _gzip_file(path):
    untrusted_file.check_regular(path)
    return gzip.open(path)


OPENERS = {
    "": untrusted_file.opened,
    "GZIP": _gzip_file,
    "ZLIB": _ZlibFile,
}


def _read(file, size):
    """Read at most `size` bytes, without allocating more than the file has."""
    pieces = []
    while size and (piece := file.read(min(size, 2**20))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def records(path, compression, damaged):
    """Yield the bytes of each record; `damaged(path, phrase, ...)` returns a bad file's error."""
    number, longest = 0, _LONGEST // 4 if compression else _LONGEST
    try:
        with OPENERS[compression](path) as file:
            while head := file.read(12):
                body = b""
                if len(head) == 12:
                    size, crc = struct.unpack("<QI", head)
                    if masked(crc32c(head[:8])) != crc:
                        raise damaged(path, "wrong-checksum-of-head", i=number)
                    if size > longest:
                        raise damaged(path, "record-too-long", i=number, size=size, most=longest)
                    body = _read(file, size + 4)
                if len(head) < 12 or len(body) < size + 4:
                    raise damaged(path, "ends-in-record", i=number)
                if masked(crc32c(body[:-4])) != int.from_bytes(body[-4:], "little"):
                    raise damaged(path, "wrong-checksum", i=number)
                yield body[:-4]
                number += 1
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(path, "is-tfrecord", compression=compression, cause=error)


# messages ---------------------------------------------------------------------------------------


def _feature(data):
    """Return a list of bytes, or an array of Float32 or Int64."""
    values = []
    for kind, _, content in protobuf.fields(data):
        if kind == 1:
            return [bytes(value) for _, _, value in protobuf.fields(content)]
        for _, wire, value in protobuf.fields(content):  # packed, or one by one
            if kind == 2:
                values.append(np.frombuffer(value, "<f4"))
            else:
                numbers = list(protobuf.varints(value)) if wire == protobuf.BYTES else [value]
                values.append(np.array(numbers, np.uint64).view(np.int64))
        return np.concatenate(values) if values else np.empty(0, "f4" if kind == 2 else "i8")
    return []


def example(data):
    """Return {name: feature} of an Example's bytes. Raises `CorruptFile` or ValueError."""
    features = {}
    for field, wire, content in protobuf.fields(data):
        if field != 1 or wire != protobuf.BYTES:
            continue
        for _, _, entry in protobuf.fields(content):
            values = {number: value for number, _, value in protobuf.fields(entry)}
            features[bytes(values.get(1, b"")).decode()] = _feature(values.get(2, b""))
    return features
