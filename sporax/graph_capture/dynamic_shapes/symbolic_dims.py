"""Sizes of axes that vary: their factors, the layout of an axis, and one operation on them."""

import functools
import itertools
import operator

from sporax.core.jax_internals import terms_of


class Unpadded(Exception):
    """The program would not be right at larger sizes; says why."""


def size_at(size, sizes):
    """A size (an int, the name of a symbol, or an expression of symbols) for these sizes of the
    symbols: ints or arrays."""
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return sizes[size]
    terms = terms_of(size)
    if terms is None:
        raise Unpadded(f"it computes with the size {size}")
    return functools.reduce(operator.add, [_product(c, powers, sizes) for c, powers in terms])


def _product(coefficient, powers, sizes):
    factors = [sizes[name] for name, exponent in powers for _ in range(exponent)]
    if coefficient != 1 or not factors:
        factors.append(coefficient)
    return functools.reduce(operator.mul, factors)


def factors(size):
    """The factors of a size, the names of symbols first."""
    if isinstance(size, int):
        return plain([size])
    terms = terms_of(size)
    if terms is None or len(terms) > 1 or terms[0][0] < 0:
        raise Unpadded(f"an axis has the size {size}, which is no product of sizes that vary")
    ((coefficient, powers),) = terms
    names = itertools.chain.from_iterable([[name] * exponent for name, exponent in powers])
    return plain([*names, coefficient])


def plain(layout):
    """A layout with numbers that follow each other in one."""
    found = []
    for factor in layout:
        if isinstance(factor, int) and found and isinstance(found[-1], int):
            found[-1] *= factor
        elif factor != 1:
            found.append(factor)
    return tuple(found)


def layout_of(size):
    """The layout of an axis of this size, if nothing else is known."""
    found = factors(size)
    return found if len(found) < 2 else None


def varies(size):
    """Whether a size of an axis is unknown."""
    return not isinstance(size, int) and bool(factors(size))


def varying(aval):
    """The axes of unknown size."""
    return [i for i, n in enumerate(aval.shape) if varies(n)]


def layouts_of(aval):
    return tuple(map(layout_of, getattr(aval, "shape", ())))


class Step:
    """An operation: its parameters, the avals of its operands and results, and the operands'
    layouts. `made`: {axis: its layout} of the results, where a rule says so."""

    def __init__(self, params, ins, outs, layouts):
        self.params, self.ins, self.outs, self.layouts = params, ins, outs, layouts
        self.made = {}

    def layout(self, i, axis):
        """The layout along an axis of operand `i`."""
        return self.layouts[i][axis] or factors(self.ins[i].shape[axis])

    def is_in_order(self, i, axis):
        """Whether all padding along an axis is at its end."""
        layout = self.layout(i, axis)
        return all(isinstance(factor, int) for factor in layout[1:])

    def results(self):
        """The layouts of the results: those of the operands' axes of the same size."""
        known = {}
        for aval, layouts in zip(self.ins, self.layouts, strict=True):
            for size, layout in zip(aval.shape, layouts, strict=True):
                if layout is not None and known.setdefault(str(size), layout) != layout:
                    raise Unpadded(f"axes of size {size} are flattened in different ways")
        found = []
        for aval in self.outs:
            own = [layout_of(n) or known.get(str(n)) for n in aval.shape]
            for axis, layout in self.made.items():
                if own[axis] not in (None, layout):
                    raise Unpadded(f"axes of size {aval.shape[axis]} are flattened differently")
                own[axis] = layout
            found.append(tuple(own))
        return found

    def count(self, axis):
        """Note that what is made differs along an axis, by its place there."""
        size = self.outs[0].shape[axis]
        if varies(size):
            layout = factors(size)
            if not all(isinstance(factor, int) for factor in layout[1:]):
                raise Unpadded("it counts along a flattened axis")
            self.made[axis] = layout

    def refuse_along(self, axes, what, aval=None):
        """Refuse where one of these axes varies."""
        aval = aval or self.ins[0]
        if any(varies(aval.shape[axis]) for axis in axes):
            raise Unpadded(f"it {what} along an axis whose size varies")
