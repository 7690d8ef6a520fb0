"""`SummaryCollector`: a callback that logs a training run to TensorBoard event files."""

import importlib.metadata
import re
from typing import Any

import numpy as np

from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.errors import warn
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.train.callback import Callback, loss_of
from sporax.train.summary_record import SummaryRecord

_DEFAULTS = {
    "collect_metric": True, "collect_graph": True, "collect_train_lineage": True,
    "collect_eval_lineage": True, "collect_input_data": True, "collect_dataset_graph": True,
    "histogram_regular": None, "collect_landscape": None,
}  # fmt: skip
_HISTOGRAMS = 5  # Parameters, if no regular expression is given


class SummaryCollector(Callback):
    """Logs the loss, the learning rate, metrics, histograms of Parameters, images of the input and
    the graph of a training, and the values of summary operations; see `SummaryRecord`.

    `summary_dir`: the folder. `collect_freq`: log the first and every `collect_freq`-th step.
    `collect_specified_data`: a dict that disables or enables parts: 'collect_metric',
    'collect_graph', 'collect_input_data', 'collect_train_lineage', 'collect_eval_lineage',
    'collect_dataset_graph'; 'histogram_regular', a regular expression of Parameter names (default:
    the first five). `keep_default_action`: use the defaults for parts not in that dict, else omit
    them. `custom_lineage_data`: a dict with a text or number per name. `collect_tensor_freq`: the
    step interval for `TensorSummary`; by default at most 20 in total.

    >>> import tempfile
    >>> from sporax.data import NumpySlicesDataset
    >>> from sporax.train import Model
    >>> net, rows = nn.Dense(1, 1), np.ones((4, 1), np.float32)
    >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    >>> dataset = NumpySlicesDataset((rows, rows), ["x", "y"]).batch(2)
    >>> collector = SummaryCollector(tempfile.mkdtemp())
    >>> model.train(1, dataset, callbacks=collector, dataset_sink_mode=False)
    """

    _record: SummaryRecord  # from `__enter__` on

    def __init__(
        self, summary_dir, collect_freq=10, num_process=32, collect_specified_data=None,
        keep_default_action=True, custom_lineage_data=None, collect_tensor_freq=None,
        max_file_size=None, export_options=None,
    ):  # fmt: skip
        who = "SummaryCollector"
        kinds.POSITIVE_INT(who, collect_freq=collect_freq)
        kinds.optional(kinds.POSITIVE_INT)(who, collect_tensor_freq=collect_tensor_freq)
        kinds.BOOL(who, keep_default_action=keep_default_action)
        self._options: dict[str, Any] = {
            "max_file_size": max_file_size,
            "export_options": export_options,
        }
        self._dir, self._every, self._every_tensor = summary_dir, collect_freq, collect_tensor_freq
        self._wanted = _wanted(collect_specified_data, keep_default_action)
        kinds.optional(kinds.DICT)(who, custom_lineage_data=custom_lineage_data)
        self._custom, self._first = custom_lineage_data, True
        self._rate = None

    def __enter__(self):
        self._record, self._first = SummaryRecord(self._dir, **self._options), True
        return self

    def __exit__(self, *error):
        self._record.close()

    def begin(self, run_context):
        """Set the record's mode from the run."""
        mode = run_context.original_args().get("mode", "train")
        self._record.set_mode("eval" if mode == "eval" else "train")

    def on_train_step_begin(self, run_context):
        """Record the learning rate: after the step it may be the next step's rate."""
        run = run_context.original_args()
        self._rate = None
        if run.get("optimizer") is not None and self._collects(run):
            rate = run.optimizer.get_lr()
            self._rate = rate[0] if isinstance(rate, (tuple, list)) else rate

    def _collects(self, run):
        return self._first or run.cur_step_num % self._every == 0

    def on_train_step_end(self, run_context):
        run = run_context.original_args()
        if not self._collects(run):
            return
        if self._first:
            self._collect_once(run)
        add = self._record.add_value
        if self._wanted["collect_metric"]:
            loss = loss_of(run.net_outputs)
            if isinstance(loss, (float, Tensor)):
                add("scalar", "loss/auto", Tensor(np.float32(np.mean(np.asarray(loss)))))
            if self._rate is not None:
                add("scalar", "learning_rate/auto", self._rate)
        for parameter in self._parameters(run):
            add("histogram", f"{parameter.name}/auto", parameter)
        if self._wanted["collect_input_data"]:
            images = [t for t in tensors_of(run.get("train_dataset_element")) if _is_images(t)]
            if images:
                add("image", "input_data/auto", images[0])
        takes_tensors = self._takes_tensors(run)
        self._record.record(
            run.cur_step_num, plugin_filter=lambda plugin: plugin != "tensor" or takes_tensors
        )
        self._first = False

    def _takes_tensors(self, run):
        every = self._every_tensor
        if every is None:  # 20 times, and not more often than other data
            total = run.get("epoch_num", 1) * run.batch_num
            every = max(self._every, -(-total // 20))
        return self._first or run.cur_step_num % every == 0

    def _collect_once(self, run):
        """Log static data: the graph, and a description of the training."""
        add, wanted = self._record.add_value, self._wanted
        if wanted["collect_graph"]:
            inputs = run.get("train_dataset_element")
            inputs = inputs if isinstance(inputs, (tuple, list)) else [inputs]
            try:
                add("graph", "graph", jit(run.train_network).graph(*inputs))
            except RuntimeError as cause:  # it needs a concrete value
                warn(f"For 'SummaryCollector', the training step has no graph to show: {cause}")
        if wanted["collect_train_lineage"]:
            add("train_lineage", "auto", _lineage(run))
        if wanted["collect_dataset_graph"] and hasattr(run.get("train_dataset"), "get_col_names"):
            add("dataset_graph", "auto", _dataset(run.train_dataset))
        if self._custom:
            add("custom_lineage_data", "auto", self._custom)

    def on_train_epoch_end(self, run_context):
        """Log the evaluation results of `Model.fit`."""
        run = run_context.original_args()
        self._add_metrics(run, run.cur_step_num)

    def on_eval_end(self, run_context):
        run = run_context.original_args()
        self._add_metrics(run, run.get("cur_step_num", 0))
        if self._wanted["collect_eval_lineage"] and run.get("metrics"):
            self._record.add_value("eval_lineage", "auto", _numbers(run.metrics))
            self._record.record(run.get("cur_step_num", 0))

    def _add_metrics(self, run, step):
        if not run.get("metrics"):
            return
        for name, value in _numbers(run.metrics).items():
            if isinstance(value, float):
                self._record.add_value("scalar", f"{name}/auto", Tensor(np.float32(value)))
        self._record.record(step, plugin_filter=lambda plugin: plugin == "scalar")

    def _parameters(self, run):
        parameters = _trained(run)
        pattern = self._wanted["histogram_regular"]
        if pattern is None:
            return parameters[:_HISTOGRAMS] if self._wanted["histograms"] else []
        return [p for p in parameters if re.match(pattern, p.name)]


def _wanted(specified, keeps):
    """Return the parts to collect, from the arguments."""
    who = "SummaryCollector"
    kinds.optional(kinds.DICT)(who, collect_specified_data=specified)
    specified = specified or {}
    for name, value in specified.items():
        if name not in _DEFAULTS:
            names = sorted(_DEFAULTS)
            raise rejection("keys-of-data", who, collect_specified_data=name, names=names)
        is_landscape = name == "collect_landscape"
        require(not is_landscape or not value, "no-landscapes-in-tensorboard", who)
        if name == "histogram_regular":
            kinds.optional(kinds.STR)(who, histogram_regular=value)
        elif not is_landscape:
            kinds.BOOL(who, **{name: value})
    base = _DEFAULTS if keeps else {**dict.fromkeys(_DEFAULTS, False), "histogram_regular": None}
    return {**base, **specified, "histograms": keeps}


def _is_images(tensor):
    return tensor.ndim == 4 and tensor.shape[1] in (1, 3)


def _trained(run):
    """Return the trained Parameters; others of the step are the optimizer's own settings."""
    optimizer = run.get("optimizer")
    return list(optimizer.parameters) if optimizer else run.train_network.trainable_params()


def _lineage(run):
    """Return a description of the training run."""
    optimizer, loss = run.get("optimizer"), run.get("loss_fn")
    network = run.get("network") or run.train_network
    return {
        "sporax": importlib.metadata.version("sporax"),
        "network": type(network).__name__,
        "optimizer": type(optimizer).__name__ if optimizer is not None else None,
        "loss_function": type(loss).__name__ if loss is not None else None,
        "epochs": run.get("epoch_num"),
        "steps_of_an_epoch": run.get("batch_num"),
        "trained_numbers": sum(p.size for p in _trained(run)),
    }


def _dataset(dataset):
    """Return the operations of a data pipeline, source first."""
    names, node = [], dataset
    while node is not None:
        names.append(type(node).__name__)
        children = getattr(node, "children", None) or [None]
        node = children[0]
    return {"pipeline": names[::-1], "columns": dataset.get_col_names()}


def _numbers(metrics):
    """Convert metrics to JSON values."""
    return {
        name: float(value) if np.ndim(value) == 0 else np.asarray(value).tolist()
        for name, value in metrics.items()
    }


__all__ = ["SummaryCollector"]
