"""Rows for `sporax.ops.loss.losses`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample
from tests.samples.activation import sigmoid, softmax

REDUCE = {"none": lambda x: x, "mean": np.mean, "sum": np.sum}


def reduced(function):
    return lambda *xs, reduction="mean", **attrs: REDUCE[reduction](function(*xs, **attrs))


def smooth_l1(x, y, beta=1.0):
    d = np.abs(x - y)
    return np.where(d < beta, d * d / 2 / beta, d - beta / 2)


def huber(x, y, delta=1.0):
    d = np.abs(x - y)
    return np.where(d < delta, d * d / 2, delta * (d - delta / 2))


def bce(x, y, w=1.0):
    return -w * (y * np.log(x) + (1 - y) * np.log(1 - x))


def bce_with_logits(x, y, w=1.0, p=1.0):
    return -w * (p * y * np.log(sigmoid(x)) + (1 - y) * np.log(1 - sigmoid(x)))


def nll(x, t, w=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """One row after the other."""
    x, t = np.moveaxis(x, 1, -1), np.asarray(t)
    w = np.ones(x.shape[-1]) if w is None else w
    losses, weights = np.zeros(t.shape), np.zeros(t.shape)
    for at in np.ndindex(t.shape):
        if t[at] != ignore_index:
            weights[at] = w[t[at]]
            even = -(x[at] * w).mean()
            losses[at] = -x[at][t[at]] * w[t[at]]
            losses[at] += label_smoothing * (even - losses[at])
    return losses.sum() / weights.sum() if reduction == "mean" else REDUCE[reduction](losses)


def cross_entropy(x, t, w=None, reduction="mean", label_smoothing=0.0, **attrs):
    scores = np.log(softmax(x, 1))
    if t.dtype.kind == "i":
        return nll(scores, t, w, reduction=reduction, label_smoothing=label_smoothing, **attrs)
    t = t * (1 - label_smoothing) + label_smoothing / x.shape[1]
    losses = -(t * scores * (1 if w is None else w)).sum(1)
    return REDUCE[reduction](losses)


def soft(x, y):
    return -(y * np.log(softmax(x))).sum(-1)


def picked(x, t, sparse, reduction="none"):
    return REDUCE[reduction](-np.log(softmax(x))[np.arange(len(t)), t])


def one(t, n):
    return np.eye(n)[t]


T, PLANE = np.array([1, 2, 0]), np.array([[1, 0], [2, -100]])
CHANCES = {"range": (0.1, 0.9)}


def poisson(x, t, log_input=True, full=False, eps=1e-8):
    loss = np.exp(x) - t * x if log_input else x - t * np.log(x + eps)
    more = (t + 0.5) * np.log(np.maximum(t, 1)) - t + 0.5 * np.log(2 * np.pi)
    return loss + np.where(t > 1, more, 0) if full else loss


poisson = reduced(poisson)


def focal(x, t, w=None, gamma=2.0, reduction="mean"):
    chance = softmax(x, 1)
    loss = -((1 - chance) ** gamma) * np.log(chance)
    if w is not None:
        loss = loss * w.reshape(-1, *[1] * (x.ndim - 2))
    if t.shape[1] == 1:
        rows = np.take_along_axis(loss, t.astype(int), 1).reshape(len(x), -1).mean(1)
    else:
        rows = loss * t
    return REDUCE[reduction](rows)


def sampled(weights, biases, labels, x, drawn, true_expected, drawn_expected):
    losses = []
    for row, label, expected in zip(x, labels, true_expected, strict=True):
        scores = [row @ weights[label] + biases[label] - np.log(expected[0])]
        scores += list(weights[drawn] @ row + biases[drawn] - np.log(drawn_expected))
        losses.append(np.log(np.exp(scores).sum()) - scores[0])
    return np.array(losses)


COUNTS = np.array([[0.0, 2.0, 0.75], [3.0, 0.5, 7.0]])
EXPECTED = np.array([0.5, 0.4, 0.3, 0.25, 0.2])
SAMPLES = [
    Sample("mse_loss", [(2, 3), (2, 3)], reduced(lambda x, y: (x - y) ** 2)),
    Sample("mse_loss", [(2, 3), (3,)], reduced(lambda x, y: (x - y) ** 2), {"reduction": "none"}),
    Sample("l1_loss", [(2, 3), (2, 3)], reduced(lambda x, y: np.abs(x - y)), {"reduction": "sum"}),
    Sample("smooth_l1_loss", [(2, 3), (2, 3)], reduced(smooth_l1), {"reduction": "mean"}),
    Sample(
        "smooth_l1_loss", [(2, 3), (2, 3)], reduced(smooth_l1), {"beta": 0.5, "reduction": "none"},
    ),
    Sample("huber_loss", [(2, 3), (2, 3)], reduced(huber), {"delta": 0.5}),
    Sample("l2_loss", [(2, 3)], lambda x: (x * x).sum() / 2),
    Sample("kl_div", [(2, 3), (2, 3)], reduced(lambda x, y: y * (np.log(y) - x)), **CHANCES),
    Sample(
        "kl_div", [(2, 3), (2, 3)], lambda x, y, reduction: (y * (np.log(y) - x)).sum() / 2,
        {"reduction": "batchmean"}, **CHANCES,
    ),
    Sample("binary_cross_entropy", [(2, 3), (2, 3), (3,)], reduced(bce), **CHANCES),
    Sample(
        "binary_cross_entropy", [(2, 3), (2, 3)], reduced(bce), {"reduction": "none"},
        **CHANCES,
    ),
    Sample(
        "binary_cross_entropy_with_logits", [(2, 3), (2, 3), (3,), (3,)], reduced(bce_with_logits),
    ),
    Sample("nll_loss", [(3, 4), T], nll),
    Sample("nll_loss", [(3, 4), T, (4,)], nll, {"reduction": "sum"}, **CHANCES),
    Sample("nll_loss", [(2, 3, 2), PLANE], nll, {"reduction": "none"}),
    Sample("nll_loss", [(3, 4), T, (4,)], nll, {"label_smoothing": 0.2}, **CHANCES),
    Sample("cross_entropy", [(3, 4), T], cross_entropy),
    Sample("cross_entropy", [(3, 4), T, (4,)], cross_entropy, {"ignore_index": 2}, **CHANCES),
    Sample("cross_entropy", [(2, 3, 2), PLANE], cross_entropy, {"label_smoothing": 0.1}),
    Sample("cross_entropy", [(3, 4), (3, 4), (4,)], cross_entropy, {"label_smoothing": 0.1}),
    Sample("poisson_nll_loss", [(2, 3), COUNTS], poisson),
    Sample(
        "poisson_nll_loss", [(2, 3), COUNTS], poisson,
        {"log_input": False, "full": True, "reduction": "sum"}, **CHANCES,
    ),
    Sample("focal_loss", [(3, 4), T[:, None]], focal),
    Sample(
        "focal_loss", [(2, 3, 2), np.array([[[0, 2]], [[1, 1]]]), (3,)], focal, {"gamma": 1.5},
        **CHANCES,
    ),
    Sample("focal_loss", [(3, 4), one(T, 4)], focal, {"reduction": "none"}),
    Sample(
        "sampled_softmax_loss", [(5, 3), (5,), T, (3, 3), np.array([4, 0]), EXPECTED[:3, None],
        EXPECTED[3:]], sampled,
    ),
    Sample("softmax_cross_entropy", [(3, 4), (3, 4)], lambda x, y: soft(x, y)),
    Sample("softmax_cross_entropy", [(3, 4), T], picked, {"sparse": True, "reduction": "mean"}),
    Sample(
        "softmax_cross_entropy_with_logits", [(3, 4), (3, 4)],
        lambda x, y: (soft(x, y), softmax(x) - y), outputs=(0,),
    ),
    Sample(
        "sparse_softmax_cross_entropy_with_logits", [(3, 4), T],
        lambda x, t: picked(x, t, True, "mean"),
    ),
    Sample(
        "sparse_softmax_cross_entropy_with_logits", [(3, 4), T],
        lambda x, t, is_grad: (softmax(x) - one(t, 4)) / 3, {"is_grad": True},
    ),
    Sample(
        "nll_loss_of_class", [(3, 4), T, (4,)], lambda x, t, w: (nll(x, t, w), w[t].sum()),
        **CHANCES,
    ),
]  # fmt: skip

REFUSALS = [
    Refusal(
        "cross-entropy-shapes",
        lambda: ops.cross_entropy(ops.ones((2, 3)), Tensor([0, 1, 2])),
        ValueError,
        ("'CrossEntropyLoss'", "(2, 3)", "(3,)"),
    ),
    Refusal(
        "bce-shapes",
        lambda: ops.binary_cross_entropy(ops.ones((2, 2)), ops.ones((2, 3))),
        ValueError,
        ("'BinaryCrossEntropy'", "(2, 2)", "(2, 3)"),
    ),
    Refusal(
        "reduction",
        lambda: ops.mse_loss(ops.ones((2,)), ops.ones((2,)), "foo"),
        ValueError,
        ("'MSELoss'", "'reduction'", "foo"),
    ),
]
