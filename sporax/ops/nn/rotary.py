"""Rotary position embeddings (Su et al., 2021), and the selection of experts by groups."""

import jax
import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.indexing.assignment import put
from sporax.ops.indexing.gather import gather
from sporax.ops.operand_checks import TENSOR, floats_only

_COS_FORMAT = kinds.one_of(0, 1, 2, 3)


def _turned(x, interleaved):
    """Rotate each pair (a, b) to (-b, a): halves of the last axis, or neighbours."""
    if interleaved:
        pairs = x.reshape(*x.shape[:-1], -1, 2)
        return jnp.stack([-pairs[..., 1], pairs[..., 0]], -1).reshape(x.shape)
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([-second, first], -1)


@op(check=floats_only("RotaryPositionEmbedding"), name="RotaryPositionEmbedding")
def rotary_position_embedding(x: Array, cos: Array, sin: Array, mode=0):
    r"""$x \cos + r(x) \sin$ with r mapping pairs (a, b) of the last axis to (-b, a): a rotation of
    each pair by its angle (Su et al., 2021).

    `x`: four axes, the last D even. `cos`, `sin`: of the angles, per element; axes of size 1 are
    broadcast. `mode` 0: a and b are in the halves of the axis, 1: neighbours.

    >>> x, angle = Tensor([[[[1.0, 0.0]]]]), ops.full((1, 1, 1, 2), np.pi / 2)
    >>> ops.rotary_position_embedding(x, ops.cos(angle), ops.sin(angle)).asnumpy().round(3)
    array([[[[-0.,  1.]]]], dtype=float32)
    """
    require(mode in (0, 1) and (not isinstance(mode, bool)), "0-halves-1-neighbours", mode=mode)
    fits = x.ndim == 4 and not x.shape[-1] % 2 and cos.shape == sin.shape
    require(fits, "rotated-of-even-size", x=x.shape, cos=cos.shape, sin=sin.shape)
    fits = jnp.broadcast_shapes(x.shape, cos.shape) == x.shape
    require(fits, "broadcast-shape", cos=cos.shape, shape=x.shape)
    return (x * cos + _turned(x, mode == 1) * sin).astype(x.dtype)


_HALVES, _GATHERED = (0, 2), (0, 1)


@composite(
    function=(), op="rotary_position_embedding",
    primitive="ApplyRotaryPosEmb(cos_format=0)(query, key, cos, sin, position_ids)",
)  # fmt: skip
def rotary_of_query_and_key(query, key, cos, sin, position_ids, cos_format=0) -> Arrays:
    """Rotate `query` and `key` as `rotary_position_embedding` does.

    `query`, `key`: `(N, L, heads D)` or `(N, L, heads, D)`. `cos_format` 0 or 1: `cos` and `sin`
    `(positions, D)` have a row per position, selected by `position_ids`: `(L,)`, or `(N,)` if L is
    1; 2 or 3: they are `(N L, D)`, a row per step. Odd formats: pairs are neighbours in the last
    axis, not in its halves.

    >>> x, angles = ops.ones((1, 2, 4)), ops.zeros((3, 4))
    >>> q, k = ops.ApplyRotaryPosEmb()(x, x, ops.cos(angles), ops.sin(angles), Tensor([0, 1]))
    >>> q.shape, k.shape
    ((1, 2, 4), (1, 2, 4))
    """
    who = "ApplyRotaryPosEmb"
    _COS_FORMAT(who, cos_format=cos_format)
    fits = cos.ndim == 2 and query.ndim in (3, 4) and key.ndim == query.ndim
    require(fits, "key-3-4-axes", who, query=query.shape, key=key.shape, cos=cos.shape)
    batch, steps, size = *query.shape[:2], cos.shape[-1]
    if cos_format in _GATHERED:
        cos, sin = (gather(t, position_ids.reshape(-1), 0) for t in (cos, sin))
    rows = (batch, steps) if cos.shape[0] == batch * steps else (1, steps)
    cos, sin = (t.reshape(*rows, 1, size) for t in (cos, sin))
    mode = 0 if cos_format in _HALVES else 1
    return tuple([
        rotary_position_embedding(
            x.reshape(batch, steps, -1, size), cos.astype(x.dtype), sin.astype(x.dtype), mode
        ).reshape(x.shape)
        for x in (query, key)
    ])  # fmt: skip


@op(function=(), name="GroupTopk", differentiable=False)
def without_weak_groups(token: Array, group_num, k, k_inner):
    """Return `token` with zeros in all but `k` groups; see `GroupTopk`."""
    fits = token.ndim == 2 and isinstance(group_num, int) and not token.shape[1] % max(group_num, 1)
    require(fits, "experts-of-groups", token=token.shape, group_num=group_num)
    size = token.shape[1] // group_num
    fits = 1 <= k <= group_num and 1 <= k_inner <= size
    require(fits, "1-k-inner-1", k=k, group_num=group_num, size=size, k_inner=k_inner)
    groups = token.reshape(len(token), group_num, size)
    best = jax.lax.top_k(groups.astype(jnp.float32), k_inner)[0].sum(-1)
    chosen = jax.lax.top_k(best, k)[1]
    kept = jax.nn.one_hot(chosen, group_num, dtype=bool, axis=-1).any(1)
    return jnp.where(kept[..., None], groups, 0).reshape(token.shape)


@composite(
    function=(), op="without_weak_groups",
    primitive="GroupTopk()(token, idx_arr, group_num, k, k_inner=1)",
)  # fmt: skip
def group_topk(token, idx_arr, group_num, k, k_inner=1):
    """Set `token` `(tokens, experts)` to zero for all groups of experts but the `k` best ones of
    each token, whose `k_inner` largest elements have the largest sum (DeepSeek-AI, 2024).

    `idx_arr`: the ints from 0 on, which MindSpore's kernel uses. Returns `token`.

    >>> scores = Tensor([[1.0, 2.0, 5.0, 0.0]])
    >>> ops.GroupTopk()(scores, ops.arange(4), 2, 1).asnumpy()
    array([[0., 0., 5., 0.]], dtype=float32)
    """
    TENSOR("GroupTopk", token=token)
    put("GroupTopk", token, without_weak_groups(token, group_num, k, k_inner))
    return token
