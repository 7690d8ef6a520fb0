"""Pooling over the last two dimensions.

The gradients of XLA's `reduce_window` are slow on a CPU. Where windows are small, pooling is
written as strided slices of the whole array, one for each place in a window: gradients are then
slices again.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

_LARGEST = 25  # places in a window up to which slices are used


def _lowest(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.inexact) else jnp.iinfo(dtype).min


def _padded(x, sizes, kernel, stride, padding, dilation, value):
    """`x` padded so that windows number `sizes`, which may reach beyond the padding."""
    widths = [(0, 0)] * (x.ndim - 2)
    for axis in (0, 1):
        before = padding[axis][0]
        reach = (sizes[axis] - 1) * stride[axis] + (kernel[axis] - 1) * dilation[axis] + 1
        widths.append((before, max(0, reach - before - x.shape[axis - 2])))
    return jnp.pad(x, widths, constant_values=value) if np.any(widths) else x


def _slices(x, sizes, kernel, stride, dilation):
    """For each place in a window, in reading order, what all windows see there."""
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            starts = i * dilation[0], j * dilation[1]
            ends = [s + (n - 1) * t + 1 for s, n, t in zip(starts, sizes, stride, strict=True)]
            yield x[..., starts[0] : ends[0] : stride[0], starts[1] : ends[1] : stride[1]]


def max_pool(x, sizes, kernel, stride, padding, dilation):
    """The greatest number of each window; the first of equal ones gets the gradient.

    `sizes`: how many windows there are, down and across. `padding`: (before, after) for each axis.
    """
    x = _padded(x, sizes, kernel, stride, padding, dilation, _lowest(x.dtype))
    if kernel[0] * kernel[1] > _LARGEST:
        ones = (1,) * (x.ndim - 2)
        lowest = np.asarray(_lowest(x.dtype), x.dtype)
        pooled = lax.reduce_window(
            x, lowest, lax.max, (*ones, *kernel), (*ones, *stride), "VALID",
            window_dilation=(*ones, *dilation),
        )  # fmt: skip
        return pooled[..., : sizes[0], : sizes[1]]
    best = None
    for seen in _slices(x, sizes, kernel, stride, dilation):
        best = seen if best is None else jnp.where(_better(seen, best), seen, best)
    return best


def _better(seen, best):
    return (seen > best) | (seen != seen)  # what is not a number wins


def max_pool_with_index(x, sizes, kernel, stride, padding, dilation):
    """As `max_pool`, and where in the plane of `x`, counted in reading order, it was found."""
    height, width = x.shape[-2:]
    plane = np.arange(height * width, dtype=np.int64).reshape(height, width)
    args = sizes, kernel, stride, padding, dilation
    places = _slices(_padded(jnp.asarray(plane), *args, -1), sizes, kernel, stride, dilation)
    x = _padded(x, *args, _lowest(x.dtype))
    best = found = None
    for seen, place in zip(_slices(x, sizes, kernel, stride, dilation), places, strict=True):
        if best is None:
            best, found = seen, jnp.broadcast_to(place, seen.shape)
        else:
            better = _better(seen, best)
            best, found = jnp.where(better, seen, best), jnp.where(better, place, found)
    return best, found


def average_pool(x, sizes, kernel, stride, padding, divisor):
    """The sum of each window, over `divisor` (a number, or an array of the windows' shape)."""
    x = _padded(x, sizes, kernel, stride, padding, (1, 1), 0)
    if sizes == (1, 1):
        total = x[..., : kernel[0], : kernel[1]].sum((-2, -1), keepdims=True)
    elif kernel[0] * kernel[1] > _LARGEST:
        ones = (1,) * (x.ndim - 2)
        total = lax.reduce_window(
            x, np.zeros((), x.dtype), lax.add, (*ones, *kernel), (*ones, *stride), "VALID"
        )
        total = total[..., : sizes[0], : sizes[1]]
    else:
        total = sum(_slices(x, sizes, kernel, stride, (1, 1)))
    return total / jnp.asarray(divisor, x.dtype)
