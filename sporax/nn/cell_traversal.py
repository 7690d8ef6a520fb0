"""Traversal of a Cell: list and name its parameters and sub-cells at every depth."""

import threading
from collections import OrderedDict

from sporax._src.core.cell_tree import parameters, tree
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell_registry import refuse_one_name_twice
from sporax.nn.cell_state import CellState
from sporax.nn.parameter_tuple import check_prefix


class Traversal(CellState):
    """Mixin of `Cell` that lists and names its contents.

    Traversals use `tree` and never call methods that a subclass may override.
    """

    @property
    def param_prefix(self):
        """Path to this cell, set by `update_cell_prefix` of the root."""
        return self._param_prefix

    def update_cell_prefix(self):
        """Record in every descendant the path to it."""
        for path, cell in tree(self):
            cell.__dict__["_param_prefix"] = path

    def update_parameters_name(self, prefix="", recurse=True):
        """Name each parameter `prefix` plus its path from this cell."""
        check_prefix("update_parameters_name", prefix)
        for path, p in Traversal.parameters_and_names(self, expand=recurse):
            p.name = prefix + path

    def parameters_and_names(self, name_prefix="", expand=True):
        """Yield (path, Parameter), each parameter once."""
        _check_path("parameters_and_names", name_prefix)
        yield from parameters(self, name_prefix, expand)

    def get_parameters(self, expand=True):
        """Yield all parameters, recursively unless `expand` is False."""
        for _, p in Traversal.parameters_and_names(self, expand=expand):
            yield p

    def parameters_dict(self, recurse=True):
        """Return the parameters by name."""
        return OrderedDict((p.name, p) for p in Traversal.get_parameters(self, expand=recurse))

    def parameters_broadcast_dict(self, recurse=True):
        """Return the parameters by name except `layerwise_parallel` ones; None if empty."""
        parameters = Traversal.parameters_dict(self, recurse).items()
        return OrderedDict((n, p) for n, p in parameters if not p.layerwise_parallel) or None

    def trainable_params(self, recurse=True):
        """Return the parameters that require a gradient."""
        return [p for p in Traversal.get_parameters(self, expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse=True):
        """Return the parameters that do not require a gradient."""
        return [p for p in Traversal.get_parameters(self, expand=recurse) if not p.requires_grad]

    def check_names(self):
        """Raise ValueError if two parameters share a name."""
        refuse_one_name_twice(Traversal.parameters_and_names(self))

    def _settle_names(self):
        """Before the first call, name all parameters by their paths if two share a name."""
        names = [p.name for p in Traversal.get_parameters(self)]
        if len(set(names)) < len(names):
            Traversal.update_parameters_name(self)
        for _, cell in tree(self):
            cell.__dict__["_has_names"] = True

    def init_parameters_data(self, auto_parallel_mode=False):
        """Return {parameter: parameter}; data is created when an initializer is called."""
        return {p: p for p in Traversal.get_parameters(self)}

    # sub-cells ------------------------------------------------------------------------------

    def cells_and_names(self, cells=None, name_prefix=""):
        """Yield (path, cell) for this cell and all descendants once; `cells`: a set to omit."""
        _check_path("cells_and_names", name_prefix)
        fits = not cells or isinstance(cells, set)
        require(fits, "set-cells-none", "cells_and_names", cells=cells)
        yield from tree(self, name_prefix, cells or None)

    def name_cells(self):
        """Return the direct sub-cells by name, each once."""
        first = {}
        for name, cell in self._cells.items():
            if cell is not None:
                first.setdefault(id(cell), (name, cell))
        return OrderedDict(first.values())

    def cells(self):
        """Return the direct sub-cells, each once."""
        return Traversal.name_cells(self).values()

    def get_sub_cell(self, target):
        """Return the cell at a path such as `"block.norm"`; this one for `""`. AttributeError if
        absent."""
        who = "get_sub_cell"
        require(
            isinstance(target, str),
            "must-be-type",
            who,
            AttributeError,
            target=target,
            kind="a-str",
        )
        cell = self
        for name in target.split(".") if target else ():
            sub_cell = getattr(cell, name, None)
            fields = {"argument": "target", "target": target, "cell": cell, "name": name}
            require(isinstance(sub_cell, Traversal), "lead-cell", who, **fields)
            cell = sub_cell
        return cell

    def apply(self, fn):
        """Call `fn` on every descendant, then on this cell."""
        kinds.FUNCTION("Cell.apply", fn=fn)
        if id(self) in _applying.cells:  # the cell contains itself
            return self
        _applying.cells.add(id(self))
        try:
            for cell in Traversal.cells(self):
                cell.apply(fn)
            fn(self)
        finally:
            _applying.cells.discard(id(self))
        return self


def _check_path(who, prefix):
    require(
        not prefix or isinstance(prefix, str), "must-be-type", who, name_prefix=prefix, kind="a-str"
    )


class _Applying(threading.local):
    """Cells whose `apply` is running in this thread."""

    def __init__(self):
        self.cells = set()


_applying = _Applying()
