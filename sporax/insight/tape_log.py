"""`TapeLog`: the outputs of Cells and of operations in their `construct`, from the tape of a
derivative that is captured."""

from contextlib import contextmanager
from fnmatch import fnmatchcase

from sporax._src.core.errors import warn
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import thread
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.autodiff.tape import active_tape

_MANY = 20  # names in a warning


class TapeLog:
    """Record the calls of a network's Cells while it is captured with its derivative.

    `names`: {Cell: path}. An operation belongs to the innermost call. Leaf Cells, which are layers,
    and views are ignored.
    """

    def __init__(self, names):
        self._names = {cell: name for cell, name in names.items() if list(cell.cells())}
        self._calls, self._outputs = [], []

    @contextmanager
    def following(self):
        """Record Cell calls inside this context."""
        tracer = thread.recorder.tracer
        outer, tracer.cell_log = tracer.cell_log, self
        try:
            yield self
        finally:
            tracer.cell_log = outer

    def call(self, cell, args, kwargs):
        """Call a Cell; see `Tracer.cell_log`."""
        first = len(_entries())
        result = cell._run_construct(args, kwargs)
        self._calls.append((first, len(_entries()), cell))  # nested calls are already in it
        if self._names.get(cell):
            self._outputs += [(self._names[cell], tensor) for tensor in tensors_of(result)]
        return result

    def results(self):
        """Return [(name, Tensor)]: the name is the Cell's path, then the operation's name in `draw`
        if it is an operation's result."""
        results = list(self._outputs)
        for k, (op, _, out) in enumerate(_entries()):
            cell = next((cell for first, end, cell in self._calls if first <= k < end), None)
            if cell not in self._names or not _computes(op):
                continue
            name = ".".join(filter(None, (self._names[cell], op.name)))
            values = out if isinstance(out, (tuple, list)) else (out,)
            results += [(name, wrap(value)) for value in values]
        return results

    def chosen(self, patterns):
        """Return the `results` whose name, or its end after a dot, matches a pattern. Warn about a
        pattern that matches none."""
        results = self.results()
        for pattern in patterns:
            if not any(_matches(name, pattern) for name, _ in results):
                names = sorted({name for name, _ in results})
                more = f" and {len(names) - _MANY} others" if len(names) > _MANY else ""
                there = f"{', '.join(names[:_MANY])}{more}" if names else "none"
                warn(
                    f"For 'RunRecord', 'activations' must name Cells with Cells in them, or "
                    f"operations beside these, but none is {pattern!r}. There are: {there}."
                )
        return [item for item in results if any(_matches(item[0], p) for p in patterns)]


def _entries():
    tape = active_tape()
    return [] if tape is None else tape.entries


def _computes(op):
    """Return True if `op` computes new results: not a view, not a `gradient.*` operation."""
    return isinstance(op, Op) and not op.alias and not op.name.startswith("gradient.")


def _matches(name, pattern):
    return fnmatchcase(name, pattern) or fnmatchcase(name, f"*.{pattern}")
