"""Variants of `flash_attention_score` for training, which draw their dropout and compute positional
biases, and the combination of attention over parts of the keys."""

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.nn.attention import EVERYTHING, LAYOUTS, attention
from sporax.ops.random.draws import next_key, uniform_from_key

_COPIES = 8  # of each sum, as on Ascend
_LAYOUT, _RING_LAYOUT = kinds.one_of(*LAYOUTS, "TND"), kinds.one_of("SBH", "TND")
_PSE_TYPE, _SPARSE_MODE = kinds.one_of(*range(4)), kinds.one_of(*range(6))


def unseen(mode, apart, more_keys, pre_tokens, next_tokens, has_mask):
    """Return True for keys that a `sparse_mode` hides; `apart`: a key's position minus the query's,
    `more_keys`: the number of keys minus the number of queries."""
    shift = 0 if mode in (0, 2) else more_keys
    if mode in (2, 3, 5):
        return apart > shift
    if mode == 1 or (mode == 0 and not has_mask):
        return apart != apart
    return (apart < shift - pre_tokens) | (apart > shift + next_tokens)


def positions(who, name, ends, count=None):
    """For tokens in concatenated sequences, which end at `ends`: return each token's sequence, its
    position in it, and the sequence's length, all `(T,)`. `count`: T, if it is to be checked."""
    require(ends is not None, "ends-of-sequences", who, argument=name)
    ends = np.asarray(ends.asnumpy() if isinstance(ends, Tensor) else ends)
    lengths = np.diff(ends, prepend=0)
    if ends.ndim != 1 or not ends.size or (lengths < 0).any():
        raise rejection("rising-ints", who, argument=name, got=ends.tolist())
    if count not in (None, lengths.sum()):
        raise rejection("lengths-add-up", who, argument=name, count=count, got=lengths.tolist())
    sequence = np.repeat(np.arange(len(ends)), lengths)
    return sequence, np.arange(len(sequence)) - (ends - lengths)[sequence], lengths[sequence]


