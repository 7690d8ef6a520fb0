"""`DataLoader`: the batches of a dataset, read in this process or in others."""

import multiprocessing
from multiprocessing.context import BaseContext
from typing import Any

import numpy as np

from sporax._src.diagnosis.argument_kinds import (
    BOOL,
    COUNT,
    NOT_NEGATIVE,
    POSITIVE_INT,
    instance,
    instance_of,
    optional,
)
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.dataloader.collate import default_collate, default_convert
from sporax.data.dataloader.datasets import IterableDataset
from sporax.data.dataloader.samplers import (
    BatchSampler,
    Endless,
    RandomSampler,
    SequentialSampler,
)
from sporax.data.dataloader.workers import Workers

_CONTEXT = optional(instance((str, BaseContext), "a-str-or-context"))


class _Fetcher:
    """Reads the samples of one task and collates them."""

    def __init__(self, dataset, is_batched, collate_fn, drop_last):
        self.dataset, self.is_batched, self.drop_last = dataset, is_batched, drop_last
        self.collate_fn = collate_fn or (default_collate if is_batched else default_convert)

    def begin(self):
        """Return a function of a task's indices, for one epoch; it ends with StopIteration."""
        if not isinstance(self.dataset, IterableDataset):
            return self._indexed
        samples = iter(self.dataset)
        return lambda indices: self._next(samples, indices)

    def _indexed(self, indices):
        if self.is_batched:
            return self.collate_fn([self._sample(index) for index in indices])
        return self.collate_fn(self._sample(indices))

    def _sample(self, index):
        try:
            return self.dataset[index]
        except Exception as error:
            error.add_note(f"For 'DataLoader', 'dataset' raised this for index {index}.")
            raise

    def _next(self, samples, indices):
        if not self.is_batched:
            return self.collate_fn(next(samples))
        batch = [sample for _, sample in zip(indices, samples, strict=False)]
        if not batch or (self.drop_last and len(batch) < len(indices)):
            raise StopIteration
        return self.collate_fn(batch)


