"""`Recorder`: the trace of a thread; `apply` and `record` add every operation to it."""

import gc
import threading
from contextlib import suppress
from itertools import repeat
from typing import Any
from weakref import ref

from sporax._src.core import context
from sporax._src.core.environment import Process
from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.tensor import (
    FallsBack,
    NeedsStack,
    Tensor,
    as_value,
    falls_back,
    stacked_operands,
)
from sporax._src.core.value import (
    EXTERNAL,
    Meta,
    PendingTrace,
    Uninitialized,
    Value,
    set_arrays,
    shared_value,
    thread,
)
from sporax._src.diagnosis.sizes import sizes_limited
from sporax._src.runtime.engine.compile_policy import prepare
from sporax._src.runtime.engine.debug.out_of_memory import out_of_memory
from sporax._src.runtime.engine.trace_tree import (
    NeedsCast,
    OnMeta,
    TraceEnds,
    TraceNode,
    differentiated,
    forest,
)


class Recorder(PendingTrace):
    """The operations pending in one thread, and the inputs they need."""

    __slots__ = (
        "__weakref__", "arrays", "checks", "derivatives", "has_initial_values", "input_index",
        "integers", "is_ended", "is_whole", "lock", "on_record", "outputs", "owners", "reals",
        "replaced", "state", "tracer",
    )  # fmt: skip

    immediate = False
    is_meta = False  # whether results of operations are on the device 'meta', see `engine.meta`

    def __init__(self, tracer=None):
        if forest.weight > forest.LIMIT:
            forest.release()
        precision = thread.precision
        self.state = (
            forest.start(precision) if tracer is None else TraceNode(None, None, None, (), None)
        )
        self.tracer = tracer
        self.outputs = []  # weak references to the Values of operations' outputs
        # called after each operation, if it is not None: the immediate executor runs it at once
        self.on_record: Any = self.run if self.immediate and tracer is None else None
        self.arrays, self.owners, self.input_index = [], [], {}
        self.reals, self.integers = [], []
        self.replaced = []  # (weak reference to a handle, its array before this trace wrote to it)
        self.is_whole = False  # whether the trace must not be cut here
        self.is_ended = False  # whether its thread has moved on to another recorder
        self.checks: Any = None  # of indices, see `index_checks.checks`
        self.derivatives = set()  # the `Derivative`s called in the trace
        self.has_initial_values = False  # whether Parameters have pending initial values
        self.lock = threading.RLock()

    def operand_key(self, value, handle=None):
        """Return the key of a value that this trace did not record: an input's index, or at its
        first use its aval."""
        aval = value.aval
        if aval.weak:
            kind = aval.dtype.kind
            if kind in "fbi":
                numbers = self.reals if kind == "f" else self.integers
                index = self.input_index.get(id(value))
                if index is None:
                    numbers.append(value)
                    self.input_index[id(value)] = (kind == "f", len(numbers) - 1)
                    return aval
                return index
        if self.tracer is not None:
            return self.tracer.operand_key(self, value, handle)
        if value.array is None:
            if value.__class__ is Meta:
                raise OnMeta
            if value.__class__ is Uninitialized and handle is not None and as_graph():
                handle.init_data()
                raise TraceEnds
        value.read()
        index = self.input_index.get(id(value.array))
        if index is not None:
            return index
        self.add_input(value)
        return aval

    def add_input(self, value):
        if not self.arrays:
            in_use[id(self)] = ref(self)
        index = ~len(self.arrays)
        base = value.base
        self.owners.append(ref(value) if base is None else None if base is EXTERNAL else ref(base))
        self.arrays.append(value.array)
        self.input_index[id(value.array)] = index

    def rewind(self):
        """Remove the inputs of an operation that was rejected or interrupted."""
        if self.state is None:
            return
        n_arrays, n_reals, n_integers = self.state.inputs()
        if self.tracer is None:  # a tracer's inputs have their own indices
            for array in self.arrays[n_arrays:]:
                self.input_index.pop(id(array), None)
            del self.arrays[n_arrays:], self.owners[n_arrays:]
        for value in (*self.reals[n_reals:], *self.integers[n_integers:]):
            self.input_index.pop(id(value), None)
        del self.reals[n_reals:], self.integers[n_integers:]

    @uninterrupted
    def run(self):
        """Run all pending operations as one program; returns before the results are computed.

        Called from another thread than the one that records here, it leaves the recording
        unchanged: the values get their arrays, and the owner continues. If it fails or is
        interrupted, values stay pending, and a later read tries again.
        """
        with self.lock:
            state: Any = self.state
            if state is None or state.parent is None:
                return
            mine = thread.recorder is self
            if mine:
                if self.tracer is not None:
                    self.tracer.on_graph_break(self)
                elif self.checks:
                    self.checks.settle(self)
                    state = self.state
                self.is_ended = True
                thread.recorder = thread.new_recorder()
            values = self.live_outputs(state)
            if not mine and self.tracer is not None:
                self.tracer.is_read_elsewhere = True
            if hooks.spans_ranks and mine and not self.is_known(state, values):
                values.clear()
                gc.collect()  # garbage on one rank must not be an output on another
                values = self.live_outputs(state)
            if values:
                self.execute(state, values, mine)
            if self.is_ended:
                self.clear()

    def live_outputs(self, state):
        """Return the outputs up to a state that are still referenced."""
        live = [value for output in self.outputs[:] if (value := output()) is not None]
        return [value for value in live if value.index < state.size]

    def is_known(self, state, values):
        """Return True if there is a program for these outputs."""
        return (tuple([value.index for value in values]), self.dead()) in state.programs

    def clear(self):
        in_use.pop(id(self), None)
        self.state = self.on_record = None
        self.arrays, self.owners, self.input_index, self.outputs = [], [], {}, []
        self.reals, self.integers, self.replaced, self.derivatives = [], [], [], set()

    def execute(self, state, values, mine):
        arrays, reals, integers = self.arrays, self.reals, self.integers
        dead, captured = self.dead() if mine else (), []
        if not mine:  # the owner may have recorded more meanwhile
            n_arrays, n_reals, n_integers = state.inputs()
            arrays, reals, integers = arrays[:n_arrays], reals[:n_reals], integers[:n_integers]
        if self.tracer is not None:
            n_arrays = state.n_captured()
            arrays, captured = self.arrays[:n_arrays], self.tracer.avals[:n_arrays]
        alive = tuple([value.index for value in values])
        program, results = state.programs.get((alive, dead)), []
        try:
            if program is None or Process.is_forked:
                program = prepare(state, alive, dead, captured)
            program(arrays, reals, integers, results)
        except MemoryError as error:
            refusal, is_hopeless = out_of_memory(state, error)
            if is_hopeless:  # else a later read tries again
                self.take_back()
            raise refusal from error
        finally:
            # an interrupt during the program is raised after it, and its results are valid; one may
            # come here too, so they are set twice
            try:
                set_arrays(values, results, False)
            finally:
                set_arrays(values[: len(results)], results, self.is_ended)

    def take_back(self):
        """Restore the arrays of handles that this trace has written to: it can never run."""
        for handle, array in reversed(self.replaced):
            handle = handle()
            if handle is not None and not array.is_deleted():
                handle._value = shared_value(array)
        self.replaced = []

    def dead(self):
        """Return the inputs that nobody else holds: no Value, no recording of another thread."""
        dead = [k for k, owner in enumerate(self.owners) if owner is not None and owner() is None]
        return tuple(unclaimed(dead, self.arrays, self))


