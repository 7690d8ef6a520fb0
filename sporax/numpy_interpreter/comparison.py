"""Results of one program compared with those of another that computes the same.

Whole numbers, masks, NaN and infinities must be equal. The distance of floating numbers is measured
by the largest number of the array: an element that is small by cancellation has an error of that
size, whoever computes it.
"""

import math
from typing import Any, NamedTuple

import numpy as np

PER_STEP = 4  # units in the last place, times the root of the number of steps
_ROUNDINGS, _SPREAD = 16, 8


class Distance(NamedTuple):
    """How far two arrays are apart: the largest distance of finite numbers, and the number of
    elements of which this says nothing: whole numbers that differ, NaN or infinite in one alone."""

    largest: float
    others: int


class Difference(NamedTuple):
    """An output that is not as expected: its index, how many of its elements, the place of the
    worst one, what it is and what is expected there."""

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
    """An array of floating numbers as one of float64 or complex128, any other as it is."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    return array.astype(np.float64) if array.dtype.kind in "fV" else array


def distance(one, other):
    """The `Distance` of two arrays of one shape and dtype."""
    if one.dtype.kind not in "fcV":
        return Distance(0.0, int((one != other).sum()))
    apart, alone = _apart(_real(one), _real(other))
    return Distance(float(apart.max(initial=0.0)), int(alone.sum()))


def _apart(one, other):
    """(the distances of elements finite in both, 0 elsewhere; which elements are NaN in one alone,
    or infinite and not equal)"""
    is_finite = np.isfinite(one) & np.isfinite(other)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    apart = np.zeros(one.shape)
    np.abs(np.subtract(one, other, where=is_finite, out=np.zeros_like(one)), out=apart)
    return apart, ~is_finite & ~same


def precision_of(dtypes):
    """The unit roundoff of the shortest floating dtype among some."""
    kinds = [d for d in dtypes if d.kind in "fcV"]
    return max((float(np.finfo(d).eps) if d.kind != "V" else 2.0**-7 for d in kinds), default=0.0)


def difference(expected, found, precision, steps, spread=None):
    """The first `Difference` of results, or None.

    `precision`: the unit roundoff of what they were computed in. `steps`: of the program, whose
    roundings add up like a random walk. `spread`: how far rounding alone may move each output, see
    `rounding.deviations`; None: not known.
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


def _worst(expected, found, which, weights):
    place = np.unravel_index(int(np.argmax(np.where(which, weights, 0))), expected.shape)
    place = tuple(map(int, place))
    return int(which.sum()), expected.size, place, found[place], expected[place]


def _tiny(dtype):
    return float(np.finfo(dtype).tiny) if dtype.kind in "fc" else 2.0**-126
