"""The backward walk: it records gradients as ordinary pending Values, in the same trace."""

from typing import Any

from sporax.autodiff.saved_tensors import PackingTape
from sporax.autodiff.tape import MUTED, PythonDerivative, Tape, accumulate, place, pull_back
from sporax.core.value import thread
from sporax.engine.recorder import ReplayedPath, pending_value


class TapeScope:
    """Keeps, for the length of a `with` block, a tape of what is computed from watched values.

    A nested block shares its outer one's tape, so that a derivative can be taken of a derivative.
    """

    tape: Any

    def __enter__(self):
        self.before = thread.tape
        self.outer = None if self.before is MUTED else self.before
        self.tape = thread.tape = self.outer
        if self.outer is None:
            self.tape = thread.tape = Tape() if thread.saving is None else PackingTape()
        self.tape.depth += 1
        self.start = len(self.tape)
        self.recorder = thread.recorder
        self.state = self.recorder.state
        return self

    def __exit__(self, *exception):
        self.tape.depth -= 1
        thread.tape = self.before

    def gradients(self, outputs, cotangents, wanted):
        """Cotangents of the `wanted` values, given those of the `outputs`; None where an output
        does not depend on one.

        `wanted` are variables. The walk itself is remembered with the trace: after the same forward
        pass it is taken in one step. That is sound where every entry of the tape was recorded in
        this one trace, since then the trace, its paused stretches and the places of the variables
        determine the tape; a nested block has to record, for the outer one. Where functions of the
        user's are called on the way, the stretches between them are taken in one step each.
        """
        key = self._key(outputs, cotangents, wanted)
        tape, hooks = self.tape, self.tape.hooks
        if self.outer is None:
            tape.__class__ = Tape  # what the walk computes is not differentiated: nothing to pack
        recorder, before = thread.recorder, thread.recorder.state
        stops = _stops(tape, self.start, hooks) if tape.python_entries or hooks else ()
        if key is not None and not stops:
            walk = before.next.get(key)
            if walk is not None:
                return _hooked_in(hooks, wanted, walk.take(recorder))
        n_inputs = _inputs(recorder)
        arrived = {}
        for out, cotangent in zip(outputs, cotangents, strict=True):
            accumulate(arrived, out, cotangent)
        if stops:
            _walk(tape, self.start, stops, key, arrived, hooks)
            return _hooked_in(hooks, wanted, [arrived.get(id(value)) for value in wanted])
        pull_back(tape[self.start :], arrived)
        gradients = [arrived.get(id(value)) for value in wanted]
        if key is not None and _is_new(recorder, n_inputs, before, [v for v in gradients if v]):
            results = [(None, None) if v is None else (v.index, v.aval) for v in gradients]
            before.next[key] = ReplayedPath(recorder.state, results)
        return _hooked_in(hooks, wanted, gradients)

    def _key(self, outputs, cotangents, wanted):
        """What determines the walk, where the trace so far does; else None."""
        recorder = thread.recorder
        if self.outer is not None or recorder is not self.recorder or recorder.immediate:
            return None
        tape = self.tape
        key = [ReplayedPath, self.state.depth, *tape.paused_spans, *tape.custom_spans, len(outputs)]
        key += [place(value, recorder) for value in (*outputs, *cotangents)]
        for value in wanted:
            if value.trace is not recorder:
                return None
            key.append(value.index if value.tracked else None)
        return tuple(key)


def _inputs(recorder):
    return len(recorder.arrays), len(recorder.reals), len(recorder.integers)


def _is_new(recorder, n_inputs, before, values):
    """Whether all these values were recorded after the state `before`, and no input since."""
    return (
        thread.recorder is recorder
        and n_inputs == _inputs(recorder)
        and all([v.trace is recorder and v.index >= before.size for v in values])
    )


def _hooked_in(hooks, values, cotangents):
    """The cotangents of variables after the hooks registered for these, each asked once."""
    if not hooks:
        return cotangents
    once = {id(v): (v, ct) for v, ct in zip(values, cotangents, strict=True)}
    once = {key: _hooked(hooks, v, ct) for key, (v, ct) in once.items()}
    return [once[id(v)] for v in values]


def _hooked(hooks, value, cotangent):
    """The cotangent of a value after the hooks registered for it."""
    registered = hooks.get(id(value))
    return cotangent if registered is None or cotangent is None else registered[1].run(cotangent)


# In stretches -------------------------------------------------------------------------------------


class BackwardSegment:
    """What the walk did between two functions of the user's, to be done again in one step.

    `state`: where in the trace it ends. `taken`: the places of the values whose cotangents it used
    up. `added`: (place, index in the trace, aval) of those it left. A place is the number of an
    entry of the tape, and that of an operand, or of an output counted from -1 down.
    """

    __slots__ = ("added", "state", "taken")

    def __init__(self, state, taken, added):
        self.state, self.taken, self.added = state, taken, added

    def take(self, recorder, tape, arrived):
        """Go to its end."""
        recorder.state = self.state
        for i, j in self.taken:
            del arrived[id(_at(tape[i], j))]
        for i, j, index, aval in self.added:
            arrived[id(_at(tape[i], j))] = pending_value(recorder, aval, index)
        if recorder.on_record is not None:
            recorder.on_record()


def _at(entry, j):
    if j >= 0:
        return entry[1][j]
    out = entry[2]
    return out[~j] if out.__class__ is tuple else out


