"""Rows of a tensor replaced, or added to; the result is a new tensor, despite the names."""

import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, op


def _within(x, v, indices):
    return [Range(indices, x.shape[0], 0)]


def _rows(x, v, indices):
    """Return the rows of `x` at `indices`, to be set to `v` or added to."""
    indices = jnp.atleast_1d(indices)
    shape = x.shape[1:]
    fits = v.shape == indices.shape + shape
    require(fits, "row-shape-indices-shape", v=v.shape, shape=shape, size=indices.size)
    return x.at[indices]


@op(
    promotes=(0, 1), bounds=_within,
    primitive=("InplaceUpdate(indices)(x, v)", "InplaceUpdateV2()(x, indices, v)"),
    tensor="inplace_update(x, v, indices)",
)  # fmt: skip
def inplace_update(x: Array, v: Array, indices: Array):
    """`x` with row `indices[i]` replaced by `v[i]`.

    >>> ops.inplace_update(Tensor([1.0, 2.0, 3.0]), Tensor([9.0]), 1).asnumpy()
    array([1., 9., 3.], dtype=float32)
    """
    return _rows(x, v, indices).set(v)


@op(promotes=(0, 1), bounds=_within, primitive="InplaceAdd(indices)(x, input_v: v)")
def inplace_add(x: Array, v: Array, indices: Array):
    """`x` with `v[i]` added to row `indices[i]`; repeated indices accumulate.

    >>> ops.inplace_add(Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0]), (1, 1)).asnumpy()
    array([ 1., 11.,  3.], dtype=float32)
    """
    return _rows(x, v, indices).add(v)


@op(promotes=(0, 1), bounds=_within, primitive="InplaceSub(indices)(x, input_v: v)")
def inplace_sub(x: Array, v: Array, indices: Array):
    """`x` with `v[i]` subtracted from row `indices[i]`; repeated indices accumulate.

    >>> ops.inplace_sub(Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0]), (0, 2)).asnumpy()
    array([-3.,  2., -2.], dtype=float32)
    """
    return _rows(x, v, indices).add(-v)
