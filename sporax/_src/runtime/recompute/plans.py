"""Recomputation: a program that drops arrays between their uses, and computes them once more.

A pass on the flat jaxpr of a whole program (forward, backward and update of a training step).
`liveness` simulates it; while the peak is above the budget, arrays are chosen that are not used for
a long time around it. Just before their next use they are computed again, by copies of equations,
from arrays that are stored at that time.

Greedy: the array comes first that takes most from the excess above the budget (bytes, times the
steps for which the memory is above it) for the arithmetic of its copies. The new program is
simulated in turn: the copies take memory, too, and may be dropped once more. Each round lowers the
peak by a tenth only: aimed at less than can be reached, it would copy all that saves anything, and
the copies would take more than a program in several rounds.

XLA would merge a copy with the original, and run it early. On a CPU an optimization barrier does
not prevent that (see `autodiff.remat_op`). So one operand of each first copy of a stretch is
selected by a condition that is always true, but depends on an array that is computed just before
the late use: its elements stay the same, bit by bit.
"""

import collections
import contextlib
import heapq
import itertools
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.jax_internals import ClosedJaxpr, Literal, Var, interpret, within
from sporax._src.runtime.memory import liveness
from sporax._src.runtime.memory.flat import flat
from sporax._src.runtime.memory.liveness import bytes_of
from sporax._src.runtime.recompute import flops

ROUNDS = 20
_STEP = 0.9  # of the peak: the lowest aim of a round
_WRITES = "dynamic_update_slice", "scatter"  # to their first operand
NEAR = 8
_BYTE = 4  # operations that take as long as storing a byte
# never copied: host code and collectives, of which each run counts, and loops of unknown length
_NEVER = {
    "all_gather", "all_to_all", "io_callback", "ppermute", "psum", "psum_invariant",
    "pure_callback", "reduce_scatter", "while",
}  # fmt: skip


class Plan(NamedTuple):
    """A program, its simulated `peak`, the number of `stretches` that it recomputes, and their
    `cost` relative to the program's arithmetic."""

    program: Any
    peak: Any
    stretches: int
    cost: float


def plans_of(program, donated, budget):
    """Yield `Plan`s of a flat `ClosedJaxpr`, each of a lower peak than the one before, until the
    simulated peak is at most `budget` bytes, or nothing lowers it. `donated`: see `peak`."""
    whole = max(_arithmetic(program), 1)
    best = Plan(program, liveness.peak(program, donated), 0, 0.0)
    yield best
    aim = max(budget, int(_STEP * best.peak.bytes))
    for _ in range(ROUNDS):
        peak = best.peak
        if peak.bytes <= budget or peak.bytes - aim < peak.bytes >> 8:
            break
        new = _shrunk(best.program, aim - peak.arguments - peak.results, donated)
        if new is None:
            break
        program, peak, stretches = new
        if peak.bytes < best.peak.bytes:
            copies = _arithmetic(program) / whole - 1
            best = Plan(program, peak, best.stretches + stretches, copies)
            aim = max(budget, int(_STEP * peak.bytes))
            yield best
        else:  # the copies took more than was saved
            aim = (aim + best.peak.bytes) // 2


def _shrunk(program, budget, donated):
    """Return (the program with so many bytes of temporary arrays or as few as possible, its peak,
    the number of stretches); None if nothing can be dropped."""
    timeline = _Timeline(program.jaxpr)
    with _deep_recursion(10 * len(program.jaxpr.eqns)):
        chosen = timeline.chosen(budget)
        if not chosen:
            return None
        copier = _Copier(timeline, chosen)
        program = flat(ClosedJaxpr(copier.jaxpr(), program.consts))
    return program, liveness.peak(program, donated), len(copier.stretches)


