"""Values written, or accumulated, at indices."""

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp

from sporax._src.core.parameter import Parameter
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax._src.runtime.xla_kernels.products import multiply_at
from sporax.ops.declare import FUNCTIONS, Array, attach, composite, op, overloaded
from sporax.ops.indexing.assignment import put
from sporax.ops.indexing.gather import rows_within
from sporax.ops.math.arithmetic import is_one, mul

# how values combine with old ones, or each other: name -> method of `x.at[...]`
REDUCTIONS = {
    "none": "set", "update": "set", "add": "add", "mul": "multiply",
    "multiply": "multiply", "div": None, "max": "max", "min": "min",
}  # fmt: skip


_REDUCTION = kinds.one_of(*REDUCTIONS)


def _at(x, indices, values, reduction):
    if reduction == "sub":
        return x.at[indices].add(-values.astype(x.dtype))
    _REDUCTION(None, reduction=reduction)
    values = values.astype(x.dtype)
    if REDUCTIONS[reduction] == "multiply":
        return multiply_at(x, indices, values)
    if reduction == "div":  # integers: rounded toward zero
        return jax.lax.div(x, multiply_at(jnp.ones_like(x), indices, values))
    return getattr(x.at[indices], REDUCTIONS[reduction])(values)


def _rows(indices):
    return tuple(jnp.moveaxis(indices, -1, 0))


# at rows of indices -------------------------------------------------------------------------

_ND = """Return `input_x` where `updates` {verb} the slice that each row of `indices` selects.

    A row is along the last dimension of `indices`, and indexes the first dimensions of `input_x`.
    `updates` has the shape of `indices` without its last dimension, followed by the remaining
    dimensions of `input_x`. {repeated}

    >>> ops.{name}(Tensor([1.0, 4.0]), Tensor([[1]]), Tensor([2.0])).asnumpy()
    array([1., {shown}], dtype=float32)
    """
_REPEATED = "Repeated indices count each time."
_ND_ROWS = [
    ("update", "Update", "replace", "2.", "Of repeated indices, any may win."),
    ("add", "Add", "are added to", "6.", _REPEATED),
    ("sub", "Sub", "are taken off", "2.", _REPEATED),
    ("mul", "Mul", "multiply", "8.", _REPEATED),
    ("div", "Div", "divide", "2.", _REPEATED),
    ("max", "Max", "replace, if larger,", "4.", _REPEATED),
    ("min", "Min", "replace, if smaller,", "2.", _REPEATED),
]


def _declare_nd(reduction, title, verb, shown, repeated):
    def function(input_x: Array, indices: Array, updates: Array):
        return _at(input_x, _rows(indices), updates, reduction)

    name = function.__name__ = f"tensor_scatter_{reduction}"
    function.__module__ = __name__
    function.__doc__ = _ND.format(verb=verb, name=name, shown=shown, repeated=repeated)
    declared = op(
        primitive=f"TensorScatter{title}()(input_x, indices, updates)",
        tensor=None
        if reduction in ("update", "add")  # their methods follow PyTorch
        else f"scatter_{reduction}(input_x, indices, updates)",
        bounds=lambda input_x, indices, updates: rows_within(input_x.shape, indices),
    )(function)

    def variable(input_x, indices, updates, use_locking=True):
        return put(f"ScatterNd{title}", input_x, declared(input_x, indices, updates))

    variable.__name__ = f"scatter_nd_{reduction}"
    variable.__doc__ = f"""Apply `{name}` in place to `input_x`, a Parameter.

    >>> p = Parameter(Tensor([1.0, 4.0]))
    >>> ops.scatter_nd_{reduction}(p, Tensor([[1]]), Tensor([2.0])).asnumpy()
    array([1., {shown}], dtype=float32)
    """
    composite(primitive=f"ScatterNd{title}(use_locking=True)(input_x, indices, updates)")(variable)

    def rows(input_x, indices, updates, use_locking=False):
        return variable(input_x, indices.expand_dims(-1), updates)

    rows.__name__ = f"scatter_{reduction}"
    rows.__doc__ = f"""Apply `{name}` in place to whole rows of `input_x`, a Parameter.

    >>> p = Parameter(Tensor([[1.0], [4.0]]))
    >>> ops.scatter_{reduction}(p, Tensor([1]), Tensor([[2.0]])).asnumpy().ravel()
    array([1., {shown}], dtype=float32)
    """
    composite(primitive=f"Scatter{title}(use_locking=False)(input_x, indices, updates)")(rows)
    return declared


