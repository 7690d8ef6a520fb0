"""The trace being recorded: one door through which every operation goes."""

import threading
from typing import Any
from weakref import ref

from sporax.core.tensor import Tensor, as_value
from sporax.core.value import HELD, Aval, Value, thread
from sporax.engine.churn import SEEN, prepare
from sporax.engine.trace import State, forest


class RunAtOnce(list):
    """Outputs of the immediate executor: registering one runs the trace."""

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder

    def append(self, item):
        super().append(item)
        self.recorder.run()


class Recorder:
    """The operations pending in one thread, and the inputs they need."""

    __slots__ = (
        "__weakref__",
        "arrays",
        "capture",
        "found",
        "integers",
        "lock",
        "outputs",
        "owners",
        "reals",
        "state",
    )  # fmt: skip

    immediate = False

    def __init__(self, capture=None):
        if forest.states > forest.LIMIT:
            forest.clear()
        self.state = forest.root if capture is None else State(None, None, None, (), None)
        self.capture = capture
        self.outputs = RunAtOnce(self) if self.immediate and capture is None else []
        self.arrays, self.owners, self.found = [], [], {}
        self.reals, self.integers = [], []
        self.lock = threading.RLock()

    def leaf(self, value, handle=None):
        """Where this trace finds a value that it did not record: an input's number, or, at the
        value's first use, its aval."""
        aval = value.aval
        if aval.weak:
            kind = aval.dtype.kind
            if kind in "fbi":
                numbers = self.reals if kind == "f" else self.integers
                at = self.found.get(id(value))
                if at is None:
                    self.found[id(value)] = (kind == "f", len(numbers))
                    numbers.append(value)
                    return aval
                return at
        if self.capture is not None:
            return self.capture.leaf(self, value, handle)
        value.read()
        at = self.found.get(id(value.array))
        if at is not None:
            return at
        self.add_input(value)
        return aval

    def add_input(self, value):
        at = self.found[id(value.array)] = ~len(self.arrays)
        self.arrays.append(value.array)
        base = value.base
        self.owners.append(ref(value) if base is None else None if base is HELD else ref(base))
        return at

    def forget(self, key):
        """Take back the inputs that an operation brought which was then refused."""
        for item in reversed(key):
            if isinstance(item, Aval):
                kind = item.dtype.kind if item.weak else ""
                if kind and kind in "fbi":
                    numbers = self.reals if kind == "f" else self.integers
                    self.found.pop(id(numbers.pop()), None)
                else:
                    self.found.pop(id(self.arrays.pop()), None)
                    self.owners.pop()

    def run(self):
        """Run all that is pending as one program; it returns before the numbers are there.

        Called from another thread than the one that records here, it leaves the recording as it
        is: the numbers are put beside it, and the owner goes on undisturbed.
        """
        with self.lock:
            state = self.state
            if state is None or state.parent is None:
                return
            mine = thread.recorder is self
            if mine:
                if self.capture is not None:
                    self.capture.broken(self)
                thread.recorder = Recorder()
            alive, values = [], []
            for i, output in enumerate(self.outputs[: state.size]):
                if (value := output()) is not None:
                    alive.append(i)
                    values.append(value)
            try:
                if values:
                    self.execute(state, tuple(alive), values, mine)
            finally:
                if mine:
                    self.state = None
                    self.arrays, self.owners, self.found, self.outputs = [], [], {}, []

    def execute(self, state, alive, values, mine):
        dead = ()
        if mine:
            dead = tuple(
                [k for k, owner in enumerate(self.owners) if owner is not None and owner() is None]
            )
        program = state.programs.get((alive, dead))
        if program is None or program is SEEN:
            inputs = [] if self.capture is None else self.capture.avals
            program, state.programs[alive, dead] = prepare(state, alive, dead, inputs)
        results = program(self.reals, self.integers, self.arrays)
        for value, array in zip(values, results, strict=True):
            value.array = array
            if mine:
                value.trace = None


thread.__class__.new_recorder = Recorder
thread.recorder = Recorder()


def run_pending():
    """Run what this thread has pending; without effect while a function is being captured."""
    recorder = thread.recorder
    if recorder.capture is None:
        recorder.run()


_new = object.__new__


def nothing():
    """Stands for a weak reference to an output that nobody ever held."""


