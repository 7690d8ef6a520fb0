"""Rows for `sporax.ops.nn.sparse_attention`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample

RNG = np.random.default_rng(3)


def compressed(x, weight, starts):
    return np.array([(x[s : s + len(weight)] * weight[..., None]).sum(0) for s in starts])


def unchosen(indices, blocks):
    out = np.ones((1, indices.shape[1], indices.shape[0], len(blocks)), bool)
    for s, m, c in np.ndindex(indices.shape):
        out[0, m, s] &= blocks != indices[s, m, c] if indices[s, m, c] >= 0 else True
    return out


def softmax(x, hidden):
    powers = np.where(hidden, 0, np.exp(x))
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300)


def best(query, key, hidden, refused, table, scale=1.0, count=1):
    group = query.shape[1] // key.shape[1]
    scores = np.einsum("bnsd,bntd->bnst", query, np.repeat(key, group, 1)) * scale
    weights = softmax(scores, hidden)[0].reshape(-1, group, *scores.shape[2:]).sum(1)
    matter = np.einsum("mst,stb->smb", weights, table)
    out = np.full((*matter.shape[:2], count), -1)
    for s, m in np.ndindex(matter.shape[:2]):
        order = np.argsort(-matter[s, m], kind="stable")
        row = [i for i in order if not refused[s, i]][:count]
        out[s, m, : len(row)] = row
    return out


def indexed(query, key, weights, hidden, count=1):
    products = np.maximum(np.einsum("bsnd,btd->bsnt", query, key[:, :, 0]), 0)
    scores = np.einsum("bsn,bsnt->bst", weights, products)
    at, values = np.full((*scores.shape[:2], 1, count), -1), np.zeros((*scores.shape[:2], 1, count))
    for b, s in np.ndindex(scores.shape[:2]):
        row = [i for i in np.argsort(-scores[b, s], kind="stable") if not hidden[b, s, i]][:count]
        at[b, s, 0, : len(row)], values[b, s, 0, : len(row)] = row, scores[b, s, row]
    return at, values


def to_chosen(query, key, value, chosen, hidden, q_rope=None, k_rope=None, scale=1.0, block=1):
    out, m, total = np.zeros((*query.shape[:3], value.shape[3])), [], []
    for b, s, n in np.ndindex(query.shape[:3]):
        at = [c * block + i for c in chosen[b, s, 0] if c >= 0 for i in range(block)]
        at = [t for t in at if t < key.shape[1] and not hidden[b, s, t]]
        scores = key[b, at, 0] @ query[b, s, n]
        if q_rope is not None:
            scores = scores + k_rope[b, at, 0] @ q_rope[b, s, n]
        powers = np.exp(scores * scale - (scores * scale).max())
        out[b, s, n] = powers @ value[b, at, 0] / powers.sum()
        m.append((scores * scale).max()), total.append(powers.sum())
    shape = (query.shape[0], 1, *query.shape[1:3])
    return out, np.reshape(m, shape), np.reshape(total, shape)


AT = np.array([[[0, 2]], [[1, -1]], [[2, 0]]], np.int32)
CAUSAL = np.broadcast_to(~np.tri(3, 5, 2, bool), (2, 3, 5))
CHOSEN = np.array([[[[0, 2, -1]], [[4, 1, 3]], [[2, 0, 1]]]], np.int32)
TABLE, REFUSED = RNG.integers(0, 3, (3, 5, 4)), np.eye(3, 4, dtype=bool)
SAMPLES = [
    Sample("compressed_windows", [(6, 2, 3), (2, 2)], compressed, {"starts": (0, 1, 4)}),
    Sample("unchosen", [AT, np.array([0, 0, 1, 1, 2], np.int32)], unchosen),
    Sample("best_blocks", [(1, 4, 3, 2), (1, 2, 5, 2), CAUSAL[:1, None], REFUSED, TABLE], best,
           {"scale": 0.5, "count": 3}),
    Sample("indexer_scores", [(2, 3, 2, 4), (2, 5, 1, 4), (2, 3, 2), CAUSAL], indexed,
           {"count": 4}, range=(0.1, 2.0)),
    Sample("attention_to_chosen", [(1, 3, 2, 2), (1, 5, 1, 2), (1, 5, 1, 2), CHOSEN, CAUSAL[:1]],
           to_chosen, {"scale": 0.5}),
    Sample("attention_to_chosen", [(1, 3, 1, 2), (1, 5, 1, 2), (1, 5, 1, 2), CHOSEN % 3, CAUSAL[:1],
                                   (1, 3, 1, 2), (1, 5, 1, 2)],
           to_chosen, {"scale": 0.5, "block": 2}),
]  # fmt: skip

X = ops.ones((4, 2, 8))
REFUSALS = [
    Refusal("nsa-heads", lambda: ops.nsa_select_attention(
        X, X, X, Tensor(np.zeros((4, 2, 1), np.int32)), 1.0, 4, 2, 1, actual_seq_qlen=(4,),
        actual_seq_kvlen=(4,)), ValueError, ("'nsa_select_attention'", "4 heads")),
    Refusal("nsa-lengths", lambda: ops.nsa_compress(X, ops.ones((2, 2)), 2, 1, actual_seq_len=(3,)),
            ValueError, ("'nsa_compress'", "'actual_seq_len'", "4")),
    Refusal("indexer-mode", lambda: ops.lightning_indexer(
        X[None], X[None, :, :1], ops.ones((1, 4, 2)), sparse_mode=1),
            ValueError, ("'lightning_indexer'", "'sparse_mode'", "1")),
    Refusal("sparse-rope", lambda: ops.sparse_flash_attention(
        X[None], X[None, :, :1], X[None, :, :1], Tensor(CHOSEN[:1, :1]), 1.0, attention_mode=2),
            ValueError, ("'sparse_flash_attention'", "'query_rope'")),
]  # fmt: skip
