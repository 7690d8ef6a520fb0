"""Rows for `sporax.ops.indexing.index_mapping`."""

import numpy as np

from sporax import Tensor, float32, int64, ops
from tests.samples import Refusal, Sample


def places(at, dims):
    return np.stack(np.unravel_index(at, dims))


SAMPLES = [
    Sample("coordinates_of", [np.array([2, 5, 17])], places, {"dims": (2, 3, 3)}),
    Sample("coordinates_of", [np.array(7)], places, {"dims": (2, 3, 3)}),
]

X = Tensor([1, 2])
REFUSALS = [
    Refusal("unravel-far", lambda: ops.UnravelIndex()(Tensor([9]), Tensor([3, 3])).asnumpy(),
            IndexError, ("'UnravelIndex'", "9")),
    Refusal("ragged-zero", lambda: ops.RaggedRange(int64)(X, X, X * 0), ValueError,
            ("'RaggedRange'", "'deltas'")),
    Refusal("ragged-dtype", lambda: ops.RaggedRange(float32)(X, X, X), ValueError,
            ("'RaggedRange'", "'Tsplits'")),
    Refusal("cache-shape", lambda: ops.MapCacheIdx()(X, X, 0, 1, 0), ValueError,
            ("'MapCacheIdx'", "'hashmap'")),
]  # fmt: skip
