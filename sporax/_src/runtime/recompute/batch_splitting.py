"""Programs that compute a batch in parts, one after another, to take less memory.

An analysis of the flat jaxpr of a whole program. One input is cut along an axis, and the cut is
followed: an array that has it in one of its axes is 'split', and its part is computed from parts
alone. Where an operation sums (or takes the maximum, ...) over that axis, the parts' results are
combined into the 'total'; what is computed from totals, such as the update of Parameters, runs
once, after all parts. An operation that needs a total and a part, as BatchNorm does, couples the
examples: then there is no such program.

All that is split runs in a loop over the parts, so that its arrays take the memory of one part. The
results are those of the whole batch, except that sums are in another order.
"""

import math
import operator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.jax_internals import ELEMENTWISE, ClosedJaxpr, Literal, evaluated
from sporax._src.diagnosis.rules import message
from sporax._src.runtime.memory.flat import flat
from sporax._src.runtime.memory.liveness import bytes_of

_SEEDS = 6  # inputs that are tried, the largest first


class NotSplit(Exception):
    """Raised with the reason why a batch is not computed in parts. `reached`: the number of split
    operations before."""

    reached = 0


class Combination(NamedTuple):
    """A reduction of the parts' results to a total: a function of two arrays, and its neutral
    element for a dtype."""

    function: Any
    neutral: Any


def _least(dtype):
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _greatest(dtype):
    return np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


_SUM = Combination(operator.add, lambda dtype: 0)
_COMBINATIONS = {
    "reduce_sum": _SUM,
    "reduce_prod": Combination(operator.mul, lambda dtype: 1),
    "reduce_max": Combination(jnp.maximum, _least),
    "reduce_min": Combination(jnp.minimum, _greatest),
    "reduce_and": Combination(operator.and_, lambda dtype: True),
    "reduce_or": Combination(operator.or_, lambda dtype: False),
}


class _Cut(NamedTuple):
    """The computation of a part by an equation. `needs`: for each operand, the axis of the cut, or
    None if it is used whole; `results`: for each result, the axis or a `Combination`; `params`: the
    equation's for the part. `adds_to`: an operand to which a total is added, taken as zeros."""

    needs: list
    results: list
    params: dict
    adds_to: int | None = None


# rules: (equation, axes of the cut of its operands or None, number of parts) -> _Cut --------------


def _no(equation, what):
    return NotSplit(message("batch-not-split-operation", name=equation.primitive.name, what=what))


def _common(equation, axes):
    (axis, *others) = {axis for axis in axes if axis is not None}
    if others:
        raise _no(equation, message("batch-different-axes"))
    return axis


def _elementwise(equation, axes, parts):
    axis, shape = _common(equation, axes), equation.outvars[0].aval.shape
    needs = [axis if _has(v, axis, shape) else None for v in equation.invars]
    return _Cut(needs, [axis] * len(equation.outvars), equation.params)


def _has(operand, axis, shape):
    """Return True if an operand has this axis of a result: it is no scalar, and not broadcast."""
    return operand.aval.ndim == len(shape) and operand.aval.shape[axis] == shape[axis]


