"""Workers of data pipelines: threads or processes that compute rows ahead, in the order in which
they are read.

A `Stage` says what there is to do for each row; workers run its function. A row's number, not its
worker, decides what is random in it, so that all numbers of workers give the same rows. Whatever
ends a worker (an error, a signal, a function that does not return) ends the iteration with one
error that names operation, row and cause.
"""

import contextlib
import contextvars
import functools
import itertools
import multiprocessing
import os
import pickle
import queue
import random
import signal
import socket
import sys
import threading
import traceback
import warnings
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from sporax.data import argument_checks as check
from sporax.data import config
from sporax.data.row_channel import Channel

_BATCHES_AHEAD = 2  # of each worker


class Workers(NamedTuple):
    """How many workers an operation has, and whether they are processes, not threads."""

    count: int
    in_processes: bool

    def joined(self, other):
        """Workers for the work of both, or None where these are of two kinds."""
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
    """The `Workers` that arguments of a data set or an operation ask for; None for the thread
    that reads the rows."""
    count = arguments.get("num_parallel_workers")
    if count is None:
        count = config.get_num_parallel_workers() if config.is_set("num_parallel_workers") else 1
    check.whole(who, "num_parallel_workers", count, 1)
    in_processes = arguments.get("python_multiprocessing", False)
    check.true_or_false(who, "python_multiprocessing", in_processes)
    return Workers(count, in_processes) if count > 1 else None


class Stage(NamedTuple):
    """What computes the rows of a data set.

    `begin(first)`: starts a pipeline; gives a function whose calls give iterators over an epoch's
    items, ((epoch, row), value), of the first epoch from row `first` on. `compute((epoch, row),
    value)`: the row. `is_movable`: whether workers of a later operation may compute it too.
    `is_batch`: whether a row is many.
    """

    who: str
    begin: Callable[[int], Callable]
    compute: Callable[[tuple[int, int], Any], Any]
    workers: Workers | None = None
    is_movable: bool = False
    is_batch: bool = False

    def epochs(self, first=0):
        """A function whose calls give iterators over the rows of an epoch."""
        items, compute = self.begin(first), self.compute
        if self.workers is None or _absent.get():
            return lambda: itertools.starmap(compute, items())
        pool = None

        def epoch():
            nonlocal pool
            if pool is None or pool.has_failed:
                pool = (_Processes if self.workers.in_processes else _Threads)(self)
            return _in_order(pool, items(), self._ahead())

        return epoch

    def _ahead(self):
        each = _BATCHES_AHEAD if self.is_batch else config.get_prefetch_size()
        return each * self.workers.count


def following_stage(who, dataset, compute, workers=None, is_own=False):
    """The stage that applies `compute` to the rows of a data set: together with their own stage, if
    the same workers may do both. `is_own`: it may run anywhere, being no function of a user's."""
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


def _one_after_other(compute, compute_before, at, item):
    return compute(at, compute_before(at, item))


def numbered(epoch, first):
    """As `epoch`, with (epoch, row) before each item; the first epoch begins at row `first`."""
    from sporax.data import random_streams

    epochs, starts = itertools.count(random_streams.first_epoch()), itertools.chain([first])

    def one():
        number, start = next(epochs), next(starts, 0)
        return (((number, i), item) for i, item in enumerate(epoch(), start))

    return one


def _in_order(pool, items, ahead):
    """The rows of items, of which `ahead` are computed at once."""
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


def _limit():
    """Seconds that a row may take; None without end."""
    watched = config.get_enable_watchdog()
    return config.get_multiprocessing_timeout_interval() if watched else None


def _stuck(who, at, worker):
    return RuntimeError(
        f"For '{who}', a row must be computed within {_limit()} seconds, but {worker} has not "
        f"finished row {at[1]} of epoch {at[0]}. 'config.set_multiprocessing_timeout_interval' "
        "changes the time, 'config.set_enable_watchdog(False)' waits without end."
    )


# threads ----------------------------------------------------------------------------------------


class _Pool:
    """Workers that run a stage's function; they end when it is not used any more, or has failed."""

    has_failed = False

    def end(self):
        self.has_failed = True
        self._finalizer()


class _Threads(_Pool):
    """Threads; those that hang remain until their function returns."""

    def __init__(self, stage):
        self._who, self._tasks = stage.who, queue.SimpleQueue()
        for i in range(stage.workers.count):
            arguments = stage.compute, self._tasks
            name = f"{stage.who} worker {i}"
            threading.Thread(target=_work, args=arguments, name=name, daemon=True).start()
        self._finalizer = weakref.finalize(self, _end_threads, self._tasks, stage.workers.count)

    def submit(self, at, item):
        future = Future()
        self._tasks.put((future, at, item))
        return future

    def result(self, at, future):
        try:
            return future.result(_limit())
        except TimeoutError:
            if future.done():  # the user's own TimeoutError
                raise
            raise _stuck(self._who, at, "a thread") from None

    def drop(self, pending):
        for _, future in pending:
            future.cancel()


def _end_threads(tasks, count):
    for _ in range(count):
        tasks.put(None)


