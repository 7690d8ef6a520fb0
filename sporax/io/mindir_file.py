"""MindSpore's own `.mindir` files: graphs of primitives with their Parameters, as protobuf.

The messages are those of MindSpore's `mind_ir.proto`. A node names a primitive, whose attributes
are in the file's table of primitives, or, for newer ones, are its last inputs; constants are nodes,
too. The graph is run by a Cell, with the primitives of `sporax.ops`, and exported, so that it is an
`Exported` as any other.
"""

import functools
import inspect
import math
import operator
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from sporax import mint, ops
from sporax._src.capture.graph_capture.export.export import exported
from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.control_flow.cond import Unrecordable, choose, is_traced
from sporax._src.transforms.control_flow.runtime import loop
from sporax.io import protobuf, untrusted_file
from sporax.io.corrupt_file import CorruptFile, rejection, require
from sporax.nn.cell import Cell

_DEEPEST = 32  # nesting of constants
_MOST_NODES = 10**6

# message -> {field: (name, kind, is repeated)}; a kind is 'int', 'float', 'double', 'text', 'bytes'
# or the name of a message. Fields that are not needed are left out.
_MESSAGES: dict[str, dict[int, tuple[str, str, bool]]] = {
    "Attribute": {
        1: ("name", "text", False), 2: ("f", "float", False), 3: ("i", "int", False),
        4: ("d", "double", False), 5: ("s", "text", False), 8: ("floats", "float", True),
        9: ("doubles", "double", True), 10: ("ints", "int", True), 11: ("strings", "text", True),
        12: ("tensors", "Tensor", True), 16: ("type", "int", False),
        17: ("values", "Attribute", True),
    },
    "Tensor": {
        1: ("dims", "int", True), 2: ("data_type", "int", False), 7: ("name", "text", False),
        9: ("raw_data", "bytes", False), 12: ("external", "External", False),
        13: ("ref_key", "text", False), 16: ("compression", "int", False),
    },
    "External": {
        1: ("location", "text", False), 2: ("offset", "int", False), 3: ("length", "int", False),
    },
    "Value": {1: ("name", "text", False), 2: ("tensor", "Tensor", True)},
    "Node": {
        1: ("input", "text", True), 2: ("output", "text", True), 4: ("op_type", "text", False),
        5: ("attribute", "Attribute", True),
    },
    "Graph": {
        1: ("node", "Node", True), 2: ("name", "text", False), 3: ("parameter", "Tensor", True),
        5: ("input", "Value", True), 6: ("output", "Value", True),
    },
    "Primitive": {
        1: ("name", "text", False), 2: ("op_type", "text", False),
        3: ("attribute", "Attribute", True), 5: ("prim_type", "int", False),
    },
    "Model": {
        1: ("ir_version", "text", False),
        2: ("producer_name", "text", False), 5: ("model_version", "text", False),
        7: ("graph", "Graph", False), 8: ("functions", "Graph", True),
        10: ("little_endian", "int", False), 12: ("primitives", "Primitive", True),
        13: ("mind_ir_version", "int", False),
    },
}  # fmt: skip
# types of attributes and of arrays
_FLOATS, _DOUBLE, _STRING, _BOOL, _NONE = {1, 10, 16}, 11, 8, 9, 25
_INTEGERS, _TENSORS, _TUPLE, _LIST, _MONADS = {2, 3, 4, 5, 6, 7, 12, 13}, {17, 19}, 20, 21, {23, 24}
_ARRAYS = {
    1: np.float32, 2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64,
    9: np.bool_, 10: np.float16, 11: np.float64, 12: np.uint32, 13: np.uint64, 14: np.complex64,
    15: np.complex128, 16: ml_dtypes.bfloat16, 17: np.float64,
}  # fmt: skip
_DTYPES = {  # numbers that stand for dtypes in arguments
    30: "bool_", 32: "int8", 33: "int16", 34: "int32", 35: "int64", 37: "uint8", 38: "uint16",
    39: "uint32", 40: "uint64", 42: "float16", 43: "float32", 44: "float64", 45: "bfloat16",
    47: "complex64", 48: "complex128",
}  # fmt: skip
# numbers that stand for words in arguments of these names
_WORDS = {
    "data_format": ("NCHW", "NHWC", "NCDHW"),
    "pad_mode": ("pad", "same", "valid"),
    "reduction": ("sum", "mean", "none"),
}
_WINDOWS = {"kernel_size", "strides", "stride", "dilation"}  # (1, 1, height, width) in a file


