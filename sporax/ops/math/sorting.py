"""Sorting, top-k, distinct values, and search in sorted sequences."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.dtype import int32, int64
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import OPTIONAL, Array, Arrays, attach, composite, op


@op(
    function="sort(input_x: input, axis=-1, descending=False)",
    primitive="Sort(axis=-1, descending=False)(x: input)",
    tensor=(
        "sort(input, axis=-1, descending=False)",
        "sort(input, dim: axis=-1, descending=False, stable=False)",
    ),
)
def sort(input: Array, axis=-1, descending=False, stable=True) -> Arrays:
    """Sort along `axis`; returns the elements and their former indices (Int32).

    Equal elements keep their order.

    >>> [t.asnumpy() for t in ops.sort(Tensor([3.0, 1.0]))]
    [array([1., 3.], dtype=float32), array([1, 0], dtype=int32)]
    """
    indices = jnp.argsort(input, axis, stable=True, descending=descending)
    return jnp.take_along_axis(input, indices, axis), indices.astype(jnp.int32)


@op(
    function="argsort(input, axis=-1, descending=False)",
    tensor=(
        "argsort(input, axis=-1, descending=False)",
        "argsort(input, dim: axis=-1, descending=False, stable=False)",
    ),
    differentiable=False,
)
def argsort(input: Array, axis=-1, descending=False, stable=True):
    """Return the indices (Int32) that sort the elements along `axis`.

    >>> ops.argsort(Tensor([3.0, 1.0])).asnumpy()
    array([1, 0], dtype=int32)
    """
    return jnp.argsort(input, axis, stable=True, descending=descending).astype(jnp.int32)


@op(
    function=(
        "topk(input, k, dim=None, largest=True, sorted=True)",
        "top_k(input_x: input, k, sorted=True)",
    ),
    tensor=("topk(input, k, dim=-1, largest=True, sorted=True)", "top_k(input, k, sorted=True)"),
    primitive="TopK(sorted=True)(input_x: input, k)",
)  # fmt: skip
def topk(input: Array, k, dim=None, largest=True, sorted=True) -> Arrays:
    """The `k` largest (or smallest) elements along `dim` (the last by default), sorted, and their
    indices (Int32): a pair. All elements stay in place if they need not be `sorted`.

    >>> [t.asnumpy() for t in ops.topk(Tensor([1.0, 3.0, 2.0]), 2)]
    [array([3., 2.], dtype=float32), array([1, 2], dtype=int32)]
    """
    dim = -1 if dim is None else dim
    count: Any = k[0] if isinstance(k, tuple) and len(k) == 1 else k  # from a one-element Tensor
    size = input.shape[dim]
    require(0 < count <= size, "in-interval", k=count, interval=f"[1, {size}]")
    x = jnp.moveaxis(input, dim, -1)
    if count == size and not sorted:
        value, indices = x, jnp.broadcast_to(jnp.arange(size), x.shape)
    elif largest:
        value, indices = jax.lax.top_k(x, count)
    else:
        indices = jnp.argsort(x, -1, stable=True)[..., :count]
        value = jnp.take_along_axis(x, indices, -1)
    return jnp.moveaxis(value, -1, dim), jnp.moveaxis(indices, -1, dim).astype(jnp.int32)


@composite(mint="sort", function=())
def sort_int64(input, *, dim=-1, descending=False, stable=False) -> Arrays:
    """Sort along `dim`; returns the elements and their former indices (`ops.sort`), Int64.

    >>> mint.sort(Tensor([3.0, 1.0]))[0].asnumpy()
    array([1., 3.], dtype=float32)
    """
    value, indices = sort(input, dim, descending)
    return value, indices.long()


@composite(mint="argsort", function=())
def argsort_int64(input, dim=-1, descending=False, stable=False):
    """Return the indices that sort the elements; see `ops.argsort`. The indices are Int64.

    >>> mint.argsort(Tensor([3.0, 1.0])).asnumpy()
    array([1, 0])
    """
    return argsort(input, dim, descending).long()


@composite(mint="topk", function=())
def topk_int64(input, k, dim=-1, largest=True, sorted=True) -> Arrays:
    """The `k` largest elements, and their indices; see `ops.topk`. The indices are Int64.

    >>> mint.topk(Tensor([3.0, 1.0, 2.0]), 2)[1].asnumpy()
    array([0, 2])
    """
    value, indices = topk(input, k, dim, largest, sorted)
    return value, indices.long()


@op(
    function="searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, "
    "sorter=None)",
    mint="searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, "
    "sorter=None)",
    differentiable=False,
)
def searchsorted(
    sorted_sequence: Array, values: Array, sorter: OPTIONAL = None, out_int32=False, right=False,
    side=None,
):  # fmt: skip
    """Return the insertion points of `values` in the sorted last axis: before equal elements, or
    after them with `right` (or `side='right'`). Int64, or Int32 with `out_int32`.

    `sorter`: the indices that sort the last axis of `sorted_sequence`, if it is not sorted.

    >>> ops.searchsorted(Tensor([1, 3, 5]), Tensor([3, 4])).asnumpy()
    array([1, 2])
    """
    if sorter is not None:
        fits = sorter.shape == sorted_sequence.shape
        is_order = fits and jnp.issubdtype(sorter.dtype, jnp.integer)
        require(is_order, "integers-shape-sorted-sequence", argument="sorter")
        sorted_sequence = jnp.take_along_axis(sorted_sequence, sorter, -1)
    side = side or ("right" if right else "left")

    def find(row, wanted):
        return jnp.searchsorted(row, wanted, side=side)

    for _ in range(sorted_sequence.ndim - 1):
        find = jax.vmap(find)
    return find(sorted_sequence, values).astype(jnp.int32 if out_int32 else jnp.int64)


def _bound(name, right, shown):
    def function(sorted_x, values, out_type=dtypes.int32):
        for operand, tensor in (("sorted_x", sorted_x), ("values", values)):
            is_matrix, shape = tensor.ndim == 2, tensor.shape
            fits = is_matrix and shape[0] == sorted_x.shape[0]
            require(fits, "2-axes-many-rows", name, argument=operand, shape=shape)
        require(out_type in (dtypes.int32, dtypes.int64), "int32-int64", name, out_type=out_type)
        return searchsorted(sorted_x, values, out_int32=out_type == dtypes.int32, right=right)

    function.__name__, function.__module__ = f"{name.lower()}_of_class", __name__
    or_equal = " or equal to" if right else ""
    function.__doc__ = f"""Return, for each element of `values` `(n, k)`, the count of elements of
    the same row of `sorted_x` `(n, m)`, in ascending order, that are less than{or_equal} it.

    >>> ops.{name}()(Tensor([[1.0, 2.0, 2.0]]), Tensor([[2.0, 0.0]])).asnumpy()
    array([[{shown}, 0]], dtype=int32)
    """
    composite(
        function=(), op="searchsorted", primitive=f"{name}(out_type=int32)(sorted_x, values)"
    )(function)


_bound("LowerBound", False, 1)
_bound("UpperBound", True, 3)


def _searchsorted_method(self, v, side="left", sorter=None):
    """Return the insertion points of `v` in the sorted tensor, Int32; see `ops.searchsorted`.

    >>> Tensor([1, 3, 5]).searchsorted(Tensor([3, 6])).asnumpy()
    array([1, 3], dtype=int32)
    """
    return searchsorted(self, v, out_int32=True, side=side, sorter=sorter)


attach("searchsorted", _searchsorted_method)


@composite(
    primitive="SearchSorted(dtype=int64, right=False)(sorted_sequence, values, sorter=None)",
    function=(),
)
def searchsorted_of_class(sorted_sequence, values, sorter=None, dtype=int64, right=False):
    """As `ops.searchsorted`; `dtype`: the result's dtype, int32 or int64.

    >>> ops.SearchSorted(right=True)(Tensor([1, 3, 5]), Tensor([3, 4])).asnumpy()
    array([2, 2])
    """
    require(dtype in (int32, int64), "int32-int64", "SearchSorted", dtype=dtype, error=ValueError)
    return searchsorted(
        sorted_sequence, values, out_int32=dtype == int32, right=right, sorter=sorter
    )  # fmt: skip


@composite(primitive="Unique()(x: input)")
def unique(input) -> Arrays:
    """The distinct elements in order of first appearance, and each element's index among them
    (Int64 for Int64 input, else Int32): a pair.

    The shape depends on the values, so this call runs the pending operations.

    >>> [t.asnumpy() for t in ops.unique(Tensor([2, 1, 2]))]
    [array([2, 1]), array([0, 1, 0])]
    """
    values, first, inverse = np.unique(input.asnumpy(), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    kind = np.int64 if values.dtype == np.int64 else np.int32
    return Tensor(values[order]), Tensor(rank[inverse].reshape(input.shape).astype(kind))


@composite(tensor="unique", mint="unique", function=())
def unique_sorted(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The distinct elements (along `dim`, the distinct slices), sorted; then, if requested, each
    element's index among them and their counts, Int64.

    >>> Tensor([2, 1, 2]).unique().asnumpy()
    array([1, 2])
    """
    arrays = np.unique(
        input.asnumpy(), return_inverse=return_inverse, return_counts=return_counts, axis=dim
    )
    if not (return_inverse or return_counts):
        return Tensor(arrays)
    values, *extras = arrays
    if return_inverse:
        extras[0] = extras[0].reshape(input.shape if dim is None else (input.shape[dim],))
    return (Tensor(values), *[Tensor(r.astype(np.int64)) for r in extras])


