"""The backward pass: it records gradients as ordinary pending Values, in the same trace."""

from typing import Any

from sporax._src.core.tensor import root
from sporax._src.core.value import thread
from sporax._src.runtime.engine.operation import Pullback
from sporax._src.runtime.engine.recorder import ReplayedPath, pending_value, record
from sporax._src.runtime.storage import lending
from sporax._src.transforms.autodiff.saved_tensors import pack_if_saving
from sporax._src.transforms.autodiff.tape import (
    PythonDerivative,
    Tape,
    accumulate,
    active_tape,
    differentiable,
    variables,
)


class TapeScope(lending.Scope):
    """Record what is computed from the handles in a `with` block on a tape.

    Each handle gets its own tracked Value, its variable, which separates it from other handles with
    the same value (a copy, an argument passed twice) and from a differentiated value that its value
    was computed from. Each variable is an operation's output in the trace. Handles that the block
    rebinds stay rebound. A nested block shares its outer block's tape, for higher-order
    derivatives. Used as `with closing(TapeScope(...)) as recording, recording:`, it is closed
    wherever an interrupt comes.
    """

    tape: Any

    def __init__(self, handles=()):
        super().__init__()
        self.handles, self.variables, self.returned = handles, [], {}
        self.before = thread.tape, thread.saving, thread.precision
        self.outer = active_tape()
        self.tape = Tape() if self.outer is None else self.outer
        self.depth = self.tape.depth

    def __enter__(self):
        tape = self.tape
        self._borrow()
        if self.outer is None:
            pack_if_saving(tape)
        thread.tape = tape
        tape.depth = self.depth + 1
        self.start = len(tape.entries)
        self.recorder = thread.recorder
        self.state = self.recorder.state
        for handle, value in zip(self.handles, self.variables, strict=True):
            hooks = getattr(handle, "_hooks", None)
            if hooks is not None and hooks.functions:
                tape.hooks[id(value)] = value, hooks
        return self

    def _borrow(self):
        self.begin_lending()
        # a Parameter with requires_grad=False gets none, not even as an argument
        handles, distinct = [*map(root, self.handles)], {}
        for given, handle in zip(self.handles, handles, strict=True):
            distinct.setdefault(id(handle), (handle, getattr(given, "requires_grad", True)))
        values = variables([handle._lift() for handle, _ in distinct.values()])
        for (handle, is_free), value in zip(distinct.values(), values, strict=True):
            value.tracked = value.aval.differentiable and is_free
            self.lend(handle, value)
        self.variables = [self.lent[id(handle)][2] for handle in handles]

    def close(self):
        """Restore the state before the block; may be called again, after an interrupt."""
        thread.tape, thread.saving, thread.precision = self.before
        self.tape.depth = self.depth
        if self.outer is not None:
            self._leave_hooks()
        self.give_back()

    def _leave_hooks(self):
        """Let the outer derivative call the hooks of handles once, for their Values before."""
        hooks = self.tape.hooks
        for _, before, tracked in self.lent.values():
            registered = hooks.pop(id(tracked), None)
            if registered is not None and before.tracked:
                hooks.setdefault(id(before), (before, registered[1]))

    def __exit__(self, *exception):
        self.close()

    def gradients(self, outputs, cotangents, wanted):
        """Return cotangents of the `wanted` variables, see `BackwardPass.run`. After the same
        forward pass, replay them in one step, or in segments between calls of user functions."""
        tape, recorder, before = self.tape, thread.recorder, thread.recorder.state
        if self.outer is None:
            tape.record = tape.entries.append  # the backward pass is not packed
        key = self._key(outputs, cotangents, wanted)
        if key is None or tape.python_entries or tape.hooks:
            backward = BackwardPass(tape.entries, self.start, tape.hooks)
            self.returned = backward.returned
            return backward.run(outputs, cotangents, wanted, key)
        path = before.next.get(key)
        if path is not None:
            return path.take(recorder)
        n_inputs = _n_inputs(recorder)
        gradients = BackwardPass(tape.entries, self.start, {}).run(outputs, cotangents, wanted)
        if _is_new(recorder, n_inputs, before, [v for v in gradients if v]):
            results = [(None, None) if v is None else (v.index, v.aval) for v in gradients]
            before.next[key] = ReplayedPath(recorder.state, results)
        return gradients

    def _key(self, outputs, cotangents, wanted):
        """Return the key of the backward pass, if the trace so far determines it; else None.

        It does if every entry of the tape was recorded in this trace: then the trace, its paused
        spans and the places of the variables determine the tape. A nested block has to record, for
        the outer one.
        """
        recorder = thread.recorder
        if self.outer is not None or recorder is not self.recorder or recorder.immediate:
            return None
        tape = self.tape
        key = [ReplayedPath, self.state.depth, *tape.paused_spans, *tape.custom_spans, len(outputs)]
        key += [_slot(value, recorder) for value in (*outputs, *cotangents)]
        for value in wanted:
            if value.trace is not recorder:
                return None
            key.append(value.index if value.tracked else None)
        return tuple(key)


