"""`CapturedGraph`, which is called in place of a captured function, and `Graph`: one program."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from sporax._src.capture.graph_capture.graph_call import GraphCall, captured_op
from sporax._src.capture.graph_capture.input_slots import InputSlots
from sporax._src.capture.graph_capture.packed_state import PackedCall
from sporax._src.capture.graph_capture.saved_graphs import save_graph
from sporax._src.capture.guards.dependence import marks_of, unchanged
from sporax._src.capture.staging.host_calls import OtherResult
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.value import Meta, updating
from sporax._src.runtime.engine.program import TraceFunction
from sporax._src.runtime.engine.recorder import run_pending
from sporax._src.runtime.engine.trace_tree import OnMeta, forest
from sporax._src.runtime.storage.views import Sharing


class CapturedGraph(ABC):
    """A captured function as programs, with the state that it reads and writes.

    `has_run`: True if the capturing call has already computed its result. `recorded`: the number of
    operations. `state`: the ids of the handles that it reads or writes and that are not arguments.
    `sharing`: which of its tensors share memory. `cells`, `marks`: the called Cells and the Tensors
    that it reads, each with the attributes that a derivative or a Cell's mode depends on.
    """

    has_run = False
    returns_sizes = False  # True if its result contains symbolic dimensions
    concrete_sizes: Callable
    recorded: int

    def __init__(self, cells, reads, writes, written):
        """`reads` and `writes`: non-argument handles; `written`: all written handles."""
        self.cells, self.marks, self.place = list(cells.items()), marks_of(reads), forest.place
        self.state = {id(handle) for handle in (*reads, *writes)}
        self.sharing = Sharing(reads, writes, written)

    def is_valid(self):
        """Return True if all called Cells and read Tensors are as at capture, the active Mesh has
        the same devices, and the memory limit is the same."""
        return self.place == forest.place and unchanged(self.cells, self.marks)

    @abstractmethod
    def operations(self):
        """Return the operations that its programs compute, as far as they have been made."""

    @abstractmethod
    def __call__(self, tensors, host_results=()):
        """Compute the results (Values) for the Tensors in a call's arguments; reads and writes the
        state. `host_results`: results already returned by host calls in this call."""


class Graph(CapturedGraph):
    """A captured function without calls on the host: one operation.

    `slots`: {id of a Tensor in the arguments at capture: its position among a call's Tensors}; all
    other inputs are state.
    """

    def __init__(self, name, tracer, recorder, results, slots):
        written = tracer.written()
        self.prints = tracer.prints.take()
        printed = self.prints.values()
        outputs = [*results, *printed, *[value for _, value in written]]
        self.written = InputSlots([handle for handle, _ in written], slots)
        self.n_results = len(results)
        self.first_written = len(results) + len(printed)
        # an output that this trace neither computes nor has as an input is a constant
        self.constants = {i: v for i, v in enumerate(outputs) if v.trace is not recorder}
        self.sources = InputSlots(tracer.sources, slots)
        super().__init__(
            tracer.cells, self.sources.state(), self.written.state(), self.written.handles
        )
        op, out_avals = trace_operation(
            name, recorder.state.path(), tracer.avals, recorder.reals, recorder.integers,
            [v.index for v in outputs if v.trace is recorder],
        )  # fmt: skip
        self.op, self.recorded = op, op.recorded
        first = self.first_written
        fixed = {i - first: value for i, value in self.constants.items() if i >= first}
        computed = [j for j in range(len(written)) if j not in fixed]
        self.fixed, self.fixed_values = self.written.some(fixed), [*fixed.values()]
        self.computed = self.written.some(computed)
        inputs = {id(source): k for k, source in enumerate(tracer.sources)}
        replaced = [inputs.get(id(written[j][0])) for j in computed]
        self.call = GraphCall(op, tuple(tracer.avals), out_avals, replaced)
        self.packed = PackedCall.of(self.call, self.sources, self.computed)
        self.prints.let_go()

    def operations(self):
        return [self.op]

    def __call__(self, tensors, host_results=()):
        outputs = self._outputs(tensors)
        if not self.prints:
            return outputs
        self.prints.run(outputs[self.n_results :])
        return outputs[: self.n_results]

    @uninterrupted
    def _outputs(self, tensors):
        if not self.written.handles:
            return self._run(tensors)
        with updating:  # two threads must not start from the same state
            return self._run(tensors)

    def _run(self, tensors):
        run_pending()  # the graph is not compiled together with operations recorded before it
        try:
            outputs = self._computed(tensors)
        except RuntimeError:
            if any(h._value.__class__ is Meta for h in self.sources.handles_for(tensors)):
                raise OnMeta from None  # moved there since the capture
            raise
        if constants := self.constants:
            left = iter(outputs)
            outputs = [
                constants[i] if i in constants else next(left) for i in range(self.first_written)
            ]
        self.sharing.propagate(lambda: self.written.handles_for(tensors), bool(self.written.slots))
        return outputs[: self.first_written]

    def _computed(self, tensors):
        """Return the outputs of a call that are not constants."""
        fixed = [*zip(self.fixed.handles_for(tensors), self.fixed_values, strict=True)]
        if self.packed is not None and not self.sharing.exists():
            outputs = self.packed(tensors, fixed)
            if outputs is not None:
                return outputs
        values = [handle._value for handle in self.sources.handles_for(tensors)]
        if not self.call.accepts(values):  # a Parameter has another shape or dtype than at capture
            raise OtherResult(())
        if not self.written.handles and not self.call.has_weak_inputs:
            return self.call.read_only(values)
        return self.call(values, self.computed.handles_for(tensors), fixed)


def trace_operation(name, states, avals, reals, integers, outputs):
    """Return (an operation that computes these outputs of a trace, their avals). `avals`: of the
    inputs; `reals`, `integers`: the Values of Python numbers, which are constants of the trace."""
    trace, avals = TraceFunction(states, avals), tuple(avals)
    run = trace.on_arrays([v.array for v in reals], [v.array for v in integers], outputs)
    computed = [aval for _, rule, _ in trace.steps for aval in rule.avals]
    out_avals = tuple(computed[i] if i >= 0 else avals[~i] for i in outputs)
    op = captured_op(name, run, avals, out_avals, len(trace.steps))
    op.collective = trace.collective
    with op.axis():
        save_graph(name, run, avals)
    return op, out_avals
