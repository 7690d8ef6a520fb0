"""Training: `Model`, callbacks and metrics."""

from sporax._src.core.errors import missing
from sporax.nn.thor_conversion import ConvertNetUtils
from sporax.train.callback import Callback, CallbackManager, InternalCallbackParam, RunContext
from sporax.train.checkpointer import Checkpointer
from sporax.train.data_sink import DatasetHelper, connect_network_with_dataset, data_sink
from sporax.train.flops import FlopsUtilizationCollector, flops_collection
from sporax.train.interruption_callbacks import BackupAndRestore, OnRequestExit
from sporax.train.logging_callbacks import History, LambdaCallback, LossMonitor, TimeMonitor
from sporax.train.lr_and_stopping_callbacks import (
    EarlyStopping,
    LearningRateScheduler,
    ReduceLROnPlateau,
)
from sporax.train.metrics import (
    F1,
    MAE,
    MSE,
    ROC,
    Accuracy,
    BleuScore,
    ConfusionMatrix,
    ConfusionMatrixMetric,
    CosineSimilarity,
    Dice,
    Fbeta,
    HausdorffDistance,
    Loss,
    MeanSurfaceDistance,
    Metric,
    OcclusionSensitivity,
    Perplexity,
    Precision,
    Recall,
    RootMeanSquareDistance,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
    auc,
    get_metric_fn,
    get_metrics,
    names,
    rearrange_inputs,
)
from sporax.train.model import Model
from sporax.train.model_checkpoint import CheckpointConfig, ModelCheckpoint
from sporax.train.progress import progress
from sporax.train.recorder import Recorder
from sporax.train.summary_collector import SummaryCollector
from sporax.train.summary_record import SummaryRecord
from sporax.train.thor_model import ConvertModelUtils

_CallbackManager, _InternalCallbackParam = CallbackManager, InternalCallbackParam

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "ROC",
    "Accuracy",
    "BackupAndRestore",
    "BleuScore",
    "Callback",
    "CheckpointConfig",
    "Checkpointer",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "ConvertModelUtils",
    "ConvertNetUtils",
    "CosineSimilarity",
    "DatasetHelper",
    "Dice",
    "EarlyStopping",
    "Fbeta",
    "FlopsUtilizationCollector",
    "HausdorffDistance",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "Loss",
    "LossMonitor",
    "MeanSurfaceDistance",
    "Metric",
    "Model",
    "ModelCheckpoint",
    "OcclusionSensitivity",
    "OnRequestExit",
    "Perplexity",
    "Precision",
    "Recall",
    "Recorder",
    "ReduceLROnPlateau",
    "RootMeanSquareDistance",
    "RunContext",
    "SummaryCollector",
    "SummaryRecord",
    "TimeMonitor",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "connect_network_with_dataset",
    "data_sink",
    "flops_collection",
    "get_metric_fn",
    "get_metrics",
    "names",
    "progress",
    "rearrange_inputs",
]  # fmt: skip


def __getattr__(name):
    raise missing("train", name)
