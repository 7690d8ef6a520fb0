"""Rows for `sporax.ops.indexing.sorted_segments`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample

IDS = np.array([0, 0, 2, 2, 2])


def segments(x, ids, count, reduction):
    empty = np.full(x.shape[1:], 1.0 if reduction == "prod" else 0.0)
    rows = [x[ids == n] for n in range(count)]
    return np.array([getattr(np, reduction)(r, 0) if len(r) else empty for r in rows])


SAMPLES = [
    Sample("reduced_segments", [(5, 2), IDS], segments, {"count": 4, "reduction": name})
    for name in ("sum", "mean", "max", "min", "prod")
]

REFUSALS = [
    Refusal("segments-falling", lambda: ops.SegmentSum()(ops.ones((2,)), Tensor([1, 0])),
            ValueError, ("'SegmentSum'", "'segment_ids'", "rising")),
]  # fmt: skip
