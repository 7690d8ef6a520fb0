"""Computation of a trace operation by operation, each compiled separately, in float64 if supported:
for operations that the interpreter has no rule for. Nothing is fused.
"""

import jax.numpy as jnp
import numpy as np

from sporax._src.core.errors import REFUSALS
from sporax._src.core.jax_internals import device_array
from sporax._src.core.value import Aval
from sporax._src.runtime.engine.verification.agreement import Operands
from sporax._src.runtime.engine.verification.subtraces import flattened
from sporax._src.runtime.numpy_interpreter.interpretation import steps_and_inputs

_WIDER: dict[np.dtype, np.dtype] = {
    np.dtype(t): np.dtype(np.float64) for t in (np.float16, np.float32, jnp.bfloat16)
}
_WIDER[np.dtype(np.complex64)] = np.dtype(np.complex128)


def in_float64(trace, outputs, operands):
    """Compute these outputs of a trace; returns them in their own dtypes."""
    whole, output_refs = flattened(trace)
    steps, avals = steps_and_inputs(whole)
    inputs = [jnp.asarray(x) for x in operands.on_host(whole)]
    inputs = list(zip(inputs, avals, strict=True))
    values = []  # (array, its aval in the trace)
    for rule, op, refs in steps:
        taken = [values[i] if i >= 0 else inputs[~i] for i in refs]
        results = _computed(op, rule, [x for x, _ in taken])
        values += zip(results, rule.avals, strict=True)
    sources = [output_refs[i] if i >= 0 else ("input", ~i) for i in outputs]
    pairs = [values[i] if pool == "output" else inputs[i] for pool, i in sources]
    return [np.asarray(x).astype(aval.dtype) for x, aval in pairs]


class Float64Form:
    """Runs a trace by `in_float64`; called like a `Program`."""

    def __init__(self, trace, outputs):
        self.trace, self.outputs = trace, outputs

    def __call__(self, arrays, reals, integers, results):
        operands = Operands(arrays, reals, integers)
        results.extend(map(device_array, in_float64(self.trace, self.outputs, operands)))


def _computed(op, rule, arrays):
    """Compute an operation: in float64 if it supports that, else in the dtypes of its rule."""
    wide = [_WIDER.get(a.dtype, a.dtype) for a in rule.operands]
    avals = tuple(
        a if a.weak else Aval.intern(a.shape, d) for a, d in zip(rule.operands, wide, strict=True)
    )
    try:
        wider = op.rule(avals)
    except REFUSALS:
        wider = rule
    if [a.shape for a in wider.avals] != [a.shape for a in rule.avals]:
        wider = rule
    arrays = [x.astype(a.dtype) for x, a in zip(arrays, wider.operands, strict=True)]
    results = wider.run(*arrays)
    return [results] if wider.single else list(results)
