"""What a derivative is taken of: the tape, its variables, and one step back over it."""

import contextlib
from typing import Any

import jax.numpy as jnp

from sporax.core.value import borrowing, thread
from sporax.engine.operation import Op
from sporax.engine.recorder import record

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


def or_zeros(values, cotangents):
    """The cotangents of the values, with zeros where there is none."""
    return [zeros_like(v) if g is None else g for v, g in zip(values, cotangents, strict=True)]


def add(one, other):
    """The sum of two cotangents."""
    return record(_add, one, other)


def variable(value):
    """The same value as an output of its own in the trace."""
    return record(_variable, value)


class Tape(list):
    """The operations computed from tracked values: (operation, operands, output or outputs).

    `paused_spans`: the spans of the trace that are not differentiated, as (first, last) depth;
    `custom_spans`: those with a derivative written by the user. `hooks`: {id(value): (value, its
    Hooks)}. `python_entries`: the indices of entries with a PythonDerivative. `depth`: how many
    derivatives, one of the other, share the tape.
    """

    __slots__ = ("custom_spans", "depth", "hooks", "paused_spans", "python_entries")
    muted = False

    def __init__(self):
        super().__init__()
        self.paused_spans, self.custom_spans = [], []
        self.hooks, self.python_entries, self.depth = {}, [], 0

    def append_python(self, derivative, operands, out):
        """One more entry, whose derivative is a function of the user's."""
        self.python_entries.append(len(self))
        self.append((derivative, operands, out))

    def truncate(self, length):
        """Keep the first `length` entries."""
        del self[length:]
        self.python_entries = [i for i in self.python_entries if i < length]


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
    is_in_trace = False  # whether the trace has this very entry as an operation

    def backward(self, operands, out, arriving) -> Any:
        """A cotangent, or None, for each operand.

        `arriving` is the cotangent of `out`; where that is a tuple, a list with a cotangent or
        None for each.
        """
        raise NotImplementedError


def place(value, recorder):
    """Where the trace has a value: the number of an output or an input; None if it has not."""
    return value.index if value.trace is recorder else recorder.input_index.get(id(value.array))


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
        by_handle = {}
        for handle in self.handles:
            tracked = by_handle.get(id(handle))
            if tracked is None:
                value = handle._lift()
                tracked = by_handle[id(handle)] = variable(value)
                # a Parameter that requires no gradient gets none, wherever it is given
                frozen = not getattr(handle, "requires_grad", True)
                tracked.tracked = tracked.aval.differentiable and not frozen
                self.borrowed.append((handle, value, tracked))
                handle._value = tracked
            self.values.append(tracked)

    def __exit__(self, *exception):
        for handle, value, tracked in self.borrowed:
            if handle._value is tracked:
                handle._value = value
        borrowing.release()


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
            outer.paused_spans.append((first, thread.recorder.state.depth))


def pull_back(entries, cotangents):
    """Walk back over entries whose derivatives are operations.

    `cotangents`: `{id(output): its cotangent}`; what the entries give is taken out, and those of
    everything watched that they were computed from put in.
    """
    take = cotangents.pop
    for op, operands, out in reversed(entries):
        if out.__class__ is tuple:
            arrived = [(i, ct) for i, v in enumerate(out) if (ct := take(id(v), None)) is not None]
            if not arrived:
                continue
            which, count = tuple([i for i, _ in arrived]), len(out)
            arriving = [ct for _, ct in arrived]
        else:
            cotangent = take(id(out), None)
            if cotangent is None:
                continue
            which, arriving, count = _FIRST, (cotangent,), 1
        wanted = differentiable(op, operands)
        if not wanted:
            continue
        pullback = op.pullback(wanted, which, count)
        for i, cotangent in zip(wanted, record(pullback, *operands, *arriving), strict=True):
            accumulate(cotangents, operands[i], cotangent)


def differentiable(op, operands):
    """The numbers of the operands that a derivative goes to."""
    wanted = tuple([i for i, v in enumerate(operands) if v.tracked])
    if not all([operands[i].aval.inexact for i in wanted]):
        avals = tuple([v.aval for v in operands])
        wanted = tuple([i for i in wanted if op.differentiable_in(i, avals)])
    return wanted


def takes_indices(entry):
    """Whether an entry takes integers otherwise than as numbers."""
    op, operands, _ = entry
    tracked = sum(v.tracked for v in operands)
    return not isinstance(op, PythonDerivative) and tracked > len(differentiable(op, operands))


def accumulate(cotangents, value, cotangent):
    """One more cotangent of a value, in `{id(value): cotangent}`."""
    before = cotangents.get(id(value))
    cotangents[id(value)] = cotangent if before is None else add(before, cotangent)


_FIRST = (0,)
