"""Branches whose condition is a Tensor, in a function that is being recorded.

Where the condition has no number yet, both branches, or a loop's test and body
(`control_flow.while_scan`), are recorded for themselves (`autodiff.abstract_trace`) and become one
operation (`control_flow.lax_ops`). What the parts use from outside are its operands; what they
write (Parameters, random state) is written back. Where that cannot be, `Unrecordable` says why, and
the caller does what Python does: it asks for the number.
"""

import functools

import jax.numpy as jnp

from sporax.autodiff.abstract_trace import AbstractTrace, LiftedOp
from sporax.autodiff.lifted_op import is_differentiated
from sporax.autodiff.tape import Tape
from sporax.control_flow.lax_ops import FlowOp, cached, choice, is_number
from sporax.core.errors import describe
from sporax.core.from_host import plain
from sporax.core.tensor import Tensor
from sporax.core.tree import flatten, map_tensors, unflatten
from sporax.core.value import scalar_value, thread
from sporax.engine.operation import Op
from sporax.engine.recorder import record, wrap
from sporax.guards.dependence import Dependence
from sporax.guards.guard_types import same
from sporax.staging.deferred_print import defer_print

NUMBERS = (bool, int, float)
_as_number = FlowOp("flow.int", lambda x, real=False: (x.reshape(()).astype(jnp.int64),), (0,))


@functools.cache
def _as(dtype):
    return FlowOp("flow.cast", lambda x, real=False: (x.astype(dtype),), ())


class Unrecordable(Exception):
    """Why a branch or a loop cannot be one operation."""


class Nothing:
    """What stands where a variable has no value."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


UNBOUND = Nothing("a variable without a value")
PENDING = Nothing("what a 'return' in a loop will give")


def refuse(why):
    """A branch or turn that is being recorded cannot be, also where the user catches this."""
    tracer = thread.recorder.tracer
    tracer.error = Unrecordable(why)
    raise tracer.error


def is_open(test):
    """Whether a condition is a Tensor whose number a recording in progress does not have."""
    tracer = thread.recorder.tracer
    if tracer is None or not isinstance(test, Tensor) or test.size != 1 or test.has_init:
        return False
    return not tracer.is_constant(thread.recorder, test._value)


def is_in_part():
    """Whether what happens now is recorded as a part of a branch or loop."""
    tracer = thread.recorder.tracer
    while tracer is not None and not tracer.has_concrete_inputs:
        if tracer.is_part:
            return True
        tracer = tracer.outer.tracer
    return False


def as_number(tensor):
    """A Tensor that computes as the Python int would that it holds."""
    return wrap(record(_as_number, tensor._lift())[0])


@functools.cache
def _zeros(aval):
    return Op("flow.zeros", lambda: jnp.zeros(aval.shape, aval.dtype))


def zeros(value):
    """Zeros of a Value's shape and dtype."""
    return record(_zeros(value.aval))


def value_of(who, leaf):
    """The Value of a Tensor, a Python number or a Value."""
    if isinstance(leaf, Tensor):  # what stands for a number has no handle outside
        return leaf._value if leaf._value.aval.weak else leaf._lift()
    return scalar_value(who, leaf) if isinstance(leaf, NUMBERS) else leaf


class Part:
    """A function recorded for itself: a branch, a loop's test or its body."""

    def __init__(self, who, kind=AbstractTrace):
        self.who, self.closed = who, kind(who)
        self.closed.is_part = True
        # of a loop: index of the leaf -> its Value, its Tensor
        self.loop_values, self.tensors = {}, {}
        self.tape = Tape() if is_differentiated() else None

    def record(self, function, *args):
        """Record `function(*args)`: its result's form and leaves, and what it wrote."""
        before = Dependence(function, args)
        try:
            self._inside(lambda: self._record(function, args))
        finally:
            changed = before.restore()
        if changed is not None:
            raise Unrecordable(f"it changes {changed.description()}, which is no Tensor")
        tape = self.tape
        if tape is not None and (tape.python_entries or tape.hooks or tape.paused_spans):
            raise Unrecordable("a derivative inside is a function in Python, or left out")

    def _record(self, function, args):
        result = function(*args)
        if self.closed.error is not None:  # the function went on after it
            raise self.closed.error
        self.give(result)
        self.written = {id(handle): (handle, value) for handle, value in self.closed.written()}
        self.handles = dict(self.closed.handles)

    def give(self, result):
        """Let this be what it returns."""
        self.leaves = leaves_of(result)
        self.form, self.result = form_of(result), result

    def blank(self, leaf, other):
        """What stands for a leaf of another part where this one has nothing yet."""
        kind = other.kind(leaf)
        if kind is None and isinstance(leaf, Tensor):
            return self._inside(lambda: wrap(zeros(leaf._value)))
        return leaf if kind is None else kind(0)

    def _inside(self, function):
        outer, thread.tape = thread.tape, self.tape
        try:
            with self.closed:
                return function()
        except Unrecordable:
            raise
        except Exception as cause:
            is_refusal = cause is self.closed.error
            why = str(cause) if is_refusal else f"in it is raised {type(cause).__name__}: {cause}"
            raise Unrecordable(why) from cause
        finally:
            thread.tape = outer

    def printed(self, other):
        """The Values that are printed in a part; zeros in their place where it is another."""
        values = [value for shown in other.closed.prints for value in shown.values]
        return values if other is self else self._inside(lambda: list(map(zeros, values)))

    def kind(self, leaf):
        """The type of the number that a leaf is in dynamic code; None for a Tensor or another."""
        if isinstance(leaf, Tensor):
            if not is_number(self.closed, leaf._value):
                return None
            return KINDS.get(leaf._value.aval.dtype.kind)
        return leaf.__class__ if leaf.__class__ in NUMBERS else None

    def values(self, leaves, dtypes=None):
        """The Values in the recording of leaves (Tensors, numbers, Values), with these dtypes."""
        dtypes = dtypes or [None] * len(leaves)
        return self._inside(lambda: list(map(self._value, leaves, dtypes)))

    def _value(self, leaf, dtype):
        value = value_of(self.who, leaf)
        if dtype is None and value.aval.weak:
            dtype = value.aval.dtype
        if dtype is not None:
            (value,) = record(_as(dtype), value)
        return value if value.trace is self.closed.recorder else self.closed.whole(value)

    def operation(self, values):
        """(the operation, its operands outside) for these Values."""
        op = self.closed.operation(values, [None] * len(values), kind=LiftedOp)
        return op, [*[self.closed.operands[i] for i in op.needed], *self.closed.numbers()]


