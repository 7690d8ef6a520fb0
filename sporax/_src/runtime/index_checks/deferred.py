"""Errors detected while a program runs, raised at the next read of a concrete value."""

import threading

from sporax._src.core.environment import Process
from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.to_host import on_host
from sporax._src.core.value import deferred

_lock = threading.RLock()  # threads read concurrently
Process.locks.append(_lock)
MOST = 64  # entries beyond which the finished ones without error are dropped


class OutOfRange(IndexError, RuntimeError, ValueError):
    """Raised for an index out of range.

    It is an IndexError as in NumPy and PyTorch, and also, as in MindSpore, a RuntimeError (most
    operations) and a ValueError (some operations).
    """


@uninterrupted
def defer(value, error_of):
    """Raise `error_of(array of value)` at the next read, unless that is None."""
    with _lock:
        deferred.append((value, error_of))
        if len(deferred) > MOST:
            deferred[:] = [
                entry
                for entry in deferred
                if not _is_there(entry[0]) or entry[1](on_host(entry[0].array)) is not None
            ]


@uninterrupted
def raise_deferred():
    """Raise the first error of the programs that have run, and drop their other errors."""
    error, waiting = None, []
    with _lock:
        for value, error_of in deferred:
            if not _is_there(value):
                waiting.append((value, error_of))
            elif error is None:
                error = error_of(on_host(value.array))
        deferred[:] = waiting
    if error is not None:
        raise error


def _is_there(value):
    return value.array is not None and value.array.is_ready()


hooks.raise_deferred = raise_deferred
