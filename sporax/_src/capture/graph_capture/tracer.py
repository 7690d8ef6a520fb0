"""`GraphTracer`: record one run of a function as a graph, with its state lifted to inputs."""

from contextlib import closing
from typing import Any

import jax.numpy as jnp

from sporax._src.capture.ast_transform.convert import Conversions, obstacle, reading_code
from sporax._src.capture.graph_capture.graph import Graph
from sporax._src.capture.graph_capture.side_effects import (
    CONVERTED,
    ESCAPE,
    ESCAPED,
    changed_argument,
    endless,
    has_escaped,
    listed,
)
from sporax._src.capture.graph_capture.split_graph import SplitGraph
from sporax._src.capture.guards.snapshot import argument_snapshot
from sporax._src.capture.staging.deferred_print import DeferredPrints, strong
from sporax._src.capture.staging.graph_break import Break
from sporax._src.capture.staging.host_calls import all_tensors
from sporax._src.capture.staging.symbolic_scalars import tracing
from sporax._src.core.tensor import drawn_value
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import Meta, Shared, Uninitialized, Value, thread
from sporax._src.diagnosis.rules import message
from sporax._src.runtime.engine.autocast import mark_precision
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.runtime.engine.trace_tree import TraceEnds
from sporax._src.runtime.engine.tracer import Tracer
from sporax._src.runtime.storage import lending


