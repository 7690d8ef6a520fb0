"""JAX primitives in ONNX's operators: `RULES`.

A rule is called with the `Graph`, the parameters of the equation, its operands (`Array`s) and the
`avals` of its results; it appends nodes and returns the name of the result, or a list of names.
"""

import functools
import math
import operator

import numpy as np
from jax import lax

from sporax._src.core.jax_internals import is_symbolic, scan_counts
from sporax.io.onnx_graph import Array, NoOperator

_LAST = np.iinfo(np.int64).min  # the end of a slice that runs backwards to the first element
_MOST_WINDOWED = 3  # axes of a pooling operator
RULES = {}


def _rule(*names):
    def add(function):
        RULES.update(dict.fromkeys(names, function))
        return function

    return add


# elementwise ----------------------------------------------------------------------------------


def _wide(dtype):
    """The dtype in which operators that lack this dtype compute."""
    if dtype.kind in "biu" and dtype not in (np.int32, np.int64):
        return np.dtype(np.int64 if dtype in (np.uint32, np.uint64) else np.int32)
    return dtype


def _broadcasting(arrays):
    """Return the names of operands that broadcast to the shape of the result."""
    rank = max(len(x.shape) for x in arrays)
    full = [x for x in arrays if len(x.shape) == rank and x.unexpanded is None]
    if not full:
        full = [x for x in arrays if len(x.shape) == rank][:1]
    return [x if x in full or x.unexpanded is None else x.unexpanded for x in arrays]


def _elementwise(graph, name, arrays, is_test=False):
    """Add an elementwise operator; operands of dtypes that it lacks are cast, and the result back,
    unless it is a Bool (`is_test`)."""
    dtype = arrays[0].dtype
    wide = _wide(dtype)
    operands = _broadcasting(arrays)
    if wide != dtype:
        operands = [graph.cast(x, wide) for x in operands]
    computed = graph.add(name, *operands)
    return graph.cast(computed, dtype) if wide != dtype and not is_test else computed


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


def _plain(name):
    def rule(graph, params, *arrays, avals):
        return _elementwise(graph, name, arrays)

    return rule


def _compared(name):
    def rule(graph, params, *arrays, avals):
        return _elementwise(graph, name, arrays, is_test=True)

    return rule


def _bits(name):
    def rule(graph, params, *arrays, avals):
        kind = name if arrays[0].dtype == bool else f"Bitwise{name}"
        return graph.add(kind, *_broadcasting(arrays))

    return rule


RULES |= {primitive: _plain(name) for primitive, name in _SAME.items()}
RULES |= {primitive: _compared(name) for primitive, name in _COMPARISONS.items()}
RULES |= {primitive: _bits(name) for primitive, name in _BITS.items()}


@_rule("max")
def _max(graph, params, x, y, *, avals):
    bound = y.constant
    if bound is not None and x.dtype.kind == "f" and not np.any(bound):
        return graph.add("Relu", x)
    return _elementwise(graph, "Max", [x, y])


@_rule("ne")
def _ne(graph, params, *arrays, avals):
    return graph.add("Not", _elementwise(graph, "Equal", arrays, is_test=True))


@_rule(
    "copy", "copy_p", "name", "optimization_barrier", "stop_gradient", "tie",
)  # fmt: skip
def _identity(graph, params, *arrays, avals):
    return list(arrays[: len(avals)])


@_rule("reduce_precision")
def _reduce_precision(graph, params, x, *, avals):
    kept = np.finfo(x.dtype)
    if (params["exponent_bits"], params["mantissa_bits"]) != (kept.iexp, kept.nmant):
        raise NoOperator("ONNX has no rounding to fewer bits of a number")
    return x


@_rule("convert_element_type")
def _convert(graph, params, x, *, avals):
    name = graph.cast(x, avals[0].dtype)
    narrow = x.unexpanded and graph.cast(x.unexpanded, avals[0].dtype)
    return Array(x.shape, avals[0].dtype, name, unexpanded=narrow)


def _number(x, value):
    """A number in the dtype of an operand."""
    return np.asarray(value, x.dtype)


@_rule("integer_pow")
def _integer_pow(graph, params, x, *, avals):
    power = params["y"]
    raised = graph.add("Mul", x, x) if abs(power) == 2 else x
    if abs(power) not in (1, 2):
        raised = _elementwise(graph, "Pow", [x, Array.of_constant(_number(x, abs(power)))])
    return graph.add("Reciprocal", raised) if power < 0 else raised


@_rule("square")
def _square(graph, params, x, *, avals):
    return _elementwise(graph, "Mul", [x, x])


@_rule("one_minus_square")
def _one_minus_square(graph, params, x, *, avals):
    one = _number(x, 1)
    return graph.add("Mul", graph.add("Add", x, one), graph.add("Sub", one, x))


@_rule("polynomial")
def _polynomial(graph, params, x, *coefficients, avals):
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = graph.add("Add", graph.add("Mul", result, x), coefficient)
    return result


