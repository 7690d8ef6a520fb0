"""Reductions and statistics: extremes, averages, NaN-ignoring reductions, covariance."""

import jax.numpy as jnp

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis.rules import rejection, require
from sporax.numpy.faces import Array, Arrays, array_of, array_op, cast, composite, dtype_of
from sporax.numpy.manipulation import axes_of, axis_of, concatenate
from sporax.ops.declare import OPTIONAL
from sporax.ops.math.order_statistics import check_observation_weights
from sporax.ops.math.statistics import safe_root

# extremes -----------------------------------------------------------------------------------


def _extreme(name, short, compute, word):
    def function(a: Array, axis=None, keepdims=False, initial=None, where=True):
        a = array_of(a, name)
        where = None if where is True else array_of(where, name, "where")
        who = f"numpy.{name}"
        require(where is None or initial is not None, "initial-with-where", who)
        is_number = initial is None or not array_of(initial, name, "initial").ndim
        require(is_number, "must-be-type", who, initial=initial, kind="a-number")
        axis = axes_of(name, axis, a.ndim)
        return compute(a, axis, keepdims, initial=initial, where=where)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""The {word} element along `axis`: an int, a tuple, or None for all.

    `initial`: a number that is compared, too. `where`: a Bool mask of the elements to include.

    >>> {name}(Tensor([1, 3, 2])).item() in (1, 3)
    True
    """
    signature = "(a, axis=None, keepdims=False, initial=None, where=True)"
    return composite(numpy=(f"{name}{signature}", f"{short}{signature}"))(function)


amax = _extreme("amax", "max", ops.amax, "largest")
amin = _extreme("amin", "min", ops.amin, "smallest")


# running ------------------------------------------------------------------------------------


@composite(numpy=True)
def cumsum(a: Array, axis=None, dtype=None):
    """Return the cumulative sum along `axis`; of the flattened array if `axis` is None.

    >>> cumsum(Tensor([1.0, 2.0])).tolist()
    [1.0, 3.0]
    """
    if axis is not None:
        axis_of("cumsum", axis, a.ndim)
    return a.cumsum(axis, dtype)


@composite(numpy=True)
def nancumsum(a: Array, axis=None, dtype=None):
    """`cumsum` with NaN as 0.

    >>> nancumsum(Tensor([1.0, float("nan")])).tolist()
    [1.0, 1.0]
    """
    return cumsum(_filled(a, 0), axis, dtype)


@composite(numpy=True)
def cumprod(a: Array, axis=None, dtype=None):
    """Return the cumulative product along `axis`; of the flattened array if `axis` is None.

    >>> cumprod(Tensor([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 6.0]
    """
    a = array_of(a)
    if axis is None:
        a, axis = ops.ravel(a), 0
    axis = axis_of("cumprod", axis, a.ndim)
    narrow = {"b1": "int32", "i1": "int32", "i2": "int32", "u1": "uint32", "u2": "uint32"}
    wanted = dtype or narrow.get(a.dtype.default.str[1:], a.dtype)
    return ops.cumprod(a, axis, dtype_of(wanted))


# averages -----------------------------------------------------------------------------------


@composite(numpy=True)
def average(
    x: Array, axis=None, weights: OPTIONAL = None, returned=False
) -> Array | Arrays:  # fmt: skip
    r"""$\sum_i w_i x_i / \sum_i w_i$ along `axis`, the mean without `weights`.

    `weights`: in the shape of `x`, or a vector along an int `axis`. `returned`: return the pair of
    the result and the sum of weights.

    >>> average(Tensor([1.0, 3.0]), weights=Tensor([3.0, 1.0])).item()
    1.5
    """
    axes = axes_of("average", axis, x.ndim)
    if weights is None:
        weights = ops.ones_like(x)
    elif weights.shape != x.shape:
        if weights.ndim != 1 or not isinstance(axis, int):
            shape = weights.shape
            raise rejection("shape-x-vector-along", "numpy.average", weights=shape, shape=x.shape)
        weights = weights.reshape([-1 if i == axes[0] else 1 for i in range(x.ndim)])
        weights = ops.broadcast_to(weights, x.shape)
    is_whole = not any(a.is_floating_point() or a.is_complex() for a in (x, weights))
    x, weights = (x.double(), weights.double()) if is_whole else (x, weights)
    total = ops.reduce_sum(weights, axes)
    result = ops.div(ops.reduce_sum(ops.mul(x, weights), axes), total)
    result = result.float() if is_whole else result
    return (result, total.astype(result.dtype)) if returned else result


def _filled(a, value):
    if not jnp.issubdtype(a.dtype.default, jnp.floating):
        return a
    return ops.where(ops.isnan(a), array_of(value).astype(a.dtype), a)


def _nan_extreme(name, compute, least):
    def function(a: Array, axis=None, dtype=None, keepdims=False):
        gone = ops.isnan(a)
        result = compute(_filled(a, least), axes_of(name, axis, a.ndim), keepdims)
        empty = ops.all(gone, axes_of(name, axis, a.ndim), keepdims)
        if jnp.issubdtype(a.dtype.default, jnp.floating):
            result = ops.where(empty, array_of(float("nan")).astype(a.dtype), result)
        return cast(result, dtype)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""`{name[3:]}` of the elements that are not NaN; NaN if there are none.

    >>> {name}(Tensor([2.0, float("nan")])).item()
    2.0
    """
    return composite(numpy=True)(function)


nanmax = _nan_extreme("nanmax", ops.amax, -float("inf"))
nanmin = _nan_extreme("nanmin", ops.amin, float("inf"))


@composite(numpy=True)
def nansum(a: Array, axis=None, dtype=None, keepdims=False):
    """The sum with NaN as 0.

    >>> nansum(Tensor([2.0, float("nan")])).item()
    2.0
    """
    axes = axes_of("nansum", axis, a.ndim)
    return cast(ops.ReduceSum(bool(keepdims))(_filled(a, 0), axes), dtype)


@array_op("nanmean(a, axis=None, dtype=None, keepdims=False)")
def nanmean(a: Array, axis=None, dtype=None, keepdims=False):
    """The mean of the elements that are not NaN, in Float32 unless `dtype` is given.

    >>> nanmean(Tensor([2.0, float("nan"), 4.0])).item()
    3.0
    """
    return jnp.nanmean(_as(a, dtype), axis, keepdims=keepdims)


def _as(a, dtype):
    own = jnp.float64 if a.dtype == jnp.float64 else jnp.float32
    return a.astype(own if dtype is None else dtypes.to_numpy(dtype))


@array_op("nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False)")
def nanvar(a: Array, axis=None, dtype=None, ddof=0, keepdims=False):
    """The variance of the elements that are not NaN; `ddof` is subtracted from the divisor.

    >>> nanvar(Tensor([2.0, float("nan"), 4.0])).item()
    1.0
    """
    return _nanvar(_as(a, dtype), axis, ddof, keepdims)


def _nanvar(x, axis, ddof, keepdims):
    gone = jnp.isnan(x)
    count = jnp.sum(~gone, axis, keepdims=True).astype(x.dtype)
    mean = jnp.sum(jnp.where(gone, 0, x), axis, keepdims=True) / count
    square = jnp.where(gone, 0, jnp.square(jnp.where(gone, 0, x) - mean))
    free = jnp.sum(~gone, axis, keepdims=keepdims).astype(x.dtype) - ddof
    total = jnp.sum(square, axis, keepdims=keepdims)
    return jnp.where(free > 0, total / jnp.where(free > 0, free, 1), jnp.nan)


@array_op("nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False)")
def nanstd(a: Array, axis=None, dtype=None, ddof=0, keepdims=False):
    """The square root of `nanvar`.

    >>> nanstd(Tensor([2.0, float("nan"), 4.0])).item()
    1.0
    """
    return safe_root(_nanvar(_as(a, dtype), axis, ddof, keepdims))


# covariance ---------------------------------------------------------------------------------


@array_op("covariance", public=False)
def _covariance(m: Array, fweights: OPTIONAL = None, aweights: OPTIONAL = None, ddof=1):
    """The covariance of the rows of a matrix, for `cov`."""
    check_observation_weights(m, fweights=fweights, aweights=aweights)
    fixed = None if fweights is None else fweights.astype(jnp.int32)
    return jnp.cov(m, ddof=ddof, fweights=fixed, aweights=aweights)


def _observations(m, rowvar):
    require(m.ndim <= 2, "at-most-2-dimensions", "numpy.cov", argument="m", shape=m.shape)
    m = m if m.dtype == dtypes.float64 else m.astype(dtypes.float32)
    m = m.reshape((1, -1)) if m.ndim < 2 else m
    return m if rowvar or m.shape[0] == 1 else m.T


@composite(numpy=True)
def cov(
    m: Array, y: OPTIONAL = None, rowvar=True, bias=False, ddof=None,
    fweights: OPTIONAL = None, aweights: OPTIONAL = None, dtype=None,
):  # fmt: skip
    """The covariance matrix of the variables in the rows (`rowvar`) or columns of `m` and `y`.

    The divisor is the number of observations minus `ddof` (1, or 0 with `bias`). `fweights` and
    `aweights`: integer frequencies and weights of the observations.

    >>> cov(Tensor([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    m = _observations(m, rowvar)
    m = m if y is None else concatenate((m, _observations(y, rowvar)))
    ddof = (0 if bias else 1) if ddof is None else ddof
    result = _covariance(m, fweights, aweights, ddof)
    return cast(ops.squeeze(result) if result.size == 1 else result, dtype)


@composite(numpy=True)
def corrcoef(x: Array, y: OPTIONAL = None, rowvar=True, dtype=None):
    """Correlation coefficients: `cov` divided by both standard deviations, clipped to [-1, 1].

    >>> corrcoef(Tensor([[0.0, 2.0], [2.0, 0.0]])).asnumpy().round(3)
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float32)
    """
    c = cov(x, y, rowvar)
    if not c.shape:
        return cast(ops.div(c, c), dtype)
    spread = ops.sqrt(ops.diagonal(c))
    result = ops.div(ops.div(c, spread.reshape((-1, 1))), spread)
    return cast(ops.clamp(result, -1, 1), dtype)
