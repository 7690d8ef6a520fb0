"""Captured functions whose arguments change sizes: one recording, a program a bucket of sizes.

Which axes vary is declared (`Cell.set_inputs`) or found out (`jit(dynamic=1)`: those whose sizes
changed). Their sizes become symbols, and the function is recorded once, without numbers. A call
takes the smallest bucket that holds its sizes, pads its arguments, tells the program the true sizes
(see `graph_capture.dynamic_shapes.padding`) and takes the padding off the results. Buckets are the
sizes of the first call, and 2, 3, 4, 6, 8, 12, 16, 24, ... otherwise: two programs for each
doubling. Sizes 0 and 1, sizes that the function compares with, and functions that this is not right
for, have a program for each size, as without.
"""

import contextlib
import itertools
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax.ast_transform.print_runtime import print_exchanged
from sporax.core.errors import is_users
from sporax.core.jax_internals import on_comparison
from sporax.core.tree import map_tensors, tensors_of
from sporax.core.value import WEAK_AVALS, Aval, Value, borrowing, held, leaf, number
from sporax.engine.operation import Op, Rule
from sporax.engine.program import TraceFunction
from sporax.engine.recorder import record, run_pending, wrap
from sporax.graph_capture.dynamic_shapes.dynamic_dims import Misfit
from sporax.graph_capture.dynamic_shapes.padding import Padded
from sporax.graph_capture.dynamic_shapes.symbolic_dims import Unpadded, factors, size_at, varying
from sporax.graph_capture.graph_text import GraphTextTrace
from sporax.graph_capture.input_slots import InputSlots
from sporax.graph_capture.side_effects import is_held
from sporax.guards.dependence import marks_of, unchanged
from sporax.staging.symbolic_scalars import going_on
from sporax.storage.views import Sharing


class BucketTrace(GraphTextTrace):
    """A recording that notes the Cells that are called, as a capture does."""

    parts = ()
    is_broken = False

    def __init__(self, who):
        super().__init__(who)
        self.cells, self.scalars = {}, []

    def called(self, cell):
        """A Cell is about to compute."""
        self.cells.setdefault(cell, cell._static_state())

    def show(self, shown):
        """Refuse: what is printed would have the padding in it."""
        if not shown.is_check:
            raise Unpadded("it prints")

    def add_number(self, value, source):
        """Note what stands for a Python number of the call: an operand, like all numbers here."""
        self.scalars.append(source)


class Comparisons:
    """The sizes that the user's code compares unknown sizes with: JAX says of two that they differ
    wherever they may, so a size that is equal after all needs a program of its own."""

    def __init__(self):
        self.pairs = set()

    @contextlib.contextmanager
    def recorded(self):
        """Record them in the block."""
        token = on_comparison.set(self._record)
        try:
            yield self
        finally:
            on_comparison.reset(token)

    def _record(self, size, other):
        if not _in_user_code():
            return
        if other is None:
            raise Unpadded("it looks something up by a size that varies")
        self.pairs.add((size, other))


def _in_user_code():
    """Whether the user's code compares two sizes, rather than a library."""
    frame: Any = sys._getframe(3)  # beyond `_record` and the comparison itself
    if frame.f_code.co_name == "__ne__":
        frame = frame.f_back
    library = str(frame.f_globals.get("__name__")).partition(".")[0]
    return is_users(frame) and library not in ("jax", "jaxlib", "numpy")


