"""Branches and loops whose condition is a Tensor, in a function that is being recorded.

Where the condition has no number yet, both branches, or a loop's test and body, are recorded for
themselves (`engine.closed`) and become one operation (`engine.flow`). What the parts use from
outside are its operands; what they write (Parameters, random state) is written back. Where that
cannot be, `Unrecordable` says why, and the caller does what Python does: it asks for the number.
"""

import functools

import jax.numpy as jnp

from sporax.autodiff.enclosed import is_differentiated
from sporax.autodiff.tape import Tape
from sporax.core.errors import describe
from sporax.core.tensor import Tensor
from sporax.core.tree import map_tensors
from sporax.core.value import number, thread
from sporax.engine.closed import Closed, ClosedOp
from sporax.engine.dependence import same
from sporax.engine.flow import (
    FlowOp,
    Turn,
    Varying,
    choice,
    is_number,
    kept,
    repetition,
)  # fmt: skip
from sporax.engine.recorder import record, wrap

_NUMBERS = (bool, int, float)
_as_number = FlowOp("flow.int", lambda x, real=False: (x.reshape(()).astype(jnp.int64),), (0,))


@functools.cache
def _as(dtype):
    return FlowOp("flow.cast", lambda x, real=False: (x.astype(dtype),), ())


class Unrecordable(Exception):
    """Why a branch or a loop cannot be one operation."""


def is_open(test):
    """Whether a condition is a Tensor whose number a recording in progress does not have."""
    capture = thread.recorder.capture
    if capture is None or not isinstance(test, Tensor) or test.size != 1 or test.has_init:
        return False
    return not capture.has_number(thread.recorder, test._value)


def is_in_part():
    """Whether what happens now is recorded as a part of a branch or loop."""
    capture = thread.recorder.capture
    while capture is not None and not capture.has_numbers:
        if capture.is_part:
            return True
        capture = capture.outer.capture
    return False


def as_number(tensor):
    """A Tensor that computes as the Python int would that it holds."""
    return wrap(record(_as_number, tensor._lift())[0])


def _value(who, leaf):
    """The Value of a Tensor, a Python number or a Value."""
    if isinstance(leaf, Tensor):  # what stands for a number has no handle outside
        return leaf._value if leaf._value.aval.weak else leaf._lift()
    return number(who, leaf) if isinstance(leaf, _NUMBERS) else leaf


class Part:
    """A function recorded for itself: a branch, a loop's test or its body."""

    def __init__(self, who, kind=Closed):
        self.who, self.closed = who, kind(who)
        self.closed.is_part = True
        self.entered, self.given = {}, {}  # a loop's: number of the leaf -> its Value, its Tensor
        self.tape = Tape() if is_differentiated() else None

    def record(self, function, *args):
        """Record `function(*args)`: its result's form and leaves, and what it wrote."""
        self._inside(lambda: self._record(function, args))
        tape = self.tape
        if tape is not None and (tape.python or tape.hooks or tape.pauses):
            raise Unrecordable("a derivative inside is a function in Python, or left out")

    def _record(self, function, args):
        result = function(*args)
        self.leaves = leaves_of(result)
        self.form, self.result = form_of(result), result
        self.written = {id(handle): (handle, value) for handle, value in self.closed.written()}
        self.handles = dict(self.closed.handles)

    def _inside(self, function):
        outer, thread.tape = thread.tape, self.tape
        try:
            with self.closed:
                return function()
        except Exception as cause:
            raise Unrecordable(str(cause)) from cause
        finally:
            thread.tape = outer

    def kind(self, leaf):
        """The type of the number that a leaf is in dynamic code; None for a Tensor or another."""
        if isinstance(leaf, Tensor):
            if not is_number(self.closed, leaf._value):
                return None
            return _KINDS.get(leaf._value.aval.dtype.kind)
        return leaf.__class__ if leaf.__class__ in _NUMBERS else None

    def values(self, leaves, dtypes=None):
        """The Values in the recording of leaves (Tensors, numbers, Values), with these dtypes."""
        dtypes = dtypes or [None] * len(leaves)
        return self._inside(lambda: list(map(self._value, leaves, dtypes)))

    def _value(self, leaf, dtype):
        value = _value(self.who, leaf)
        if dtype is None and value.aval.weak:
            dtype = value.aval.dtype
        if dtype is not None:
            (value,) = record(_as(dtype), value)
        return value if value.trace is self.closed.recorder else self.closed.whole(value)

    def operation(self, values):
        """(the operation, its operands outside) for these Values."""
        op = self.closed.operation(values, [None] * len(values), kind=ClosedOp)
        return op, [*[self.closed.operands[i] for i in op.needed], *self.closed.numbers()]


