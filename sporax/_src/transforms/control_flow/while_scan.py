"""Loops with a Tensor as test, in a function that is being recorded; see `control_flow.cond`."""

from typing import Any

from sporax._src.capture.guards.guard_types import same
from sporax._src.capture.staging.deferred_print import defer_print
from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors
from sporax._src.runtime.engine.recorder import record, wrap
from sporax._src.transforms.autodiff.tape import active_tape
from sporax._src.transforms.control_flow.cond import (
    PENDING,
    PYTHON_SCALARS,
    SCALAR_TYPES,
    Region,
    described,
    filled,
    form_of,
    leaves_of,
    unrecordable,
    value_of,
    zeros,
)
from sporax._src.transforms.control_flow.lax_ops import (
    LoopBodyTrace,
    LoopScalar,
    LoopTestTrace,
    bounded_while_op,
    scan_op,
    while_op,
)
from sporax._src.transforms.lifting.lifted_op import cached_op

MAX_RECORDINGS = 4  # attempts to record a loop until its carried dtypes are stable

MAX_RESIDUAL_BYTES = 2**30  # of the carried arrays of all iterations, kept for differentiation


def over(who, function, init, items):
    """Run `init, y = function(init, item)` for each item, as one operation; return (the last
    `init`, all `y`)."""
    step = _ScanBody(function)
    form = form_of(items[0])
    if any(form_of(item) != form for item in items[1:]):
        raise unrecordable("items-of-other-kinds")
    (last, _), ys = repeat(who, None, step, (init, items[0]), len(items), items)
    return last, ys


def repeat(who, test, body, carried, max_iterations=None, items=None):
    """Run `while test(carried): carried = body(carried)` as one operation; return the last
    `carried`. `max_iterations`: an upper bound, or None; if `test` is None, the exact count.
    `items`: `carried[1]` of each iteration; the result is then (last `carried`, all `body.y`)."""
    leaves, fixed = leaves_of(carried), set()
    for _ in range(MAX_RECORDINGS):
        loop = _Loop(who, carried, leaves, fixed, max_iterations)
        loop.record(test, body)
        if (more := loop.with_pending()) is not None:
            carried, leaves, fixed = more, leaves_of(more), set()
            continue
        changed, written = loop.scalars_to_tensors(), loop.written_in_place()
        if not changed and not written:
            if items is not None:
                return loop.record_operation(items, body.y)
            last = loop.record_operation()
            if loop.test is not None and loop.test.closed.met_check:
                test(last)  # each iteration checks the indices of its test; this checks the last
            return last
        leaves = [changed.get(i, leaf) for i, leaf in enumerate(leaves)]
        fixed |= written
    raise unrecordable("dtype-changes-each-turn")


