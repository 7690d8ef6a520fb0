"""Host calls: calls of Cells and Functions, in a captured function, whose Python code reads
concrete values.

Such a call splits the graph. When a call turns out to need a concrete value, the trace up to its
beginning becomes a stage, the call finishes dynamically, and the code after it is recorded as
another stage. The captured function then runs stage, call, stage, ...: the call's Python code runs
once per run, in the caller's thread, and may compute, draw random numbers and print.
"""

from contextlib import closing
from weakref import ref

from sporax._src.capture.staging.graph_break import Break
from sporax._src.capture.staging.symbolic_scalars import as_constant
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import flatten, live_objects, map_tensors, tensors_of, unflatten
from sporax._src.core.value import PendingTrace, thread
from sporax._src.runtime.engine.autocast import computing_in

_FIXED = (type(None), bool, str)  # types that a host call may return besides Tensors


class SegmentOutput:
    """The source of a Value from an earlier segment (a stage or a call) of the same run: output
    `index` of a stage; or, for a negative `index`, input `~index` of the stage or result `~index`
    of the call."""

    __slots__ = ("index", "segment")

    def __init__(self, segment, index):
        self.segment, self.index = segment, index

    def value(self, values):
        """Return the Value in a run; `values`: (inputs or results, outputs) by segment so far."""
        inputs, outputs = values[self.segment]
        return inputs[~self.index] if self.index < 0 else outputs[self.index]


class Stage:
    """The recording of a recorder up to a state, and the handles rebound in it.

    `values`: {id(handle): its Value at that state} of handles rebound since. `n_prints`: the number
    of the tracer's prints before that state.
    """

    def __init__(self, tracer, recorder, state, values=(), n_prints=None):
        _, n_reals, n_integers = state.inputs()
        self.state, self.avals = state, tracer.avals
        self.sources = [as_constant(source) for source in tracer.sources]
        self.reals, self.integers = recorder.reals[:n_reals], recorder.integers[:n_integers]
        # index of an output that is an alias -> index of the Value that it aliases
        self.aliases = {
            s.size - 1: s.key[1] for s in state.path() if s.op.alias and isinstance(s.key[1], int)
        }
        self.recorder, self.known = recorder, tracer.known
        self.outputs = [v for output in recorder.outputs if (v := output()) is not None]
        values = dict(values)
        self.written = [
            (handle, source)
            for key, (handle, _, lifted) in tracer.handles.items()
            if (value := values.get(key, handle._value)) is not lifted
            and (source := self.source(value)) != self.source(lifted)
        ]
        self.prints = [
            (shown, list(map(self.source, shown.values))) for shown in tracer.prints[:n_prints]
        ]

    def source(self, value):
        """Return the index of a Value in this trace; else its source elsewhere, or the Value."""
        if value.trace is not self.recorder:
            return self.known[id(value)][1] if id(value) in self.known else value
        index = value.index
        while index in self.aliases:
            index = self.aliases[index]
        return index


class OtherResult(Exception):
    """Raised if a host call returns a result of another kind than at capture; `returned`: (position
    of the call, its result) of all calls of this run."""

    def __init__(self, returned):
        super().__init__()
        self.returned = returned