_KINDS = {"b": bool, "i": int, "f": float}


def leaves_of(obj):
    """What is in nested containers, in order."""
    found = []
    map_tensors(found.append, obj, found.append)
    return found


def form_of(obj):
    """What two objects share that are containers of the same kinds."""
    return repr(map_tensors(lambda _: None, obj, lambda _: None))


def filled(obj, leaves):
    """The same containers with other leaves."""
    rest = iter(leaves)
    return map_tensors(lambda _: next(rest), obj, lambda _: next(rest))


# branches -----------------------------------------------------------------------------------


def choose(who, test, true, false):
    """`true()` if the Tensor `test` holds, else `false()`, as one operation."""
    parts = Part(who), Part(who)
    for part, branch in zip(parts, (true, false), strict=True):
        part.record(branch)
    if parts[0].form != parts[1].form:
        raise Unrecordable(f"its branches give {parts[0].form} and {parts[1].form}")
    pairs = list(zip(parts[0].leaves, parts[1].leaves, strict=True))
    open_, numbers = {}, []  # which leaves are results -> the dtype they have
    for i, pair in enumerate(pairs):
        if same(*pair):
            continue
        kinds = [part.kind(leaf) for part, leaf in zip(parts, pair, strict=True)]
        open_[i] = _common(pair, kinds)
        if kinds[0] is not None and kinds[0] is kinds[1]:
            numbers.append(len(open_) - 1)
    handles = {k: h for part in parts for k, (h, _) in part.written.items()}
    made = _record_choice(who, test, parts, open_, numbers, handles)
    leaves = [leaf for leaf, _ in pairs]
    for i, value in zip(open_, made, strict=True):
        leaves[i] = wrap(value)
    return filled(parts[0].result, leaves)


def _common(pair, kinds):
    """The dtype of what two branches give for one result; None if they must agree as they are."""
    if kinds[0] is kinds[1] and (kinds[0] is not None or all(map(_is_tensor, pair))):
        return None
    tensors = [leaf for leaf, kind in zip(pair, kinds, strict=True) if kind is None]
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
        dtypes = [*open_.values(), *[None] * len(now)]
        values.append(part.values([*[part.leaves[i] for i in open_], *now], dtypes))
    for one, other in zip(*values, strict=True):
        if one.aval is not other.aval:
            raise Unrecordable(f"its branches give {describe(one.aval)} and {describe(other.aval)}")
    if not values[0]:
        return []
    operands, bindings, ops = [], [], []
    for part, some in zip(parts, values, strict=True):
        op, given = part.operation(some)
        bindings.append(tuple([~i for i in range(len(operands), len(operands) + len(given))]))
        operands += given
        ops.append(op)
    op = kept(choice, who, *ops, tuple(bindings), tuple(numbers))
    made = record(op, _value(who, test), *operands)
    for handle, value in zip(handles.values(), made[len(open_) :], strict=True):
        handle._rebind(value)
    return made[: len(open_)]


# loops --------------------------------------------------------------------------------------

MOST_RECORDINGS = 4  # of a loop until it is known what each turn finds and leaves

_WHY = (
    "a loop with no known number of turns has no derivative: what each turn computed would have to "
    "be kept, and there is no place of a known size for it. Write 'for' over a known number of "
    "turns, with 'ops.where' for those that are too many"
)


def repeat(who, test, body, carried):
    """`while test(carried): carried = body(carried)`, as one operation; the last `carried`."""
    leaves, fixed = leaves_of(carried), set()
    for _ in range(MOST_RECORDINGS):
        loop = _Loop(who, carried, leaves, fixed)
        loop.record(test, body)
        changed, written = loop.numbers_made_tensors(), loop.written_in_place()
        if not changed and not written:
            return loop.made()
        leaves = [changed.get(i, leaf) for i, leaf in enumerate(leaves)]
        fixed |= written
    raise Unrecordable("what it carries changes its dtype at each turn")


