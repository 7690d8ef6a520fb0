"""Calls that a captured function makes on the host: Cells and Functions whose Python needs numbers.

Such a call stands between two graphs. Where it turns out that a call needs a number, the trace up
to its beginning becomes a stage, the call goes on dynamically to its end, and what follows is
recorded as another stage. To run the captured function is to run stage, call, stage, ... in turn:
the call's Python runs once each time, in the thread of the caller, and may compute, draw and print.
"""

import gc

from sporax.core.tensor import Tensor
from sporax.core.tree import itself, map_tensors, tensors_of, with_tensors
from sporax.core.value import thread
from sporax.engine.autocast import computing_in
from sporax.staging.graph_break import Break
from sporax.staging.symbolic_scalars import as_constant

_FIXED = (type(None), bool, str)  # what a call on the host may return besides Tensors


class Made:
    """Where a Value comes from that an earlier part (a stage, or a call) of the same run has met:
    a stage's output, or with an inverted index its input or the call's result."""

    __slots__ = ("index", "part")

    def __init__(self, part, index):
        self.part, self.index = part, index

    def value(self, run):
        """The Value in a run: (inputs or results, outputs) of each part so far."""
        given, made = run[self.part]
        return given[~self.index] if self.index < 0 else made[self.index]


class Stage:
    """What a recorder has recorded up to a state, and the handles rebound in it.

    `values`: {id(handle): its Value then} of those that have another now. `prints`: how many of
    the capture's are of before that.
    """

    def __init__(self, capture, recorder, state, values=(), prints=None):
        _, n_reals, n_integers = state.inputs()
        self.state, self.avals = state, capture.avals
        self.sources = [as_constant(source) for source in capture.sources]
        self.reals, self.integers = recorder.reals[:n_reals], recorder.integers[:n_integers]
        # of what is only another name: its number -> the number it goes back to
        self.same = {
            s.size - 1: s.key[1] for s in state.path() if s.op.alias and isinstance(s.key[1], int)
        }
        self.recorder, self.known = recorder, capture.known
        self.outs = [v for output in recorder.outputs if (v := output()) is not None]
        values = dict(values)
        self.written = [
            (handle, source)
            for key, (handle, _, twin) in capture.handles.items()
            if (value := values.get(key, handle._value)) is not twin
            and (source := self.source(value)) != self.source(twin)
        ]
        self.prints = [
            (shown, list(map(self.source, shown.values))) for shown in capture.prints[:prints]
        ]

    def source(self, value):
        """The number of a Value in this trace, or where else it comes from."""
        if value.trace is not self.recorder:
            return self.known[id(value)][1] if id(value) in self.known else value
        at = value.index
        while at in self.same:
            at = self.same[at]
        return at


class OtherResult(Exception):
    """A call on the host returned something of another kind than at capture; `returned`: (where
    the call stands, what it returned) of all calls of this run."""

    def __init__(self, returned):
        super().__init__()
        self.returned = returned


