"""The user's key: 32 bytes in a file that only the user can read. Files that sporax writes get an
HMAC with this key, so that files planted by somebody else are detected."""

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
    """Return the path of the key file."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base).absolute() / "sporax" / "key"


def code(*chunks):
    """Return the HMAC-SHA256 of `chunks`; None without a key that only the user can read."""
    key = _key(path())
    return None if key is None else signed(key, *chunks)


def signed(key, *chunks):
    """Return the HMAC-SHA256 of `chunks` with a key."""
    total = hmac.new(key, digestmod="sha256")
    for chunk in chunks:
        total.update(len(chunk).to_bytes(8, "little"))
        total.update(chunk)
    return total.digest()


def is_own(received, *chunks):
    """Return True if `received` is the code of `chunks`."""
    own = code(*chunks)
    return own is not None and hmac.compare_digest(own, bytes(received))


def is_private(status):
    """Return True if a file or folder belongs to the user, and nobody else can write it."""
    if os.name != "posix":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def in_file(file):
    """Return the key in a file, written if missing; raise OSError if others can read it."""
    return _read(file) or _written(file)


@functools.cache
def _key(file):
    try:
        return in_file(file)
    except OSError:
        return None


def _read(file):
    """Return the key in a file; None if it does not exist. Raise OSError if others can read it."""
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
    """Write and return a new key; if another process was first, return its key."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = file.with_name(f"{secrets.token_hex(8)}.part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as opened:
            opened.write(secrets.token_bytes(_LENGTH))
        with contextlib.suppress(FileExistsError):
            os.link(temporary, file)  # unlike a rename, a link never replaces a file
    finally:
        temporary.unlink()
    return _read(file)
