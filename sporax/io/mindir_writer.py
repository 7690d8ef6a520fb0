"""Files that MindSpore loads: the recorded operations of a Cell as nodes of MindSpore's primitives.

Each operation has a row in `_WRITERS`, which adds nodes; others are written by their jaxpr, if that
has only slices and reshapes. See `mindir_file` for the messages.
"""

import itertools
import math
from typing import Any

import jax
import numpy as np

from sporax._src.capture.graph_capture.export.export import lowered
from sporax._src.core.dtype import from_numpy
from sporax._src.core.jax_internals import Literal, evaluated
from sporax._src.core.to_host import on_host
from sporax._src.diagnosis.rules import message, rejection
from sporax._src.runtime.memory.flat import flat
from sporax.io import atomic_write, protobuf
from sporax.io.mindir_file import _ARRAYS, _DTYPES, _MESSAGES

_NUMBERS = {np.dtype(dtype): number for number, dtype in reversed(_ARRAYS.items())}
_IDS = {name: number for number, name in _DTYPES.items()}
_PAD_MODES = {"pad": 0, "same": 1, "valid": 2}
_VERSION = "2.10.0"  # of MindSpore, whose messages these are
_CLASS, _FUNCTION = 1, 2  # kinds of primitives: with attributes, with further inputs


class NotWritten(Exception):
    """Raised for an operation that has no row, with its name and the reason."""


def _no_row(name):
    return NotWritten(name)


# messages -----------------------------------------------------------------------------------------


def _encoded(kind, fields):
    """Return the bytes of a message, given {name: value}; lists for repeated fields."""
    content = bytearray()
    for number, (name, of, is_list) in _MESSAGES[kind].items():
        if name not in fields:
            continue
        for value in fields[name] if is_list else [fields[name]]:
            if of in _MESSAGES:
                content += protobuf.block(number, _encoded(of, value))
            elif of == "int":
                content += protobuf.varint(number << 3) + protobuf.varint(int(value) % 2**64)
            elif of == "float":
                content += protobuf.varint(number << 3 | 5) + np.float32(value).tobytes()
            elif of == "text":
                content += protobuf.block(number, value.encode())
            else:
                content += protobuf.block(number, bytes(value))
    return bytes(content)


def _tensor(array, **more):
    array = np.asarray(array)
    return {
        "dims": array.shape, "data_type": _NUMBERS[array.dtype],
        "raw_data": np.ascontiguousarray(array).tobytes(), **more,
    }  # fmt: skip


def _attribute(value, name=None):
    """Return the message of a constant: a number, text, None, array, or a tuple of these."""
    fields: dict[str, Any] = {} if name is None else {"name": name}
    if value is None:
        return fields | {"type": 25}
    if isinstance(value, bool):
        return fields | {"i": int(value), "type": 9}
    if isinstance(value, (int, np.integer)):
        return fields | {"i": int(value), "type": 7}
    if isinstance(value, float):
        return fields | {"f": value, "type": 1}
    if isinstance(value, str):
        return fields | {"s": value, "type": 8}
    if isinstance(value, np.ndarray):
        return fields | {"tensors": [_tensor(value)], "type": 19}
    return fields | {"type": 20, "values": [_item(item) for item in value]}


def _item(value):
    """Return the message of an item of a tuple, whose numbers are lists of one."""
    if isinstance(value, (tuple, list)):
        return {"type": 20, "values": [_item(item) for item in value]}
    if isinstance(value, float):
        return {"floats": [value], "type": 1}
    return {"ints": [int(value)], "type": 7}


def _abstract(aval):
    return {
        "name": "shape", "type": 19,
        "tensors": [{"dims": aval.shape, "data_type": _NUMBERS[np.dtype(aval.dtype)]}],
    }  # fmt: skip


# the graph ----------------------------------------------------------------------------------------


