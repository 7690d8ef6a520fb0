"""Errors that a program finds while it runs: they are raised when something is read next."""

import numpy as np

# (Value of what a program says of itself, what makes an error or None of its array), oldest first
pending = []
MOST = 64  # entries until those that are done and right are dropped


class OutOfRange(IndexError, RuntimeError, ValueError):
    """An index outside of what it indexes.

    It is an IndexError as NumPy and PyTorch raise, and what MindSpore raises: a RuntimeError for
    most operations, a ValueError for some.
    """


class NoIndex(IndexError, TypeError):
    """What cannot be an index, or has nothing to index: an IndexError as NumPy and PyTorch raise,
    and the TypeError that MindSpore raises for a part of a tuple or list, and for a number.
    """


def defer(value, error_of):
    """Raise `error_of(array of value)` when something is read next, unless that is None."""
    pending.append((value, error_of))
    if len(pending) > MOST:
        pending[:] = [
            entry
            for entry in pending
            if not _is_there(entry[0]) or entry[1](np.asarray(entry[0].array)) is not None
        ]


def raise_pending():
    """Raise the first error found by a program that has run; the others are dropped."""
    error, rest = None, []
    while pending:
        value, error_of = entry = pending.pop(0)
        if not _is_there(value):
            rest.append(entry)
        elif error is None:
            error = error_of(np.asarray(value.array))
    pending.extend(rest)
    if error is not None:
        raise error


def _is_there(value):
    return value.array is not None and value.array.is_ready()
