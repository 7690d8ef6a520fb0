"""What runs a trace that has no program yet: the interpreter at first, XLA from some run on.

XLA takes tenths of a second to compile a training step of a small network, and tens of seconds for
that of a large one. Many traces run only once: the first step after an edit, a cell of a notebook,
a sentence of another length. So a trace runs on the interpreter (NumPy, and oneDNN for
convolutions) the first time, and is compiled the second time. Dynamic code that the interpreter is
quick at, such as the body of a loop, is compiled later, at the seventeenth run. What takes XLA long
is compiled by a thread, while the interpreter serves as many runs as take about as long.

Which run is the first compiled one depends on the trace alone and not on the clock, so that two
runs of a script have the same bits. Both give the same values up to rounding. What the interpreter
has no rule for, or would take long for, is compiled at once. So is everything with
`SPORAX_TIERS=off` and after `set_deterministic(True)`, where all runs of a trace are to have the
same bits.
"""

import functools

import jax

from sporax.core.environment import Process, choice
from sporax.core.errors import user_frame, warn
from sporax.engine.debug import compile_log
from sporax.engine.debug.out_of_memory import bytes_needed
from sporax.engine.program import Program, TraceFunction
from sporax.engine.trace_tree import forest
from sporax.engine.verification import switch as verification

TIERS = choice("SPORAX_TIERS", "on", "off") == "on"
uses_interpreter = TIERS

PATIENCE = 4  # sets of shapes of one sequence of operations before they count as changing
SHORTEST = 16  # operations; what is shorter compiles quickly


class Family:
    """The programs of one sequence of operations: how many sets of shapes, and the last one."""

    sets, last, warned = 0, None, False


families, plan_families = {}, {}
forest.tables += [families, plan_families]


def prepare(state, alive, dead, inputs):
    """What runs a trace that has no program; kept with the trace for the next run."""
    path = state.path()
    trace = TraceFunction(path, inputs)
    family = families.setdefault(hash(tuple([s.op.name for s in path])), Family())
    before, family.last = family.last, trace.inputs
    is_new, place = not state.programs, (state.programs, (alive, dead))
    family.sets += is_new and before != trace.inputs
    plan, avals = None, [a for step in path for a in step.avals]
    kind = Program.kind if trace.collective is None else trace.collective.program
    make = functools.partial(kind, trace, avals, alive, dead)
    may_interpret = (is_new and uses_interpreter) or Process.is_forked
    may_interpret = may_interpret and kind is Program and Program.devices is None
    if may_interpret and jax.default_backend() == "cpu":
        from sporax.numpy_interpreter import interpretation  # what few programs need

        plan = interpretation.numpy_plan(plan_families, trace, alive)
    if plan is not None and Process.is_forked:
        program = interpretation.Interpretation(plan)
    elif plan is not None:
        compile_it = Program.compile
        if compile_log.channel.is_on:
            compile_it = compile_log.first_call(compile_it, path, "runs again", compile_log.ASIDE)
        is_captured = any(step.op.recorded for step in path)
        switch = verification.switch_of(state, trace, alive, make)
        program = interpretation.interpreted(plan, is_captured, place, make, compile_it, switch)
        program.size = bytes_needed(trace.steps, [avals[i] for i in alive])[1]
        if family.sets == PATIENCE and len(path) >= SHORTEST and not family.warned:
            family.warned = True
            _warn_of_change(before, trace.inputs)
    else:
        program = verification.on_trial(make, state, trace, alive, place)
    run = program
    if compile_log.channel.is_on:
        was_interpreted = (alive, dead) in state.programs
        why = "runs again" if was_interpreted else compile_log.reason(before, trace.inputs, state)
        how = "compiled" if plan is None else "run by NumPy, not compiled:"
        run = compile_log.first_call(program, path, why, how)
        compile_log.channel.began = None  # the next trace has its own
    forest.keep(state, (alive, dead), program)
    return run


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
