"""Rows for `sporax.ops.nn.dense`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def dense(x, w, b=0.0):
    return np.einsum("...i,oi->...o", x, w) + b


SAMPLES = [
    Sample("dense", [(2, 3), (4, 3), (4,)], dense),
    Sample("dense", [(3,), (4, 3)], dense),
    Sample("dense_layer", [(2, 3), (4, 3), (4,)], dense),
    Sample("dense", [(2, 2, 3), (2, 3)], dense),
    Sample("bias_add", [(2, 3, 2), (3,)], lambda x, b: x + b[:, None]),
    Sample("embedding_lookup", [np.array([[2, 0], [1, 1]]), (3, 2)], lambda at, w: w[at]),
]

REFUSALS = [
    Refusal(
        "dense-shapes",
        lambda: ops.dense(ops.ones((2, 3)), ops.ones((4, 5))),
        ValueError,
        ("'Dense'", "(2, 3)", "(4, 5)"),
    ),
    Refusal(
        "bias-add-shapes",
        lambda: ops.bias_add(ops.ones((2, 3)), ops.ones((2,))),
        ValueError,
        ("'BiasAdd'", "(N, C, ...)"),
    ),
]


def bidense(a, b, weight, bias=0):
    return np.einsum("...i,oij,...j->...o", a, weight, b) + bias


SAMPLES += [
    Sample("bidense", [(2, 3), (2, 4), (5, 3, 4), (5,)], bidense),
    Sample("bidense", [(2, 2, 3), (2, 2, 4), (5, 3, 4)], bidense),
]
