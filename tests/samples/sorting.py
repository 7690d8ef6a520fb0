"""Rows for `sporax.ops.math.sorting`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

TIES = np.array([[3, 1, 3, 2], [0, 0, -5, 7]], np.int32)


def argsort(x, axis=-1, descending=False):
    return np.argsort(-x if descending else x, axis, stable=True)


def sort(x, **attributes):
    at = argsort(x, **attributes)
    return np.take_along_axis(x, at, attributes.get("axis", -1)), at


def topk(x, k, dim=-1, largest=True):
    at = np.take(argsort(x, dim, largest), np.arange(k), dim)
    return np.take_along_axis(x, at, dim), at


def searchsorted(row, expected, right=False):
    side = "right" if right else "left"
    return np.stack([np.searchsorted(r, w, side) for r, w in zip(row, expected, strict=True)])


ROWS = [np.array([[1, 3, 3], [0, 2, 4]]), np.array([[3, 5], [2, -1]])]

PAIRED = np.array([2, 1, 2, 5])


def unique_with_pad(x, pad):
    values, first, inverse = np.unique(x, return_index=True, return_inverse=True)
    order = np.argsort(first)
    padded = [*values[order], *[pad] * (x.size - values.size)]
    return np.array(padded), np.argsort(order)[inverse]


SAMPLES = [
    Sample("unique_with_pad", [PAIRED, np.array(9)], unique_with_pad),
    Sample("sort", [(2, 4)], sort),
    Sample("sort", [TIES], sort, {"descending": True}),
    Sample("sort", [TIES], sort, {"axis": 0}),
    Sample("argsort", [TIES], argsort, {"descending": True}),
    Sample("argsort", [(2, 4)], argsort, {"axis": 0}),
    Sample("topk", [(2, 4)], topk, {"k": 2}),
    Sample("topk", [(4, 2)], topk, {"k": 2, "dim": 0, "largest": False}),
    Sample("topk", [TIES], topk, {"k": 3}),
    Sample("searchsorted", ROWS, searchsorted),
    Sample("searchsorted", ROWS, searchsorted, {"right": True}),
]

REFUSALS = [
    Refusal(
        "topk-many",
        lambda: ops.topk(Tensor([1.0, 2.0]), 3),
        ValueError,
        ("For 'TopK'", "(2,)", "3"),
    ),
]
