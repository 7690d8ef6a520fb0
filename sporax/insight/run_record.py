"""`RunRecord`: a callback that records training to a folder for `sporax watch`."""

import math
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.core.errors import warn
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import tensors_of
from sporax._src.devices.distributed import processes
from sporax._src.devices.sharding.mesh import to_read
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.insight.layer_statistics import Probe, statistics
from sporax.insight.run_events import RunEvents
from sporax.insight.run_files import LAYER_KINDS, RANK, RunFolder, number
from sporax.nn import TrainOneStepCell
from sporax.train.callback import Callback, RunContext, loss_of

_IMAGES = 8  # samples of a batch


class RunRecord(Callback):
    """Record loss, learning rate, metrics, samples per second, gradient norms, histograms by layer
    and sample images of training to a folder, which `sporax watch` shows.

    `folder`: created if missing. `name`: of the run; by default the folder's name. `every`: record
    loss, learning rate and samples per second at the first and every `every`-th step.
    `layers_every`: likewise for gradient norms, histograms of Parameters, gradients and
    activations, and images of the batch, which cost one more forward and backward pass that changes
    neither Parameters nor the random state; 0: never. `activations`: activations to record besides
    the layers': paths or patterns of Cells that contain Cells, and of operations in their
    `construct` as named by `draw`, such as ['layer*', 'Softmax']. `resume`: continue the run in the
    folder. `tensorboard`: write TensorBoard event files there, too. With several ranks, the first
    one writes; with `all_ranks`, each writes its own run, `folder/rank0` and so on. If the folder
    cannot be written, a warning is issued and recording stops. `hyperparameters`: numbers, texts
    and bools by name, and `note`: text, shown in the table of runs.

    In a custom training loop, call `log`, `log_layers` and `log_images`.

    >>> import tempfile
    >>> from sporax.insight import RunRecord
    >>> record = RunRecord(tempfile.mkdtemp())
    >>> for step in range(1, 4):
    ...     record.log(step, loss=1 / step, learning_rate=0.1, samples=32)
    """

    def __init__(
        self, folder: str | os.PathLike[str], name: str | None = None, every: int = 10,
        layers_every: int = 100, resume: bool = False, tensorboard: bool = False,
        all_ranks: bool = False, activations: Sequence[str] = (),
        hyperparameters: dict[str, Any] | None = None, note: str = "",
    ) -> None:  # fmt: skip
        who = "RunRecord"
        kinds.PATH(who, folder=folder)
        kinds.optional(kinds.STR)(who, name=name)
        kinds.POSITIVE_INT(who, every=every)
        kinds.COUNT(who, layers_every=layers_every)
        kinds.BOOL(who, resume=resume, tensorboard=tensorboard, all_ranks=all_ranks)
        kinds.sequence_of(kinds.STR)(who, activations=activations)
        kinds.optional(kinds.DICT)(who, hyperparameters=hyperparameters)
        kinds.STR(who, note=note)
        about = {"hyperparameters": _plain(hyperparameters or {}), "note": note}
        self._further = tuple(activations)
        if all_ranks and processes.size() > 1:
            rank = f"{RANK}{processes.rank()}"
            folder, name = Path(folder) / rank, f"{name or Path(folder).absolute().name} {rank}"
        self._writers, last = [], 0
        if all_ranks or processes.rank() == 0:
            run = RunFolder(folder, name, resume, **about)
            events = [RunEvents(folder)] if tensorboard else []
            self._writers, last = [run, *events], run.last_step
        self._every, self._layers_every = every, layers_every
        self._refused, self._samples = False, 0
        self._since: Any = None  # the time from which steps are counted
        self._first_step, self._base, self._last = True, 0, last
        self._probe: Any = None
        self._probed = self._rate = None

    # for loops of one's own ------------------------------------------------------------------

    def log(self, step: int, *, samples: int | None = None, **scalars: Any) -> None:
        """Record scalars of a step: `loss`, `learning_rate`, `gradient_norm` or any other name.

        `step`: a non-negative int. `samples`: the number of samples trained on since the last call,
        for samples per second, which is recorded from the second call on.
        """
        self._check_step("log", step)
        if samples is not None:
            kinds.POSITIVE_INT("RunRecord.log", samples=samples)
            now = time.perf_counter()
            if self._since is not None:
                scalars["samples_per_second"] = samples / (now - self._since)
            self._since = now
        values = {name: _scalar(name, value) for name, value in scalars.items()}
        self._write("append", step=step, scalars=values)

    def log_layers(self, step: int, kind: str, tensors: dict[str, Tensor]) -> None:
        """Record statistics and histograms of Tensors, {layer: Tensor}. `kind`: 'parameters',
        'gradients' (their global norm is recorded as `gradient_norm`) or 'activations'."""
        self._check_step("log_layers", step)
        kinds.one_of(*LAYER_KINDS)("RunRecord.log_layers", kind=kind)
        kinds.DICT("RunRecord.log_layers", tensors=tensors)
        layers = statistics(tensors)
        scalars = {}
        if kind == "gradients" and layers:
            norm = math.sqrt(sum(float(s["norm"]) ** 2 for s in layers.values()))
            bad = any(float(s["not_finite"]) for s in layers.values())
            scalars["gradient_norm"] = number(math.nan if bad else norm)
        self._write("append", step=step, scalars=scalars, layers={kind: layers})

    def log_images(self, step: int, name: str, images: Tensor | np.ndarray) -> None:
        """Record the first eight images of a Tensor or array of shape (N, C, H, W) with one or
        three channels: uint8, or values in [0, 1]; other values are rescaled to [0, 1]."""
        self._check_step("log_images", step)
        kinds.STR("RunRecord.log_images", name=name)
        images = images if isinstance(images, Tensor) else np.asarray(images)
        if images.ndim != 4 or images.shape[1] not in (1, 3) or not images.size:
            raise rejection("shape-n-c-h", "RunRecord.log_images", images=tuple(images.shape))
        (first,) = to_read((images[:_IMAGES],))
        self._write("add_images", step, name, _visible(np.asarray(first)))

    def _check_step(self, method, step):
        kinds.COUNT(f"RunRecord.{method}", step=step)
        self._last = max(self._last, step)

    def _write(self, method, *args, **kwargs):
        if self._refused:
            return
        try:
            for writer in self._writers:
                getattr(writer, method)(*args, **kwargs)
        except OSError as error:
            self._refused = True
            warn(f"{error.strerror or error}. Nothing more is recorded.")

    # events of `Model.train` -----------------------------------------------------------------

    def on_train_begin(self, run_context: RunContext) -> None:
        self._since, self._samples, self._first_step = None, 0, True

    def on_train_step_begin(self, run_context: RunContext) -> None:
        run = run_context.original_args()
        if self._first_step:  # a further training continues the step count of the last one
            self._base = self._last if run.cur_step_num == 1 else 0
        self._rate = None
        if self._logs(self._base + run.cur_step_num) and run.get("optimizer") is not None:
            rates = run.optimizer.get_lr()  # for this step: after it, the rate is the next step's
            self._rate = rates[0] if isinstance(rates, (tuple, list)) else rates

    def _logs(self, step):
        return self._first_step or step % self._every == 0

    def on_train_step_end(self, run_context: RunContext) -> None:
        run = run_context.original_args()
        step, tensors = self._base + run.cur_step_num, tensors_of(run.train_dataset_element)
        self._samples += tensors[0].shape[0] if tensors and tensors[0].ndim else 0
        if self._logs(step):
            self._log_scalars(step, run)
        if self._layers_every and self._first_step and self._probed is not run.train_network:
            self._probe, self._probed = _probe_of(run, self._further), run.train_network
        if self._probe and (self._first_step or step % self._layers_every == 0):
            begin = time.perf_counter()
            self._log_batch(step, run)
            self._since += time.perf_counter() - begin  # not training time
        if self._first_step:  # nor is compilation
            self._first_step, self._since, self._samples = False, time.perf_counter(), 0
        self._last = step

    def _log_scalars(self, step, run):
        scalars = {}
        loss = loss_of(run.net_outputs)
        if isinstance(loss, (float, Tensor)):
            scalars["loss"] = np.mean(np.asarray(loss))
        if self._rate is not None:
            scalars["learning_rate"] = self._rate
        samples, self._samples = self._samples, 0
        if self._since is None:
            self._since = time.perf_counter()
        self.log(step, samples=None if self._first_step else samples or None, **scalars)

    def _log_batch(self, step, run):
        """Record histograms and images of the current batch."""
        inputs = run.train_dataset_element
        activations, gradients = self._probe(*inputs)
        self.log_layers(step, "parameters", {p.name: p for p in self._probe.parameters})
        self.log_layers(step, "gradients", gradients)
        self.log_layers(step, "activations", activations)
        for tensor in tensors_of(inputs):
            if tensor.ndim == 4 and tensor.shape[1] in (1, 3) and tensor.size:
                self.log_images(step, "input", tensor)
                break

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._log_metrics(run_context.original_args())

    def on_eval_end(self, run_context: RunContext) -> None:
        self._log_metrics(run_context.original_args())

    def _log_metrics(self, run):
        scalars = {}
        for name, value in (run.get("metrics") or {}).items():
            value = np.asarray(value)
            if value.ndim == 0:
                scalars[name] = value
            else:
                scalars |= {f"{name}[{k}]": v for k, v in enumerate(value.ravel())}
        if scalars:
            values = {name: _scalar(name, value) for name, value in scalars.items()}
            self._write("append", step=self._last, scalars=values)