for _row in _ND_ROWS:
    globals()[f"tensor_scatter_{_row[0]}"] = _declare_nd(*_row)


@op(bounds=lambda indices, updates, shape: rows_within(tuple(shape), indices),
    primitive="ScatterNd()(indices, updates, shape)")  # fmt: skip
def scatter_nd(indices: Array, updates: Array, shape):
    """Zeros of that `shape`, with `updates` added at the rows of `indices`.

    >>> ops.scatter_nd(Tensor([[2], [2]]), Tensor([1.0, 2.0]), (3,)).asnumpy()
    array([0., 0., 3.], dtype=float32)
    """
    require(indices.ndim, "not-a-scalar", "ScatterNd", argument="indices")
    require(min(shape, default=0) >= 0, "not-negative", argument="shape", got=shape)
    rows = jnp.zeros(shape, updates.dtype).at[_rows(indices)]
    return rows.max(updates) if updates.dtype == bool else rows.add(updates)


# along an axis ------------------------------------------------------------------------------


def _along(indices, axis):
    """Return the full position of each index: its own in all dimensions but `axis`."""
    coordinates = list(jnp.indices(indices.shape, sparse=True, dtype=indices.dtype))
    coordinates[axis] = indices
    return tuple(coordinates)


@op(
    bounds=lambda input_x, indices, axis, **_: [Range(indices, input_x.shape[axis], axis)],
    function="tensor_scatter_elements(input_x, indices, updates, axis=0, reduction='none')",
    primitive="TensorScatterElements(axis=0, reduction='none')(data: input_x, indices, updates)",
)
def tensor_scatter_elements(
    input_x: Array, indices: Array, updates: Array, axis=0, reduction="none"
):  # fmt: skip
    """$x_{i, index_{ij}} \\leftarrow u_{ij}$ for `axis` 1, analogous for others: the reverse of
    `gather_elements`. `reduction`: 'none' to replace, or 'add', 'sub', 'mul', 'div', 'max', 'min'.

    >>> ops.tensor_scatter_elements(Tensor([1.0, 2.0]), Tensor([1]), Tensor([9.0])).asnumpy()
    array([1., 9.], dtype=float32)
    """
    updates = jnp.broadcast_to(updates, indices.shape) if updates.ndim == 0 else updates
    kept = updates[tuple(slice(n) for n in indices.shape)]
    return _at(input_x, _along(indices, axis), kept, reduction)


@composite(primitive="ScatterAddWithAxis(axis=0)(input_x, indices, updates)", function=())
def scatter_add_with_axis(input_x, indices, updates, axis=0):
    """`input_x` with `updates` added to the elements at `indices` along `axis`; in place for a
    Parameter.

    >>> x, at = Tensor([1.0, 2.0]), Tensor([1, 1])
    >>> ops.ScatterAddWithAxis()(x, at, Tensor([4.0, 8.0])).asnumpy()
    array([ 1., 14.], dtype=float32)
    """
    result = tensor_scatter_elements(input_x, indices, updates, axis, "add")
    return put("ScatterAddWithAxis", input_x, result) if isinstance(input_x, Parameter) else result


@composite(primitive="ScatterNonAliasingAdd()(input_x, indices, updates)", function=())
def scatter_non_aliasing_add(input_x, indices, updates):
    """`tensor_scatter_add` in place, for a Parameter `input_x`.

    >>> p = Parameter(Tensor([1.0, 4.0]))
    >>> ops.ScatterNonAliasingAdd()(p, Tensor([[1]]), Tensor([2.0])).asnumpy()
    array([1., 6.], dtype=float32)
    """
    added = FUNCTIONS["tensor_scatter_add"](input_x, indices, updates)
    return put("ScatterNonAliasingAdd", input_x, added)


@composite(
    function="scatter(input, axis, index, src)", mint="scatter(input, dim: axis, index, src)"
)
def scatter(input, axis, index, src, reduce="none"):
    """`input` with the elements at `index` along `axis` replaced by `src` (a Tensor or a number).

    >>> ops.scatter(Tensor([1.0, 2.0]), 0, Tensor([1]), 9.0).asnumpy()
    array([1., 9.], dtype=float32)
    """
    return tensor_scatter_elements(input, index, src, axis, reduce)


def _scatter_method(self, dim, index, src, reduce="none"):
    """The tensor with the elements at `index` along `axis` replaced by `src`; see `ops.scatter`.

    >>> Tensor([1, 2, 3]).scatter(0, Tensor([2, 0]), Tensor([7, 8])).asnumpy()
    array([8, 2, 7])
    """
    return tensor_scatter_elements(self, index, src, dim, reduce)


