"""Pools of threads and of processes that compute items in the order in which they are submitted.

Whatever ends a worker (an error, a signal, a function that does not return) raises one error where
the item is read, which names the worker, the item and the cause.
"""

import contextlib
import itertools
import multiprocessing
import os
import pickle
import queue
import signal
import socket
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import wait
from typing import Any, NamedTuple

from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data.row_channel import Channel


class Job(NamedTuple):
    """The work of a pool, and how its errors describe it.

    `begin(number)`: called in each worker; returns its function `compute((epoch, number), item)`.
    `seconds`: the time limit of an item, or None. `unit`, `remedy`: phrases that name an item and
    say what to do when it exceeds the limit.
    """

    who: str
    begin: Callable[[int], Callable]
    unit: str
    seconds: float | None
    remedy: str

    def stuck(self, position, worker):
        """Return the error for an item that exceeds the time limit."""
        fields = {
            "worker": worker,
            "place": self.describe(position),
            "remedy": message(self.remedy),
        }
        return rejection("computed-in-time", self.who, seconds=self.seconds, **fields)

    def describe(self, position):
        """Return the name of an item, for errors."""
        return message(self.unit, i=position[1], epoch=position[0])


def refuse_forked(who, home):
    """Raise RuntimeError in any process but `home`, which owns the workers."""
    require(os.getpid() == home, "iteration-workers-go-process", who, home=home, getpid=os.getpid())


class _Pool:
    """Workers of the process that created the pool; they end when it no longer uses the pool, or
    the pool has failed."""

    has_failed = False
    _finalizer: weakref.finalize

    def __init__(self, job):
        self._job, self._home = job, os.getpid()

    def end(self):
        """End the workers."""
        self.has_failed = True
        self._finalizer()


class Threads(_Pool):
    """A pool of threads; hanging threads remain until their function returns."""

    def __init__(self, job, count):
        super().__init__(job)
        self._tasks = queue.SimpleQueue()
        for i in range(count):
            name = f"{job.who} worker {i}"
            arguments = job.begin(i), self._tasks
            threading.Thread(target=_work, args=arguments, name=name, daemon=True).start()
        self._finalizer = weakref.finalize(self, _end_threads, self._tasks, count)

    def submit(self, position, item):
        """Submit an item to a worker; returns a ticket for `result`."""
        refuse_forked(self._job.who, self._home)
        future = Future()
        self._tasks.put((future, position, item))
        return future

    def result(self, position, future):
        """Return the result of an item."""
        refuse_forked(self._job.who, self._home)
        try:
            return future.result(self._job.seconds)
        except TimeoutError:
            if future.done():  # a TimeoutError from user code
                raise
            raise self._job.stuck(position, message("a-thread")) from None

    def drop(self, pending):
        """Cancel the tickets whose results are not needed."""
        for _, future in pending:
            future.cancel()


def _end_threads(tasks, count):
    for _ in range(count):
        tasks.put(None)


def _work(compute, tasks):
    while (task := tasks.get()) is not None:
        future, position, item = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(compute(position, item))
            except BaseException as error:  # noqa: BLE001 - raised where the row is read
                error.add_note(f"In the thread '{threading.current_thread().name}'.")
                future.set_exception(error)
        del task, future, position, item  # frees the row while the thread waits


