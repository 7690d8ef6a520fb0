"""Path of the currently running Cell, derived from stack frames."""

from itertools import pairwise
from weakref import WeakKeyDictionary

from sporax._src.core.cell_tree import tree
from sporax._src.core.errors import users_frame
from sporax._src.transforms.autodiff.custom_vjp import CellBprop
from sporax.nn.cell import Cell
from sporax.nn.cell_hooks import BackwardHookGate

_CALL = Cell.__call__.__code__
_BACK = {f.__code__ for f in (CellBprop.backward, BackwardHookGate.answer)}
_paths = WeakKeyDictionary()  # path of each called Cell, for its backward pass


def path_of_cell(frames):
    """Return `net.block.dense` for the innermost Cell on the stack (`frames`: innermost first), ''
    for none. The outermost Cell is named after the variable that holds it, or its class."""
    for frame in frames:
        if frame.f_code in _BACK:
            cell = frame.f_locals["self"].cell
            return _paths.get(cell, type(cell).__name__)
        if frame.f_code is _CALL:
            break
    else:
        return ""
    calls = [f for f in reversed(frames) if f.f_code is _CALL]
    cells = list(dict.fromkeys(f.f_locals["self"] for f in calls))
    path = ".".join([_variable(calls[0], cells[0]), *_steps(cells)])
    _paths[cells[-1]] = path
    return path


def calling_cells(frame):
    """Return the Cells running in a frame and its callers, outermost first."""
    cells = {}
    while frame is not None:
        if frame.f_code is _CALL:
            cells[frame.f_locals["self"]] = None
        frame = frame.f_back
    return [*cells][::-1]


def path_within(cells):
    """Like `path_of_cell`, for nested Cells; the outermost is named after its class."""
    return ".".join([type(cells[0]).__name__, *_steps(cells)]) if cells else ""


def _steps(cells):
    """Yield the path from each Cell to the next one inside it."""
    for outer, inner in pairwise(cells):
        path = next((p for p, cell in tree(outer) if cell is inner), None)
        yield path or type(inner).__name__


def _variable(frame, cell):
    frame, _ = users_frame(frame)
    if frame is not None:
        for space in (frame.f_locals, frame.f_globals):
            for name, value in space.items():
                if value is cell and name != "self":
                    return name
    return type(cell).__name__
