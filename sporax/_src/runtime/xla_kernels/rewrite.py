"""Rewrites of programs for a CPU: convolutions and recurrent layers by oneDNN, channels-last data
between convolutions, large reductions in stages, no matrix copies for products with one row,
decompositions of stacks of matrices one after another.

The dimensions of a program follow the API, (N, C, H, W). oneDNN is fast if channels are last in
memory, and XLA's layout assignment does not propagate that. So the jaxpr is rewritten: a
convolution takes and returns arrays of shape (N, H, W, C), and so do the following equations if
their result is the same: elementwise operations, slices, padding, concatenation, reductions.
Transposes remain where another equation needs the original array, one for each array.

The gradient of a recurrent layer needs the residuals of its forward pass. The program already has
that forward pass, on the same operands; it runs in training mode if there is a gradient, else in
inference mode.
"""

import collections
import functools
from typing import Any

import jax
from jax import lax

from sporax._src.core.jax_internals import (
    ELEMENTWISE,
    ClosedJaxpr,
    Literal,
    Var,
    call,
    called,
    equations,
    interpret,
    with_jaxprs,
    within,
)
from sporax._src.runtime.xla_kernels import lapack_order, matrix_vector, reductions
from sporax._src.runtime.xla_kernels import recurrence as recurrent
from sporax._src.runtime.xla_kernels.onednn import convolution, recurrence
from sporax._src.runtime.xla_kernels.outer_product import is_outer_product, swapped

_ELEMENTWISE = {*ELEMENTWISE, "optimization_barrier"}
_WINDOWS = ("window_dimensions", "window_strides", "padding", "base_dilation", "window_dilation")
# operation -> its parameters that have an entry for each axis
_PER_AXIS = {
    "slice": ("start_indices", "limit_indices", "strides"),
    "pad": ("padding_config",),
    "reduce_window_sum": _WINDOWS,
    "reduce_window_max": _WINDOWS,
    "reduce_window_min": _WINDOWS,
}
_REDUCTIONS = ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or")


_KERNELS = {"conv_general_dilated", "recurrence", "recurrence_backward"}


def is_affected(jaxpr):
    """Return True if a `Jaxpr` or `ClosedJaxpr` has something to rewrite, at any depth."""
    return any(
        eqn.primitive.name in _KERNELS
        or is_outer_product(eqn)
        or matrix_vector.is_row_product(eqn)
        or lapack_order.is_of_stack(eqn)
        for eqn in equations(getattr(jaxpr, "jaxpr", jaxpr))
    )


def rewritten(function, on_jaxpr=None, passes=None):
    """Return `function` of arrays changed by passes over its jaxpr (`PASSES` by default), for
    `jax.jit` on a CPU; `on_jaxpr` gets the jaxpr before."""

    def run(*args):
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*args)
        leaves = jax.tree.leaves(args)
        if on_jaxpr is not None:
            on_jaxpr(closed)
        for change in PASSES if passes is None else passes:
            closed = change(closed)
        return jax.tree.unflatten(jax.tree.structure(shape), call(closed, leaves))

    return run


def rewrite(jaxpr):
    """Return the jaxpr (`Jaxpr` or `ClosedJaxpr`) with this module's rewrites; unchanged if none
    applies."""
    if not is_affected(jaxpr):
        return jaxpr
    plain = getattr(jaxpr, "jaxpr", jaxpr)
    rewriter = _Rewriter()
    outs = rewriter.inline(plain, [_Array(v) for v in plain.invars])
    outvars = [rewriter.plain(out) for out in outs]
    eqns, outvars = _with_recurrences(rewriter.eqns, outvars)
    eqns = _with_decompositions_in_turn(eqns, outvars)
    new = plain.replace(eqns=eqns, outvars=outvars)
    return new if plain is jaxpr else ClosedJaxpr(new, jaxpr.consts)


