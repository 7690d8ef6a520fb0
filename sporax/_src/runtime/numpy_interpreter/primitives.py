"""Tables of JAX's primitives in NumPy, with XLA's semantics where the two differ.

A rule is `rule(parameters, *operands)`; elementwise primitives without parameters are plain
functions of the operands. `plans` widens operands in half precision, except for a few primitives:
`MOVES`, conversions, cumulative sums and products.
"""

import math

import numpy as np

from sporax._src.runtime.numpy_interpreter import indexing, random
from sporax._src.runtime.numpy_interpreter.elementwise import SHORT_FLOATS, keeps_all_bits

# where numbers stand ---------------------------------------------------------------------


def _reshape(parameters, x):
    order = parameters["dimensions"]
    return (x if order is None else x.transpose(order)).reshape(parameters["new_sizes"])


def _reverse(parameters, x):
    backwards = [slice(None)] * x.ndim
    for axis in parameters["dimensions"]:
        backwards[axis] = slice(None, None, -1)
    return x[tuple(backwards)]


def _slice(parameters, x):
    limits = parameters["start_indices"], parameters["limit_indices"]
    strides = parameters["strides"] or (None,) * x.ndim
    return x[tuple(map(slice, *limits, strides))]


def _pad(parameters, x, value):
    """Pad axis by axis (before, after, between); negative padding crops."""
    target, source, shape = [], [], []
    for n, (before, after, between) in zip(x.shape, parameters["padding_config"], strict=True):
        step = between + 1
        length = before + after + n + max(n - 1, 0) * between
        first = max(0, math.ceil(-before / step))
        last = max(first, min(n, math.ceil((length - before) / step)))
        start = before + first * step
        source.append(slice(first, last))
        target.append(slice(start, start + (last - first) * step, step))
        shape.append(length)
    padded = np.full(shape, value, x.dtype)
    padded[tuple(target)] = x[tuple(source)]
    return padded


def _split(parameters, x):
    return np.split(x, np.cumsum(parameters["sizes"])[:-1], parameters["axis"])


def _window(shape, sizes, starts):
    """Return slices of fixed sizes, clamped to lie inside."""
    firsts = [
        min(max(int(start), 0), n - size)
        for n, size, start in zip(shape, sizes, starts, strict=True)
    ]
    return tuple([slice(first, first + size) for first, size in zip(firsts, sizes, strict=True)])


def _dynamic_slice(parameters, x, *starts):
    return x[_window(x.shape, parameters["slice_sizes"], starts)]


def _dynamic_update_slice(parameters, x, update, *starts):
    changed = np.array(x)
    changed[_window(x.shape, update.shape, starts)] = update
    return changed


def _bitcast(parameters, x):
    dtype = np.dtype(parameters["new_dtype"])
    if dtype.itemsize == x.dtype.itemsize:
        return x.view(dtype)
    if dtype.itemsize < x.dtype.itemsize:
        return np.ascontiguousarray(x[..., None]).view(dtype)
    return np.ascontiguousarray(x).view(dtype)[..., 0]


# reductions ------------------------------------------------------------------------------


def _sum(parameters, x):
    return np.add.reduce(x, axis=parameters["axes"], dtype=x.dtype)


def _product(parameters, x):
    return np.multiply.reduce(x, axis=parameters["axes"], dtype=x.dtype)


def _extreme(ufunc, sign):
    def reduce(parameters, x):
        if x.size:
            return ufunc.reduce(x, axis=parameters["axes"])
        if x.dtype.kind == "f":
            return ufunc.reduce(x, axis=parameters["axes"], initial=-sign * np.inf)
        limits = (0, 1) if x.dtype == bool else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
        return ufunc.reduce(x, axis=parameters["axes"], initial=limits[sign < 0])

    return reduce


def _bitwise(ufunc):
    return lambda parameters, x: ufunc.reduce(x, axis=parameters["axes"])


def _place(function):
    def find(parameters, x):
        (axis,) = parameters["axes"]
        return function(x, axis).astype(parameters["index_dtype"])

    return find


