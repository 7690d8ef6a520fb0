"""Converts an index `x[...]` to a pattern and operands.

An index is split into varying and constant parts. Integers, the starts of slices of constant
length, and arrays vary: they are operands. The other parts, one per axis, are the *pattern*, for
which there is one program. So `for i in range(1000): x[i]` compiles once, and so does `x[i : i +
16]`.
"""

import operator
from typing import NamedTuple

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message, rejection, require

# Parts of a pattern, besides slices and masks: an integer, a 0-d integer Tensor, an index array; a
# new axis (None or True), a new axis without elements (False).
INT, SCALAR, ARRAY, NEW, NONE = "int", "scalar", "array", "new axis", "no axis"
_WHOLE = slice(None)


class NoIndex(IndexError, TypeError):
    """An invalid index, or an index of a 0-d Tensor: an IndexError as NumPy and PyTorch raise, and
    the TypeError that MindSpore raises for a part of a tuple or list, and for a number.
    """


class WrongMask(IndexError, ValueError):
    """A mask of another shape: an IndexError as NumPy and PyTorch raise, and as MindSpore raises
    for a list, and the ValueError that MindSpore raises for a Tensor."""


class Span(NamedTuple):
    """A slice: its lowest index (None: an operand), its length, its step."""

    low: int | None
    length: int
    step: int


class MaskOf(NamedTuple):
    """A mask of `ndim` axes, to be multiplied in rather than counted."""

    ndim: int


