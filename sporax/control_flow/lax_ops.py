"""Branches and loops as operations, made of closed recordings: `lax.cond`, `while_loop`, `scan`.

Each part (a branch, a loop's test or body) is a `ClosedOp`. `binding` says what its operands are:
i >= 0 is the loop's carried array i, ~i the operation's operand i.
"""

from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax.autodiff.abstract_trace import AbstractTrace, _kept
from sporax.core.value import WEAK_AVALS, Aval, Value
from sporax.engine.operation import Op, Rule


class FlowOp(Op):
    """An operation made of recordings. `numbers`: which results are Python numbers, in effect."""

    __slots__ = ("numbers",)

    def __init__(self, name, run, numbers):
        super().__init__(name, run)
        self.numbers = numbers
        self.real = lambda *arrays: run(*arrays, real=True)

    def compute(self, avals, *arrays, real=False):
        """As recorded: numbers reach the parts as they come, 64 bits wide, except truths."""
        arrays = [
            x.astype(bool) if a.weak and a.dtype.kind == "b" else x
            for a, x in zip(avals, arrays, strict=True)
        ]
        return (self.real if real else self.fn)(*arrays)

    def _infer(self, avals):
        rule = super()._infer(avals)
        outs = [
            Aval.of((), a.dtype, True) if i in self.numbers else a for i, a in enumerate(rule.avals)
        ]
        return Rule(avals, tuple(outs), rule.run, False)


def cached(make, *arguments):
    """The operation that `make` makes of what is given, always the same one."""
    key = (make, *arguments)
    op = _kept.get(key)
    if op is None:
        op = _kept[key] = make(*arguments)
    return op


def _part(part, operands, carried=(), real=False):
    op, binding = part
    run: Any = op.real if real else op.fn
    return run(*[carried[i] if i >= 0 else operands[~i] for i in binding])


def _holds(x):
    return jnp.reshape(x, ()).astype(bool)


def choice(who, true, false, numbers):
    """(condition, operands...) -> the results of one of two parts."""

    def run(condition, *operands, real=False):
        return lax.cond(
            _holds(condition),
            lambda: _part(true, operands, real=real),
            lambda: _part(false, operands, real=real),
        )

    return FlowOp(who, run, numbers)


def repetition(who, test, body, count, numbers):
    """(carried..., operands...) -> what is carried when the test no longer holds.

    The parts, (operation, binding), count all operands of this one; the first `count` are carried.
    """

    def run(*operands, real=False):
        return lax.while_loop(
            lambda carried: _holds(_part(test, operands, carried)[0]),
            lambda carried: _part(body, operands, carried),
            operands[:count],
        )

    return FlowOp(who, run, numbers)


def bounded(who, test, body, count, numbers, most):
    """As `repetition`, of at most `most` turns: it has a derivative."""

    def run(*operands, real=False):
        def turn(carried, _):
            holds = _holds(_part(test, operands, carried, real)[0])
            after = lax.cond(
                holds,
                lambda: _as_carried(_part(body, operands, carried, real), carried),
                lambda: carried,
            )
            return after, None

        return lax.scan(turn, operands[:count], None, most)[0]

    return FlowOp(who, run, numbers)


def scanned(who, body, count, slots, turns, numbers):
    """(carried..., operands..., items...) -> what is carried after so many turns, and what else
    each of them gives. `slots`: which of what is carried is of the item, another at each turn."""

    def run(*operands, real=False):
        first = len(operands) - turns * len(slots)
        items = [operands[i : i + turns] for i in range(first, len(operands), turns or 1)]

        def turn(carried, item):
            inputs = list(carried)
            for slot, x in zip(slots, item, strict=True):
                inputs[slot] = x
            results = _part(body, operands, inputs, real)
            return _as_carried(results[:count], carried), results[count:]

        last, more = lax.scan(turn, operands[:count], [jnp.stack(x) for x in items], turns)
        return (*last, *[y[i] for y in more for i in range(turns)])

    return FlowOp(who, run, numbers)


def _as_carried(results, carried):
    return tuple(x.astype(c.dtype) for x, c in zip(results, carried, strict=True))


class LoopScalar(Value):
    """A Python number that is another one at each turn of a loop: it has no number now."""

    __slots__ = ("closed",)
    tracer = True  # it depends on what a recording around this does

    def __init__(self, kind, closed):
        super().__init__(WEAK_AVALS[kind], None)
        self.closed = closed
        self.trace = self

    def run(self):
        """Refuse: somebody reads it."""
        raise self.closed.concrete_value_error()


class LoopBodyTrace(AbstractTrace):
    """One turn of a loop: each handle has an input of its own, since some are carried on."""

    is_turn = True

    def entering(self, value):
        """The input for what a handle holds."""
        return self.input(value)


class LoopTestTrace(LoopBodyTrace):
    """The test of a loop, whose indices are checked elsewhere: it gives nothing but a truth."""

    def add_deferred(self, shown):
        """Note that there is a check; refuse prints."""
        if shown.is_check:
            self.met_check = True
        else:
            super().add_deferred(shown)


def is_number(closed, value):
    """Whether a Value of a recording is computed of Python numbers alone, so that dynamic code
    would have a Python number in its place."""
    if value.aval.weak:
        return True
    if value.aval.ndim or value.trace is not closed.recorder or value.index < 0:
        return False
    path = closed.recorder.state.path()
    makers = [state for state in path for _ in state.avals]
    visited, left = set(), [value.index]
    while left:
        state = makers[left.pop()]
        if id(state) in visited:
            continue
        visited.add(id(state))
        for item in state.key[1:]:
            if isinstance(item, int):
                if item < 0:
                    return False
                left.append(item)
            elif isinstance(item, Aval) and not item.weak:
                return False
    return any(aval.weak for state in makers if id(state) in visited for aval in state.operands)
