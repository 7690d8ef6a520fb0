"""Processes that read and collate batches for a `DataLoader`."""

import itertools
import pickle
import queue
import random
import time
import traceback
import warnings
from typing import Any, NamedTuple

import numpy as np

from sporax.core.random import set_seed
from sporax.data.dataloader import transfer

_ALIVE = 1.0  # seconds between looks at whether the processes live
_info = None


class WorkerInfo(NamedTuple):
    """Which worker this process is: its number, how many there are, its seed and its dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info():
    """The `WorkerInfo` of this process; None outside the workers of a `DataLoader`.

    >>> from sporax.data.dataloader import get_worker_info
    >>> get_worker_info() is None
    True
    """
    return _info


def _work(info, fetcher, tasks, results, init):
    """The life of a worker: (epoch, number, indices) in, (epoch, number, kind, what) out."""
    global _info
    _info, transfer.is_worker = info, True
    random.seed(info.seed)
    set_seed(info.seed & 0xFFFFFFFF)
    np.random.seed(np.random.SeedSequence(info.seed).generate_state(4))
    epoch, fetch, failure = None, None, None
    try:
        if init is not None:
            init(info.id)
    except Exception as error:  # noqa: BLE001 - raised in the main process
        failure = _described(error)
    while (task := tasks.get()) is not None:
        now, number, indices = task
        try:
            if now != epoch:
                epoch, fetch = now, fetcher.begin()
            answer = ("error", failure) if failure else ("batch", fetch(indices))
        except StopIteration:
            answer = ("end", None)
        except Exception as error:  # noqa: BLE001 - raised in the main process
            answer = ("error", _described(error))
        results.put(pickle.dumps((now, number, *answer)))


def _described(error):
    return type(error), "".join(traceback.format_exception(error))


class Workers:
    """The processes of one `DataLoader`, with a queue of tasks each and one of results."""

    def __init__(self, loader):
        context, count = loader.multiprocessing_context, loader.num_workers
        self.loader, self.epoch = loader, 0
        self.results = context.Queue()
        self.tasks = [context.Queue() for _ in range(count)]
        seed = int(loader.generator.integers(2**63 - 1 - count))
        self.processes = [
            context.Process(
                target=_work,
                args=(
                    WorkerInfo(i, count, seed + i, loader.dataset), loader.fetcher, self.tasks[i],
                    self.results, loader.worker_init_fn,
                ),
                daemon=True,
            )
            for i in range(count)
        ]  # fmt: skip
        with warnings.catch_warnings():  # JAX warns of forks; `transfer` keeps workers off it
            warnings.filterwarnings("ignore", "os.fork", RuntimeWarning)
            for process in self.processes:
                process.start()

    def batches(self):
        """The batches of one epoch. Tasks go round; a worker whose data end gets no more."""
        self.epoch += 1
        tasks = enumerate(self.loader.index_sampler)
        turns = itertools.cycle(range(len(self.processes)))
        ended, waiting, arrived = set(), {}, {}

        def assign():
            worker = next(
                (w for w in itertools.islice(turns, len(self.tasks)) if w not in ended), None
            )
            task = None if worker is None else next(tasks, None)
            if task is not None:
                waiting[task[0]] = worker
                self.tasks[worker].put((self.epoch, *task))

        for _ in range(len(self.processes) * self.loader.prefetch_factor):
            assign()
        while waiting:
            next_one = next(iter(waiting))
            if next_one not in arrived:
                number, kind, what = self._receive(waiting)
                if kind == "end":
                    ended.add(waiting[number])
                    for lost in [n for n in waiting if waiting[n] in ended and n not in arrived]:
                        del waiting[lost]
                    assign()
                    continue
                arrived[number] = kind, what
                next_one = next_one if self.loader.in_order else number
            if next_one in arrived:
                worker = waiting.pop(next_one)
                kind, what = arrived.pop(next_one)
                assign()
                yield _raised(worker, *what) if kind == "error" else what

    def _receive(self, waiting):
        """The next result of this epoch: (number, kind, what)."""
        limit = time.monotonic() + self.loader.timeout
        while True:
            try:
                epoch, number, *result = pickle.loads(self.results.get(timeout=_ALIVE))
                if epoch == self.epoch and number in waiting:
                    return number, *result
            except queue.Empty:
                self._check_alive()
            if self.loader.timeout and time.monotonic() > limit:
                raise RuntimeError(
                    f"For 'DataLoader', a batch must come within 'timeout', {self.loader.timeout} "
                    "seconds, but none came. Raise it, or look for what the dataset waits for."
                )

    def _check_alive(self):
        for number, process in enumerate(self.processes):
            if not process.is_alive():
                raise RuntimeError(
                    f"For 'DataLoader', worker {number} (process {process.pid}) has ended with "
                    f"exit code {process.exitcode}. With num_workers=0 the error is seen here."
                )

    def close(self):
        """End the processes."""
        for process, tasks in zip(self.processes, self.tasks, strict=True):
            process.terminate()
            process.join()
            tasks.cancel_join_thread()
            tasks.close()
        self.results.close()


def _raised(worker, kind, text):
    """Raise a worker's error: of the same type where that takes a message."""
    message = f"For 'DataLoader', worker {worker} raised {kind.__name__}:\n{text}"
    try:
        error = kind(message)
    except TypeError:  # the type takes other arguments
        error = RuntimeError(message)
    raise error
