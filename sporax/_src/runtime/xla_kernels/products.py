"""Scattered products at indices that may repeat, with derivatives of every order."""

import functools

import jax
import jax.numpy as jnp


@jax.custom_jvp
def multiply_at(x, places, values):
    """Compute `x.at[places].multiply(values)`.

    JAX has no derivative of it for repeated indices. The derivative is taken of an associative scan
    over the values sorted by index, which contains only multiplications, so it is also correct for
    zeros.
    """
    return x.at[places].multiply(values)


@multiply_at.defjvp
def _derivative(primals, tangents):
    x, places, values = primals
    along = functools.partial(_sorted_product, places)
    return jax.jvp(along, (x, values), (tangents[0], tangents[2]))


def _sorted_product(places, x, values):
    numbers = jnp.arange(x.size).reshape(x.shape)
    at = numbers.at[places].get(mode="fill", fill_value=x.size)
    values = jnp.broadcast_to(values, at.shape)
    if not values.size:
        return x
    return x * _by_place(at.ravel(), values.ravel(), x.size).reshape(x.shape)


def _by_place(at, values, count):
    """Return the product of the values at each index, 1 where there are none."""
    order = jnp.argsort(at)
    at, values = at[order], values[order]
    new = at[1:] != at[:-1]
    edge = jnp.ones(1, bool)

    def join(left, right):
        (a, _), (b, starts) = left, right
        return jnp.where(starts, b, a * b), left[1] | starts

    running, _ = jax.lax.associative_scan(join, (values, jnp.concatenate([edge, new])))
    last = jnp.where(jnp.concatenate([new, edge]), at, count)
    return jnp.ones(count, values.dtype).at[last].set(running, mode="drop")
