"""The same elements in another shape or order."""

import math
import operator

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.storage.views import REINTERPRETED
from sporax.ops.declare import Array, attach, composite, op
from sporax.ops.shape.creation import is_size
from sporax.ops.shape.zero_dimensional import of_any_rank


def sizes(shape):
    """Convert a shape or axes to a tuple of ints: one sequence, separate ints, or a Tensor."""
    if len(shape) == 1 and not is_size(shape[0]):
        shape = shape[0]
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    shape = shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple([n if is_size(n) else _size(n) for n in shape])


def _size(n):
    try:
        return operator.index(n)
    except TypeError:
        raise rejection("sizes-axes-ints", "Tensor", got=n) from None


@op(
    primitive="Reshape()(input, shape)", mint=("reshape(input, shape)", "view(input, shape)"),
    view=True,
)  # fmt: skip
def reshape(input: Array, shape):
    """The elements, in row-major order, in another shape; a single -1 in it is inferred.

    >>> ops.reshape(Tensor([1, 2, 3, 4]), (2, -1)).shape
    (2, 2)
    """
    known = math.prod(n for n in shape if n != -1)
    fits = input.size == known if -1 not in shape else known and input.size % known == 0
    is_filled = fits and shape.count(-1) <= 1
    require(is_filled, "filled-elements", shape=shape, size=input.size, own=input.shape)
    return jnp.reshape(input, shape)


def _reshape_method(self, *dims, shape=None):
    return reshape(self, sizes(dims) if shape is None else shape)


_reshape_method.__doc__ = reshape.__doc__
attach("reshape", _reshape_method)


