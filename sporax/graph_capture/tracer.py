"""From a function to a `Graph`: one recorded run, with the state that it touched lifted out."""

import itertools
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax.ast_transform.convert import Conversions, asking_code, obstacle
from sporax.core.tree import tensors_of
from sporax.core.value import Shared, borrowing, thread
from sporax.engine.autocast import mark_precision
from sporax.engine.operation import Op, Rule
from sporax.engine.program import TraceFunction
from sporax.engine.recorder import Recorder, run_pending
from sporax.engine.trace_tree import TraceEnds
from sporax.graph_capture.graph_call import Launch
from sporax.graph_capture.input_slots import InputSlots
from sporax.graph_capture.side_effects import HELD, KEPT, changed_argument, endless, is_held, listed
from sporax.graph_capture.split_graph import SplitGraph
from sporax.guards.dependence import marks_of, unchanged
from sporax.guards.snapshot import argument_snapshot
from sporax.staging.deferred_print import DeferredPrints, strong
from sporax.staging.graph_break import Break
from sporax.staging.host_calls import OtherResult, tensors_alive
from sporax.staging.symbolic_scalars import going_on
from sporax.storage.views import Sharing


class Tracer:
    """What a recorder needs to know while a function is captured.

    The first time a Tensor from outside is used, its handle gets a Value of this trace: an input of
    the graph. A handle that is rebound in between is an output.
    """

    has_numbers = takes_checks = True  # so that a call on the host can be made

    def __init__(self, memo=(), whole=None):
        self.cells = {}  # those called on the way, in order -> what each was before
        self.is_broken = False
        self.met: Any = None  # where a number was needed, a `Break`
        self.whole = whole  # the name of a function that must not need one
        self.refusal = None  # what was raised for that
        self.reason = ""  # why a branch or loop is no operation
        self.asking = set()  # the code in which numbers were needed
        # calls on the host, see `staging.host_calls`
        self.parts = []  # the stages and calls so far
        self.known = {}  # id(Value of an earlier part) -> (it, where a run finds it, None: nowhere)
        self.first = {}  # id(handle) -> (handle, its Value before all stages)
        self.outside = {}  # id(handle) -> handle, of those that were there before the capture
        self.there = {}  # all Tensors there were at the first call on the host
        self.calls, self.entering = [], None  # those going on now
        self.owners = []  # Cells of which calls were made on the host
        self.memo = list(memo)  # what calls returned that have been made already
        self.is_leaving = False
        self.prints = DeferredPrints()  # of this stage so far
        self.scalars = []  # what stands for Python numbers of the call, where it is an input

    def begin(self):
        """Record a stage."""
        self.avals = []  # of the inputs
        self.sources = []  # the handle an input is read from at each call, or its constant Value
        self.handles = {}  # id(handle) -> (handle, its Value before, its Value as input)
        self.rebound = []  # (handle, its Value until then), in order
        self.recorder = thread.recorder = Recorder(self)
        mark_precision()

    def leaf(self, recorder, value, handle):
        """The input's number for a Value from outside; see `Recorder.leaf`."""
        if handle is not None and hasattr(handle, "_value"):
            at = self.lift(recorder, handle)
        elif id(value) in self.known:
            at = self._from_before(recorder, value)
        else:
            at = recorder.found.get(id(value.read()))
            if at is None and not self.parts:
                return self._add(recorder, value, value)
        if at is None:
            self.end(recorder)
            raise TraceEnds
        return at

    def lift(self, recorder, handle):
        """Make the handle's Value an input, unless this trace knows it already."""
        value = handle._value
        if value.trace is recorder:
            return value.index
        if id(value) in self.known:
            at = self._from_before(recorder, value)
            if at is not None:
                if id(handle) in self.outside:
                    self.handles.setdefault(id(handle), (handle, value, value))
                return at
        if self.parts and id(handle) not in self.outside and id(handle) not in self.there:
            return self.end(recorder)  # made by a call on the host, which did not return it
        array = value.read()
        if value.aval.weak:  # a mutable number
            array = jnp.asarray(array, value.aval.dtype)
        twin = Shared(value.aval, array, value.base or value)
        twin.watched = value.watched
        twin.index = self._add(recorder, twin, handle)
        twin.trace = recorder
        self.handles[id(handle)] = handle, value, twin
        self.first.setdefault(id(handle), (handle, value))
        self.outside[id(handle)] = handle
        handle._value = twin
        return twin.index

    def _from_before(self, recorder, value):
        """The input's number for a Value of an earlier part; None where a run does not find it."""
        source = self.known[id(value)][1]
        if source is None:
            return None
        at = recorder.found.get(id(value.read()))
        if at is None:
            at = recorder.found[id(value.array)] = self._add(recorder, value, source)
        return at

    def rebinding(self, recorder, handle):
        """A handle is about to be given another Value."""
        if id(handle) not in self.handles:
            self.lift(recorder, handle)
        self.rebound.append((handle, handle._value))

    def constant(self, recorder, value):
        """A Value made of host data inside the function: the same at every call."""
        value.index = self._add(recorder, value, value)
        value.trace = recorder

    def _add(self, recorder, value, source):
        at = ~len(recorder.arrays)
        recorder.arrays.append(value.read())
        recorder.owners.append(None)
        if source is value:
            recorder.found[id(value.array)] = at
        self.avals.append(value.aval)
        self.sources.append(source)
        return at

    def add_number(self, value, source):
        """Make the Value of what stands for a Python number of the call an input."""
        value.trace = self.recorder
        value.index = self._add(self.recorder, value, source)
        self.scalars.append(source)

    def has_number(self, recorder, value):
        """Whether `value` is made of host data inside the function: the same at every call."""
        is_input = value.trace is recorder and value.index < 0
        return is_input and self.sources[~value.index] is value

    def number_needed(self, recorder, value):
        """A number of `value` is about to be read. If it is not the same at every call, the
        function runs dynamically from here on."""
        if not self.has_number(recorder, value):
            self.asked(asking_code())
            self.to_host(recorder)

    def to_host(self, recorder):
        """Go on where Python does what a graph cannot: on the host, or dynamically."""
        self.allow()
        if self.calls and self.calls[-1].can_leave(recorder):
            self.calls[-1].leave(recorder)
        else:
            self.end(recorder)

    def asked(self, code):
        """A number is needed in this code of the user's, which may be converted."""
        self.asking.add(code)
        self.reason = self.reason or obstacle(code) or ""

    def allow(self, host=None):
        """Refuse what needs a number in a function that is to be captured whole."""
        if self.whole is not None:
            self.refusal = Break(host, self.reason).refusal(self.whole)
            raise self.refusal

    def end(self, recorder):
        """Go on dynamically from here on."""
        recorder.run()
        if not self.is_broken:  # there was nothing to run yet
            self.broken(recorder)
            thread.recorder = thread.new_recorder()
        self.act()

    def show(self, shown):
        """Print, or check indices, at each run."""
        self.prints.append(shown)

    def act(self):
        """Print what was recorded and has been run."""
        prints = self.prints.taken()
        if not self.memo:  # else a run has, which is gone on with here
            prints.make(prints.values())

    def leave(self, recorder, stage, owner):
        """A stage ends, since a call of `owner` is made on the host."""
        self.allow(type(owner).__name__)
        if not self.there:
            self.there = tensors_alive()
        self.parts.append(stage)
        if owner in self.cells:  # what it is made of is looked at each time
            del self.cells[owner]
            self.owners.append(owner)
        self.run(recorder)

    def run(self, recorder):
        """Run what a stage recorded, and go on outside of the capture."""
        self.is_leaving = True
        try:
            recorder.run()
        finally:
            self.is_leaving = False
        if thread.recorder is recorder:
            thread.recorder = thread.new_recorder()
        self.act()

    def called(self, cell):
        """A Cell is about to compute. Whether it is so for the first time in this call of it."""
        if self.entering is cell:
            self.entering = None
            return False
        if cell not in self.cells:
            self.cells[cell] = cell._static_state()
        return True

    def broken(self, recorder):
        """A number was needed: from here on the function runs dynamically."""
        if self.is_leaving:
            return
        self.allow()
        self.is_broken, self.met = True, Break(reason=self.reason)

    def written(self):
        """The handles from outside that were rebound, with their Values now."""
        return [(h, h._value) for h, _, twin in self.handles.values() if h._value is not twin]

    def undo(self):
        """Give every handle back what it held before the capture."""
        for handle, value in self.first.values():
            handle._value = value

    def let_go(self):
        """Hold no inputs any more, so that already the first call gives them away, and no program
        is compiled for it that does not."""
        self.handles, self.first, self.rebound = {}, {}, []


