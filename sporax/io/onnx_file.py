"""ONNX files: the exported graph, converted by jax2onnx.

The converter uses 32-bit dtypes and monkey-patches JAX. So its patches are undone, its model is run
by onnxruntime, and the file is written only if the results agree with XLA's.
"""

import contextlib
import functools
import importlib
import logging
import operator
import sys
import types
import warnings
from importlib import metadata

import jax
import numpy as np
from jax import lax
from jax.errors import InconclusiveDimensionOperation
from jax.export import is_symbolic_dim

from sporax._src.capture.graph_capture.export.export import by_jax, lowered
from sporax._src.core.errors import describe
from sporax._src.core.jax_internals import (
    ClosedJaxpr,
    called,
    interpret,
    jaxpr_as_fun,
    scan_counts,
    with_jaxprs,
)
from sporax._src.core.to_host import on_host
from sporax._src.core.tree import tensors_of
from sporax._src.core.value import UnknownShape
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.xla_kernels.recurrence import SCANNED
from sporax._src.versions import OLDEST
from sporax.io import atomic_write

_MOST_BYTES = 2**31 - 1  # limit of a protobuf message
_SIZE = 3  # value of unknown sizes in the trial
_FAILURES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError,
    ValueError, InconclusiveDimensionOperation,
)  # fmt: skip
_RUNTIMES = (  # exceptions of onnxruntime, which have no common base class
    "EPFail", "Fail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NotImplemented",
    "RuntimeException",
)  # fmt: skip
_WIDE = {  # replacements of 64-bit dtypes; only Python floats are float64
    np.dtype(np.int64): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.uint32),
    np.dtype(np.float64): np.dtype(np.float32),
}


def write(path, name, function, inputs):
    """Write the computation of `function(*inputs)`, atomically."""
    onnx, converter, runtime = _packages()
    listing, (program, traced) = lowered(name, function, inputs, _traced)
    _refuse_dtypes(listing)
    model = _converted(onnx, converter, listing, traced)
    _fill(onnx, model.graph, listing)
    _widen(onnx, model.graph, listing)
    onnx.checker.check_model(model, full_check=True)
    content = model.SerializeToString()
    _try(runtime, content, listing, tensors_of(inputs), program)
    with atomic_write.errors_named("export", path):
        atomic_write.write(path, content)


def _packages():
    try:
        with _jax_as_it_was():
            return [importlib.import_module(p) for p in ("onnx", "jax2onnx", "onnxruntime")]
    except ImportError as cause:
        raise rejection("file-format-onnx-needs-packages", "export", cause=cause) from None


@contextlib.contextmanager
def _jax_as_it_was():
    """Restore the functions of JAX that jax2onnx patches; it does not restore all of them."""
    rooms = [room for key, room in sys.modules.items() if key.split(".")[0] == "jax"]
    before = [(room, dict(vars(room))) for room in rooms]
    try:
        yield
    finally:
        for room, names in before:
            for key, item in names.items():
                if vars(room).get(key) is not item:
                    setattr(room, key, item)


@contextlib.contextmanager
def _named_sizes(onnx_ir):
    """Convert symbolic sizes to strings: some rules of jax2onnx (pad, clamp, rem) pass JAX's."""
    own = onnx_ir.Shape.__init__

    def init(self, dims, *args, **kwargs):
        own(self, [str(n) if is_symbolic_dim(n) else n for n in dims], *args, **kwargs)

    onnx_ir.Shape.__init__ = init
    try:
        yield
    finally:
        onnx_ir.Shape.__init__ = own


# conversion ---------------------------------------------------------------------------------


def _traced(listing, run, specs):
    """Return (`jax.export.Exported`, jaxpr of the function in 32 bits)."""
    plain = functools.partial(run, barriers=False)  # jax2onnx does not support barriers
    return by_jax(listing, run, specs), _in_32_bits(plain, specs)


