"""Receiver operating characteristic, and area under a curve."""

import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.train.metrics.metric import Metric, rearrange_inputs


def auc(x, y, reorder=False):
    """Area under a curve by the trapezoidal rule; `x` must be monotonic.

    `reorder`: sort the points by `x` first.

    >>> auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0]))
    0.75
    """
    for name, values in (("x", x), ("y", y)):
        kinds.instance(np.ndarray, "a-numpy-array").checked("auc", name, values)
        fits = values.ndim == 1 or values.shape[1:] == (1,)
        require(fits, "one-axis", "auc", argument=name, shape=values.shape)
    x, y = x.reshape(-1), y.reshape(-1)
    fits = len(x) == len(y) and len(x) >= 2
    require(fits, "y-one-length-at-least", "auc", x=len(x), count=len(y))
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    falls = (steps <= 0).all() and (steps < 0).any()
    require(falls or not (steps < 0).any(), "rise-fall-throughout", "auc", x=x)
    return float((-1 if falls else 1) * np.trapezoid(y, x))


class ROC(Metric):
    """False positive rates, true positive rates and thresholds, for decreasing thresholds.

    For two classes: scores and labels of the same shape; the label `pos_label` (1) is positive. For
    `class_num` classes: scores `(N, class_num)` and labels `(N,)`; returns three lists with one
    array per class. Only the last batch is kept.

    >>> rates = ROC(pos_label=1)(Tensor([0.9, 0.8, 0.3]), Tensor([1, 0, 1]))
    >>> [rate.tolist() for rate in rates[:2]]
    [[0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0]]
    """

    def __init__(self, class_num=None, pos_label=None):
        super().__init__()
        kind = kinds.instance((int, type(None)), "an-int-or-none")
        kind("ROC", class_num=class_num, pos_label=pos_label)
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._scores = self._labels = None

    @rearrange_inputs
    def update(self, *inputs):
        """Store the scores and labels of a batch."""
        scores, labels = self._two(inputs)
        if scores.ndim == labels.ndim and self.class_num in (None, 1):
            scores = scores.reshape(-1, 1)
        elif scores.ndim == labels.ndim + 1 and self.class_num == scores.shape[1]:
            require(self.pos_label is None, "none-several-classes", "ROC", pos_label=self.pos_label)
            scores = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1])
        else:
            shapes, n = [scores.shape, labels.shape], self.class_num
            raise rejection("scores-shape-or-classes", "ROC", shapes=shapes, n=n)
        self._scores, self._labels = scores, labels.reshape(-1)

    def eval(self):
        """Return (false positive rates, true positive rates, thresholds)."""
        scores = self._sampled(self._scores)
        if scores.shape[1] == 1:
            positive = 1 if self.pos_label is None else self.pos_label
            return _curve(scores[:, 0], self._labels == positive)
        curves = [_curve(s, self._labels == c) for c, s in enumerate(scores.T)]
        return tuple([list(column) for column in zip(*curves, strict=True)])


def _curve(scores, is_positive):
    require(not is_positive.all() and is_positive.any(), "positive-negative-labels", "ROC")
    order = np.argsort(-scores)
    scores, is_positive = scores[order], is_positive[order]
    ends = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    hits = np.append(0, np.cumsum(is_positive)[ends])
    misses = np.append(0, np.cumsum(~is_positive)[ends])
    thresholds = np.append(scores[0] + 1, scores[ends])
    return misses / misses[-1], hits / hits[-1], thresholds
