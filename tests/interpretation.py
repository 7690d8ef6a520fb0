"""Run programs by the interpreter of jaxprs only, where it can run them."""

from sporax.engine import compile_policy
from sporax.engine.program import TraceFunction


def prepare(state, alive, dead, inputs):
    """In place of `compile_policy.prepare`: what runs a trace is never compiled."""
    plan = compile_policy.numpy_plan(TraceFunction(state.path(), inputs), alive)
    if plan is None:
        return compile_policy.prepare(state, alive, dead, inputs)
    program = state.programs[alive, dead] = compile_policy.Interpretation(plan)
    return program