def _in_32_bits(run, avals):
    narrow = [jax.ShapeDtypeStruct(a.shape, _WIDE.get(a.dtype, a.dtype)) for a in avals]
    with jax.enable_x64(False), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Explicitly requested dtype")
        return _convertible(jax.make_jaxpr(run)(*narrow))


def _convertible(jaxpr):
    """Rewrite a `ClosedJaxpr` for jax2onnx: recurrent layers become scans, and a reverse scan
    becomes a scan of reversed arrays. Returns an open jaxpr, or one with neither, unchanged."""
    if not isinstance(jaxpr, ClosedJaxpr):
        return jaxpr
    text = str(jaxpr)
    if not any(f" {name}[" in text for name in SCANNED) and "reverse=True" not in text:
        return jaxpr
    literal = operator.attrgetter("val")

    def evaluate(eqn, operands):
        name, params = eqn.primitive.name, dict(eqn.params)
        inner = called(eqn)
        if name in SCANNED:
            form = jax.make_jaxpr(functools.partial(SCANNED[name], **params))(*operands)
            inner = form.jaxpr, form.consts
        if inner is not None:
            return interpret(*inner, operands, evaluate, literal)
        is_reversed = name == "scan" and params["reverse"]
        if is_reversed:
            n_constants, n = scan_counts(params)
            first, params["reverse"] = n_constants + n, False
            operands = [*operands[:first], *map(_reversed, operands[first:])]
        params = {key: with_jaxprs(_convertible, value) for key, value in params.items()}
        outs = eqn.primitive.bind(*operands, **params)
        if is_reversed:
            return [*outs[:n], *map(_reversed, outs[n:])]
        return outs if eqn.primitive.multiple_results else [outs]

    def run(*arrays):
        return interpret(jaxpr.jaxpr, jaxpr.consts, arrays, evaluate, literal)

    return jax.make_jaxpr(run)(*jaxpr.in_avals)


def _reversed(array):
    return lax.rev(array, (0,))


def _converted(onnx, converter, listing, traced):
    """Return the ONNX model, whose inputs are all of `listing.inputs`, by name."""
    size = sum(i.read().nbytes for i in listing.inputs if i.kind != "argument")
    require(size <= _MOST_BYTES, "file-onnx-s-format", "export", size=size)
    failures = (*_FAILURES, onnx.checker.ValidationError, onnx.shape_inference.InferenceError)

    def convert(traced, **options):
        with _jax_as_it_was(), _named_sizes(sys.modules["onnx_ir"]), jax.enable_x64(False):
            model = converter.to_onnx(jaxpr_as_fun(traced), traced.in_avals, **options)
        onnx.checker.check_model(model, full_check=True)
        return model

    words = logging.getLogger("onnx_ir")
    level = words.level
    words.setLevel(logging.ERROR)  # it logs each unknown intermediate shape
    try:
        with np.errstate(all="ignore"):
            names = [one.name for one in listing.inputs]
            return convert(traced, model_name=listing.name, input_names=names)
    except failures as cause:
        if isinstance(cause, AttributeError) and isinstance(cause.obj, types.ModuleType):
            raise _of_versions(cause) from None
        raise _refusal(listing, cause, convert, failures) from cause
    finally:
        words.setLevel(level)


def _refuse_dtypes(listing):
    """Reject floating dtypes of more than 32 bits, complex dtypes and bfloat16."""
    values = [(i.name, i.aval, None) for i in listing.inputs]
    for state, line in zip(listing.path, listing.lines, strict=True):
        values += [(state.op.name, aval, line) for aval in state.avals]
    for what, aval, line in values:
        if aval.inexact and aval.dtype not in (np.float32, np.float16):
            fields = {"what": what, "place": _at(line), "aval": describe(aval)}
            raise rejection("floats-of-onnx", "export", **fields)


def _of_versions(cause):
    """Return the error for a name of JAX that jax2onnx does not find."""
    fields = {"jax2onnx": metadata.version("jax2onnx"), "jax": jax.__version__}
    return rejection("jax2onnx-misses-jax", "export", cause=cause, oldest=OLDEST, **fields)


