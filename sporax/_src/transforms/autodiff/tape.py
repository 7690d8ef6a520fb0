"""The tape: the operations to differentiate."""

from typing import Any

import jax.numpy as jnp

from sporax._src.core.value import thread
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record, replayed

_add = Op("gradient.add", jnp.add)
_ones_like = Op("gradient.seed", jnp.ones_like)
_zeros_like = Op("gradient.zero", jnp.zeros_like)
# a derivative of higher order would compute with zeros what depends on the value itself
_ones_like.stops_gradient = _zeros_like.stops_gradient = True
_variable = Op("gradient.variable", lambda x: x)
_variable.alias = True


def ones_like(value):
    """Return the default cotangent that the backward pass starts from."""
    return record(_ones_like, value)


def zeros_like(value):
    """Return the gradient of a value that does not reach the output."""
    return record(_zeros_like, value)


def or_zeros(values, cotangents):
    """Return the cotangents of the values, with zeros where there is none."""
    return [zeros_like(v) if g is None else g for v, g in zip(values, cotangents, strict=True)]


def add(one, other):
    """Add two cotangents."""
    return record(_add, one, other)


def accumulate(cotangents, value, cotangent):
    """Add a cotangent of a value to `{id(value): cotangent}`."""
    before = cotangents.get(id(value))
    cotangents[id(value)] = cotangent if before is None else add(before, cotangent)


def variable(value):
    """Return the same value as a new output of the trace."""
    return record(_variable, value)


def variables(values):
    """Return the same values as new outputs of the trace; see `replayed`."""
    calls = [(_variable, (value,)) for value in values]
    return replayed(calls, lambda: [*map(variable, values)])


class Tape:
    """The operations computed from tracked values, in order.

    `entries`: (operation, operands, output or outputs) each. `record(entry)` adds one; it is a slot
    since it varies: nothing is added to `MUTED`, and `saved_tensors_hooks` pack what they add.
    `paused_spans`: the spans of the trace that are not differentiated, as (first, last) depth;
    `custom_spans`: the spans with a user-defined derivative. `hooks`: {id(value): (value, its
    Hooks)}. `python_entries`: the indices of entries with a PythonDerivative. `depth`: the number
    of nested derivatives that share the tape.
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
        """Add an entry whose derivative is a user function."""
        self.python_entries.append(len(self.entries))
        self.entries.append((derivative, operands, out))

    def truncate(self, length):
        """Keep the first `length` entries."""
        del self.entries[length:]
        self.python_entries[:] = [i for i in self.python_entries if i < length]


def _ignore(entry):
    """Add nothing."""


MUTED = Tape(is_muted=True)  # replaces the tape while it is paused


def active_tape():
    """Return the tape that operations are added to; None if there is none, or it is paused."""
    tape = thread.tape
    return None if tape is MUTED else tape


class using_tape:
    """Add operations in the block to this tape; None for none."""

    __slots__ = ("outer", "tape")

    def __init__(self, tape):
        self.tape, self.outer = tape, thread.tape

    def __enter__(self):
        thread.tape = self.tape

    def __exit__(self, *exception):
        thread.tape = self.outer


def unrecorded(function):
    """Wrap a function so that it is neither differentiated nor captured."""

    def run(*args, **kwargs):
        with using_tape(MUTED):
            return function(*args, **kwargs)

    return run


class paused:
    """Add nothing computed in the block to the tape.

    `spans`: the attribute of the tape that gets the span of the trace, "custom_spans" if the
    computation has its own derivative.
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
    """Stands for an operation on the tape whose derivative is a user function; `who`: its name in
    messages."""

    __slots__ = ()
    who: Any
    is_in_trace = False  # whether the trace has the same entry as an operation

    def backward(self, operands, out, arriving) -> Any:
        """Return a cotangent, or None, for each operand.

        `arriving`: the cotangent of `out`; if that is a tuple, a list with a cotangent or None for
        each.
        """
        raise NotImplementedError


def differentiable(op, operands):
    """Return the indices of the operands that get a cotangent."""
    wanted = tuple([i for i, v in enumerate(operands) if v.tracked])
    if not all([operands[i].aval.inexact for i in wanted]):
        avals = tuple([v.aval for v in operands])
        wanted = tuple([i for i in wanted if op.differentiable_in(i, avals)])
    return wanted


def takes_indices(entry):
    """Return True if an entry uses tracked integers as indices, or converts them."""
    op, operands, _ = entry
    tracked = sum(v.tracked for v in operands)
    return not isinstance(op, PythonDerivative) and tracked > len(differentiable(op, operands))