class Walk:
    """A stretch of a trace that followed another with certainty, to be taken in one step.

    `state`: where it ends. `results`: which outputs of the trace come out of it; None for none.
    """

    __slots__ = ("results", "state")

    state: State

    def __init__(self, state, results):
        self.state, self.results = state, results

    def take(self, recorder):
        """Go to the walk's end; returns its results as pending Values."""
        before, state = recorder.state, self.state
        recorder.outputs.extend([nothing] * (state.size - before.size))
        recorder.state = state
        made: dict[Any, Any] = {None: None}
        for index, aval in self.results:
            if index not in made:
                value = made[index] = _new(Value)
                value.aval, value.array, value.trace = aval, None, recorder
                value.index, value.watched = index, False
                recorder.outputs[index] = ref(value)
        return [made[index] for index, _ in self.results]


def record(op, *values) -> Any:
    """Record one operation on Values; returns its output Value, or a tuple of them."""
    recorder = thread.recorder
    found = recorder.found.get
    key, watched = [op], False
    for value in values:
        if value.trace is recorder:
            key.append(value.index)
        else:
            at = found(id(value.array))
            key.append(recorder.leaf(value) if at is None else at)
        if value.watched:
            watched = True
    key = tuple(key)
    before = recorder.state
    state = before.next.get(key)
    if state is None:
        state = forest.grow(recorder, key, values)
        if state is None:
            return record(op, *values)
    recorder.state = state
    aval = state.aval
    if aval is None:
        watched = watched and state.carries
        out = outputs(recorder, before.size, state.avals, watched)
    else:
        out = _new(Value)
        out.aval = aval
        out.array = None
        out.trace = recorder
        out.index = before.size
        out.watched = watched = watched and state.carries
        recorder.outputs.append(ref(out))
    if watched and thread.tape is not None:
        thread.tape.append((op, values, out))
    return out


def outputs(recorder, index, avals, watched):
    """The pending Values of an operation with several outputs."""
    values = []
    for aval in avals:
        out = _new(Value)
        out.aval, out.array, out.trace = aval, None, recorder
        out.index, out.watched = index, watched and aval.inexact
        values.append(out)
        index += 1
    last = ref(values[-1]) if values else None
    list.extend(recorder.outputs, [ref(v) for v in values[:-1]])
    if last is not None:
        recorder.outputs.append(last)
    return tuple(values)


def apply(op, *operands) -> Any:
    """Record one operation on Tensors (or numbers); returns its output Tensor, or a tuple of them.

    The same as `record`, one level up: what is unpacked here is not looked at again there, because
    this is the path that every operation of a user's program takes.
    """
    recorder = thread.recorder
    found = recorder.found.get
    key, values, watched = [op], [], False
    for operand in operands:
        try:
            value = operand._value
        except AttributeError:
            try:
                value = as_value(op.name, operand)
            except TypeError:
                recorder.forget(key)  # the operands before it have become inputs already
                raise
        if value.trace is recorder:
            key.append(value.index)
        else:
            at = found(id(value.array))
            if at is None:
                at = recorder.leaf(value, operand)
                if recorder.capture is not None and not value.aval.weak:
                    value = operand._value if isinstance(operand, Tensor) else value
            key.append(at)
        if value.watched:
            watched = True
        values.append(value)
    key = tuple(key)
    before = recorder.state
    state = before.next.get(key)
    if state is None:
        state = forest.grow(recorder, key, values)
        if state is None:
            return apply(op, *operands)
    recorder.state = state
    aval = state.aval
    if aval is None:
        watched = watched and state.carries
        out = outputs(recorder, before.size, state.avals, watched)
        if watched and thread.tape is not None:
            thread.tape.append((op, values, out))
        return tuple([wrap(value) for value in out])
    out = _new(Value)
    out.aval = aval
    out.array = None
    out.trace = recorder
    out.index = before.size
    out.watched = watched = watched and state.carries
    recorder.outputs.append(ref(out))
    if watched and thread.tape is not None:
        thread.tape.append((op, values, out))
    tensor = _new(Tensor)
    tensor._value = out
    return tensor


def wrap(value):
    """A new Tensor handle of a Value."""
    tensor = _new(Tensor)
    tensor._value = value
    return tensor