class _Loop:
    """A loop being recorded: `leaves` is what `carried` has in it now; those in `fixed` are Tensors
    that stay, and are written to."""

    def __init__(self, who, carried, leaves, fixed):
        self.who, self.carried, self.leaves = who, carried, leaves
        self.open = [
            i
            for i, leaf in enumerate(leaves)
            if isinstance(leaf, (Tensor, *_NUMBERS)) and i not in fixed
        ]
        self.test, self.body = Part(who, Turn), Part(who, Turn)

    def record(self, test, body):
        """Record the test and the body for any turn."""
        for part, function in (self.test, test), (self.body, body):
            part.record(lambda f=function, p=part: f(self._at_a_turn(p)))
        if len(self.test.leaves) != 1 or self.test.written:
            raise Unrecordable("its test writes to a Tensor, or gives no single one")
        if self.body.form != form_of(self.carried):
            raise Unrecordable(f"a turn makes {self.body.form} of {form_of(self.carried)}")

    def _at_a_turn(self, part):
        """What the loop carries, as inputs of a part."""
        leaves = list(self.leaves)
        for i in self.open:
            kind = _number_kind(leaves[i])
            if kind is None:
                part.entered[i] = part.closed.input(leaves[i]._value)
            else:
                part.entered[i] = Varying(kind, part.closed)
            leaves[i] = part.given[i] = wrap(part.entered[i])
        return filled(self.carried, leaves)

    def written_in_place(self):
        """Which of the leaves a turn writes to, rather than giving others."""
        body = self.body
        found = {i for i in self.open if body.given[i]._value is not body.entered[i]}
        for i in found:
            if body.leaves[i] is not body.given[i] or _number_kind(self.leaves[i]) is not None:
                raise Unrecordable("a turn writes to a Tensor in place, and puts another there")
        return found

    def numbers_made_tensors(self):
        """{which of the leaves: a Tensor for the number there, of which a turn makes a Tensor}.
        Raises where a turn makes something else of what is carried."""
        changed = {}
        for i, (before, after) in enumerate(zip(self.leaves, self.body.leaves, strict=True)):
            if i not in self.open:
                if not same(before, after):
                    raise Unrecordable(f"a turn makes {after!r:.80} of {before!r:.80}")
                continue
            kind, was = self.body.kind(after), _number_kind(before)
            if was is None:
                if kind is not None or not _has_aval(after, before._value.aval):
                    raise Unrecordable("a turn makes another shape or dtype of a Tensor")
            elif kind is None:
                if not isinstance(after, Tensor) or after.shape or isinstance(before, Tensor):
                    raise Unrecordable(f"a turn makes something else of the number {before!r:.80}")
                changed[i] = Tensor(before, after.dtype)
            elif kind is not was or (kind is float and not self._stays(i)):
                raise Unrecordable(f"a turn makes another {kind.__name__} of a Python number")
        return changed

    def _stays(self, i):
        """Whether a turn leaves a number as it is; computing with a float would round it."""
        after = self.body.leaves[i]
        return isinstance(after, Tensor) and after._value is self.body.entered[i]

    def made(self):
        """Record the operation; returns what is carried at the end."""
        handles = [handle for handle, _ in self.body.written.values()]
        written = [value for _, value in self.body.written.values()]
        after = self.body.values([*[self.body.leaves[i] for i in self.open], *written])
        before = [_value(self.who, self.leaves[i]) for i in self.open]
        before += [handle._lift() for handle in handles]
        if any(a.aval.shape != b.aval.shape or a.aval.dtype != b.aval.dtype
               for a, b in zip(after, before, strict=True)):  # fmt: skip
            raise Unrecordable("a turn makes another shape or dtype of what it writes")
        operands, bindings, ops = list(before), [], []
        for part, values in (self.test, self.test.values(self.test.leaves)), (self.body, after):
            op, given = part.operation(values)
            slots = self._slots(part, handles)
            inside = [*[part.closed.inputs[i] for i in op.needed], *part.closed.numbers()]
            binding = []
            for twin, value in zip(inside, given, strict=True):
                at = slots.get(id(twin))
                if at is None:
                    at = ~len(operands)
                    operands.append(value)
                binding.append(at)
            bindings.append(tuple(binding))
            ops.append(op)
        if is_differentiated() and any([v.watched for v in operands]):
            raise Unrecordable(_WHY)
        numbers = [k for k, i in enumerate(self.open) if before[k].aval.weak]
        op = kept(repetition, self.who, *ops, tuple(bindings), len(before), tuple(numbers))
        made = record(op, *operands)
        leaves = list(self.leaves)
        for i, value in zip(self.open, made, strict=False):
            leaves[i] = wrap(value)
        for handle, value in zip(handles, made[len(self.open) :], strict=True):
            handle._rebind(value)
        return filled(self.carried, leaves)

    def _slots(self, part, handles):
        """{id of the Value inside: its place among what is carried}."""
        slots = {id(part.entered[i]): k for k, i in enumerate(self.open)}
        for k, handle in enumerate(handles, len(self.open)):
            if id(handle) in part.handles:
                slots[id(part.handles[id(handle)][2])] = k
        return slots


def _number_kind(leaf):
    """The type of the number that a leaf is, or stands for as a `mutable` one does; or None."""
    if isinstance(leaf, Tensor):
        return _KINDS.get(leaf._value.aval.dtype.kind) if leaf._value.aval.weak else None
    return leaf.__class__


def _has_aval(leaf, aval):
    return isinstance(leaf, Tensor) and leaf._value.aval is aval
