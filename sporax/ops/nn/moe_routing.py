"""Mixtures of experts: tokens sorted by expert, and restored (Shazeer et al., 2017)."""

import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import OPTIONAL, Array, Arrays, op
from sporax.ops.operand_checks import require_integers, require_shapes

_DROP_PAD_MODE, _COUNTS = kinds.one_of(0, 1), kinds.one_of(0, 1, 2)


def _experts(name, indices):
    require_shapes(**{name: (indices, "N K | N")})
    is_integer = jnp.issubdtype(indices.dtype, jnp.integer)
    dtype = {"argument": name, "got": indices.dtype}
    require(is_integer, "integer-dtype", error=ValueError, **dtype)
    return indices.reshape(indices.shape[0], -1)


def _order(experts):
    """Return the token-major slots sorted by expert, and each slot's position in that order."""
    order = jnp.argsort(experts.reshape(-1), stable=True)
    return order, jnp.zeros_like(order).at[order].set(jnp.arange(order.size))


@op()
def moe_token_permute(
    tokens: Array, indices: Array, num_out_tokens=None, padded_mode=False
) -> Arrays:
    """Repeat the rows of `tokens` `(N, H)` for each of their experts `indices` `(N, K)` or `(N,)`,
    sorted by expert; also returns their positions, Int32 `(N K,)`, in the order of `indices`.

    `num_out_tokens`: keeps only the first rows; a negative number drops that many at the end.

    >>> tokens = Tensor([[1.0], [7.0], [2.0]])
    >>> rows, places = ops.moe_token_permute(tokens, Tensor([2, 0, 1], sporax.int32))
    >>> rows.asnumpy().ravel(), places.asnumpy()
    (array([7., 2., 1.], dtype=float32), array([2, 0, 1], dtype=int32))
    """
    require(not padded_mode, "no-padded-mode", padded_mode=padded_mode)
    experts = _experts("indices", indices)
    require_shapes(tokens=(tokens, "N H"), indices=(indices, "N ..."))
    order, inverse = _order(experts)
    rows = tokens[order // experts.shape[1]]
    return rows if num_out_tokens is None else rows[:num_out_tokens], inverse.astype(jnp.int32)


@op()
def moe_token_unpermute(
    permuted_tokens: Array, sorted_indices: Array, probs: OPTIONAL = None, padded_mode=False,
    restore_shape=None,
):  # fmt: skip
    """Restore the order before `moe_token_permute`: `(N K, H)` -> `(N, H)`, each row the sum over
    its K experts, weighted with `probs` `(N, K)`; without `probs`, K is 1.

    Dropped rows count as zeros.

    >>> rows, places = Tensor([[7.0], [2.0], [1.0]]), Tensor([2, 0, 1], sporax.int32)
    >>> ops.moe_token_unpermute(rows, places).asnumpy().ravel()
    array([1., 7., 2.], dtype=float32)
    """
    require(not padded_mode, "must-equal", padded_mode=padded_mode, value=False)
    require_shapes(permuted_tokens=(permuted_tokens, "NK H"), sorted_indices=(sorted_indices, "nk"))
    require_integers(sorted_indices=sorted_indices)
    rows = permuted_tokens.at[sorted_indices].get(mode="fill", fill_value=0)
    if probs is None:
        return rows
    size = sorted_indices.size
    require(probs.ndim == 2 and probs.size == size, "n-k-n-k", probs=probs.shape, size=size)
    weighted = rows.reshape(*probs.shape, -1) * probs[..., None]
    return weighted.sum(1).astype(permuted_tokens.dtype)


@op(name="MoeInitRoutingV2")
def moe_init_routing_v2(
    x: Array, expert_idx: Array, active_num, expert_capacity, expert_num, drop_pad_mode,
    expert_tokens_count_or_cumsum_flag, expert_tokens_before_capacity_flag,
) -> Arrays:  # fmt: skip
    """Repeat the rows of `x` `(N, H)` for each of their experts `expert_idx` `(N, K)`, sorted by
    expert; also returns their positions, Int32 `(N K,)` in the order of `expert_idx` (-1: dropped).

    `drop_pad_mode` 0: `(N K, H)`, or the first `active_num` rows unless that is 0; with
    `expert_tokens_count_or_cumsum_flag` 1 or 2 also the experts' cumulative, or individual, token
    counts. 1: `(expert_num, expert_capacity, H)`, with excess tokens dropped and missing ones 0;
    with `expert_tokens_before_capacity_flag` also the token counts before dropping.

    >>> x, experts = Tensor([[1.0], [2.0]]), Tensor([[1], [0]], sporax.int32)
    >>> rows, places = ops.moe_init_routing_v2(x, experts, 0, 0, 2, 0, 0, False)
    >>> rows.asnumpy().ravel(), places.asnumpy()
    (array([2., 1.], dtype=float32), array([1, 0], dtype=int32))
    """
    experts = _experts("expert_idx", expert_idx)
    require_shapes(x=(x, "N H"), expert_idx=(expert_idx, "N ..."))
    _DROP_PAD_MODE(None, drop_pad_mode=drop_pad_mode)
    _COUNTS(None, expert_tokens_count_or_cumsum_flag=expert_tokens_count_or_cumsum_flag)
    order, inverse = _order(experts)
    flat = experts.reshape(-1)
    counts = jnp.zeros(expert_num, jnp.int32).at[flat].add(1, mode="drop")
    rows = x[order // experts.shape[1]]
    if drop_pad_mode == 0:
        rows = rows[:active_num] if active_num else rows
        result = rows, jnp.where(inverse < rows.shape[0], inverse, -1).astype(jnp.int32)
        if expert_tokens_count_or_cumsum_flag == 0:
            return result
        is_sum = expert_tokens_count_or_cumsum_flag == 1
        return *result, (jnp.cumsum(counts) if is_sum else counts).astype(jnp.int32)
    starts = jnp.cumsum(counts) - counts
    sorted_experts = flat[order]
    within = jnp.arange(order.size) - starts[sorted_experts]
    slots = sorted_experts * expert_capacity + within
    slots = jnp.where(within < expert_capacity, slots, expert_num * expert_capacity)
    padded = jnp.zeros((expert_num * expert_capacity, x.shape[1]), x.dtype)
    padded = padded.at[slots].set(rows, mode="drop")
    came = jnp.where(within < expert_capacity, slots, -1)[inverse].astype(jnp.int32)
    result = padded.reshape(expert_num, expert_capacity, -1), came
    return (*result, counts) if expert_tokens_before_capacity_flag else result
