"""From the structure of a trace to a compiled XLA program."""

import collections
from itertools import chain

import jax
import numpy as np

from sporax.core.value import Aval
from sporax.xla_kernels.constant_barriers import kind_of
from sporax.xla_kernels.rewrite import rewritten


class TraceFunction:
    """A trace as a function on arrays, decoded once from the keys along its path."""

    def __init__(self, states, inputs=()):
        self.steps = []  # (rule, references)
        self.inputs = list(inputs)  # avals of the array inputs
        self.n_reals = self.n_integers = 0
        for state in states:
            refs = [self._place(item) for item in state.key[1:]]
            self.steps.append((state.op.rule(state.operands), refs))

    def _place(self, item):
        if item.__class__ is tuple:  # a Python number met before
            return ("real" if item[0] else "integer"), item[1]
        if not isinstance(item, Aval):
            return ("output", item) if item >= 0 else ("input", ~item)
        if item.weak and item.dtype.kind == "f":
            self.n_reals += 1
            return "real", self.n_reals - 1
        if item.weak and item.dtype.kind in "bi":
            self.n_integers += 1
            return "integer", self.n_integers - 1
        self.inputs.append(item)
        return "input", len(self.inputs) - 1

    def outputs(self, reals, integers, arrays, wanted, guarded=True):
        """The outputs `wanted` of the trace; a negative number names an input as it came.
        `guarded`: whether with barriers, see `xla_kernels.constant_barriers`."""
        results, kinds = [], []
        pools = {"output": results, "input": arrays, "real": reals, "integer": integers}
        for rule, refs in self.steps:
            operands, run = [pools[pool][i] for pool, i in refs], rule.run
            if guarded:
                of_operands = [
                    kinds[i] if pool == "output" else kind_of(x)
                    for (pool, i), x in zip(refs, operands, strict=True)
                ]
                run, of_outputs = rule.guarded(tuple(of_operands))
                kinds += of_outputs
            out = run(*operands)
            results.extend((out,) if rule.single else out)
        return [results[i] if i >= 0 else arrays[~i] for i in wanted]


compilations = collections.Counter()


class Program:
    """A trace compiled at its first call.

    `avals`: those of the trace's outputs; `alive`: the outputs to return; `dead`: inputs that
    nobody else holds.
    """

    __slots__ = ("compiled", "donated", "kept")

    def __init__(self, layout, avals, alive, dead):
        self.donated = frozenset(_usable(dead, layout.inputs, [avals[i] for i in alive]))
        self.kept = [k for k in range(len(layout.inputs)) if k not in self.donated]

        def run(reals, integers, donated, kept):
            arrays = [None] * len(layout.inputs)
            for k, array in zip(sorted(self.donated), donated, strict=True):
                arrays[k] = array
            for k, array in zip(self.kept, kept, strict=True):
                arrays[k] = array
            return layout.outputs(reals, integers, arrays, alive)

        on_cpu = jax.default_backend() == "cpu"
        self.compiled = jax.jit(rewritten(run) if on_cpu else run, donate_argnums=(2,))
        compilations["programs"] += 1

    def __call__(self, arrays, reals, integers, results):
        """Run; the results are put into the list `results`, all at once and even if interrupted."""
        if self.donated:
            donated = [arrays[k] for k in sorted(self.donated)]
            kept = [arrays[k] for k in self.kept]
        else:
            donated, kept = [], arrays
        reals = np.array([v.array for v in reals], np.float64) if reals else ()
        integers = np.array([v.array for v in integers], np.int64) if integers else ()
        # one call into C from here to the list: no interrupt between a donation and its result
        results.extend(
            chain.from_iterable(map(self.compiled, (reals,), (integers,), (donated,), (kept,)))
        )


def _usable(dead, inputs, outputs):
    """Those dead inputs whose buffer some output can take over."""
    free = collections.Counter(outputs)
    for k in dead:
        if free[inputs[k]] > 0:
            free[inputs[k]] -= 1
            yield k
