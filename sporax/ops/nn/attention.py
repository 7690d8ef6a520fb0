"""Attention (Vaswani et al., 2017) as one operation; in blocks of queries if it is large."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.nn.activation import softmax

MOST_SCORES = 2**22  # held at once; 16 MB in float32
SMALLEST_BLOCK = 32  # queries; products of fewer are slow


@op(function=(), name="Attention")
def attention(
    query: Array, key: Array, value: Array, bias: OPTIONAL = None, hidden: OPTIONAL = None,
    kept: OPTIONAL = None, scale=1.0, band=None, most_scores=MOST_SCORES, with_sums=False,
) -> Array | Arrays:  # fmt: skip
    """$softmax(scale q k^T + bias) v$ for `(B, N, S, D)`, `(B, N, T, D)`, `(B, N, T, E)`.

    `bias`, `hidden` (True where a key is masked) and `kept` (a factor of the weights): `(B or 1, N
    or 1, S, T)`. `band`, `(low, high)`: query i sees key j if `low <= j - i <= high`. A query
    without visible keys gives zeros. Above `most_scores` the queries are processed in blocks whose
    scores are not kept, but recomputed for the derivative, so that memory only grows with S + T (as
    in Rabe and Staats, 2021). `with_sums`: also return the largest score of each query, and the sum
    of $e^{score - largest}$ over its keys, `(B, N, S)`.
    """
    batch, heads, length, _ = query.shape
    block = max(SMALLEST_BLOCK, most_scores // max(batch * heads * key.shape[2], 1))

    def of_queries(start, query, bias, hidden, kept):
        scores = jnp.einsum(
            "bnsd,bntd->bnst", query, key, preferred_element_type=jnp.promote_types(query, "f4")
        )
        scores = scores * scale if bias is None else scores * scale + bias
        unseen = _unseen(hidden, band, start, query.shape[2], key.shape[2])
        if unseen is not None:
            scores = jnp.where(unseen, jnp.finfo(scores.dtype).min, scores)
        weights = softmax.declaration.fn(scores, -1)
        if unseen is not None:
            weights = jnp.where(unseen, 0, weights)
        sums = _sums(scores, unseen) if with_sums else ()
        if kept is not None:
            weights = weights * kept
        return jnp.einsum("bnst,bnte->bnse", weights.astype(value.dtype), value), *sums

    if length <= block:
        outs = of_queries(0, query, bias, hidden, kept)
        return outs if with_sums else outs[0]
    count = -(-length // block)

    def in_blocks(x):
        """(B, N, S, ...) -> (blocks, B, N, block, ...)"""
        if x is None:
            return None
        x = jnp.pad(x, [(0, 0), (0, 0), (0, count * block - length), (0, 0)])
        return jnp.moveaxis(x.reshape(*x.shape[:2], count, block, x.shape[3]), 2, 0)

    blocks = jnp.arange(count) * block, *map(in_blocks, (query, bias, hidden, kept))
    outs = lax.map(jax.checkpoint(lambda block_args: of_queries(*block_args)), blocks)
    joined = [jnp.moveaxis(out, 0, 2) for out in outs]
    outs = [x.reshape(batch, heads, -1, *x.shape[4:])[:, :, :length] for x in joined]
    return tuple(outs) if with_sums else outs[0]


def _sums(scores, unseen):
    """Return each query's largest score, and the sum of $e^{score - largest}$."""
    largest = scores.max(-1, keepdims=True)
    powers = jnp.exp(scores - largest)
    powers = powers if unseen is None else jnp.where(unseen, 0, powers)
    return largest[..., 0], powers.sum(-1)


def _unseen(hidden, band, start, queries, keys):
    """Return True where query `start + i` does not see key j; None if all keys are visible."""
    if band is None:
        return hidden
    apart = jnp.arange(keys) - (start + jnp.arange(queries))[:, None]
    outside = (apart < band[0]) | (apart > band[1])
    return outside if hidden is None else outside | hidden


_SWAPPED = 0, 2, 1, 3
# layout -> (permutation to (B, N, S, D), permutation back, True if N and D are one axis)
LAYOUTS = {
    "BSH": (_SWAPPED, _SWAPPED, True), "SBH": ((1, 2, 0, 3), (2, 0, 1, 3), True),
    "BNSD": ((0, 1, 2, 3), (0, 1, 2, 3), False), "BSND": (_SWAPPED, _SWAPPED, False),
}  # fmt: skip
EVERYTHING = 2**31 - 1
_LAYOUT, SPARSE_MODE = kinds.one_of(*LAYOUTS), kinds.one_of(0, 1, 2, 3, 4)
_WHO = "flash_attention_score"


