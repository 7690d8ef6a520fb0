"""Reductions along axes."""

import functools
import math

import jax
import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import MINT, OPTIONAL, Array, Arrays, attach, composite, op, overloaded
from sporax.ops.indexing.gather import where as choose
from sporax.ops.math.arithmetic import maximum, minimum
from sporax.ops.shape.zero_dimensional import of_any_rank


def axes(axis):
    """Return an axis for JAX: None for all axes, which may also be given as `()`."""
    if isinstance(axis, (tuple, list)):
        return tuple(axis) or None
    return axis


def _cast(x, dtype):
    return x if dtype is None else x.astype(dtypes.to_numpy(dtype))


def _widened(x, dtype):
    """Return the operand of a sum or product: integers are accumulated in Int64."""
    if dtype is None and not jnp.issubdtype(x.dtype, jnp.inexact):
        return x.astype(jnp.int64)
    return _cast(x, dtype)


@op(
    function="sum(input, dim=None, keepdim=False, *, dtype=None)",
    tensor=(
        "sum(input, axis: dim=None, dtype=None, keepdims: keepdim=False, initial=None)",
        "sum(input, dim=None, keepdim=False, *, dtype=None)",
    ),
    mint="sum(input, dim=None, keepdim=False, *, dtype=None)",
    numpy="sum(a: input, axis: dim=None, dtype=None, keepdims: keepdim=False, initial=None)",
)
@of_any_rank
def sum(input: Array, dim=None, keepdim=False, *, dtype=None, initial=None):
    r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions.

    Integers and Bool are summed in Int64, unless a `dtype` is given.

    >>> ops.sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).asnumpy()
    array([4., 6.], dtype=float32)
    """
    x = _widened(input, dtype)
    total = jnp.sum(x, axes(dim), x.dtype, keepdims=keepdim)
    return total if initial is None else total + jnp.asarray(initial, total.dtype)


def _mean(x, axis, keepdims):
    require(x.dtype != bool, "mean-numbers-not-bool")
    if jnp.issubdtype(x.dtype, jnp.integer):
        return _integer_mean(x, axes(axis), keepdims)
    return jnp.mean(x, axes(axis), keepdims=keepdims)


def _integer_mean(x, axis, keepdims):
    """Return the exact mean, truncated toward zero, even if the sum overflows; 0 of no elements."""
    along = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    count = jnp.maximum(jnp.asarray(math.prod(x.shape[n] for n in along), jnp.int64), 1)
    wide = x.dtype if x.dtype.itemsize == 8 else jnp.int64
    count, high = count.astype(wide), jnp.zeros((), wide)
    x, dtype = x.astype(wide), x.dtype
    if dtype == wide:  # their sum may overflow
        quotients = x // count
        high, x = jnp.sum(quotients, axis, wide, keepdims=keepdims), x - quotients * count
    low = jnp.sum(x, axis, wide, keepdims=keepdims)
    floor = high + low // count
    return (floor + ((floor < 0) & (low % count > 0))).astype(dtype)


@op(
    function=("mean(x, axis=None, keep_dims=False)", "reduce_mean(x, axis=())"),
    primitive="ReduceMean(keep_dims=False)(x, axis=())",
    tensor=(
        "mean(x, axis=None, keep_dims=False)",
        "mean(x, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    ),
    mint="mean(input: x, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
    numpy="mean(a: x, axis=None, keepdims: keep_dims=False, dtype=None)",
)
@of_any_rank
def mean(x: Array, axis=None, keep_dims=False, dtype=None):
    r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all.

    The dtype is kept; the mean of integers is exact, truncated toward zero.

    >>> ops.mean(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([1.5, 3.5], dtype=float32)
    """
    return _mean(_cast(x, dtype), axis, keep_dims)