@op(function=(), name="Tensor.view", view=REINTERPRETED, differentiable=False)
def view_as_dtype(input: Array, dtype):
    """Reinterpret the bytes in another dtype; the last dimension becomes longer or shorter."""
    wanted = dtypes.to_numpy(dtype)
    for kind in (input.dtype, wanted):
        require(kind.kind not in "bc", "bytes-cannot-read-another", name=kind.name)
    old, new = input.dtype.itemsize, wanted.itemsize
    if old == new:
        return lax.bitcast_convert_type(input, wanted)
    fills = input.ndim and not (input.shape[-1] * old) % new
    require(fills, "last-dimension-shape-fill", shape=input.shape, name=wanted.name)
    rows = input.shape[:-1]
    if new > old:
        input = jnp.reshape(input, (*rows, -1, new // old))
        return lax.bitcast_convert_type(input, wanted)
    return jnp.reshape(lax.bitcast_convert_type(input, wanted), (*rows, -1))


def _view_method(self, *shape, **keyword):
    """The elements, in row-major order, in another shape, or, with a dtype, their bytes as elements
    of that dtype: a view of the same memory.

    >>> Tensor([[1, 2], [3, 4]]).view(4).shape
    (4,)
    >>> Tensor([1.0]).view(ms.int32).asnumpy()
    array([1065353216], dtype=int32)
    """
    dtype = keyword.get("dtype", shape[0] if len(shape) == 1 else None)
    if isinstance(dtype, (dtypes.Type, np.dtype, type)):
        return view_as_dtype(self, dtype)
    return _reshape_method(self, *shape, **keyword)


attach("view", _view_method)


@op(
    primitive=("Transpose()(input, dims)", "TransposeView()(input, input_perm: dims)"),
    function=("transpose(input, dims)", "permute(input, axis: dims)"),
    mint="permute(input, dims)",
    view=True,
)
def transpose(input: Array, dims):
    """Permute the dimensions: dimension `i` of the result is `dims[i]` of `input`.

    >>> ops.transpose(Tensor([[1, 2, 3]]), (1, 0)).shape
    (3, 1)
    """
    require(len(dims) == input.ndim, "name-dimensions-once", dims=dims, ndim=input.ndim)
    return jnp.transpose(input, dims)


@op(
    function=("swapaxes(input, axis0, axis1)", "swapdims(input, dim0: axis0, dim1: axis1)"),
    tensor=("swapaxes(input, axis0, axis1)", "swapdims(input, dim0: axis0, dim1: axis1)"),
    mint=("swapaxes(input, axis0, axis1)", "transpose(input, dim0: axis0, dim1: axis1)"),
    primitive="TransposeExtView()(input, dim0: axis0, dim1: axis1)",
    name="swapaxes",
    numpy="swapaxes(x: input, axis1: axis0, axis2: axis1)",
    view=True,
)
@of_any_rank
def swapaxes(input: Array, axis0, axis1):
    """Swap two dimensions.

    >>> ops.swapaxes(ops.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    for name, axis in (("axis0", axis0), ("axis1", axis1)):
        require(not isinstance(axis, tuple), "must-be-type", argument=name, got=axis, kind="an-int")
    return jnp.swapaxes(input, axis0, axis1)


def _transpose_method(self, *axes, dim0=None, dim1=None):
    """Swap the two given dimensions; with one sequence, or more than two ints, put all dimensions
    in that order; without arguments, in reverse.

    >>> Tensor([[1, 2, 3]]).transpose(1, 0).shape
    (3, 1)
    """
    if dim0 is not None:
        return swapaxes(self, dim0, dim1)
    if not axes:
        return transpose(self, tuple(range(self.ndim))[::-1])
    if len(axes) == 2 and isinstance(axes[0], int):
        return swapaxes(self, *axes)
    return transpose(self, sizes(axes))


def _permute_method(self, *dims, axis=None):
    """Permute the dimensions to the order of `dims`.

    >>> Tensor([[1, 2, 3]]).permute(1, 0).shape
    (3, 1)
    """
    return transpose(self, sizes(dims) if axis is None else axis)


def _reversed_dimensions(self):
    """The tensor with its dimensions in reverse order."""
    return transpose(self, tuple(range(self.ndim))[::-1])


def _last_two_swapped(self):
    """The tensor with its last two dimensions swapped."""
    return swapaxes(self, -1, -2)


@composite(tensor=True, mint=True)
def t(input):
    """Swap the rows and columns of a matrix; with fewer dimensions, return the tensor itself.

    >>> ops.t(Tensor([[1, 2, 3]])).asnumpy()
    array([[1],
           [2],
           [3]])
    """
    fits, rule = input.ndim <= 2, "at-most-2-dimensions-shape-rank-reshape"
    require(fits, rule, "t", argument="input", shape=input.shape)
    return transpose(input, (1, 0)) if input.ndim == 2 else input


for _name, _method in [
    ("transpose", _transpose_method), ("permute", _permute_method),
    ("T", property(_reversed_dimensions)), ("mT", property(_last_two_swapped)),
]:  # fmt: skip
    attach(_name, _method)


@op(
    function=("movedim(x, source, destination)", "moveaxis(x, source, destination)"),
    tensor=("movedim(x, source, destination)", "moveaxis(x, source, destination)"),
    numpy="moveaxis(a: x, source, destination)",
    view=True,
)
def movedim(x: Array, source, destination):
    """Move dimensions `source` (an int or several) to the positions `destination`.

    >>> ops.movedim(ops.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return jnp.moveaxis(x, source, destination)


# dimensions of size one ---------------------------------------------------------------------


@op(
    primitive="ExpandDims()(input_x: input, axis)",
    function=("expand_dims(input_x: input, axis)", "unsqueeze(input, dim: axis)"),
    tensor=("expand_dims(input, axis)", "unsqueeze(input, dim: axis)", "unsqueeze(input, axis)"),
    mint="unsqueeze(input, dim: axis)",
    view=True,
)
def expand_dims(input: Array, axis):
    """Insert a dimension of size 1 at `axis`.

    >>> ops.expand_dims(Tensor([1, 2]), 0).shape
    (1, 2)
    """
    return jnp.expand_dims(input, axis)


@op(
    primitive="Squeeze(axis=())(input)",
    function="squeeze(input, axis=None)",
    mint="squeeze(input, dim: axis=None)",
    view=True,
)
@of_any_rank
def squeeze(input: Array, axis=None):
    """Remove dimensions of size 1: all of them, or the ones in `axis`.

    A dimension in `axis` whose size is not 1 is kept.

    >>> ops.squeeze(ops.zeros((1, 3, 1)), 0).shape
    (3, 1)
    """
    if axis is None or axis == ():
        return jnp.squeeze(input)
    named = {range(input.ndim)[i] for i in (axis if isinstance(axis, tuple) else (axis,))}
    return jnp.squeeze(input, tuple(i for i in named if input.shape[i] == 1))


def _squeeze_method(self, *axis, **keyword):
    """Remove dimensions of size 1; see `ops.squeeze`.

    >>> Tensor([[[1], [2]]]).squeeze(2).asnumpy()
    array([[1, 2]])
    """
    if keyword:
        ((name, axis),) = keyword.items()
        require(name in ("axis", "dim"), "no-argument", "Tensor.squeeze", name=name)
        return squeeze(self, axis)
    return squeeze(self, sizes(axis) if axis and axis[0] is not None else None)


attach("squeeze", _squeeze_method)


_ORDER = kinds.one_of("C", "F")


@op(
    function="flatten(input, order='C', *, start_dim=1, end_dim=-1)",
    mint=(
        "flatten(input, start_dim: start_dim=0, end_dim=-1)",
        "nn.functional.flatten(input, start_dim: start_dim=0, end_dim=-1)",
    ),
    view=True,
)
def flatten(input: Array, order="C", *, start_dim=1, end_dim=-1):
    """Merge the dimensions from `start_dim` to `end_dim` into one.

    `order`: 'C', or 'F' to put the dimensions in reverse order first.

    >>> ops.flatten(ops.zeros((2, 3, 4))).shape
    (2, 12)
    """
    _ORDER(None, order=order)
    rank = max(input.ndim, 1)
    if input.ndim < 2:
        start_dim = 0 if start_dim == 1 else start_dim  # the default
        input = jnp.reshape(input, (-1,))
    if order == "F":
        input = jnp.transpose(input)
    for name, dim in (("start_dim", start_dim), ("end_dim", end_dim)):
        is_axis, interval = -rank <= dim < rank, f"[{-rank}, {rank})"
        require(is_axis, "in-interval", argument=name, interval=interval, got=dim)
    first, last = range(rank)[start_dim], range(rank)[end_dim]
    require(first <= last, "not-come-after-end-dim", start_dim=start_dim)
    joined = math.prod(input.shape[first : last + 1])  # -1 would be ambiguous with a size of 0
    return jnp.reshape(input, (*input.shape[:first], joined, *input.shape[last + 1 :]))


def _flatten_method(self, start_dim=0, end_dim=-1, *, order="C"):
    """Merge the dimensions from `start_dim` to `end_dim` into one; all of them by default.

    >>> ops.zeros((2, 3)).flatten().shape
    (6,)
    """
    if isinstance(start_dim, str):
        order, start_dim = start_dim, 0
    return flatten(self, order, start_dim=start_dim, end_dim=end_dim)


attach("flatten", _flatten_method)


@composite(primitive="Flatten()(input_x: input)", function=())
def matrix_of_rows(input):
    """Merge all dimensions but the first into one; a vector becomes a column.

    >>> ops.Flatten()(ops.ones((2, 3, 4))).shape
    (2, 12)
    """
    return flatten(input) if input.ndim > 1 else reshape(input, (-1, 1))


@composite(tensor=True, mint=True, numpy="ravel(x: input)")
def ravel(input):
    """Flatten to one dimension, in row-major order.

    >>> ops.ravel(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([1, 2, 3, 4])
    """
    return reshape(input, (-1,))