def with_staged_reductions(jaxpr):
    """Return the jaxpr (`Jaxpr` or `ClosedJaxpr`) with large reductions in stages, at any depth;
    unchanged if there are none."""
    plain = getattr(jaxpr, "jaxpr", jaxpr)
    if not any(map(reductions.is_large, equations(plain))):
        return jaxpr
    rewriter, eqns = _Rewriter(), _live(plain.eqns, plain.outvars)
    used = [*plain.outvars, *(v for eqn in eqns for v in eqn.invars)]
    uses = collections.Counter(v for v in used if isinstance(v, Var))
    for eqn in eqns:
        rewriter.enter(eqn)
        if reductions.is_large(eqn):
            (x,), name, axes = eqn.invars, eqn.primitive.name, eqn.params["axes"]
            rewriter.move(reductions.in_stages, x, name, axes, uses[x] > 1)
            eqn = rewriter.eqns.pop().replace(outvars=eqn.outvars)
        params = {k: with_jaxprs(with_staged_reductions, v) for k, v in eqn.params.items()}
        rewriter.eqns.append(eqn.replace(params=params))
    new = plain.replace(eqns=rewriter.eqns)
    return new if plain is jaxpr else ClosedJaxpr(new, jaxpr.consts)


PASSES = (rewrite, with_staged_reductions)  # a memory plan is of the first one's result