def _decoded(kind, data, depth=0):
    """Return a message as {name: value}; lists for repeated fields, which are empty if missing."""
    require(depth <= 2 * _DEEPEST, "nested-too-deeply")
    names = _MESSAGES[kind]
    found: dict[str, Any] = {name: [] for name, _, is_list in names.values() if is_list}
    for field, wire, value in protobuf.fields(data, kind):
        if field not in names:
            continue
        name, of, is_list = names[field]
        if of == "int" and wire == protobuf.BYTES:  # packed
            found[name] += map(protobuf.signed, protobuf.varints(value))
            continue
        value = _value(of, value, depth)
        if is_list:
            found[name].append(value)
        else:
            found[name] = value
    return found


def _value(kind, value, depth):
    if kind in _MESSAGES:
        return _decoded(kind, value, depth + 1)
    if kind == "int":
        return protobuf.signed(value)
    if kind == "text":
        return bytes(value).decode()
    if kind == "bytes":
        return value
    (number,) = np.frombuffer(value, "<f4" if kind == "float" else "<f8")
    return float(number)


def _external(tensor, folder):
    """Return the bytes of an array in another file, which must be below the folder."""
    place = tensor["external"]
    path, offset, length = Path(folder, place.get("location", "")), *(
        place.get(key, 0) for key in ("offset", "length")
    )  # fmt: skip
    is_below = path.resolve().is_relative_to(Path(folder).resolve())
    fits = is_below and min(offset, length) >= 0
    require(fits, "mindir-array-elsewhere", name=tensor.get("name", ""))
    with untrusted_file.opened(path) as file:
        file.seek(offset)
        return file.read(length)


def _array(tensor, folder=None):
    """Return the array of a Tensor message; `folder`: of the file, for arrays in other files."""
    is_here = "external" not in tensor
    fits = not tensor.get("compression") and (is_here or folder is not None)
    require(fits, "mindir-array-elsewhere", name=tensor.get("name", ""))
    content = tensor.get("raw_data", b"") if is_here else _external(tensor, folder)
    number = tensor.get("data_type", 0)
    require(number in _ARRAYS, "mindir-dtype", number=number)
    dtype, shape = np.dtype(_ARRAYS[number]), tensor["dims"]
    is_whole = min(shape, default=0) >= 0 and len(content) == math.prod(shape) * dtype.itemsize
    require(is_whole, "mindir-array-bytes", name=tensor.get("name", ""), shape=shape)
    return np.frombuffer(content, dtype).reshape(shape)


def _constant(attribute, depth=0):
    """Return the value of an attribute: a number, text, None, Tensor, or a tuple of these."""
    require(depth <= _DEEPEST, "nested-too-deeply")
    number = attribute.get("type", 0)
    if number in (_TUPLE, _LIST):
        return tuple(_constant(item, depth + 1) for item in attribute["values"])
    if number in _TENSORS:
        (tensor,) = attribute["tensors"]
        return Tensor(_array(tensor))
    if number == _NONE or number in _MONADS:
        return None
    if number == _BOOL:
        return bool(attribute.get("i", 0) or any(attribute["ints"]))
    if number in _INTEGERS:
        return attribute["ints"][0] if attribute["ints"] else attribute.get("i", 0)
    if number in _FLOATS:
        return attribute["floats"][0] if attribute["floats"] else attribute.get("f", 0.0)
    if number == _DOUBLE:
        return attribute["doubles"][0] if attribute["doubles"] else attribute.get("d", 0.0)
    if number == _STRING:
        return attribute["strings"][0] if attribute["strings"] else attribute.get("s", "")
    raise rejection("mindir-constant", number=number)


class _Node(NamedTuple):
    """An operation: `run(*inputs)`; `inputs` and `output` are names of values. The first input
    of a `_CALL` is the function."""

    op: str
    run: Any
    inputs: list
    output: str


_CALL = "call"