def _probe_of(run, further):
    """Return the Probe of a run, for the network with loss that the training step differentiates.
    Warn and return None if the step is a user-defined Cell, which may do anything when called."""
    step, optimizer = run.train_network, run.get("optimizer")
    network = run.get("network") or step
    if optimizer is None and not isinstance(step, TrainOneStepCell):
        warn(
            "For 'RunRecord', the training step must come from a Model with an optimizer, or be a "
            f"TrainOneStepCell, but got {type(step).__name__}: no gradients, activations or "
            "images are recorded. Record them with 'log_layers', or set layers_every=0."
        )
        return None
    parameters = (step if optimizer is None else run).optimizer.parameters
    reduce = getattr(step, "grad_reducer", tuple)
    return Probe(step.network, network, parameters, reduce, further)


def _scalar(name, value):
    array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
    fits = array.size == 1 and array.dtype.kind in "biuf"
    require(fits, "one-real-number", "RunRecord.log", argument=name, got=value, shape=array.shape)
    return number(array.reshape(()))


def _visible(images):
    """Return images as uint8."""
    if images.dtype == np.uint8:
        return images
    images = np.nan_to_num(images.astype(np.float32), posinf=1.0, neginf=0.0)
    low, high = images.min(), images.max()
    if low < 0 or high > 1:
        images = (images - low) / (high - low if high > low else 1)
    return (images * 255).round().astype(np.uint8)


def _plain(hyperparameters):
    """Return hyperparameters as JSON has them: numbers, texts, bools and None; others as text."""
    plain = {}
    for name, value in hyperparameters.items():
        value = value.item() if isinstance(value, np.generic) else value
        is_number = isinstance(value, (int, float)) and math.isfinite(value)
        plain[str(name)] = value if is_number or value is None else str(value)
    return plain
