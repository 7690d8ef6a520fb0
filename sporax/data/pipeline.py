"""Operations on a dataset's rows; each is a dataset that reads from another.

A class decorated with `step("name")` becomes the method `Dataset.name`, with the parameters of the
class after the dataset.
"""

import functools
import inspect
import math
from typing import Any

from sporax._src.core.from_host import plain
from sporax._src.diagnosis.argument_kinds import FUNCTION
from sporax._src.diagnosis.rules import require
from sporax.data import config, random_streams
from sporax.data.cache import check_not_random, checked, digest
from sporax.data.callbacks import following, listed_callbacks
from sporax.data.dataset import Dataset, as_row, column_indices, count, names
from sporax.data.debug_hooks import with_hooks
from sporax.data.error_samples import ErrorSamplesMode, rows_without_errors
from sporax.data.row_origin import note, row_like
from sporax.data.workers import following_stage, numbered

STEPS = {}  # operation classes by name


def in_steps(cls):
    """Register a class for `deserialize`."""
    STEPS[cls.__name__] = cls
    return cls


def step(name):
    """Register a class as the method `name` of datasets."""

    def declare(cls):
        def method(self, *args, **kwargs):
            return cls(self, *plain(args), **plain(kwargs))

        itself, _, *others = inspect.signature(cls.__init__).parameters.values()
        method.__signature__ = inspect.Signature([itself, *others])
        method.__name__, method.__qualname__ = name, f"Dataset.{name}"
        method.__doc__ = cls.__doc__
        setattr(Dataset, name, method)
        return in_steps(cls)

    return declare


class Step(Dataset):
    """A dataset that transforms the rows of another; by default, columns and length are kept."""

    _children = ("dataset",)

    def __init__(self, dataset, columns=None):
        super().__init__(dataset.get_col_names() if columns is None else columns, dataset)
        self._source = dataset

    @property
    def _size(self):
        return self._source.get_dataset_size()


def _columns_after(columns, taken, new_columns):
    """Return the columns after some were replaced: at their positions if the counts are equal, else
    before the remaining ones; and the source of each, (True if it is new, position)."""
    if len(taken) == len(new_columns):
        new = dict(zip(taken, new_columns, strict=True))
        columns_out = [new.get(name, name) for name in columns]
        return columns_out, [
            (name in new, taken.index(name) if name in new else i) for i, name in enumerate(columns)
        ]
    remaining = [(i, name) for i, name in enumerate(columns) if name not in taken]
    columns_out = [*new_columns, *[name for _, name in remaining]]
    return columns_out, [
        *[(True, i) for i in range(len(new_columns))],
        *[(False, i) for i, _ in remaining],
    ]


class _Replacing(Step):
    """A step that replaces some columns by others."""

    def __init__(self, who, dataset, input_columns, output_columns):
        taken = names(who, input_columns)
        outputs = taken if output_columns is None else names(who, output_columns)
        self._column_indices = column_indices(who, dataset, taken)
        columns, self._plan = _columns_after(dataset.get_col_names(), taken, outputs)
        super().__init__(dataset, names(who, columns))
        self._given = outputs

    def _replaced(self, row, results):
        return row_like(row, [(results if is_new else row)[i] for is_new, i in self._plan])


