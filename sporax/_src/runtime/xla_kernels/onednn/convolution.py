"""Convolutions by oneDNN: forward, and gradients with respect to data and to weights.

JAX writes all three as `conv_general_dilated`; the parameters of an equation determine the kind:

- data: the lhs is dilated (by the stride of the forward convolution), or the kernel is reversed;
- weights: the window is larger than the result, or there are batch groups; if the lhs is dilated
  and the kernel not reversed, of a transposed convolution: the result is reversed;
- forward: all others.

Data are channels last in memory, whatever the order of dimensions; `xla_kernels.rewrite` extends
this layout to the operations between two convolutions.
"""

import functools
import json
import math
from collections.abc import Sequence
from typing import NamedTuple

import jax
import numpy as np
from jax import lax

from sporax._src.runtime.xla_kernels.onednn import ffi, library

SRC, DST, WEIGHTS, DIFF_SRC, DIFF_DST, DIFF_WEIGHTS = 1, 17, 33, 129, 145, 161
_TRAINING, _DIRECT = 64, 1
_SMALL = 1 << 22
TARGET = "sporax_onednn_convolution"

# kind -> (arguments read, in the order of the equation's operands; the argument written);
# "transposed weights": the weights of a transposed convolution, reversed
_ARGUMENTS = {
    "forward": ((SRC, WEIGHTS), DST),
    "data": ((DIFF_DST, WEIGHTS), DIFF_SRC),
    "weights": ((SRC, DIFF_DST), DIFF_WEIGHTS),
    "transposed weights": ((DIFF_DST, SRC), DIFF_WEIGHTS),
}


class Geometry(NamedTuple):
    """One convolution as oneDNN describes it; strides of arrays are in elements."""

    kind: str  # of `_ARGUMENTS`
    dtype: str
    src: list  # (N, C, *sizes)
    src_strides: list
    weights: list  # (G, O / G, C / G, *window)
    weights_strides: list
    dst: list  # (N, O, *sizes)
    dst_strides: list
    stride: Sequence
    dilation: Sequence
    before: list  # padding
    after: list

    @property
    def is_small(self):
        """True if one thread is as fast, judged by multiplications and elements moved."""
        _, _, inner, *window = self.weights
        multiplications = math.prod(self.dst) * inner * math.prod(window)
        return max(multiplications, 8 * (math.prod(self.src) + math.prod(self.dst))) <= _SMALL


class _Operand(NamedTuple):
    """An array of a convolution: its shape, the axes of (N, C, *sizes), and the order of axes in
    memory."""

    shape: tuple
    axes: tuple
    order: tuple

    @property
    def sizes(self):
        return [self.shape[axis] for axis in self.axes]

    @property
    def strides(self):
        steps, step = {}, 1
        for axis in reversed(self.order):
            steps[axis], step = step, step * self.shape[axis]
        return [steps[axis] for axis in self.axes]


def _data(aval, axes):
    return _Operand(aval.shape, axes, (axes[0], *axes[2:], axes[1]))


def _weights(aval, axes):
    return _Operand(aval.shape, axes, tuple(range(len(axes))))


def _swapped(axes):
    return (axes[1], axes[0], *axes[2:])


class _Roles(NamedTuple):
    """An equation's arrays and parameters in oneDNN's terms."""

    kind: str
    src: _Operand
    weights: _Operand
    dst: _Operand
    stride: tuple
    dilation: tuple
    before: list
    groups: int


