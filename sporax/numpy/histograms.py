"""Binary search in sorted vectors, counts and histograms."""

import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.numpy.creation import linspace
from sporax.numpy.faces import Array, Arrays, array_of, array_op, composite, in_one_dtype
from sporax.numpy.mathematics import diff
from sporax.ops.declare import OPTIONAL

_SIDE = kinds.one_of("left", "right")


@array_op("searchsorted", public=False, differentiable=False)
def _search(a: Array, v: Array, side="left"):
    """Return insertion indices of `v` in the sorted vector `a`, for `searchsorted` and
    `digitize`."""
    _SIDE(None, side=side)
    require(a.ndim == 1, "vector", argument="a", shape=a.shape)
    return jnp.searchsorted(a, v, side).astype(jnp.int32)


@composite(numpy=True)
def searchsorted(a: Array, v: Array, side="left", sorter: OPTIONAL = None):
    """Return the Int32 indices at which `v` must be inserted into the sorted vector `a`: before
    equal elements, or after them with `side` 'right'. `sorter`: indices that sort `a`.

    >>> searchsorted(Tensor([1, 3, 5]), Tensor([3, 4])).tolist()
    [1, 2]
    """
    if sorter is not None:
        shape, who = sorter.shape, "numpy.searchsorted"
        require(shape == a.shape, "shape-of", who, sorter=shape, shape=a.shape, other="a")
        a = ops.gather(a, sorter, 0)
    return _search(*in_one_dtype((a, v)), side)


@composite(numpy=True)
def digitize(x: Array, bins: Array, right=False):
    """Return the Int32 bin index of each element; the edges `bins` increase or decrease.

    `right`: if True, an edge belongs to the bin before it.

    >>> digitize(Tensor([0.5, 2.5]), Tensor([1, 2, 3])).tolist()
    [0, 2]
    """
    require(bins.ndim == 1, "vector", "numpy.digitize", argument="bins", shape=bins.shape)
    if not bins.size:
        return ops.zeros(x.shape, dtypes.int32)
    x, edges = in_one_dtype((x, bins))
    side = "left" if right else "right"
    up = _search(edges, x, side)
    down = ops.sub(bins.size, _search(ops.flip(edges, (0,)), x, side))
    return ops.where(ops.less_equal(edges[0], edges[-1]), up, down)


@array_op("bincount", public=False)
def _count(x: Array, weights: OPTIONAL = None, length=0):
    """Count the occurrences of each number below `length`, or sum their weights, for `bincount`."""
    index = jnp.clip(x, 0)
    if weights is None:
        return jnp.zeros(length, jnp.float32).at[index].add(1, mode="drop")
    return jnp.zeros(length, weights.dtype).at[index].add(weights, mode="drop")


@composite(numpy=True)
def bincount(x: Array, weights: OPTIONAL = None, minlength=0, length=None):
    """Count the occurrences of each number from 0 on (negative ones count as 0), in Float32, or sum
    their weights.

    The size is the largest number plus 1, at least `minlength`; or `length` if given.

    >>> bincount(Tensor([0, 2, 2])).tolist()
    [1.0, 0.0, 2.0]
    """
    who, is_vector = "numpy.bincount", x.ndim == 1 and str(x.dtype)[0] in "IUB"
    require(is_vector, "vector-integers", who, x=x)
    _check_weights(who, weights, "x", x)
    for argument, value in (("minlength", minlength), ("length", 0 if length is None else length)):
        is_count = isinstance(value, int) and value >= 0
        require(is_count, "int-at-least", who, argument=argument, n=0, got=value)
    if length is None:
        length = max(minlength, int(x.max().item()) + 1 if x.size else 0)
    return _count(x.astype(dtypes.int32), weights, length)


def _check_weights(who, weights, name, x):
    if weights is not None:
        shape = weights.shape
        require(shape == x.shape, "shape-of", who, weights=shape, shape=x.shape, other=name)


