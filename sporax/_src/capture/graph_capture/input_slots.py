"""Handles that a graph reads or writes on each call."""

import copy
from typing import Any

from sporax._src.core.value import Value


class InputSlots:
    """Handles, some of which are arguments of each call: `slots` is {id of the handle at capture:
    position among a call's Tensors}."""

    def __init__(self, handles, slots):
        self.slots = [(k, slots[id(h)]) for k, h in enumerate(handles) if id(h) in slots]
        # an argument's Tensor is not kept alive; a Value is a constant
        self.handles: list[Any] = [
            None if id(h) in slots else _Constant(h) if isinstance(h, Value) else h for h in handles
        ]

    def handles_for(self, tensors):
        """Return the handles for a call with these Tensors in its arguments."""
        handles = self.handles.copy()
        for k, position in self.slots:
            handles[k] = tensors[position]
        return handles

    def some(self, positions):
        """Return the `InputSlots` of the handles at these positions."""
        slots, chosen = dict(self.slots), copy.copy(self)
        chosen.handles = [self.handles[k] for k in positions]
        chosen.slots = [(i, slots[k]) for i, k in enumerate(positions) if k in slots]
        return chosen

    def state(self):
        """Return the handles that are not arguments."""
        return [h for h in self.handles if h is not None]


class _Constant:
    """A handle with the same Value on each call."""

    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = value
