"""Untrusted files: opens only regular files; lists the exceptions that damaged files cause."""

import csv
import errno
import json
import os
import stat
import struct
import zlib

from sporax._src.diagnosis.rules import message, rejection

# exceptions of code that parses a damaged file as a valid one
MALFORMED = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, NotImplementedError,
    OSError, RecursionError, SyntaxError, TypeError, ValueError, csv.Error, struct.error,
    zlib.error,
)  # fmt: skip


def opened(path):
    """Open a file for reading. Raises OSError if `path` does not exist, or is a folder, pipe or
    device, since reading a pipe or device may block or never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except ValueError:
        raise OSError(errno.EINVAL, message("name-byte-0")) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, message("not-a-regular-file"))
    return open(descriptor, "rb")


def check_regular(path):
    """Raise OSError if `opened` cannot open `path`."""
    opened(path).close()


def content(path):
    """Return a file's bytes; raises as `opened` does."""
    with opened(path) as file:
        return file.read()


def json_of(text):
    """Parse JSON; raises ValueError if it is invalid or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise rejection("nested-too-deeply") from None


def cause(error):
    """Return the text of an exception for use in another error message."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
