"""Loops whose test is a Tensor, in a function that is being recorded; see `control_flow.cond`."""

from typing import Any

from sporax.autodiff.lifted_op import is_differentiated
from sporax.control_flow.cond import (
    KINDS,
    NUMBERS,
    PENDING,
    Part,
    Unrecordable,
    filled,
    form_of,
    leaves_of,
    value_of,
    zeros,
)
from sporax.control_flow.lax_ops import (
    LoopBodyTrace,
    LoopScalar,
    LoopTestTrace,
    bounded,
    cached,
    repetition,
    scanned,
)
from sporax.core.from_host import plain
from sporax.core.tensor import Tensor
from sporax.core.tree import map_tensors
from sporax.engine.recorder import record, wrap
from sporax.guards.guard_types import same
from sporax.staging.deferred_print import defer_print

MOST_RECORDINGS = 4  # of a loop until it is known what each turn finds and leaves

MOST_KEPT = 2**30  # bytes of what is carried, which a derivative keeps of each turn

_WHY = (
    "a loop with no known number of turns has no derivative: what each turn computed would have to "
    "be kept, and there is no place of a known size for it. Write 'for' over a known number of "
    "turns, with 'break' or 'ops.where' for those that are too many"
)
_TOO_MUCH = (
    "its derivative would have to keep what each of {} turns computes, {:.1f} GB. Write 'for' over "
    "fewer turns, with 'break'"
)


def over(who, function, init, items):
    """`init, y = function(init, item)` for each item, as one operation: (the last init, all y)."""
    turn = _ScanBody(function)
    form = form_of(items[0])
    if any(form_of(item) != form for item in items[1:]):
        raise Unrecordable("its items are containers of different kinds")
    (last, _), ys = repeat(who, None, turn, (init, items[0]), len(items), items)
    return last, ys


def repeat(who, test, body, carried, most=None, items=None):
    """`while test(carried): carried = body(carried)`, as one operation; the last `carried`. `most`:
    how many turns there are at most, if that is known; `test` None: exactly as many. `items`: what
    `carried[1]` is at each turn; the result is then (the last `carried`, all `body.y`)."""
    leaves, fixed = leaves_of(carried), set()
    for _ in range(MOST_RECORDINGS):
        loop = _Loop(who, carried, leaves, fixed, most)
        loop.record(test, body)
        if (more := loop.with_pending()) is not None:
            carried, leaves, fixed = more, leaves_of(more), set()
            continue
        changed, written = loop.numbers_made_tensors(), loop.written_in_place()
        if not changed and not written:
            if items is not None:
                return loop.record_operation(items, body.y)
            last = loop.record_operation()
            if loop.test is not None and loop.test.closed.met_check:
                test(last)  # the turns check what it indexes before they begin
            return last
        leaves = [changed.get(i, leaf) for i, leaf in enumerate(leaves)]
        fixed |= written
    raise Unrecordable("what it carries changes its dtype at each turn")


