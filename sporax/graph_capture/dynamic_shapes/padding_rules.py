"""What each primitive makes of padding: by element, along other axes, or with a neutral number.

A rule takes (run, step, operands) and gives the operands; it may set `step.params`, `step.made`.
"""

import functools
import operator
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax.graph_capture.dynamic_shapes.symbolic_dims import (
    Unpadded,
    factors,
    plain,
    varies,
    varying,
)


def _as_it_is(run, step, given):
    return given


def _reduction(neutral):
    def rule(run, step, given):
        (array,) = given
        return [run.filled(step, 0, array, step.params["axes"], neutral(array.dtype))]

    return rule


def _place_of(neutral):
    def rule(run, step, given):
        if not all(step.is_in_order(0, axis) for axis in step.params["axes"]):
            raise Unpadded("it counts along a flattened axis")
        return _reduction(neutral)(run, step, given)

    return rule


def _running(neutral):
    def rule(run, step, given):
        (array,), axis = given, step.params["axis"]
        if step.layouts[0][axis] is None:
            step.count(axis)
        return [run.filled(step, 0, array, [axis], neutral(array.dtype))]

    return rule


def _constant(number):
    return lambda dtype: number


def _least(dtype):
    if dtype.kind == "b":
        return False
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _greatest(dtype):
    if dtype.kind == "b":
        return True
    return np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def _product(run, step, given):
    (left, right), _ = step.params["dimension_numbers"]
    return [run.filled(step, i, given[i], axes, 0) for i, axes in enumerate((left, right))]


def _convolution(run, step, given):
    numbers = step.params["dimension_numbers"]
    specs = numbers.lhs_spec, numbers.rhs_spec
    for aval, spec in zip(step.ins, specs, strict=True):
        step.refuse_along(spec[2:], "convolves", aval)
    if step.params["batch_group_count"] != 1 or step.params["feature_group_count"] != 1:
        step.refuse_along(specs[0][1:2], "convolves in groups")
        step.refuse_along(specs[1][:2], "convolves in groups", step.ins[1])
        if step.params["batch_group_count"] != 1:
            step.refuse_along(specs[0][:1], "convolves in groups")
    return [run.filled(step, i, given[i], spec[1:2], 0) for i, spec in enumerate(specs)]


def _reshape(run, step, given):
    before, after = step.ins[0].shape, step.outs[0].shape
    if step.params.get("dimensions") is not None:
        raise Unpadded("it reshapes and transposes")
    rest = [f for axis in range(len(before)) for f in step.layout(0, axis)][::-1]
    for axis, size in enumerate(after):
        layout = _taken(rest, factors(size))
        if layout is None:
            raise Unpadded(f"it reshapes {before} to {after}, which moves what varies")
        step.made[axis] = layout
    step.ins = step.layouts = []
    return given


