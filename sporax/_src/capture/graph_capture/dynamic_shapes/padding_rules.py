"""Padding rules of primitives: elementwise, along other axes, or with neutral elements.

A rule takes (program, eqn, operands) and returns the operands; it may set `eqn.params` and
`eqn.out_layouts`.
"""

import functools
import operator
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.capture.graph_capture.dynamic_shapes.symbolic_dims import (
    CannotPad,
    dynamic_axes,
    factors,
    is_dynamic,
    merged,
)
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.recompute.batch_splitting import ELEMENTWISE


def _elementwise(program, eqn, operands):
    return operands


def _reduction(neutral):
    def rule(program, eqn, operands):
        (array,) = operands
        return [program.filled(eqn, 0, array, eqn.params["axes"], neutral(array.dtype))]

    return rule


def _place_of(neutral):
    def rule(program, eqn, operands):
        is_in_order = all(eqn.is_in_order(0, axis) for axis in eqn.params["axes"])
        require(is_in_order, "counts-along-flattened-axis", error=CannotPad)
        return _reduction(neutral)(program, eqn, operands)

    return rule


def _running(neutral):
    def rule(program, eqn, operands):
        (array,), axis = operands, eqn.params["axis"]
        if eqn.layouts[0][axis] is None:
            eqn.count(axis)
        return [program.filled(eqn, 0, array, [axis], neutral(array.dtype))]

    return rule


def _constant(value):
    return lambda dtype: value


def _least(dtype):
    if dtype.kind == "b":
        return False
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _greatest(dtype):
    if dtype.kind == "b":
        return True
    return np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def _dot_general(program, eqn, operands):
    (left, right), _ = eqn.params["dimension_numbers"]
    return [program.filled(eqn, i, operands[i], axes, 0) for i, axes in enumerate((left, right))]


def _convolution(program, eqn, operands):
    numbers = eqn.params["dimension_numbers"]
    specs = numbers.lhs_spec, numbers.rhs_spec
    for aval, spec in zip(eqn.in_avals, specs, strict=True):
        eqn.refuse_along(spec[2:], "convolves", aval)
    if eqn.params["batch_group_count"] != 1 or eqn.params["feature_group_count"] != 1:
        eqn.refuse_along(specs[0][1:2], "convolves-in-groups")
        eqn.refuse_along(specs[1][:2], "convolves-in-groups", eqn.in_avals[1])
        if eqn.params["batch_group_count"] != 1:
            eqn.refuse_along(specs[0][:1], "convolves-in-groups")
    return [program.filled(eqn, i, operands[i], spec[1:2], 0) for i, spec in enumerate(specs)]


def _reshape(program, eqn, operands):
    before, after = eqn.in_avals[0].shape, eqn.out_avals[0].shape
    require(eqn.params.get("dimensions") is None, "reshapes-transposes", error=CannotPad)
    remaining = [f for axis in range(len(before)) for f in eqn.layout(0, axis)][::-1]
    for axis, size in enumerate(after):
        layout = _take_factors(remaining, factors(size))
        known = layout is not None
        require(known, "reshapes-moves-what-varies", None, CannotPad, before=before, after=after)
        eqn.out_layouts[axis] = layout
    eqn.in_avals = eqn.layouts = []
    return operands


