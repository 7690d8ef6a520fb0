"""Rows for `sporax.ops.nn.moe_routing`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample

EXPERTS = np.array([[0, 1, 1], [2, 1, 1], [0, 0, 0]], np.int32)


def ordered(experts):
    """(expert, row, place) sorted by expert."""
    flat = [(e, i // experts.shape[1], i) for i, e in enumerate(experts.reshape(-1))]
    return sorted(flat, key=lambda item: (item[0], item[2]))


def permute(tokens, indices, num_out_tokens=None):
    items = ordered(indices.reshape(len(tokens), -1))
    places = np.zeros(len(items), int)
    for n, (_, _, place) in enumerate(items):
        places[place] = n
    return np.array([tokens[row] for _, row, _ in items])[:num_out_tokens], places


def unpermute(rows, places, probs=None):
    full = np.concatenate([rows, np.zeros((places.size, rows.shape[1]))])
    taken = full[places]
    if probs is None:
        return taken
    return (taken.reshape(*probs.shape, -1) * probs[..., None]).sum(1)


def route(x, experts, active_num, expert_capacity, expert_num, drop_pad_mode, flag, before):
    rows, places = permute(x, experts)
    counts = np.bincount(experts.reshape(-1), minlength=expert_num)
    if drop_pad_mode == 0:
        rows = rows[: active_num or None]
        result = rows, np.where(places < len(rows), places, -1)
        return (*result, np.cumsum(counts) if flag == 1 else counts) if flag else result
    out, at = np.zeros((expert_num, expert_capacity, x.shape[1])), np.full(experts.size, -1)
    filled = np.zeros(expert_num, int)
    for expert, row, place in ordered(experts):
        n = filled[expert]
        if n < expert_capacity:
            out[expert, n], at[place] = x[row], expert * expert_capacity + n
        filled[expert] += 1
    return (out, at, counts) if before else (out, at)


def routed(x, experts, **attrs):
    return route(x, experts, *attrs.values())


SETTINGS = (
    "active_num", "expert_capacity", "expert_num", "drop_pad_mode",
    "expert_tokens_count_or_cumsum_flag", "expert_tokens_before_capacity_flag",
)  # fmt: skip
PLACES = np.array([2, 0, 5, 1, 4, 3], np.int32)
SAMPLES = [
    Sample("moe_token_permute", [(3, 2), EXPERTS], permute),
    Sample("moe_token_permute", [(3, 2), EXPERTS[:, 0]], permute, {"num_out_tokens": 2}),
    Sample("moe_token_unpermute", [(6, 2), PLACES], unpermute),
    Sample("moe_token_unpermute", [(5, 2), PLACES, (3, 2)], unpermute),
    *[Sample("moe_init_routing_v2", [(3, 2), EXPERTS], routed,
             dict(zip(SETTINGS, row, strict=True)))
      for row in ((0, 0, 3, 0, 0, False), (4, 0, 3, 0, 1, False), (0, 0, 3, 0, 2, False),
                  (0, 2, 3, 1, 0, False), (0, 2, 3, 1, 0, True))],
]  # fmt: skip

TOKENS, AT = ops.ones((3, 2)), Tensor(EXPERTS)
REFUSALS = [
    Refusal("permute-rows", lambda: ops.moe_token_permute(TOKENS[:2], AT), ValueError,
            ("'moe_token_permute'", "'tokens'")),
    Refusal("permute-padded", lambda: ops.moe_token_permute(TOKENS, AT, None, True), ValueError,
            ("'moe_token_permute'", "'padded_mode'")),
    Refusal("routing-mode", lambda: ops.moe_init_routing_v2(TOKENS, AT, 0, 2, 3, 2, 0, False),
            ValueError, ("'MoeInitRoutingV2'", "'drop_pad_mode'", "2")),
]  # fmt: skip
