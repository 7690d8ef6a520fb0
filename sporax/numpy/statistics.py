"""Reductions and statistics: extremes, averages, NaN left out, histograms."""


import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax.core import dtype as dtypes
from sporax.core.tensor import Tensor
from sporax.numpy.creation import linspace
from sporax.numpy.faces import Array, array_of, array_op, cast, composite, dtype_of, in_one_dtype
from sporax.numpy.manipulation import axes_of, axis_of, concatenate
from sporax.numpy.mathematics import diff
from sporax.ops.arithmetic import floating
from sporax.ops.declare import OPTIONAL

# extremes -----------------------------------------------------------------------------------


def _extreme(name, short, compute, word):
    def function(a: Array, axis=None, keepdims=False, initial=None, where=True):
        a = array_of(a, name)
        where = None if where is True else array_of(where, name, "where")
        if where is not None and initial is None:
            raise ValueError(
                f"For 'numpy.{name}', 'initial' must be given where 'where' leaves elements out."
            )
        axis = axes_of(name, axis, a.ndim)
        return compute(a, axis, keepdims, initial=initial, where=where)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""The {word} element along `axis`: an int, a tuple, or None for all.

    `initial`: a number that takes part. `where`: a Bool mask of those that count.

    >>> {name}(Tensor([1, 3, 2])).item() in (1, 3)
    True
    """
    signature = "(a, axis=None, keepdims=False, initial=None, where=True)"
    return composite(numpy=(f"{name}{signature}", f"{short}{signature}"))(function)


amax = _extreme("amax", "max", ops.amax, "largest")
amin = _extreme("amin", "min", ops.amin, "smallest")


@composite(numpy=True)
def ptp(x: Array, axis=None, keepdims=False):
    """The largest minus the smallest element along `axis`.

    >>> ptp(Tensor([1.0, 5.0, 2.0])).item()
    4.0
    """
    return ops.sub(amax(x, axis, keepdims), amin(x, axis, keepdims))


# running ------------------------------------------------------------------------------------


@composite(numpy=True)
def cumsum(a: Array, axis=None, dtype=None):
    """Sums of the elements so far along `axis`; of the flattened array if that is None.

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
    """Products of the elements so far along `axis`; of the flattened array if that is None.

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
def average(x: Array, axis=None, weights: OPTIONAL = None, returned=False):
    r"""$\sum_i w_i x_i / \sum_i w_i$ along `axis`, the mean without `weights`.

    `weights`: of the shape of `x`, or a vector along an int `axis`. `returned`: the sum of weights
    too, a pair.

    >>> average(Tensor([1.0, 3.0]), weights=Tensor([3.0, 1.0])).item()
    1.5
    """
    axes = axes_of("average", axis, x.ndim)
    if weights is None:
        weights = ops.ones_like(x)
    elif weights.shape != x.shape:
        if weights.ndim != 1 or not isinstance(axis, int):
            raise TypeError(
                f"For 'numpy.average', 'weights' must have the shape {x.shape} of 'x', or be a "
                f"vector along an int 'axis', but got shape {weights.shape}."
            )
        weights = weights.reshape([-1 if i == axes[0] else 1 for i in range(x.ndim)])
        weights = ops.broadcast_to(weights, x.shape)
    total = ops.reduce_sum(weights, axes)
    made = ops.div(ops.reduce_sum(ops.mul(x, weights), axes), total)
    return (made, total.astype(made.dtype)) if returned else made


def _filled(a, value):
    if not jnp.issubdtype(a.dtype.default, jnp.floating):
        return a
    return ops.where(ops.isnan(a), array_of(value).astype(a.dtype), a)


def _nan_extreme(name, compute, least):
    def function(a: Array, axis=None, dtype=None, keepdims=False):
        gone = ops.isnan(a)
        made = compute(_filled(a, least), axes_of(name, axis, a.ndim), keepdims)
        empty = ops.all(gone, axes_of(name, axis, a.ndim), keepdims)
        if jnp.issubdtype(a.dtype.default, jnp.floating):
            made = ops.where(empty, array_of(float("nan")).astype(a.dtype), made)
        return cast(made, dtype)

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
    return cast(ops.reduce_sum(_filled(a, 0), axes_of("nansum", axis, a.ndim)) if not keepdims
                else ops.ReduceSum(True)(_filled(a, 0), axes_of("nansum", axis, a.ndim)), dtype)  # fmt: skip


@array_op("nanmean(a, axis=None, dtype=None, keepdims=False)")
def nanmean(a: Array, axis=None, dtype=None, keepdims=False):
    """The mean of the elements that are not NaN, in Float32 unless `dtype` is given.

    >>> nanmean(Tensor([2.0, float("nan"), 4.0])).item()
    3.0
    """
    return jnp.nanmean(_as(a, dtype), axis, keepdims=keepdims)


def _as(a, dtype):
    return a.astype(jnp.float32 if dtype is None else dtypes.to_numpy(dtype))


@array_op("nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False)")
def nanvar(a: Array, axis=None, dtype=None, ddof=0, keepdims=False):
    """The variance of the elements that are not NaN; `ddof` is taken off the divisor.

    >>> nanvar(Tensor([2.0, float("nan"), 4.0])).item()
    1.0
    """
    return _nanvar(_as(a, dtype), axis, ddof, keepdims)


def _nanvar(x, axis, ddof, keepdims):
    gone = jnp.isnan(x)
    count = jnp.sum(~gone, axis, keepdims=True).astype(x.dtype)
    mean = jnp.sum(jnp.where(gone, 0, x), axis, keepdims=True) / count
    square = jnp.where(gone, 0, jnp.square(jnp.where(gone, 0, x) - mean))
    return jnp.sum(square, axis, keepdims=keepdims) / (
        count - ddof if keepdims else jnp.sum(~gone, axis).astype(x.dtype) - ddof
    )


@array_op("nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False)")
def nanstd(a: Array, axis=None, dtype=None, ddof=0, keepdims=False):
    """The square root of `nanvar`.

    >>> nanstd(Tensor([2.0, float("nan"), 4.0])).item()
    1.0
    """
    return jnp.sqrt(_nanvar(_as(a, dtype), axis, ddof, keepdims))


# covariance ---------------------------------------------------------------------------------


@array_op("covariance", public=False)
def _covariance(m: Array, fweights: OPTIONAL = None, aweights: OPTIONAL = None, ddof=1):
    """The covariance of the rows of a matrix; `cov` calls it."""
    fixed = None if fweights is None else fweights.astype(jnp.int32)
    return jnp.cov(m, ddof=ddof, fweights=fixed, aweights=aweights)


def _observations(m, rowvar):
    if m.ndim > 2:
        raise ValueError(
            f"For 'numpy.cov', 'm' must have at most 2 dimensions, but got shape {m.shape}."
        )
    m = m if m.dtype == dtypes.float64 else m.astype(dtypes.float32)
    m = m.reshape((1, -1)) if m.ndim < 2 else m
    return m if rowvar or m.shape[0] == 1 else m.T


@composite(numpy=True)
def cov(
    m: Array, y: OPTIONAL = None, rowvar=True, bias=False, ddof=None,
    fweights: OPTIONAL = None, aweights: OPTIONAL = None, dtype=None,
):  # fmt: skip
    """The covariance of variables, the rows of `m` (`rowvar`) or its columns, and those of `y`.

    Divided by the number of observations minus `ddof` (1, or 0 with `bias`). `fweights`,
    `aweights`: how often each was made, and how much it counts.

    >>> cov(Tensor([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[2.0, -2.0], [-2.0, 2.0]]
    """
    m = _observations(m, rowvar)
    m = m if y is None else concatenate((m, _observations(y, rowvar)))
    ddof = (0 if bias else 1) if ddof is None else ddof
    made = _covariance(m, fweights, aweights, ddof)
    return cast(ops.squeeze(made) if made.size == 1 else made, dtype)


@composite(numpy=True)
def corrcoef(x: Array, y: OPTIONAL = None, rowvar=True, dtype=None):
    """Correlation coefficients: `cov` divided by both standard deviations, within [-1, 1].

    >>> corrcoef(Tensor([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    c = cov(x, y, rowvar)
    if not c.shape:
        return cast(ops.div(c, c), dtype)
    spread = ops.sqrt(ops.diagonal(c))
    made = ops.div(ops.div(c, spread.reshape((-1, 1))), spread)
    return cast(ops.clamp(made, -1, 1), dtype)


# counting -----------------------------------------------------------------------------------


@array_op("searchsorted", public=False, differentiable=False)
def _search(a: Array, v: Array, side="left"):
    """Where `v` belongs in the sorted vector `a`; `searchsorted` and `digitize` call it."""
    if side not in ("left", "right"):
        raise ValueError(f"'side' must be 'left' or 'right', but got {side!r}")
    if a.ndim != 1:
        raise ValueError(f"'a' must be a vector, but got shape {a.shape}")
    return jnp.searchsorted(a, v, side).astype(jnp.int32)


@composite(numpy=True)
def searchsorted(a: Array, v: Array, side="left", sorter: OPTIONAL = None):
    """Where `v` would have to be put into the sorted vector `a`: before equal elements, or after
    them with `side` 'right'; Int32. `sorter`: indices that sort `a`.

    >>> searchsorted(Tensor([1, 3, 5]), Tensor([3, 4])).tolist()
    [1, 2]
    """
    if sorter is not None:
        if sorter.shape != a.shape:
            raise ValueError(
                f"For 'numpy.searchsorted', 'sorter' must have the shape {a.shape} of 'a', but got "
                f"{sorter.shape}."
            )
        a = ops.gather(a, sorter, 0)
    return _search(*in_one_dtype((a, v)), side)


@composite(numpy=True)
def digitize(x: Array, bins: Array, right=False):
    """The number of the bin each element falls into, by rising or falling edges `bins`: Int32.

    `right`: whether an edge belongs to the bin before it.

    >>> digitize(Tensor([0.5, 2.5]), [1, 2, 3]).tolist()
    [0, 2]
    """
    if bins.ndim != 1:
        raise ValueError(
            f"For 'numpy.digitize', 'bins' must be a vector, but got shape {bins.shape}."
        )
    if not bins.size:
        return ops.zeros(x.shape, dtypes.int32)
    x, edges = in_one_dtype((x, bins))
    side = "left" if right else "right"
    up = _search(edges, x, side)
    down = ops.sub(bins.size, _search(ops.flip(edges, (0,)), x, side))
    return ops.where(ops.less_equal(edges[0], edges[-1]), up, down)


@array_op("bincount", public=False)
def _count(x: Array, weights: OPTIONAL = None, length=0):
    """How often each number below `length` occurs; `bincount` calls it."""
    at = jnp.clip(x, 0)
    if weights is None:
        return jnp.zeros(length, jnp.float32).at[at].add(1, mode="drop")
    return jnp.zeros(length, weights.dtype).at[at].add(weights, mode="drop")


@composite(numpy=True)
def bincount(x: Array, weights: OPTIONAL = None, minlength=0, length=None):
    """How often each number from 0 occurs (negative ones count as 0), or the sum of its weights:
    Float32.

    The result is as long as the largest number asks, at least `minlength`, or `length`.

    >>> bincount(Tensor([0, 2, 2])).tolist()
    [1.0, 0.0, 2.0]
    """
    if x.ndim != 1 or str(x.dtype)[0] not in "IUB":
        raise TypeError(
            f"For 'numpy.bincount', 'x' must be a vector of ints, but got {x.dtype} {x.shape}."
        )
    if weights is not None and weights.shape != x.shape:
        raise ValueError(
            f"For 'numpy.bincount', 'weights' must have the shape {x.shape} of 'x', but got "
            f"{weights.shape}."
        )
    for argument, value in (("minlength", minlength), ("length", 0 if length is None else length)):
        if not isinstance(value, int) or value < 0:
            raise ValueError(
                f"For 'numpy.bincount', '{argument}' must be an int of at least 0, but got {value!r}."
            )
    if length is None:
        length = max(minlength, int(x.max().item()) + 1 if x.size else 0)
    return _count(x.astype(dtypes.int32), weights, length)


@composite(numpy=True)
def histogram_bin_edges(a: Array, bins=10, range=None, weights: OPTIONAL = None):
    """The edges of `bins` equal bins from the least to the largest element (or over `range`).

    >>> histogram_bin_edges(Tensor([0.0, 1.0]), 2).tolist()
    [0.0, 0.5, 1.0]
    """
    if weights is not None and weights.shape != a.shape:
        raise ValueError(
            f"For 'numpy.histogram_bin_edges', 'weights' must have the shape {a.shape} of 'a', but "
            f"got {weights.shape}."
        )
    if isinstance(bins, (tuple, list, Tensor)):
        edges = array_of(bins)
        if edges.ndim != 1:
            raise ValueError(
                f"For 'numpy.histogram', 'bins' must be a vector, but got shape {edges.shape}."
            )
        return edges
    if not isinstance(bins, int):
        raise NotImplementedError(f"For 'numpy.histogram', 'bins' {bins!r} is not done; give a number.")
    if range is None:
        flat = ops.ravel(a).astype(dtypes.float32)
        low, high = ops.amin(flat), ops.amax(flat)
    else:
        if not isinstance(range, (tuple, list)) or len(range) != 2 or range[0] > range[1]:
            raise ValueError(f"For 'numpy.histogram', 'range' must be (low, high), but got {range!r}.")
        low, high = (array_of(float(r)) for r in range)
    half = ops.mul(ops.equal(low, high).astype(dtypes.float32), 0.5)
    return linspace(ops.sub(low, half), ops.add(high, half), bins + 1)


def _bins(values, edges):
    """The bin of each value, the last edge included; that count for ones outside."""
    inner = _search(*in_one_dtype((edges, values)), "right") - 1
    inner = ops.where(ops.equal(values, edges[-1]), array_of(edges.size - 2), inner)
    beyond = ops.logical_or(ops.less(inner, 0), ops.greater(inner, edges.size - 2))
    return ops.where(beyond, array_of(edges.size - 1), inner)


@composite(numpy=True)
def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """How many of the points (rows of `sample`, or one array a coordinate) lie in each cell of a
    grid, and the list of the edges along each axis.

    `bins`, `range`: for all axes a number, or one entry an axis, as `histogram` takes them.

    >>> histogramdd(Tensor([[0.0, 0.0], [1.0, 1.0]]), 2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if isinstance(sample, (tuple, list)):
        sample = ops.stack(in_one_dtype([array_of(x) for x in sample]), 1)
    if sample.ndim != 2:
        raise ValueError(
            f"For 'numpy.histogramdd', 'sample' must be a matrix, but got shape {sample.shape}."
        )
    count = sample.shape[1]
    bins = [bins] * count if isinstance(bins, int) else bins
    spans = [None] * count if range is None else range
    for argument, given in (("bins", bins), ("range", spans)):
        if len(given) != count:
            raise ValueError(
                f"For 'numpy.histogramdd', '{argument}' must have {count} entries, but got {len(given)}."
            )
    columns = ops.unbind(sample, 1)
    edges = [histogram_bin_edges(*c) for c in zip(columns, bins, spans, strict=True)]
    flat = array_of(0)
    for column, edge in zip(columns, edges, strict=True):
        flat = ops.add(ops.mul(flat, edge.size), _bins(column, edge))
    sizes = [edge.size for edge in edges]
    weights = None if weights is None else array_of(weights)
    made = _count(flat, weights, int(np.prod(sizes))).reshape(sizes)
    made = made[tuple(slice(0, n - 1) for n in sizes)]
    if density:
        made = ops.div(made, ops.reduce_sum(made))
        for axis, edge in enumerate(edges):
            shape = [-1 if i == axis else 1 for i, _ in enumerate(edges)]
            made = ops.div(made, diff(edge).reshape(shape))
    return made, edges


@composite(numpy=True)
def histogram(a, bins=10, range=None, weights=None, density=False):
    """How many elements (or the sum of their weights) lie in each bin, and the bins' edges: a pair.

    `bins`: so many equal ones, or their edges. `density`: divided by total and width.

    >>> histogram(Tensor([0.0, 0.1, 1.0]), 2)[0].tolist()
    [2.0, 1.0]
    """
    a = array_of(a)
    flat = None if weights is None else ops.ravel(array_of(weights))
    spans = None if range is None else [range]
    made, edges = histogramdd(ops.ravel(a).reshape((-1, 1)), [bins], spans, flat, density)
    return made, edges[0]


@composite(numpy=True)
def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """`histogramdd` of two coordinates: the counts, the edges along `x` and those along `y`.

    >>> histogram2d([0.0, 1.0], [0.0, 1.0], 2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    made, (first, second) = histogramdd((x, y), bins, range, weights, density)
    return made, first, second


# padding ------------------------------------------------------------------------------------

_PADS = {
    "constant": ("constant_values",), "linear_ramp": ("end_values",),
    **dict.fromkeys(("maximum", "minimum", "mean"), ("stat_length",)),
    **dict.fromkeys(("reflect", "symmetric"), ("reflect_type",)),
    **dict.fromkeys(("edge", "wrap", "empty"), ()),
}  # fmt: skip


@array_op("padded", public=False)
def _padded(arr: Array, pad_width, mode, options):
    """`arr` with more at its edges; `pad` calls it."""
    return jnp.pad(arr, pad_width, mode, **dict(options)).astype(arr.dtype)


@composite(numpy=True)
def pad(
    arr, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0,
    reflect_type="even", **kwargs,
):  # fmt: skip
    """`arr` with `pad_width` more elements at its edges: an int, a pair for all axes, or one each.

    `mode`: 'constant' (`constant_values`), 'edge', 'wrap', 'reflect' and 'symmetric'
    (`reflect_type` 'even' or 'odd'), 'linear_ramp' (to `end_values`), 'maximum', 'minimum', 'mean'
    (of `stat_length` elements), 'empty'; or a function, as `numpy.pad` has it.

    >>> pad(Tensor([1, 2]), 1).tolist()
    [0, 1, 2, 0]
    """
    arr = array_of(arr, "pad", "arr")
    if arr.ndim == 0:
        return arr
    if callable(mode):
        return Tensor(np.pad(arr.asnumpy(), pad_width, mode, **kwargs))
    if mode not in _PADS:
        raise ValueError(f"For 'numpy.pad', 'mode' must be one of {list(_PADS)}, but got {mode!r}.")
    given = {"stat_length": stat_length, "constant_values": constant_values,
             "end_values": end_values, "reflect_type": reflect_type}  # fmt: skip
    chosen = {n: given[n] for n in _PADS[mode] if given[n] is not None}
    return _padded(arr, pad_width, mode, tuple(chosen.items()))
