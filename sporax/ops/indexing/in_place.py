"""In-place operations: the result is written to the tensor, which keeps its shape and dtype.
Tensors that share its memory see the write, it is differentiable, and captured functions do the
same (`Tensor._rebind`)."""

import itertools

import jax.numpy as jnp

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.casting import cast
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.indexing.scatter import index_add_along, index_fill
from sporax.ops.inspection import copy
from sporax.ops.linalg.diagonals import fill_diagonal
from sporax.ops.linalg.products import addmm, addr

# what is written at ------------------------------------------------------------------------------


def _within(operands, accumulate=False):
    input, _, *indices = operands
    return [Range(index, input.shape[axis], axis) for axis, index in enumerate(indices)]


@op(function=(), name="index_put", bounds=_within)
def put_at(operands: Arrays, accumulate=False):
    """Return an array with values at indices: `operands` are the array, the values, and integer
    indices for each of its first axes; `index_put` calls it."""
    input, values, *indices = operands
    count, ndim = len(indices), input.ndim
    require(count <= ndim, "at-most-tensors-many-input", argument="indices", ndim=ndim, count=count)
    target = input.at[tuple(indices)]
    values = values.astype(input.dtype)
    return target.add(values) if accumulate else target.set(values)


def _checked_indices(name, indices):
    """Check index Tensors: integers, or Bool masks; UInt8 means Bool too."""
    is_sequence = isinstance(indices, (tuple, list)) and indices
    require(is_sequence, "tuple-list-tensors-argument-type", name, indices=indices)
    for index in indices:
        if not isinstance(index, Tensor) or index._value.aval.dtype.kind not in "biu":
            kind = index.dtype if isinstance(index, Tensor) else type(index).__name__
            raise rejection("hold-tensors-integers-bool", name, indices=kind)
    return [i.bool() if i._value.aval.dtype.name == "uint8" else i for i in indices]


def _is_mask(index):
    return index._value.aval.dtype.kind == "b"


@composite(tensor=True, function=())
def index_put(input, indices, values, accumulate=False):
    """`input` with `values` at `indices`: a Tensor of integers, or a Bool mask, for each of the
    first axes, broadcast together. `accumulate`: adds to the old values.

    >>> x = Tensor([[1, 2], [3, 4]])
    >>> x.index_put((Tensor([0, 1]), Tensor([1, 1])), Tensor([8, 9])).asnumpy()
    array([[1, 8],
           [3, 9]])
    """
    kinds.BOOL("index_put", accumulate=accumulate)
    indices = _checked_indices("index_put", indices)
    if not accumulate and any(map(_is_mask, indices)):
        result = copy(input)
        result[tuple(indices)] = values  # does not count the mask for a single value
        return result
    indexers = [i.nonzero(as_tuple=True) if _is_mask(i) else (i,) for i in indices]
    return put_at((input, values, *itertools.chain(*indexers)), accumulate)


@composite(function=(), op="put_at", primitive="IndexPut(accumulate=0)(x1, x2, indices)")
def index_put_of_class(x1, x2, indices, accumulate=0):
    """`x1` with the vector `x2` at `indices`, one vector of integers for each of the first axes;
    added to the old values if `accumulate` is 1.

    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> ops.IndexPut()(x, Tensor([9.0]), (Tensor([0, 1]), Tensor([1, 0]))).asnumpy()
    array([[1., 9.],
           [9., 4.]], dtype=float32)
    """
    require(accumulate in (0, 1), "0-1", "IndexPut", accumulate=accumulate)
    indices = _checked_indices("IndexPut", indices)
    fits = x2.ndim == 1 and x1.dtype == x2.dtype and all(i.ndim == 1 for i in indices)
    require(fits, "vectors-of-dtype", "IndexPut", x2=x2, dtype=x1.dtype)
    return index_put(x1, indices, x2, accumulate == 1)


@op(function=(), name="Tensor.index_copy_",
    bounds=lambda input, dim, index, tensor: [Range(index, input.shape[dim], dim)])  # fmt: skip
def index_copy(input: Array, dim, index: Array, tensor: Array):
    """`input` with the slices of `tensor` along `dim` at `index`; `Tensor.index_copy_` calls it."""
    rows_at = index.reshape(-1)
    rows, new = jnp.moveaxis(input, dim, 0), jnp.moveaxis(tensor, dim, 0)
    require(
        new.shape == (rows_at.size, *rows.shape[1:]), "slice-along-indices-shape",
        tensor=tensor.shape, dim=dim, size=rows_at.size, shape=input.shape,
    )  # fmt: skip
    return jnp.moveaxis(rows.at[rows_at].set(new.astype(input.dtype)), 0, dim)


@op(function=(), name="Tensor.put_",
    bounds=lambda input, index, source, accumulate=False: [
        Range(index, input.size, span="as-a-number-in-row-major-order")])  # fmt: skip
