"""The user's key: 32 bytes in a file that only the user can read. What sporax writes gets a code
made with it, so that it knows its own files from those that somebody else has put there."""

import contextlib
import functools
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

SIZE = hashlib.sha256().digest_size  # bytes of a code
_LENGTH = 32


def path():
    """Where the key is."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base).absolute() / "sporax" / "key"


def code(*parts):
    """The code of some bytes; None where the user has no key that nobody else can read."""
    key = _key(path())
    if key is None:
        return None
    total = hmac.new(key, digestmod="sha256")
    for part in parts:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.digest()


def is_own(found, *parts):
    """Whether a code is that of some bytes."""
    own = code(*parts)
    return own is not None and hmac.compare_digest(own, bytes(found))


def is_private(status):
    """Whether a file or folder is the user's, and nobody else can write it."""
    if os.name != "posix":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def in_file(file):
    """The key in a file, which is written if it does not exist; OSError if others can read it."""
    return _read(file) or _written(file)


@functools.cache
def _key(file):
    try:
        return in_file(file)
    except OSError:
        return None


def _read(file):
    """The key in a file; None where there is no file. OSError for one that others can read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not is_private(status):
            raise PermissionError(f"'{file}' is not the user's own")
        if os.name == "posix" and status.st_mode & 0o077:
            raise PermissionError(f"'{file}' can be read by others")
        key = opened.read(_LENGTH + 1)
    if len(key) != _LENGTH:
        raise OSError(f"'{file}' does not have {_LENGTH} bytes")
    return key


def _written(file):
    """A new key; that of another process where it was first."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f"{secrets.token_hex(8)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as opened:
            opened.write(secrets.token_bytes(_LENGTH))
        with contextlib.suppress(FileExistsError):
            os.link(part, file)  # unlike a renaming, it replaces nothing
    finally:
        part.unlink()
    return _read(file)
