"""What runs a trace that has no program yet: the interpreter at first, XLA from some run on.

XLA takes tenths of a second to compile a training step of a small network, and tens of seconds for
that of a large one. Many traces run only once: the first step after an edit, a cell of a notebook,
a sentence of another length. So a trace runs on the interpreter (NumPy, and oneDNN for
convolutions) the first time, and is compiled the second time. Dynamic code that the interpreter is
quick at, such as the body of a loop, is compiled later, at the seventeenth run. When it is compiled
depends on the trace alone and not on the clock, so that two runs of a script have the same bits.
Both give the same values up to rounding. What the interpreter has no rule for, or would take long
for, is compiled at once. So is everything with `SPORAX_TIERS=off` and after
`set_deterministic(True)`, where all runs of a trace are to have the same bits.
"""

import math
from typing import Any

import jax
import numpy as np

from sporax.core.environment import choice
from sporax.core.errors import user_frame, warn
from sporax.core.jax_internals import device_array
from sporax.core.value import Aval
from sporax.engine.debug import compile_log
from sporax.engine.program import Program, TraceFunction
from sporax.engine.trace_tree import forest

TIERS = choice("SPORAX_TIERS", "on", "off") == "on"
uses_interpreter = TIERS

PATIENCE = 4  # sets of shapes of one sequence of operations before they count as changing
SHORTEST = 16  # operations; what is shorter compiles quickly
MOST_WORK = 5 * 10**10  # multiplications; NumPy needs a second for about 2e10
LITTLE_WORK, MOST_RUNS = 4 * 10**9, 16  # of all runs on the interpreter together, in dynamic code


class Family:
    """The programs of one sequence of operations: how many sets of shapes, and the last one."""

    sets, last, warned = 0, None, False


families, _plan_families = {}, {}
forest.tables += [families, _plan_families]


def prepare(state, alive, dead, inputs):
    """What runs a trace that has no program; kept with the trace for the next run."""
    path = state.path()
    trace = TraceFunction(path, inputs)
    family = families.setdefault(hash(tuple([s.op.name for s in path])), Family())
    before, family.last = family.last, trace.inputs
    is_new = not state.programs
    family.sets += is_new and before != trace.inputs
    plan = numpy_plan(trace, alive) if is_new and uses_interpreter else None
    if plan is not None:
        is_captured = any(step.op.recorded for step in path)
        runs = 1 if is_captured else min(MOST_RUNS, max(1, LITTLE_WORK // max(plan.work, 1)))
        program = Interpretation(plan, runs, state.programs, (alive, dead))
        if family.sets == PATIENCE and len(path) >= SHORTEST and not family.warned:
            family.warned = True
            _warn_of_change(before, trace.inputs)
    else:
        program = Program(trace, [a for s in path for a in s.avals], alive, dead)
    run = program
    if compile_log.channel.is_on:
        was_interpreted = (alive, dead) in state.programs
        why = "runs again" if was_interpreted else compile_log.reason(before, trace.inputs, state)
        how = "compiled" if plan is None else "run by NumPy, not compiled:"
        run = compile_log.first_call(program, path, why, how)
    state.programs[alive, dead] = program
    forest.weight += forest.PROGRAM
    return run


def numpy_plan(trace, wanted):
    """How NumPy would run the trace; None where XLA has to, or had better."""
    if jax.default_backend() != "cpu":
        return None
    from sporax.numpy_interpreter import plans  # what few programs need
    from sporax.numpy_interpreter.polymorphic_plan import plan_for_all_sizes

    inputs, first = [*trace.inputs], {"input": 0}
    for kind, dtype, n in ("real", float, trace.n_reals), ("integer", int, trace.n_integers):
        first[kind] = len(inputs)
        inputs += [Aval.of((), np.dtype(dtype))] * n
    steps = [
        (rule, op, [i if kind == "output" else ~(first[kind] + i) for kind, i in refs])
        for op, rule, refs in trace.steps
    ]
    try:
        plan = plan_for_all_sizes(_plan_families, steps, inputs, wanted)
        if plan is None:
            jaxprs = [(rule.jaxpr, places) for rule, _, places in steps]
            plan = plans.link(jaxprs, inputs, wanted)
    except plans.Unsupported:
        return None
    return plan if plan.work <= MOST_WORK else None


class Interpretation:
    """A trace run by NumPy; called as a `Program` is. After so many runs it takes itself out of the
    `programs`, where it has the `key`."""

    def __init__(self, plan, runs: float = math.inf, programs: Any = None, key=None):
        self.plan, self.runs, self.programs, self.key = plan, runs, programs, key

    def __call__(self, arrays, reals, integers, results):
        self.runs -= 1
        if self.runs <= 0 and self.programs.get(self.key) is self:  # other threads may run it too
            self.programs[self.key] = None
        operands = [np.asarray(a) for a in arrays]
        operands += [np.float64(v.array) for v in reals]
        operands += [np.int64(v.array) for v in integers]
        results.extend([device_array(np.array(a)) for a in self.plan(*operands)])


def _warn_of_change(before, now):
    """Say once which input changes its shape, and where."""
    changed = [f"{a} -> {b}" for a, b in zip(before, now, strict=False) if a is not b]
    at = user_frame()
    where = f" at {at.filename}:{at.lineno}" if at is not None else ""
    warn(
        f"The shapes of a computation change from step to step{where} "
        f"(inputs: {', '.join(changed[:3])}). A new set of shapes runs on NumPy the first time and "
        "is compiled when it comes again. For full speed let the same shapes come back, e.g. by "
        "padding to a few lengths.",
    )