class Parser:
    """Parses the index of one call. `where`: whether a mask may stay a mask."""

    def __init__(self, name, shape, where=False):
        self.name, self.shape, self.where = name, shape, where
        self.pattern, self.operands, self.axis = [], [], 0
        self.items, self.has_scalar_mask = (), False

    def parse(self, index):
        """Return (pattern, operands)."""
        items = items_of(index)
        taken = sum(map(_axes_of, items))
        if taken > (n := len(self.shape)):
            error = WrongMask if len(items) == 1 else IndexError
            error = error if self.shape else NoIndex
            limit = message("one-part") if n == 1 else message("several-parts", n=n)
            raise rejection(
                "index-at-most-parts", self.name, error,
                parts=limit, shape=self.shape, got=taken,
            )  # fmt: skip
        ellipses = sum(item is Ellipsis for item in items)
        require(ellipses <= 1, "index-at-most-one-ellipsis", self.name, got=ellipses)
        self.items = items
        for item in items:
            if item is Ellipsis:
                for _ in range(len(self.shape) - taken):
                    self._slice(slice(None))
            else:
                self._item(item)
        is_mixed = NONE in self.pattern and (ARRAY in self.pattern or SCALAR in self.pattern)
        require(not is_mixed, "false-not-mixed-index", self.name)
        return tuple(self.pattern), self.operands

    def _item(self, item):
        kind = item.__class__
        if kind is int:
            self._integer(item)
        elif kind is slice:
            self._slice(item)
        elif item is None:
            self.pattern.append(NEW)
        elif isinstance(item, (bool, np.bool_)):
            self._scalar_mask(item)
        elif isinstance(item, Tensor):
            self._tensor(item)
        elif isinstance(item, (list, tuple, range, np.ndarray)):
            self._array(item)
        elif isinstance(item, (int, np.integer)):
            self._integer(int(item))
        else:
            raise rejection(
                "index-integer-slice-none", self.name, got=kind.__name__, item=item, error=NoIndex
            )

    def _scalar_mask(self, is_true):
        """Add an axis for True, unless it is broadcast with an array of indices or another True."""
        if not (is_true and (self.has_scalar_mask or any(map(_is_array, self.items)))):
            self.pattern.append(NEW if is_true else NONE)
        self.has_scalar_mask = True

    def _integer(self, i):
        n = self.shape[self.axis]
        if not -n <= i < n:
            raise rejection(
                "index-dimension", self.name, axis=self.axis, value=-n, n=n, got=i, shape=self.shape
            )
        self._take(INT, i + n if i < 0 else i)

    def _slice(self, item):
        n = self.shape[self.axis]
        if item == _WHOLE:  # `n` may be symbolic
            self.pattern.append(Span(0, n, 1))
            self.axis += 1
            return
        for bound in (item.start, item.stop, item.step):
            is_bound = bound is None or hasattr(bound, "__index__")
            require(is_bound, "bounds-slice-integers-none", self.name, got=bound)
        require(item.step is None or operator.index(item.step) != 0, "step-slice-not-0", self.name)
        start, stop, step = item.indices(n)
        length = len(range(start, stop, step))
        low = start if step > 0 or not length else start + (length - 1) * step
        # If both bounds are given, from the same side, they may move together from call to call. If
        # one is omitted, the length changes with the other.
        moving = (
            0 < length < n
            and item.start is not None
            and item.stop is not None
            and (item.start < 0) == (item.stop < 0)
        )
        if moving:
            self._take(Span(None, length, step), low)
        else:
            self.pattern.append(Span(low if length else 0, length, step))
            self.axis += 1

    def _tensor(self, item):
        aval = item._value.aval
        if aval.dtype.kind == "b":
            if self.where:
                self._fits(aval.shape)
                self.pattern.append(MaskOf(aval.ndim))
                self.operands.append(item)
                self.axis += aval.ndim
            elif aval.ndim:
                self._mask(item.asnumpy())
            else:
                self._item(bool(item))
        elif aval.dtype.kind in "iu":
            self._take(ARRAY if aval.ndim else SCALAR, item)
        else:
            raise rejection("index-tensor-integer-dtype", self.name, got=item.dtype, error=NoIndex)

    def _array(self, item):
        array = numbers_of(item)
        if array.dtype.kind == "b":
            if self.where:
                self._tensor(Tensor(array))
            else:
                self._mask(array)
            return
        is_index, got = array.dtype.kind in "iu", array.dtype
        require(is_index, "index-array-hold-integers", self.name, NoIndex, got=got, item=item)
        n = self.shape[self.axis]
        wrong = array[(array < -n) | (array >= n)]
        if wrong.size:
            raise rejection(
                "indices-dimension", self.name,
                axis=self.axis, value=-n, n=n, got=wrong.flat[0], shape=self.shape,
            )  # fmt: skip
        self._take(ARRAY, np.where(array < 0, array + n, array))

    def _mask(self, mask):
        self._fits(mask.shape)
        for indices in np.nonzero(mask):
            self._take(ARRAY, indices)

    def _fits(self, mask):
        axes = self.shape[self.axis : self.axis + len(mask)]
        fits, rule = mask == axes, "mask-shape-dimensions-stands"
        require(fits, rule, self.name, WrongMask, axes=axes, got=mask)

    def _take(self, entry, operand):
        self.pattern.append(entry)
        self.operands.append(operand)
        self.axis += 1


def items_of(index):
    """Return an index as a tuple of parts. A list counts as one (as in MindSpore) if it holds
    anything but numbers."""
    if isinstance(index, list) and not all(
        isinstance(i, (int, np.integer, np.bool_)) for i in index
    ):
        return tuple(index)
    return index if isinstance(index, tuple) else (index,)


def _axes_of(item):
    """Return the number of dimensions that an item of an index covers."""
    if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)):
        return 0
    if isinstance(item, Tensor):
        return item.ndim if item._value.aval.dtype.kind == "b" else 1
    if isinstance(item, (list, tuple, np.ndarray)):
        array = numbers_of(item)
        return array.ndim if array.dtype.kind == "b" else 1
    return 1


def _is_array(item):
    """Return True for an index that is an array, not a number."""
    return isinstance(item, (list, tuple, range)) or getattr(item, "ndim", 0) > 0


def numbers_of(item):
    """Convert a list or tuple of integers, bools or Tensors of them to a NumPy array; of dtype
    object if its rows differ in length."""
    if isinstance(item, (list, tuple)):
        item = [i.asnumpy() if isinstance(i, Tensor) else i for i in item]
        try:
            return np.asarray(item) if item else np.zeros(0, np.int64)
        except ValueError:
            return np.fromiter(item, object, len(item))
    return np.asarray(item)