class _Writer:
    """Collects nodes, the primitives that they use, and constants."""

    def __init__(self, name):
        self.name, self.nodes, self.primitives = name, [], {}
        self.numbers, self.constants = itertools.count(), {}

    def constant(self, value):
        """Return the name of a constant's node."""
        key = repr(value) if not isinstance(value, np.ndarray) else None
        if key is None or key not in self.constants:
            name = f"ValueNode_{next(self.numbers)}"
            self.nodes.append({"output": [name], "op_type": "Constant",
                               "attribute": [_attribute(value, "value")]})  # fmt: skip
            if key is None:
                return name
            self.constants[key] = name
        return self.constants[key]

    def node(self, op, inputs, aval=None, kind=_FUNCTION, **attributes):
        """Add a node, and return the name of its output. `inputs`: names, or constants in lists of
        one. `aval`: of the result, None for several."""
        key = op, kind, repr(attributes)
        if key not in self.primitives:
            self.primitives[key] = f"{op}:{len(self.primitives)}", {
                "op_type": op, "prim_type": kind,
                "attribute": [_attribute(value, name) for name, value in attributes.items()],
            }  # fmt: skip
        names = [self.constant(x[0]) if isinstance(x, list) else x for x in inputs]
        output = f"{self.name}:{op}_{next(self.numbers)}"
        self.nodes.append({
            "input": names, "output": [output], "op_type": f"REF::{self.primitives[key][0]}",
            "attribute": [] if aval is None else [_abstract(aval)],
        })  # fmt: skip
        return output

    def first(self, results, aval):
        """Return the first of a node's results."""
        return self.node("TupleGetItem", [results, [0]], aval, _CLASS)

    def reshaped(self, x, aval):
        return self.node("Reshape", [x, [tuple(aval.shape)]], aval)


