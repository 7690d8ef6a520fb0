"""Samplers, which choose the rows of a source by index.

A sampler's `begin(size)` returns a function, each call of which lists the indices of the next
epoch.
"""

import itertools
import math
import operator

import numpy as np

from sporax._src.core.from_host import plain
from sporax._src.core.signature_errors import Fitting
from sporax._src.diagnosis.argument_kinds import BOOL, INT, STR
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data import random_streams


class Sampler(Fitting, accept=None):
    """Base of samplers: a subclass defines `__iter__`, or `begin`.

    `num_samples`: the maximum number of rows of an epoch; None for all. `dataset_size` is the
    number of rows to choose from, known once an epoch has begun.

    >>> from sporax.data import NumpySlicesDataset
    >>> class Evens(Sampler):
    ...     def __iter__(self):
    ...         return iter(range(0, self.dataset_size, 2))
    >>> rows = NumpySlicesDataset([5, 6, 7], "x", sampler=Evens())
    >>> [int(x) for (x,) in rows.create_tuple_iterator(output_numpy=True)]
    [5, 7]
    """

    _child = None

    def __init__(self, num_samples=None):
        _check_count(type(self).__name__, num_samples)
        self.num_samples = num_samples
        self.dataset_size = 0

    def __iter__(self):
        raise rejection("method-iter-defined", type(self).__name__)

    def begin(self, size):
        """Return a function that lists the indices of an epoch, for a source of `size` rows."""
        self.dataset_size = size
        return lambda: self._checked(list(self)[: self.num_samples], size)

    def _checked(self, indices, size):
        """Return the indices as ints; raises IndexError if one is out of range."""
        indices = _ints(type(self).__name__, indices)
        for i in indices:
            if not -size <= i < size:
                raise rejection("index-of-row", type(self).__name__, size=size, got=i)
        return indices

    def add_child(self, sampler):
        """Sample from the rows that `sampler` chooses, by their positions there."""
        who, child = type(self).__name__, self._child
        require(child is None, "called-once-already", who, argument="add_child", child=child)
        is_one = isinstance(sampler, Sampler)
        require(is_one, "sampler-mindspore-dataset", f"{who}.add_child", sampler=sampler)
        self._child = sampler

    def get_child(self):
        """Return the sampler passed to `add_child`, or None."""
        return self._child

    def epochs(self, size):
        """Return `begin(size)`; with a child, sample from the rows that it chooses."""
        if self._child is None:
            return self.begin(size)
        child, choices = self._child.epochs(size), {}

        def epoch():
            rows = list(child())
            if len(rows) not in choices:
                choices[len(rows)] = self.begin(len(rows))
            return [rows[i] for i in choices[len(rows)]()]

        return epoch

    def get_num_samples(self):
        """Return the maximum number of rows of an epoch; None for all."""
        return self.num_samples


def _ints(who, indices):
    """Return row indices as Python ints."""
    indices = list(indices)
    try:
        if bool in set(map(type, indices)):
            raise TypeError
        return list(map(operator.index, indices))
    except TypeError:
        raise rejection("index-int", who, got=indices) from None


def _check_count(who, count):
    if count is None:
        return
    is_int = INT.accepts(plain(count)) and not isinstance(count, bool)
    require(is_int, "must-be-type", who, num_samples=count, kind="an-int")
    require(count >= 0, "at-least", who, num_samples=count, n=0)


def _check_indices(who, indices, size):
    for i in indices:
        require(0 <= i < size, "indices-of-rows", who, size=size, got=i)


class SequentialSampler(Sampler):
    """Rows in order, from `start_index` on.

    >>> list(SequentialSampler(1, 2).begin(5)())
    [1, 2]
    """

    def __init__(self, start_index=None, num_samples=None):
        super().__init__(num_samples)
        self.start_index = 0 if start_index is None else start_index

    def begin(self, size):
        rows = range(self.start_index, size)
        return lambda: rows[: self.num_samples or None]


