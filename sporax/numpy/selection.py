"""Selection by condition or index; sets; functions applied along axes."""

import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.numpy.faces import (
    Array,
    Arrays,
    array_of,
    array_op,
    composite,
    in_one_dtype,
)  # fmt: skip
from sporax.numpy.manipulation import axis_of, broadcast_arrays, stack
from sporax.ops.declare import Range
from sporax.ops.legacy.tensor_methods import choose_among

_MODE, _ORDER = kinds.one_of("clip", "wrap"), kinds.one_of("C", "F")


def _check_mode(name, mode):
    require(mode != "raise", "mode-raise-not-done", f"numpy.{name}")
    _MODE(f"numpy.{name}", mode=mode)


@composite(numpy=True)
def where(condition: Array, x: Array = None, y: Array = None):
    """`x` where `condition` holds, else `y`, broadcast together.

    >>> where(Tensor([True, False]), Tensor(1.0), Tensor(2)).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return ops.where(condition.bool(), *in_one_dtype((x, y)))


@composite(numpy=True)
def take(a: Array, indices: Array, axis=None, mode="clip"):
    """Return the elements (with `axis`, the slices along it) at `indices`.

    `mode`: 'clip' or 'wrap' indices that are out of range.

    >>> take(Tensor([1, 2, 3]), Tensor([0, 7])).tolist()
    [1, 3]
    """
    _check_mode("take", mode)
    if axis is not None:
        axis_of("take", axis, a.ndim)
    return a.take(indices, axis, mode)


@array_op(
    "take_along_axis(arr, indices, axis)",
    bounds=lambda arr, indices, axis: [
        Range(indices, arr.size if axis is None else arr.shape[axis], axis)
    ],
)
def take_along_axis(arr: Array, indices: Array, axis):
    """Return, for each element of `indices`, the element of `arr` with that index along `axis`.

    >>> take_along_axis(Tensor([[1, 2, 3]]), Tensor([[2, 0]]), 1).tolist()
    [[3, 1]]
    """
    return jnp.take_along_axis(arr, indices, axis)


@array_op("select", public=False)
def _select(condlist: Array, choicelist: Array, default: Array = 0):
    """Return elementwise the first of `choicelist` whose condition holds, or `default`.

    >>> _select(Tensor([[True, False]]), Tensor([[1, 2]])).tolist()
    [1, 0]
    """
    require(condlist.ndim and choicelist.ndim, "choicelist-dimension", argument="condlist")
    count, entries = len(condlist), len(choicelist)
    require(entries == count, "many-entries-condlist", choicelist=entries, count=count)
    conditions, default = list(condlist.astype(bool)), default.astype(choicelist.dtype)
    return jnp.select(conditions, list(choicelist), default).astype(choicelist.dtype)


def _many(x):
    several = isinstance(x, (tuple, list))
    return ops.stack(in_one_dtype(broadcast_arrays(*x))) if several else array_of(x)


@composite(numpy="choose(a, choices, mode='clip')")
def choose(a: Array, choices, mode="clip"):
    """Return elementwise `choices[i]`, where `i` is the element of `a`; broadcast together.

    >>> choose(Tensor([1, 0]), [[1, 2], [3, 4]]).tolist()
    [3, 2]
    """
    return choose_among(a, _many(choices), mode)


@composite(numpy=True)
def argwhere(a: Array):
    """Return the indices of all nonzero elements, one row each.

    >>> argwhere(Tensor([0, 5, 7])).tolist()
    [[1], [2]]
    """
    return ops.nonzero(a)


@composite(numpy=True)
def size(a: Array, axis=None) -> int:
    """Return the number of elements, or the size of dimension `axis`, as an int.

    >>> size(Tensor([[1, 2]]), 0)
    1
    """
    a = array_of(a)
    return a.size if axis is None else a.shape[axis_of("size", axis, a.ndim)]


@composite(numpy=True)
def array_str(a) -> str:
    """Return the string that `print` shows for a Tensor.

    >>> array_str(Tensor([1, 2]))
    '[1 2]'
    """
    require(isinstance(a, Tensor), "must-be-type", "numpy.array_str", a=a, kind="a-tensor")
    return str(a)


# flat and many indices ----------------------------------------------------------------------


def _sizes(name, shape):
    sizes = shape.tolist() if isinstance(shape, Tensor) else shape
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    are_ints = isinstance(sizes, (tuple, list)) and all(type(n) is int for n in sizes)
    require(are_ints, "must-be-type", argument=name, got=shape, kind="int-or-ints")
    return tuple(sizes)


@array_op("unravel_index(indices, shape, order='C')", differentiable=False)
def unravel_index(indices: Array, shape, order="C") -> Arrays:
    """Convert indices into the flattened array to a tuple of indices into `shape`, clipped to it.

    >>> [t.tolist() for t in unravel_index(Tensor([5]), (2, 3))]
    [[1], [2]]
    """
    _ORDER(None, order=order)
    sizes = _sizes("shape", shape)
    total = int(np.prod(sizes))
    flat = jnp.clip(indices, -total, total - 1) % total
    coordinates = jnp.unravel_index(flat, sizes if order == "C" else sizes[::-1])
    return tuple(
        f.astype(indices.dtype) for f in (coordinates if order == "C" else coordinates[::-1])
    )


@array_op("ravel_multi_index(multi_index, dims, mode='clip', order='C')", differentiable=False)
def ravel_multi_index(multi_index: Array, dims, mode="clip", order="C"):
    """Convert indices into `dims`, one row per dimension, to indices into the flattened array.

    >>> ravel_multi_index(Tensor([[1], [2]]), (2, 3)).tolist()
    [5]
    """
    _check_mode("ravel_multi_index", mode)
    _ORDER(None, order=order)
    sizes = _sizes("dims", dims)
    is_integer, count = jnp.issubdtype(multi_index.dtype, jnp.integer), len(multi_index)
    require(is_integer, "integer-dtype", multi_index=multi_index.dtype)
    require(count == len(sizes), "row-dimensions", multi_index=count, count=len(sizes))
    return jnp.ravel_multi_index(tuple(multi_index), sizes, mode, order).astype(multi_index.dtype)


# sets ---------------------------------------------------------------------------------------


@array_op("isin(element, test_elements, invert=False)", promotes=True, differentiable=False)
def isin(element: Array, test_elements: Array, invert=False):
    """Return a Bool for each element: True if it is in `test_elements` (`invert`: if it is not).

    >>> isin(Tensor([1, 2]), [2]).tolist()
    [False, True]
    """
    return jnp.isin(element, test_elements, invert=invert)


@composite(numpy=True)
def in1d(ar1: Array, ar2: Array, invert=False):
    """`isin` of the flattened `ar1`.

    >>> in1d(Tensor([[1, 2]]), Tensor([2])).tolist()
    [False, True]
    """
    return isin(ops.ravel(ar1), ar2, invert)


@composite(numpy=True)
def unique(x: Array, return_inverse=False) -> Array | Arrays:
    """Return the distinct elements of the flattened array in order of first appearance; with
    `return_inverse` also, for each element, its index among them.

    >>> unique(Tensor([2, 1, 2])).tolist()
    [2, 1]
    """
    result = ops.unique(ops.ravel(x))
    return result if return_inverse else result[0]


@composite(numpy=True)
def setdiff1d(ar1: Array, ar2: Array, assume_unique=False):
    """Return the distinct elements of `ar1` that are not in `ar2`, sorted.

    `assume_unique`: do not sort `ar1` or remove duplicates.

    >>> setdiff1d(Tensor([3, 1, 2, 1]), Tensor([2])).tolist()
    [1, 3]
    """
    kinds.BOOL("numpy.setdiff1d", assume_unique=assume_unique)
    left, right = in_one_dtype((ar1, ar2))
    return Tensor(np.setdiff1d(left.asnumpy(), right.asnumpy(), assume_unique))


@composite(numpy=True)
def intersect1d(ar1: Array, ar2: Array, assume_unique=False, return_indices=False):
    """Return the distinct elements in both, sorted; with `return_indices` also the Int32 indices of
    their first occurrences in each.

    >>> intersect1d(Tensor([3, 1, 2]), Tensor([2, 3])).tolist()
    [2, 3]
    """
    kinds.BOOL("numpy.intersect1d", assume_unique=assume_unique, return_indices=return_indices)
    left, right = in_one_dtype((ar1, ar2))
    result = np.intersect1d(left.asnumpy(), right.asnumpy(), assume_unique, return_indices)
    if not return_indices:
        return Tensor(result)
    return (Tensor(result[0]), *[Tensor(index.astype(np.int32)) for index in result[1:]])


# functions applied --------------------------------------------------------------------------


@composite(numpy=True)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Apply `func1d(slice, *args, **kwargs)` to each 1-d slice along `axis`; stack the results.

    >>> apply_along_axis(lambda v: v.sum(), 1, Tensor([[1, 2], [3, 4]])).tolist()
    [3, 7]
    """
    arr = array_of(arr, "apply_along_axis", "arr")
    axis = axis_of("apply_along_axis", axis, arr.ndim)
    last = ops.moveaxis(arr, axis, -1)
    rows = last.reshape((-1, last.shape[-1]))
    rows_out = stack([array_of(func1d(row, *args, **kwargs)) for row in rows])
    whole = rows_out.reshape(last.shape[:-1] + rows_out.shape[1:])
    new = list(range(arr.ndim - 1, whole.ndim))
    return ops.moveaxis(whole, tuple(new), tuple(range(axis, axis + len(new)))) if new else whole


