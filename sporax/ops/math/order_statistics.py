"""Order statistics, sums without NaN, counts, and differences."""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.math.arithmetic import at_least_single, floating
from sporax.ops.math.reduction import amax, amin, axes
from sporax.ops.math.sorting import sort
from sporax.ops.operand_checks import floats_only
from sporax.ops.shape.creation import full


def _picked(x, order, rank, axis, keepdims):
    """Return the elements at position `place` of `order`, and their indices."""
    index = jnp.take_along_axis(order, rank, axis)
    values = jnp.take_along_axis(x, index, axis)
    if not keepdims:
        values, index = jnp.squeeze(values, axis), jnp.squeeze(index, axis)
    return values, index.astype(jnp.int64)


def _lower_median(x, axis, keepdims, leave_out):
    if x.ndim == 0:
        return x, jnp.zeros((), jnp.int64)
    require(x.shape[axis] != 0, "axis-elements-operand-shape", axis=axis, shape=x.shape)
    order = jnp.argsort(x, axis, stable=True)  # NaN comes last
    size = x.shape[axis]
    missing = jnp.isnan(x).sum(axis, keepdims=True) if jnp.issubdtype(x.dtype, jnp.inexact) else 0
    rank = jnp.maximum(size - missing - 1, 0) // 2
    if not leave_out:  # if there is a NaN, it is the median
        rank = jnp.where(missing > 0, size - missing, (size - 1) // 2)
    shape = [1 if i == axis % x.ndim else n for i, n in enumerate(x.shape)]
    return _picked(x, order, jnp.broadcast_to(rank, shape), axis, keepdims)


@op(
    function="median(input, axis=-1, keepdims=False)",
    tensor=(
        "median(input, axis=-1, keepdims=False)",
        "median(input, dim: axis=-1, keepdim: keepdims=False)",
    ),
    name="median",
)
def median(input: Array, axis=-1, keepdims=False) -> Array | Arrays:
    """The lower of the two middle elements along `axis`, and its index (Int64); NaN if any element
    is NaN.

    >>> ops.median(Tensor([[1.0, 5.0, 3.0]]))[0].asnumpy()
    array([3.], dtype=float32)
    """
    return _lower_median(input, axis, keepdims, False)


@op(function="nanmedian(input, axis=-1, keepdims=False)", tensor=True, name="nanmedian")
def nanmedian(input: Array, axis=-1, keepdims=False) -> Array | Arrays:
    """`median` that ignores NaN.

    >>> ops.nanmedian(Tensor([1.0, float("nan"), 3.0]))[0].asnumpy()
    array(1., dtype=float32)
    """
    return _lower_median(input, axis, keepdims, True)


@op(function=(), tensor=True, mint=True)
def kthvalue(input: Array, k, dim=-1, keepdim=False) -> Arrays:
    """The `k`-th smallest element along `dim`, k from 1, and its index (Int64): a pair. NaN sorts
    last.

    >>> [t.asnumpy() for t in mint.kthvalue(Tensor([3.0, 1.0, 2.0]), 2)]
    [array(2., dtype=float32), array(2)]
    """
    x = input if input.ndim else input.reshape(1)
    size = x.shape[dim]
    require(0 < k <= size, "in-interval", k=k, interval=f"[1, {size}]")
    order = jnp.argsort(x, dim, stable=True)
    rank = jnp.full([1 if i == dim % x.ndim else n for i, n in enumerate(x.shape)], k - 1)
    return _picked(x, order, rank, dim, keepdim and input.ndim > 0)


@composite(mint="median(input, dim=None, keepdim=False)", function=(), name="median")
def median_of_all(input, dim=None, keepdim=False):
    """The lower of the two middle elements of all; with `dim` also its index. NaN for no elements,
    the lowest value for integers.

    >>> mint.median(Tensor([[1.0, 5.0], [3.0, 2.0]])).asnumpy()
    array(2., dtype=float32)
    """
    if dim is not None:
        return median(input, dim, keepdim)
    flat = input.reshape((-1,))
    if flat.shape[0] == 0:
        dtype = dtypes.to_numpy(input.dtype)
        lowest = np.iinfo(dtype).min if dtype.kind in "iu" else False
        return full((), lowest if dtype.kind in "biu" else math.nan, dtype=input.dtype)
    return median(flat)[0]


def _quantile(compute, x, q, axis, keepdims):
    x, q = floating(x), jnp.asarray(q)
    require(q.ndim <= 1, "number-vector", argument="q", shape=q.shape)
    return compute(x, q.astype(x.dtype), axis, keepdims=keepdims)


@op(tensor=True)
def quantile(input: Array, q: Array, axis=None, keepdims=False):
    """The `q`-quantiles (from 0 to 1) along `axis` (None: of all), with linear interpolation.

    `q`: a number, or a vector, whose axis comes first in the result.

    >>> ops.quantile(Tensor([1.0, 2.0, 3.0]), 0.25).asnumpy()
    array(1.5, dtype=float32)
    """
    return _quantile(jnp.quantile, input, q, axis, keepdims)


@op(tensor=True)
def nanquantile(input: Array, q: Array, axis=None, keepdims=False):
    """`quantile` that ignores NaN.

    >>> ops.nanquantile(Tensor([1.0, float("nan"), 3.0]), 0.5).asnumpy()
    array(2., dtype=float32)
    """
    return _quantile(jnp.nanquantile, input, q, axis, keepdims)


@composite(primitive="Quantile(dim=None, keep_dims=False, ignore_nan=False)(input, q)", function=())
def quantile_of_class(input, q, dim=None, keep_dims=False, ignore_nan=False):
    """As `quantile`, or, with `ignore_nan`, `nanquantile`, along `dim`.

    >>> ops.Quantile()(Tensor([1.0, 2.0, 3.0]), 0.25).asnumpy()
    array(1.5, dtype=float32)
    """
    return (nanquantile if ignore_nan else quantile)(input, q, dim, bool(keep_dims))


@composite(primitive="NthElement(reverse=False)(input, n)", function=())
def nth_element(input, n, reverse=False):
    """The element at index `n` of the last axis in ascending order, or, with `reverse`, descending.

    `n`: an int or a 0-d Tensor.

    >>> ops.NthElement()(Tensor([[3, 1, 2]]), 1).asnumpy()
    array([2])
    """
    n, size = int(n), (input.shape or (0,))[-1]
    require(0 <= n < size, "in-interval", "NthElement", n=n, interval=f"[0, {size})")
    return sort(input, -1, reverse)[0][..., n]


def _without_nan(name, compute, formula, mint=None, check=None):
    def function(input: Array, axis=None, keepdims=False, *, dtype=None):
        x = input if dtype is None else input.astype(dtypes.to_numpy(dtype))
        return compute(x, axis=axes(axis), keepdims=keepdims)

    along = f"{name}(input, axis=None, keepdims=False, *, dtype=None)"
    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""{formula} of the elements that are not NaN, along `axis`; None: all.

    >>> ops.{name}(Tensor([1.0, float("nan"), 3.0])).item() in (2.0, 4.0)
    True
    """
    return op(
        function=along, name=name, mint=mint, check=check,
        tensor=(along, f"{name}(input, dim: axis=None, keepdim: keepdims=False, *, dtype=None)"),
    )(function)  # fmt: skip


nansum = _without_nan(
    "nansum", jnp.nansum, "The sum", "nansum(input, dim: axis=None, keepdim: keepdims=False, *, "
    "dtype=None)",
)  # fmt: skip
nanmean = _without_nan("nanmean", jnp.nanmean, "The mean", check=floats_only("nanmean"))


@composite(tensor=True)
def aminmax(input, *, axis=0, keepdims=False) -> Arrays:
    """The smallest and the largest elements along `axis` (None: of all).

    >>> [t.item() for t in ops.aminmax(Tensor([2.0, 1.0, 3.0]))]
    [1.0, 3.0]
    """
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


# counts ----------------------------------------------------------------------------------------


@op(name="bincount", function=(), differentiable=False)
def bincount_of_length(input: Array, weights: OPTIONAL = None, *, length):
    """Count each int below `length`, or sum its weights; `bincount` calls it."""
    kind = jnp.float32 if weights is None else weights.dtype
    return jnp.bincount(input, weights, length=length).astype(kind)


@composite(tensor=True, mint=True)
def bincount(input, weights=None, minlength=0):
    """Count each int from 0 on in a vector: Float32, at least `minlength` elements.

    `weights`: the weight of each element; the result has their dtype. The length depends on the
    values, which are therefore read.

    >>> ops.bincount(Tensor([1, 2, 2])).asnumpy()
    array([0., 1., 2.], dtype=float32)
    """
    values = input.asnumpy() if isinstance(input, Tensor) else np.array(None)
    is_vector = values.ndim == 1 and values.dtype.kind in "iu"
    require(is_vector, "vector-integers", "bincount", input=input)
    if weights is not None and weights.shape != input.shape:
        shape = input.shape
        raise rejection("shape-of", "bincount", weights=weights.shape, shape=shape, other="input")
    if values.size and values.min() < 0:
        raise rejection("not-negative", "bincount", input=values.min())
    length = max(int(values.max()) + 1 if values.size else 0, int(minlength))
    return bincount_of_length(input, weights, length=length)


@op(function="histc(input, bins=100, min=0.0, max=0.0)", tensor=True, mint=True,
    primitive="Histogram(bins=100, min=0.0, max=0.0)(x: input)", name="Histogram",
    differentiable=False)  # fmt: skip
def histc(input: Array, bins=100, min=0.0, max=0.0):
    """Count the elements in each of `bins` equal bins from `min` to `max`, in the input's dtype
    (Float32 for 16-bit floats).

    If both are equal, from the smallest to the largest element. Others are not counted.

    >>> ops.histc(Tensor([1.0, 2.0, 3.0]), 4).asnumpy()
    array([1., 0., 1., 1.], dtype=float32)
    """
    require(isinstance(bins, int) and bins >= 1, "int-at-least", bins=bins, n=1)
    require(max >= min, "at-most-argument-value-dropout", min=min, other="max", upper=max)
    x = floating(input).reshape(-1)
    low, high = (x.min(), x.max()) if min == max else (min, max)
    same = jnp.asarray(low == high)
    low, high = jnp.where(same, low - 1, low), jnp.where(same, high + 1, high)
    index = jnp.floor((x - low) / (high - low) * bins).astype(jnp.int32)
    index = jnp.where(x == high, bins - 1, index)
    inside = (x >= low) & (x <= high)
    counts = jnp.zeros(bins + 1, jnp.int32).at[jnp.where(inside, index, bins)].add(1)[:bins]
    wide = jnp.issubdtype(input.dtype, jnp.floating) and input.dtype.itemsize == 2
    return counts.astype(jnp.float32 if wide else input.dtype)


@op(function="bucketize(input, boundaries, *, right=False)", differentiable=False)
def bucketize(input: Array, boundaries, right=False):
    """Count the ascending `boundaries` less than each element (`right`: or equal): Int32.

    >>> ops.bucketize(Tensor([1.0, 2.0, 5.0]), [2.0, 4.0]).asnumpy()
    array([0, 0, 2], dtype=int32)
    """
    edges = jnp.asarray(boundaries)
    return jnp.searchsorted(edges, input, "right" if right else "left").astype(jnp.int32)


@composite(function=(), primitive="Bucketize(boundaries)(input)", op="bucketize")
def bucketize_of_class(input, boundaries):
    """`bucketize` with `right=True`: an element equal to a boundary counts as beyond it.

    >>> ops.Bucketize([2.0, 4.0])(Tensor([1.0, 2.0, 5.0])).asnumpy()
    array([0, 1, 2], dtype=int32)
    """
    return bucketize(input, boundaries, right=True)


# differences -----------------------------------------------------------------------------------


_DIFF = "diff(input, n=1, dim: axis=-1, prepend=None, append=None)"


@op(
    function="diff(x: input, n=1, axis=-1, prepend=None, append=None)", mint=_DIFF,
    tensor="diff(input, n=1, axis=-1, prepend=None, append=None)", name="diff", promotes=True,
)  # fmt: skip
def diff(input: Array, n=1, axis=-1, prepend: OPTIONAL = None, append: OPTIONAL = None):
    """Differences of neighbours along `axis`, `n` times, including `prepend` and `append`.

    >>> ops.diff(Tensor([1, 4, 9])).asnumpy()
    array([3, 5])
    """
    require(isinstance(n, int) and n >= 0, "int-at-least", argument="n", n=0, got=n)
    return differences(input, n, axis, prepend, append)


def differences(x, n, axis, prepend, append):
    """`jnp.diff`, with `n` at most the number of elements, after which none are left."""
    most = x.shape[axis] + sum([
        1 if not end.ndim else end.shape[axis] for end in (prepend, append) if end is not None
    ])  # fmt: skip
    return jnp.diff(x, min(n, most), axis, prepend, append)


@op(function="trapz(y, x=None, *, dx=1.0, dim=-1)", name="trapz", promotes=True)
def trapz(y: Array, x: OPTIONAL = None, dx=1.0, dim=-1):
    """The integral of `y` along `dim` by the trapezoidal rule, at points `x` or with spacing `dx`.

    >>> ops.trapz(Tensor([1.0, 2.0, 3.0])).asnumpy()
    array(4., dtype=float32)
    """
    return jnp.trapezoid(floating(y), None if x is None else floating(x), dx, dim)


def check_observation_weights(x, **arguments):
    """Check that the weights that are given have one number for each observation, a column."""
    for name, weights in arguments.items():
        if weights is not None and weights.shape != x.shape[-1:]:
            raise rejection(
                "shape-one-number-observation", argument=name, shape=x.shape[-1:], got=weights.shape
            )


@op(
    function="cov(input, *, correction=1, fweights=None, aweights=None)", name="cov",
    tensor="cov(input, *, correction=1, fweights=None, aweights=None)",
)  # fmt: skip
def cov(input: Array, correction=1, fweights: OPTIONAL = None, aweights: OPTIONAL = None):
    r"""Covariances of the variables in the rows of `(n, m)`: `(n, n)`; 0-d for a single one.

    `fweights`: the frequency of each observation (ints), `aweights`: its weight; `correction`:
    subtracted from their number.

    >>> ops.cov(Tensor([[1.0, 2.0], [3.0, 5.0]])).asnumpy()
    array([[0.5, 1. ],
           [1. , 2. ]], dtype=float32)
    """
    require(input.ndim <= 2, "at-most-2-dimensions", argument="input", shape=input.shape)
    check_observation_weights(input, fweights=fweights, aweights=aweights)
    return jnp.cov(
        at_least_single(input), ddof=int(correction), fweights=fweights, aweights=aweights
    )


@op(
    primitive="CumulativeLogsumexp(exclusive=False, reverse=False)(x: input, axis)",
    function="logcumsumexp(input, axis)", tensor="logcumsumexp(input, axis)",
)  # fmt: skip
def logcumsumexp(input: Array, axis, exclusive=False, reverse=False):
    r"""$\ln \sum_{j \le i} e^{x_j}$ along `axis`, without overflow.

    The class also takes `exclusive` ($j < i$; the lowest number of the dtype first) and `reverse`
    (from the end).

    >>> ops.logcumsumexp(Tensor([0.0, 0.0]), 0).asnumpy()
    array([0.       , 0.6931472], dtype=float32)
    """
    x, axis = floating(input), axis % max(input.ndim, 1)
    if exclusive:
        cut = slice(1, None) if reverse else slice(None, -1)
        total = lax.cumlogsumexp(x[(slice(None),) * axis + (cut,)], axis, reverse)
        first = jnp.full_like(x[(slice(None),) * axis + (slice(1),)], jnp.finfo(x.dtype).min)
        return jnp.concatenate([total, first] if reverse else [first, total], axis)
    return lax.cumlogsumexp(x, axis, reverse)
