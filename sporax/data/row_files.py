"""Base of datasets whose rows are read sequentially from files."""

import enum
import functools
import glob
import itertools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sporax._src.diagnosis.rules import rejection, require
from sporax.data import random_streams
from sporax.data.cache import checked
from sporax.data.dataset import Dataset, count
from sporax.data.random_streams import LongTwister, Twister
from sporax.data.row_origin import FileRow
from sporax.data.sampler import DistributedSampler
from sporax.io.untrusted_file import MALFORMED, cause

_LARGEST_BUFFER = 10_000  # rows, for a global shuffle


class RowFiles(Dataset):
    """Rows of files, read on demand; a subclass's `_read(path)` yields the rows of one file.

    `shuffle`: True, None and Shuffle.GLOBAL for files and rows in a random order, Shuffle.FILES for
    the files alone. Rows are drawn from a buffer of four average files, at most 10,000 rows.
    `num_shards`, `shard_id`: read one of `num_shards` parts of equal size; the last is filled up
    with the first rows. `num_samples`: the maximum number of rows of that part.
    """

    def __init__(
        self, paths, columns, num_samples=None, shuffle: Any = True, num_shards=None, shard_id=None,
        cache=None,
    ):  # fmt: skip
        who = self._who
        super().__init__(columns)
        if (cache := checked(who, cache)) is not None:
            self._read = cache.kept_sequences(self._read)
        self._paths = list(paths)
        self._samples = count(who, "num_samples", num_samples, 1, 0)
        self._shuffles = _levels(who, shuffle)
        together = (num_shards is None) == (shard_id is None)
        require(together, "shard-id-given-together", who, num_shards=num_shards, shard_id=shard_id)
        self._shards, self._shard = 1, 0
        if num_shards is not None and shard_id is not None:
            sampler = DistributedSampler(num_shards, shard_id)
            self._shards, self._shard = sampler.num_shards, sampler.shard_id

    @property
    def _who(self):
        return type(self).__name__

    def _read(self, path) -> Iterable:
        raise rejection("method-defined", self._who, other="_read")

    def _rows_of(self, path):
        """Yield the rows of `_read`; raises RuntimeError if the file is malformed."""
        number = 0
        try:
            for row in self._read(path):
                yield FileRow(row, [(path, number)])
                number += 1
        except MALFORMED as error:
            fields = {"i": number, "cause": cause(error)}
            raise rejection("file-after-row", self._who, path=path, **fields) from error

    @functools.cached_property
    def _counts(self):
        """The number of rows of each file."""
        counts = {path: sum(1 for _ in self._rows_of(path)) for path in self._paths}
        require(sum(counts.values()), "rows-none", self._who, names=[*map(str, self._paths)])
        return counts

    @property
    def _rows_of_shard(self):
        return math.ceil(sum(self._counts[path] for path in self._paths) / self._shards)

    @property
    def _size(self):
        return min(self._rows_of_shard, self._samples or self._rows_of_shard)

    def _begin(self):
        of_files, of_rows = self._shuffles
        order, seed = list(self._paths), random_streams.seed()
        # MindSpore's shards draw the order of their files from a separate seed
        seeds = itertools.count(1) if self._shards > 1 else itertools.repeat(seed)
        draw = LongTwister(seed) if of_rows else None

        def epoch():
            if of_files:
                random_streams.shuffle(order, Twister(next(seeds) % 2**32))
            rows = itertools.islice(self._rows(order), self._samples)
            if draw is None:
                return rows
            four_files = 4 * (self._rows_of_shard // len(order))
            size = min(four_files, _LARGEST_BUFFER) or _LARGEST_BUFFER
            return random_streams.through_buffer(rows, size, draw)

        return epoch

    def _rows(self, order):
        """Yield the rows of this shard, from the files in that order."""
        if self._shards == 1:
            first = None
            for first in itertools.chain.from_iterable(map(self._rows_of, order)):
                yield first
            if first is None:
                assert self._counts  # raises
            return
        start = self._shard * self._rows_of_shard
        end = start + self._rows_of_shard
        for path in itertools.cycle(order):
            if start < self._counts[path]:
                yield from itertools.islice(
                    self._rows_of(path), start, min(end, self._counts[path])
                )
            start, end = max(start - self._counts[path], 0), end - self._counts[path]
            if end <= 0:
                return


def _levels(who, shuffle):
    """Return (True if files are shuffled, True if rows are)."""
    is_one = shuffle is None or isinstance(shuffle, (bool, enum.StrEnum))
    require(is_one, "bool-member-shuffle", who, shuffle=shuffle)
    level = {None: "global", True: "global", False: "none"}.get(shuffle, shuffle)
    fits = level in ("global", "files", "none")
    require(fits, "bool-shuffle-global-shuffle", who, shuffle=shuffle)
    return level != "none", level == "global"


def matched_files(who, dataset_files):
    """Return the files of a path or pattern, or of a list of them, sorted."""
    is_one = isinstance(dataset_files, (str, list))
    require(is_one, "str-list-them", who, dataset_files=dataset_files)
    paths = []
    for pattern in [dataset_files] if isinstance(dataset_files, str) else dataset_files:
        matching = [path for path in glob.glob(pattern, recursive=True) if Path(path).is_file()]
        require(matching, "there-must-be-file", who, path=pattern)
        paths += matching
    require(paths, "name-files", who, argument="dataset_files")
    return sorted(paths)
