"""Which sizes of a call's Tensors vary, and which of them together."""

import functools
import itertools
from typing import Any

from jax.export import SymbolicScope

from sporax.core.jax_internals import compared_dims
from sporax.core.tree import tensors_of
from sporax.core.value import Aval, Unsized
from sporax.engine.compile_log import channel, tell
from sporax.graph_capture.dynamic_shapes.symbolic_dims import size_at

MOST = 8  # sizes that vary independently of each other
SMALLEST = 2  # of the sizes that share a program: axes of size 1 broadcast, and of size 0 are empty
_NAMES = [f"size{i}" for i in range(MOST)]
SYMBOLS = compared_dims(_NAMES, SymbolicScope([f"{name} >= {SMALLEST}" for name in _NAMES]))


class Sizes:
    """Which sizes in a call's Tensors are which symbol: `symbols` is {(Tensor, axis): number}.

    `compared`: pairs of sizes that a function took to differ; see `Comparisons`.
    """

    def __init__(self, symbols):
        self.symbols, self.compared = symbols, set()

    def aval(self, i, aval):
        """The aval of Tensor `i` with symbols for the sizes that vary."""
        shape = [
            SYMBOLS[self.symbols[i, axis]] if (i, axis) in self.symbols else size
            for axis, size in enumerate(aval.shape)
        ]
        return Aval.of(tuple(shape), aval.dtype, aval.weak)

    def of(self, tensors):
        """The size of each symbol in a call."""
        found = {_NAMES[k]: tensors[i].shape[axis] for (i, axis), k in self.symbols.items()}
        return dict(sorted(found.items()))

    def fit(self, tensors):
        """Whether these sizes may share a program with others."""
        sizes = self.of(tensors)
        return min(sizes.values()) >= SMALLEST and all(
            size_at(one, sizes) != size_at(other, sizes) for one, other in self.compared
        )


class Spread:
    """Which axes of a call's Tensors vary, as found in the calls so far.

    `declared`: what `set_inputs` was given, or None where every axis may. Axes that had the same
    sizes in all calls are one symbol.
    """

    def __init__(self, tensors, declared):
        shapes = [t.shape for t in tensors]
        self.may = _declared(declared, shapes)
        self.history: dict[Any, Any] = {place: (size,) for place, size in _places(shapes)}
        self.axes = {place for place in self.history if self.may.get(place)}
        self.sizes = self._symbols()

    def meet(self, tensors):
        """The `Sizes` that hold for these Tensors too: other ones, if they bring something new."""
        places = list(_places([t.shape for t in tensors]))
        symbols, by_symbol = self.sizes.symbols, {}
        for place, size in places:
            by_symbol.setdefault(symbols.get(place, place), set()).add(size)
        new = {p for p, n in places if p in self.may and n != self.history[p][0]} - self.axes
        if new or any(len(sizes) > 1 for sizes in by_symbol.values()):
            for place, size in places:
                self.history[place] += (size,)
            self.axes |= new
            self.sizes = self._symbols()
        return self.sizes

    def _symbols(self):
        numbers = {}
        return Sizes({
            place: numbers.setdefault(self.history[place], len(numbers))
            for place in sorted(self.axes)
        })  # fmt: skip


def _places(shapes):
    for i, shape in enumerate(shapes):
        for axis, size in enumerate(shape):
            yield (i, axis), size


def _declared(declared, shapes):
    """{(Tensor, axis): True if it varies from the beginning, False if it may be found to}."""
    found = {place: False for place, _ in _places(shapes)}
    if declared is None:
        return found
    given = [t._value.aval.shape for t in tensors_of(declared)]
    if len(given) != len(shapes):
        return {}
    for i, shape in enumerate(given):
        for axis in range(len(shapes[i])) if shape != (-2,) else ():
            if axis < len(shape) and shape[axis] == -1:
                found[i, axis] = True
            else:
                del found[i, axis]
    return found


def declared_inputs(function, args):
    """What the Cell that is called was told with `set_inputs`, if sizes are unknown in it."""
    if isinstance(function, functools.partial):
        function = function.args[0] if function.args else None
    for cell in (function, getattr(function, "__self__", None), *args[:1]):
        declared = getattr(cell, "__dict__", {}).get("_inputs")
        if declared and any(t._value.__class__ is Unsized for t in tensors_of(declared)):
            return declared
    return None


class Shapes:
    """The sizes in the arguments of one captured function, and what is known of how they vary.

    `declared`: see `Spread`.
    """

    def __init__(self, declared):
        self.declared = declared
        self.spreads = {}  # kind of arguments, less sizes -> Spread
        self.refused = {}  # kind with symbols -> why it has a program for each size

    def loosened(self, kind, tensors):
        """(the kind of arguments with symbols for sizes that vary, these `Sizes`)."""
        if any(t._value.aval.weak for t in tensors):  # mutable numbers
            return kind, None
        ranks = _replaced(kind, lambda a: (a.ndim, a.dtype, a.weak))
        spread = self.spreads.get(ranks)
        if spread is None:
            spread = self.spreads[ranks] = Spread(tensors, self.declared)
        sizes = spread.meet(tensors)
        if not sizes.symbols or max(sizes.symbols.values()) >= MOST or not sizes.fit(tensors):
            return kind, None
        count = itertools.count()
        loose = _replaced(kind, lambda a: sizes.aval(next(count), a))
        return (kind, None) if loose in self.refused else (loose, sizes)

    def refuse(self, kind, error, who):
        """From now on each size of these arguments has a program of its own, because of an error
        in recording them all at once."""
        if isinstance(error, Misfit):  # this size only
            return
        line = str(error).strip().split("\n")[0] if error.args else type(error).__name__
        self.refused[kind] = line
        if channel.is_on:
            tell(f"{who} has a program for each size of its arguments: {line}")


class Misfit(Exception):
    """A function treats the sizes of a call in another way than others."""


def _replaced(key, new):
    """A kind of arguments with something else for each aval of a Tensor."""
    if isinstance(key, Aval):
        return new(key)
    return tuple([_replaced(k, new) for k in key]) if key.__class__ is tuple else key