class _Function(NamedTuple):
    """A graph of a file. `nodes` in their order, each after its inputs; `constants`: {name: value};
    `inputs`, `outputs`: names of values."""

    name: str
    nodes: list
    constants: dict
    inputs: list
    outputs: list


class _Closure(NamedTuple):
    """A function, by its name or another closure, with its first arguments."""

    function: Any
    arguments: tuple


class _Choice(NamedTuple):
    """The function that a condition chooses."""

    condition: Any
    true: Any
    false: Any


# operations ------------------------------------------------------------------------------------


def _inplace(function):
    return lambda x, *others: function(x, *[o for o in others if o is not None])


_SPECIAL = {  # primitives that are not classes of `ops`, or have other arguments in a file
    "Adds": operator.add, "Subs": operator.sub, "Muls": operator.mul, "Divs": operator.truediv,
    "LessScalar": operator.lt, "LessEqualScalar": operator.le, "GreaterScalar": operator.gt,
    "GreaterEqualScalar": operator.ge, "EqualScalar": operator.eq, "NotEqualScalar": operator.ne,
    "ClampScalar": ops.clamp, "ClampTensor": ops.clamp, "MatMulExt": mint.matmul,
    "SumExt": lambda x, dim, keep, dtype: mint.sum(x, dim, keep, dtype=_dtype(dtype)),
    "MeanExt": lambda x, dim, keep, dtype: mint.mean(x, dim, keep, dtype=_dtype(dtype)),
    "ProdExt": lambda x, dim, keep, dtype: _product(x, dim, keep, _dtype(dtype)),
    "InplaceAddExt": _inplace(lambda x, y, alpha=1: x + alpha * y),
    "InplaceSubExt": _inplace(lambda x, y, alpha=1: x - alpha * y),
    "InplaceMul": _inplace(operator.mul), "InplaceDiv": _inplace(operator.truediv),
    "AddExt": lambda x, y, alpha=1: x + alpha * y, "SubExt": lambda x, y, alpha=1: x - alpha * y,
    "Cast": lambda x, dtype: ops.cast(x, _dtype(dtype)),
    "GroupNorm": lambda x, groups, *others: (ops.group_norm(x, groups, *others), None, None),
    "MakeTuple": lambda *items: items, "MakeList": lambda *items: items,
    "UpdateState": lambda *states: None, "Switch": _Choice,
    "Partial": lambda function, *arguments: _Closure(function, arguments),
    **dict.fromkeys(("TupleGetItem", "ListGetItem"), lambda items, i: _item(items, i)),
    **dict.fromkeys(
        ("Depend", "Identity", "Load", "StopGradient", "TensorMove"), lambda x, state=None: x
    ),
}  # fmt: skip
_CHANGES = ("Inplace",)  # the beginning of the names of operations that write to their first input


def _product(x, dim, keep, dtype):
    return mint.prod(x, dtype=dtype) if dim is None else mint.prod(x, dim, keep, dtype=dtype)


def _item(items, i):
    """Return one result of several; a Tensor here would be the only result."""
    require(isinstance(items, (tuple, list)) and i < len(items), "mindir-results", number=i)
    return items[i]


def _dtype(number):
    if number is None:
        return None
    require(number in _DTYPES, "mindir-dtype", number=number)
    return getattr(dtypes, _DTYPES[number])


def _word(name, value, default):
    """Return an argument that stands for a word or a dtype as that."""
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    if isinstance(default, str):
        words = _WORDS.get(name, ())
        require(0 <= value < len(words), "mindir-word", name=name, got=value)
        return words[value]
    return _dtype(value) if isinstance(default, dtypes.Type) else value


def _operation(op, attributes, is_function):
    """Return a function for a primitive of a file. `is_function`: if its attributes are its last
    inputs. Raises CorruptFile for a primitive that sporax does not have."""
    if op in _SPECIAL:
        return _SPECIAL[op]
    primitive: Any = getattr(ops, op, None)
    is_known = inspect.isclass(primitive) and issubclass(primitive, ops.Primitive)
    require(is_known, "mindir-operation", name=op)
    parameters = inspect.signature(primitive).parameters
    if is_function:
        return functools.partial(_by_position, primitive, list(parameters.values()))
    given = {"data_format" if name == "format" else name: value for name, value in attributes}
    chosen = {}
    for name, parameter in parameters.items():
        if name in given:
            value: Any = _word(name, given[name], parameter.default)
            is_window = name in _WINDOWS and isinstance(value, tuple) and len(value) == 4
            chosen[name] = value[2:] if is_window else value
    if str(chosen.get("pad_mode")).lower() != "pad":  # else these are what the mode comes to
        chosen.pop("pad", None)
        chosen.pop("pad_list", None)
    return primitive(**chosen)


