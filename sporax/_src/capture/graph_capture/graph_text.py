"""`Listing`: the operations of a function, recorded without running it, to print or to export."""

import collections
import contextlib
import inspect
import sys
from contextlib import closing
from typing import Any

from sporax._src.capture.ast_transform.convert import Conversions
from sporax._src.capture.graph_capture.mutable import MutableInput
from sporax._src.core.errors import describe, users_frame
from sporax._src.core.parameter import Parameter
from sporax._src.core.random import is_random_state
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import leaves_with_paths, map_tensors, tensors_of
from sporax._src.core.value import Value, thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.program import TraceFunction
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.lifting.abstract_trace import AbstractTrace


class GraphTextTrace(AbstractTrace):
    """A trace in which only host data created inside the function has concrete values. It does not
    check indices: neither a listing nor an exported program can raise."""

    checks_indices = False

    def concrete_value_needed(self, recorder, value):
        inside = value.trace is recorder and value.index < 0
        if not inside or self.operands[~value.index] is not value:
            raise self.concrete_value_error()

    def add_deferred(self, shown):
        """Add a print, with the number of operations before it."""
        if not shown.is_check:
            self.prints.append((self.recorder.state.depth, shown))


class Lines:
    """User source line at which each state of a recorder was reached; also logs Cell calls to
    `cell_log` unless it is None."""

    def __init__(self, recorder, cell_log=None):
        self.recorder, self.by_state, self.cell_log = recorder, {}, cell_log
        recorder.on_record = self.add

    def add(self):
        """Record the user line of the current operation."""
        if self.cell_log is not None:
            self.cell_log.note(self.recorder.state)
        frame, _ = users_frame(sys._getframe(1))
        if frame is not None:
            self.by_state[self.recorder.state] = frame.f_code.co_filename, frame.f_lineno

    def along(self, path):
        """Return the line of each state of a path. Of states reached in one step (a replayed path),
        only the last one's line is known and used for all."""
        lines, line = [], None
        for state in reversed(path):
            line = self.by_state.get(state, line)
            lines.append(line)
        return lines[::-1]


class Input:
    """One input of a listing: `kind` is 'argument', 'parameter', 'state', 'tensor' or 'constant'.

    `source`: the handle or Value with its concrete value; None for an argument.
    """

    __slots__ = ("aval", "kind", "name", "source")

    def __init__(self, kind, name, aval, source: Any = None):
        self.kind, self.name, self.aval, self.source = kind, name, aval, source

    def read(self):
        """Return its current array."""
        value = self.source if isinstance(self.source, Value) else self.source._value
        return value.read()


