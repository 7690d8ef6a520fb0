"""Rows for `sporax.ops.loss.rnnt`."""

import itertools

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample


def cost(acts, labels, times, count, blank):
    """-ln of the sum over all ways, one after the other."""
    p = np.exp(acts) / np.exp(acts).sum(-1, keepdims=True)
    total = 0
    for places in itertools.combinations(range(times - 1 + count), count):
        t = u = 0
        chance = 1.0
        for step in range(times - 1 + count):
            if step in places:
                chance, u = chance * p[t, u, labels[u]], u + 1
            else:
                chance, t = chance * p[t, u, blank], t + 1
        total += chance * p[t, u, blank]
    return -np.log(total)


def rnnt(acts, labels, input_lengths, label_lengths, blank_label=0):
    rest = list(zip(labels, input_lengths, label_lengths, strict=True))
    costs = np.array([cost(a, *r, blank_label) for a, r in zip(acts, rest, strict=True)])
    grads, step = np.zeros_like(acts), 1e-6
    for place in np.ndindex(acts.shape):
        ends = []
        for sign in (1, -1):
            moved = acts[place[0]].copy()
            moved[place[1:]] += sign * step
            ends.append(cost(moved, *rest[place[0]], blank_label))
        grads[place] = (ends[0] - ends[1]) / (2 * step)
    return costs, grads


def ints(*values):
    return np.array(values, np.int32)


SAMPLES = [
    Sample("rnnt_loss", [(2, 3, 3, 4), ints([1, 2], [3, 1]), ints(3, 2), ints(2, 1)], rnnt,
           rtol=1e-4, atol=1e-5),
    Sample("rnnt_loss", [(1, 1, 2, 3), ints([0]), ints(1), ints(0)], rnnt, {"blank_label": 2},
           rtol=1e-4, atol=1e-5),
]  # fmt: skip

X, ONE = ops.ones((1, 2, 3, 4)), Tensor(ints(1))
REFUSALS = [
    Refusal("rnnt-labels", lambda: ops.RNNTLoss()(X, Tensor(ints([1])), ONE, ONE), ValueError,
            ("'RNNTLoss'", "'labels'")),
    Refusal("rnnt-blank", lambda: ops.RNNTLoss(4)(X, Tensor(ints([1, 2])), ONE, ONE), ValueError,
            ("'RNNTLoss'", "'blank_label'", "4")),
]  # fmt: skip
