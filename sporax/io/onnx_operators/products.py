"""Matrix products, convolutions, and reductions over windows."""

import functools
import math
import operator

import numpy as np

from sporax.io.onnx_graph import Array, no_operator
from sporax.io.onnx_operators.declare import rules
from sporax.io.onnx_operators.elementwise import computed_dtype
from sporax.io.onnx_operators.reductions import highest, lowest
from sporax.io.onnx_operators.shapes import padded, reversed_along, spread_out

_MOST_WINDOWED = 3  # axes of a pooling operator

RULES, rule = rules()


@rule("dot_general")
def _dot_general(graph, params, x, y, *, avals):
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    n, dtype = len(left_batch), computed_dtype(x.dtype)
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


@rule("conv_general_dilated")
def _convolution(graph, params, x, filters, *, avals):
    numbers = params["dimension_numbers"]
    if params["batch_group_count"] != 1:
        raise no_operator("conv_general_dilated")
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
                image = spread_out(graph, image, sizes, k + 2, step - 1, zero)
                sizes[k + 2] *= step
                padding[k] = padding[k][0], padding[k][1] - (step - 1)
        if min(map(min, padding)) < 0:
            image = padded(graph, image, [(0, 0), (0, 0), *padding], zero, x.dtype)
            padding = [(0, 0)] * len(padding)
        pads = [low for low, _ in padding] + [high for _, high in padding]
        found = graph.add("Conv", image, kernel, strides=strides, pads=pads, **options)
    if avals[0].dtype != x.dtype:
        found = graph.cast(found, avals[0].dtype)
    return graph.transpose(found, [numbers.out_spec.index(k) for k in range(len(sizes))])


def _transposed_kernel(graph, kernel, group, outs, window, filters, numbers):
    """Return the kernel of a transposed convolution: reversed, inputs before outputs."""
    ins = filters.shape[numbers.rhs_spec[1]]
    kernel = reversed_along(graph, kernel, range(2, 2 + len(window)))
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
        raise no_operator("reduce_window")
    name, sizes, padding = graph.name(x), list(x.shape), [pair for _, _, pair, _, _ in axes]
    for k in inside:
        step = axes[k][3]
        if step != 1:
            name = spread_out(graph, name, sizes, k, step - 1, value)
            sizes[k] *= step
            padding[k] = padding[k][0], padding[k][1] - (step - 1)
    if any(not 0 <= n < max(axes[k][0], 1) for k in inside for n in padding[k]):
        name = padded(graph, name, padding, value, x.dtype)
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


@rule("reduce_window_max")
def _max_pool(graph, params, x, *, avals):
    def pool(graph, image, **attributes):
        return graph.add("MaxPool", image, **attributes)

    return _pooled_floats(graph, params, x, avals, pool, lowest)


@rule("reduce_window_min")
def _min_pool(graph, params, x, *, avals):
    def pool(graph, image, **attributes):
        return graph.add("Neg", graph.add("MaxPool", graph.add("Neg", image), **attributes))

    return _pooled_floats(graph, params, x, avals, pool, highest)


@rule("reduce_window_sum")
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
