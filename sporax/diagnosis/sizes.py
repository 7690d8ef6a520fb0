"""The largest arrays that are computed: larger ones raise before memory is allocated."""

import functools
import math
import os

_MOST_DIMENSIONS = 64  # NumPy's
_FOLD = 4  # results are parts of a program, of which XLA leaves out what it can fuse
ADDRESSES = 2**47  # bytes of which a process has addresses: no array is larger, but in a fused loop


@functools.cache
def most_bytes():
    """The size of a result from which on it is refused: several times the machine's memory."""
    try:
        return _FOLD * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # no POSIX system
        return _FOLD * 2**38


def is_huge(shape, dtype, most=None):
    """Whether such an array has more bytes than fit into memory, or than `most`; not where a size
    varies, which is known at the call."""
    size = math.prod(shape) * dtype.itemsize
    return isinstance(size, int) and size > (most or most_bytes())


def refuse_huge(who, shape, dtype, arguments="", what="the result"):
    """Raise a ValueError for a result of more bytes than fit into memory. `arguments`: in words,
    those that say its shape. `what`: what has it, if not the result."""
    cause = f" from {arguments}" if arguments else ""
    if len(shape) > _MOST_DIMENSIONS:
        raise ValueError(
            f"For '{who}', {what} must have at most {_MOST_DIMENSIONS} dimensions, but got "
            f"{len(shape)}{cause}."
        )
    if is_huge(shape, dtype):
        size = math.prod(shape) * dtype.itemsize
        raise ValueError(
            f"For '{who}', {what} must fit into memory, but got the shape {tuple(shape)}, "
            f"which takes {size / 2**30:.1f} GB{cause}. Give smaller sizes."
        )
