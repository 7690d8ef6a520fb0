"""Flattening as a Cell."""

from sporax import ops
from sporax.nn.cell import Cell


class Flatten(Cell):
    """The axes from `start_dim` to `end_dim` as one: `(N, a, b)` -> `(N, a b)` by default.

    >>> nn.Flatten()(ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x):
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)
