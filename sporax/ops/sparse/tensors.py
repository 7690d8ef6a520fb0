"""`COOTensor`, `CSRTensor`, `RowTensor`: Tensors that hold indices and their values.

They are immutable dataclasses of Tensors, so that they pass through `jit`, `grad` and `vmap` as any
container does: `grad` returns the gradients of values in a sparse Tensor with the same indices.
"""

import copy
import dataclasses
import math
import operator
from typing import Any, ClassVar

import numpy as np

from sporax._src.capture.graph_capture.export.exported_graph import CLASSES
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import LEAF
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff import stop_gradient
from sporax.ops.declare import attach
from sporax.ops.indexing.gather import gather, gather_nd, nonzero
from sporax.ops.indexing.scatter import scatter_nd, tensor_scatter_add, unsorted_segment_sum
from sporax.ops.math.sorting import argsort
from sporax.ops.operand_checks import TENSOR, require_shapes
from sporax.ops.shape.joining import broadcast_to, concat, stack
from sporax.ops.shape.reshape import reshape
from sporax.ops.sparse.structure import coo2csr, csr2coo, meet, merged, products

_INDICES = dtypes.int16, dtypes.int32, dtypes.int64
_sparse = dataclasses.dataclass(frozen=True, eq=False, repr=False, init=False)


def _kept(when) -> Any:
    """A field that is copied to trees of other Tensors; see `core.tree.map_tensors`."""
    return dataclasses.field(metadata={"kept": when})


def _check_tensors(who, shape, **tensors):
    TENSOR(who, **tensors)
    fits = isinstance(shape, tuple) and all(isinstance(n, int) for n in shape)
    require(fits, "tuple-ints", who, shape=shape)
    require(not shape or min(shape) > 0, "positive-sizes", who, shape=shape)


def _check_room(who, shape, values):
    fits = values.size <= math.prod(shape)
    require(fits, "room-for-values", who, shape=shape, size=values.size)


def _check_dtypes(who, **tensors):
    for name, tensor in tensors.items():
        fits = tensor.dtype in _INDICES
        require(fits, "int16-int32-int64", who, argument=name, got=tensor.dtype)


def _fixed(*indices):
    """Return the indices as Tensors with derivatives stopped."""
    return indices if thread.tape is None else stop_gradient(indices)


def _is_empty(*tensors):
    return all(t.shape == (0,) for t in tensors)


def _written(tensor):
    """Format a Tensor as in the repr of a sparse Tensor: without commas."""
    return repr(tensor).partition("value=")[2][:-1].strip().replace(",", "")


class Sparse:
    """Base class of sparse Tensors: values, and methods on each value alone."""

    values: Tensor
    shape: tuple
    __dataclass_fields__: ClassVar[dict[str, Any]]
    __array_priority__ = 2000  # makes NumPy's operators defer to ours
    is_sparse = True
    shown_name = ""  # in prints: the newer one of a class' two names

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.values.dtype

    @property
    def size(self):
        """The number of values, including zeros."""
        return self.values.size

    @property
    def itemsize(self):
        """The size of a value in bytes."""
        return self.values.itemsize

    @property
    def ndim(self):
        """The number of dimensions of the dense Tensor."""
        return len(self.shape)

    def with_values(self, values):
        """Return a sparse Tensor with the same positions and other values."""
        other = copy.copy(self)
        other._fill(values=values)
        return other

    def astype(self, dtype):
        """Cast the values to another dtype."""
        return self.with_values(self.values.astype(dtype))

    def abs(self):
        """Take the absolute values."""
        return self.with_values(self.values.abs())

    def __neg__(self):
        return self.with_values(-self.values)

    def to_tuple(self):
        """Return the Tensors that it consists of, then the shape."""
        return tuple([getattr(self, field.name) for field in dataclasses.fields(self)])

    def _tensor_fields(self):
        return [f.name for f in dataclasses.fields(self) if f.name != "shape"]

    def __repr__(self):
        name = self.shown_name or type(self).__name__
        if self.values is LEAF:
            return f"{name}(shape={list(self.shape)})"
        shown = [f"{n}={self._summary(getattr(self, n))}" for n in self._tensor_fields()]
        head = f"{name}(shape={list(self.shape)}, dtype={self.dtype}"
        return f"{', '.join([head, *shown])})"

    @staticmethod
    def _summary(tensor):
        gap = "" if tensor.ndim < 2 else "\n"
        shown = f"shape={list(tensor.shape)}, dtype={tensor.dtype}"
        return f"Tensor({shown}, value={gap}{_written(tensor)})"

    def _fill(self, **components):
        for name, value in components.items():
            object.__setattr__(self, name, value)

    def _dense_at(self, other):
        """Return the elements of a Tensor at the positions of the values."""
        raise NotImplementedError

    def _times(self, other, compute):
        if isinstance(other, Tensor) and other.ndim:
            other = self._dense_at(other)
        elif not isinstance(other, Tensor | int | float | complex):
            return NotImplemented
        return self.with_values(compute(self.values, other))

    def __mul__(self, other):
        return self._times(other, operator.mul)

    def __truediv__(self, other):
        return self._times(other, operator.truediv)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __sub__(self, other):
        return self + -other if isinstance(other, Tensor | Sparse) else NotImplemented

    def __rsub__(self, other):
        return -self + other

    def _same_shape(self, who, other):
        shapes = [self.shape, other.shape]
        require(self.shape == other.shape, "both-same-shape", who, shapes=shapes)


