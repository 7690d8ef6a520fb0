"""Combining and splitting datasets: `concat`, `zip`, `split`."""

import bisect
import functools
import itertools
from typing import Any

from sporax._src.core.signature_errors import fitting
from sporax._src.diagnosis.rules import require
from sporax.data import random_streams
from sporax.data.dataset import Dataset
from sporax.data.pipeline import Step, in_steps, step
from sporax.data.row_origin import joined_row
from sporax.data.sampler import DistributedSampler, RandomSampler, chosen


@step("concat")
class Concat(Step):
    """The rows of a dataset, followed by the rows of other datasets with the same columns."""

    _children = "dataset", "datasets"

    def __init__(self, dataset, datasets):
        others = [datasets] if isinstance(datasets, Dataset) else list(datasets)
        for other in others:
            _check_dataset("concat", other)
            first, then = dataset.get_col_names(), other.get_col_names()
            require(first == then, "columns-same", "concat", got=first, other=then)
        Dataset.__init__(self, dataset.get_col_names(), dataset, *others)

    def use_sampler(self, sampler):
        """Sample the rows of all datasets with one sampler.

        A `DistributedSampler` without `shuffle` takes every `num_shards`-th row, each once; it
        replaces the datasets' own samplers, so that their rows come in order, as in MindSpore. A
        `RandomSampler` without `replacement` chooses each row's dataset at random; the rows of a
        dataset keep their order. Raises TypeError for others, ValueError for `num_samples`.

        >>> from sporax.data import DistributedSampler, NumpySlicesDataset
        >>> parts = [NumpySlicesDataset(x, "x", shuffle=False) for x in ([1, 2, 3], [4, 5, 6])]
        >>> data = parts[0].concat(parts[1])
        >>> data.use_sampler(DistributedSampler(num_shards=2, shard_id=1, shuffle=False))
        >>> [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
        [2, 4, 6]
        """
        fits = isinstance(sampler, (DistributedSampler, RandomSampler))
        require(fits, "sampler-of-concat", "use_sampler", sampler=sampler)
        drawn = isinstance(sampler, RandomSampler)
        option = "replacement" if drawn else "shuffle"
        is_plain = sampler.num_samples is None and not getattr(sampler, option)
        require(is_plain, "sampler-of-concat-without", "use_sampler", option=option)
        self._shards = [None] * len(self.children)
        self._random = sampler if drawn else None
        if not drawn:
            self._divide(sampler)
        for child in self.children if drawn else ():
            if isinstance(child, Concat):
                child.use_sampler(sampler)

    _random = None  # the sampler that chooses among the datasets
    _shards: Any = ()  # per dataset: None, or (first, step) of the rows used

    def _divide(self, sampler):
        begin, count = 0, sampler.num_shards
        for k, child in enumerate(self.children):
            size = child.get_dataset_size()
            if hasattr(child, "use_sampler"):
                child.use_sampler(
                    DistributedSampler(count, sampler.shard_id, False, offset=begin % count)
                )
            else:
                self._shards[k] = (sampler.shard_id - begin) % count, count
            begin += size

    @property
    def _size(self):
        return sum(self._sizes())

    def _sizes(self):
        sizes = [child.get_dataset_size() for child in self.children]
        return [
            size if shard is None else len(range(shard[0], size, shard[1]))
            for size, shard in itertools.zip_longest(sizes, self._shards)
        ]

    def _begin(self):
        epochs = [child._begin() for child in self.children]
        if self._random is not None:
            sizes = list(itertools.accumulate(self._sizes()))
            return functools.partial(_mixed, epochs, sizes, self._random.epochs(sizes[-1]))
        pairs = list(itertools.zip_longest(epochs, self._shards))
        return lambda: (row for epoch, shard in pairs for row in _every(epoch(), shard))


def _every(rows, shard):
    """Return the rows of a shard, (first, step); all rows for None."""
    return rows if shard is None else itertools.islice(rows, shard[0], None, shard[1])


def _mixed(epochs, ends, choose):
    """Return the rows of several datasets: each chosen index selects the dataset that contains it,
    and takes the next row of this dataset."""
    rows = [iter(epoch()) for epoch in epochs]
    return (next(rows[bisect.bisect_right(ends, i)]) for i in choose())


