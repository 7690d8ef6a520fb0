"""Graph files of version 2: an identifying line, a header in JSON, arrays, the program as text and
as `jax.export` serialized it, a checksum of everything, and an HMAC with the user's key.

The program is read from its text, which does not depend on JAX.
"""

import functools
import hashlib
import math

import numpy as np

from sporax._src.capture.graph_capture.export.exported_graph import Spec
from sporax._src.runtime.compilation_cache import user_key
from sporax.io import portable_program, untrusted_file
from sporax.io.corrupt_file import require

VERSION = 2
FIRST = b"sporax graph: StableHLO by jax.export, not MindSpore's MINDIR; version "
_SUM = hashlib.sha256
# versions of JAX, equivalent for programs of one platform without effects
_CONVENTIONS = 9, 10


def is_one(path):
    """Return True if a file begins as a graph file of version 2."""
    with untrusted_file.opened(path) as file:
        return file.read(len(FIRST)) == FIRST


def read(path):
    """Return (header, [(kind, name, array)], function that restores the program from `Spec`s, True
    if the user wrote it); raises CorruptFile."""
    content = memoryview(untrusted_file.content(path))
    version, start = _number(content, len(FIRST))
    require(version == VERSION, "of-unknown-version", "export-again", version=version)
    end = len(content) - _SUM().digest_size - user_key.SIZE
    digest, code = content[end : end + _SUM().digest_size], content[end + _SUM().digest_size :]
    fits = end >= start + 8 and _SUM(content[:end]).digest() == digest
    require(fits, "checksum-does-not-fit")
    first = start + 8 + int.from_bytes(content[start : start + 8], "little")
    require(first <= end, "header-ends-after-end")
    header = untrusted_file.json_of(bytes(content[start + 8 : first]).decode())
    named_arrays, first = _arrays(header["arrays"], content[:end], first)
    size, remaining = header["text"], end - first
    fits = type(size) is int and 0 <= size <= remaining and header["program"] == remaining - size
    require(fits, "program-bytes-header-does", rest=remaining)
    convention, jax = header["convention"], header["jax"]
    fits = convention in _CONVENTIONS
    require(fits, "of-calling-convention", "export-again", jax=jax, convention=convention)
    text = bytes(content[first : first + size]).decode()
    portable_program.check_platform(tuple(header["platforms"]))
    restore = functools.partial(portable_program.exported, header, None, text)
    return header, named_arrays, restore, user_key.is_own(code, b"graph", bytes(digest))


def _arrays(items, content, first):
    """Return ([(kind, name, array)] of the items, offset of the next part)."""
    arrays = []
    for kind, name, shape, dtype in items:
        spec = Spec(*portable_program.spec(name, shape, dtype))
        count = math.prod(spec.shape)  # raises TypeError for an unknown size
        dtype = portable_program.DTYPES[spec.dtype]
        size = count * dtype.itemsize
        fits = size <= len(content) - first
        require(fits, "array-bytes-not", name=name, size=size)
        array = np.frombuffer(content[first : first + size], dtype).reshape(spec.shape)
        arrays.append((kind, name, array))
        first += size
    return arrays, first


def _number(content, offset):
    """Return (the number in the remainder of a line, offset of the next line)."""
    line, _, _ = bytes(content[offset : offset + 20]).partition(b"\n")
    require(line.isdigit(), "first-line-cut-short")
    return int(line), offset + len(line) + 1