class _Loop:
    """A loop being recorded. `leaves`: of `carried`, with their current types. `fixed`: indices of
    leaves that the body writes to in place. `varying`: indices of leaves that it replaces."""

    def __init__(self, who, carried, leaves, fixed, max_iterations):
        self.who, self.carried, self.leaves = who, carried, leaves
        self.max_iterations = max_iterations
        self.varying = [
            i
            for i, leaf in enumerate(leaves)
            if isinstance(leaf, (Tensor, *PYTHON_SCALARS)) and i not in fixed
        ]
        self.test: Region | None = None
        self.body = Region(who, LoopBodyTrace)

    def record(self, test, body):
        """Record the test and the body on symbolic inputs, valid for any iteration."""
        if test is not None:
            region = self.test = Region(self.who, LoopTestTrace)
            region.record(_OnLoopInputs(test, self, region), self.carried)
            if len(region.leaves) != 1 or region.written:
                raise unrecordable("test-writes")
            if region.closed.met_check:
                body = _CheckedBody(test, body)
        self.body.record(_OnLoopInputs(body, self, self.body), self.carried)
        if self.with_pending() is None and self.body.form != form_of(self.carried):
            raise unrecordable("turn-makes", made=self.body.form, before=form_of(self.carried))

    def with_pending(self):
        """Return `carried` with zeros for the result of a `return` in the body; None if there is
        none, or `carried` already has it."""
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

    def loop_inputs(self, region):
        """Return `carried` with inputs of a region as leaves."""
        leaves = list(self.leaves)
        for i in self.varying:
            kind = _scalar_type(leaves[i])
            if kind is None:
                region.loop_values[i] = region.closed.input(leaves[i]._value)
            else:
                region.loop_values[i] = LoopScalar(kind, region.closed)
            leaves[i] = region.tensors[i] = wrap(region.loop_values[i])
        return filled(self.carried, leaves)

    def written_in_place(self):
        """Return the indices of the leaves that the body writes to in place."""
        body = self.body
        written = {i for i in self.varying if body.tensors[i]._value is not body.loop_values[i]}
        for i in written:
            if body.leaves[i] is not body.tensors[i] or _scalar_type(self.leaves[i]) is not None:
                raise unrecordable("writes-in-place-and-replaces")
        return written

    def scalars_to_tensors(self):
        """Return {leaf index: Tensor of its Python scalar} for scalars that the body replaces with
        Tensors. Raise `Unrecordable` if the body changes a leaf in another way."""
        changed = {}
        for i, (before, after) in enumerate(zip(self.leaves, self.body.leaves, strict=True)):
            if i not in self.varying:
                if not same(before, after):
                    made, before = described(after), described(before)
                    raise unrecordable("turn-makes", made=made, before=before)
                continue
            kind, was = self.body.kind(after), _scalar_type(before)
            if was is None:
                if kind is not None or not _has_aval(after, before._value.aval):
                    raise unrecordable("turn-makes-other-tensor")
            elif kind is None:
                if not isinstance(after, Tensor) or after.shape or isinstance(before, Tensor):
                    raise unrecordable("turn-makes-no-number", before=before)
                changed[i] = Tensor(before, after.dtype)
            elif kind is not was or (kind is float and not self._stays(i)):
                raise unrecordable("turn-makes-other-number", kind=kind.__name__)
        return changed

    def _stays(self, i):
        """Return True if the body returns a scalar unchanged; float arithmetic would round it."""
        after = self.body.leaves[i]
        return isinstance(after, Tensor) and after._value is self.body.loop_values[i]

    def record_operation(self, items=None, ys=None):
        """Record the operation; return the final `carried`."""
        handles = [handle for handle, _ in self.body.written.values()]
        written = [value for _, value in self.body.written.values()]
        after = self.body.values([*[self.body.leaves[i] for i in self.varying], *written])
        before = [value_of(self.who, self.leaves[i]) for i in self.varying]
        before += [handle._lift() for handle in handles]
        if any(a.aval.shape != b.aval.shape or a.aval.dtype != b.aval.dtype
               for a, b in zip(after, before, strict=True)):  # fmt: skip
            raise unrecordable("turn-writes-other-shape")
        weak_results = [k for k, v in enumerate(before) if v.aval.weak]
        if self.test is None:
            return self._record_scan(before, after, weak_results, handles, items, ys)
        operands = list(before)
        test = self._bound(self.test, self.test.values(self.test.leaves), handles, operands)
        body = self._bound(self.body, after, handles, operands)
        arguments = self.who, test, body, len(before), tuple(weak_results)
        if active_tape() is not None and any([v.tracked for v in operands]):
            op = cached_op(bounded_while_op, *arguments, self._scan_length(before))
        else:
            op = cached_op(while_op, *arguments)
        return self._finish(record(op, *operands), handles)

    def _record_scan(self, before, after, weak_results, handles, items, ys):
        """`record_operation` for a known number of iterations; with `items`, return (final
        `carried`, `ys` of all iterations)."""
        operands = list(before)
        y_leaves = [leaf for leaf in leaves_of(ys) if isinstance(leaf, (Tensor, *PYTHON_SCALARS))]
        positions = [self.max_iterations * k + len(before) for k in range(len(y_leaves))]
        for leaf, position in zip(y_leaves, positions, strict=True):
            if self.body.kind(leaf) is not None:
                weak_results += range(position, position + self.max_iterations)
        body = self._bound(self.body, [*after, *self.body.values(y_leaves)], handles, operands)
        item_slots = self._scanned_slots(items, operands, before)
        how = self.who, body, len(before), item_slots, self.max_iterations, tuple(weak_results)
        outputs = record(cached_op(scan_op, *how), *operands)
        last = self._finish(outputs, handles)
        if items is None:
            return last
        steps = [
            iter([wrap(outputs[position + n]) for position in positions])
            for n in range(self.max_iterations)
        ]
        return last, [
            map_tensors(
                lambda _, t=step: next(t),
                ys,
                lambda leaf, t=step: next(t) if isinstance(plain(leaf), PYTHON_SCALARS) else leaf,
            )
            for step in steps
        ]

    def _bound(self, region, values, handles, operands):
        """Return (operation for the values of a region, its binding); append to `operands`."""
        op, op_operands = region.operation(values)
        slots = self._slots(region, handles)
        binding = []
        inside = region.closed.operands_of(op, region.closed.inputs)
        for lifted, value in zip(inside, op_operands, strict=True):
            slot = slots.get(id(lifted))
            if slot is None:
                slot = ~len(operands)
                operands.append(value)
            binding.append(slot)
        return op, tuple(binding)

    def _scanned_slots(self, items, operands, before):
        """Return the carried slots that are read from the items; append the items to `operands`."""
        if items is None:
            return ()
        first = len(leaves_of(self.carried[0]))
        item_slots = []
        of_items = [leaves_of(item) for item in items]
        for i in range(first, len(self.leaves)):
            column = [leaves[i - first] for leaves in of_items]
            if i not in self.varying:
                if not all(same(column[0], leaf) for leaf in column):
                    raise unrecordable("items-differ")
                continue
            item_slots.append(self.varying.index(i))
            values = [value_of(self.who, leaf) for leaf in column]
            if any(v.aval is not before[item_slots[-1]].aval for v in values):
                raise unrecordable("items-of-other-shapes")
            operands += values
        return tuple(item_slots)

    def _finish(self, outputs, handles):
        """Return the final `carried`; rebind the handles that the body writes to."""
        leaves = list(self.leaves)
        for i, value in zip(self.varying, outputs, strict=False):
            leaves[i] = wrap(value)
        written = outputs[len(self.varying) : len(self.varying) + len(handles)]
        for handle, value in zip(handles, written, strict=True):
            handle._bind(value)
        for check, worst in self.body.closed.loop_checks:
            defer_print(check.with_values([worst._lift()]))
        return filled(self.carried, leaves)

    def _scan_length(self, carried):
        if self.max_iterations is None:
            raise unrecordable("unbounded-loop")
        size = self.max_iterations * sum([v.aval.size * v.aval.dtype.itemsize for v in carried])
        if size > MAX_RESIDUAL_BYTES:
            raise unrecordable("too-many-residuals", turns=self.max_iterations, size=size / 1e9)
        return self.max_iterations

    def _slots(self, region, handles):
        """Return {id of an input of the region: its carried slot}."""
        slots = {id(region.loop_values[i]): k for k, i in enumerate(self.varying)}
        for k, handle in enumerate(handles, len(self.varying)):
            if id(handle) in region.handles:
                slots[id(region.handles[id(handle)][2])] = k
        return slots


class _OnLoopInputs:
    """Calls a function of `carried` on a region's loop inputs."""

    def __init__(self, function, loop, region):
        self.function, self.loop, self.region = function, loop, region
        self.__wrapped__ = function

    def __call__(self, carried):
        return self.function(self.loop.loop_inputs(self.region))


class _CheckedBody:
    """A loop body that first checks the indices of the test."""

    def __init__(self, test, body):
        self.test, self.body = test, body
        self.__wrapped__ = body

    def __call__(self, carried):
        self.test(carried)
        return self.body(carried)


class _ScanBody:
    """The body of a scan over (carry, item); `y`: the function's last per-step output."""

    def __init__(self, function):
        self.function = self.__wrapped__ = function
        self.y: Any = None

    def __call__(self, carried):
        carry, item = carried
        carry, self.y = self.function(carry, item)
        return carry, item


def _scalar_type(leaf):
    """Return the Python type of a scalar leaf, also of a `mutable` one; None for a Tensor."""
    if isinstance(leaf, Tensor):
        return SCALAR_TYPES.get(leaf._value.aval.dtype.kind) if leaf._value.aval.weak else None
    return leaf.__class__


def _has_aval(leaf, aval):
    return isinstance(leaf, Tensor) and leaf._value.aval is aval
