"""Elementwise operations, selections and changes of dtypes."""

import math

import numpy as np
from jax import lax

from sporax.io.onnx_graph import Array, no_operator
from sporax.io.onnx_operators.declare import rules

RULES, rule = rules()


def computed_dtype(dtype):
    """Return the dtype in which operators compute that lack this one."""
    if dtype.kind in "biu" and dtype not in (np.int32, np.int64):
        return np.dtype(np.int64 if dtype in (np.uint32, np.uint64) else np.int32)
    return dtype


def narrowed(graph, computed, dtype):
    """Return the name of a result in `dtype` that was computed in `computed_dtype(dtype)`."""
    return computed if computed_dtype(dtype) == dtype else graph.cast(computed, dtype)


def broadcasting(arrays):
    """Return the names of operands that broadcast to the shape of the result."""
    rank = max(len(x.shape) for x in arrays)
    full = [x for x in arrays if len(x.shape) == rank and x.unexpanded is None]
    if not full:
        full = [x for x in arrays if len(x.shape) == rank][:1]
    return [x if x in full or x.unexpanded is None else x.unexpanded for x in arrays]


def elementwise(graph, name, arrays, is_test=False):
    """Add an elementwise operator; operands of dtypes that it lacks are cast, and the result back,
    unless it is a Bool (`is_test`)."""
    dtype = arrays[0].dtype
    wide = computed_dtype(dtype)
    operands = broadcasting(arrays)
    if wide != dtype:
        operands = [graph.cast(x, wide) for x in operands]
    computed = graph.add(name, *operands)
    return computed if is_test else narrowed(graph, computed, dtype)


_SAME = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "add": "Add", "add_any": "Add", "asin": "Asin",
    "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh", "ceil": "Ceil", "cos": "Cos",
    "cosh": "Cosh", "div": "Div", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log",
    "logistic": "Sigmoid", "min": "Min", "mul": "Mul", "neg": "Neg", "pow": "Pow",
    "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "sub": "Sub", "tan": "Tan",
    "tanh": "Tanh",
}  # fmt: skip
_COMPARISONS = {
    "eq": "Equal", "ge": "GreaterOrEqual", "gt": "Greater", "le": "LessOrEqual", "lt": "Less"
}  # fmt: skip
_BITS = {"and": "And", "or": "Or", "xor": "Xor", "not": "Not"}


def _plain(name, is_test=False):
    def rule(graph, params, *arrays, avals):
        return elementwise(graph, name, arrays, is_test)

    return rule


def _bits(name):
    def rule(graph, params, *arrays, avals):
        kind = name if arrays[0].dtype == bool else f"Bitwise{name}"
        return graph.add(kind, *broadcasting(arrays))

    return rule


RULES |= {primitive: _plain(name) for primitive, name in _SAME.items()}
RULES |= {primitive: _plain(name, is_test=True) for primitive, name in _COMPARISONS.items()}
RULES |= {primitive: _bits(name) for primitive, name in _BITS.items()}


@rule("max")
def _max(graph, params, x, y, *, avals):
    bound = y.constant
    if bound is not None and x.dtype.kind == "f" and not np.any(bound):
        return graph.add("Relu", x)
    return elementwise(graph, "Max", [x, y])


@rule("ne")
def _ne(graph, params, *arrays, avals):
    return graph.add("Not", elementwise(graph, "Equal", arrays, is_test=True))


@rule(
    "copy", "copy_p", "name", "optimization_barrier", "stop_gradient", "tie",
)  # fmt: skip
def _identity(graph, params, *arrays, avals):
    return list(arrays[: len(avals)])


@rule("reduce_precision")
def _reduce_precision(graph, params, x, *, avals):
    kept = np.finfo(x.dtype)
    if (params["exponent_bits"], params["mantissa_bits"]) != (kept.iexp, kept.nmant):
        raise no_operator("reduce_precision")
    return x


@rule("convert_element_type")
def _convert(graph, params, x, *, avals):
    name = graph.cast(x, avals[0].dtype)
    narrow = x.unexpanded and graph.cast(x.unexpanded, avals[0].dtype)
    return Array(x.shape, avals[0].dtype, name, unexpanded=narrow)


def number(x, value):
    """A number in the dtype of an operand."""
    return np.asarray(value, x.dtype)


@rule("integer_pow")
def _integer_pow(graph, params, x, *, avals):
    power = params["y"]
    raised = graph.add("Mul", x, x) if abs(power) == 2 else x
    if abs(power) not in (1, 2):
        raised = elementwise(graph, "Pow", [x, Array.of_constant(number(x, abs(power)))])
    return graph.add("Reciprocal", raised) if power < 0 else raised