in_use = {}  # id -> a weak reference, of each `PendingTrace` that reads arrays


def unclaimed(dead, arrays, recorder):
    """Return the indices in `dead` of `arrays` that are not inputs of other threads' recorders."""
    if dead and len(in_use) > 1:
        for key, use in list(in_use.items()):
            other = use()
            if other is None:  # its thread has ended
                in_use.pop(key, None)
            elif other is not recorder:
                dead = [k for k in dead if id(arrays[k]) not in other.input_index]
    return dead


hooks.recorder = Recorder
thread.recorder = Recorder()


def as_graph():
    """Return True if code that MindSpore accepts only in graph mode is valid here."""
    return thread.in_graph or context.get_context("mode") == context.GRAPH_MODE


def run_pending():
    """Run the pending operations of this thread; no effect while a function is captured."""
    recorder = thread.recorder
    if recorder.tracer is None and recorder.state.parent is not None:
        recorder.run()


_new = object.__new__


class ReplayedPath:
    """A part of a trace that always follows another, to be replayed in one step.

    `state`: where it ends. `results`: the indices of the outputs that it returns; None for none.
    """

    __slots__ = ("avals", "results", "state")

    state: TraceNode

    def __init__(self, state, results):
        self.state, self.results = state, [index for index, _ in results]
        self.avals = sorted(item for item in dict(results).items() if item[0] is not None)

    def take(self, recorder):
        """Replay it; returns its results as pending Values."""
        recorder.state = self.state
        values: dict[Any, Any] = {None: None}
        add = recorder.outputs.append
        for index, aval in self.avals:  # the code of `pending_value`
            values[index] = value = _new(Value)
            value.aval, value.array, value.trace = aval, None, recorder
            value.index, value.tracked = index, False
            add(ref(value))
        if recorder.on_record is not None:
            recorder.on_record()
        return [values[index] for index in self.results]


