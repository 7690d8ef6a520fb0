"""A recorded trace run by NumPy: its plan, the number of runs, and the program that replaces it."""

import atexit
import math
import os
import sys
import threading
from concurrent.futures import Future, wait
from typing import Any, ClassVar

import numpy as np

from sporax._src.core.environment import Process
from sporax._src.core.interruptions import stop_other_threads
from sporax._src.core.jax_internals import device_array
from sporax._src.core.memory_limits import budget
from sporax._src.core.to_host import on_host
from sporax._src.core.value import Aval, Context, thread
from sporax._src.runtime.numpy_interpreter import plans
from sporax._src.runtime.numpy_interpreter.polymorphic_plan import (
    plan_for_all_sizes,
    plan_for_these_sizes,
)

MOST_WORK = 5 * 10**10  # multiplications; NumPy needs a second for about 2e10
LITTLE_WORK, MOST_RUNS = 4 * 10**9, 16  # of all interpreted runs together, in dynamic code
COMPILE, STEP, WORK = 3e-3, 5e-6, 3e-11  # seconds per step (XLA, NumPy), per multiplication
LONG = 0.8  # seconds of compilation from which on a thread does it
MEASURING = 4  # more runs while the effect of rounding is measured, which takes about as long


def numpy_plan(families, trace, wanted):
    """Return NumPy's plan of a `TraceFunction`; None if XLA has to run it, or is faster.

    `families`: the table of plans for all sizes, which it reads and extends.
    """
    steps, inputs = steps_and_inputs(trace)
    try:
        plan = plan_for_all_sizes(families, steps, inputs, wanted)
        if plan is None:
            plan = plan_for_these_sizes(steps, inputs, wanted)
    except (plans.Unsupported, MemoryError):  # plans hold constants, which a program may not need
        return None
    return plan if plan.work <= MOST_WORK else None


def steps_and_inputs(trace):
    """Return (the steps, the inputs' avals) of a `TraceFunction`, for building plans."""
    inputs, first = [*trace.inputs], {"input": 0}
    for kind, dtype, n in ("real", float, trace.n_reals), ("integer", int, trace.n_integers):
        first[kind] = len(inputs)
        inputs += [Aval.intern((), np.dtype(dtype))] * n
    first["constant"] = len(inputs)
    inputs += [Aval.intern(np.shape(x), np.asarray(x).dtype) for x in trace.constants]
    steps = [
        (rule, op, [i if kind == "output" else ~(first[kind] + i) for kind, i in refs])
        for op, rule, refs in trace.steps
    ]
    return steps, inputs


def operands(trace, arrays, reals, integers):
    """Return the operands of such a plan for the inputs of a run."""
    return [
        *map(on_host, arrays), *[np.float64(v.array) for v in reals],
        *[np.int64(v.array) for v in integers], *map(np.asarray, trace.constants),
    ]  # fmt: skip


def _compile_seconds(plan):
    return COMPILE * len(plan.steps)


def compiles_long(plan):
    """Return True if a thread compiles the program of a plan, while the interpreter runs it."""
    return _compile_seconds(plan) >= LONG


def interpreted(plan, is_captured, is_new, slot, make, compile_it, switch):
    """Return the `Interpretation` that runs a trace first. `is_new`: the trace did not run before,
    with other outputs or donated inputs. `slot`: the table of programs and its key there, until a
    program of `make()`, compiled by `compile_it(program, arrays, reals, integers)`, replaces it.
    `switch`: compares the program with the last run, see `engine.verification`; None: no
    comparison."""
    if not compiles_long(plan):
        few = min(MOST_RUNS, max(1, LITTLE_WORK // max(plan.work, 1)))
        return Interpretation(plan, 1 if is_captured else few, slot, make, switch=switch)
    compiling, running = _compile_seconds(plan), STEP * len(plan.steps) + WORK * plan.work
    few, meanwhile = max(1, int(0.2 * compiling / running)), math.ceil(0.3 * compiling / running)
    compilation = BackgroundCompilation(make, compile_it, meanwhile, switch)
    return Interpretation(plan, few if is_new else 1, slot, make, compilation, switch)


class Interpretation:
    """A trace run by NumPy; called like a `Program`. After `runs` runs it is removed from its
    place, or replaced by the program that was compiled in the background. If memory does not
    suffice for the results of all operations, the program of `make()`, which does not store each of
    them, replaces it."""

    def __init__(self, plan, runs: float = math.inf, slot: Any = None, make: Any = None,
                 compilation: Any = None, switch: Any = None):  # fmt: skip
        self.plan, self.runs, self.slot, self.compilation = plan, runs, slot, compilation
        self.switch, self.make = switch, make
        self.size = 0  # bytes of all results; NumPy needs little else

    def __call__(self, arrays, reals, integers, results):
        self.runs -= 1
        program = None
        if Process.is_forked:
            pass
        elif self.runs <= 0 and self.compilation is None:
            self._leave_to(None)
        elif self.runs < 0:
            program = self.compilation.program(-self.runs, arrays, reals, integers)
        if program is None:
            try:
                results.extend(self._run(arrays, reals, integers))
                if self.runs == 0 and self.switch is not None:
                    self.switch.keep(arrays, reals, integers, results)
                return
            except MemoryError:
                if Process.is_forked or self.make is None:
                    raise
                program = self.make()
        self._leave_to(program)
        program(arrays, reals, integers, results)

    def _run(self, arrays, reals, integers):
        budget.spend(self.size)
        operands = [on_host(a) for a in arrays]
        operands += [np.float64(v.array) for v in reals]
        operands += [np.int64(v.array) for v in integers]
        return [device_array(a) for a in self.plan(*operands)]

    def _leave_to(self, program):
        programs, key = self.slot
        if programs.get(key) is self:  # other threads may run it too
            programs[key] = program


class BackgroundCompilation:
    """A program that a thread compiles while the interpreter serves `runs` runs.

    The number of runs does not depend on time, so that a script computes the same numbers each time
    it is run; after it, a run waits for the program.
    """

    in_progress: ClassVar[set] = set()  # threads
    _starting = threading.Lock()

    def __init__(self, make, compile_it, runs, switch):
        self.make, self.compile_it, self.runs, self.switch = make, compile_it, runs, switch
        self._result: Any = None

    def program(self, run, *operands):
        """Return the program; None for the first `runs` runs, the first of which starts the thread,
        and while a signal handler waits for the end of a run."""
        with self._starting:
            if self._result is None:
                self._result = Future()
                compiler = threading.Thread(target=self._compile, args=operands, daemon=True)
                self.in_progress.add(compiler)
                compiler.start()
        if run > self.runs:
            while not thread.context.postponed:
                if wait([self._result], 0.05).done:
                    return self._result.result()
                if run <= self.runs:
                    break
        return None

    def _extend(self):
        """Let the interpreter serve more runs: the comparison takes long."""
        self.runs += MEASURING

    def _compile(self, *operands):
        Context.awaited.add(threading.get_ident())
        try:
            program = self.make()
            self.compile_it(program, *operands)
            if self.switch is not None:
                program = self.switch.successor(program, self._extend)
            self._result.set_result(program)
        except BaseException as error:  # noqa: BLE001 - raised where the program is to run
            self._result.set_exception(error)
        Context.awaited.discard(threading.get_ident())
        self.in_progress.discard(threading.current_thread())


@atexit.register
def wait_for_others():
    """Wait for XLA's programs and compiler: if they outlived Python, the process would abort."""
    try:
        stop_other_threads()
        for compiler in list(BackgroundCompilation.in_progress):
            compiler.join()
    except KeyboardInterrupt:
        sys.stdout.flush()
        os._exit(130)
