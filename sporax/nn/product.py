"""A matrix product as a Cell."""

from sporax import ops
from sporax.nn.cell import Cell


class MatMul(Cell):
    """$x_1 x_2$, leading axes broadcast; `ops.matmul` takes its place.

    `transpose_x1`, `transpose_x2`: whether the last two axes of an operand are swapped before;
    a vector stays as it is.

    >>> nn.MatMul(transpose_x2=True)(ops.ones((2, 3)), ops.ones((4, 3))).shape
    (2, 4)
    """

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2):
        if self.transpose_x1 and x1.ndim > 1:
            x1 = x1.swapaxes(-1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = x2.swapaxes(-1, -2)
        return ops.matmul(x1, x2)
