"""Reductions, cumulative operations, sorting."""

import numpy as np

from sporax._src.core.jax_internals import is_symbolic
from sporax.io.onnx_graph import Array, no_operator
from sporax.io.onnx_operators.declare import rules
from sporax.io.onnx_operators.elementwise import computed_dtype, narrowed
from sporax.io.onnx_operators.shapes import padded

RULES, rule = rules()


_REDUCTIONS = {
    "reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd", "reduce_and": "ReduceMin", "reduce_or": "ReduceMax",
}  # fmt: skip


def _reduction(primitive, name):
    def rule(graph, params, x, *, avals):
        if primitive in ("reduce_and", "reduce_or") and x.dtype != bool:
            raise no_operator(primitive)
        axes = params["axes"]
        if not axes:
            return x
        wide = graph.cast(x, computed_dtype(x.dtype))
        reduced = graph.add(name, wide, np.array(axes, np.int64), keepdims=0)
        return narrowed(graph, reduced, x.dtype)

    return rule


RULES |= {primitive: _reduction(primitive, name) for primitive, name in _REDUCTIONS.items()}


def _extreme(largest):
    def rule(graph, params, x, *, avals):
        (axis,) = params["axes"]
        if x.dtype in (np.float32, np.float16):
            name = "ArgMax" if largest else "ArgMin"
            found = graph.add(name, x, axis=axis, keepdims=0)
        else:
            wide = graph.cast(x, computed_dtype(x.dtype))
            _, found = graph.add(
                "TopK", wide, np.array([1]), axis=axis, largest=int(largest), outputs=2
            )  # fmt: skip
            found = graph.add("Squeeze", found, np.array([axis]))
        return graph.cast(found, avals[0].dtype)

    return rule


RULES |= {"argmax": _extreme(True), "argmin": _extreme(False)}


@rule("sort")
def _sort(graph, params, key, *others, avals):
    axis = params["dimension"]
    if params["num_keys"] != 1:
        raise no_operator("sort")
    wide = graph.cast(key, computed_dtype(key.dtype))
    size = graph.size(key.shape[axis])
    ordered, order = graph.add("TopK", wide, size, axis=axis, largest=0, outputs=2)
    others = [graph.add("GatherElements", x, order, axis=axis) for x in others]
    return [narrowed(graph, ordered, key.dtype), *others]


@rule("top_k")
def _top_k(graph, params, x, *, avals):
    axis = params.get("axis", params.get("dimension", -1))
    wide = graph.cast(x, computed_dtype(x.dtype))
    found, places = graph.add("TopK", wide, graph.size(params["k"]), axis=axis, outputs=2)
    return [narrowed(graph, found, x.dtype), graph.cast(places, avals[1].dtype)]


@rule("cumsum")
def _cumsum(graph, params, x, *, avals):
    axis, wide = np.asarray(params["axis"]), computed_dtype(x.dtype)
    summed = graph.add("CumSum", graph.cast(x, wide), axis, reverse=int(params["reverse"]))
    return narrowed(graph, summed, x.dtype)


def _log_sum(graph, one, other):
    pair = graph.add("Concat", *(graph.add("Unsqueeze", x, np.array([0])) for x in (one, other)),
                     axis=0)  # fmt: skip
    return graph.add("ReduceLogSumExp", pair, np.array([0]), keepdims=0)


def lowest(dtype):
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def highest(dtype):
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


_CUMULATIVE = {
    "cumprod": (lambda graph, *pair: graph.add("Mul", *pair), lambda dtype: 1),
    "cummax": (lambda graph, *pair: graph.add("Max", *pair), lowest),
    "cummin": (lambda graph, *pair: graph.add("Min", *pair), highest),
    "cumlogsumexp": (_log_sum, lowest),
}


def _cumulative(primitive, combine, neutral):
    def rule(graph, params, x, *, avals):
        """Combine with the result of the elements 1, 2, 4, ... before."""
        axis, n, dtype = params["axis"], x.shape[params["axis"]], computed_dtype(x.dtype)
        if is_symbolic(n):
            raise no_operator(primitive)
        value, result, step = np.asarray(neutral(dtype), dtype), graph.cast(x, dtype), 1
        while step < n:
            shift = (-step, step) if params["reverse"] else (step, -step)
            pairs = [shift if k == axis else (0, 0) for k in range(len(x.shape))]
            result = combine(graph, result, padded(graph, result, pairs, value, dtype))
            step *= 2
        return graph.cast(Array(x.shape, dtype, result), x.dtype)

    return rule


RULES |= {name: _cumulative(name, *pair) for name, pair in _CUMULATIVE.items()}
