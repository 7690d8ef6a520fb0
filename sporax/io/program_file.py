"""Files with a program, independent of the JAX release that wrote them: exported graphs, and
reproducers of miscompiled programs.

The format is `.safetensors`. The metadata has one text: an identifying line, a line with a checksum
and an HMAC with the user's key, which identifies the user's own files, and a header in JSON. The
arrays are the program (`portable_program`), the weights, and operands with their expected results.
The header of an untrusted file is checked against its arrays.
"""

import hashlib
import json
import platform
from importlib.metadata import version
from typing import Any, NamedTuple

import jax
import numpy as np

import sporax
from sporax._src.core import dtype as dtypes
from sporax._src.runtime.compilation_cache import user_key
from sporax._src.runtime.engine.verification.admission import processor
from sporax.io import safetensors_file, untrusted_file
from sporax.io.corrupt_file import CorruptFile, rejection, require

VERSION = 3  # of the format; older graph files have others
GRAPH = "graph: portable StableHLO, not MindSpore's MINDIR"
REPRODUCER = "reproducer of a program that is compiled wrongly"
BEGIN = b'{"__metadata__":{"sporax":"'  # after the eight bytes of the header's size
_KEY, _SUM = "sporax", hashlib.sha256
# dtypes that the format lacks, and the dtypes in which they are stored
_DTYPES, _KEPT_AS = {"Complex128": np.complex128}, {"Complex128": np.float64}


class Contents(NamedTuple):
    """A file's header and arrays by name. `is_own`: True if this user wrote it. `writer`: the
    software that wrote it, as text."""

    header: Any
    arrays: dict
    is_own: bool
    writer: str


def write(path, kind, header, arrays):
    """Write a program's file atomically."""
    kept, dtypes_of = {}, {}
    for name, array in arrays.items():
        dtype = dtypes.from_numpy(array.dtype).name
        if dtype in _KEPT_AS:
            dtypes_of[name], array = dtype, np.ascontiguousarray(array)[..., None]
            array = array.view(_KEPT_AS[dtype])
        kept[name] = np.asarray(array, order="C")
    text = json.dumps({**header, "kept as others": dtypes_of, "written by": _here()})
    digest = _digest(kind, text, kept)
    code = user_key.code(kind.encode(), digest) or bytes(user_key.SIZE)
    lines = f"{kind}; version {VERSION}", f"{digest.hex()} {code.hex()}", text
    safetensors_file.save(path, kept, {_KEY: "\n".join(lines)})


def read(path, kind):
    """Read the `Contents` of a file of this kind; raises CorruptFile."""
    with untrusted_file.opened(path) as file:
        begin = file.read(8 + len(BEGIN))[8:]
    require(begin == BEGIN, "begins-otherwise", "export-again")
    try:
        text = safetensors_file.metadata(path)[_KEY]
        kept = dict(safetensors_file.read(path, lambda _: True, False))
    except CorruptFile as error:
        raise rejection("cut-short-not-arrays", cause=str(error)[:100]) from None
    first, _, remainder = text.partition("\n")
    actual, _, number = first.partition("; version ")
    require(actual == kind, "not", seen=actual, kind=kind)
    require(number == str(VERSION), "of-other-version", "read-with-newer", got=number, n=VERSION)
    codes, _, text = remainder.partition("\n")
    try:
        digest, code = map(bytes.fromhex, codes.split(" "))
    except ValueError:
        digest, code = b"", b""
    require(digest == _digest(kind, text, kept), "checksum-does-not-fit")
    header = untrusted_file.json_of(text)
    arrays, by = _as_written(kept, header["kept as others"]), header["written by"]
    writer = f"sporax {by['sporax']}, jax {by['jax']}, jaxlib {by['jaxlib']} on {by['processor']}"
    return Contents(header, arrays, user_key.is_own(code, kind.encode(), digest), writer)


def _as_written(kept, dtypes_of):
    """Return the arrays in their original dtypes."""
    arrays = dict(kept)
    for name, dtype in dtypes_of.items():
        array = kept[name]
        fits = array.dtype == _KEPT_AS[dtype]
        require(fits, "array-not-kept", name=name, dtype=dtype)
        arrays[name] = array.view(_DTYPES[dtype])[..., 0]
    return arrays


def _digest(kind, text, arrays):
    total = _SUM(f"{kind}\n{VERSION}\n{len(text)}\n{text}\n".encode())
    for name in sorted(arrays):
        array = arrays[name]
        total.update(f"{name!r} {array.dtype} {array.shape}\n".encode())
        total.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    return total.digest()


def _here():
    """Return the versions, platform and devices of this process."""
    versions = {name: version(name) for name in ("jax", "jaxlib")}
    return {
        "sporax": sporax.__version__, **versions, "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}", "processor": processor()[0],
        "devices": sorted({device.device_kind for device in jax.local_devices()}),
    }  # fmt: skip
