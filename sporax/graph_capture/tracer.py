"""`Tracer`: one recorded run of a function becomes a graph, whose state is lifted to inputs."""

from contextlib import closing
from typing import Any

import jax.numpy as jnp

from sporax.ast_transform.convert import Conversions, obstacle, reading_code
from sporax.core.tensor import drawn_value
from sporax.core.tree import tensors_of
from sporax.core.value import Shared, Uninitialized, Value, thread
from sporax.engine.autocast import mark_precision
from sporax.engine.recorder import Recorder
from sporax.engine.trace_tree import TraceEnds
from sporax.engine.tracer import Tracer
from sporax.graph_capture.graph import Graph
from sporax.graph_capture.side_effects import (
    CONVERTED,
    ESCAPE,
    ESCAPED,
    changed_argument,
    endless,
    has_escaped,
    listed,
)
from sporax.graph_capture.split_graph import SplitGraph
from sporax.guards.snapshot import argument_snapshot
from sporax.staging.deferred_print import DeferredPrints, strong
from sporax.staging.graph_break import Break
from sporax.staging.host_calls import all_tensors
from sporax.staging.symbolic_scalars import tracing
from sporax.storage import lending


class GraphTracer(lending.Scope, Tracer):
    """Decides for a recorder, while a function is captured, what is an input of the graph.

    Where a Tensor from outside is used first, its handle gets a lifted Value: an input of the
    graph. A handle that is rebound during the capture is an output.

    `fullgraph`: the name of a function in which a graph break is an error, or None.
    `host_results`: (position, result) of calls on the host that this call has made already.
    """

    def __init__(self, host_results=(), fullgraph=None):
        super().__init__()
        self.cells = {}  # Cells called, in order -> their static state before
        self.prints = DeferredPrints()  # of this stage so far
        self.scalars = []  # the `Scalar`s that are inputs of the graph
        # graph breaks
        self.is_broken = False
        self.graph_break: Any = None
        self.fullgraph = fullgraph
        self.reason = ""  # why a branch or loop is no operation
        self.unconverted = set()  # the code in which concrete values were needed
        # calls on the host, see `staging.host_calls`
        self.host_results = list(host_results)
        self.parts = []  # the stages and calls so far
        self.known = {}  # id(Value of an earlier part) -> (it, its source in a run or None)
        self.external_handles = {}  # id(handle) -> handle, of those that the capture did not create
        self.tensors_before = {}  # weak, all Tensors alive at the first call on the host
        self.host_calls, self.entering = [], None  # those that are running
        self.host_cells = []  # Cells that were called on the host
        self.is_leaving = False
        self.outer: Any = None  # the recorder around the capture, while it lasts
        self.is_done = False
        self.was_in_graph = thread.in_graph  # before the capture

    def begin(self):
        """Begin to record a stage."""
        thread.in_graph = True
        self.avals = []  # of the inputs
        self.sources = []  # of the inputs: a handle that each call reads, or a constant Value
        self.handles = {}  # id(handle) -> (handle, its Value before, its lifted Value)
        self.rebound = []  # (handle, its Value until then), in order
        self.recorder = thread.recorder = Recorder(self)
        mark_precision()

    def operand_key(self, recorder, value, handle):
        """The input's index for a Value from outside; see `Recorder.operand_key`."""
        if handle is not None and hasattr(handle, "_value"):
            index = self.lift(recorder, handle)
        elif id(value) in self.known:
            index = self._from_earlier_part(recorder, value)
        else:
            index = recorder.input_index.get(id(value.read()))
            if index is None and not self.parts:
                return self._add_input(recorder, value, value)
        if index is None:
            self.end(recorder)
            raise TraceEnds
        return index

    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless it is one; the input's index. None where the
        capture has ended instead."""
        value = handle._value
        if value.trace is recorder:
            return value.index
        if value.__class__ is Uninitialized:  # a graph computes with what it draws
            value = drawn_value(handle)
        if id(value) in self.known:
            index = self._from_earlier_part(recorder, value)
            if index is not None:
                if id(handle) in self.external_handles:
                    self.handles.setdefault(id(handle), (handle, value, value))
                return index
        # created by a call on the host that did not return it
        if self.parts and not self._is_external(handle):
            return self.end(recorder)
        array = value.read()
        if value.aval.weak:  # a mutable number, an array from now on
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
        """Whether the handle is not of the capture's making, when a call on the host has been."""
        before = self.tensors_before.get(id(handle))
        return id(handle) in self.external_handles or (before is not None and before() is handle)

    def _from_earlier_part(self, recorder, value):
        """The input's index for a Value of an earlier part; None if it has no source in a run."""
        source = self.known[id(value)][1]
        if source is None:
            return None
        index = recorder.input_index.get(id(value.read()))
        if index is None:
            index = recorder.input_index[id(value.array)] = self._add_input(recorder, value, source)
        return index

    def before_rebind(self, recorder, handle):
        """A handle is about to be given another Value."""
        if id(handle) not in self.handles:
            self.lift(recorder, handle)
        self.rebound.append((handle, handle._value))

    def add_constant(self, recorder, value):
        """A Value of host data created inside the function: the same at every call."""
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
        """Whether `value` is host data created inside the function: the same at every call."""
        is_input = value.trace is recorder and value.index < 0
        return is_input and self.sources[~value.index] is value

    def concrete_value_needed(self, recorder, value):
        """The concrete value of `value` is about to be read: a graph break, unless it is the same
        at every call."""
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
        """Note that this code of the user's, which may be converted, needs a concrete value."""
        self.unconverted.add(code)
        self.reason = self.reason or obstacle(code) or ""

    def allow(self, host=None):
        """Raise the error for a graph break where the whole function must be captured."""
        if self.fullgraph is not None:
            self.error = Break(host, self.reason).refusal(self.fullgraph)
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
        """Add a print or a check of indices, to be done at each run."""
        self.prints.append(shown)

    def show_prints(self):
        """Print what was recorded and has been run."""
        prints = self.prints.take()
        if not self.host_results:  # else the run that this capture continues has printed it
            prints.run(prints.values())

    def leave(self, recorder, stage, owner):
        """End a stage before a call of `owner` on the host."""
        self.allow(type(owner).__name__)
        if not self.tensors_before:
            self.tensors_before = all_tensors()
        self.parts.append(stage)
        if owner in self.cells:  # it reads its own state at each call
            del self.cells[owner]
            self.host_cells.append(owner)
        self.run(recorder)

    def run(self, recorder):
        """Run what a stage recorded, and continue outside of the capture."""
        self.is_leaving = True
        try:
            recorder.run()
        finally:
            self.is_leaving = False
        if thread.recorder is recorder:
            thread.recorder = thread.new_recorder()
        self.show_prints()

    def cell_called(self, cell):
        """Note that a Cell is about to compute; returns whether this call of it is a new one."""
        if self.entering is cell:
            self.entering = None
            return False
        if cell not in self.cells:
            self.cells[cell] = cell._static_state()
        return True

    def on_graph_break(self, recorder):
        """A graph break: from here on the function runs dynamically."""
        if self.is_leaving:
            return
        self.allow()
        self.is_broken, self.graph_break = True, Break(reason=self.reason)

    def _give_back_written(self):
        """Let other threads see what was written; handles that were only read are as before."""
        for handle, value, lifted in self.handles.values():
            is_first = lifted is self.lent.get(id(handle), (None, None, None))[2]
            if handle._value is lifted and not is_first:
                handle._value = value
        self.give_back()

    def close(self):
        """End the capture, with everything as before if it was interrupted; may be called again."""
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
        """Drop all references to inputs: then the first call donates them already, and compiles no
        other program than later calls."""
        self.handles, self.rebound = {}, []


