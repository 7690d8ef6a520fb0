"""Errors that a program finds while it runs: they are raised when something is read next."""

import threading

from sporax.core.environment import Process
from sporax.core.interruptions import uninterrupted
from sporax.core.tensor import FACTORIES
from sporax.core.to_host import on_host
from sporax.core.value import deferred

_lock = threading.RLock()  # several threads read
Process.locks.append(_lock)
MOST = 64  # entries until those that are done and right are dropped


class OutOfRange(IndexError, RuntimeError, ValueError):
    """An index outside of what it indexes.

    It is an IndexError as NumPy and PyTorch raise, and what MindSpore raises: a RuntimeError for
    most operations, a ValueError for some.
    """


@uninterrupted
def defer(value, error_of):
    """Raise `error_of(array of value)` when something is read next, unless that is None."""
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
    """Raise the first error found by a program that has run; the others are dropped."""
    error, rest = None, []
    with _lock:
        for value, error_of in deferred:
            if not _is_there(value):
                rest.append((value, error_of))
            elif error is None:
                error = error_of(on_host(value.array))
        deferred[:] = rest
    if error is not None:
        raise error


def _is_there(value):
    return value.array is not None and value.array.is_ready()


FACTORIES["raise_deferred"] = raise_deferred
