"""Sources of rows: Python objects and arrays."""

import functools
import itertools
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import constructor_calls
from sporax.data.aligned_arrays import taken
from sporax.data.cache import checked
from sporax.data.dataset import Dataset, as_array, as_row, count, names
from sporax.data.row_origin import FileRow
from sporax.data.sampler import Sampler, SequentialSampler, chosen
from sporax.data.workers import Stage, numbered


class GeneratorDataset(Dataset):
    """Rows from a user-defined object.

    `source`: an object with `__getitem__` and `__len__`, which is indexed; or an iterable, or a
    function that returns one (a generator function), whose rows are taken in order. A row is a
    tuple, a list or another iterable with a value for each of `column_names`; or, for a single
    column, a number, text, array, Tensor or dict. `column_types`: the dtypes that the values must
    have.

    An indexed source is shuffled, unless `shuffle` is False or there is a `sampler`. `num_samples`:
    the maximum number of rows of an epoch. `num_shards`, `shard_id`: only every `num_shards`-th
    row. `num_parallel_workers`: number of rows of an indexed source read concurrently, in
    processes, or in threads without `python_multiprocessing`; 1: in the reading thread.
    `max_rowsize` has no effect here.

    >>> data = GeneratorDataset([(1, 2.0), (3, 4.0)], ["a", "b"], shuffle=False)
    >>> [(a.tolist(), b.tolist()) for a, b in data.create_tuple_iterator(output_numpy=True)]
    [(1, 2.0), (3, 4.0)]
    """

    def __init__(
        self, source, column_names=None, column_types=None, schema=None, num_samples=None,
        num_parallel_workers=1, shuffle=None, sampler=None, num_shards=None, shard_id=None,
        python_multiprocessing=True, max_rowsize=None, batch_sampler=None, collate_fn=None,
    ):  # fmt: skip
        for name, value in (("schema", schema), ("batch_sampler", batch_sampler),
                            ("collate_fn", collate_fn)):  # fmt: skip
            require(value is None, "sporax-no-yet", value=name, value2="GeneratorDataset")
        is_given, who = column_names is not None, "GeneratorDataset"
        require(is_given, "given-argument-missing", who, argument="column_names")
        fits = callable(source) or hasattr(source, "__getitem__") or np.iterable(source)
        require(fits, "generator-getitem-iter", who, source=source)
        who = type(self).__name__
        super().__init__(names(who, column_names))
        self.source: Any = source
        self._cache = checked(who, constructor_calls.arguments(self).get("cache"))
        self._types = _dtypes(column_types, self._columns)
        self._samples = count(who, "num_samples", num_samples, 1, 0)
        self._shard = num_shards, shard_id
        self.sampler: Any = None
        if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
            arguments = sampler, shuffle, self._samples, num_shards, shard_id
            self.sampler = chosen(who, *arguments)
        elif sampler is not None:
            raise rejection("getitem-len-of-source", "GeneratorDataset", source=source)
        else:
            chosen(who, None, False, None, num_shards, shard_id)  # raises for invalid ones

    @property
    def is_in_place(self):
        """True if the rows come from an indexed source, in its order."""
        return type(self.sampler) is SequentialSampler and self.sampler.get_child() is None

    def use_sampler(self, new_sampler):
        """Replace the sampler; raises TypeError if the source cannot be indexed."""
        fits = self.sampler is not None
        require(fits, "source-has-getitem-len", "use_sampler", source=self.source)
        self.sampler = chosen("use_sampler", new_sampler, None, None, None, None)
        vars(self).pop("_size", None)

    def add_sampler(self, new_sampler):
        """Apply another sampler to the rows that the present one chooses."""
        is_one = isinstance(new_sampler, Sampler)
        require(is_one, "sampler-mindspore-dataset", "add_sampler", new_sampler=new_sampler)
        if self.sampler is not None:
            new_sampler.add_child(self.sampler)
        self.use_sampler(new_sampler)

    @functools.cached_property
    def _size(self):
        if self.sampler is not None:  # no row is read
            return sum(1 for _ in self._indices()())
        return sum(1 for _ in self._begin_items()())

    def _begin(self):
        if self.sampler is not None:
            return super()._begin()
        epoch = self._begin_items()
        return lambda: self._converted(epoch())

    def _converted(self, items):
        number = 0
        try:
            for number, item in enumerate(items):
                yield self._row(item)
                number += 1  # in case the next item raises
        except Exception as error:
            error.add_note(f"For '{type(self).__name__}', this came of row {number}.")
            raise

    def _stage(self):
        if self.sampler is None:
            return None
        workers, compute = self._workers, self._row_at
        if self._cache is not None:
            compute = self._kept_compute
            workers = workers and workers._replace(in_processes=False)
        is_own = type(self) is not GeneratorDataset and self._cache is None
        return Stage(type(self).__name__, self._begin_indices, compute, workers, is_own)

    @property
    def _gathered(self):
        """A function that returns the columns at an array of indices; None without arrays."""
        is_gathered = self._cache is None and isinstance(self.source, _Slices)
        return self.source.gathered if is_gathered and self.source.is_arrays else None

    @functools.cached_property
    def _kept_compute(self):
        return self._cache.kept(self._row_at)

    def _row_at(self, position, i):
        try:
            index = i if type(self) is not GeneratorDataset else np.int64(i)  # as MindSpore passes
            row = self._row(self.source[index])
        except Exception as error:
            error.add_note(f"For '{type(self).__name__}', this came of the row at index {i}.")
            raise
        origins = getattr(self.source, "origins", None)
        return row if origins is None else FileRow(row, origins(i))

    def _begin_indices(self, first):
        epoch, starts = self._indices(), iter([first])
        return numbered(lambda: itertools.islice(epoch(), next(starts, 0), None), first)

    def _indices(self):
        """Return a function that lists the indices of an epoch's rows."""
        return self.sampler.epochs(self._length())

    def _length(self):
        try:
            return len(self.source)
        except (TypeError, ValueError, OverflowError) as error:
            if getattr(error.__traceback__, "tb_next", None) is not None:  # from user code
                raise
            fields = {"got": self.source.__len__(), "error": type(error)}
            raise rejection("length-of-source", type(self).__name__, **fields) from None

    def _begin_items(self):
        """Begin a pipeline like `_begin`, over the items of a source that cannot be indexed."""
        source = function = self.source
        shards, shard = self._shard
        start = 0 if shard is None else shard

        def epoch():
            items = function() if callable(source) else source
            gives, who = np.iterable(items), "GeneratorDataset"
            require(gives, "give-rows-called-gave", who, argument="source", got=items)
            rows = (item for i, item in enumerate(items) if i % (shards or 1) == start)
            return (item for _, item in zip(_numbers(self._samples), rows, strict=False))

        return epoch

    def _row(self, item):
        row = as_row("GeneratorDataset", _as_tuple(item), self._columns)
        for name, value, dtype in zip(self._columns, row, self._types, strict=True):
            actual = np.asarray(value).dtype
            if dtype is not None and actual != dtype:
                fields = {"name": name, "dtype": dtype, "got": actual}
                raise rejection("column-column-types", "GeneratorDataset", **fields)
        return row