class Graph:
    """A captured function: the handles it reads and writes, and the operation it has become.

    `slots`: at which place of the call's own tensors an input is found, by identity of the tensor
    given at capture; all other inputs are state, and `state` has the ids of their handles.
    `has_run`: whether the call that captured it has computed everything already.
    """

    has_run = False

    def __init__(self, name, capture, recorder, results, slots):
        written = capture.written()
        self.prints = capture.prints.taken()
        seen = self.prints.values()
        outs = [*results, *seen, *[value for _, value in written]]
        self.written = InputSlots([handle for handle, _ in written], slots)
        self.n_results, self.n_seen, total = len(results), len(seen), len(outs)
        # a result that this trace did not compute and was not given is the same at every call
        self.fixed = {i: v for i, v in enumerate(outs) if v.trace is not recorder}
        computed = [v for v in outs if v.trace is recorder]
        self.sources = InputSlots(capture.sources, slots)
        self.state = {id(h) for places in (self.sources, self.written) for h in places.state()}
        self.cells = list(capture.cells.items())
        self.trained = marks_of(self.sources.state())
        self.layout = layout = TraceFunction(recorder.state.path(), capture.avals)
        reals = np.array([v.array for v in recorder.reals], np.float64)
        integers = np.array([v.array for v in recorder.integers], np.int64)
        places = [v.index for v in computed]

        def run(*arrays):
            return layout.outputs(reals, integers, arrays, places)

        self.op = Op(name, run)
        self.recorded = self.op.recorded = len(layout.steps)
        avals = tuple(capture.avals)
        outs = tuple(v.aval for v in computed)
        self.op.rules[avals] = Rule(avals, outs, run, False)
        at = {id(source): k for k, source in enumerate(capture.sources)}
        first = len(results) + len(seen)  # of those to be written
        self.computed = [i not in self.fixed for i in range(first, total)]
        replaced = [
            at.get(id(h)) for (h, _), is_new in zip(written, self.computed, strict=True) if is_new
        ]
        self.launch = Launch(self.op, avals, outs, replaced)
        self.sharing = Sharing(self.sources.state(), self.written.state(), self.written.things)
        self.prints.let_go()

    def holds(self):
        """Whether every Cell that was called, and Parameter, is as it was before the capture."""
        return unchanged(self.cells, self.trained)

    def __call__(self, tensors):
        """Results (Values) for the call's own `tensors`; state is read, and written back."""
        if not self.written.things:
            outs = self._run(tensors)
        else:
            with borrowing:  # two threads must not begin from the same state
                outs = self._run(tensors)
        if not self.prints:
            return outs
        self.prints.make(outs[self.n_results :])
        return outs[: self.n_results]

    def _run(self, tensors):
        run_pending()  # a program of its own: it is not compiled with what was recorded before it
        values = [handle._value for handle in self.sources.of(tensors)]
        written = self.written.of(tensors)
        if not self.launch.fits(values):  # a Parameter has got another shape or dtype
            raise OtherResult(())
        made = iter(self.launch(values, list(itertools.compress(written, self.computed))))
        first = self.n_results + self.n_seen  # of those to be written
        total = first + len(written)
        outs = [self.fixed[i] if i in self.fixed else next(made) for i in range(total)]
        for handle, value in zip(written, outs[first:], strict=True):
            handle._value = value
        self.sharing.propagate(written, bool(self.written.slots))
        return outs[:first]


