"""Untrusted `.npz` files: the sizes that they claim are checked against the stored bytes."""

import contextlib
import math
import os
import tokenize
import zipfile

import numpy as np

from sporax._src.diagnosis.rules import rejection
from sporax.io import untrusted_file

MALFORMED = (zipfile.BadZipFile, tokenize.TokenError, RuntimeError, *untrusted_file.MALFORMED)
_MOST = 1032  # largest expansion factor of deflate
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0}
_LATER = np.lib.format.read_array_header_2_0


@contextlib.contextmanager
def opened(path):
    """Open a file as arrays by name, read one at a time. Raises one of `MALFORMED` if the file is
    invalid or an array is larger than its stored bytes."""
    with untrusted_file.opened(path) as file:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                check(archive, member, os.fstat(file.fileno()).st_size)
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            yield arrays


def check(archive, member, size):
    """Raise one of `MALFORMED` if a member of an archive of `size` bytes claims too much."""
    if member.file_size > _MOST * min(member.compress_size, size):
        raise rejection("larger-file-can-hold", argument=member.filename)
    with archive.open(member) as content:
        read = _HEADERS.get(np.lib.format.read_magic(content), _LATER)
        shape, _, dtype = read(content)
    if math.prod(shape) * dtype.itemsize > member.file_size:
        raise rejection("not-elements-shape", argument=member.filename, shape=shape)