class GraphTracer(lending.Scope, Tracer):
    """Determines the inputs of the graph for a recorder while a function is captured.

    When an outside Tensor is first used, its handle gets a lifted Value: an input of the graph. A
    handle that is rebound during the capture is an output.

    `fullgraph`: the name of a function in which a graph break is an error, or None.
    `host_results`: (position, result) of host calls that this call has already made.
    """

    def __init__(self, host_results=(), fullgraph=None):
        super().__init__()
        self.cells = {}  # Cells called, in order -> their static state before the call
        self.prints = DeferredPrints()  # of the current stage
        self.scalars = []  # the `Scalar`s that are inputs of the graph
        # graph breaks
        self.is_broken = False
        self.graph_break: Any = None
        self.fullgraph = fullgraph
        self.reason = ""  # why a branch or loop is not an operation
        self.remedy = None  # the rule of a remedy for it, other than the usual one
        self.unconverted = set()  # code that needed concrete values
        # host calls, see `staging.host_calls`
        self.host_results = list(host_results)
        self.segments = []  # stages and host calls so far
        self.known = {}  # id(Value of an earlier segment) -> (Value, its source in a run or None)
        self.external_handles = {}  # id(handle) -> handle not created by the capture
        self.tensors_before = {}  # weak references to all live Tensors at the first host call
        self.host_calls, self.entering = [], None  # running host calls
        self.host_cells = []  # Cells that were called on the host
        self.is_leaving = False
        self.outer: Any = None  # the outer recorder during the capture
        self.is_done = False
        self.was_in_graph = thread.in_graph  # value before the capture

    def begin(self):
        """Start recording a stage."""
        thread.in_graph = True
        self.avals = []  # of the inputs
        self.sources = []  # of the inputs: a handle read by each call, or a constant Value
        self.handles = {}  # id(handle) -> (handle, previous Value, lifted Value)
        self.rebound = []  # (handle, previous Value), in order
        self.recorder = thread.recorder = Recorder(self)
        mark_precision()

    def operand_key(self, recorder, value, handle):
        """Return the input index of an outside Value; see `Recorder.operand_key`."""
        if handle is not None and hasattr(handle, "_value"):
            index = self.lift(recorder, handle)
        elif id(value) in self.known:
            index = self._from_earlier_segment(recorder, value)
        else:
            index = recorder.input_index.get(id(value.read()))
            if index is None and not self.segments:
                return self._add_input(recorder, value, value)
        if index is None:
            self.end(recorder)
            raise TraceEnds
        return index

    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it is one already; returns its input index, or
        None if the capture has ended instead."""
        value = handle._value
        if value.trace is recorder:
            return value.index
        if value.__class__ is Uninitialized:  # drawn, so that a graph can compute with it
            value = drawn_value(handle)
        if value.__class__ is Meta:  # a graph computes
            self.reason, self.remedy = message("on-meta"), "give-it-data"
            return self.end(recorder)
        if id(value) in self.known:
            index = self._from_earlier_segment(recorder, value)
            if index is not None:
                if id(handle) in self.external_handles:
                    self.handles.setdefault(id(handle), (handle, value, value))
                return index
        # created by a host call that did not return it
        if self.segments and not self._is_external(handle):
            return self.end(recorder)
        array = value.read()
        if value.aval.weak:  # a mutable number becomes an array
            array = jnp.asarray(array, value.aval.dtype)
            value = handle._value = Value(value.aval, array)
        lifted = Shared(value.aval, array, value.base or value)
        lifted.tracked = value.tracked
        lifted.index = self._add_input(recorder, lifted, handle)
        lifted.trace = recorder
        self.handles[id(handle)] = handle, value, lifted
        self.external_handles[id(handle)] = handle
        if id(handle) in self.lent:  # by an earlier stage
            handle._value = lifted
        else:
            self.lend(handle, lifted)
        return lifted.index

    def _is_external(self, handle):
        """Return True if the handle was not created by the capture; used after a host call."""
        before = self.tensors_before.get(id(handle))
        return id(handle) in self.external_handles or (before is not None and before() is handle)

    def _from_earlier_segment(self, recorder, value):
        """Return the input index of a Value of an earlier segment; None if it has no source."""
        source = self.known[id(value)][1]
        if source is None:
            return None
        index = recorder.input_index.get(id(value.read()))
        if index is None:
            index = recorder.input_index[id(value.array)] = self._add_input(recorder, value, source)
        return index

    def before_rebind(self, recorder, handle):
        """Record that a handle is about to be rebound to another Value."""
        if id(handle) not in self.handles:
            self.lift(recorder, handle)
        self.rebound.append((handle, handle._value))

    def add_constant(self, recorder, value):
        """Add a Value of host data created inside the function: the same on every call."""
        value.index = self._add_input(recorder, value, value)
        value.trace = recorder

    def _add_input(self, recorder, value, source):
        index = ~len(recorder.arrays)
        recorder.arrays.append(value.read())
        recorder.owners.append(None)
        if source is value:
            recorder.input_index[id(value.array)] = index
        self.avals.append(value.aval)
        self.sources.append(source)
        return index

    def add_number(self, value, source):
        """Make the Value of a `Scalar` an input."""
        value.trace = self.recorder
        value.index = self._add_input(self.recorder, value, source)
        self.scalars.append(source)

    def is_constant(self, recorder, value):
        """Return True if `value` is host data created in the function, constant across calls."""
        is_input = value.trace is recorder and value.index < 0
        return is_input and self.sources[~value.index] is value

    def concrete_value_needed(self, recorder, value):
        """Handle a read of the concrete value of `value`: a graph break, unless it is the same on
        every call."""
        if not self.is_constant(recorder, value):
            self.needs_conversion(reading_code())
            self.to_host(recorder)

    def to_host(self, recorder):
        """Break the graph: continue on the host or dynamically."""
        self.allow()
        if self.host_calls and self.host_calls[-1].can_leave(recorder):
            self.host_calls[-1].leave(recorder)
        else:
            self.end(recorder)

    def needs_conversion(self, code):
        """Record that this user code, which may be converted, needs a concrete value."""
        self.unconverted.add(code)
        self.reason = self.reason or obstacle(code) or ""

    def allow(self, host=None):
        """Raise the error for a graph break if the whole function must be captured."""
        if self.fullgraph is not None:
            self.error = Break(host, self.reason, self.remedy).refusal(self.fullgraph)
            raise self.error

    def end(self, recorder):
        """Continue dynamically."""
        recorder.run()
        if not self.is_broken:  # nothing was pending, so `run` did not call `broken`
            self.on_graph_break(recorder)
            thread.recorder = thread.new_recorder()
        self._give_back_written()
        self.show_prints()

    def add_deferred(self, shown):
        """Add a print or an index check, executed in each run."""
        self.prints.append(shown)

    def show_prints(self):
        """Execute recorded prints after their operations have run."""
        prints = self.prints.take()
        if not self.host_results:  # else already printed by the run that this capture continues
            prints.run(prints.values())

    def leave(self, recorder, stage, owner):
        """End a stage before a host call of `owner`."""
        self.allow(type(owner).__name__)
        if not self.tensors_before:
            self.tensors_before = all_tensors()
        self.segments.append(stage)
        if owner in self.cells:  # it reads its own state on each call
            del self.cells[owner]
            self.host_cells.append(owner)
        self.run(recorder)

    def run(self, recorder):
        """Run the recorded operations of a stage, and continue outside of the capture."""
        self.is_leaving = True
        try:
            recorder.run()
        finally:
            self.is_leaving = False
        if thread.recorder is recorder:
            thread.recorder = thread.new_recorder()
        self.show_prints()

    def cell_called(self, cell):
        """Record that a Cell is called; returns True if this is a new call of it."""
        if self.entering is cell:
            self.entering = None
            return False
        if cell not in self.cells:
            self.cells[cell] = cell._captured_state()
        return True

    def on_graph_break(self, recorder):
        """Handle a graph break: from here on the function runs dynamically."""
        if self.is_leaving:
            return
        self.allow()
        self.is_broken, self.graph_break = True, Break(None, self.reason, self.remedy)

    def _give_back_written(self):
        """Publish written Values to other threads; restore handles that were only read."""
        for handle, value, lifted in self.handles.values():
            is_first = lifted is self.lent.get(id(handle), (None, None, None))[2]
            if handle._value is lifted and not is_first:
                handle._value = value
        self.give_back()

    def close(self):
        """End the capture, restoring all state if it was interrupted; idempotent."""
        if self.outer is None:
            return
        if self.is_done or self.is_broken:
            self._give_back_written()
        else:
            self.give_back(undo=True)
        if thread.recorder is self.recorder:
            thread.recorder = self.outer
            self.recorder.clear()
        self.outer, thread.in_graph = None, self.was_in_graph

    def let_go(self):
        """Drop all references to inputs: then the first call can already donate them, and compiles
        the same program as later calls."""
        self.handles, self.rebound = {}, []


def capture(
    name, function, args, kwargs, tensors, host_results=(), fullgraph=False, conversions=None,
    scalars=None,
):  # fmt: skip
    """Run `function` once and record it; `tensors`: the Tensors in its arguments. `host_results`:
    see `GraphTracer`. `fullgraph`: a graph break is an error, after which all state is restored.
    `conversions`: source-to-operation conversions; needed ones are added. `scalars`: the
    `ScalarArguments` of the call.

    Returns (result, graph), (result, None) after a graph break, (result, CONVERTED) after one that
    the next capture may avoid, or (result, ESCAPED) if a recorded Tensor is referenced elsewhere:
    in these cases the function has run dynamically.
    """
    conversions = conversions or Conversions()
    while True:
        tracer = GraphTracer(host_results, name if fullgraph else None)
        try:
            with closing(tracer), conversions.applied(), tracing(scalars, tracer):
                return _capture(tracer, name, function, args, kwargs, tensors, conversions)
        except RecursionError as error:
            raise endless(error, name, not (tracer.is_broken or tracer.segments)) from error
        except RuntimeError as error:
            if error is not tracer.error or not conversions.may_help(error, tracer.unconverted):
                raise


def _capture(tracer, name, function, args, kwargs, tensors, conversions):
    thread.recorder.run()
    before = argument_snapshot((args, kwargs))
    tracer.outer = thread.recorder
    tracer.begin_lending()
    tracer.begin()
    try:
        for tensor in tensors:
            if tensor._value.aval.weak:
                tracer.lift(tracer.recorder, tensor)
        result = listed(function(*args, **kwargs))
        if tracer.error is not None:  # the function caught it
            raise tracer.error
        results = [strong(t._lift()) for t in tensors_of(result)]
        if conversions.add(tracer.unconverted):  # the next call may succeed
            if not tracer.is_broken:
                tracer.run(tracer.recorder)
            tracer.is_done = True
            return result, CONVERTED
        if tracer.is_broken:
            tracer.graph_break.warn(name)
            return result, None
        effect, escaped = _side_effect(tracer, result, results, before)
        if effect is not None:
            if tracer.fullgraph is not None:
                raise effect.refusal(name, function)
            tracer.run(tracer.recorder)
            tracer.is_done = True
            if escaped is None:
                effect.warn(name, function)
            return result, escaped
        inputs = [*tensors, *tracer.scalars]
        slots = {id(t): i for i, t in reversed(list(enumerate(inputs)))}
        kind = SplitGraph if tracer.segments else Graph
        graph = kind(name, tracer, tracer.recorder, results, slots)
        if graph.has_run:
            tracer.run(tracer.recorder)
            tracer.is_done = True
    except BaseException as error:
        is_error = isinstance(error, Exception) and tracer.error is None
        if is_error and not tracer.is_broken and tracer.prints.has_print():
            tracer.run(tracer.recorder)  # earlier prints explain the error
        raise
    finally:
        tracer.close()
    tracer.let_go()
    return result, graph


def _side_effect(tracer, result, results, before):
    """Return (the side effect of a recorded run or None, ESCAPED if a Tensor escaped)."""
    tracer.rebound = []
    values = [*results, *[v for _, v in tracer.written()], *tracer.prints.joined(tracer.recorder)]
    if tracer.is_read_elsewhere or has_escaped(tracer.recorder, result, values):
        return ESCAPE, ESCAPED
    return changed_argument(before), None