def _stops(entries, start, hooks):
    """The numbers of the entries at which functions of the user's are called, in order."""
    if not hooks and isinstance(entries, Tape):
        return [i for i in entries.python_entries if i >= start]
    stops = []
    for i, (op, _, out) in enumerate(entries[start:], start):
        outs = out if out.__class__ is tuple else (out,)
        if isinstance(op, PythonDerivative) or any(id(v) in hooks for v in outs):
            stops.append(i)
    return stops


def walk_back(entries, hooks, outputs, cotangents, wanted):
    """Cotangents of the `wanted` values, given those of the `outputs`, by way of tape entries; None
    where an output does not depend on one. Nothing of it is remembered."""
    arrived = {}
    for out, cotangent in zip(outputs, cotangents, strict=True):
        accumulate(arrived, out, cotangent)
    _walk(entries, 0, _stops(entries, 0, hooks), None, arrived, hooks)
    return _hooked_in(hooks, wanted, [arrived.get(id(value)) for value in wanted])


def _walk(tape, start, stops, key, arrived, hooks):
    """Walk back over the entries from `start` on, calling functions of the user's at the `stops`.

    What a stretch does is determined by what has determined the walk so far, the trace, and where
    in the trace that is which the last function has returned.
    """
    recorder, end, n_hooks = thread.recorder, len(tape), len(hooks)
    if key is not None:
        key = (BackwardSegment, key, *[_mark(tape[i], i, recorder) for i in stops])
    while stops:
        stop = stops.pop()
        entry = tape[stop]
        if end > stop + 1:
            segment = None if key is None else recorder.state.next.get(key)
            if segment is None:
                key = _learn(recorder, key, tape, stop + 1, end, arrived)
            else:
                segment.take(recorder, tape, arrived)
                key = segment
        end = stop
        if isinstance(entry[0], PythonDerivative):
            left = _call(hooks, entry, arrived)
        else:  # the cotangents of its outputs have hooks, and the next stretch begins with it
            left, end = _hooked_out(hooks, entry, arrived), stop + 1
        if key is not None:
            key = _after(key, left, recorder)
        if len(hooks) > n_hooks:  # one of the functions has registered another
            n_hooks, key = len(hooks), None
            stops = [i for i in _stops(tape, start, hooks) if i < stop]
    if end > start:
        segment = None if key is None else recorder.state.next.get(key)
        if segment is None:
            _learn(recorder, key, tape, start, end, arrived)
        else:
            segment.take(recorder, tape, arrived)


def _mark(entry, i, recorder):
    op, operands, out = entry
    if not isinstance(op, PythonDerivative) or op.is_in_trace:
        return i  # the trace tells the rest
    mark = [i]
    for v in (*operands, *(out if out.__class__ is tuple else (out,))):
        if v.tracked:
            mark.append(v.index if v.trace is recorder else place(v, recorder))
        else:
            mark.append(None)
    return tuple(mark)


def _after(key, left, recorder):
    """What determines the walk after a function has returned these cotangents; None if unknown."""
    if thread.recorder is not recorder:
        return None
    key = [key]
    for value in left:
        at = None
        if value is not None:
            at = value.index if value.trace is recorder else place(value, recorder)
            if at is None:
                return None
        key.append(at)
    return tuple(key)


def _learn(recorder, key, tape, first, end, arrived):
    """Walk over some entries; returns what determines the walk from there on, None if unknown."""
    entries = tape[first:end]
    if key is None:
        pull_back(entries, arrived)
        return None
    before, n_inputs, old = recorder.state, _inputs(recorder), dict(arrived)
    pull_back(entries, arrived)
    added = {at: ct for at, ct in arrived.items() if old.get(at) is not ct}
    if not _is_new(recorder, n_inputs, before, added.values()):
        return None
    places = {}
    for i, (_, operands, out) in enumerate(entries, first):
        for j, v in enumerate(operands):
            places[id(v)] = i, j
        for j, v in enumerate(out if out.__class__ is tuple else (out,)):
            places[id(v)] = i, ~j
    segment = before.next[key] = BackwardSegment(
        recorder.state,
        [places[at] for at in old if at not in arrived],
        [(*places[at], ct.index, ct.aval) for at, ct in added.items()],
    )
    return segment


def _call(hooks, entry, arrived):
    """Call the user's derivative of an entry; returns what it gives to the operands."""
    op, operands, out = entry
    if out.__class__ is tuple:
        arriving = [arrived.pop(id(v), None) for v in out]
        if hooks:
            arriving = [_hooked(hooks, v, ct) for v, ct in zip(out, arriving, strict=True)]
        arriving = [ct if v.tracked else None for v, ct in zip(out, arriving, strict=True)]
        if not any(arriving):
            return ()
    else:
        arriving = arrived.pop(id(out), None)
        if arriving is None or not out.tracked:
            return ()
        if hooks:
            arriving = _hooked(hooks, out, arriving)
    leaving = op.backward(operands, out, arriving)
    # for the last operands, numbers, there may be none
    for operand, cotangent in zip(operands, leaving, strict=False):
        if cotangent is not None and operand.tracked:
            accumulate(arrived, operand, cotangent)
    return leaving


def _hooked_out(hooks, entry, arrived):
    """Call the hooks of an entry's outputs; returns the cotangents after them."""
    out = entry[2]
    outs = out if out.__class__ is tuple else (out,)
    after = [_hooked(hooks, v, arrived.get(id(v))) for v in outs]
    for value, cotangent in zip(outs, after, strict=True):
        if cotangent is not None:
            arrived[id(value)] = cotangent
    return after
