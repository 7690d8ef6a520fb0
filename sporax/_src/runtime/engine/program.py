"""Compilation of a trace to an XLA program."""

import collections
import functools
from itertools import chain
from typing import Any

import jax
import numpy as np
from jax import lax

from sporax._src.core.context import get_context
from sporax._src.core.environment import Process
from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import default_platform
from sporax._src.core.memory_limits import (
    COMPILING,
    RESERVE,
    TO_COMPILE,
    budget,
    is_out_of_memory,
    reason_of,
)
from sporax._src.core.value import Aval
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.debug.out_of_memory import bytes_needed, bytes_of, memory
from sporax._src.runtime.engine.limited_program import LimitedProgram
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.xla_kernels import host_memory, jaxlib_faults
from sporax._src.runtime.xla_kernels.constant_barriers import kind_of
from sporax._src.runtime.xla_kernels.rewrite import PASSES, rewritten


class TraceFunction:
    """A trace as a function on arrays, decoded once from the keys along its path.

    `steps`: (operation, its `Rule`, the place of each operand: a pool and an index in it).
    `origins`: where each was recorded. `constants`: a pool of arrays that are the same at every
    run.
    """

    def __init__(self, states, inputs=()):
        self.steps: list[Any] = []
        self.origins = [state.origin for state in states]
        self.constants: list[Any] = []
        self.inputs = list(inputs)  # avals of the array inputs
        self.n_reals = self.n_integers = 0
        for state in states:
            refs = [self._ref(item) for item in state.key[1:]]
            self.steps.append((state.op, state.op.rule(state.operands), refs))
        self.collective = states[-1].collective if states else None  # see `Op`

    def _ref(self, item):
        if item.__class__ is tuple:  # a repeated Python number
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

    def prune(self, outputs):
        """Drop the steps that neither these outputs nor other ranks need; returns the inputs that
        the remaining steps need."""
        steps = [k for k, (_, rule, _) in enumerate(self.steps) for _ in rule.avals]
        needed = {steps[i] for i in outputs if i >= 0}
        inputs = {~i for i in outputs if i < 0}
        for k in reversed(range(len(self.steps))):
            op, rule, refs = self.steps[k]
            if k not in needed and op.collective is None:
                self.steps[k] = op, rule, None
                continue
            needed.update(steps[i] for pool, i in refs if pool == "output")
            inputs.update(i for pool, i in refs if pool == "input")
        return sorted(inputs)

    def outputs(self, reals, integers, arrays, wanted, barriers=True, real=False):
        """Compute the outputs `wanted` of the trace; a negative index `~i` denotes input `i`.

        `barriers`: whether to insert the barriers of `xla_kernels.constant_barriers`. `real`:
        whether real arrays may replace integer ones; then no barriers are inserted.
        """
        results, kinds = [], []
        pools = {"output": results, "input": arrays, "real": reals, "integer": integers}
        pools["constant"] = self.constants
        for op, rule, refs in self.steps:
            if refs is None:
                results += [None] * len(rule.avals)
                kinds += [0] * len(rule.avals)
                continue
            operands, run = [pools[pool][i] for pool, i in refs], rule.run
            if op.stops_gradient and not barriers:  # JAX may differentiate it
                operands = [lax.stop_gradient(x) for x in operands]
            if barriers:
                of_operands = [
                    kinds[i] if pool == "output" else kind_of(x)
                    for (pool, i), x in zip(refs, operands, strict=True)
                ]
                run, of_outputs = rule.with_barriers(tuple(of_operands))
                kinds += of_outputs
            elif real and (avals := _avals_of(operands, rule.operands)) != rule.operands:
                run = functools.partial(op.compute, avals, real=True)
            out = run(*operands)
            results.extend((out,) if rule.single else out)
        return [results[i] if i >= 0 else arrays[~i] for i in wanted]

    def on_arrays(self, reals, integers, wanted):
        """Return the outputs `wanted` as a function of only the array inputs, with constants for
        the Python numbers."""
        reals, integers = np.array(reals, np.float64), np.array(integers, np.int64)

        def run(*arrays, barriers=True):
            return tuple(self.outputs(reals, integers, arrays, wanted, barriers))

        run.steps_of = self, reals, integers, wanted
        return run


def _avals_of(arrays, avals):
    """Return the avals of arrays; the aval of a Python number is unchanged."""
    return tuple(
        a if a.weak else Aval.intern(x.shape, x.dtype) for a, x in zip(avals, arrays, strict=True)
    )


compilations = collections.Counter()


class Program:
    """A trace compiled at its first call.

    `avals`: the avals of the trace's outputs; `alive`: the outputs to return; `dead`: inputs that
    nobody else holds. `options`: XLA compiler options for this program.
    """

    __slots__ = ("compiled", "donated", "kept", "most", "runs", "size")

    def __init__(self, function, avals, alive, dead, options=None):
        find_memory()
        inputs, results = function.inputs, [avals[i] for i in alive]
        self.donated = sorted(usable(dead, inputs, results))
        self.kept = sorted({*range(len(inputs))}.difference(self.donated))
        is_here = hooks.devices is None  # else each device has a part of the arrays
        stored = [*(inputs[k] for k in self.kept), *results]
        least, self.most = bytes_needed(function.steps, stored)
        must_fail = is_here and least > memory()
        if must_fail:  # at run time: it donates no input, and is waited for
            self.donated, self.kept = [], list(range(len(inputs)))

        def run(reals, integers, donated, kept):
            order = *self.donated, *self.kept
            arrays = dict(zip(order, (*donated, *kept), strict=True))
            return function.outputs(reals, integers, arrays, alive)

        self.runs = host_memory.Runs(memory() if must_fail else None)
        on_cpu = default_platform() == "cpu" and is_here
        # bytes that a run allocates: for results, and for temporaries if their size is known
        donated = bytes_of([inputs[k] for k in self.donated])
        self.size = bytes_of(results) - donated if on_cpu else 0
        options = _options(on_cpu) if options is None else options
        is_planned = needs_plan(self.most) and not must_fail
        passes = PASSES[:1] if is_planned else None
        run_here = rewritten(run, self.runs.measure, passes) if on_cpu else run
        if is_planned:
            rest = PASSES[1:] if on_cpu else ()
            self.compiled: Any = LimitedProgram(run_here, forest.memory_limit, options, rest)
        else:
            self.compiled = jax.jit(run_here, donate_argnums=(2,), compiler_options=options)
        if must_fail:
            self.compiled = _waited(self.compiled)
        compilations["programs"] += 1

    def specs(self, arrays, reals, integers):
        """Return the shapes and dtypes of such operands, as `compiled` takes them."""
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]
        donated, kept = ([specs[k] for k in indices] for indices in (self.donated, self.kept))
        reals = jax.ShapeDtypeStruct((len(reals),), np.float64) if reals else ()
        integers = jax.ShapeDtypeStruct((len(integers),), np.int64) if integers else ()
        return reals, integers, donated, kept

    def compile(self, arrays, reals, integers):
        """Compile for such operands, without running."""
        try:
            compiled = self.compiled.lower(*self.specs(arrays, reals, integers)).compile()
        except jax.errors.JaxRuntimeError as error:
            raise _of_memory(error) from error
        if budget.is_limited and self.most and self.size:
            self.size += compiled.memory_analysis().temp_size_in_bytes
        self.most = 0

    def prepare(self, arrays, reals, integers):
        """Before the first run: determine the memory that runs need, if memory is limited."""
        if budget.is_limited and self.most > RESERVE / 4 and hasattr(self.compiled, "lower"):
            self.compile(arrays, reals, integers)
        self.most = 0

    def __call__(self, arrays, reals, integers, results):
        """Run; the results are put into the list `results`, all at once and even if interrupted."""
        if Process.is_forked:
            raise rejection("program-after-fork", "os.fork")
        if self.most:
            self.prepare(arrays, reals, integers)
        if self.donated:
            donated = [arrays[k] for k in self.donated]
            kept = [arrays[k] for k in self.kept]
        else:
            donated, kept = [], arrays
        reals = np.array([v.array for v in reals], np.float64) if reals else ()
        integers = np.array([v.array for v in integers], np.int64) if integers else ()
        try:
            if self.runs.is_large:
                self.runs.prepare(arrays)
            budget.spend(self.size)
            # one call into C from here to the list: no interrupt between a donation and its result
            results.extend(
                chain.from_iterable(map(self.compiled, (reals,), (integers,), (donated,), (kept,)))
            )
            if budget.is_near:
                jax.block_until_ready(results)
        except jax.errors.JaxRuntimeError as error:
            results.clear()
            raise _of_memory(error) from error
        except ValueError as error:
            raise hooks.incompatible(error, arrays) from None


def _options(on_cpu):
    """Return the compiler options of a program; None: the defaults."""
    if on_cpu:
        return jaxlib_faults.compiler_options()
    is_exact = default_platform() == "gpu" and get_context("deterministic") == "ON"
    return {"xla_gpu_deterministic_ops": True} if is_exact else None


def needs_plan(most):
    """Return True if a program of at most so many bytes counts against the memory limit."""
    return forest.memory_limit is not None and most > forest.memory_limit / 8


def find_memory():
    """Ensure that there is memory to compile in; if not, drop all other programs, and raise
    MemoryError if too little remains."""
    try:
        budget.require(COMPILING, TO_COMPILE)
    except MemoryError:
        forest.release()
        budget.require(COMPILING, TO_COMPILE)


def _of_memory(error):
    """Return a MemoryError if an XLA error is one, else the error itself."""
    return MemoryError(reason_of(error)) if is_out_of_memory(error) else error


def _waited(compiled):
    """Wrap a compiled function to wait for its results: errors are raised at its call."""

    run: Any = functools.wraps(compiled)(lambda *args: jax.block_until_ready(compiled(*args)))
    run.lower = compiled.lower
    return run


def usable(dead, inputs, outputs):
    """Yield the dead inputs whose buffer an output can take over."""
    free = collections.Counter(outputs)
    for k in dead:
        if free[inputs[k]] > 0:
            free[inputs[k]] -= 1
            yield k
