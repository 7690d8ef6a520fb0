"""Elements selected by a mask or by indices."""

import functools

import jax
import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, attach, composite, op, overloaded
from sporax.ops.shape.reshape import reshape

# by a mask ----------------------------------------------------------------------------------


@op(
    function=("where(condition, input, other)", "select(condition, input, other)"),
    primitive="Select()(condition, input, other)",
    tensor=("where(input, condition, y: other)", "where(input, condition, other)"),
    mint="where(condition, input, other)",
    promotes=(1, 2),
)
def where(condition: Array, input: Array, other: Array):
    """`input` where `condition` is nonzero, else `other`, all broadcast together.

    >>> ops.where(Tensor([True, False]), Tensor([1.0, 2.0]), 0).asnumpy()
    array([1., 0.], dtype=float32)
    """
    return jnp.where(condition.astype(bool), input, other)


@op(
    function="masked_fill(input_x: input, mask, value)",
    primitive="MaskedFill()(input_x: input, mask, value)",
    tensor="masked_fill(input, mask, value)",
)
def masked_fill(input: Array, mask: Array, value: Array):
    """Fill with `value`, a number or a 0-d tensor, where the Bool `mask` is True.

    The dtype is the input's; it and the mask are broadcast together.

    >>> ops.masked_fill(Tensor([1.0, 2.0]), Tensor([True, False]), 9).asnumpy()
    array([9., 2.], dtype=float32)
    """
    require(mask.dtype == bool, "bool-dtype", mask=mask.dtype)
    require(not value.ndim, "number-tensor-without-dimensions", argument="value")
    return jnp.where(mask, value.astype(input.dtype), input)


def _masked_fill_in_place(self, mask, value):
    """Fill with `value` in place where the Bool `mask` is True; see `ops.masked_fill`.

    >>> Tensor([1.0, 2.0]).masked_fill_(Tensor([True, False]), 5.0).asnumpy()
    array([5., 2.], dtype=float32)
    """
    return self._rebind(masked_fill(self, mask, value)._value)


attach("masked_fill_", _masked_fill_in_place)


@op(function=(), differentiable=False)
def nonzero_sized(input: Array, size):
    """Return the indices of the first `size` nonzero elements; `nonzero` calls it."""
    if not input.ndim:  # a 0-d tensor has no indices, only a count
        return jnp.zeros((size, 0), jnp.int64)
    return jnp.stack(jnp.nonzero(input, size=size), -1).astype(jnp.int64)


def _count(mask):
    return int((mask != 0).sum())


@composite(tensor=True, mint=True, primitive="NonZero()(input)")
def nonzero(input, *, as_tuple=False):
    """Return the indices of nonzero elements, one per row, Int64; `as_tuple`: a tuple of columns.

    The shape depends on the values, so this call runs the pending operations.

    >>> ops.nonzero(Tensor([0, 5, 7])).asnumpy()
    array([[1],
           [2]])
    """
    indices = nonzero_sized(input, _count(input))
    return tuple(indices[:, i] for i in range(input.ndim)) if as_tuple else indices


@composite(tensor=True, mint=True, primitive="MaskedSelect()(input, mask)")
def masked_select(input, mask):
    """Return the elements where the Bool `mask` is True, flattened; both are broadcast together.

    The shape depends on the values, so this call runs the pending operations.

    >>> ops.masked_select(Tensor([1, 2, 3]), Tensor([True, False, True])).asnumpy()
    array([1, 3])
    """
    if input.shape != mask.shape:
        both = jnp.broadcast_shapes(input.shape, mask.shape)
        input, mask = input.broadcast_to(both), mask.broadcast_to(both)
    indices = nonzero_sized(reshape(mask, (-1,)), _count(mask))
    return gather(reshape(input, (-1,)), reshape(indices, (-1,)), 0)


# by indices ---------------------------------------------------------------------------------


def _integers(index):
    require(jnp.issubdtype(index.dtype, jnp.integer), "indices-integers-convert-them")


def _along(input, index, axis=0, **_):
    return [Range(index, input.shape[axis], axis)]


