"""Callbacks for interrupting and resuming training: `OnRequestExit`, `BackupAndRestore`."""

import os
import signal
import threading
from pathlib import Path

from sporax._src import operating_system
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import load_checkpoint, save_checkpoint, untrusted_file
from sporax.io.export import export
from sporax.train.callback import Callback

_KEY = "GracefulExit"


class OnRequestExit(Callback):
    """Stops a training or an evaluation after the current step on request, and saves the state
    needed to resume: a checkpoint of the training step, and the network, without the loss, as a
    graph file.

    `save_ckpt`, `save_mindir`: save them as `directory/rank_0/file_name_train.ckpt` and `.mindir`
    (`_eval` in an evaluation). An existing checkpoint is loaded when the next run begins; its
    `epoch_num` and `step_num` record the progress. `sig`: the signal that requests the exit,
    SIGTERM by default. `config_file`: a JSON file that requests it with `{"GracefulExit": 1}`.
    The previous signal handler is restored at the end of the run.

    >>> import tempfile
    >>> OnRequestExit(file_name="LeNet5", directory=tempfile.mkdtemp()).sig.name
    'SIGTERM'
    """

    def __init__(
        self, save_ckpt=True, save_mindir=True, file_name="Net", directory="./", config_file=None,
        sig=signal.SIGTERM,
    ):  # fmt: skip
        who = "OnRequestExit"
        kinds.BOOL(who, save_ckpt=save_ckpt, save_mindir=save_mindir)
        kinds.STR(who, file_name=file_name)
        kinds.PATH(who, directory=directory)
        kinds.optional(kinds.PATH)(who, config_file=config_file)
        kinds.INT(who, sig=sig)
        fits = sig in set(signal.Signals) and sig not in operating_system.UNCAUGHT
        require(fits, "signal-process-can-answer", "OnRequestExit", sig=sig)
        self.save_ckpt, self.save_mindir, self.sig = save_ckpt, save_mindir, signal.Signals(sig)
        self.exit = False  # True once the signal has arrived
        self._config = None if config_file is None else Path(config_file)
        self._path, self._before = Path(directory) / "rank_0" / file_name, None

    def _name(self, kind):
        return f"{self._path}_{kind}"

    def __enter__(self):
        self.exit = False
        if threading.current_thread() is threading.main_thread():  # others get no signals
            self._before = signal.signal(self.sig, self._on_signal)
        return self

    def __exit__(self, *error):
        if self._before is not None:
            signal.signal(self.sig, self._before)
            self._before = None

    def _on_signal(self, number, frame):
        self.exit = True

    def on_train_begin(self, run_context):
        """Load the checkpoint of a stopped training."""
        self._load(run_context.original_args().train_network, ("train",))

    def on_eval_begin(self, run_context):
        """Load the checkpoint of a stopped evaluation or training."""
        self._load(run_context.original_args().eval_network, ("eval", "train"))

    def _load(self, network, kinds):
        files = [f"{self._name(kind)}.ckpt" for kind in kinds]
        there = [file for file in files if os.path.isfile(file)]
        if self.save_ckpt and there:
            load_checkpoint(there[0], network)

    def step_end(self, run_context):
        if self.exit or self._is_asked_by_file():
            self.exit = True
            run_context.request_stop()

    def on_train_end(self, run_context):
        """Save if the training was stopped."""
        run = run_context.original_args()
        if self.exit:
            counts = {"epoch_num": run.cur_epoch_num, "step_num": run.cur_step_num}
            self._save("train", run, run.train_network, run.train_dataset_element, counts)

    def on_eval_end(self, run_context):
        """Save if the evaluation was stopped."""
        run = run_context.original_args()
        if self.exit:
            self._save("eval", run, run.eval_network, run.get("eval_dataset_element"), {})

    def _save(self, kind, run, network, element, counts):
        if self.save_ckpt or self.save_mindir:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        if self.save_ckpt:
            save_checkpoint(network, f"{self._name(kind)}.ckpt", append_dict=counts or None)
        if self.save_mindir and element is not None:
            elements = element if isinstance(element, (tuple, list)) else (element,)
            inputs = elements if run.loss_fn is None else elements[:-1]  # without the labels
            mode = run.network.training
            run.network.set_train(False)
            try:
                export(run.network, *inputs, file_name=self._name(kind), file_format="MINDIR")
            finally:
                run.network.set_train(mode)

    def _is_asked_by_file(self):
        if self._config is None or not self._config.exists():
            return False
        try:
            return untrusted_file.json_of(untrusted_file.content(self._config)).get(_KEY) == 1
        except untrusted_file.MALFORMED as error:
            raise rejection("json-file-object-such", "OnRequestExit", argument=self._config,
                            key=_KEY, cause=untrusted_file.cause(error)) from error  # fmt: skip


class BackupAndRestore(Callback):
    """Saves the training network as `backup_dir/backup.ckpt` at the end of epochs, and loads it
    when a training begins, to resume a killed one.

    `save_freq`: "epoch", or the number of epochs between saves. `delete_checkpoint`: remove the
    file when the training is complete.

    >>> import tempfile
    >>> BackupAndRestore(tempfile.mkdtemp(), save_freq=2).save_freq
    2
    """

    def __init__(self, backup_dir, save_freq="epoch", delete_checkpoint=True):
        who = "BackupAndRestore"
        kinds.PATH(who, backup_dir=backup_dir)
        kinds.BOOL(who, delete_checkpoint=delete_checkpoint)
        if save_freq != "epoch":
            kinds.POSITIVE_INT(who, save_freq=save_freq)
        os.makedirs(backup_dir, exist_ok=True)
        self.backup_file = os.path.join(os.path.realpath(backup_dir), "backup.ckpt")
        self.save_freq = 1 if save_freq == "epoch" else save_freq
        self.delete_checkpoint = delete_checkpoint

    def on_train_begin(self, run_context):
        """Load the backup, if there is one."""
        if os.path.exists(self.backup_file):
            load_checkpoint(self.backup_file, run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context):
        """Save the backup if it is due."""
        run = run_context.original_args()
        if run.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(run.train_network, self.backup_file)

    def on_train_end(self, run_context):
        """Remove the backup if `delete_checkpoint` is True."""
        if self.delete_checkpoint and os.path.exists(self.backup_file):
            os.remove(self.backup_file)


__all__ = ["BackupAndRestore", "OnRequestExit"]


class ExitByRequest:
    """Part of MindSpore's training step for `OnRequestExit`: lets several processes stop after the
    same step.

    >>> print(ExitByRequest().exit_by_request(Tensor([1.0]), None, None))
    [1.]
    """

    def exit_by_request(self, grad, init_value, exit_value):
        """Return `grad` unchanged: a single process decides on its own."""
        return grad
