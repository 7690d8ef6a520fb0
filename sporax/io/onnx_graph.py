"""ONNX graphs from jaxprs: `Graph` and the values in it; `onnx_operators` has the rules."""

import itertools

import jax
import numpy as np

from sporax._src.core.jax_internals import called, evaluated, fold_size, interpret, is_symbolic
from sporax._src.runtime.xla_kernels.recurrence import SCANNED

OPSET = 19  # has averages over dilated windows
IR_VERSION = 9  # of that time
_FOLDED = 1024  # maximum size of a result computed at the export


class NoOperator(Exception):
    """Raised for an equation that has no form in ONNX's operators, with its primitive's name."""


def no_operator(primitive):
    """Return `NoOperator` for a primitive, or the name of a size that no input has."""
    return NoOperator(primitive)


class Array:
    """A value: the `name` of a tensor of the graph, or a `constant` (a NumPy array).

    `shape`, with symbolic sizes, and `dtype`. `unexpanded`: the name of a tensor that broadcasts to
    it, or None: elementwise operations take it, which broadcast themselves.
    """

    __slots__ = ("constant", "dtype", "name", "shape", "unexpanded")

    def __init__(self, shape, dtype, name=None, constant=None, unexpanded=None):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.name, self.constant, self.unexpanded = name, constant, unexpanded

    @classmethod
    def of_constant(cls, value, dtype=None):
        value = np.asarray(value, dtype)
        return cls(value.shape, value.dtype, constant=value)


