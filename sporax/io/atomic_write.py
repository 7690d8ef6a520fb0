"""Atomic file writes."""

import contextlib
import errno
import os
import secrets
import stat

from sporax._src.diagnosis.rules import message


@contextlib.contextmanager
def replacing(path):
    """Yield the path of a new, empty file in the same folder to write to; once it is on disk, it
    atomically replaces `path`. After an error the old file is unchanged and the new one removed.
    Concurrent writers of one file are safe: the last one wins."""
    folder, name = os.path.split(os.path.realpath(path))
    temp_path = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.part")
    try:
        with open(temp_path, "xb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        yield temp_path
        os.chmod(temp_path, mode)  # a library may have created the file readable by its owner alone
        with open(temp_path, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temp_path, os.path.join(folder, name))
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temp_path)
        raise
    _settle(folder)


@contextlib.contextmanager
def errors_named(who, path):
    """Add the call and the path of the file to the message of an OSError."""
    try:
        yield
    except OSError as error:
        cause = error.strerror or error
        said = message("file-could-not-be-written", who, path=path, cause=cause)
        raise OSError(error.errno or errno.EIO, said) from error


def write(path, content):
    """Write bytes to a file atomically."""
    with replacing(path) as temp_path, open(temp_path, "wb") as file:
        file.write(content)


def _settle(folder):
    """Sync the folder, where supported, so that the rename survives a power failure."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
