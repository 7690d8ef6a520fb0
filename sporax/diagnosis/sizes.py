"""The largest result that is computed: a larger one raises before memory is allocated."""

import functools
import math
import os

_MOST_DIMENSIONS = 64  # NumPy's
_FOLD = 4  # results are parts of a program, of which XLA leaves out what it can fuse


@functools.cache
def most_bytes():
    """The size of a result from which on it is refused: several times the machine's memory."""
    try:
        return _FOLD * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # no POSIX system
        return _FOLD * 2**38


def refuse_huge(who, shape, dtype, arguments=""):
    """Raise a ValueError for a result of more bytes than fit into memory. `arguments`: in words,
    those that say its shape."""
    cause = f" from {arguments}" if arguments else ""
    if len(shape) > _MOST_DIMENSIONS:
        raise ValueError(
            f"For '{who}', the result must have at most {_MOST_DIMENSIONS} dimensions, but got "
            f"{len(shape)}{cause}."
        )
    size = math.prod(shape) * dtype.itemsize
    if isinstance(size, int) and size > most_bytes():  # one that varies is known at the call
        raise ValueError(
            f"For '{who}', the result must fit into memory, but got the shape {tuple(shape)}, "
            f"which takes {size / 2**30:.1f} GB{cause}. Give smaller sizes."
        )
