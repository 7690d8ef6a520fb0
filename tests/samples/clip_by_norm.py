"""Rows for `sporax.ops.nn.clip_by_norm`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def l2_normalize(x, axis=0, epsilon=1e-4):
    return x / np.sqrt(np.maximum((x * x).sum(axis, keepdims=True), epsilon))


def lp_norm(x, axis, p=2, keep_dims=False):
    return (np.abs(x) ** p).sum(axis, keepdims=keep_dims) ** (1 / p)


def global_norm(*xs):
    return np.sqrt(sum((x**2).sum() for x in xs))


SAMPLES = [
    Sample("l2_normalize", [(2, 3)], l2_normalize, {"axis": 1}),
    Sample("l2_normalize", [np.zeros((1, 2))], l2_normalize),
    Sample("lp_norm", [(2, 3)], lp_norm, {"axis": 1, "keep_dims": True}),
    Sample("lp_norm", [(2, 3)], lp_norm, {"axis": (0, 1), "p": 3}),
    Sample("global_norm", [(2, 3), (2,)], global_norm, packed=True),
]

REFUSALS = [
    Refusal(
        "clip-to-nothing",
        lambda: ops.clip_by_global_norm((Tensor([1.0]),), 0.0),
        ValueError,
        ("For 'clip_by_global_norm'", "greater than 0"),
    ),
]
