"""Metrics of classification counts."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.train.metrics.mean_metrics import _Mean
from sporax.train.metrics.metric import Metric, classes_of, rearrange_inputs

_TINY = sys.float_info.min  # keeps a quotient of zeros at zero


class _Classes(Metric):
    """Base class of metrics: scores `(N, C, ...)` and classes `(N, ...)`, or two 0/1 arrays."""

    def __init__(self, eval_type="classification"):
        super().__init__()
        choices, who = ("classification", "multilabel"), type(self).__name__
        fits = eval_type in choices
        require(fits, "one-of", who, TypeError, eval_type=eval_type, choices=choices)
        self._type = eval_type
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._class_num = 0

    def _rows(self, inputs):
        """Return checked predictions and labels: (N..., C) scores and (N...) classes, or two (N...,
        C) arrays of zeros and ones."""
        predicted, labels = self._two(inputs)
        who, shapes = type(self).__name__, [predicted.shape, labels.shape]
        if self._type == "multilabel":
            fits = predicted.shape == labels.shape
            require(fits, "predictions-labels-one-shape", who, shapes=shapes)
            fits = np.isin(predicted, (0, 1)).all() and np.isin(labels, (0, 1)).all()
            require(fits, "predictions-0-or-1", who)
            labels = np.moveaxis(labels, 1, -1)
        else:
            labels = classes_of(labels, predicted)
            fits = labels.shape == (*predicted.shape[:1], *predicted.shape[2:])
            require(fits, "predictions-axis-of-classes", who, shapes=shapes)
        number = predicted.shape[1]
        fits = self._class_num in (0, number)
        require(fits, "classes-as-before", who, n=self._class_num, got=number)
        self._class_num = number
        return np.moveaxis(predicted, 1, -1), labels


class Accuracy(_Classes):
    """Share of samples whose highest-scoring class is the label; with 'multilabel', of samples
    with all classes correct.

    `eval_type`: 'classification' (scores `(N, C, ...)`, labels `(N, ...)` or one-hot) or
    'multilabel' (zeros and ones, both `(N, C, ...)`).

    >>> Accuracy()(Tensor([[0.2, 0.8], [0.9, 0.1]]), Tensor([1, 1]))
    0.5
    """

    def clear(self):
        """Reset the accumulated state."""
        super().clear()
        self._right, self._total = 0, 0

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the predictions and labels of a batch."""
        predicted, labels = self._rows(inputs)
        if self._type == "multilabel":
            right = (predicted == labels).all(axis=-1)
        else:
            right = predicted.argmax(axis=-1) == labels
        self._right += int(right.sum())
        self._total += right.size

    def eval(self):
        """Return the share of correct predictions."""
        self._require_samples(self._total == 0)
        return self._right / self._total


class _Hits(_Classes):
    """Counts per class (per sample with 'multilabel'): hits, predicted, labelled."""

    _quotient: Callable[..., Any]

    def clear(self):
        """Reset the accumulated state."""
        super().clear()
        self._counts = []

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the predictions and labels of a batch."""
        predicted, labels = self._rows(inputs)
        n = self._class_num
        if self._type == "multilabel":
            axis, predicted, labels = 1, predicted.reshape(-1, n), labels.reshape(-1, n)
        else:
            most, who = labels.max(), type(self).__name__
            require(most < n, "labels-less-than-number-classes", who, n=n, got=most)
            axis = 0
            predicted = np.eye(n)[predicted.argmax(axis=-1).reshape(-1)]
            labels = np.eye(n)[labels.reshape(-1).astype(int)]
        hits = np.sum(predicted * labels, axis=axis, dtype=float)
        counts = [hits, predicted.sum(axis=axis), labels.sum(axis=axis)]
        self._counts.append(np.stack(counts).astype(float))

    def _gathered(self):
        self._require_samples(not self._counts)
        multilabel = self._type == "multilabel"
        return np.concatenate(self._counts, axis=1) if multilabel else np.sum(self._counts, axis=0)

    def eval(self, average=False):
        """Return the quotient per class (per sample with 'multilabel'), or their mean."""
        kinds.BOOL(type(self).__name__, average=average)
        quotient = self._quotient(*self._gathered())
        return float(quotient.mean()) if average else quotient


class Precision(_Hits):
    r"""$TP / (TP + FP)$ per class; per sample with 'multilabel'. See `Accuracy`.

    >>> Precision()(Tensor([[0.2, 0.8], [0.9, 0.1]]), Tensor([1, 1])).tolist()
    [0.0, 1.0]
    """

    def _quotient(self, hits, predicted, labelled):
        return hits / (predicted + _TINY)


class Recall(_Hits):
    r"""$TP / (TP + FN)$ per class; per sample with 'multilabel'. See `Accuracy`.

    >>> Recall()(Tensor([[0.2, 0.8], [0.9, 0.1]]), Tensor([1, 1])).tolist()
    [0.0, 0.5]
    """

    def _quotient(self, hits, predicted, labelled):
        return hits / (labelled + _TINY)


class Fbeta(_Hits):
    r"""$(1 + \beta^2) \cdot precision \cdot recall / (\beta^2 precision + recall)$ per class.

    >>> Fbeta(1.0)(Tensor([[0.2, 0.8], [0.9, 0.1]]), Tensor([1, 0])).tolist()
    [1.0, 1.0]
    """

    def __init__(self, beta):
        super().__init__()
        kinds.POSITIVE(type(self).__name__, beta=beta)
        self.beta = beta

    def _quotient(self, hits, predicted, labelled):
        square = self.beta**2
        return (1.0 + square) * hits / (square * labelled + predicted + _TINY)


class F1(Fbeta):
    """`Fbeta` with beta = 1.

    >>> F1()(Tensor([[0.2, 0.8], [0.9, 0.1]]), Tensor([1, 0])).tolist()
    [1.0, 1.0]
    """

    def __init__(self):
        super().__init__(1.0)


class TopKCategoricalAccuracy(_Mean):
    """Share of samples whose label is among the `k` highest-scoring classes.

    Scores are `(N, C)`, labels `(N,)` or one-hot.

    >>> TopKCategoricalAccuracy(2)(Tensor([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]), Tensor([2, 2]))
    0.5
    """

    def __init__(self, k):
        super().__init__()
        kinds.POSITIVE_INT("TopKCategoricalAccuracy", k=k)
        self.k = k

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the scores and labels of a batch."""
        scores, labels = self._two(inputs)
        labels = classes_of(labels, scores).reshape(-1, 1)
        best = np.argsort(-scores, axis=1)[:, : self.k]
        self._sum += int((best == labels).sum())
        self._count += labels.shape[0]


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` with k = 1.

    >>> metric = Top1CategoricalAccuracy()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.1, 0.9], [0.8, 0.2]]), Tensor([1, 1]))
    >>> metric.eval()
    0.5
    """

    def __init__(self):
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` with k = 5.

    >>> metric = Top5CategoricalAccuracy()
    >>> metric.clear()
    >>> metric.update(Tensor([[0.3, 0.1, 0.1, 0.1, 0.2, 0.2]]), Tensor([0]))
    >>> metric.eval()
    1.0
    """

    def __init__(self):
        super().__init__(5)