@contextlib.contextmanager
def _deep_recursion(depth):
    """Allow calls nested as deeply as a chain of operations is long."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + depth)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _arithmetic(program):
    return sum(map(flops.of_equation, program.jaxpr.eqns))


def _cost(equation):
    """Return the time of an equation, as a number of operations."""
    if equation.primitive.name in liveness.VIEWS:
        return 0
    return flops.of_equation(equation) + _BYTE * sum(bytes_of(v.aval) for v in equation.outvars)


def _may_be_copied(equation):
    return not any(e.effects or e.primitive.name in _NEVER for e in within(equation))


class _Timeline:
    """When arrays are stored, in steps of the simulation. `made`: {variable: its step}; `reads`:
    {variable: the steps that read it}; `sizes`: the bytes of temporary arrays during each step."""

    def __init__(self, jaxpr):
        run = liveness._Program(jaxpr)
        run.peak()
        self.jaxpr = jaxpr
        self.steps = [step for step, _ in run.timeline]
        self.sizes = np.array([size for _, size in run.timeline], np.int64)
        self.source = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
        self.made, self.reads = {}, collections.defaultdict(list)
        self.results = set()
        for now, step in enumerate(self.steps):
            for array in step.results:
                self.made[array.var] = now
                if array.is_result:
                    self.results.add(array.var)
            for array in step.reads:
                self.reads[array.var].append(now)
        self.small = int(self.sizes.max(initial=0)) >> 12
        self.costs = {id(e): _cost(e) if _may_be_copied(e) else None for e in jaxpr.eqns}

    def is_stored(self, variable, now):
        """Return True if an array, once computed, is stored until step `now`."""
        if variable in self.results or variable not in self.source or self.is_small(variable):
            return True
        return variable in self.made and self.reads[variable] and self.reads[variable][-1] >= now

    def is_small(self, variable):
        """Return True if an array takes so little that it is kept for any later step."""
        return bytes_of(variable.aval) <= self.small

    # choice ---------------------------------------------------------------------------------

    def chosen(self, budget):
        """Return {variable: (the step after which it is dropped, the step that needs it again)}
        that lowers the temporary memory to `budget` bytes, or as far as possible."""
        choice = _Choice(self, budget)
        choice.run()
        return choice.dropped

    def gap(self, variable, excess):
        """Return the steps between two uses of an array between which the memory is most above
        the budget; `excess`: the sum of the bytes above it up to each step."""
        uses = [self.made[variable], *self.reads[variable]]
        gaps = [(a, b) for a, b in itertools.pairwise(uses) if b - a > 1]
        return max(gaps, key=lambda gap: excess[gap[1]] - excess[gap[0] + 1], default=None)


class _Choice:
    """`dropped`: {variable: (dropped after, computed again at)}; `copied`: {id of an equation: the
    step at which it runs again}."""

    def __init__(self, timeline, budget):
        self.timeline, self.budget = timeline, budget
        self.sizes = timeline.sizes.copy()
        self.dropped, self.copied, self.there = {}, {}, {}
        excess = np.concatenate([[0], np.cumsum(np.maximum(self.sizes - budget, 0))])
        self.gaps = {}
        for variable in timeline.made:
            source = timeline.source[variable]
            may_drop = variable not in timeline.results and not timeline.is_small(variable)
            if not may_drop or timeline.costs[id(source)] is None:
                continue
            gap = timeline.gap(variable, excess)
            if gap is not None and excess[gap[1]] > excess[gap[0] + 1]:
                self.gaps[variable] = gap

    def run(self):
        """Drop arrays, best first, until the estimated memory is within the budget."""
        heap = [(-self.score(v)[0], i, v) for i, v in enumerate(self.gaps)]
        heapq.heapify(heap)
        while heap and self.sizes.max() > self.budget:
            _, i, variable = heapq.heappop(heap)
            score, copies = self.score(variable)  # it falls as others are chosen
            if score <= 0:
                continue
            if heap and score < -heap[0][0] / 2:
                heapq.heappush(heap, (-score, i, variable))
                continue
            self.drop(variable, copies)

    def score(self, variable):
        """Return (excess bytes that dropping the array takes away for an operation, {equation's id:
        (equation, step)} of the copies that it needs)."""
        first, last = self.gaps[variable]
        copies = self.copies(variable, last)
        if copies is None:
            return 0, None
        if id(self.timeline.source[variable]) not in copies:
            return 0, None  # another result of an equation that is copied earlier
        again = min(last, copies[id(self.timeline.source[variable])][1])
        over = np.maximum(self.sizes[first + 1 : again] - self.budget, 0)
        saved = np.minimum(over, bytes_of(variable.aval)).sum()
        cost = sum(
            self.timeline.costs[key] for key, (_, _) in copies.items() if key not in self.copied
        )
        return saved / (cost + 1), copies

    def copies(self, variable, now):
        """Return the equations that must be copied for step `now`; None if one must not."""
        timeline, needed, pending = self.timeline, {}, [(variable, now)]
        while pending:
            v, at = pending.pop()
            equation = timeline.source.get(v)
            if equation is None or isinstance(v, Literal):
                continue
            key = id(equation)
            before = needed.get(key, (None, self.copied.get(key, None)))[1]
            if before is not None and before <= at:
                continue
            if timeline.costs[key] is None:
                return None
            needed[key] = equation, at
            for operand in equation.invars:
                if isinstance(operand, Literal) or operand is variable:
                    continue
                if not self.is_there(operand, at):
                    pending.append((operand, at))
        return needed

    def is_there(self, variable, now):
        """Return True if an array need not be copied for step `now`."""
        key = variable, now
        if key not in self.there:
            self.there[key] = self.is_stored_or_fused(variable, now)
        return self.there[key]

    def is_stored_or_fused(self, variable, now):
        """Return True if an array is stored at step `now`, or computed within the loops that use it
        from such arrays."""
        timeline = self.timeline
        if variable in self.dropped:
            return now <= self.dropped[variable][0]
        if (
            variable in timeline.made
            or variable not in timeline.source
            or timeline.is_small(variable)
        ):
            return timeline.is_stored(variable, now)
        return all(
            isinstance(v, Literal) or self.is_there(v, now)
            for v in timeline.source[variable].invars
        )

    def drop(self, variable, copies):
        """Drop an array; count the memory of the copies."""
        first, last = self.gaps[variable]
        self.there.clear()
        for key, (equation, at) in copies.items():
            if key not in self.copied and equation is not self.timeline.source[variable]:
                stored = [v for v in equation.outvars if v in self.timeline.made]
                self.sizes[at] += sum(bytes_of(v.aval) for v in stored)
            self.copied[key] = at
        self.dropped[variable] = first, last
        self.sizes[first + 1 : copies[id(self.timeline.source[variable])][1]] -= bytes_of(
            variable.aval
        )


class _Copier:
    """Writes the program of a timeline without the arrays `dropped`, in the order of its steps."""

    def __init__(self, timeline, dropped):
        self.timeline, self.dropped = timeline, dropped
        self.eqns, self.stretches, self.at = [], set(), None  # steps that begin with copies
        self.written = {}  # id of an equation: the step
        self.now, self.found = -1, {}  # variable: `operand` of it in the step `now`
        self.copies = {}  # variable -> (its copy, the step at which it was made)
        self.conditions = {}
        self.effects = [e for e in timeline.jaxpr.eqns if e.effects]

    def jaxpr(self):
        """Return the new jaxpr."""
        for now, step in enumerate(self.timeline.steps):
            self.write(step.equation, now)
        jaxpr = self.timeline.jaxpr
        end = len(self.timeline.steps)
        outvars = [self.operand(v, end) for v in jaxpr.outvars]
        return jaxpr.replace(eqns=self.eqns, outvars=outvars)

    def write(self, equation, now):
        """Write an equation of the program, unless it is written."""
        if id(equation) in self.written:
            return
        self.written[id(equation)] = now
        if equation.effects:  # their order stays
            for other in self.effects[: self.effects.index(equation)]:
                self.write(other, now)
        invars = [self.operand(v, now, equation) for v in equation.invars]
        if equation.primitive.name.startswith(_WRITES) and now:
            invars[0] = self.delayed_constant(invars[0], now)
        self.eqns.append(equation.replace(invars=invars))

    def delayed_constant(self, variable, now):
        """Return an array of equal numbers that is not filled before step `now`; others unchanged.
        XLA would copy it for each equation that writes to it, long before."""
        source, late = self.timeline.source.get(variable), self.late(now)
        if source is None or source.primitive.name != "broadcast_in_dim" or late is None:
            return variable
        (number, *_), shape = source.invars, variable.aval.shape
        if not isinstance(number, Literal):
            return variable
        condition = self.condition(late, source)
        dtype = variable.aval.dtype

        def filled(condition):
            return lax.full(shape, lax.select(condition, dtype.type(number.val), dtype.type(1)))

        return self.emit(filled, [condition], source)[0]

    def condition(self, late, beside):
        """Return the condition that waits for an array."""
        if late not in self.conditions:
            (self.conditions[late],) = self.emit(_true, [late], beside)
        return self.conditions[late]

    def operand(self, variable, now, reader=None):
        """Return the variable that has the value of `variable` in step `now`."""
        if isinstance(variable, Literal) or variable not in self.timeline.source:
            return variable
        if now != self.now:
            self.now, self.found = now, {}
        if variable not in self.found:
            self.found[variable] = self.current(variable, now, reader)
        return self.found[variable]

    def current(self, variable, now, reader):
        """Find the `operand`."""
        timeline = self.timeline
        equation = timeline.source[variable]
        if variable in timeline.made:
            gap = self.dropped.get(variable)
            is_there = timeline.is_stored(variable, now) if gap is None else now <= gap[0]
            if is_there or timeline.costs[id(equation)] is None:
                return variable
            return self.copy(variable, now, reader)
        if timeline.is_small(variable):
            self.write(equation, now)
            return variable
        invars = [self.operand(v, now, reader) for v in equation.invars]
        is_same = all(new is old for new, old in zip(invars, equation.invars, strict=True))
        if is_same and now - self.written.get(id(equation), now) <= NEAR:
            self.write(equation, now)
            return variable
        return self.copy(variable, now, reader, invars)

    def copy(self, variable, now, reader, invars=None):
        """Return the copy of a variable."""
        if variable not in self.copies or (
            invars is not None
            and (self.copies[variable][2] != invars or now - self.copies[variable][1] > NEAR)
        ):
            equation = self.timeline.source[variable]
            if invars is None:
                invars = [self.operand(v, now, reader) for v in equation.invars]
            given = list(invars)
            if not any(self.is_new(v, now) for v in invars):
                invars = self.delayed(invars, equation, now, reader)
            outvars = [Var(v.aval) for v in equation.outvars]
            self.eqns.append(equation.replace(invars=invars, outvars=outvars))
            for old, new in zip(equation.outvars, outvars, strict=True):
                self.copies[old] = new, now, given
                self.copies[new] = new, now, given
        return self.copies[variable][0]

    def is_new(self, variable, now):
        return not isinstance(variable, Literal) and self.copies.get(variable, (0, -1))[1] == now

    def delayed(self, invars, equation, now, reader):
        """Return operands of which the smallest waits for the arrays that step `now` reads."""
        arrays = [
            i for i, v in enumerate(invars)
            if not isinstance(v, Literal) and bytes_of(v.aval)
        ]  # fmt: skip
        late = self.late(now)
        if not arrays or late is None:
            return invars
        if self.at is None or now > self.at + 1:
            self.stretches.add(now)
        self.at = now
        i = min(arrays, key=lambda i: bytes_of(invars[i].aval))
        invars = list(invars)
        condition = self.condition(late, equation)
        (invars[i],) = self.emit(_selected, [condition, invars[i]], equation)
        return invars

    def late(self, now):
        """Return the array that is computed last before step `now`, of those that it reads if
        possible."""
        timeline = self.timeline
        step = timeline.steps[now]

        def age(v):
            return timeline.made.get(v, -1)

        read = [a.var for a in step.reads if a.var in timeline.made]
        first = max((self.dropped[v][0] for v in read if v in self.dropped), default=now - 2)
        read = [v for v in read if v not in self.dropped and age(v) > first and _is_float(v)]
        if read:
            return max(read, key=age)
        for before in reversed(timeline.steps[:now]):
            for array in before.results:
                if _is_float(array.var):
                    return array.var
        return None

    def emit(self, function, variables, beside):
        """Write the equations of a function; returns the variables of its results."""
        closed = jax.make_jaxpr(function)(*[v.aval for v in variables])

        def evaluate(equation, operands):
            outvars = [Var(v.aval) for v in equation.outvars]
            new = equation.replace(invars=operands, outvars=outvars, source_info=beside.source_info)
            self.eqns.append(new)
            return outvars

        return interpret(closed.jaxpr, closed.consts, variables, evaluate, lambda literal: literal)


def _is_float(variable):
    return jnp.issubdtype(variable.aval.dtype, np.floating) and variable.aval.size > 0


def _true(late):
    """Return True, as XLA does not know: for a NaN only the second comparison holds."""
    x = lax.slice(late, (0,) * late.ndim, (1,) * late.ndim).reshape(())
    return (x == x) | (x != x)


def _selected(condition, x):
    return lax.select_n(condition, jnp.zeros(x.shape, x.dtype), x)
