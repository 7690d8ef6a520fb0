"""Callbacks that print or record a training run."""

import math
import time
from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.train.callback import EVENTS, Callback, loss_of


class LossMonitor(Callback):
    """Prints the loss every `per_print_times` steps (0: never), and the evaluation results of
    `fit`.

    Raises ValueError in a step whose loss is not finite.
    """

    _state_names = ("_last",)

    def __init__(self, per_print_times=1):
        kinds.COUNT("LossMonitor", per_print_times=per_print_times)
        self._every, self._last = per_print_times, 0

    def step_end(self, run_context):
        run = run_context.original_args()
        loss, epoch = loss_of(run.net_outputs), run.get("cur_epoch_num", 1)
        step = (run.cur_step_num - 1) % run.batch_num + 1
        fits = not isinstance(loss, float) or math.isfinite(loss)
        require(fits, "epoch-step-loss-training", epoch=epoch, step=step, loss=loss)
        if run.cur_step_num <= self._last:  # a new training has begun
            self._last = 0
        if self._every and run.cur_step_num - self._last >= self._every:
            self._last = run.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context):
        run = run_context.original_args()
        if run.get("metrics"):
            print(f"Eval result: epoch {run.cur_epoch_num}, metrics: {run.metrics}")


class TimeMonitor(Callback):
    """Prints the time of each epoch and its mean step time.

    `data_size`: the steps per epoch, if the run does not provide it. `data_time`: also print the
    time a step waits for its data.

    >>> TimeMonitor(data_size=10).data_size
    10
    """

    def __init__(self, data_size=None, data_time=False):
        kinds.BOOL("TimeMonitor", data_time=data_time)
        self.data_size, self.data_time = data_size, data_time
        self.epoch_time = self._asked = time.monotonic()
        self._waited = 0.0

    def on_train_step_begin(self, run_context):
        self._waited += time.monotonic() - self._asked

    def on_train_step_end(self, run_context):
        self._asked = time.monotonic()

    def epoch_begin(self, run_context):
        self.epoch_time = self._asked = time.monotonic()
        self._waited = 0.0

    def epoch_end(self, run_context):
        taken = (time.monotonic() - self.epoch_time) * 1000
        run = run_context.original_args()
        steps = run.get("batch_num", -1)
        steps = steps if isinstance(steps, int) and steps > 0 else self.data_size
        steps = kinds.POSITIVE_INT.checked("TimeMonitor", "data_size", steps)
        message = f"{run.get('mode', '').title()} epoch time: {taken:5.3f} ms, "
        message += f"per step time: {taken / steps:5.3f} ms"
        if self.data_time:
            message += f" (data time: {self._waited * 1000 / steps:5.3f} ms)"
        print(message, flush=True)


class History(Callback):
    """Records in `history` lists with one item per epoch: the loss ('net_output'), and each
    evaluated metric; `epoch` is {'epoch': [1, 2, ...]}.

    >>> from sporax.data import NumpySlicesDataset
    >>> from sporax.train import Model
    >>> net, rows = nn.Dense(1, 1), np.ones((4, 1), np.float32)
    >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.0))
    >>> dataset = NumpySlicesDataset((rows, rows), ["x", "y"]).batch(2)
    >>> history = History()
    >>> model.train(2, dataset, callbacks=history, dataset_sink_mode=False)
    >>> history.epoch, len(history.history["net_output"])
    ({'epoch': [1, 2]}, 2)
    """

    _state_names = ("history", "epoch")

    def __init__(self):
        self.history = {}
        self.epoch: Any = None  # a dict, once a training has begun

    def begin(self, run_context):
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context):
        run = run_context.original_args()
        self.epoch["epoch"].append(run.get("cur_epoch_num", 1))
        output = run.net_outputs
        if isinstance(output, (tuple, list)):
            output = output[0]
        if isinstance(output, Tensor):
            output = float(np.mean(output.asnumpy()))
        for name, value in {"net_output": output, **(run.get("metrics") or {})}.items():
            self.history.setdefault(name, []).append(value)


class LambdaCallback(Callback):
    """Calls the given functions with a `RunContext` on their events.

    >>> LambdaCallback(on_train_begin=lambda run_context: print("go")).on_train_begin(None)
    go
    """

    def __init__(
        self, on_train_epoch_begin=None, on_train_epoch_end=None, on_train_step_begin=None,
        on_train_step_end=None, on_train_begin=None, on_train_end=None, on_eval_epoch_begin=None,
        on_eval_epoch_end=None, on_eval_step_begin=None, on_eval_step_end=None,
        on_eval_begin=None, on_eval_end=None,
    ):  # fmt: skip
        functions = dict(locals())
        for kind in ("train", "eval"):
            for event in EVENTS:
                name = f"on_{kind}_{event}"
                if functions[name] is not None:
                    setattr(self, name, functions[name])


__all__ = ["History", "LambdaCallback", "LossMonitor", "TimeMonitor"]
