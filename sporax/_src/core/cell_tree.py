"""`CellProtocol`: the parts of `nn.Cell` that lower packages read without importing it."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeGuard


class CellProtocol(Protocol):
    """The attributes of a Cell that core, engine, autodiff, guards and graph capture read.

    Users do not override them, unlike `cells_and_names` and `construct`.
    """

    _cells: dict[str, Any]  # of the attributes that are Cells, or None
    _params: dict[str, Any]  # of the attributes that are Parameters, or None
    _buffers: dict[str, Any]  # of the attributes that are buffers, or None
    _cell_hooks: Any  # groups of registered hooks, or None
    _autocast: Any  # the autocast of `to_float`, or None
    requires_grad: bool
    training: bool

    def _run_construct(self, args, kwargs) -> Any:
        """Call `construct` with hooks, autocast and a custom derivative."""

    def _captured_names(self) -> Any:
        """Return the names of the entries of `_captured_state`, in the same order."""

    def _captured_state(self) -> Any:
        """Return the state that a captured call depends on, to compare with a later call's."""


def tree(cell: CellProtocol, prefix="", seen=None) -> Iterator[tuple[str, Any]]:
    """Yield (path, cell) for a cell and its descendants, depth first, each once."""
    seen = set() if seen is None else seen
    if cell in seen:
        return
    seen.add(cell)
    yield prefix, cell
    for name, child in cell._cells.items():
        if child is not None:
            yield from tree(child, f"{prefix}.{name}" if prefix else name, seen)


def parameters(cell: CellProtocol, prefix="", expand=True):
    """Yield (path, Parameter) of a cell, and with `expand` of its descendants, each once."""
    seen = set()
    for path, owner in tree(cell, prefix) if expand else [(prefix, cell)]:
        for name, p in owner._params.items():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                yield (f"{path}.{name}" if path else name), p


def innermost(trace):
    """Return (path, Cell) of the innermost Cell in a traceback; the path starts with the class of
    the outermost one: `Net.layers.1`. None if it is not inside another Cell of the traceback."""
    cells = []
    while trace is not None:
        cell = trace.tb_frame.f_locals.get("self")
        is_ready = is_cell(cell) and "_cells" in vars(cell)  # not before `super().__init__()`
        if is_ready and not any(cell is one for one in cells[-1:]):
            cells.append(cell)
        trace = trace.tb_next
    for path, cell in tree(cells[0]) if len(cells) > 1 else ():
        if path and cell is cells[-1]:
            return f"{type(cells[0]).__name__}.{path}", cell
    return None


def is_cell(obj) -> TypeGuard[CellProtocol]:
    """Return True if the object is a Cell."""
    return is_cell_class(type(obj))


def is_cell_class(kind):
    """Return True if a class is `nn.Cell` or a subclass of it."""
    return defines(kind, "_captured_state")


def defines(kind, name):
    """Return True if a class or one of its bases has an attribute. Bypasses a metaclass, whose
    `__getattr__` may raise anything."""
    if type(kind) is type:
        return hasattr(kind, name)
    return any(name in vars(base) for base in type.__getattribute__(kind, "__mro__"))
