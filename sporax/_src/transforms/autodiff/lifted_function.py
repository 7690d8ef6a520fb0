"""`LiftedFunction`: a function as one operation of the trace, and as one entry of the tape."""

import functools
import itertools
from contextlib import closing

import jax.numpy as jnp

from sporax._src.capture.ast_transform.convert import Conversions
from sporax._src.capture.staging.deferred_print import defer_print
from sporax._src.core.parameter import Parameter
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record
from sporax._src.transforms.autodiff.backward import BackwardPass
from sporax._src.transforms.autodiff.remat_op import BarrierLiftedOp, RematLiftedOp
from sporax._src.transforms.autodiff.tape import (
    PythonDerivative,
    Tape,
    active_tape,
    add,
    paused,
    using_tape,
)
from sporax._src.transforms.lifting.abstract_trace import AbstractTrace
from sporax._src.transforms.lifting.lifted_op import SUM, WORST, LiftedOp


class RecomputedTrace(AbstractTrace):
    """A recording that computes concrete values that Python needs, if it is in dynamic code: the
    recording so far is run as an operation of the outer trace. It is then valid only for these
    values, and each call records anew."""

    def concrete_value_needed(self, recorder, value):
        """Compute `value`, which is about to be read."""
        if value.trace is not recorder or value.index < 0 or not self.is_dynamic():
            super().concrete_value_needed(recorder, value)
            return
        op, outer = self.operation([value], [None]), self.outer
        thread.recorder = outer
        try:
            with using_tape(None):
                (outside,) = record(op, *self.operands_of(op))
                if outer.tracer is not None:
                    outer.tracer.concrete_value_needed(outer, outside)
                value.array = outside.read()
        finally:
            self.outer, thread.recorder = thread.recorder, recorder  # a new one, after it has run

    def is_dynamic(self):
        """Return True if no enclosing recording is reused for other values."""
        around = self.outer.tracer
        return around is None or (isinstance(around, RecomputedTrace) and around.is_dynamic())


class LiftedFunction:
    """A function recorded without concrete values, mapped over `size` examples unless that is None.

    `kind`: the class of the operation. Under a tape it is recorded with its own tape. If that has
    derivatives in Python (a bprop, a hook), the operation has one too: the backward pass over that
    tape, recorded as a continuation of the same trace, and mapped likewise.
    """

    def __init__(self, who, size=None, kind=LiftedOp):
        self.who, self.size, self.kind = who, size, kind
        self.trace = (RecomputedTrace if kind is RematLiftedOp else AbstractTrace)(who)
        self.trace.is_mapped = size is not None
        is_taped = kind.uses_python_derivatives and active_tape() is not None
        self.tape = Tape() if is_taped else None

    def __call__(self, function, values=(), axes=()):
        """Record `function(inputs)`; the inputs are slices of the `values` along `axes`. It returns
        the Values of its results and their out axes. Returns the results in the outer trace."""
        conversions, lifted = Conversions(), self
        while True:
            try:
                with conversions.applied():
                    return lifted._recorded(function, values, axes)
            except RuntimeError as error:  # a concrete value is needed, perhaps in a condition
                if not conversions.may_help(error, lifted.trace.unconverted):
                    raise
            lifted = LiftedFunction(self.who, self.size, self.kind)

    def _recorded(self, function, values, axes):
        with using_tape(self.tape), closing(self.trace) as trace, trace:
            inputs = [trace.input(v, axis) for v, axis in zip(values, axes, strict=True)]
            results, outs = function(inputs)
            if trace.error is not None:  # the function caught it and continued
                raise trace.error
            results = [trace.inside(v) for v in results]
            written = trace.written()
            prints = self._prints()
        return self.record_operation(results, outs, written, prints, self.kind)

    def _prints(self):
        """Return (what was printed, its Values), in order; called inside the block."""
        prints, self.trace.prints = self.trace.prints, []
        return [(shown, list(map(self.trace.inside, shown.values))) for shown in prints]

    def record_operation(self, results, outs, written, prints, kind):
        """Record the operation, rebind the handles `written`, and show the `prints`."""
        values = [*results, *[v for _, v in written], *[v for _, some in prints for v in some]]
        outs = [*outs, *[None] * len(written)]
        worst = None if self.size is None else WORST
        outs += [worst if shown.is_check else None for shown, some in prints for _ in some]
        outputs = self._operation(values, outs, len(results), written, kind) if values else []
        remaining = iter(outputs[len(results) :])
        for handle, _ in written:
            handle._bind(next(remaining))
        for shown, some in prints:
            defer_print(shown.with_values([next(remaining) for _ in some]))
        return list(outputs[: len(results)])

    def _operation(self, values, outs, n_results, written, kind):
        """Record the operation; returns its results."""
        op = self.trace.operation(values, outs, self.size, kind)
        operands = self.trace.operands_of(op)
        if self.size is not None:
            self._check(op, tuple([v.aval for v in operands]), n_results, written)
        tape, outer = self.tape, active_tape()
        is_plain = tape is None or not (tape.python_entries or tape.hooks or tape.paused_spans)
        if outer is None or is_plain:
            return record(op, *operands)
        with paused("custom_spans"):
            out = record(op, *operands)
        if any([v.tracked for v in out]):
            outer.record_python(LiftedDerivative(self, op.needed, values, outs), operands, out)
        return out

    def _check(self, op, avals, n_results, written):
        """Raise if a result or a written value must be the same for all examples, but differs."""
        if avals in op.rules:
            return
        differing = op.differing(avals, [i for i, axis in enumerate(op.outs) if axis is None])
        for i in differing:
            require(i >= n_results, "out-axis-result-int", self.who, i=i)
            handle = written[i - n_results][0]
            is_named, shape = isinstance(handle, Parameter), handle.shape
            what = message("named-parameter", name=handle.name) if is_named else message("a-tensor")
            raise rejection("what-function-writes-same", self.who, what=what, shape=shape)