def capture(
    name, function, args, kwargs, tensors, host_results=(), fullgraph=False, conversions=None,
    scalars=None,
):  # fmt: skip
    """Run `function` once and record it; `tensors`: those in its arguments. `host_results`: see
    `Tracer`. `fullgraph`: whether a graph break is an error, after which everything is as before.
    `conversions`: of source into operations; those that turn out to be needed are added. `scalars`:
    the `ScalarArguments` of the call.

    Returns (result, graph), (result, None) after a graph break, (result, CONVERTED) after one that
    the next capture may do without, or (result, ESCAPED) where somebody else holds a recorded
    Tensor: in these cases the function has run dynamically.
    """
    conversions = conversions or Conversions()
    while True:
        tracer = GraphTracer(host_results, name if fullgraph else None)
        try:
            with closing(tracer), conversions.applied(), tracing(scalars, tracer):
                return _capture(tracer, name, function, args, kwargs, tensors, conversions)
        except RecursionError as error:
            raise endless(error, name, not (tracer.is_broken or tracer.parts)) from error
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
        if conversions.add(tracer.unconverted):  # the next call may be captured
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
        kind = SplitGraph if tracer.parts else Graph
        graph = kind(name, tracer, tracer.recorder, results, slots)
        if graph.has_run:
            tracer.run(tracer.recorder)
            tracer.is_done = True
    except BaseException as error:
        is_error = isinstance(error, Exception) and tracer.error is None
        if is_error and not tracer.is_broken and tracer.prints.has_print():
            tracer.run(tracer.recorder)  # what was printed before explains the error
        raise
    finally:
        tracer.close()
    tracer.let_go()
    return result, graph


def _side_effect(tracer, result, results, before):
    """(the side effect of a recorded run or None, ESCAPED if somebody else holds a Tensor)."""
    tracer.rebound = []
    values = [*results, *[v for _, v in tracer.written()], *tracer.prints.joined(tracer.recorder)]
    if tracer.is_read_elsewhere or has_escaped(tracer.recorder, result, values):
        return ESCAPE, ESCAPED
    return changed_argument(before), None