KINDS = {"b": bool, "i": int, "f": float}


def leaves_of(obj) -> list:
    """What is in nested containers, in order."""
    return list(map(plain, flatten(obj, every=True)[0]))


def form_of(obj):
    """What two objects share that are containers of the same kinds."""
    return repr(flatten(obj, every=True)[1])


def filled(obj, leaves):
    """The same containers with other leaves."""
    return unflatten(flatten(obj, every=True)[1], leaves)


# branches -----------------------------------------------------------------------------------


def choose(who, test, true, false):
    """`true()` if the Tensor `test` holds, else `false()`, as one operation."""
    parts = Part(who), Part(who)
    for part, branch in zip(parts, (true, false), strict=True):
        part.record(branch)
    _complete(*parts)
    _complete(*parts[::-1])
    if parts[0].form != parts[1].form:
        raise Unrecordable(f"its branches give {parts[0].form} and {parts[1].form}")
    pairs = list(zip(parts[0].leaves, parts[1].leaves, strict=True))
    open_, numbers = {}, []  # which leaves are results -> the dtype they have
    for i, pair in enumerate(pairs):
        if same(*pair):
            continue
        number_types = [part.kind(leaf) for part, leaf in zip(parts, pair, strict=True)]
        open_[i] = _common(pair, number_types)
        if number_types[0] is not None and number_types[0] is number_types[1]:
            numbers.append(len(open_) - 1)
    handles = {k: h for part in parts for k, (h, _) in part.written.items()}
    outputs = _record_choice(who, test, parts, open_, numbers, handles)
    leaves = [leaf for leaf, _ in pairs]
    for i, value in zip(open_, outputs, strict=True):
        leaves[i] = wrap(value)
    return filled(parts[0].result, leaves)


def _complete(one, other):
    """Where one part gives what is awaited only, and the other has it, fill in zeros."""
    if not any(leaf is PENDING for leaf in one.leaves) or one.result.__class__ is not tuple:
        return
    one.give(
        tuple([
            map_tensors(partial := functools.partial(one.blank, other=other), b, partial)
            if a is PENDING else a
            for a, b in zip(one.result, other.result, strict=True)
        ])
    )  # fmt: skip


def _common(pair, number_types):
    """The dtype of what two branches give for one result; None if they must agree as they are."""
    if number_types[0] is number_types[1] and (
        number_types[0] is not None or all(map(_is_tensor, pair))
    ):
        return None
    tensors = [leaf for leaf, kind in zip(pair, number_types, strict=True) if kind is None]
    if len(tensors) == 1 and _is_tensor(tensors[0]) and not tensors[0].shape:
        return tensors[0]._value.aval.dtype  # a number becomes a Tensor where it meets one
    raise Unrecordable(f"its branches give {_shown(pair[0])} and {_shown(pair[1])}")


def _is_tensor(leaf):
    return isinstance(leaf, Tensor)


def _shown(leaf):
    return describe(leaf._value.aval) if isinstance(leaf, Tensor) else f"{leaf!r:.80}"


def _record_choice(who, test, parts, open_, numbers, handles):
    values = []
    for part in parts:
        now = [part.written[k][1] if k in part.written else h for k, h in handles.items()]
        now += [v for other in parts for v in part.printed(other)]
        dtypes = [*open_.values(), *[None] * len(now)]
        values.append(part.values([*[part.leaves[i] for i in open_], *now], dtypes))
    for one, other in zip(*values, strict=True):
        if one.aval is not other.aval:
            raise Unrecordable(f"its branches give {describe(one.aval)} and {describe(other.aval)}")
    if not values[0]:
        _show(test, parts, [])
        return []
    operands, branches = [], []
    for part, some in zip(parts, values, strict=True):
        op, op_operands = part.operation(some)
        branches.append(
            (op, tuple([~i for i in range(len(operands), len(operands) + len(op_operands))]))
        )
        operands += op_operands
    op = cached(choice, who, *branches, tuple(numbers))
    outputs = record(op, value_of(who, test), *operands)
    rest = iter(outputs[len(open_) :])
    for handle in handles.values():
        handle._rebind(next(rest))
    _show(test, parts, rest)
    return outputs[: len(open_)]


def _show(test, parts, values):
    """Print, at each run, what the branch prints that is taken; the Values are of all prints."""
    rest = iter(values)
    for part, is_true in zip(parts, (True, False), strict=True):
        for shown in part.closed.prints:
            values_shown = [next(rest) for _ in shown.weak]
            defer_print(shown.where(test._lift(), is_true, values_shown))
