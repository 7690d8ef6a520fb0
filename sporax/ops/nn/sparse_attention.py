"""Attention to a few keys selected for each query: native sparse attention (Yuan et al., 2025) and
attention with an indexer (DeepSeek-AI, 2025)."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.nn.attention import attention
from sporax.ops.nn.fused_attention import as_layout, by_heads, copies, grouped, positions, unseen
from sporax.ops.operand_checks import require_integers, require_shapes

_LAYOUT, _SPARSE_MODE = kinds.one_of("BSND", "TND", "PA_BSND"), kinds.one_of(0, 3)


def _packed(who, query, key, query_ends, key_ends):
    """Return positions of queries and keys (T, N, D) in their sequences, the difference of the
    sequences' lengths, and True for pairs in one sequence."""
    of_q, i, q_lengths = positions(who, "actual_seq_qlen", query_ends, query.shape[0])
    of_k, j, k_lengths = positions(who, "actual_seq_kvlen", key_ends, key.shape[0])
    return i, j, k_lengths - q_lengths[:, None], of_q[:, None] == of_k


def _attended(who, query, key, value, hidden, scale):
    """Attend (T, N, D): result, maxima and sums eight times; `hidden`: (1, 1 or N, S, T)."""
    q, k, v = (by_heads(who, x, "TND", 0) for x in (query, key, value))
    out, *sums = attention(q, *grouped(who, q, k, v), None, hidden, scale=scale, with_sums=True)
    return as_layout(out, "TND"), *[copies(x.squeeze(0).transpose(1, 0)) for x in sums]


# native sparse attention ------------------------------------------------------------------------


@op(function=(), name="nsa_compress")
def compressed_windows(input: Array, weight: Array, starts):
    """Sum windows of `input` `(T, N, D)` from `starts` on, with `weight` `(window, N)`."""
    require_shapes(input=(input, "T N D"), weight=(weight, "size N"))
    index = np.asarray(starts, int).reshape(-1, 1) + np.arange(weight.shape[0])
    return jnp.einsum("wbnd,bn->wnd", input[index], weight)


@composite()
def nsa_compress(input, weight, compress_block_size, compress_stride, *, actual_seq_len):
    """Weighted sums of windows of tokens: `input` `(T, N, D)`, `weight` `(compress_block_size, N)`
    -> `(windows, N, D)`.

    Windows begin every `compress_stride` tokens of each sequence and lie within it; the sequences
    are concatenated and end at `actual_seq_len`.

    >>> x = Tensor(np.arange(4.0, dtype=np.float32).reshape(4, 1, 1))
    >>> ops.nsa_compress(x, ops.ones((2, 1)), 2, 1, actual_seq_len=(4,)).asnumpy().ravel()
    array([1., 3., 5.], dtype=float32)
    """
    who = "nsa_compress"
    require_shapes(who, weight=(weight, f"{compress_block_size} N"))
    require(compress_stride >= 1, "at-least", who, compress_stride=compress_stride, n=1)
    positions(who, "actual_seq_len", actual_seq_len, input.shape[0])
    ends = [0, *np.asarray(actual_seq_len).tolist()]
    starts = [
        start
        for begin, end in itertools.pairwise(ends)
        for start in range(begin, end - compress_block_size + 1, compress_stride)
    ]
    return compressed_windows(input, weight, tuple(starts))