@op(
    bounds=_along,
    function="gather(input_params: input, input_indices: index, axis, batch_dims=0)",
    primitive=(
        "Gather(batch_dims=0)(input_params: input, input_indices: index, axis)",
        "GatherV2()(input_params: input, input_indices: index, axis)",
        "SparseGatherV2()(input_params: input, input_indices: index, axis)",
    ),
)
def gather(input: Array, index: Array, axis, batch_dims=0):
    """The slices of `input_params` along `axis` at `input_indices` (of any shape).

    The first `batch_dims` dimensions of both are batch dimensions. Negative indices count from the
    end; an index out of range raises (see `set_context`, 'check_indices').

    >>> ops.gather(Tensor([1.0, 2.0, 3.0]), Tensor([2, 0]), 0).asnumpy()
    array([3., 1.], dtype=float32)
    """
    _integers(index)
    n = input.ndim
    require(-n <= axis < n, "in-interval", axis=axis, interval=f"[{-n}, {n})")
    take = functools.partial(jnp.take, axis=axis % input.ndim - batch_dims)
    for _ in range(batch_dims):
        take = jax.vmap(take)
    return take(input, index)


def _along_dim(input, dim, index):
    return _along(input, index, dim)


@op(
    bounds=_along_dim,
    function=("gather_elements(input, dim, index)", "gather_d(x: input, dim, index)"),
    primitive="GatherD()(x: input, dim, index)",
    tensor="gather_elements(input, dim, index)",
    mint="gather(input, dim, index)",
)
def gather_elements(input: Array, dim, index: Array):
    """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, analogous for others: one element for each index.

    `index` has the same number of dimensions as `input`, and no larger size in any but `dim`.

    >>> ops.gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[1], [0]])).asnumpy()
    array([[2],
           [3]])
    """
    _integers(index)
    n = input.ndim
    require(index.ndim == n, "dimensions-of", index=index.shape, other="input", n=n)
    dim = range(input.ndim)[dim]
    kept = tuple(slice(None if i == dim else n) for i, n in enumerate(index.shape))
    return jnp.take_along_axis(input[kept], index, dim)


def rows_within(shape, indices):
    """Return the valid ranges of index rows (last dimension) into an array of this shape."""
    return [
        Range(indices[..., axis], n, axis)
        for axis, n in enumerate(shape[: (indices.shape or (0,))[-1]])
    ]


def _gather_method(self, input_indices, axis, batch_dims=0):
    """The slices along `axis` at `input_indices`, or by (dim, index) one element for each index.

    >>> Tensor([[1, 2], [3, 4]]).gather(Tensor([1]), 0).asnumpy()
    array([[3, 4]])
    >>> Tensor([[1, 2], [3, 4]]).gather(dim=1, index=Tensor([[1], [0]])).asnumpy()
    array([[2],
           [3]])
    """
    return gather(self, input_indices, axis, batch_dims)


def _gather_method_dim(self, dim, index):
    return gather_elements(self, dim, index)


attach("gather", overloaded("Tensor.gather", [_gather_method, _gather_method_dim]))


@op(
    bounds=lambda input, indices: rows_within(input.shape, indices),
    function="gather_nd(input_x: input, indices)",
    primitive="GatherNd()(input_x: input, indices)",
    tensor="gather_nd(input, indices)",
)
def gather_nd(input: Array, indices: Array):
    """The elements at the rows of `indices` (last dimension), from the first dimension on.

    Negative indices count from the end.

    >>> ops.gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])).asnumpy()
    array([2, 3])
    """
    _integers(indices)
    return input.at[tuple(jnp.moveaxis(indices, -1, 0))].get(mode="fill")


@op(
    bounds=_along,
    tensor=("index_select(input, axis, index)", "index_select(input, dim: axis, index)"),
    mint="index_select(input, dim: axis, index)",
)
def index_select(input: Array, axis, index: Array):
    """The slices along `axis` at the 1-d `index`.

    >>> ops.index_select(Tensor([[1, 2, 3]]), 1, Tensor([2, 0])).asnumpy()
    array([[3, 1]])
    """
    _integers(index)
    require(axis is not None, "must-be-type", axis=axis, kind="an-int")
    return jnp.take(input, index, axis)


@composite(mint=True)
def take(input, index):
    """The elements at `index` of the flattened `input`.

    >>> ops.take(Tensor([[1, 2], [3, 4]]), Tensor([3, 0])).asnumpy()
    array([4, 1])
    """
    return gather(reshape(input, (-1,)), index, 0)


_MODES = ("clip", "wrap")


