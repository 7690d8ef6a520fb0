"""MindSpore's encrypted pieces, read and written with AES-GCM (NIST SP 800-38D).

A piece is a magic number, the tag (16 bytes), the number of bytes that follow (4 bytes, little
endian), and, each preceded by its length in 4 bytes, the initialization vector (16 bytes, of which
MindSpore uses 12) and the ciphertext.
"""

import secrets
import struct

from sporax._src.diagnosis import rules
from sporax.io.corrupt_file import rejection, require

MARK = b"\xd8\x5e\x3a\x7f"
_TAG, _INITIAL = 16, 12
_SIZES = struct.Struct("<II")  # bytes after the first number; of the initialization vector


def _cipher(key, initial, tag=None):
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError:
        raise rules.rejection("encrypted-files-need-library") from None
    return Cipher(algorithms.AES(key), modes.GCM(initial[:_INITIAL], tag))


def encrypt(content, key):
    """Encrypt bytes into a piece; `key`: 16, 24 or 32 bytes."""
    initial = secrets.token_bytes(16)
    encryptor = _cipher(key, initial).encryptor()
    hidden = encryptor.update(content) + encryptor.finalize()
    sizes = _SIZES.pack(8 + len(initial) + len(hidden), len(initial))
    return MARK + encryptor.tag + sizes + initial + struct.pack("<I", len(hidden)) + hidden


def decrypt(piece, key):
    """Return the decrypted bytes of a piece. Raises CorruptFile."""
    start = len(MARK) + _TAG
    try:
        size, count = _SIZES.unpack_from(piece, start)
        offset = start + _SIZES.size
        initial = piece[offset : offset + count]
        (hidden,) = struct.unpack_from("<I", piece, offset + count)
    except struct.error:
        raise rejection("encrypted-piece-too-short") from None
    content = piece[offset + count + 4 :]
    fits = len(content) == hidden and size == 8 + count + hidden and count >= _INITIAL
    require(piece[: len(MARK)] == MARK and fits, "encrypted-piece-does-not")
    decryptor = _cipher(key, initial, piece[len(MARK) : start]).decryptor()
    from cryptography.exceptions import InvalidTag  # an optional package, found by `_cipher`

    try:
        return decryptor.update(content) + decryptor.finalize()
    except InvalidTag:
        raise rejection("was-encrypted-another-key") from None
