"""Flushing of denormal numbers to zero while a jaxpr is interpreted, as in programs that XLA
compiles for a CPU, so that both compute the same result.

The processor does this, by two bits of its control register: denormal operands are read as zero,
and denormal results are written as zero. The C library's `fesetenv` sets the register for a thread.
"""

import ctypes
import functools
import platform
import sys
import threading

# (system, machine) -> (bytes of fenv_t, the register's offset in it, the bits)
_REGISTERS = {
    ("linux", "x86_64"): (32, 28, 0x8040),
    ("linux", "aarch64"): (8, 0, 1 << 24),
    ("darwin", "arm64"): (16, 8, 1 << 24),
    ("darwin", "x86_64"): (16, 4, 0x8040),
}


class Flushed(threading.local):
    """A context in which this thread's denormal numbers are zero; may be nested."""

    def __init__(self):
        self.depth, self.set, self.reset = 0, *_setters()

    def __enter__(self):
        self.set()
        self.depth += 1

    def __exit__(self, *exception):
        self.depth -= 1
        if not self.depth:
            self.reset()


def _nothing():
    pass


def _setters():
    """Return (a function that sets the bits, one that restores the register's current value)."""
    library = _library()
    if library is None:
        return _nothing, _nothing
    size, offset, bits = _REGISTERS[sys.platform, platform.machine()]
    before = (ctypes.c_uint8 * size)()
    library.fegetenv(before)
    flushing = (ctypes.c_uint8 * size).from_buffer_copy(before)
    register = ctypes.c_uint32.from_buffer(flushing, offset)
    register.value |= bits
    return tuple(functools.partial(library.fesetenv, ctypes.byref(e)) for e in (flushing, before))


@functools.cache
def _library():
    """Return the C library; None on a system whose `fenv_t` is unknown."""
    if (sys.platform, platform.machine()) not in _REGISTERS:
        return None
    return ctypes.CDLL("libm.so.6" if sys.platform == "linux" else None)


flushed = Flushed()
