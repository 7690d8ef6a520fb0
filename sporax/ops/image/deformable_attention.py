"""Attention at a few points of feature maps of several sizes (Zhu et al., 2021)."""

import jax.numpy as jnp

from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import require_integers, require_shapes


@op()
def multi_scale_deformable_attn_function(
    value: Array, shape: Array, offset: Array, locations: Array, weight: Array
):
    r"""$\sum_{l, p} w_{l p} \, v_l(x_{l p}, y_{l p})$ for each query and head: feature maps sampled
    at points between their elements (bilinear, 0 outside), and weighted.

    `value`: `(B, keys, heads, dims)`, the maps of all levels concatenated, each starting at
    `offset` `(levels,)`, with sizes (height, width) `shape` `(levels, 2)`. `locations`: `(B,
    queries, heads, levels, points, 2)`, (x, y), with 0 and 1 at a map's edges; `weight`: `(B,
    queries, heads, levels, points)`. Returns `(B, queries, heads * dims)`.

    >>> value, half = Tensor([[[[1.0]], [[3.0]]]]), Tensor([[[[[[0.5, 0.5]]]]]])
    >>> shape, offset = Tensor([[1, 2]], sporax.int32), Tensor([0], sporax.int32)
    >>> ops.multi_scale_deformable_attn_function(
    ...     value, shape, offset, half, ops.ones((1, 1, 1, 1, 1))).asnumpy()
    array([[[2.]]], dtype=float32)
    """
    require_shapes(
        value=(value, "B keys N D"), shape=(shape, "L 2"), offset=(offset, "L"),
        locations=(locations, "B queries N L P 2"), weight=(weight, "B queries N L P"),
    )  # fmt: skip
    batch, keys, heads, dims = value.shape
    require_integers(shape=shape, offset=offset)
    height, width = (shape[:, i][:, None] for i in (0, 1))
    x = locations[..., 0] * width - 0.5
    y = locations[..., 1] * height - 0.5
    left, top = jnp.floor(x), jnp.floor(y)
    of_head = jnp.moveaxis(value, 2, 1)  # (B, heads, keys, dims)
    total = 0
    for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            index = offset[:, None] + (row * width + column).astype(offset.dtype)
            index = jnp.clip(jnp.where(inside, index, 0), 0, keys - 1)
            index = jnp.moveaxis(index, 2, 1).reshape(batch, heads, -1, 1)
            seen = jnp.take_along_axis(of_head, index, 2)
            seen = seen.reshape(batch, heads, locations.shape[1], -1, dims)
            share = jnp.where(inside, down * across * weight, 0)
            share = jnp.moveaxis(share, 2, 1).reshape(*seen.shape[:-1])
            total = total + jnp.einsum("bhqp,bhqpd->bqhd", share.astype(value.dtype), seen)
    return total.reshape(batch, locations.shape[1], heads * dims)
