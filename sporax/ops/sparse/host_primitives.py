"""Primitives of sparse and ragged arrays whose result sizes depend on the values.

They are from MindSpore's private module `sparse_ops`: a matrix is given by its parts, and the
result is computed by NumPy on the host, without a derivative.
"""

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.primitive import Primitive


def _dense_cwise(function, indices, values, shape, dense):
    return function(values, np.broadcast_to(dense, shape)[tuple(indices.T)]).astype(values.dtype)


def _reorder(indices, values, shape):
    order = np.lexsort(indices.T[::-1])
    return indices[order], values[order]


def _union(indices, values, others, other_values):
    """Return the indices of both, sorted, and each one's values there (0 where it has none)."""
    both, inverse = np.unique(np.concatenate([indices, others]), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    sides = np.zeros((2, len(both)), values.dtype)
    sides[0, inverse[: len(indices)]], sides[1, inverse[len(indices) :]] = values, other_values
    return both, sides


def _sparse_add(indices, values, shape, others, other_values, other_shape, threshold):
    both, sides = _union(indices, values, others, other_values)
    total = sides.sum(axis=0, dtype=values.dtype)
    kept = np.abs(total) >= threshold
    return both[kept], total[kept], shape


def _sparse_minimum(indices, values, shape, others, other_values, other_shape):
    both, sides = _union(indices, values, others, other_values)
    return both, sides.min(axis=0)


def _segment_mean(x, indices, segments, count=None):
    size = int(count.reshape(())) if count is not None else int(segments[-1]) + 1
    sums = np.zeros((size, *x.shape[1:]), np.float64)
    np.add.at(sums, segments, x[indices])
    counts = np.maximum(np.bincount(segments, minlength=size), 1)
    return (sums / counts.reshape(-1, *[1] * (x.ndim - 1))).astype(x.dtype)


def _matrices(shape, batches, rows, columns, values) -> Iterator[Any]:
    """Yield the matrices of a batch, of `shape` (rows, columns) or (batch, rows, columns)."""
    from scipy import sparse  # importing it takes 0.1 s

    height, width = (int(n) for n in shape[-2:])
    for number, (first, last) in enumerate(itertools.pairwise(batches.tolist())):
        pointers = rows[number * (height + 1) : (number + 1) * (height + 1)]
        arrays = values[first:last], columns[first:last], pointers
        yield sparse.csr_matrix(arrays, (height, width))


def _components(shape, matrices, index_dtype):
    """Return a batch of matrices as shape, batch pointers, row pointers, columns, values."""
    counts = [0, *itertools.accumulate(m.nnz for m in matrices)]
    join = lambda arrays: np.concatenate(list(arrays))  # noqa: E731
    return (
        shape,
        np.array(counts, index_dtype),
        join(m.indptr for m in matrices).astype(index_dtype),
        join(m.indices for m in matrices).astype(index_dtype),
        join(m.data for m in matrices),
    )


def _matrix_to_tensor(shape, batches, rows, columns, values):
    indices = []
    for number, matrix in enumerate(_matrices(shape, batches, rows, columns, values)):
        where = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        batch = [np.full(len(where), number)] if len(shape) == 3 else []
        indices.append(np.stack([*batch, where, matrix.indices], axis=1))
    return np.concatenate(indices).astype(columns.dtype), values, shape


def _tensor_to_matrix(indices, values, shape):
    from scipy import sparse  # as above

    batch = indices[:, 0] if len(shape) == 3 else np.zeros(len(indices), int)
    matrices = []
    for number in range(int(shape[0]) if len(shape) == 3 else 1):
        row, column = indices[batch == number][:, -2:].T
        matrix = sparse.coo_matrix((values[batch == number], (row, column)), shape[-2:])
        matrices.append(matrix.tocsr())
    return _components(shape, matrices, indices.dtype)


def _matrix_product(*components):
    first, second = components[:5], components[5:]
    products = [a @ b for a, b in zip(_matrices(*first), _matrices(*second), strict=True)]
    for product in products:
        product.sort_indices()
    return _components(np.array([*first[0][:-1], second[0][-1]]), products, components[1].dtype)


def _dense_product(
    *operands, transpose_x1=False, transpose_x2=False, adjoint_x1=False, adjoint_x2=False,
    transpose_output=False, conjugate_output=False,
):  # fmt: skip
    *components, dense = operands
    products = []
    batch = dense if dense.ndim == 3 else dense[None]
    for first, second in zip(_matrices(*components), batch, strict=True):
        first = (first.conj() if adjoint_x1 else first).toarray()
        second = second.conj() if adjoint_x2 else second
        product = (first.T if transpose_x1 or adjoint_x1 else first) @ (
            second.T if transpose_x2 or adjoint_x2 else second
        )
        product = product.conj() if conjugate_output else product
        products.append(product.T if transpose_output else product)
    return np.stack(products) if dense.ndim == 3 else products[0]


def _softmax(shape, batches, rows, columns, values):
    result = values.astype(np.float64)
    for first, last in itertools.pairwise(rows.tolist()):
        if last > first:
            shifted = np.exp(result[first:last] - result[first:last].max())
            result[first:last] = shifted / shifted.sum()
    return shape, batches, rows, columns, result.astype(values.dtype)


def _minimum_degree(shape, batches, rows, columns, values):
    """Return an elimination order of the symmetric pattern: fewest neighbours first."""
    orders = []
    for matrix in _matrices(shape, batches, rows, columns, np.ones(len(columns))):
        pattern = ((matrix + matrix.T) != 0).tolil().rows
        graph = {i: set(row) - {i} for i, row in enumerate(pattern)}
        order = []
        while graph:
            node = min(graph, key=lambda i: (len(graph[i]), i))
            neighbours = graph.pop(node)
            for other in neighbours:
                graph[other] = (graph[other] | neighbours) - {node, other}
            order.append(node)
        orders.append(order)
    return np.array(orders if len(shape) == 3 else orders[0], np.int32)


def _count(indices, values, shape, weights, *, binary_output=False, minlength=-1, maxlength=-1):
    who = "SparseCountSparseOutput"
    shapes = [values.shape, weights.shape]
    fits = not weights.size or weights.shape == values.shape
    require(fits, "both-same-shape", who, RuntimeError, shapes=shapes)
    if (indices < 0).any() or (indices >= shape).any():
        given = {"argument": "indices", "got": indices.tolist(), "limits": shape.tolist()}
        raise rejection("within-other", who, RuntimeError, other="dense_shape", **given)
    kept = (values < maxlength) if maxlength > 0 else np.ones(len(values), bool)
    rows = indices[:, 0] if indices.shape[1] > 1 else np.zeros(len(indices), np.int64)
    cells = np.stack([rows, values], axis=1)[kept].astype(np.int64)
    both, inverse = np.unique(cells, axis=0, return_inverse=True)
    counts = np.zeros(len(both), weights.dtype)
    np.add.at(counts, inverse.reshape(-1), weights[kept] if len(weights) else 1)
    width = max(int(values[kept].max(initial=-1)) + 1, minlength)
    if binary_output:
        counts = np.ones_like(counts)
    last = [shape[0], width] if indices.shape[1] > 1 else [width]
    return (both if indices.shape[1] > 1 else both[:, 1:]), counts, np.array(last, np.int64)


_SETS = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def _set_operation(x, indices, values, shape, *, set_operation, validate_indices=True):
    function = _SETS[set_operation.lower()]
    rows, length = [], 0
    for group in np.ndindex(*x.shape[:-1]):
        others = values[(indices[:, :-1] == np.array(group)).all(axis=1)]
        result = sorted(function(set(x[group].tolist()), set(others.tolist())))
        length = max(length, len(result))
        rows += [(*group, i, value) for i, value in enumerate(result)]
    table = np.array(rows).reshape(-1, x.ndim + 1)
    return (
        table[:, :-1].astype(np.int64),
        table[:, -1].astype(x.dtype),
        np.array([*x.shape[:-1], length], np.int64),
    )


def _ragged_to_tensor(shape, values, default, partitions, *, row_partition_types):
    """Put rows of `values` in a block of `shape` (-1: as large as needed), `default` elsewhere."""
    if row_partition_types[0] == "FIRST_DIM_SIZE":
        partitions, row_partition_types = partitions[1:], row_partition_types[1:]
    rows = list(values)
    for partition, kind in reversed(list(zip(partitions, row_partition_types, strict=True))):
        if kind == "ROW_SPLITS":
            rows = [rows[a:b] for a, b in itertools.pairwise(partition.tolist())]
        else:  # VALUE_ROWIDS
            count = int(partition.max(initial=-1)) + 1
            rows = [
                [r for r, i in zip(rows, partition, strict=True) if i == n] for n in range(count)
            ]
    depth = len(partitions)
    sizes = [int(n) for n in shape]
    for axis in range(depth + 1):
        if sizes[axis] < 0:
            sizes[axis] = _longest(rows, axis)
    block = np.empty([*sizes[: depth + 1], *values.shape[1:]], values.dtype)
    block[...] = default
    _fill(block, rows, depth)
    return block


def _longest(rows, axis):
    return len(rows) if axis == 0 else max([_longest(row, axis - 1) for row in rows], default=0)


def _fill(block, rows, depth):
    for i, row in zip(range(len(block)), rows, strict=False):
        if depth:
            _fill(block[i], row, depth - 1)
        else:
            block[i] = row


def _ragged_to_sparse(splits, values, *, Tsplits=None):
    paths, lengths = [(row,) for row in range(len(splits[0]) - 1)], []
    for row_splits in splits:
        counts = np.diff(row_splits)
        paths = [(*path, i) for path, n in zip(paths, counts, strict=True) for i in range(n)]
        lengths.append(int(counts.max(initial=0)))
    inner = list(np.ndindex(*values.shape[1:]))
    indices = [(*path, *index) for path in paths for index in inner]
    shape = [len(splits[0]) - 1, *lengths, *values.shape[1:]]
    return np.array(indices, np.int64), values.reshape(-1), np.array(shape, np.int64)


# class -> (the function of arrays that a call computes; the constructor's argument names)
_PRIMITIVES = {
    "SparseDenseCwiseAdd": (functools.partial(_dense_cwise, np.add), ()),
    "SparseDenseCwiseMul": (functools.partial(_dense_cwise, np.multiply), ()),
    "SparseDenseCwiseDiv": (functools.partial(_dense_cwise, np.divide), ()),
    "SparseReorder": (_reorder, ()),
    "SparseAdd": (_sparse_add, ()),
    "SparseSparseMinimum": (_sparse_minimum, ()),
    "SparseSegmentMean": (_segment_mean, ()),
    "SparseSegmentMeanWithNumSegments": (_segment_mean, ()),
    "CSRSparseMatrixToSparseTensor": (_matrix_to_tensor, ()),
    "SparseTensorToCSRSparseMatrix": (_tensor_to_matrix, ()),
    "SparseMatrixMatMul": (
        _dense_product,
        (
            "transpose_x1",
            "transpose_x2",
            "adjoint_x1",
            "adjoint_x2",
            "transpose_output",
            "conjugate_output",
        ),
    ),
    "SparseMatrixSparseMatMul": (_matrix_product, ()),
    "SparseMatrixSoftmax": (_softmax, ("dtype",)),
    "SparseMatrixOrderingAMD": (_minimum_degree, ()),
    "SparseCountSparseOutput": (_count, ("binary_output", "minlength", "maxlength")),
    "DenseToSparseSetOperation": (_set_operation, ("set_operation", "validate_indices")),
    "RaggedTensorToTensor": (_ragged_to_tensor, ("row_partition_types",)),
    "RaggedTensorToSparse": (_ragged_to_sparse, ("Tsplits",)),
}


def _array(value):
    if isinstance(value, (list, tuple)):
        return [_array(item) for item in value]
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def _declare(name, compute, attributes):
    def __init__(self, *args, **kwargs):
        Primitive.__init__(self, name)
        for attribute, value in {**dict(zip(attributes, args, strict=False)), **kwargs}.items():
            self._set(attribute, value)

    def __call__(self, *operands):
        settings = {} if name == "SparseMatrixSoftmax" else self.attrs
        result = compute(*[_array(operand) for operand in operands], **settings)
        return tuple(map(Tensor, result)) if isinstance(result, tuple) else Tensor(result)

    doc = "A Primitive of MindSpore's private module `sparse_ops`, computed by NumPy on the host."
    members = {"__init__": __init__, "__call__": __call__, "__doc__": doc, "__module__": __name__}
    return type(name, (Primitive,), members)


globals().update({name: _declare(name, *how) for name, how in _PRIMITIVES.items()})
