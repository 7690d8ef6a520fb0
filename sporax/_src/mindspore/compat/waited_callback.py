"""`WaitedDSCallback`, a callback of both a dataset and a training run."""

import threading

from sporax._src.diagnosis.rules import rejection
from sporax.data import config
from sporax.data.callbacks import DSCallback
from sporax.train import Callback


def _nothing(self, train_run_context, ds_run_context):
    """Called before the first row of each step or epoch, except the first one."""


class WaitedDSCallback(Callback, DSCallback):
    """Base of callbacks that change `Dataset.map` depending on the results of earlier steps: a
    subclass defines `sync_step_begin(train_run_context, ds_run_context)`, or `sync_epoch_begin`.

    Pass it to both `Dataset.map` and `Model.train`. `step_size`: the rows per training step. A row
    of the next step waits for the end of the training step; since rows are made in the thread that
    requests them, that step has ended by then. If not, for example because a batch takes more than
    `step_size` rows, RuntimeError is raised after `dataset.config.get_callback_timeout()` seconds.

    >>> class Loss(WaitedDSCallback):
    ...     def sync_step_begin(self, train_run_context, ds_run_context):
    ...         print(ds_run_context.cur_step_num)
    >>> from sporax.data import NumpySlicesDataset
    >>> from sporax.train import Model
    >>> net, rows, loss = nn.Dense(1, 1), np.ones((2, 1), np.float32), Loss()
    >>> data = NumpySlicesDataset((rows, rows), ["x", "y"]).map(lambda x: x, "x", callbacks=loss)
    >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    >>> model.train(1, data, callbacks=loss, dataset_sink_mode=False)
    2
    """

    to_define = "sync_step_begin", "sync_epoch_begin"
    _nothing.is_default = True
    sync_step_begin = sync_epoch_begin = _nothing

    def __init__(self, step_size=1):
        super().__init__(step_size)
        self._ended = {"step": threading.Event(), "epoch": threading.Event()}
        self._contexts = dict.fromkeys(self._ended)
        self._is_over = False

    def _end(self, what, run_context):
        self._contexts[what] = run_context
        self._ended[what].set()

    def _wait(self, what, ds_run_context):
        method = getattr(self, f"sync_{what}_begin")
        if getattr(method, "is_default", False):
            return
        if not self._is_over:
            seconds = config.get_callback_timeout()  # type: ignore[reportAttributeAccessIssue]  # a setting
            if not self._ended[what].wait(seconds):
                raise rejection(
                    "training-ended-before-rows", type(self).__name__, what=what, seconds=seconds
                )
            self._ended[what].clear()
        method(self._contexts[what], ds_run_context)

    def step_end(self, run_context):
        """Release the rows of the next step."""
        self._end("step", run_context)

    def epoch_end(self, run_context):
        """Release the rows of the next epoch."""
        self._end("epoch", run_context)

    def end(self, run_context):
        """Release all rows."""
        self.step_end(run_context)
        self.epoch_end(run_context)
        self._is_over = True

    def ds_step_begin(self, ds_run_context):
        """Wait for the end of the training step."""
        if ds_run_context.cur_step_num > self.step_size:
            self._wait("step", ds_run_context)

    def ds_epoch_begin(self, ds_run_context):
        """Wait for the end of the training epoch."""
        if ds_run_context.cur_epoch_num > 1:
            self._wait("epoch", ds_run_context)


__all__ = ["WaitedDSCallback"]