@op(
    function="unique_with_pad(x: input, pad_num)", tensor="unique_with_pad(input, pad_num)",
    primitive="UniqueWithPad()(x: input, pad_num)", differentiable=False,
)  # fmt: skip
def unique_with_pad(input: Array, pad_num: Array) -> Arrays:
    """The distinct elements in order of first appearance, padded with `pad_num`, and each element's
    index among them: a pair, of the vector's size and dtype.

    >>> [t.asnumpy() for t in ops.unique_with_pad(Tensor([2, 1, 2]), 0)]
    [array([2, 1, 0]), array([0, 1, 0])]
    """
    require(input.ndim == 1, "vector", argument="x", shape=input.shape)
    values, first, inverse = jnp.unique(
        input, return_index=True, return_inverse=True, size=input.size, fill_value=0
    )
    positions = jnp.arange(input.size)
    is_padding = positions > inverse.max(initial=-1)
    order = jnp.argsort(jnp.where(is_padding, input.size, first))
    padded = jnp.where(is_padding, pad_num.astype(input.dtype), values[order])
    return padded, jnp.argsort(order)[inverse].astype(input.dtype)


@composite(tensor=True, mint=True)
def unique_consecutive(
    input, return_inverse=False, return_counts=False, dim=None
) -> Array | Arrays:
    """The elements (along `dim`, the slices) that differ from the previous one; then, if requested,
    the index among them of each element and their repetition counts, Int64.

    >>> ops.unique_consecutive(Tensor([1, 1, 2, 1])).asnumpy()
    array([1, 2, 1])
    """
    array = input.asnumpy()
    rows = array.reshape(-1) if dim is None else np.moveaxis(array, dim, 0)
    changes = (rows[1:] != rows[:-1]).reshape(max(len(rows) - 1, 0), -1).any(axis=1)
    begins = np.concatenate([np.ones(min(len(rows), 1), bool), changes])
    kept = rows[begins]
    outputs = [Tensor(kept if dim is None else np.moveaxis(kept, 0, dim))]
    if return_inverse:
        inverse = np.cumsum(begins) - 1
        outputs.append(Tensor(inverse.reshape(array.shape) if dim is None else inverse))
    if return_counts:
        outputs.append(Tensor(np.diff(np.append(np.flatnonzero(begins), len(rows)))))
    return tuple(outputs) if len(outputs) > 1 else outputs[0]


