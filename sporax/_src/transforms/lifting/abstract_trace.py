"""`AbstractTrace`: records a function without concrete values, for `vmap`, `recompute`, `cond`.

Arguments, and all other Values that the function uses, are inputs with an aval but no array. So it
can be recorded for one example of a batch, and inside a capture or another abstract trace. The
result is an ordinary path in the trace tree: the same recording ends at the same node, and gives
the same operation.
"""

import functools
from typing import Any

import jax.numpy as jnp

from sporax._src.capture.ast_transform.convert import obstacle, reading_code
from sporax._src.core.errors import user_frame
from sporax._src.core.value import WEAK_AVALS, Aval, Shared, thread
from sporax._src.diagnosis.rules import message, rejection
from sporax._src.runtime.engine.operation import Op, Rule
from sporax._src.runtime.engine.recorder import Recorder, record
from sporax._src.runtime.engine.trace_tree import TraceNode, forest
from sporax._src.runtime.engine.tracer import Tracer
from sporax._src.runtime.index_checks.checks import add_loop_check
from sporax._src.runtime.storage import lending
from sporax._src.transforms.lifting.lifted_op import LiftedOp, cached_op

_input = Op("closed.input", lambda x: ())  # its step in a path gives the aval of the next input


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
        """Raise, since the function being recorded needs a concrete value."""
        if thread.recorder is self:
            raise self.tracer.concrete_value_error()


