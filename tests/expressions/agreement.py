"""Compares the values of an expression from all ways to compute it."""

import numpy as np

from tests.expressions import reference, ways, writer

NOISES = 32


def drawn(seed, count):
    """Draw (expressions, inputs) from a seed."""
    random = np.random.default_rng(seed)
    kinds = random.choice([*"fffffbbihd"], count)
    return [writer.write(random, kind) for kind in kinds], writer.inputs(random)


def failures(seed, count, find=ways.values):
    """Return [(expression, way, difference)] of the failing expressions of a seed."""
    expressions, arrays = drawn(seed, count)
    found = find(expressions, arrays)
    failed = []
    for k, expression in enumerate(expressions):
        check = Expected(expression, arrays)
        for way, values in found.items():
            if (where := check.difference(values[k])) is not None:
                failed.append((expression, way, where))
                break
    return failed


class Expected:
    """The value of an expression by NumPy, and its variation by rounding. `is_sure`: mask of the
    elements with the same NaN, infinity, sign of zero, boolean or integer for all roundings."""

    def __init__(self, expression, arrays):
        with np.errstate(all="ignore"):
            self.value = reference.flushed(reference.value(expression, arrays))
            noises = [
                reference.value(expression, arrays, np.random.default_rng(i)) for i in range(NOISES)
            ]
            self.is_sure = np.ones(self.value.shape, bool)
            self.spread = np.zeros(self.value.shape)
            for other in noises:
                self.is_sure &= _kind(other) == _kind(self.value)
                if self.value.dtype.kind == "f":
                    apart = np.abs(other.astype(np.float64) - self.value)
                    self.spread = np.fmax(self.spread, np.where(np.isfinite(apart), apart, 0))

    def difference(self, found):
        """Describe where a value differs; None if it does not."""
        value = self.value
        if found.shape != value.shape or found.dtype != value.dtype:
            return f"{found.dtype}{found.shape} in place of {value.dtype}{value.shape}"
        found = reference.flushed(found)
        with np.errstate(all="ignore"):
            wrong = self.is_sure & (_kind(found) != _kind(value))
            if value.dtype.kind == "f":
                apart = np.abs(found.astype(np.float64) - value.astype(np.float64))
                units = np.abs(value.astype(np.float64)) * np.finfo(value.dtype).eps
                limit = 8 * self.spread + units + np.finfo(value.dtype).tiny
                wrong |= self.is_sure & np.isfinite(apart) & (apart > limit)
        if not wrong.any():
            return None
        at = tuple(map(int, np.argwhere(wrong)[0]))
        return f"{int(wrong.sum())} elements, at {at}: {found[at]!r} in place of {value[at]!r}"


def _kind(x):
    """Return the properties that must be equal: NaN, the sign of infinity and zero, a boolean, an
    integer."""
    if x.dtype.kind != "f":
        return x
    zero = np.where(np.signbit(x), -1, 1)
    kind = np.where(np.isnan(x), 9, np.where(np.isinf(x), 5 * np.sign(x), 0))
    return np.where(x == 0, zero, kind)


def shrunk(expression, arrays, way):
    """Return (the smallest expression found that still differs in the same way, the difference)."""

    def differs(candidate):
        found = ways.values([candidate], arrays)[way][0]
        return Expected(candidate, arrays).difference(found)

    where = differs(expression)
    found = [(expression, where)]
    while found:
        expression, where = found[0]
        found = [(e, w) for e in expression.smaller() if (w := differs(e)) is not None][:1]
    return expression, where