def _roles(params, lhs, rhs, out, is_reversed):
    """Return (`_Roles`, axis orders in memory of operands and result); None if no kind matches."""
    dims, groups = params["dimension_numbers"], params["feature_group_count"]
    batch_groups, holes = params["batch_group_count"], params["lhs_dilation"]
    stride, dilation = params["window_strides"], params["rhs_dilation"]
    before = [low for low, _ in params["padding"]]
    window = [rhs.shape[axis] for axis in dims.rhs_spec[2:]]
    is_dilated = any(n != 1 for n in holes)
    is_large = math.prod(window) > math.prod([out.shape[axis] for axis in dims.out_spec[2:]])
    is_plain, is_dense = (all(n == 1 for n in steps) for steps in (stride, dilation))
    is_data = is_dilated and is_plain and (is_reversed or not is_dense)
    if batch_groups > 1 or (is_large and groups == 1 and not is_data):
        lhs, rhs = _data(lhs, _swapped(dims.lhs_spec)), _data(rhs, _swapped(dims.rhs_spec))
        if is_dilated:
            if batch_groups > 1 or not is_dense:
                return None
            out = _weights(out, dims.out_spec)
            reach = [(n - 1) * d for n, d in zip(out.sizes[2:], stride, strict=True)]
            before = [n - low for n, low in zip(reach, before, strict=True)]
            roles = _Roles("transposed weights", rhs, out, lhs, holes, stride, before, 1)
        else:
            out = _weights(out, _swapped(dims.out_spec))
            roles = _Roles("weights", lhs, out, rhs, dilation, stride, before, batch_groups)
    else:
        lhs, rhs = _data(lhs, dims.lhs_spec), _weights(rhs, dims.rhs_spec)
        out = _data(out, dims.out_spec)
        if is_dilated or (is_reversed and is_plain):
            if not is_plain:
                return None
            reach = [(k - 1) * d for k, d in zip(window, dilation, strict=True)]
            before = [n - low for n, low in zip(reach, before, strict=True)]
            roles = _Roles("data", out, rhs, lhs, holes, dilation, before, groups)
        else:
            roles = _Roles("forward", lhs, rhs, out, stride, dilation, before, groups)
    return roles, (lhs.order, rhs.order, out.order)


def _geometry(params, lhs, rhs, out, is_reversed):
    """Return (`Geometry`, axis orders in memory of operands and result); None if unsupported."""
    roles = _roles(params, lhs, rhs, out, is_reversed)
    if roles is None:
        return None
    (kind, src, weights, dst, stride, dilation, before, groups), orders = roles
    shape, strides = _grouped(weights, groups, kind == "data")
    after = [
        (n - 1) * s + (k - 1) * d + 1 - size - low
        for n, s, k, d, size, low in zip(
            dst.sizes[2:], stride, shape[3:], dilation, src.sizes[2:], before, strict=True
        )
    ]
    fits = all(n > -s for n, s in zip(after, stride, strict=True)) and min(before, default=0) >= 0
    if not fits or 0 in (*src.sizes, *shape, *dst.sizes) or len(src.shape) not in (3, 4, 5):
        return None
    geometry = Geometry(
        kind, str(np.dtype(params["dtype"])), src.sizes, src.strides, shape, strides, dst.sizes,
        dst.strides, stride, dilation, before, after,
    )  # fmt: skip
    return geometry, orders


def _grouped(weights, groups, is_transposed):
    """Return sizes and strides of weights as (G, O / G, C / G, *window), from (O, C / G, *window),
    or if transposed, from (C, O / G, *window)."""
    (many, inner, *window), (long, short, *along) = weights.sizes, weights.strides
    outer = many // groups
    if is_transposed:
        return [groups, inner, outer, *window], [outer * long, short, long, *along]
    return [groups, outer, inner, *window], [outer * long, long, short, *along]


@functools.lru_cache(maxsize=1024)
def _kernel(text):
    """Return (the `Kernel` of a `Geometry` in JSON, its arguments in the equation's order)."""
    g = Geometry(*json.loads(text))
    shape, strides = g.weights, g.weights_strides
    if shape[0] == 1:
        shape, strides = shape[1:], strides[1:]
    src, dst, weights = (
        library.layout(sizes, g.dtype, steps)
        for sizes, steps in ((g.src, g.src_strides), (g.dst, g.dst_strides), (shape, strides))
    )
    with library.on_one_thread(g.is_small):
        desc = _primitive_desc(g, src, library.layout(shape, g.dtype), dst)
    reads, written = _ARGUMENTS[g.kind]
    layouts = {
        SRC: src, DIFF_SRC: src, DST: dst, DIFF_DST: dst, WEIGHTS: weights, DIFF_WEIGHTS: weights,
    }  # fmt: skip
    arguments = (*reads, written)
    kernel = library.Kernel(desc, {a: layouts[a] for a in arguments}, [written], g.is_small)
    return kernel, arguments


