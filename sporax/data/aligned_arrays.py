"""Arrays aligned so that XLA can use their memory without a copy."""

import math

import numpy as np

ALIGNMENT = 64  # bytes
_LARGE = 1 << 14  # bytes; the copy of a smaller array costs little


def aligned_empty(shape, dtype):
    """Return an uninitialised array like `numpy.empty`, aligned to `ALIGNMENT` bytes."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    room = np.empty(size + ALIGNMENT, np.uint8)
    start = -room.__array_interface__["data"][0] % ALIGNMENT
    return room[start : start + size].view(dtype).reshape(shape)


def stacked(arrays):
    """Stack arrays of one shape like `numpy.stack`, into aligned memory if they are numeric."""
    first = arrays[0]
    if first.dtype.kind not in "biufc" or any(a.dtype != first.dtype for a in arrays):
        return np.stack(arrays)
    return np.stack(arrays, out=aligned_empty((len(arrays), *first.shape), first.dtype))


def taken(array, indices):
    """Return the rows of `array` at `indices`, which must be in range."""
    is_large = len(indices) * array[:1].nbytes >= _LARGE
    if array.dtype.kind not in "biufc" or not is_large:
        return array[indices]
    room = aligned_empty((len(indices), *array.shape[1:]), array.dtype)
    return np.take(array, indices, 0, out=room, mode="clip")


__all__ = ["ALIGNMENT", "aligned_empty", "stacked", "taken"]
