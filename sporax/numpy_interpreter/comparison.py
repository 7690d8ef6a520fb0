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
_PART = 2**15  # elements compared at once


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
    place: tuple
    found: Any
    expected: Any

    def __str__(self):
        at = f" at {self.place}" if self.place else ""
        return (
            f"{self.count} of {self.size} elements differ, the worst{at}: {self.found!s} in place "
            f"of {self.expected!s}"
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


def difference(expected, found, precision, steps, spread=None):
    """Return the first `Difference` of results, or None.

    `precision`: the machine epsilon of the computation. `steps`: of the program, whose roundings
    accumulate like a random walk. `spread`: the `Distance` by which rounding alone may move each
    output, see `rounding.deviations`; None: unknown.
    """
    for k, (one, other) in enumerate(zip(expected, found, strict=True)):
        moved = Distance(0.0, 0) if spread is None else spread[k]
        roundings = _ROUNDINGS + PER_STEP * math.sqrt(steps)
        differs = _differs(np.asarray(one), np.asarray(other), precision, roundings, moved)
        if differs is not None:
            return Difference(k, *differs)
    return None


def _differs(expected, found, precision, roundings, moved):
    if expected.dtype.kind not in "fcV":
        is_other = expected != found
        apart = is_other.astype(np.float64)
    else:
        if _is_within(expected, found, precision * roundings, _SPREAD * moved.largest):
            return None
        one, other = _real(expected), _real(found)
        if np.array_equal(one, other):
            return None
        apart, is_other = _apart(one, other)
        finite = np.abs(one, where=np.isfinite(one), out=np.zeros(one.shape))
        limit = precision * roundings * finite.max(initial=0.0) + _tiny(expected.dtype) * roundings
        is_far = apart > limit + _SPREAD * moved.largest
        if is_far.any():
            return _worst(expected, found, is_far, apart)
    if is_other.sum() > _SPREAD * moved.others:
        return _worst(expected, found, is_other, is_other)
    return None


def _is_within(expected, found, relative, absolute):
    """Return True if real elements are surely as close as required. Computed in parts that stay in
    the processor's cache; False where that does not decide: for NaN, infinities, other types."""
    if expected.dtype.kind != "f" or not expected.size:
        return False
    expected, found = expected.reshape(-1), found.reshape(-1)
    with np.errstate(all="ignore"):
        largest = max(float(expected.max()), -float(expected.min()))
        limit = (relative * largest + absolute) * (1 - 4 * float(np.finfo(expected.dtype).eps))
        apart = np.empty(min(_PART, expected.size), expected.dtype)
        for start in range(0, expected.size, _PART):
            one, other = expected[start : start + _PART], found[start : start + _PART]
            rest = np.subtract(one, other, out=apart[: one.size])
            if not float(np.abs(rest, out=rest).max()) <= limit:
                return False
    return math.isfinite(largest)


def _worst(expected, found, which, weights):
    place = np.unravel_index(int(np.argmax(np.where(which, weights, 0))), expected.shape)
    place = tuple(map(int, place))
    return int(which.sum()), expected.size, place, found[place], expected[place]


def _tiny(dtype):
    return float(np.finfo(dtype).tiny) if dtype.kind in "fc" else 2.0**-126