class RandomSampler(Sampler):
    """Rows in a random order, different in each epoch; with `replacement`, each is drawn from all.
    An epoch never has more rows than the source.

    >>> sorted(RandomSampler().begin(3)())
    [0, 1, 2]
    """

    def __init__(self, replacement=False, num_samples=None, shuffle=True):
        super().__init__(num_samples)
        BOOL("RandomSampler", replacement=replacement)
        self.replacement, self.shuffle = replacement, shuffle

    def begin(self, size):
        return _Shuffled(range(size), random_streams.seed(), self.num_samples, self.replacement)


class _Shuffled:
    """Shuffled epochs: each shuffles the order of the previous one, with the next seed."""

    def __init__(self, rows, seed, count=None, replacement=False):
        self.rows, self.seed, self.count = list(rows), seed, count or None
        self.replacement = replacement

    def __call__(self):
        draw = random_streams.Twister(self.seed % 2**32)
        self.seed += 1
        if self.replacement:
            n = len(self.rows)
            return draw.below_each(np.full(min(n, self.count or n), n)).tolist()
        random_streams.shuffle(self.rows, draw)
        return self.rows[: self.count]


class SubsetSampler(Sampler):
    """The rows at `indices`, in that order.

    >>> list(SubsetSampler([4, 0]).begin(5)())
    [4, 0]
    """

    def __init__(self, indices, num_samples=None):
        super().__init__(num_samples)
        indices = indices if np.iterable(indices) else [indices]
        self.indices = _ints(type(self).__name__, indices)

    def begin(self, size):
        _check_indices(type(self).__name__, self.indices, size)
        return lambda: self.indices[: self.num_samples or None]


class SubsetRandomSampler(SubsetSampler):
    """The rows at `indices`, in a random order.

    >>> sorted(SubsetRandomSampler([4, 0]).begin(5)())
    [0, 4]
    """

    def begin(self, size):
        _check_indices(type(self).__name__, self.indices, size)
        return _Shuffled(self.indices, random_streams.seed(), self.num_samples)


class WeightedRandomSampler(Sampler):
    """`num_samples` rows, drawn with probabilities proportional to `weights` (one per row); without
    `replacement`, each at most once. An epoch never has more rows than the source.

    >>> list(WeightedRandomSampler([0.0, 1.0], 2).begin(2)())
    [1, 1]
    """

    def __init__(self, weights, num_samples=None, replacement=True):
        super().__init__(num_samples)
        self.weights = np.asarray(weights, np.float64)
        who = "WeightedRandomSampler"
        is_list = self.weights.ndim == 1 and self.weights.size
        require(is_list, "list-numbers", who, weights=weights)
        fits = not (self.weights < 0).any() and self.weights.sum() > 0
        require(fits, "at-least-0-one-greater", who, weights=weights)
        self.replacement = replacement

    def begin(self, size):
        seed, count = random_streams.seed(), min(self.num_samples or size, size)

        def epoch():  # every epoch draws the same, as in MindSpore
            draw = random_streams.Twister(seed)
            weights, rows = self.weights.copy(), []
            while len(rows) < count and weights.any():
                rows.append(random_streams.weighted(weights, draw))
                if not self.replacement:
                    weights[rows[-1]] = 0.0
            _check_indices("WeightedRandomSampler", rows, size)
            return rows

        return epoch


class DistributedSampler(Sampler):
    """Every `num_shards`-th row from `shard_id` on; all shards have one size, so that the last ones
    are filled up with the first rows. With an `offset` of at least 0, the first row belongs to the
    shard `offset`, and each row comes once.

    >>> list(DistributedSampler(2, 1, shuffle=False).begin(5)())
    [1, 3, 0]
    """

    def __init__(self, num_shards, shard_id, shuffle=True, num_samples=None, offset=-1):
        super().__init__(num_samples)
        who = "DistributedSampler"
        INT(who, num_shards=plain(num_shards), shard_id=plain(shard_id))
        fits = 0 <= shard_id < num_shards
        require(fits, "shard-of-shards", who, shard_id=shard_id, num_shards=num_shards)
        fits = isinstance(offset, int) and -1 <= offset <= num_shards
        require(fits, "offset-of-shards", who, offset=offset, num_shards=num_shards)
        self.offset = offset
        self.num_shards, self.shard_id, self.shuffle = num_shards, shard_id, shuffle

    def begin(self, size):
        # MindSpore consumes one seed before the first epoch
        every = (
            _Shuffled(range(size), random_streams.seed() + 1)
            if self.shuffle
            else lambda: range(size)
        )
        start, end = self.shard_id, math.ceil(size / self.num_shards) * self.num_shards
        if self.offset >= 0:
            start, end = (self.shard_id - self.offset) % self.num_shards, size

        def epoch():
            rows = every()
            positions = range(start, end, self.num_shards)
            return [rows[i % size] for i in positions][: self.num_samples or None]

        return epoch