class Call:
    """A call that may turn out to need a number, while a function is captured.

    `on_host`: what to call instead of `function` when the captured function runs.
    """

    def __init__(self, capture, function, on_host, args, kwargs):
        self.capture, self.function, self.on_host = capture, function, on_host
        self.handles = tensors_of((args, kwargs))
        self.values = [t._lift() for t in self.handles]
        self.given = map_tensors(itself, (args, kwargs))
        self.recorder, self.tape = thread.recorder, thread.tape
        self.state = self.recorder.state
        self.entries = 0 if self.tape is None else len(self.tape)
        self.place = len(capture.parts), self.state.depth
        self.rebound, self.prints = len(capture.rebound), len(capture.prints)
        self.precision = thread.precision
        self.met, self.guard = None, Guard(())
        self.is_on_host = False

    def can_leave(self, recorder):
        """Whether the call began in this stage, and it is known what handles held then."""
        if recorder is not self.recorder:
            return False
        values, first = self._values_then(), self.state.size
        then = [(values.get(key, h._value), w) for key, (h, _, w) in self.capture.handles.items()]
        return all(v is w or (v.index < first and v.aval is w.aval) for v, w in then) and all(
            t._value is v or id(t) in self.capture.outside
            for t, v in zip(self.handles, self.values, strict=True)
        )

    def _values_then(self):
        """{id(handle): its Value when the call began} of those that it has rebound."""
        return {id(h): v for h, v in reversed(self.capture.rebound[self.rebound :])}

    def leave(self, recorder):
        """End the stage where this call began; what was recorded since then runs only now."""
        capture, part = self.capture, len(self.capture.parts)
        stage = Stage(capture, recorder, self.state, self._values_then(), self.prints)
        for _, _, twin in capture.handles.values():
            capture.known.setdefault(id(twin), (twin, Made(part, twin.index)))
        before = [v for v in stage.outs if v.index < self.state.size]
        capture.known.update({id(v): (v, None) for v in stage.outs})
        capture.known.update({id(v): (v, Made(part, stage.source(v))) for v in before})
        self.sources = [
            t if id(t) in capture.outside else capture.known.get(id(v), (v, v))[1]
            for t, v in zip(self.handles, self.values, strict=True)
        ]
        capture.leave(recorder, stage, getattr(self.function, "__self__", self.function))
        self.met, self.is_on_host = Break(), True
        lent = {id(v) for v in self.values} | {id(h._value) for h in capture.outside.values()}
        self.guard = Guard([v for v in before if id(v) not in lent])

    def close(self, result, cut):
        """Go on with another stage; or, where that would not be sound, dynamically.

        `cut`: whether no derivative of the call is asked for.
        """
        capture, tape = self.capture, self.tape
        values = [t._lift() for t in tensors_of(result)]
        is_cut = cut or tape is None or tape.muted or not any(v.watched for v in values)
        same = all(
            t._value is v or id(t) in capture.outside
            for t, v in zip(self.handles, self.values, strict=True)
        )
        self.kind = kind(result)
        if self.guard.is_touched or not is_cut or not same or self.kind is None:
            capture.is_broken, capture.met = True, self.met
            return result
        if tape is not None:
            del tape[self.entries :]
            self.tape = None
        part = len(capture.parts)
        for i, value in enumerate(values):
            value.read()
            value.watched = False
            capture.known[id(value)] = value, Made(part, ~i)
        capture.parts.append(self)
        capture.begin()
        return result

    def make(self, given):
        """What it returns for other Tensors in place of those at capture."""
        args, kwargs = with_tensors(self.given, given)
        with computing_in(self.precision):
            return self.on_host(*args, **kwargs)


def kind(result):
    """What the results of a call at capture and later must share; None if they cannot."""
    rest = []
    shape = map_tensors(lambda t: t._value.aval, result, rest.append)
    return (shape, rest) if all(isinstance(item, _FIXED) for item in rest) else None


class Guard:
    """Keeps a call on the host from reading Values that it was not given: it could not be given
    them at later calls either. Reading one nevertheless is noted."""

    def __init__(self, values):
        self.kept = [(v, v.array) for v in values]
        self.is_touched = False
        for value in values:
            value.array, value.trace = None, self

    def run(self):
        """What reading a Value calls."""
        self.is_touched = True
        self.release()

    def release(self):
        """Give all Values their arrays back."""
        for value, array in self.kept:
            value.array, value.trace = array, None
        self.kept = []


def through(function, on_host, args, kwargs, at_once=False, cut=False):
    """(`function(*args, **kwargs)`, whether it was called on the host), in a captured function.

    `at_once`: whether to call it there without finding out if there is need. `cut`: whether no
    derivative of it is asked for.
    """
    capture = thread.recorder.capture
    if not capture.has_numbers:
        return function(*args, **kwargs), False
    call = Call(capture, function, on_host, args, kwargs)
    known = capture.memo and capture.memo[0][0] == call.place
    if (known or at_once) and call.can_leave(thread.recorder):
        call.leave(thread.recorder)
    if known and call.is_on_host:
        call.guard.release()
        return call.close(capture.memo.pop(0)[1], cut), True
    capture.calls.append(call)
    capture.entering = function
    try:
        result = function(*args, **kwargs)
    finally:
        capture.calls.pop()
        call.guard.release()
    return (call.close(result, cut), True) if call.is_on_host else (result, False)


def tensors_alive():
    """All Tensors there are."""
    return {id(t): t for t in gc.get_objects() if issubclass(type(t), Tensor)}