def _refusal(listing, cause, convert, failures):
    """Return the error of a failed conversion, which names the first operation that fails alone."""
    what = f"a function for which it fails ({_first_line(cause)})"
    for state, line in zip(listing.path, listing.lines, strict=True):
        rule = state.op.rule(state.operands)
        try:
            convert(_in_32_bits(rule.run, rule.operands))
        except failures as own:
            what = f"'{state.op.name}'{_at(line)} ({_first_line(own)})"
            break
    return rejection("operation-one-jax2onnx-can", "export", got=what)


def _first_line(cause):
    return str(cause).strip().split("\n")[0].rstrip(".") or type(cause).__name__


def _at(line):
    return f" at {line[0]}:{line[1]}" if line else ""


# the model ----------------------------------------------------------------------------------


def _fill(onnx, graph, listing):
    """Turn the inputs that are not arguments into initializers of the same names."""
    taken = {value.name: value for value in graph.input}
    for one in listing.inputs:
        if one.kind != "argument":
            dtype = onnx.helper.tensor_dtype_to_np_dtype(_type_of(taken[one.name]))
            array = _narrowed(one.name, on_host(one.read()), dtype)
            graph.initializer.append(onnx.numpy_helper.from_array(array, one.name))
            graph.input.remove(taken[one.name])


def _narrowed(name, array, dtype):
    narrow = array.astype(dtype)
    is_same = array.dtype not in _WIDE or np.array_equal(narrow, array)
    require(is_same, "integers-of-onnx", "export", name=name)
    return narrow


def _widen(onnx, graph, listing):
    """Cast inputs and outputs to the function's dtypes (64-bit integers), and name the outputs."""
    names = {value.name for value in graph.input}
    for one in listing.inputs:
        wanted = onnx.helper.np_dtype_to_tensor_dtype(one.aval.dtype)
        if one.kind == "argument" and one.name in names:
            (value,) = [value for value in graph.input if value.name == one.name]
            if _type_of(value) != wanted:
                _cast_input(onnx, graph, value, wanted)
    results = tensors_of(listing.result)
    for i, (value, tensor) in enumerate(zip(graph.output, results, strict=True)):
        wanted = onnx.helper.np_dtype_to_tensor_dtype(tensor._value.aval.dtype)
        node = onnx.helper.make_node("Cast", [value.name], [f"output{i}"], to=wanted)
        graph.node.append(node)
        value.name = f"output{i}"
        value.type.tensor_type.elem_type = wanted


def _cast_input(onnx, graph, value, wanted):
    inside = f"{value.name}:32"
    for node in graph.node:
        for k, name in enumerate(node.input):
            if name == value.name:
                node.input[k] = inside
    node = onnx.helper.make_node("Cast", [value.name], [inside], to=_type_of(value))
    graph.node.insert(0, node)
    value.type.tensor_type.elem_type = wanted


def _type_of(value):
    return value.type.tensor_type.elem_type


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
        raise _wrong(listing, f"refuses it ({_first_line(cause)})") from cause
    for i, (theirs, ours) in enumerate(zip(outputs, wanted, strict=True)):
        same = theirs.shape == ours.shape and theirs.dtype == ours.dtype
        size = np.abs(ours[np.isfinite(ours)].astype(np.float64)).max(initial=1.0)
        if not (same and np.allclose(theirs, ours, 1e-3, 1e-3 * size, equal_nan=True)):
            raise _wrong(listing, f"computes something else for its result {i}")


def _sample(tensor):
    """Return the array of a Tensor; ones if it only describes an input."""
    if not isinstance(tensor._value, UnknownShape):
        return tensor._value.read()
    aval = tensor._value.aval
    return jax.numpy.ones([_SIZE if n < 0 else n for n in aval.shape], aval.dtype)


def _wrong(listing, what):
    return rejection("file-compute-what-does", "export", name=listing.name, what=what)
