"""Memory statistics: `mindspore.runtime.memory_allocated` and related functions.

On a GPU or TPU they are JAX's statistics of the device. On a CPU, arrays share the memory of the
process: allocated is the size of the live arrays; reserved is the resident size of the process;
peak allocated is the live arrays plus the peak minus the current resident size.
"""

from pathlib import Path

import jax

from sporax._src.diagnosis.rules import rejection
from sporax._src.mindspore.compat.devices import device
from sporax._src.runtime.engine.recorder import run_pending

_PROCESS = Path("/proc/self")
_PAGE_TABLE_PEAKS = "5"  # resets the peak resident size of a process, see proc(5)


def _device(device_target=None):
    run_pending()
    return device("memory_stats", device_target)


def _kept(field):
    """Return a field of the process's status, in bytes."""
    for line in (_PROCESS / "status").read_text("ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{_PROCESS / 'status'} has no line '{field}'")


def _figures(device_target):
    """Return (allocated, peak allocated, reserved, peak reserved) bytes."""
    one = _device(device_target)
    statistics = one.memory_stats()
    if statistics is not None:
        in_use, peak = statistics["bytes_in_use"], statistics["peak_bytes_in_use"]
        reserved = statistics.get("pool_bytes", in_use)
        return in_use, peak, reserved, statistics.get("peak_pool_bytes", peak)
    arrays = {
        a.unsafe_buffer_pointer(): a.nbytes for a in jax.live_arrays() if a.devices() == {one}
    }
    allocated = sum(arrays.values())
    reserved, peak = _kept("VmRSS"), _kept("VmHWM")
    return allocated, allocated + peak - reserved, reserved, peak


def memory_allocated(device_target=None):
    """Return the bytes of the arrays on the device.

    >>> from sporax._src.mindspore.compat import device_memory
    >>> before = device_memory.memory_allocated()
    >>> x = ops.zeros((1000, 1000)) + 1
    >>> device_memory.memory_allocated() - before >= 4_000_000
    True
    """
    return _figures(device_target)[0]


def max_memory_allocated(device_target=None):
    """Return the peak of allocated bytes since the process started or the peaks were reset.

    >>> ms.max_memory_allocated() >= ms.memory_allocated()
    True
    """
    return _figures(device_target)[1]


def memory_reserved(device_target=None):
    """Return the bytes taken from the device, or on a CPU from the system, used or not.

    >>> ms.memory_reserved() > 0
    True
    """
    return _figures(device_target)[2]


def max_memory_reserved(device_target=None):
    """Return the peak of reserved bytes since the process started or the peaks were reset.

    >>> ms.max_memory_reserved() >= ms.memory_reserved()
    True
    """
    return _figures(device_target)[3]


def memory_stats(device_target=None):
    """Return a dict of all statistics, with MindSpore's names. XLA has no block pools to list.

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
    """Return the statistics of `memory_stats` as a table in a string.

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
    """Format bytes with a unit, as MindSpore does."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:7.1f} {unit}" if unit != "B" else f"{size:6d} B"
        size /= 1024
    return None


def reset_peak_memory_stats(device_target=None):
    """Reset the peaks on a CPU.

    Raises NotImplementedError on other devices, whose peaks JAX cannot reset.

    >>> ms.reset_peak_memory_stats()
    """
    if _device(device_target).memory_stats() is not None:
        raise rejection("peaks-of-a-cpu", "reset_peak_memory_stats")
    (_PROCESS / "clear_refs").write_text(_PAGE_TABLE_PEAKS)


reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats
