"""A recorded trace run by NumPy: its plan, how often it runs, and what takes its place."""

import atexit
import math
import os
import sys
import threading
from concurrent.futures import Future, wait
from typing import Any, ClassVar

import numpy as np

from sporax.core.environment import Process
from sporax.core.interruptions import stop_other_threads
from sporax.core.jax_internals import device_array
from sporax.core.memory_limits import budget
from sporax.core.to_host import on_host
from sporax.core.value import Aval, Context, thread
from sporax.numpy_interpreter import plans
from sporax.numpy_interpreter.polymorphic_plan import plan_for_all_sizes, plan_for_these_sizes

MOST_WORK = 5 * 10**10  # multiplications; NumPy needs a second for about 2e10
LITTLE_WORK, MOST_RUNS = 4 * 10**9, 16  # of all runs on the interpreter together, in dynamic code
COMPILE, STEP, WORK = 3e-3, 5e-6, 3e-11  # seconds a step: XLA's, NumPy's; NumPy's a multiplication
LONG = 0.8  # seconds of compiling from which on a thread does it


def numpy_plan(families, trace, wanted):
    """How NumPy would run a `TraceFunction`; None where XLA has to, or had better.

    `families`: the plans for all sizes, which it looks up and adds to.
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
    """(the steps, the inputs' avals) of a `TraceFunction`, as plans are built of them."""
    inputs, first = [*trace.inputs], {"input": 0}
    for kind, dtype, n in ("real", float, trace.n_reals), ("integer", int, trace.n_integers):
        first[kind] = len(inputs)
        inputs += [Aval.of((), np.dtype(dtype))] * n
    first["constant"] = len(inputs)
    inputs += [Aval.of(np.shape(x), np.asarray(x).dtype) for x in trace.constants]
    steps = [
        (rule, op, [i if kind == "output" else ~(first[kind] + i) for kind, i in refs])
        for op, rule, refs in trace.steps
    ]
    return steps, inputs


def operands(trace, arrays, reals, integers):
    """The operands of such a plan, for the inputs of a run."""
    return [
        *map(on_host, arrays), *[np.float64(v.array) for v in reals],
        *[np.int64(v.array) for v in integers], *map(np.asarray, trace.constants),
    ]  # fmt: skip


def interpreted(plan, is_captured, place, make, compile_it, switch):
    """What runs a trace first. `place`: the programs and the key where it is, until a program of
    `make()` takes its place, compiled by `compile_it(program, arrays, reals, integers)`. `switch`:
    compares the program with the last run, see `engine.verification`; None: nothing does."""
    steps = len(plan.steps)
    compiling, running = COMPILE * steps, STEP * steps + WORK * plan.work
    if compiling < LONG:
        few = min(MOST_RUNS, max(1, LITTLE_WORK // max(plan.work, 1)))
        return Interpretation(plan, 1 if is_captured else few, place, make, switch=switch)
    few, meanwhile = max(1, int(0.2 * compiling / running)), math.ceil(0.3 * compiling / running)
    compilation = BackgroundCompilation(make, compile_it, meanwhile, switch)
    return Interpretation(plan, few, place, make, compilation, switch)


class Interpretation:
    """A trace run by NumPy; called as a `Program` is. After so many runs its place is empty, or the
    program's that was compiled in the background; where memory does not suffice for all results of
    operations, that of `make()`, which does not store each."""

    def __init__(self, plan, runs: float = math.inf, place: Any = None, make: Any = None,
                 compilation: Any = None, switch: Any = None):  # fmt: skip
        self.plan, self.runs, self.place, self.compilation = plan, runs, place, compilation
        self.switch, self.make = switch, make
        self.size = 0  # bytes of all results, besides which NumPy needs little

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
        programs, key = self.place
        if programs.get(key) is self:  # other threads may run it too
            programs[key] = program


class BackgroundCompilation:
    """A program that a thread compiles, while the interpreter serves `runs` runs."""

    in_progress: ClassVar[set] = set()  # threads
    _starting = threading.Lock()

    def __init__(self, make, compile_it, runs, switch):
        self.make, self.compile_it, self.runs, self.switch = make, compile_it, runs, switch
        self._result: Any = None

    def program(self, run, *operands):
        """The program; None for the first `runs` runs, of which number one starts the thread, and
        as long as a signal handler waits for the end of a run."""
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
        return None

    def _compile(self, *operands):
        Context.awaited.add(threading.get_ident())
        try:
            program = self.make()
            self.compile_it(program, *operands)
            self._result.set_result(self.switch.chosen(program) if self.switch else program)
        except BaseException as error:  # noqa: BLE001 - raised where the program is to run
            self._result.set_exception(error)
        Context.awaited.discard(threading.get_ident())
        self.in_progress.discard(threading.current_thread())


@atexit.register
def wait_for_others():
    """XLA's programs and its compiler cannot outlive Python: the process would abort."""
    try:
        stop_other_threads()
        for compiler in list(BackgroundCompilation.in_progress):
            compiler.join()
    except KeyboardInterrupt:
        sys.stdout.flush()
        os._exit(130)