@step("map")
class Map(_Replacing):
    """Replaces each row's `input_columns` (by default the first) by the results of `operations`.

    `operations`: a callable or several, applied in sequence; each is called with the columns as
    arrays and returns one value, or a tuple of them. `output_columns`: names of the results, by
    default the input names. `callbacks`: a `DSCallback` or a list of them. `num_parallel_workers`:
    number of rows computed concurrently, in threads, or with `python_multiprocessing` in processes;
    with 1, the default unless `config.set_num_parallel_workers` was called, the reading thread
    computes them. `cache`: a `DatasetCache` for the results. `max_rowsize` and `offload` have no
    effect here.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset([1, 2], ["x"], shuffle=False).map(lambda x: x * 10, "x")
    >>> [row["x"].tolist() for row in data.create_dict_iterator(output_numpy=True)]
    [10, 20]
    """

    def __init__(
        self, dataset, operations, input_columns=None, output_columns=None,
        num_parallel_workers=None, python_multiprocessing=False, max_rowsize=None, offload=None,
        callbacks=None, cache=None,
    ):  # fmt: skip
        operations = operations if isinstance(operations, (list, tuple)) else [operations]
        for operation in operations:
            require(callable(operation), "operations-callable", "map", got=operation)
        if input_columns is None:
            input_columns = dataset.get_col_names()[:1]
        super().__init__("map", dataset, input_columns, output_columns)
        self._operations = with_hooks(list(operations))
        self._callbacks = listed_callbacks(callbacks)
        self._cache = checked("map", cache)
        if self._cache is not None:
            check_not_random("map", self._operations)
            self._kept = self._cache.kept(self._results, digest)

    def _stage(self):
        if self._callbacks or config.get_error_samples_mode() != ErrorSamplesMode.RETURN:
            return None  # rows are computed sequentially
        workers = self._workers
        if self._cache is not None and workers:
            workers = workers._replace(in_processes=False)
        return following_stage("map", self._source, self._mapping(), workers)

    @property
    def _size(self):
        if config.get_error_samples_mode() == ErrorSamplesMode.SKIP:
            return sum(1 for _ in self._begin()())
        return self._source.get_dataset_size()

    def _begin(self):
        mode = config.get_error_samples_mode()
        if not self._callbacks and mode == ErrorSamplesMode.RETURN:
            return super()._begin()
        epoch, compute = numbered(self._source._begin(), 0), self._mapping()
        make = lambda item: functools.partial(compute, *item)  # noqa: E731
        if not self._callbacks:
            return lambda: rows_without_errors(map(make, epoch()), mode)
        return following(lambda: map(make, epoch()), self._callbacks)

    def _mapping(self):
        """Return the transformation of a row, `compute((epoch, number), row)`. Each row has its own
        random stream, so that neither earlier rows nor the choice of worker affect it."""
        return functools.partial(self._mapped, random_streams.seed(), _depth(self))

    def _mapped(self, seed, depth, position, row):
        taken = row_like(row, [row[i] for i in self._column_indices])
        with random_streams.drawing_from(seed, depth, *position):
            results = (self._kept if self._cache else self._results)(position, taken)
        return self._replaced(row, results)

    def _results(self, position, row):
        taken = row
        for operation in self._operations:
            try:
                taken = operation(*taken)
            except Exception as error:
                note(error, "map", operation, position, row)
                raise
            if not isinstance(taken, tuple):
                taken = (taken,)
        return as_row("map", taken, self._given)


def _depth(dataset):
    """Return the largest number of `map`s on a path to this dataset, including itself."""
    below = max(map(_depth, dataset.children), default=0)
    return below + isinstance(dataset, Map)


@step("filter")
class Filter(Step):
    """The rows for whose `input_columns` (all by default) `predicate` is true."""

    def __init__(self, dataset, predicate, input_columns=None, num_parallel_workers=None):
        super().__init__(dataset)
        FUNCTION("filter", predicate=predicate)
        self._predicate = predicate
        self._column_indices = column_indices(
            "filter", dataset, input_columns or dataset.get_col_names()
        )

    _size: functools.cached_property = Dataset._size  # known only by iterating

    def _begin(self):
        epoch = numbered(self._source._begin(), 0)
        return lambda: (row for position, row in epoch() if self._holds(position, row))

    def _holds(self, position, row):
        try:
            holds = self._predicate(*[row[i] for i in self._column_indices])
        except Exception as error:
            note(error, "filter", self._predicate, position, row)
            raise
        shape = getattr(holds, "shape", ())
        require(math.prod(shape) <= 1, "one-bool-for-row", "filter", predicate=shape)
        return holds