def capture(
    name, function, args, kwargs, tensors, memo=(), whole=False, conversions=None, numbers=None
):
    """Run `function` once, recording it; `tensors`: those in its arguments. `memo`: what calls on
    the host have returned already. `whole`: whether to refuse where a number is needed; everything
    is as before then. `conversions`: the functions that are converted for it, to which are added
    those that turn out to have to be. `numbers`: what stands for those in the arguments.

    Returns (result, Graph), or (result, None) where a number was needed on the way, and
    (result, KEPT) where a Tensor is held elsewhere: then the function has run dynamically.
    """
    conversions = conversions or Conversions()
    while True:
        noted = Tracer(memo, name if whole else None)
        try:
            with borrowing, conversions.exchanged(), going_on(numbers, noted):
                return _capture(noted, name, function, args, kwargs, tensors, conversions)
        except RecursionError as error:
            raise endless(error, name, not (noted.is_broken or noted.parts)) from error
        except RuntimeError as error:
            if error is not noted.refusal or not conversions.found(noted.asking):
                raise


def _capture(noted, name, function, args, kwargs, tensors, conversions):
    thread.recorder.run()
    outer, before = thread.recorder, argument_snapshot((args, kwargs))
    noted.begin()
    try:
        for tensor in tensors:
            if tensor._value.aval.weak:
                noted.lift(noted.recorder, tensor)
        result = listed(function(*args, **kwargs))
        if noted.refusal is not None:  # the function went on after it
            raise noted.refusal
        results = [strong(t._lift()) for t in tensors_of(result)]
        if conversions.found(noted.asking):  # the next call may be captured
            if not noted.is_broken:
                noted.run(noted.recorder)
            return result, None
        if noted.is_broken:
            noted.met.warn(name)
            return result, None
        noted.rebound = []
        known = [*results, *[v for _, v in noted.written()], *noted.prints.joined(noted.recorder)]
        is_kept = is_held(noted.recorder, result, known)
        if is_kept or (effect := changed_argument(before)) is not None:
            if noted.whole is not None:
                raise (HELD if is_kept else effect).refusal(name, function)
            noted.run(noted.recorder)
            if not is_kept:
                effect.warn(name, function)
            return result, KEPT if is_kept else None
        given = [*tensors, *noted.scalars]
        slots = {id(t): i for i, t in reversed(list(enumerate(given)))}
        kind_of = SplitGraph if noted.parts else Graph
        graph = kind_of(name, noted, noted.recorder, results, slots)
        if graph.has_run:
            noted.run(noted.recorder)
            return result, graph
    except BaseException as error:
        if not noted.is_broken:  # else it went on as dynamic code does
            if noted.prints.has_print() and isinstance(error, Exception) and noted.refusal is None:
                noted.run(noted.recorder)  # what was printed before tells what went wrong
            noted.undo()
        raise
    finally:
        if thread.recorder is noted.recorder:
            thread.recorder = outer
            noted.recorder.clear()
    noted.undo()
    noted.let_go()
    return result, graph