class BucketedGraph:
    """A captured function for arguments of any sizes; see `graph_capture.tracer.Graph`.

    `numbers`: those in the arguments, see `staging.symbolic_scalars`.
    """

    has_run = False

    def __init__(self, name, function, args, kwargs, tensors, sizes, numbers):
        closed, compared, given = BucketTrace(name), Comparisons(), []

        def inside(tensor):
            described = Value(sizes.aval(len(given), tensor._value.aval), None)
            given.append(wrap(closed.input(described)))
            return given[-1]

        with closed, print_exchanged(), compared.recorded(), going_on(numbers, closed):
            args, kwargs = map_tensors(inside, (args, kwargs))
            before = [t._value for t in given]
            self.result: Any = function(*args, **kwargs)
            results = [_known(closed, t._lift()) for t in tensors_of(self.result)]
            if any(t._value is not value for t, value in zip(given, before, strict=True)):
                raise Unpadded("it writes to an argument")
            handles = {id(twin): handle for handle, _, twin in closed.handles.values()}
            written, recorder = closed.written(), closed.recorder
            if is_held(recorder, self.result, [*results, *[value for _, value in written]]):
                raise Unpadded("it leaves a Tensor where others find it after its end")
            self.layout = TraceFunction(recorder.state.path())
            self.pools = [*recorder.reals], [*recorder.integers]
        self.name, self.sizes = name, sizes
        sizes.compared |= compared.pairs
        if not sizes.fit(tensors):
            raise Misfit
        self.recorded = len(self.layout.steps)
        self.places = [v.index for v in (*results, *[value for _, value in written])]
        self.written, self.n_results = [handle for handle, _ in written], len(results)
        self.scalars = [s.made for s in closed.scalars]
        slots = {id(value): i for i, value in enumerate([*before, *self.scalars])}
        sources = [
            twin if id(twin) in slots else handles.get(id(twin), value)
            for twin, value in zip(closed.inputs, closed.operands, strict=True)
        ]
        self.sources = InputSlots([*sources, *self.scalars], slots)
        self.state = {id(s) for s in (*self.sources.state(), *self.written)}
        self.sharing = Sharing(self.sources.state(), self.written, self.written)
        self.cells = list(closed.cells.items())
        self.trained = marks_of(self.sources.state())
        self.avals = [v.aval for v in (*closed.inputs, *self.scalars)]
        self.exact = sizes.of(tensors)
        self.layouts: Any = None  # of the results
        self.ops = {}  # sizes that it runs at -> operation
        self._lower()

    def _lower(self):
        """Write the function as a jaxpr with symbols, and find out whether padding is right."""
        n = len(self.avals) - len(self.scalars)

        def run(*arrays):
            given = dict(zip(map(id, self.scalars), arrays[n:], strict=True))
            reals, integers = [
                [given.get(id(v), jnp.asarray(v.array, v.aval.dtype)) for v in pool]
                for pool in self.pools
            ]
            return self.layout.outputs(reals, integers, arrays[:n], self.places)

        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.avals]
        self.program = jax.make_jaxpr(run)(*specs)
        self.outs = [Aval.of(a.shape, a.dtype) for a in self.program.out_avals]
        if any(map(varying, self.outs[self.n_results :])):
            raise Unpadded("what it writes has a size that varies")
        (rule,) = self._operation(self.exact).rules.values()
        jax.eval_shape(rule.run, *[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in rule.operands])

    def holds(self):
        """As `Graph.holds`."""
        return unchanged(self.cells, self.trained)

    def __call__(self, tensors):
        """As `Graph`."""
        sizes = self.sizes.of(tensors)
        room = {name: self._bucket(name, n) for name, n in sizes.items()}
        with borrowing:  # two threads must not begin from the same state
            results = self._run(tensors, sizes, room)
        run_pending()
        return results

    def _bucket(self, name, n):
        """The smallest of the sizes that have a program which is at least n."""
        power = 1 << (n - 1).bit_length()
        grid = 3 * power // 4 if n <= 3 * power // 4 else power
        return min(grid, self.exact[name]) if self.exact[name] >= n else grid

    def _run(self, tensors, sizes, room):
        values = [handle._value for handle in self.sources.of(tensors)]
        for k, _ in self.sources.slots:
            values[k] = _padded(values[k], self.avals[k], room)
        given = [number("jit", n) for n in sizes.values()]
        made = record(self._operation(room), *values, *given)
        for handle, value in zip(self.written, made[self.n_results :], strict=True):
            handle._value = value
        self.sharing.propagate(self.written, False)
        results = zip(made, self.outs, self.layouts, strict=True)
        return [
            _cut(value, aval, layouts, sizes, room)
            for value, aval, layouts in itertools.islice(results, self.n_results)
        ]

    def _operation(self, room):
        """The operation (inputs at these sizes, the true sizes) -> results at these sizes."""
        key = tuple(room.items())
        if key in self.ops:
            return self.ops[key]
        names, n = list(room), len(self.avals)

        def run(*arrays):
            true = dict(zip(names, arrays[n:], strict=True))
            program = self.program
            made, self.layouts = Padded(true, room).run(program.jaxpr, program.consts, arrays[:n])
            return tuple(made)

        op = self.ops[key] = Op(self.name, run)
        op.recorded = self.recorded
        avals = (*[_at(a, room) for a in self.avals], *[WEAK_AVALS[int]] * len(names))
        op.rules[avals] = Rule(avals, tuple(_at(a, room) for a in self.outs), run, False)
        return op


def resizable(name, function, args, kwargs, tensors, sizes, numbers):
    """(what the function returned, `BucketedGraph`) as `graph_capture.tracer.capture`."""
    graph = BucketedGraph(name, function, args, kwargs, tensors, sizes, numbers)
    result, graph.result = graph.result, None  # it holds on to all inputs
    return result, graph


def _known(closed, value):
    return value if value.trace is closed.recorder else closed.whole(value)


def _at(aval, sizes):
    """An aval for these sizes of the symbols."""
    return Aval.of(tuple(size_at(n, sizes) for n in aval.shape), aval.dtype, aval.weak)


# On a CPU padding is made on the host: XLA would compile it for each size.


def _padded(value, aval, room):
    """A Value with padding up to the sizes of a bucket; never given away, as one that needs no
    padding is not, since that would be another program."""
    shape = _at(aval, room).shape
    if shape == value.aval.shape:
        return value
    array = value.read()
    if jax.default_backend() != "cpu":
        widths = [(0, n - m, 0) for n, m in zip(shape, array.shape, strict=True)]
        return held(jax.lax.pad(array, jnp.zeros((), array.dtype), widths))
    padded = np.zeros(shape, array.dtype)
    padded[tuple(map(slice, array.shape))] = np.asarray(array)
    return held(jax.device_put(padded))


def _cut(value, aval, layouts, sizes, room):
    """A Value without its padding; `layouts`: those of its axes."""
    shape = _at(aval, sizes).shape
    if shape == value.aval.shape:
        return value
    parts = [f for n, own in zip(aval.shape, layouts, strict=True) for f in own or factors(n)]
    places = tuple([slice(size_at(f, sizes)) for f in parts])
    array = value.read()
    if jax.default_backend() == "cpu":
        array = np.asarray(array)
    array = array.reshape([size_at(f, room) for f in parts])[places].reshape(shape)
    return leaf(jax.device_put(np.array(array)) if isinstance(array, np.ndarray) else array)
