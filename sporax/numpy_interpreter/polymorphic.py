"""Shape polymorphism: operations traced once, and plans built once, for all sizes.

A computation that has been met with several sizes is generalized: each size that was not always the
same becomes a symbolic dimension (of `jax.export`), and an operation is traced with these once. Its
jaxpr holds for all sizes, except where it compared sizes: JAX answers that two sizes differ
wherever they may, so sizes that are equal have a trace of their own. What needs the value of a size
cannot be traced so, and is traced for each size. From the jaxprs of operations follows, in the same
way, the plan of a whole trace: for other sizes its steps get other parameters, without JAX.
"""

import contextlib

from jax.export import SymbolicScope

from sporax.core.jax_internals import compared_dims, evaluate_size, is_symbolic, on_comparison
from sporax.diagnosis.sizes import is_huge
from sporax.xla_kernels.intermediates import intermediates, largest

SMALLEST = 2  # of the sizes that vary: axes of size 1 broadcast, and of size 0 are empty
MAX_SYMBOLS = 8
ATTEMPTS = (3, 6, 12, 24)  # in so many traces sizes have changed before they are generalized
MANY_SIZES = 5  # or so many more within one trace, such as a loop
MAX_HISTORY = 64


class NotPolymorphic(Exception):
    """A computation depends on its sizes in a way that has no one form for all of them."""


def signature(shape):
    """A shape without the sizes that may vary."""
    return tuple([n if n < SMALLEST else -1 for n in shape])


class SizePattern:
    """What sizes a form is for: at each position an int or an expression of symbols.

    `different`: pairs of sizes that the form takes to differ. `varying`: expressions that stand
    for a size that varies, which is at least `SMALLEST`. `bounds`: (symbol, the most it may be).
    """

    def __init__(self, sizes, different=(), varying=(), bounds=()):
        self.sizes, self.different, self.varying = sizes, different, varying
        self.bounds = bounds
        self.first, self.rest = {}, []  # position of each symbol; (position, size) of all others
        for i, size in enumerate(sizes):
            name = str(size)
            if is_symbolic(size) and name.isidentifier() and name not in self.first:
                self.first[name] = i
            else:
                self.rest.append((i, size))

    def bind(self, sizes):
        """The symbols' values where these are the sizes (ints, or symbolic themselves); None where
        they do not fit."""
        symbols = {name: sizes[i] for name, i in self.first.items()}
        for i, size in self.rest:
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
    def of(history, bounded=False):
        """The most special pattern of all these sets of sizes; None if none varies, or too many.

        `bounded`: whether sizes that vary stay at most at the sizes that do not and that were not
        exceeded: a slice has to lie in its operand.
        """
        columns = [*zip(*history, strict=True)]
        varying = sorted({column for column in columns if len({*column}) > 1})
        relations, symbols = {}, []
        for column in varying:
            relations[column] = _relation(column, symbols)
        if not 0 < len(symbols) <= MAX_SYMBOLS:
            return None
        names = [f"size{i}" for i in range(len(symbols))]
        # a scope of its own: JAX's caches would hide comparisons made for another pattern
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
    """(another column, factor, difference) from which a column follows; a new symbol if none."""
    for other in symbols:
        factor, difference = column[0] // other[0], column[0] - other[0]
        if all([n == factor * m for n, m in zip(column, other, strict=True)]):
            return other, factor, 0
        if all([n == m + difference for n, m in zip(column, other, strict=True)]):
            return other, 1, difference
    symbols.append(column)
    return column, 1, 0


class Runs:
    """Counts the traces that were given a plan: sizes change from one to the next."""

    count = 0


class SizeFamily:
    """The forms of one computation, each for sizes of one pattern, and the sizes met without.

    `runs`: how many traces have brought new sizes. `tried`: how often it was tried to generalize.
    """

    __slots__ = ("forms", "history", "last_run", "runs", "tried")

    def __init__(self):
        self.forms, self.history, self.tried = [], [], 0
        self.runs, self.last_run = 0, -1

    def form(self, sizes):
        """(form, its symbols' values) for these sizes; None if there is none."""
        for form in self.forms:
            symbols = form.pattern.bind(sizes)
            if symbols is not None:
                return form, symbols
        return None

    def observe(self, sizes):
        """Note sizes for which there is no form."""
        if len(self.history) < MAX_HISTORY and sizes not in self.history:
            self.history.append(sizes)
            self.runs += self.last_run != Runs.count
            self.last_run = Runs.count

    def find(self, sizes, build, at_once=False):
        """`form(sizes)`, where they have changed often enough a new one. `build(pattern)` makes
        the form of a pattern, or raises `NotPolymorphic`."""
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
            pattern = SizePattern.of(self.history, bounded)
            if pattern is None or (bounded and not pattern.bounds):
                return None
            with contextlib.suppress(NotPolymorphic):
                self.forms.append(build(pattern))
                return self.form(sizes)
        return None


class PolymorphicJaxpr:
    """The jaxpr of an operation for sizes of one pattern; `is_single`: whether it returns one array
    and no tuple. `intermediates`: the arrays on the way to its results; `largest`: of them."""

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
        except Exception as cause:  # whatever a function does with a size that is not an int
            raise NotPolymorphic(str(cause)) from cause
        finally:
            on_comparison.reset(token)
        _refuse_control_flow(self.closed.jaxpr)
        self.pattern = SizePattern(pattern.sizes, distinct(pairs), bounds=pattern.bounds)
        self.intermediates = intermediates(self.closed.jaxpr)
        ends = *self.closed.in_avals, *self.closed.out_avals
        self.largest = largest(self.intermediates, ends)

    def has_huge(self, symbols):
        """Whether an array on the way to the results is huge for these values of the symbols."""
        return any([is_huge(sized(shape, symbols), dtype) for shape, dtype in self.largest])

    def results(self, symbols):
        """(shape, dtype) of each result."""
        return [(sized(a.shape, symbols), a.dtype) for a in self.closed.out_avals]


def distinct(pairs):
    return tuple({f"{one}, {other}": (one, other) for one, other in pairs}.values())


def _refuse_control_flow(jaxpr):
    """Raise `NotPolymorphic` where there are parts that have plans of their own."""
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("cond", "scan", "while"):
            raise NotPolymorphic(equation.primitive.name)
        for part in equation.params.values():
            inner = getattr(part, "jaxpr", part)
            if hasattr(inner, "eqns"):
                _refuse_control_flow(inner)


def sized(item, symbols):
    """A shape or a parameter with values for its symbols."""
    if item.__class__ is tuple:
        return tuple([sized(part, symbols) for part in item])
    return evaluate_size(item, symbols)


def has_symbols(item):
    if item.__class__ is tuple:
        return any(map(has_symbols, item))
    return is_symbolic(item)