class Listing:
    """The operations of a function for arguments of these shapes; printable.

    `inputs`: arguments first, then Parameters, random state, other Tensors, and constants.
    `described(name, value)`: the Value to record for an argument; default: its own. `outputs`:
    indices of the results, then of the new Values of `written` (names of the written handles).
    `result`: the return value. `prints`: the recorded prints. `cell_log`: records the calls of
    Cells, see `insight.cell_log`.

    >>> print(jit(lambda x: ops.tanh(x) * 2).graph(Tensor([1.0])))
    graph <lambda>(x: Float32 (1,))
      %0 = Tanh(x): Float32 (1,)  # ...
      %1 = Mul(%0, 2): Float32 (1,)  # ...
      return %1
    """

    def __init__(self, who, name, function, args, kwargs, described=None, cell_log=None):
        self.name = name
        conversions = Conversions()
        while True:
            trace = GraphTextTrace(who)
            if cell_log is not None:
                trace.cell_log = cell_log.restarted()
            try:
                with conversions.applied():
                    self._record(trace, function, _bound(who, function, args, kwargs), described)
                return
            except RuntimeError as error:  # a concrete value is needed, e.g. for a condition
                if not conversions.may_help(error, trace.unconverted):
                    raise

    def _record(self, trace, function, bound, described):
        names = argument_names(trace.who, bound.arguments)
        recorder = trace.recorder
        lines = Lines(recorder, trace.cell_log)
        lifted_arguments = []

        def inside(tensor):
            value, name = tensor._value, names[len(lifted_arguments)]
            lifted_arguments.append(
                wrap(trace.input(described(name, value) if described else value))
            )
            return lifted_arguments[-1]

        with closing(trace), trace, _without_tape():
            bound.arguments.update(map_tensors(inside, bound.arguments))
            before = [tensor._value for tensor in lifted_arguments]
            self.result = function(*bound.args, **bound.kwargs)
            results = [trace.inside(t._lift()) for t in tensors_of(self.result)]
            written = [
                (name, t._value)
                for name, t, value in zip(names, lifted_arguments, before, strict=True)
                if t._value is not value
            ]
            handles = {id(lifted): handle for handle, _, lifted in trace.handles.values()}
            written += [(name_of(handle), value) for handle, value in trace.written()]
            self.prints = [  # (preceding operation count, the print, its Values)
                (depth, shown, [trace.inside(v) for v in shown.values])
                for depth, shown in trace.prints
            ]
        self.path = recorder.state.path()
        self.trace = TraceFunction(self.path)
        self.lines = lines.along(self.path)
        self.reals = [v.array for v in recorder.reals]
        self.integers = [v.array for v in recorder.integers]
        self.n_results, self.written = len(results), [name for name, _ in written]
        self.outputs = [v.index for v in (*results, *[value for _, value in written])]
        self.inputs = [
            Input("argument", name, value.aval) for name, value in zip(names, before, strict=True)
        ]
        captured = list(zip(trace.inputs, trace.operands, strict=True))[len(names) :]
        self.inputs += [
            _input(lifted.aval, handles.get(id(lifted)), value) for lifted, value in captured
        ]
        _make_unique(self.inputs)

    # printing -------------------------------------------------------------------------------

    def __str__(self):
        arguments = ", ".join(_typed(i) for i in self.inputs if i.kind == "argument")
        lines = [f"graph {self.name}({arguments})"]
        lines += [f"  {i.kind} {_typed(i)}" for i in self.inputs if i.kind != "argument"]
        n_outputs, prints = 0, list(self.prints)
        for state, (_, _, refs), line in zip(self.path, self.trace.steps, self.lines, strict=True):
            while prints and prints[0][0] < state.depth:
                lines.append(self._print(*prints.pop(0)))
            outs = state.avals
            if outs:
                names = ", ".join(f"%{n_outputs + i}" for i in range(len(outs)))
                lines.append(f"  {names} = {self._call(state.op, refs)}: {_types(outs)}")
                lines[-1] += f"  # {line[0]}:{line[1]}" if line else ""
            n_outputs += len(outs)
        lines += [self._print(*shown) for shown in prints]
        results, new = self.outputs[: self.n_results], self.outputs[self.n_results :]
        lines.append("  return " + ", ".join(self._at(i) for i in results))
        lines += [
            f"  write {name} = {self._at(i)}" for name, i in zip(self.written, new, strict=True)
        ]
        return "\n".join(lines)

    __repr__ = __str__

    def _call(self, op, refs):
        words = [self._operand(kind, i) for kind, i in refs]
        words += [f"{key}={value!r}" for key, value in op.attributes.items()]
        return f"{op.name}({', '.join(words)})"

    def _print(self, _, shown, values):
        names = [self._at(v.index) for v in values]
        return f"  print {shown.described(names, values)!r}"

    def _operand(self, kind, i):
        if kind == "output":
            return f"%{i}"
        if kind == "input":
            return self.inputs[i].name
        return repr((self.reals if kind == "real" else self.integers)[i])

    def _at(self, ref):
        return self._operand("output", ref) if ref >= 0 else self.inputs[~ref].name


@contextlib.contextmanager
def _without_tape():
    """Exclude operations in the block from the current derivative."""
    outer, thread.tape = thread.tape, None
    try:
        yield
    finally:
        thread.tape = outer


def _bound(who, function, args, kwargs):
    """Bind the arguments of a call to the function's parameters."""
    try:
        signature = inspect.signature(getattr(function, "construct", function))
    except ValueError:  # a library function without a signature
        kinds = {"args": inspect.Parameter.VAR_POSITIONAL, "kwargs": inspect.Parameter.VAR_KEYWORD}
        signature = inspect.Signature([inspect.Parameter(*kind) for kind in kinds.items()])
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as cause:
        raise rejection("inputs-fit-function", who, got=cause) from None


def argument_names(who, arguments):
    """Return the name of each Tensor in the arguments: `x`, `x[0]`, `state['h']`."""
    names = []
    for name, item in arguments.items():
        for path, leaf in leaves_with_paths(item, name):
            if isinstance(leaf, Tensor):
                names.append(path)
            elif isinstance(leaf, MutableInput):
                raise rejection("not-mutable-number", who, argument=path)
    return names


def name_of(handle):
    """Return the name of a Tensor from outside the function."""
    if isinstance(handle, Parameter):
        return handle.name
    return "random state" if is_random_state(handle) else "a Tensor"


def _input(aval, handle, value):
    if isinstance(handle, Parameter):
        return Input("parameter", handle.name, aval, handle)
    if is_random_state(handle):
        return Input("state", "random state", aval, handle)
    if handle is None:
        return Input("constant", "", aval, value)
    return Input("tensor", "", aval, handle)


def _make_unique(inputs):
    """Name unnamed inputs `constant0`, `tensor0`, ..., and a second Parameter `w` `w#2`."""
    count = collections.Counter()
    for item in inputs:
        own = item.name or item.kind
        if not item.name:
            item.name = f"{own}{count[own]}"
        elif count[own]:
            item.name = f"{own}#{count[own] + 1}"
        count[own] += 1


def _typed(item):
    return f"{item.name}: {describe(item.aval)}"


def _types(avals):
    return ", ".join(describe(a) for a in avals)
