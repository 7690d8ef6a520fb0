"""The backward walk: it records gradients as ordinary pending Values, in the same trace."""

import contextlib
from typing import Any

import jax.numpy as jnp

from sporax.core.value import borrowing, thread
from sporax.engine.operation import Op
from sporax.engine.recorder import Walk, record

_add = Op("gradient.add", jnp.add)
_ones_like = Op("gradient.seed", jnp.ones_like)
_zeros_like = Op("gradient.zero", jnp.zeros_like)
_variable = Op("gradient.variable", lambda x: x)
_variable.alias = True


def ones_like(value):
    """The cotangent that a derivative starts from by default."""
    return record(_ones_like, value)


def zeros_like(value):
    """The gradient of a value that does not reach the output."""
    return record(_zeros_like, value)


def add(one, other):
    """The sum of two cotangents."""
    return record(_add, one, other)


def variable(value):
    """The same value as an output of its own in the trace."""
    return record(_variable, value)


class Tape(list):
    """The operations computed from watched values: (operation, operands, output or outputs).

    `pauses`: the stretches of the trace that were left out, as (first, last) depth. `hooks`:
    {id(value): (value, its Hooks)}. `python`: whether the walk back runs functions of the user's.
    `depth`: how many derivatives it is for, one of the other.
    """

    __slots__ = ("depth", "hooks", "pauses", "python")
    muted = False

    def __init__(self):
        super().__init__()
        self.pauses, self.hooks, self.python, self.depth = (), {}, False, 0


class Muted(Tape):
    """Stands for the tape where a derivative is being taken, but not of what is computed now."""

    __slots__ = ()
    muted = True

    def append(self, entry):
        """Nothing is kept."""


MUTED = Muted()


def unrecorded(function):
    """The function, of which no derivative is taken and nothing captured."""

    def run(*args, **kwargs):
        outer, thread.tape = thread.tape, MUTED
        try:
            return function(*args, **kwargs)
        finally:
            thread.tape = outer

    return run


class PythonDerivative:
    """Stands for an operation on the tape where its derivative is a function of the user's; `who`
    is what messages call it."""

    __slots__ = ()
    who: Any

    def backward(self, operands, outs, arriving) -> Any:
        """A cotangent, or None, for each operand; `arriving`: {number of the output: cotangent}."""
        raise NotImplementedError


class Variables:
    """Gives each handle a value of its own for the length of a `with` block, which is watched.

    Where two handles hold the same value (a copy, the argument given twice), or where the value
    was computed from another that is differentiated, only this one is meant. The trace shows which:
    each variable is an operation's output in it. A handle that the block points elsewhere stays so.
    """

    def __init__(self, handles):
        self.handles = handles

    def __enter__(self):
        borrowing.acquire()
        self.values, self.borrowed = [], []
        try:
            self._borrow()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _borrow(self):
        known = {}
        for handle in self.handles:
            twin = known.get(id(handle))
            if twin is None:
                value = handle._lift()
                twin = known[id(handle)] = variable(value)
                # a Parameter that requires no gradient gets none, wherever it is given
                frozen = not getattr(handle, "requires_grad", True)
                twin.watched = twin.aval.differentiable and not frozen
                self.borrowed.append((handle, value, twin))
                handle._value = twin
            self.values.append(twin)

    def __exit__(self, *exception):
        for handle, value, twin in self.borrowed:
            if handle._value is twin:
                handle._value = value
        borrowing.release()


