"""Pooling over the last dimensions.

The gradients of XLA's `reduce_window` are slow on a CPU. For small windows, pooling is written as
strided slices of the whole array, one for each position in a window, so that gradients are slices
again.
"""

import contextlib
import functools
import itertools
import math
from contextvars import ContextVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.jax_internals import is_symbolic

# positions in a window up to which slices are used
_largest: ContextVar[int] = ContextVar("_largest", default=25)


@contextlib.contextmanager
def by_windows():
    """Trace pooling as `reduce_window` in this block, for programs that are not for XLA."""
    token = _largest.set(0)
    try:
        yield
    finally:
        _largest.reset(token)


def _lowest(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).min


def _padded(x, sizes, kernel, stride, padding, dilation, value):
    """Pad `x` so that there are `sizes` windows, which may reach beyond `padding`."""
    widths = [(0, 0)] * (x.ndim - len(sizes))
    for axis, (before, _) in enumerate(padding):
        reach = (sizes[axis] - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] + 1
        widths.append((before, max(0, reach - before - x.shape[axis - len(sizes)])))
    return jnp.pad(x, widths, constant_values=value) if np.any(widths) else x


def _slices(x, sizes, kernel, stride, dilation):
    """Yield the elements of all windows at each position in a window, in row-major order."""
    for offset in itertools.product(*map(range, kernel)):
        starts = [i * d for i, d in zip(offset, dilation, strict=True)]
        along = [
            slice(start, start + (n - 1) * step + 1, step)
            for start, n, step in zip(starts, sizes, stride, strict=True)
        ]
        yield x[..., *along]


def _first(x, sizes):
    """Return the first `sizes` windows of each axis."""
    return x[..., *map(slice, sizes)]


def max_pool(x, sizes, kernel, stride, padding, dilation):
    """Return the maximum of each window; the first of equal elements gets the gradient.

    `sizes`: the number of windows along each axis. `padding`: (before, after) for each axis.
    """
    x = _padded(x, sizes, kernel, stride, padding, dilation, _lowest(x.dtype))
    if math.prod(kernel) > _largest.get():
        ones = (1,) * (x.ndim - len(sizes))
        full = (*ones, *kernel), (*ones, *stride), (*ones, *dilation)
        return _first(_reduced_max(x, *full), sizes)
    best = None
    for seen in _slices(x, sizes, kernel, stride, dilation):
        best = seen if best is None else jnp.where(_better(seen, best), seen, best)
    return best


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2, 3))
def _reduced_max(x, kernel, stride, dilation):
    """Return XLA's maxima. JAX's derivatives of them do not support dilation, and pass the gradient
    of a NaN maximum to an element that is not NaN."""
    lowest = np.asarray(_lowest(x.dtype), x.dtype)
    return lax.reduce_window(
        x, lowest, lax.max, kernel, stride, "VALID", window_dilation=dilation
    )  # fmt: skip


@_reduced_max.defjvp
def _(kernel, stride, dilation, primals, tangents):
    (x,), (t,) = primals, tangents
    is_small = not is_symbolic(x.size) and x.size <= np.iinfo(np.int32).max
    integer = np.int32 if is_small else np.int64
    indices = lax.broadcasted_iota(integer, (x.size, 1), 0).reshape(x.shape)
    indices = _indices_of_maxima(x, indices, kernel, stride, dilation)
    return tuple(a.reshape(-1).at[indices].get(mode="promise_in_bounds") for a in (x, t))


def _indices_of_maxima(x, indices, kernel, stride, dilation):
    """Return the entry of `indices` at the maximum of each window; negative entries mark padding.
    Axes are reduced one after another, so the cost of a window is the sum of its sizes."""
    lowest = np.asarray(_lowest(x.dtype), x.dtype), np.asarray(-1, indices.dtype)
    pair = lax.stop_gradient(x), indices
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
    """Return the maximum of two (element, place), independent of their order: the lower place for
    equal elements, the higher place for two NaNs."""
    (x, i), (y, j) = one, other
    x_is_nan, y_is_nan = x != x, y != y
    is_greater = (x > y) | (x_is_nan & ~y_is_nan)
    is_equal = (x == y) | (x_is_nan & y_is_nan)
    wins = is_greater | (is_equal & jnp.where(x_is_nan, i > j, i < j))
    wins = (i >= 0) & ((j < 0) | wins)
    return jnp.where(wins, x, y), jnp.where(wins, i, j)


def _better(seen, best):
    return (seen > best) | (seen != seen)  # NaN wins


def max_pool_with_index(x, sizes, kernel, stride, padding, dilation):
    """Return the result of `max_pool` and the row-major index of each maximum in its plane."""
    shape = x.shape[-len(sizes) :]
    plane = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    args = sizes, kernel, stride, padding, dilation
    plane, padded = _padded(jnp.asarray(plane), *args, -1), _padded(x, *args, _lowest(x.dtype))
    if math.prod(kernel) > _largest.get():
        return _of_large_windows(x, padded, plane, sizes, kernel, stride, dilation)
    args = sizes, kernel, stride, dilation
    pairs = zip(_slices(padded, *args), _slices(plane, *args), strict=True)
    best, best_index = next(pairs)
    best_index = jnp.broadcast_to(best_index, best.shape)
    for seen, index in pairs:
        better = _better(seen, best) | (best_index < 0)  # padding is -1
        best, best_index = jnp.where(better, seen, best), jnp.where(better, index, best_index)
    return best, best_index


def _of_large_windows(x, padded, plane, sizes, kernel, stride, dilation):
    """Return (maxima, their places) of the windows of `padded`; `plane`: the places of its elements
    in `x`."""
    ones, indices = (1,) * (x.ndim - len(sizes)), jnp.broadcast_to(plane, padded.shape)
    full = (*ones, *kernel), (*ones, *stride), (*ones, *dilation)
    indices = _first(_indices_of_maxima(padded, indices, *full), sizes)
    batch = x.shape[: x.ndim - len(sizes)]
    flat = x.reshape(*batch, math.prod(x.shape[len(batch) :]))
    index = indices.reshape(*batch, math.prod(sizes))
    maxima = jnp.take_along_axis(flat, jnp.maximum(index, 0), -1, mode="promise_in_bounds")
    maxima = jnp.where(index < 0, jnp.asarray(_lowest(x.dtype), x.dtype), maxima)
    return maxima.reshape(indices.shape), indices


def average_pool(x, sizes, kernel, stride, padding, divisor):
    """Return the sum of each window over `divisor` (a scalar or an array of the windows' shape)."""
    once = (1,) * len(sizes)
    x = _padded(x, sizes, kernel, stride, padding, once, 0)
    if sizes == once:
        total = _first(x, kernel).sum(tuple(range(-len(sizes), 0)), keepdims=True)
    elif math.prod(kernel) > _largest.get():
        ones = (1,) * (x.ndim - len(sizes))
        total = lax.reduce_window(
            x, np.zeros((), x.dtype), lax.add, (*ones, *kernel), (*ones, *stride), "VALID"
        )
        total = _first(total, sizes)
    else:
        total = sum(_slices(x, sizes, kernel, stride, once))
    return total / jnp.asarray(divisor, x.dtype)