def _with_usual_padding(eqn):
    """Return a jaxpr of a convolution with padding from 0 to the reach of its window: negative
    padding becomes a slice of the input, and where a window is only padding, the result is padded
    with zeros. None if the padding is in that range, or all elements are cropped.

    oneDNN supports no other padding. XLA's kernels read out of bounds for (-1, 1) in float32, and
    abort the process for some larger padding, in jaxlib 0.10 and 0.11.
    """
    params, (lhs, rhs) = eqn.params, (v.aval for v in eqn.invars)
    dims, padding = params["dimension_numbers"], []
    starts, limits, zeros = [0] * lhs.ndim, list(lhs.shape), [(0, 0, 0)] * lhs.ndim
    for k, (ends, reach) in enumerate(zip(params["padding"], _reaches(eqn), strict=True)):
        hole, axis = params["lhs_dilation"][k], dims.lhs_spec[k + 2]
        cropped = [-(min(n, 0) // hole) for n in ends]
        beyond = [max(n - reach, 0) if params["window_strides"][k] == 1 else 0 for n in ends]
        starts[axis], limits[axis] = cropped[0], limits[axis] - cropped[1]
        zeros[dims.out_spec[k + 2]] = (*beyond, 0)
        padding.append(
            tuple(n + c * hole - z for n, c, z in zip(ends, cropped, beyond, strict=True))
        )
    if tuple(padding) == tuple(map(tuple, params["padding"])):
        return None
    if any(start >= limit for start, limit in zip(starts, limits, strict=True)):
        return None

    def convolve(x, w):
        x = lax.slice(x, starts, limits)
        y = eqn.primitive.bind(x, w, **{**params, "padding": tuple(padding)})
        return lax.pad(y, y.dtype.type(0), zeros)

    return jax.make_jaxpr(convolve)(lhs, rhs).jaxpr


def _reaches(eqn):
    """Return how far the window of a convolution reaches from its first element, by axis."""
    rhs, dims = eqn.invars[1].aval, eqn.params["dimension_numbers"]
    windows = [rhs.shape[axis] for axis in dims.rhs_spec[2:]]
    return [(n - 1) * d for n, d in zip(windows, eqn.params["rhs_dilation"], strict=True)]


def _ends_early(eqn):
    """Return True if no padding is unusual but that at the ends: a convolution with strides does
    not use some elements there, or its derivative is 0 for them, and oneDNN leaves them out."""
    ends = zip(eqn.params["padding"], _reaches(eqn), eqn.params["lhs_dilation"], strict=True)
    return all(
        0 <= low <= reach and (high <= reach or hole > 1) for (low, high), reach, hole in ends
    )


def _channels_last(rank):
    return (0, *range(2, rank), 1)


class _Array:
    """An array of the program: its `plain` and its channels-last (`last`) variable, or None.

    `source`: the equation that computes it, and the equation's operands.
    """

    __slots__ = ("aval", "last", "plain", "source")

    def __init__(self, plain: Any = None, last=None, aval=None, source=(None, ())):
        self.plain, self.last, self.source = plain, last, source
        self.aval = plain.aval if aval is None else aval


class _Rewriter:
    """Collect the equations of the new program, each with the name stack of its original."""

    def __init__(self):
        self.eqns = []
        self.scope = None  # the name stack of the current equation
        self.moves = {}  # (operation, its operand's aval, its settings) -> its jaxpr

    def inline(self, jaxpr, args):
        """Append a jaxpr's equations; returns its results as `_Array`s."""
        return interpret(jaxpr, map(_Array, jaxpr.constvars), args, self.apply, _Array)

    def apply(self, eqn, operands):
        outer = self.scope
        self.enter(eqn, outer)
        try:
            return self.applied(eqn, operands)
        finally:
            self.scope = outer

    def enter(self, eqn, outer=None):
        """Append the next equations under the name stack of `eqn`, inside of `outer`."""
        own = eqn.source_info.name_stack
        self.scope = own if outer is None else outer + own

    def applied(self, eqn, operands):
        name = eqn.primitive.name
        inner = called(eqn)
        if inner is not None and not inner[1]:
            return self.inline(inner[0], operands)
        outs = None
        if name == "conv_general_dilated":
            usual = _with_usual_padding(eqn)
            if usual is None or _ends_early(eqn):
                outs = self.convolution(eqn, operands)
            if outs is None and usual is not None:
                return self.inline(usual, operands)
        elif any(x.last is not None for x in operands):
            outs = self.in_channels_last(eqn, name, operands)
        elif name == "transpose":
            outs = self.outer_product(eqn, *operands)
        elif matrix_vector.is_row_product(eqn):
            outs = self.row_product(eqn, *operands)
        if outs is None:
            params = {key: with_jaxprs(rewrite, value) for key, value in eqn.params.items()}
            outs = self.append(eqn, [self.plain(x) for x in operands], params)
            outs = [_Array(v, source=(eqn, operands)) for v in outs]
        return outs

    def outer_product(self, eqn, operand):
        """Return the result of a transposed outer product as an outer product; else None."""
        source, factors = operand.source
        if source is None or not is_outer_product(source):
            return None
        function = swapped(source, eqn)
        return function and [_Array(self.emit(function, *map(self.plain, factors)))]

    def row_product(self, eqn, row, matrix):
        """Return the result of a row-matrix product in another form; None if it is unchanged."""
        source, before = matrix.source
        is_transposed = source is not None and source.primitive.name == "transpose"
        function = matrix_vector.of_matrix(eqn, is_transposed)
        matrix = before[0] if is_transposed else matrix
        return function and [_Array(self.emit(function, self.plain(row), self.plain(matrix)))]

    def append(self, eqn, invars, params=None, shapes=None):
        """Append an equation with other operands; returns the variables of its results."""
        outvars = [v.aval for v in eqn.outvars]
        if shapes is not None:
            outvars = [a.update(shape=shape) for a, shape in zip(outvars, shapes, strict=True)]
        outvars = [Var(aval) for aval in outvars]
        source = eqn.source_info
        if self.scope is not None:
            source = source.replace(name_stack=self.scope)
        params = {**eqn.params, **(params or {})}
        self.eqns.append(
            eqn.replace(invars=invars, outvars=outvars, params=params, source_info=source)
        )
        return outvars

    def emit(self, function, *variables):
        """Append the equations of `function`, of trees; returns the variables of its results."""
        leaves, structure = jax.tree.flatten(variables)
        specs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in leaves]
        closed, shape = jax.make_jaxpr(function, return_shape=True)(
            *jax.tree.unflatten(structure, specs)
        )
        outs = interpret(closed.jaxpr, (), leaves, self.append, lambda literal: literal)
        return jax.tree.unflatten(jax.tree.structure(shape), outs)

    def move(self, operation, variable, *settings):
        """Append `operation(variable, *settings)`, of which a program has many equal ones; returns
        the variable of its result."""
        key = operation, variable.aval, settings
        if key not in self.moves:
            spec = jax.ShapeDtypeStruct(variable.aval.shape, variable.aval.dtype)
            self.moves[key] = jax.make_jaxpr(lambda x: operation(x, *settings))(spec).jaxpr
        return interpret(self.moves[key], (), [variable], self.append, lambda literal: literal)[0]

    def transposed(self, variable, permutation):
        return self.move(lax.transpose, variable, tuple(permutation))

    def plain(self, array):
        if array.plain is None:
            order = _channels_last(array.aval.ndim)
            array.plain = self.transposed(array.last, [order.index(i) for i in range(len(order))])
        return array.plain

    def last(self, array):
        """Return the variable of the array with channels last."""
        if array.last is None:
            eqn, operands = array.source
            order = _channels_last(array.aval.ndim)
            if eqn is not None and eqn.primitive.name == "broadcast_in_dim":
                array.last = self.broadcast(eqn, operands, order)
            if array.last is None:
                array.last = self.transposed(array.plain, order)
        return array.last

    def broadcast(self, eqn, operands, order):
        """Return a broadcast with channels last; None if its axes would change their order."""
        if len(operands) != 1:
            return None
        (operand,) = operands
        axes = eqn.params["broadcast_dimensions"]
        if axes == (*range(len(order)),):
            variable = self.last(operand)
        else:
            axes, variable = [order.index(axis) for axis in axes], self.plain(operand)
            if axes != sorted(axes):
                return None
        shape = tuple(eqn.params["shape"][axis] for axis in order)
        return self.move(lax.broadcast_in_dim, variable, shape, tuple(axes))

    def in_channels_last(self, eqn, name, operands):
        """Return the results of an equation with a channels-last operand, computed in that layout;
        None if the equation does not allow it."""
        avals = [v.aval for v in eqn.outvars]
        first = next(x for x in operands if x.last is not None)
        order = _channels_last(first.aval.ndim)
        params = {}
        if name in _REDUCTIONS:
            axes = [order.index(axis) for axis in eqn.params["axes"]]
            kept = [axis for i, axis in enumerate(order) if i not in axes]
            if kept != sorted(kept):
                return None
            (out,) = self.append(eqn, [first.last], {"axes": tuple(sorted(axes))})
            return [_Array(out)]
        if name in _PER_AXIS:
            for key in _PER_AXIS[name]:
                values = eqn.params[key]
                params[key] = values and tuple(values[axis] for axis in order)
        elif name == "concatenate":
            params["dimension"] = order.index(eqn.params["dimension"])
        elif name not in _ELEMENTWISE or any(
            a.ndim not in (0, len(order)) for a in (*(x.aval for x in operands), *avals)
        ):
            return None
        invars = [x.plain if x.aval.ndim == 0 else self.last(x) for x in operands]
        shapes = [[a.shape[axis] for axis in order] if a.ndim else () for a in avals]
        outs = self.append(eqn, invars, params, [tuple(s) for s in shapes])
        return [
            _Array(last=v, aval=a) if a.ndim else _Array(v)
            for v, a in zip(outs, avals, strict=True)
        ]

    def convolution(self, eqn, operands):
        """Return oneDNN's result, from the kernel before any reversal; None if unsupported."""
        lhs, rhs = operands
        (out,) = eqn.outvars
        source, before = rhs.source
        spatial = eqn.params["dimension_numbers"].rhs_spec[2:]
        is_reversed = (
            source is not None
            and source.primitive.name == "rev"
            and {*source.params["dimensions"]} == {*spatial}
        )
        avals = lhs.aval, rhs.aval, out.aval
        match = convolution.in_program(eqn.params, *avals, is_reversed)
        if match is None:
            return None
        call, orders, takes_forward_kernel = match
        if takes_forward_kernel:
            kernel = (
                before[0] if is_reversed else _Array(self.move(lax.rev, self.plain(rhs), spatial))
            )
            operands = [lhs, kernel]
        invars = [self.ordered(x, order) for x, order in zip(operands, orders, strict=False)]
        variable, order = self.emit(call, *invars), orders[2]
        if order == (*range(len(order)),):
            return [_Array(variable)]
        if order == _channels_last(len(order)):
            return [_Array(last=variable, aval=out.aval)]
        inverse = [order.index(i) for i in range(len(order))]
        return [_Array(self.transposed(variable, inverse))]

    def ordered(self, array, order):
        """Return the variable of the array transposed into an order of axes."""
        if order == (*range(len(order)),):
            return self.plain(array)
        if order == _channels_last(len(order)):
            return self.last(array)
        return self.transposed(self.plain(array), order)


def _with_recurrences(eqns, outvars):
    """Return a program's equations and results with oneDNN's recurrent layers."""
    rewriter, done, renamed = _Rewriter(), {}, {}
    layers = [_layer(eqn) for eqn in eqns]
    trained = {
        layer for eqn, layer in zip(eqns, layers, strict=True)
        if eqn.primitive is recurrent.BACKWARD
    }  # fmt: skip

    def current(atom):
        return atom if isinstance(atom, Literal) else renamed.get(atom, atom)

    for eqn, layer in zip(eqns, layers, strict=True):
        invars = [current(v) for v in eqn.invars]
        if layer is None:
            rewriter.eqns.append(eqn.replace(invars=invars))
            continue
        operands, n = [current(v) for v in layer[2]], len(layer[2])
        rewriter.enter(eqn)
        if layer not in done:
            forward = functools.partial(
                recurrence.forward, **eqn.params, is_training=layer in trained
            )
            done[layer] = rewriter.emit(forward, operands)
        outs = done[layer][0]
        if eqn.primitive is recurrent.BACKWARD:
            backward = functools.partial(recurrence.backward, **eqn.params)
            outs = rewriter.emit(backward, operands, *done[layer], invars[n:])
        renamed.update(zip(eqn.outvars, outs, strict=True))
    return rewriter.eqns, [current(v) for v in outvars]


def _live(eqns, outvars):
    """Return the equations that affect the results."""
    used, live = {v for v in outvars if isinstance(v, Var)}, []
    for eqn in reversed(eqns):
        if eqn.effects or not used.isdisjoint(eqn.outvars):
            live.append(eqn)
            used.update(v for v in eqn.invars if isinstance(v, Var))
    return live[::-1]


def _with_decompositions_in_turn(eqns, outvars):
    """Return the equations that affect the results, changed so that no two decompose stacks of
    matrices at once."""
    if sum(map(_decomposes, eqns)) < 2:
        return eqns
    rewriter, before = _Rewriter(), None
    for eqn in _live(eqns, outvars):
        if _decomposes(eqn):
            invars = list(eqn.invars)
            waiting = [
                i for i, v in enumerate(invars) if isinstance(v, Var) and lapack_order.may_wait(v)
            ]
            if waiting and before is not None:
                invars[waiting[0]] = rewriter.emit(lapack_order.after, invars[waiting[0]], before)
            eqn = eqn.replace(invars=invars)
            before = next(filter(lapack_order.may_wait, eqn.outvars), before)
        rewriter.eqns.append(eqn)
    return rewriter.eqns


def _decomposes(eqn):
    """Return True if an equation, or one nested in it, decomposes a stack of matrices."""
    return any(map(lapack_order.is_of_stack, within(eqn)))


def _layer(eqn):
    """Return (kind, direction, operands) of a recurrent layer that oneDNN computes, or None."""
    if eqn.primitive not in (recurrent.RECURRENCE, recurrent.BACKWARD):
        return None
    kind, operands = eqn.params["kind"], eqn.invars
    if eqn.primitive is recurrent.BACKWARD:
        operands = operands[: recurrent.count_of_operands(len(operands), kind)]
    if not recurrence.supports(kind, [v.aval for v in operands]):
        return None
    return kind, eqn.params["reverse"], tuple(operands)