class AbstractTrace(lending.Scope, Tracer):
    """A recording without concrete values, inside `with` blocks.

    `inputs`: its input Values; `operands`: the outside Value of each input; `axes`: the axis along
    which the input is a slice of it, or None. A handle gets an input at its first use, as in a
    capture, and its former Value back at the end.
    """

    has_concrete_inputs = False
    is_part = False  # True for a branch, or a loop's test or body, which may not run
    is_loop = False  # True for a loop's test or body, which may run many times
    is_mapped = False  # True if it runs for many examples at once
    met_check = False  # True if indices are checked in the test of a loop

    def __init__(self, who):
        super().__init__()
        self.who = who
        self.recorder = AbstractRecorder(self)
        self.operands = self.recorder.arrays
        self.axes, self.inputs = [], []
        self.known = {}  # id(Value outside) -> its input
        self.handles = {}
        self.outer: Any = None
        self.unconverted = set()  # code objects that need concrete values
        self.prints = []  # in order, see `staging.deferred_print`
        self.loop_checks = []  # of a loop: (check, Tensor with its status over all iterations)

    def __enter__(self):
        self.outer = thread.recorder
        self.begin_lending()
        self.recorder.tracer = self
        if self.outer.tracer is not None:
            self.cell_log = self.outer.tracer.cell_log
        thread.recorder = self.recorder
        return self

    def close(self):
        """End the recording and restore the outside state; may be called again after an
        interrupt."""
        if self.outer is None:
            return
        self.give_back(undo=True)
        for lifted, value in zip(self.inputs, self.operands, strict=False):
            if lifted is value:  # a constant, which may outlive the recording
                value.trace = None
        self.handles = {}
        self.recorder.tracer = None  # break the cycle, which would keep outside objects alive
        thread.recorder = self.outer
        self.outer = None

    def __exit__(self, *exception):
        self.close()

    # inputs ---------------------------------------------------------------------------------

    def input(self, value, axis=None):
        """Add an input for an outside Value, or for one slice of it along `axis`; return it."""
        aval = value.aval
        if axis is not None:
            aval = Aval.intern(aval.shape[:axis] + aval.shape[axis + 1 :], aval.dtype)
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
        """Return the Value itself if it belongs to this trace, else its input."""
        if value.trace is self.recorder:
            return value
        lifted = self.known.get(id(value))
        if lifted is None:
            lifted = self.known[id(value)] = self.input(value)
        return lifted

    def operand_key(self, recorder, value, handle):
        """Return the index of the input for an outside Value; see `Recorder.operand_key`."""
        if handle is not None and hasattr(handle, "_value"):
            return self.lift(recorder, handle)
        return self.inside(value).index

    def input_of_handle(self, value):
        """Return the input for the Value of a handle."""
        return self.inside(value)

    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it already belongs to the trace; return its
        index."""
        if handle._value.trace is recorder:
            return handle._value.index
        outer = self.outer
        if outer.tracer is not None:  # the outer trace also depends on the handle
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
        """Lift a handle before it is rebound."""
        if id(handle) not in self.handles:
            self.lift(recorder, handle)

    def add_constant(self, recorder, value):
        """Add a Value created from host data inside the function."""
        self.known[id(value)] = self._add(value, value, None)

    def cell_called(self, cell):
        """Report to an outer capture, which depends on it, that a Cell is about to compute."""
        if self.outer.tracer is not None:
            self.outer.tracer.cell_called(cell)

    def symbolic_size(self, n):
        """Return the Value of a symbolic dimension in arithmetic; weak like a Python int."""
        return record(_size(n))

    def is_constant(self, recorder, value):
        """Return False: it is unknown here whether `value` is the same at every call."""
        return False

    # concrete values ------------------------------------------------------------------------

    def concrete_value_needed(self, recorder, value):
        """Prepare the read of `value`: possible for an input whose outside Value can be read."""
        source = value
        if value.trace is recorder:
            if value.index >= 0 or self.axes[~value.index] is not None:
                raise self.concrete_value_error()
            source = self.operands[~value.index]
        trace = source.trace
        if trace is not None and trace is not recorder and trace.tracer is not None:
            raise self.concrete_value_error()  # an outer capture would not detect it
        outer = self.outer
        if outer.tracer is not None:  # the value may differ at another call
            thread.recorder = outer
            try:
                outer.tracer.concrete_value_needed(outer, source)
            finally:
                self.outer, thread.recorder = thread.recorder, recorder
        value.array = source.read()

    def needs_conversion(self, code):
        """Record code that needs a concrete value, also in the outer trace, which may convert
        it."""
        self.unconverted.add(code)
        if self.outer is not None and self.outer.tracer is not None:
            self.outer.tracer.needs_conversion(code)

    def add_deferred(self, shown):
        """Defer a print or an index check to each run; the outer trace gets it at the end."""
        if shown.is_check:
            if self.is_loop:
                self.loop_checks.append(add_loop_check(self, shown))
            else:
                self.prints.append(shown)
            return
        if self.is_loop:
            self.error = rejection("prints-nobody-knows-how")
            raise self.error
        if self.is_mapped and shown.values:
            raise self.concrete_value_error()
        self.prints.append(shown)

    def to_host(self, recorder):
        """Raise in a region or an outer trace, which could not repeat the Python code."""
        if self.is_part or self.outer.tracer is not None:
            raise self.concrete_value_error()

    def concrete_value_error(self):
        """Create and store the error for a needed concrete value."""
        code, frame = reading_code(), user_frame()
        self.needs_conversion(code)
        why, where = obstacle(code), ""
        if frame is not None:
            where = message(
                "at-source-line", where=f"{frame.filename}:{frame.lineno}: {frame.line}"
            )
        why = message("here-why", why=why) if why else ""
        self.error = rejection("no-number-needed", self.who, where=where, why=why)
        return self.error

    # results --------------------------------------------------------------------------------

    def written(self):
        """Return the rebound outside handles with their current Values; call it inside the
        block."""
        return [(handle, self.inside(value)) for handle, value in super().written()]

    def operands_of(self, op, arrays=None):
        """Return the outside operands of a LiftedOp of this trace: the arrays that it needs, and
        its Python scalars, which are operands so that they may vary."""
        arrays = self.operands if arrays is None else arrays
        return [*[arrays[i] for i in op.needed], *self.recorder.reals, *self.recorder.integers]

    def mark(self):
        """Return the current position of the recording, for `truncate`."""
        return self.recorder.state, len(self.operands), dict(self.known)

    def truncate(self, mark):
        """Remove everything recorded since the mark."""
        self.recorder.state, count, self.known = mark
        for of_inputs in (self.operands, self.inputs, self.axes):
            del of_inputs[count:]
        self.recorder.rewind()

    def operation(self, values, outs, size=None, kind=LiftedOp):
        """Return the operation (operands, scalars) -> `values` with out axes `outs`; `kind`:
        LiftedOp or a subclass."""
        indices = tuple([v.index for v in values])
        state, axes = self.recorder.state, tuple(self.axes)
        return cached_op(kind, self.who, state, indices, axes, tuple(outs), size)
