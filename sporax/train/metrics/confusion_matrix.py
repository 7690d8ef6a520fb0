"""Confusion matrices, and metrics of their four counts."""

import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.train.metrics.metric import Metric, rearrange_inputs

_AXES = {"target": 1, "prediction": 0, "all": None}  # axes over which a normalized matrix sums to 1


class ConfusionMatrix(Metric):
    """Counts of label i (row) predicted as class j (column).

    Predictions: classes `(N, ...)`; scores `(N, C, ...)`; or, for two classes, floats, where values
    of at least `threshold` count as 1. `normalize`: 'target' (each row sums to 1), 'prediction'
    (each column), 'all', or 'no_norm'.

    >>> ConfusionMatrix(2)(Tensor([1, 0, 1]), Tensor([1, 0, 0])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """

    def __init__(self, num_classes, normalize="no_norm", threshold=0.5):
        super().__init__()
        kinds.POSITIVE_INT("ConfusionMatrix", num_classes=num_classes)
        kinds.one_of(*_AXES, "no_norm")("ConfusionMatrix", normalize=normalize)
        kinds.FLOAT("ConfusionMatrix", threshold=threshold)
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_empty = True

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the predictions and labels of a batch."""
        predicted, labels = self._two(inputs)
        if predicted.ndim == labels.ndim + 1:
            predicted = predicted.argmax(axis=1)
        elif predicted.ndim != labels.ndim:
            shapes = [predicted.shape, labels.shape]
            raise rejection("predictions-shape-or-classes", "ConfusionMatrix", shapes=shapes)
        elif predicted.dtype.kind == "f":
            predicted = predicted >= self.threshold
        pairs = labels.reshape(-1).astype(int), predicted.reshape(-1).astype(int)
        np.add.at(self.confusion_matrix, pairs, 1)
        self._is_empty = False

    def eval(self):
        """Return the normalized matrix; 0 in empty rows or columns."""
        self._require_samples(self._is_empty)
        matrix = self.confusion_matrix
        if self.normalize == "no_norm":
            return matrix.copy()
        total = matrix.sum(axis=_AXES[self.normalize], keepdims=True)
        return np.divide(matrix, total, out=np.zeros_like(matrix), where=total != 0)


def _quotient(above, below):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below != 0, above / below, np.nan)


def _tpr(tp, fp, tn, fn):
    return _quotient(tp, tp + fn)


def _tnr(tp, fp, tn, fn):
    return _quotient(tn, fp + tn)


def _ppv(tp, fp, tn, fn):
    return _quotient(tp, tp + fp)


def _npv(tp, fp, tn, fn):
    return _quotient(tn, tn + fn)


def _prevalence_threshold(*counts):
    tpr, tnr = _tpr(*counts), _tnr(*counts)
    return _quotient(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1)


def _matthews(tp, fp, tn, fn):
    below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return _quotient(tp * tn - fp * fn, below)


# names of a metric -> formula of true and false positives, true and false negatives
_FORMULAS = {
    "sensitivity recall hit_rate true_positive_rate tpr": _tpr,
    "specificity selectivity true_negative_rate tnr": _tnr,
    "precision positive_predictive_value ppv": _ppv,
    "negative_predictive_value npv": _npv,
    "miss_rate false_negative_rate fnr": lambda *c: 1 - _tpr(*c),
    "fall_out false_positive_rate fpr": lambda *c: 1 - _tnr(*c),
    "false_discovery_rate fdr": lambda *c: 1 - _ppv(*c),
    "false_omission_rate for": lambda *c: 1 - _npv(*c),
    "prevalence_threshold pt": _prevalence_threshold,
    "threat_score critical_success_index ts csi": lambda tp, fp, tn, fn: _quotient(
        tp, tp + fn + fp
    ),
    "accuracy acc": lambda tp, fp, tn, fn: _quotient(tp + tn, tp + fp + tn + fn),
    "balanced_accuracy ba": lambda *c: (_tpr(*c) + _tnr(*c)) / 2,
    "f1_score f1": lambda tp, fp, tn, fn: _quotient(2 * tp, 2 * tp + fn + fp),
    "matthews_correlation_coefficient mcc": _matthews,
    "fowlkes_mallows_index fm": lambda *c: np.sqrt(_ppv(*c) * _tpr(*c)),
    "informedness bookmaker_informedness bm": lambda *c: _tpr(*c) + _tnr(*c) - 1,
    "markedness deltap mk": lambda *c: _ppv(*c) + _npv(*c) - 1,
}
_BY_NAME = {name: formula for listed, formula in _FORMULAS.items() for name in listed.split()}

# reductions of values `(batch, class)`, possibly NaN: sequence of (is mean, axes)
_DECREASES = {
    "none": [],
    "mean": [(True, 1), (True, 0)],
    "sum": [(False, (0, 1))],
    "mean_batch": [(True, 0)],
    "sum_batch": [(False, 0)],
    "mean_channel": [(True, 1)],
    "sum_channel": [(False, 1)],
}


class ConfusionMatrixMetric(Metric):
    """A metric of true and false positives and negatives, such as 'sensitivity'.

    Predictions and labels: zeros and ones `(N, C, ...)`. `skip_channel`: False omits the first
    class if there are others. `metric_name`: any of the usual names of such metrics.
    `calculation_method`: False sums the counts over all batches first; True computes the metric per
    sample and class, reduces it by `decrease` ('mean', 'sum', the same with '_batch' or '_channel',
    or 'none'), and averages over the batches.

    >>> metric = ConfusionMatrixMetric(metric_name="precision")
    >>> metric(Tensor([[1, 1], [0, 1]]), Tensor([[1, 0], [0, 1]])).tolist()
    [0.6666666666666666]
    """

    def __init__(
        self, skip_channel=True, metric_name="sensitivity", calculation_method=False,
        decrease="mean",
    ):  # fmt: skip
        super().__init__()
        who = "ConfusionMatrixMetric"
        kinds.BOOL(who, skip_channel=skip_channel, calculation_method=calculation_method)
        kinds.STR(who, metric_name=metric_name)
        kinds.one_of(*_DECREASES)(who, decrease=decrease)
        wanted = metric_name.replace(" ", "_").lower()
        if wanted not in _BY_NAME:
            fields = {"metric_name": metric_name, "choices": sorted(_BY_NAME)}
            raise rejection("one-of", who, NotImplementedError, **fields)
        self.skip_channel, self.metric_name, self.decrease = skip_channel, metric_name, decrease
        self.calculation_method, self._formula = calculation_method, _BY_NAME[wanted]
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._counts, self._sum, self._weight = np.zeros(4), 0.0, 0

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the predictions and labels of a batch."""
        predicted, labels = self._two(inputs)
        who, shapes = type(self).__name__, [predicted.shape, labels.shape]
        require(predicted.shape == labels.shape, "predictions-labels-one-shape", who, shapes=shapes)
        require(predicted.ndim >= 2, "predictions-two-axes", who, got=predicted.shape)
        require(np.isin(labels, (0, 1)).all(), "predictions-0-or-1", who)
        counts = self._count(predicted, labels)
        apart = predicted.ndim > 3 or (predicted.ndim == 3 and predicted.shape[-1] != 1)
        if self.calculation_method and apart:
            number, valid = _decreased(self._formula(*counts), self.decrease)
            self._sum += float(number.item()) * int(valid.item())
            self._weight += int(valid.item())
        else:
            self._counts += counts.sum(axis=(1, 2))
            self._weight += 1

    def _count(self, predicted, labels):
        first = 0 if self.skip_channel or labels.shape[1] == 1 else 1
        is_one, should = [
            (x[:, first:] == 1).reshape(len(x), x.shape[1] - first, -1) for x in (predicted, labels)
        ]
        kinds = is_one & should, is_one & ~should, ~is_one & ~should, ~is_one & should
        return np.stack([kind.sum(axis=2).astype(float) for kind in kinds])

    def eval(self):
        """Return the metric of the total counts, or the mean over the batches."""
        self._require_samples(self._weight == 0)
        if self._counts.any():
            return np.atleast_1d(self._formula(*self._counts))
        return self._sum / self._weight


def _decreased(numbers, how):
    """Return (reduced values, number of valid ones)."""
    valid = (~np.isnan(numbers)).astype(float)
    numbers = np.nan_to_num(numbers)
    for is_mean, axes in _DECREASES[how]:
        numbers, valid = numbers.sum(axis=axes), valid.sum(axis=axes)
        if is_mean:
            numbers = np.divide(numbers, valid, out=np.zeros_like(numbers), where=valid > 0)
            valid = (valid > 0).astype(float)
    return numbers, valid
