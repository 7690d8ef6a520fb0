"""`CellProtocol`: what other rooms read of `nn.Cell`, without importing it; walks over Cells."""

from typing import Any, Protocol, TypeGuard


class CellProtocol(Protocol):
    """The attributes of a Cell that core, engine, autodiff, guards and graph capture read.

    They are not those that users may override, as `cells_and_names` and `construct` are.
    """

    _cells: dict[str, Any]  # of the attributes that are Cells, or None
    _params: dict[str, Any]  # of the attributes that are Parameters, or None
    _hooks: Any  # groups of registered hooks, or None
    _precision: Any  # the autocast of `to_float`, or None
    requires_grad: bool
    training: bool

    def _compute(self, args, kwargs) -> Any:
        """Call `construct` with hooks, autocast and a custom derivative."""

    def _static_names(self) -> Any:
        """The names of what a captured call depends on, in the order of `_static_state`."""

    def _static_state(self) -> Any:
        """What a captured call depends on, to be compared with a later call's."""


def tree(cell: CellProtocol, prefix="", seen=None):
    """(path, cell) for a cell and all below, depth first, each once."""
    seen = set() if seen is None else seen
    if cell in seen:
        return
    seen.add(cell)
    yield prefix, cell
    for name, part in cell._cells.items():
        if part is not None:
            yield from tree(part, f"{prefix}.{name}" if prefix else name, seen)


def parameters(cell: CellProtocol, prefix="", expand=True):
    """(path, Parameter) for each of a cell, and with `expand` of all below, each once."""
    seen = set()
    for path, part in tree(cell, prefix) if expand else [(prefix, cell)]:
        for name, p in part._params.items():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                yield (f"{path}.{name}" if path else name), p


def innermost(trace):
    """(path, Cell) of the innermost Cell that a traceback goes through, from the class of the
    outermost one on: `Net.layers.1`. None where it goes through one Cell or none."""
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
    """Whether the object is a Cell."""
    return is_cell_class(type(obj))


def is_cell_class(kind):
    """Whether a class is `nn.Cell` or derived from it."""
    return defines(kind, "_static_state")


def defines(kind, name):
    """Whether a class or one of its bases has an attribute. A metaclass is not asked: its
    `__getattr__` may raise anything."""
    if type(kind) is type:
        return hasattr(kind, name)
    return any(name in vars(base) for base in type.__getattribute__(kind, "__mro__"))