def _cumulative(ufunc):
    def accumulate(parameters, x):
        axis, backwards = parameters["axis"], parameters["reverse"]
        if backwards:
            x = np.flip(x, axis)
        result = ufunc.accumulate(x, axis, dtype=x.dtype)
        return np.flip(result, axis) if backwards else result

    return accumulate


def _sort(parameters, *operands):
    axis, keys = parameters["dimension"], operands[: parameters["num_keys"]]
    if len(operands) == 1:
        return [np.sort(operands[0], axis, kind="stable")]
    if len(keys) == 1:
        order = np.argsort(keys[0], axis, kind="stable")
    else:
        order = np.lexsort(keys[::-1], axis)
    return [np.take_along_axis(x, order, axis) for x in operands]


def _top_k(parameters, x):
    """Return the largest first; among equal elements, the first ones first."""
    axis, k = parameters.get("axis", x.ndim - 1), parameters["k"]
    backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
    order = x.shape[axis] - 1 - np.flip(backwards, axis)
    order = order[(slice(None),) * axis + (slice(k),)]
    return np.take_along_axis(x, order, axis), order.astype(np.int32)


# products --------------------------------------------------------------------------------


def _dot_general(parameters, x, y):
    (x_sum, y_sum), (x_batch, y_batch) = parameters["dimension_numbers"]
    x_free = [i for i in range(x.ndim) if i not in x_sum and i not in x_batch]
    y_free = [i for i in range(y.ndim) if i not in y_sum and i not in y_batch]
    shape = [x.shape[i] for i in (*x_batch, *x_free)] + [y.shape[i] for i in y_free]
    batch, inner = shape[: len(x_batch)], math.prod([x.shape[i] for i in x_sum])
    rows = math.prod([x.shape[i] for i in x_free])
    left = x.transpose(*x_batch, *x_free, *x_sum).reshape(*batch, rows, inner)
    columns = math.prod([y.shape[i] for i in y_free])
    right = y.transpose(*y_batch, *y_sum, *y_free).reshape(*batch, inner, columns)
    dtype = parameters["preferred_element_type"]
    if dtype is not None and dtype != x.dtype and dtype.itemsize >= x.dtype.itemsize:
        left, right = left.astype(dtype), right.astype(dtype)
    elif x.dtype != y.dtype:
        meet = np.promote_types(x.dtype, y.dtype)
        left, right = left.astype(meet), right.astype(meet)
    result = np.matmul(_dense(left), _dense(right)).reshape(shape)
    return result if dtype is None or result.dtype == dtype else result.astype(dtype)


def _dense(matrices):
    """Return `matrices` if BLAS can read them, else a copy."""
    item, (down, right) = matrices.itemsize, matrices.strides[-2:]
    fits = (right == item and down >= item) or (down == item and right >= item)
    return matrices if fits else np.ascontiguousarray(matrices)


# decompositions --------------------------------------------------------------------------


def _nan_where_impossible(function, *matrices):
    """Return NaN, as XLA does, for matrices without a result, for which NumPy raises."""
    try:
        return function(*matrices)
    except np.linalg.LinAlgError:
        if matrices[-1].ndim == 2:
            return np.full_like(matrices[-1], np.nan)
        each = zip(*matrices, strict=True)
        return np.stack([_nan_where_impossible(function, *one) for one in each])


def _cholesky(parameters, x):
    return _nan_where_impossible(np.linalg.cholesky, x)


def _triangular_solve(parameters, a, b):
    left = parameters["left_side"]
    a = np.tril(a) if parameters["lower"] else np.triu(a)
    if parameters["unit_diagonal"]:
        a = np.where(np.eye(a.shape[-1], dtype=bool), a.dtype.type(1), a)
    if parameters["transpose_a"] == left:
        a = a.swapaxes(-1, -2)
    if left:
        return _nan_where_impossible(np.linalg.solve, a, b)
    turned = b.swapaxes(-1, -2)
    return _nan_where_impossible(np.linalg.solve, a, turned).swapaxes(-1, -2)