def by_heads(who, x, layout, heads):
    """Return `x` as (B, N, S, D); a packed one (TND) as a single example."""
    _LAYOUT(who, input_layout=layout)
    if layout == "TND":
        require(x.ndim == 3, "operand-of-heads", who, layout=layout, heads=heads, got=x.shape)
        return x.expand_dims(0).permute(0, 2, 1, 3)
    axes, _, joined = LAYOUTS[layout]
    fits = x.ndim == (3 if joined else 4) and not (joined and x.shape[2] % heads)
    require(fits, "operand-of-heads", who, layout=layout, heads=heads, got=x.shape)
    if joined:
        x = x.reshape(*x.shape[:2], heads, x.shape[2] // heads)
    return x.permute(*axes)


def as_layout(x, layout):
    """Convert (B, N, S, D) back to its original layout."""
    if layout == "TND":
        return x.permute(0, 2, 1, 3).squeeze(0)
    _, back, joined = LAYOUTS[layout]
    x = x.permute(*back)
    return x.reshape(*x.shape[:2], x.shape[2] * x.shape[3]) if joined else x


def grouped(who, q, *others):
    """Repeat the heads of keys and values to match the queries."""
    heads = q.shape[1]
    for x in others:
        require(not heads % x.shape[1], "key-heads-divide", who, heads=heads, got=x.shape[1])
    return [x.repeat_interleave(heads // x.shape[1], 1) for x in others]


def copies(x):
    """Repeat each query's sum eight times, in a last axis."""
    return x.expand_dims(-1).repeat_interleave(_COPIES, -1)


def _slopes(pse, distances, pse_type):
    """Return the positional bias for the slopes of heads `pse`, `(N,)` or `(B, N)`."""
    slopes = pse.reshape(-1, pse.shape[-1], 1, 1)
    away = Tensor(np.sqrt(distances) if pse_type == 3 else distances).astype(pse.dtype)
    return slopes * -away


def _bias(pse, pse_type, scale, shape, starts):
    """Return the bias of the scaled scores of `shape` (queries, keys)."""
    if pse is None:
        return None
    if pse_type in (0, 1):
        return pse if pse_type == 0 else pse * scale
    i, j = (
        np.arange(n) + (start[0] if start else 0) for n, start in zip(shape, starts, strict=True)
    )
    return _slopes(pse, np.abs(j - i[:, None]).astype(np.float32), pse_type)


def _hidden(who, shape, ends, mode, band, mask, prefix):
    """Return True where queries do not see keys, by positions and a mask; None if all are visible.

    `ends`: of concatenated sequences; None for one sequence in each example."""
    if ends is None:
        i, j, is_other, more_keys = *map(np.arange, shape), False, shape[1] - shape[0]
    else:
        of_q, i, q_lengths = positions(who, "actual_seq_qlen", ends[0], shape[0])
        of_k, j, k_lengths = positions(who, "actual_seq_kvlen", ends[1], shape[1])
        is_other, more_keys = of_q[:, None] != of_k, k_lengths - q_lengths[:, None]
    out = unseen(mode, j - i[:, None], more_keys, *band, has_mask=mask is not None)
    if mode == 5 and prefix is not None:
        first = np.asarray(prefix)
        out = out & (j >= (first.reshape(-1, 1, 1, 1) if ends is None else first[of_q][:, None]))
    out = is_other | out
    hidden = Tensor(out.reshape((1,) * (4 - out.ndim) + out.shape)) if out.any() else None
    if mask is None or mode > 1:
        return hidden
    mask = mask.bool().reshape((1,) * (4 - mask.ndim) + mask.shape)
    return mask if hidden is None else hidden.logical_or(mask)


def _dropout(shape, keep_prob, dtype):
    """Return the weights' factors; the words of their key, and their number, 0 without dropout."""
    if keep_prob >= 1:
        return None, [Tensor(0, dtypes.int64)] * 3
    key = next_key()
    kept = uniform_from_key(key, shape, np.dtype(np.float32)) < keep_prob
    words = key.astype(dtypes.int64)
    count = Tensor(int(np.prod(shape)), dtypes.int64)
    return kept.astype(dtype) / keep_prob, [words[0], words[1], count]


@composite()
def speed_fusion_attention(
    query, key, value, head_num, input_layout, *, pse=None, padding_mask=None, atten_mask=None,
    scale=1.0, keep_prob=1.0, pre_tokens=EVERYTHING, next_tokens=EVERYTHING, inner_precise=0,
    prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, sparse_mode=0,
    gen_mask_parallel=True, sync=False, pse_type=1, q_start_idx=None, kv_start_idx=None,
) -> Arrays:  # fmt: skip
    r"""$dropout(softmax(scale (q k^\top + pse))) v$, as `flash_attention_score`.

    `input_layout`: 'BSH', 'SBH', 'BNSD', 'BSND', or 'TND', concatenated sequences, which end at
    `actual_seq_qlen` and `actual_seq_kvlen`. `pse_type`: 1 as above; 0, `pse` is added to the
    scaled scores; 2, `pse` `(N,)` or `(B, N)` has slopes, whose product with the distance of query
    and key, from `q_start_idx` and `kv_start_idx` on, is subtracted; 3, the same with the root of
    the distance. `sparse_mode`: as there, and 5: 3, but each example's first `prefix` keys are all
    visible. Dropout with `keep_prob` draws from the default generator.

    Returns the result, in the layout of `query`; the largest score of each query and the sum of
    $e^{score - largest}$, eight times in the last axis; an empty Tensor; the two words of dropout's
    key and the number of its draws, 0 without dropout.

    >>> x = ops.ones((2, 4, 64))
    >>> ops.speed_fusion_attention(x, x, x, 4, "BSH", scale=0.25)[1].shape
    (2, 4, 4, 8)
    """
    who = "speed_fusion_attention"
    given = {"padding_mask": padding_mask, "mask": "atten_mask"}
    require(padding_mask is None, "none-but-mask", who, **given)
    _PSE_TYPE(who, pse_type=pse_type)
    _SPARSE_MODE(who, sparse_mode=sparse_mode)
    q = by_heads(who, query, input_layout, head_num)
    require(q.shape[1] == head_num, "query-heads", who, query=query.shape, heads=head_num)
    size = q.shape[3]
    k, v = (by_heads(who, x, input_layout, x.shape[-1] // size) for x in (key, value))
    k, v = grouped(who, q, k, v)
    shape = q.shape[2], k.shape[2]
    ends = (actual_seq_qlen, actual_seq_kvlen) if input_layout == "TND" else None
    band = pre_tokens, next_tokens
    hidden = _hidden(who, shape, ends, sparse_mode, band, atten_mask, prefix)
    bias = _bias(pse, pse_type, scale, shape, (q_start_idx, kv_start_idx))
    kept, drawn = _dropout((*q.shape[:2], *shape), keep_prob, q.dtype)
    out, largest, total = attention(q, k, v, bias, hidden, kept, float(scale), with_sums=True)
    sums = [copies(x) for x in (largest, total)]
    if input_layout == "TND":
        sums = [x.squeeze(0).permute(1, 0, 2) for x in sums]
    return (as_layout(out, input_layout), *sums, Tensor(np.zeros(0, np.float32)), *drawn)


@op(name="RingAttentionUpdate")
def ring_attention_update(
    prev_attn_out: Array, prev_softmax_max: Array, prev_softmax_sum: Array, cur_attn_out: Array,
    cur_softmax_max: Array, cur_softmax_sum: Array, actual_seq_qlen: OPTIONAL = None, layout="SBH",
) -> Arrays:  # fmt: skip
    r"""Combine attention over two parts of the keys: the results `(S, B, N D)`, or `(T, N, D)` for
    the `layout` 'TND', weighted with their sums of exponentials, $s_p e^{m_p - m}$ and $s_c e^{m_c
    - m}$, m being the larger of both maxima; m; and the sum of both weights.

    The maxima and sums are `(B, N, S, 8)`, or `(T, N, 8)`, equal in their last axis.
    `actual_seq_qlen`: ignored; the sequence of a token makes no difference.

    >>> x, m, s = ops.ones((1, 1, 4)), ops.zeros((1, 2, 1, 8)), ops.ones((1, 2, 1, 8))
    >>> out, largest, total = ops.ring_attention_update(x, m, s, x * 4, m, s * 2)
    >>> out.asnumpy(), total.asnumpy()[0, 0, 0, 0]
    (array([[[3., 3., 3., 3.]]], dtype=float32), np.float32(3.0))
    """
    _RING_LAYOUT(None, layout=layout)
    rank = 4 if layout == "SBH" else 3
    fits = prev_attn_out.ndim == 3 and prev_softmax_max.ndim == rank
    require(fits, "results-3-axes-maxima", rank=rank)
    largest = jnp.maximum(prev_softmax_max, cur_softmax_max)
    before = prev_softmax_sum * jnp.exp(prev_softmax_max - largest)
    now = cur_softmax_sum * jnp.exp(cur_softmax_max - largest)
    total = before + now

    def along_heads(weight):
        """Return one element per head, `(B, N, S, 8)` -> `(S, B, N, 1)`."""
        one = weight[..., :1]
        return one if layout == "TND" else jnp.transpose(one, (2, 0, 1, 3))

    heads = prev_softmax_max.shape[1]
    fits = layout != "SBH" or not prev_attn_out.shape[2] % heads
    require(fits, "last-size-results-divisible", heads=heads)
    shape = prev_attn_out.shape if layout == "TND" else (*prev_attn_out.shape[:2], heads, -1)
    previous, current = (
        x.reshape(shape) * along_heads(weight / total)
        for x, weight in ((prev_attn_out, before), (cur_attn_out, now))
    )
    out = (previous + current).reshape(prev_attn_out.shape).astype(prev_attn_out.dtype)
    return out, largest, total