@_sparse
class COOTensor(Sparse):
    """A matrix given by the positions of its values: `dense[indices[i]] = values[i]`.

    `indices`: integers `(n, 2)`. `values`: `(n,)`, of any dtype. `shape`: the matrix's, a tuple of
    2 ints. `coo_tensor`: another COOTensor to copy, instead of all these. Values at the same
    position are summed where it matters (`to_dense`, `coalesce`).

    >>> x = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
    >>> x.to_dense().asnumpy()
    array([[0., 1., 0.],
           [0., 0., 2.]], dtype=float32)
    """

    indices: Tensor = _kept("gradient")
    values: Tensor
    shape: tuple = _kept("always")

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        who = type(self).__name__
        if coo_tensor is not None:
            indices, values, shape = _components_of(
                who, coo_tensor, COOTensor, indices, values, shape
            )
        else:
            self._check(who, indices, values, shape)
            _check_dtypes(who, indices=indices)
            (indices,) = _fixed(indices)
        self._fill(indices=indices, values=values, shape=shape)

    @staticmethod
    def _check(who, indices, values, shape):
        _check_tensors(who, shape, indices=indices, values=values)
        require(len(shape) == 2, "sizes", who, shape=shape, number=2)
        if _is_empty(indices, values):
            return
        _check_room(who, shape, values)
        require_shapes(who, values=(values, "n"), indices=(indices, "n 2"))

    def coalesce(self):
        """Return the same matrix with one value at each position, sorted by rows.

        >>> twice = COOTensor(Tensor([[0, 1], [0, 1]]), Tensor([1.0, 2.0]), (2, 3))
        >>> twice.coalesce().values.asnumpy()
        array([3.], dtype=float32)
        """
        return self._merged(self.indices, self.values)

    def _merged(self, indices, values):
        positions, values = merged(indices.asnumpy(), values, self.shape)
        return COOTensor(Tensor(positions, indices.dtype), values, self.shape)

    def to_csr(self):
        """Convert to a `CSRTensor`, with the values of a row in their order here."""
        order = argsort(self.indices[:, 0])
        rows, columns = [gather(self.indices[:, k], order, 0) for k in (0, 1)]
        return CSRTensor(
            coo2csr(rows, self.shape[0]), columns, gather(self.values, order, 0), self.shape
        )

    def to_dense(self):
        """Convert to a dense Tensor; values at the same position are summed."""
        if _is_empty(self.indices, self.values):
            return Tensor(np.zeros(self.shape), self.dtype)
        return scatter_nd(self.indices, self.values, self.shape)

    def add(self, other, thresh):
        """Return the sum; where both have a value, only if its magnitude is at least `thresh`."""
        self._same_shape("COOTensor.add", other)
        indices, values = self._with(other)
        every = indices.asnumpy()
        positions, values = merged(every, values, self.shape)
        counts = np.unique(every, axis=0, return_counts=True)[1]
        kept = np.flatnonzero((counts == 1) | (np.abs(values.asnumpy()) >= thresh.asnumpy()))
        if len(kept) < len(counts):
            positions, values = positions[kept], gather(values, Tensor(kept), 0)
        return COOTensor(Tensor(positions, indices.dtype), values, self.shape)

    def _with(self, other):
        """Return the positions and values of both, concatenated."""
        return [
            concat(meet(a, b), 0)
            for a, b in [(self.indices, other.indices), (self.values, other.values)]
        ]

    def __add__(self, other):
        if isinstance(other, Tensor):
            self._same_shape("COOTensor.__add__", other)
            return tensor_scatter_add(other, self.indices, self.values)
        if isinstance(other, COOTensor):
            self._same_shape("COOTensor.__add__", other)
            return self._merged(*self._with(other))
        return NotImplemented

    def _dense_at(self, other):
        self._same_shape("COOTensor", other)
        return gather_nd(other, self.indices)


