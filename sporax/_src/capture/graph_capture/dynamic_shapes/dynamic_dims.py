"""Dynamic axes of a call's Tensors, and the symbol of each."""

import functools
import itertools
from typing import Any

from jax.export import SymbolicScope

from sporax._src.capture.graph_capture.dynamic_shapes.symbolic_dims import size_at
from sporax._src.core.jax_internals import compared_dims
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import Aval, UnknownShape
from sporax._src.runtime.engine.debug.compile_log import channel, log

MAX_SYMBOLS = 8  # sizes that vary independently of each other
MIN_SIZE = 2  # of sizes that share a program: axes of size 1 broadcast, axes of size 0 are empty
_NAMES = [f"size{i}" for i in range(MAX_SYMBOLS)]
SYMBOLS = compared_dims(_NAMES, SymbolicScope([f"{name} >= {MIN_SIZE}" for name in _NAMES]))


class Sizes:
    """The symbols of the dynamic sizes of a call's Tensors: `symbols` is {(Tensor index, axis):
    symbol index}.

    `compared`: pairs of sizes that a function assumed to differ; see `Comparisons`.
    """

    def __init__(self, symbols):
        self.symbols, self.compared = symbols, set()

    def aval(self, i, aval):
        """Return the aval of Tensor `i` with symbols for its dynamic sizes."""
        shape = [
            SYMBOLS[self.symbols[i, axis]] if (i, axis) in self.symbols else size
            for axis, size in enumerate(aval.shape)
        ]
        return Aval.intern(tuple(shape), aval.dtype, aval.weak)

    def evaluate(self, tensors):
        """Return the size of each symbol in a call."""
        sizes = {_NAMES[k]: tensors[i].shape[axis] for (i, axis), k in self.symbols.items()}
        return dict(sorted(sizes.items()))

    def fit(self, tensors):
        """Return True if these sizes may share a program with others."""
        sizes = self.evaluate(tensors)
        return min(sizes.values()) >= MIN_SIZE and all(
            size_at(a, sizes) != size_at(b, sizes) for a, b in self.compared
        )


class ObservedShapes:
    """Dynamic axes of a call's Tensors, as observed in the calls so far.

    `declared`: the inputs passed to `set_inputs`, or None if every axis may be dynamic. Axes that
    had the same sizes in all calls share a symbol.
    """

    def __init__(self, tensors, declared):
        shapes = [t.shape for t in tensors]
        self.may_vary = _declared(declared, shapes)
        self.history: dict[Any, Any] = {dim: (size,) for dim, size in _dims(shapes)}
        self.axes = {dim for dim in self.history if self.may_vary.get(dim)}
        self.sizes = self._symbols()

    def observe(self, tensors):
        """Return `Sizes` that cover these Tensors; new ones if another axis is found dynamic."""
        dims = list(_dims([t.shape for t in tensors]))
        symbols, by_symbol = self.sizes.symbols, {}
        for dim, size in dims:
            by_symbol.setdefault(symbols.get(dim, dim), set()).add(size)
        new = {p for p, n in dims if p in self.may_vary and n != self.history[p][0]} - self.axes
        if new or any(len(sizes) > 1 for sizes in by_symbol.values()):
            for dim, size in dims:
                self.history[dim] += (size,)
            self.axes |= new
            self.sizes = self._symbols()
        return self.sizes

    def _symbols(self):
        numbers = {}
        return Sizes({
            dim: numbers.setdefault(self.history[dim], len(numbers))
            for dim in sorted(self.axes)
        })  # fmt: skip


def _dims(shapes):
    for i, shape in enumerate(shapes):
        for axis, size in enumerate(shape):
            yield (i, axis), size


def _declared(declared, shapes):
    """Return {(Tensor, axis): True if declared dynamic, False if it may become dynamic}."""
    sizes = {dim: False for dim, _ in _dims(shapes)}
    if declared is None:
        return sizes
    declared_shapes = [t._value.aval.shape for t in tensors_of(declared)]
    if len(declared_shapes) != len(shapes):
        return {}
    for i, shape in enumerate(declared_shapes):
        for axis in range(len(shapes[i])) if shape != (-2,) else ():
            if axis < len(shape) and shape[axis] == -1:
                sizes[i, axis] = True
            else:
                del sizes[i, axis]
    return sizes


def declared_inputs(function, args):
    """Return the inputs declared by `set_inputs` of the called Cell, if any size is unknown."""
    if isinstance(function, functools.partial):
        function = function.args[0] if function.args else None
    for cell in (function, getattr(function, "__self__", None), *args[:1]):
        declared = getattr(cell, "__dict__", {}).get("_inputs")
        if declared and any(t._value.__class__ is UnknownShape for t in tensors_of(declared)):
            return declared
    return None


class Shapes:
    """The dynamic sizes in the arguments of one captured function.

    `declared`: see `ObservedShapes`.
    """

    def __init__(self, declared):
        self.declared = declared
        self.observed = {}  # kind of arguments without sizes -> ObservedShapes
        self.refused = {}  # kind with symbols -> why it needs one program per size

    def with_symbols(self, kind, tensors):
        """Return (kind of arguments with symbols for dynamic sizes, their `Sizes` or None)."""
        if any(t._value.aval.weak for t in tensors):  # mutable numbers
            return kind, None
        without_sizes = _with_avals(kind, lambda a: (a.ndim, a.dtype, a.weak))
        observed = self.observed.get(without_sizes)
        if observed is None:
            observed = self.observed[without_sizes] = ObservedShapes(tensors, self.declared)
        sizes = observed.observe(tensors)
        if (
            not sizes.symbols
            or max(sizes.symbols.values()) >= MAX_SYMBOLS
            or not sizes.fit(tensors)
        ):
            return kind, None
        count = itertools.count()
        symbolic = _with_avals(kind, lambda a: sizes.aval(next(count), a))
        return (kind, None) if symbolic in self.refused else (symbolic, sizes)

    def refuse(self, kind, error, who):
        """Use one program per size for these arguments from now on, after an error in recording
        them with symbols."""
        if isinstance(error, OtherSizes):  # this size only
            return
        line = str(error).strip().split("\n")[0] if error.args else type(error).__name__
        self.refused[kind] = line
        if channel.is_on:
            log(f"{who} has a program for each size of its arguments: {line}")


class OtherSizes(Exception):
    """The function treats the sizes of this call differently from other calls."""


def _with_avals(key, new):
    """Replace each Tensor aval in a kind of arguments by `new(aval)`."""
    if isinstance(key, Aval):
        return new(key)
    return tuple([_with_avals(k, new) for k in key]) if key.__class__ is tuple else key
