"""ONNX files: the exported graph in ONNX's operators.

onnxruntime runs the model, and the file is written only if the results agree with XLA's.
"""

import functools
import importlib

import jax
import numpy as np

from sporax._src.capture.graph_capture.export.export import by_jax, lowered
from sporax._src.core.errors import describe
from sporax._src.core.jax_internals import primitive_jaxpr
from sporax._src.core.to_host import on_host
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import UnknownShape
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.xla_kernels.pooling import by_windows
from sporax.io import atomic_write
from sporax.io.onnx_graph import IR_VERSION, OPSET, Array, Graph, NoOperator
from sporax.io.onnx_operators import RULES

_MOST_BYTES = 2**31 - 1  # limit of a protobuf message
_SIZE = 3  # value of unknown sizes in the trial
_RUNTIMES = (  # exceptions of onnxruntime, which have no common base class
    "EPFail", "Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NotImplemented",
    "RuntimeException",
)  # fmt: skip


def write(path, name, function, inputs):
    """Write the computation of `function(*inputs)`, atomically."""
    onnx, runtime = _packages()
    listing, (program, jaxpr) = lowered(name, function, inputs, _traced)
    _refuse_dtypes(listing)
    size = sum(i.read().nbytes for i in listing.inputs if i.kind != "argument")
    require(size <= _MOST_BYTES, "file-onnx-s-format", "export", size=size)
    try:
        model = _model(onnx, listing, jaxpr)
    except NoOperator as cause:
        raise _refusal(onnx, listing, cause) from cause
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as cause:
        raise _wrong(listing, f"onnx.checker rejects it ({_first_line(cause)})") from cause
    content = model.SerializeToString()
    _try(runtime, content, listing, tensors_of(inputs), program)
    with atomic_write.errors_named("export", path):
        atomic_write.write(path, content)


def _packages():
    try:
        return [importlib.import_module(p) for p in ("onnx", "onnxruntime")]
    except ImportError as cause:
        raise rejection("file-format-onnx-needs-packages", "export", cause=cause) from None


def _traced(listing, run, specs):
    """Return (`jax.export.Exported`, jaxpr of the function)."""
    program, (trace, *_) = by_jax(listing, run, specs), run.steps_of
    steps = trace.steps
    trace.steps = [(op, _TracedAgain(rule), refs) for op, rule, refs in steps]
    try:
        return program, _jaxpr(functools.partial(run, barriers=False), specs)
    finally:
        trace.steps = steps


class _TracedAgain:
    """A `Rule` without the jaxpr that JAX keeps, which is for XLA."""

    def __init__(self, rule):
        self.avals, self.single, self.operands = rule.avals, rule.single, rule.operands
        self.run = getattr(rule.run, "__wrapped__", rule.run)


def _jaxpr(run, specs):
    with by_windows():
        return primitive_jaxpr(jax.make_jaxpr(run)(*specs))


def _refuse_dtypes(listing):
    """Reject floating dtypes of more than 32 bits, complex dtypes and bfloat16."""
    values = [(i.name, i.aval, None) for i in listing.inputs]
    for state, line in zip(listing.path, listing.lines, strict=True):
        values += [(state.op.name, aval, line) for aval in state.avals]
    for what, aval, line in values:
        if aval.inexact and aval.dtype not in (np.float32, np.float16):
            fields = {"what": what, "place": _at(line), "aval": describe(aval)}
            raise rejection("floats-of-onnx", "export", **fields)


def _refusal(onnx, listing, cause):
    """Return the error of a failed conversion, which names the first operation that fails alone."""
    what = f"'{cause}'"
    for state, line in zip(listing.path, listing.lines, strict=True):
        rule = state.op.rule(state.operands)
        closed = _jaxpr(_TracedAgain(rule).run, rule.operands)
        graph = Graph(onnx, RULES)
        arrays = [Array(a.shape, a.dtype, graph.new_name("operand")) for a in rule.operands]
        for array in arrays:
            _note_sizes(graph, array)
        try:
            graph.run(closed.jaxpr, closed.consts, arrays)
        except NoOperator as own:
            what = f"'{state.op.name}'{_at(line)} ({own})"
            break
    return rejection("operation-of-onnx", "export", got=what)


