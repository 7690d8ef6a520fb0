"""From a capture that made calls on the host to what runs them, and the graphs between, in turn."""

import numpy as np

from sporax.core.tensor import Tensor
from sporax.core.tree import tensors_of
from sporax.core.value import Value, held
from sporax.engine.operation import Op, Rule
from sporax.engine.program import TraceFunction
from sporax.engine.recorder import record, run_pending, wrap
from sporax.guards.dependence import marks_of, unchanged
from sporax.staging.host_calls import Made, OtherResult, Stage, kind
from sporax.storage.views import Sharing


class SplitGraph:
    """A captured function with calls on the host: stages, each one operation, and the calls between
    them.

    `slots`: {id of a Tensor given at capture: its place among a call's own}. `results`: the Values
    of what it returned. See `graph_capture.tracer.Graph`.
    """

    has_run = True

    def __init__(self, name, noted, recorder, results, slots):
        last = Stage(noted, recorder, recorder.state)
        self.results = _made(len(noted.parts), map(last.source, results))
        self.parts = [*noted.parts, last]
        self.prints = {
            id(p): [(shown, _made(i, sources)) for shown, sources in p.prints]
            for i, p in enumerate(self.parts)
            if isinstance(p, Stage)
        }
        stages = [p for p in self.parts if isinstance(p, Stage)]
        sources = [s for p in self.parts for s in p.sources]
        sources += [s for p in stages for _, s in p.written] + self.results
        sources += [s for prints in self.prints.values() for _, seen in prints for s in seen]
        wanted = {}
        for source in sources:
            if isinstance(source, Made) and source.index >= 0:
                wanted.setdefault(source.part, set()).add(source.index)
        handles = [s for s in sources if isinstance(s, Tensor)]
        self.written = [h for p in stages for h, _ in p.written]
        handles += self.written
        self.slots = slots
        self.state = {id(h) for h in handles} - slots.keys()
        self.owners, self.cells = noted.owners, list(noted.cells.items())
        self.trained = marks_of(h for h in handles if id(h) not in slots)
        self.ops = {
            id(p): _stage_op(name, p, sorted(wanted.get(i, ())))
            for i, p in enumerate(self.parts)
            if isinstance(p, Stage)
        }
        self.recorded = sum(op.recorded for op, _ in self.ops.values())
        self.sharing = Sharing([h for h in handles if id(h) not in slots], (), self.written)

    def holds(self):
        """As `Graph.holds`."""
        return unchanged(self.cells, self.trained)

    def __call__(self, tensors, memo=()):
        """As `Graph`; `memo`: what calls on the host have returned already."""
        run_pending()
        before = [(h, h._value.array) for h in (self._handle(h, tensors) for h in self.written)]
        try:
            results = self._run(tensors, memo)
            run_pending()
        except OtherResult:  # which has put it back
            raise
        except BaseException:
            put_back(before)
            raise
        self.sharing.propagate([handle for handle, _ in before], bool(self.slots))
        return results

    def _run(self, tensors, memo):
        run, undo, returned = [], [], []
        for part in self.parts:
            if isinstance(part, Stage):
                self._compute(part, tensors, run, undo)
                if len(returned) >= len(memo):  # those before were made with what it has returned
                    self._act(part, run)
                continue
            if len(returned) < len(memo):
                result = memo[len(returned)][1]
            else:
                result = part.make([self._tensor(s, tensors, run) for s in part.sources])
            returned.append((part.place, result))
            if kind(result) != part.kind:
                for handle, value in reversed(undo):
                    handle._value = value
                raise OtherResult(returned)
            run.append(([t._lift() for t in tensors_of(result)], None))
        return [_now(source, run) for source in self.results]

    def _compute(self, stage, tensors, run, undo):
        """Record a stage, and write back what it changes; `undo`: what was there before."""
        values = [self._value(source, tensors, run) for source in stage.sources]
        op, places = self.ops[id(stage)]
        made = dict(zip(places, record(op, *values) if places else (), strict=True))
        run.append((values, made))
        for handle, source in stage.written:
            handle = self._handle(handle, tensors)
            undo.append((handle, handle._value))
            is_made = isinstance(source, int)
            handle._value = made[source] if is_made else self._value(source, tensors, run)

    def _act(self, stage, run):
        """Print what a stage does."""
        for shown, sources in self.prints[id(stage)]:
            shown.make([_now(source, run) for source in sources])

    def _handle(self, handle, tensors):
        place = self.slots.get(id(handle))
        return handle if place is None else tensors[place]

    def _value(self, source, tensors, run):
        if isinstance(source, Made):
            return source.value(run)
        return source if isinstance(source, Value) else self._handle(source, tensors)._value

    def _tensor(self, source, tensors, run):
        if isinstance(source, Tensor):
            return self._handle(source, tensors)
        return wrap(self._value(source, tensors, run))


def _made(part, sources):
    """Where a run finds what a part computes, or something else."""
    return [Made(part, source) if isinstance(source, int) else source for source in sources]


def _now(source, run):
    """The Value of a source that is no handle."""
    return source if isinstance(source, Value) else source.value(run)


def put_back(before):
    """Give all handles what they had, unless that is given away: then the last program has run, and
    an interrupt came after it. Who holds an array does not keep it from being given away; who holds
    the Value would."""
    if any(array is not None and array.is_deleted() for _, array in before):
        return
    for handle, array in before:
        if array is not None and handle._value.array is not array:
            handle._value = held(array)


def _stage_op(name, stage, wanted):
    """(the operation that computes a stage, the numbers of its outputs)."""
    layout = TraceFunction(stage.state.path(), stage.avals)
    written = [source for _, source in stage.written if isinstance(source, int)]
    places = sorted({*written, *wanted})
    reals = np.array([v.array for v in stage.reals], np.float64)
    integers = np.array([v.array for v in stage.integers], np.int64)
    made = [aval for rule, _ in layout.steps for aval in rule.avals]

    def run(*arrays):
        return layout.outputs(reals, integers, arrays, places)

    op, avals = Op(name, run), tuple(stage.avals)
    op.recorded = len(layout.steps)
    outs = tuple(made[i] if i >= 0 else avals[~i] for i in places)
    op.rules[avals] = Rule(avals, outs, run, False)
    return op, places
