"""Rows for `sporax.ops.image.suppression`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample

OVERLAPS = np.array(
    [[1, 0.3, 0.2, 0.5], [0.3, 1, 0.4, 0.6], [0.2, 0.4, 1, 0.7], [0.5, 0.6, 0.7, 1]]
)
SCORES = np.array([0.5, 0.45, 0.3, 0.9])
CORNERS = np.array([[1.0, 2, 3, 4], [1, 3, 3, 4], [4, 4, 1, 3], [1, 1, 4, 4], [9, 9, 10, 10]])


def suppressed(overlaps, scores, threshold, least, is_open=False):
    order, chosen = np.argsort(-scores, kind="stable"), []
    for i in order:
        near = overlaps[i, chosen] >= threshold if is_open else overlaps[i, chosen] > threshold
        if scores[i] > least and not near.any():
            chosen.append(i)
    return order, np.isin(order, chosen)


def overlaps(boxes):
    out = np.zeros((len(boxes),) * 2)
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    for i, j in np.ndindex(*out.shape):
        sides = np.minimum(high[i], high[j]) - np.maximum(low[i], low[j])
        both = max(sides[0], 0) * max(sides[1], 0)
        out[i, j] = both / ((high[i] - low[i]).prod() + (high[j] - low[j]).prod() - both)
    return out


SAMPLES = [
    Sample("suppressed", [OVERLAPS, SCORES, np.array(t), np.array(s)], suppressed, {"is_open": o})
    for t, s, o in ((0.5, 0.2, False), (0.5, 0.2, True), (0.35, 0.4, False))
] + [Sample("overlaps_of_corners", [CORNERS], overlaps)]

X = ops.ones((2,))
REFUSALS = [
    Refusal("nms-boxes", lambda: ops.NonMaxSuppressionV3()(X, X, 1, 0.5, 0.0), ValueError,
            ("'overlaps_of_corners'", "'boxes'", "(n, 4)")),
]  # fmt: skip