def _take_factors(remaining, target):
    """Pop the next operand factors (`remaining`, last first) with the same product as `target`."""
    symbols = [f for f in target if not isinstance(f, int)]
    count = _product([f for f in target if isinstance(f, int)])
    layout = []
    while symbols or count > 1:
        factor = remaining.pop() if remaining else None
        if factor in symbols:
            symbols.remove(factor)
        elif not isinstance(factor, int):
            return None
        elif count % factor == 0:
            count //= factor
        elif factor % count == 0 and count > 1:
            remaining.append(factor // count)
            factor, count = count, 1
        else:
            return None
        layout.append(factor)
    return merged(layout)


def _product(sizes):
    return functools.reduce(operator.mul, sizes, 1)


def _iota(program, eqn, operands):
    eqn.count(eqn.params["dimension"])
    return operands


def _windows(program, eqn, operands):
    params = eqn.params
    names = {"window_dimensions": 1, "window_strides": 1, "padding": (0, 0), "base_dilation": 1}
    for aval in eqn.in_avals:
        for axis in dynamic_axes(aval):
            for name, usual in {**names, "window_dilation": 1}.items():
                is_usual = params.get(name) is None or params[name][axis] == usual
                require(is_usual, "slides-window-along-axis", error=CannotPad)
    return operands


def _pad(program, eqn, operands):
    axes = [i for i, widths in enumerate(eqn.params["padding_config"]) if any(widths)]
    eqn.refuse_along(axes, "pads")
    return operands


def _slice(program, eqn, operands):
    params, aval = eqn.params, eqn.in_avals[0]
    strides = params["strides"] or (1,) * len(aval.shape)
    for axis in dynamic_axes(aval):
        whole = (0, aval.shape[axis], 1)
        taken = params["start_indices"][axis], params["limit_indices"][axis], strides[axis]
        require(taken == whole, "takes-part-along-axis", error=CannotPad)
    return operands


def _whole_slices(sizes):
    def rule(program, eqn, operands):
        for axis, size in enumerate(sizes(eqn)):
            whole = eqn.in_avals[0].shape[axis]
            is_whole = not is_dynamic(whole) or size == whole
            require(is_whole, "takes-part-along-axis", error=CannotPad)
        return operands

    return rule


def _not_along(name, what):
    def rule(program, eqn, operands):
        axes = eqn.params[name]
        for aval in eqn.in_avals:
            eqn.refuse_along([axes] if isinstance(axes, int) else axes, what, aval)
        return operands

    return rule


def _top(program, eqn, operands):
    eqn.refuse_along([eqn.params.get("axis", -1)], "sorts")
    return operands


def _gather(program, eqn, operands):
    numbers, sizes = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
    aval = eqn.in_avals[0]
    for axis in dynamic_axes(aval):
        is_whole = sizes[axis] == aval.shape[axis] and axis not in numbers.start_index_map
        fits = axis in numbers.operand_batching_dims or is_whole
        require(fits, "picks-index-along-axis", error=CannotPad)
    eqn.params = {**eqn.params, "indices_are_sorted": False, "unique_indices": False}
    return operands


def _scatter(neutral=None):
    def rule(program, eqn, operands):
        numbers, (operand, _, updates) = eqn.params["dimension_numbers"], eqn.in_avals
        for axis in dynamic_axes(operand):
            is_window = axis not in numbers.inserted_window_dims
            is_whole = axis not in numbers.scatter_dims_to_operand_dims
            fits = is_window and (is_whole or axis in numbers.operand_batching_dims)
            require(fits, "writes-index-along-axis", error=CannotPad)
        windows = [i for i in range(operand.ndim) if i not in numbers.inserted_window_dims]
        windows = [i for i in windows if i not in numbers.operand_batching_dims]
        for axis, dim in zip(numbers.update_window_dims, windows, strict=True):
            size = updates.shape[axis]
            fits = size == operand.shape[dim] or not is_dynamic(size)
            require(fits, "writes-part-along-axis", error=CannotPad)
        batched = _batched(numbers, eqn.in_avals)
        axes = [
            i for i in dynamic_axes(updates) if i not in (*numbers.update_window_dims, *batched)
        ]
        require(not axes or neutral is not None, "writes-often-size-varies", error=CannotPad)
        eqn.params = {**eqn.params, "indices_are_sorted": False, "unique_indices": False}
        filled = program.filled(eqn, 2, operands[2], axes, neutral and neutral(operands[2].dtype))
        return [operands[0], operands[1], filled]

    return rule


def _batched(numbers, in_avals):
    """Return the axes of the updates that are batch axes of the operand."""
    _, _, updates = in_avals
    scatter_dims = [i for i in range(updates.ndim) if i not in numbers.update_window_dims]
    return [scatter_dims[i] for i in numbers.scatter_indices_batching_dims]


def _random(program, eqn, operands):
    require(dynamic_axes(eqn.out_avals[0]) == [0], "draws-random-numbers-shape", error=CannotPad)
    eqn.count(0)
    return operands


_ELEMENTWISE = (
    *ELEMENTWISE, "broadcast_in_dim", "optimization_barrier", "squeeze", "stack", "transpose",
)  # fmt: skip

RULES: dict[str, Any] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    "argmax": _place_of(_least),
    "argmin": _place_of(_greatest),
    "concatenate": _not_along("dimension", "joins"),
    "conv_general_dilated": _convolution,
    "cumlogsumexp": _running(_least),
    "cummax": _running(_least),
    "cummin": _running(_greatest),
    "cumprod": _running(_constant(1)),
    "cumsum": _running(_constant(0)),
    "dot_general": _dot_general,
    "dynamic_slice": _whole_slices(lambda eqn: eqn.params["slice_sizes"]),
    "dynamic_update_slice": _whole_slices(lambda eqn: eqn.in_avals[1].shape),
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
    "rev": _not_along("dimensions", "turns-round"),
    "scatter": _scatter(),
    **dict.fromkeys(("scatter-add", "scatter_add"), _scatter(_constant(0))),
    "slice": _slice,
    "sort": _not_along("dimension", "sorts"),
    "split": _not_along("axis", "splits"),
    "top_k": _top,
}  # fmt: skip
