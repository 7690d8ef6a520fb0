"""The tape: the operations that a derivative is taken of."""

from typing import Any

import jax.numpy as jnp

from sporax.core.value import thread
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


def accumulate(cotangents, value, cotangent):
    """One more cotangent of a value, in `{id(value): cotangent}`."""
    before = cotangents.get(id(value))
    cotangents[id(value)] = cotangent if before is None else add(before, cotangent)


def variable(value):
    """The same value as an output of its own in the trace."""
    return record(_variable, value)


class Tape:
    """The operations computed from tracked values, in order.

    `entries`: (operation, operands, output or outputs) each. `record(entry)` adds one; it is a slot
    since it varies: nothing is added to `MUTED`, and `saved_tensors_hooks` pack what they add.
    `paused_spans`: the spans of the trace that are not differentiated, as (first, last) depth;
    `custom_spans`: those with a derivative written by the user. `hooks`: {id(value): (value, its
    Hooks)}. `python_entries`: the indices of entries with a PythonDerivative. `depth`: how many
    derivatives, one of the other, share the tape.
    """

    __slots__ = (
        "custom_spans", "depth", "entries", "hooks", "is_muted", "paused_spans", "python_entries",
        "record",
    )  # fmt: skip

    def __init__(self, is_muted=False):
        self.entries, self.is_muted = [], is_muted
        self.record: Any = _ignore if is_muted else self.entries.append
        self.paused_spans, self.custom_spans = [], []
        self.hooks, self.python_entries, self.depth = {}, [], 0

    def record_python(self, derivative, operands, out):
        """One more entry, whose derivative is a function of the user's."""
        self.python_entries.append(len(self.entries))
        self.entries.append((derivative, operands, out))

    def truncate(self, length):
        """Keep the first `length` entries."""
        del self.entries[length:]
        self.python_entries[:] = [i for i in self.python_entries if i < length]


def _ignore(entry):
    """Add nothing."""


MUTED = Tape(is_muted=True)  # in place of the tape where it is paused


def active_tape():
    """The tape that operations are added to now; None if there is none, or it is paused."""
    tape = thread.tape
    return None if tape is MUTED else tape


class using_tape:
    """In the block operations are added to this tape; None for none."""

    __slots__ = ("outer", "tape")

    def __init__(self, tape):
        self.tape, self.outer = tape, thread.tape

    def __enter__(self):
        thread.tape = self.tape

    def __exit__(self, *exception):
        thread.tape = self.outer


def unrecorded(function):
    """The function, of which no derivative is taken and nothing captured."""

    def run(*args, **kwargs):
        with using_tape(MUTED):
            return function(*args, **kwargs)

    return run


class paused:
    """Nothing computed in the block is added to the tape.

    `spans`: where the tape notes the span of the trace, "custom_spans" if what is computed has
    a derivative of its own.
    """

    __slots__ = ("first", "outer", "spans")

    def __init__(self, spans="paused_spans"):
        self.spans = spans

    def __enter__(self):
        self.outer = thread.tape
        if self.outer is not None:
            thread.tape = MUTED
        self.first = thread.recorder.state.depth

    def __exit__(self, *exception):
        outer = thread.tape = self.outer
        if outer is not None and outer is not MUTED:
            getattr(outer, self.spans).append((self.first, thread.recorder.state.depth))


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


def differentiable(op, operands):
    """The indices of the operands that a derivative goes to."""
    wanted = tuple([i for i, v in enumerate(operands) if v.tracked])
    if not all([operands[i].aval.inexact for i in wanted]):
        avals = tuple([v.aval for v in operands])
        wanted = tuple([i for i in wanted if op.differentiable_in(i, avals)])
    return wanted


def takes_indices(entry):
    """Whether an entry uses tracked integers as indices, or converts them."""
    op, operands, _ = entry
    tracked = sum(v.tracked for v in operands)
    return not isinstance(op, PythonDerivative) and tracked > len(differentiable(op, operands))