@in_steps
class Zip(Dataset):
    """The columns of several datasets side by side, as long as the shortest dataset."""

    _children = ("datasets",)

    def __init__(self, datasets):
        for dataset in datasets:
            _check_dataset("zip", dataset)
        columns = [name for dataset in datasets for name in dataset.get_col_names()]
        require(len(set(columns)) == len(columns), "columns-different", "zip", got=columns)
        super().__init__(columns, *datasets)

    @property
    def _size(self):
        return min(child.get_dataset_size() for child in self.children)

    def _begin(self):
        epochs = [child._begin() for child in self.children]
        return lambda: (
            joined_row(rows) for rows in zip(*[epoch() for epoch in epochs], strict=False)
        )


def zip_datasets(datasets):
    """Combine the columns of several datasets; the result is as long as the shortest.

    >>> from sporax.data import NumpySlicesDataset
    >>> a = NumpySlicesDataset([1, 2], ["a"], shuffle=False)
    >>> b = NumpySlicesDataset([3, 4, 5], ["b"], shuffle=False)
    >>> [row["b"].tolist() for row in zip_datasets((a, b)).create_dict_iterator(1, True)]
    [3, 4]
    """
    fits = isinstance(datasets, (tuple, list)) and len(datasets) >= 2
    require(fits, "tuple-at-least-two-datasets", "zip", datasets=datasets)
    return Zip(datasets)


def _zip_with(self, datasets):
    """Combine the columns of this and other datasets; the result is as long as the shortest."""
    others = datasets if isinstance(datasets, (tuple, list)) else (datasets,)
    return Zip((self, *others))


Dataset.zip = _zip_with


def _check_dataset(who, dataset):
    require(isinstance(dataset, Dataset), "datasets", who, got=dataset)


def _split(self, sizes, randomize=True):
    """Split the dataset into a list of datasets without common rows.

    `sizes`: the number of rows of each part, or its fraction, with sum 1. `randomize`: whether rows
    are chosen at random (by the seed of `dataset.config`), rather than in order.
    """
    total = self.get_dataset_size()
    rows = _sizes(sizes, total)
    source = Settled(self, randomize)
    subsets, start = [], 0
    for size in rows:
        subsets.append(Subset(source, start, size))
        start += size
    return subsets


_split.__name__ = "split"
Dataset.split = fitting(_split)


@in_steps
class Subset(Step):
    """`count` rows of another dataset, starting at row `start`."""

    def __init__(self, dataset, start, count):
        super().__init__(dataset)
        self._start, self._count, self._sampler = start, count, None

    def use_sampler(self, new_sampler):
        """Sample the rows of this subset."""
        self._sampler = chosen("use_sampler", new_sampler, None, None, None, None)

    @property
    def _size(self):
        if self._sampler is None:
            return self._count
        return sum(1 for _ in self._sampler.epochs(self._count)())

    def _begin(self):
        epoch = self._source._begin()

        def rows():
            return itertools.islice(epoch(), self._start, self._start + self._count)

        if self._sampler is None:
            return rows
        choose = self._sampler.epochs(self._count)
        return lambda: map(list(rows()).__getitem__, choose())


@in_steps
class Settled(Step):
    """All rows in one order, the same in every epoch and for every iterator; a random order with
    `randomize`."""

    def __init__(self, dataset, randomize, seed=None):
        super().__init__(dataset)
        self._seed = random_streams.seed() if seed is None else seed
        self._randomize = randomize

    def _parameters(self):
        return super()._parameters() | {"seed": self._seed}

    def _begin(self):
        def one():
            with random_streams.fixed(self._seed):
                rows = self._source._begin()()
            if not self._randomize:
                return rows
            if self._source.is_in_place:  # MindSpore uses a sampler here
                listed = list(rows)
                random_streams.shuffle(listed, random_streams.Twister(self._seed))
                return iter(listed)
            return random_streams.through_buffer(
                rows, self.get_dataset_size(), random_streams.LongTwister(self._seed)
            )

        return one


def _sizes(sizes, total):
    kinds = {type(size) for size in sizes} if isinstance(sizes, list) and sizes else set()
    fits = kinds in ({int}, {float}) and all(size > 0 for size in sizes)
    require(fits, "positive-ints-or-floats", "split", sizes=sizes)
    if kinds == {int}:
        rows = list(sizes)
    else:
        fits = all(size <= 1 for size in sizes) and abs(sum(sizes) - 1) <= 1e-06
        require(fits, "shares-of-1", "split", sizes=sizes)
        rows = [round(size * total) for size in sizes]
        rows[0] += total - sum(rows)  # rounding difference
    require(sum(rows) == total, "sum-of-rows", "split", sizes=sizes, total=total)
    return rows


__all__ = ["zip_datasets"]
