"""Reshaping and reordering; joining and splitting."""

import jax.numpy as jnp

from sporax import ops
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.numpy.faces import Array, array_of, array_op, composite, in_one_dtype
from sporax.ops.shape.creation import is_size

_FLAT = 32  # MindSpore flattens for axes from this one on, as for None


def axis_of(name, axis, ndim, argument="axis"):
    """Return a nonnegative axis; raise TypeError or ValueError if it is invalid."""
    who, interval = f"numpy.{name}", f"[{-ndim}, {ndim})"
    require(isinstance(axis, int), "must-be-type", who, argument=argument, got=axis, kind="an-int")
    is_axis = -ndim <= axis < ndim
    require(is_axis, "int-in-interval", who, argument=argument, interval=interval, got=axis)
    return axis % ndim


def axes_of(name, axis, ndim):
    """Return a tuple of nonnegative axes from an int, a sequence, or None for all."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    numbers = tuple([axis_of(name, a, ndim) for a in axes])
    require(len(set(numbers)) >= len(numbers), "not-repeat-axis", f"numpy.{name}", axis=axis)
    return numbers


# shape --------------------------------------------------------------------------------------


@composite(numpy=True)
def reshape(x: Array, new_shape):
    """Reshape `x` to `new_shape`; one size may be -1.

    >>> reshape(Tensor([1, 2]), (2, 1)).shape
    (2, 1)
    """
    sizes = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    are_sizes = all(map(is_size, sizes))
    require(are_sizes, "must-be-type", "numpy.reshape", new_shape=new_shape, kind="int-or-ints")
    return x.reshape(new_shape)


@composite(numpy=True)
def expand_dims(a: Array, axis):
    """Insert dimensions of size 1 at `axis`: an int, or a tuple or list of ints.

    >>> expand_dims(Tensor([1, 2]), (0, 2)).shape
    (1, 2, 1)
    """
    if isinstance(axis, int):
        return ops.expand_dims(a, axis)
    is_sequence = isinstance(axis, (tuple, list))
    require(is_sequence, "must-be-type", "numpy.expand_dims", axis=axis, kind="int-or-ints")
    for position in sorted(axes_of("expand_dims", axis, a.ndim + len(axis))):
        a = ops.expand_dims(a, position)
    return a


@composite(numpy=True)
def squeeze(a: Array, axis=None):
    """Remove dimensions of size 1: the dimensions in `axis`, or all.

    >>> squeeze(Tensor([[1], [2]])).shape
    (2,)
    """
    return a.squeeze() if axis is None else a.squeeze(axis)


@composite(numpy=True)
def transpose(a: Array, axes=None):
    """Permute the dimensions to the order `axes`, or reverse them.

    >>> transpose(Tensor([[1, 2, 3]])).shape
    (3, 1)
    """
    if axes is None:
        return a.transpose()
    require(isinstance(axes, (tuple, list)), "tuple-ints", "numpy.transpose", axes=axes)
    return ops.transpose(a, tuple(axes))


@composite(numpy=True)
def rollaxis(x: Array, axis, start=0):
    """Move the dimension `axis` before the dimension that is now at `start`.

    >>> rollaxis(Tensor([[[1, 2, 3]]]), 2).shape
    (3, 1, 1)
    """
    axis = axis_of("rollaxis", axis, x.ndim)
    who, n = "numpy.rollaxis", x.ndim
    require(isinstance(start, int), "must-be-type", who, start=start, kind="an-int")
    interval = f"[{-n}, {n}]"
    require(-n <= start <= n, "int-in-interval", who, start=start, interval=interval)
    start = start + n if start < 0 else start
    return ops.moveaxis(x, axis, start - 1 if axis < start else start)


def _at_least(ndim, name, arys, shape):
    tensors = [array_of(x, name, "arys") for x in arys]
    tensors = [x if x.ndim >= ndim else x.reshape(shape(x.shape)) for x in tensors]
    return tensors[0] if len(tensors) == 1 else tensors


@composite(numpy=True)
def atleast_1d(*arys) -> Array | list:
    """Return arrays with at least one dimension; a list if there are several.

    >>> atleast_1d(3).shape
    (1,)
    """
    return _at_least(1, "atleast_1d", arys, lambda s: (1,))


@composite(numpy=True)
def atleast_2d(*arys) -> Array | list:
    """Return arrays with at least two dimensions, prepending dimensions of size 1.

    >>> atleast_2d([1, 2]).shape
    (1, 2)
    """
    return _at_least(2, "atleast_2d", arys, lambda s: (1,) * (2 - len(s)) + s)


@composite(numpy=True)
def atleast_3d(*arys) -> Array | list:
    """Return arrays with at least three dimensions; a vector becomes the middle one.

    >>> atleast_3d([1, 2]).shape
    (1, 2, 1)
    """
    shapes = {0: lambda s: (1, 1, 1), 1: lambda s: (1, *s, 1), 2: lambda s: (*s, 1)}
    return _at_least(3, "atleast_3d", arys, lambda s: shapes[len(s)](s))


@composite(numpy=True)
def broadcast_arrays(*args) -> list:
    """Broadcast all arrays to their common shape; return a list.

    >>> [t.shape for t in broadcast_arrays([1, 2], [[1], [2]])]
    [(2, 2), (2, 2)]
    """
    arrays = [array_of(x, "broadcast_arrays", "args") for x in args]
    shape = common_shape("broadcast_arrays", *arrays)
    return [ops.broadcast_to(x, shape) for x in arrays]


def common_shape(name, *arrays):
    """Return the shape that Tensors broadcast to; raise ValueError if there is none."""
    try:
        return jnp.broadcast_shapes(*[x.shape for x in arrays])
    except ValueError:
        shapes = [x.shape for x in arrays]
        raise rejection("shapes-equal-1-along", f"numpy.{name}", got=shapes) from None


@composite(numpy=True)
def tile(a: Array, reps):
    """Repeat `a` `reps[i]` times along dimension `i`; `reps` is aligned at the right.

    >>> tile(Tensor([1, 2]), 2).asnumpy()
    array([1, 2, 1, 2])
    """
    return ops.tile(a, reps if isinstance(reps, (tuple, list)) else (reps,))


# order --------------------------------------------------------------------------------------


@composite(numpy=True)
def flip(m: Array, axis=None):
    """Reverse the elements along `axis`: an int, a tuple, or None for all.

    >>> flip(Tensor([1, 2, 3])).asnumpy()
    array([3, 2, 1])
    """
    return ops.flip(m, axes_of("flip", axis, m.ndim))


@composite(numpy=True)
def flipud(m: Array):
    """`flip` along the first dimension.

    >>> flipud(Tensor([[1], [2]])).tolist()
    [[2], [1]]
    """
    return flip(m, 0)


@composite(numpy=True)
def fliplr(m: Array):
    """`flip` along the second dimension.

    >>> fliplr(Tensor([[1, 2]])).tolist()
    [[2, 1]]
    """
    return flip(m, 1)


@array_op("rot90(a, k=1, axes=(0, 1))")
def rot90(a: Array, k=1, axes=(0, 1)):
    """Rotate `a` by 90 degrees `k` times, from the first of two `axes` toward the second.

    >>> rot90(Tensor([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    require(isinstance(k, int), "must-be-type", k=k, kind="an-int")
    require(isinstance(axes, tuple), "pair-ints", axes=axes)
    require(len(axes) == 2, "pair-ints", axes=axes, error=ValueError)
    return jnp.rot90(a, k, axes)


# joining ------------------------------------------------------------------------------------


def sequence_of(name, value, argument):
    """Convert a nonempty tuple or list of arrays to Tensors of their promoted dtype."""
    who, is_sequence = f"numpy.{name}", isinstance(value, (tuple, list))
    require(is_sequence, "tensor-tuple-list-tensors", who, argument=argument, got=value)
    require(value, "hold-at-least-one-tensor", who, argument=argument)
    return in_one_dtype([array_of(x, name, argument) for x in value])


@composite(numpy=True)
def concatenate(arrays, axis=0):
    """Concatenate arrays along `axis`; flatten them first if it is None.

    `arrays`: a tuple or list; or one Tensor, split along its first dimension.

    >>> concatenate((Tensor([1]), Tensor([2.5]))).asnumpy()
    array([1. , 2.5], dtype=float32)
    """
    if isinstance(arrays, Tensor):
        arrays = ops.unbind(arrays)
    operands = sequence_of("concatenate", arrays, "arrays")
    if axis is None or (isinstance(axis, int) and axis >= _FLAT):
        operands, axis = [ops.ravel(x) for x in operands], 0
    return ops.concat(operands, axis_of("concatenate", axis, operands[0].ndim))


@composite(numpy=True)
def stack(arrays, axis=0):
    """Stack arrays of the same shape along a new dimension `axis`.

    >>> stack((Tensor([1, 2]), Tensor([3, 4])), 1).tolist()
    [[1, 3], [2, 4]]
    """
    if isinstance(arrays, Tensor):
        return ops.moveaxis(arrays, 0, axis_of("stack", axis, arrays.ndim))
    operands = sequence_of("stack", arrays, "arrays")
    return ops.stack(operands, axis_of("stack", axis, operands[0].ndim + 1))


@composite(numpy=True)
def append(arr: Array, values: Array, axis=None):
    """Append `values` to `arr` along `axis`; flatten both first if it is None.

    >>> append(Tensor([1]), Tensor([[2]])).tolist()
    [1, 2]
    """
    arr, values = array_of(arr), array_of(values)
    n = arr.ndim
    fits = axis is None or values.ndim == n
    require(fits, "dimensions-of", "numpy.append", values=values.shape, other="arr", n=n)
    return concatenate((arr, values), axis)


def _joined(name, prepare, axis_for, text, example):
    def function(tup):
        if isinstance(tup, Tensor):
            return tup
        operands = [prepare(x) for x in sequence_of(name, tup, "tup")]
        return ops.concat(operands, axis_for(operands[0]))

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""Join arrays {text}; a Tensor is returned unchanged.

    >>> {name}(([1, 2], [3, 4])).tolist()
    {example}
    """
    return composite(numpy=True)(function)


def _column(x):
    return x if x.ndim > 1 else x.reshape((-1, 1))


# fmt: off
hstack = _joined("hstack", atleast_1d, lambda x: 0 if x.ndim == 1 else 1,
                 "along the second dimension, vectors along the first", "[1, 2, 3, 4]")
vstack = _joined("vstack", atleast_2d, lambda x: 0, "below each other, vectors as rows",
                 "[[1, 2], [3, 4]]")
dstack = _joined("dstack", atleast_3d, lambda x: 2, "along the third dimension",
                 "[[[1, 3], [2, 4]]]")
column_stack = _joined("column_stack", _column, lambda x: 1,
                       "beside each other, vectors as columns", "[[1, 3], [2, 4]]")
# fmt: on

# cutting ------------------------------------------------------------------------------------


def _split(name, x, indices_or_sections, axis):
    axis, who = axis_of(name, axis, x.ndim), f"numpy.{name}"
    size, sections = x.shape[axis], indices_or_sections
    if isinstance(sections, int):
        require(sections >= 1, "at-least", who, indices_or_sections=sections, n=1)
        fits = name != "split" or not size % sections
        require(fits, "divide-size-axis", who, indices_or_sections=sections, size=size, axis=axis)
        return tuple(ops.tensor_split(x, sections, axis))
    are_ints = isinstance(sections, (tuple, list)) and all(isinstance(i, int) for i in sections)
    require(are_ints, "must-be-type", who, indices_or_sections=sections, kind="int-or-ints")
    return list(ops.tensor_split(x, sections, axis))


@composite(numpy=True)
def split(x: Array, indices_or_sections, axis=0) -> tuple | list:
    """Split along `axis` into a tuple of equal pieces (int), or at indices (tuple) into a list.

    >>> [t.tolist() for t in split(Tensor([1, 2, 3]), (1,))]
    [[1], [2, 3]]
    """
    return _split("split", x, indices_or_sections, axis)


@composite(numpy=True)
def array_split(x: Array, indices_or_sections, axis=0) -> tuple | list:
    """As `split`, but the first pieces may be larger by one.

    >>> [t.tolist() for t in array_split(Tensor([1, 2, 3]), 2)]
    [[1, 2], [3]]
    """
    return _split("array_split", x, indices_or_sections, axis)


def _split_along(name, axis):
    def function(x: Array, indices_or_sections) -> tuple | list:
        return split(x, indices_or_sections, axis)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""`split` along dimension {axis}.

    >>> [t.shape for t in {name}(Tensor([[[1, 2], [3, 4]]] * 2), 2)][0][{axis}]
    1
    """
    return composite(numpy=True)(function)


vsplit, hsplit, dsplit = (_split_along(n, i) for i, n in enumerate(("vsplit", "hsplit", "dsplit")))