@composite(numpy=True)
def histogram_bin_edges(a: Array, bins=10, range=None, weights: OPTIONAL = None):
    """Return the edges of `bins` equal bins from the smallest to the largest element, or over
    `range`.

    >>> histogram_bin_edges(Tensor([0.0, 1.0]), 2).tolist()
    [0.0, 0.5, 1.0]
    """
    _check_weights("numpy.histogram_bin_edges", weights, "a", a)
    if isinstance(bins, (tuple, list, Tensor)):
        edges = array_of(bins)
        require(edges.ndim == 1, "vector", "numpy.histogram", argument="bins", shape=edges.shape)
        return edges
    require(isinstance(bins, int), "int-vector-here", "numpy.histogram", bins=bins)
    if range is None:
        flat = ops.ravel(a).astype(dtypes.float32)
        low, high = ops.amin(flat), ops.amax(flat)
    else:
        is_pair = isinstance(range, (tuple, list)) and len(range) == 2 and range[0] <= range[1]
        require(is_pair, "low-high", "numpy.histogram", range=range)
        low, high = (array_of(float(r)) for r in range)
    half = ops.mul(ops.equal(low, high).astype(dtypes.float32), 0.5)
    return linspace(ops.sub(low, half), ops.add(high, half), bins + 1)


def _bins(values, edges):
    """Return the bin index of each value, the last edge inclusive; `edges.size - 1` if outside."""
    inner = _search(*in_one_dtype((edges, values)), "right") - 1
    inner = ops.where(ops.equal(values, edges[-1]), array_of(edges.size - 2), inner)
    beyond = ops.logical_or(ops.less(inner, 0), ops.greater(inner, edges.size - 2))
    return ops.where(beyond, array_of(edges.size - 1), inner)


@composite(numpy=True)
def histogramdd(sample, bins=10, range=None, weights=None, density=False) -> tuple:
    """Count the points (rows of `sample`, or one array per coordinate) in each cell of a grid;
    return the counts and a list of the edges along each axis.

    `bins`: an int for all axes, or one entry per axis; `range`: one entry per axis. The entries are
    as in `histogram`.

    >>> histogramdd(Tensor([[0.0, 0.0], [1.0, 1.0]]), 2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if isinstance(sample, (tuple, list)):
        sample = ops.stack(in_one_dtype([array_of(x) for x in sample]), 1)
    sample = array_of(sample, "histogramdd", "sample")
    who = "numpy.histogramdd"
    require(sample.ndim == 2, "matrix", who, argument="sample", shape=sample.shape)
    count = sample.shape[1]
    bins = [bins] * count if isinstance(bins, int) else bins
    spans = [None] * count if range is None else range
    for argument, sequence in (("bins", bins), ("range", spans)):
        fits = isinstance(sequence, (tuple, list, Tensor)) and len(sequence) == count
        require(fits, "entries", who, argument=argument, count=count, got=sequence)
    columns = ops.unbind(sample, 1)
    edges = [histogram_bin_edges(*c) for c in zip(columns, bins, spans, strict=True)]
    flat = array_of(0)
    for column, edge in zip(columns, edges, strict=True):
        flat = ops.add(ops.mul(flat, edge.size), _bins(column, edge))
    sizes = [edge.size for edge in edges]
    weights = None if weights is None else array_of(weights)
    counts = _count(flat, weights, int(np.prod(sizes))).reshape(sizes)
    counts = counts[tuple(slice(0, n - 1) for n in sizes)]
    if density:
        counts = ops.div(counts, ops.reduce_sum(counts))
        for axis, edge in enumerate(edges):
            shape = [-1 if i == axis else 1 for i, _ in enumerate(edges)]
            counts = ops.div(counts, diff(edge).reshape(shape))
    return counts, edges


@composite(numpy=True)
def histogram(a, bins=10, range=None, weights=None, density=False) -> Arrays:
    """Return the pair (count of elements, or sum of their weights, in each bin; bin edges).

    `bins`: the number of equal bins, or the edges. `density`: divide by the total and the widths.

    >>> histogram(Tensor([0.0, 0.1, 1.0]), 2)[0].tolist()
    [2.0, 1.0]
    """
    a = array_of(a)
    flat = None if weights is None else ops.ravel(array_of(weights))
    spans = None if range is None else [range]
    counts, edges = histogramdd(ops.ravel(a).reshape((-1, 1)), [bins], spans, flat, density)
    return counts, edges[0]


@composite(numpy=True)
def histogram2d(x, y, bins=10, range=None, weights=None, density=False) -> Arrays:
    """`histogramdd` of two coordinates: the counts, the edges along `x` and the edges along `y`.

    >>> histogram2d([0.0, 1.0], [0.0, 1.0], 2)[0].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    counts, (first, second) = histogramdd((x, y), bins, range, weights, density)
    return counts, first, second
