"""Metrics: what MindSpore makes of the same batches (`tools.record training`), and formulas."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from sporax import nn, train
from sporax._src.core.tensor import Tensor
from tests import records
from tests.case_results import result_or_error
from tests.data.test_datasets import MS, RECORDED
from tests.data.training_cases import CUBES, LABELS, METRICS, SCORES
from tests.train import metric_cases


def assert_close(outcome, expected):
    if isinstance(expected, str):
        assert outcome == expected
    elif isinstance(expected, list):
        assert len(outcome) == len(expected)
        for actual, reference in zip(outcome, expected, strict=True):
            assert_close(actual, reference)
    else:
        np.testing.assert_allclose(outcome, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_answers_as_mindspore(name):
    outcome = result_or_error(METRICS[name], MS)
    assert_close(json.loads(json.dumps(outcome)), RECORDED["metrics"][name])


@pytest.mark.parametrize("name", metric_cases.CASES)
def test_further_metrics_answer_as_mindspore(name):
    outcome = result_or_error(metric_cases.CASES[name], SimpleNamespace(**{**vars(MS), "nn": nn}))
    assert_close(json.loads(json.dumps(outcome)), records.read("metrics")[name])


def test_the_root_mean_square_of_surface_distances():
    predicted, labels = metric_cases.IMAGES
    result = train.RootMeanSquareDistance()(Tensor(predicted), Tensor(labels), 2)
    masks = [np.pad(image == 2, 1) for image in (predicted, labels)]
    edges = []
    for mask in masks:
        inside = mask.copy()
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            inside &= np.roll(mask, step, axis)
        edges.append(np.argwhere(mask & ~inside))
    nearest = [np.linalg.norm(edges[1] - place, axis=1).min() for place in edges[0]]
    assert result == pytest.approx(np.sqrt(np.mean(np.square(nearest))))


def test_curves_of_several_classes():
    false, true, thresholds = train.ROC(class_num=4)(Tensor(SCORES), Tensor(LABELS))
    for c in range(4):
        for f, t, threshold in zip(false[c], true[c], thresholds[c], strict=True):
            result = SCORES[:, c] >= threshold
            assert t == pytest.approx((result & (c == LABELS)).sum() / (c == LABELS).sum())
            assert f == pytest.approx((result & (c != LABELS)).sum() / (c != LABELS).sum())


@pytest.mark.parametrize("how", ["mean_batch", "sum_batch", "mean_channel", "sum_channel"])
def test_numbers_of_each_sample_and_class(how):
    predicted, labels = CUBES
    hits = ((predicted == 1) & (labels == 1)).sum(axis=2).astype(float)
    with np.errstate(invalid="ignore"):
        quotients = hits / (predicted == 1).sum(axis=2)
    metric = train.ConfusionMatrixMetric(
        metric_name="precision", calculation_method=True, decrease="mean"
    )
    per_sample = np.nanmean(quotients, axis=1)
    assert metric(Tensor(predicted), Tensor(labels)) == pytest.approx(np.nanmean(per_sample))
    from sporax.train.metrics.confusion_matrix import _decreased

    number, _ = _decreased(quotients, how)
    reduce = np.nanmean if how.startswith("mean") else np.nansum
    expected = reduce(quotients, axis=0 if how.endswith("batch") else 1)
    np.testing.assert_allclose(number, expected)


def test_an_unknown_number_is_refused():
    with pytest.raises(NotImplementedError, match="'metric_name' must be one of"):
        train.ConfusionMatrixMetric(metric_name="other")


def test_what_a_metric_of_ones_own_needs():
    class Total(train.Metric):
        def clear(self):
            self.sum = 0

        @train.rearrange_inputs
        def update(self, *inputs):
            self.sum += sum(float(self._convert_data(x).sum()) for x in inputs)

        def eval(self):
            return self.sum

    assert Total()(Tensor([1.0]), [2.0]) == 3.0
    assert Total().set_indexes([1])(Tensor([1.0]), [2.0]) == 2.0
    with pytest.raises(NotImplementedError, match="For 'Metric', the method 'clear'"):
        train.Metric().clear()