class BackwardPass:
    """One backward pass over the entries of a tape, from `start` on.

    User functions are called at the stops, which divide the pass into segments. A segment recorded
    before is replayed in one step: its key is the key of the pass so far, the trace, and the places
    in the trace of what the last function returned. `arrived`: `{id(value): its cotangent}`.
    `returned`: `{id(value): the Tensor that is its gradient}` for wanted values with hooks, which
    may change it later, when a collective has ended.
    """

    def __init__(self, entries, start, hooks):
        self.entries, self.start, self.hooks = entries, start, hooks
        self.arrived: dict[int, Any] = {}
        self.returned: dict[int, Any] = {}
        self.recorder = thread.recorder

    def stops(self):
        """Return the indices of entries at which user functions are called, in order."""
        hooks, entries = self.hooks, enumerate(self.entries[self.start :], self.start)
        return [
            i for i, (op, _, out) in entries
            if isinstance(op, PythonDerivative)
            or (hooks and any(id(v) in hooks for v in _tuple(out)))
        ]  # fmt: skip

    def run(self, outputs, cotangents, wanted, key=None):
        """Return cotangents of the `wanted` values for the `cotangents` of the `outputs`; None
        where no output depends on one. `key`: of the pass; without it no segment is cached."""
        arrived, hooks, stops = self.arrived, self.hooks, self.stops()
        if key is not None:
            marks = [_mark(self.entries[i], i, self.recorder) for i in stops]
            key = (BackwardSegment, key, *marks)
        for out, cotangent in zip(outputs, cotangents, strict=True):
            accumulate(arrived, out, cotangent)
        end, n_hooks = len(self.entries), len(hooks)
        while stops:
            stop = stops.pop()
            if end > stop + 1:
                key = self._segment(key, stop + 1, end)
            end = stop
            if isinstance(self.entries[stop][0], PythonDerivative):
                left = self._call(*self.entries[stop])
            else:  # its outputs have hooks, and the next segment begins with it
                left, end = self._call_hooks(self.entries[stop][2]), stop + 1
            if key is not None:
                key = self._after(key, left)
            if len(hooks) > n_hooks:  # a function has registered another hook
                n_hooks, key = len(hooks), None
                stops = [i for i in self.stops() if i < stop]
        if end > self.start:
            self._segment(key, self.start, end)
        gradients = [arrived.get(id(value)) for value in wanted]
        if hooks:  # called once for each value
            pairs = zip(wanted, gradients, strict=True)
            after = {v: self._hooked(v, ct, True) for v, ct in dict(pairs).items()}
            gradients = [after[v] for v in wanted]
        return gradients

    def _segment(self, key, first, end):
        """Process entries without stops; returns the key of the pass from there on."""
        if key is None:
            pull_back(self.entries[first:end], self.arrived)
            return None
        segment = self.recorder.state.next.get(key)
        if segment is None:
            return self._record_segment(key, first, end)
        segment.take(self.recorder, self.entries, self.arrived)
        return segment

    def _record_segment(self, key, first, end):
        """Process entries and cache the segment; returns None if it cannot be replayed."""
        recorder, arrived, old = self.recorder, self.arrived, dict(self.arrived)
        before, n_inputs = recorder.state, _n_inputs(recorder)
        entries = self.entries[first:end]
        pull_back(entries, arrived)
        added = {value_id: ct for value_id, ct in arrived.items() if old.get(value_id) is not ct}
        if not _is_new(recorder, n_inputs, before, added.values()):
            return None
        positions = {}
        for i, (_, operands, out) in enumerate(entries, first):
            positions |= {id(v): (i, j) for j, v in enumerate(operands)}
            positions |= {id(v): (i, ~j) for j, v in enumerate(_tuple(out))}
        segment = before.next[key] = BackwardSegment(
            recorder.state,
            [positions[value_id] for value_id in old if value_id not in arrived],
            [(*positions[value_id], ct.index, ct.aval) for value_id, ct in added.items()],
        )
        return segment

    def _after(self, key, left):
        """Return the key of the pass after a function has returned these cotangents."""
        if thread.recorder is not self.recorder:
            return None
        key = [key]
        for value in left:
            slot = None if value is None else _slot(value, self.recorder)
            if slot is None and value is not None:
                return None
            key.append(slot)
        return tuple(key)

    def _call(self, op, operands, out):
        """Call the user-defined derivative of an entry; returns the operands' cotangents."""
        if out.__class__ is tuple:
            arriving = [self._take(v) for v in out]
            if not any(arriving):
                return ()
        else:
            arriving = self._take(out)
            if arriving is None:
                return ()
        leaving = op.backward(operands, out, arriving)
        # the last operands, Python scalars, may have none
        for operand, cotangent in zip(operands, leaving, strict=False):
            if cotangent is not None and operand.tracked:
                accumulate(self.arrived, operand, cotangent)
        return leaving

    def _take(self, value):
        """Remove and return the whole cotangent of a value, after its hooks; None if absent."""
        cotangent = self.arrived.pop(id(value), None)
        if cotangent is None or not value.tracked:
            return None
        return self._hooked(value, cotangent) if self.hooks else cotangent

    def _call_hooks(self, out):
        """Call the hooks of an entry's outputs; returns the cotangents after them."""
        after = [self._hooked(v, self.arrived.get(id(v))) for v in _tuple(out)]
        for value, cotangent in zip(_tuple(out), after, strict=True):
            if cotangent is not None:
                self.arrived[id(value)] = cotangent
        return after

    def _hooked(self, value, cotangent, is_wanted=False):
        """Return the cotangent of a value after the hooks registered for it."""
        registered = self.hooks.get(id(value))
        if registered is None or cotangent is None:
            return cotangent
        gradient = registered[1].run(cotangent, is_wanted)
        if is_wanted:
            self.returned[id(value)] = gradient
        return gradient._lift()


