"""`SplitGraph`: a captured function with host calls, and the graphs between them."""

from sporax._src.capture.graph_capture.graph import CapturedGraph, trace_operation
from sporax._src.capture.staging.host_calls import OtherResult, SegmentOutput, Stage, result_kind
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import Value, shared_value
from sporax._src.runtime.engine.recorder import record, run_pending, wrap


class SplitGraph(CapturedGraph):
    """A captured function as segments: stages, each one operation, and host calls.

    `slots`: {id of a Tensor in the arguments at capture: its position among a call's Tensors}.
    `results`: the Values that the function returned.
    """

    has_run = True

    def __init__(self, name, tracer, recorder, results, slots):
        last = Stage(tracer, recorder, recorder.state)
        self.results = _located(len(tracer.segments), map(last.source, results))
        self.segments, self.slots = [*tracer.segments, last], slots
        self.host_cells = tracer.host_cells
        stages = {i: p for i, p in enumerate(self.segments) if isinstance(p, Stage)}
        self.prints = {
            id(p): [(shown, _located(i, sources)) for shown, sources in p.prints]
            for i, p in stages.items()
        }
        sources = [s for p in self.segments for s in p.sources]
        sources += [s for p in stages.values() for _, s in p.written] + self.results
        sources += [s for prints in self.prints.values() for _, own in prints for s in own]
        read_later = {i: set() for i in range(len(self.segments))}
        for source in sources:
            if isinstance(source, SegmentOutput) and source.index >= 0:
                read_later[source.segment].add(source.index)
        self.written = [h for p in stages.values() for h, _ in p.written]
        handles = [*[s for s in sources if isinstance(s, Tensor)], *self.written]
        super().__init__(tracer.cells, [h for h in handles if id(h) not in slots], (), self.written)
        self.ops = {id(p): _stage_operation(name, p, read_later[i]) for i, p in stages.items()}
        self.recorded = sum(op.recorded for op, _ in self.ops.values())

    def operations(self):
        return [op for op, _ in self.ops.values()]

    def __call__(self, tensors, host_results=()):
        run_pending()
        before = [
            (h, h._value.computed()) for h in (self._handle(h, tensors) for h in self.written)
        ]
        try:
            results = self._run(tensors, host_results)
            run_pending()
        except OtherResult:  # `_run` has restored the handles
            raise
        except BaseException:
            restore_arrays(before)
            raise
        self.sharing.propagate(lambda: [handle for handle, _ in before], bool(self.slots))
        return results

    def _run(self, tensors, host_results):
        values, undo, returned = [], [], []  # `values`: (inputs or results, outputs) by segment
        for segment in self.segments:
            if isinstance(segment, Stage):
                self._run_stage(segment, tensors, values, undo)
                if len(returned) >= len(host_results):  # earlier prints have already been shown
                    for shown, sources in self.prints[id(segment)]:
                        shown.run([_value(source, values) for source in sources])
                continue
            if len(returned) < len(host_results):
                result = host_results[len(returned)][1]
            else:
                result = segment.run([self._tensor(s, tensors, values) for s in segment.sources])
            returned.append((segment.position, result))
            if result_kind(result) != segment.kind:
                for handle, value in reversed(undo):
                    handle._value = value
                raise OtherResult(returned)
            values.append(([t._lift() for t in tensors_of(result)], None))
        return [_value(source, values) for source in self.results]

    def _run_stage(self, stage, tensors, values, undo):
        """Record a stage, and write to its handles; `undo`: (handle, previous Value) pairs."""
        inputs = [self._input(source, tensors, values) for source in stage.sources]
        op, indices = self.ops[id(stage)]
        outputs = dict(zip(indices, record(op, *inputs) if indices else (), strict=True))
        values.append((inputs, outputs))
        for handle, source in stage.written:
            handle = self._handle(handle, tensors)
            undo.append((handle, handle._value))
            is_output = isinstance(source, int)
            handle._value = outputs[source] if is_output else self._input(source, tensors, values)

    def _handle(self, handle, tensors):
        position = self.slots.get(id(handle))
        return handle if position is None else tensors[position]

    def _input(self, source, tensors, values):
        is_handle = not isinstance(source, (SegmentOutput, Value))
        return self._handle(source, tensors)._value if is_handle else _value(source, values)

    def _tensor(self, source, tensors, values):
        if isinstance(source, Tensor):
            return self._handle(source, tensors)
        return wrap(self._input(source, tensors, values))


def _located(segment, sources):
    """Convert output indices of a segment in `sources` to `SegmentOutput`s."""
    return [SegmentOutput(segment, s) if isinstance(s, int) else s for s in sources]


def _value(source, values):
    """Return the Value of a source that is not a handle."""
    return source if isinstance(source, Value) else source.value(values)


def restore_arrays(before):
    """Restore the arrays of handles, [(handle, array)], unless one has been donated: then the last
    program has run, and the interrupt arrived after it. A reference to an array does not prevent
    donation; a reference to its Value would."""
    if any(array is not None and array.is_deleted() for _, array in before):
        return
    for handle, array in before:
        if array is not None and handle._value.array is not array:
            handle._value = shared_value(array)


def _stage_operation(name, stage, read_later):
    """Return (the operation that computes a stage, the indices of its outputs). `read_later`: the
    indices that later segments read."""
    written = [source for _, source in stage.written if isinstance(source, int)]
    indices = sorted({*written, *read_later})
    states = stage.state.path()
    op, _ = trace_operation(name, states, stage.avals, stage.reals, stage.integers, indices)
    return op, indices
