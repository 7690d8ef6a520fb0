"""What to do with a trace that is not compiled yet: compile it, or, where shapes keep changing,
run it once without a compiler.

XLA compiles for each shape: tenths of a second to seconds for a training step. A script whose
sentences are as long as the longest in the batch meets new shapes at every step and would do little
else than compile. So, once the same operations have been compiled for `PATIENCE` sets of shapes, a
further set is compiled only when it comes a second time; the first time it runs on NumPy. Both give
the same numbers up to rounding. `make bench` measures it: a hundred steps of a small transformer,
each of another length.
"""

import jax
import numpy as np

from sporax.core.errors import describe, user_frame, warn
from sporax.core.value import Aval
from sporax.engine import compile_log
from sporax.engine.program import Program, TraceFunction
from sporax.engine.trace_tree import forest

PATIENCE = 3  # programs of one sequence of operations before shapes count as changing
SHORTEST = 16  # operations; what is shorter compiles quickly
MOST_WORK = 10**10  # multiplications in matrix products; NumPy needs a second for about 2e10

SEEN = object()  # stands for a program that would be compiled at its next use


class Family:
    """The programs made of one sequence of operations, and the shapes met last."""

    def __init__(self):
        self.programs, self.last, self.warned = 0, None, False


families = {}
forest.tables.append(families)


def prepare(state, alive, dead, inputs):
    """What runs a trace that has no program: (callable, what to keep in the program's place)."""
    path = state.path()
    layout = TraceFunction(path, inputs)
    family = families.setdefault(hash(tuple([s.op.name for s in path])), Family())
    before, family.last = family.last, layout.inputs
    moved = before != layout.inputs  # operations may also differ in what is no shape
    changing = moved and family.programs >= PATIENCE and len(path) >= SHORTEST
    if changing and state.programs.get((alive, dead)) is not SEEN:
        plan = numpy_plan(layout, alive)
        if plan is not None:
            if not family.warned:
                family.warned = True
                _warn_of_change(before, layout.inputs)
            program = run = Interpretation(plan)
            if compile_log.channel.is_on:
                why = _why(before, layout.inputs, family, state)
                run = compile_log.first_call(program, path, why, "run by NumPy, not compiled:")
            return run, SEEN
    run = program = Program(layout, [a for s in path for a in s.avals], alive, dead)
    if compile_log.channel.is_on:
        run = compile_log.first_call(program, path, _why(before, layout.inputs, family, state))
    family.programs += moved
    forest.weight += forest.PROGRAM
    return run, program


def _why(before, now, family, state):
    """Why a trace needs a program of its own."""
    if before is None:
        return "first time"
    changed = [
        f"{describe(a)} -> {describe(b)}" for a, b in zip(before, now, strict=False) if a is not b
    ]
    if changed:
        return f"inputs changed: {', '.join(changed[:3])}"
    if len(before) != len(now):
        return f"it takes {len(now)} inputs, {len(before)} before"
    if state.programs:
        return "other results are held, or other inputs no longer"
    return "the same operations with other settings, or wired otherwise"


def numpy_plan(layout, wanted):
    """How NumPy would run the trace; None where XLA has to, or had better."""
    if jax.default_backend() != "cpu":
        return None
    from sporax import numpy_interpreter  # what few programs need

    scalars = {"real": np.dtype(np.float64), "integer": np.dtype(np.int64)}
    counts = {"input": len(layout.inputs), "real": layout.n_reals, "integer": layout.n_integers}
    first = {"input": 0, "real": counts["input"], "integer": counts["input"] + counts["real"]}
    inputs = [*layout.inputs]
    for kind, dtype in scalars.items():
        inputs += [Aval.of((), dtype)] * counts[kind]
    steps = [
        (rule.jaxpr, [i if kind == "output" else ~(first[kind] + i) for kind, i in refs])
        for rule, refs in layout.steps
    ]
    try:
        plan = numpy_interpreter.link(steps, inputs, wanted)
    except numpy_interpreter.Unsupported:
        return None
    return plan if plan.work <= MOST_WORK else None


class Interpretation:
    """A trace run by NumPy; called as a `Program` is."""

    def __init__(self, plan):
        self.plan = plan

    def __call__(self, arrays, reals, integers, results):
        operands = [np.asarray(a) for a in arrays]
        operands += [np.float64(v.array) for v in reals]
        operands += [np.int64(v.array) for v in integers]
        results.extend([jax.device_put(np.array(a)) for a in self.plan(*operands)])


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
