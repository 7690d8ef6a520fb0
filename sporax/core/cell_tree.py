"""What is in a Cell, for those who go through Cells without calling what users may override."""


def tree(cell, prefix="", seen=None):
    """(path, cell) for a cell and all below, depth first, each once."""
    seen = set() if seen is None else seen
    if cell in seen:
        return
    seen.add(cell)
    yield prefix, cell
    for name, part in cell._cells.items():
        if part is not None:
            yield from tree(part, f"{prefix}.{name}" if prefix else name, seen)


def parameters(cell, prefix="", expand=True):
    """(path, Parameter) for each of a cell, and with `expand` of all below, each once."""
    seen = set()
    for path, part in tree(cell, prefix) if expand else [(prefix, cell)]:
        for name, p in part._params.items():
            if p is not None and id(p) not in seen:
                seen.add(id(p))
                yield (f"{path}.{name}" if path else name), p


def is_cell(obj):
    """Whether the object is a Cell, which `core` does not know."""
    return callable(obj) and hasattr(type(obj), "cells_and_names") and not isinstance(obj, type)