def put_flat(input: Array, index: Array, source: Array, accumulate=False):
    """`input` with the elements of `source` at flat, row-major indices; `Tensor.put_` calls it."""
    n, count = index.size, source.size
    require(n == count, "equally-many-elements", index=n, other="source", count=count)
    target = input.reshape(-1).at[index.reshape(-1)]
    source = source.reshape(-1).astype(input.dtype)
    return (target.add(source) if accumulate else target.set(source)).reshape(input.shape)


# methods -----------------------------------------------------------------------------------------


def written(name, tensor, result):
    """Write `result` to `tensor` in its dtype; returns `tensor`."""
    here, new = tensor._value.aval, result._value.aval
    shape = here.shape
    require(new.shape == shape, "result-tensor-s-shape", name, shape=shape, got=new.shape)
    can_hold = here.inexact or not new.inexact
    require(can_hold, "result-dtype-tensor-can", name, got=result.dtype, dtype=tensor.dtype)
    result = result if new.dtype == here.dtype else cast(result, tensor.dtype)
    return tensor._rebind(result._lift())


@composite(tensor="addmm_", function=(), name="Tensor.addmm_")
def addmm_in_place(input, mat1, mat2, *, beta=1, alpha=1):
    r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ in place.

    >>> Tensor([[1.0]]).addmm_(Tensor([[2.0]]), Tensor([[3.0]])).asnumpy()
    array([[7.]], dtype=float32)
    """
    return written("Tensor.addmm_", input, addmm(input, mat1, mat2, beta=beta, alpha=alpha))


@composite(mint="addr_", function=(), name="addr_")
def addr_in_place(input, vec1, vec2, beta=1, alpha=1):
    r"""$\beta \cdot input + \alpha \cdot vec1 \, vec2^\top$ in place.

    >>> mint.addr_(Tensor([[1.0, 1.0]]), Tensor([2.0]), Tensor([3.0, 4.0])).asnumpy()
    array([[7., 9.]], dtype=float32)
    """
    return written("addr_", input, addr(input, vec1, vec2, beta=beta, alpha=alpha))


@composite(tensor="fill_diagonal_", function=(), name="Tensor.fill_diagonal_")
def fill_diagonal_in_place(input, fill_value, wrap=False):
    """`fill_diagonal` in place.

    >>> Tensor([[1, 2], [3, 4]]).fill_diagonal_(0).asnumpy()
    array([[0, 2],
           [3, 0]])
    """
    return written("Tensor.fill_diagonal_", input, fill_diagonal(input, fill_value, wrap))


@composite(tensor="index_add_", function=(), name="Tensor.index_add_")
def index_add_in_place(input, dim, index, source, *, alpha=1):
    r"""Add $\alpha \cdot source$ to the slices along `dim` at `index` in place.

    >>> Tensor([1.0, 2.0]).index_add_(0, Tensor([1, 1]), Tensor([9.0, 3.0])).asnumpy()
    array([ 1., 14.], dtype=float32)
    """
    added = index_add_along(input, dim, index, source, alpha=alpha)
    return written("Tensor.index_add_", input, added)


@composite(tensor="index_copy_", function=(), name="Tensor.index_copy_")
def index_copy_in_place(input, dim, index, tensor):
    """Write the slices of `tensor` along `dim` to the tensor itself at `index`.

    >>> Tensor([1.0, 2.0]).index_copy_(0, Tensor([1]), Tensor([9.0])).asnumpy()
    array([1., 9.], dtype=float32)
    """
    return written("Tensor.index_copy_", input, index_copy(input, dim, index, tensor))


@composite(tensor="index_fill_", function=(), name="Tensor.index_fill_")
def index_fill_in_place(input, dim, index, value):
    """Write `value` to the slices along `dim` at `index` in place.

    >>> Tensor([1.0, 2.0]).index_fill_(0, Tensor([1]), 9.0).asnumpy()
    array([1., 9.], dtype=float32)
    """
    return written("Tensor.index_fill_", input, index_fill(input, dim, index, value))


@composite(tensor="index_put_", function=(), name="Tensor.index_put_")
def index_put_in_place(input, indices, values, accumulate=False):
    """`index_put` in place.

    >>> Tensor([1, 2]).index_put_((Tensor([1, 1]),), Tensor([5, 6]), accumulate=True).asnumpy()
    array([ 1, 13])
    """
    return written("Tensor.index_put_", input, index_put(input, indices, values, accumulate))


@composite(tensor="put_", function="put_", name="put_")
def put_in_place(input, index, source, accumulate=False):
    """Write the elements of `source` to the tensor itself, at the flat, row-major indices `index`.
    `accumulate`: adds to the old values.

    >>> Tensor([[4, 3], [6, 7]]).put_(Tensor([1, 2]), Tensor([9, 10])).asnumpy()
    array([[ 4,  9],
           [10,  7]])
    """
    return written("put_", input, put_flat(input, index, source, accumulate))
