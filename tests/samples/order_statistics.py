"""Rows for `sporax.ops.math.order_statistics`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

HOLES = np.array([[1.0, np.nan, 3.0, 2.0], [np.nan, 5.0, 0.5, -1.0]])
ODD = "NaN stays"


def lower(x, axis=-1, keepdims=False, nan=False):
    """The element of rank (n - 1) // 2, by sorting."""
    size = (~np.isnan(x)).sum(axis, keepdims=True) if nan else np.full(1, x.shape[axis])
    place = np.broadcast_to((size - 1) // 2, np.take(x, [0], axis).shape)
    index = np.take_along_axis(np.argsort(x, axis), place, axis)
    values = np.take_along_axis(x, index, axis)
    return (values, index) if keepdims else (values.squeeze(axis), index.squeeze(axis))


def kth(x, k, dim=-1, keepdim=False):
    index = np.take(np.argsort(x, dim), [k - 1], dim)
    values = np.take_along_axis(x, index, dim)
    return (values, index) if keepdim else (values.squeeze(dim), index.squeeze(dim))


def with_gaps(function):
    return lambda x, axis=None, keepdims=False: function(x, axis=axis, keepdims=keepdims)


SAMPLES = [
    Sample("kthvalue", [(2, 5)], kth, {"k": 2}),
    Sample("kthvalue", [(4, 3)], kth, {"k": 3, "dim": 0, "keepdim": True}),
    Sample("median", [(2, 5)], lower),
    Sample("median", [(4, 3)], lower, {"axis": 0, "keepdims": True}),
    Sample("nanmedian", [HOLES], lambda x: lower(x, nan=True), sharp=ODD),
    Sample("nanmedian", [(2, 4)], lower),
    Sample("quantile", [(2, 5), np.array(0.3)], np.quantile, sharp="steps in q"),
    Sample("quantile", [(2, 5)], lambda x, **more: np.quantile(x, **more), {"q": 0.75, "axis": 1}),
    Sample("quantile", [(2, 5), np.array([0.1, 0.9])],
           lambda x, q, axis, keepdims: np.quantile(x, q, axis, keepdims=keepdims),
           {"axis": 0, "keepdims": True}, sharp="steps in q"),
    Sample("nanquantile", [HOLES, np.array(0.3)], lambda x, q, axis: np.nanquantile(x, q, axis),
           {"axis": 1}, sharp=ODD),
    Sample("nanquantile", [(2, 5)], lambda x, **more: np.nanquantile(x, **more), {"q": 0.4}),
    Sample("nansum", [HOLES], with_gaps(np.nansum), {"axis": 0}, sharp=ODD),
    Sample("nansum", [(2, 3)], np.nansum),
    Sample("nanmean", [HOLES], with_gaps(np.nanmean),
           {"axis": 1, "keepdims": True}, sharp=ODD),
    Sample("nanmean", [(2, 3)], np.nanmean),
    Sample("bincount_of_length", [np.array([1, 4, 1, 0])],
           lambda x, length: np.bincount(x, minlength=length),
           {"length": 6}),
    Sample("bincount_of_length", [np.array([1, 2, 1, 0]), (4,)],
           lambda x, w, length: np.bincount(x, w, minlength=length), {"length": 3}),
    Sample("histc", [(3, 4)], lambda x, bins, min, max: np.histogram(x, bins, (min, max))[0],
           {"bins": 5, "min": -1.0, "max": 1.5}),
    Sample("histc", [(12,)], lambda x, bins: np.histogram(x, bins)[0], {"bins": 4}),
    Sample("bucketize", [np.array([[1.0, 2.0], [2.5, 7.0]])],
           lambda x, boundaries: np.searchsorted(boundaries, x), {"boundaries": (2.0, 4.0)}),
    Sample("bucketize", [np.array([1.0, 2.0])],
           lambda x, boundaries, right: np.searchsorted(boundaries, x, "right"),
           {"boundaries": (2.0, 4.0), "right": True}),
    Sample("diff", [(2, 4)], np.diff),
    Sample("diff", [(3, 2), (1, 2)], lambda x, p, n, axis: np.diff(x, n, axis, prepend=p),
           {"n": 2, "axis": 0}, names=["x", "prepend"]),
    Sample("trapz", [(2, 4)], lambda y, dx: np.trapezoid(y, dx=dx), {"dx": 0.5}),
    Sample("trapz", [(3, 2), (3,)], lambda y, x, dim: np.trapezoid(y.T, x), {"dim": 0},
           sharp="" ),
    Sample("cov", [(2, 4)], np.cov),
    Sample("cov", [(2, 3), np.array([1, 2, 3]), np.array([0.5, 0.2, 0.3])],
           lambda x, f, a, correction: np.cov(x, ddof=correction, fweights=f, aweights=a),
           {"correction": 0}, names=["input", "fweights", "aweights"]),
    Sample("logcumsumexp", [(2, 4)], lambda x, axis: np.logaddexp.accumulate(x, axis), {"axis": 1}),
    Sample("logcumsumexp", [(3, 2)], lambda x, axis: np.logaddexp.accumulate(x, axis), {"axis": 0}),
]  # fmt: skip

REFUSALS = [
    Refusal("bincount-2d", lambda: ops.bincount(Tensor([[1, 2]])), TypeError,
            ("'bincount'", "vector")),
    Refusal("bincount-negative", lambda: ops.bincount(Tensor([-1])), ValueError,
            ("negative", "-1")),
    Refusal("diff-n", lambda: ops.diff(Tensor([1, 2]), -1), ValueError, ("'n'", "-1")),
]  # fmt: skip
