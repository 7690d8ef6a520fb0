"""Batching: `batch`, `padded_batch` and `bucket_batch_by_length`."""

import functools
import itertools
from bisect import bisect_right
from itertools import pairwise
from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import BOOL, DICT, FUNCTION, INT, optional
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.aligned_arrays import ALIGNMENT, stacked
from sporax.data.dataset import as_array
from sporax.data.pipeline import _Replacing, step
from sporax.data.sync_wait import batches_follow
from sporax.data.workers import Stage, Workers, absent, following_stage, numbered

_BLOCK = 1 << 21  # bytes gathered at once


class BatchInfo:
    """The batch and epoch numbers, passed to `per_batch_map` and to a callable `batch_size`."""

    def __init__(self, epoch, batch):
        self._epoch, self._batch = epoch, batch

    def get_epoch_num(self):
        """Return the index of the epoch."""
        return self._epoch

    def get_batch_num(self):
        """Return the index of the batch within the epoch."""
        return self._batch


class _Batches(_Replacing):
    batch_size: Any  # an int, or a function of the `BatchInfo`

    def __init__(self, dataset, batch_size, drop_remainder, taken, output_columns):
        super().__init__("batch", dataset, taken, output_columns)
        if not callable(batch_size):
            require(INT.accepts(batch_size), "int-callable", "batch", batch_size=batch_size)
            check.COUNT("batch", batch_size=batch_size)
        BOOL("batch", drop_remainder=drop_remainder)
        self.batch_size, self.drop_remainder = batch_size, drop_remainder
        if not callable(batch_size):
            batches_follow(dataset, batch_size)

    @property
    def _size(self):
        if callable(self.batch_size):
            with absent():
                return sum(1 for _ in self._begin()())
        rows = self._source.get_dataset_size()
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)

    def get_batch_size(self):
        """Return the batch size; -1 if it varies."""
        return -1 if callable(self.batch_size) else self.batch_size

    def _stage(self):
        rows = following_stage("batch", self._source, _same, self._workers, self._is_own)
        begin = functools.partial(self._begin_batches, rows.begin)
        compute = functools.partial(self._batch_of, rows.compute)
        return Stage("batch", begin, compute, rows.workers, is_batch=True)

    def _batch_of(self, compute_row, position, taken):
        rows = [compute_row(*item) for item in taken]
        columns = [list(column) for column in zip(*rows, strict=True)]
        return self._put_together(columns, BatchInfo(*position))

    def _size_of(self, info):
        size = self.batch_size(info)
        fits = not isinstance(size, bool) and isinstance(size, (int, np.integer)) and size >= 1
        require(fits, "batch-size-returns", "batch", got=size)
        return int(size)

    def _begin_batches(self, begin_rows, first):
        if callable(self.batch_size) and first:  # batch sizes are known only by iterating
            epoch = self._begin_batches(begin_rows, 0)
            skipped = iter([first])
            return lambda: itertools.islice(epoch(), next(skipped, 0), None)
        epoch = begin_rows(first and first * self.batch_size)
        numbers, starts = itertools.count(random_streams.first_epoch()), iter([first])
        return lambda: self._grouped(epoch(), next(numbers), next(starts, 0))

    def _grouped(self, items, epoch, index):
        """Yield ((epoch, batch index), items of its rows)."""
        while True:
            size = self.batch_size
            size = self._size_of(BatchInfo(epoch, index)) if callable(size) else size
            taken = list(itertools.islice(items, size))
            if not taken or (len(taken) < size and self.drop_remainder):
                return
            yield (epoch, index), taken
            index += 1

    _is_own = True  # no user function combines the rows

    def _put_together(self, columns, info):
        raise NotImplementedError


def _same(position, row):
    return row


def _gathered_at(gathered, position, indices):
    return gathered(indices)


def _stacked(name, arrays):
    if isinstance(arrays, dict):  # the result of `per_batch_map`
        return arrays
    if isinstance(arrays[0], dict):
        return {
            key: _stacked(f"{name}.{key}", values) for key, values in _by_key(name, arrays).items()
        }
    arrays = [as_array("batch", array) for array in arrays]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise rejection("rows-column-one-shape", "batch", name=name, got=sorted(shapes))
    dtypes = {array.dtype.kind if array.dtype.kind in "SU" else array.dtype for array in arrays}
    if len(dtypes) > 1:
        got = sorted(map(str, dtypes))
        raise rejection("rows-column-one-dtype", "batch", name=name, got=got)
    return stacked(arrays)


