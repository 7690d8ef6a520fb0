"""MindSpore's two executors, under the names that scripts use."""

import threading

from sporax._src.capture.graph_capture.side_effects import CONVERTED, ESCAPED
from sporax._src.capture.graph_capture.tracer import capture
from sporax._src.core.to_host import synchronize
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import thread
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.transforms.autodiff.no_grad import no_grad
from sporax._src.transforms.autodiff.tape import MUTED


class _Paused(threading.local):
    """The `no_grad` that this thread's `set_enable_grad(False)` entered, or None."""

    block: no_grad | None = None


class _PyNativeExecutor:
    """Dynamic execution."""

    def __init__(self):
        self._paused = _Paused()

    def enable_grad(self):
        """Return False after `set_enable_grad(False)`, else True."""
        return self._paused.block is None

    def set_enable_grad(self, flag):
        """Enter `no_grad` (False) or leave it (True), for a block that is not in one function."""
        block = self._paused.block
        if block is None and not flag:
            self._paused.block = no_grad()
            self._paused.block.__enter__()
        # else within a gradient that has begun since
        elif block is not None and flag and thread.tape in (None, MUTED):
            self._paused.block = None
            block.__exit__(None, None, None)

    def set_async_for_graph(self, flag):
        """Do nothing: captured code always runs asynchronously."""

    def sync(self):
        """Run pending operations and block until they complete; errors are raised here."""
        run_pending()
        synchronize()


class _CellGraphExecutor:
    """Captured Cells."""

    def compile(self, obj, *args, phase="predict", do_convert=True, **kwargs):
        """Capture a call of the Cell (or function) `obj` with these arguments, without running it.

        Returns (its name, True if it was captured whole); raises on invalid arguments.
        """
        name = type(obj).__name__
        _, graph = capture(name, obj, args, kwargs, tensors_of((args, kwargs)))
        return name, graph not in (None, CONVERTED, ESCAPED)


_pynative_executor = _PyNativeExecutor()
_cell_graph_executor = _CellGraphExecutor()
