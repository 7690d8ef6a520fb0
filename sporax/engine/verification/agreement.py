"""Whether a compiled program gives what the interpreter gives for the same operands."""

import functools

import jax
import numpy as np

from sporax.core.jax_internals import device_array
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
        arrays[k] = device_array(np.array(arrays[k]))
    results = []
    program(arrays, operands.reals, operands.integers, results)
    return [np.asarray(result) for result in results]


def disagreement(trace, outputs, operands, expected, found):
    """The `Difference` of a program's outputs from the interpreter's, or None: first with a bound
    on rounding that follows from dtypes and the number of steps. Where that is exceeded, with the
    distance by which rounding moves the outputs of this program on these operands; with a bound
    that follows from its longest sum, too, where to find this out takes long."""
    avals = [a for _, each in operations((op, rule.avals) for op, rule, _ in trace.steps)
             for a in each]  # fmt: skip
    dtypes = {a.dtype for a in (*avals, *trace.inputs)}
    precision = DEVICE_PRECISION.get(jax.default_backend(), 0.0)
    precision, steps = max(comparison.precision_of(dtypes), precision), len(avals)
    differs = functools.partial(comparison.difference, expected, found, precision, steps)
    if differs() is None:
        return None
    arguments = interpretation.steps_and_inputs(trace)
    build = functools.partial(plan_for_these_sizes, *arguments, tuple(outputs))
    try:
        if build().work > MOST_WORK:
            more = rounding.most_roundings(rule.jaxpr.jaxpr for _, rule, _ in trace.steps)
            if differs(more=more) is None:
                return None
        spread = rounding.deviations(build, operands.on_host(trace), expected, RUNS)
    except Unsupported:
        spread = None
    return differs(spread)
