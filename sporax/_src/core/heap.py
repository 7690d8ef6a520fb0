"""Settings and usage of glibc's heap. Other C libraries report nothing."""

import ctypes
import functools
import mmap
import os
import platform
from pathlib import Path
from typing import Any

BLOCK = 2**22  # bytes; from this size on, blocks are outside the heap unless freed memory is kept

# environment names of a glibc malloc setting -> (its number for mallopt, the value that keeps freed
# memory in the process, the value that does not)
_SETTINGS = {
    ("MALLOC_MMAP_MAX_", "glibc.malloc.mmap_max"): (-4, 0, 65536),  # large blocks: in the heap
    ("MALLOC_TRIM_THRESHOLD_", "glibc.malloc.trim_threshold"): (-1, -1, 2**17),  # never shrinks
    ("MALLOC_ARENA_MAX", "glibc.malloc.arena_max"): (-8, 1, 1),  # other heaps hold at most 64 MB
    ("MALLOC_MMAP_THRESHOLD_", "glibc.malloc.mmap_threshold"): (-3, None, BLOCK),
}


@functools.cache
def library() -> Any:
    """Return glibc, or None if the process uses another C library."""
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None


def keep_freed(is_kept):
    """Set whether freed memory stays in the process. A glibc setting in the environment is left
    unchanged."""
    if library() is None:
        return
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    for (variable, tunable), (number, keeping, giving) in _SETTINGS.items():
        value = keeping if is_kept else giving
        if value is not None and variable not in os.environ and tunable not in tunables:
            library().mallopt(number, value)


class _Statistics(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(7)]
    _fields_ += [(name, ctypes.c_size_t) for name in ("in_use", "free", "top")]


@functools.cache
def _statistics():
    """Return glibc's `mallinfo2`; None before glibc 2.33."""
    function = getattr(library(), "mallinfo2", None)
    if function is not None:
        function.restype = _Statistics
    return function


def usage():
    """Return (bytes of the heap in use, bytes free); zeros if glibc does not report them."""
    function = _statistics()
    if function is None:
        return 0, 0
    info = function()
    return info.in_use, info.free


def pages():
    """Return the numbers in `/proc/self/statm`, in bytes: address space, resident memory, ...; on
    Linux only."""
    return [int(n) * mmap.PAGESIZE for n in Path("/proc/self/statm").read_bytes().split()]


def release():
    """Return free memory to the system."""
    if library() is not None:
        library().malloc_trim(0)
