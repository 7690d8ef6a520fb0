"""Search for the first operation of a trace whose compiled program is wrong, and for a small part
of the trace that reproduces it."""

from sporax._src.core.jax_internals import device_array
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.verification import subtraces
from sporax._src.runtime.engine.verification.agreement import (
    Operands,
    compiled,
    disagreement,
    interpreted,
)


class Located:
    """A part of a trace that is compiled wrongly: its last operation is the first wrong one.

    `trace`, `outputs`, `operands`, `expected`: the part, as it was run. `program`: the wrong
    program. `difference`: of the outputs.
    """

    def __init__(self, trace, outputs, operands, expected, program, difference):
        self.trace, self.outputs, self.operands = trace, outputs, operands
        self.expected, self.program, self.difference = expected, program, difference
        self.op, self.rule, _ = trace.steps[-1]
        self.origin = trace.origins[-1]


def located(trace, output, operands):
    """Return the `Located` for an output of a trace whose program is wrong; None if the program of
    only the steps that the output needs is right."""
    whole, output_refs = subtraces.flattened(trace)
    pool, i = output_refs[output] if output >= 0 else ("input", ~output)
    if pool != "output":
        return None
    search = _Search(whole, operands)
    steps = subtraces.ancestors(whole, subtraces.step_of_outputs(whole)[i])
    if search.wrong(steps, steps[-1]) is None:
        return None
    right, wrong = -1, len(steps) - 1  # indices in `steps`
    while wrong - right > 1:
        middle = (right + wrong) // 2
        if search.wrong(subtraces.ancestors(whole, steps[middle]), steps[middle]) is None:
            right = middle
        else:
            wrong = middle
    return search.smallest(subtraces.ancestors(whole, steps[wrong]))


class _Search:
    def __init__(self, trace, operands):
        self.trace, self.operands = trace, operands

    def wrong(self, steps, last):
        """Return the `Located` of the program of these steps for the outputs of the last one if it
        is wrong, else None."""
        trace, sources, outputs = subtraces.subtrace(self.trace, steps)
        wanted = [outputs.index(i) for i in subtraces.outputs_of_step(self.trace, last)]
        operands = Operands(self._values(sources), self.operands.reals, self.operands.integers)
        avals = [aval for _, rule, _ in trace.steps for aval in rule.avals]
        expected = interpreted(trace, wanted, operands)
        program = Program(trace, avals, tuple(wanted), ())
        actual = compiled(program, operands)
        difference = disagreement(trace, wanted, operands, expected, actual)
        if difference is None:
            return None
        return Located(trace, wanted, operands, expected, program, difference)

    def _values(self, sources):
        """Compute the arrays at these places of the whole trace."""
        wanted = [i if pool == "output" else ~i for pool, i in sources]
        return list(map(device_array, interpreted(self.trace, wanted, self.operands)))

    def smallest(self, steps):
        """Return the `Located` of the last 1, 2, 4, ... of these steps, or of all."""
        count = 1
        while count < len(steps):
            result = self.wrong(steps[-count:], steps[-1])
            if result is not None:
                return result
            count *= 2
        return self.wrong(steps, steps[-1])
