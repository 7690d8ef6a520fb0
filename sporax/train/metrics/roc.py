"""Receiver operating characteristic, and area under a curve."""

import numpy as np

from sporax.train.metrics.metric import Metric, rearrange_inputs


def auc(x, y, reorder=False):
    """Area under a curve by the trapezoidal rule; `x` must be monotonic.

    `reorder`: sort the points by `x` first.

    >>> auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0]))
    0.75
    """
    for name, values in (("x", x), ("y", y)):
        if not isinstance(values, np.ndarray):
            raise TypeError(
                f"For 'auc', '{name}' must be an array, but got {type(values).__name__}."
            )
        if values.ndim != 1 and values.shape[1:] != (1,):
            raise ValueError(
                f"For 'auc', '{name}' must have one axis, but got shape {values.shape}."
            )
    x, y = x.reshape(-1), y.reshape(-1)
    if len(x) != len(y) or len(x) < 2:
        raise ValueError(
            "For 'auc', 'x' and 'y' must be of one length, at least 2, but got "
            f"{len(x)} and {len(y)}."
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    falls = (steps <= 0).all() and (steps < 0).any()
    if not falls and (steps < 0).any():
        raise ValueError(
            f"For 'auc', 'x' must rise or fall throughout, but got {x}. Use reorder=True."
        )
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
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None and not isinstance(value, int):
                raise TypeError(f"For 'ROC', '{name}' must be an int, but got {value!r}.")
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
            if self.pos_label is not None:
                raise ValueError(
                    "For 'ROC', 'pos_label' must be None for several classes, but got "
                    f"{self.pos_label}."
                )
            scores = np.moveaxis(scores, 1, -1).reshape(-1, self.class_num)
        else:
            raise ValueError(
                "For 'ROC', scores must have the labels' shape, or an axis of 'class_num' classes "
                f"after the first, but got {scores.shape} for labels {labels.shape} and "
                f"class_num={self.class_num}."
            )
        self._scores, self._labels = scores, labels.reshape(-1)

    def eval(self):
        """Return (false positive rates, true positive rates, thresholds)."""
        self._refuse_empty(self._scores is None)
        if self._scores.shape[1] == 1:
            positive = 1 if self.pos_label is None else self.pos_label
            return _curve(self._scores[:, 0], self._labels == positive)
        curves = [_curve(s, self._labels == c) for c, s in enumerate(self._scores.T)]
        return tuple([list(part) for part in zip(*curves, strict=True)])


def _curve(scores, is_positive):
    if is_positive.all() or not is_positive.any():
        raise ValueError(
            "For 'ROC', there must be positive and negative labels, but got only one kind."
        )
    order = np.argsort(-scores)
    scores, is_positive = scores[order], is_positive[order]
    ends = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    hits = np.append(0, np.cumsum(is_positive)[ends])
    misses = np.append(0, np.cumsum(~is_positive)[ends])
    thresholds = np.append(scores[0] + 1, scores[ends])
    return misses / misses[-1], hits / hits[-1], thresholds
