"""A closed recording as one operation of the trace, and as one entry of the tape."""

import functools

import jax.numpy as jnp

from sporax.autodiff.tape import (
    MUTED,
    PythonDerivative,
    Tape,
    _accumulate,
    _hooked,
    pull_back,
)
from sporax.core.parameter import Parameter
from sporax.core.value import thread
from sporax.engine.closed import SUM, Closed, ClosedOp
from sporax.engine.operation import Op
from sporax.engine.recomputed import AgainOp, RecomputedOp
from sporax.engine.recorder import record


def is_differentiated():
    """Whether a derivative is being taken of what is computed now."""
    return thread.tape is not None and thread.tape is not MUTED


class Enclosed:
    """A function recorded closed, to be mapped over `size` examples unless that is None.

    `again`: whether its derivative computes it again. Under a tape it is recorded under a tape of
    its own. Where that has a derivative in Python (a bprop, a hook), so has the operation: the walk
    back over that tape, recorded as a continuation of the same recording, and mapped like it.
    """

    def __init__(self, who, size=None, again=False):
        self.who, self.size, self.again = who, size, again
        self.closed = Closed(who)
        self.tape = Tape() if is_differentiated() else None

    def __call__(self, function, values=(), axes=()):
        """Record `function(inputs)`; the inputs stand for slices of the `values` along `axes`. It
        returns the Values of its results and their out axes. Returns those results outside."""
        outer, thread.tape = thread.tape, self.tape
        try:
            with self.closed as closed:
                results, outs = function(
                    [closed.input(v, axis) for v, axis in zip(values, axes, strict=True)]
                )
                results = [v if v.trace is closed.recorder else closed.whole(v) for v in results]
                written = closed.written()
        finally:
            thread.tape = outer
        return self.made(results, outs, written, RecomputedOp if self.again else ClosedOp)

    def made(self, results, outs, written, kind):
        """Record the operation, and let the handles written to have what it computes."""
        values = [*results, *[value for _, value in written]]
        outs = [*outs, *[None] * len(written)]
        if not values:
            return []
        op = self.closed.operation(values, outs, self.size, kind)
        operands = [*self.closed.operands, *self.closed.numbers()]
        if self.size is not None:
            self._check(op, tuple([v.aval for v in operands]), len(results), written)
        tape, outer = self.tape, thread.tape
        python = tape is not None and (tape.python or bool(tape.hooks))
        thread.tape = MUTED if python else outer
        try:
            made = record(op, *operands)
        finally:
            thread.tape = outer
        if python and outer is not None and any([v.watched for v in made]):
            outer.python = True
            outer.append((EnclosedDerivative(self, values, outs), operands, made))
        for (handle, _), value in zip(written, made[len(results) :], strict=True):
            handle._rebind(value)
        return list(made[: len(results)])

    def _check(self, op, avals, n_results, written):
        """Refuse what differs between examples where there is one place for all of them."""
        if avals in op.rules:
            return
        differing = op.differing(avals, [i for i, axis in enumerate(op.outs) if axis is None])
        for i in differing:
            if i < n_results:
                raise RuntimeError(
                    f"For '{self.who}', the out axis of a result must be an int, but got None for "
                    f"result {i}, which differs between the examples. Say where the examples lie."
                )
            handle = written[i - n_results][0]
            name = f"Parameter '{handle.name}'" if isinstance(handle, Parameter) else "a Tensor"
            raise ValueError(
                f"For '{self.who}', what the function writes must be the same for all examples, "
                f"but {name} of shape {handle.shape} gets another value for each. Return the "
                "values instead; for a BatchNorm, use 'set_train(False)' or a norm without "
                "moving statistics."
            )


class EnclosedDerivative(PythonDerivative):
    """The derivative of an enclosed function that has derivatives in Python inside.

    `values`: what the operation returns, as Values inside; `outs`: their out axes.
    """

    __slots__ = ("enclosed", "outs", "values")

    def __init__(self, enclosed, values, outs):
        self.enclosed, self.values, self.outs = enclosed, values, outs

    def backward(self, operands, outs, arriving):
        """Continue the recording with the walk back, and record that as an operation too."""
        enclosed, deeper = self.enclosed, is_differentiated()
        closed, tape = enclosed.closed, enclosed.tape
        given = [(self.values[i], *self._spread(i, ct)) for i, ct in arriving.items()]
        mark = closed.mark()
        outer, thread.tape = thread.tape, tape if deeper else None
        try:
            with closed:
                arrived = {}
                for value, cotangent, axis in given:
                    _accumulate(arrived, value, closed.input(cotangent, axis))
                pull_back(list(tape), arrived, tape.hooks)
                found = [self._of_input(i, v, arrived) for i, v in enumerate(operands)]
                written = closed.written()
        finally:
            thread.tape = outer
        there = [v for v in found if v is not None]
        backs = [
            SUM if axis is None and enclosed.size is not None else axis
            for v, axis in zip(found, closed.axes, strict=False)
            if v is not None
        ]
        continued = enclosed if deeper else _without_tape(enclosed)
        made = iter(continued.made(there, backs, written, AgainOp if enclosed.again else ClosedOp))
        if not deeper:
            closed.back(mark)
        return [None if v is None else next(made) for v in found]

    def _spread(self, i, cotangent):
        """(cotangent, axis) such that each example gets its part of that of result `i`."""
        axis, size = self.outs[i], self.enclosed.size
        if size is None or axis == SUM:
            return cotangent, None
        if axis is None:  # it comes once, not for each example
            return record(_to_first(size), cotangent), 0
        return cotangent, axis

    def _of_input(self, i, value, arrived):
        """The cotangent inside of the operand `i`, which may be known by two Values there."""
        if not value.watched:
            return None
        hooks, twin = self.enclosed.tape.hooks, self.enclosed.closed.inputs[i]
        for known in {id(twin): twin, id(value): value}.values():
            if known is not twin and id(known) in arrived:
                _accumulate(arrived, twin, arrived[id(known)])
        return _hooked(hooks, twin, arrived.get(id(twin)))


def _without_tape(enclosed):
    twin = object.__new__(Enclosed)
    twin.who, twin.size, twin.again = enclosed.who, enclosed.size, enclosed.again
    twin.closed, twin.tape = enclosed.closed, None
    return twin


@functools.cache
def _to_first(size):
    return Op("gradient.first", lambda x: jnp.zeros((size, *x.shape), x.dtype).at[0].set(x))
