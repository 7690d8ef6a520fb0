"""One capture of a function, and when it serves a call."""

from typing import Any

from sporax.core.tree import map_tensors, tensors_of, with_tensors
from sporax.core.value import Changes
from sporax.engine.recorder import wrap


class CacheEntry:
    """A graph, the shape of its result, and what both depend on.

    `tensors`: those in the arguments at capture; `numbers`: the numbers there, see `Numbers`.
    `is_spent`: whether it serves one call only, since the function changed what it depends on.
    """

    __slots__ = (
        "_checked",
        "_fresh",
        "_is_spent",
        "_shape",
        "dependence",
        "graph",
        "memory",
        "numbers",
        "pinned"
    )  # fmt: skip

    def __init__(self, graph, result, dependence, tensors, numbers, is_spent):
        self.graph, self.dependence, self.numbers = graph, dependence, numbers
        self._shape = map_tensors(lambda _: _PLACE, result)
        # the Tensors that the function itself returned, where somebody may hold them who has no
        # numbers for them yet: the first call returns them
        self._fresh: Any = [t if t._value.array is None else None for t in tensors_of(result)]
        # (place, Tensor) of arguments that the function could also reach in another way
        self.pinned = [(i, t) for i, t in enumerate(tensors) if id(t) in dependence.tensors]
        self._checked, self._is_spent = -1, is_spent
        self.memory = self._memory(tensors)

    def serves(self, tensors, given):
        """Whether it serves a call now; `tensors` and `given`: those, and the numbers, in its
        arguments. The numbers that the graph takes join the Tensors."""
        if not self._holds(tensors):
            return False
        if given:
            inputs = self.numbers.tensors(given)
            if inputs is None:
                return False
            tensors += inputs
        return True

    def _holds(self, tensors):
        state = self.graph.state
        if self._is_spent or any(id(t) in state for t in tensors):
            return False
        if any(tensors[i] is not t for i, t in self.pinned):
            return False
        if self._memory(tensors) != self.memory:
            return False
        if self.dependence.changed() is not None:
            return False
        if self._checked != Changes.count:
            if not self.graph.holds():
                return False
            self._checked = Changes.count
        return True

    def _memory(self, tensors):
        """Which arguments share memory, where that matters: the graph writes to some tensor."""
        return self.graph.sharing.between(tensors)

    def __call__(self, tensors, memo=()):
        """The result for the Tensors of a call; `memo`: what calls on the host have returned."""
        values = self.graph(tensors, memo) if memo else self.graph(tensors)
        if self._fresh is None:
            return with_tensors(self._shape, map(wrap, values))
        made, self._fresh = self._fresh, None
        for i, value in enumerate(values):
            if made[i] is None:
                made[i] = wrap(value)
            else:
                made[i]._value = value
        return with_tensors(self._shape, made)


_PLACE = wrap(None)  # stands for a Tensor in the shape of a result
