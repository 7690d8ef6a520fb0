"""`DatasetCache`: a cache of rows that were read or transformed.

MindSpore's cache is a server; here it is memory of this process, and with `spilling` also an
unnamed temporary file. The cache does not change the rows: a row that does not fit is computed
again.
"""

import hashlib
import itertools
import pickle
import re
import tempfile
import threading
import weakref
from typing import NamedTuple

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, INT, STR, instance_of, optional, within
from sporax._src.diagnosis.rules import require
from sporax.data import argument_checks as check
from sporax.data.row_origin import row_like
from sporax.io import atomic_write

_MB = 2**20
_RANDOM = re.compile("Random|Augment|MixUp|CutMix")


class CacheStatistics(NamedTuple):
    """Result of `DatasetCache.get_stat`: the mean size of a row in bytes, and the numbers of rows
    in memory and in the file."""

    avg_cache_sz: int
    num_mem_cached: int
    num_disk_cached: int


class DatasetCache:
    """Caches the rows of the datasets and `map` operations to which it is passed as `cache`.

    `session_id`: an int in [1, 2**32). `size`: the limit of rows in memory, in megabytes; 0 for no
    limit. `spilling`: whether further rows are written to a file. The other arguments configure
    MindSpore's server and have no effect here.

    >>> from sporax.data import NumpySlicesDataset
    >>> cache = DatasetCache(1)
    >>> data = NumpySlicesDataset([1, 2, 3], "x").map(lambda x: print("once") or x, cache=cache)
    >>> for _ in range(2):
    ...     _ = [row for row in data.create_tuple_iterator(num_epochs=1)]
    once
    once
    once
    >>> cache.get_stat().num_mem_cached
    3
    """

    def __init__(
        self, session_id, size=0, spilling=False, hostname=None, port=None, num_connections=None,
        prefetch_size=None,
    ):  # fmt: skip
        who = "DatasetCache"
        self.session_id = within(1, 2**32 - 1, INT).checked(who, "session_id", session_id)
        self.size = within(0, 2**64 - 1, INT).checked(who, "size", size)
        self.spilling = BOOL.checked(who, "spilling", spilling)
        self.hostname = optional(STR).checked(who, "hostname", hostname)
        self.port = optional(within(1025, 65535, INT)).checked(who, "port", port)
        optional(check.COUNT)(who, num_connections=num_connections, prefetch_size=prefetch_size)
        self.num_connections, self.prefetch_size = num_connections, prefetch_size
        self._rows, self._locations, self._bytes, self._file = {}, {}, 0, None
        self._lock, self._owners = threading.Lock(), itertools.count()

    def _arguments(self):
        names = "session_id", "size", "spilling", "hostname", "port", "num_connections"
        return {name: getattr(self, name) for name in (*names, "prefetch_size")}

    def __deepcopy__(self, memo):
        return self

    def get_stat(self):
        """Return the mean size of a row in bytes, `avg_cache_sz`, and the numbers of rows in
        memory, `num_mem_cached`, and in the file, `num_disk_cached`."""
        with self._lock:
            on_disk = sum(size for _, size in self._locations.values())
            count = len(self._rows) + len(self._locations)
            mean = round((self._bytes + on_disk) / count) if count else 0
            return CacheStatistics(mean, len(self._rows), len(self._locations))

    # rows by key ----------------------------------------------------------------------------------

    def get(self, key):
        """Return a copy of a row, or None."""
        with self._lock:
            row, location, file = self._rows.get(key), self._locations.get(key), self._file
            if location is not None and file is not None:
                file.seek(location[0])
                return pickle.loads(file.read(location[1]))
        return None if row is None else _copy(row)

    def put(self, key, row):
        """Store a copy of a row, if there is room."""
        size = sum(map(_size, row))
        with self._lock:
            if key in self._rows or key in self._locations:
                return
            if not self.size or self._bytes + size <= self.size * _MB:
                self._rows[key] = _copy(row)
                self._bytes += size
            elif self.spilling:
                self._spill(key, pickle.dumps(row, 5))

    def _spill(self, key, content):
        with atomic_write.errors_named("DatasetCache", tempfile.gettempdir()):
            if self._file is None:  # unbuffered, so that no later flush fails for lack of space
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - as the cache
                weakref.finalize(self, self._file.close)
            offset, left = self._file.seek(0, 2), memoryview(content)
            try:
                while left:
                    left = left[self._file.write(left) :]
            except OSError:
                self._file.truncate(offset)
                raise
        self._locations[key] = offset, len(content)

    # rows of an owner -----------------------------------------------------------------------------

    def kept(self, compute, key_of=lambda item: item):
        """Return `compute(position, item)` with its rows cached by the keys of their items."""
        owner = next(self._owners)

        def compute_once(position, item):
            key = owner, key_of(item)
            row = self.get(key)
            if row is None:
                row = compute(position, item)
                self.put(key, row)
            return row

        return compute_once

    def kept_sequences(self, read):
        """Return `read(name)`, an iterator over rows, with its rows cached."""
        owner, counts = next(self._owners), {}

        def read_once(name):
            keys = [(owner, name, i) for i in range(counts.get(name, 0))]
            if keys and all(key in self._rows or key in self._locations for key in keys):
                yield from map(self.get, keys)
                return
            number = 0
            for number, row in enumerate(read(name), 1):
                self.put((owner, name, number - 1), row)
                yield row
            counts[name] = number

        return read_once


def _size(value):
    return sum(map(_size, value.values())) if isinstance(value, dict) else np.asarray(value).nbytes


def _copy(row):
    return row_like(row, [x.copy() if isinstance(x, (np.ndarray, dict)) else x for x in row])


def digest(row):
    """Return a key that is equal for rows of equal content."""
    # pickles of equal arrays are equal where they are contiguous
    arrays = [np.ascontiguousarray(x) if isinstance(x, np.ndarray) else x for x in row]
    shapes = [(x.shape, x.dtype.str) if isinstance(x, np.ndarray) else None for x in arrays]
    chunks = [x.tobytes() if isinstance(x, np.ndarray) else pickle.dumps(x) for x in arrays]
    state = hashlib.blake2b(
        pickle.dumps((shapes, [len(chunk) for chunk in chunks])), digest_size=16
    )
    for chunk in chunks:
        state.update(chunk)
    return state.digest()


def checked(who, cache):
    """Check the argument `cache`: a `DatasetCache` or None."""
    return optional(instance_of(DatasetCache)).checked(who, "cache", cache)


def check_not_random(who, operations):
    """Raise RuntimeError for random transforms, whose rows differ from epoch to epoch."""
    for operation in operations:
        inner = getattr(operation, "transforms", None)
        if isinstance(inner, list):
            check_not_random(who, inner)
        is_random = _RANDOM.search(type(operation).__name__)
        require(not is_random, "come-without-random-transforms", who, cache=operation)


__all__ = ["CacheStatistics", "DatasetCache"]
