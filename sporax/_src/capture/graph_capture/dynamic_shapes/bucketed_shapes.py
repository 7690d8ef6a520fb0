"""Captured functions with dynamic argument sizes: one recording, one program per bucket of sizes.

Dynamic axes are declared (`Cell.set_inputs`) or detected (`jit(dynamic=1)`: axes whose sizes
changed). Their sizes become symbolic dimensions, and the function is recorded once, without
concrete values. A call pads its arguments to the smallest bucket that holds its sizes, passes the
true sizes to the program (see `graph_capture.dynamic_shapes.padding`) and removes the padding from
the results. Bucket sizes are the sizes of the first call, and 2, 3, 4, 6, 8, 12, 16, 24, ...
otherwise: two programs per doubling. Sizes 0 and 1, sizes equal to one that the function compares
with, and functions for which padding is not correct get one program per size.
"""

import contextlib
import functools
import itertools
import sys
from contextlib import closing
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.capture.ast_transform.print_runtime import print_replaced
from sporax._src.capture.graph_capture.dynamic_shapes.dynamic_dims import OtherSizes
from sporax._src.capture.graph_capture.dynamic_shapes.padding import PaddedProgram
from sporax._src.capture.graph_capture.dynamic_shapes.symbolic_dims import (
    CannotPad,
    dynamic_axes,
    factors,
    size_at,
)
from sporax._src.capture.graph_capture.graph import CapturedGraph, captured_op
from sporax._src.capture.graph_capture.graph_text import GraphTextTrace
from sporax._src.capture.graph_capture.input_slots import InputSlots
from sporax._src.capture.graph_capture.side_effects import has_escaped
from sporax._src.capture.staging.symbolic_scalars import tracing
from sporax._src.core.errors import is_users
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.jax_internals import (
    default_platform,
    is_symbolic,
    on_comparison,
    primitive_jaxpr,
)
from sporax._src.core.to_host import on_host
from sporax._src.core.tree import itself, map_tensors, tensors_of
from sporax._src.core.value import (
    WEAK_AVALS,
    Aval,
    Value,
    owned_value,
    scalar_value,
    shared_value,
    updating,
)
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.program import TraceFunction
from sporax._src.runtime.engine.recorder import record, run_pending, wrap


class BucketTrace(GraphTextTrace):
    """Records a function with symbolic dimensions and the Cells that it calls."""

    segments = ()
    is_broken = False

    def __init__(self, who):
        super().__init__(who)
        self.cells, self.scalars = {}, []

    def cell_called(self, cell):
        """Record that a Cell is called."""
        self.cells.setdefault(cell, cell._captured_state())

    def add_deferred(self, shown):
        """Raise CannotPad for prints, which would show the padding."""
        require(shown.is_check, "prints", error=CannotPad)

    def add_number(self, value, source):
        """Record a `Scalar` as an operand, like all numbers of this trace."""
        self.scalars.append(source)


class Comparisons:
    """Pairs of sizes that user code compared. JAX assumes that two sizes differ where they can, so
    equal sizes need a separate program."""

    def __init__(self):
        self.pairs = set()

    @contextlib.contextmanager
    def recorded(self):
        """Record the comparisons in the block."""
        token = on_comparison.set(self._record)
        try:
            yield self
        finally:
            on_comparison.reset(token)

    def _record(self, size, other):
        if not _in_user_code():
            return
        require(other is not None, "looks-something-up-size", error=CannotPad)
        self.pairs.add((size, other))


def _in_user_code():
    """Return True if user code, not a library, compares or hashes a size."""
    frame: Any = sys._getframe(3)  # skips `_record` and the comparison itself
    if frame.f_code.co_name == "__ne__":
        frame = frame.f_back
    library = str(frame.f_globals.get("__name__")).partition(".")[0]
    return is_users(frame) and library not in ("jax", "jaxlib", "numpy")


