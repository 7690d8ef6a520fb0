"""Some rows of a tensor replaced, or added to; the result is a new tensor, whatever its name."""

import jax.numpy as jnp
import numpy as np

from sporax.core.tensor import Tensor
from sporax.engine.ranges import Range
from sporax.ops.declare import Array, composite, op


@op(promotes=(0, 1), function=(), name="InplaceUpdate",
    bounds=lambda x, indices, **_: [Range(indices, x.shape[0], 0)])  # fmt: skip
def rows_updated(x: Array, v: Array, indices: Array, how="set"):
    """`x` with its rows `indices` set to those of `v`, or increased by them (`how="add"`)."""
    at = jnp.atleast_1d(indices)
    if v.shape != at.shape + x.shape[1:]:
        raise ValueError(
            f"'v' must have a row of shape {x.shape[1:]} for each of the {at.size} indices, but "
            f"its shape is {v.shape}"
        )
    return getattr(x.at[at], how)(v)


def _rows(indices):
    """Row numbers as an array; negative ones count from the end."""
    return indices if isinstance(indices, Tensor) else np.asarray(indices, np.int64)


@composite(primitive="InplaceUpdate(indices)(x, v)")
def inplace_update(x, v, indices):
    """`x` with row `indices[i]` replaced by `v[i]`.

    >>> ops.inplace_update(Tensor([1.0, 2.0, 3.0]), Tensor([9.0]), 1).asnumpy()
    array([1., 9., 3.], dtype=float32)
    """
    return rows_updated(x, v, _rows(indices))


@composite(primitive="InplaceAdd(indices)(x, input_v: v)")
def inplace_add(x, v, indices):
    """`x` with `v[i]` added to row `indices[i]`; a row named twice gets both.

    >>> ops.inplace_add(Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0]), (1, 1)).asnumpy()
    array([ 1., 11.,  3.], dtype=float32)
    """
    return rows_updated(x, v, _rows(indices), "add")


@composite(primitive="InplaceSub(indices)(x, input_v: v)")
def inplace_sub(x, v, indices):
    """`x` with `v[i]` subtracted from row `indices[i]`; a row named twice loses both.

    >>> ops.inplace_sub(Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0]), (0, 2)).asnumpy()
    array([-3.,  2., -2.], dtype=float32)
    """
    return rows_updated(x, -v, _rows(indices), "add")
