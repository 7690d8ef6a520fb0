"""Attention for inference: of a prompt, of one more token, and with paged keys and values."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.indexing.assignment import put
from sporax.ops.nn.attention import EVERYTHING, SPARSE_MODE, attention
from sporax.ops.nn.fused_attention import as_layout, by_heads, grouped, unseen
from sporax.ops.nn.sparse_attention import from_pages
from sporax.ops.operand_checks import require_integers, require_shapes
from sporax.ops.shape.joining import concat

_QUANT_MODE = kinds.one_of("DEFAULT", "PERTOKEN")


def _valid(size, lengths, padding):
    """Return positions `(B, size)` from the first valid token on, and a mask of valid ones."""
    if lengths is None:
        positions = jnp.arange(size)[None]
        return positions, positions >= 0
    start = 0 if padding is None else size - jnp.maximum(padding.reshape(()), 0) - lengths[:, None]
    positions = jnp.arange(size)[None] - start
    return positions, (positions >= 0) & (positions < lengths[:, None])


def _of_scores(mask, queries, keys):
    """Reshape a mask of any supported shape to (B or 1, N or 1, S or 1, T)."""
    if mask.ndim == 2 and queries == 1:
        mask = mask[:, None, None]
    elif mask.ndim < 4:
        mask = mask.reshape(*mask.shape[:-2], *(1,) * (4 - mask.ndim), *mask.shape[-2:])
    return mask[..., :queries, :keys]


@op(function=(), name="InferenceAttention")
def inference_attention(
    query: Array, key: Array, value: Array, mask: OPTIONAL = None, shift: OPTIONAL = None,
    query_lengths: OPTIONAL = None, key_lengths: OPTIONAL = None, query_padding: OPTIONAL = None,
    key_padding: OPTIONAL = None, scale=1.0, sparse_mode=0, pre_tokens=EVERYTHING,
    next_tokens=EVERYTHING,
) -> Arrays:  # fmt: skip
    r"""Attention `(B, N, S, D)` to `(B, N, T, D)`, `(B, N, T, E)`, and $\ln \sum e^{score}$
    `(B, N, S, 1)`.

    `query_lengths`, `key_lengths` `(B,)`: the number of valid tokens, the first ones, or the last
    ones before the padding if it is given; rows of other queries are 0. `mask`: nonzero where a key
    is masked; `shift` is added to the scaled scores; the band as in `flash_attention_score`.
    """
    require_shapes(
        query=(query, "B N S D"), key=(key, "b n T d"), value=(value, "b n T ...")
    )  # fmt: skip
    SPARSE_MODE(None, sparse_mode=sparse_mode)
    queries, keys = query.shape[2], key.shape[2]
    i, is_query = _valid(queries, query_lengths, query_padding)
    j, is_key = _valid(keys, key_lengths, key_padding)
    more = keys if key_lengths is None else key_lengths[:, None, None]
    more = more - (queries if query_lengths is None else query_lengths[:, None, None])
    band = pre_tokens, next_tokens, mask is not None
    hidden = unseen(sparse_mode, j[:, None] - i[..., None], more, *band) | ~is_key[:, None]
    hidden = hidden[:, None]
    if mask is not None and sparse_mode < 2:
        hidden = hidden | _of_scores(mask, queries, keys).astype(bool)
    bias = None if shift is None else shift[..., :queries, :keys]
    hidden = jnp.broadcast_to(hidden, (*hidden.shape[:2], queries, keys))
    out, largest, total = attention.declaration.fn(
        query, key, value, bias, hidden, scale=scale, with_sums=True
    )
    out = jnp.where(is_query[:, None, :, None], out, 0)
    return out, (largest + jnp.log(total))[..., None]


def _one(who, name, x):
    """Return a Tensor, or the item(s) of a tuple or list, concatenated along the first axis."""
    if isinstance(x, Tensor):
        return x
    fits = isinstance(x, tuple | list) and x and all(isinstance(t, Tensor) for t in x)
    require(fits, "tensor-or-tensors", who, argument=name, got=x)
    shapes = [t.shape for t in x]
    require(len({*shapes}) <= 1, "items-one-shape", who, argument=name, got=shapes)
    return x[0] if len(x) == 1 else concat(tuple(x), 0)


def _lengths(lengths, batch):
    """Convert a Tensor, ints, or None to `(B,)`."""
    if lengths is None:
        return None
    lengths = lengths if isinstance(lengths, Tensor) else Tensor(np.asarray(lengths, np.int64))
    return lengths.reshape((-1,)).broadcast_to((batch,))


def _restored(x, scale, offset, mode, which):
    """Dequantize integer keys or values (B, N, S, D): $(x + offset) scale$.

    `which`: 0 or 1, the row of scales shared by both; None: the scales are for this one only."""
    if scale is None:
        return x

    def along(y):
        y = y if which is None or y.shape[0] != 2 else y[which]
        if y.size == 1:
            return y.reshape(())
        if mode == 1:  # one per token
            return y.reshape(x.shape[0], 1, x.shape[2], 1)
        return y.reshape(1, x.shape[1], 1, x.shape[3])

    x = x.astype(scale.dtype)
    return (x if offset is None else x + along(offset)) * along(scale)


def _quantized(out, scale, offset):
    """Quantize results (B, N, S, D) to Int8, $round(x scale + offset)$."""
    if scale is None:
        return out

    def along(y):
        heads, size = out.shape[1], out.shape[3]
        return y.reshape(()) if y.size == 1 else y.reshape(1, heads, 1, size)

    scaled = out.float() * along(scale).float()
    scaled = scaled if offset is None else scaled + along(offset).float()
    return scaled.round().clamp(-128, 127).astype("int8")


def _pages(who, x, block_table, heads):
    """Convert paged keys or values `(pages, size, H)` or `(pages, N, size, D)` to (B, N, S, D)."""
    if x.ndim == 4:
        x = x.permute(0, 2, 1, 3)
    else:
        fits = x.ndim == 3 and not x.shape[2] % heads
        require(fits, "pages-of-heads", who, got=x.shape)
        x = x.reshape(*x.shape[:2], heads, -1)
    return from_pages(x, block_table).permute(0, 2, 1, 3)


def _with_prefix(who, x, prefix, layout, heads):
    """Prepend the prefix that all examples share to keys or values."""
    if prefix is None:
        return x
    prefix = by_heads(who, prefix, layout, heads)
    return concat((prefix.broadcast_to((x.shape[0], *prefix.shape[1:])), x), 2)


def _inferred(
    who, query, key, value, mask, q_lengths, k_lengths, shift, num_heads, kv_heads, layout, scale,
    mode=0, pre_tokens=EVERYTHING, next_tokens=EVERYTHING, table=None, paddings=(None, None),
    quant=(None, None), antiquant=((None, None, 0, None),) * 2, whole=(), prefixes=(None, None),
):  # fmt: skip
    """Return the result and the logarithms of sums for the three functions below."""
    require(all(x is None for x in whole), "no-products-of-int8", who)
    layout, out_layout = ("BNSD", "BSND") if layout == "BNSD_BSND" else (layout, layout)
    heads = kv_heads or num_heads
    q = by_heads(who, query, layout, num_heads)
    fits = q.shape[1] == num_heads and not num_heads % heads
    require(fits, "query-heads-multiple", who, heads=num_heads, divisor=heads, got=q.shape[1])
    operands = []
    for name, x, options, prefix in zip(
        ("key", "value"), (key, value), antiquant, prefixes, strict=True
    ):
        x = _one(who, name, x)
        x = by_heads(who, x, layout, heads) if table is None else _pages(who, x, table, heads)
        x = _restored(x, *options)
        operands.append(_with_prefix(who, x, prefix, layout, heads))
    k, v = grouped(who, q, *operands)
    lengths = _lengths(q_lengths, q.shape[0]), _lengths(k_lengths, q.shape[0])
    if mask is not None:
        mask = mask.bool()
    out, sums = inference_attention(
        q, k, v, mask, shift, *lengths, *paddings, float(scale), mode, pre_tokens, next_tokens
    )  # fmt: skip
    return as_layout(_quantized(out.astype(query.dtype), *quant), out_layout), sums


@composite()
def prompt_flash_attention(
    query, key, value, attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None,
    pse_shift=None, deq_scale1=None, quant_scale1=None, deq_scale2=None, quant_scale2=None,
    quant_offset2=None, num_heads=1, scale_value=1.0, pre_tokens=EVERYTHING, next_tokens=0,
    input_layout="BSH", num_key_value_heads=0, sparse_mode=0, inner_precise=1,
):  # fmt: skip
    r"""$softmax(scale \, q k^\top) v$ of whole sequences.

    `input_layout`: 'BSH' `(B, S, N D)` or 'BNSD'; `num_key_value_heads`: of `key` and `value`, 0
    for `num_heads`. `attn_mask`: nonzero where a key is masked, `(S, T)`, `(B, S, T)` or `(B, 1, S,
    T)`. `actual_seq_lengths`, `actual_seq_lengths_kv` `(B,)`: the number of valid tokens; rows of
    other queries are 0. `pse_shift` is added to the scaled scores. `sparse_mode`, `pre_tokens`,
    `next_tokens`: as in `flash_attention_score`. `quant_scale2`, `quant_offset2`: the result is
    $round(x s + o)$ in Int8. Integer queries are not supported.

    >>> x = ops.ones((1, 2, 4, 8))
    >>> ops.prompt_flash_attention(x, x, x, num_heads=2, input_layout="BNSD").shape
    (1, 2, 4, 8)
    """
    return _inferred(
        "prompt_flash_attention", query, key, value, attn_mask, actual_seq_lengths,
        actual_seq_lengths_kv, pse_shift, num_heads, num_key_value_heads, input_layout, scale_value,
        sparse_mode, pre_tokens, next_tokens, quant=(quant_scale2, quant_offset2),
        whole=(deq_scale1, quant_scale1, deq_scale2),
    )[0]  # fmt: skip


@composite()
def incre_flash_attention(
    query, key, value, attn_mask=None, actual_seq_lengths=None, pse_shift=None,
    dequant_scale1=None, quant_scale1=None, dequant_scale2=None, quant_scale2=None,
    quant_offset2=None, antiquant_scale=None, antiquant_offset=None, block_table=None, num_heads=1,
    input_layout="BSH", scale_value=1.0, num_key_value_heads=0, block_size=0, inner_precise=1,
    kv_padding_size=None,
):  # fmt: skip
    r"""$softmax(scale \, q k^\top) v$ of one query per example, `(B, 1, H)` or `(B, N, 1, D)`.

    As `prompt_flash_attention`, but `key` and `value` may be lists; `actual_seq_lengths` `(B,)`:
    the number of valid keys, the first ones, or the last ones before `kv_padding_size`;
    `attn_mask`: `(B, T)` or with axes of size 1 between. `block_table` `(B, blocks)`: keys and
    values are in pages `(pages, block_size, H)`, and these are each example's. `antiquant_scale`,
    `antiquant_offset`: integer keys and values x represent $(x + o) s$, both in one, `(2, H)` or
    `(2, N, 1, D)`.

    >>> q, k = ops.ones((1, 1, 8)), [ops.ones((1, 3, 4))]
    >>> ops.incre_flash_attention(q, k, k, num_heads=2, num_key_value_heads=1).shape
    (1, 1, 8)
    """
    scales = antiquant_scale, antiquant_offset, 0
    return _inferred(
        "incre_flash_attention", query, key, value, attn_mask, None, actual_seq_lengths, pse_shift,
        num_heads, num_key_value_heads, input_layout, scale_value, 1, table=block_table,
        paddings=(None, kv_padding_size), quant=(quant_scale2, quant_offset2),
        antiquant=((*scales, 0), (*scales, 1)),
        whole=(dequant_scale1, quant_scale1, dequant_scale2),
    )[0]  # fmt: skip


@composite()
def fused_infer_attention_score(
    query, key, value, *, pse_shift=None, atten_mask=None, actual_seq_lengths=None,
    actual_seq_lengths_kv=None, dequant_scale1=None, quant_scale1=None, dequant_scale2=None,
    quant_scale2=None, quant_offset2=None, antiquant_scale=None, antiquant_offset=None,
    key_antiquant_scale=None, key_antiquant_offset=None, value_antiquant_scale=None,
    value_antiquant_offset=None, block_table=None, query_padding_size=None, kv_padding_size=None,
    key_shared_prefix=None, value_shared_prefix=None, actual_shared_prefix_len=None, num_heads=1,
    scale=1.0, pre_tokens=EVERYTHING, next_tokens=EVERYTHING, input_layout="BSH",
    num_key_value_heads=0, sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0,
    key_antiquant_mode=0, value_antiquant_mode=0, softmax_lse_flag=False,
) -> Arrays:  # fmt: skip
    r"""$softmax(scale \, q k^\top) v$ of whole sequences, or of one query per example; and $\ln
    \sum e^{score}$ `(B, N, S, 1)` with `softmax_lse_flag`, else a single 0.

    Arguments as for `prompt_flash_attention` and `incre_flash_attention`; with one query, lengths
    of queries and `sparse_mode` have no effect. `input_layout`: also 'BSND', and 'BNSD_BSND', whose
    result is 'BSND'. `key_antiquant_scale` and similar: scales of either alone; `_mode` 1: one per
    token, `(B, T)`. `key_shared_prefix`, `value_shared_prefix`: prepended to the keys and values of
    all examples, up to the first `actual_shared_prefix_len` tokens.

    >>> x = ops.ones((1, 4, 8))
    >>> out, lse = ops.fused_infer_attention_score(x, x, x, num_heads=2, softmax_lse_flag=True)
    >>> out.shape, lse.shape
    ((1, 4, 8), (1, 2, 4, 1))
    """
    scales = (antiquant_scale, antiquant_offset, antiquant_mode)
    antiquant = [(*scales, 0), (*scales, 1)]
    if key_antiquant_scale is not None:
        antiquant = [
            (key_antiquant_scale, key_antiquant_offset, key_antiquant_mode, None),
            (value_antiquant_scale, value_antiquant_offset, value_antiquant_mode, None),
        ]
    prefixes: list[Any] = [key_shared_prefix, value_shared_prefix]
    if actual_shared_prefix_len is not None and None not in prefixes:
        count = actual_shared_prefix_len
        count = int(count[0] if isinstance(count, tuple | list) else count)
        along = 2 if input_layout.startswith("BNSD") else 1
        prefixes = [x[(slice(None),) * along + (slice(count),)] for x in prefixes]
    if None not in prefixes and actual_seq_lengths_kv is not None:
        before = prefixes[0].shape[2 if input_layout.startswith("BNSD") else 1]
        batch = query.shape[0]
        actual_seq_lengths_kv = _lengths(actual_seq_lengths_kv, batch) + before
    is_one = query.shape[2 if input_layout.startswith("BNSD") else 1] == 1
    out, sums = _inferred(
        "fused_infer_attention_score", query, key, value, atten_mask,
        None if is_one else actual_seq_lengths, actual_seq_lengths_kv, pse_shift, num_heads,
        num_key_value_heads, input_layout, scale, 1 if is_one else sparse_mode, pre_tokens,
        next_tokens, table=block_table, paddings=(query_padding_size, kv_padding_size),
        quant=(quant_scale2, quant_offset2), antiquant=antiquant,
        whole=(dequant_scale1, quant_scale1, dequant_scale2), prefixes=prefixes,
    )  # fmt: skip
    return out, sums.float() if softmax_lse_flag else Tensor(np.zeros(1, np.float32))


# keys and values in pages -----------------------------------------------------------------------


def _paged(who, itself, query, caches, block_tables, context_lens, antiquant, biases, lengths=None):
    """Attention of tokens `(T, N, D)`, each to the keys in its row of `block_tables`.

    `itself`: the Primitive's attributes by name. `biases`: added to the scaled scores, `(T, 1 or N,
    1, keys)`. `lengths`: the number of tokens of each row; None: one.
    """
    heads, kv_heads, quant_mode = (
        itself[n] for n in ("head_num", "kv_head_num", "kv_cache_quant_mode")
    )
    _QUANT_MODE(who, kv_cache_quant_mode=quant_mode)
    require_shapes(who, query=(query, f"T {heads} D"))
    require(
        not heads % kv_heads, "multiple", who, head_num=heads, other="kv_head_num", value=kv_heads
    )
    key_cache, value_cache = caches
    if value_cache is None:  # the values are the first elements of a key
        value_cache = key_cache[..., : itself["mla_v_dim"] or None]
    counts = np.ones(query.shape[0], int) if lengths is None else lengths.asnumpy()
    fits, wanted = counts.sum() == query.shape[0], query.shape[0]
    if not fits:
        raise rejection("lengths-add-up", who, q_seq_lens=counts.tolist(), count=wanted)
    row = Tensor(np.repeat(np.arange(len(counts)), counts).astype(np.int32))
    context = context_lens[row]
    if itself.get("mask_mode") == "TRAPEZOIDAL":
        behind = np.concatenate([np.arange(n)[::-1] for n in counts])
        context = context - Tensor(behind.astype(np.int32))
    operands = []
    for which, cache in enumerate((key_cache, value_cache)):
        x = from_pages(cache, block_tables).permute(0, 2, 1, 3)
        mode = int(quant_mode == "PERTOKEN")
        operands.append(_restored(x, *antiquant, mode=mode, which=which)[row])
    bias = None
    for x in biases:
        if x is not None:
            bias = x if bias is None else bias + x
    q = query.expand_dims(2)
    k, v = grouped(who, q, *operands)
    options = {"scale": float(itself["scale_value"]), "sparse_mode": 1}
    out, _ = inference_attention(q, k, v, None, bias, None, context, **options)
    return out.squeeze(2).astype(query.dtype)


@composite(
    primitive="PagedAttention(head_num, scale_value, kv_head_num, kv_cache_quant_mode='DEFAULT', "
    "mask_mode='MASK_DEFAULT', mla_v_dim=0)(query, key_cache, value_cache=None, block_tables=None, "
    "context_lens=None, antiquant_scale=None, antiquant_offset=None, attn_mask=None, "
    "q_seq_lens=None, alibi_mask=None)",
    function=(),
)
def paged_attention(
    query, key_cache, value_cache=None, block_tables=None, context_lens=None, antiquant_scale=None,
    antiquant_offset=None, attn_mask=None, q_seq_lens=None, alibi_mask=None, head_num=1,
    scale_value=1.0, kv_head_num=1, kv_cache_quant_mode="DEFAULT", mask_mode="MASK_DEFAULT",
    mla_v_dim=0,
):  # fmt: skip
    """Attention of tokens `(T, head_num, D)` to keys and values in pages `(pages, size,
    kv_head_num, D)`: each token's are in its row of `block_tables` `(T, blocks)`, of which
    `context_lens` `(T,)` are valid.

    `q_seq_lens` `(B,)`: the number of tokens of each row; with `mask_mode` 'TRAPEZOIDAL' each sees
    one key less than the next. `value_cache` None: the values are the first `mla_v_dim` elements of
    a key. `attn_mask`, `alibi_mask` `(T, keys)` are added to the scaled scores. `antiquant_scale`,
    `antiquant_offset` `(2, N D)`: keys and values x represent $(x + o) s$; with
    `kv_cache_quant_mode` 'PERTOKEN' these are per token.

    >>> pages, first = ops.ones((3, 2, 1, 4)), Tensor([[2, 0]], sporax.int32)
    >>> attend = ops.PagedAttention(2, 0.5, 1)
    >>> attend(ops.ones((1, 2, 4)), pages, pages, first, Tensor([3], sporax.int32)).shape
    (1, 2, 4)
    """
    itself = {
        "head_num": head_num, "scale_value": scale_value, "kv_head_num": kv_head_num,
        "kv_cache_quant_mode": kv_cache_quant_mode, "mask_mode": mask_mode, "mla_v_dim": mla_v_dim,
    }  # fmt: skip
    biases = [
        None if m is None else m.expand_dims(1).expand_dims(1) for m in (attn_mask, alibi_mask)
    ]
    return _paged(
        "PagedAttention", itself, query, (key_cache, value_cache), block_tables, context_lens,
        (antiquant_scale, antiquant_offset), biases, q_seq_lens,
    )  # fmt: skip


@composite(
    primitive="PagedAttentionMask(head_num, scale_value, kv_head_num, "
    "kv_cache_quant_mode='DEFAULT')(query, key_cache, value_cache, block_tables, context_lens, "
    "antiquant_scale=None, antiquant_offset=None, alibi_mask=None)",
    function=(),
)
def paged_attention_with_mask(
    query, key_cache, value_cache, block_tables, context_lens, antiquant_scale=None,
    antiquant_offset=None, alibi_mask=None, head_num=1, scale_value=1.0, kv_head_num=1,
    kv_cache_quant_mode="DEFAULT",
):  # fmt: skip
    """As `PagedAttention`, with an `alibi_mask` `(T, head_num, 1, keys)` for each head.

    >>> pages, first = ops.ones((3, 2, 1, 4)), Tensor([[2, 0]], sporax.int32)
    >>> attend, bias = ops.PagedAttentionMask(2, 0.5, 1), ops.zeros((1, 2, 1, 4))
    >>> attend(ops.ones((1, 2, 4)), pages, pages, first, Tensor([3], sporax.int32),
    ...        alibi_mask=bias).shape
    (1, 2, 4)
    """
    itself = {
        "head_num": head_num, "scale_value": scale_value, "kv_head_num": kv_head_num,
        "kv_cache_quant_mode": kv_cache_quant_mode,
    }  # fmt: skip
    return _paged(
        "PagedAttentionMask", itself, query, (key_cache, value_cache), block_tables, context_lens,
        (antiquant_scale, antiquant_offset), [alibi_mask],
    )  # fmt: skip


@op(function=(), name="ReshapeAndCache")
def rows_in_slots(cache: Array, rows: Array, slots: Array):
    """Write `rows` `(T, N, D)` to the `slots` `(T,)`, counted through all pages, of `cache`
    `(pages, size, N, D)`; negative slots are skipped."""
    require_shapes(
        key=(rows, "T N D"), key_cache=(cache, "pages size N D"), slot_mapping=(slots, "T")
    )  # fmt: skip
    require_integers(slot_mapping=slots)
    flat = cache.reshape(-1, *cache.shape[2:])
    index = jnp.where(slots < 0, flat.shape[0], slots)
    return flat.at[index].set(rows.astype(cache.dtype), mode="drop").reshape(cache.shape)


@composite(
    function=(),
    primitive="ReshapeAndCache()(key, value=None, key_cache=None, value_cache=None, "
    "slot_mapping=None)",
)
def reshape_and_cache(key, value=None, key_cache=None, value_cache=None, slot_mapping=None):
    """Write the rows of `key` and `value` `(T, N, D)` to the slots `slot_mapping` `(T,)` of
    `key_cache` and `value_cache` `(pages, size, N, D)` in place; negative slots are skipped.
    Returns `key`.

    >>> cache = Parameter(ops.zeros((2, 1, 1, 1)))
    >>> key = Tensor([[[5.0]]])
    >>> _ = ops.ReshapeAndCache()(key, None, cache, None, Tensor([1], sporax.int32))
    >>> cache.asnumpy().ravel()
    array([0., 5.], dtype=float32)
    """
    for rows, cache in ((key, key_cache), (value, value_cache)):
        if rows is not None and cache is not None:
            put("ReshapeAndCache", cache, rows_in_slots(cache, rows, slot_mapping))
    return key