def _primitive_desc(g, src, weights, dst):
    """Create oneDNN's primitive descriptor of a `Geometry` from the memory descriptors."""
    where = [g.stride, [n - 1 for n in g.dilation], g.before, g.after]
    where = [library.integers(numbers) for numbers in where]
    engine, attributes = library.engine(), library.attributes()
    start = "dnnl_convolution_{}_primitive_desc_create".format
    args = engine, _TRAINING, _DIRECT, src, weights, None, dst, *where, attributes
    forward = library.create(start("forward"), *args)
    if g.kind == "forward":
        return forward
    if g.kind == "data":
        args = engine, _DIRECT, src, weights, dst, *where, forward, attributes
        return library.create(start("backward_data"), *args)
    args = engine, _DIRECT, src, weights, None, dst, *where, forward, attributes
    return library.create(start("backward_weights"), *args)


def _execute(text, operands, results):
    kernel, arguments = _kernel(text)
    kernel(dict(zip(arguments, (*operands, *results), strict=True)))


@functools.cache
def register():
    """Make XLA know the custom call `TARGET`."""
    ffi.register(TARGET, _execute)


class _Call(NamedTuple):
    """oneDNN's implementation of an equation: a `Geometry` as JSON, the axis orders in memory of
    operands and result, whether it takes the kernel of the forward convolution, which is not
    reversed, and whether its result is reversed."""

    text: bytes
    orders: tuple
    takes_forward_kernel: bool
    reverses_result: bool


def _call(params, lhs, rhs, out, is_reversed):
    """Return the `_Call` of an equation; None if oneDNN has no kernel for it."""
    dtype = str(out.dtype)
    if dtype not in library.TYPES or not lhs.dtype == rhs.dtype == out.dtype:
        return None
    if library.load() is None:
        return None
    match = _geometry({**params, "dtype": dtype}, lhs, rhs, out, is_reversed)
    if match is None:
        return None
    geometry, orders = match
    text = json.dumps(geometry).encode()
    try:
        _kernel(text)
    except library.Unsupported:
        return None
    return _Call(text, orders, geometry.kind == "data", geometry.kind == "transposed weights")


def in_program(params, lhs, rhs, out, is_reversed):
    """Return oneDNN's implementation of a `conv_general_dilated` of these avals in a program: (a
    function of traced arrays; the axis orders to which its operands must be transposed and in which
    it returns the result; whether it takes `rhs` before its reversal).

    None if oneDNN has no kernel. `is_reversed`: whether `rhs` is the reverse, along the window's
    axes, of an available array.
    """
    call = _call(params, lhs, rhs, out, is_reversed)
    if call is None:
        return None
    register()
    shape = [out.shape[axis] for axis in call.orders[2]]
    kernel = jax.ffi.ffi_call(TARGET, jax.ShapeDtypeStruct(shape, out.dtype))

    def run(lhs, rhs):
        result = kernel(lhs, rhs, text=call.text.decode())
        spatial = params["dimension_numbers"].out_spec[2:]
        return lax.rev(result, spatial) if call.reverses_result else result

    return run, call.orders, call.takes_forward_kernel


def on_arrays(params, lhs, rhs, out):
    """Return a function of NumPy arrays that computes a `conv_general_dilated` of these avals; None
    if oneDNN has no kernel. The result, unless it is of weights, is channels last in memory."""
    call = _call(params, lhs, rhs, out, False)
    if call is None:
        return None
    *read, written = call.orders

    def convolve(lhs, rhs):
        if call.takes_forward_kernel:
            rhs = np.flip(rhs, params["dimension_numbers"].rhs_spec[2:])
        operands = [
            np.ascontiguousarray(x.transpose(order))
            for x, order in zip((lhs, rhs), read, strict=True)
        ]
        result = np.empty([out.shape[axis] for axis in written], out.dtype)
        _execute(call.text, [x.ctypes.data for x in operands], [result.ctypes.data])
        result = result.transpose(np.argsort(written))
        spatial = params["dimension_numbers"].out_spec[2:]
        return np.flip(result, spatial) if call.reverses_result else result

    return convolve
