"""Where a graph finds its inputs, and puts what it writes, at each call."""

from typing import Any

from sporax.core.value import Value


class InputSlots:
    """Handles, some of which come with each call: those in `slots` {id: number in the call's}."""

    def __init__(self, handles, slots):
        self.slots = [(k, slots[id(h)]) for k, h in enumerate(handles) if id(h) in slots]
        # the Tensor of the capture is not kept; a Value is a constant
        self.things: list[Any] = [
            None if id(h) in slots else _Constant(h) if isinstance(h, Value) else h for h in handles
        ]

    def of(self, tensors):
        """The handles for a call with these tensors."""
        handles = self.things.copy()
        for k, place in self.slots:
            handles[k] = tensors[place]
        return handles

    def state(self):
        """Those that do not come with a call."""
        return [h for h in self.things if h is not None]


class _Constant:
    """What has the same Value at each call."""

    __slots__ = ("_value",)

    def __init__(self, value):
        self._value = value
