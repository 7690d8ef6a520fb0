"""Reductions along axes."""

import jax.numpy as jnp

from sporax.ops.declare import Array, op


@op(
    tensor="sum(input, axis=None, dtype=None, keepdims=False)",
    mint="sum(input, dim: axis=None, keepdim: keepdims=False, *, dtype=None)",
)
def sum(input: Array, axis=None, dtype=None, keepdims=False):
    """$\\sum$ along `axis` (all axes by default)."""
    return jnp.sum(input, axis=axis, keepdims=keepdims, dtype=None)
