"""Comparison of the results of two programs for the same computation.

Integers, booleans, NaN and infinities must be equal. The distance of floating-point numbers is
measured relative to the largest element of the array: an element that is small by cancellation has
an error of that size in either program.
"""

import math
from typing import Any, NamedTuple

import numpy as np

PER_STEP = 4  # units in the last place, times the root of the number of steps
_ROUNDINGS, _SPREAD = 16, 8
CHUNK = 2**15  # elements; parts of this size stay in the processor's cache


class Distance(NamedTuple):
    """The distance of two arrays: the largest distance of finite elements, and the number of
    elements that it does not cover: integers that differ, NaN or infinite in only one array."""

    largest: float
    others: int


class Difference(NamedTuple):
    """An output that is not as expected: its index, the number of wrong elements and of all, the
    place of the worst one, the value found and the value expected there."""

    output: int
    count: int
    size: int
    index: tuple
    actual: Any
    expected: Any

    def __str__(self):
        position = f" at {self.index}" if self.index else ""
        return (
            f"{self.count} of {self.size} elements differ, the worst{position}: {self.actual!s} in "
            f"place of {self.expected!s}"
        )


def _real(array):
    """Return a floating-point array as float64 or complex128, any other unchanged."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.float64) if array.dtype.kind in "fV" else array


def distance(one, other):
    """Return the `Distance` of two arrays of one shape and dtype."""
    if one.dtype.kind not in "fcV":
        return Distance(0.0, int((one != other).sum()))
    if one.dtype.kind == "f" and math.isfinite(farthest := _farthest(one, other)):
        return Distance(farthest, 0)
    apart, alone = _apart(_real(one), _real(other))
    return Distance(float(apart.max(initial=0.0)), int(alone.sum()))


def _apart(one, other):
    """Return (the distances of elements finite in both, 0 elsewhere; a mask of elements that are
    NaN in only one, or infinite and not equal)."""
    is_finite = np.isfinite(one) & np.isfinite(other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    apart = np.zeros(one.shape)
    np.abs(np.subtract(one, other, where=is_finite, out=np.zeros_like(one)), out=apart)
    return apart, ~is_finite & ~same


def precision_of(dtypes):
    """Return the largest machine epsilon of the floating dtypes; 0.0 if there are none."""
    kinds = [d for d in dtypes if d.kind in "fcV"]
    return max((float(np.finfo(d).eps) if d.kind != "V" else 2.0**-7 for d in kinds), default=0.0)


def difference(expected, actual, precision, steps, spread=None):
    """Return the first `Difference` of results, or None.

    `precision`: the machine epsilon of the computation. `steps`: of the program, whose roundings
    accumulate like a random walk. `spread`: the `Distance` by which rounding alone may move each
    output, see `rounding.deviations`; None: unknown.
    """
    for k, one, other, bound in _compared(expected, actual, precision, steps, spread):
        differs = None if _is_near(one, other, bound) else _differs(one, other, bound)
        if differs is not None:
            return Difference(k, *differs)
    return None


def different(expected, actual, precision, steps, spread=None):
    """Return the indices of all results that differ; the parameters are those of `difference`."""
    indices = []
    for k, one, other, bound in _compared(expected, actual, precision, steps, spread):
        is_near = _is_near(one, other, bound)
        if is_near is None:
            is_near = _differs(one, other, bound) is None
        if not is_near:
            indices.append(k)
    return indices


class _Bound(NamedTuple):
    """The allowed distance of two elements: `relative` to the largest element, plus `absolute`.
    `others`: the number of elements that may be wrong by more."""

    relative: float
    absolute: float
    others: int


def _compared(expected, actual, precision, steps, spread):
    """Yield (index, expected array, found array, their `_Bound`)."""
    roundings = _ROUNDINGS + PER_STEP * math.sqrt(steps)
    for k, (one, other) in enumerate(zip(expected, actual, strict=True)):
        one, other = np.asarray(one), np.asarray(other)
        moved = Distance(0.0, 0) if spread is None else spread[k]
        absolute = _tiny(one.dtype) * roundings + _SPREAD * moved.largest
        yield k, one, other, _Bound(precision * roundings, absolute, _SPREAD * moved.others)


def _is_near(expected, actual, bound):
    """Return True if real elements are surely as close as required, False if they surely are not,
    None where `_farthest` does not decide."""
    if expected.dtype.kind != "f" or not expected.size:
        return None
    limit = bound.relative * max(float(expected.max()), -float(expected.min())) + bound.absolute
    farthest, slack = _farthest(expected, actual), 4 * float(np.finfo(expected.dtype).eps)
    if not (math.isfinite(limit) and math.isfinite(farthest)):
        return None
    is_clear = abs(farthest - limit) > slack * limit
    return farthest < limit if is_clear else None


def _differs(expected, actual, bound):
    """Return the other fields of the `Difference` of two arrays, or None."""
    if expected.dtype.kind not in "fcV":
        is_other = expected != actual
        apart = is_other.astype(np.float64)
    else:
        one, other = _real(expected), _real(actual)
        if np.array_equal(one, other):
            return None
        apart, is_other = _apart(one, other)
        finite = np.abs(one, where=np.isfinite(one), out=np.zeros(one.shape))
        is_far = apart > bound.relative * finite.max(initial=0.0) + bound.absolute
        if is_far.any():
            return _worst(expected, actual, is_far, apart)
    if is_other.sum() > bound.others:
        return _worst(expected, actual, is_other, is_other)
    return None


def _farthest(one, other):
    """Return the largest distance of real elements, rounded to their type; NaN or infinite if an
    element is. Computed in parts of `CHUNK` elements."""
    one, other = one.reshape(-1), other.reshape(-1)
    apart, farthest = np.empty(min(CHUNK, one.size), one.dtype), 0.0
    with np.errstate(all="ignore"):
        for start in range(0, one.size, CHUNK):
            ends = one[start : start + CHUNK], other[start : start + CHUNK]
            chunk = np.subtract(*ends, out=apart[: ends[0].size])
            farthest = np.maximum(farthest, np.abs(chunk, out=chunk).max())
    return float(farthest)


def _worst(expected, actual, which, weights):
    index = np.unravel_index(int(np.argmax(np.where(which, weights, 0))), expected.shape)
    index = tuple(map(int, index))
    return int(which.sum()), expected.size, index, actual[index], expected[index]


def _tiny(dtype):
    """Return the smallest normal number of a dtype; of float32 for bfloat16, 0 for integers."""
    if dtype.kind not in "fcV":
        return 0.0
    return float(np.finfo(dtype).tiny) if dtype.kind != "V" else 2.0**-126
