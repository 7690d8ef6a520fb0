"""Rows for `sporax.ops.nn.attention`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample


def attention(q, k, v, bias=0.0, hidden=None, kept=1.0, *, scale=1.0, band=None):
    scores = np.einsum("bnsd,bntd->bnst", q, k) * scale + bias
    unseen = (
        np.zeros(scores.shape, bool) if hidden is None else np.zeros(scores.shape, bool) | hidden
    )
    if band is not None:
        i, j = np.indices(scores.shape[2:])
        unseen = unseen | (j - i < band[0]) | (j - i > band[1])
    e = np.where(unseen, 0.0, np.exp(scores))
    total = e.sum(-1, keepdims=True)
    return np.where(total > 0, e / np.where(total > 0, total, 1), 0) * kept @ v


SHAPES = [(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 3)]
HIDDEN = np.arange(15).reshape(1, 1, 3, 5) % 4 == 1

SAMPLES = [
    Sample("attention", SHAPES, attention, {"scale": 0.5}),
    Sample("attention", SHAPES, attention, {"band": (-1, 1)}),
    Sample("attention", [*SHAPES, (1, 2, 3, 5)], attention, {"scale": 0.5, "band": (-9, 2)}),
    Sample("attention", [*SHAPES, (2, 1, 3, 5), HIDDEN], attention),
    Sample("attention", [*SHAPES, (1, 1, 3, 5), HIDDEN | True], attention),
]  # fmt: skip

X = Tensor(np.ones((2, 4, 8), np.float32))
REFUSALS = [
    Refusal(
        "flash-layout", lambda: ops.flash_attention_score(X, X, X, 2, input_layout="TND"),
        ValueError, ("'flash_attention_score'", "'input_layout'", "'TND'"),
    ),
    Refusal(
        "flash-heads", lambda: ops.flash_attention_score(X, X, X, 3), ValueError,
        ("'flash_attention_score'", "'query'", "3 heads", "(2, 4, 8)"),
    ),
    Refusal(
        "flash-mode", lambda: ops.flash_attention_score(X, X, X, 2, sparse_mode=5), ValueError,
        ("'flash_attention_score'", "'sparse_mode'", "5"),
    ),
    Refusal(
        "flash-prefix", lambda: ops.flash_attention_score(X, X, X, 2, prefix=(1, 2)), ValueError,
        ("'flash_attention_score'", "'prefix'", "'attn_mask'"),
    ),
]  # fmt: skip