@rule("square")
def _square(graph, params, x, *, avals):
    return elementwise(graph, "Mul", [x, x])


@rule("one_minus_square")
def _one_minus_square(graph, params, x, *, avals):
    one = number(x, 1)
    return graph.add("Mul", graph.add("Add", x, one), graph.add("Sub", one, x))


@rule("polynomial")
def _polynomial(graph, params, x, *coefficients, avals):
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = graph.add("Add", graph.add("Mul", result, x), coefficient)
    return result


@rule("rsqrt")
def _rsqrt(graph, params, x, *, avals):
    return graph.add("Reciprocal", graph.add("Sqrt", x))


@rule("cbrt")
def _cbrt(graph, params, x, *, avals):
    root = graph.add("Pow", graph.add("Abs", x), number(x, 1 / 3))
    return graph.add("Mul", graph.add("Sign", x), root)


@rule("exp2")
def _exp2(graph, params, x, *, avals):
    return graph.add("Pow", number(x, 2), x)


@rule("log2")
def _log2(graph, params, x, *, avals):
    return graph.add("Mul", graph.add("Log", x), number(x, 1 / math.log(2)))


@rule("expm1")
def _expm1(graph, params, x, *, avals):
    half = graph.add("Mul", x, number(x, 0.5))  # 2 sinh(x/2) exp(x/2) is accurate at 0
    product = graph.add("Mul", graph.add("Sinh", half), graph.add("Exp", half))
    return graph.add("Mul", product, number(x, 2))


@rule("log1p")
def _log1p(graph, params, x, *, avals):
    fraction = graph.add("Div", x, graph.add("Add", x, number(x, 2)))
    near = graph.add("Mul", graph.add("Atanh", fraction), number(x, 2))  # accurate at 0
    is_near = graph.add("Less", graph.add("Abs", x), number(x, 0.5))
    far = graph.add("Log", graph.add("Add", x, number(x, 1)))
    return graph.add("Where", is_near, near, far)


@rule("erfc")
def _erfc(graph, params, x, *, avals):
    return graph.add("Sub", number(x, 1), graph.add("Erf", x))


@rule("atan2")
def _atan2(graph, params, y, x, *, avals):
    zero, pi = number(x, 0), number(x, math.pi)
    side = graph.add("Where", graph.add("Less", y, zero), number(x, -1), number(x, 1))
    angle = graph.add("Atan", graph.add("Div", y, x))
    turned = graph.add("Add", angle, graph.add("Mul", side, pi))
    angle = graph.add("Where", graph.add("Less", x, zero), turned, angle)
    upright = graph.add("Mul", graph.add("Sign", y), number(x, math.pi / 2))
    return graph.add("Where", graph.add("Equal", x, zero), upright, angle)


@rule("round")
def _round(graph, params, x, *, avals):
    if params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN:
        return graph.add("Round", x)
    size = graph.add("Floor", graph.add("Add", graph.add("Abs", x), number(x, 0.5)))
    return graph.add("Mul", graph.add("Sign", x), size)


@rule("is_finite")
def _is_finite(graph, params, x, *, avals):
    return graph.add("Not", graph.add("Or", graph.add("IsInf", x), graph.add("IsNaN", x)))


@rule("rem")
def _rem(graph, params, x, y, *, avals):
    dtype = computed_dtype(x.dtype)  # the sign is the dividend's
    x, y = (graph.cast(a, dtype) for a in broadcasting([x, y]))
    return graph.cast(graph.add("Mod", x, y, fmod=1), avals[0].dtype)


@rule("clamp")
def _clamp(graph, params, low, x, high, *, avals):
    above = elementwise(graph, "Max", [x, low])
    return elementwise(graph, "Min", [Array(x.shape, x.dtype, above), high])


@rule("select_n")
def _select_n(graph, params, which, *cases, avals):
    dtype, is_bool = avals[0].dtype, which.dtype == bool
    wide = computed_dtype(dtype)
    which, *cases = broadcasting([which, *cases])
    if wide != dtype:
        cases = [graph.cast(x, wide) for x in cases]
    chosen = cases[0]
    for k, case in enumerate(cases[1:], 1):
        is_case = which if is_bool else graph.add("Equal", which, np.int32(k))
        chosen = graph.add("Where", is_case, case, chosen)
    return narrowed(graph, chosen, dtype)
