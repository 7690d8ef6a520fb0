"""`AbstractTrace`: records a function without concrete values, for `vmap`, `recompute`, `cond`.

Arguments and whatever else the function uses are inputs that have an aval but no array. So it can
be recorded for one example of a batch, and inside a capture or another abstract trace. The result
is a path in the trace tree like any other: the same recording ends at the same node, and the
operation made of it is the same.
"""

import functools
from typing import Any

import jax.numpy as jnp

from sporax.ast_transform.convert import obstacle, reading_code
from sporax.core.errors import user_frame
from sporax.core.value import WEAK_AVALS, Aval, Shared, thread
from sporax.engine.operation import Op, Rule
from sporax.engine.recorder import Recorder, record
from sporax.engine.trace_tree import TraceNode, forest
from sporax.engine.tracer import Tracer
from sporax.index_checks.checks import add_turn
from sporax.lifting.lifted_op import LiftedOp, cached_op
from sporax.storage import lending

_input = Op("closed.input", lambda x: ())  # its step in a path says which aval the next input has


@functools.cache
def _size(n):
    op = Op("size", None, attributes={"of": n})
    op.rules[()] = Rule((), (WEAK_AVALS[int],), lambda: jnp.array(n), True)
    return op


def _root():
    return TraceNode(None, None, None, (), None)


class AbstractRecorder(Recorder):
    """The recorder of an abstract trace, which cannot be run."""

    __slots__ = ()
    tracer: Any

    def __init__(self, tracer):
        super().__init__(tracer)
        self.state, self.tracer = cached_op(_root), None

    def run(self):
        """Raise: the function that is being recorded needs a concrete value."""
        if thread.recorder is self:
            raise self.tracer.concrete_value_error()