@op(name="Tensor.take", function=())
def take_with_mode(input: Array, indices: Array, axis=0, mode="clip"):
    """The slices along `axis`, with indices out of range clipped or wrapped; `Tensor.take` calls
    it. Negative indices count from the end first, as everywhere."""
    require(mode in _MODES, "one-of", mode=mode, choices=_MODES, error=NotImplementedError)
    if mode == "clip":
        indices = jnp.where(indices < 0, indices + input.shape[axis], indices)
    return jnp.take(input, indices, axis, mode=mode)


def _take_method(self, indices=None, axis=None, mode="clip", *, index=None):
    """The elements (with `axis`, the slices along it) at `indices`.

    `mode`: 'clip' clips indices out of range, 'wrap' wraps them around. Negative ones count from
    the end. `index`: as `ops.take`, which raises an error for indices out of range.

    >>> Tensor([1, 2, 3]).take(Tensor([0, 7])).asnumpy()
    array([1, 3])
    """
    is_one = (indices is None) != (index is None)
    require(is_one, "either-given", "Tensor.take", TypeError, other="indices", other2="index")
    if index is not None:
        return take(self, index)
    return take_with_mode(reshape(self, (-1,)) if axis is None else self, indices, axis or 0, mode)


attach("take", _take_method)


@op(function=(), primitive="EmbeddingLookup()(input_params, input_indices, offset)")
def embedding_lookup_of_class(input_params: Array, input_indices: Array, offset=0):
    """The rows of `input_params` `(n, d)` (or the elements of a vector) at `input_indices -
    offset`; zeros for an index out of range.

    >>> rows = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> ops.EmbeddingLookup()(rows, Tensor([5, 7], ms.int32), 4).asnumpy()
    array([[3., 4.],
           [0., 0.]], dtype=float32)
    """
    _integers(input_indices)
    shape = input_params.shape
    require(len(shape) in (1, 2), "dimensions", argument="input_params", n=1, n2=2, shape=shape)
    require(isinstance(offset, int), "must-be-type", offset=offset, kind="an-int")
    rows, count = input_indices - offset, input_params.shape[0]
    inside = (rows >= 0) & (rows < count)
    rows = jnp.where(inside, rows, count)
    if not count:
        return jnp.zeros((*rows.shape, *input_params.shape[1:]), input_params.dtype)
    return jnp.take(input_params, rows, axis=0, mode="fill", fill_value=0)


@op(
    primitive="OneHot(axis=-1)(indices, depth, on_value, off_value)",
    promotes=(1, 2),
    differentiable=False,
)
def one_hot(indices: Array, depth, on_value: Array = 1, off_value: Array = 0, axis=-1):
    """`on_value` at each index along a new dimension `axis` of size `depth`, else `off_value`.

    An index out of range gives a row of only `off_value`. The dtype is the values' dtype.

    >>> ops.one_hot(Tensor([0, 2]), 3).asnumpy()
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    _integers(indices)
    position = axis if axis >= 0 else axis + indices.ndim + 1
    here = jnp.expand_dims(indices, position) == jax.lax.broadcasted_iota(
        indices.dtype, (*indices.shape[:position], depth, *indices.shape[position:]), position
    )
    return jnp.where(here, on_value, off_value)


@composite(mint="nn.functional.one_hot", function=())
def one_hot_of_classes(tensor, num_classes=-1):
    """1 at each index along a new last dimension of size `num_classes` (-1: as large as needed).

    >>> mint.nn.functional.one_hot(Tensor([0, 2]), 3).asnumpy()
    array([[1, 0, 0],
           [0, 0, 1]])
    """
    return one_hot(tensor, int(tensor.max()) + 1 if num_classes == -1 else num_classes)


@composite(
    mint="select", function=(),
    primitive="SelectView()(input_tensor: input, input_indices: index, axis: dim)",
)  # fmt: skip
def select_index(input, dim, index):
    """The slice at `index` along `dim`, which is removed.

    >>> Tensor([[1, 2], [3, 4]]).select(1, 0).asnumpy()
    array([1, 3])
    """
    return input[(*[slice(None)] * range(input.ndim)[dim], index)]


def _select_method(self, dim, index):
    """The slice at `index` along `dim`, which is removed; if called with a Tensor `condition` and
    `y`, the Tensor where `condition` is nonzero, else `y`.

    >>> Tensor([1, 2]).select(Tensor([True, False]), Tensor([8, 9])).asnumpy()
    array([1, 9])
    """
    return select_index(self, dim, index)


def _select_method_condition(self, condition, y):
    return where(condition, self, y)


attach("select", overloaded("Tensor.select", [_select_method, _select_method_condition]))