class PKSampler(Sampler):
    """`num_val` rows of each class, drawn with replacement, class after class; with `shuffle`, the
    classes in a random order. `class_column`: the column of classes of a dataset in files.

    >>> PKSampler(0)
    Traceback (most recent call last):
    ValueError: For 'PKSampler', 'num_val' must be an int in [1, 2147483647], but got 0.
    """

    def __init__(
        self, num_val, num_class=None, shuffle=False, class_column="label", num_samples=None
    ):
        super().__init__(num_samples)
        require(num_class is None, "none-mindspore-all-classes", "PKSampler", argument="num_class")
        self.num_val = check.COUNT.checked("PKSampler", "num_val", num_val)
        self.shuffle = BOOL.checked("PKSampler", "shuffle", shuffle)
        self.class_column = STR.checked("PKSampler", "class_column", class_column)

    def add_child(self, sampler):
        """Raise RuntimeError: a `PKSampler` needs the classes of all rows."""
        raise rejection("no-other-sampler-below", "PKSampler", sampler=sampler)

    def begin(self, size):
        raise rejection("data-set-one-files", "PKSampler", class_column=self.class_column)

    def begin_classes(self, classes):
        """Return a function that lists the indices of an epoch; `classes`: one for each row."""
        by_class = [np.flatnonzero(classes == c).tolist() for c in np.unique(classes)]
        seed = random_streams.seed()
        draws = (random_streams.Twister(i % 2**32) for i in itertools.count(seed))
        if self.shuffle:  # the first epoch continues this stream, as in MindSpore
            first = next(draws)
            random_streams.shuffle(by_class, first)
            draws = itertools.chain([first], draws)

        def epoch():
            draw = next(draws)
            selected = [
                rows[draw.below(len(rows))] for rows in by_class for _ in range(self.num_val)
            ]
            return selected[: self.num_samples or None]

        return epoch


def chosen(who, sampler, shuffle, num_samples, num_shards, shard_id):
    """Return the sampler that a dataset's arguments specify."""
    if sampler is not None:
        fields = {"num_samples": num_samples, "num_shards": num_shards, "shard_id": shard_id}
        alone = all(value is None for value in (shuffle, *fields.values()))
        require(alone, "come-without-shuffle-num-samples", who, sampler=shuffle, **fields)
        if hasattr(sampler, "begin"):
            return sampler
        require(np.iterable(sampler), "sampler-mindspore-dataset-give", who, sampler=sampler)
        return IterSampler(sampler)
    _check_count(who, num_samples)
    together = (num_shards is None) == (shard_id is None)
    require(together, "shard-id-given-together", who, num_shards=num_shards, shard_id=shard_id)
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    if shuffle is not False:
        return RandomSampler(num_samples is not None, num_samples)
    return SequentialSampler(num_samples=num_samples)


class IterSampler(Sampler):
    """Indices from a user-defined iterable; at most `num_samples`.

    >>> from sporax.data import NumpySlicesDataset
    >>> rows = NumpySlicesDataset([5, 6, 7], "x", sampler=IterSampler([2, 0]))
    >>> [int(x) for (x,) in rows.create_tuple_iterator(output_numpy=True)]
    [7, 5]
    """

    def __init__(self, sampler, num_samples=None):
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self):
        return iter(self.sampler)


__all__ = [
    "DistributedSampler", "IterSampler", "PKSampler", "RandomSampler", "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler", "SubsetSampler", "WeightedRandomSampler",
]  # fmt: skip
