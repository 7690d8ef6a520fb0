"""Operations for branches and loops: `lax.cond`, `lax.while_loop` and `lax.scan` of lifted ops.

A region (a branch, a loop test or body) is a pair (lifted op, binding). The binding gives the
source of each operand of the lifted op: i >= 0 is the loop's carried array i, ~i is operand i of
the whole operation.
"""

from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.core.value import WEAK_AVALS, Aval, Value
from sporax._src.runtime.engine.operation import Op, Rule
from sporax._src.transforms.lifting.abstract_trace import AbstractTrace


class FlowOp(Op):
    """An operation composed of regions. `weak_results`: indices of the results that are Python
    scalars in dynamic code, and have a weak aval here."""

    __slots__ = ("weak_results",)
    is_polymorphic = False

    def __init__(self, name, run, weak_results, *calls):
        super().__init__(name, run)
        self.weak_results = weak_results
        for op, _ in calls:
            if op.collective is not None:
                self.collective = op.collective.joined(self.collective)
        self.real = lambda *arrays: run(*arrays, real=True)

    def compute(self, avals, *arrays, real=False):
        """Run with weak operands in 64 bits, unchanged, except booleans, which are cast to bool."""
        arrays = [
            x.astype(bool) if a.weak and a.dtype.kind == "b" else x
            for a, x in zip(avals, arrays, strict=True)
        ]
        return (self.real if real else self.fn)(*arrays)

    def _infer(self, avals):
        rule = super()._infer(avals)
        outs = [
            Aval.intern((), a.dtype, True) if i in self.weak_results else a
            for i, a in enumerate(rule.avals)
        ]
        return Rule(avals, tuple(outs), rule.run, False)


def _call(call, operands, carried=(), real=False):
    op, binding = call
    run: Any = op.real if real else op.fn
    return run(*[carried[i] if i >= 0 else operands[~i] for i in binding])


def _holds(x):
    return jnp.reshape(x, ()).astype(bool)


def cond_op(who, true, false, weak_results):
    """Build the op (condition, operands...) -> results of one of two regions."""

    def run(condition, *operands, real=False):
        return lax.cond(
            _holds(condition),
            lambda: _call(true, operands, real=real),
            lambda: _call(false, operands, real=real),
        )

    return FlowOp(who, run, weak_results, true, false)


def while_op(who, test, body, count, weak_results):
    """Build the op (carried..., operands...) -> the carried arrays once the test fails; the first
    `count` operands are carried."""

    def run(*operands, real=False):
        return lax.while_loop(
            lambda carried: _holds(_call(test, operands, carried)[0]),
            lambda carried: _call(body, operands, carried),
            operands[:count],
        )

    return FlowOp(who, run, weak_results, test, body)


def bounded_while_op(who, test, body, count, weak_results, max_iterations):
    """As `while_op`, of at most `max_iterations`: a scan of conditions, which is differentiable."""

    def run(*operands, real=False):
        def step(carried, _):
            holds = _holds(_call(test, operands, carried, real)[0])
            after = lax.cond(
                holds,
                lambda: _as_carried(_call(body, operands, carried, real), carried),
                lambda: carried,
            )
            return after, None

        return lax.scan(step, operands[:count], None, max_iterations)[0]

    return FlowOp(who, run, weak_results, test, body)


def scan_op(who, body, count, slots, length, weak_results):
    """Build the op (carried..., operands..., items...) -> the carried arrays after `length`
    iterations, and the other outputs of each. `slots`: carried slots that are read from items."""

    def run(*operands, real=False):
        first = len(operands) - length * len(slots)
        items = [operands[i : i + length] for i in range(first, len(operands), length or 1)]

        def step(carried, item):
            inputs = list(carried)
            for slot, x in zip(slots, item, strict=True):
                inputs[slot] = x
            results = _call(body, operands, inputs, real)
            return _as_carried(results[:count], carried), results[count:]

        last, more = lax.scan(step, operands[:count], [jnp.stack(x) for x in items], length)
        return (*last, *[y[i] for y in more for i in range(length)])

    return FlowOp(who, run, weak_results, body)


def _as_carried(results, carried):
    return tuple(x.astype(c.dtype) for x, c in zip(results, carried, strict=True))


class LoopScalar(Value):
    """A Python scalar carried by a loop; it has no concrete value while the body is recorded."""

    __slots__ = ("closed",)
    tracer, is_computed = True, False  # the Value depends on an outer recording

    def __init__(self, kind, closed):
        super().__init__(WEAK_AVALS[kind], None)
        self.closed = closed
        self.trace = self

    def run(self):
        """Raise, since the scalar is read."""
        raise self.closed.concrete_value_error()


class LoopBodyTrace(AbstractTrace):
    """Records the body of a loop: each handle gets a separate input, since it may be carried."""

    is_loop = True

    def input_of_handle(self, value):
        """Return a new input for a handle's Value."""
        return self.input(value)


class LoopTestTrace(LoopBodyTrace):
    """Records the test of a loop, which has one output; its indices are checked in the body."""

    def add_deferred(self, shown):
        """Record that indices are checked; reject prints, as a body does."""
        if shown.is_check:
            self.met_check = True
        else:
            super().add_deferred(shown)


def is_python_scalar(closed, value):
    """Return True if a Value of an abstract trace is computed only from Python scalars, so that
    dynamic code would have a Python scalar instead."""
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