class BucketedGraph(CapturedGraph):
    """A captured function for arguments with dynamic sizes.

    `scalars`: the `ScalarArguments` of the call.
    """

    def __init__(self, name, function, args, kwargs, tensors, sizes, scalars):
        self.name, self.sizes = name, sizes
        trace, comparisons, inputs = BucketTrace(name), Comparisons(), []

        def symbolic(tensor):
            described = Value(sizes.aval(len(inputs), tensor._value.aval), None)
            inputs.append(wrap(trace.input(described)))
            return inputs[-1]

        shown, compared = print_replaced(), comparisons.recorded()
        with closing(trace), trace, shown, compared, tracing(scalars, trace):
            args, kwargs = map_tensors(symbolic, (args, kwargs))
            before = [t._value for t in inputs]
            self.result: Any = function(*args, **kwargs)
            results = [trace.inside(t._lift()) for t in tensors_of(self.result)]
            is_same = all(t._value is value for t, value in zip(inputs, before, strict=True))
            require(is_same, "writes-argument", error=CannotPad)
            handles = {id(lifted): handle for handle, _, lifted in trace.handles.values()}
            written, recorder = trace.written(), trace.recorder
            outputs = [*results, *[value for _, value in written]]
            is_whole = not has_escaped(recorder, self.result, outputs)
            require(is_whole, "leaves-tensor-others-find", error=CannotPad)
            self.trace = TraceFunction(recorder.state.path())
            self.numbers = [*recorder.reals], [*recorder.integers]
        sizes.compared |= comparisons.pairs
        if not sizes.fit(tensors):
            raise OtherSizes
        self.outputs = [value.index for value in outputs]
        self.written, self.n_results = [handle for handle, _ in written], len(results)
        self.recorded, self.scalars = len(self.trace.steps), [s.input for s in trace.scalars]
        slots = {id(value): i for i, value in enumerate([*before, *self.scalars])}
        sources = [
            lifted if id(lifted) in slots else handles.get(id(lifted), value)
            for lifted, value in zip(trace.inputs, trace.operands, strict=True)
        ]
        self.sources = InputSlots([*sources, *self.scalars], slots)
        super().__init__(trace.cells, self.sources.state(), self.written, self.written)
        self.avals = [v.aval for v in (*trace.inputs, *self.scalars)]
        self.layouts: Any = None  # layouts of the results
        self.first_sizes, self.ops = sizes.evaluate(tensors), {}  # sizes of a bucket -> operation
        self._lower()

    def concrete_sizes(self, tensors):
        """Return a function that replaces a symbolic size by its int for these Tensors."""
        return functools.partial(_concrete, self.sizes.evaluate(tensors))

    def _lower(self):
        """Lower the trace to a jaxpr with symbolic dimensions, and check that it can be padded."""
        n = len(self.avals) - len(self.scalars)

        def run(*arrays):
            scalars = dict(zip(map(id, self.scalars), arrays[n:], strict=True))
            reals, integers = [
                [scalars.get(id(v), jnp.asarray(v.array, v.aval.dtype)) for v in values]
                for values in self.numbers
            ]
            return self.trace.outputs(reals, integers, arrays[:n], self.outputs)

        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in self.avals]
        self.program = primitive_jaxpr(jax.make_jaxpr(run)(*specs))
        out_avals: list[Any] = self.program.out_avals
        self.out_avals = [Aval.intern(a.shape, a.dtype) for a in out_avals]
        is_fixed = not any(map(dynamic_axes, self.out_avals[self.n_results :]))
        require(is_fixed, "what-writes-size-varies", error=CannotPad)
        (rule,) = self._operation(self.first_sizes).rules.values()
        jax.eval_shape(rule.run, *[jax.ShapeDtypeStruct(a.shape, a.dtype) for a in rule.operands])

    def operations(self):
        return [*self.ops.values()]

    def __call__(self, tensors, host_results=()):
        sizes = self.sizes.evaluate(tensors)
        bucket = {name: self._bucket_size(name, n) for name, n in sizes.items()}
        results = self._run_alone(tensors, sizes, bucket)
        run_pending()
        return results

    def _bucket_size(self, name, n):
        """Return the smallest bucket size of at least n."""
        power = 1 << (n - 1).bit_length()
        size = 3 * power // 4 if n <= 3 * power // 4 else power
        first = self.first_sizes[name]
        return min(size, first) if first >= n else size

    @uninterrupted
    def _run_alone(self, tensors, sizes, bucket):
        with updating:  # two threads must not start from the same state
            return self._run(tensors, sizes, bucket)

    def _run(self, tensors, sizes, bucket):
        values = [handle._value for handle in self.sources.handles_for(tensors)]
        for k, _ in self.sources.slots:
            values[k] = _padded(values[k], self.avals[k], bucket)
        true_sizes = [scalar_value("jit", n) for n in sizes.values()]
        outputs = record(self._operation(bucket), *values, *true_sizes)
        for handle, value in zip(self.written, outputs[self.n_results :], strict=True):
            handle._value = value
        self.sharing.propagate(lambda: self.written, False)
        results = zip(outputs, self.out_avals, self.layouts, strict=True)
        return [
            _unpadded(value, aval, layouts, sizes, bucket)
            for value, aval, layouts in itertools.islice(results, self.n_results)
        ]

    def _operation(self, bucket):
        """Return the operation (bucket-sized inputs, true sizes) -> padded results."""
        key = tuple(bucket.items())
        if key in self.ops:
            return self.ops[key]
        names, n = list(bucket), len(self.avals)

        def run(*arrays):
            padded = PaddedProgram(dict(zip(names, arrays[n:], strict=True)), bucket)
            program = self.program
            outputs, self.layouts = padded.run(program.jaxpr, program.consts, arrays[:n])
            return tuple(outputs)

        avals = (*[_at(a, bucket) for a in self.avals], *[WEAK_AVALS[int]] * len(names))
        out_avals = tuple(_at(a, bucket) for a in self.out_avals)
        op = self.ops[key] = captured_op(self.name, run, avals, out_avals, self.recorded)
        return op