@op(
    function="prod(input, axis=None, keep_dims=False, dtype=None)",
    tensor=(
        "prod(input, axis=None, keep_dims=False, dtype=None)",
        "prod(input, dim: axis=None, keepdim: keep_dims=False, dtype=None)",
    ),
    mint="prod(input, dim: axis=None, keepdim: keep_dims=False, *, dtype=None)",
)
@of_any_rank
def prod(input: Array, axis=None, keep_dims=False, dtype=None):
    r"""$\prod_i x_i$ along `axis`: an int, a tuple of ints, or None for all.

    Integers and Bool are multiplied in Int64, unless a `dtype` is given.

    >>> ops.prod(Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array(24., dtype=float32)
    """
    x = _widened(input, dtype)
    return jnp.prod(x, axes(axis), x.dtype, keepdims=keep_dims)


# the reductions that keep the dtype ---------------------------------------------------------


@op(
    function="reduce_sum(x: input, axis=())",
    primitive="ReduceSum(keep_dims=False, skip_mode=False)(x: input, axis=())",
)
@of_any_rank
def reduce_sum(input: Array, axis=(), keep_dims=False, skip_mode=False):
    r"""$\sum_i x_i$ along `axis`, in the operand's own dtype; `()` means all axes.

    `skip_mode`: `()` means no axes.

    >>> ops.reduce_sum(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
    array([4., 6.], dtype=float32)
    """
    if skip_mode and axis == ():
        return input
    if input.dtype == bool:
        return jnp.any(input, axes(axis), keepdims=keep_dims)
    return jnp.sum(input, axes(axis), input.dtype, keepdims=keep_dims)


@op(
    function="reduce_prod(x: input, axis=())",
    primitive="ReduceProd(keep_dims=False)(x: input, axis=())",
)
@of_any_rank
def reduce_prod(input: Array, axis=(), keep_dims=False):
    r"""$\prod_i x_i$ along `axis`, in the operand's own dtype; `()` means all axes.

    >>> ops.reduce_prod(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
    array([3., 8.], dtype=float32)
    """
    return jnp.prod(input, axes(axis), input.dtype, keepdims=keep_dims)


_EXTREME = """The {word} element along `axis` (an int, a tuple of ints, or None for all).

    `initial`: a number that is compared, too. `where`: a Bool mask of the elements to include;
    it requires `initial`. Elements that share the extreme share its gradient.

    >>> ops.{name}(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
    array([{shown}], dtype=float32)
    """


def _declare_extreme(word, name, primitive, short, compute, shown):
    def function(
        input: Array, axis=None, keepdims=False, *, initial: OPTIONAL = None, where: OPTIONAL = None
    ):
        require(where is None or initial is not None, "initial-with-where")
        kwargs = {} if where is None else {"where": where}
        if initial is not None:
            kwargs["initial"] = initial.astype(input.dtype)
        return compute(input, axes(axis), keepdims=keepdims, **kwargs)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = _EXTREME.format(word=word, name=name, shown=shown)
    written = f"{name}(input, axis=None, keepdims=False, *, initial=None, where=None)"
    return op(
        function=(written, f"reduce_{short}(x: input, axis=())"),
        primitive=f"{primitive}(keep_dims: keepdims=False)(x: input, axis=())",
        tensor=written,
        mint=f"{name}(input, dim: axis=(), keepdim: keepdims=False)",
    )(of_any_rank(function))


amax = _declare_extreme("largest", "amax", "ReduceMax", "max", jnp.max, "3., 4.")
amin = _declare_extreme("smallest", "amin", "ReduceMin", "min", jnp.min, "1., 2.")


@composite(tensor=True, function=(), numpy="ptp(x: input, axis=None, keepdims=False)")
def ptp(input, axis=None, keepdims=False):
    """The largest minus the smallest element along `axis`.

    >>> Tensor([1.0, 5.0, 2.0]).ptp().item()
    4.0
    """
    return amax(input, axis, keepdims) - amin(input, axis, keepdims)


def _pick(x, index, axis):
    """Return the elements at the indices `at` (which keep the axis); only these get gradients."""
    here = jax.lax.broadcasted_iota(index.dtype, x.shape, axis) == index
    return jnp.sum(jnp.where(here, x, jnp.zeros((), x.dtype)), axis, x.dtype, keepdims=True)


def _have_order(input):
    is_real = not jnp.issubdtype(input.dtype, jnp.complexfloating)
    require(is_real, "real-numbers-order-give", argument="input")


