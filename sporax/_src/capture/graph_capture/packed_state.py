"""A graph's small state as one array for each dtype, between calls of its program.

Each array that a program takes or returns costs some microseconds, more than the arithmetic on a
bias or on a moment of a small layer; 128 Parameters and Adam's moments are 384 of them. So after a
number of calls that repays the compilation, a thread compiles a program that takes and returns one
long array for each dtype. If its results are bitwise the same, it replaces the other one, and the
handles' Values stay pending until somebody reads one, which unpacks all.
"""

import functools
import math
import sys
from collections import deque
from itertools import repeat
from operator import attrgetter
from weakref import getweakrefcount

import numpy as np
from jax import lax
from jax import numpy as jnp

from sporax._src.capture.graph_capture.graph_call import GraphCall, captured_op
from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.jax_internals import default_platform, device_array
from sporax._src.core.to_host import on_host
from sporax._src.core.value import Aval, PendingTrace, Shared, Value, set_arrays, updating
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.program import Program, TraceFunction
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.engine.verification.agreement import Operands, compiled
from sporax._src.runtime.numpy_interpreter.interpretation import COMPILE, BackgroundCompilation

FEWEST, LARGEST = 24, 2**14  # arrays that are packed; bytes of one
SAVED = 2e-6  # seconds, for each packed array in each call
MEANWHILE = 4  # times the calls until then: a run of a script switches at the same call each time
SOON = 16  # calls; if the state is unpacked within so many, it stays so for longer each time

_value_of = attrgetter("_value")


def is_allowed():
    """Return True if another program may take over: never if all calls must have the same bits,
    nor under a memory limit, since both programs run once for the comparison."""
    may_switch = compile_policy.uses_interpreter and forest.memory_limit is None
    return may_switch and default_platform() == "cpu"


class Layout:
    """The places of arrays in one long array for each dtype; `avals`: of the long arrays."""

    def __init__(self, avals):
        sizes = {}
        self.places = []  # of each array: (index of the long array, its first element, aval)
        for aval in avals:
            first = sizes.get(aval.dtype, 0)
            sizes[aval.dtype] = first + aval.size
            self.places.append(([*sizes].index(aval.dtype), first, aval))
        self.avals = [Aval.intern((size,), dtype) for dtype, size in sizes.items()]

    def pack(self, arrays, concatenate):
        """Return the long arrays."""
        parts = [[] for _ in self.avals]
        for (k, _, _), array in zip(self.places, arrays, strict=True):
            parts[k].append(array.reshape(-1))
        return [*map(concatenate, parts)]

    def unpack(self, flats):
        """Return the arrays."""
        return [
            flats[k][first : first + aval.size].reshape(aval.shape)
            for k, first, aval in self.places
        ]


class _Flat:
    """A handle of a long array."""

    __slots__ = ("_value",)


class PackedState(PendingTrace):
    """The state of `handles` in long arrays; `values`: the handles' Values, which wait for it, or
    none if it is not packed."""

    __slots__ = ("counts", "flats", "handles", "layout", "values")
    is_computed = True

    def __init__(self, handles):
        self.handles, self.values = handles, []
        self.layout = Layout([h._value.aval for h in handles])
        self.flats = [_Flat() for _ in self.layout.avals]
        self.counts = [_count_of_two_holders()] * len(handles)

    @uninterrupted
    def run(self):
        """Unpack: somebody reads one of the Values."""
        with updating:  # calls of the graph hold it
            if self.values:
                parts = self.layout.unpack([on_host(flat._value.array) for flat in self.flats])
                set_arrays(self.values, [device_array(np.array(part)) for part in parts], True)
                self.values = []

    def is_intact(self):
        """Return True if it is packed, and only the handles hold the Values."""
        values = self.values
        return (
            bool(values)
            and [*map(_value_of, self.handles)] == values
            and [*map(sys.getrefcount, values)] == self.counts
            and not any(map(getweakrefcount, values))
        )

    def pack(self):
        """Pack the handles' arrays."""
        arrays = [on_host(value.read()) for value in map(_value_of, self.handles)]
        values = [Shared(value.aval, None, None) for value in map(_value_of, self.handles)]
        deque(map(setattr, values, repeat("trace"), repeat(self)), 0)
        for flat, array in zip(self.flats, self.layout.pack(arrays, np.concatenate), strict=True):
            flat._value = Value(Aval.intern(array.shape, array.dtype), device_array(array))
        self.values = values
        deque(map(setattr, self.handles, repeat("_value"), values), 0)  # one call into C


def _count_of_two_holders():
    """Return the reference count, seen through `map`, of a Value that a handle and a list hold."""
    handle = _Flat()
    handle._value = Value(Aval.intern((), np.dtype(bool)), None)
    return next(map(sys.getrefcount, [handle._value]))