@_rule("rsqrt")
def _rsqrt(graph, params, x, *, avals):
    return graph.add("Reciprocal", graph.add("Sqrt", x))


@_rule("cbrt")
def _cbrt(graph, params, x, *, avals):
    root = graph.add("Pow", graph.add("Abs", x), _number(x, 1 / 3))
    return graph.add("Mul", graph.add("Sign", x), root)


@_rule("exp2")
def _exp2(graph, params, x, *, avals):
    return graph.add("Pow", _number(x, 2), x)


@_rule("log2")
def _log2(graph, params, x, *, avals):
    return graph.add("Mul", graph.add("Log", x), _number(x, 1 / math.log(2)))


@_rule("expm1")
def _expm1(graph, params, x, *, avals):
    half = graph.add("Mul", x, _number(x, 0.5))  # 2 sinh(x/2) exp(x/2) is accurate at 0
    product = graph.add("Mul", graph.add("Sinh", half), graph.add("Exp", half))
    return graph.add("Mul", product, _number(x, 2))


@_rule("log1p")
def _log1p(graph, params, x, *, avals):
    fraction = graph.add("Div", x, graph.add("Add", x, _number(x, 2)))
    near = graph.add("Mul", graph.add("Atanh", fraction), _number(x, 2))  # accurate at 0
    is_near = graph.add("Less", graph.add("Abs", x), _number(x, 0.5))
    far = graph.add("Log", graph.add("Add", x, _number(x, 1)))
    return graph.add("Where", is_near, near, far)


@_rule("erfc")
def _erfc(graph, params, x, *, avals):
    return graph.add("Sub", _number(x, 1), graph.add("Erf", x))


@_rule("atan2")
def _atan2(graph, params, y, x, *, avals):
    zero, pi = _number(x, 0), _number(x, math.pi)
    side = graph.add("Where", graph.add("Less", y, zero), _number(x, -1), _number(x, 1))
    angle = graph.add("Atan", graph.add("Div", y, x))
    turned = graph.add("Add", angle, graph.add("Mul", side, pi))
    angle = graph.add("Where", graph.add("Less", x, zero), turned, angle)
    upright = graph.add("Mul", graph.add("Sign", y), _number(x, math.pi / 2))
    return graph.add("Where", graph.add("Equal", x, zero), upright, angle)


@_rule("round")
def _round(graph, params, x, *, avals):
    if params["rounding_method"] == lax.RoundingMethod.TO_NEAREST_EVEN:
        return graph.add("Round", x)
    size = graph.add("Floor", graph.add("Add", graph.add("Abs", x), _number(x, 0.5)))
    return graph.add("Mul", graph.add("Sign", x), size)


@_rule("is_finite")
def _is_finite(graph, params, x, *, avals):
    return graph.add("Not", graph.add("Or", graph.add("IsInf", x), graph.add("IsNaN", x)))


@_rule("rem")
def _rem(graph, params, x, y, *, avals):
    dtype = _wide(x.dtype)  # the sign is that of the dividend
    x, y = (graph.cast(a, dtype) for a in _broadcasting([x, y]))
    return graph.cast(graph.add("Mod", x, y, fmod=1), avals[0].dtype)


@_rule("clamp")
def _clamp(graph, params, low, x, high, *, avals):
    above = _elementwise(graph, "Max", [x, low])
    return _elementwise(graph, "Min", [Array(x.shape, x.dtype, above), high])


@_rule("select_n")
def _select_n(graph, params, which, *cases, avals):
    dtype, is_bool = avals[0].dtype, which.dtype == bool
    wide = _wide(dtype)
    which, *cases = _broadcasting([which, *cases])
    if wide != dtype:
        cases = [graph.cast(x, wide) for x in cases]
    chosen = cases[0]
    for k, case in enumerate(cases[1:], 1):
        is_case = which if is_bool else graph.add("Equal", which, np.int32(k))
        chosen = graph.add("Where", is_case, case, chosen)
    return graph.cast(chosen, dtype) if wide != dtype else chosen


# shapes ---------------------------------------------------------------------------------------


@_rule("dim_as_value")
def _dim_as_value(graph, params, *, avals):
    return graph.cast(graph.add("Squeeze", graph.size(params["dim"])), avals[0].dtype)


@_rule("iota")
def _iota(graph, params, *sizes, avals):
    (aval,), axis = avals, params["dimension"]
    numbers = graph.iota(aval.shape[axis], aval.dtype)
    others = [k for k in range(len(aval.shape)) if k != axis]
    if not others:
        return numbers
    row = graph.add("Unsqueeze", numbers, np.array(others))
    full = graph.add("Expand", row, graph.shape(aval.shape))
    return Array(aval.shape, aval.dtype, full, unexpanded=row)