def _with_index(x, axis, keepdims, find):
    if x.ndim == 0:
        return jnp.zeros((), jnp.int64), x
    axis = axis % x.ndim if -x.ndim <= axis < x.ndim else axis
    index = find(x, axis, keepdims=True).astype(jnp.int64)
    value = _pick(x, index, axis)
    return (index, value) if keepdims else (jnp.squeeze(index, axis), jnp.squeeze(value, axis))


@op(function=(), primitive="ArgMaxWithValue(axis=0, keep_dims=False)(input)")
def argmax_with_value(input: Array, axis=0, keep_dims=False) -> Arrays:
    """The index (Int64) of the largest element along `axis`, and that element.

    >>> [t.asnumpy() for t in ops.ArgMaxWithValue(axis=1)(Tensor([[1.0, 2.0]]))]
    [array([1]), array([2.], dtype=float32)]
    """
    _have_order(input)
    return _with_index(input, axis, keep_dims, jnp.argmax)


@op(function=(), primitive="ArgMinWithValue(axis=0, keep_dims=False)(input)")
def argmin_with_value(input: Array, axis=0, keep_dims=False) -> Arrays:
    """The index (Int64) of the smallest element along `axis`, and that element.

    >>> [t.asnumpy() for t in ops.ArgMinWithValue(axis=1)(Tensor([[1.0, 2.0]]))]
    [array([0]), array([1.], dtype=float32)]
    """
    _have_order(input)
    return _with_index(input, axis, keep_dims, jnp.argmin)


_VALUE_AND_INDEX = """The {word} elements along `axis` and their indices (Int64), a pair.

    If `axis` is None: the {word} of all, with index 0. `initial`, `where`: as in `{plain}`.

    >>> [t.asnumpy() for t in ops.{name}(Tensor([[1.0, 2.0]]), 1)]
    [array([{value}], dtype=float32), array([{index}])]
    """


def _with_initial(name, extreme, input, initial, where):
    """Clip `input` by `initial` (`extreme`: minimum or maximum), with `initial` itself where
    `where` is False."""
    if initial is None:
        require(where is None, "initial-with-where", name)
        return input
    start = initial if isinstance(initial, Tensor) else Tensor(initial)
    start = start.astype(input.dtype)
    clipped = extreme(input, start)
    return clipped if where is None else choose(where, clipped, start)


def _by_mode(name, along, whole):
    """Return a method that tries `along` first; in graphs, as MindSpore does, `whole`."""
    method, in_graph = overloaded(name, [along, whole]), overloaded(name, [whole, along])

    @functools.wraps(method)
    def extreme(*args, **kwargs):
        return (in_graph if thread.in_graph else method)(*args, **kwargs)

    return extreme


def _declare_value_and_index(word, name, plain, with_index, other, value, index):
    def function(input, axis=None, keepdims=False, *, initial=None, where=None) -> Arrays:
        input = _with_initial(name, other, input, initial, where)
        if axis is None:
            return plain(input), Tensor(0)
        indices, value = with_index(input, axis, keepdims)
        return value, indices

    def whole(
        input, axis=None, keepdims=False, *, initial=None, where=None, return_indices=False
    ) -> Array | Arrays:  # fmt: skip
        if return_indices:
            return function(input, axis, keepdims, initial=initial, where=where)
        if isinstance(axis, int) and initial is None:
            return with_index(input, axis, keepdims)[1]
        return plain(input, axis, keepdims, initial=initial, where=where)

    def along(input, dim: int, keepdim=False) -> Arrays:
        return function(input, dim, keepdim)

    doc = _VALUE_AND_INDEX.format(
        word=word, name=name, plain=plain.__name__, value=value, index=index
    )
    for face in (function, whole, along):
        face.__name__, face.__module__, face.__doc__ = name, __name__, doc
    composite(tensor=f"arg{name}_with_value(input, axis=0, keep_dims: keepdims=False)")(function)
    attach(name, _by_mode(f"Tensor.{name}", along, whole))

    def everything(input):
        return plain(input)

    everything.__module__, everything.__doc__ = __name__, doc
    MINT[name] = overloaded(f"mint.{name}", [everything, along, other])
    return function


