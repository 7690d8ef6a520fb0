"""Indices of sparse Tensors: rows expanded or compressed, positions merged.

The positions in a result determine its shape. If they follow from several sparse Tensors, they are
computed on the host, which runs the pending operations; the values stay differentiable operations.
"""

import numpy as np

from sporax._src.core.dtype import from_numpy
from sporax._src.core.promotion import promote
from sporax._src.core.tensor import Tensor
from sporax.ops.declare import composite
from sporax.ops.indexing.gather import gather
from sporax.ops.indexing.scatter import unsorted_segment_sum
from sporax.ops.math.sorting import searchsorted
from sporax.ops.math.statistics import cumsum
from sporax.ops.shape.creation import ones_like


@composite()
def csr2coo(indptr, nnz):
    """Return the row r of each value i of a CSR matrix: `indptr[r] <= i < indptr[r + 1]`.

    `indptr`: integers `(rows + 1,)`. `nnz`: the number of values. Returns `(nnz,)`.

    >>> ops.csr2coo(Tensor([0, 2, 2, 3]), 3).asnumpy()
    array([0, 0, 2])
    """
    positions = Tensor(np.arange(nnz), indptr.dtype)
    return (searchsorted(indptr, positions, right=True) - 1).astype(indptr.dtype)


@composite()
def coo2csr(row_indices, height):
    """Return the start of each row among the values of a CSR matrix, and the end of the last one.

    `row_indices`: the row of each value, sorted. `height`: the number of rows. Returns `(height +
    1,)`.

    >>> ops.coo2csr(Tensor([0, 0, 2]), 3).asnumpy()
    array([0, 2, 2, 3])
    """
    counts = unsorted_segment_sum(ones_like(row_indices), row_indices + 1, height + 1)
    return cumsum(counts, 0).astype(row_indices.dtype)


def meet(*tensors):
    """Promote the Tensors to a common dtype."""
    dtype = from_numpy(promote([t._value.aval for t in tensors]))
    return [t if t.dtype == dtype else t.astype(dtype) for t in tensors]


def merged(positions, values, shape):
    """Sum values at the same position, sorted by rows: (distinct positions, values).

    `positions`: a NumPy array `(n, 2)`, `values`: a Tensor `(n, ...)`, `shape`: the matrix's.
    """
    numbers = np.ravel_multi_index(tuple(positions.T), shape[:2])
    distinct, inverse = np.unique(numbers, return_inverse=True)
    if distinct.size == numbers.size and np.array_equal(distinct, numbers):
        return positions, values
    columns = np.unravel_index(distinct, shape[:2])
    inverse = Tensor(inverse.reshape(-1).astype(np.int32))
    return np.stack(columns, 1), unsorted_segment_sum(values, inverse, distinct.size)


def products(a, b, columns):
    """Return the sums of products of two matrices: (distinct positions, values).

    `a`: (positions, values), any order. `b`: (row starts, column of each value, values). `columns`:
    the product's number of columns; its rows are `a`'s.
    """
    (positions, a_values), (starts, b_columns, b_values) = a, b
    rows, inner = positions[:, 0], positions[:, 1]
    counts = starts[inner + 1] - starts[inner]
    left = np.repeat(np.arange(len(rows)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    right = np.repeat(starts[inner], counts) + np.arange(len(left)) - before
    pairs = np.stack([rows[left], b_columns[right]], 1)
    terms = gather(a_values, Tensor(left), 0) * gather(b_values, Tensor(right), 0)
    height = int(rows.max(initial=0)) + 1
    return merged(pairs, terms, (height, columns))
