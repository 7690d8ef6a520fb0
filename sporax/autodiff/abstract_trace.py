"""A function recorded without numbers, as one operation: what `vmap` and `recompute` are made of.

While it records, arguments and whatever else the function touches are inputs that have a shape and
a dtype but no array. So it can be recorded for one example of a batch, and inside a capture or
another recording of this kind. What was recorded is a path in the tree of traces like any other:
the same recording ends at the same place, where the operations made of it are kept.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp

from sporax.ast_transform.convert import asking_code, obstacle
from sporax.core.errors import user_frame
from sporax.core.value import WEAK_AVALS, Aval, Shared, borrowing, thread
from sporax.engine.operation import Op, Rule
from sporax.engine.program import TraceFunction
from sporax.engine.recorder import Recorder, record
from sporax.engine.trace_tree import TraceNode, forest
from sporax.engine.tracer import Tracer
from sporax.index_checks.checks import add_turn, worst

_input = Op("closed.input", lambda x: ())  # its step in a path says which aval the next input has
_kept: dict[Any, Any] = {}  # None -> the root; (end, what is made of it) -> operation
forest.tables.append(_kept)


@functools.cache
def _size(n):
    op = Op("size", None, attributes={"of": n})
    op.rules[()] = Rule((), (WEAK_AVALS[int],), lambda: jnp.array(n), True)
    return op


def _root():
    found = _kept.get(None)
    if found is None:
        found = _kept[None] = TraceNode(None, None, None, (), None)
    return found


class AbstractRecorder(Recorder):
    """Records what is never run by itself."""

    __slots__ = ()
    tracer: Any

    def __init__(self, closed):
        super().__init__(closed)
        self.state, self.tracer = _root(), None

    def run(self):
        """Refuse, where the function that is being recorded asks for a number."""
        if thread.recorder is self:
            raise self.tracer.concrete_value_error()


class AbstractTrace(Tracer):
    """A recording without numbers, which takes place inside `with` blocks.

    `operands`: the Values outside that its inputs stand for; `axes`: along which each of them is
    mapped, if it is; `inputs`: the Values that stand for them inside. A handle that is used for the
    first time gets an input of its own, as in a capture, and what it held before at the end.
    """

    has_concrete_inputs = False
    is_part = False  # whether it records a branch or a turn, which may not take place
    is_turn = False  # whether that may take place many times
    is_mapped = False  # whether it records what takes place for many examples at once
    met_check = False  # whether indices are checked in the test of a loop

    def __init__(self, who):
        self.who = who
        self.recorder = AbstractRecorder(self)
        self.operands = self.recorder.arrays
        self.axes, self.inputs = [], []
        self.known = {}  # id(Value outside) -> its input
        self.handles = {}
        self.outer: Any = None
        self.unconverted = set()  # the code in which numbers were needed
        self.prints = []  # in order, see `staging.deferred_print`
        self.turns = []  # of a loop: (check, what has its worst status of all turns)

    def __enter__(self):
        borrowing.acquire()
        self.outer, thread.recorder = thread.recorder, self.recorder
        self.recorder.tracer = self
        return self

    def __exit__(self, *exception):
        for handle, value, _ in self.handles.values():
            handle._value = value
        for twin, value in zip(self.inputs, self.operands, strict=True):
            if twin is value:  # a constant, which may live on
                value.trace = None
        thread.recorder, self.outer, self.handles = self.outer, None, {}
        self.recorder.tracer = None  # no cycle keeps what is outside alive
        borrowing.release()

    # inputs ---------------------------------------------------------------------------------

    def input(self, value, axis=None):
        """A new input for a Value outside, or for one slice of it along `axis`."""
        aval = value.aval
        if axis is not None:
            aval = Aval.of(aval.shape[:axis] + aval.shape[axis + 1 :], aval.dtype)
        twin = Shared(aval, None, value.base or value)
        twin.tracked = value.tracked
        return self._add(twin, value, axis)

    def _add(self, twin, value, axis):
        recorder = self.recorder
        key, before = (_input, twin.aval), recorder.state
        recorder.state = before.next.get(key) or forest.grow(recorder, key, [twin])
        twin.trace, twin.index = recorder, ~len(self.operands)
        self.operands.append(value)
        self.inputs.append(twin)
        self.axes.append(axis)
        return twin

    def whole(self, value):
        """The input for a Value outside, whole."""
        twin = self.known.get(id(value))
        if twin is None:
            twin = self.known[id(value)] = self.input(value)
        return twin

    def operand_key(self, recorder, value, handle):
        """The input's number for a Value from outside; see `Recorder.operand_key`."""
        if handle is not None and hasattr(handle, "_value"):
            return self.lift(recorder, handle)
        return self.whole(value).index

    def entering(self, value):
        """The input for what a handle holds."""
        return self.whole(value)

    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it is one already."""
        if handle._value.trace is recorder:
            return handle._value.index
        outer = self.outer
        if outer.tracer is not None:  # it depends on the handle too
            outer.tracer.lift(outer, handle)
        value = handle._value
        twin = handle._value = self.entering(value)
        self.handles[id(handle)] = handle, value, twin
        return twin.index

    def before_rebind(self, recorder, handle):
        """A handle is about to be given another Value."""
        if id(handle) not in self.handles:
            self.lift(recorder, handle)

    def add_constant(self, recorder, value):
        """A Value made of host data inside the function."""
        self.known[id(value)] = self._add(value, value, None)

    def cell_called(self, cell):
        """A Cell is about to compute; a capture around this depends on it."""
        if self.outer.tracer is not None:
            self.outer.tracer.cell_called(cell)

    def symbolic_size(self, n):
        """The Value of an unknown size that is computed with; it has as little say in a dtype as
        a Python int."""
        return record(_size(n))

    def is_constant(self, recorder, value):
        """Whether a number of `value` can be read and be the same at every call: never."""
        return False

    # numbers --------------------------------------------------------------------------------

    def concrete_value_needed(self, recorder, value):
        """A number of `value` is about to be read, which only what was there before has."""
        source = value
        if value.trace is recorder:
            if value.index >= 0 or self.axes[~value.index] is not None:
                raise self.concrete_value_error()
            source = self.operands[~value.index]
        trace = source.trace
        if trace is not None and trace is not recorder and trace.tracer is not None:
            raise self.concrete_value_error()  # a capture around this would not notice
        value.array = source.read()

    def needs_conversion(self, code):
        """A number is needed in this code; what is around this may convert it."""
        self.unconverted.add(code)
        if self.outer is not None and self.outer.tracer is not None:
            self.outer.tracer.needs_conversion(code)

    def add_deferred(self, shown):
        """Print, or check, at each run; the recorder around this one gets it at the end."""
        if shown.is_check:
            if self.is_turn:
                self.turns.append(add_turn(self, shown))
            else:
                self.prints.append(shown)
            return
        if self.is_turn:
            self.error = RuntimeError("it prints, and nobody knows how often before it runs")
            raise self.error
        if self.is_mapped and shown.values:
            raise self.concrete_value_error()
        self.prints.append(shown)

    def to_host(self, recorder):
        """Refuse what Python does and what is around this could not repeat."""
        if self.is_part or self.outer.tracer is not None:
            raise self.concrete_value_error()

    def concrete_value_error(self):
        """The error for a number that is not there."""
        code, at = asking_code(), user_frame()
        self.needs_conversion(code)
        why = obstacle(code)
        where = f", at {at.filename}:{at.lineno}: {at.line}" if at is not None else ""
        self.error = RuntimeError(
            f"For '{self.who}', the function must not need a number of what it computes{where}. It "
            "is recorded once, for all numbers. Leave out 'asnumpy', 'print', 'float', 'bool' and "
            "'if' on its Tensors: choose with 'ops.where', and read numbers outside."
            + (f" Here {why}." if why else "")
        )
        return self.error

    # results --------------------------------------------------------------------------------

    def written(self):
        """The handles from outside that were rebound, with their Values now; inside the block."""
        return [
            (handle, value if value.trace is self.recorder else self.whole(value))
            for handle, value in super().written()
        ]

    def numbers(self):
        """The Python numbers that the recording uses: operands too, so that they may vary."""
        return [*self.recorder.reals, *self.recorder.integers]

    def mark(self):
        """Where the recording stands, for `back`."""
        return self.recorder.state, len(self.operands), dict(self.known)

    def back(self, mark):
        """Forget what was recorded since the mark."""
        self.recorder.state, count, self.known = mark
        for of_inputs in (self.operands, self.inputs, self.axes):
            del of_inputs[count:]
        self.recorder.rewind()

    def operation(self, values, outs, size=None, kind=None):
        """The operation (operands, numbers) -> `values`, whose results have these out axes; of a
        `kind` of `LiftedOp`."""
        kind = kind or LiftedOp
        places = tuple([v.index for v in values])
        given = self.recorder.state, places, tuple(self.axes), tuple(outs), size
        key = (kind, self.who, *given)
        found = _kept.get(key)
        if found is None:
            found = _kept[key] = kind(self.who, *given)
        return found


SUM = "sum"  # the out axis of a result that is summed over the examples
WORST = "worst"  # that of statuses, see `index_checks.checks`


_MET = {SUM: lambda x: x.sum(0, dtype=x.dtype), WORST: worst}


class LiftedOp(Op):
    """What a recording computes, for each of `size` examples, or once if that is None.

    `needed`: which of the recording's inputs are its operands; numbers follow. `outs`: for each
    result the axis along which the examples lie, None where they share it, SUM or
    WORST.
    """

    __slots__ = ("axes", "first", "needed", "outs", "places", "size", "trace")

    def __init__(self, name, state, places, axes, outs, size):
        trace = self.trace = TraceFunction(state.path())
        self.places, self.outs, self.size = places, outs, size
        self.needed = trace.prune(places)
        self.first = len(self.needed), len(self.needed) + trace.n_reals
        numbers = (None,) * (trace.n_reals + trace.n_integers)
        self.axes = (*[axes[i] for i in self.needed], *numbers)
        super().__init__(name, functools.partial(self._mapped, self._run))
        self.real = functools.partial(self._mapped, functools.partial(self._run, real=True))

    def _run(self, *arrays, real=False):
        """The results; with `real`, real numbers may come for integers."""
        first, second = self.first
        inputs = dict(zip(self.needed, arrays[:first], strict=True))
        reals, integers = arrays[first:second], arrays[second:]
        return tuple(self.trace.outputs(reals, integers, inputs, self.places, False, real))

    def _mapped(self, run, *arrays):
        if self.size is None:
            return run(*arrays)
        outs = tuple(0 if axis in _MET else axis for axis in self.outs)
        made = jax.vmap(run, self.axes, outs, axis_size=self.size)(*arrays)
        return tuple(
            _MET[axis](x) if axis in _MET else x for x, axis in zip(made, self.outs, strict=True)
        )

    def compute(self, avals, *arrays, real=False):
        """As it was recorded: numbers reach the recorded operations as they come, 64 bits wide."""
        return (self.real if real else self.fn)(*arrays)

    def differing(self, avals, which):
        """Those of the results `which` that the examples do not share."""
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]

        def refused(some):
            def chosen(*arrays):
                made = self._run(*arrays)
                return [made[i] for i in some]

            try:  # only what is shared may have no out axis
                jax.eval_shape(jax.vmap(chosen, self.axes, None, axis_size=self.size), *specs)
            except ValueError:
                return True
            return False

        return [i for i in which if refused([i])] if refused(which) else []