def _first_line(cause):
    return str(cause).strip().split("\n")[0].rstrip(".") or type(cause).__name__


def _at(line):
    return f" at {line[0]}:{line[1]}" if line else ""


# the model ----------------------------------------------------------------------------------


def _model(onnx, listing, jaxpr):
    """Return the ModelProto: arguments are its inputs, the others of `listing.inputs` initializers
    of the same names, and the results have the names `output0`, `output1`, ..."""
    graph, declared, held = Graph(onnx, RULES), [], []
    results = tensors_of(listing.result)
    for k in range(len(results)):
        graph.new_name(f"output{k}")
    arrays = [Array(i.aval.shape, i.aval.dtype, graph.new_name(i.name)) for i in listing.inputs]
    for one, array in zip(listing.inputs, arrays, strict=True):
        if one.kind == "argument":
            declared.append(graph.value_info(array.name, array.shape, array.dtype))
            _note_sizes(graph, array)
        else:
            held.append(onnx.numpy_helper.from_array(on_host(one.read()), array.name))
    outputs = []
    for k, found in enumerate(graph.run(jaxpr.jaxpr, jaxpr.consts, arrays)):
        name = f"output{k}"
        outputs.append(graph.value_info(name, found.shape, found.dtype))
        graph.nodes.append(onnx.helper.make_node("Identity", [graph.name(found)], [name]))
    nodes, names = graph.needed_nodes([value.name for value in outputs])
    initializers = [x for x in (*held, *graph.initializers) if x.name in names]
    body = onnx.helper.make_graph(nodes, listing.name, declared, outputs, initializers)
    model = onnx.helper.make_model(
        body, producer_name="sporax", ir_version=IR_VERSION,
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
    )  # fmt: skip
    onnx.checker.check_model(model, full_check=True)
    return model


def _note_sizes(graph, array):
    """Note the input and axis that each unknown size of an input can be read from."""
    for axis, size in enumerate(array.shape):
        graph.symbols.setdefault(str(size), (array.name, axis))


# the trial ----------------------------------------------------------------------------------


def _try(runtime, content, listing, tensors, program):
    """Raise unless onnxruntime and XLA agree on the results for one input."""
    state = runtime.capi.onnxruntime_pybind11_state
    arrays = [_sample(tensor) for tensor in tensors]
    arrays += [one.read() for one in listing.inputs[len(tensors) :]]
    wanted = [np.asarray(a) for a in program.call(*arrays)]
    try:
        quiet = runtime.SessionOptions()
        quiet.log_severity_level = 3
        session = runtime.InferenceSession(content, quiet, providers=["CPUExecutionProvider"])
        taken = {value.name for value in session.get_inputs()}
        pairs = zip(listing.inputs, arrays, strict=True)
        feeds = {one.name: np.asarray(array) for one, array in pairs if one.name in taken}
        outputs = session.run(None, feeds)
    except tuple(getattr(state, name) for name in _RUNTIMES) as cause:
        raise _wrong(listing, f"onnxruntime rejects it ({_first_line(cause)})") from cause
    for i, (theirs, ours) in enumerate(zip(outputs, wanted, strict=True)):
        same = theirs.shape == ours.shape and theirs.dtype == ours.dtype
        size = np.abs(ours[np.isfinite(ours)].astype(np.float64)).max(initial=1.0)
        if not (same and np.allclose(theirs, ours, 1e-3, 1e-3 * size, equal_nan=True)):
            raise _wrong(listing, f"onnxruntime computes something else for its result {i}")


def _sample(tensor):
    """Return the array of a Tensor; ones if it only describes an input."""
    if not isinstance(tensor._value, UnknownShape):
        return tensor._value.read()
    aval = tensor._value.aval
    return jax.numpy.ones([_SIZE if n < 0 else n for n in aval.shape], aval.dtype)


def _wrong(listing, what):
    return rejection("file-compute-what-does", "export", name=listing.name, what=what)
