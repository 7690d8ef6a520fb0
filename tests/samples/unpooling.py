"""Rows for `sporax.ops.nn.unpooling`, and for the rarer ways of looking rows up."""

import itertools

import numpy as np

from tests.samples import Sample


def overlaid(columns, size, kernel, stride, dilation, around):
    n, c, _, _ = columns.shape
    (top, bottom), (left, right) = around
    image = np.zeros((n, c, size[0] + top + bottom, size[1] + left + right))
    starts = [
        range(0, m - (k - 1) * d, s)
        for m, k, s, d in zip(image.shape[2:], kernel, stride, dilation, strict=True)
    ]
    for window, (i, j) in enumerate(itertools.product(*starts)):
        for place, (a, b) in enumerate(itertools.product(*map(range, kernel))):
            image[:, :, i + a * dilation[0], j + b * dilation[1]] += columns[:, :, place, window]
    return image[:, :, top : top + size[0], left : left + size[1]]


def unpooled(x, indices, size):
    axes = len(size)
    out = np.zeros((*x.shape[:-axes], *size))
    flat = out.reshape(*x.shape[:-axes], -1)
    for at in np.ndindex(x.shape):
        flat[(*at[:-axes], indices[at])] = x[at]
    return out


def shortened(input, weight, max_norm):
    out = weight.copy()
    for i in set(input.reshape(-1).tolist()):
        out[i] *= min(1, max_norm / np.linalg.norm(weight[i]))
    return out


AT = np.array([[[0, 5], [3, 4]]])
SAMPLES = [
    Sample("fold_windows", [(2, 2, 4, 4)], overlaid, {
        "size": (3, 3), "kernel": (2, 2), "stride": (1, 1), "dilation": (1, 1),
        "around": ((0, 0), (0, 0))}),
    Sample("fold_windows", [(1, 1, 6, 4)], overlaid, {
        "size": (3, 5), "kernel": (2, 3), "stride": (2, 2), "dilation": (1, 2),
        "around": ((1, 0), (1, 1))}),
    Sample("max_unpool", [(1, 2, 2), AT], unpooled, {"size": (2, 3)}),
    Sample("max_unpool", [(1, 2, 2), np.array([[[1, 3], [0, 2]]])], unpooled, {"size": (4,)}),
    Sample("embedding_renorm", [np.array([0, 2]), (3, 2)], shortened, {"max_norm": 0.5},
           sharp="that of the weight, which is changed first"),
    Sample("embedding_lookup", [np.array([1, 0, 1]), (2, 3)], lambda i, w, by_frequency: w[i],
           {"by_frequency": True}, sharp="divided by how often"),
]  # fmt: skip
