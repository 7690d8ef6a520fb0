"""`.safetensors` files: arrays by name, and MindSpore's metadata in the header."""

import json
import zlib

import ml_dtypes
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis import rules
from sporax.io import atomic_write, untrusted_file
from sporax.io.corrupt_file import CorruptFile, rejection, require

_SUM, _DEDUPLICATED = "crc_num", "remove_redundancy"
_LACKING = (np.dtype(np.complex128),)
# dtypes that the library reads for other frameworks only
_FLOAT8 = {"F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E5M2": ml_dtypes.float8_e5m2}
_ZEROS, _MOST_ZEROS = bytes(1 << 20), 1 << 31


def stored(name, x):
    """Return an array as the file stores it; raises TypeError for strings and Complex128."""
    if isinstance(x, str) or x.dtype in _LACKING:
        kind = "a string" if isinstance(x, str) else dtypes.from_numpy(x.dtype)
        raise rules.rejection("entries-tensors-not-complex128", "safetensors", name=name, kind=kind)
    return np.asarray(x, order="C")


def write(path, entries, crc_check, remove_redundancy):
    """Write a dict of results of `stored`, with MindSpore's metadata."""
    metadata = {"format": "ms"}
    if remove_redundancy is not None:
        metadata[_DEDUPLICATED] = str(remove_redundancy)
    if crc_check:
        metadata[_SUM] = str(_summed((name, entries[name]) for name in sorted(entries)))
    save(path, entries, metadata)


def save(path, entries, metadata):
    """Write a dict of arrays and a dict of strings, the metadata, atomically."""
    with atomic_write.replacing(path) as temp_path:
        try:
            save_file(entries, temp_path, metadata)
        except SafetensorError as error:
            raise OSError(str(error)) from None


def read(path, chosen, crc_check):
    """Yield (name, array) of each chosen entry, sorted by name; raises CorruptFile."""
    with _opened(path) as file:
        notes = file.metadata() or {}
        if crc_check:
            _verify(path, file, notes)
        for name in sorted(file.keys()):
            if chosen(name):
                yield name, _array(path, file, name, notes)


def metadata(path):
    """Return the metadata of a file, strings by name; raises CorruptFile."""
    with _opened(path) as file:
        return file.metadata() or {}


def deduplicated(path):
    """Return the file's flag that parts of it are in other files; None if it has no flag."""
    said = metadata(path).get(_DEDUPLICATED)
    return None if said is None else said == "True"


def _opened(path):
    try:
        untrusted_file.check_regular(path)
        # read, not mapped: half the time, and a file truncated meanwhile raises, without a crash
        return safe_open(path, framework="numpy", backend="pread")
    except (SafetensorError, *untrusted_file.MALFORMED) as error:
        raise CorruptFile(str(error)) from None


def _tensor(path, file, name):
    kind = file.get_slice(name).get_dtype()
    if kind not in _FLOAT8:
        return file.get_tensor(name)
    with open(path, "rb") as raw:
        size = int.from_bytes(raw.read(8), "little")
        entry = json.loads(raw.read(size))[name]
        begin, end = entry["data_offsets"]
        raw.seek(8 + size + begin)
        data = bytearray(raw.read(end - begin))
    return np.frombuffer(data, _FLOAT8[kind]).reshape(entry["shape"])


def _array(path, file, name, notes):
    try:
        array = _tensor(path, file, name)
        dtypes.from_numpy(array.dtype)
    except (SafetensorError, *untrusted_file.MALFORMED) as error:
        # AttributeError: NumPy has no such dtype at all
        if isinstance(error, (TypeError, AttributeError)):
            kind = file.get_slice(name).get_dtype()
            error = rules.message("type-sporax-does-not", kind=kind)
        raise rejection("at", tag=name, cause=error) from None
    if name in notes:  # MindSpore's mark that the stored dtype is not the tensor's
        cause = rules.message("type-sporax-does-not", kind=notes[name])
        raise rejection("at", tag=name, cause=cause)
    return array


def _verify(path, file, notes):
    require(_SUM in notes, "has-no-checksum", "load-without-checksum")
    total = _summed((name, _array(path, file, name, {})) for name in sorted(file.keys()))
    require(notes[_SUM] == str(total), "checksum-does-not-fit")


def _summed(named):
    """Return MindSpore's checksum of names and arrays."""
    total = 0
    for name, array in named:
        total = zlib.crc32(name.encode(), total)
        if array.ndim == 0 and array.dtype.kind in "iu" and 0 <= array < _MOST_ZEROS:
            # MindSpore passes `bytes(array)`, which for an integer is that many zero bytes.
            count = int(array)
            for begin in range(0, count, len(_ZEROS)):
                total = zlib.crc32(_ZEROS[: count - begin], total)
        else:
            total = zlib.crc32(array.reshape(-1).view(np.uint8), total)
    return total