@step("flat_map")
class FlatMap(Step):
    """The rows of the datasets that `func` returns for each row, concatenated."""

    def __init__(self, dataset, func):
        super().__init__(dataset)
        FUNCTION("flat_map", func=func)
        self._func = func
        self._columns = self._made(*self._source._first).get_col_names()

    _size: functools.cached_property = Dataset._size

    def _made(self, *row):
        dataset = self._func(*row)
        is_one = isinstance(dataset, Dataset)
        require(is_one, "return-dataset", "flat_map", argument="func", got=dataset)
        return dataset

    def _begin(self):
        epoch = numbered(self._source._begin(), 0)
        return lambda: (inner for item in epoch() for inner in self._made_at(*item)._begin()())

    def _made_at(self, position, row):
        try:
            return self._made(*row)
        except Exception as error:
            note(error, "flat_map", self._func, position, row)
            raise


@step("project")
class Project(Step):
    """The rows with only `columns`, in this order."""

    def __init__(self, dataset, columns):
        self._column_indices = column_indices("project", dataset, columns)
        super().__init__(dataset, names("project", columns))

    def _stage(self):
        return following_stage("project", self._source, self._projected, is_own=True)

    def _projected(self, position, row):
        return row_like(row, [row[i] for i in self._column_indices])


@step("rename")
class Rename(_Replacing):
    """The rows with `input_columns` renamed to `output_columns`."""

    def __init__(self, dataset, input_columns, output_columns):
        one = len(names("rename", input_columns)) == len(names("rename", output_columns))
        fields = {"other": "output_columns", "count": output_columns}
        require(one, "one-length", "rename", input_columns=input_columns, **fields)
        super().__init__("rename", dataset, input_columns, output_columns)

    def _stage(self):
        return self._source._stage()

    def _begin(self):
        return self._source._begin()

    def _rows_from(self, first):
        return self._source._rows_from(first)


@step("take")
class Take(Step):
    """The first `count` rows of an epoch, all for -1."""

    def __init__(self, dataset, count=-1):
        super().__init__(dataset)
        self._count = _count("take", count, 1)

    @property
    def _size(self):
        size = self._source.get_dataset_size()
        return size if self._count is None else min(size, self._count)

    def _begin(self):
        epoch = self._source._begin()
        return lambda: (row for _, row in zip(_up_to(self._count), epoch(), strict=False))


@step("skip")
class Skip(Step):
    """The rows of an epoch after the first `count`."""

    def __init__(self, dataset, count):
        super().__init__(dataset)
        self._count = _count("skip", count, 0, none="no")

    @property
    def _size(self):
        return max(self._source.get_dataset_size() - self._count, 0)

    def _begin(self):
        epoch = self._source._begin()
        return lambda: (row for i, row in enumerate(epoch()) if i >= self._count)


@step("repeat")
class Repeat(Step):
    """The rows repeated `count` times in an epoch; without end for -1 or None, where the size
    counts one repetition."""

    def __init__(self, dataset, count=None):
        super().__init__(dataset)
        self._count = _count("repeat", count, 1)

    @property
    def _size(self):
        return self._source.get_dataset_size() * (self._count or 1)

    def get_repeat_count(self):
        """Return the number of repetitions of the rows in an epoch."""
        return self._source.get_repeat_count() * (-1 if self._count is None else self._count)

    def _begin(self):
        epoch = self._source._begin()
        return lambda: (row for _ in _up_to(self._count) for row in epoch())


def _count(who, value, least, none: Any = -1):
    return count(who, "count", value, least, none)


def _up_to(count):
    return range(count) if count is not None else iter(int, 1)


@step("shuffle")
class Shuffle(Step):
    """The rows in random order: each is drawn from a buffer of `buffer_size` rows."""

    def __init__(self, dataset, buffer_size):
        super().__init__(dataset)
        self._buffer = count("shuffle", "buffer_size", buffer_size, 2)

    def _begin(self):
        epoch, draw = self._source._begin(), random_streams.LongTwister(random_streams.seed())
        return lambda: random_streams.through_buffer(epoch(), self._buffer, draw)