# tables ----------------------------------------------------------------------------------

_ADD_AT = indexing.scatter_with(np.add)

# primitives that change no element
SAME = {"copy", "copy_p", "device_put", "name", "optimization_barrier", "pvary", "stop_gradient"}

# primitives that only move the elements of their first operand
MOVES = {"dynamic_slice", "reshape", "rev", "slice", "squeeze", "transpose"}

RULES = {
    "argmax": _place(np.argmax),
    "argmin": _place(np.argmin),
    "bitcast_convert_type": _bitcast,
    "cholesky": _cholesky,
    "concatenate": lambda parameters, *xs: np.concatenate(xs, parameters["dimension"]),
    "cumlogsumexp": _cumulative(np.logaddexp),
    "cummax": _cumulative(np.maximum),
    "cummin": _cumulative(np.minimum),
    "cumprod": _cumulative(np.multiply),
    "cumsum": _cumulative(np.add),
    "dot_general": _dot_general,
    "dynamic_slice": _dynamic_slice,
    "empty2": lambda parameters: np.zeros((), parameters["dtype"]),
    "dynamic_update_slice": _dynamic_update_slice,
    "gather": indexing.gather,
    "pad": _pad,
    "random_bits": random.bits,
    "random_fold_in": random.fold_in,
    "random_seed": random.seed,
    "random_split": random.split,
    "random_unwrap": lambda parameters, key: key,
    "random_wrap": lambda parameters, key: key,
    "reduce_and": _bitwise(np.bitwise_and),
    "reduce_max": _extreme(np.maximum, 1),
    "reduce_min": _extreme(np.minimum, -1),
    "reduce_or": _bitwise(np.bitwise_or),
    "reduce_prod": _product,
    "reduce_sum": _sum,
    "reduce_xor": _bitwise(np.bitwise_xor),
    "reshape": _reshape,
    "rev": _reverse,
    "scatter": indexing.scatter,
    "scatter-add": _ADD_AT,
    "scatter-max": indexing.scatter_with(np.maximum),
    "scatter-min": indexing.scatter_with(np.minimum),
    "scatter-mul": indexing.scatter_with(np.multiply),
    "scatter-sub": lambda parameters, x, i, y: _ADD_AT(parameters, x, i, -y),
    "slice": _slice,
    "sort": _sort,
    "split": _split,
    "stack": lambda parameters, *xs: np.stack(xs, parameters["axis"]),
    "squeeze": lambda parameters, x: x.squeeze(tuple(parameters["dimensions"])),
    "threefry2x32": lambda parameters, *words: random.threefry(*words),
    "tile": lambda parameters, x: np.tile(x, parameters["reps"]),
    "top_k": _top_k,
    "triangular_solve": _triangular_solve,
    "unstack": lambda parameters, x: list(np.moveaxis(x, parameters["axis"], 0)),
    "transpose": lambda parameters, x: x.transpose(parameters["permutation"]),
}

# unsupported forms of a primitive: (parameters, operands' avals) -> bool
REFUSED = {
    "nextafter": lambda parameters, operands: operands[0].dtype.itemsize < 4,
    "random_bits": lambda parameters, operands: random.refused(operands[0].dtype._impl.name),
    "random_fold_in": lambda parameters, operands: random.refused(operands[0].dtype._impl.name),
    "random_seed": lambda parameters, operands: random.refused(parameters["impl"].name),
    "random_split": lambda parameters, operands: random.refused(operands[0].dtype._impl.name),
    "random_wrap": lambda parameters, operands: random.refused(parameters["impl"].name),
    "reduce_precision": lambda parameters, operands: (
        (bits := (parameters["exponent_bits"], parameters["mantissa_bits"])) not in SHORT_FLOATS
        and not keeps_all_bits(bits, operands[0].dtype)
    ),
    "scatter": indexing.refused,
}