class LiftedDerivative(PythonDerivative):
    """The derivative of a lifted function that contains derivatives in Python.

    `inputs`: the indices of the inputs that are operands. `values`: the results of the operation,
    as Values of the inner trace; `outs`: their out axes.
    """

    __slots__ = ("inputs", "lifted", "outs", "values")

    def __init__(self, lifted, inputs, values, outs):
        self.lifted, self.inputs, self.values, self.outs = lifted, inputs, values, outs

    def backward(self, operands, out, arriving):
        """Continue the trace with the backward pass, and record it as an operation too."""
        lifted, deeper = self.lifted, active_tape() is not None
        trace, mark = lifted.trace, lifted.trace.mark()
        arrived = {i: ct for i, ct in enumerate(arriving) if ct is not None}
        by_output = {i: self._spread(i, cotangent) for i, cotangent in arrived.items()}
        tape = lifted.tape if deeper else None
        with using_tape(tape), closing(trace), trace:
            cotangents = {i: trace.input(*spread) for i, spread in by_output.items()}
            gradients = self._gradients(operands, cotangents)
            written, prints = trace.written(), lifted._prints()
        axes = [trace.axes[i] for i in self.inputs]
        pairs = [(v, axis) for v, axis in zip(gradients, axes, strict=True) if v is not None]
        whole = None if lifted.size is None else SUM
        outside = lifted.record_operation(
            [v for v, _ in pairs],
            [whole if axis is None else axis for _, axis in pairs],
            written,
            prints,
            BarrierLiftedOp if lifted.kind is RematLiftedOp else LiftedOp,
        )
        if not deeper:
            trace.truncate(mark)
        remaining = iter(outside)
        return [None if v is None else next(remaining) for v in gradients]

    def _gradients(self, operands, cotangents):
        """Return the cotangents, in the inner trace, of the operands that are arrays."""
        trace, tape = self.lifted.trace, self.lifted.tape
        inputs, arrays = [trace.inputs[i] for i in self.inputs], operands[: len(self.inputs)]
        # a Value from outside may also have been used directly
        bare = [trace.known.get(id(v)) is i for i, v in zip(inputs, arrays, strict=True)]
        wanted = [*inputs, *itertools.compress(arrays, bare)]
        ends = [self.values[i] for i in cotangents]
        backward = BackwardPass(tape.entries[:], 0, tape.hooks)
        gradients = backward.run(ends, [*cotangents.values()], wanted)
        remaining = iter(gradients[len(inputs) :])
        more = [next(remaining) if is_bare else None for is_bare in bare]
        return [_sum(*pair) for pair in zip(gradients[: len(inputs)], more, strict=True)]

    def _spread(self, i, cotangent):
        """Return (cotangent, axis) to give each example its part of the cotangent of result `i`."""
        axis, size = self.outs[i], self.lifted.size
        if size is None or axis == SUM:
            return cotangent, None
        if axis is None:  # one cotangent for all examples
            return record(_to_first(size), cotangent), 0
        return cotangent, axis


def _sum(one, other):
    return other if one is None else one if other is None else add(one, other)


@functools.cache
def _to_first(size):
    return Op("gradient.first", lambda x: jnp.zeros((size, *x.shape), x.dtype).at[0].set(x))