class PackedCall:
    """Calls of a graph with its small state packed. `call`: the `GraphCall` without packing;
    `inputs` and `written`: its handles; `positions`: of the inputs that are packed."""

    def __init__(self, call, inputs, written, positions):
        self.call, self.positions, self.inputs = call, positions, inputs
        self.others = sorted({*range(len(call.avals))}.difference(positions))
        place = {k: j for j, k in enumerate(call.replaced)}
        packed = [place.pop(k) for k in positions]
        self.written = sorted({*range(len(call.replaced))}.difference(packed))
        first = len(call.out_avals) - len(call.replaced)
        self.kept = [*range(first), *[first + j for j in self.written]]  # outputs
        self.packed = [first + j for j in packed]
        self.other_inputs, self.other_written = inputs.some(self.others), written.some(self.written)
        self.state = PackedState([inputs.handles[k] for k in positions])
        self.packed_call = self._packed_call()
        self.program = self.compilation = self.key = None
        self.tries = 0  # calls since the compilation began
        # calls before the compilation begins; later, before the state is packed again
        self.wait = self.least = math.ceil(COMPILE * call.op.recorded / (SAVED * len(positions)))
        self.patience, self.calls = 0, 0  # since the state was packed

    @staticmethod
    def of(call, inputs, written):
        """Return it for a graph with enough small state, else None."""
        is_here = hooks.devices is None and not hooks.spans_ranks
        if call.has_weak_inputs or not is_here or not is_allowed():
            return None
        positions = [
            k for k in call.replaced
            if k is not None and inputs.handles[k] is not None
            and call.avals[k].size * call.avals[k].dtype.itemsize <= LARGEST
        ]  # fmt: skip
        is_enough = len(positions) >= FEWEST
        return PackedCall(call, inputs, written, positions) if is_enough else None

    def _packed_call(self):
        call, layout, n_others = self.call, self.state.layout, len(self.others)
        order = [*self.others, *self.positions]
        places = sorted(range(len(order)), key=order.__getitem__)

        def run(*arrays):
            # with barriers, all else is compiled as without packing
            parts = lax.optimization_barrier(layout.unpack(arrays[n_others:]))
            parts = [*arrays[:n_others], *parts]
            outs = call.op.fn(*[parts[i] for i in places])
            packed = lax.optimization_barrier([outs[i] for i in self.packed])
            return *[outs[i] for i in self.kept], *layout.pack(packed, jnp.concatenate)

        avals = (*[call.avals[k] for k in self.others], *layout.avals)
        out_avals = (*[call.out_avals[i] for i in self.kept], *layout.avals)
        op = captured_op(call.op.name, run, avals, out_avals, call.op.recorded)
        place = {k: i for i, k in enumerate(self.others)}
        replaced = [place.get(call.replaced[j]) for j in self.written]
        return GraphCall(op, avals, out_avals, [*replaced, *range(n_others, len(avals))])

    def __call__(self, tensors, fixed):
        """Return the outputs of a call, of which the last are written to handles; None if the graph
        itself is to be called. `tensors`: of the arguments; `fixed`: see `GraphCall`."""
        if self.wait:
            self.wait -= 1
            return None
        state, packed_call = self.state, self.packed_call
        others = [handle._value for handle in self.other_inputs.handles_for(tensors)]
        is_distinct = len({id(value.read()) for value in others}) == len(others)
        if not is_distinct or [v.aval for v in others] != packed_call.avals[: len(others)]:
            return None  # the packed program is compiled for distinct arrays of these avals
        if not state.is_intact() and not self._is_packed(tensors):
            return None
        self.calls += 1
        packed_call.distinct_state().programs.setdefault(self.key, self.program)
        others += [flat._value for flat in state.flats]
        written = self.other_written.handles_for(tensors)
        return packed_call(others, [*written, *state.flats], fixed)

    def _is_packed(self, tensors):
        """Pack the state if there is a program; if it did not stay packed the last time, put that
        off instead."""
        self.state.run()
        values = [handle._value for handle in self.inputs.handles_for(tensors)]
        if not self.call.accepts(values) or (self.program is None and not self._has_agreed(values)):
            return False
        if self.calls:
            self.patience = 2 * self.patience + SOON if self.calls < SOON else 0
            self.wait, self.calls = self.patience, 0
        if not self.wait:
            self.state.pack()
        return not self.wait

    def _has_agreed(self, values):
        """Return True if the packed program is compiled, and gives the same results for the current
        inputs as the other one."""
        dead, program = self.call.latest or ((), None)
        if type(program) is not Program:  # not compiled yet, or compared at each run
            return False
        self.compilation = self.compilation or self._compilation(dead)
        self.tries += 1
        try:
            packed = self.compilation.program(self.tries, self.packed_call.avals, (), ())
        except MemoryError:
            self.wait = math.inf
            return False
        if packed is None:
            return False
        arrays = [value.read() for value in values]
        flats = self.state.layout.pack([on_host(arrays[k]) for k in self.positions], np.concatenate)
        others = [arrays[k] for k in self.others]
        expected = compiled(program, Operands(arrays, (), ()))
        results = compiled(packed, Operands([*others, *map(device_array, flats)], (), ()))
        n = len(self.kept)
        results = [*results[:n], *self.state.layout.unpack(results[n:])]
        order = [*self.kept, *self.packed]
        if all(expected[i].tobytes() == x.tobytes() for i, x in zip(order, results, strict=True)):
            self.program = packed
        else:
            self.wait = math.inf
        return self.program is not None

    def _compilation(self, dead):
        """Return the compilation; `dead`: the inputs that the other program may overwrite."""
        n, state = len(self.others), self.packed_call.distinct_state()
        dead = [i for i, k in enumerate(self.others) if k in dead]
        self.key = self.packed_call.alive, (*dead, *range(n, len(self.packed_call.avals)))
        path = state.path()
        avals = [aval for step in path for aval in step.avals]
        make = functools.partial(Program, TraceFunction(path), avals, *self.key)
        return BackgroundCompilation(make, Program.compile, MEANWHILE * self.least, None)
