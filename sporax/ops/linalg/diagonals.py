"""Diagonals of matrices, packed as the rows of an array.

Diagonal `d` has the elements (i, j) with j - i = d. The rows for `k` = (low, high) are the
diagonals from `high` down to `low`; shorter ones are padded on one side.
"""

import math

import jax.numpy as jnp
import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import require_shapes

_ALIGN = kinds.one_of("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
_NUMBER = kinds.instance((bool, int, float, complex), "a-number")


def _range(k):
    """Return (low, high) of `k`: an int, or a sequence of one or two."""
    ends = (k,) if isinstance(k, int) else k
    fits = isinstance(ends, tuple) and len(ends) in (1, 2) and all(isinstance(d, int) for d in ends)
    require(fits and ends[0] <= ends[-1], "int-rising-pair-ints", k=k)
    return ends[0], ends[-1]


class _Pack:
    """Positions of the diagonals `k` of `rows` x `columns` in a matrix, and packed."""

    def __init__(self, rows, columns, k, align):
        _ALIGN(None, align=align)
        self.low, self.high = _range(k)
        exist = -rows < self.low <= self.high < columns or (self.low, self.high) == (0, 0)
        given = {"rows": rows, "columns": columns, "low": 1 - rows, "high": columns - 1}
        require(exist, "name-diagonals-x-matrices", k=k, **given)
        self.rows, self.columns = rows, columns
        self.left = [side == "LEFT" for side in align.split("_")]  # above, below the main diagonal
        self.longest = max(0, min(rows + min(self.high, 0), columns - max(self.low, 0)))
        count = self.high - self.low + 1
        single = isinstance(k, int) or self.low == self.high
        self.shape = (self.longest,) if single else (count, self.longest)

    def shifts(self, d):
        """Return (length of diagonal d, size of the padding before it)."""
        length = np.minimum(self.rows + np.minimum(d, 0), self.columns - np.maximum(d, 0))
        left = np.where(d >= 0, *self.left)
        return length, np.where(left, 0, self.longest - length)

    def packed(self):
        """Return for each matrix element: True if on these diagonals, and its packed index."""
        i, j = np.mgrid[: self.rows, : self.columns]
        d = j - i
        inside = (self.low <= d) & (d <= self.high)
        index = (self.high - d) * self.longest + np.minimum(i, j) + self.shifts(d)[1]
        return inside, np.where(inside, index, 0)

    def unpacked(self):
        """Return for each packed element: True if not padding, and its index in a flat matrix."""
        n, column = np.mgrid[: self.high - self.low + 1, : self.longest]
        d = self.high - n
        length, before = self.shifts(d)
        t = column - before
        inside = (t >= 0) & (t < length)
        flat = (t + np.maximum(-d, 0)) * self.columns + t + np.maximum(d, 0)
        return inside.reshape(self.shape), np.where(inside, flat, 0).reshape(self.shape)

    def spread(self, diagonals, elsewhere):
        """Return matrices with these diagonals, and `elsewhere` at all other elements."""
        inside, index = self.packed()
        lead = diagonals.shape[: diagonals.ndim - len(self.shape)]
        if not inside.any():
            return jnp.broadcast_to(elsewhere, (*lead, self.rows, self.columns))
        flat = diagonals.reshape(*lead, math.prod(self.shape))
        return jnp.where(inside, jnp.take(flat, index, -1), elsewhere)


def _sizes(length, k, num_rows, num_cols):
    """Return the sizes of matrices whose longest diagonal of `k` has this length."""
    low, high = _range(k)
    least = length - min(high, 0), length + max(low, 0)
    counts = [n if n is None else int(n) for n in (num_rows, num_cols)]
    if {*counts} <= {None, -1}:
        return max(least), max(least)
    rows, columns = (
        fewest if n in (None, -1) else n for n, fewest in zip(counts, least, strict=True)
    )
    fits = rows >= least[0] and columns >= least[1] and (rows <= least[0] or columns <= least[1])
    given = {"num_rows": num_rows, "num_cols": num_cols, "least": least}
    require(fits, "num-cols-at-least-one-them", **given)
    return rows, columns


@op(primitive="MatrixDiagV3(align='RIGHT_LEFT')(x, k, num_rows, num_cols, padding_value)")
def matrix_diag(x: Array, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Return matrices with the last axis as the diagonal `k`, `padding_value` elsewhere.

    `k` (low, high): the last two axes hold several diagonals, from `high` down to `low`. `align`:
    the alignment of shorter ones, above and below the main diagonal. `num_rows`, `num_cols`: by
    default a square matrix, or the smallest size.

    >>> ops.matrix_diag(Tensor([1.0, 2.0]), padding_value=9).asnumpy()
    array([[1., 9.],
           [9., 2.]], dtype=float32)
    >>> ops.matrix_diag(Tensor([[0, 3], [1, 2]]), (0, 1)).asnumpy()
    array([[1, 3],
           [0, 2]])
    """
    require_shapes(x=(x, "... n"))
    pack = _Pack(*_sizes(x.shape[-1], k, num_rows, num_cols), k, align)
    fits = x.shape[x.ndim - len(pack.shape) :] == pack.shape
    require(fits, "end-shape-diagonals-k", x=x.shape, shape=pack.shape)
    return pack.spread(x, jnp.asarray(padding_value, x.dtype))


def _pack_of(matrices, k, align):
    require_shapes(x=(matrices, "... M N"))
    return _Pack(*matrices.shape[-2:], k=k, align=align)


@op(primitive="MatrixDiagPartV3(align='RIGHT_LEFT')(x, k, padding_value)")
def matrix_diag_part(x: Array, k, padding_value, align="RIGHT_LEFT"):
    """The diagonal `k` of matrices, or several for `k` (low, high), as for `matrix_diag`.

    Shorter ones are padded with `padding_value`.

    >>> ops.matrix_diag_part(Tensor([[1, 3], [0, 2]]), (0, 1), 9).asnumpy()
    array([[9, 3],
           [1, 2]])
    """
    pack = _pack_of(x, k, align)
    inside, index = pack.unpacked()
    flat = x.reshape(*x.shape[:-2], math.prod(x.shape[-2:]))
    return jnp.where(inside, jnp.take(flat, index, -1), jnp.asarray(padding_value, x.dtype))


@op(primitive="MatrixSetDiagV3(align='RIGHT_LEFT')(x, diagonal, k)")
def matrix_set_diag(x: Array, diagonal: Array, k=0, align="RIGHT_LEFT"):
    """Replace the diagonal `k` of matrices `x`, or several for `k` (low, high), by `diagonal`.

    `diagonal` has the shape of `matrix_diag_part`'s result.

    >>> ops.matrix_set_diag(Tensor([[1, 3], [0, 2]]), Tensor([8, 9])).asnumpy()
    array([[8, 3],
           [0, 9]])
    """
    pack = _pack_of(x, k, align)
    shape = (*x.shape[:-2], *pack.shape)
    require(diagonal.shape == shape, "shape-shape-size", diagonal=diagonal.shape, shape=shape)
    return pack.spread(diagonal.astype(x.dtype), x)


@op(function=(), mint="diag(input, diagonal=0)", numpy="diag(v: input, k: diagonal=0)", name="diag")
def diagonal_of_matrix(input: Array, diagonal=0):
    """The `diagonal` of a matrix, counted upward from the main one; or the matrix with a vector on
    it and zeros elsewhere.

    >>> mint.diag(Tensor([1, 2])).asnumpy()
    array([[1, 0],
           [0, 2]])
    """
    require_shapes(input=(input, "n | M N"))
    return jnp.diag(input, diagonal)


@op(
    tensor="fill_diagonal(input, fill_value, wrap=False)",
    primitive="FillDiagonal(fill_value, wrap=False)(input_x: input)",
    function=(),
)
def fill_diagonal(input: Array, fill_value, wrap=False):
    """`input` with `fill_value` on its main diagonal, where all indices are equal.

    `wrap`: in a matrix with more rows than columns, the diagonal restarts below, one row after its
    end. With more than two dimensions, all sizes must be equal.

    >>> Tensor([[1, 2], [3, 4]]).fill_diagonal(0).asnumpy()
    array([[0, 2],
           [3, 0]])
    """
    _NUMBER(None, fill_value=fill_value)
    require_shapes(input=(input, "... M N"))
    fits = input.ndim <= 2 or len({*input.shape}) <= 1
    require(fits, "dimensions-one-size-beyond", input=input.shape)
    rows, columns = input.shape[0], input.shape[-1]
    if input.ndim > 2:
        return input.at[(np.arange(rows),) * input.ndim].set(fill_value)
    indices = np.arange(0, input.size, columns + 1)[: None if wrap else min(rows, columns)]
    return input.reshape(input.size).at[indices].set(fill_value).reshape(input.shape)
