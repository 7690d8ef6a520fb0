"""The ranges in which the indices of an operation must lie; `engine.bounds` checks them."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np


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

    def status(self):
        """0 where all indices are right, else how far the worst is below (negative) or above."""
        indices, low = self.indices, self.lowest
        xp: Any = np if isinstance(indices, np.ndarray) else jnp
        if not indices.size:
            return xp.zeros((), np.int64)
        wide = np.promote_types(indices.dtype, np.int32)
        wide = np.dtype(np.int64) if wide.kind == "u" or xp is np else wide
        indices = indices.astype(wide)
        if self.other is not None:
            indices = xp.where(indices == self.other, low, indices)
        # one reduction: what lies below is very far above, for numbers without a sign
        unsigned = np.dtype(f"u{wide.itemsize}")
        worst = (indices - np.asarray(low, wide)).astype(unsigned).max()
        found = (worst.astype(wide) + np.asarray(low, wide)).astype(np.int64)
        far = xp.where(found < low, found - low, found - self.size + 1)
        return xp.where(worst >= np.asarray(self.size - low, unsigned), far, np.int64(0))