class AbstractTrace(lending.Scope, Tracer):
    """A recording without concrete values, inside `with` blocks.

    `inputs`: its input Values; `operands`: the Value outside that each input is, or `axes` along
    which it is a slice of that. A handle that is used for the first time gets an input, as in
    a capture, and its former Value again at the end.
    """

    has_concrete_inputs = False
    is_part = False  # whether it records a branch or the body of a loop, which may not run
    is_turn = False  # whether that may run many times
    is_mapped = False  # whether it runs for many examples at once
    met_check = False  # whether indices are checked in the test of a loop

    def __init__(self, who):
        super().__init__()
        self.who = who
        self.recorder = AbstractRecorder(self)
        self.operands = self.recorder.arrays
        self.axes, self.inputs = [], []
        self.known = {}  # id(Value outside) -> its input
        self.handles = {}
        self.outer: Any = None
        self.unconverted = set()  # the code that needs concrete values
        self.prints = []  # in order, see `staging.deferred_print`
        self.turns = []  # of a loop: (check, the Value with its worst status of all iterations)

    def __enter__(self):
        self.outer = thread.recorder
        self.begin_lending()
        self.recorder.tracer = self
        if self.outer.tracer is not None:
            self.cell_log = self.outer.tracer.cell_log
        thread.recorder = self.recorder
        return self

    def close(self):
        """End the recording, everything outside is as before; may be called again, after an
        interrupt."""
        if self.outer is None:
            return
        self.give_back(undo=True)
        for lifted, value in zip(self.inputs, self.operands, strict=False):
            if lifted is value:  # a constant, which may live on
                value.trace = None
        self.handles = {}
        self.recorder.tracer = None  # no cycle keeps what is outside alive
        thread.recorder = self.outer
        self.outer = None

    def __exit__(self, *exception):
        self.close()

    # inputs ---------------------------------------------------------------------------------

    def input(self, value, axis=None):
        """A new input for a Value outside, or for one slice of it along `axis`."""
        aval = value.aval
        if axis is not None:
            aval = Aval.of(aval.shape[:axis] + aval.shape[axis + 1 :], aval.dtype)
        lifted = Shared(aval, None, value.base or value)
        lifted.tracked = value.tracked
        return self._add(lifted, value, axis)

    def _add(self, lifted, value, axis):
        recorder = self.recorder
        key, before = (_input, lifted.aval), recorder.state
        recorder.state = before.next.get(key) or forest.grow(recorder, key, [lifted])
        lifted.trace, lifted.index = recorder, ~len(self.operands)
        self.operands.append(value)
        self.inputs.append(lifted)
        self.axes.append(axis)
        return lifted

    def inside(self, value):
        """The Value itself if it is of this trace, else the input for it."""
        if value.trace is self.recorder:
            return value
        lifted = self.known.get(id(value))
        if lifted is None:
            lifted = self.known[id(value)] = self.input(value)
        return lifted

    def operand_key(self, recorder, value, handle):
        """The index of the input for a Value from outside; see `Recorder.operand_key`."""
        if handle is not None and hasattr(handle, "_value"):
            return self.lift(recorder, handle)
        return self.inside(value).index

    def input_of_handle(self, value):
        """The input for the Value of a handle."""
        return self.inside(value)

    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it is one already."""
        if handle._value.trace is recorder:
            return handle._value.index
        outer = self.outer
        if outer.tracer is not None:  # it depends on the handle too
            outer.tracer.lift(outer, handle)
        value = handle._value
        lifted = self.input_of_handle(value)
        self.handles[id(handle)] = handle, value, lifted
        if id(handle) in self.lent:
            handle._value = lifted
        else:
            self.lend(handle, lifted)
        return lifted.index

    def before_rebind(self, recorder, handle):
        """A handle is about to be given another Value."""
        if id(handle) not in self.handles:
            self.lift(recorder, handle)

    def add_constant(self, recorder, value):
        """Add a Value created from host data inside the function."""
        self.known[id(value)] = self._add(value, value, None)

    def cell_called(self, cell):
        """A Cell is about to compute; a capture around this depends on it."""
        if self.outer.tracer is not None:
            self.outer.tracer.cell_called(cell)

    def symbolic_size(self, n):
        """The Value of a symbolic dimension in arithmetic; weak, as a Python int is."""
        return record(_size(n))

    def is_constant(self, recorder, value):
        """Whether `value` is the same at every call: never known here."""
        return False

    # concrete values ------------------------------------------------------------------------

    def concrete_value_needed(self, recorder, value):
        """`value` is about to be read: possible for an input whose Value outside can be read."""
        source = value
        if value.trace is recorder:
            if value.index >= 0 or self.axes[~value.index] is not None:
                raise self.concrete_value_error()
            source = self.operands[~value.index]
        trace = source.trace
        if trace is not None and trace is not recorder and trace.tracer is not None:
            raise self.concrete_value_error()  # a capture around this would not notice
        outer = self.outer
        if outer.tracer is not None:  # another call may find another value there
            thread.recorder = outer
            try:
                outer.tracer.concrete_value_needed(outer, source)
            finally:
                self.outer, thread.recorder = thread.recorder, recorder
        value.array = source.read()

    def needs_conversion(self, code):
        """Note code that needs a concrete value; a trace around this one may convert it."""
        self.unconverted.add(code)
        if self.outer is not None and self.outer.tracer is not None:
            self.outer.tracer.needs_conversion(code)

    def add_deferred(self, shown):
        """Print, or check indices, at each run; the trace around this one gets it at the end."""
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
        """Raise where a trace around this one could not repeat what Python does."""
        if self.is_part or self.outer.tracer is not None:
            raise self.concrete_value_error()

    def concrete_value_error(self):
        """The error for a concrete value that is needed."""
        code, at = reading_code(), user_frame()
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
        return [(handle, self.inside(value)) for handle, value in super().written()]

    def operands_of(self, op, arrays=None):
        """The operands outside of a LiftedOp of this trace: those of its arrays that it needs, and
        the Python scalars in it, operands too so that they may vary."""
        arrays = self.operands if arrays is None else arrays
        return [*[arrays[i] for i in op.needed], *self.recorder.reals, *self.recorder.integers]

    def mark(self):
        """Where the recording stands, for `truncate`."""
        return self.recorder.state, len(self.operands), dict(self.known)

    def truncate(self, mark):
        """Remove what was recorded since the mark."""
        self.recorder.state, count, self.known = mark
        for of_inputs in (self.operands, self.inputs, self.axes):
            del of_inputs[count:]
        self.recorder.rewind()

    def operation(self, values, outs, size=None, kind=LiftedOp):
        """The operation (operands, scalars) -> `values`, whose results have these out axes; `kind`:
        a class of LiftedOp."""
        places = tuple([v.index for v in values])
        state, axes = self.recorder.state, tuple(self.axes)
        return cached_op(kind, self.who, state, places, axes, tuple(outs), size)