def _pair(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def _convolution(writer, inputs, avals, out, attributes):
    x, weight, *bias = inputs
    filters = avals[1].shape
    padding = attributes.get("padding", 0)
    padding = padding if isinstance(padding, (tuple, list)) else (padding,) * 4
    groups, mode = attributes.get("groups", 1), attributes.get("pad_mode", "valid").lower()
    if len(filters) != 4 or any(isinstance(p, (tuple, list)) for p in padding):
        raise _no_row("Conv2D")
    padding = padding if len(padding) == 4 else (padding[0],) * 2 + (padding[1],) * 2
    y = writer.node(
        "Conv2D", [x, weight], out, _CLASS, kernel_size=filters[2:], mode=1,
        out_channel=filters[0], pad=padding, pad_mode=mode, format="NCHW", pad_list=padding,
        groups=groups, group=groups, stride=(1, 1, *_pair(attributes.get("stride", 1))),
        dilation=(1, 1, *_pair(attributes.get("dilation", 1))),
    )  # fmt: skip
    return writer.node("BiasAdd", [y, *bias, [0]], out) if bias else y


def _dense(writer, inputs, avals, out, attributes):
    x, weight, *bias = inputs
    rows = math.prod(avals[0].shape[:-1])
    flat_out = jax.ShapeDtypeStruct((rows, out.shape[-1]), out.dtype)
    if avals[0].ndim != 2:
        x = writer.reshaped(x, jax.ShapeDtypeStruct((rows, avals[0].shape[-1]), out.dtype))
    y = writer.node("MatMul", [x, weight, [False], [True]], flat_out)
    y = writer.node("BiasAdd", [y, *bias, [0]], flat_out) if bias else y
    return y if avals[0].ndim == 2 else writer.reshaped(y, out)


def _matmul(writer, inputs, avals, out, attributes):
    options = [[bool(attributes.get(f"transpose_{side}"))] for side in "ab"]
    name = "MatMul" if len(out.shape) == 2 else "BatchMatMul"
    if any(a.ndim != len(out.shape) for a in avals):
        raise _no_row("MatMul")
    return writer.node(name, [*inputs, *options], out)


def _batch_norm(writer, inputs, avals, out, attributes):
    options = [False], [attributes.get("epsilon", 1e-5)], [0.1], [0]
    return writer.first(writer.node("BatchNorm", [*inputs, *options]), out)


def _layer_norm(writer, inputs, avals, out, attributes):
    axis = -len(attributes["normalized_shape"]) if "normalized_shape" in attributes else None
    axes = [attributes.get(f"begin_{name}_axis", 1 if axis is None else axis)
            for name in ("norm", "params")]  # fmt: skip
    epsilon = attributes.get("eps", attributes.get("epsilon", 1e-7))
    return writer.first(writer.node("LayerNorm", [*inputs, *[[a] for a in axes], [epsilon]]), out)


def _pool(name):
    def write(writer, inputs, avals, out, attributes):
        size = _pair(attributes.get("kernel_size", 1))
        strides = _pair(attributes.get("stride", attributes.get("strides", 1)))
        mode = attributes.get("pad_mode", "VALID")
        if name == "AvgPool":
            options = [size], [strides], [_PAD_MODES[mode.lower()]], [0]
            return writer.node(name, [*inputs, *options], out)
        return writer.node(
            name, inputs, out, _CLASS, kernel_size=(1, 1, *size), strides=(1, 1, *strides),
            pad_mode=mode.upper(), format="NCHW",
        )  # fmt: skip

    return write


def _reduction(name):
    def write(writer, inputs, avals, out, attributes):
        axis = attributes.get("axis", ())
        axis = () if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
        options = [tuple(axis)], [bool(attributes.get("keep_dims", False))]
        return writer.node(name, [*inputs, *options], out)

    return write


def _concat(writer, inputs, avals, out, attributes):
    together = writer.node("MakeTuple", inputs, kind=_CLASS)
    return writer.node("Concat", [together, [attributes.get("axis", 0)]], out)


def _pad(writer, inputs, avals, out, attributes):
    if attributes.get("mode", "constant") != "constant" or attributes.get("value"):
        raise _no_row("Pad")
    return writer.node("Pad", inputs, out, _CLASS, paddings=attributes["paddings"])


def _cast(writer, inputs, avals, out, attributes):
    return writer.node("Cast", [*inputs, [_IDS[from_numpy(np.dtype(out.dtype)).name.lower()]]], out)


def _gelu(writer, inputs, avals, out, attributes):
    if attributes.get("approximate") != "tanh":
        raise _no_row("GeLU")
    return writer.node("GeLU", inputs, out)


def _plain(name, *options, **defaults):
    """Return the writer of an operation whose `options` are further inputs, by their names."""

    def write(writer, inputs, avals, out, attributes):
        given = [[attributes.get(option, defaults.get(option))] for option in options]
        return writer.node(name, [*inputs, *given], out)

    return write


def _softmax(writer, inputs, avals, out, attributes):
    axis = attributes.get("axis", -1)
    return writer.node("Softmax", [*inputs, [axis if isinstance(axis, tuple) else (axis,)]], out)


_UNARY = (
    "Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "HSigmoid", "HSwish", "Log", "Neg", "ReLU",
    "ReLU6", "Reciprocal", "Rsqrt", "Sigmoid", "SiLU", "Sin", "Sqrt", "Square", "Tanh",
)  # fmt: skip
_BINARY = ("Add", "Div", "Maximum", "Minimum", "Mul", "Pow", "RealDiv", "Sub")
_WRITERS = {
    **{name: _plain(name) for name in (*_UNARY, *_BINARY)},
    **{name: _reduction(name) for name in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin")},
    **dict.fromkeys(("BatchMatMul", "MatMul", "bmm", "matmul"), _matmul),
    "AvgPool": _pool("AvgPool"), "BatchNorm": _batch_norm,
    "BroadcastTo": _plain("BroadcastTo", "shape"),
    "Cast": _cast, "Concat": _concat, "Conv2D": _convolution, "Dense": _dense, "GeLU": _gelu,
    "LayerNorm": _layer_norm, "MaxPool": _pool("MaxPool"), "Pad": _pad,
    "Softmax": _softmax, "Transpose": _plain("Transpose", "dims"),
    **dict.fromkeys(
        ("Reshape", "flatten", "Flatten", "Squeeze", "ExpandDims"),
        lambda writer, inputs, avals, out, attributes: writer.reshaped(inputs[0], out),
    ),
}  # fmt: skip


def _by_jaxpr(writer, op, inputs, avals):
    """Write an operation whose jaxpr has only slices and reshapes; its results' names. `inputs`:
    names of arrays, or numbers."""
    is_array = [isinstance(x, str) for x in inputs]
    arrays = [a for a, fits in zip(avals, is_array, strict=True) if fits]

    def run(*given):
        left = iter(given)
        return op.fn(*[next(left) if fits else np.asarray(x, a.dtype) for x, a, fits in
                       zip(inputs, avals, is_array, strict=True)])  # fmt: skip

    try:
        program = flat(jax.make_jaxpr(run)(*arrays))
    except (TypeError, ValueError) as error:
        raise NotWritten(op.name) from error
    names: dict[Any, Any] = dict(
        zip(program.jaxpr.invars, [x for x in inputs if isinstance(x, str)], strict=True)
    )
    known: dict[Any, Any] = dict(
        zip(program.jaxpr.constvars, map(np.asarray, program.consts), strict=True)
    )
    for equation in program.jaxpr.eqns:
        values = [v.val if isinstance(v, Literal) else known.get(v) for v in equation.invars]
        if all(value is not None for value in values):  # indices, computed here
            results = evaluated(equation, values)
            known.update(zip(equation.outvars, map(np.asarray, results), strict=True))
        elif values[0] is None and all(value is not None for value in values[1:]):
            results = _moved(writer, op, equation, names[equation.invars[0]], values[1:])
            names.update(zip(equation.outvars, results, strict=True))
        else:
            raise NotWritten(op.name)
    if not {*program.jaxpr.outvars} <= names.keys():
        raise NotWritten(op.name)
    return [names[v] for v in program.jaxpr.outvars]


def _moved(writer, op, equation, x, values):
    """Write an equation that takes parts of an array, or its elements in another shape or order."""
    name, params, out = equation.primitive.name, equation.params, equation.outvars[0].aval
    before = equation.invars[0].aval.shape

    def part(starts, limits, aval, strides=None):
        ends = [tuple(starts)], [tuple(limits)], [tuple(strides or (1,) * len(before))]
        return writer.node("StridedSlice", [x, *ends, *[[0]] * 5], aval)

    if name == "slice":
        return [part(params["start_indices"], params["limit_indices"], out, params["strides"])]
    if name == "dynamic_slice":
        sizes = params["slice_sizes"]
        starts = [min(max(int(i), 0), n - size)
                  for i, n, size in zip(values, before, sizes, strict=True)]  # fmt: skip
        return [part(starts, map(sum, zip(starts, sizes, strict=True)), out)]
    if name == "split":
        axis, start, parts = params["axis"], 0, []
        for v, size in zip(equation.outvars, params["sizes"], strict=True):
            starts, limits = [0] * len(before), list(before)
            starts[axis], limits[axis] = start, start + size
            parts.append(part(starts, limits, v.aval))
            start += size
        return parts
    if name in ("reshape", "squeeze", "expand_dims"):
        return [writer.reshaped(x, out)]
    if name == "transpose":
        return [writer.node("Transpose", [x, [params["permutation"]]], out)]
    raise NotWritten(op.name)


def write(path, name, function, inputs):
    """Write the computation of `function(*inputs)` as a file that MindSpore loads, atomically.

    Raises NotImplementedError with the names of operations that have no row.
    """
    listing, _ = lowered(name, function, inputs, lambda *parts: None)
    for item in listing.inputs:
        if not all(isinstance(n, int) for n in item.aval.shape):
            raise rejection("mindir-fixed-sizes", "export_mindir", name=item.name)
    writer, missing = _Writer("graph"), set()
    names = [f"graph:{item.name}" for item in listing.inputs]
    parameters, outputs, avals = [], [], []
    for full, item in zip(names, listing.inputs, strict=True):
        if item.kind != "argument":
            array = np.asarray(on_host(item.read()))
            parameters.append(_tensor(array, name=full, ref_key=item.name))
    for state, (op, _, refs) in zip(listing.path, listing.trace.steps, strict=True):
        if not state.avals:
            continue
        given, kinds = [], []
        for kind, i in refs:
            if kind == "output":
                given.append(outputs[i])
                kinds.append(avals[i])
            elif kind == "input":
                given.append(names[i])
                kinds.append(listing.inputs[i].aval)
            else:
                value = (listing.reals if kind == "real" else listing.integers)[i]
                given.append(np.asarray(value))
                kinds.append(np.asarray(value))
        results = None
        try:
            results = _written(writer, op, given, kinds, state.avals)
        except NotWritten as error:
            missing.add(str(error))
        outputs += results or [None] * len(state.avals)
        avals += state.avals
    if missing:
        raise rejection("mindir-not-written", "export_mindir", names=sorted(missing))
    atomic_write.write(path, _model(writer, listing, names, parameters, outputs, avals))


def _written(writer, op, given, kinds, outs):
    """Write an operation; return the names of its results."""
    row = _WRITERS.get(op.name)
    if row is None:
        return _by_jaxpr(writer, op, given, kinds)
    out = outs[0]
    inputs = [x if isinstance(x, str) else [np.asarray(x, out.dtype)] for x in given]
    return [row(writer, inputs, kinds, out, op.attributes), *[None] * (len(outs) - 1)]


def _model(writer, listing, names, parameters, outputs, avals):
    results = listing.outputs[: listing.n_results]
    found = [outputs[i] if i >= 0 else names[~i] for i in results]
    kinds = [avals[i] if i >= 0 else listing.inputs[~i].aval for i in results]
    if None in found:
        raise rejection(
            "mindir-not-written", "export_mindir", names=[message("mindir-results-unused")]
        )
    last = found[0] if len(found) == 1 else writer.node("MakeTuple", found, kind=_CLASS)
    arguments = [
        {"name": full, "tensor": [_abstract(item.aval)["tensors"][0]]}
        for full, item in zip(names, listing.inputs, strict=True) if item.kind == "argument"
    ]  # fmt: skip
    output = {"name": last, "tensor": [_abstract(aval)["tensors"][0] for aval in kinds]}
    graph = {
        "node": writer.nodes, "name": "graph", "parameter": parameters, "input": arguments,
        "output": [output],
    }  # fmt: skip
    primitives = [{"name": name, **fields} for name, fields in writer.primitives.values()]
    fields = {
        "ir_version": "1.1", "producer_name": "MindSpore", "model_version": _VERSION,
        "graph": graph, "primitives": primitives, "little_endian": 1, "mind_ir_version": 3,
    }  # fmt: skip
    return _encoded("Model", fields)