def _numbers(count):
    return range(count) if count is not None else iter(int, 1)


def _dtypes(types, columns):
    if types is None:
        return [None] * len(columns)
    n, got = len(columns), len(types)
    require(n == got, "items-of-columns", "GeneratorDataset", column_types=got, n=n)
    return [dtypes.to_numpy(t) if isinstance(t, dtypes.Type) else np.dtype(t) for t in types]


class _Slices:
    """Arrays side by side, indexed along their first axes."""

    def __init__(self, columns):
        self.columns = columns
        self.is_arrays = all(map(_is_array, columns))

    def __len__(self):
        return len(self.columns[0])

    def __getitem__(self, i):
        return tuple([column[i] for column in self.columns])

    def gathered(self, indices):
        """Return the columns at an array of indices."""
        return tuple([taken(column, indices) for column in self.columns])


def _is_array(column):
    return isinstance(column, np.ndarray) and column.dtype != object


class NumpySlicesDataset(GeneratorDataset):
    """The slices of arrays (or lists) along their first axes.

    `data`: an array or a list for one column, a tuple of them, or a dict {column: array}.
    `column_names`: by default the dict's keys, or 'column_0', 'column_1' and so on. The other
    arguments are as for `GeneratorDataset`.

    >>> data = NumpySlicesDataset({"a": [1, 2], "b": [3, 4]}, shuffle=False)
    >>> data.get_col_names(), data.get_dataset_size()
    (['a', 'b'], 2)
    """

    def __init__(
        self, data, column_names=None, num_samples=None, num_parallel_workers=1, shuffle=None,
        sampler=None, num_shards=None, shard_id=None,
    ):  # fmt: skip
        who = "NumpySlicesDataset"
        fits = not isinstance(data, (str, bytes, Set)) and np.iterable(data)
        require(fits, "list-tuple-dict-array", who, data=data)
        by_name = dict(data) if isinstance(data, Mapping) else None
        columns = by_name.values() if by_name is not None else data
        columns = [_sliced(c) for c in (columns if isinstance(data, (tuple, Mapping)) else [data])]
        require(columns, "column", who, data=data)
        lengths = [len(column) for column in columns]
        require(len({*lengths}) == 1, "columns-one-length", who, got=lengths)
        if column_names is None:
            numbered = [f"column_{i}" for i in range(len(columns))]
            column_names = numbered if by_name is None else list(by_name)
        n, fits = len(columns), len(names(who, column_names)) == len(columns)
        require(fits, "items-of-columns", who, column_names=column_names, n=n)
        super().__init__(
            _Slices(columns), column_names, num_samples=num_samples, shuffle=shuffle,
            sampler=sampler, num_shards=num_shards, shard_id=shard_id,
        )  # fmt: skip


# types of single values, even if they are iterable
_VALUES = str, bytes, np.ndarray, np.generic, Tensor, Mapping


def _as_tuple(item):
    return item if isinstance(item, _VALUES) or not np.iterable(item) else tuple(item)


def _sliced(column):
    """Return a column as a sequence: an array, or a list of rows of different shapes."""
    if isinstance(column, Tensor):
        return column.asnumpy()
    fits = not isinstance(column, (str, bytes)) and np.iterable(column)
    require(fits, "column-list-array", "NumpySlicesDataset", got=column)
    try:
        return np.asarray(column)
    except ValueError:
        return [as_array("NumpySlicesDataset", row) for row in column]


class PaddedDataset(GeneratorDataset):
    """The rows of a list of dicts {column: value}, to pad another dataset.

    >>> data = PaddedDataset([{"x": np.array([1])}, {"x": np.array([2])}])
    >>> data.get_col_names(), data.get_dataset_size()
    (['x'], 2)
    """

    def __init__(self, padded_samples):
        is_list = isinstance(padded_samples, list) and padded_samples
        require(is_list, "list-dicts", "PaddedDataset", padded_samples=padded_samples)
        columns = list(padded_samples[0])
        rows = [tuple([row[name] for name in columns]) for row in padded_samples]
        super().__init__(rows, columns, shuffle=False)


__all__ = ["GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"]
