"""MindSpore's two executors, under the names that scripts use."""

from sporax._src.capture.graph_capture.side_effects import CONVERTED, ESCAPED
from sporax._src.capture.graph_capture.tracer import capture
from sporax._src.core.to_host import synchronize
from sporax._src.core.tree import tensors_of
from sporax._src.runtime.engine.recorder import run_pending


class _PyNativeExecutor:
    """Dynamic execution."""

    def sync(self):
        """Run pending operations and block until they complete; errors are raised here."""
        run_pending()
        synchronize()


    def set_async_for_graph(self, enabled):
        """Do nothing: captured programs start without waiting in any case."""


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
