"""Progress bar of a training, an evaluation or any loop, by `tqdm`.

It is written to stderr, only if that is a terminal; `SPORAX_PROGRESS=off` disables it.
"""

import sys
import time
from collections.abc import Iterable
from typing import TypeVar

from tqdm import tqdm

from sporax._src.core.environment import choice
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine.program import compilations
from sporax.train.callback import Callback, loss_of
from sporax.train.logging_callbacks import LossMonitor

_Item = TypeVar("_Item")
_EVERY = 0.5  # seconds between reads of the loss, which synchronise with the device


def is_shown():
    """Return True if progress is shown."""
    return choice("SPORAX_PROGRESS", "on", "off") == "on" and sys.stderr.isatty()


def progress(
    iterable: Iterable[_Item], desc: str | None = None, total: int | None = None
) -> Iterable[_Item]:
    """Yield the same items, with a progress bar that shows count, rate and remaining time.

    `desc`: a prefix of the bar. `total`: the number of items, if `len` is not available. Nothing is
    shown if stderr is not a terminal.

    >>> from sporax.train import progress
    >>> sum(progress([1, 2, 3], desc="adding"))
    6
    """
    count = getattr(iterable, "get_dataset_size", None)
    if total is None and count is not None:
        total = count()
    return tqdm(iterable, desc, total, disable=not is_shown(), dynamic_ncols=True)


class ProgressLine(Callback):
    """Progress bar of a `Model` run: epoch, steps, loss or metrics, steps per second, time left;
    also shows when a step is being traced and compiled."""

    def __init__(self):
        self._line, self._read, self._programs, self._begun = None, 0.0, 0, set()

    @staticmethod
    def added(callbacks):
        """Return the callbacks of a run plus the progress bar, if progress is shown and no other
        callback prints it step by step."""
        listed = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        listed = [callback for callback in listed if callback is not None]
        if not is_shown() or any(isinstance(c, LossMonitor) for c in listed):
            return callbacks
        return [*listed, ProgressLine()]

    def __exit__(self, *error):
        self._close()

    def _open(self, desc, total):
        self._close()
        self._line = tqdm(total=total, desc=desc, unit="step", dynamic_ncols=True)
        self._programs = compilations["programs"]

    def _close(self):
        if self._line is not None:
            self._line.close()
            self._line = None

    def on_train_epoch_begin(self, run_context):
        """Start the bar of an epoch."""
        run = run_context.original_args()
        last = run.get("first_epoch", 0) + run.epoch_num
        self._open(f"epoch {run.cur_epoch_num}/{last}", run.batch_num)

    def on_eval_begin(self, run_context):
        """Start the bar of an evaluation."""
        self._open("evaluation", run_context.original_args().batch_num)

    def step_begin(self, run_context):
        mode = run_context.original_args().get("mode")
        if self._line is not None and mode not in self._begun:
            self._begun.add(mode)
            self._line.set_postfix_str("the first step is traced and compiled")

    def step_end(self, run_context):
        if self._line is None:
            return
        now = time.monotonic()
        if now - self._read > _EVERY or self._line.n + 1 == self._line.total:
            self._read = now
            words = _loss(run_context.original_args())
            if compilations["programs"] > self._programs:
                self._programs = compilations["programs"]
                words += " (compiled)" if words else "compiled"
            self._line.set_postfix_str(words, refresh=False)
        self._line.update()

    def on_train_epoch_end(self, run_context):
        """Close the bar, showing evaluated metrics."""
        metrics = run_context.original_args().get("metrics")
        if metrics and self._line is not None:
            shown = " ".join(f"{name}={value:.4g}" for name, value in _numbers(metrics))
            self._line.set_postfix_str(f"{self._line.postfix} {shown}".strip())
        self._close()

    def on_eval_end(self, run_context):
        """Close the bar, showing the metrics."""
        if self._line is not None:
            metrics = run_context.original_args().get("metrics") or {}
            self._line.set_postfix_str(" ".join(f"{k}={v:.4g}" for k, v in _numbers(metrics)))
        self._close()


def _numbers(metrics):
    return [(name, value) for name, value in metrics.items() if isinstance(value, (int, float))]


def _loss(run):
    if run.get("mode") == "eval":
        return ""
    loss = loss_of(run.get("net_outputs"))
    if isinstance(loss, Tensor):
        loss = float(loss.asnumpy().mean())
    return f"loss={loss:.4g}" if isinstance(loss, float) else ""


__all__ = ["progress"]