class Recording:
    """Keeps, for the length of a `with` block, a tape of what is computed from watched values.

    A nested block shares its outer one's tape, so that a derivative can be taken of a derivative.
    """

    def __enter__(self):
        self.before = thread.tape
        self.outer = None if self.before is MUTED else self.before
        self.tape = thread.tape = Tape() if self.outer is None else self.outer
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
        determine the tape; a nested block has to record, for the outer one.
        """
        key = self._key(outputs, cotangents, wanted)
        recorder, before = thread.recorder, thread.recorder.state
        if key is not None:
            walk = before.next.get(key)
            if walk is not None:
                return walk.take(recorder)
        known = len(recorder.arrays), len(recorder.reals), len(recorder.integers)
        found = walk_back(thread.tape[self.start :], thread.tape.hooks, outputs, cotangents, wanted)
        inputs = len(recorder.arrays), len(recorder.reals), len(recorder.integers)
        stays = key is not None and thread.recorder is recorder and inputs == known
        if stays and all(
            v is None or (v.trace is recorder and v.index >= before.size) for v in found
        ):
            results = [(None, None) if v is None else (v.index, v.aval) for v in found]
            before.next[key] = Walk(recorder.state, results)
        return found

    def _key(self, outputs, cotangents, wanted):
        """What determines the walk, where the trace so far does; else None."""
        recorder = thread.recorder
        tape = thread.tape
        if self.outer is not None or tape.python or tape.hooks:
            return None
        if recorder is not self.recorder or recorder.immediate:
            return None
        key = [Walk, self.state.depth, tape.pauses, len(outputs)]
        for value in (*outputs, *cotangents):
            if value.trace is recorder:
                key.append(value.index)
            else:
                key.append(recorder.found.get(id(value.array)))
        for value in wanted:
            if value.trace is not recorder:
                return None
            key.append(value.index if value.watched else None)
        return tuple(key)


@contextlib.contextmanager
def paused():
    """Nothing computed in the block is differentiated."""
    outer = thread.tape
    thread.tape = None if outer is None else MUTED
    first = thread.recorder.state.depth
    try:
        yield
    finally:
        thread.tape = outer
        if outer is not None and outer is not MUTED:
            outer.pauses = (*outer.pauses, (first, thread.recorder.state.depth))


def walk_back(entries, hooks, outputs, cotangents, wanted):
    """Cotangents of the `wanted` values, given those of the `outputs`, by way of tape entries; None
    where an output does not depend on one."""
    arrived = {}
    for out, cotangent in zip(outputs, cotangents, strict=True):
        accumulate(arrived, out, cotangent)
    pull_back(entries, arrived, hooks)
    found = [arrived.get(id(value)) for value in wanted]
    if hooks:
        once = {id(v): (v, ct) for v, ct in zip(wanted, found, strict=True)}
        once = {key: _hooked(hooks, v, ct) for key, (v, ct) in once.items()}
        found = [once[id(v)] for v in wanted]
    return found


def pull_back(entries, cotangents, hooks):
    """Walk back over tape entries.

    `cotangents`: `{id(output): its cotangent}`; it is filled with the cotangents of everything
    watched that the outputs depend on, and returned.
    """
    take = cotangents.pop
    for op, operands, out in reversed(entries):
        if out.__class__ is tuple:
            given = [(i, ct) for i, v in enumerate(out) if (ct := take(id(v), None)) is not None]
            if not given:
                continue
            if hooks:
                given = [(i, _hooked(hooks, out[i], ct)) for i, ct in given]
            which, arriving, count = tuple([i for i, _ in given]), [c for _, c in given], len(out)
        else:
            cotangent = take(id(out), None)
            if cotangent is None:
                continue
            if hooks:
                cotangent = _hooked(hooks, out, cotangent)
            which, arriving, count = _FIRST, (cotangent,), 1
        if isinstance(op, PythonDerivative):
            given = {i: ct for i, ct in zip(which, arriving, strict=True) if out[i].watched}
            leaving = op.backward(operands, out, given) if given else ()
            for operand, cotangent in zip(operands, leaving, strict=False):
                if cotangent is not None and operand.watched:
                    accumulate(cotangents, operand, cotangent)
            continue
        wanted = tuple([i for i, v in enumerate(operands) if v.watched])
        if not all([operands[i].aval.inexact for i in wanted]):
            avals = tuple([v.aval for v in operands])
            wanted = tuple([i for i in wanted if op.differentiable_in(i, avals)])
            if not wanted:
                continue
        pullback = op.pullback(wanted, which, count)
        for i, cotangent in zip(wanted, record(pullback, *operands, *arriving), strict=True):
            accumulate(cotangents, operands[i], cotangent)
    return cotangents


def _hooked(hooks, value, cotangent):
    """The cotangent of a value after the hooks registered for it."""
    found = hooks.get(id(value))
    return cotangent if found is None or cotangent is None else found[1].run(cotangent)


def accumulate(cotangents, value, cotangent):
    """One more cotangent of a value, in `{id(value): cotangent}`."""
    before = cotangents.get(id(value))
    cotangents[id(value)] = cotangent if before is None else add(before, cotangent)


_FIRST = (0,)