def _band(mode, pre_tokens, next_tokens, has_mask, more_keys):
    """Return the band of a `sparse_mode`; None for all keys."""
    if mode in (2, 3):
        return -EVERYTHING, more_keys if mode == 3 else 0
    SPARSE_MODE(_WHO, sparse_mode=mode)
    if mode == 1 or (mode == 0 and not has_mask) or min(pre_tokens, next_tokens) >= EVERYTHING:
        return None
    shift = more_keys if mode == 4 else 0
    return shift - pre_tokens, shift + next_tokens


def _kept(bits, probability, dtype):
    """Return the factors of the weights, from dropout's mask of bits."""
    given = {"argument": "drop_mask", "other": "keep_prob", "value": probability}
    require(bits is not None, "given-where", _WHO, **given)
    one_by_one = bits.expand_dims(-1).bitwise_right_shift(Tensor(np.arange(8), bits.dtype)) % 2
    return one_by_one.reshape(*bits.shape[:3], -1).astype(dtype) / probability


@composite()
def flash_attention_score(
    query, key, value, head_num, real_shift=None, drop_mask=None, padding_mask=None,
    attn_mask=None, prefix=None, actual_seq_qlen=None, actual_seq_kvlen=None, keep_prob=1.0,
    scalar_value=1.0, pre_tokens=EVERYTHING, next_tokens=EVERYTHING, inner_precise=0,
    input_layout="BSH", sparse_mode=0,
):  # fmt: skip
    r"""$dropout(softmax(scale \, q k^\top + shift)) v$ without storing the scores of long sequences
    (Dao et al., 2022).

    `input_layout`: 'BSH' `(B, S, N D)`, 'SBH', 'BNSD' or 'BSND', of `query` with `head_num` heads,
    of `key` and `value`, whose number of heads divides it, and of the result. `real_shift` `(B or
    1, N, S, T)` is added to the scores. `attn_mask` `(S, T)` or `(B, 1 or N, S, T)`: True where a
    key is masked. `sparse_mode`: 0, unmasked keys in the band from `pre_tokens` before to
    `next_tokens` after a query; 1, the mask alone; 2, keys up to the query's position; 3, the same
    with both sequences aligned at their ends; 4, the band aligned at the ends; for 2 to 4 the
    mask's values are not read. `drop_mask` `(B, N, S, T / 8)`: bits, lowest first, of the weights
    that dropout with `keep_prob` keeps. Dtypes other than float16 and bfloat16 are supported, too.
    A query without visible keys gives zeros.

    >>> x = ops.ones((2, 4, 64))
    >>> ops.flash_attention_score(x, x, x, 4, scalar_value=0.25).shape
    (2, 4, 64)
    """
    for name, option in (("padding_mask", padding_mask), ("prefix", prefix)):
        require(option is None, "none-but-mask", _WHO, argument=name, got=option, mask="attn_mask")
    _LAYOUT(_WHO, input_layout=input_layout)
    axes, back, joined = LAYOUTS[input_layout]

    fits = query.ndim == (3 if joined else 4) and not (joined and query.shape[2] % head_num)
    require(fits, "layout-of-heads", _WHO, query=query.shape, layout=input_layout, heads=head_num)
    size, operands = query.shape[2] // head_num if joined else query.shape[3], (query, key, value)
    if joined:
        operands = [x.reshape(*x.shape[:2], x.shape[2] // size, size) for x in operands]
    q, k, v = (x.permute(*axes) for x in operands)
    fits = q.shape[1] == head_num and not head_num % k.shape[1] and k.shape == v.shape
    require(fits, "heads-divide", _WHO, heads=head_num, got=[q.shape, k.shape, v.shape])
    if k.shape[1] != head_num:
        k, v = (x.repeat_interleave(head_num // x.shape[1], 1) for x in (k, v))
    band = _band(
        sparse_mode, pre_tokens, next_tokens, attn_mask is not None, k.shape[2] - q.shape[2]
    )
    hidden = None
    if attn_mask is not None and sparse_mode < 2:
        hidden = attn_mask.bool().reshape((1,) * (4 - attn_mask.ndim) + attn_mask.shape)
    kept = _kept(drop_mask, keep_prob, q.dtype) if keep_prob < 1 else None
    out = attention(q, k, v, real_shift, hidden, kept, float(scalar_value), band)
    return out.permute(*back).reshape(query.shape)