def _scatter_method_axis(self, axis, index, src):
    return tensor_scatter_elements(self, index, src, axis)


@composite(mint="scatter_add", function=())
def scatter_add_along(input, dim, index, src):
    """`input` with `src` added to the elements at `index` along `dim`.

    >>> mint.scatter_add(Tensor([1, 2, 3]), 0, Tensor([2, 2]), Tensor([7, 8])).asnumpy()
    array([ 1,  2, 18])
    """
    return tensor_scatter_elements(input, index, src, dim, "add")


def _scatter_in_place(self, dim, index, src, reduce="none"):
    """`scatter` in place.

    >>> Tensor([1, 2, 3]).scatter_(0, Tensor([2, 0]), Tensor([7, 8])).asnumpy()
    array([8, 2, 7])
    """
    return self._rebind(tensor_scatter_elements(self, index, src, dim, reduce)._value)


def _scatter_value_in_place(self, dim, index, value, reduce="none"):
    return _scatter_in_place(self, dim, index, value, reduce)


def _scatter_add_by_place(self, indices, updates):
    return FUNCTIONS["tensor_scatter_add"](self, indices, updates)


def _scatter_add_in_place(self, dim, index, src):
    """`scatter_add` in place.

    >>> Tensor([1, 2, 3]).scatter_add_(0, Tensor([2, 2]), Tensor([7, 8])).asnumpy()
    array([ 1,  2, 18])
    """
    return _scatter_in_place(self, dim, index, src, "add")


attach("scatter", overloaded("Tensor.scatter", [_scatter_method, _scatter_method_axis]))
attach("scatter_", overloaded("Tensor.scatter_", [_scatter_in_place, _scatter_value_in_place]))
attach("scatter_add", overloaded("Tensor.scatter_add", [scatter_add_along, _scatter_add_by_place]))
attach("scatter_add_", _scatter_add_in_place)


@op(function=(), name="IndexAdd",
    bounds=lambda x, index, y, axis: [Range(index, x.shape[axis], axis)])  # fmt: skip
def index_add_functional(x: Array, index: Array, y: Array, axis=0):
    """`x` with the slices of `y` along `axis` added at `index`; `index_add` calls it."""
    added = jnp.moveaxis(y.astype(x.dtype), axis, 0)
    return jnp.moveaxis(jnp.moveaxis(x, axis, 0).at[index].add(added), 0, axis)


@composite(primitive="IndexAdd(axis, use_lock=True, check_index_bound=True)(x, indices, y)")
def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """`x` with the slices of `y` along `axis` added at `indices`; in place for a Parameter.

    >>> ops.index_add(Tensor([1.0, 2.0]), Tensor([1]), Tensor([9.0]), 0).asnumpy()
    array([ 1., 11.], dtype=float32)
    """
    result = index_add_functional(x, indices, y, axis)
    return put("IndexAdd", x, result) if isinstance(x, Parameter) else result


@composite(primitive="InplaceIndexAdd(axis)(var, indices, updates)", op="index_add_functional")
def inplace_index_add(var, indices, updates, axis):
    """Add the slices of `updates` along `axis` to `var` at `indices`; returns the result.

    `var`: a Parameter or Tensor, updated in place.

    >>> x = Tensor([1.0, 2.0])
    >>> ops.inplace_index_add(x, Tensor([1], ms.int32), Tensor([9.0]), 0).asnumpy(), x.asnumpy()
    (array([ 1., 11.], dtype=float32), array([ 1., 11.], dtype=float32))
    """
    return put("InplaceIndexAdd", var, index_add_functional(var, indices, updates, axis))


@composite(function=(), primitive="CopyWithSlice()(x, y)")
def copy_with_slice(x, y):
    """Copy the elements of `y` to `x`, which must have the same shape; returns the result.

    >>> x = Tensor([1.0, 2.0])
    >>> ops.CopyWithSlice()(x, Tensor([3.0, 4.0])).asnumpy()
    array([3., 4.], dtype=float32)
    """
    return put("CopyWithSlice", x, y)


@composite(function=(), mint="index_add(input: x, dim, index, source, *, alpha=1)")
def index_add_along(x, dim, index, source, *, alpha=1):
    """`x` with $\\alpha \\cdot source$ added to the slices along `dim` at `index`.

    >>> mint.index_add(Tensor([1.0, 2.0]), 0, Tensor([1, 1]), Tensor([9.0, 3.0])).asnumpy()
    array([ 1., 14.], dtype=float32)
    """
    if is_one(alpha):
        return index_add_functional(x, index, source, dim)
    added = mul(source.astype(x.dtype), alpha)
    fits = x.is_floating_point() or not added.is_floating_point()
    require(fits, "int-input", "index_add", alpha=alpha, dtype=x.dtype)
    return index_add_functional(x, index, added, dim)


