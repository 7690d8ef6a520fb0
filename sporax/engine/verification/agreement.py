"""Whether a compiled program gives what the interpreter gives for the same operands."""

import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from sporax.core.jax_internals import device_array
from sporax.core.to_host import on_host
from sporax.engine.debug.out_of_memory import operations
from sporax.numpy_interpreter import comparison, interpretation, rounding
from sporax.numpy_interpreter.plans import Unsupported
from sporax.numpy_interpreter.polymorphic_plan import plan_for_these_sizes

# unit roundoff in which products of float32 are computed by default (TensorFloat-32; bfloat16)
DEVICE_PRECISION = {"gpu": 2.0**-10, "tpu": 2.0**-7}
MOST_WORK = 10**9  # multiplications; of more, perturbed plans take long
RUNS = 3  # of perturbed plans, where the plain comparison is not enough


class Operands:
    """The inputs of a run: arrays, and Values of Python numbers."""

    def __init__(self, arrays, reals, integers):
        self.arrays, self.reals, self.integers = list(arrays), list(reals), list(integers)

    def on_host(self, trace):
        """The operands of plans of a trace, as NumPy arrays."""
        return interpretation.operands(trace, self.arrays, self.reals, self.integers)

    @property
    def size(self):
        """Bytes of the arrays."""
        return sum(a.nbytes for a in self.arrays)


def is_on_host():
    """Whether programs run where the interpreter does."""
    return jax.default_backend() == "cpu"


def interpreted(trace, outputs, operands):
    """The outputs of a trace, by the interpreter. Raises `Unsupported`."""
    steps, inputs = interpretation.steps_and_inputs(trace)
    return plan_for_these_sizes(steps, inputs, tuple(outputs))(*operands.on_host(trace))


def compiled(program, operands):
    """The outputs of a program; arrays that it would take over are copied before."""
    arrays = list(operands.arrays)
    for k in program.donated:
        arrays[k] = device_array(np.array(on_host(arrays[k])))
    results = []
    program(arrays, operands.reals, operands.integers, results)
    return [on_host(result) for result in results]


class Tolerance(NamedTuple):
    """How far results may be from those of the interpreter, see `comparison.difference`."""

    precision: float
    steps: int
    spread: Any = None

    @classmethod
    def of(cls, trace):
        """The one that follows from dtypes and the number of steps."""
        avals = [a for _, each in operations((op, rule.avals) for op, rule, _ in trace.steps)
                 for a in each]  # fmt: skip
        dtypes = {a.dtype for a in (*avals, *trace.inputs)}
        of_device = DEVICE_PRECISION.get(jax.default_backend(), 0.0)
        return cls(max(comparison.precision_of(dtypes), of_device), len(avals))

    def measured(self, trace, outputs, operands, expected, found=None):
        """The one with the distance by which rounding moves these outputs of a trace for these
        NumPy operands. Where to find this out takes long and suffices: the one with a bound that
        follows from the longest sum. Itself where the interpreter has no rule for a step."""
        arguments = interpretation.steps_and_inputs(trace)
        build = functools.partial(plan_for_these_sizes, *arguments, tuple(outputs))
        try:
            if build().work > MOST_WORK:
                steps = rounding.steps_of_sums(rule.jaxpr.jaxpr for _, rule, _ in trace.steps)
                longer = self._replace(steps=self.steps + steps)
                if found is None or longer.difference(expected, found) is None:
                    return longer
            moved = rounding.deviations(build, operands, expected, RUNS)
        except Unsupported:
            return self
        return self._replace(spread=moved)

    def difference(self, expected, found):
        """The `Difference` of results from what is expected, or None."""
        return comparison.difference(expected, found, *self)


def disagreement(trace, outputs, operands, expected, found):
    """The `Difference` of a program's outputs from the interpreter's, or None: first with a bound
    on rounding that follows from dtypes and the number of steps, then, where that is exceeded, with
    a `measured` one."""
    tolerance = Tolerance.of(trace)
    if tolerance.difference(expected, found) is None:
        return None
    host = operands.on_host(trace)
    measured = tolerance.measured(trace, outputs, host, expected, found)
    return measured.difference(expected, found)