@composite(
    primitive="UniqueConsecutive(return_inverse=False, return_counts=False, dim=None)(input)",
    function=(),
)
def unique_consecutive_of_class(
    input, return_inverse=False, return_counts=False, dim=None
) -> Arrays:
    """As `ops.unique_consecutive`, always with indices and counts.

    >>> [t.tolist() for t in ops.UniqueConsecutive()(Tensor([1, 1, 2, 1]))]
    [[1, 2, 1], [0, 0, 1, 2], [2, 1, 1]]
    """
    return unique_consecutive(input, True, True, dim)


@composite(function=(), primitive="ListDiff(out_idx=int32)(x, y)")
def list_difference(x, y, out_idx=dtypes.int32) -> Arrays:
    """The elements of the vector `x` that are not in `y`, in their order, and their indices.

    The shape depends on the values, so this call runs the pending operations.

    >>> [t.tolist() for t in ops.ListDiff()(Tensor([4, 5, 6, 4]), Tensor([5, 7]))]
    [[4, 6, 4], [0, 2, 3]]
    """
    require(out_idx in (dtypes.int32, dtypes.int64), "int32-int64", "ListDiff", out_idx=out_idx)
    are_vectors = x.ndim == y.ndim == 1 and x.dtype == y.dtype
    require(are_vectors, "vectors-one-dtype", "ListDiff", x=x, other="y", second=y)
    values = x.asnumpy()
    indices = np.flatnonzero(~np.isin(values, y.asnumpy()))
    return Tensor(values[indices]), Tensor(indices.astype(dtypes.to_numpy(out_idx)))


@composite(tensor=True)
def msort(input):
    """Sort along the first axis.

    >>> ops.msort(Tensor([3.0, 1.0, 2.0])).asnumpy()
    array([1., 2., 3.], dtype=float32)
    """
    return sort(input, 0)[0]
