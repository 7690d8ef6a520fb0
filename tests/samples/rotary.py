"""Rows for `sporax.ops.nn.rotary`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def rotary(x, cos, sin, mode=0):
    half = x.shape[-1] // 2
    turned = np.zeros_like(x)
    pairs = [(i, i + half) if mode == 0 else (2 * i, 2 * i + 1) for i in range(half)]
    for a, b in pairs:
        turned[..., a], turned[..., b] = -x[..., b], x[..., a]
    return x * cos + turned * sin


def without_weak(token, group_num, k, k_inner):
    out = token.copy().reshape(len(token), group_num, -1)
    for row in out:
        strength = np.sort(row, -1)[:, -k_inner:].sum(-1)
        row[np.argsort(-strength, kind="stable")[k:]] = 0
    return out.reshape(token.shape)


SAMPLES = [
    Sample("rotary_position_embedding", [(2, 2, 3, 4), (1, 1, 3, 4), (1, 1, 3, 4)], rotary),
    Sample("rotary_position_embedding", [(2, 2, 3, 4), (1, 2, 1, 4), (1, 2, 1, 4)], rotary,
           {"mode": 1}),
    Sample("without_weak_groups", [(5, 12)], without_weak,
           {"group_num": 4, "k": 2, "k_inner": 2}),
]  # fmt: skip

X = ops.ones((1, 2, 3, 4))
REFUSALS = [
    Refusal(f"rotary-{name}", call, ValueError, says)
    for name, call, says in [
        ("mode", lambda: ops.rotary_position_embedding(X, X, X, 2), ("'mode'", "2")),
        ("odd", lambda: ops.rotary_position_embedding(X[..., :3], X, X), ("even", "(1, 2, 3, 3)")),
        ("cos", lambda: ops.rotary_position_embedding(X, X[:, :, :2], X[:, :, :2]),
         ("(1, 2, 2, 4)",)),
        ("format", lambda: ops.ApplyRotaryPosEmb(4)(X, X, X[0, 0], X[0, 0], None),
         ("'cos_format'", "4")),
        ("angles", lambda: ops.ApplyRotaryPosEmb()(X, X, X, X, None), ("'ApplyRotaryPosEmb'",)),
        ("groups", lambda: ops.GroupTopk()(X[0, 0], X, 3, 1), ("'GroupTopk'", "(3, 4)")),
        ("inner", lambda: ops.GroupTopk()(X[0, 0], X, 2, 1, 3), ("'k_inner'", "from 1 to 2", "3")),
    ]
]  # fmt: skip