def replayed(calls, do):
    """Record operations whose results are not tracked, in one step if they have been recorded after
    the same trace before. `calls`: (operation, the operands' Values) for each; `do`: records them
    one by one. Returns their output Values, as `do`."""
    recorder = thread.recorder
    before, key = recorder.state, None
    if recorder.tracer is None and recorder.on_record is None and thread.tape is None:
        try:
            with suppress(Exception):  # recorded one by one, they raise it or avoid it
                key = _key_of(recorder, calls)
            path = before.next.get(key)
            if path is not None:
                return path.take(recorder)
        finally:  # without a path, or interrupted
            recorder.rewind()
    recorder.is_whole = True
    try:
        values = do()
    finally:
        recorder.is_whole = False
    if key is not None and thread.recorder is recorder and all(v.trace is recorder for v in values):
        before.next[key] = ReplayedPath(recorder.state, [(v.index, v.aval) for v in values])
    return values


def _key_of(recorder, calls):
    """Return the keys of operations in one tuple; adds their new inputs to the trace."""
    key, index_of, add = [ReplayedPath], recorder.input_index.get, recorder.add_input
    for op, values in calls:
        key.append(op)
        for value in values:
            if value.trace is recorder:
                index = value.index
            elif (index := index_of(id(value.array))) is None:
                index = value.aval
                if value.array is None or index.weak:
                    index = recorder.operand_key(value)
                else:
                    add(value)
            key.append(index)
    return tuple(key)


def record(op, *values) -> Any:
    """Record one operation on Values; returns its output Value, or a tuple of them."""
    recorder = thread.recorder
    index_of = recorder.input_index.get
    key, tracked = [op], False
    try:
        for value in values:
            if value.trace is recorder:
                key.append(value.index)
            else:
                index = index_of(id(value.array))
                key.append(recorder.operand_key(value) if index is None else index)
            if value.tracked:
                tracked = True
        key = tuple(key)
        before = recorder.state
        state = before.next.get(key) or forest.grow(recorder, key, values)
        recorder.state = state
    except BaseException as refusal:
        recorder.rewind()
        if refusal.__class__ in _OTHERWISE:
            return _OTHERWISE[refusal.__class__](op, values, values, record)
        if refusal.__class__ is not TraceEnds:
            raise
        recorder.run()
        return record(op, *values)
    aval = state.aval
    if aval is None:
        tracked = tracked and state.differentiable
        out = outputs(recorder, before.size, state.avals, tracked)
    else:
        out = _new(Value)
        out.aval = aval
        out.array = None
        out.trace = recorder
        out.index = before.size
        out.tracked = tracked = tracked and state.differentiable
        recorder.outputs.append(ref(out))
        if recorder.on_record is not None:
            recorder.on_record()
    if tracked and thread.tape is not None:
        thread.tape.record((op, values, out))
    return out


def pending_value(recorder, aval, index, tracked=False):
    """Return a Value of an aval: output `index` of the recorder's trace, not computed yet."""
    value = _new(Value)
    value.aval, value.array, value.trace = aval, None, recorder
    value.index, value.tracked = index, tracked
    recorder.outputs.append(ref(value))
    return value


def fitted(op, operands, values, do):
    """Call `do` with an operation, or its parts, in the precision in effect in the trace."""
    chosen = thread.recorder.state.precision
    if chosen.splits(op):
        return chosen.in_parts(op, operands, do)
    precision = chosen.for_op(op, [value.aval for value in values])
    returns = chosen.returns
    out = do(op if returns is None else op.on_cast(), *[
        do(precision.cast, operand) if precision.converts(value.aval) else operand
        for operand, value in zip(operands, values, strict=True)
    ])  # fmt: skip
    if returns is None or isinstance(out, tuple):
        return out
    return do(returns.cast, out)