@_rule("broadcast_in_dim")
def _broadcast_in_dim(graph, params, x, *sizes, avals):
    shape, kept = avals[0].shape, params["broadcast_dimensions"]
    new = [k for k in range(len(shape)) if k not in kept]
    if x.constant is not None:
        row = graph.name(np.expand_dims(x.constant, new))
    else:
        row = graph.add("Unsqueeze", x, np.array(new)) if new else graph.name(x)
    if [shape[k] for k in kept] == list(x.shape) and all(shape[k] == 1 for k in new):
        return Array(shape, x.dtype, row)
    full = graph.add("Expand", row, graph.shape(shape))
    return Array(shape, x.dtype, full, unexpanded=row)


@_rule("reshape")
def _reshape(graph, params, x, *sizes, avals):
    return graph.reshape(x, avals[0].shape)


@_rule("squeeze")
def _squeeze(graph, params, x, *, avals):
    axes = params["dimensions"]
    return graph.add("Squeeze", x, np.array(axes, np.int64)) if axes else x


@_rule("expand_dims")
def _expand_dims(graph, params, x, *, avals):
    return graph.add("Unsqueeze", x, np.array(params["dimensions"], np.int64))


@_rule("transpose")
def _transpose(graph, params, x, *, avals):
    return graph.transpose(x, params["permutation"])


@_rule("rev")
def _rev(graph, params, x, *, avals):
    return _reversed(graph, x, params["dimensions"])


def _reversed(graph, x, axes):
    if not axes:
        return graph.name(x)
    n = len(axes)
    return graph.add(
        "Slice", x, np.full(n, -1), np.full(n, _LAST), np.array(axes), np.full(n, -1)
    )  # fmt: skip


@_rule("concatenate")
def _concatenate(graph, params, *arrays, avals):
    return graph.add("Concat", *arrays, axis=params["dimension"])


@_rule("stack")
def _stack(graph, params, *arrays, avals):
    axis = params["axis"]
    parts = [graph.add("Unsqueeze", x, np.array([axis])) for x in arrays]
    return graph.add("Concat", *parts, axis=axis)


@_rule("split")
def _split(graph, params, x, *, avals):
    sizes = graph.shape(params["sizes"])
    names = graph.add("Split", x, sizes, axis=params["axis"], outputs=len(avals))
    return [names] if len(avals) == 1 else names


@_rule("unstack")
def _unstack(graph, params, x, *, avals):
    axis = params["axis"]
    sizes = np.ones(len(avals), np.int64)
    parts = graph.add("Split", x, sizes, axis=axis, outputs=len(avals))
    parts = [parts] if len(avals) == 1 else parts
    return [graph.add("Squeeze", part, np.array([axis])) for part in parts]


@_rule("tile")
def _tile(graph, params, x, *, avals):
    return graph.add("Tile", x, graph.shape(params["reps"]))


@_rule("slice")
def _slice(graph, params, x, *, avals):
    starts, ends, steps = (
        params[key] for key in ("start_indices", "limit_indices", "strides")
    )  # fmt: skip
    steps = steps or [1] * len(starts)
    return _sliced(graph, x, starts, ends, steps)


def _sliced(graph, x, starts, ends, steps):
    """Return the name of a slice; axes that stay whole are left out."""
    axes = [
        k for k, (start, end, step) in enumerate(zip(starts, ends, steps, strict=True))
        if (start, step) != (0, 1) or end != x.shape[k]
    ]  # fmt: skip
    if not axes:
        return graph.name(x)
    starts, ends = (graph.shape([sizes[k] for k in axes]) for sizes in (starts, ends))
    steps = np.array([steps[k] for k in axes], np.int64)
    return graph.add("Slice", x, starts, ends, np.array(axes, np.int64), steps)


@_rule("pad")
def _pad(graph, params, x, value, *, avals):
    config = [list(entry) for entry in params["padding_config"]]
    name = graph.name(x)
    for axis, entry in enumerate(config):
        low, high, inside = entry
        if inside:
            name = _spread(graph, name, x.shape, axis, inside, value)
            x = Array([n * (inside + 1) if k == axis else n for k, n in enumerate(x.shape)],
                      x.dtype, name)  # fmt: skip
            config[axis] = low, high - inside, 0
    return _padded(graph, name, [(low, high) for low, high, _ in config], value, x.dtype)


def _spread(graph, name, shape, axis, inside, value):
    """Return an array with `inside` values after each element along an axis."""
    apart = graph.add("Unsqueeze", name, np.array([axis + 1]))
    pads = [(0, inside if k == axis + 1 else 0) for k in range(len(shape) + 1)]
    apart = graph.add("Pad", apart, _pads(graph, pads), value)
    sizes = [n * (inside + 1) if k == axis else n for k, n in enumerate(shape)]
    return graph.reshape(apart, sizes)


def _pads(graph, pairs):
    """Return the tensor of pads (low, high) of each axis, as ONNX has them: negative ones cut."""
    return graph.shape([low for low, _ in pairs] + [high for _, high in pairs])