@_sparse
class CSRTensor(Sparse):
    """A matrix given row by row: row r has `values[indptr[r] : indptr[r + 1]]`, in the columns that
    `indices` has there.

    `indptr`: integers `(rows + 1,)`. `indices`: integers `(n,)`. `values`: `(n, ...)`, of any
    dtype; further dimensions are dense. `shape`: a tuple of ints, `(rows, columns, ...)`.
    `csr_tensor`: another CSRTensor to copy, instead of all these.

    >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
    >>> x.to_dense().asnumpy()
    array([[0., 1., 0.],
           [0., 0., 2.]], dtype=float32)
    """

    indptr: Tensor = _kept("gradient")
    indices: Tensor = _kept("gradient")
    values: Tensor
    shape: tuple = _kept("always")

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None):
        if csr_tensor is not None:
            indptr, indices, values, shape = _components_of(
                "CSRTensor", csr_tensor, CSRTensor, indptr, indices, values, shape
            )
        else:
            self._check(indptr, indices, values, shape)
            _check_dtypes("CSRTensor", indptr=indptr, indices=indices)
            indptr, indices = _fixed(indptr, indices)
        self._fill(indptr=indptr, indices=indices, values=values, shape=shape)

    @staticmethod
    def _check(indptr, indices, values, shape):
        _check_tensors("CSRTensor", shape, indptr=indptr, indices=indices, values=values)
        if _is_empty(indptr, indices, values):
            return
        _check_room("CSRTensor", shape, values)
        n, *tail = values.shape or (0,)
        fits = len(shape) >= 2 and values.ndim == len(shape) - 1 and tuple(tail) == shape[2:]
        require(fits, "values-of-csr", "CSRTensor", values=values.shape, shape=shape)
        wanted = {"indptr": (indptr, (shape[0] + 1,)), "indices": (indices, (n,))}
        for name, (tensor, size) in wanted.items():
            given = {"argument": name, "got": tensor.shape, "shape": size}
            require(tensor.shape == size, "shape-shape-size", "CSRTensor", **given)

    @property
    def positions(self):
        """The row and column of each value, integers `(n, 2)`."""
        return stack(meet(self.rows, self.indices), 1)

    @property
    def rows(self):
        """The row of each value, integers `(n,)`."""
        return csr2coo(self.indptr, self.indices.size)

    def to_coo(self):
        """Convert to a `COOTensor`."""
        require(self.ndim == 2, "sizes", "CSRTensor.to_coo", shape=self.shape, number=2)
        if _is_empty(self.indptr, self.indices, self.values):
            return COOTensor(self.indices, self.values, self.shape)
        return COOTensor(self.positions, self.values, self.shape)

    def to_dense(self):
        """Convert to a dense Tensor; values at the same position are summed."""
        if _is_empty(self.indptr, self.indices, self.values):
            return Tensor(np.zeros(self.shape), self.dtype)
        return scatter_nd(self.positions, self.values, self.shape)

    def mv(self, dense_vector):
        """The product with a vector, `(columns, 1)` or `(columns,)`: `(rows, 1)` or `(rows,)`.

        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
        >>> x.mv(Tensor([1.0, 2.0, 3.0])).asnumpy()
        array([2., 6.], dtype=float32)
        """
        return self._times_dense("CSRTensor.mv", "dense_vector", dense_vector)

    def mm(self, matrix):
        """Multiply by a matrix `(columns, k)`: a Tensor for a Tensor, else a CSRTensor."""
        if isinstance(matrix, CSRTensor):
            return self.times_csr(matrix)
        return self._times_dense("CSRTensor.mm", "matrix", matrix)

    def _times_dense(self, who, name, dense):
        TENSOR.checked(who, name, dense)
        fits = self.ndim == 2 and dense.ndim in (1, 2) and dense.shape[0] == self.shape[1]
        given = {"argument": name, "got": dense.shape, "shape": self.shape}
        require(fits, "rows-as-csr-columns", who, rows=self.shape[-1], **given)
        values, dense = meet(self.values, dense)
        terms = gather(dense, self.indices, 0)
        terms = terms * reshape(values, (-1, *[1] * (dense.ndim - 1)))
        return unsorted_segment_sum(terms, self.rows, self.shape[0])

    def times_csr(self, other):
        """Multiply by another CSRTensor, to a CSRTensor; the positions are computed on the host."""
        shapes = [self.shape, other.shape]
        fits = self.ndim == other.ndim == 2 and self.shape[1] == other.shape[0]
        require(fits, "columns-as-rows", "CSRTensor.mm", shapes=shapes)
        columns = other.shape[1]
        right = other.indptr.asnumpy(), other.indices.asnumpy(), other.values
        positions, values = products((self.positions.asnumpy(), self.values), right, columns)
        return self._from_positions(positions, values, (self.shape[0], columns))

    def _from_positions(self, positions, values, shape):
        """Create the CSRTensor of values at these positions (a NumPy array, sorted by rows)."""
        rows, columns = [Tensor(positions[:, k], self.indices.dtype) for k in (0, 1)]
        return CSRTensor(coo2csr(rows, shape[0]), columns, values, shape)

    def sum(self, axis):
        """Sum the rows (axis 1) or columns (axis 0), with size 1 along `axis`."""
        require(axis in (0, 1, -self.ndim, 1 - self.ndim), "0-1", "CSRTensor.sum", axis=axis)
        along = axis % self.ndim
        ids, count = (self.rows, self.shape[0]) if along else (self.indices, self.shape[1])
        sums = unsorted_segment_sum(self.values, ids, count)
        return reshape(sums, (*((count, 1) if along else (1, count)), *self.shape[2:]))

    def add(self, b, alpha, beta):
        r"""$\alpha A + \beta B$, with a value wherever either has one.

        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), Tensor([1.0, 2.0]), (2, 3))
        >>> x.add(x, Tensor(1.0), Tensor(2.0)).values.asnumpy()
        array([3., 6.], dtype=float32)
        """
        self._same_shape("CSRTensor.add", b)
        terms = meet(self.values * alpha, b.values * beta)
        positions = np.concatenate([self.positions.asnumpy(), b.positions.asnumpy()])
        positions, values = merged(positions, concat(terms, 0), self.shape)
        return self._from_positions(
            positions, values.astype(meet(self.values, b.values)[0].dtype), self.shape
        )

    def __add__(self, other):
        return self.add(other, 1, 1) if isinstance(other, CSRTensor) else NotImplemented

    def _dense_at(self, other):
        fits = other.ndim <= self.ndim
        require(fits, "broadcast-shape", "CSRTensor", other=other.shape, shape=self.shape)
        return gather_nd(broadcast_to(other, self.shape), self.positions)


