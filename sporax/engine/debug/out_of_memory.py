"""Programs that need more memory than there is: which run so that a failure loses nothing, and the
error."""

import functools
import os
from pathlib import Path

import jax

_PHRASES = ("RESOURCE_EXHAUSTED", "Out of memory")  # XLA's


def bytes_of(avals):
    """Bytes of arrays of these avals."""
    return sum(a.size * a.dtype.itemsize for a in avals)


def operations(pairs):
    """(operation, avals of its results) of a trace's, with those that captured functions consist
    of in their places."""
    for op, avals in pairs:
        inner = getattr(op.fn, "steps_of", None)
        if inner is None:
            yield op, avals
        else:
            yield from operations((step, rule.avals) for step, rule, _ in inner[0].steps)


@functools.cache
def _total():
    """Bytes of memory that the process may have on the host."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (text := limit.read_text().strip()).isdigit():
        total = min(total, int(text))
    return total


def memory():
    """Bytes that programs have: of the device, else of the host."""
    statistics = jax.local_devices()[0].memory_stats() or {}
    return statistics.get("bytes_limit") or _total()


def lacks_memory(steps, avals):
    """Whether the memory does not hold arrays of these `avals` and the largest result of a
    program's steps, without those that XLA never stores."""
    pairs = operations((op, rule.avals) for op, rule, _ in steps)
    return bytes_of(avals) + max((bytes_of(each) for _, each in pairs), default=0) > memory()


def is_out_of_memory(error):
    """Whether an error of JAX's is that an allocation has failed."""
    return any(phrase in str(error) for phrase in _PHRASES)


def out_of_memory(state):
    """The MemoryError for a trace up to this node; None for a small one."""
    path = list(operations((node.op, node.avals) for node in state.path()))
    op, avals = max(path, key=lambda pair: bytes_of(pair[1]))
    largest, together = bytes_of(avals), sum(bytes_of(avals) for _, avals in path)
    if together <= memory() / 4:
        return None
    return MemoryError(
        f"For '{op.name}', memory must suffice for its result and for those of the {len(path)} "
        f"operations that run with it, but an allocation failed: the result of shape "
        f"{' and '.join(str(a.shape) for a in avals)} takes {largest / 1e9:.3g} GB, all results "
        f"together {together / 1e9:.3g} GB, and there are {memory() / 1e9:.3g} GB. Compute "
        "on smaller batches, or with 'recompute'."
    )