def _padded(graph, x, pairs, value, dtype):
    if not any(n != 0 for pair in pairs for n in pair):
        return graph.name(x)
    wide = _wide(dtype)
    value = graph.cast(value, wide) if isinstance(value, Array) else value.astype(wide)
    if wide == dtype:
        return graph.add("Pad", x, _pads(graph, pairs), value)
    return graph.cast(graph.add("Pad", graph.cast(x, wide), _pads(graph, pairs), value), dtype)


# reductions -----------------------------------------------------------------------------------

_REDUCTIONS = {
    "reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd", "reduce_and": "ReduceMin", "reduce_or": "ReduceMax",
}  # fmt: skip


def _reduction(primitive, name):
    def rule(graph, params, x, *, avals):
        if primitive in ("reduce_and", "reduce_or") and x.dtype != bool:
            raise NoOperator(f"ONNX has no '{primitive}' of integers")
        axes = params["axes"]
        if not axes:
            return x
        wide = graph.cast(x, _wide(x.dtype))
        reduced = graph.add(name, wide, np.array(axes, np.int64), keepdims=0)
        return reduced if _wide(x.dtype) == x.dtype else graph.cast(reduced, x.dtype)

    return rule


RULES |= {primitive: _reduction(primitive, name) for primitive, name in _REDUCTIONS.items()}


def _extreme(largest):
    def rule(graph, params, x, *, avals):
        (axis,) = params["axes"]
        if x.dtype in (np.float32, np.float16):
            name = "ArgMax" if largest else "ArgMin"
            found = graph.add(name, x, axis=axis, keepdims=0)
        else:
            wide = graph.cast(x, _wide(x.dtype))
            _, found = graph.add(
                "TopK", wide, np.array([1]), axis=axis, largest=int(largest), outputs=2
            )  # fmt: skip
            found = graph.add("Squeeze", found, np.array([axis]))
        return graph.cast(found, avals[0].dtype)

    return rule


RULES |= {"argmax": _extreme(True), "argmin": _extreme(False)}


@_rule("sort")
def _sort(graph, params, key, *others, avals):
    axis = params["dimension"]
    if params["num_keys"] != 1:
        raise NoOperator("ONNX has no sort by several keys")
    wide = graph.cast(key, _wide(key.dtype))
    size = graph.size(key.shape[axis])
    ordered, order = graph.add("TopK", wide, size, axis=axis, largest=0, outputs=2)
    others = [graph.add("GatherElements", x, order, axis=axis) for x in others]
    return [graph.cast(ordered, key.dtype), *others]


@_rule("top_k")
def _top_k(graph, params, x, *, avals):
    axis = params.get("axis", params.get("dimension", -1))
    wide = graph.cast(x, _wide(x.dtype))
    found, places = graph.add("TopK", wide, graph.size(params["k"]), axis=axis, outputs=2)
    return [graph.cast(found, x.dtype), graph.cast(places, avals[1].dtype)]


@_rule("cumsum")
def _cumsum(graph, params, x, *, avals):
    axis, wide = np.asarray(params["axis"]), _wide(x.dtype)
    summed = graph.add("CumSum", graph.cast(x, wide), axis, reverse=int(params["reverse"]))
    return summed if wide == x.dtype else graph.cast(summed, x.dtype)


def _log_sum(graph, one, other):
    pair = graph.add("Concat", *(graph.add("Unsqueeze", x, np.array([0])) for x in (one, other)),
                     axis=0)  # fmt: skip
    return graph.add("ReduceLogSumExp", pair, np.array([0]), keepdims=0)


def _lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


_CUMULATIVE = {
    "cumprod": (lambda graph, *pair: graph.add("Mul", *pair), lambda dtype: 1),
    "cummax": (lambda graph, *pair: graph.add("Max", *pair), _lowest),
    "cummin": (lambda graph, *pair: graph.add("Min", *pair), _highest),
    "cumlogsumexp": (_log_sum, _lowest),
}


def _cumulative(primitive, combine, neutral):
    def rule(graph, params, x, *, avals):
        """Combine with the result of the elements 1, 2, 4, ... before."""
        axis, n, dtype = params["axis"], x.shape[params["axis"]], _wide(x.dtype)
        if is_symbolic(n):
            raise NoOperator(f"'{primitive}' along an axis of unknown size has no form in ONNX")
        value, result, step = np.asarray(neutral(dtype), dtype), graph.cast(x, dtype), 1
        while step < n:
            shift = (-step, step) if params["reverse"] else (step, -step)
            pairs = [shift if k == axis else (0, 0) for k in range(len(x.shape))]
            result = combine(graph, result, _padded(graph, result, pairs, value, dtype))
            step *= 2
        return graph.cast(Array(x.shape, dtype, result), x.dtype)

    return rule


RULES |= {name: _cumulative(name, *pair) for name, pair in _CUMULATIVE.items()}


# products, convolutions, windows --------------------------------------------------------------


