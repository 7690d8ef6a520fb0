"""Files of arrays, `.npz`, from strangers: what they say of sizes is compared with their own."""

import contextlib
import math
import os
import tokenize
import zipfile

import numpy as np

from sporax.io import untrusted_file

MALFORMED = (zipfile.BadZipFile, tokenize.TokenError, RuntimeError, *untrusted_file.MALFORMED)
_MOST = 1032  # bytes that deflate makes of one
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0}
_LATER = np.lib.format.read_array_header_2_0


@contextlib.contextmanager
def opened(path):
    """The arrays of a file by name, read one at a time; one of `MALFORMED` where it is none, or
    where arrays are larger than what it has of them."""
    with untrusted_file.opened(path) as file:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                _check(archive, member, os.fstat(file.fileno()).st_size)
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            yield arrays


def _check(archive, member, size):
    if member.file_size > _MOST * min(member.compress_size, size):
        raise ValueError(f"'{member.filename}' is larger than the file can hold")
    with archive.open(member) as content:
        read = _HEADERS.get(np.lib.format.read_magic(content), _LATER)
        shape, _, dtype = read(content)
    if math.prod(shape) * dtype.itemsize > member.file_size:
        raise ValueError(f"'{member.filename}' has not the elements of its shape {shape}")