def _components_of(who, other, kind, *components):
    """Return the parts of a sparse Tensor passed instead of parts."""
    require(isinstance(other, kind), "what-copied", who, kind=kind.__name__, got=other)
    require(all(x is None for x in components), "give-copy-parts-not", who, kind=kind.__name__)
    return other.to_tuple()


@_sparse
class RowTensorInner(Sparse):
    """Some rows of a Tensor, the others are zero: `dense[indices[i]] = values[i]`.

    `indices`: integers `(n,)`. `values`: `(n, ...)`. `shape`: the whole Tensor's. `row_tensor`:
    another one to copy, instead of all these.

    >>> x = RowTensorInner(Tensor([2]), Tensor([[1.0, 2.0]]), (3, 2))
    >>> x.dense_shape, x.values.asnumpy()
    ((3, 2), array([[1., 2.]], dtype=float32))
    """

    indices: Tensor = _kept("gradient")
    values: Tensor
    shape: tuple = _kept("always")

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None):
        who = type(self).__name__
        if row_tensor is not None:
            indices, values, shape = _components_of(
                who, row_tensor, RowTensorInner, indices, values, shape
            )
        else:
            self._check(who, indices, values, shape)
        self._fill(indices=indices, values=values, shape=shape)

    @staticmethod
    def _check(who, indices, values, shape):
        _check_tensors(who, shape, indices=indices, values=values)
        _check_dtypes(who, indices=indices)
        fits = indices.ndim == 1 and values.shape == (*indices.shape, *shape[1:])
        given = {"values": values.shape, "rest": shape[1:], "indices": indices.shape}
        require(fits, "values-of-rows", who, **given)

    shown_name = "RowTensor"

    @property
    def dense_shape(self):
        """The shape of the whole Tensor."""
        return self.shape

    def to_dense(self):
        """Convert to a dense Tensor; repeated rows are summed."""
        return unsorted_segment_sum(self.values, self.indices, self.shape[0])

    def __add__(self, other):
        if isinstance(other, Tensor):
            self._same_shape("RowTensor.__add__", other)
            every = Tensor(np.arange(self.shape[0]), self.indices.dtype)
            return type(self)(every, self.to_dense() + other, self.shape)
        if not isinstance(other, RowTensorInner):
            return NotImplemented
        self._same_shape("RowTensor.__add__", other)
        pairs = [(self.indices, other.indices), (self.values, other.values)]
        return type(self)(*[concat(meet(a, b), 0) for a, b in pairs], shape=self.shape)

    def _dense_at(self, other):
        self._same_shape("RowTensor", other)
        return gather(other, self.indices, 0)


