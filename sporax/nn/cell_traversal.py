"""Traversal of a Cell: its parameters and sub-cells, at every depth, listed and named."""

import threading
from collections import OrderedDict
from typing import Any

from sporax.core.cell_tree import parameters, tree
from sporax.nn.cell_registry import refuse_one_name_twice
from sporax.nn.parameter_tuple import check_prefix


class Traversal:
    """The part of `Cell` that lists and names what is in it.

    What walks the tree does so by `tree` and never calls methods that a subclass may override.
    """

    _params: Any
    _cells: Any
    _param_prefix: str

    @property
    def param_prefix(self):
        """The path to this cell, once `update_cell_prefix` has been called at the top."""
        return self._param_prefix

    def update_cell_prefix(self):
        """Note in every cell below the path that leads to it."""
        for path, cell in tree(self):
            cell.__dict__["_param_prefix"] = path

    def update_parameters_name(self, prefix="", recurse=True):
        """Name each parameter `prefix` and the path to it from here."""
        check_prefix("update_parameters_name", prefix)
        for path, p in Traversal.parameters_and_names(self, expand=recurse):
            p.name = prefix + path

    def parameters_and_names(self, name_prefix="", expand=True):
        """(path, Parameter) for each parameter, each once."""
        _check_path("parameters_and_names", name_prefix)
        yield from parameters(self, name_prefix, expand)

    def get_parameters(self, expand=True):
        """All parameters, those of cells below too unless `expand` is False."""
        for _, p in Traversal.parameters_and_names(self, expand=expand):
            yield p

    def parameters_dict(self, recurse=True):
        """Parameters by their own names."""
        return OrderedDict((p.name, p) for p in Traversal.get_parameters(self, expand=recurse))

    def parameters_broadcast_dict(self, recurse=True):
        """Parameters by name without those of `layerwise_parallel`; None if there are none."""
        parameters = Traversal.parameters_dict(self, recurse).items()
        return OrderedDict((n, p) for n, p in parameters if not p.layerwise_parallel) or None

    def trainable_params(self, recurse=True):
        """The parameters that require a gradient."""
        return [p for p in Traversal.get_parameters(self, expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse=True):
        """The parameters that require none."""
        return [p for p in Traversal.get_parameters(self, expand=recurse) if not p.requires_grad]

    def check_names(self):
        """Raise ValueError where two parameters have one name."""
        refuse_one_name_twice(Traversal.parameters_and_names(self))

    def _settle_names(self):
        """Before the first call: where two parameters have one name, all are named by their
        paths."""
        names = [p.name for p in Traversal.get_parameters(self)]
        if len(set(names)) < len(names):
            Traversal.update_parameters_name(self)
        for _, cell in tree(self):
            cell.__dict__["_has_names"] = True

    def init_parameters_data(self, auto_parallel_mode=False):
        """{parameter: parameter}: data is created when an initializer is called."""
        return {p: p for p in Traversal.get_parameters(self)}

    # sub-cells ------------------------------------------------------------------------------

    def cells_and_names(self, cells=None, name_prefix=""):
        """(path, cell) for this cell and all below, each once; `cells`: a set of those to omit."""
        _check_path("cells_and_names", name_prefix)
        if cells and not isinstance(cells, set):
            raise TypeError(
                "For 'cells_and_names', 'cells' must be a set of Cells or None, but got "
                f"{type(cells).__name__}."
            )
        yield from tree(self, name_prefix, cells or None)

    def name_cells(self):
        """Direct sub-cells by name, each once."""
        first = {}
        for name, cell in self._cells.items():
            if cell is not None:
                first.setdefault(id(cell), (name, cell))
        return OrderedDict(first.values())

    def cells(self):
        """Direct sub-cells, each once."""
        return Traversal.name_cells(self).values()

    def get_sub_cell(self, target):
        """The cell at a path such as `"block.norm"`; this one for `""`. AttributeError if there is
        none."""
        if not isinstance(target, str):
            raise AttributeError(
                f"For 'get_sub_cell', 'target' must be a string, but got {type(target).__name__}."
            )
        cell = self
        for name in target.split(".") if target else ():
            part = getattr(cell, name, None)
            if not isinstance(part, Traversal):
                raise AttributeError(
                    f"For 'get_sub_cell', 'target' must lead to a Cell, but in '{target}' "
                    f"'{type(cell).__name__}' has no Cell '{name}'. 'cells_and_names()' lists them."
                )
            cell = part
        return cell

    def apply(self, fn):
        """Call `fn` on every cell below, then on this one."""
        if not callable(fn):
            raise TypeError(
                f"For 'Cell.apply', 'fn' must be a function, but got {type(fn).__name__}."
            )
        if id(self) in _applying.cells:  # it is among its own parts
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
    if prefix and not isinstance(prefix, str):
        raise TypeError(
            f"For '{who}', 'name_prefix' must be a string, but got {type(prefix).__name__}."
        )


class _Applying(threading.local):
    """The Cells whose `apply` is running in this thread."""

    def __init__(self):
        self.cells = set()


_applying = _Applying()