class _Loop:
    """A loop being recorded: `leaves` is what `carried` has in it now; those in `fixed` are Tensors
    that stay, and are written to."""

    def __init__(self, who, carried, leaves, fixed, most):
        self.who, self.carried, self.leaves, self.most = who, carried, leaves, most
        self.open = [
            i
            for i, leaf in enumerate(leaves)
            if isinstance(leaf, (Tensor, *NUMBERS)) and i not in fixed
        ]
        self.test: Part | None = None
        self.body = Part(who, LoopBodyTrace)

    def record(self, test, body):
        """Record the test and the body for any turn."""
        if test is not None:
            part = self.test = Part(self.who, LoopTestTrace)
            part.record(_OnLoopInputs(test, self, part), self.carried)
            if len(part.leaves) != 1 or part.written:
                raise Unrecordable("its test writes to a Tensor, or gives no single one")
            if part.closed.met_check:
                body = _CheckedBody(test, body)
        self.body.record(_OnLoopInputs(body, self, self.body), self.carried)
        if self.with_pending() is None and self.body.form != form_of(self.carried):
            raise Unrecordable(f"a turn makes {self.body.form} of {form_of(self.carried)}")

    def with_pending(self):
        """What is carried, with zeros for what a `return` in a turn gives; None if it has that
        already, or none does."""
        before, after = self.carried, self.body.result
        if before.__class__ is not tuple or after.__class__ is not tuple:
            return None
        if len(before) != len(after):
            return None
        is_pending = [a is PENDING and b is not PENDING for a, b in zip(before, after, strict=True)]
        if not any(is_pending):
            return None
        return tuple([
            map_tensors(self._blank, b, self._blank) if was_pending else a
            for a, b, was_pending in zip(before, after, is_pending, strict=True)
        ])  # fmt: skip

    def _blank(self, leaf):
        kind = self.body.kind(leaf)
        if kind is None and isinstance(leaf, Tensor):
            return wrap(zeros(leaf._value))
        return leaf if kind is None else kind(0)

    def loop_inputs(self, part):
        """What the loop carries, as inputs of a part."""
        leaves = list(self.leaves)
        for i in self.open:
            kind = _number_kind(leaves[i])
            if kind is None:
                part.loop_values[i] = part.closed.input(leaves[i]._value)
            else:
                part.loop_values[i] = LoopScalar(kind, part.closed)
            leaves[i] = part.tensors[i] = wrap(part.loop_values[i])
        return filled(self.carried, leaves)

    def written_in_place(self):
        """Which of the leaves a turn writes to, rather than giving others."""
        body = self.body
        written = {i for i in self.open if body.tensors[i]._value is not body.loop_values[i]}
        for i in written:
            if body.leaves[i] is not body.tensors[i] or _number_kind(self.leaves[i]) is not None:
                raise Unrecordable("a turn writes to a Tensor in place, and puts another there")
        return written

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
        return isinstance(after, Tensor) and after._value is self.body.loop_values[i]

    def record_operation(self, items=None, ys=None):
        """Record the operation; returns what is carried at the end."""
        handles = [handle for handle, _ in self.body.written.values()]
        written = [value for _, value in self.body.written.values()]
        after = self.body.values([*[self.body.leaves[i] for i in self.open], *written])
        before = [value_of(self.who, self.leaves[i]) for i in self.open]
        before += [handle._lift() for handle in handles]
        if any(a.aval.shape != b.aval.shape or a.aval.dtype != b.aval.dtype
               for a, b in zip(after, before, strict=True)):  # fmt: skip
            raise Unrecordable("a turn makes another shape or dtype of what it writes")
        operands, numbers = list(before), [k for k, v in enumerate(before) if v.aval.weak]
        if self.test is not None:
            test = self._bound(self.test, self.test.values(self.test.leaves), handles, operands)
            body = self._bound(self.body, after, handles, operands)
            arguments = self.who, test, body, len(before), tuple(numbers)
            if is_differentiated() and any([v.tracked for v in operands]):
                op = cached(bounded, *arguments, self._turns_kept(before))
            else:
                op = cached(repetition, *arguments)
            return self._finish(record(op, *operands), handles)
        y_leaves = [leaf for leaf in leaves_of(ys) if isinstance(leaf, (Tensor, *NUMBERS))]
        places = [self.most * k + len(before) for k in range(len(y_leaves))]
        for leaf, place in zip(y_leaves, places, strict=True):
            if self.body.kind(leaf) is not None:
                numbers += range(place, place + self.most)
        body = self._bound(self.body, [*after, *self.body.values(y_leaves)], handles, operands)
        slots = self._item_slots(items, operands, before)
        how = self.who, body, len(before), slots, self.most, tuple(numbers)
        outputs = record(cached(scanned, *how), *operands)
        last = self._finish(outputs, handles)
        if items is None:
            return last
        turns = [iter([wrap(outputs[place + n]) for place in places]) for n in range(self.most)]
        return last, [
            map_tensors(
                lambda _, t=turn: next(t),
                ys,
                lambda leaf, t=turn: next(t) if isinstance(plain(leaf), NUMBERS) else leaf,
            )
            for turn in turns
        ]

    def _bound(self, part, values, handles, operands):
        """(the operation for the values of a part, what its operands are); adds to `operands`."""
        op, op_operands = part.operation(values)
        slots = self._slots(part, handles)
        binding = []
        inside = [*[part.closed.inputs[i] for i in op.needed], *part.closed.numbers()]
        for lifted, value in zip(inside, op_operands, strict=True):
            at = slots.get(id(lifted))
            if at is None:
                at = ~len(operands)
                operands.append(value)
            binding.append(at)
        return op, tuple(binding)

    def _item_slots(self, items, operands, before):
        """Which of what is carried is of the item; adds the items to `operands`."""
        if items is None:
            return ()
        first = len(leaves_of(self.carried[0]))
        slots = []
        of_items = [leaves_of(item) for item in items]
        for i in range(first, len(self.leaves)):
            column = [leaves[i - first] for leaves in of_items]
            if i not in self.open:
                if not all(same(column[0], leaf) for leaf in column):
                    raise Unrecordable("its items differ in more than numbers")
                continue
            slots.append(self.open.index(i))
            values = [value_of(self.who, leaf) for leaf in column]
            if any(v.aval is not before[slots[-1]].aval for v in values):
                raise Unrecordable("its items have different shapes or dtypes")
            operands += values
        return tuple(slots)

    def _finish(self, outputs, handles):
        """What is carried at the end; writes back what turns write."""
        leaves = list(self.leaves)
        for i, value in zip(self.open, outputs, strict=False):
            leaves[i] = wrap(value)
        written = outputs[len(self.open) : len(self.open) + len(handles)]
        for handle, value in zip(handles, written, strict=True):
            handle._rebind(value)
        for check, worst in self.body.closed.turns:
            defer_print(check.of([worst._lift()]))
        return filled(self.carried, leaves)

    def _turns_kept(self, carried):
        if self.most is None:
            raise Unrecordable(_WHY)
        size = self.most * sum([v.aval.size * v.aval.dtype.itemsize for v in carried])
        if size > MOST_KEPT:
            raise Unrecordable(_TOO_MUCH.format(self.most, size / 1e9))
        return self.most

    def _slots(self, part, handles):
        """{id of the Value inside: its place among what is carried}."""
        slots = {id(part.loop_values[i]): k for k, i in enumerate(self.open)}
        for k, handle in enumerate(handles, len(self.open)):
            if id(handle) in part.handles:
                slots[id(part.handles[id(handle)][2])] = k
        return slots


class _OnLoopInputs:
    """A function of what a loop carries, at any turn."""

    def __init__(self, function, loop, part):
        self.function, self.loop, self.part = function, loop, part
        self.__wrapped__ = function

    def __call__(self, carried):
        return self.function(self.loop.loop_inputs(self.part))


class _CheckedBody:
    """A turn that checks first the indices which the test of the loop takes."""

    def __init__(self, test, body):
        self.test, self.body = test, body
        self.__wrapped__ = body

    def __call__(self, carried):
        self.test(carried)
        return self.body(carried)


class _ScanBody:
    """A turn over (what is carried, the item); `y`: what else the function gave last."""

    def __init__(self, function):
        self.function = self.__wrapped__ = function
        self.y: Any = None

    def __call__(self, carried):
        carry, item = carried
        carry, self.y = self.function(carry, item)
        return carry, item


def _number_kind(leaf):
    """The type of the number that a leaf is, or stands for as a `mutable` one does; or None."""
    if isinstance(leaf, Tensor):
        return KINDS.get(leaf._value.aval.dtype.kind) if leaf._value.aval.weak else None
    return leaf.__class__


def _has_aval(leaf, aval):
    return isinstance(leaf, Tensor) and leaf._value.aval is aval