def _index_add_by_axis(self, indices, y, axis, use_lock=True, check_index_bound=True):
    return index_add_functional(self, indices, y, axis)


attach("index_add", overloaded("Tensor.index_add", [index_add_along, _index_add_by_axis]))


@op(tensor=True, primitive="IndexFill()(x, dim: axis, index, value)",
    bounds=lambda x, axis, index, value: [Range(index, x.shape[axis], axis)])  # fmt: skip
def index_fill(x: Array, axis, index: Array, value: Array):
    """`x` with `value` in the slices along `axis` at `index`.

    >>> ops.index_fill(Tensor([1.0, 2.0]), 0, Tensor([1]), 9.0).asnumpy()
    array([1., 9.], dtype=float32)
    """
    filled = jnp.moveaxis(x, axis, 0).at[index].set(value.astype(x.dtype))
    return jnp.moveaxis(filled, 0, axis)


# by segments --------------------------------------------------------------------------------

_SEGMENTS = """The {word} of the slices of `{operand}` with equal `segment_ids`, for each segment.

    `segment_ids`: integers in `[0, num_segments)`, whose shape is a prefix of the shape of
    `{operand}`; slices with a negative id are ignored. {empty}

    >>> ops.unsorted_segment_{short}(Tensor([1.0, 2.0, 3.0]), Tensor([0, 1, 0]), 2).asnumpy()
    array([{shown}, 2.], dtype=float32)
    """


def _declare_segments(short, title, operand, word, compute, shown, empty):
    def function(input: Array, segment_ids: Array, num_segments):
        num_segments = _count(num_segments)
        flat = jnp.reshape(input, (segment_ids.size, *input.shape[segment_ids.ndim :]))
        ids = jnp.reshape(segment_ids, (-1,))
        ids = jnp.where(ids < 0, num_segments, ids)
        return compute(flat, ids, num_segments)

    name = function.__name__ = f"unsorted_segment_{short}"
    function.__module__ = __name__
    function.__doc__ = _SEGMENTS.format(
        operand=operand, word=word, short=short, shown=shown, empty=empty
    )
    return op(
        bounds=_segments,
        function=f"{name}({operand}: input, segment_ids, num_segments)",
        primitive=f"UnsortedSegment{title}()({operand}: input, segment_ids, num_segments)",
        tensor=f"{name}(input, segment_ids, num_segments)",
    )(function)


def _count(number) -> Any:
    """Return a number, which may come from a Tensor with one element."""
    return number[0] if isinstance(number, tuple) and len(number) == 1 else number


def _segments(input, segment_ids, num_segments):
    left_out = jnp.maximum(segment_ids, 0)
    return [Range(left_out, _count(num_segments), low=0, span="the-number-of-segments")]


def _segment_prod(x, ids, count):
    return multiply_at(jnp.ones((count, *x.shape[1:]), x.dtype), ids, x)


def _extreme(compute, end):
    """Wrap `compute` to give the dtype's `end`, not infinities, for empty segments."""

    def computed(x, ids, count):
        result = compute(x, ids, count)
        if not jnp.issubdtype(x.dtype, jnp.floating):
            return result
        some = jnp.zeros(count, bool).at[ids].set(True)
        some = some.reshape(-1, *(1,) * (result.ndim - 1))
        return jnp.where(some, result, jnp.asarray(getattr(jnp.finfo(x.dtype), end), x.dtype))

    return computed


for _row in [
    ("sum", "Sum", "input_x", "sum", jax.ops.segment_sum, "4.", "An empty segment gives 0."),
    ("max", "Max", "x", "largest", _extreme(jax.ops.segment_max, "min"), "3.",
     "An empty segment\n    gives the lowest finite number of the dtype."),
    ("min", "Min", "x", "smallest", _extreme(jax.ops.segment_min, "max"), "1.",
     "An empty segment\n    gives the highest finite number of the dtype."),
    ("prod", "Prod", "x", "product", _segment_prod, "3.", "An empty segment gives 1."),
]:  # fmt: skip
    globals()[f"unsorted_segment_{_row[0]}"] = _declare_segments(*_row)
if TYPE_CHECKING:

    def __getattr__(name) -> Any: ...  # the functions of both loops over rows
