"""Rows for `sporax.ops.nn.recurrence`."""

import numpy as np

from sporax import ops
from sporax.ops.nn.recurrence import recurrent_scan
from tests.samples import Refusal, Sample


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, x, h, c, w_ih, w_hh, b_ih, b_hh):
    """The next state, gate by gate."""
    inner, outer = w_ih @ x + b_ih, w_hh @ h + b_hh
    if kind in ("tanh", "relu"):
        bend = np.tanh if kind == "tanh" else lambda a: np.maximum(a, 0)
        return (bend(inner + outer),)
    n = len(h)
    i, o = inner.reshape(-1, n), outer.reshape(-1, n)
    if kind == "gru":
        r, z = sigmoid(i[0] + o[0]), sigmoid(i[1] + o[1])
        return ((1 - z) * np.tanh(i[2] + r * o[2]) + z * h,)
    entry, forget, exit = (sigmoid(i[g] + o[g]) for g in (0, 1, 3))
    cell = forget * c + entry * np.tanh(i[2] + o[2])
    return exit * np.tanh(cell), cell


def along(
    x, hidden, weight_ih, weight_hh, bias_ih=None, bias_hh=None, cell=None, lengths=None, *, kind,
    reverse=False,
):  # fmt: skip
    length, batch, _ = x.shape
    biases = [np.zeros(len(weight_ih)) if b is None else b for b in (bias_ih, bias_hh)]
    shown, last = np.zeros((length, batch, hidden.shape[1])), []
    for n in range(batch):
        state = (hidden[n], None if cell is None else cell[n])
        times = range(length if lengths is None else lengths[n])
        for t in reversed(times) if reverse else times:
            after = step(kind, x[t, n], *state, weight_ih, weight_hh, *biases)
            state = (*after, None)[:2]
            shown[t, n] = state[0]
        last.append(state)
    states = [np.stack([s[k] for s in last]) for k in range(1 if cell is None else 2)]
    return shown, *states


def one_step(x, hidden, weight_ih, weight_hh, bias_ih=None, bias_hh=None, cell=None, *, kind):
    result = along(x[None], hidden, weight_ih, weight_hh, bias_ih, bias_hh, cell, kind=kind)[1:]
    return result if len(result) > 1 else result[0]


def inputs(gates, length=3, biased=True, cell=False, lengths=None):
    shapes = {"x": (length, 2, 3), "hidden": (2, 2)} if length else {"x": (2, 3), "hidden": (2, 2)}
    shapes |= {"weight_ih": (2 * gates, 3), "weight_hh": (2 * gates, 2)}
    if biased:
        shapes |= {"bias_ih": (2 * gates,), "bias_hh": (2 * gates,)}
    if cell:
        shapes["cell"] = (2, 2)
    if lengths is not None:
        shapes["lengths"] = np.array(lengths)
    return list(shapes.values()), list(shapes)


def row(op, ref, kind, gates, reverse=None, **settings):
    shapes, names = inputs(gates, **settings)
    absent = {n: None for n in ("cell", "bias_ih", "bias_hh") if n not in names}
    attrs = {"kind": kind} | ({} if reverse is None else {"reverse": reverse})

    def by_name(*arrays, **options):
        return ref(**dict(zip(names, arrays, strict=True)), **options)

    return Sample(op, shapes, by_name, {**absent, **attrs}, names=names)


SAMPLES = [
    row("recurrent_scan", along, "tanh", 1, biased=False),
    row("recurrent_scan", along, "lstm", 4, cell=True, lengths=[3, 1], reverse=True),
    row("recurrent_scan", along, "gru", 3, lengths=[2, 3]),
    row("recurrent_scan", along, "gru", 3, length=2, reverse=True),
    row("recurrent_cell", one_step, "tanh", 1, length=0),
    row("recurrent_cell", one_step, "lstm", 4, length=0, cell=True),
    row("recurrent_cell", one_step, "gru", 3, length=0, biased=False),
]

X, H = ops.ones((3, 2, 3)), ops.ones((2, 2))
REFUSALS = [
    Refusal(
        "recurrence-weights",
        lambda: recurrent_scan(
            X, H, None, ops.ones((2, 4)), ops.ones((2, 2)), None, None, kind="tanh"
        ),
        ValueError,
        ("'recurrence'", "(2, 3)", "(2, 4)"),
    ),
    Refusal(
        "recurrence-state",
        lambda: recurrent_scan(
            X, X, None, ops.ones((2, 3)), ops.ones((2, 2)), None, None, kind="tanh"
        ),
        ValueError,
        ("'recurrence'", "'hidden'"),
    ),
]