def _taken(rest, wanted):
    """The next factors of what is reshaped (last first in `rest`), whose product is wanted."""
    symbols = [f for f in wanted if not isinstance(f, int)]
    number = _count([f for f in wanted if isinstance(f, int)])
    found = []
    while symbols or number > 1:
        factor = rest.pop() if rest else None
        if factor in symbols:
            symbols.remove(factor)
        elif not isinstance(factor, int):
            return None
        elif number % factor == 0:
            number //= factor
        elif factor % number == 0 and number > 1:
            rest.append(factor // number)
            factor, number = number, 1
        else:
            return None
        found.append(factor)
    return plain(found)


def _count(sizes):
    return functools.reduce(operator.mul, sizes, 1)


def _iota(run, step, given):
    step.count(step.params["dimension"])
    return given


def _windows(run, step, given):
    params = step.params
    names = {"window_dimensions": 1, "window_strides": 1, "padding": (0, 0), "base_dilation": 1}
    for aval in step.ins:
        for axis in varying(aval):
            for name, usual in {**names, "window_dilation": 1}.items():
                if params.get(name) is not None and params[name][axis] != usual:
                    raise Unpadded("it slides a window along an axis whose size varies")
    return given


def _pad(run, step, given):
    axes = [i for i, widths in enumerate(step.params["padding_config"]) if any(widths)]
    step.refuse_along(axes, "pads")
    return given


def _slice(run, step, given):
    params, aval = step.params, step.ins[0]
    strides = params["strides"] or (1,) * len(aval.shape)
    for axis in varying(aval):
        whole = (0, aval.shape[axis], 1)
        if (params["start_indices"][axis], params["limit_indices"][axis], strides[axis]) != whole:
            raise Unpadded("it takes a part along an axis whose size varies")
    return given


def _whole_slices(sizes):
    def rule(run, step, given):
        for axis, size in enumerate(sizes(step)):
            if varies(step.ins[0].shape[axis]) and size != step.ins[0].shape[axis]:
                raise Unpadded("it takes a part along an axis whose size varies")
        return given

    return rule


def _not_along(name, what):
    def rule(run, step, given):
        axes = step.params[name]
        for aval in step.ins:
            step.refuse_along([axes] if isinstance(axes, int) else axes, what, aval)
        return given

    return rule


def _top(run, step, given):
    step.refuse_along([step.params.get("axis", -1)], "sorts")
    return given


def _gather(run, step, given):
    numbers, sizes = step.params["dimension_numbers"], step.params["slice_sizes"]
    aval = step.ins[0]
    for axis in varying(aval):
        if axis not in numbers.operand_batching_dims and (
            sizes[axis] != aval.shape[axis] or axis in numbers.start_index_map
        ):
            raise Unpadded("it picks by an index along an axis whose size varies")
    step.params = {**step.params, "indices_are_sorted": False, "unique_indices": False}
    return given


def _scatter(neutral=None):
    def rule(run, step, given):
        numbers, (operand, _, updates) = step.params["dimension_numbers"], step.ins
        for axis in varying(operand):
            if axis in numbers.inserted_window_dims or (
                axis in numbers.scatter_dims_to_operand_dims
                and axis not in numbers.operand_batching_dims
            ):
                raise Unpadded("it writes by an index along an axis whose size varies")
        windows = [i for i in range(operand.ndim) if i not in numbers.inserted_window_dims]
        windows = [i for i in windows if i not in numbers.operand_batching_dims]
        for axis, place in zip(numbers.update_window_dims, windows, strict=True):
            if updates.shape[axis] != operand.shape[place] and varies(updates.shape[axis]):
                raise Unpadded("it writes a part along an axis whose size varies")
        batched = _batched(numbers, step.ins)
        axes = [i for i in varying(updates) if i not in (*numbers.update_window_dims, *batched)]
        if axes and neutral is None:
            raise Unpadded("it writes as often as the size that varies says")
        step.params = {**step.params, "indices_are_sorted": False, "unique_indices": False}
        filled = run.filled(step, 2, given[2], axes, neutral and neutral(given[2].dtype))
        return [given[0], given[1], filled]

    return rule


def _batched(numbers, ins):
    """The axes of the updates that go with axes of the operand."""
    _, _, updates = ins
    rest = [i for i in range(updates.ndim) if i not in numbers.update_window_dims]
    return [rest[i] for i in numbers.scatter_indices_batching_dims]


def _random(run, step, given):
    if varying(step.outs[0]) != [0]:
        raise Unpadded("it draws random numbers of a shape that varies not only at its first axis")
    step.count(0)
    return given


_BY_ELEMENT = (
    "abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2", "atanh",
    "bessel_i0e", "bessel_i1e", "bitcast_convert_type", "broadcast_in_dim", "cbrt", "ceil", "clamp",
    "clz", "complex", "conj", "convert_element_type", "copy", "copy_p", "cos", "cosh", "digamma",
    "div", "eq", "erf", "erf_inv", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "igamma",
    "igamma_grad_a", "igammac", "imag", "integer_pow", "is_finite", "le", "lgamma", "log", "log1p",
    "logistic", "lt", "max", "min", "mul", "ne", "neg", "nextafter", "not", "optimization_barrier",
    "or", "polygamma", "population_count", "pow", "real", "reduce_precision",
    "regularized_incomplete_beta", "rem", "round", "rsqrt", "select_n", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sign", "sin", "sinh", "sqrt", "square",
    "stop_gradient", "sub", "tan", "tanh", "threefry2x32", "transpose", "xor", "zeta",
)  # fmt: skip

RULES: dict[str, Any] = {
    **dict.fromkeys(_BY_ELEMENT, _as_it_is),
    "argmax": _place_of(_least),
    "argmin": _place_of(_greatest),
    "concatenate": _not_along("dimension", "joins"),
    "conv_general_dilated": _convolution,
    "cumlogsumexp": _running(_least),
    "cummax": _running(_least),
    "cummin": _running(_greatest),
    "cumprod": _running(_constant(1)),
    "cumsum": _running(_constant(0)),
    "dot_general": _product,
    "dynamic_slice": _whole_slices(lambda step: step.params["slice_sizes"]),
    "dynamic_update_slice": _whole_slices(lambda step: step.ins[1].shape),
    "gather": _gather,
    "iota": _iota,
    "pad": _pad,
    "random_bits": _random,
    "reduce_and": _reduction(_constant(True)),
    "reduce_max": _reduction(_least),
    "reduce_min": _reduction(_greatest),
    "reduce_or": _reduction(_constant(False)),
    "reduce_prod": _reduction(_constant(1)),
    "reduce_sum": _reduction(_constant(0)),
    **dict.fromkeys(
        ("reduce_window", "reduce_window_max", "reduce_window_min", "reduce_window_sum",
         "select_and_gather_add", "select_and_scatter_add"),
        _windows,
    ),
    "reshape": _reshape,
    "rev": _not_along("dimensions", "turns round"),
    "scatter": _scatter(),
    **dict.fromkeys(("scatter-add", "scatter_add"), _scatter(_constant(0))),
    "slice": _slice,
    "sort": _not_along("dimension", "sorts"),
    "split": _not_along("axis", "splits"),
    "squeeze": _as_it_is,
    "stack": _as_it_is,
    "top_k": _top,
}  # fmt: skip
