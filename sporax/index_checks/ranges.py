"""The ranges in which the indices of an operation must lie; `index_checks.checks` checks them."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax


class Range(NamedTuple):
    """The range `[low, size)` in which indices along an axis must lie; `low` None: `-size`.

    `other`: one more number that is right. `of`: what messages call the axis, if it is none.
    """

    indices: Any
    size: Any
    axis: int | None = None
    low: int | None = None
    other: int | None = None
    of: str = ""

    @property
    def lowest(self):
        """The first number that is right."""
        return -self.size if self.low is None else self.low

    def worst(self, status):
        """The index that a status which is not 0 tells of."""
        return self.lowest + status if status < 0 else self.size - 1 + status


def statuses(items):
    """For each `Range`, 0 where all its indices are right, else how far one of them is below
    (negative) or above, in one int64 array. Other items are such arrays themselves.

    Ranges of equally many indices are looked at in one pass, which reads them where they are (26
    columns of an array: 8 us in place of 28), and tells of the first of them that is wrong.
    """
    arrays = [item.indices if isinstance(item, Range) else item for item in items]
    xp: Any = np if all([isinstance(array, np.ndarray) for array in arrays]) else jnp
    groups: dict[Any, list] = {}
    for n, item in enumerate(items):
        groups.setdefault(_group(n, item, xp), []).append(n)
    parts = [_statuses(xp, key, [items[n] for n in members]) for key, members in groups.items()]
    if not parts:
        return xp.zeros(0, np.int64)
    sizes = [1 if isinstance(item, Range) else item.size for item in items]
    places = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    order = np.concatenate([places[n] for members in groups.values() for n in members])
    together = xp.concatenate(parts)
    return together if np.array_equal(order, np.arange(order.size)) else together[np.argsort(order)]


def _group(n, item, xp):
    """What ranges that share a pass have in common: the dtype to compute in, and the number of
    indices; statuses, and what is on the host, stand alone."""
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
    number, index = (_worst if len(items) == 1 else _first)(xp, items, wide)
    index = index.astype(np.int64)
    far = xp.where(index < low, index - low, index - size + 1)
    return xp.where(number == np.arange(len(items), 0, -1), far, np.int64(0))


def _wrong(xp, item, indices, wide):
    """Which indices are wrong: what lies below is very far above, for numbers without a sign."""
    unsigned = np.dtype(f"u{wide.itemsize}")
    far = (indices - np.asarray(item.lowest, wide)).astype(unsigned)
    wrong = far >= np.asarray(item.size - item.lowest, unsigned)
    return wrong if item.other is None else wrong & (indices != np.asarray(item.other, wide))


def _worst(xp, items, wide):
    """(1 if the range has a wrong index, the worst), in one reduction to a maximum."""
    (item,) = items
    low, unsigned = np.asarray(item.lowest, wide), np.dtype(f"u{wide.itemsize}")
    indices = item.indices.astype(wide)
    if item.other is not None:
        indices = xp.where(indices == np.asarray(item.other, wide), low, indices)
    worst = (indices - low).astype(unsigned).max().astype(wide) + low
    return _wrong(xp, item._replace(other=None), worst, wide), worst


def _first(xp, items, wide):
    """(the number of the first range that has a wrong index, counted down to 1, that index); 0 for
    none. One pass over all ranges together."""
    number = index = jnp.zeros(items[0].indices.size, wide)
    for n, item in enumerate(reversed(items), 1):
        indices = item.indices.reshape(-1).astype(wide)
        wrong = _wrong(xp, item, indices, wide)
        number, index = jnp.where(wrong, wide.type(n), number), jnp.where(wrong, indices, index)

    def earlier(one, other):
        is_one = one[0] >= other[0]
        return tuple([jnp.where(is_one, *pair) for pair in zip(one, other, strict=True)])

    return lax.reduce((number, index), (wide.type(0), wide.type(0)), earlier, (0,))
