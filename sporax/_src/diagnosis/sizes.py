"""Limits on the size of arrays: larger ones raise before memory is allocated."""

import math
import threading

from sporax._src.diagnosis.rules import message, rejection
from sporax._src.operating_system import physical_memory

_MOST_DIMENSIONS = 64  # NumPy's limit
_FOLD = 4  # results are parts of a program; XLA does not store what it can fuse
ADDRESSES = 2**47  # bytes of a process's address space: only arrays in a fused loop are larger


class _Limits(threading.local):
    is_off = False  # in this thread


_limits = _Limits()


class sizes_limited:
    """Reject huge results in the block, or accept them, since they get no memory."""

    def __init__(self, is_on):
        self.is_off = not is_on

    def __enter__(self):
        self.before, _limits.is_off = _limits.is_off, self.is_off

    def __exit__(self, *exception):
        _limits.is_off = self.before


def most_bytes():
    """Return the bytes above which a result is rejected: several times the machine's memory."""
    return _FOLD * physical_memory()


def is_huge(shape, dtype, most=None):
    """Return True if such an array has more bytes than fit into memory, or than `most`; False for a
    symbolic size, which is known only at the call."""
    size = math.prod(shape) * dtype.itemsize
    return isinstance(size, int) and size > (most or most_bytes()) and not _limits.is_off


def check_size(who, shape, dtype, arguments=None, array=None):
    """Raise ValueError for a result with more bytes than fit into memory. `arguments`: the
    arguments that determine its shape, in words. `array`: a `Message`, if it is not the result."""
    if len(shape) <= _MOST_DIMENSIONS and not is_huge(shape, dtype):
        return
    fields = {"array": array or message("the-result")}
    fields |= {"arguments": arguments} if arguments else {}
    if len(shape) > _MOST_DIMENSIONS:
        rule = "at-most-dimensions-from" if arguments else "at-most-dimensions"
        raise rejection(rule, who, n=_MOST_DIMENSIONS, count=len(shape), **fields)
    size = f"{math.prod(shape) * dtype.itemsize / 2**30:.1f}"
    rule = "fit-memory-from" if arguments else "fit-memory"
    raise rejection(rule, who, shape=tuple(shape), size=size, **fields)