@_rule("dot_general")
def _dot_general(graph, params, x, y, *, avals):
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    n, dtype = len(left_batch), _wide(x.dtype)
    names = [graph.cast(a, dtype) for a in (x, y)]
    leading = tuple(range(n))
    is_plain = len(left) == 1 and (*left_batch, *right_batch) == (*leading, *leading)
    free = [len(a.shape) - n - 1 for a in (x, y)]
    if is_plain and free[1] == 1 and (free[0] == 1 or (n == 0 and free[0] > 0)):
        axes = len(x.shape)
        order = [*leading, *(k for k in range(n, axes) if k != left[0]), left[0]]
        swapped = [*leading, n + 1, n]
        first = graph.transpose(names[0], order)
        second = names[1] if right[0] == n else graph.transpose(names[1], swapped)
        product = graph.add("MatMul", first, second)
    else:
        product = graph.add("Einsum", *names, equation=_equation(params, x, y))
    result = avals[0].dtype
    return product if result == dtype else graph.cast(product, result)


def _equation(params, x, y):
    """Return a product's equation for `Einsum`."""
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    first, second = [next(letters) for _ in x.shape], [""] * len(y.shape)
    for i, j in (*zip(left, right, strict=True), *zip(left_batch, right_batch, strict=True)):
        second[j] = first[i]
    second = [letter or next(letters) for letter in second]
    batch = [first[i] for i in left_batch]
    rest = [a for i, a in enumerate(first) if i not in (*left, *left_batch)]
    rest += [a for j, a in enumerate(second) if j not in (*right, *right_batch)]
    return f"{''.join(first)},{''.join(second)}->{''.join(batch + rest)}"


@_rule("conv_general_dilated")
def _convolution(graph, params, x, filters, *, avals):
    numbers = params["dimension_numbers"]
    if params["batch_group_count"] != 1:
        raise NoOperator("ONNX has no convolution with groups of the batch")
    group, strides = params["feature_group_count"], list(params["window_strides"])
    spread, apart = list(params["lhs_dilation"]), list(params["rhs_dilation"])
    padding = [tuple(pair) for pair in params["padding"]]
    image = graph.transpose(x, numbers.lhs_spec)
    kernel = graph.transpose(filters, numbers.rhs_spec)
    outs, _, *window = (filters.shape[i] for i in numbers.rhs_spec)
    sizes = [x.shape[i] for i in numbers.lhs_spec]
    options = {"group": group, "dilations": apart}
    reach = [(n - 1) * d for n, d in zip(window, apart, strict=True)]
    cut = [(r - low, r - high) for r, (low, high) in zip(reach, padding, strict=True)]
    if set(spread) != {1} and set(strides) == {1} and min(map(min, cut)) >= 0:
        kernel = _transposed_kernel(graph, kernel, group, outs, window, filters, numbers)
        pads = [low for low, _ in cut] + [high for _, high in cut]
        found = graph.add("ConvTranspose", image, kernel, strides=spread, pads=pads, **options)
    else:
        zero = np.zeros((), x.dtype)
        for k, step in enumerate(spread):
            if step != 1:
                image = _spread(graph, image, sizes, k + 2, step - 1, zero)
                sizes[k + 2] *= step
                padding[k] = padding[k][0], padding[k][1] - (step - 1)
        if min(map(min, padding)) < 0:
            image = _padded(graph, image, [(0, 0), (0, 0), *padding], zero, x.dtype)
            padding = [(0, 0)] * len(padding)
        pads = [low for low, _ in padding] + [high for _, high in padding]
        found = graph.add("Conv", image, kernel, strides=strides, pads=pads, **options)
    if avals[0].dtype != x.dtype:
        found = graph.cast(found, avals[0].dtype)
    return graph.transpose(found, [numbers.out_spec.index(k) for k in range(len(sizes))])


