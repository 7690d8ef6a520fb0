"""`LiftedOp`: the computation of an abstract trace as one operation."""

import functools
from typing import Any

import jax

from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.program import TraceFunction
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.index_checks.checks import worst

cache: dict[Any, Any] = {}  # (constructor, arguments) -> operation
forest.tables.append(cache)


def cached_op(make, *arguments):
    """Return `make(*arguments)`, cached: equal arguments give the same operation."""
    key = make, *arguments
    op = cache.get(key)
    if op is None:
        op = cache[key] = make(*arguments)
    return op


SUM = "sum"  # the out axis of a result that is summed over the examples
WORST = "worst"  # the out axis of statuses, see `index_checks.checks`
_REDUCTIONS = {SUM: lambda x: x.sum(0, dtype=x.dtype), WORST: worst}


class LiftedOp(Op):
    """The computation of an abstract trace, for each of `size` examples, or once if that is None.

    `needed`: indices of the trace's inputs that are its operands; Python scalars follow. `outs`:
    for each result the axis of the examples, None if they share the result, SUM or WORST.
    """

    __slots__ = ("axes", "first", "indices", "needed", "outs", "size", "trace")
    is_polymorphic = False
    uses_python_derivatives = True  # its derivative uses bprops and hooks in the trace

    def __init__(self, name, state, indices, axes, outs, size):
        trace = self.trace = TraceFunction(state.path())
        self.indices, self.outs, self.size = indices, outs, size
        self.needed = trace.prune(indices)
        self.first = len(self.needed), len(self.needed) + trace.n_reals
        scalars = (None,) * (trace.n_reals + trace.n_integers)
        self.axes = (*[axes[i] for i in self.needed], *scalars)
        super().__init__(name, functools.partial(self._mapped, self._run))
        self.real = functools.partial(self._mapped, functools.partial(self._run, real=True))
        self.collective = trace.collective

    def _run(self, *arrays, real=False):
        """Compute the results; with `real`, floating arrays may replace integer ones."""
        first, second = self.first
        inputs = dict(zip(self.needed, arrays[:first], strict=True))
        reals, integers = arrays[first:second], arrays[second:]
        return tuple(self.trace.outputs(reals, integers, inputs, self.indices, False, real))

    def _mapped(self, run, *arrays):
        if self.size is None:
            return run(*arrays)
        outs = tuple(0 if axis in _REDUCTIONS else axis for axis in self.outs)
        results = jax.vmap(run, self.axes, outs, axis_size=self.size)(*arrays)
        return tuple(
            _REDUCTIONS[axis](x) if axis in _REDUCTIONS else x
            for x, axis in zip(results, self.outs, strict=True)
        )

    def compute(self, avals, *arrays, real=False):
        """Run as recorded: Python scalars are passed unchanged, in 64 bits."""
        return (self.real if real else self.fn)(*arrays)

    def differing(self, avals, which):
        """Return the subset of the results `which` that differ between the examples."""
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]

        def refused(some):
            def chosen(*arrays):
                results = self._run(*arrays)
                return [results[i] for i in some]

            try:  # out axis None is allowed only for shared results
                with self.axis():
                    jax.eval_shape(jax.vmap(chosen, self.axes, None, axis_size=self.size), *specs)
            except ValueError:
                return True
            return False

        return [i for i in which if refused([i])] if refused(which) else []