@composite()
def nsa_select_attention(
    query, key, value, topk_indices, scale_value, head_num, select_block_size, select_block_count,
    *, atten_mask=None, actual_seq_qlen, actual_seq_kvlen,
) -> Arrays:  # fmt: skip
    """Attention of `(T, N, D)` to blocks of `select_block_size` keys of the query's own sequence,
    with indices `topk_indices` `(T, heads of key, select_block_count)`, from 0 on.

    The sequences end at `actual_seq_qlen` and `actual_seq_kvlen`. `atten_mask`: True where a key is
    masked. Returns the result, and the largest score of each query and the sum of $e^{score -
    largest}$, both eight times in the last axis.

    >>> x, first = ops.ones((4, 1, 2)), Tensor(np.zeros((4, 1, 1), np.int32))
    >>> out, largest, total = ops.nsa_select_attention(
    ...     x, x, x, first, 1.0, 1, 2, 1, actual_seq_qlen=(4,), actual_seq_kvlen=(4,))
    >>> out.shape, total.asnumpy()[0, 0, 0]
    ((4, 1, 2), np.float32(2.0))
    """
    who = "nsa_select_attention"
    wanted = (query.shape[0], key.shape[1], select_block_count)
    require(query.shape[1] == head_num, "query-heads", who, query=query.shape, heads=head_num)
    shape = topk_indices.shape
    require(shape == wanted, "shape-shape-size", who, topk_indices=shape, shape=wanted)
    _, j, _, is_same = _packed(who, query, key, actual_seq_qlen, actual_seq_kvlen)
    hidden = unchosen(topk_indices, Tensor(j // select_block_size))
    hidden = hidden.repeat_interleave(head_num // key.shape[1], 1).logical_or(Tensor(~is_same))
    if atten_mask is not None:
        hidden = hidden.logical_or(atten_mask.bool())
    return _attended(who, query, key, value, hidden, float(scale_value))


@op(function=(), differentiable=False)
def unchosen(indices: Array, blocks: Array):
    """Return True for keys, in `blocks` `(T,)`, that are in none of the blocks `indices` `(S, M,
    count)`: `(1, M, S, T)`; negative indices are ignored."""
    require_shapes(indices=(indices, "S M count"), blocks=(blocks, "T"))
    require_integers(indices=indices, blocks=blocks)
    count = blocks.shape[0] + 1
    ids = jnp.where((indices < 0) | (indices >= count), count, indices)
    rows, heads = jnp.arange(ids.shape[0])[:, None, None], jnp.arange(ids.shape[1])[:, None]
    chosen = jnp.zeros((*ids.shape[:2], count + 1), bool).at[rows, heads, ids].set(True)
    chosen = chosen.at[..., count].set(False)
    return jnp.moveaxis(~chosen[..., jnp.clip(blocks, 0, count)], 0, 1)[None]


@op(function=(), differentiable=False)
def best_blocks(
    query: Array, key: Array, hidden: Array, refused: Array, table: Array, scale=1.0, count=1
):
    """Return each query's `count` most relevant blocks, `(S, M, count)`, -1 if there are fewer.

    `query` `(1, N, S, D)`, `key` `(1, M, T, D)`; `hidden` `(1, 1, S, T)`; a mask `(S, blocks)` of
    excluded blocks; `table` `(S, T, blocks)`: how often a key counts for a block.
    """
    heads = query.shape[1] // key.shape[1]
    k = jnp.repeat(key, heads, 1)
    scores = jnp.einsum("bnsd,bntd->bnst", query, k, preferred_element_type=jnp.float32) * scale
    weights = jax.nn.softmax(jnp.where(hidden, -jnp.inf, scores), -1)
    weights = jnp.where(hidden, 0, weights)[0].reshape(-1, heads, *scores.shape[2:]).sum(1)
    matter = jnp.einsum("mst,stb->smb", weights, table.astype(weights.dtype))
    matter = jnp.where(refused[:, None], -jnp.inf, matter)
    most = min(count, matter.shape[-1])
    values, indices = jax.lax.top_k(matter, most)
    indices = jnp.where(values == -jnp.inf, -1, indices).astype(jnp.int32)
    return jnp.pad(indices, [(0, 0), (0, 0), (0, count - most)], constant_values=-1)


@composite()
def nsa_compress_attention(
    query, key, value, scale_value, head_num, compress_block_size, compress_stride,
    select_block_size, select_block_count, *, topk_mask=None, atten_mask=None, actual_seq_qlen=None,
    actual_cmp_seq_kvlen=None, actual_sel_seq_kvlen=None,
) -> Arrays:  # fmt: skip
    r"""Attention of `(T, N, D)` to compressed keys (see `nsa_compress`), and the
    `select_block_count` blocks of uncompressed keys most relevant to each query.

    The relevance of block j is the attention to the windows in it, summed over the heads that share
    a key, $\sum_{m < l'/d} \sum_{n < l/d} p_{l'/d \cdot j - m - n}$, where l' is
    `select_block_size`, l `compress_block_size` and d `compress_stride`. The sequences end at
    `actual_seq_qlen`, `actual_cmp_seq_kvlen` (compressed) and `actual_sel_seq_kvlen`
    (uncompressed). `atten_mask`, `topk_mask`: True where a query does not see a window, or may not
    select a block.

    Returns the result, the blocks `(T, heads of key, select_block_count)`, Int32, -1 if there are
    fewer, and maxima and sums as in `nsa_select_attention`.

    >>> x = ops.ones((4, 1, 2))
    >>> ops.nsa_compress_attention(x, x[:3], x[:3], 1.0, 1, 2, 1, 2, 1, actual_seq_qlen=(4,),
    ...     actual_cmp_seq_kvlen=(3,), actual_sel_seq_kvlen=(4,))[1].shape
    (4, 1, 1)
    """
    who = "nsa_compress_attention"
    require(query.shape[1] == head_num, "query-heads", who, query=query.shape, heads=head_num)
    require(
        not select_block_size % compress_stride, "multiple", who,
        select_block_size=select_block_size, other="compress_stride", value=compress_stride,
    )  # fmt: skip
    _, j, _, is_same = _packed(who, query, key, actual_seq_qlen, actual_cmp_seq_kvlen)
    of_q, _, _ = positions(who, "actual_seq_qlen", actual_seq_qlen)
    ends = np.asarray(actual_sel_seq_kvlen)
    names = {"argument": "actual_sel_seq_kvlen", "other": "actual_seq_qlen"}
    fits = ends.ndim == 1 and len(ends) > of_q.max(initial=-1)
    require(fits, "as-many-sequences", who, **names)
    counts = -(-np.diff(ends, prepend=0) // select_block_size)
    blocks = np.arange(counts.max(initial=1))
    per_select, per_compress = (
        select_block_size // compress_stride,
        compress_block_size // compress_stride,
    )
    m, n = np.indices((per_select, max(per_compress, 1))).reshape(2, -1)
    windows = (per_select * blocks[:, None] - m - n)[..., None] == j
    table = windows.sum(1).T * is_same[..., None]
    hidden = Tensor(~is_same)
    if atten_mask is not None:
        hidden = hidden.logical_or(atten_mask.bool())
    hidden = hidden.expand_dims(0).expand_dims(0)
    refused = Tensor(blocks >= counts[of_q][:, None])
    if topk_mask is not None:
        refused = refused.logical_or(topk_mask.bool()[:, : len(blocks)])
    q, k = (by_heads(who, x, "TND", 0) for x in (query, key))
    chosen = best_blocks(
        q, k, hidden, refused, Tensor(table), float(scale_value), select_block_count
    )  # fmt: skip
    out, *sums = _attended(who, query, key, value, hidden, float(scale_value))
    return out, chosen, *sums


# with an indexer --------------------------------------------------------------------------------


def from_pages(pages, block_table):
    """Gather rows `(B, blocks * size, ...)` of `pages` `(pages, size, ...)` by `block_table`."""
    rows = pages[block_table.reshape((-1,))]
    return rows.reshape(block_table.shape[0], -1, *pages.shape[2:])


def _batches(who, x, layout, ends, block_table):
    """Return tokens `(B, S, N, D)` from any layout, and each example's token count, `(B,)`."""
    _LAYOUT(who, layout=layout)
    if layout == "PA_BSND":
        if block_table is None or ends is None:
            raise rejection("pages-with-lengths", who)
        return from_pages(x, block_table), np.asarray(ends.asnumpy())
    if layout == "BSND":
        lengths = np.full(x.shape[0], x.shape[1]) if ends is None else ends.asnumpy()
        return x, np.asarray(lengths)
    sequence, i, _ = positions(who, "actual_seq_lengths", ends)
    lengths = np.bincount(sequence, minlength=len(ends.asnumpy()))
    index = np.zeros((len(lengths), lengths.max(initial=0)), np.int32)
    index[sequence, i] = np.arange(len(sequence))
    return x[Tensor(index)], lengths


def _unpacked(x, layout, lengths):
    """Convert (B, S, ...) back to the layout of the queries."""
    if layout != "TND":
        return x
    return x.reshape(-1, *x.shape[2:])[
        Tensor(np.flatnonzero(np.arange(x.shape[1]) < lengths[:, None]).astype(np.int32))
    ]


def _hidden(who, mode, q_lengths, k_lengths, shape):
    """Return True where queries do not see keys, `(B, S, T)`, for `sparse_mode` 0 or 3."""
    _SPARSE_MODE(who, sparse_mode=mode)
    i, j = np.arange(shape[0])[:, None], np.arange(shape[1])
    more = (k_lengths - q_lengths)[:, None, None]
    hidden = unseen(mode, (j - i)[None], more, 0, 0, False)
    return hidden | (j >= k_lengths[:, None, None]) | (i >= q_lengths[:, None, None])


@op(function=())
def indexer_scores(query: Array, key: Array, weights: Array, hidden: Array, count=1) -> Arrays:
    r"""Return the `count` keys with the largest $\sum_n w_n \max(0, q_n \cdot k)$ for each query,
    in descending order: indices, -1 if there are fewer, and these scores, `(B, S, 1, count)`.

    `query` `(B, S, N, D)`, `key` `(B, T, 1, D)`, `weights` `(B, S, N)`, `hidden` `(B, S, T)`.
    """
    require_shapes(
        query=(query, "B S N D"), key=(key, "b T 1 d"), weights=(weights, "B S N")
    )  # fmt: skip
    products = jnp.einsum(
        "bsnd,btd->bsnt", query, key[:, :, 0], preferred_element_type=jnp.promote_types(query, "f4")
    )
    scores = jnp.einsum("bsn,bsnt->bst", weights.astype(products.dtype), jnp.maximum(products, 0))
    scores = jnp.where(hidden, -jnp.inf, scores)
    most = min(count, scores.shape[-1])
    values, indices = jax.lax.top_k(scores, most)
    is_none = values == -jnp.inf
    ends = [(0, 0), (0, 0), (0, count - most)]
    indices = jnp.pad(jnp.where(is_none, -1, indices), ends, constant_values=-1)
    values = jnp.pad(jnp.where(is_none, 0, values), ends)
    return indices.astype(jnp.int32)[:, :, None], values.astype(query.dtype)[:, :, None]


@composite()
def lightning_indexer(
    query, key, weights, *, actual_seq_lengths_query=None, actual_seq_lengths_key=None,
    block_table=None, layout_query="BSND", layout_key="BSND", sparse_count=2048, sparse_mode=3,
    pre_tokens=2**63 - 1, next_tokens=2**63 - 1, return_value=False,
) -> Arrays:  # fmt: skip
    r"""The `sparse_count` keys with the largest scores $\sum_n w_n \max(0, q_n \cdot k)$ for each
    query: indices, Int32, -1 if there are fewer, and the scores, `(B, S, 1, sparse_count)`.

    `query`: 'BSND' `(B, S, N, D)` or 'TND' `(T, N, D)`, concatenated sequences that end at
    `actual_seq_lengths_query`; `key`: likewise with one head, or 'PA_BSND' `(pages, size, 1, D)`,
    with each example's pages in `block_table` `(B, blocks)` and its number of keys in
    `actual_seq_lengths_key`; `weights`: as `query` without D. `sparse_mode`: 0, all keys, or 3,
    keys up to the query, with both sequences aligned at their ends. `return_value` False: the
    scores are zeros.

    >>> x = Tensor(np.arange(3.0, dtype=np.float32).reshape(1, 3, 1, 1))
    >>> ops.lightning_indexer(x, x, ops.ones((1, 3, 1)), sparse_count=2)[0].asnumpy()[0, :, 0]
    array([[ 0, -1],
           [ 1,  0],
           [ 2,  1]], dtype=int32)
    """
    who = "lightning_indexer"
    q, q_lengths = _batches(who, query, layout_query, actual_seq_lengths_query, None)
    w, _ = _batches(who, weights, layout_query, actual_seq_lengths_query, None)
    k, k_lengths = _batches(who, key, layout_key, actual_seq_lengths_key, block_table)
    hidden = _hidden(who, sparse_mode, q_lengths, k_lengths, (q.shape[1], k.shape[1]))
    indices, values = indexer_scores(q, k, w, Tensor(hidden), sparse_count)
    values = values if return_value else values * 0
    return tuple(_unpacked(x, layout_query, q_lengths) for x in (indices, values))


@op(function=())
def attention_to_chosen(
    query: Array, key: Array, value: Array, chosen: Array, hidden: Array,
    query_rope: OPTIONAL = None, key_rope: OPTIONAL = None, scale=1.0, block=1,
) -> Arrays:  # fmt: skip
    """Attention of `(B, S, N, D)` to the blocks of keys `(B, T, 1, D)` with indices `chosen` `(B,
    S, 1, count)`; scores of the `_rope` parts are added. `hidden`: `(B, S, T)`.

    Returns the result, and the largest score and the sum of exponentials, `(B, 1, S, N)`."""
    require_shapes(
        query=(query, "B S N D"), key=(key, "b T 1 d"), value=(value, "b T 1 ...")
    )  # fmt: skip
    require_shapes(sparse_indices=(chosen, "B S 1 count"))
    dtype = {"argument": "sparse_indices", "got": chosen.dtype}
    is_integer = jnp.issubdtype(chosen.dtype, jnp.integer)
    require(is_integer, "integer-dtype", error=ValueError, **dtype)
    length = key.shape[1]
    index = (chosen[:, :, 0, :, None] * block + jnp.arange(block)).reshape(*chosen.shape[:2], -1)
    is_none = jnp.repeat(chosen[:, :, 0] < 0, block, -1) | (index >= length)
    index = jnp.where(is_none, 0, index)
    out_of_sight = is_none | jnp.take_along_axis(hidden, index, -1)

    def scores(q, k):
        k = jnp.take_along_axis(k[:, None, :, 0], index[..., None], 2)
        wide = jnp.promote_types(q.dtype, jnp.float32)
        return jnp.einsum("bsnd,bstd->bsnt", q, k, preferred_element_type=wide)

    total = scores(query, key)
    if query_rope is not None and key_rope is not None:
        total = total + scores(query_rope, key_rope)
    total = jnp.where(out_of_sight[:, :, None], jnp.finfo(total.dtype).min, total * scale)
    largest = total.max(-1, keepdims=True)
    powers = jnp.where(out_of_sight[:, :, None], 0, jnp.exp(total - largest))
    sums = powers.sum(-1, keepdims=True)
    weights = powers / jnp.where(sums > 0, sums, 1)
    seen = jnp.take_along_axis(value[:, None, :, 0], index[..., None], 2)
    out = jnp.einsum("bsnt,bstd->bsnd", weights.astype(value.dtype), seen)
    return out, *[x[..., 0][:, None] for x in (largest, sums)]


@composite()
def sparse_flash_attention(
    query, key, value, sparse_indices, scale_value, *, block_table=None,
    actual_seq_lengths_query=None, actual_seq_lengths_kv=None, query_rope=None, key_rope=None,
    sparse_block_size=1, layout_query="BSND", layout_kv="BSND", sparse_mode=3,
    pre_tokens=2**63 - 1, next_tokens=2**63 - 1, attention_mode=0, return_softmax_lse=False,
) -> Arrays:  # fmt: skip
    """Attention to the keys at `sparse_indices` `(B, S, 1, count)`, as returned by
    `lightning_indexer`, in blocks of `sparse_block_size`; -1 is ignored.

    Layouts, lengths and `sparse_mode`: as there. `query_rope`, `key_rope`: positional parts of
    queries and keys, whose products are added to the scores; required if `attention_mode` is 2.
    Returns the result; and, with `return_softmax_lse`, the largest score of each query and the sum
    of $e^{score - largest}$, `(B, 1, S, N)`, else zeros.

    >>> x = ops.ones((1, 2, 3, 4))
    >>> at = Tensor(np.zeros((1, 2, 1, 1), np.int32))
    >>> ops.sparse_flash_attention(x, x[:, :, :1], x[:, :, :1], at, 0.5)[0].shape
    (1, 2, 3, 4)
    """
    who = "sparse_flash_attention"
    for name, rope in (("query_rope", query_rope), ("key_rope", key_rope)):
        given = {"argument": name, "other": "attention_mode", "value": attention_mode}
        require(attention_mode != 2 or rope is not None, "given-where", who, **given)
    lengths = actual_seq_lengths_query, actual_seq_lengths_kv

    def of_queries(x):
        return _batches(who, x, layout_query, lengths[0], None)[0]

    def of_keys(x):
        return _batches(who, x, layout_kv, lengths[1], block_table)[0]

    q, q_lengths = _batches(who, query, layout_query, lengths[0], None)
    k, k_lengths = _batches(who, key, layout_kv, lengths[1], block_table)
    hidden = _hidden(who, sparse_mode, q_lengths, k_lengths, (q.shape[1], k.shape[1]))
    ropes = () if query_rope is None else (of_queries(query_rope), of_keys(key_rope))
    out, *sums = attention_to_chosen(
        q, k, of_keys(value), of_queries(sparse_indices), Tensor(hidden), *ropes,
        scale=float(scale_value), block=sparse_block_size,
    )  # fmt: skip
    if not return_softmax_lse:
        sums = [x * 0 for x in sums]
    if layout_query == "TND":
        sums = [_unpacked(x.permute(0, 2, 1, 3), "TND", q_lengths).permute(1, 0, 2) for x in sums]
    return _unpacked(out, layout_query, q_lengths), *sums
