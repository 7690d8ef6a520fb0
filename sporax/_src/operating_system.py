"""Functions that the operating systems have under different names, or not at all."""

import ctypes
import functools
import os
import signal
import sys
import threading

UNKNOWN_MEMORY = 2**38  # bytes, of a machine that does not report its memory
# signals that no handler receives; Windows has neither
UNCAUGHT = {getattr(signal, name) for name in ("SIGKILL", "SIGSTOP") if hasattr(signal, name)}
HAS_PROCESS_GROUPS = hasattr(os, "killpg")
_seeking = threading.Lock()


class _MemoryStatus(ctypes.Structure):
    """`MEMORYSTATUSEX` of Windows."""

    _fields_ = [("size", ctypes.c_uint32), ("load", ctypes.c_uint32)]
    _fields_ += [(name, ctypes.c_uint64) for name in ("physical", "b", "c", "d", "e", "f", "g")]


@functools.cache
def physical_memory():
    """Return the bytes of memory of the machine, `UNKNOWN_MEMORY` if it does not report them."""
    if sys.platform == "win32":
        status = _MemoryStatus(size=ctypes.sizeof(_MemoryStatus))
        known = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return status.physical if known else UNKNOWN_MEMORY
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN_MEMORY


def cores():
    """Return the set of processor cores that the process may use, by number."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def pin(process, cores):
    """Restrict a process (0: this one) to these cores; return False if the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(process, cores)
    return True


def read_at(file, size, offset):
    """Return `size` bytes of an open binary file from `offset` on; several threads may do so."""
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), size, offset)
    with _seeking:
        file.seek(offset)
        return file.read(size)