def _by_key(name, dicts):
    if any(not isinstance(d, dict) or d.keys() != dicts[0].keys() for d in dicts):
        kinds = sorted({str(list(d)) if isinstance(d, dict) else type(d).__name__ for d in dicts})
        raise rejection("rows-column-dicts-same", "batch", name=name, got=kinds)
    return {key: [d[key] for d in dicts] for key in dicts[0]}


@step("batch")
class Batch(_Batches):
    """Stacks `batch_size` rows along a new first axis (dicts key by key). The last batch may be
    smaller; `drop_remainder` drops it.

    `batch_size`: an int, or a function of a `BatchInfo`. `per_batch_map(columns..., info)`: maps
    the lists of `input_columns` to lists of `output_columns`, before stacking.
    `num_parallel_workers`: number of batches computed concurrently, in threads, or with
    `python_multiprocessing` in processes; by default, the workers that compute the rows do it.
    `max_rowsize` has no effect here.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).batch(2, drop_remainder=True)
    >>> [row.tolist() for row, in data.create_tuple_iterator(output_numpy=True)]
    [[1, 2]]
    """

    def __init__(
        self, dataset, batch_size, drop_remainder=False, num_parallel_workers=None,
        per_batch_map=None, input_columns=None, output_columns=None, python_multiprocessing=False,
        max_rowsize=None,
    ):  # fmt: skip
        taken = dataset.get_col_names() if input_columns is None else input_columns
        super().__init__(dataset, batch_size, drop_remainder, taken, output_columns)
        fits = per_batch_map is not None or output_columns is None
        require(fits, "come-with", "batch", argument="output_columns", other="per_batch_map")
        optional(FUNCTION)("batch", per_batch_map=per_batch_map)
        self._map, self._is_own = per_batch_map, per_batch_map is None
        self.is_fresh = self._is_own  # stacked into new arrays without other references

    def _stage(self):
        return self._gathering_stage(1, self._workers) if self._gathers else super()._stage()

    @functools.cached_property
    def _gathers(self):
        """True if a batch is gathered from the source's arrays by an array of indices."""
        return self._is_own and self._source._gathered and not callable(self.batch_size)

    def _gathering_stage(self, many, workers):
        """Return the stage that gathers the rows of `many` batches at once."""

        def begin(first):
            epoch, starts = self._source._indices(), iter([first])
            return numbered(lambda: self._chunks(epoch(), next(starts, 0), many), first)

        compute = functools.partial(_gathered_at, self._source._gathered)
        return Stage("batch", begin, compute, workers, is_batch=True)

    def _chunks(self, indices, first, many):
        """Return the index arrays of each `many` batches, from batch `first` on."""
        row_indices, size = np.array(indices), self.batch_size
        end = len(row_indices) // size * size if self.drop_remainder else len(row_indices)
        starts = range(first * size, end, many * size)
        return (row_indices[i : min(i + many * size, end)] for i in starts)

    def _begin(self):
        return self._in_blocks(0) or super()._begin()

    def _rows_from(self, first):
        epoch = self._in_blocks(first)
        return epoch() if epoch is not None else super()._rows_from(first)

    def _in_blocks(self, first):
        """Return a function that yields the batches of an epoch, gathered in blocks by a thread
        ahead of the reader; None if this gains nothing."""
        if not self._gathers or self._workers is not None:
            return None
        size = self.batch_size
        of_batch = [size * column[:1].nbytes for column in self._source.source.columns]
        # the later batches of a block are aligned too
        are_aligned = not any(nbytes % ALIGNMENT for nbytes in of_batch)
        many = max(_BLOCK // max(sum(of_batch), 1), 1) if are_aligned else 1
        if len(self._source.source) <= many * size:
            return None
        blocks = self._gathering_stage(many, Workers(1, False)).epochs(first)
        return lambda: itertools.chain.from_iterable(map(self._divided, blocks()))

    def _divided(self, block):
        size = self.batch_size
        starts = range(0, len(block[0]), size)
        return (tuple([column[i : i + size] for column in block]) for i in starts)

    def _mapped(self, function, columns, info):
        try:
            return function(*columns, info)
        except Exception as error:
            location = f"batch {info.get_batch_num()} of epoch {info.get_epoch_num()}"
            error.add_note(f"For 'batch', 'per_batch_map' raised this for {location}.")
            raise

    def _put_together(self, columns, info):
        if self._map is not None:
            size = len(columns[0])
            columns_out = self._mapped(self._map, [columns[i] for i in self._column_indices], info)
            columns_out = columns_out if isinstance(columns_out, tuple) else (columns_out,)
            n, given = len(columns_out), self._given
            require(n == len(given), "list-for-each-column", "batch", per_batch_map=n, given=given)
            for name, rows in zip(self._given, columns_out, strict=True):
                is_whole = isinstance(rows, (np.ndarray, Tensor, dict))
                fits = is_whole or (isinstance(rows, (list, tuple)) and len(rows) == size)
                fields = {"per_batch_map": rows, "size": size, "name": name}
                require(fits, "return-list-rows-column", "batch", **fields)
            columns = self._replaced(columns, columns_out)
        named = zip(self._columns, columns, strict=True)
        return tuple([_stacked(name, arrays) for name, arrays in named])


@step("padded_batch")
class PaddedBatch(_Batches):
    """Batches whose arrays are first padded, or truncated, at the end of their axes.

    `pad_info`: {column: (shape, value)}; a size of None means the largest in the batch, as does
    a column that a given `pad_info` lacks. The value is 0 by default.

    >>> from sporax.data import GeneratorDataset
    >>> rows = lambda: iter([np.array([1]), np.array([2, 3])])
    >>> data = GeneratorDataset(rows, ["x"]).padded_batch(2, pad_info={})
    >>> next(data.create_tuple_iterator(output_numpy=True))[0].tolist()
    [[1, 0], [2, 3]]
    """

    _who = "padded_batch"

    def __init__(
        self, dataset, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None
    ):
        super().__init__(dataset, batch_size, drop_remainder, dataset.get_col_names(), None)
        if pad_info is not None:
            DICT("padded_batch", pad_info=pad_info)
            known = self._columns
            for name in pad_info:
                require(name in known, "among", self._who, pad_info=name, value=known)
        self._pads = pad_info

    def _put_together(self, columns, info, length=None):
        named = zip(self._columns, columns, strict=True)
        if self._pads is not None:
            named = [(name, self._padded(name, arrays, length)) for name, arrays in named]
        return tuple([_stacked(name, arrays) for name, arrays in named])

    def _padded(self, name, arrays, length):
        """Return the arrays padded to one shape; open sizes are `length`, or the largest size."""
        has_dicts = any(isinstance(array, dict) for array in arrays)
        require(not has_dicts, "rows-column-arrays", self._who, name=name)
        arrays = [as_array(self._who, array) for array in arrays]
        ranks = {array.ndim for array in arrays}
        shape, value = (self._pads or {}).get(name) or (None, None)
        shape = [None] * max(ranks) if shape is None else list(shape)
        if ranks != {len(shape)}:
            got = [array.ndim for array in arrays]
            fields = {"name": name, "count": len(shape), "shape": shape, "got": got}
            raise rejection("rows-column-axes-shape", self._who, **fields)
        longest = [length or max(sizes) for sizes in zip(*[a.shape for a in arrays], strict=True)]
        sizes = [n if size is None else size for size, n in zip(shape, longest, strict=True)]
        return [_filled(array, sizes, value) for array in arrays]


@step("bucket_batch_by_length")
class BucketBatch(PaddedBatch):
    """Batches of rows of similar length, padded as in `padded_batch`.

    A row of length $n$ goes into the bucket $i$ with $b_{i-1} \\le n < b_i$ for the increasing
    `bucket_boundaries` $b$; `bucket_batch_sizes[i]` rows of a bucket form a batch. At the end, the
    remaining rows of each bucket form one, unless `drop_remainder`. The length is the first
    axis's size of the one column in `column_names`, or the result of `element_length_function`.
    `pad_info` as in `padded_batch`; with `pad_to_bucket_boundary` its open sizes are $b_i - 1$.

    >>> from sporax.data import GeneratorDataset
    >>> rows = lambda: (np.arange(n) for n in (1, 4, 2))
    >>> data = GeneratorDataset(rows, ["x"]).bucket_batch_by_length(["x"], [3], [2, 1])
    >>> [row.tolist() for row, in data.create_tuple_iterator(output_numpy=True)]
    [[[0, 1, 2, 3]], [[0, 0], [0, 1]]]
    """

    _who = "bucket_batch_by_length"

    def __init__(
        self, dataset, column_names, bucket_boundaries, bucket_batch_sizes,
        element_length_function=None, pad_info=None, pad_to_bucket_boundary=False,
        drop_remainder=False,
    ):  # fmt: skip
        super().__init__(dataset, 1, drop_remainder, pad_info=pad_info or {})
        names = [column_names] if isinstance(column_names, str) else list(column_names)
        for what, numbers in (
            ("bucket_boundaries", bucket_boundaries), ("bucket_batch_sizes", bucket_batch_sizes),
        ):  # fmt: skip
            fits = isinstance(numbers, (list, tuple)) and len(numbers) > 0
            fits = fits and all(type(n) is int and n > 0 for n in numbers)
            require(fits, "list-positive-ints", self._who, argument=what, got=numbers)
        rises = all(b > a for a, b in pairwise(bucket_boundaries))
        require(rises, "must-rise", self._who, bucket_boundaries=bucket_boundaries)
        n, got = len(bucket_boundaries) + 1, bucket_batch_sizes
        require(len(got) == n, "size-per-bucket", self._who, bucket_batch_sizes=got, n=n)
        missing = [name for name in names if name not in self._columns]
        fits = not missing and (element_length_function is not None or len(names) == 1)
        require(fits, "columns-to-measure", self._who, column_names=names, columns=self._columns)
        optional(FUNCTION)(self._who, element_length_function=element_length_function)
        self._measured = [self._columns.index(name) for name in names]
        self._length_of = element_length_function or len
        self._bounds, self._sizes = bucket_boundaries, bucket_batch_sizes
        self._to_bound = pad_to_bucket_boundary

    def _stage(self):
        return None  # batches vary in length

    @property
    def _size(self):
        return sum(1 for _ in self._begin()())

    def _begin(self):
        epoch = self._source._begin()

        def one():
            buckets = [[] for _ in self._sizes]
            for row in epoch():
                length = self._length_of(*[row[i] for i in self._measured])
                length = self._checked(length)
                index = bisect_right(self._bounds, length)
                buckets[index].append(row)
                if len(buckets[index]) == self._sizes[index]:
                    yield self._batch(buckets, index)
            for index, rows in enumerate(buckets):
                if rows and not self.drop_remainder:
                    yield self._batch(buckets, index)

        return one

    def _checked(self, length):
        is_whole = isinstance(length, (int, np.integer)) or getattr(length, "shape", None) == ()
        fits = is_whole and length.__class__ is not bool and length % 1 == 0 and length >= 0
        require(fits, "element-length-returns", self._who, got=length)
        return int(length)

    def _batch(self, buckets, index):
        rows, buckets[index] = buckets[index], []
        length = None
        if self._to_bound:
            last = self._bounds[-1]
            require(index < len(self._bounds), "rows-shorter-than-bounds", self._who, last=last)
            length = self._bounds[index] - 1
        return self._put_together(map(list, zip(*rows, strict=True)), None, length)


def _filled(array, sizes, value):
    """Return the array padded, or truncated, to `sizes`."""
    padded = np.zeros(sizes, array.dtype)  # empty strings, for strings
    if value is not None:
        dtype = np.result_type(array, np.asarray(value)) if array.dtype.kind in "US" else None
        padded = np.full(sizes, value, dtype or array.dtype)
    region = tuple([slice(min(n, size)) for n, size in zip(array.shape, sizes, strict=True)])
    padded[region] = array[region]
    return padded


__all__ = ["BatchInfo"]
