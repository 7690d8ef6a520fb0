"""Comparison of a compiled program with the interpreter on the same operands."""

import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from sporax._src.core.jax_internals import default_platform, device_array
from sporax._src.core.to_host import on_host
from sporax._src.runtime.engine.debug.out_of_memory import operations
from sporax._src.runtime.numpy_interpreter import comparison, interpretation, rounding
from sporax._src.runtime.numpy_interpreter.plans import Unsupported
from sporax._src.runtime.numpy_interpreter.polymorphic_plan import plan_for_these_sizes

# unit roundoff that float32 convolutions may have (TensorFloat-32; bfloat16)
DEVICE_PRECISION = {"gpu": 2.0**-10, "tpu": 2.0**-7}
MOST_WORK = 10**9  # multiplications; with more, perturbed plans take long
RUNS = 16  # of perturbed plans at most; a rejected program costs more


class Operands:
    """The inputs of a run: arrays, and Values of Python numbers."""

    def __init__(self, arrays, reals, integers):
        self.arrays, self.reals, self.integers = list(arrays), list(reals), list(integers)

    def on_host(self, trace):
        """Return the operands for plans of a trace, as NumPy arrays."""
        return interpretation.operands(trace, self.arrays, self.reals, self.integers)

    @property
    def size(self):
        """Bytes of the arrays."""
        return sum(a.nbytes for a in self.arrays)


def is_on_host():
    """Return True if programs run on the CPU, as the interpreter does."""
    return default_platform() == "cpu"


def interpreted(trace, outputs, operands):
    """Compute the outputs of a trace on the interpreter. Raises `Unsupported`."""
    steps, inputs = interpretation.steps_and_inputs(trace)
    return plan_for_these_sizes(steps, inputs, tuple(outputs))(*operands.on_host(trace))


def compiled(program, operands):
    """Compute the outputs of a program; arrays that would be donated are copied first."""
    arrays = list(operands.arrays)
    for k in program.donated:
        arrays[k] = device_array(np.array(on_host(arrays[k])))
    results = []
    program(arrays, operands.reals, operands.integers, results)
    return [on_host(result) for result in results]


class Tolerance(NamedTuple):
    """The allowed deviation from the interpreter's results, see `comparison.difference`."""

    precision: float
    steps: int
    spread: Any = None

    @classmethod
    def for_trace(cls, trace):
        """Return the tolerance that follows from dtypes and the number of steps."""
        avals = [a for _, each in operations((op, rule.avals) for op, rule, _ in trace.steps)
                 for a in each]  # fmt: skip
        dtypes = {a.dtype for a in (*avals, *trace.inputs)}
        of_device = DEVICE_PRECISION.get(default_platform(), 0.0)
        return cls(max(comparison.precision_of(dtypes), of_device), len(avals))

    def wider(self, trace, outputs, operands, expected, measuring=lambda: None):
        """Yield wider tolerances for these outputs of a trace and these NumPy operands: a bound
        from the longest sum, if measuring takes long; then, after each perturbed run, one with the
        effect of rounding measured so far. `measuring`: called before the perturbed runs. Yields
        none if the interpreter has no rule for a step."""
        arguments = interpretation.steps_and_inputs(trace)
        plans = rounding.perturbed(
            functools.partial(plan_for_these_sizes, *arguments, tuple(outputs)), RUNS
        )
        try:
            first = next(plans)
            if first.work > MOST_WORK:
                steps = rounding.steps_of_sums(rule.jaxpr.jaxpr for _, rule, _ in trace.steps)
                yield self._replace(steps=self.steps + steps)
            measuring()
            plans = itertools.chain([first], plans)
            for spread in rounding.deviations(plans, operands, expected):
                yield self._replace(spread=spread)
        except Unsupported:
            return

    def measured(self, trace, outputs, operands, expected):
        """Return the widest tolerance, or the bound if measuring takes long."""
        tolerance = self
        for tolerance in self.wider(trace, outputs, operands, expected):
            if tolerance.spread is None:
                break
        return tolerance

    def difference(self, expected, actual):
        """Return the `Difference` of results from the expected ones, or None."""
        return comparison.difference(expected, actual, *self)


def disagreement(trace, outputs, operands, expected, actual, measuring=lambda: None):
    """Return the `Difference` of a program's outputs from the interpreter's, or None: first with a
    bound on rounding that follows from dtypes and the number of steps; for outputs that exceed it,
    with wider ones. `measuring`: see `Tolerance.wider`."""
    tolerance = Tolerance.for_trace(trace)
    far = comparison.different(expected, actual, *tolerance)
    if not far:
        return None
    outputs, expected, actual = ([each[k] for k in far] for each in (outputs, expected, actual))
    wider = tolerance.wider(trace, outputs, operands.on_host(trace), expected, measuring)
    for tolerance in wider:
        if not comparison.different(expected, actual, *tolerance):
            return None
    differs = tolerance.difference(expected, actual)
    return differs and differs._replace(output=far[differs.output])
