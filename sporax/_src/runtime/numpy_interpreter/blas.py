"""Limits NumPy's matrix products to one thread while a jaxpr is interpreted.

OpenBLAS's threads wait for each other by spinning. On cores that are shared (XLA's own threads are
enough), a small product then takes fifty times as long as on one thread.
"""

import ctypes
import functools
import threading
from pathlib import Path

import numpy as np

_NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads")


@functools.cache
def _controls():
    """Return OpenBLAS's (get, set) in NumPy's wheel; None if NumPy has another library."""
    for path in Path(np.__file__).parents[1].glob("numpy.libs/*openblas*"):
        library = ctypes.CDLL(str(path))
        for name in _NAMES:
            if hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None


class OneThread:
    """A context in which matrix products use one thread; several may be active at once."""

    def __init__(self):
        self.lock, self.inside, self.before = threading.Lock(), 0, 0

    def __enter__(self):
        controls = _controls()
        if controls is not None:
            with self.lock:
                if not self.inside:
                    self.before = controls[0]()
                    controls[1](1)
                self.inside += 1

    def __exit__(self, *exception):
        controls = _controls()
        if controls is not None:
            with self.lock:
                self.inside -= 1
                if not self.inside:
                    controls[1](self.before)


one_thread = OneThread()