@op(
    function="argmax(input, dim=None, keepdim=False)",
    tensor=(
        "argmax(input, axis: dim=None, keepdims: keepdim=False)",
        "argmax(input, dim=None, keepdim=False)",
    ),
    mint="argmax(input, dim=None, keepdim=False)",
    numpy="argmax(a: input, axis: dim=None)",
    primitive="Argmax(axis: dim=-1, output_type: dtype=int32)(input_x: input)",
    differentiable=False,
)  # fmt: skip
@of_any_rank
def argmax(input: Array, dim=None, keepdim=False, dtype=dtypes.int64):
    """The index of the largest element along `dim`, or among all elements if None: Int64.

    >>> ops.argmax(Tensor([[1.0, 5.0], [7.0, 2.0]]), 1).asnumpy()
    array([1, 0])
    """
    _have_order(input)
    return jnp.argmax(input, dim, keepdims=keepdim).astype(dtypes.to_numpy(dtype))


@op(
    function="argmin(input, axis=None, keepdims=False)",
    tensor=(
        "argmin(input, axis=None, keepdims=False)",
        "argmin(input, dim: axis=None, keepdim: keepdims=False)",
    ),
    numpy="argmin(a: input, axis=None)",
    primitive="Argmin(axis=-1, output_type: dtype=int32)(x: input)",
    differentiable=False,
)  # fmt: skip
@of_any_rank
def argmin(input: Array, axis=None, keepdims=False, dtype=dtypes.int32):
    """The index of the smallest element along `axis`, or among all elements if None: Int32.

    >>> ops.argmin(Tensor([[1.0, 5.0], [7.0, 2.0]]), 1).asnumpy()
    array([0, 1], dtype=int32)
    """
    _have_order(input)
    return jnp.argmin(input, axis, keepdims=keepdims).astype(dtypes.to_numpy(dtype))


_argmin = argmin.declaration.face()


@composite(mint="argmin", function=())
def argmin_int64(input, dim=None, keepdim=False):
    """The index of the smallest element along `dim`, or among all elements if None: Int64.

    >>> mint.argmin(Tensor([3.0, 1.0])).asnumpy()
    array(1)
    """
    return _argmin(input, dim, keepdim, dtypes.int64)


max = _declare_value_and_index("largest", "max", amax, argmax_with_value, maximum, "2.", 1)
min = _declare_value_and_index("smallest", "min", amin, argmin_with_value, minimum, "1.", 0)

# truth --------------------------------------------------------------------------------------


@op(
    function="all(input, axis=None, keep_dims=False)",
    tensor=(
        "all(input, axis=None, keep_dims=False)",
        "all(input, dim: axis=None, keepdim: keep_dims=False)",
    ),
    mint="all(input, dim: axis=None, keepdim: keep_dims=False)",
    primitive="ReduceAll(keep_dims=False)(input, axis=None)",
    differentiable=False,
)  # fmt: skip
@of_any_rank
def all(input: Array, axis=None, keep_dims=False):
    """True if all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool.

    >>> ops.all(Tensor([[True, False], [True, True]]), 1).asnumpy()
    array([False,  True])
    """
    return jnp.all(input, axes(axis), keepdims=keep_dims)


@op(
    function="any(input, axis=None, keep_dims=False)",
    tensor=(
        "any(input, axis=None, keep_dims=False)",
        "any(input, dim: axis=None, keepdim: keep_dims=False)",
    ),
    mint="any(input, dim: axis=None, keepdim: keep_dims=False)",
    numpy="sometrue(a: input, axis=None, keepdims: keep_dims=False)",
    primitive="ReduceAny(keep_dims=False)(x: input, axis=())",
    differentiable=False,
)  # fmt: skip
@of_any_rank
def any(input: Array, axis=None, keep_dims=False):
    """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool.

    >>> ops.any(Tensor([[True, False], [False, False]]), 1).asnumpy()
    array([ True, False])
    """
    return jnp.any(input, axes(axis), keepdims=keep_dims)
