"""Checkpoints during training: `ModelCheckpoint`, and its policy."""

import os
import time

from sporax._src.core.signature_errors import Fitting
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import save_checkpoint
from sporax.io.background_writer import wait
from sporax.io.checkpoint_rotation import CheckpointManager
from sporax.nn.cell import Cell
from sporax.train.callback import Callback

_KINDS = (int, float, bool, str)


class CheckpointConfig(Fitting):
    """Policy for writing and keeping checkpoints.

    `save_checkpoint_steps`: the number of steps between checkpoints; if 0 or None,
    `save_checkpoint_seconds`: the seconds between them. `keep_checkpoint_max`: the number to keep;
    if 0 or None, keep one per `keep_checkpoint_per_n_minutes` minutes, else one. `saved_network`:
    saved instead of the training network. `append_info`: additional data: 'epoch_num', 'step_num',
    and at most one dict of numbers, strings, Parameters and Tensors. `exception_save`: also write
    one if training ends in an error. Other arguments: see `save_checkpoint`.

    >>> CheckpointConfig(save_checkpoint_steps=32).keep_checkpoint_max
    5
    """

    def __init__(
        self, save_checkpoint_steps=1, save_checkpoint_seconds=0, keep_checkpoint_max=5,
        keep_checkpoint_per_n_minutes=0, integrated_save=True, async_save=False,
        saved_network=None, append_info=None, enc_key=None, enc_mode="AES-GCM",
        exception_save=False, crc_check=False, remove_redundancy=False, format="ckpt", **kwargs,
    ):  # fmt: skip
        who = "CheckpointConfig"
        counts = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        kinds.COUNT(who, **{k: 0 if v is None else v for k, v in counts.items()})
        if not any(counts.values()):
            raise rejection("one-greater-than-0", who, counts=list(counts))
        kinds.optional(kinds.instance(Cell, "a-cell"))(who, saved_network=saved_network)
        kinds.BOOL(who, integrated_save=integrated_save, exception_save=exception_save,
                      crc_check=crc_check, remove_redundancy=remove_redundancy)  # fmt: skip
        kinds.instance((bool, str), "a-bool-or-a-string")(who, async_save=async_save)
        require(not remove_redundancy, "not-redundancy-on-one-device", who)
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self.keep_checkpoint_max = keep_checkpoint_max
        minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        self.keep_checkpoint_per_n_minutes = minutes
        if not keep_checkpoint_max and not minutes:
            self.keep_checkpoint_max = 1
        self.saved_network, self.exception_save, self.format = saved_network, exception_save, format
        self.append_dict = _appended(append_info)
        self.integrated_save, self.async_save = integrated_save, async_save
        self.enc_key, self.enc_mode, self.crc_check = enc_key, enc_mode, crc_check
        self.map_param_inc = kwargs.get("incremental", False)

    def get_checkpoint_policy(self):
        """Return the policy for writing and keeping checkpoints as a dict."""
        names = (
            "save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max",
            "keep_checkpoint_per_n_minutes", "saved_network",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def save(self, network, path, append_dict):
        """Write a checkpoint with these settings."""
        save_checkpoint(
            network if self.saved_network is None else self.saved_network, path,
            self.integrated_save, self.async_save, append_dict, self.enc_key, self.enc_mode,
            crc_check=self.crc_check, format=self.format,
        )  # fmt: skip


def _appended(info):
    if not info:
        return None
    who = "CheckpointConfig"
    kinds.LIST(who, append_info=info)
    appended, dicts = {}, [item for item in info if isinstance(item, dict)]
    for item in info:
        if isinstance(item, str) and item in ("epoch_num", "step_num"):
            appended[item] = 0
        elif isinstance(item, str):
            raise rejection("names-of-append-info", who, append_info=item)
        elif not isinstance(item, dict):
            raise rejection("strings-and-a-dict", who, append_info=item)
    require(len(dicts) <= 1, "one-dict-at-most", who, append_info=len(dicts))
    return {**appended, **(dicts[0] if dicts else {})}


class ModelCheckpoint(Callback):
    """Writes checkpoints `directory/prefix-epoch_step.ckpt` by `config`, the last one at the end of
    training. An older one is removed once the newer one is complete on disk; with `async_save` that
    is checked at the next save, or at the end.

    `prefix`, `directory`: strings, or functions of the run that return one. If files with that
    prefix exist, it becomes `prefix_1` and so on.

    >>> ModelCheckpoint(prefix="net", directory="ckpt").latest_ckpt_file_name
    ''
    """

    def __init__(self, prefix="CKP", directory=None, config=None):
        fits = callable(prefix) or (isinstance(prefix, str) and "/" not in prefix)
        require(fits, "function-string-without", "ModelCheckpoint", prefix=prefix)
        kinds.optional(kinds.instance_of(CheckpointConfig))("ModelCheckpoint", config=config)
        self._config = CheckpointConfig() if config is None else config
        self._find_prefix = prefix if callable(prefix) else None
        self._find_directory = directory if callable(directory) else None
        if not callable(directory):
            self._directory = _made(os.getcwd() if directory is None else directory)
        self._given = self._prefix = prefix
        if not callable(prefix) and not callable(directory):
            self._prefix = _unused(self._directory, prefix)
        self._manager = CheckpointManager(self._config.format)
        self._append_dict = dict(self._config.append_dict or {})
        self._latest, self._last_step, self._last_time = "", 0, time.monotonic()

    @property
    def latest_ckpt_file_name(self):
        """Path of the last written file; empty before."""
        return self._latest

    def step_end(self, run_context):
        self._save(run_context.original_args(), at_end=False)

    def end(self, run_context):
        self._save(run_context.original_args(), at_end=True)
        self._settle()

    def on_eval_step_end(self, run_context):
        """Do nothing: an evaluation does not change parameters."""

    def on_eval_end(self, run_context):
        """Do nothing: an evaluation does not change parameters."""

    def _is_due(self, run, at_end):
        if run.cur_step_num == self._last_step:
            return False
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if steps:
            return at_end or run.cur_step_num >= self._last_step + steps
        if seconds and (at_end or time.monotonic() - self._last_time > seconds):
            self._last_time = time.monotonic()
            return True
        return False

    def _save(self, run, at_end):
        if not self._is_due(run, at_end):
            return
        self._settle()
        self._locate(run)
        step = (run.cur_step_num - 1) % run.batch_num + 1
        name = self._prefix if self._find_prefix else f"{self._prefix}-{run.cur_epoch_num}_{step}"
        self._last_step = run.cur_step_num
        self.write(run, f"{name}.{self._config.format}", run.cur_epoch_num, run.cur_step_num)
        if not self._config.async_save:
            self._settle()

    def write(self, run, name, epoch, step):
        """Write a checkpoint now."""
        self._latest = os.path.join(_made(self._directory), name)  # it may have been deleted
        self._manager._note_written(self._latest)
        counts = {"epoch_num": epoch, "step_num": step}
        first = self._config.append_dict or {}
        counters = {k: first[k] + n for k, n in counts.items() if k in first}
        self._append_dict.update(counters)
        self._config.save(run.train_network, self._latest, self._append_dict)

    def write_broken(self, run, epoch, step):
        """Write a checkpoint of a training that ends in an error."""
        self._locate(run)
        self.write(run, f"{self._prefix}-{epoch}_{step}_breakpoint.ckpt", epoch, step)

    def _locate(self, run):
        if self._find_directory:
            self._directory = _made(self._find_directory(run))
        if self._find_prefix:
            self._prefix = self._find_prefix(run)
            fits = isinstance(self._prefix, str) and "/" not in self._prefix
            require(fits, "return-string-without", "ModelCheckpoint", prefix=self._prefix)

    def _settle(self):
        """Wait for the checkpoint being written, and remove surplus older ones. They are removed
        only when the new one is on disk, so that one exists at any time."""
        if self._config.async_save:
            wait()
        if not os.path.isfile(self._latest):
            return  # nothing written yet, or the write failed: keep the older ones
        self._manager.update_ckpoint_filelist(self._directory, self._prefix, spared=self._latest)
        most, minutes = self._config.keep_checkpoint_max, self._config.keep_checkpoint_per_n_minutes
        if most:
            for _ in range(most, self._manager.ckpoint_num + 1):
                self._manager.remove_oldest_ckpoint_file()
        elif minutes:
            self._manager.keep_one_ckpoint_per_minutes(minutes, time.time())


def _made(directory):
    fits = isinstance(directory, str) and directory.strip()
    require(fits, "must-be-type", "ModelCheckpoint", directory=directory, kind="a-path")
    path = os.path.realpath(directory)
    os.makedirs(path, exist_ok=True)
    return path


def _unused(directory, prefix):
    """Return the prefix, with a number appended if files with that prefix exist."""
    used = -1
    for name in os.listdir(directory):
        stem, ending = os.path.splitext(name)
        if ending not in (".ckpt", ".safetensors") or stem.endswith("_breakpoint"):
            continue
        if stem.startswith(prefix) and "-" in stem[len(prefix) :]:
            number = stem[len(prefix) :].partition("-")[0]
            if not number:
                used = max(used, 0)
            elif number[0] == "_" and number[1:].isdigit():
                used = max(used, int(number[1:]))
    return prefix if used < 0 else f"{prefix}_{used + 1}"


__all__ = ["CheckpointConfig", "ModelCheckpoint"]
