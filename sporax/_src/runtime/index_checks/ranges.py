"""The valid ranges of an operation's indices and numbers; `index_checks.checks` checks them."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.diagnosis.rules import message, rejection
from sporax._src.runtime.index_checks.deferred import OutOfRange


class Range(NamedTuple):
    """The range `[low, size)` in which indices along an axis must lie; `low` None: `-size`.

    `other`: one more valid index. `span`: the phrase that replaces "along axis ..." in messages.
    """

    indices: Any
    size: Any
    axis: int | None = None
    low: int | None = None
    other: int | None = None
    span: str = ""

    @property
    def lowest(self):
        """The smallest valid index."""
        return -self.size if self.low is None else self.low

    def worst(self, status):
        """Return the index out of range for a nonzero status."""
        return self.lowest + status if status < 0 else self.size - 1 + status

    def error(self, who, what, status, location):
        """Return the error for a nonzero status of the indices `what` at a user line."""
        whole = message(self.span or "along-axis", axis=self.axis)
        return rejection(
            "must-be-in-index-range", who, OutOfRange, what=_named(what), size=self.size,
            lowest=self.lowest, whole=whole, got=self.worst(status), place=location,
        )  # fmt: skip


def _named(what):
    return what or message("the-indices")


class Interval(NamedTuple):
    """The interval `[low, high]` around 0 in which an operation's numbers (`indices`) must lie; NaN
    passes. `remedy`: the rule of the remedy in the message."""

    indices: Any
    low: float
    high: float
    remedy: str

    def status(self, xp):
        """Return the status of the numbers: 0 if all are valid, else the bits of one that is
        not, as a Float64."""
        if not self.indices.size:
            return xp.zeros((), np.int64)
        above = xp.where(self.indices > self.high, self.indices, self.high).max()
        below = xp.where(self.indices < self.low, self.indices, self.low).min()
        worst = xp.where(above > self.high, above, below).astype(np.float64)
        bits = worst.view(np.int64) if xp is np else lax.bitcast_convert_type(worst, np.int64)
        return xp.where((above > self.high) | (below < self.low), bits, np.int64(0))

    def error(self, who, what, status, location):
        """Return the error for a nonzero status of the numbers `what` at a user line."""
        got = np.int64(status).view(np.float64)
        return rejection(
            "must-be-in-interval", who, what=_named(what), low=self.low, high=self.high,
            got=float(got), place=location, remedy=message(self.remedy),
        )  # fmt: skip


def statuses(items):
    """Return the status of each `Range`, in one int64 array: 0 if all its indices are valid, else
    the distance of one of them below (negative) or above the range. Array items are statuses
    already; an `Interval` has its own.

    Ranges with the same number of indices share one pass, which reads them in place (26 columns of
    an array: 8 us instead of 28); it reports only the first range with an invalid index.
    """
    arrays = [item.indices if isinstance(item, (Range, Interval)) else item for item in items]
    xp: Any = np if all([isinstance(array, np.ndarray) for array in arrays]) else jnp
    items = [item.status(xp) if isinstance(item, Interval) else item for item in items]
    groups: dict[Any, list] = {}
    for n, item in enumerate(items):
        groups.setdefault(_group(n, item, xp), []).append(n)
    computed = [_statuses(xp, key, [items[n] for n in members]) for key, members in groups.items()]
    if not computed:
        return xp.zeros(0, np.int64)
    sizes = [1 if isinstance(item, Range) else item.size for item in items]
    positions = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    order = np.concatenate([positions[n] for members in groups.values() for n in members])
    together = xp.concatenate(computed)
    return together if np.array_equal(order, np.arange(order.size)) else together[np.argsort(order)]


def _group(n, item, xp):
    """Return the key of the ranges that share a pass: the dtype to compute in and the number of
    indices. Statuses, and indices on the host, each have a separate pass."""
    if not isinstance(item, Range):
        return None, n
    wide = np.promote_types(item.indices.dtype, np.int32)
    if wide.kind == "u" or xp is np or item.size - item.lowest > np.iinfo(wide).max:
        wide = np.dtype(np.int64)
    return wide, n if xp is np else item.indices.size


def _statuses(xp, key, items):
    if not isinstance(items[0], Range):
        return items[0].reshape(-1)
    wide = key[0]
    if not items[0].indices.size:
        return xp.zeros(len(items), np.int64)
    low = np.array([item.lowest for item in items], np.int64)
    size = np.array([item.size for item in items], np.int64)
    rank, index = (_worst if len(items) == 1 else _first)(xp, items, wide)
    index = index.astype(np.int64)
    far = xp.where(index < low, index - low, index - size + 1)
    return xp.where(rank == np.arange(len(items), 0, -1), far, np.int64(0))


def _invalid(xp, item, indices, wide):
    """Return the mask of invalid indices with one unsigned comparison: negatives become large."""
    unsigned = np.dtype(f"u{wide.itemsize}")
    far = (indices - np.asarray(item.lowest, wide)).astype(unsigned)
    invalid = far >= np.asarray(item.size - item.lowest, unsigned)
    return invalid if item.other is None else invalid & (indices != np.asarray(item.other, wide))


def _worst(xp, items, wide):
    """Return (1 if the range has an invalid index, the worst index), with one max reduction."""
    (item,) = items
    low, unsigned = np.asarray(item.lowest, wide), np.dtype(f"u{wide.itemsize}")
    indices = item.indices.astype(wide)
    if item.other is not None:
        indices = xp.where(indices == np.asarray(item.other, wide), low, indices)
    worst = (indices - low).astype(unsigned).max().astype(wide) + low
    return _invalid(xp, item._replace(other=None), worst, wide), worst


def _first(xp, items, wide):
    """Return (rank of the first range with an invalid index, that index): the first range has rank
    `len(items)`, the last 1; 0 for none. One pass over all ranges."""
    rank = index = jnp.zeros(items[0].indices.size, wide)
    for n, item in enumerate(reversed(items), 1):
        indices = item.indices.reshape(-1).astype(wide)
        invalid = _invalid(xp, item, indices, wide)
        rank, index = jnp.where(invalid, wide.type(n), rank), jnp.where(invalid, indices, index)

    def earlier(one, other):
        is_one = one[0] >= other[0]
        return tuple([jnp.where(is_one, *pair) for pair in zip(one, other, strict=True)])

    return lax.reduce((rank, index), (wide.type(0), wide.type(0)), earlier, (0,))
