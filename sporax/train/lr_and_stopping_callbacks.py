"""Callbacks that stop a training or change its learning rate."""

import copy
import logging
import math
from typing import Any

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import load_param_into_net
from sporax.train.callback import Callback, loss_of

_log = logging.getLogger("sporax")

# metrics for which smaller is better
_SMALLER = {
    "eval_loss", "hausdorff_distance", "loss", "mae", "mean_surface_distance", "mse",
    "perplexity", "root_mean_square_distance",
}  # fmt: skip


class _Watching(Callback):
    """Base class of callbacks that monitor a metric for improvement at the end of each epoch."""

    _state_names = ("wait", "best")

    def __init__(self, monitor, min_delta, patience, verbose, mode):
        who = type(self).__name__
        kinds.STR(who, monitor=monitor, mode=mode)
        kinds.one_of("auto", "min", "max")(who, mode=mode)
        kinds.NUMBER(who, min_delta=min_delta)
        kinds.COUNT(who, patience=patience)
        kinds.BOOL(who, verbose=verbose)
        self.monitor, self.min_delta, self.patience = monitor, abs(min_delta), patience
        self.verbose, self.mode = verbose, mode
        self._smaller = mode == "min" or (mode == "auto" and monitor in _SMALLER)
        self._begin()

    def _begin(self):
        self.wait, self.best = 0, math.inf if self._smaller else -math.inf

    def is_improvement(self, now, before):
        """Return True if a value is better than another by more than `min_delta`."""
        if self._smaller:
            return bool(now < before - self.min_delta)
        return bool(now > before + self.min_delta)

    def _watched(self, run):
        """Return the monitored value; None if absent."""
        results = run.get("eval_results", {})
        value: Any = loss_of(run.get("net_outputs")) if self.monitor == "loss" else None
        value = results.get(self.monitor) if value is None else value
        if isinstance(value, Tensor):
            value = value.asnumpy()
        if value is None:
            _log.warning(
                "%s looks at '%s', which there is none of; there are %s.",
                type(self).__name__, self.monitor, sorted({"loss", *results}),
            )  # fmt: skip
            return None
        if np.ndim(value):
            raise rejection("one-number-argument-value", type(self).__name__, argument=self.monitor,
                            shape=np.shape(value))  # fmt: skip
        return float(value)


class EarlyStopping(_Watching):
    """Stops a training when a metric has not improved for `patience` epochs.

    `monitor`: 'loss', 'eval_loss' (of `fit`'s validation) or a metric name. `min_delta`: the
    minimal improvement. `mode`: 'min' or 'max' is better; 'auto' decides by the name. `baseline`: a
    value to beat to count as an improvement. `restore_best_weights`: restore the parameters of the
    best epoch. `verbose`: print when it stops.

    >>> stop = EarlyStopping(monitor="loss", patience=2)
    >>> stop.patience
    2
    """

    _state_names = (*_Watching._state_names, "stopped_epoch", "best_weights_param_dict")

    def __init__(
        self, monitor="eval_loss", min_delta=0, patience=0, verbose=False, mode="auto",
        baseline=None, restore_best_weights=False,
    ):  # fmt: skip
        super().__init__(monitor, min_delta, patience, verbose, mode)
        kinds.BOOL("EarlyStopping", restore_best_weights=restore_best_weights)
        self.baseline, self.restore_best_weights = baseline, restore_best_weights
        self.stopped_epoch, self.best_weights_param_dict = 0, None

    def on_train_begin(self, run_context):
        self._begin()
        self.stopped_epoch, self.best_weights_param_dict = 0, None

    def on_train_epoch_end(self, run_context):
        run = run_context.original_args()
        now = self._watched(run)
        if now is None:
            return
        self.wait += 1
        if self.restore_best_weights and self.best_weights_param_dict is None:
            self._keep(run)
        if self.is_improvement(now, self.best):
            self.best = now
            if self.restore_best_weights:
                self._keep(run)
            if self.baseline is None or self.is_improvement(now, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = run.cur_epoch_num
            run_context.request_stop()
            if self.best_weights_param_dict is not None:
                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.")
                load_param_into_net(run.train_network, self.best_weights_param_dict)

    def _keep(self, run):
        self.best_weights_param_dict = copy.deepcopy(run.train_network.parameters_dict())

    def on_train_end(self, run_context):
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")


class ReduceLROnPlateau(_Watching):
    r"""Multiplies the learning rate by `factor` when a metric has not improved for `patience`
    epochs: $lr \leftarrow \max(factor \cdot lr, min\_lr)$, then waits for `cooldown` epochs.

    `monitor`, `min_delta`, `mode`, `verbose`: see `EarlyStopping`. The optimizer must have a single
    scalar learning rate.
    """

    _state_names = (*_Watching._state_names, "cooldown_counter")

    def __init__(
        self, monitor="eval_loss", factor=0.1, patience=10, verbose=False, mode="auto",
        min_delta=1e-4, cooldown=0, min_lr=0,
    ):  # fmt: skip
        super().__init__(monitor, min_delta, patience, verbose, mode)
        kinds.INSIDE_ONE("ReduceLROnPlateau", factor=factor)
        kinds.COUNT("ReduceLROnPlateau", cooldown=cooldown)
        kinds.NOT_NEGATIVE("ReduceLROnPlateau", min_lr=min_lr)
        self.factor, self.cooldown, self.min_lr = factor, cooldown, min_lr
        self.cooldown_counter = 0

    def on_train_begin(self, run_context):
        self._begin()
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context):
        run = run_context.original_args()
        rate = _rate("ReduceLROnPlateau", run)
        now = self._watched(run)
        if now is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_improvement(now, self.best):
            self.best, self.wait = now, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(run, rate)
                self.cooldown_counter, self.wait = self.cooldown, 0

    def _reduce(self, run, rate):
        before = float(rate.asnumpy())
        if before <= np.float32(self.min_lr):
            return
        new = Tensor(max(before * self.factor, self.min_lr), dtypes.float32)
        rate.set_data(new)
        if self.verbose:
            print(
                f"Epoch {run.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate to {new}."
            )


class LearningRateScheduler(Callback):
    """Sets the learning rate to `learning_rate_function(rate, step)` after each step.

    `step` counts from 1 over all epochs; `rate` is a float. The optimizer must have a single scalar
    learning rate.

    >>> LearningRateScheduler(lambda rate, step: rate / (step + 1)).learning_rate_function(1.0, 3)
    0.25
    """

    def __init__(self, learning_rate_function):
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context):
        run = run_context.original_args()
        rate = _rate("LearningRateScheduler", run)
        now = float(str(rate.asnumpy()))  # shortest repr: 0.1, not 0.10000000149011612
        new = self.learning_rate_function(now, run.cur_step_num)
        if not math.isclose(now, new, rel_tol=1e-10):
            rate.set_data(Tensor(new, dtypes.float32))


__all__ = ["EarlyStopping", "LearningRateScheduler", "ReduceLROnPlateau"]


def _rate(who, run):
    """Return the single learning rate of the optimizer, a Parameter."""
    rate = run.optimizer.learning_rate
    require(isinstance(rate, Parameter), "optimizer-one-learning-rate", who, got=rate)
    return rate
