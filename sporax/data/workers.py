"""Workers of data pipelines: threads or processes that compute rows ahead, in the order in which
they are read.

A `Stage` describes the work per row; workers run its function. Randomness depends on a row's
number, not on its worker, so that any number of workers gives the same rows. Whatever ends a worker
(an error, a signal, a function that does not return) ends the iteration with one error that names
operation, row and cause.
"""

import contextlib
import contextvars
import functools
import itertools
import random
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, INT, within
from sporax.data import config, random_streams
from sporax.data.worker_pools import Job, Processes, Threads

_BATCHES_AHEAD = 2  # per worker


class Workers(NamedTuple):
    """The number of workers of an operation, and whether they are processes or threads."""

    count: int
    in_processes: bool

    def joined(self, other):
        """Return workers for the work of both, or None if they are of different kinds."""
        if self.in_processes != other.in_processes:
            return None
        return Workers(max(self.count, other.count), self.in_processes)


_absent = contextvars.ContextVar("absent", default=False)


@contextlib.contextmanager
def absent():
    """Compute rows in the reading thread, for any `num_parallel_workers`."""
    token = _absent.set(True)
    try:
        yield
    finally:
        _absent.reset(token)


def requested(who, arguments):
    """Return the `Workers` that the arguments of a dataset or an operation request; None for the
    thread that reads the rows."""
    count = arguments.get("num_parallel_workers")
    if count is None:
        count = config.get_num_parallel_workers() if config.is_set("num_parallel_workers") else 1
    within(1, config.MOST_WORKERS, INT)(who, num_parallel_workers=count)
    in_processes = arguments.get("python_multiprocessing", False)
    BOOL(who, python_multiprocessing=in_processes)
    return Workers(count, in_processes) if count > 1 else None


class Stage(NamedTuple):
    """The computation of a dataset's rows.

    `begin(first)`: starts a pipeline; returns a function, each call of which returns an iterator
    over an epoch's items, ((epoch, row), value), in the first epoch from row `first` on.
    `compute((epoch, row), value)`: returns the row. `is_movable`: whether workers of a later
    operation may compute it too. `is_batch`: whether a row is a batch.
    """

    who: str
    begin: Callable[[int], Callable]
    compute: Callable[[tuple[int, int], Any], Any]
    workers: Workers | None = None
    is_movable: bool = False
    is_batch: bool = False

    def epochs(self, first=0):
        """Return a function, each call of which returns an iterator over the rows of an epoch."""
        items, compute = self.begin(first), self.compute
        workers = self.workers
        if workers is None or _absent.get():
            return lambda: itertools.starmap(compute, items())
        pool = None

        def epoch():
            nonlocal pool
            if pool is None or pool.has_failed:
                pool = self._pool(workers)
            return _in_order(pool, items(), self._ahead(workers))

        return epoch

    def _pool(self, workers):
        count, in_processes = workers
        if not in_processes:
            return Threads(_job(self.who, lambda number: self.compute), count)
        begin = functools.partial(_seeded, self.compute, config.get_seed())
        return Processes(_job(self.who, begin), count, config.get_multiprocessing_start_method())

    def _ahead(self, workers):
        each = _BATCHES_AHEAD if self.is_batch else config.get_prefetch_size()
        return each * workers.count


def following_stage(who, dataset, compute, workers=None, is_own=False):
    """Return the stage that applies `compute` to the rows of a dataset, merged with their own stage
    if the same workers may do both. `is_own`: not a user function, so that it may run anywhere."""
    stage = dataset._stage()
    if stage is not None:
        together = stage.workers if workers is None else workers
        if workers is not None and stage.workers is not None:
            together = workers.joined(stage.workers)
        is_possible = (
            is_own or stage.workers is None
            if workers is None
            else together is not None and (stage.workers is not None or stage.is_movable)
        )
        if is_possible:
            both = functools.partial(_one_after_other, compute, stage.compute)
            return Stage(who, stage.begin, both, together, stage.is_movable and is_own)

    def begin(first):
        epoch = (lambda: dataset._rows_from(first)) if first else dataset._begin()
        return numbered(epoch, first)

    return Stage(who, begin, compute, workers)


def _one_after_other(compute, compute_before, position, item):
    return compute(position, compute_before(position, item))


def numbered(epoch, first):
    """Add (epoch, row) to each item of `epoch`; the first epoch begins at row `first`."""
    epochs, starts = itertools.count(random_streams.first_epoch()), itertools.chain([first])

    def one():
        number, start = next(epochs), next(starts, 0)
        return (((number, i), item) for i, item in enumerate(epoch(), start))

    return one


def _in_order(pool, items, ahead):
    """Yield the rows of items in order, up to `ahead` of which are computed concurrently."""
    pending = deque()
    try:
        for item in items:
            pending.append((item[0], pool.submit(*item)))
            if len(pending) >= ahead:
                yield pool.result(*pending.popleft())
        while pending:
            yield pool.result(*pending.popleft())
    except Exception:
        pool.end()
        raise
    finally:
        pool.drop(pending)


def _seeded(compute, seed, number):
    np.random.seed((seed + number) % 2**32)  # else all workers would draw the same
    random.seed(seed + number)
    return compute


def _job(who, begin):
    seconds = (
        config.get_multiprocessing_timeout_interval() if config.get_enable_watchdog() else None
    )
    return Job(who, begin, "row-of-epoch", seconds, "watchdog-settings")
