"""Questions about Tensors and tuples that kernels of other devices answered."""

import jax.numpy as jnp

from sporax.ops.declare import Array, composite, op


@op(primitive="FloatStatus()(x)", function=(), differentiable=False)
def float_status(x: Array):
    """Whether any number is infinite or NaN: 1 or 0, Float32 `(1,)`.

    >>> ops.FloatStatus()(Tensor([1.0, float("inf")])).asnumpy()
    array([1.], dtype=float32)
    """
    return (~jnp.isfinite(x)).any().astype(jnp.float32).reshape(1)


@composite()
def tuple_len(x) -> int:
    """How many items a tuple has.

    >>> ops.tuple_len((1, 2))
    2
    """
    if not isinstance(x, tuple):
        raise TypeError(f"For 'tuple_len', 'x' must be a tuple, but got {type(x).__name__}.")
    return len(x)
