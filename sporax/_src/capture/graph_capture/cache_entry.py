"""`CacheEntry`: one capture of a function, with guards for its reuse."""

from typing import Any

from sporax._src.core.tree import flatten, unflatten
from sporax._src.core.value import Changes
from sporax._src.runtime.engine.recorder import wrap


class CacheEntry:
    """A graph, the containers of its result, and the guards of both.

    `tensors`: the Tensors in the arguments at capture; `scalars`: the `ScalarArguments`.
    `is_spent`: True if later calls cannot use it because the function changed what it depends on.
    """

    __slots__ = (
        "_checked", "_first_results", "_is_spent", "dependence", "graph", "memory", "pinned",
        "scalars", "treedef",
    )  # fmt: skip

    def __init__(self, graph, result, dependence, tensors, scalars, is_spent):
        self.graph, self.dependence, self.scalars = graph, dependence, scalars
        results, self.treedef = flatten(result)
        # The function may have stored Tensors of its result, which have no arrays yet: the first
        # call returns the same Tensor objects.
        self._first_results: Any = [t if t._value.array is None else None for t in results]
        # (position, Tensor) of arguments that the function also reaches in another way
        self.pinned = [(i, t) for i, t in enumerate(tensors) if id(t) in dependence.tensors]
        self._checked, self._is_spent = -1, is_spent
        self.memory = self._shared_memory(tensors)

    def inputs(self, tensors, numbers):
        """Return the inputs of the graph for these Tensors and numbers of a call's arguments, as
        Tensors; None if a guard fails."""
        if not self._guards_hold(tensors):
            return None
        if not numbers:
            return tensors
        scalars = self.scalars.tensors(numbers)
        return None if scalars is None else tensors + scalars

    def _guards_hold(self, tensors):
        state = self.graph.state
        if self._is_spent or (state and not state.isdisjoint(map(id, tensors))):
            return False
        if self.pinned and any(tensors[i] is not t for i, t in self.pinned):
            return False
        if self._shared_memory(tensors) != self.memory:
            return False
        if self.dependence.changed() is not None:
            return False
        if self._checked != Changes.count:
            if not self.graph.is_valid() or self.dependence.restructured() is not None:
                return False
            self._checked = Changes.count
        return True

    def _shared_memory(self, tensors):
        """Return which arguments share memory, if the graph writes to a tensor."""
        return self.graph.sharing.between(tensors)

    def __call__(self, inputs, host_results=()):
        """Compute the result for the inputs of a call; `host_results`: see `CapturedGraph`."""
        values = self.graph(inputs, host_results)
        sizes = self.graph.concrete_sizes(inputs) if self.graph.returns_sizes else None
        if self._first_results is None:
            return unflatten(self.treedef, map(wrap, values), sizes)
        results, self._first_results = self._first_results, None
        for i, value in enumerate(values):
            if results[i] is None:
                results[i] = wrap(value)
            else:
                results[i]._value = value
        return unflatten(self.treedef, results, sizes)
