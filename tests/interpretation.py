"""Run programs by the interpreter of jaxprs only, where it can run them."""

from sporax.engine import compile_policy
from sporax.engine.program import TraceFunction
from sporax.numpy_interpreter.interpretation import Interpretation, numpy_plan


def prepare(state, alive, dead, inputs):
    """In place of `compile_policy.prepare`: what runs a trace is never compiled."""
    plan = numpy_plan(compile_policy.plan_families, TraceFunction(state.path(), inputs), alive)
    if plan is None:
        return compile_policy.prepare(state, alive, dead, inputs)
    program = state.programs[alive, dead] = Interpretation(plan)
    return program