def _by_position(primitive, parameters, *inputs):
    """Run a primitive whose attributes are its last inputs."""
    count = len(inputs) - len(parameters)
    attributes = [
        _word(p.name, value, p.default) for p, value in zip(parameters, inputs[count:], strict=True)
    ]
    return primitive(*attributes)(*inputs[:count])


# graphs ----------------------------------------------------------------------------------------


class _GraphOfFile(Cell):
    """Runs the functions of a file, of which the first is the whole, with its Parameters.

    Conditions are functions that a node chooses from. A loop is a function that chooses between
    its body, at whose end it is called again, and the computation after the loop.
    """

    def __init__(self, functions, parameters, folder):
        super().__init__(auto_prefix=False)
        self._first, self._names = functions[0].name, {}
        self._functions = {function.name: function for function in functions}
        self._uses = {
            function.name: {n for node in function.nodes for n in node.inputs} & {*self._functions}
            for function in functions
        }
        self._constants = {}  # a function may use another's
        for function in functions:
            self._constants |= function.constants
        self._loops, self._steps = set(), iter(range(_MOST_NODES))
        for tensor in parameters:
            name = tensor.get("ref_key") or tensor["name"].rpartition(":")[2]
            self._names[tensor["name"]] = name
            self._set_attr_for_params(name, Parameter(Tensor(_array(tensor, folder)), name=name))

    def construct(self, *inputs):
        """Run the first function."""
        return self._call(self._first, inputs)

    def _call(self, callee, arguments):
        if isinstance(callee, _Closure):
            return self._call(callee.function, (*callee.arguments, *arguments))
        if isinstance(callee, _Choice):
            branches = [
                functools.partial(self._call, one, arguments) for one in (callee.true, callee.false)
            ]
            if is_traced(callee.condition):
                return choose("load", callee.condition, *branches)
            return branches[0 if callee.condition else 1]()
        if callee in self._loops:  # the end of the body
            return tuple(arguments)
        function = self._functions[callee]
        if self._reaches(callee, callee):
            return self._loop(function, arguments)
        known = self._run(function, arguments, function.nodes)
        results = [known[name] for name in function.outputs]
        return results[0] if len(results) == 1 else tuple(results)

    def _run(self, function, arguments, nodes):
        """Return the values of these nodes of a function, and all that they see, by name."""
        known: dict[str, Any] = {name: name for name in self._functions}
        known.update((key, self._params[name]) for key, name in self._names.items())
        known.update(self._constants | function.constants)
        known.update(zip(function.inputs, arguments, strict=True))
        for node in nodes:
            require(next(self._steps, None) is not None, "mindir-too-many", most=_MOST_NODES)
            inputs = [known[name] for name in node.inputs]
            run = node.run
            result = self._call(inputs[0], inputs[1:]) if run is None else run(*inputs)
            known[node.output] = result
            if node.op.startswith(_CHANGES):
                known[node.inputs[0]] = result
        return known

    def _loop(self, function, arguments):
        *nodes, last = function.nodes
        is_one = last.op == _CALL and function.outputs == [last.output]
        require(is_one, "mindir-control-flow", name=function.name)

        def chosen(state):
            """Return (condition, its value in the body, body, rest), the last two as calls."""
            known = self._run(function, state, nodes)
            choice, *more = (known[name] for name in last.inputs)
            require(isinstance(choice, _Choice), "mindir-control-flow", name=function.name)
            calls = [functools.partial(self._call, f, more) for f in (choice.false, choice.true)]
            is_body = [self._reaches(f, function.name) for f in (choice.false, choice.true)]
            require(sorted(is_body) == [False, True], "mindir-control-flow", name=function.name)
            return choice.condition, is_body[1], calls[is_body[1]], calls[is_body[0]]

        def test(state):
            condition, value, _, _ = chosen(state)
            return condition if value else ops.logical_not(condition)

        def body(state):
            _, _, run, _ = chosen(state)
            self._loops.add(function.name)
            try:
                return run()
            finally:
                self._loops.remove(function.name)

        return chosen(loop("load", test, body, tuple(arguments)))[3]()

    def _reaches(self, callee, name):
        """Return True if a call may lead to a call of this name, loops that run left out."""
        while isinstance(callee, _Closure):
            callee = callee.function
        queue, seen = [callee], set()
        for one in queue:
            new = self._uses.get(one, set()) - seen - self._loops
            seen |= new
            queue += new
        return name in seen


