"""Memory that a program frees stays in the process, for the next program.

XLA asks the C library for all temporary arrays of a program at once, at each run. glibc takes what
is larger than 32 MB from the kernel and gives it back afterwards, so that each run meets fresh
pages: the kernel clears 4 KB and enters it in a table, 0.5 ms a megabyte, more than the program's
own work on it. With these settings such memory comes from the heap, which does not shrink: a
training step of MobileNetV2 takes half the time. `release` gives what is free back.

Compiling, and the interpreter before it, leave the heap larger than the program needs, and in
pieces that large arrays do not fit into. So what is free is given back after a compilation, as far
as the faults that follow cost little beside it, and once more where a large program has settled.

JAX starts a program in a thread of its own, which announces the results before it frees the
temporary arrays, and the next program would take as much again beside them. So a large program
starts when its inputs are there, after a pause in which that thread goes on: until no more is in
use than before the run before, 5 ms at most.
"""

import ctypes
import functools
import math
import os
import platform
import time
from pathlib import Path

import jax

from sporax.core.environment import choice
from sporax.xla_kernels.rewrite import parts

# the environment's names of a setting of glibc's malloc -> its number for mallopt, and the value
_SETTINGS = {
    ("MALLOC_MMAP_MAX_", "glibc.malloc.mmap_max"): (-4, 0),  # large blocks come from the heap
    ("MALLOC_TRIM_THRESHOLD_", "glibc.malloc.trim_threshold"): (-1, -1),  # which never shrinks
    ("MALLOC_ARENA_MAX", "glibc.malloc.arena_max"): (-8, 1),  # other heaps hold at most 64 MB
}
_COMPILED = "/jax/core/compile/backend_compile_duration"  # or loaded from the compilation cache
_FAULTS = 0.5e-9  # seconds a byte that is given back and used again
_SHARE = 0.5  # of the time of compilations, for faults
_LARGE = 2**27  # bytes of all results of a program's operations together
_PAUSE, _PAUSES = 1e-4, 50  # seconds; at most so many
_MUCH = 2**24  # bytes


@functools.cache
def _library():
    """glibc; None where the process has another C library."""
    return ctypes.CDLL(None) if platform.libc_ver()[0] == "glibc" else None


@functools.cache
def _keeps():
    return choice("SPORAX_KEEP_MEMORY", "on", "off") == "on" and _library() is not None


def keep_freed():
    """Keep it from now on; not with SPORAX_KEEP_MEMORY=off. A setting of glibc's that the
    environment has stays as it is."""
    if not _keeps():
        return
    tunables = os.environ.get("GLIBC_TUNABLES", "")
    for (variable, tunable), setting in _SETTINGS.items():
        if variable not in os.environ and tunable not in tunables:
            _library().mallopt(*setting)
    jax.monitoring.register_event_duration_secs_listener(ReleaseAfterCompilation())


class ReleaseAfterCompilation:
    """A listener of JAX's: gives free memory back after a compilation.

    `seconds`: a share of those compiled since the last release, less what its faults take; the next
    one follows when this is above 0.
    """

    def __init__(self):
        self.seconds = 0.0

    def __call__(self, event, seconds, **_):
        if event != _COMPILED:
            return
        self.seconds += _SHARE * seconds
        if self.seconds > 0:
            before = _resident()
            release()
            self.seconds = -_FAULTS * max(before - _resident(), 0)


class Runs:
    """The runs of one program on a CPU."""

    is_large, releases, in_use = False, 2, 0

    def measure(self, jaxpr):
        """See whether the program is large, from its `ClosedJaxpr`."""
        self.is_large = _keeps() and bytes_of_results(jaxpr) > _LARGE

    def prepare(self, inputs):
        """Called before each run of a large program, once it is traced."""
        jax.block_until_ready(inputs)
        for _ in range(_PAUSES):
            time.sleep(_PAUSE)
            in_use = _in_use()
            if in_use < self.in_use + _MUCH:
                break
        self.in_use = in_use
        if self.releases:  # after its first runs the heap keeps its shape
            self.releases -= 1
            release()


def bytes_of_results(jaxpr):
    """Bytes of the results of all operations of a `Jaxpr` or `ClosedJaxpr`, in whatever depth."""
    return sum(
        sum(math.prod(v.aval.shape) * v.aval.dtype.itemsize for v in eqn.outvars if _is_array(v))
        + sum(map(bytes_of_results, parts(eqn)))
        for eqn in getattr(jaxpr, "jaxpr", jaxpr).eqns
    )


def _is_array(var):
    return hasattr(var.aval, "shape")  # a token, that orders calls on the host, has none


class _Statistics(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = [(f"field{i}", ctypes.c_size_t) for i in range(7)]
    _fields_ += [(name, ctypes.c_size_t) for name in ("in_use", "free", "top")]


@functools.cache
def _statistics():
    """glibc's function; None before glibc 2.33."""
    function = getattr(_library(), "mallinfo2", None)
    if function is not None:
        function.restype = _Statistics
    return function


def _in_use():
    """Bytes of the heap that are in use; 0 where glibc does not say."""
    function = _statistics()
    return 0 if function is None else function().in_use


def _resident():
    """Bytes of the process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def release():
    """Give free memory back to the system."""
    if _library() is not None:
        _library().malloc_trim(0)
