"""Several Cells of one make as one function, each for a slice of its own."""

import contextlib

import jax.numpy as jnp

from sporax.core.cell_tree import parameters
from sporax.engine.operation import Op
from sporax.engine.recorder import record

_stack = Op("vmap.stack", lambda *parameters: jnp.stack(parameters))


class StackedCells:
    """Cells that differ in the values of their Parameters only.

    `stacked`: for each Parameter a Value with those of all cells along axis 0.
    """

    def __init__(self, who, cells):
        self.who, self.cells = who, list(cells)
        parts = [list(parameters(cell)) for cell in self.cells]
        makes = {tuple((path, p.shape, str(p.dtype)) for path, p in part) for part in parts}
        classes = {type(cell) for cell in self.cells}
        if len(makes) != 1 or len(classes) != 1:
            raise ValueError(
                f"For '{who}', the Cells of a CellList must be of one class and have Parameters of "
                "the same shapes and dtypes, but got others. Call them one by one."
            )
        self.handles = [p for _, p in parts[0]]
        self.stacked = [
            record(_stack, *[p._lift() for _, p in each]) for each in zip(*parts, strict=True)
        ]

    @contextlib.contextmanager
    def lend(self, slices):
        """In the block the first cell has these Values as Parameters."""
        before = [p._lift() for p in self.handles]
        for p, value in zip(self.handles, slices, strict=True):
            p._value = value
        try:
            yield
            for p, value in zip(self.handles, slices, strict=True):
                if p._value is not value:
                    raise ValueError(
                        f"For '{self.who}', the Cells of a CellList must not write to their "
                        f"Parameters, but '{p.name}' gets another value. Use 'set_train(False)'."
                    )
        finally:
            for p, value in zip(self.handles, before, strict=True):
                p._value = value
