"""Rows for `sporax.ops.nn.gated_recurrence`, gate by gate."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, b, h, c, projection=None, forget_bias=0.0):
    outputs = []
    for step in x:
        i, j, f, o = np.split(np.concatenate([step, h], -1) @ w + b, 4, -1)
        i, j, f, o = sigmoid(i), np.tanh(j), sigmoid(f + forget_bias), sigmoid(o)
        c = f * c + i * j
        h = o * np.tanh(c) if projection is None else o * np.tanh(c) @ projection.T
        outputs.append((h, c, i, j, f, o, np.tanh(c)))
    return [np.stack(part) for part in zip(*outputs, strict=True)]


def gru(x, wi, wh, bi, bh, h, gate_order="rzh", reset_after=True):
    size = h.shape[-1]
    gates = {g: slice(k * size, (k + 1) * size) for k, g in enumerate(gate_order)}
    outputs = []
    for step in x:
        a, b = step @ wi + bi, h @ wh + bh
        r, z = (sigmoid(a[:, gates[g]] + b[:, gates[g]]) for g in "rz")
        last = gates["h"]
        new = b[:, last] if reset_after else (r * h) @ wh[:, last] + bh[last]
        n = np.tanh(a[:, last] + (r * new if reset_after else new))
        h = (1 - z) * n + z * h
        outputs.append((h, z, r, n, new))
    return [np.stack(part) for part in zip(*outputs, strict=True)]


LSTM = [(3, 2, 3), (5, 8), (8,), (2, 2), (2, 2)]
GRU = [(3, 2, 3), (3, 6), (2, 6), (6,), (6,), (2, 2)]
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
SAMPLES = [
    Sample("lstm_with_gates", LSTM, lstm, **CLOSE),
    Sample("lstm_with_gates", [(3, 2, 3), (6, 8), (8,), (2, 3), (2, 2), (3, 2)], lstm,
           {"forget_bias": 1.0}, **CLOSE),
    Sample("gru_with_gates", GRU, gru, **CLOSE),
    Sample("gru_with_gates", GRU, gru, {"gate_order": "zrh", "reset_after": False}, **CLOSE),
]  # fmt: skip

X, S, W, B = (ops.ones(shape) for shape in ((3, 2, 3), (2, 2), (5, 8), (8,)))
REFUSALS = [
    Refusal(f"gates-{name}", call, error, says)
    for name, call, error, says in [
        ("peephole", lambda: ops.DynamicRNN(use_peephole=True)(X, W, B, None, S[None], S[None]),
         ValueError, ("'DynamicRNN'", "'use_peephole'", "False", "nn.LSTM")),
        ("length", lambda: ops.DynamicRNN()(X, W, B, 3, S[None], S[None]), ValueError,
         ("'seq_length'", "None")),
        ("weight", lambda: ops.DynamicRNN()(X, W[:4], B, None, S[None], S[None]), ValueError,
         ("'w'", "(5, 8)", "(4, 8)")),
        ("cell", lambda: ops.BasicLSTMCell(0.5)(X[0], S, S, W, B), ValueError,
         ("'BasicLSTMCell'", "'keep_prob'", "0.5")),
        ("order", lambda: ops.DynamicGRUV2(gate_order="hzr")(X, W, W, None, None, None, S),
         ValueError, ("'gate_order'", "'rzh' or 'zrh'")),
        ("gru-weight", lambda: ops.DynamicGRUV2()(X, W, W, None, None, None, S), ValueError,
         ("'weight_input'", "(3, 6)", "(5, 8)")),
        ("lstm", lambda: ops.LSTM(3, 2, 1, False, False, 0.0)(X, S[None], S[None], X), ValueError,
         ("'LSTM'", "40 elements", "(3, 2, 3)")),
    ]
]  # fmt: skip
