"""Files that strangers wrote: only regular files are read; what damaged ones make code raise."""

import csv
import errno
import json
import os
import stat
import struct
import zlib

# what code raises that takes a damaged file for a good one
MALFORMED = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, NotImplementedError,
    OSError, RecursionError, SyntaxError, TypeError, ValueError, csv.Error, struct.error,
    zlib.error,
)  # fmt: skip


def opened(path):
    """A file for reading. OSError where `path` names none, or a folder, pipe or device, of which
    some would be waited for, or have no end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except ValueError:
        raise OSError(errno.EINVAL, "its name has a byte 0") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file")
    return open(descriptor, "rb")


def check_regular(path):
    """Raises as `opened` does."""
    opened(path).close()


def content(path):
    """A file's bytes; raises as `opened` does."""
    with opened(path) as file:
        return file.read()


def json_of(text):
    """What JSON says; ValueError where it is none, or nested too deeply."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def cause(error):
    """What an exception says, for a message of ours."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
