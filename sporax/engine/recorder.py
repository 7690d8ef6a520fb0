"""The trace being recorded: one door through which every operation goes.

A trace is a path in a tree (`State`): each recorded operation is one step along an edge named by
the operation and where its operands are found. A path walked before costs one dictionary look-up
an operation; the programs compiled for a path hang at its end.
"""

import threading
from typing import Any
from weakref import ref

from sporax.core.tensor import Tensor, as_value
from sporax.core.value import HELD, Aval, Value, thread
from sporax.engine.churn import SEEN, prepare

# A loop that reads no number is cut where it repeats, so that its programs repeat too: from the
# first length on if the last operations of the first number repeat, from the second on ...
CUTS = ((256, 192), (4096, 4096))
CAP = 10_000  # ... and where nothing repeats, here.


class State:
    """A trace up to and including one recorded operation."""

    __slots__ = (
        "aval", "avals", "carries", "depth", "key", "next", "op", "operands", "parent", "programs", "size",
    )  # fmt: skip

    op: Any
    parent: Any

    def __init__(self, parent, key, op, operands, rule):
        self.parent, self.key, self.op = parent, key, op
        self.operands = operands  # the operands' avals
        self.next, self.programs = {}, {}
        self.depth = parent.depth + 1 if parent is not None else 0
        self.avals = rule.avals if rule is not None else ()
        # of the one output; None where there are several
        self.aval = rule.avals[0] if rule is not None and rule.single else None
        # whether a derivative can go through it
        self.carries = op is not None and not op.cut and any(a.inexact for a in self.avals)
        before = parent.size if parent is not None else 0
        self.size = before + len(self.avals)  # outputs of the whole trace so far

    def path(self):
        """The states from the first operation to this one."""
        states, state = [], self
        while state.parent is not None:
            states.append(state)
            state = state.parent
        return states[::-1]


    def tail(self, n):
        """At most the last `n` states, latest first."""
        state = self
        while state.parent is not None and n:
            yield state
            state, n = state.parent, n - 1


class Forest:
    """The root of all traces, and how many states hang from it."""

    LIMIT = 200_000  # states kept; beyond it all traces are forgotten (and found again)

    def __init__(self):
        self.clear()

    def clear(self):
        self.root = State(None, None, None, (), None)
        self.states = 0

    def grow(self, recorder, key, values):
        """One step further than any trace has gone; None where the trace is cut instead.

        An operation that refuses its operands leaves no mark.
        """
        op, state = key[0], recorder.state
        if state.depth >= CUTS[0][0] and recorder.capture is None and is_cut(state):
            recorder.forget(key)
            recorder.run()
            return None
        operands = tuple([v.aval for v in values])
        try:
            rule = op.rule(operands)
        except BaseException:
            recorder.forget(key)
            raise
        new = state.next[key] = State(state, key, op, operands, rule)
        self.states += 1
        return new


forest = Forest()


def is_cut(state):
    """Whether a trace ends here because what it recorded last repeats what came before.

    Cut where a whole number of turns has passed since the trace began, the next trace begins at
    the same place of the loop, and so ends at the same place too. Under a tape the repetition is
    that of a network (an unrolled recurrence), and only the cap holds.
    """
    if state.depth >= CAP:
        return True
    if thread.tape is not None:
        return False
    for depth, window in CUTS:
        if state.depth >= depth:
            period = period_of([s.op for s in state.tail(window)])
            if period is not None and state.depth % period == 0:
                return True
    return False


def period_of(ops):
    """The smallest number of operations, at most half of them, after which they repeat."""
    n = len(ops)
    for period in range(1, n // 2 + 1):
        if ops[-1] is ops[-1 - period] and ops[period:] == ops[: n - period]:
            return period
    return None


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
        "arrays", "capture", "found", "integers", "lock", "outputs", "owners", "reals", "state",
        "__weakref__",
    )  # fmt: skip

    immediate = False

    def __init__(self, capture=None):
        if forest.states > Forest.LIMIT:
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
        made = {None: None}
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
            value = as_value(op.name, operand)
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
