"""Rows for `sporax.ops.loss.margin_losses`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample

SIGNS = np.array([1, -1, 1, -1])
REDUCE = {"mean": np.mean, "sum": np.sum, "none": np.asarray}


def ranking(a, b, y, margin=0.0, reduction="mean"):
    return REDUCE[reduction](np.maximum(0, -y * (a - b) + margin))


def soft(x, y, reduction="mean"):
    return REDUCE[reduction](np.log(1 + np.exp(-y * x)))


def hinge(x, y, margin=1.0, reduction="mean"):
    return REDUCE[reduction](np.where(y == 1, x, np.maximum(0, margin - x)))


def cosine(a, b, y, margin=0.0, reduction="mean"):
    cos = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return REDUCE[reduction](np.where(y == 1, 1 - cos, np.maximum(0, cos - margin)))


def gaussian(x, y, var, full=False, eps=1e-6, reduction="mean"):
    var = np.maximum(var if var.ndim == x.ndim else var[..., None], eps)
    density = np.exp(-((x - y) ** 2) / var / 2) / np.sqrt(var * (2 * np.pi if full else 1))
    return REDUCE[reduction](-np.log(density))


SAMPLES = [
    Sample("margin_ranking_loss", [(4,), (4,), SIGNS], ranking, {"margin": 0.3}),
    Sample("margin_ranking_loss", [(4,), (4,), SIGNS], ranking, {"reduction": "none"}),
    Sample("soft_margin_loss", [(4,), SIGNS], soft),
    Sample("hinge_embedding_loss", [(4,), SIGNS], hinge, {"reduction": "sum"}),
    Sample("cosine_embedding_loss", [(4, 3), (4, 3), SIGNS], cosine, {"margin": 0.1}),
    Sample("gaussian_nll_loss", [(2, 3)] * 3, gaussian, range=(0.2, 2.0)),
    Sample(
        "gaussian_nll_loss", [(2, 3), (2, 3), (2,)], gaussian, {"full": True, "reduction": "none"},
        range=(0.2, 2.0),
    ),
]  # fmt: skip

X = ops.ones((2, 2))
REFUSALS = [
    Refusal(
        "cosine-margin", lambda: ops.cosine_embedding_loss(X, X, ops.ones((2,)), 2.0), ValueError,
        ("'CosineEmbeddingLoss'", "'margin'"),
    ),
    Refusal(
        "gaussian-eps", lambda: ops.gaussian_nll_loss(X, X, X, eps=0), ValueError,
        ("'GaussianNLLLoss'", "'eps'"),
    ),
    Refusal(
        "margin-reduction", lambda: ops.soft_margin_loss(X, X, "x"), ValueError, ("'reduction'",)
    ),
]  # fmt: skip
