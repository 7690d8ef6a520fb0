"""`Model`: trains, evaluates and runs a network."""

import contextlib
import inspect
import itertools
from functools import partial
from typing import Any

from sporax._src import amp
from sporax._src.core.errors import missing
from sporax._src.core.from_host import plain
from sporax._src.core.signature_errors import fitting_constructor, written
from sporax._src.core.tensor import Tensor
from sporax._src.devices.sharding.mesh import to_read
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.memory_limit import memory_limit
from sporax.nn.cell import Cell
from sporax.nn.training_cells import WithEvalCell, WithLossCell
from sporax.train.boost.auto_boost import AutoBoost
from sporax.train.boost.training_steps import (
    BoostTrainOneStepCell,
    BoostTrainOneStepWithLossScaleCell,
)
from sporax.train.callback import (
    CallbackManager,
    InternalCallbackParam,
    RunContext,
    check_callbacks,
    is_own,
)
from sporax.train.checkpointer import Checkpointer
from sporax.train.logging_callbacks import TimeMonitor
from sporax.train.metrics import Loss, metrics_of
from sporax.train.model_checkpoint import ModelCheckpoint
from sporax.train.progress import ProgressLine

_OPTIONS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")


@fitting_constructor
class Model:
    """Trains, evaluates and runs a network.

    `network`: a Cell; with `loss_fn`, it is called with the first of two dataset columns, and the
    loss with its output and the second; without, its output is the loss. `optimizer`: updates its
    parameters. `metrics`: a set of names (`train.names()`) or a dict {name: Metric}.
    `eval_network`: returns (loss, predictions, labels) for a batch, by default `network` and
    `loss_fn`; `eval_indexes`: the indices of these three in its outputs. `amp_level`,
    `loss_scale_manager`, `keep_batchnorm_fp32`: see `amp.build_train_network`. `boost_level`,
    `boost_config_dict`: see `boost.AutoBoost`.

    In GRAPH_MODE each step is one captured program, in dynamic mode it runs dynamically; with
    `dataset_sink_mode=True` it is captured in both modes.

    >>> from sporax.data import NumpySlicesDataset
    >>> net = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
    >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
    >>> x = np.array([[0.0], [1.0]], np.float32)
    >>> data = NumpySlicesDataset((x, 2 * x), ["x", "y"], shuffle=False).batch(2)
    >>> model.train(100, data)
    >>> model.eval(data)["mae"] < 0.1
    True
    """

    def __init__(
        self, network, loss_fn=None, optimizer=None, metrics=None, eval_network=None,
        eval_indexes=None, amp_level="O0", boost_level="O0", **kwargs,
    ):  # fmt: skip
        kinds.instance(Cell, "a-cell")("Model", network=network)
        function = kinds.FUNCTION._replace(words=partial(message, "a-function-or-cell"))
        kinds.optional(function)("Model", loss_fn=loss_fn)
        for name in kwargs:
            if name not in _OPTIONS:
                raise rejection("other-arguments-among", "Model", options=list(_OPTIONS), got=name)
        level = kwargs.get("acc_level", boost_level)
        kinds.one_of("O0", "O1", "O2")("Model", boost_level=level)
        fits = optimizer is not None or amp_level == "O0"
        require(fits, "o0-without-optimizer", "Model", amp_level=amp_level)
        manager = kwargs.get("loss_scale_manager")
        fits = optimizer is not None or manager is None
        require(fits, "loss-scale-manager-come-optimizer", "Model")
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._loss_scale_manager, self._amp_level = manager, amp_level
        self._eval_network: Any = eval_network
        self._eval_indexes = eval_indexes
        self._is_boosted = level != "O0" and optimizer is not None
        if self._is_boosted:
            self._boost(level, kwargs)
        else:
            self._train_network: Any = self._built(kwargs)
        self._metric_fns = metrics_of(metrics)
        self._build_eval_network()
        self._is_training = None
        self._captures_training = self._captures_evaluation = False

    def __getattr__(self, name):
        require(not name.startswith("_"), "object-no-attribute", name=name, object=self)
        raise missing("train.Model", name)

    def _built(self, options):
        if self._optimizer is None:
            return (
                self._network
                if self._loss_fn is None
                else WithLossCell(self._network, self._loss_fn)
            )
        chosen = {k: options[k] for k in _OPTIONS[:2] if k in options}
        return amp.build_train_network(
            self._network, self._optimizer, self._loss_fn, level=self._amp_level, **chosen
        )

    def _boost(self, level, options):
        """Apply the methods of `boost` to the networks and the optimizer."""
        fits = self._amp_level == "O0"
        require(fits, "boost-level-come-amp-level-o0", "Model", level=level, got=self._amp_level)
        boost = AutoBoost(level, options.get("boost_config_dict", ""))
        self._network, self._optimizer = boost.network_auto_process_train(
            self._network, self._optimizer
        )
        if self._eval_network is not None:
            self._eval_network = boost.network_auto_process_eval(self._eval_network)
        loss = self._loss_fn
        network = self._network if loss is None else WithLossCell(self._network, loss)
        manager = self._loss_scale_manager
        rule = None if manager is None else manager.get_update_cell()
        if rule is None:
            sens = None if manager is None else manager.get_loss_scale()
            step = BoostTrainOneStepCell(network, self._optimizer, sens)
        else:
            step = BoostTrainOneStepWithLossScaleCell(network, self._optimizer, rule)
        self._train_network = step.set_train()

    def _build_eval_network(self):
        indexes = self._eval_indexes
        if not self._metric_fns:
            return
        if self._eval_network is None:
            fits = self._loss_fn is not None
            require(fits, "come-loss-fn-eval-network-gives", "Model", argument="metrics")
            halves = self._amp_level in ("O2", "O3", "auto")
            self._eval_network = WithEvalCell(self._network, self._loss_fn, halves)
            self._eval_indexes = [0, 1, 2]
        elif indexes is not None and (not isinstance(indexes, list) or len(indexes) != 3):
            raise rejection("list-three-ints", "Model", eval_indexes=indexes)

    @property
    def train_network(self):
        """Cell of a training step: the network with loss, gradients and optimizer."""
        return self._train_network

    @property
    def predict_network(self):
        """Cell that `predict` calls."""
        return self._network

    @property
    def eval_network(self):
        """Cell that `eval` calls; None without metrics."""
        return self._eval_network

    # training -------------------------------------------------------------------------------

    def train(
        self, epoch, train_dataset, callbacks=None, dataset_sink_mode=False, sink_size=-1,
        initial_epoch=0, *, memory=None,
    ):  # fmt: skip
        """Train on the whole dataset per epoch, from `initial_epoch` to `epoch`.

        `callbacks`: a Callback or a list of them. `dataset_sink_mode`: also capture the steps in
        dynamic mode. `sink_size`: accepted; an epoch is the whole dataset. `memory`: the limit of
        steps, see `memory_limit`; None leaves it as it is.
        """
        self._check_run("train", epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch)
        check_callbacks(callbacks, "train")
        self._captures_training = dataset_sink_mode
        with contextlib.nullcontext() if memory is None else memory_limit(memory):
            self._train(epoch, train_dataset, callbacks, initial_epoch)

    def fit(
        self, epoch, train_dataset, valid_dataset=None, valid_frequency=1, callbacks=None,
        dataset_sink_mode=False, valid_dataset_sink_mode=False, sink_size=-1, initial_epoch=0,
    ):  # fmt: skip
        """Like `train`, with an evaluation on `valid_dataset` after every `valid_frequency`-th
        epoch (or after the epochs in a list)."""
        self._check_run("fit", epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch)
        kinds.instance((int, list), "an-int-or-a-list")(
            "Model.fit", valid_frequency=valid_frequency
        )
        kinds.BOOL("Model.fit", valid_dataset_sink_mode=valid_dataset_sink_mode)
        fits = valid_dataset is None or self._metric_fns
        require(fits, "come-with", "Model.fit", argument="valid_dataset", other="metrics")
        if valid_dataset is not None:
            _check_dataset("Model.fit", valid_dataset=valid_dataset)
        check_callbacks(callbacks, "fit")
        self._captures_training = dataset_sink_mode
        self._captures_evaluation = valid_dataset_sink_mode
        self._train(epoch, train_dataset, callbacks, initial_epoch, valid_dataset, valid_frequency)

    def _check_run(self, name, epoch, dataset, sink_mode, sink_size, initial_epoch):
        who = f"Model.{name}"
        _check_dataset(who, train_dataset=dataset)
        kinds.BOOL(who, dataset_sink_mode=sink_mode)
        counts = {"epoch": epoch, "initial_epoch": initial_epoch, "sink_size": sink_size}
        kinds.INT(who, **{argument: plain(value) for argument, value in counts.items()})
        fits = 0 <= initial_epoch < epoch
        require(fits, "epoch-after-initial-epoch", who, epoch=epoch, initial_epoch=initial_epoch)
        require(sink_size >= -1 and sink_size != 0, "sink-size-or-all", who, sink_size=sink_size)
        require(dataset.get_dataset_size() != 0, "train-dataset-has-rows", who)

    def _run(self, mode, dataset, callbacks, **more):
        """Return the state of a run that callbacks receive."""
        listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        return InternalCallbackParam(
            mode=mode, batch_num=dataset.get_dataset_size(), cur_step_num=0,
            network=self._network, loss_fn=self._loss_fn, optimizer=self._optimizer,
            list_callback=[c for c in listed if c is not None],
            train_network=self._train_network, eval_network=self._eval_network,
            dataset_sink_mode=False, loss_scale_mananger=self._loss_scale_manager, **more,
        )  # fmt: skip

    def _train(self, epoch, dataset, callbacks, first, valid=None, frequency=1):
        run = self._run(
            "train", dataset, callbacks, train_dataset=dataset, epoch_num=epoch - first,
            first_epoch=first, cur_epoch_num=first, train_dataset_element=None, net_outputs=None,
            parallel_mode="stand_alone", device_number=1,
        )  # fmt: skip
        context = RunContext(run)
        with CallbackManager(ProgressLine.added(callbacks)) as events:
            try:
                self._train_epochs(range(first, epoch), dataset, run, context, events,
                                   valid, frequency)  # fmt: skip
            except BaseException:
                self._save_broken(run, events)
                raise

    def _train_epochs(self, epochs, dataset, run, context, events, valid, frequency):
        checkpointer = next((c for c in events._callbacks if isinstance(c, Checkpointer)), None)
        done, skipped = divmod(_init_step(dataset), run.batch_num)
        rows: Any = None if checkpointer else _rows(dataset, len(epochs), done)
        self._set_train(self._train_network, True)
        events.on_train_begin(context)
        numbered = ((epoch, rows) for epoch in epochs)
        for epoch, rows in checkpointer.epochs_of_model(epochs) if checkpointer else numbered:
            run.cur_epoch_num = epoch + 1
            events.on_train_epoch_begin(context)
            for element in itertools.islice(rows, skipped, None):
                self._step(element, run, context, events)
                if context.get_stop_requested():
                    break
            skipped = 0
            if valid is not None and _is_due(epoch + 1, frequency):
                self._eval_in_fit(valid, run, events)
            _reset(dataset)
            events.on_train_epoch_end(context)
            run.pop("metrics", None)
            run.pop("eval_results", None)
            if context.get_stop_requested():
                break
        events.on_train_end(context)

    def _step(self, element, run, context, events):
        element = _as_tuple(element)
        if self._loss_fn is not None and len(element) != 2:
            raise rejection("dataset-two-columns-loss-fn", "Model", got=len(element))
        if self._loss_fn is None and not run.cur_step_num:
            self._check_columns(element)
        run.cur_step_num += 1
        run.train_dataset_element = element
        events.on_train_step_begin(context)
        self._set_train(self._train_network, True)
        step = self._train_network
        step = step.compile_and_run if self._captures_training else step
        run.net_outputs = outputs = step(*element)
        manager = self._loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager.update_loss_scale(bool(outputs[1].asnumpy().all()))
        events.on_train_step_end(context)

    def _check_columns(self, element):
        """Raise unless the network, which has the loss in it, takes the columns of a dataset."""
        signature = inspect.signature(self._network.construct)
        try:
            signature.bind(*element)
        except TypeError:
            fields = {
                "count": len(element),
                "call": written(type(self._network).__name__, signature.parameters.values()),
            }
            raise rejection("network-takes-columns", "Model", **fields) from None

    def _save_broken(self, run, events):
        for callback in events._callbacks:
            if isinstance(callback, ModelCheckpoint) and callback._config.exception_save:
                step = (run.cur_step_num - 1) % run.batch_num + 1 if run.cur_step_num else 0
                callback.write_broken(run, run.cur_epoch_num, step)

    def _set_train(self, network, mode):
        if self._is_training != (network, mode):
            network.set_train(mode)
            self._is_training = (network, mode)

    # evaluation -----------------------------------------------------------------------------

    def eval(self, valid_dataset, callbacks=None, dataset_sink_mode=False):
        """Return {metric name: value} over a dataset."""
        kinds.BOOL("Model.eval", dataset_sink_mode=dataset_sink_mode)
        require(self._metric_fns, "model-metrics", "Model.eval")
        check_callbacks(callbacks, "eval")
        _check_dataset("Model.eval", valid_dataset=valid_dataset)
        self._captures_evaluation = dataset_sink_mode
        run = self._run("eval", valid_dataset, callbacks, valid_dataset=valid_dataset)
        with CallbackManager(ProgressLine.added(callbacks)) as events:
            return self._eval(valid_dataset, run, events, self._metric_fns)

    def _eval_in_fit(self, dataset, run, events):
        """Evaluate between two epochs, and set `metrics` and `eval_results` of the run.

        Of sporax's own callbacks only TimeMonitor is called, as in MindSpore.
        """
        chosen = [c for c in events._callbacks if isinstance(c, TimeMonitor) or not is_own(c)]
        kept = {k: run[k] for k in ("mode", "cur_step_num", "batch_num", "net_outputs")}
        run.update(
            mode="eval", cur_step_num=0, batch_num=dataset.get_dataset_size(), valid_dataset=dataset
        )
        loss, metrics = Loss(), dict(self._metric_fns)
        if self._eval_indexes is not None:
            metrics["eval_loss"] = loss
        results = self._eval(dataset, run, CallbackManager(chosen), metrics)
        run.update(kept, eval_results=results)

    def _eval(self, dataset, run, events, metrics):
        context, step = RunContext(run), self._eval_network
        step = step.compile_and_run if self._captures_evaluation else step
        for metric in metrics.values():
            metric.clear()
        events.on_eval_begin(context)
        self._set_train(self._eval_network, False)
        events.on_eval_epoch_begin(context)
        for element in _rows(dataset, 1):
            run.cur_step_num += 1
            run.eval_dataset_element = element = _as_tuple(element)
            events.on_eval_step_begin(context)
            run.net_outputs = outputs = step(*element)
            events.on_eval_step_end(context)
            self._update(metrics, outputs)
            if context.get_stop_requested():
                break
        events.on_eval_epoch_end(context)
        _reset(dataset)
        results = {name: metric.eval() for name, metric in metrics.items()}
        run.metrics = {name: results[name] for name in self._metric_fns}
        events.on_eval_end(context)
        return results

    def _update(self, metrics, outputs):
        outputs = _as_tuple(outputs)
        indexes = self._eval_indexes
        if not isinstance(outputs, tuple) or (indexes is not None and len(outputs) < 3):
            raise rejection("give-tuple-loss-predictions", "Model.eval", eval_network=outputs,
                            count=len(outputs))  # fmt: skip
        outputs = to_read(outputs)
        for metric in metrics.values():
            if indexes is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[indexes[0]])
            else:
                metric.update(outputs[indexes[1]], outputs[indexes[2]])

    # use ------------------------------------------------------------------------------------

    def predict(self, *predict_data, backend=None, config=None):
        """Return the network's output for these inputs, in evaluation mode."""
        require(
            backend is None and config is None,
            "sporax-no-yet",
            value="backend",
            value2="Model.predict",
        )
        self._set_train(self._network, False)
        return self._network(*predict_data)

    def build(self, train_dataset=None, valid_dataset=None, sink_size=-1, epoch=1, sink_mode=True):
        """Capture a training and an evaluation step for the shapes of the datasets' first batches,
        without computing them. Used in GRAPH_MODE."""
        is_any = train_dataset is not None or valid_dataset is not None
        require(
            is_any, "either-given", "Model.build", other="train_dataset", other2="valid_dataset"
        )
        for name, dataset, network, mode in (
            ("train_dataset", train_dataset, self._train_network, True),
            ("valid_dataset", valid_dataset, self._eval_network, False),
        ):  # fmt: skip
            if dataset is None:
                continue
            _check_dataset("Model.build", **{name: dataset})
            if network is None:
                raise rejection(
                    "come-with",
                    "Model.build",
                    error=RuntimeError,
                    argument="valid_dataset",
                    other="metrics",
                )
            self._set_train(network, mode)
            network.compile(*_as_tuple(next(iter(_rows(dataset, 1)))))

    def infer_train_layout(self, train_dataset, dataset_sink_mode=True, sink_size=-1):
        """Return {parameter name: layout on several devices} of a training step, which is captured
        for the shapes of the dataset's first batch; {} on one device.
        """
        kinds.BOOL("infer_train_layout", dataset_sink_mode=dataset_sink_mode)
        kinds.INT("infer_train_layout", sink_size=sink_size)
        kinds.one_of(True)("infer_train_layout", dataset_sink_mode=dataset_sink_mode)
        fits = sink_size >= -1 and sink_size != 0
        require(fits, "sink-size-or-all", "infer_train_layout", sink_size=sink_size)
        _check_dataset("infer_train_layout", train_dataset=train_dataset)
        size = train_dataset.get_dataset_size()
        require(size != 0, "train-dataset-has-rows", "infer_train_layout")
        self.build(train_dataset)
        return self._train_network.parameter_layout_dict

    def infer_predict_layout(self, *predict_data, skip_backend_compile=False):
        """Like `infer_train_layout`, for the network's call with these inputs.

        `skip_backend_compile`: accepted; a capture does not compile.

        >>> Model(nn.Dense(2, 1)).infer_predict_layout(ops.ones((3, 2)))
        {}
        """
        self._set_train(self._network, False)
        self._network.compile(*predict_data)
        return self._network.parameter_layout_dict


def _check_dataset(who, **named):
    """Raise TypeError for an object without `get_dataset_size`, such as None or a list."""
    ((name, dataset),) = named.items()
    require(hasattr(dataset, "get_dataset_size"), "data-set", who, argument=name, got=dataset)


def _rows(dataset, epochs, done=0):
    """Return an iterable over a dataset's rows; each iteration is an epoch, the first that after
    `done` ones."""
    if done:
        return dataset._after(done, epochs)
    if hasattr(dataset, "create_tuple_iterator"):
        return dataset.create_tuple_iterator(num_epochs=epochs, do_copy=False)
    return dataset


def _init_step(dataset):
    return dataset.get_init_step() if hasattr(dataset, "get_init_step") else 0


def _reset(dataset):
    if hasattr(dataset, "reset"):
        dataset.reset()


def _as_tuple(element):
    if isinstance(element, list):
        return tuple(element)
    return (element,) if isinstance(element, Tensor) else element


def _is_due(epoch, frequency):
    return epoch % frequency == 0 if isinstance(frequency, int) else epoch in frequency


__all__ = ["Model"]