class RowTensor(RowTensorInner):
    """`RowTensorInner` under its older name.

    >>> RowTensor(Tensor([2]), Tensor([[1.0, 2.0]]), (3, 2)).dense_shape
    (3, 2)
    """


class SparseTensor(COOTensor):
    """`COOTensor` under its older name.

    >>> SparseTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 3)).shape
    (2, 3)
    """

    def __init__(self, indices, values, shape):
        super().__init__(indices, values, shape)

    shown_name = "COOTensor"


def _to_coo(self) -> COOTensor:
    """Convert the nonzero elements of a matrix to a `COOTensor`. The shapes depend on the values,
    so this call runs the pending operations.

    >>> Tensor([[0.0, 5.0]]).to_coo().indices.asnumpy()
    array([[0, 1]], dtype=int32)
    """
    positions, values = _nonzero("Tensor.to_coo", self)
    return COOTensor(positions, values, self.shape)


def _to_csr(self) -> CSRTensor:
    """Convert the nonzero elements of a matrix to a `CSRTensor`; see `to_coo`.

    >>> Tensor([[0.0, 5.0]]).to_csr().indptr.asnumpy()
    array([0, 1], dtype=int32)
    """
    positions, values = _nonzero("Tensor.to_csr", self)
    return CSRTensor(coo2csr(positions[:, 0], self.shape[0]), positions[:, 1], values, self.shape)


def _nonzero(who, tensor):
    require(tensor.ndim == 2, "tensor-matrix", who, shape=tensor.shape)
    positions = nonzero(tensor).astype(dtypes.int32)
    return positions, gather_nd(tensor, positions)


CLASSES.update(COOTensor=COOTensor, CSRTensor=CSRTensor, RowTensorInner=RowTensorInner)
attach("to_coo", _to_coo)
attach("to_csr", _to_csr)
