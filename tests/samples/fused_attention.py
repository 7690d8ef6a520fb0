"""Rows for `sporax.ops.nn.fused_attention`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample


def merged(out, largest, total, new, new_largest, new_total, layout="SBH"):
    """From both parts' sums of powers of e times values."""
    m = np.maximum(largest, new_largest)
    before, now = total * np.exp(largest - m), new_total * np.exp(new_largest - m)
    share = [w[..., 0] / (before + now)[..., 0] for w in (before, now)]
    if layout == "SBH":
        size = out.shape[2] // largest.shape[1]
        share = [np.repeat(s.transpose(2, 0, 1), size, -1) for s in share]
    else:
        share = [s[..., None] for s in share]
    return out * share[0] + new * share[1], m, before + now


def eight(*shape):
    return np.repeat(np.random.default_rng(len(shape)).uniform(0.5, 2, (*shape, 1)), 8, -1)


BATCH, PACKED = eight(2, 2, 3), eight(4, 2)
SAMPLES = [
    Sample("ring_attention_update",
           [(3, 2, 6), BATCH, BATCH + 1, (3, 2, 6), BATCH[::-1], BATCH], merged),
    Sample("ring_attention_update",
           [(4, 2, 3), PACKED, PACKED, (4, 2, 3), PACKED[::-1] + 0.1, PACKED], merged,
           {"layout": "TND"}),
]  # fmt: skip

X = Tensor(np.ones((2, 4, 8), np.float32))
REFUSALS = [
    Refusal("speed-layout", lambda: ops.speed_fusion_attention(X, X, X, 2, "NHD"), ValueError,
            ("'speed_fusion_attention'", "layout", "'NHD'")),
    Refusal("speed-ends", lambda: ops.speed_fusion_attention(X, X, X, 4, "TND"), ValueError,
            ("'speed_fusion_attention'", "'actual_seq_qlen'", "'TND'")),
    Refusal("ring-layout", lambda: ops.ring_attention_update(X, X, X, X, X, X, layout="x"),
            ValueError, ("'RingAttentionUpdate'", "'layout'")),
]  # fmt: skip
