"""Encryption of whole MindRecord files, including their index.

An encrypted file has chunks, each after its length (4 bytes, big-endian), then a length of 0, the
name of the mode (7 bytes) and `ENCRYPT`. A user function writes its own output in place of the
chunks. Decrypted content is kept in unnamed temporary files.
"""

import os
import shutil
import tempfile

from sporax._src.diagnosis.rules import rejection, require
from sporax.io import atomic_write, encryption, untrusted_file
from sporax.io.corrupt_file import CorruptFile

_END, _OWN, _AES = b"ENCRYPT", b"UDF-ENC", b"AES-GCM"
_PIECE = 64 * 2**20  # bytes encrypted at once
_settings = {"key": None, "enc_mode": _AES.decode(), "dec_mode": None}


def set_enc_key(enc_key):
    """Set the key that encrypts MindRecord files on writing, and decrypts them on reading.

    `enc_key`: a str of 16, 24 or 32 bytes in UTF-8; None for no encryption. Requires the library
    cryptography: `pip install 'sporax[encryption]'`.

    >>> set_enc_key("0123456789012345")
    >>> set_enc_key(None)
    """
    is_str = enc_key is None or isinstance(enc_key, str)
    require(is_str, "must-be-value", "set_enc_key", enc_key=enc_key, kind="a-str")
    size = 16 if enc_key is None else len(enc_key.encode())
    require(size in (16, 24, 32), "size-of-key", "set_enc_key", enc_key=size)
    _settings["key"] = enc_key


def set_enc_mode(enc_mode="AES-GCM"):
    """Set how files are encrypted: by 'AES-GCM', or a function of (input file, its size in bytes,
    output file, key).

    >>> set_enc_mode("AES-GCM")
    """
    _settings["enc_mode"] = _mode("enc_mode", enc_mode)


def set_dec_mode(dec_mode="AES-GCM"):
    """Set how files are decrypted: by 'AES-GCM', a function as in `set_enc_mode`, or None for
    `enc_mode`, unless that is a function. The size passed to a function includes 11 bytes after the
    output of its counterpart.

    >>> set_dec_mode(None)
    """
    _settings["dec_mode"] = None if dec_mode is None else _mode("dec_mode", dec_mode)


def _mode(name, mode):
    fits = callable(mode) or mode == _AES.decode()
    require(fits, "aes-gcm-function", f"set_{name}", argument=name, got=mode)
    return mode


def is_key_set():
    """Return True if a key is set, so that files are encrypted."""
    return _settings["key"] is not None


def encrypt_if_set(path):
    """Encrypt a finished file in place, if a key is set."""
    key, mode = _settings["key"], _settings["enc_mode"]
    if key is None:
        return
    with (
        open(path, "rb") as file,
        atomic_write.replacing(path) as temp_path,
        open(temp_path, "wb") as out,
    ):
        if callable(mode):
            mode(file, os.fstat(file.fileno()).st_size, out, key)
        else:
            while content := file.read(_PIECE):
                piece = encryption.encrypt(content, key.encode())
                out.write(len(piece).to_bytes(4, "big") + piece)
        out.write(bytes(4) + (_OWN if callable(mode) else _AES) + _END)


def _dec_mode(path):
    mode = _settings["enc_mode"] if _settings["dec_mode"] is None else _settings["dec_mode"]
    fits = not callable(mode) or _settings["dec_mode"] is not None
    require(fits, "file-needs-decryption", "mindrecord", path=path)
    return mode


def opened_plain(path):
    """Open a file for reading without encryption: the file itself, or its decrypted content."""
    try:
        file = untrusted_file.opened(path)
    except OSError as error:
        cause = untrusted_file.cause(error)
        raise rejection("file-cannot-read", "mindrecord", path=path, cause=cause) from None
    try:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(size - len(_END), 0))
        is_encrypted = file.read() == _END
        key = _settings["key"]
        fits = key is not None or not is_encrypted
        require(fits, "file-is-encrypted", "mindrecord", path=path)
        fits = key is None or is_encrypted
        require(fits, "file-not-encrypted", "mindrecord", path=path)
        file.seek(0)
        if not is_encrypted:
            return file
        with file:
            return _decrypted(path, file, size - len(_END), key)
    except BaseException:
        file.close()
        raise


def _decrypted(path, file, size, key):
    mode = _dec_mode(path)
    file.seek(max(size - len(_AES), 0))
    written = file.read(len(_AES))
    fields = {"mode": mode, "written": written.decode("latin1")}
    fits = written == (_OWN if callable(mode) else _AES)
    require(fits, "file-encrypted-as", "mindrecord", path=path, **fields)
    file.seek(0)
    plain = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        if callable(mode):
            mode(file, size, plain, key)
        else:
            _decrypt_pieces(path, file, plain, key.encode())
    except BaseException:
        plain.close()
        raise
    plain.flush()
    plain.seek(0)
    return plain


def _decrypt_pieces(path, file, plain, key):
    size = os.fstat(file.fileno()).st_size
    while length := int.from_bytes(file.read(4), "big"):
        try:
            plain.write(encryption.decrypt(file.read(min(length, size)), key))
        except CorruptFile as error:
            raise rejection("file-decrypted", "mindrecord", path=path, cause=error) from None


def decrypt_in_place(path):
    """Replace a file by its decrypted content."""
    with (
        opened_plain(path) as plain,
        atomic_write.replacing(path) as temp_path,
        open(temp_path, "wb") as out,
    ):
        shutil.copyfileobj(plain, out)


__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]