def evaluated(op, operands, values, do):
    """Infer an operation on the device 'meta', which is not recorded and computes nothing; returns
    its output, or a tuple of them. `values`: of the first operands; `do`: `apply` or `record`."""
    recorder: Any = thread.recorder
    if do is apply:
        operands = stacked_operands(op, operands)
        values = [x._value if isinstance(x, Tensor) else as_value(op, x, i)
                  for i, x in enumerate(operands)]  # fmt: skip
    if op.mark is not None:  # has no operands: the recorder is a `MetaRecorder`
        (recorder.state.precision,) = op.mark
    avals = tuple([value.aval for value in values])
    precision = recorder.state.precision
    if precision is not None and precision.refuses(op, avals):
        return fitted(op, operands, values, do)
    try:
        with sizes_limited(True):
            rule = op.rule(avals)
    except ValueError:  # perhaps because it is larger than the memory
        with sizes_limited(False):
            rule = op._infer(avals)  # not kept: the result must stay an error on other devices
    flags = any([v.tracked for v in values]) and differentiated(op, avals, rule.avals)
    out: Any = tuple(map(Meta, rule.avals))
    for value, flag in zip(out, flags or (), strict=False):
        value.tracked = flag
    if flags and thread.tape is not None:
        thread.tape.record((op, values, out[0] if rule.single else out))
    if do is apply:
        out = tuple(map(wrap, out))
    return out[0] if rule.single else out


def fallen_back(op, operands, values, do):
    """Call the `__fallback__` of the first operand whose class has one."""
    tensor: Any = next(x for x in operands if isinstance(x, Tensor) and falls_back(x))
    return tensor.__fallback__(*hooks.fallback_arguments(op, operands))


# what takes the place of recording
_OTHERWISE = {NeedsCast: fitted, OnMeta: evaluated, FallsBack: fallen_back}


def outputs(recorder, index, avals, tracked):
    """Return an operation's outputs as pending Values; `tracked`: a flag for each, or False."""
    values = []
    for aval, is_tracked in zip(avals, tracked or repeat(False), strict=False):
        values.append(pending_value(recorder, aval, index, is_tracked))
        index += 1
    if recorder.on_record is not None:
        recorder.on_record()
    return tuple(values)


def apply(op, *operands) -> Any:
    """Record one operation on Tensors (or numbers); returns its output Tensor, or a tuple of them.

    Repeats the code of `record` for Tensors instead of calling it, because every operation of a
    user program takes this path: a product takes 1.5 us here, 2.1 us through `record`.
    """
    recorder = thread.recorder
    key, values, tracked = [op], [], False
    try:
        for operand in operands:
            try:
                value = operand._operand
            except AttributeError:
                value = as_value(op, operand, len(values))
            if value.trace is recorder:
                key.append(value.index)
            else:
                index = recorder.input_index.get(id(value.array))
                if index is None:
                    index = recorder.operand_key(value, operand)
                    if recorder.tracer is not None and isinstance(operand, Tensor):
                        value = operand._value  # the tracer has rebound the handle
                key.append(index)
            if value.tracked:
                tracked = True
            values.append(value)
        key = tuple(key)
        before = recorder.state
        state = before.next.get(key) or forest.grow(recorder, key, values)
        recorder.state = state
    except BaseException as refusal:
        recorder.rewind()
        if refusal.__class__ in _OTHERWISE:
            return _OTHERWISE[refusal.__class__](op, operands, values, apply)
        if refusal.__class__ is NeedsStack:
            return apply(op, *stacked_operands(op, operands))
        if refusal.__class__ is not TraceEnds:
            raise
        recorder.run()
        return apply(op, *operands)
    aval = state.aval
    if aval is None:
        tracked = tracked and state.differentiable
        out = outputs(recorder, before.size, state.avals, tracked)
        if tracked and thread.tape is not None:
            thread.tape.record((op, values, out))
        return tuple([wrap(value) for value in out])
    out = _new(Value)
    out.aval = aval
    out.array = None
    out.trace = recorder
    out.index = before.size
    out.tracked = tracked = tracked and state.differentiable
    recorder.outputs.append(ref(out))
    if recorder.on_record is not None:
        recorder.on_record()
    if tracked and thread.tape is not None:
        thread.tape.record((op, values, out))
    tensor = _new(Tensor)
    tensor._value = out
    return tensor


def apply_all(calls):
    """Apply operations whose results are not tracked, (operation, its operands) each; returns their
    output Values, one after the other. See `replayed`."""

    def do():
        results = [apply(op, *operands) for op, operands in calls]
        return [t._value for out in results for t in (out if out.__class__ is tuple else (out,))]

    try:
        by_value = [(op, [operand._operand for operand in operands]) for op, operands in calls]
    except AttributeError:  # a number, or a Tensor with `__fallback__`
        return do()
    return replayed(by_value, do)


def wrap(value):
    """Return a new Tensor handle of a Value."""
    tensor = _new(Tensor)
    tensor._value = value
    return tensor