class Graph:
    """The nodes of a model, or of the body of a loop or a branch, which sees the `outer` graph's
    nodes. `symbols`: {symbolic size: (input, axis)}."""

    def __init__(self, onnx, rules, outer=None):
        self.onnx, self.rules, self.nodes = onnx, rules, []
        self.top = self if outer is None else outer.top
        if outer is None:
            self.initializers, self.symbols = [], {}
            self._names, self._known, self._numbers = set(), {}, itertools.count()

    # names and nodes --------------------------------------------------------------------------

    def new_name(self, hint):
        """Return a name that nothing has."""
        names = self.top._names
        name = hint
        while name in names:
            name = f"{hint}_{next(self.top._numbers)}"
        names.add(name)
        return name

    def add(self, operator, *inputs, outputs=1, **attributes):
        """Append a node; returns the name of its result, or the list of names of `outputs` results.
        `inputs`: names, `Array`s, or NumPy arrays."""
        label = self.new_name(operator)
        names = [label] if outputs == 1 else [self.new_name(label) for _ in range(outputs)]
        given = [self.name(x) for x in inputs]
        node = self.onnx.helper.make_node(operator, given, names, name=label, **attributes)
        self.nodes.append(node)
        return names[0] if outputs == 1 else names

    def name(self, value):
        """Return the name of a tensor; a constant becomes an initializer."""
        if isinstance(value, str):
            return value
        if isinstance(value, Array):
            if value.name is None:
                value.name = self.name(value.constant)
            return value.name
        value = np.asarray(value)
        key = value.dtype, value.shape, value.tobytes()
        if key not in self.top._known:
            self.top._known[key] = name = self.new_name("constant")
            self.top.initializers.append(self.onnx.numpy_helper.from_array(value, name))
        return self.top._known[key]

    def cast(self, value, dtype):
        """Return the name of a value in another dtype."""
        if isinstance(value, Array) and value.dtype == dtype:
            return self.name(value)
        return self.add("Cast", value, to=self.type_of(dtype))

    def type_of(self, dtype):
        return self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))

    def value_info(self, name, shape, dtype):
        """Return the declaration of an input or a result; unknown sizes have names."""
        sizes = [n if isinstance(n, int) else str(n) for n in shape]
        return self.onnx.helper.make_tensor_value_info(name, self.type_of(dtype), sizes)

    # sizes ------------------------------------------------------------------------------------

    def size(self, size):
        """Return the name of an Int64 tensor (1,) with a size, which may be symbolic."""
        if not is_symbolic(size):
            return self.name(np.array([size], np.int64))
        known = self.top._known
        if ("size", str(size)) not in known:
            known["size", str(size)] = fold_size(size, self._symbol, self.size, self._arithmetic)
        return known["size", str(size)]

    def _symbol(self, name):
        if name not in self.top.symbols:
            raise no_operator(name)
        source, axis = self.top.symbols[name]
        return self.top.add("Shape", source, start=axis, end=axis + 1)

    def _arithmetic(self, operation, one, other):
        if operation == "floordiv":  # of sizes, which are not negative
            return self.top.add("Div", one, other)
        names = {"add": "Add", "mul": "Mul", "mod": "Mod", "max": "Max", "min": "Min"}
        return self.top.add(names[operation], one, other)

    def shape(self, sizes):
        """Return the name of an Int64 tensor with these sizes."""
        if not any(map(is_symbolic, sizes)):
            return self.name(np.array(sizes, np.int64))
        return self.add("Concat", *map(self.size, sizes), axis=0)

    def reshape(self, value, sizes):
        """Return the name of a value with another shape."""
        unknown = [k for k, n in enumerate(sizes) if is_symbolic(n)]
        if len(unknown) == 1 and 0 not in sizes:
            shape = np.array([-1 if is_symbolic(n) else n for n in sizes], np.int64)
        else:
            shape = self.shape(sizes)
        return self.add("Reshape", value, shape, allowzero=int(0 in sizes))

    def transpose(self, value, order):
        """Return the name of a value with permuted axes."""
        order = list(order)
        is_same = order == sorted(order)
        return self.name(value) if is_same else self.add("Transpose", value, perm=order)

    def iota(self, size, dtype=np.int64):
        """Return the name of the tensor 0, 1, ... of a size."""
        if not is_symbolic(size):
            return self.name(np.arange(size, dtype=dtype))
        end = self.add("Squeeze", self.size(size))
        numbers = self.add("Range", np.int64(0), end, np.int64(1))
        return numbers if dtype == np.int64 else self.cast(numbers, dtype)

    # equations --------------------------------------------------------------------------------

    def run(self, jaxpr, constants, arrays):
        """Append the nodes of a jaxpr for these `Array`s; returns its results."""
        constants = [
            x if isinstance(x, Array) else Array.of_constant(x) for x in constants
        ]  # fmt: skip
        return interpret(
            jaxpr, constants, arrays, self._evaluate,
            lambda atom: Array.of_constant(atom.val, atom.aval.dtype),
        )  # fmt: skip

    def _evaluate(self, equation, operands):
        name = equation.primitive.name
        inner = called(equation)
        if name in SCANNED:
            specs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in operands]
            form = jax.make_jaxpr(lambda *xs: SCANNED[name](*xs, **equation.params))(*specs)
            inner = form.jaxpr, form.consts
        if inner is not None:
            return self.run(*inner, operands)
        avals = [v.aval for v in equation.outvars]
        if name != "dim_as_value" and self._is_constant(avals, operands):
            return list(map(Array.of_constant, evaluated(equation, [x.constant for x in operands])))
        if name not in self.rules:
            raise no_operator(name)
        results = self.rules[name](self, equation.params, *operands, avals=avals)
        if isinstance(results, (str, Array)):
            results = [results]
        return [
            x if isinstance(x, Array) else Array(aval.shape, aval.dtype, x)
            for x, aval in zip(results, avals, strict=True)
        ]

    @staticmethod
    def _is_constant(avals, operands):
        if any(x.constant is None for x in operands):
            return False
        sizes = [n for aval in avals for n in aval.shape]
        return not any(map(is_symbolic, sizes)) and all(aval.size <= _FOLDED for aval in avals)

    def body(self, name, inputs, run):
        """Return the GraphProto of a loop's body or a branch. `inputs`: (name, shape, dtype) of
        each; `run(graph, *Arrays)` returns its results."""
        inner = Graph(self.onnx, self.rules, self)
        arrays, declared = [], []
        for hint, shape, dtype in inputs:
            arrays.append(Array(shape, dtype, self.new_name(hint)))
            declared.append(self.value_info(arrays[-1].name, shape, dtype))
        results = [
            self.value_info(inner.add("Identity", x), x.shape, x.dtype)
            for x in run(inner, *arrays)
        ]  # fmt: skip
        return self.onnx.helper.make_graph(inner.nodes, name, declared, results)

    def needed_nodes(self, results):
        """Return the nodes that the results need, in order, and the names that these read."""
        needed, names = [], set(results)
        for node in reversed(self.nodes):
            if names.intersection(node.output):
                needed.append(node)
                names.update(_read_by(node))
        return needed[::-1], names


def _read_by(node):
    """Yield the names that a node reads, also in its bodies."""
    yield from node.input
    for attribute in node.attribute:
        for inner in attribute.g.node:
            yield from _read_by(inner)
