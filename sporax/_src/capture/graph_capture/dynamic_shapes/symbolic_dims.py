"""Symbolic dimensions: their value at given sizes, their factors, and the layout of an axis."""

import functools
import itertools
import operator

from sporax._src.core.jax_internals import terms_of
from sporax._src.diagnosis.rules import message, rejection, require


class CannotPad(Exception):
    """The program would not be correct on padded arrays; the message says why."""


def size_at(size, sizes):
    """Evaluate a size (an int, a symbol name, or an expression of symbols) at these sizes of the
    symbols: ints or arrays."""
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return sizes[size]
    terms = terms_of(size)
    if terms is None:
        raise rejection("computes-size", size=size, error=CannotPad)
    return functools.reduce(operator.add, [_product(c, powers, sizes) for c, powers in terms])


def _product(coefficient, powers, sizes):
    factors = [sizes[name] for name, exponent in powers for _ in range(exponent)]
    if coefficient != 1 or not factors:
        factors.append(coefficient)
    return functools.reduce(operator.mul, factors)


def factors(size):
    """Return the factors of a size, symbol names first."""
    if isinstance(size, int):
        return merged([size])
    terms = terms_of(size)
    if terms is None or len(terms) > 1 or terms[0][0] < 0:
        raise rejection("axis-size-no-product", size=size, error=CannotPad)
    ((coefficient, powers),) = terms
    names = itertools.chain.from_iterable([[name] * exponent for name, exponent in powers])
    return merged([*names, coefficient])


def merged(layout):
    """Multiply consecutive ints of a layout into one."""
    result = []
    for factor in layout:
        if isinstance(factor, int) and result and isinstance(result[-1], int):
            result[-1] *= factor
        elif factor != 1:
            result.append(factor)
    return tuple(result)


def layout_of(size):
    """Return the layout of an axis of this size, if nothing else is known."""
    layout = factors(size)
    return layout if len(layout) < 2 else None


def is_dynamic(size):
    """Return True if a size contains a symbol."""
    return not isinstance(size, int) and bool(factors(size))


def dynamic_axes(aval):
    """Return the axes of dynamic size."""
    return [i for i, n in enumerate(aval.shape) if is_dynamic(n)]


def layouts_of(aval):
    return tuple(map(layout_of, getattr(aval, "shape", ())))


class Equation:
    """A jaxpr equation: its parameters, the avals of its operands and results, and the operands'
    layouts. `out_layouts`: {axis: layout} of the results, as set by a rule."""

    def __init__(self, params, in_avals, out_avals, layouts):
        self.params, self.in_avals, self.out_avals, self.layouts = (
            params,
            in_avals,
            out_avals,
            layouts,
        )
        self.out_layouts = {}

    def layout(self, i, axis):
        """Return the layout along an axis of operand `i`."""
        return self.layouts[i][axis] or factors(self.in_avals[i].shape[axis])

    def is_in_order(self, i, axis):
        """Return True if all padding along an axis is at its end."""
        layout = self.layout(i, axis)
        return all(isinstance(factor, int) for factor in layout[1:])

    def result_layouts(self):
        """Return the layouts of the results, taken from operand axes of the same size."""
        known = {}
        for aval, layouts in zip(self.in_avals, self.layouts, strict=True):
            for size, layout in zip(aval.shape, layouts, strict=True):
                if layout is not None and known.setdefault(str(size), layout) != layout:
                    raise rejection("axes-size-flattened-different", size=size, error=CannotPad)
        results = []
        for aval in self.out_avals:
            own = [layout_of(n) or known.get(str(n)) for n in aval.shape]
            for axis, layout in self.out_layouts.items():
                if own[axis] not in (None, layout):
                    raise rejection(
                        "axes-size-flattened-different", size=aval.shape[axis], error=CannotPad
                    )
                own[axis] = layout
            results.append(tuple(own))
        return results

    def count(self, axis):
        """Record that the result depends on the position along an axis."""
        size = self.out_avals[0].shape[axis]
        if is_dynamic(size):
            layout = factors(size)
            are_ints = all(isinstance(factor, int) for factor in layout[1:])
            require(are_ints, "counts-along-flattened-axis", error=CannotPad)
            self.out_layouts[axis] = layout

    def refuse_along(self, axes, what, aval=None):
        """Raise CannotPad, with the phrase `what`, if one of these axes is dynamic."""
        aval = aval or self.in_avals[0]
        if any(is_dynamic(aval.shape[axis]) for axis in axes):
            raise rejection("along-axis-whose-size", what=message(what), error=CannotPad)
