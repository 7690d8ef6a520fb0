"""Operations on a sparse matrix given by its parts: indices, values and shape."""

import numpy as np

from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import FUNCTIONS, composite
from sporax.ops.indexing.gather import gather
from sporax.ops.indexing.scatter import scatter_nd, tensor_scatter_add, unsorted_segment_sum
from sporax.ops.math.arithmetic import div
from sporax.ops.operand_checks import require_shapes
from sporax.ops.shape.reshape import reshape
from sporax.ops.sparse.structure import meet


def _shape(shape):
    shape = shape.asnumpy().tolist() if isinstance(shape, Tensor) else plain(shape)
    return tuple(shape)


@composite(function=(), primitive="SparseToDense()(indices, values, sparse_shape)")
def sparse_to_dense(indices, values, sparse_shape):
    """Convert to a dense Tensor: zeros of `sparse_shape`, with `values` at `indices`.

    `indices`: integers `(n, ndim)`. `values`: `(n,)`.

    >>> ops.SparseToDense()(Tensor([[0, 1]]), Tensor([5.0]), (1, 2)).asnumpy()
    array([[0., 5.]], dtype=float32)
    """
    return scatter_nd(indices, values, _shape(sparse_shape))


@composite(function=(), primitive="SparseTensorDenseAdd()(x1_indices, x1_values, x1_shape, x2)")
def sparse_tensor_dense_add(x1_indices, x1_values, x1_shape, x2):
    """Add a sparse Tensor and a Tensor `x2`, of the same shape and dtype.

    >>> add, x = ops.SparseTensorDenseAdd(), Tensor([[1.0, 1.0]])
    >>> add(Tensor([[0, 1]]), Tensor([5.0]), Tensor([1, 2]), x).asnumpy()
    array([[1., 6.]], dtype=float32)
    """
    shape = _shape(x1_shape)
    fits = x2.shape == shape
    require(fits, "shape-sparse-tensor", "SparseTensorDenseAdd", x2=x2.shape, shape=shape)
    return tensor_scatter_add(x2, x1_indices, x1_values)


@composite(
    function=(),
    primitive="SparseTensorDenseMatmul(adjoint_st=False, adjoint_dt=False)"
    "(indices, values, sparse_shape, dense)",
)
def sparse_tensor_dense_matmul(
    indices, values, sparse_shape, dense, adjoint_st=False, adjoint_dt=False
):  # fmt: skip
    """The product of a sparse matrix and a matrix `dense`.

    `indices`: integers `(n, 2)`. `values`: `(n,)`. `adjoint_st`, `adjoint_dt`: conjugate and
    transpose the sparse, or the dense matrix first.

    >>> product = ops.SparseTensorDenseMatmul()
    >>> product(Tensor([[0, 1]]), Tensor([5.0]), (1, 2), Tensor([[1.0], [2.0]])).asnumpy()
    array([[10.]], dtype=float32)
    """
    kinds.BOOL("SparseTensorDenseMatmul", adjoint_st=adjoint_st, adjoint_dt=adjoint_dt)
    sizes, rows, columns = _shape(sparse_shape), indices[:, 0], indices[:, 1]
    conj = FUNCTIONS["conj"]
    if adjoint_st:
        sizes, rows, columns, values = sizes[::-1], columns, rows, conj(values)
    dense = conj(dense).swapaxes(0, 1) if adjoint_dt else dense
    fits, shapes = dense.shape[0] == sizes[1], [sizes, dense.shape]
    require(fits, "columns-as-rows", "SparseTensorDenseMatmul", shapes=shapes)
    values, dense = meet(values, dense)
    terms = gather(dense, columns, 0) * reshape(values, (-1, 1))
    # checks the rows: a segment sum would drop negative ones
    zeros = FUNCTIONS["zeros"]((sizes[0], terms.shape[1]), terms.dtype)
    return tensor_scatter_add(zeros, reshape(rows, (-1, 1)), terms)


@composite(function=(), primitive="SparseSlice()(indices, values, shape, start, size)")
def sparse_slice(indices, values, shape, start, size) -> tuple:
    """The block of a sparse Tensor from `start` on, of that `size`: (indices, values, shape).

    The shapes depend on the values, so this call runs the pending operations.

    `indices`: integers `(n, ndim)`. `values`: `(n,)`. The others: `(ndim,)`. A block that exceeds
    the Tensor is cropped.

    >>> part, places, shape = ops.SparseSlice(), Tensor([[0, 0], [1, 1]]), Tensor([2, 2])
    >>> indices, values, shape = part(places, Tensor([1, 2]), shape, Tensor([1, 0]), Tensor([1, 2]))
    >>> indices.asnumpy(), values.asnumpy(), shape.asnumpy()
    (array([[0, 1]]), array([2]), array([1, 2]))
    """
    begin, whole = start.asnumpy(), shape.asnumpy()
    end = (begin + size.asnumpy()).clip(max=whole)
    positions = indices.asnumpy()
    is_inside = ((positions >= begin) & (positions < end)).all(1)
    kept = is_inside.nonzero()[0]
    return (
        Tensor(positions[kept] - begin),
        gather(values, Tensor(kept), 0),
        Tensor((end - begin).clip(0)),
    )


@composite()
def sparse_segment_mean(x, indices, segment_ids):
    """The mean of the rows of `x` at `indices`, for each segment: `(segments, ...)`.

    `indices`, `segment_ids`: integers `(n,)`, the second sorted. A segment without rows gives 0.
    The shape depends on the last segment, so this call runs the pending operations.

    >>> x = Tensor([[1.0], [2.0], [6.0]])
    >>> ops.sparse_segment_mean(x, Tensor([0, 1, 2]), Tensor([0, 1, 1])).asnumpy()
    array([[1.],
           [4.]], dtype=float32)
    """
    ids = segment_ids.asnumpy()
    require_shapes("sparse_segment_mean", indices=(indices, "n"), segment_ids=(segment_ids, "n"))
    if (ids[1:] < ids[:-1]).any() or ids.min(initial=0) < 0:
        raise rejection("order-not-negative", "sparse_segment_mean", segment_ids=ids.tolist())
    count = int(ids.max(initial=-1)) + 1
    sums = unsorted_segment_sum(gather(x, indices, 0), segment_ids, count)
    sizes = np.bincount(ids, minlength=count).clip(1).reshape(-1, *[1] * (x.ndim - 1))
    return div(sums, Tensor(sizes, x.dtype))
