"""`CellLog`: the Cell calls of a recording, and the call that records each operation."""

import itertools
import sys

from sporax._src.core.cell_tree import tree
from sporax._src.core.errors import users_frame
from sporax._src.core.tree import tensors_of


class Call:
    """One call of a Cell, or the outermost call, which is the recorded function's (`cell` None).

    `name`: the path relative to the enclosing Cell, such as `layer1.0`; `path`: the path from the
    outermost Cell. `inputs`, `outputs`: avals. `children`: the nested calls.
    """

    def __init__(self, cell, parent, name):
        self.cell, self.parent, self.name = cell, parent, name
        self.inputs, self.outputs, self.children = [], [], []
        self.path = name
        if parent is not None:
            parent.children.append(self)
            if parent.path:
                self.path = f"{parent.path}.{name}"

    @property
    def chain(self):
        """The calls from the outermost one to this one."""
        return [*(self.parent.chain if self.parent is not None else []), self]

    def __repr__(self):
        return f"<Call {self.path or 'of the function'}>"


class CellLog:
    """Record the Cell calls of one recording; see `Tracer.cell_log`."""

    def __init__(self):
        self.restarted()

    def restarted(self):
        """Reset for another attempt at the recording; returns self."""
        self.root = self.current = Call(None, None, "")
        self.calls = {}  # state of the recorder -> the call that reached it
        self.names = {}  # Cell -> {nested Cell: its path}
        return self

    def note(self, state):
        """Record that the operation that leads to `state` belongs to the current call."""
        self.calls[state] = self.current

    def along(self, path):
        """Return the call at each state of a path; None if it is unknown, for a replayed path."""
        return [self.calls.get(state) for state in path]

    def call(self, cell, args, kwargs):
        """Call a Cell."""
        outer = self.current
        self.current = call = Call(cell, outer, self._name(cell, outer.cell))
        call.inputs = [t._value.aval for t in tensors_of((args, kwargs))]
        try:
            result = cell._run_construct(args, kwargs)
        finally:
            self.current = outer
        call.outputs = [t._value.aval for t in tensors_of(result)]
        return result

    def _name(self, cell, outer):
        if outer is None:
            return _variable(cell)
        if outer not in self.names:
            self.names[outer] = {subcell: path for path, subcell in tree(outer)}
        return self.names[outer].get(cell) or type(cell).__name__


def _variable(cell):
    """Return the name of the user variable that holds the called Cell, or its class name."""
    frame, _ = users_frame(sys._getframe(3))
    if frame is None:
        return type(cell).__name__
    variables = itertools.chain(frame.f_locals.items(), frame.f_globals.items())
    names = [name for name, value in variables if value is cell and name != "self"]
    # IPython binds displayed results to `_`, `__` and `_3`
    return min(names, key=lambda name: name.startswith("_"), default=type(cell).__name__)