def _shorter(sizes, axis, parts):
    return (*sizes[:axis], sizes[axis] // parts, *sizes[axis + 1 :])


def _broadcast(equation, axes, parts):
    params = equation.params
    axis = params["broadcast_dimensions"][axes[0]]
    shape = _shorter(params["shape"], axis, parts)
    return _Cut(axes, [axis], {**params, "shape": shape})


def _transpose(equation, axes, parts):
    return _Cut(axes, [equation.params["permutation"].index(axes[0])], equation.params)


def _reshape(equation, axes, parts):
    params, before = equation.params, equation.invars[0].aval.shape
    after, outside = equation.outvars[0].aval.shape, math.prod(before[: axes[0]])
    for axis, size in enumerate(after):
        fits = math.prod(after[:axis]) == outside and size % parts == 0 and size > 1
        if fits and params.get("dimensions") is None:
            sizes = _shorter(params["new_sizes"], axis, parts)
            return _Cut(axes, [axis], {**params, "new_sizes": sizes})
    raise _no(equation, message("batch-mixed-with-axes", before=before, after=after))


def _squeeze(equation, axes, parts):
    removed = [d % equation.invars[0].aval.ndim for d in equation.params["dimensions"]]
    return _Cut(axes, [axes[0] - sum(d < axes[0] for d in removed)], equation.params)


def _reduce(equation, axes, parts):
    reduced = equation.params["axes"]
    if axes[0] not in reduced:
        return _Cut(axes, [axes[0] - sum(d < axes[0] for d in reduced)], equation.params)
    combination = _COMBINATIONS.get(equation.primitive.name)
    if combination is None:
        raise _no(equation, message("batch-along-axis"))
    return _Cut(axes, [combination], equation.params)


def _dot_general(equation, axes, parts):
    contracted, batched = equation.params["dimension_numbers"]
    sides = (0, 1) if axes[0] is not None else (1, 0)
    mine, other = sides
    axis = axes[mine]
    for pairs, result in ((contracted, _SUM), (batched, None)):
        if axis in pairs[mine]:
            place = list(pairs[mine]).index(axis)
            needs = [axis, pairs[other][place]] if mine == 0 else [pairs[other][place], axis]
            return _Cut(needs, [place if result is None else result], equation.params)
    if axes[other] is not None:
        raise _no(equation, message("batch-with-itself"))
    free = [
        [d for d in range(equation.invars[k].aval.ndim) if d not in (*contracted[k], *batched[k])]
        for k in (0, 1)
    ]
    place = len(batched[0]) + (len(free[0]) if mine else 0) + free[mine].index(axis)
    return _Cut(axes, [place], equation.params)


def _convolution(equation, axes, parts):
    params, numbers = equation.params, equation.params["dimension_numbers"]
    (batch, feature, *_), (_, inner, *_) = numbers.lhs_spec, numbers.rhs_spec
    if axes[0] == batch and axes[1] is None and params["batch_group_count"] == 1:
        return _Cut(axes, [numbers.out_spec[0]], params)
    is_contracted = axes[0] in (feature, None) and axes[1] in (inner, None)
    if is_contracted and params["feature_group_count"] == 1:
        return _Cut([feature, inner], [_SUM], params)
    raise _no(equation, message("batch-along-axis"))


def _gather(equation, axes, parts):
    params, numbers = equation.params, equation.params["dimension_numbers"]
    operand, indices = (v.aval for v in equation.invars)
    around = [d for d in range(equation.outvars[0].aval.ndim) if d not in numbers.offset_dims]
    cut = axes[1]
    if cut is None and axes[0] in numbers.operand_batching_dims:
        place = list(numbers.operand_batching_dims).index(axes[0])
        cut = numbers.start_indices_batching_dims[place]
    if cut is not None and cut < indices.ndim - 1:
        need = None
        if cut in numbers.start_indices_batching_dims:
            place = list(numbers.start_indices_batching_dims).index(cut)
            need = numbers.operand_batching_dims[place]
        if axes[0] in (None, need):
            sizes = params["slice_sizes"]
            return _Cut([need, cut], [around[cut]], {**params, "slice_sizes": sizes})
    windows = [
        d for d in range(operand.ndim)
        if d not in (*numbers.collapsed_slice_dims, *numbers.operand_batching_dims)
    ]  # fmt: skip
    axis, sizes = axes[0], params["slice_sizes"]
    if axes[1] is None and axis in windows and sizes[axis] == operand.shape[axis]:
        place = numbers.offset_dims[windows.index(axis)]
        return _Cut(axes, [place], {**params, "slice_sizes": _shorter(sizes, axis, parts)})
    raise _no(equation, message("batch-indexed"))


def _scatter(equation, axes, parts):
    numbers, (operand, _, updates) = (
        equation.params["dimension_numbers"],
        (v.aval for v in equation.invars),
    )
    around = [d for d in range(updates.ndim) if d not in numbers.update_window_dims]
    windows = [
        d for d in range(operand.ndim)
        if d not in (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
    ]  # fmt: skip
    cut = axes[1]
    if cut is None and axes[2] in around:
        cut = around.index(axes[2])
    if cut is None and axes[0] in numbers.operand_batching_dims:
        place = list(numbers.operand_batching_dims).index(axes[0])
        cut = numbers.scatter_indices_batching_dims[place]
    if cut is not None:
        update = around[cut]
        if axes[2] not in (None, update):
            raise _no(equation, message("batch-different-axes"))
        if cut in numbers.scatter_indices_batching_dims:
            place = list(numbers.scatter_indices_batching_dims).index(cut)
            axis = numbers.operand_batching_dims[place]
            if axes[0] in (None, axis):
                return _Cut([axis, cut, update], [axis], equation.params)
        elif axes[0] is None and equation.primitive.name in ("scatter-add", "scatter_add"):
            return _Cut([None, cut, update], [_SUM], equation.params, adds_to=0)
        raise _no(equation, message("batch-indexed"))
    axis = axes[0]
    if axis is None:
        axis = windows[list(numbers.update_window_dims).index(axes[2])]
    if axis in windows and axis not in numbers.scatter_dims_to_operand_dims:
        update = numbers.update_window_dims[windows.index(axis)]
        is_whole = updates.shape[update] == operand.shape[axis]
        if is_whole and axes[2] in (None, update):
            return _Cut([axis, None, update], [axis], equation.params)
    raise _no(equation, message("batch-indexed"))


def _beside(name):
    """Return the rule of an operation along an axis, or axes, that the parameter `name` has."""

    def rule(equation, axes, parts):
        axis, along = _common(equation, axes), equation.params[name]
        if axis in ([along] if isinstance(along, int) else along):
            raise _no(equation, message("batch-along-axis"))
        needs = [axis if v.aval.ndim else None for v in equation.invars]
        return _Cut(needs, [axis] * len(equation.outvars), equation.params)

    return rule


def _top(equation, axes, parts):
    if axes[0] == equation.invars[0].aval.ndim - 1:
        raise _no(equation, message("batch-along-axis"))
    return _Cut(axes, axes * 2, equation.params)


def _argument(equation, axes, parts):
    (along,) = equation.params["axes"]
    if axes[0] == along:
        raise _no(equation, message("batch-along-axis"))
    return _Cut(axes, [axes[0] - (along < axes[0])], equation.params)


def _pad(equation, axes, parts):
    if any(equation.params["padding_config"][axes[0]]):
        raise _no(equation, message("batch-along-axis"))
    return _Cut([axes[0], None], [axes[0]], equation.params)


def _slice(equation, axes, parts):
    params, (axis,), shape = equation.params, axes, equation.invars[0].aval.shape
    strides = params["strides"] or (1,) * len(shape)
    taken = params["start_indices"][axis], params["limit_indices"][axis], strides[axis]
    if taken != (0, shape[axis], 1):
        raise _no(equation, message("batch-along-axis"))
    limits = _shorter(params["limit_indices"], axis, parts)
    return _Cut(axes, [axis], {**params, "limit_indices": limits})


def _dynamic_slice(equation, axes, parts):
    params, axis, shape = equation.params, axes[0], equation.invars[0].aval.shape
    if any(a is not None for a in axes[1:]) or params["slice_sizes"][axis] != shape[axis]:
        raise _no(equation, message("batch-along-axis"))
    sizes = _shorter(params["slice_sizes"], axis, parts)
    return _Cut(axes, [axis], {**params, "slice_sizes": sizes})


def _dynamic_update_slice(equation, axes, parts):
    axis = _common(equation, axes[:2])
    operand, update = (v.aval.shape for v in equation.invars[:2])
    if any(a is not None for a in axes[2:]) or operand[axis] != update[axis]:
        raise _no(equation, message("batch-along-axis"))
    return _Cut([axis, axis, *axes[2:]], [axis], equation.params)


def _windows(equation, axes, parts):
    axis, params = _common(equation, axes), equation.params
    usual = {"window_dimensions": 1, "window_strides": 1, "padding": (0, 0), "base_dilation": 1,
             "window_dilation": 1}  # fmt: skip
    if any(params.get(name) and tuple(np.atleast_1d(params[name][axis])) != tuple(np.atleast_1d(v))
           for name, v in usual.items()):  # fmt: skip
        raise _no(equation, message("batch-along-axis"))
    needs = [axis if v.aval.ndim else None for v in equation.invars]
    return _Cut(needs, [axis] * len(equation.outvars), params)


def _recurrence(equation, axes, parts):
    """Sequences are `(L, N, C)`, states `(N, H)`; weights are used whole."""
    n = 2 if equation.params["kind"] == "lstm" else 1  # states
    return _Cut(_of_layer(equation.invars, n), [1, *[0] * n], equation.params)


def _recurrence_backward(equation, axes, parts):
    n = 2 if equation.params["kind"] == "lstm" else 1
    operands = len(equation.outvars)
    cotangents = [1, *[0] * n]
    needs = [*_of_layer(equation.invars[:operands], n), *cotangents]
    of_weights = [_SUM] * (operands - 1 - n)
    return _Cut(needs, [1, *[0] * n, *of_weights], equation.params)


def _of_layer(operands, states):
    return [1, *[0] * states, *[None] * (len(operands) - 1 - states)]


_RULES: dict[str, Any] = {
    **dict.fromkeys(ELEMENTWISE, _elementwise),
    **dict.fromkeys(_COMBINATIONS, _reduce),
    **dict.fromkeys(("argmax", "argmin"), _argument),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"), _beside("axis")),
    **dict.fromkeys(("scatter", "scatter-add", "scatter_add"), _scatter),
    **dict.fromkeys(
        ("reduce_window_max", "reduce_window_min", "reduce_window_sum", "select_and_gather_add",
         "select_and_scatter_add"),
        _windows,
    ),
    "broadcast_in_dim": _broadcast, "concatenate": _beside("dimension"),
    "conv_general_dilated": _convolution, "dot_general": _dot_general,
    "dynamic_slice": _dynamic_slice, "dynamic_update_slice": _dynamic_update_slice,
    "gather": _gather, "pad": _pad, "recurrence": _recurrence,
    "recurrence_backward": _recurrence_backward, "reshape": _reshape, "rev": _beside("dimensions"),
    "slice": _slice, "sort": _beside("dimension"), "split": _beside("axis"), "squeeze": _squeeze,
    "top_k": _top, "transpose": _transpose,
}  # fmt: skip


# the analysis -------------------------------------------------------------------------------------


class _Analysis:
    """The equations of a jaxpr before, in and after the loop over the parts, if the input `seed` is
    cut along an axis.

    `axes`: {split variable: its axis}; `cuts`: [(equation, `_Cut`)] of the loop; `totals`:
    {variable: (`Combination`, variable that is added to it or None)}; `late`: the variables that
    are known after the loop.
    """

    def __init__(self, jaxpr, seed, axis, parts):
        self.jaxpr, self.parts, self.size = jaxpr, parts, seed.aval.shape[axis]
        self.axes, self.cuts, self.totals, self.late = {seed: axis}, [], {}, set()
        self.before, self.after = [], []
        self.source = {v: equation for equation in jaxpr.eqns for v in equation.outvars}
        try:
            for equation in jaxpr.eqns:
                self.place(equation)
        except NotSplit as error:
            error.reached = len(self.cuts)
            raise
        self.bytes = sum(bytes_of(v.aval) for v in self.axes)

    def place(self, equation):
        """Decide where an equation runs. Raises `NotSplit`."""
        operands = equation.invars
        axes = [None if isinstance(v, Literal) else self.axes.get(v) for v in operands]
        is_late = [not isinstance(v, Literal) and v in self.late for v in operands]
        if equation.primitive.name == "optimization_barrier":
            raise _no(equation, message("batch-no-rule"))
        if all(axis is None for axis in axes):
            (self.after if any(is_late) else self.before).append(equation)
            if any(is_late):
                self.late.update(equation.outvars)
            return
        if any(is_late):
            raise NotSplit(message("batch-examples-coupled", name=equation.primitive.name))
        rule = _RULES.get(equation.primitive.name)
        if rule is None or equation.effects:
            raise _no(equation, message("batch-no-rule"))
        cut = rule(equation, axes, self.parts)
        for axis, need in zip(axes, cut.needs, strict=True):
            if axis is not None and axis != need:
                raise _no(equation, message("batch-different-axes"))
        for v, need in zip(operands, cut.needs, strict=True):
            if need is not None and v.aval.shape[need] % self.parts:
                raise _no(equation, message("batch-different-axes"))
        self.cuts.append((equation, cut))
        for v, result in zip(equation.outvars, cut.results, strict=True):
            if isinstance(result, Combination):
                self.totals[v] = result, None if cut.adds_to is None else operands[cut.adds_to]
                self.late.add(v)
            else:
                self.axes[v] = result


class _Run:
    """The program of an `_Analysis`, run on arrays."""

    def __init__(self, analysis, known):
        self.analysis, self.known = analysis, known

    def read(self, atom):
        return atom.val if isinstance(atom, Literal) else self.known[atom]

    def equations(self, equations):
        for equation in equations:
            results = evaluated(equation, [self.read(v) for v in equation.invars])
            self.known.update(zip(equation.outvars, results, strict=True))

    def loop(self, outputs):
        """Compute all parts; the totals and the split `outputs` become known."""
        analysis = self.analysis
        totals = list(analysis.totals)
        start = [
            jnp.full(v.aval.shape, analysis.totals[v][0].neutral(v.aval.dtype), v.aval.dtype)
            for v in totals
        ]

        def step(so_far, number):
            part = _Part(self, number)
            combined = [
                analysis.totals[v][0].function(total, part.known[v])
                for v, total in zip(totals, so_far, strict=True)
            ]
            return combined, [part.known[v] for v in outputs]

        combined, stacked = lax.scan(step, start, jnp.arange(analysis.parts))
        for v, total in zip(totals, combined, strict=True):
            base = analysis.totals[v][1]
            self.known[v] = total if base is None else self.read(base) + total
        for v, array in zip(outputs, stacked, strict=True):
            whole = jnp.moveaxis(array, 0, analysis.axes[v])
            self.known[v] = whole.reshape(v.aval.shape)


class _Part:
    """One iteration of the loop: the arrays of one part. `number`: which one, traced."""

    def __init__(self, run, number):
        self.run, self.number = run, number
        self.parts = run.analysis.parts
        self.known, self.sliced = {}, {}
        for v in run.analysis.jaxpr.invars:
            if v in run.analysis.axes:
                self.known[v] = self.slice(run.known[v], run.analysis.axes[v])
        for equation, cut in run.analysis.cuts:
            operands = [
                self.operand(v, need) for v, need in zip(equation.invars, cut.needs, strict=True)
            ]
            if cut.adds_to is not None:
                operands[cut.adds_to] = jnp.zeros_like(operands[cut.adds_to])
            results = evaluated(equation.replace(params=cut.params), operands)
            self.known.update(zip(equation.outvars, results, strict=True))

    def operand(self, variable, axis):
        if isinstance(variable, Literal) or axis is None:
            return self.run.read(variable)
        return self.known[variable] if variable in self.known else self.part(variable, axis)

    def part(self, variable, axis):
        """Return the part of an array that is not split, computed without the whole one if it is
        made from numbers, as constants, masks and random bits are."""
        key = variable, axis
        if key not in self.sliced:
            self.sliced[key] = self.made(variable, axis)
        return self.sliced[key]

    def made(self, variable, axis):
        sources: dict[Any, Any] = self.run.analysis.source
        if variable not in sources:
            return self.slice(self.run.known[variable], axis)
        equation = sources[variable]
        name = equation.primitive.name
        if name == "broadcast_in_dim":
            shape = _shorter(equation.params["shape"], axis, self.parts)
            dims = equation.params["broadcast_dimensions"]
            (operand,) = equation.invars
            inner = list(dims).index(axis) if axis in dims else None
            is_cut = inner is not None and operand.aval.shape[inner] > 1
            array = self.part(operand, inner) if is_cut else self.run.read(operand)
            return lax.broadcast_in_dim(array, shape, dims)
        if name == "iota":
            shape = _shorter(equation.params["shape"], axis, self.parts)
            dimension, dtype = equation.params["dimension"], equation.params["dtype"]
            numbers = lax.broadcasted_iota(dtype, shape, dimension)
            offset = (self.number * shape[axis]).astype(dtype)
            return numbers + offset if dimension == axis else numbers
        if name in ELEMENTWISE:
            operands = [
                self.part(v, axis) if _has(v, axis, variable.aval.shape) else self.run.read(v)
                for v in equation.invars
            ]  # fmt: skip
            results = evaluated(equation, operands)
            for v, result in zip(equation.outvars, results, strict=True):
                self.sliced[v, axis] = result
            return self.sliced[variable, axis]
        return self.slice(self.run.known[variable], axis)

    def slice(self, array, axis):
        size = array.shape[axis] // self.parts
        return lax.dynamic_slice_in_dim(array, self.number * size, size, axis)


def split(program, parts, donated=()):
    """Return (the program that computes the batch in so many parts, the size of the batch). Raises
    `NotSplit`.

    `program`: a flat `ClosedJaxpr`. The inputs with the indices `donated`, Parameters and state,
    are not cut; of the others that can be cut, that which splits the most bytes is the batch.
    """
    analysis = _found(program.jaxpr, parts, frozenset(donated))
    jaxpr = program.jaxpr
    outputs = [v for v in dict.fromkeys(jaxpr.outvars)
               if not isinstance(v, Literal) and v in analysis.axes]  # fmt: skip

    def run(*arguments):
        variables = [*jaxpr.constvars, *jaxpr.invars]
        whole = _Run(analysis, dict(zip(variables, [*program.consts, *arguments], strict=True)))
        whole.equations(analysis.before)
        whole.loop(outputs)
        whole.equations(analysis.after)
        return [whole.read(v) for v in jaxpr.outvars]

    specs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in jaxpr.invars]
    closed = jax.make_jaxpr(run)(*specs)
    return flat(ClosedJaxpr(closed.jaxpr, closed.consts)), analysis.size


def _found(jaxpr, parts, donated):
    """Return the `_Analysis` of the input whose cut splits the most bytes."""
    places = [
        (v, axis) for i, v in enumerate(jaxpr.invars) if i not in donated
        for axis in range(min(v.aval.ndim, 2)) if not v.aval.shape[axis] % parts
        and v.aval.shape[axis]
    ]  # fmt: skip
    places.sort(key=lambda place: (place[1], -bytes_of(place[0].aval)))
    found, errors = [], []
    for v, axis in places[:_SEEDS]:
        try:
            found.append(_Analysis(jaxpr, v, axis, parts))
        except NotSplit as error:
            errors.append(error)
    last = max(errors, key=lambda error: error.reached, default=None)
    best = max(found, key=lambda analysis: analysis.bytes, default=None)
    if best is None:
        raise last or NotSplit(message("batch-none", parts=parts))
    if last is not None and last.reached > len(best.cuts):  # examples, rather than some features
        raise last
    return best