class Processes(_Pool):
    """A pool of processes, each with its own channel.

    `start`: the start method, a name or a context of `multiprocessing`. Forked processes run any
    function; for other methods (and where fork is missing) functions are pickled.
    """

    def __init__(self, job, count, start):
        super().__init__(job)
        self._numbers = itertools.count()
        start = start if sys.platform == "linux" or not isinstance(start, str) else "spawn"
        context: Any = multiprocessing.get_context(start) if isinstance(start, str) else start
        is_fork = context.get_start_method() == "fork"
        self._processes, self._channels = [], []
        ends = self._home, self._processes, self._channels
        self._finalizer = weakref.finalize(self, _end_processes, *ends)
        _pools.add(self)
        for i in range(count):
            ours, theirs = socket.socketpair()
            inherited = [*self._channels, Channel(ours)] if is_fork else []
            arguments = theirs, job, i, count, inherited
            process = context.Process(target=_serve, args=arguments, daemon=True)
            with warnings.catch_warnings(), theirs:
                # worker functions do not use XLA, whose threads are not forked
                warnings.filterwarnings("ignore", ".*fork", RuntimeWarning)
                warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
                try:
                    process.start()
                except (pickle.PicklingError, AttributeError, TypeError) as error:
                    ours.close()
                    raise rejection("worker-processes-not-forked", job.who, cause=error) from error
            self._processes.append(process)
            self._channels.append(Channel(ours))

    def submit(self, position, item, worker=None):
        """Submit an item to a worker, by default round-robin; returns a ticket for `result`."""
        number = next(self._numbers)
        worker = number % len(self._channels) if worker is None else worker
        with self._failures(position, worker):
            self._channels[worker].send((number, position, item), self._job.seconds)
        return number, worker

    def result(self, position, ticket):
        """Return the result of an item."""
        number, worker = ticket
        with self._failures(position, worker):
            while True:
                done, row, error = self._channels[worker].receive(self._job.seconds)
                if done == number:  # else left over from an ended iteration
                    break
        if error is not None:
            raise error
        return row

    def answering(self, tickets):
        """Return the number of the first item whose worker has answered, from {item number:
        ticket}; the first item if none answers in time."""
        sockets = {self._channels[worker].fileno(): worker for _, worker in tickets.values()}
        ready = {sockets[file] for file in wait(list(sockets), self._job.seconds)}
        return next(
            (n for n, (_, worker) in tickets.items() if worker in ready), next(iter(tickets))
        )

    def drop(self, pending):
        """Do nothing: `result` skips rows that were never read."""

    @contextlib.contextmanager
    def _failures(self, position, worker):
        """Raise an error with the cause if a worker does not answer."""
        refuse_forked(self._job.who, self._home)
        process = self._processes[worker]
        name = f"{_name(worker, len(self._processes))} (pid {process.pid})"
        try:
            yield
        except TimeoutError:
            raise self._job.stuck(position, name) from None
        except (EOFError, ConnectionError):
            process.join(5)
            fields = {"end": _end_of(process.exitcode), "place": self._job.describe(position)}
            raise rejection("worker-ended", self._job.who, name=name, **fields) from None


_pools = weakref.WeakSet()  # of processes


def _disown():
    """Forget the pools in a forked process: its exit must not end its parent's workers."""
    for pool in _pools:
        multiprocessing.process._children.difference_update(pool._processes)  # pyright: ignore[reportAttributeAccessIssue]
    _pools.clear()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_disown)


def _name(worker, count):
    return f"worker process {worker + 1} of {count}"


def _end_of(exitcode):
    if exitcode is None or exitcode >= 0:
        return message("ended-with-code", code=exitcode)
    name = signal.Signals(-exitcode).name
    return message("was-killed" if name == "SIGKILL" else "was-ended-by", name=name)


def _end_processes(home, processes, channels):
    for channel in channels:
        channel.close()
    if os.getpid() != home:  # a copy in a forked process, which does not own them
        return
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _serve(sock, job, number, count, inherited):
    """Run a worker process: compute items until the pool ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the reading process ends this one
    for channel in inherited:  # else a dead process would go unnoticed
        channel.close()
    channel, tasks, failure = Channel(sock), queue.SimpleQueue(), None
    threading.Thread(target=_fetch, args=(channel, tasks), daemon=True).start()
    name = f"{_name(number, count)} (pid {os.getpid()})"
    try:
        compute = job.begin(number)
    except BaseException as error:  # noqa: BLE001 - raised for each item
        failure = _portable(error, name)
    while (task := tasks.get()) is not None:
        done, position, item = task
        try:
            answer = done, None if failure else compute(position, item), failure
        except BaseException as error:  # noqa: BLE001 - raised where the row is read
            answer = done, None, _portable(error, name)
        try:
            channel.send(answer)
        except OSError:  # the reader is gone
            break
        except Exception as error:  # noqa: BLE001 - whatever pickle meets in the answer
            fields = {"place": job.describe(position), "cause": error}
            refusal = rejection("picklable-results", job.who, **fields)
            channel.send((done, None, _portable(refusal, name)))
        del task, item, answer


def _fetch(channel, tasks):
    """Receive tasks from the channel as they arrive, so that the sender never waits long."""
    try:
        while True:
            tasks.put(channel.receive())
    except (OSError, EOFError):  # the pool or its process has ended
        os._exit(0)  # even if a function does not return
    except BaseException:  # noqa: BLE001 - whatever pickle meets in a task
        traceback.print_exc()
        os._exit(1)


def _portable(error, worker):
    """Return an error that another process can raise, with a note of its origin."""
    described = traceback.TracebackException.from_exception(error)
    described.__notes__ = None  # the error itself has them
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
    error.add_note(f"In {worker}:\n" + "".join(described.format()).rstrip())
    return error
