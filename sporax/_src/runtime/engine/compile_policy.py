"""Selection of the executor for a trace without a program: first the interpreter, later XLA.

XLA takes tenths of a second to compile a training step of a small network, and tens of seconds for
a large one. Many traces run only once: the first step after an edit, a cell of a notebook, a
sentence of another length. So a trace runs on the interpreter (NumPy, and oneDNN for convolutions)
the first time, and is compiled the second time. Dynamic code that the interpreter runs quickly,
such as the body of a loop, is compiled later, at the seventeenth run. Slow compilations run in a
thread, while the interpreter executes as many runs as take about the same time. A trace that ran
before with other outputs or donated inputs is compiled at once, or in a thread if that is slow.

The first compiled run depends only on the trace, not on timing, so that two runs of a script are
bitwise equal. Both executors give the same values up to rounding. Traces that the interpreter does
not support, or would be slow at, are compiled at once. So is everything with `SPORAX_TIERS=off` and
after `set_deterministic(True)`, so that all runs of a trace are bitwise equal.
"""

import functools

from sporax._src.core.environment import Process, choice
from sporax._src.core.errors import user_frame, warn
from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import default_platform
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine import packing
from sporax._src.runtime.engine.debug import compile_log
from sporax._src.runtime.engine.debug.out_of_memory import bytes_needed
from sporax._src.runtime.engine.program import Program, TraceFunction, needs_plan
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification import switch as verification
from sporax._src.runtime.numpy_interpreter import interpretation

TIERS = choice("SPORAX_TIERS", "on", "off") == "on"
uses_interpreter = TIERS

PATIENCE = 4  # sets of shapes of one sequence of operations before a warning that they change
SHORTEST = 16  # operations; shorter traces compile quickly


class Family:
    """The programs of one sequence of operations: the number of shape sets, and the last one."""

    sets, last, warned = 0, None, False


families, plan_families = {}, {}
forest.tables += [families, plan_families]


def prepare(state, alive, dead, inputs):
    """Return the program to run a trace that has none; it is kept with the trace."""
    path = state.path()
    trace = TraceFunction(path, inputs)
    family = families.setdefault(hash(tuple([s.op.name for s in path])), Family())
    before, family.last = family.last, trace.inputs
    is_new, slot = not state.programs, (state.programs, (alive, dead))
    family.sets += is_new and before != trace.inputs
    avals = [a for step in path for a in step.avals]
    kind = _kind(trace)
    make = functools.partial(kind, trace, avals, alive, dead)
    program = packing.loaded(make, trace, alive, dead)
    plan = _plan(trace, slot, kind) if program is None and not packing.is_written() else None
    if plan is not None and Process.is_forked:
        program = interpretation.Interpretation(plan)
    elif plan is not None:
        compile_it = Program.compile
        if compile_log.channel.is_on:
            compile_it = compile_log.first_call(compile_it, path, "runs again", compile_log.ASIDE)
        is_captured = any(step.op.recorded for step in path)
        switch = verification.switch_of(state, trace, alive, make, slot)
        program = interpretation.interpreted(
            plan, is_captured, is_new, slot, make, compile_it, switch
        )
        program.size = bytes_needed(trace.steps, [avals[i] for i in alive])[1]
        if family.sets == PATIENCE and len(path) >= SHORTEST and not family.warned:
            family.warned = True
            _warn_of_change(before, trace.inputs)
    elif program is None:
        if is_packed := packing.is_written():
            make = functools.partial(packing.compiled, make, trace, alive, dead)
        program = verification.on_trial(make, state, trace, alive, slot, is_packed)
    run = program
    if compile_log.channel.is_on:
        was_interpreted = (alive, dead) in state.programs
        why = "runs again" if was_interpreted else compile_log.reason(before, trace.inputs, state)
        how = "compiled" if plan is None else "run by NumPy, not compiled:"
        run = compile_log.first_call(program, path, why, how)
        compile_log.channel.began = None  # the next trace has its own
    forest.keep(state, (alive, dead), program)
    return run


def _kind(trace):
    """Return the class of a trace's program."""
    kind = (hooks.program or Program) if trace.collective is None else trace.collective.program
    if forest.memory_limit is not None and (kind is not Program or hooks.devices is not None):
        raise rejection("memory-limit-one-device", "memory_limit")
    return kind


def _plan(trace, slot, kind):
    """Return the interpreter's plan of a trace; None if a program of `kind` runs it at once. If it
    is not new (it ran with other outputs or donated inputs), the interpreter only bridges a slow
    compilation."""
    may_interpret = uses_interpreter or Process.is_forked
    may_interpret = may_interpret and kind is Program and hooks.devices is None
    if not may_interpret or default_platform() != "cpu":
        return None
    programs, key = slot
    avals = [a for _, rule, _ in trace.steps for a in rule.avals]
    if needs_plan(
        bytes_needed(trace.steps, [*trace.inputs, *[avals[i] for i in key[0] if i >= 0]])[1]
    ):
        return None
    if key in programs and not Process.is_forked:  # the interpreter has left it to a program
        return None
    plan = interpretation.numpy_plan(plan_families, trace, key[0])
    is_bridged = plan is not None and interpretation.compiles_long(plan)
    return plan if is_bridged or not programs or Process.is_forked else None


def _warn_of_change(before, now):
    """Warn which inputs change their shapes, and where."""
    changed = [f"{a} -> {b}" for a, b in zip(before, now, strict=False) if a is not b]
    frame = user_frame()
    where = f" at {frame.filename}:{frame.lineno}" if frame is not None else ""
    warn(
        f"The shapes of a computation change from step to step{where} "
        f"(inputs: {', '.join(changed[:3])}). A new set of shapes runs on NumPy the first time and "
        "is compiled when it comes again. For full speed let the same shapes come back, e.g. by "
        "padding to a few lengths.",
    )
