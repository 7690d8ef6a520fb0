"""Comparison of a compiled program with the interpreter before it replaces it.

`SPORAX_VERIFY=switch` (the default): each program, on the operands of the interpreter's last run,
whose outputs it must reproduce. If these are gone (other outputs are held now, or the arrays were
donated to a program), the interpreter runs once more. `always`: each program at each run. `off`:
none. A wrong program is not used: it is compiled again without the fusions that have known faults,
or the interpreter stays.
"""

import threading
import weakref

import numpy as np

from sporax._src.core.environment import choice
from sporax._src.core.errors import warn
from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.memory_limits import budget, releases
from sporax._src.core.to_host import on_host
from sporax._src.core.units import bytes_text
from sporax._src.runtime.engine.debug.out_of_memory import bytes_needed
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.verification import admission
from sporax._src.runtime.engine.verification.agreement import (
    Operands,
    compiled,
    disagreement,
    interpreted,
    is_on_host,
)
from sporax._src.runtime.engine.verification.finding import Finding
from sporax._src.runtime.engine.verification.float64_form import Float64Form, in_float64
from sporax._src.runtime.engine.verification.report import report
from sporax._src.runtime.numpy_interpreter.interpretation import Interpretation, numpy_plan
from sporax._src.runtime.numpy_interpreter.plans import Unsupported
from sporax._src.runtime.xla_kernels.jaxlib_faults import safer_options

MODE = choice("SPORAX_VERIFY", "switch", "always", "off")
MOST_BYTES = 2**28  # of a program's operands
MOST_KEPT = 2 * MOST_BYTES  # of all evidence: operands and results
MOST_WORK = 10**9  # multiplications on the host for a program of another device; 50 ms


class Evidence:
    """A run of the interpreter: operands and results."""

    def __init__(self, operands, results):
        self.operands, self.results = operands, list(results)
        self.size = operands.size + sum(a.nbytes for a in self.results)

    def host_arrays(self):
        """Return its arrays as NumPy arrays: while referenced, they are not donated to a program
        of any thread. None if one was donated before."""
        try:
            return [on_host(a) for a in (*self.operands.arrays, *self.results)]
        except RuntimeError:
            if any(a.is_deleted() for a in (*self.operands.arrays, *self.results)):
                return None
            raise


class _Kept:
    """All evidence; the oldest is dropped first."""

    def __init__(self):
        self.lock, self.size = threading.Lock(), 0
        self.entries = {}  # (id of a table, key) -> (weak reference to it, bytes), oldest first

    def put(self, table, key, evidence):
        """Keep the evidence of a table for some outputs, replacing earlier evidence."""
        with self.lock:
            self._forget((id(table), key))
            table[key] = evidence
            self.entries[id(table), key] = weakref.ref(table), evidence.size
            self.size += evidence.size
            while self.size > MOST_KEPT:
                self._drop_oldest()

    def take(self, table, key):
        """Remove and return the evidence of a table for some outputs; None if there is none."""
        with self.lock:
            self._forget((id(table), key))
            return table.pop(key, None)

    @uninterrupted
    def clear(self):
        """Drop all evidence: memory is short."""
        with self.lock:
            while self.entries:
                self._drop_oldest()

    def _drop_oldest(self):
        key = next(iter(self.entries))
        table = self.entries[key][0]()
        self._forget(key)
        if table is not None:
            table.pop(key[1], None)

    def _forget(self, key):
        _, size = self.entries.pop(key, (None, 0))
        self.size -= size


class Table(dict):
    """{outputs: Evidence} of a trace; supports weak references."""

    __slots__ = ("__weakref__",)


_kept = _Kept()
releases.insert(0, _kept.clear)


