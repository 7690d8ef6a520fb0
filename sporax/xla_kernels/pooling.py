"""Pooling over the last dimensions.

The gradients of XLA's `reduce_window` are slow on a CPU. Where windows are small, pooling is
written as strided slices of the whole array, one for each place in a window: gradients are then
slices again.
"""

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax.core.jax_internals import is_symbolic

_LARGEST = 25  # places in a window up to which slices are used


def _lowest(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).min


def _padded(x, sizes, kernel, stride, padding, dilation, value):
    """`x` padded so that windows number `sizes`, which may reach beyond the padding."""
    widths = [(0, 0)] * (x.ndim - len(sizes))
    for axis, (before, _) in enumerate(padding):
        reach = (sizes[axis] - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] + 1
        widths.append((before, max(0, reach - before - x.shape[axis - len(sizes)])))
    return jnp.pad(x, widths, constant_values=value) if np.any(widths) else x


def _slices(x, sizes, kernel, stride, dilation):
    """For each place in a window, in reading order, what all windows see there."""
    for place in itertools.product(*map(range, kernel)):
        starts = [i * d for i, d in zip(place, dilation, strict=True)]
        along = [
            slice(start, start + (n - 1) * step + 1, step)
            for start, n, step in zip(starts, sizes, stride, strict=True)
        ]
        yield x[..., *along]


def _first(x, sizes):
    """The first windows of each axis, as many as `sizes` says."""
    return x[..., *map(slice, sizes)]


def max_pool(x, sizes, kernel, stride, padding, dilation):
    """The greatest number of each window; the first of equal ones gets the gradient.

    `sizes`: how many windows there are along each axis. `padding`: (before, after) for each axis.
    """
    x = _padded(x, sizes, kernel, stride, padding, dilation, _lowest(x.dtype))
    if math.prod(kernel) > _LARGEST:
        ones = (1,) * (x.ndim - len(sizes))
        full = (*ones, *kernel), (*ones, *stride), (*ones, *dilation)
        return _first(_reduced_max(x, *full), sizes)
    best = None
    for seen in _slices(x, sizes, kernel, stride, dilation):
        best = seen if best is None else jnp.where(_better(seen, best), seen, best)
    return best


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def _reduced_max(x, kernel, stride, dilation):
    """XLA's own maxima. The derivatives that JAX has for them take no dilation, and give an element
    that is not NaN the gradient of a maximum that is."""
    lowest = np.asarray(_lowest(x.dtype), x.dtype)
    return lax.reduce_window(
        x, lowest, lax.max, kernel, stride, "VALID", window_dilation=dilation
    )  # fmt: skip


@_reduced_max.defjvp
def _(kernel, stride, dilation, primals, tangents):
    (x,), (t,) = primals, tangents
    is_small = not is_symbolic(x.size) and x.size <= np.iinfo(np.int32).max
    integer = np.int32 if is_small else np.int64
    places = lax.broadcasted_iota(integer, (x.size, 1), 0).reshape(x.shape)
    places = _places_of_maxima(x, places, kernel, stride, dilation)
    return tuple(a.reshape(-1).at[places].get(mode="promise_in_bounds") for a in (x, t))


def _places_of_maxima(x, places, kernel, stride, dilation):
    """The place of the maximum of each window, of what `places` says for each element; negative
    ones are padding. One axis after another: a window costs the sum of its sizes."""
    lowest = np.asarray(_lowest(x.dtype), x.dtype), np.asarray(-1, places.dtype)
    pair = lax.stop_gradient(x), places
    for axis in reversed(range(x.ndim)):
        if kernel[axis] == stride[axis] == 1:
            continue
        window, step, spread = (
            tuple(v[axis] if i == axis else 1 for i in range(x.ndim))
            for v in (kernel, stride, dilation)
        )
        pair = lax.reduce_window(
            pair, lowest, _maximum, window, step, "VALID", window_dilation=spread
        )
    return pair[1]


def _maximum(one, other):
    """The maximum of two (element, place), in whatever order they come: of equal numbers the first
    one, of those that are none the last."""
    (x, i), (y, j) = one, other
    x_is_nan, y_is_nan = x != x, y != y
    is_greater = (x > y) | (x_is_nan & ~y_is_nan)
    is_equal = (x == y) | (x_is_nan & y_is_nan)
    wins = is_greater | (is_equal & jnp.where(x_is_nan, i > j, i < j))
    wins = (i >= 0) & ((j < 0) | wins)
    return jnp.where(wins, x, y), jnp.where(wins, i, j)


def _better(seen, best):
    return (seen > best) | (seen != seen)  # what is not a number wins


def max_pool_with_index(x, sizes, kernel, stride, padding, dilation):
    """As `max_pool`, and the row-major index of each maximum in the plane of `x`."""
    shape = x.shape[-len(sizes) :]
    plane = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    args = sizes, kernel, stride, padding, dilation
    plane, padded = _padded(jnp.asarray(plane), *args, -1), _padded(x, *args, _lowest(x.dtype))
    if math.prod(kernel) > _LARGEST:
        return _of_large_windows(x, padded, plane, sizes, kernel, stride, dilation)
    args = sizes, kernel, stride, dilation
    pairs = zip(_slices(padded, *args), _slices(plane, *args), strict=True)
    best, best_place = next(pairs)
    best_place = jnp.broadcast_to(best_place, best.shape)
    for seen, place in pairs:
        better = _better(seen, best) | (best_place < 0)  # padding is -1
        best, best_place = jnp.where(better, seen, best), jnp.where(better, place, best_place)
    return best, best_place


def _of_large_windows(x, padded, plane, sizes, kernel, stride, dilation):
    """(maxima, their places) of the windows of `padded`, whose elements have the places `plane` in
    `x`."""
    ones, places = (1,) * (x.ndim - len(sizes)), jnp.broadcast_to(plane, padded.shape)
    full = (*ones, *kernel), (*ones, *stride), (*ones, *dilation)
    places = _first(_places_of_maxima(padded, places, *full), sizes)
    batch = x.shape[: x.ndim - len(sizes)]
    flat = x.reshape(*batch, math.prod(x.shape[len(batch) :]))
    at = places.reshape(*batch, math.prod(sizes))
    maxima = jnp.take_along_axis(flat, jnp.maximum(at, 0), -1, mode="promise_in_bounds")
    maxima = jnp.where(at < 0, jnp.asarray(_lowest(x.dtype), x.dtype), maxima)
    return maxima.reshape(places.shape), places


def average_pool(x, sizes, kernel, stride, padding, divisor):
    """The sum of each window, over `divisor` (a number, or an array of the windows' shape)."""
    once = (1,) * len(sizes)
    x = _padded(x, sizes, kernel, stride, padding, once, 0)
    if sizes == once:
        total = _first(x, kernel).sum(tuple(range(-len(sizes), 0)), keepdims=True)
    elif math.prod(kernel) > _LARGEST:
        ones = (1,) * (x.ndim - len(sizes))
        total = lax.reduce_window(
            x, np.zeros((), x.dtype), lax.add, (*ones, *kernel), (*ones, *stride), "VALID"
        )
        total = _first(total, sizes)
    else:
        total = sum(_slices(x, sizes, kernel, stride, once))
    return total / jnp.asarray(divisor, x.dtype)
