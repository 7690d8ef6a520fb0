"""Operations that move elements: broadcasting, slices, padding, joining, splitting."""

import numpy as np

from sporax.io.onnx_graph import Array
from sporax.io.onnx_operators.declare import rules
from sporax.io.onnx_operators.elementwise import computed_dtype, narrowed

_LAST = np.iinfo(np.int64).min  # the end of a slice that runs backwards to the first element

RULES, rule = rules()


@rule("dim_as_value")
def _dim_as_value(graph, params, *, avals):
    return graph.cast(graph.add("Squeeze", graph.size(params["dim"])), avals[0].dtype)


@rule("iota")
def _iota(graph, params, *sizes, avals):
    (aval,), axis = avals, params["dimension"]
    numbers = graph.iota(aval.shape[axis], aval.dtype)
    others = [k for k in range(len(aval.shape)) if k != axis]
    if not others:
        return numbers
    row = graph.add("Unsqueeze", numbers, np.array(others))
    full = graph.add("Expand", row, graph.shape(aval.shape))
    return Array(aval.shape, aval.dtype, full, unexpanded=row)


@rule("broadcast_in_dim")
def _broadcast_in_dim(graph, params, x, *sizes, avals):
    shape, kept = avals[0].shape, params["broadcast_dimensions"]
    new = [k for k in range(len(shape)) if k not in kept]
    if x.constant is not None:
        row = graph.name(np.expand_dims(x.constant, tuple(new)))
    else:
        row = graph.add("Unsqueeze", x, np.array(new)) if new else graph.name(x)
    if [shape[k] for k in kept] == list(x.shape) and all(shape[k] == 1 for k in new):
        return Array(shape, x.dtype, row)
    full = graph.add("Expand", row, graph.shape(shape))
    return Array(shape, x.dtype, full, unexpanded=row)


@rule("reshape")
def _reshape(graph, params, x, *sizes, avals):
    return graph.reshape(x, avals[0].shape)


@rule("squeeze")
def _squeeze(graph, params, x, *, avals):
    axes = params["dimensions"]
    return graph.add("Squeeze", x, np.array(axes, np.int64)) if axes else x


@rule("expand_dims")
def _expand_dims(graph, params, x, *, avals):
    return graph.add("Unsqueeze", x, np.array(params["dimensions"], np.int64))


@rule("transpose")
def _transpose(graph, params, x, *, avals):
    return graph.transpose(x, params["permutation"])


@rule("rev")
def _rev(graph, params, x, *, avals):
    return reversed_along(graph, x, params["dimensions"])


def reversed_along(graph, x, axes):
    if not axes:
        return graph.name(x)
    n = len(axes)
    return graph.add(
        "Slice", x, np.full(n, -1), np.full(n, _LAST), np.array(axes), np.full(n, -1)
    )  # fmt: skip


@rule("concatenate")
def _concatenate(graph, params, *arrays, avals):
    return graph.add("Concat", *arrays, axis=params["dimension"])


@rule("stack")
def _stack(graph, params, *arrays, avals):
    axis = params["axis"]
    parts = [graph.add("Unsqueeze", x, np.array([axis])) for x in arrays]
    return graph.add("Concat", *parts, axis=axis)


@rule("split")
def _split(graph, params, x, *, avals):
    sizes = graph.shape(params["sizes"])
    return graph.add("Split", x, sizes, axis=params["axis"], outputs=len(avals))


@rule("unstack")
def _unstack(graph, params, x, *, avals):
    axis = params["axis"]
    sizes = np.ones(len(avals), np.int64)
    parts = graph.add("Split", x, sizes, axis=axis, outputs=len(avals))
    parts = [parts] if len(avals) == 1 else parts
    return [graph.add("Squeeze", part, np.array([axis])) for part in parts]


@rule("tile")
def _tile(graph, params, x, *, avals):
    return graph.add("Tile", x, graph.shape(params["reps"]))


@rule("slice")
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


@rule("pad")
def _pad(graph, params, x, value, *, avals):
    config = [tuple(entry) for entry in params["padding_config"]]
    name = graph.name(x)
    for axis, entry in enumerate(config):
        low, high, inside = entry
        if inside:
            name = spread_out(graph, name, x.shape, axis, inside, value)
            x = Array([n * (inside + 1) if k == axis else n for k, n in enumerate(x.shape)],
                      x.dtype, name)  # fmt: skip
            config[axis] = low, high - inside, 0
    return padded(graph, name, [(low, high) for low, high, _ in config], value, x.dtype)


def spread_out(graph, name, shape, axis, inside, value):
    """Return an array with `inside` values after each element along an axis."""
    apart = graph.add("Unsqueeze", name, np.array([axis + 1]))
    pads = [(0, inside if k == axis + 1 else 0) for k in range(len(shape) + 1)]
    apart = graph.add("Pad", apart, _pads(graph, pads), value)
    sizes = [n * (inside + 1) if k == axis else n for k, n in enumerate(shape)]
    return graph.reshape(apart, sizes)


def _pads(graph, pairs):
    """Return the tensor of pads (low, high) of each axis, as ONNX has them: negative ones cut."""
    return graph.shape([low for low, _ in pairs] + [high for _, high in pairs])


def padded(graph, x, pairs, value, dtype):
    if not any(n != 0 for pair in pairs for n in pair):
        return graph.name(x)
    wide = computed_dtype(dtype)
    value = graph.cast(value, wide) if isinstance(value, Array) else value.astype(wide)
    x = x if wide == dtype else graph.cast(x, wide)
    return narrowed(graph, graph.add("Pad", x, _pads(graph, pairs), value), dtype)