def capture_bucketed(name, function, args, kwargs, tensors, sizes, scalars):
    """Return (the function's result, its `BucketedGraph`); see `graph_capture.tracer.capture`."""
    graph = BucketedGraph(name, function, args, kwargs, tensors, sizes, scalars)
    result, graph.result = graph.result, None  # it references all inputs
    sizes = []
    map_tensors(itself, result, lambda item: sizes.extend([item] if is_symbolic(item) else []))
    for size in sizes:  # raises for sizes that have no value
        size_at(size, graph.first_sizes)
    graph.returns_sizes = bool(sizes)
    return result, graph


def _concrete(sizes, item):
    return size_at(item, sizes) if is_symbolic(item) else item


def _at(aval, sizes):
    """Return the aval with symbols replaced by these sizes."""
    return Aval.intern(tuple(size_at(n, sizes) for n in aval.shape), aval.dtype, aval.weak)


# On CPU, padding is done on the host: XLA would compile it for each size.


def _padded(value, aval, bucket):
    """Pad a Value to the sizes of a bucket. The result is never donated; nor is a Value that needs
    no padding, since that would need another program."""
    shape = _at(aval, bucket).shape
    if shape == value.aval.shape:
        return value
    array = value.read()
    if default_platform() != "cpu":
        widths = [(0, n - m, 0) for n, m in zip(shape, array.shape, strict=True)]
        return shared_value(jax.lax.pad(array, jnp.zeros((), array.dtype), widths))
    padded = np.zeros(shape, array.dtype)
    padded[tuple(map(slice, array.shape))] = on_host(array)
    return shared_value(jax.device_put(padded))


def _unpadded(value, aval, layouts, sizes, bucket):
    """Remove the padding of a Value; `layouts`: of its axes."""
    shape = _at(aval, sizes).shape
    if shape == value.aval.shape:
        return value
    dims = [f for n, own in zip(aval.shape, layouts, strict=True) for f in own or factors(n)]
    slices = tuple([slice(size_at(f, sizes)) for f in dims])
    array = value.read()
    if default_platform() == "cpu":
        array = on_host(array)
    array = array.reshape([size_at(f, bucket) for f in dims])[slices].reshape(shape)
    return owned_value(jax.device_put(np.array(array)) if isinstance(array, np.ndarray) else array)