class HostCall:
    """A call, during a capture, that may turn out to need a concrete value.

    `on_host`: the function that the captured function calls instead of `function` when it runs.
    """

    def __init__(self, tracer, function, on_host, args, kwargs):
        self.tracer, self.function, self.on_host = tracer, function, on_host
        self.handles, self.treedef = flatten((args, kwargs))
        self.values = [t._lift() for t in self.handles]
        self.recorder, self.tape = thread.recorder, thread.tape
        self.state = self.recorder.state
        self.n_entries = 0 if self.tape is None else len(self.tape.entries)
        self.position = len(tracer.segments), self.state.depth
        self.n_rebound, self.n_prints = len(tracer.rebound), len(tracer.prints)
        self.precision = thread.precision
        self.graph_break, self.hidden = None, HiddenValues(())
        self.is_on_host = False

    def can_leave(self, recorder):
        """Return True if the call began in this stage, and the Values of all handles at its
        beginning are known."""
        if recorder is not self.recorder:
            return False
        values, size = self._initial_values(), self.state.size
        initial = [
            (values.get(key, handle._value), lifted)
            for key, (handle, _, lifted) in self.tracer.handles.items()
        ]
        is_known = all(v is w or (v.index < size and v.aval is w.aval) for v, w in initial)
        return is_known and self._arguments_are_unchanged()

    def _arguments_are_unchanged(self):
        return all(
            t._value is v or id(t) in self.tracer.external_handles
            for t, v in zip(self.handles, self.values, strict=True)
        )

    def _initial_values(self):
        """Return {id(handle): its Value when the call began} of the handles that it has rebound."""
        return {id(h): v for h, v in reversed(self.tracer.rebound[self.n_rebound :])}

    def leave(self, recorder):
        """End the stage at the beginning of this call; run the operations recorded since then."""
        tracer, segment = self.tracer, len(self.tracer.segments)
        stage = Stage(tracer, recorder, self.state, self._initial_values(), self.n_prints)
        for _, _, lifted in tracer.handles.values():
            tracer.known.setdefault(id(lifted), (lifted, SegmentOutput(segment, lifted.index)))
        before = [v for v in stage.outputs if v.index < self.state.size]
        tracer.known.update({id(v): (v, None) for v in stage.outputs})
        tracer.known.update({id(v): (v, SegmentOutput(segment, stage.source(v))) for v in before})
        self.sources = [
            t if id(t) in tracer.external_handles else tracer.known.get(id(v), (v, v))[1]
            for t, v in zip(self.handles, self.values, strict=True)
        ]
        tracer.leave(recorder, stage, getattr(self.function, "__self__", self.function))
        self.graph_break, self.is_on_host = Break(), True
        passed = {id(v) for v in self.values}
        passed |= {id(h._value) for h in tracer.external_handles.values()}
        self.hidden = HiddenValues([v for v in before if id(v) not in passed])

    def close(self, result, cut):
        """Begin another stage, or continue dynamically if that would be unsound; return `result`.

        `cut`: True if the call is not differentiable.
        """
        tracer, tape = self.tracer, self.tape
        values = [t._lift() for t in tensors_of(result)]
        is_cut = cut or tape is None or tape.is_muted or not any(v.tracked for v in values)
        is_unchanged = self._arguments_are_unchanged()
        self.kind = result_kind(result)
        if self.hidden.is_read or not is_cut or not is_unchanged or self.kind is None:
            tracer.is_broken, tracer.graph_break = True, self.graph_break
            return result
        if tape is not None:
            tape.truncate(self.n_entries)
            self.tape = None
        segment = len(tracer.segments)
        for i, value in enumerate(values):
            value.read()
            value.tracked = False
            tracer.known[id(value)] = value, SegmentOutput(segment, ~i)
        tracer.segments.append(self)
        tracer.begin()
        return result

    def run(self, tensors):
        """Call on the host with these Tensors instead of the captured ones."""
        args, kwargs = unflatten(self.treedef, tensors)
        with closing(computing_in(self.precision)) as block, block:
            return self.on_host(*args, **kwargs)


def result_kind(result):
    """Return the structure and fixed items that results at capture and later must share; None if a
    result has items of other types."""
    fixed = []
    shape = map_tensors(lambda t: t._value.aval, result, fixed.append)
    return (shape, fixed) if all(isinstance(item, _FIXED) for item in fixed) else None


class HiddenValues(PendingTrace):
    """Values that a host call must not read, since they are not passed to it, so later calls could
    not provide them. `is_read`: True if one is read nevertheless."""

    def __init__(self, values):
        self.hidden = [(v, v.array) for v in values]
        self.is_read = False
        for value in values:
            value.array, value.trace = None, self

    def run(self):
        """Record that one is read."""
        self.is_read = True
        self.release()

    def release(self):
        """Restore the arrays of all Values."""
        for value, array in self.hidden:
            value.array, value.trace = array, None
        self.hidden = []


def through(function, on_host, args, kwargs, at_once=False, cut=False):
    """Return (`function(*args, **kwargs)`, True if it ran on the host), in a captured function.

    `at_once`: call it on the host without trying to record it first. `cut`: True if the call is not
    differentiable.
    """
    tracer = thread.recorder.tracer
    if not tracer.has_concrete_inputs:
        return function(*args, **kwargs), False
    call = HostCall(tracer, function, on_host, args, kwargs)
    is_known = tracer.host_results and tracer.host_results[0][0] == call.position
    if (is_known or at_once) and call.can_leave(thread.recorder):
        call.leave(thread.recorder)
    if is_known and call.is_on_host:
        call.hidden.release()
        return call.close(tracer.host_results.pop(0)[1], cut), True
    tracer.host_calls.append(call)
    tracer.entering = function
    try:
        result = function(*args, **kwargs)
    finally:
        tracer.host_calls.pop()
        call.hidden.release()
    return (call.close(result, cut), True) if call.is_on_host else (result, False)


def all_tensors():
    """Return {id: weak reference} of all live Tensors."""
    return {id(t): ref(t) for t in live_objects(Tensor)}
