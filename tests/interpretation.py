"""Runs programs only with the interpreter of jaxprs, where it supports them."""

from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.program import TraceFunction
from sporax._src.runtime.numpy_interpreter.interpretation import Interpretation, numpy_plan


def prepare(state, alive, dead, inputs):
    """Replacement for `compile_policy.prepare`: traces are interpreted, never compiled."""
    plan = numpy_plan(compile_policy.plan_families, TraceFunction(state.path(), inputs), alive)
    if plan is None:
        return compile_policy.prepare(state, alive, dead, inputs)
    program = state.programs[alive, dead] = Interpretation(plan)
    return program
