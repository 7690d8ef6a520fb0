"""MindSpore's two executors, under the names that scripts use."""

from sporax.core.to_host import synchronize
from sporax.core.tree import tensors_of
from sporax.engine.recorder import run_pending
from sporax.graph_capture.side_effects import CONVERTED, ESCAPED
from sporax.graph_capture.tracer import capture


class _PyNativeExecutor:
    """Dynamic execution."""

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