def is_one(path):
    """Return True if a file begins as MindSpore's do: with the version, the first field."""
    with untrusted_file.opened(path) as file:
        return file.read(1) == bytes([1 << 3 | protobuf.BYTES])


def read(path):
    """Read the `Exported` of a file of MindSpore; raises CorruptFile."""
    try:
        return _read(untrusted_file.content(path), Path(path).parent)
    except (OSError, CorruptFile):
        raise
    except Unrecordable as error:
        raise rejection("mindir-control-flow", name=error) from error
    except (RuntimeError, *untrusted_file.MALFORMED) as error:  # of a primitive, or of its tracing
        raise rejection("header-none", cause=untrusted_file.cause(error)) from error


def _read(content, folder):
    model = _decoded("Model", memoryview(content))
    require("graph" in model, "mindir-no-graph")
    graph, primitives, missing = model["graph"], {}, set()
    graphs = [graph, *model["functions"]]
    count = sum(len(one["node"]) for one in graphs)
    require(count <= _MOST_NODES, "mindir-too-many", most=_MOST_NODES)
    for found in model["primitives"]:
        attributes = [(a["name"], _attribute(a)) for a in found["attribute"]]
        primitives[found["name"]] = found["op_type"], attributes, found.get("prim_type", 1) == 2
    names = {one.get("name", "") for one in graphs}
    functions = [_function(one, primitives, names, missing) for one in graphs]
    require(not missing, "mindir-operations", reasons=sorted(missing)[:10])
    inputs = [_input(value) for value in graph["input"]]
    cell = _GraphOfFile(functions, graph["parameter"], folder).set_train(False)
    name = graph.get("name", "graph").split("_")[-2:][0] or "graph"
    return exported(name, cell, tuple(inputs))


def _function(graph, primitives, functions, missing):
    """Return a `_Function`; operations that sporax does not have are added to `missing`."""
    nodes, constants, values = [], {}, {value["name"] for value in graph["input"]}
    for node in graph["node"]:
        (output,) = node["output"]
        if node["op_type"] == "Constant":
            (attribute,) = node["attribute"]
            constants[output] = _constant(attribute)
            continue
        name = node["op_type"].removeprefix("REF::")
        if name not in primitives and (name in functions or name in values):
            nodes.append(_Node(_CALL, None, [name, *node["input"]], output))
        else:
            op, attributes, is_function = primitives.get(name, (name, [], True))
            try:
                run = _operation(op, attributes, is_function)
            except ValueError as error:
                missing.add(str(error))
                continue
            nodes.append(_Node(op, run, node["input"], output))
        values.add(output)
    inputs, outputs = ([value["name"] for value in graph[key]] for key in ("input", "output"))
    return _Function(graph.get("name", ""), nodes, constants, inputs, outputs)


def _attribute(attribute):
    """Return an attribute of a primitive; None for one that no operation needs."""
    number = attribute.get("type", 0)
    is_known = number in _INTEGERS | _FLOATS | {_BOOL, _STRING, _TUPLE, _LIST, _DOUBLE}
    return _constant(attribute) if is_known else None


def _input(value):
    """Return an input as `export` takes it, with None for unknown sizes."""
    (tensor,) = value["tensor"]
    number = tensor.get("data_type", 0)
    require(number in _ARRAYS, "mindir-dtype", number=number)
    shape = [None if n < 0 else n for n in tensor["dims"]]
    return Tensor(shape=shape, dtype=dtypes.from_numpy(np.dtype(_ARRAYS[number])))
