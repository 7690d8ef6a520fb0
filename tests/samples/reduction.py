"""Rows for `sporax.ops.math.reduction` and `sporax.ops.math.statistics`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

WHOLE = np.array([[3, 1, 2], [4, 6, 5]], np.int32)
TRUTH = np.array([[True, False], [True, True]])
NAMES = {"dim": "axis", "keepdim": "keepdims", "keep_dims": "keepdims"}


def numpy(function, **fixed):
    """NumPy's function, given sporax's names of the attributes."""

    def reference(x, **attributes):
        options = {NAMES.get(k, k): v for k, v in attributes.items()} | fixed
        options["axis"] = None if options.get("axis") == () else options.get("axis")
        return function(x, **options)

    return reference


def arg_with_value(arg, value):
    def reference(x, axis=0, keep_dims=False):
        return arg(x, axis, keepdims=keep_dims), value(x, axis, keepdims=keep_dims)

    return reference


def mean_of_whole(x, axis=None):
    return np.trunc(x.mean(axis))


def norm(A, ord=None, dim=None, keepdim=False):
    return np.linalg.norm(A, ord, dim, keepdim)


def logsumexp(x, dim, keepdim=False):
    return np.log(np.exp(x).sum(dim, keepdims=keepdim))


def cumsum(x, axis, exclusive=False, reverse=False):
    x = np.flip(x, axis) if reverse else x
    total = np.cumsum(x, axis) - (x if exclusive else 0)
    return np.flip(total, axis) if reverse else total


def running(accumulate, equal):
    def reference(x, axis):
        best = accumulate(x, axis)
        place = np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
        return best, np.maximum.accumulate(np.where(equal(x, best), place, 0), axis)

    return reference


AXES = [{}, {"axis": 1}, {"axis": (0, -1), "keep_dims": True}]
SAMPLES = [
    Sample("sum", [(2, 3)], numpy(np.sum)),
    Sample("sum", [(2, 3, 2)], numpy(np.sum), {"dim": (0, 2), "keepdim": True}),
    Sample("sum", [WHOLE], numpy(np.sum), {"dim": -1}),
    Sample("sum", [TRUTH], numpy(np.sum), {"dim": ()}),
    *[Sample("mean", [(2, 3)], numpy(np.mean), a) for a in AXES],
    Sample("mean", [WHOLE], mean_of_whole, {"axis": 1}),
    *[Sample("prod", [(2, 3)], numpy(np.prod), a) for a in AXES],
    Sample("prod", [WHOLE], numpy(np.prod), {"axis": 1}),
    Sample("reduce_sum", [(2, 3)], numpy(np.sum), {"axis": ()}),
    Sample("reduce_sum", [TRUTH], numpy(np.any), {"axis": 1}),
    Sample("reduce_prod", [(2, 3)], numpy(np.prod), {"axis": 0}),
    Sample("reduce_prod", [WHOLE], numpy(np.prod), {"axis": 1}),
    Sample("amax", [(2, 3)], numpy(np.max), {"axis": 1, "keepdims": True}),
    Sample("amax", [(2, 3)], numpy(np.max)),
    Sample("amax", [WHOLE], numpy(np.max), {"axis": (0, 1)}),
    Sample("amin", [(2, 3)], numpy(np.min), {"axis": -1}),
    Sample("amin", [WHOLE], numpy(np.min), {"axis": ()}),
    Sample("argmax_with_value", [(2, 3)], arg_with_value(np.argmax, np.max), {"axis": 1}),
    Sample("argmax_with_value", [WHOLE], arg_with_value(np.argmax, np.max), {"keep_dims": True}),
    Sample("argmin_with_value", [(2, 3)], arg_with_value(np.argmin, np.min), {"axis": -1}),
    Sample("argmax", [(2, 3)], numpy(np.argmax), {"dim": 1}),
    Sample("argmax", [WHOLE], numpy(np.argmax)),
    Sample("argmin", [(2, 3)], numpy(np.argmin), {"axis": 1, "keepdims": True}),
    Sample("all", [TRUTH], numpy(np.all), {"axis": 1}),
    Sample("all", [WHOLE], numpy(np.all)),
    Sample("any", [~TRUTH], numpy(np.any), {"axis": 1, "keep_dims": True}),
    # spread and norms
    Sample("var", [(2, 3)], numpy(np.var), {"axis": 1, "ddof": 1}),
    Sample("var", [(2, 3)], numpy(np.var)),
    Sample("std", [(2, 3)], numpy(np.std), {"axis": (0,), "keepdims": True}),
    Sample("std", [WHOLE], numpy(np.std), {"axis": 1}),
    Sample("norm", [(2, 3)], norm),
    Sample("norm", [(2, 3)], norm, {"dim": 1, "keepdim": True}),
    Sample("norm", [(2, 3)], norm, {"ord": 1, "dim": 1}),
    Sample("norm", [(2, 3)], norm, {"ord": 3, "dim": 0}),
    Sample("norm", [(2, 3)], norm, {"ord": float("inf"), "dim": 0}),
    Sample("norm", [(2, 3)], norm, {"ord": "fro"}),
    Sample("norm", [(2, 3)], norm, {"ord": 1}),
    Sample("norm", [(2, 3)], norm, {"ord": 2}),
    Sample("logsumexp", [(2, 3)], logsumexp, {"dim": 1}),
    Sample("logsumexp", [(2, 3)], logsumexp, {"dim": (0, 1), "keepdim": True}),
    Sample("count_nonzero", [TRUTH], numpy(np.count_nonzero), {"axis": 1}),
    # running
    Sample("cumsum", [(2, 3)], cumsum, {"axis": 1}),
    Sample("cumsum", [WHOLE], cumsum, {"axis": 0}),
    Sample("cumprod", [(2, 3)], lambda x, dim: np.cumprod(x, dim), {"dim": 1}),
    Sample("cumprod", [WHOLE], lambda x, dim: np.cumprod(x, dim), {"dim": -1}),
    Sample("cummax", [(2, 4)], running(np.maximum.accumulate, np.equal), {"axis": 1}),
    Sample("cummin", [(2, 4)], running(np.minimum.accumulate, np.equal), {"axis": 0}),
    Sample("cummin", [WHOLE], running(np.minimum.accumulate, np.equal), {"axis": 1}),
    Sample("addn", [(2, 3), (2, 3), (2, 3)], lambda *xs: sum(xs), packed=True),
]


REFUSALS = [
    Refusal(
        "sum-axis",
        lambda: Tensor(np.ones((2, 3), np.float32)).sum(axis=3),
        ValueError,
        ("For 'sum'", "Float32 (2, 3)", "3"),
    ),
    Refusal(
        "max-where",
        lambda: ops.amax(Tensor([1.0]), where=Tensor([True])),
        ValueError,
        ("For 'ReduceMax'", "'initial'"),
    ),
    Refusal(
        "sum-keywords",
        lambda: Tensor([1.0]).sum(keep_dims=True),
        TypeError,
        ("For 'sum'", "keepdims", "keep_dims"),
    ),
]


SAMPLES += [
    Sample("square_sum_all", [(2, 3), (2, 3)], lambda x, y: ((x * x).sum(), (y * y).sum())),
]