@composite(numpy=True)
def apply_over_axes(func, a: Array, axes):
    """Apply `func(a, axis=...)` along each of `axes` in turn, keeping dimensions.

    >>> apply_over_axes(ops.mean, Tensor([[1.0, 3.0]]), (0, 1)).tolist()
    [[2.0]]
    """
    a = array_of(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        result = func(a, axis=axis)
        result = ops.expand_dims(result, axis) if result.ndim != a.ndim else result
        who, got = "numpy.apply_over_axes", result.shape
        require(len(got) == a.ndim, "keep-drop-axis", who, argument="func", shape=a.shape, got=got)
        a = result
    return a


@composite(numpy=True)
def select(condlist, choicelist, default=0):
    """Return elementwise the first of `choicelist` whose condition in `condlist` holds, or
    `default`.

    >>> select([[True, False]], [[1, 2]], 9).tolist()
    [1, 9]
    """
    return _select(_many(condlist), _many(choicelist), array_of(default))


@composite(numpy=True)
def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluate `funclist[i]` (a function of `x`, or a number) where `condlist[i]` holds.

    An extra last entry of `funclist` applies where no condition holds; its default is 0.

    >>> piecewise(Tensor([1.0, -1.0]), [Tensor([True, False])], [7, 8]).tolist()
    [7.0, 8.0]
    """
    x = array_of(x, "piecewise", "x")
    conditions = condlist if isinstance(condlist, (tuple, list)) else [condlist]
    if conditions and isinstance(conditions[0], bool):
        conditions = [conditions]
    conditions = [array_of(c).bool() for c in conditions]
    count = len(funclist) if isinstance(funclist, (tuple, list)) else -1
    n = len(conditions)
    require(
        count in (n, n + 1),
        "entries-condlist-one-more",
        "numpy.piecewise",
        funclist=funclist,
        count=n,
    )
    called = [f(x, *args, **kw) if callable(f) else f for f in funclist]
    values = [array_of(v).astype(x.dtype) for v in called]
    result = values.pop() if len(values) > len(conditions) else ops.zeros_like(x)
    result = ops.broadcast_to(result, x.shape)
    for condition, value in reversed(list(zip(conditions, values, strict=True))):
        result = ops.where(condition, value, result)
    return result
