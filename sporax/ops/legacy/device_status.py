"""Queries of Tensors and tuples that kernels of other devices implement."""

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax.ops.declare import Array, composite, op


@op(primitive="FloatStatus()(x)", function=(), differentiable=False)
def float_status(x: Array):
    """Return 1 if any element is infinite or NaN, else 0: Float32 `(1,)`.

    >>> ops.FloatStatus()(Tensor([1.0, float("inf")])).asnumpy()
    array([1.], dtype=float32)
    """
    return (~jnp.isfinite(x)).any().astype(jnp.float32).reshape(1)


@composite()
def tuple_len(x) -> int:
    """Return the number of items of a tuple.

    >>> ops.tuple_len((1, 2))
    2
    """
    kinds.TUPLE("tuple_len", x=x)
    return len(x)
