"""Processes that read and collate batches for a `DataLoader`."""

import itertools
import random
from typing import Any, NamedTuple

import numpy as np

from sporax._src.core.random import set_seed
from sporax.data.dataloader import transfer
from sporax.data.worker_pools import Job, Processes

_info = None


class WorkerInfo(NamedTuple):
    """A worker process: its number, the number of workers, its seed and its dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info():
    """Return the `WorkerInfo` of this process; None outside the workers of a `DataLoader`.

    >>> from sporax.data.dataloader import get_worker_info
    >>> get_worker_info() is None
    True
    """
    return _info


class _Begin(NamedTuple):
    """Initialises the process that calls it as a worker."""

    fetcher: Any
    count: int
    seed: int
    init: Any

    def __call__(self, number):
        global _info
        seed = self.seed + number
        _info = WorkerInfo(number, self.count, seed, self.fetcher.dataset)
        transfer.is_worker = True
        random.seed(seed)
        set_seed(seed & 0xFFFFFFFF)
        np.random.seed(np.random.SeedSequence(seed).generate_state(4))
        if self.init is not None:
            self.init(number)
        current: Any = None
        fetch: Any = None

        def compute(position, indices):
            nonlocal current, fetch
            if position[0] != current:
                current, fetch = position[0], self.fetcher.begin()
            try:
                return fetch(indices)
            except Exception as error:
                error.add_note(
                    f"For 'DataLoader', this came of batch {position[1]} of epoch {position[0]}."
                )
                raise

        return compute


class Workers(Processes):
    """The processes of one `DataLoader`."""

    def __init__(self, loader):
        self._epochs, count = itertools.count(), loader.num_workers
        seed = int(loader.generator.integers(2**63 - 1 - count))
        begin = _Begin(loader.fetcher, count, seed, loader.worker_init_fn)
        job = Job("DataLoader", begin, "batch-of-epoch", loader.timeout or None, "raise-timeout")
        super().__init__(job, count, loader.multiprocessing_context)

    def batches(self, loader):
        """Yield the batches of one epoch. Workers get tasks in turn, until their data end."""
        count, epoch = loader.num_workers, next(self._epochs)
        tasks, round_robin = enumerate(loader.index_sampler), itertools.cycle(range(count))
        ended, tickets = set(), {}

        def assign():
            worker = next((w for w in itertools.islice(round_robin, count) if w not in ended), None)
            task = None if worker is None else next(tasks, None)
            if task is not None:
                tickets[task[0]] = self.submit((epoch, task[0]), task[1], worker)

        for _ in range(count * loader.prefetch_factor):
            assign()
        while tickets:
            number = next(iter(tickets)) if loader.in_order else self.answering(tickets)
            try:
                batch = self.result((epoch, number), tickets[number])
            except StopIteration:
                worker = tickets[number][1]
                ended.add(worker)
                tickets = {n: ticket for n, ticket in tickets.items() if ticket[1] != worker}
                assign()
                continue
            del tickets[number]
            assign()
            yield batch