def _transposed_kernel(graph, kernel, group, outs, window, filters, numbers):
    """Return the kernel of a transposed convolution: reversed, inputs before outputs."""
    ins = filters.shape[numbers.rhs_spec[1]]
    kernel = _reversed(graph, kernel, range(2, 2 + len(window)))
    each = graph.reshape(kernel, [group, outs // group, ins, *window])
    swapped = graph.transpose(each, [0, 2, 1, *range(3, 3 + len(window))])
    return graph.reshape(swapped, [group * ins, outs // group, *window])


def _windowed(graph, params, x, avals, pool, value):
    """Return `pool(graph, image, attributes)` of the windowed axes, behind two others."""
    settings = [
        params[key] for key in ("window_dimensions", "window_strides", "padding",
                                "base_dilation", "window_dilation")
    ]  # fmt: skip
    axes = list(zip(*settings, strict=True))
    inside = [k for k, entry in enumerate(axes) if entry != (1, 1, (0, 0), 1, 1)]
    if not inside:
        return x
    if len(inside) > _MOST_WINDOWED:
        raise NoOperator("ONNX has no windows of more than three axes")
    name, sizes, padding = graph.name(x), list(x.shape), [pair for _, _, pair, _, _ in axes]
    for k in inside:
        step = axes[k][3]
        if step != 1:
            name = _spread(graph, name, sizes, k, step - 1, value)
            sizes[k] *= step
            padding[k] = padding[k][0], padding[k][1] - (step - 1)
    if any(not 0 <= n < max(axes[k][0], 1) for k in inside for n in padding[k]):
        name = _padded(graph, name, padding, value, x.dtype)
        sizes = [n + sum(pair) for n, pair in zip(sizes, padding, strict=True)]
        padding = [(0, 0)] * len(padding)
    others = [k for k in range(len(axes)) if k not in inside]
    image = graph.transpose(name, [*others, *inside])
    if len(others) != 2:
        whole = functools.reduce(operator.mul, (sizes[k] for k in others), 1)
        image = graph.reshape(image, [whole, 1, *(sizes[k] for k in inside)])
    pads = [padding[k][0] for k in inside] + [padding[k][1] for k in inside]
    found = pool(
        graph, image, kernel_shape=[axes[k][0] for k in inside], pads=pads,
        strides=[axes[k][1] for k in inside], dilations=[axes[k][4] for k in inside],
    )  # fmt: skip
    order = [*others, *inside]
    if len(others) != 2:
        found = graph.reshape(found, [avals[0].shape[k] for k in order])
    return graph.transpose(found, [order.index(k) for k in range(len(axes))])


@_rule("reduce_window_max")
def _max_pool(graph, params, x, *, avals):
    def pool(graph, image, **attributes):
        return graph.add("MaxPool", image, **attributes)

    return _pooled_floats(graph, params, x, avals, pool, _lowest)


@_rule("reduce_window_min")
def _min_pool(graph, params, x, *, avals):
    def pool(graph, image, **attributes):
        return graph.add("Neg", graph.add("MaxPool", graph.add("Neg", image), **attributes))

    return _pooled_floats(graph, params, x, avals, pool, _highest)


@_rule("reduce_window_sum")
def _sum_pool(graph, params, x, *, avals):
    def pool(graph, image, **attributes):
        mean = graph.add("AveragePool", image, count_include_pad=1, **attributes)
        return graph.add("Mul", mean, np.float32(math.prod(attributes["kernel_shape"])))

    return _pooled_floats(graph, params, x, avals, pool, lambda dtype: 0)


def _pooled_floats(graph, params, x, avals, pool, neutral):
    """Pool in Float32, which all pooling operators have."""
    dtype = np.dtype(np.float32)
    wide = Array(x.shape, dtype, graph.cast(x, dtype))
    found = _windowed(graph, params, wide, avals, pool, np.asarray(neutral(dtype), dtype))
    return graph.cast(Array(avals[0].shape, dtype, graph.name(found)), x.dtype)


# indices --------------------------------------------------------------------------------------


def _clipped(graph, index, most):
    """Return an index between 0 and a size, the name of a tensor (1,)."""
    return graph.add("Max", graph.add("Min", index, most), np.zeros(1, np.int64))


def _starts(graph, indices, shape, sizes):
    """Return the name of the clamped starts (rank,) of a slice with these sizes."""
    parts = []
    for index, n, size in zip(indices, shape, sizes, strict=True):
        index = graph.add("Unsqueeze", graph.cast(index, np.int64), np.array([0]))
        parts.append(_clipped(graph, index, graph.size(n - size)))
    return graph.add("Concat", *parts, axis=0)


@_rule("dynamic_slice")
def _dynamic_slice(graph, params, x, *indices, avals):
    sizes, indices = params["slice_sizes"], indices[: len(x.shape)]
    starts = _starts(graph, indices, x.shape, sizes)
    return graph.add("Slice", x, starts, graph.add("Add", starts, graph.shape(sizes)))


@_rule("dynamic_update_slice")
def _dynamic_update_slice(graph, params, x, update, *indices, avals):
    starts = _starts(graph, indices, x.shape, update.shape)
    places = []
    for k, n in enumerate(update.shape):
        start = graph.add("Gather", starts, np.asarray(k))
        places.append([(graph.add("Add", graph.iota(n), start), [k])])
    return graph.add("ScatterND", x, _grid(graph, places, update.shape), update)


def _grid(graph, places, shape):
    """Return indices (*shape, rank). `places`: for each axis of the array, the terms of its index:
    (tensor, the axes of the shape that its axes are)."""
    columns = []
    for parts in places:
        terms = [_among(graph, place, axes, len(shape)) for place, axes in parts]
        place = functools.reduce(functools.partial(graph.add, "Add"), terms or [np.int64(0)])
        place = graph.add("Expand", place, graph.shape(shape))
        columns.append(graph.add("Unsqueeze", place, np.array([-1])))
    return graph.add("Concat", *columns, axis=-1)


def _among(graph, name, axes, rank):
    """Return a tensor as one of this rank, whose axes are these of it."""
    others = [k for k in range(rank) if k not in axes]
    return graph.add("Unsqueeze", name, np.array(others, np.int64)) if others else name


class _Windows:
    """The windows of an array that indices choose, for `gather` and `scatter`.

    `shape`: of the result or the updates, with the windows' axes at `offsets`; `sizes`: of a window
    along each axis of the array; `removed`: axes of it that the windows do not have; `chosen`: axes
    of it by index; `batching`: {axis of it: axis of the indices}.
    """

    def __init__(self, graph, x, indices, shape, offsets, removed, chosen, batching, sizes):
        self.graph, self.x, self.shape, self.sizes = graph, x, shape, sizes
        self.chosen = chosen
        self.batch = [k for k in range(len(shape)) if k not in offsets]  # axes of the indices
        windows = iter(offsets)
        self.places = []  # of each axis of the array: [(tensor, axes of the result), ...]
        numbers = graph.cast(indices, np.int64)
        self.starts = {
            axis: graph.add("Gather", numbers, np.asarray(k), axis=-1)
            for k, axis in enumerate(chosen)
        }
        for axis in range(len(x.shape)):
            parts = []
            if axis in self.starts:
                parts.append((self.starts[axis], self.batch))
            if axis in batching:
                k = batching[axis]
                parts.append((graph.iota(indices.shape[k]), [self.batch[k]]))
            elif axis not in removed:
                parts.append((graph.iota(sizes[axis]), [next(windows)]))
            self.places.append(parts)

    def clip(self):
        """Move windows that are partly outside into the array."""
        for axis, start in self.starts.items():
            most = self.graph.size(self.x.shape[axis] - self.sizes[axis])
            most = self.graph.add("Squeeze", most)
            low = self.graph.add("Max", start, np.int64(0))
            clipped = self.graph.add("Min", low, most)
            self.places[axis][0] = clipped, self.batch

    def are_inside(self):
        """Return the name of a Bool tensor: for each window, whether it is in the array."""
        fits = []
        for axis, start in self.starts.items():
            most = self.graph.size(self.x.shape[axis] - self.sizes[axis])
            fits.append(self.graph.add("GreaterOrEqual", start, np.int64(0)))
            fits.append(self.graph.add("LessOrEqual", start, self.graph.add("Squeeze", most)))
        return functools.reduce(functools.partial(self.graph.add, "And"), fits)

    def grid(self):
        """Return the indices (*shape, rank) of all elements of the windows."""
        return _grid(self.graph, self.places, self.shape)


def _is_mode(params, name):
    return str(params["mode"]).rpartition(".")[2].upper() == name


@_rule("gather")
def _gather(graph, params, x, indices, *, avals):
    numbers, sizes, (aval,) = params["dimension_numbers"], params["slice_sizes"], avals
    batching = dict(
        zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True)
    )  # fmt: skip
    windows = _Windows(
        graph, x, indices, aval.shape, numbers.offset_dims, numbers.collapsed_slice_dims,
        numbers.start_index_map, batching, sizes,
    )  # fmt: skip
    if not _is_mode(params, "PROMISE_IN_BOUNDS"):
        windows.clip()
    axis = _taken_axis(numbers, sizes, x, windows)
    if axis is not None:
        found = graph.add("Gather", x, windows.places[axis][0][0], axis=axis)
    else:
        found = graph.add("GatherND", x, windows.grid())
    if not _is_mode(params, "FILL_OR_DROP"):
        return found
    fill, wide = params["fill_value"], _wide(x.dtype)
    if fill is None:
        fill = _default_fill(x.dtype)
    inside = _among(graph, windows.are_inside(), windows.batch, len(aval.shape))
    found = graph.cast(found, wide) if wide != x.dtype else found
    found = graph.add("Where", inside, found, np.asarray(fill, wide))
    return found if wide == x.dtype else graph.cast(found, x.dtype)


def _default_fill(dtype):
    """Return what JAX takes for elements outside."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min
    return np.nan if dtype.kind == "f" else True


def _taken_axis(numbers, sizes, x, windows):
    """Return the axis along which whole slices are taken, in their place; None for others."""
    if len(numbers.start_index_map) != 1 or numbers.operand_batching_dims:
        return None
    (axis,) = numbers.start_index_map
    whole = [k for k in range(len(x.shape)) if k != axis]
    count = len(windows.batch)
    after = range(axis + count, len(windows.shape))
    if (
        tuple(numbers.collapsed_slice_dims) == (axis,) and sizes[axis] == 1
        and all(sizes[k] == x.shape[k] for k in whole)
        and tuple(numbers.offset_dims) == (*range(axis), *after)
    ):  # fmt: skip
        return axis
    return None


_SCATTERS = {
    "scatter": "none", "scatter_add": "add", "scatter_mul": "mul", "scatter_min": "min",
    "scatter_max": "max",
}  # fmt: skip


def _scatter(reduction):
    def rule(graph, params, x, indices, updates, *, avals):
        numbers = params["dimension_numbers"]
        batching = dict(
            zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims, strict=True)
        )  # fmt: skip
        removed = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
        offsets = iter(numbers.update_window_dims)
        sizes = [
            1 if k in removed else updates.shape[next(offsets)] for k in range(len(x.shape))
        ]  # fmt: skip
        windows = _Windows(
            graph, x, indices, updates.shape, numbers.update_window_dims,
            numbers.inserted_window_dims, numbers.scatter_dims_to_operand_dims, batching, sizes,
        )  # fmt: skip
        wide = _wide(x.dtype)
        target, given = graph.cast(x, wide), graph.cast(updates, wide)
        if _is_mode(params, "CLIP"):
            windows.clip()
        if not windows.chosen or not _is_mode(params, "FILL_OR_DROP"):
            found = graph.add("ScatterND", target, windows.grid(), given, reduction=reduction)
            return found if wide == x.dtype else graph.cast(found, x.dtype)
        # windows that are not inside go to a place behind the array, which is cut off
        axis, inside = windows.chosen[0], windows.are_inside()
        windows.clip()
        pairs = [(0, sizes[axis]) if k == axis else (0, 0) for k in range(len(x.shape))]
        longer = _padded(graph, target, pairs, np.zeros((), wide), wide)
        start, axes = windows.places[axis][0]
        behind = graph.add("Squeeze", graph.size(x.shape[axis]))
        windows.places[axis][0] = graph.add("Where", inside, start, behind), axes
        found = graph.add("ScatterND", longer, windows.grid(), given, reduction=reduction)
        found = _padded(graph, found, [(0, -high) for _, high in pairs], np.zeros((), wide), wide)
        return found if wide == x.dtype else graph.cast(found, x.dtype)

    return rule


RULES |= {
    spelling: _scatter(reduction)
    for name, reduction in _SCATTERS.items()
    for spelling in (name, name.replace("_", "-"))
}


# loops and branches ---------------------------------------------------------------------------


@_rule("cond")
def _cond(graph, params, index, *operands, avals):
    return _chosen(graph, graph.cast(index, np.int64), params["branches"], operands, avals)


def _chosen(graph, number, branches, operands, avals, k=0):
    """Return the results of the branch of this number, of those from number k on."""
    this, *others = branches
    if not others:
        return graph.run(this.jaxpr, this.consts, list(operands))
    one, other = (
        graph.body("branch", [], functools.partial(_branch, number, few, operands, avals, n))
        for n, few in ((k, [this]), (k + 1, others))
    )
    is_this = graph.add("LessOrEqual", number, np.int64(k))
    names = graph.add("If", is_this, then_branch=one, else_branch=other, outputs=len(avals))
    names = [names] if len(avals) == 1 else names
    return [Array(a.shape, a.dtype, name) for a, name in zip(avals, names, strict=True)]


def _branch(number, branches, operands, avals, k, graph):
    return _chosen(graph, number, branches, operands, avals, k)


@_rule("while")
def _while(graph, params, *operands, avals):
    n, m = params["cond_nconsts"], params["body_nconsts"]
    for_condition, for_body, first = operands[:n], operands[n : n + m], operands[n + m :]
    condition, body = params["cond_jaxpr"], params["body_jaxpr"]

    def is_on(inner, state):
        return inner.run(condition.jaxpr, condition.consts, [*for_condition, *state])[0]

    def run(inner, _, __, *state):
        after = inner.run(body.jaxpr, body.consts, [*for_body, *state])
        return [is_on(inner, after), *after]

    inputs = [("iteration", (), np.dtype(np.int64)), ("is_on", (), np.dtype(bool))]
    inputs += [("state", x.shape, x.dtype) for x in first]
    loop = graph.body("loop", inputs, run)
    names = graph.add("Loop", "", is_on(graph, first), *first, body=loop, outputs=len(avals))
    return [names] if len(avals) == 1 else names


@_rule("scan")
def _scan(graph, params, *operands, avals):
    n, m = scan_counts(params)
    constants, first, along = operands[:n], operands[n : n + m], operands[n + m :]
    jaxpr, length = params["jaxpr"], params["length"]
    if not along:  # a scan has the length of what it runs along
        along = [Array((length,), np.int64, graph.iota(length))]
    is_counted = len(along) > len(operands) - n - m

    def run(inner, *arrays):
        state, elements = list(arrays[:m]), [] if is_counted else list(arrays[m:])
        return inner.run(jaxpr.jaxpr, jaxpr.consts, [*constants, *state, *elements])

    inputs = [("state", x.shape, x.dtype) for x in first]
    inputs += [("element", x.shape[1:], x.dtype) for x in along]
    backwards = int(params["reverse"])
    names = graph.add(
        "Scan", *first, *along, body=graph.body("loop", inputs, run), num_scan_inputs=len(along),
        scan_input_directions=[backwards] * len(along),
        scan_output_directions=[backwards] * (len(avals) - m), outputs=len(avals),
    )  # fmt: skip
    return [names] if len(avals) == 1 else names