class DataLoader:
    """An iterable over the batches of a dataset, as in PyTorch.

    `dataset`: an object with `__getitem__` and `__len__`, or an `IterableDataset`. `batch_size`:
    number of samples per batch; None yields single ones. `shuffle`, `sampler` (indices) or
    `batch_sampler` (lists of indices): the order. `collate_fn`: converts a list of samples to a
    batch, `default_collate` by default (for single samples, `default_convert`). `num_workers`:
    number of processes that read; 0 reads in this one. `timeout`: seconds to wait for a batch; 0
    for no limit. `worker_init_fn`: called with the number of each worker.
    `multiprocessing_context`: 'fork', 'spawn', 'forkserver' or a context; by default as in
    `multiprocessing`. Code in a forked worker must use NumPy: XLA's threads do not exist there.
    `generator`: NumPy's, for orders and seeds. `prefetch_factor`: batches ahead per worker, 2 by
    default. `persistent_workers`: whether workers are kept after an epoch. `in_order`: whether
    batches come in the order of their indices. `pin_memory` has no effect here.

    Raises the error of a worker, or RuntimeError if a worker ends or the timeout expires.

    >>> from sporax.data.dataloader import DataLoader
    >>> list(DataLoader([1, 2, 3], batch_size=2))
    [Tensor(shape=[2], dtype=Int64, value= [1, 2]), Tensor(shape=[1], dtype=Int64, value= [3])]
    """

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, pin_memory=False, drop_last=False, timeout=0.0, worker_init_fn=None,
        multiprocessing_context=None, generator=None, *, prefetch_factor=None,
        persistent_workers=False, in_order=True,
    ):  # fmt: skip
        _check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last)
        _check_workers(
            num_workers, timeout, multiprocessing_context, prefetch_factor, persistent_workers
        )
        BOOL("DataLoader", pin_memory=pin_memory, in_order=in_order)
        optional(instance_of(np.random.Generator))("DataLoader", generator=generator)
        self.dataset: Any = dataset
        self.num_workers, self.collate_fn = num_workers, collate_fn
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.generator = generator or np.random.default_rng()
        self.persistent_workers, self.in_order = persistent_workers, in_order
        self.prefetch_factor = prefetch_factor or (2 if num_workers else None)
        if not isinstance(multiprocessing_context, BaseContext):
            multiprocessing_context = multiprocessing.get_context(multiprocessing_context)
        self.multiprocessing_context = multiprocessing_context
        self.sampler = self._sampler(shuffle) if sampler is None else sampler
        self.batch_size = None if batch_sampler is not None else batch_size
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(self.sampler, batch_size, drop_last)
        self.batch_sampler, self.drop_last = batch_sampler, drop_last
        is_batched = batch_sampler is not None
        self.index_sampler: Any = batch_sampler if is_batched else self.sampler
        self.fetcher = _Fetcher(dataset, is_batched, collate_fn, drop_last)
        self._workers = None

    def _sampler(self, shuffle):
        if isinstance(self.dataset, IterableDataset):
            return Endless()
        if shuffle:
            return RandomSampler(self.dataset, generator=self.generator)
        return SequentialSampler(self.dataset)

    def __iter__(self):
        return self._read_here() if self.num_workers == 0 else self._read_by_workers()

    def _read_here(self):
        fetch = self.fetcher.begin()
        for indices in self.index_sampler:
            try:
                batch = fetch(indices)
            except StopIteration:
                return
            yield batch

    def _read_by_workers(self):
        workers, self._workers = self._workers or Workers(self), None
        try:
            yield from workers.batches(self)
        except Exception:
            workers.end()
            raise
        finally:
            if self.persistent_workers and not workers.has_failed:
                self._workers = workers
            else:
                workers.end()

    def __len__(self):
        is_indexed = not isinstance(self.dataset, IterableDataset)
        if is_indexed:
            return len(self.index_sampler)
        if self.batch_size is None:
            return len(self.dataset)
        return len(BatchSampler(range(len(self.dataset)), self.batch_size, self.drop_last))


def _not_given(who, case, **arguments):
    """Raise ValueError for an argument that is given (True) in this case, a phrase."""
    for name, is_given in arguments.items():
        require(not is_given, "cannot-be-given", who, argument=name, case=message(case))


def _check_order(dataset, batch_size, shuffle, sampler, batch_sampler, drop_last):
    who, has_sampler = "DataLoader", sampler is not None
    has_batches = batch_sampler is not None
    if isinstance(dataset, IterableDataset):
        given = {"shuffle": shuffle, "sampler": has_sampler, "batch_sampler": has_batches}
        _not_given(who, "with-iterable-dataset", **given)
    elif not hasattr(dataset, "__getitem__"):
        raise rejection("getitem-or-iterable", who, dataset=dataset)
    optional(POSITIVE_INT)(who, batch_size=batch_size)
    optional(BOOL)(who, shuffle=shuffle)
    BOOL(who, drop_last=drop_last)
    if has_sampler:
        _not_given(who, "with-sampler", shuffle=shuffle)
    if has_batches:
        given = {"batch_size": batch_size != 1, "shuffle": shuffle, "sampler": has_sampler}
        _not_given(who, "with-batch-sampler", **given, drop_last=drop_last)


def _check_workers(num_workers, timeout, context, prefetch_factor, persistent_workers):
    who = "DataLoader"
    COUNT(who, num_workers=num_workers)
    NOT_NEGATIVE(who, timeout=timeout)
    _CONTEXT(who, multiprocessing_context=context)
    optional(POSITIVE_INT)(who, prefetch_factor=prefetch_factor)
    BOOL(who, persistent_workers=persistent_workers)
    if num_workers == 0:
        given = {"multiprocessing_context": context, "prefetch_factor": prefetch_factor}
        given = {name: value is not None for name, value in given.items()}
        _not_given(who, "without-workers", **given, persistent_workers=persistent_workers)
