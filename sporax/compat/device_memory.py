"""How much memory is in use: `mindspore.runtime.memory_allocated` and its like.

On a GPU or TPU they are JAX's figures of the device. On a CPU, arrays share the memory of the
process: allocated are the arrays that are alive; reserved is what the process has in memory; the
most that was allocated is how much larger the process has been, and the arrays.
"""

from pathlib import Path

import jax

from sporax.compat.devices import device
from sporax.engine.recorder import run_pending

_PROCESS = Path("/proc/self")
_PAGE_TABLE_PEAKS = "5"  # what resets the greatest size of a process, see proc(5)


def _device(device_target=None):
    run_pending()
    return device("memory_stats", device_target)


def _lies_on(array, device):
    return array.devices() == {device}


def _kept(field):
    """Bytes of a line of the process's status."""
    for line in (_PROCESS / "status").read_text("ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{_PROCESS / 'status'} has no line '{field}'")


def _figures(device_target):
    """(allocated, most allocated, reserved, most reserved) bytes."""
    one = _device(device_target)
    statistics = one.memory_stats()
    if statistics is not None:
        in_use, peak = statistics["bytes_in_use"], statistics["peak_bytes_in_use"]
        reserved = statistics.get("pool_bytes", in_use)
        return in_use, peak, reserved, statistics.get("peak_pool_bytes", peak)
    arrays = {a.unsafe_buffer_pointer(): a.nbytes for a in jax.live_arrays() if _lies_on(a, one)}
    allocated = sum(arrays.values())
    reserved, peak = _kept("VmRSS"), _kept("VmHWM")
    return allocated, allocated + peak - reserved, reserved, peak


def memory_allocated(device_target=None):
    """Bytes of the arrays on the device.

    >>> from sporax.compat import device_memory
    >>> before = device_memory.memory_allocated()
    >>> x = ops.zeros((1000, 1000)) + 1
    >>> device_memory.memory_allocated() - before >= 4_000_000
    True
    """
    return _figures(device_target)[0]


def max_memory_allocated(device_target=None):
    """The most bytes that were allocated at once, since the process began or a `reset_...`.

    >>> ms.max_memory_allocated() >= ms.memory_allocated()
    True
    """
    return _figures(device_target)[1]


def memory_reserved(device_target=None):
    """Bytes that are taken from the device, or on a CPU from the system, used or not.

    >>> ms.memory_reserved() > 0
    True
    """
    return _figures(device_target)[2]


def max_memory_reserved(device_target=None):
    """The most bytes that were reserved at once, since the process began or a `reset_...`.

    >>> ms.max_memory_reserved() >= ms.memory_reserved()
    True
    """
    return _figures(device_target)[3]


def memory_stats(device_target=None):
    """A dict of all the figures, with MindSpore's names. XLA has no pools of blocks to list.

    >>> ms.memory_stats()["total_eager_free_memory"]
    0
    """
    allocated, most_allocated, reserved, most_reserved = _figures(device_target)
    return {
        "total_reserved_memory": reserved,
        "total_allocated_memory": allocated,
        "total_idle_memory": max(reserved - allocated, 0),
        "total_eager_free_memory": 0,
        "max_reserved_memory": most_reserved,
        "max_allocated_memory": most_allocated,
        "common_mem_pool_stats": {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}},
        "persistent_mem_pool_stats": {"block_counts": 0, "block_unit_size": 0, "blocks_info": {}},
    }


def memory_summary(device_target=None):
    """The figures of `memory_stats` as a table, a string.

    >>> print(ms.memory_summary().splitlines()[1])
    |               Memory summary                |
    """
    figures = list(memory_stats(device_target).items())[:6]
    rows = [(name.replace("total_", "").replace("_", " "), _shown(n)) for name, n in figures]
    rule = "|" + "-" * 45 + "|"
    lines = [f"| {name.capitalize():20} | {size:20} |" for name, size in rows]
    head = ["|" + "=" * 45 + "|", f"|{'Memory summary':^45}|", "|" + "=" * 45 + "|"]
    head += [f"| {'Metric':20} | {'Data':20} |", rule]
    return "\n".join([*head, f"\n{rule}\n".join(lines), "|" + "=" * 45 + "|", ""])


def _shown(size):
    """Bytes with a unit, as MindSpore writes them."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:7.1f} {unit}" if unit != "B" else f"{size:6d} B"
        size /= 1024
    return None


def reset_peak_memory_stats(device_target=None):
    """Let the greatest figures begin anew. On a CPU only: JAX keeps those of other devices.

    Raises NotImplementedError on other devices.

    >>> ms.reset_peak_memory_stats()
    """
    if _device(device_target).memory_stats() is not None:
        raise NotImplementedError(
            "For 'reset_peak_memory_stats', the device must be a CPU: JAX keeps the peaks of "
            "others from the start of the process. Take the difference of two processes."
        )
    (_PROCESS / "clear_refs").write_text(_PAGE_TABLE_PEAKS)


reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats
