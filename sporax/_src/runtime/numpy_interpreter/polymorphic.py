"""Shape polymorphism: operations are traced once, and plans built once, for all sizes.

A computation seen with several sizes is generalized: each size that varied becomes a symbolic
dimension (of `jax.export`), and an operation is traced once with these. Its jaxpr is valid for all
sizes, except where it compared sizes: JAX treats sizes as different wherever they may differ, so
equal sizes have a separate trace. An operation that needs the value of a size cannot be traced this
way and is traced for each size. The plan of a whole trace follows in the same way from the jaxprs
of its operations: for other sizes its steps get other parameters, without JAX.
"""

import contextlib

from jax.export import SymbolicScope

from sporax._src.core.jax_internals import (
    compared_dims,
    equations,
    evaluate_size,
    is_symbolic,
    on_comparison,
)
from sporax._src.diagnosis.sizes import is_huge
from sporax._src.runtime.xla_kernels.intermediates import intermediates, largest

SMALLEST = 2  # smallest size that varies: axes of size 1 broadcast, axes of size 0 are empty
MAX_SYMBOLS = 8
ATTEMPTS = (3, 6, 12, 24)  # traces with changed sizes before each attempt to generalize
MANY_SIZES = 5  # or this many more sizes within one trace, such as a loop
MAX_HISTORY = 64


class NotPolymorphic(Exception):
    """A computation depends on its sizes so that no single form is valid for all of them."""


def signature(shape):
    """Return a shape with -1 for the sizes that may vary."""
    return tuple([n if n < SMALLEST else -1 for n in shape])


class SizePattern:
    """The sizes that a form is valid for: at each position an int or an expression of symbols.

    `different`: pairs of sizes that the form assumes to differ. `varying`: expressions for sizes
    that vary, which are at least `SMALLEST`. `bounds`: (symbol, its maximum).
    """

    def __init__(self, sizes, different=(), varying=(), bounds=()):
        self.sizes, self.different, self.varying = sizes, different, varying
        self.bounds = bounds
        self.first, self.others = {}, []  # position of each symbol; (position, size) of all others
        for i, size in enumerate(sizes):
            name = str(size)
            if is_symbolic(size) and name.isidentifier() and name not in self.first:
                self.first[name] = i
            else:
                self.others.append((i, size))

    def bind(self, sizes):
        """Return the symbols' values for these sizes (ints, or symbolic themselves); None if they
        do not match."""
        symbols = {name: sizes[i] for name, i in self.first.items()}
        for i, size in self.others:
            if sizes[i] != (size if size.__class__ is int else evaluate_size(size, symbols)):
                return None
        for one, other in self.different:
            if evaluate_size(one, symbols) == evaluate_size(other, symbols):
                return None
        if any(evaluate_size(size, symbols) < SMALLEST for size in self.varying):
            return None
        if any(symbols[name].__class__ is not int or symbols[name] > n for name, n in self.bounds):
            return None
        return symbols

    @staticmethod
    def from_history(history, bounded=False):
        """Return the most specific pattern of all these sets of sizes; None if no size varies, or
        too many.

        `bounded`: bound the varying sizes by the fixed sizes that they have not exceeded, since a
        slice has to lie in its operand.
        """
        columns = [*zip(*history, strict=True)]
        varying = sorted({column for column in columns if len({*column}) > 1})
        relations, symbols = {}, []
        for column in varying:
            relations[column] = _relation(column, symbols)
        if not 0 < len(symbols) <= MAX_SYMBOLS:
            return None
        names = [f"size{i}" for i in range(len(symbols))]
        # a new scope, since JAX's caches would hide comparisons made for another pattern
        fixed = {column[0] for column in columns if len({*column}) == 1} if bounded else ()
        bounds = [
            (name, min(above))
            for name, column in zip(names, symbols, strict=True)
            if (above := [n for n in fixed if n >= max(column)])
        ]
        limits = [f"{name} >= {SMALLEST}" for name in names]
        scope = SymbolicScope(limits + [f"{name} <= {most}" for name, most in bounds])
        dims = dict(zip(symbols, compared_dims(names, scope), strict=True))
        sizes = [
            dims[relations[c][0]] * relations[c][1] + relations[c][2] if c in relations else c[0]
            for c in columns
        ]
        return SizePattern(tuple(sizes), bounds=tuple(bounds))


def _relation(column, symbols):
    """Return (another column, factor, difference) that determine a column; a new symbol if none."""
    for other in symbols:
        factor, difference = column[0] // other[0], column[0] - other[0]
        if all([n == factor * m for n, m in zip(column, other, strict=True)]):
            return other, factor, 0
        if all([n == m + difference for n, m in zip(column, other, strict=True)]):
            return other, 1, difference
    symbols.append(column)
    return column, 1, 0


class Runs:
    """Count of the traces for which a plan was requested; sizes change from one to the next."""

    count = 0


class SizeFamily:
    """The forms of one computation, each for sizes of one pattern, and the sizes without a form.

    `runs`: the number of traces with new sizes. `tried`: the number of attempts to generalize.
    """

    __slots__ = ("forms", "history", "last_run", "runs", "tried")

    def __init__(self):
        self.forms, self.history, self.tried = [], [], 0
        self.runs, self.last_run = 0, -1

    def form(self, sizes):
        """Return (form, its symbols' values) for these sizes; None if there is none."""
        for form in self.forms:
            symbols = form.pattern.bind(sizes)
            if symbols is not None:
                return form, symbols
        return None

    def observe(self, sizes):
        """Record sizes that have no form."""
        if len(self.history) < MAX_HISTORY and sizes not in self.history:
            self.history.append(sizes)
            self.runs += self.last_run != Runs.count
            self.last_run = Runs.count

    def find(self, sizes, build, at_once=False):
        """Return `form(sizes)`, a new form if sizes have changed often enough. `build(pattern)`
        creates the form of a pattern, or raises `NotPolymorphic`."""
        form = self.form(sizes)
        if form is not None or self.tried >= len(ATTEMPTS):
            return form
        self.observe(sizes)
        if max(self.runs, len(self.history) - MANY_SIZES) < (
            2 if at_once else ATTEMPTS[self.tried]
        ):
            return None
        self.tried += 1
        for bounded in False, True:
            pattern = SizePattern.from_history(self.history, bounded)
            if pattern is None or (bounded and not pattern.bounds):
                return None
            with contextlib.suppress(NotPolymorphic):
                self.forms.append(build(pattern))
                return self.form(sizes)
        return None


class PolymorphicJaxpr:
    """The jaxpr of an operation for sizes of one pattern. `is_single`: whether it returns one array
    instead of a tuple; `intermediates`: its intermediate arrays; `largest`: the largest of them."""

    __slots__ = ("closed", "intermediates", "is_single", "largest", "pattern")

    def __init__(self, pattern, trace):
        """`trace(sizes)` returns (closed jaxpr, whether it is single)."""
        pairs = []
        scope = next(size.scope for size in pattern.sizes if is_symbolic(size))

        def observe(one, other):  # JAX's caches compare with sizes of other traces, too
            if one.scope is scope and getattr(other, "scope", scope) is scope and other is not None:
                pairs.append((one, other))

        token = on_comparison.set(observe)
        try:
            self.closed, self.is_single = trace(pattern.sizes)
        except Exception as cause:  # any error of a function for a size that is not an int
            raise NotPolymorphic(str(cause)) from cause
        finally:
            on_comparison.reset(token)
        _refuse_control_flow(self.closed.jaxpr)
        self.pattern = SizePattern(pattern.sizes, distinct(pairs), bounds=pattern.bounds)
        self.intermediates = intermediates(self.closed.jaxpr)
        ends = *self.closed.in_avals, *self.closed.out_avals
        self.largest = largest(self.intermediates, ends)

    def has_huge(self, symbols):
        """Return True if an intermediate array is huge for these values of the symbols."""
        return any([is_huge(sized(shape, symbols), dtype) for shape, dtype in self.largest])

    def results(self, symbols):
        """Return (shape, dtype) of each result."""
        return [(sized(a.shape, symbols), a.dtype) for a in self.closed.out_avals]


def distinct(pairs):
    return tuple({f"{one}, {other}": (one, other) for one, other in pairs}.values())


def _refuse_control_flow(jaxpr):
    """Raise `NotPolymorphic` if there is control flow, whose bodies have separate plans."""
    for equation in equations(jaxpr):
        if equation.primitive.name in ("cond", "scan", "while"):
            raise NotPolymorphic(equation.primitive.name)


def sized(item, symbols):
    """Return a shape or a parameter with values substituted for its symbols."""
    if item.__class__ is tuple:
        return tuple([sized(element, symbols) for element in item])
    return evaluate_size(item, symbols)


def has_symbols(item):
    if item.__class__ is tuple:
        return any(map(has_symbols, item))
    return is_symbolic(item)
