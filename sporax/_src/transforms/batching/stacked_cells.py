"""Several Cells with the same structure as one function: each Cell computes one slice."""

import contextlib

import jax.numpy as jnp

from sporax._src.core.cell_tree import parameters
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record

_stack = Op("vmap.stack", lambda *parameters: jnp.stack(parameters))


_unstack = Op("vmap.parts", lambda x: tuple([x[i] for i in range(x.shape[0])]))


class StackedCells:
    """Cells that differ only in the values of their Parameters.

    `stacked`: for each Parameter, the Values of all cells stacked along axis 0. `written`: the
    Parameters that the function wrote to, as [(index, Value)].
    """

    def __init__(self, who, cells):
        self.cells, self.written = list(cells), []
        by_cell = [list(parameters(cell)) for cell in self.cells]
        makes = {tuple((path, p.shape, str(p.dtype)) for path, p in named) for named in by_cell}
        classes = {type(cell) for cell in self.cells}
        require(len(makes) == len(classes) == 1, "cells-celllist-one-class", who)
        self.handles = [[p for _, p in each] for each in zip(*by_cell, strict=True)]
        self.stacked = [record(_stack, *[p._lift() for p in each]) for each in self.handles]

    @contextlib.contextmanager
    def lend(self, slices):
        """Give the Parameters of the first cell these Values in the block."""
        first = [each[0] for each in self.handles]
        before = [p._lift() for p in first]
        for p, value in zip(first, slices, strict=True):
            p._value = value
        try:
            yield
            pairs = enumerate(zip(first, slices, strict=True))
            self.written = [(i, p._value) for i, (p, value) in pairs if p._value is not value]
        finally:
            for p, value in zip(first, before, strict=True):
                p._value = value

    def write(self, values):
        """Write each cell's slice of the written Values, stacked along axis 0, to its
        Parameters."""
        for (i, _), value in zip(self.written, values, strict=True):
            for p, piece in zip(self.handles[i], record(_unstack, value), strict=True):
                p._rebind(piece)