class BackwardSegment:
    """The part of a pass between two calls of user functions, to be replayed in one step.

    `state`: where in the trace it ends. `taken`: the places of the values whose cotangents it
    consumed. `added`: (place, index in the trace, aval) of the cotangents it added. A place is the
    index of a tape entry, and the index of an operand, or of an output counted from -1 down.
    """

    __slots__ = ("added", "state", "taken")

    def __init__(self, state, taken, added):
        self.state, self.taken, self.added = state, taken, added

    def take(self, recorder, entries, arrived):
        """Replay the segment."""
        recorder.state = self.state
        for i, j in self.taken:
            del arrived[id(_at(entries[i], j))]
        for i, j, index, aval in self.added:
            arrived[id(_at(entries[i], j))] = pending_value(recorder, aval, index)
        if recorder.on_record is not None:
            recorder.on_record()


def pull_back(entries, cotangents):
    """Process entries whose derivatives are operations, in reverse.

    `cotangents`: `{id(output): its cotangent}`; the cotangents of the entries' outputs are removed,
    the cotangents of the tracked operands added.
    """
    take = cotangents.pop
    for op, operands, out in reversed(entries):
        if out.__class__ is tuple:
            arrived = [(i, ct) for i, v in enumerate(out) if (ct := take(id(v), None)) is not None]
            if not arrived:
                continue
            which = tuple([i for i, _ in arrived])
            arriving = [ct for _, ct in arrived]
        else:
            cotangent = take(id(out), None)
            if cotangent is None:
                continue
            which, arriving = _FIRST, (cotangent,)
        wanted = differentiable(op, operands)
        if op.__class__ is Pullback and op.collective is None:
            # the derivative of x @ w with respect to x does not depend on x: without this, zero
            # cotangents would be computed with as any others
            sources = op.rule(tuple([v.aval for v in operands])).sources(which)
            wanted = tuple([i for i in wanted if i in sources])
        if not wanted:
            continue
        pullback = op.pullback(wanted, which)
        for i, cotangent in zip(wanted, record(pullback, *operands, *arriving), strict=True):
            accumulate(cotangents, operands[i], cotangent)


_FIRST = (0,)


def _tuple(out):
    return out if out.__class__ is tuple else (out,)


def _at(entry, j):
    if j >= 0:
        return entry[1][j]
    out = entry[2]
    return out[~j] if out.__class__ is tuple else out


def _n_inputs(recorder):
    return len(recorder.arrays), len(recorder.reals), len(recorder.integers)


def _is_new(recorder, n_inputs, before, values):
    """Return True if all values were recorded after the state `before`, and no input was added."""
    return (
        thread.recorder is recorder
        and n_inputs == _n_inputs(recorder)
        and all([v.trace is recorder and v.index >= before.size for v in values])
    )


def _slot(value, recorder):
    """Return the index of a value in the trace, an output or input; None if it is not in it."""
    return value.index if value.trace is recorder else recorder.input_index.get(id(value.array))


def _mark(entry, i, recorder):
    """Return the entry of a stop in the key of the pass."""
    op, operands, out = entry
    if not isinstance(op, PythonDerivative) or op.is_in_trace:
        return i  # the trace determines it
    mark = [i]
    for v in (*operands, *_tuple(out)):
        slot = v.index if v.trace is recorder else _slot(v, recorder)
        mark.append(slot if v.tracked else None)
    return tuple(mark)
