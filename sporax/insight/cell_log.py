"""`CellLog`: which calls of Cells a recording has, and which call records each operation."""

import itertools
import sys

from sporax.core.cell_tree import tree
from sporax.core.errors import users_frame
from sporax.core.tree import tensors_of


class Call:
    """One call of a Cell, or of the recorded function, which is the outermost (`cell` None).

    `name`: the way from the Cell around it, `layer1.0`; `path`: that from the outermost Cell on.
    `inputs`, `outputs`: avals. `parts`: the calls inside.
    """

    def __init__(self, cell, parent, name):
        self.cell, self.parent, self.name = cell, parent, name
        self.inputs, self.outputs, self.parts = [], [], []
        self.path = name
        if parent is not None:
            parent.parts.append(self)
            if parent.path:
                self.path = f"{parent.path}.{name}"

    @property
    def chain(self):
        """The calls from the outermost one to this one."""
        return [*(self.parent.chain if self.parent is not None else []), self]

    def __repr__(self):
        return f"<Call {self.path or 'of the function'}>"


class CellLog:
    """Follows the calls of Cells of one recording: see `Tracer.cell_log`."""

    def __init__(self):
        self.restarted()

    def restarted(self):
        """Itself, for another attempt at the recording."""
        self.root = self.current = Call(None, None, "")
        self.of = {}  # state of the recorder -> the call that reached it
        self.names = {}  # Cell -> {Cell below: the way there}
        return self

    def note(self, state):
        """The current call has recorded the operation that leads to a state."""
        self.of[state] = self.current

    def along(self, path):
        """The call at each state of a path, None where a replayed path does not say it."""
        return [self.of.get(state) for state in path]

    def call(self, cell, args, kwargs):
        """Call a Cell."""
        outer = self.current
        self.current = call = Call(cell, outer, self._name(cell, outer.cell))
        call.inputs = [t._value.aval for t in tensors_of((args, kwargs))]
        try:
            result = cell._compute(args, kwargs)
        finally:
            self.current = outer
        call.outputs = [t._value.aval for t in tensors_of(result)]
        return result

    def _name(self, cell, outer):
        if outer is None:
            return _variable(cell)
        if outer not in self.names:
            self.names[outer] = {part: path for path, part in tree(outer)}
        return self.names[outer].get(cell) or type(cell).__name__


def _variable(cell):
    """The name of the user's variable that holds the Cell that is being called, or its class."""
    frame, _ = users_frame(sys._getframe(3))
    if frame is None:
        return type(cell).__name__
    held = itertools.chain(frame.f_locals.items(), frame.f_globals.items())
    names = [name for name, value in held if value is cell and name != "self"]
    # IPython keeps what a notebook has shown as `_`, `__` and `_3`
    return min(names, key=lambda name: name.startswith("_"), default=type(cell).__name__)