def _work(compute, tasks):
    while (task := tasks.get()) is not None:
        future, at, item = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(compute(at, item))
            except BaseException as error:  # noqa: BLE001 - raised where the row is read
                future.set_exception(error)
        del task, future, at, item  # a row is not kept while the thread waits


# processes --------------------------------------------------------------------------------------


class _Processes(_Pool):
    """Processes, each for every `count`-th row.

    On Linux they are forked, so that any function will do, unless
    `config.set_multiprocessing_start_method` says otherwise; elsewhere functions are pickled.
    """

    def __init__(self, stage):
        self._who, self._numbers = stage.who, itertools.count()
        kind = config.get_multiprocessing_start_method() if sys.platform == "linux" else "spawn"
        context = multiprocessing.get_context(kind)
        self._processes, self._channels = [], []
        self._finalizer = weakref.finalize(self, _end_processes, self._processes, self._channels)
        for i in range(stage.workers.count):
            ours, theirs = socket.socketpair()
            inherited = [*self._channels, Channel(ours)] if kind == "fork" else []
            arguments = theirs, stage.compute, config.get_seed(), i, inherited
            process = context.Process(target=_serve, args=arguments, daemon=True)
            with warnings.catch_warnings(), theirs:
                # the functions that run there do not touch XLA, whose threads are not forked
                warnings.filterwarnings("ignore", ".*fork", RuntimeWarning)
                warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
                try:
                    process.start()
                except (pickle.PicklingError, AttributeError, TypeError) as error:
                    ours.close()
                    raise RuntimeError(
                        f"For '{stage.who}', worker processes that are not forked need functions "
                        f"and sources that can be pickled, but: {error}. Give functions of a "
                        "module, or leave 'python_multiprocessing' False, for threads."
                    ) from error
            self._processes.append(process)
            self._channels.append(Channel(ours))

    def submit(self, at, item):
        number = next(self._numbers)
        with self._failures(at, number):
            self._channel(number).send((number, at, item), _limit())
        return number

    def result(self, at, number):
        with self._failures(at, number):
            while True:
                done, row, error = self._channel(number).receive(_limit())
                if done == number:  # else of an iteration that has ended
                    break
        if error is not None:
            raise error
        return row

    def drop(self, pending):
        """Nothing to do: `result` passes over rows that nobody has read."""

    def _channel(self, number):
        return self._channels[number % len(self._channels)]

    @contextlib.contextmanager
    def _failures(self, at, number):
        """Name what has become of a worker that does not answer."""
        i = number % len(self._processes)
        process = self._processes[i]
        worker = f"worker process {i + 1} of {len(self._processes)} (pid {process.pid})"
        try:
            yield
        except TimeoutError:
            raise _stuck(self._who, at, worker) from None
        except (EOFError, ConnectionError):
            process.join(5)
            reason = _end_of(process.exitcode)
            raise RuntimeError(
                f"For '{self._who}', {worker} {reason} before it finished row {at[1]} of epoch "
                f"{at[0]}."
            ) from None


def _end_of(exitcode):
    if exitcode is None or exitcode >= 0:
        return f"ended with exit code {exitcode}"
    name = signal.Signals(-exitcode).name
    remedy = " (perhaps by the system, for want of memory)" if name == "SIGKILL" else ""
    return f"was ended by {name}{remedy}"


def _end_processes(processes, channels):
    for channel in channels:
        channel.close()
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _serve(sock, compute, seed, number, inherited):
    """The life of a worker process: rows are computed until the pipeline has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that reads ends this one
    for channel in inherited:  # else a process that died would not be missed
        channel.close()
    np.random.seed((seed + number) % 2**32)  # else all workers would draw the same
    random.seed(seed + number)
    channel, tasks = Channel(sock), queue.SimpleQueue()
    threading.Thread(target=_fetch, args=(channel, tasks), daemon=True).start()
    while (task := tasks.get()) is not None:
        done, at, item = task
        try:
            answer = done, compute(at, item), None
        except BaseException as error:  # noqa: BLE001 - raised where the row is read
            answer = done, None, _portable(error)
        try:
            channel.send(answer)
        except OSError:  # nobody reads any more
            break
        del task, item, answer


def _fetch(channel, tasks):
    """Take tasks from the channel as they come, so that whoever sends never waits long."""
    with contextlib.suppress(OSError, EOFError):  # the end of the pipeline, or of its process
        while True:
            tasks.put(channel.receive())
    tasks.put(None)
    os._exit(0)  # also out of a function that does not return


def _portable(error):
    """An error as another process can raise it, with where it came from."""
    lines = traceback.format_exception(error)
    try:
        same = pickle.loads(pickle.dumps(error))
        is_same = type(same) is type(error) and isinstance(error, Exception)
    except Exception:  # noqa: BLE001 - whatever a class of the user's own does when it is pickled
        is_same = False
    if not is_same:
        notes = getattr(error, "__notes__", [])
        error = RuntimeError(f"{type(error).__name__}: {error}")
        for note in notes:
            error.add_note(note)
    error.add_note("In the worker process:\n" + "".join(lines).rstrip())
    return error
