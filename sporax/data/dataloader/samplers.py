"""Samplers of a `DataLoader`: iterables of indices, or of lists of indices."""

import itertools
import math
from typing import Generic, TypeVar

import numpy as np

from sporax._src.devices.distributed import get_group_size, get_rank
from sporax._src.diagnosis.argument_kinds import BOOL, INT, POSITIVE_INT, instance_of, optional
from sporax._src.diagnosis.rules import require

Index = TypeVar("Index", covariant=True)


class Sampler(Generic[Index]):
    """Base of samplers: a subclass defines `__iter__`, and `__len__` if the length is known."""

    def __init__(self, data_source=None):
        pass


class SequentialSampler(Sampler):
    """The indices of a dataset, in order."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Random indices of a dataset: a permutation, or draws with `replacement`.

    `num_samples`: number of indices, by default the length of the dataset. `generator`: NumPy's, by
    default one seeded by `numpy.random`.

    >>> from sporax.data.dataloader import RandomSampler
    >>> sorted(RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        BOOL("RandomSampler", replacement=replacement)
        optional(POSITIVE_INT)("RandomSampler", num_samples=num_samples)
        optional(instance_of(np.random.Generator))("RandomSampler", generator=generator)
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator

    @property
    def num_samples(self):
        """The number of indices of an epoch."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        size, count = len(self.data_source), self.num_samples
        seed = np.random.randint(0, 2**63 - 1, dtype=np.int64)
        draws = self.generator or np.random.default_rng(seed)
        if self.replacement:
            return iter(draws.integers(size, size=count).tolist())
        epochs = (draws.permutation(size).tolist() for _ in itertools.count())
        return itertools.islice(itertools.chain.from_iterable(epochs), count)

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` indices of a sampler; the last may be smaller, or is dropped.

    >>> from sporax.data.dataloader import BatchSampler
    >>> list(BatchSampler(range(5), 2, False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler, batch_size, drop_last):
        POSITIVE_INT("BatchSampler", batch_size=batch_size)
        BOOL("BatchSampler", drop_last=drop_last)
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        whole, remainder = divmod(len(self.sampler), self.batch_size)
        return whole + bool(remainder and not self.drop_last)


class DistributedSampler(Sampler):
    """The indices for one of `num_replicas` processes: every `num_replicas`-th from `rank` on.

    With `shuffle`, all indices are in a random order, from `seed` and the epoch (`set_epoch`). Each
    process gets the same number: the first indices are repeated, or with `drop_last` the last are
    dropped. By default, `num_replicas` and `rank` come from `mint.distributed`.

    >>> from sporax.data.dataloader import DistributedSampler
    >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False
    ):
        who = "DistributedSampler"
        optional(INT)(who, num_replicas=num_replicas, rank=rank)
        BOOL(who, shuffle=shuffle, drop_last=drop_last)
        INT(who, seed=seed)
        num_replicas = get_group_size() if num_replicas is None else num_replicas
        rank = get_rank() if rank is None else rank
        POSITIVE_INT(who, num_replicas=num_replicas)
        fits = 0 <= rank < num_replicas
        require(fits, "rank-below-replicas", who, rank=rank, num_replicas=num_replicas)
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        size = len(dataset)
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_samples = self.num_samples * num_replicas

    def __iter__(self):
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            indices = np.random.default_rng(self.seed + self.epoch).permutation(indices).tolist()
        repeated = itertools.islice(itertools.cycle(indices), self.total_samples)
        return itertools.islice(repeated, self.rank, None, self.num_replicas)

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Set the next epoch, which determines the order."""
        INT("DistributedSampler.set_epoch", epoch=epoch)
        self.epoch = epoch


class Endless(Sampler):
    """An infinite sequence of None: an iterable dataset has no indices."""

    def __iter__(self):
        return itertools.repeat(None)
