"""Rows for `sporax.ops.nn.inference_attention`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample


def attended(
    q, k, v, mask=None, shift=None, q_lengths=None, k_lengths=None, q_padding=None, k_padding=None,
    scale=1.0, sparse_mode=0, pre_tokens=2**31 - 1, next_tokens=2**31 - 1,
):  # fmt: skip
    """One query after the other."""
    (batch, heads, queries, _), keys = q.shape, k.shape[2]
    out, sums = np.zeros((*q.shape[:3], v.shape[3])), np.zeros((*q.shape[:3], 1))
    for b, h, i in np.ndindex(batch, heads, queries):
        n_q = queries if q_lengths is None else q_lengths[b]
        n_k = keys if k_lengths is None else k_lengths[b]
        q_start = 0 if q_padding is None else queries - q_padding - n_q
        k_start = 0 if k_padding is None else keys - k_padding - n_k
        row, more = i - q_start, n_k - n_q
        seen = []
        for j in range(k_start, k_start + n_k):
            column = j - k_start
            apart = column - row
            hides = {
                0: mask is not None and not -pre_tokens <= apart <= next_tokens,
                1: False,
                2: apart > 0,
                3: apart > more,
                4: not more - pre_tokens <= apart <= more + next_tokens,
            }[sparse_mode]
            is_masked = (
                mask is not None and sparse_mode < 2 and mask[min(b, len(mask) - 1), 0, i, j]
            )
            if not hides and not is_masked:
                seen.append(j)
        scores = k[b, h, seen] @ q[b, h, i] * scale
        if shift is not None:
            scores = scores + shift[0, h, i, seen]
        sums[b, h, i] = np.log(np.exp(scores).sum())
        if 0 <= row < n_q:
            out[b, h, i] = np.exp(scores) @ v[b, h, seen] / np.exp(scores).sum()
    return out, sums


def stored(cache, rows, slots):
    flat = cache.reshape(-1, *cache.shape[2:]).copy()
    for row, slot in zip(rows, slots, strict=True):
        if slot >= 0:
            flat[slot] = row
    return flat.reshape(cache.shape)


SHAPES = [(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 3)]
MASK = (np.arange(15).reshape(1, 1, 3, 5) % 4 == 1) & (np.arange(5) > 0)
Q, K, P = np.array([2, 3]), np.array([4, 3]), np.array(1)
NAMES = ["query", "key", "value"]
SAMPLES = [
    Sample("inference_attention", [*SHAPES, MASK, (1, 2, 3, 5)], attended, {"scale": 0.5}),
    Sample("inference_attention", [*SHAPES, MASK], attended, {"pre_tokens": 1, "next_tokens": 2}),
    Sample("inference_attention", SHAPES, attended, {"sparse_mode": 3}),
    Sample("inference_attention", SHAPES, attended,
           {"sparse_mode": 4, "pre_tokens": 1, "next_tokens": 0}),
    Sample("inference_attention", [*SHAPES, Q, K],
           lambda q, k, v, n, m, **a: attended(q, k, v, None, None, n, m, **a),
           {"sparse_mode": 2}, names=[*NAMES, "query_lengths", "key_lengths"]),
    Sample("inference_attention", [*SHAPES, Q - 1, K, P],
           lambda q, k, v, n, m, p, **a: attended(q, k, v, None, None, n, m, None, p, **a),
           names=[*NAMES, "query_lengths", "key_lengths", "key_padding"]),
    Sample("rows_in_slots", [(3, 2, 2, 3), (4, 2, 3), np.array([5, -1, 0, 2], np.int32)], stored),
]  # fmt: skip

X = Tensor(np.ones((2, 4, 8), np.float32))
REFUSALS = [
    Refusal("prompt-int8", lambda: ops.prompt_flash_attention(X, X, X, deq_scale1=X), ValueError,
            ("'prompt_flash_attention'", "int8", "floating")),
    Refusal("prompt-heads", lambda: ops.prompt_flash_attention(X, X, X, num_heads=3), ValueError,
            ("'prompt_flash_attention'", "3 heads")),
    Refusal("incre-list", lambda: ops.incre_flash_attention(X[:, :1], [X, X[:1]], [X, X]),
            ValueError, ("'incre_flash_attention'", "'key'", "one shape")),
    Refusal("paged-mode", lambda: ops.PagedAttention(1, 1.0, 1, "x")(X, X, X), ValueError,
            ("'PagedAttention'", "'kv_cache_quant_mode'", "'x'")),
]  # fmt: skip
