"""Programs run by the interpreter of jaxprs that donate their dead inputs, as XLA's programs do."""

import contextlib

import pytest

from sporax._src.capture.graph_capture import graph_call
from sporax._src.core.jax_internals import device_array
from sporax._src.runtime.engine import compile_policy, recorder
from sporax._src.runtime.engine.program import TraceFunction, usable
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.numpy_interpreter.interpretation import Interpretation, numpy_plan


def array_of(array):
    """Return a `jax.Array` with separate memory."""
    return device_array(array.copy())


class Donating(Interpretation):
    """The interpretation of a trace, after which its dead inputs are deleted."""

    def __call__(self, arrays, reals, integers, results):
        super().__call__(arrays, reals, integers, results)
        for k in self.donated:
            arrays[k].delete()


def prepare(state, alive, dead, inputs):
    """Replacement for `compile_policy.prepare`: nothing is compiled."""
    trace = TraceFunction(state.path(), inputs)
    plan = numpy_plan(compile_policy.plan_families, trace, alive)
    if plan is None:
        return compile_policy.prepare(state, alive, dead, inputs)
    program = state.programs[alive, dead] = Donating(plan)
    avals = [a for step in state.path() for a in step.avals]
    program.donated = sorted(usable(dead, trace.inputs, [avals[i] for i in alive]))
    return program


@contextlib.contextmanager
def interpreted():
    """Interpret all programs in the block; clear the traces before and after it."""
    recorder.run_pending()
    forest.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "prepare", prepare)
        patch.setattr(graph_call, "prepare", prepare)
        try:
            yield
        finally:
            recorder.run_pending()
            forest.clear()
