"""Metrics, accumulated batch by batch, and a table of their names."""

from sporax._src.core.errors import missing
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.train.metrics.bleu import BleuScore
from sporax.train.metrics.classification import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)
from sporax.train.metrics.confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from sporax.train.metrics.mean_metrics import MAE, MSE, Dice, Loss, Perplexity
from sporax.train.metrics.metric import Metric, rearrange_inputs
from sporax.train.metrics.occlusion import OcclusionSensitivity
from sporax.train.metrics.roc import ROC, auc
from sporax.train.metrics.similarity import CosineSimilarity
from sporax.train.metrics.surface_distance import (
    HausdorffDistance,
    MeanSurfaceDistance,
    RootMeanSquareDistance,
)

_NAMES = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "precision": Precision,
    "recall": Recall,
    "F1": F1,
    "dice": Dice,
    "roc": ROC,
    "auc": auc,
    "bleu_score": BleuScore,
    "cosine_similarity": CosineSimilarity,
    "occlusion_sensitivity": OcclusionSensitivity,
    "hausdorff_distance": HausdorffDistance,
    "mean_surface_distance": MeanSurfaceDistance,
    "root_mean_square_distance": RootMeanSquareDistance,
    "topk": TopKCategoricalAccuracy,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "mae": MAE,
    "mse": MSE,
    "loss": Loss,
    "perplexity": Perplexity,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
}


def names():
    """Return the sorted metric names known to `get_metric_fn` and `Model(metrics={...})`.

    >>> names()[:3]
    ['F1', 'acc', 'accuracy']
    """
    return sorted(_NAMES)


def get_metric_fn(name, *args, **kwargs):
    """Return the metric called `name`, constructed with these arguments.

    >>> type(get_metric_fn("mae")).__name__
    'MAE'
    """
    known = names()
    require(name in _NAMES, "one-of", "get_metric_fn", KeyError, name=name, choices=known)
    return _NAMES[name](*args, **kwargs)


def get_metrics(metrics):
    """Return {name: Metric} for a set of names or such a dict; None for None.

    >>> list(get_metrics({"mae"}))
    ['mae']
    """
    return None if metrics is None else metrics_of(metrics, "get_metrics")


def metrics_of(metrics, who="Model"):
    """Return {name: Metric} for a set of names, such a dict, or None, passed to `who`."""
    if metrics is None:
        return {}
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in sorted(metrics)}
    kinds.instance(dict, "a-dict-or-a-set")(who, metrics=metrics)
    for name, metric in metrics.items():
        fits = isinstance(name, str) and isinstance(metric, Metric)
        require(fits, "dict-metrics-names-metrics", who, got=name, metric=metric)
    return metrics


__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "BleuScore", "ConfusionMatrix", "ConfusionMatrixMetric",
    "CosineSimilarity", "Dice", "Fbeta", "HausdorffDistance", "Loss", "MeanSurfaceDistance",
    "Metric", "OcclusionSensitivity", "Perplexity", "Precision", "Recall", "RootMeanSquareDistance",
    "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "auc",
    "get_metric_fn", "get_metrics", "names", "rearrange_inputs",
]  # fmt: skip


def __getattr__(name):
    raise missing("train", name)
