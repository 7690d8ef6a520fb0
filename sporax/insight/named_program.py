"""A recording compiled so that the name of each instruction identifies its recorded operation.

Keys of the compilation cache do not include such names, so the program must bypass the cache: its
module name is new each time, and it is not written to the cache.
"""

import itertools
import time

import jax
import numpy as np

from sporax._src.core.jax_internals import compiled_for_once, default_platform
from sporax._src.runtime.xla_kernels import host_memory
from sporax._src.runtime.xla_kernels.rewrite import rewritten
from sporax.insight.hlo_scopes import SCOPE

_numbers = itertools.count(1)


class _NamedRule:
    """A `Rule` whose functions are traced under a name scope."""

    def __init__(self, rule, name):
        self.rule, self.name = rule, name
        self.avals, self.single, self.operands = rule.avals, rule.single, rule.operands
        self.run = self._under_name(rule.run)

    def _under_name(self, run):
        def named(*arrays):
            with jax.named_scope(self.name):
                return run(*arrays)

        return named

    def with_barriers(self, kinds):
        run, outs = self.rule.with_barriers(kinds)
        return self._under_name(run), outs


def under_names(listing, outputs=None):
    """Return a listing as a function of the arrays of its inputs, in which the operation of index k
    is traced under the name scope `SCOPE.format(k)`. `outputs`: their indices, by default the
    listing's."""
    trace, outputs = listing.trace, listing.outputs if outputs is None else outputs
    steps = trace.steps
    reals = np.array(listing.reals, np.float64)
    integers = np.array(listing.integers, np.int64)
    named = [
        (op, _NamedRule(rule, SCOPE.format(k)), refs) for k, (op, rule, refs) in enumerate(steps)
    ]

    def run(*arrays):
        trace.steps = named
        try:
            return tuple(trace.outputs(reals, integers, arrays, outputs))
        finally:
            trace.steps = steps

    return run


class NamedProgram:
    """The compiled program of a listing with concrete `values` for its inputs. Inputs that it
    writes are donated, and its outputs replace them in the next run, as in training.

    `trace_seconds`, `compile_seconds`: time of tracing and compiling. `name`: of the XLA module.
    """

    def __init__(self, listing, values):
        self.listing = listing
        outputs = listing.outputs
        written = dict(zip(listing.written, range(listing.n_results, len(outputs)), strict=True))
        self.given = {
            k: written[item.name]
            for k, item in enumerate(listing.inputs)
            if item.kind != "argument" and item.name in written
        }  # input -> the output that replaces it
        kept = set(self.given)
        self.arrays = [
            jax.numpy.array(v, copy=True) if k in kept else v for k, v in enumerate(values)
        ]
        self.runs = host_memory.Runs()
        run = under_names(listing)
        if default_platform() == "cpu":
            run = rewritten(run, self.runs.measure)
        run.__name__ = f"profiled_{time.time_ns()}_{next(_numbers)}"
        self.name = f"jit_{run.__name__}"
        compiled = jax.jit(run, donate_argnums=tuple(self.given))
        begin = time.perf_counter()
        with compiled_for_once():
            lowered = compiled.lower(*self.arrays)
            traced = time.perf_counter()
            self.compiled = lowered.compile()
        self.trace_seconds = traced - begin
        self.compile_seconds = time.perf_counter() - traced
        self.text = self.compiled.as_text()

    def prepare(self):
        """Prepare a run; call it before each run, outside the timed section."""
        if self.runs.is_large:
            self.runs.prepare(self.arrays)

    def __call__(self):
        """Run once and wait for the results."""
        results = jax.block_until_ready(self.compiled(*self.arrays))
        for k, output in self.given.items():
            self.arrays[k] = results[output]
