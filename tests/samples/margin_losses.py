"""Rows for `sporax.ops.loss.margin_losses`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
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


def multi_margin(x, t, w=None, p=1, margin=1, reduction="mean"):
    w = np.ones(x.shape[1]) if w is None else w
    rows = [
        sum(w[c] * max(0, margin - row[c] + row[i]) ** p for i in range(len(row)) if i != c)
        for row, c in zip(x, t, strict=True)
    ]
    return REDUCE[reduction](np.array(rows) / x.shape[1])


def multilabel_margin(x, t, reduction="mean"):
    return multilabel_margin_of_class(x, t, reduction)[0]


def multilabel_margin_of_class(x, t, reduction="mean"):
    losses, is_target = [], np.zeros(x.shape, np.int32)
    for n, (row, labels) in enumerate(zip(x, t, strict=True)):
        true = list(labels[: list(labels).index(-1)] if -1 in labels else labels)
        is_target[n, true] = 1
        others = [i for i in range(len(row)) if i not in true]
        losses.append(sum(max(0, 1 - row[j] + row[i]) for j in true for i in others) / len(row))
    return REDUCE[reduction](losses), is_target


def multilabel_soft(x, y, w=1.0, reduction="mean"):
    chance = 1 / (1 + np.exp(-x))
    loss = -w * (y * np.log(chance) + (1 - y) * np.log(1 - chance))
    return REDUCE[reduction](loss.mean(-1))


def triplet(a, b, c, margin, p=2, swap=False, eps=1e-6, reduction="mean"):
    def distance(x, y):
        return (np.abs(x - y + eps) ** p).sum(-1) ** (1 / p)

    far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
    return REDUCE[reduction](np.maximum(0, distance(a, b) - far + margin))


CLASSES = np.array([2, 0, 4])
LISTS = np.array([[1, 2, -1, 0, 0], [3, -1, -1, -1, -1], [0, 1, 2, 3, 4]])
HOT = np.eye(5)[CLASSES]
SAMPLES = [
    Sample("multi_margin_loss", [(3, 5), CLASSES], multi_margin),
    Sample(
        "multi_margin_loss", [(3, 5), CLASSES, (5,)], multi_margin,
        {"p": 2, "margin": 2, "reduction": "none"}, (0.1, 2.0), names=["input", "target", "weight"],
    ),
    Sample("multilabel_margin_loss", [(3, 5), LISTS], multilabel_margin),
    Sample(
        "multilabel_margin_loss_of_class", [(3, 5), LISTS], multilabel_margin_of_class,
        {"reduction": "none"}, outputs=(0,),
    ),
    Sample("multilabel_soft_margin_loss", [(3, 5), HOT], multilabel_soft),
    Sample(
        "multilabel_soft_margin_loss", [(3, 5), HOT, (5,)], multilabel_soft, {"reduction": "none"}
    ),
    Sample("triplet_margin_loss", [(4, 3)] * 3 + [np.array(1.0)], triplet),
    Sample(
        "triplet_margin_loss", [(4, 3), (4, 3), (1, 3), np.array(0.5)], triplet,
        {"p": 3, "swap": True, "reduction": "sum"},
    ),
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
        "multi-margin-power", lambda: ops.multi_margin_loss(X, Tensor([0, 1]), 3), ValueError,
        ("'MultiMarginLoss'", "'p'", "3"),
    ),
    Refusal(
        "multi-margin-shape", lambda: ops.multi_margin_loss(X, Tensor([0])), ValueError,
        ("'MultiMarginLoss'", "(2, 2)", "(1,)"),
    ),
    Refusal(
        "multilabel-margin-shape", lambda: ops.multilabel_margin_loss(X, Tensor([0])), ValueError,
        ("'MultilabelMarginLoss'", "(2, 2)", "(1,)"),
    ),
    Refusal(
        "multilabel-soft-shape", lambda: ops.multilabel_soft_margin_loss(X, X[0]), ValueError,
        ("'MultilabelSoftMarginLoss'", "(2,)"),
    ),
    Refusal(
        "triplet-axes", lambda: ops.triplet_margin_loss(X[0], X, X), ValueError,
        ("'TripletMarginLoss'", "2 axes"),
    ),
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