class Switch:
    """The comparison for the outputs `alive` of a trace. `table`: its evidence; `make`: (options)
    -> a new program; `place`: the table of the trace's programs, and the key there."""

    def __init__(self, trace, alive, table, make, slot):
        self.trace, self.alive, self.table, self.make = trace, alive, table, make
        self.slot = slot

    def keep(self, arrays, reals, integers, results):
        """Keep the interpreter's last run as evidence."""
        operands = Operands(arrays, reals, integers)
        if operands.size <= MOST_BYTES:
            _kept.put(self.table, self.alive, Evidence(operands, results))

    def chosen(self, program, operands=None, measuring=lambda: None):
        """Return what runs the trace from now on: the program, if it is right; else a safer one or
        the interpreter, which warn at their first run. `operands`: of the next run; None if not
        known yet: then a program without evidence is returned in a `Trial`. `measuring`: called
        before the effect of rounding is measured."""
        evidence = _kept.take(self.table, self.alive)
        arrays = None if evidence is None else evidence.host_arrays()
        expected = None
        if evidence is not None and arrays is not None:
            operands, expected = evidence.operands, evidence.results
        elif operands is None:
            return Trial(self, program, MODE == "always")
        elif operands.size > MOST_BYTES:
            report.leave_out(self.trace, "its operands take {}", bytes_text(operands.size))
            return program
        elif not is_on_host() and not self.is_quick_on_host():
            report.leave_out(self.trace, "the host would take long for what a device computes")
            return program
        try:
            if budget.is_limited:
                budget.require(self.comparison_size(operands))
            if expected is None:
                expected = self.expected(operands)
            expected = [np.asarray(x) for x in expected]
            actual = compiled(program, operands)
            differs = disagreement(self.trace, self.alive, operands, expected, actual, measuring)
        except Unsupported as missing:
            report.leave_out(self.trace, "the interpreter has no rule for '{}'", missing)
            return program
        except MemoryError:
            report.leave_out(self.trace, "memory does not suffice for it")
            return program
        report.note(differs)
        if differs is None:
            return program
        return self.replaced(operands, expected, differs)

    def successor(self, program, measuring):
        """Return what replaces the interpreter: `program` or what is `chosen` in its place; with
        `always`, it is compared at each run."""
        chosen = self.chosen(program, measuring=measuring)
        return Trial(self, program, True) if MODE == "always" and chosen is program else chosen

    def comparison_size(self, operands):
        """Estimate the bytes that a comparison allocates: copies of the operands, and the results
        of all steps, of the interpreter and of the program, also in float64."""
        avals = [a for _, rule, _ in self.trace.steps for a in rule.avals]
        outputs = [avals[i] for i in self.alive]
        return operands.size + 4 * bytes_needed(self.trace.steps, outputs)[1]

    def is_quick_on_host(self):
        """Return True if the interpreter has rules for the trace, and little work."""
        plan = numpy_plan({}, self.trace, self.alive)
        return plan is not None and plan.work <= MOST_WORK

    def expected(self, operands):
        """Return the expected outputs. Raises `Unsupported`."""
        try:
            return interpreted(self.trace, self.alive, operands)
        except Unsupported:
            if MODE != "always":
                raise
            return in_float64(self.trace, self.alive, operands)

    def replaced(self, operands, expected, differs):
        """Return the replacement of a wrong program, which warns about it."""
        finding = Finding(self.trace, self.alive, operands, differs)
        for options in safer_options():
            program = self.make(options=options)
            actual = compiled(program, operands)
            if disagreement(self.trace, self.alive, operands, expected, actual) is None:
                chosen = ", ".join(f"{name}={value!r}" for name, value in options.items())
                return Announced(program, finding, f"it is compiled again with {chosen}")
        plan = numpy_plan({}, self.trace, self.alive)
        if plan is None:
            form = Float64Form(self.trace, self.alive)
            return Announced(form, finding, "each operation runs by itself, which is slower")
        return Announced(Interpretation(plan), finding, "the interpreter goes on, which is slower")


def switch_of(state, trace, alive, make, slot):
    """Return the `Switch` of a trace that the interpreter runs; None without comparison."""
    if MODE == "off":
        return None
    if state.evidence is None:
        state.evidence = Table()
    return Switch(trace, alive, state.evidence, make, slot)


def on_trial(make, state, trace, alive, slot, is_compared=False):
    """Return a new program, in a `Trial` if it is compared: if `is_compared`, with `always`, after
    runs on the interpreter, and on a device other than a CPU. Programs of several devices are not
    compared."""
    if MODE == "off":
        return make()
    admission.admit()
    program = make()
    if type(program) is not Program or hooks.devices is not None:
        report.leave_out(trace, "it is of several devices or processes")
        return program
    if MODE == "switch" and state.evidence is None and is_on_host() and not is_compared:
        return program
    table = Table() if state.evidence is None or MODE == "always" else state.evidence
    return Trial(Switch(trace, alive, table, make, slot), program, MODE == "always")


class Announced:
    """Runs in place of a wrong program; warns at its first run. `words`: what it is."""

    def __init__(self, program, finding, words):
        self.program, self.finding, self.words = program, finding, words

    def __call__(self, *arguments):
        finding, self.finding = self.finding, None
        if finding is not None:
            warn(finding.text(self.words))
        self.program(*arguments)


class Trial:
    """A program that is compared before it runs, once or (`stays`) each time; called like a
    `Program`."""

    def __init__(self, switch, program, stays):
        self.switch, self.program, self.stays = switch, program, stays

    def __call__(self, arrays, reals, integers, results):
        program = self.switch.chosen(self.program, Operands(arrays, reals, integers))
        programs, key = self.switch.slot
        if programs.get(key) is self and not (self.stays and program is self.program):
            programs[key] = program
        program(arrays, reals, integers, results)
