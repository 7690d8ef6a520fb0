"""Scattered products at indices that may repeat, with derivatives of every order."""

import functools

import jax
import jax.numpy as jnp


@jax.custom_jvp
def multiply_at(x, indices, values):
    """Compute `x.at[indices].multiply(values)`.

    JAX has no derivative of it for repeated indices. The derivative is taken of an associative scan
    over the values sorted by index, which contains only multiplications, so it is also correct for
    zeros.
    """
    return x.at[indices].multiply(values)


@multiply_at.defjvp
def _derivative(primals, tangents):
    x, indices, values = primals
    along = functools.partial(_sorted_product, indices)
    return jax.jvp(along, (x, values), (tangents[0], tangents[2]))


def _sorted_product(indices, x, values):
    numbers = jnp.arange(x.size).reshape(x.shape)
    flat = numbers.at[indices].get(mode="fill", fill_value=x.size)
    values = jnp.broadcast_to(values, flat.shape)
    if not values.size:
        return x
    return x * _by_index(flat.ravel(), values.ravel(), x.size).reshape(x.shape)


def _by_index(indices, values, count):
    """Return the product of the values at each index, 1 where there are none."""
    order = jnp.argsort(indices)
    indices, values = indices[order], values[order]
    new = indices[1:] != indices[:-1]
    edge = jnp.ones(1, bool)

    def join(left, right):
        (a, _), (b, starts) = left, right
        return jnp.where(starts, b, a * b), left[1] | starts

    running, _ = jax.lax.associative_scan(join, (values, jnp.concatenate([edge, new])))
    last = jnp.where(jnp.concatenate([new, edge]), indices, count)
    return jnp.ones(count, values.dtype).at[last].set(running, mode="drop")
