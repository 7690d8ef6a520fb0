"""Storage of a `Checkpointer`: its own files, or orbax folders."""

import errno
import glob
import importlib
import json
import os
import re
import shutil
import zlib
from typing import TypeGuard

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.devices.distributed import groups, processes
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.io import background_writer, ckpt_file, file_formats

_STATE = "training state"  # the JSON entry of a file; other entries are arrays


class CheckpointFiles:
    """Numbered checkpoints, each with a text and arrays; the newest `keep` are kept.

    `damaged`: numbers of unreadable checkpoints; removed at the next save.
    """

    _name = re.compile(r"checkpoint-(\d+)\.ckpt")

    def __init__(self, directory, keep, background):
        self.directory, self.keep, self.background = directory, keep, background
        self.damaged, self._failure = set(), None

    def numbers(self):
        matches = map(self._name.fullmatch, os.listdir(self.directory))
        return [int(name[1]) for name in matches if name]

    def path(self, number):
        return os.path.join(self.directory, f"checkpoint-{number:012d}.ckpt")

    def save(self, number, text, arrays):
        """Write a checkpoint, in a thread with `background`; `arrays`: Tensors and NumPy arrays."""
        entries = {k: ckpt_file.stored(k, _host(x)) for k, x in arrays.items()}
        entries = {_STATE: ckpt_file.stored(_STATE, text), **entries}
        if self.background:
            background_writer.start(self._write_noting, number, entries)
        else:
            background_writer.wait()
            self._write(number, entries)

    def wait(self):
        """Block until all writes are done; re-raises their errors."""
        if self.background:
            background_writer.wait()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _write_noting(self, number, entries):
        try:
            self._write(number, entries)
        except Exception as error:  # noqa: BLE001 - raised in the thread that waits
            self._failure = error

    def _write(self, number, entries):
        try:
            if os.path.islink(self.path(number)):  # a link to a file outside the folder
                os.unlink(self.path(number))
            ckpt_file.write(self.path(number), entries, True, None)
        except OSError as error:
            raise unwritten(self.path(number), error) from error
        self.damaged.discard(number)
        older = sorted(n for n in self.numbers() if n < number and n not in self.damaged)
        for n in [*older[: len(older) + 1 - self.keep], *self.damaged]:
            os.remove(self.path(n))
        self.damaged.clear()

    def clear_partial(self):
        """Remove partial files of a process that was killed while writing."""
        for path in glob.glob(os.path.join(glob.escape(self.directory), ".checkpoint-*.part")):
            os.remove(path)

    def read(self, number, present):
        """Return (text, arrays) of a checkpoint; ValueError if damaged. `present()`: the arrays to
        be replaced."""
        contents = file_formats.contents(
            "Checkpointer.restore", self.path(number), "ckpt", crc_check=True
        )
        arrays = dict(contents)
        return arrays.pop(_STATE, None), arrays


def _host(x):
    return x.asnumpy() if isinstance(x, Tensor) else x


def unwritten(path, error):
    cause = error.strerror or error
    said = message("checkpoint-not-written", "Checkpointer", path=path, cause=cause)
    return OSError(error.errno or errno.EIO, said)


class OrbaxFolders(CheckpointFiles):
    """Checkpoints by orbax, a folder each: arrays are written in parts, sharded ones by each
    device, in orbax's own threads with `background`. All ranks of a launcher save and read
    together."""

    _name = re.compile(r"checkpoint_(\d+)")

    def __init__(self, directory, keep, background):
        super().__init__(directory, keep, background)
        try:
            self._orbax = orbax = importlib.import_module("orbax.checkpoint")
        except ModuleNotFoundError as cause:
            raise rejection("package-orbax-checkpoint-installed", "Checkpointer") from cause
        try:
            self._manager = orbax.CheckpointManager(
                directory,
                options=orbax.CheckpointManagerOptions(
                    max_to_keep=keep, step_prefix="checkpoint", create=False,
                    enable_async_checkpointing=background,
                ),
                item_names=("arrays", "state"),
            )  # fmt: skip
        except Exception as error:  # noqa: BLE001 - it reads what is there, and raises of any kind
            raise rejection("hold-whole-checkpoints-orbax", "Checkpointer", argument=directory,
                            reason=_reason(error)) from None  # fmt: skip

    def path(self, number):
        return os.path.join(self.directory, f"checkpoint_{number}")

    def save(self, number, text, arrays):
        # orbax never overwrites a step: if killed here, training resumes from the previous one
        gone = set().union(*_of_ranks(sorted(self.damaged | ({number} & set(self.numbers())))))
        if gone and processes.rank() == 0:
            for other in gone:
                path = self.path(other)
                os.unlink(path) if os.path.islink(path) else shutil.rmtree(path)
        if gone:
            _of_ranks(None)  # all ranks wait for rank 0
            self._manager.reload()
            self.damaged.clear()
        arrays = {k: self._own(x) for k, x in arrays.items()}
        notes = {k: [str(x.dtype), list(x.shape), _sum(x)] for k, x in arrays.items()}
        args = self._orbax.args
        # orbax does not store empty arrays
        full = {k: x for k, x in arrays.items() if x.size}
        items = args.Composite(
            arrays=args.StandardSave(full or {"none": np.zeros(1)}),
            state=args.JsonSave({"text": text, "arrays": notes}),
        )
        try:
            self._manager.save(number, args=items, force=True)
            if not self.background:
                self.wait()
        except OSError as error:
            raise unwritten(self.path(number), error) from error

    def wait(self):
        try:
            self._manager.wait_until_finished()
        except OSError as error:
            raise unwritten(self.directory, error) from error

    def _own(self, x):
        """Return an array that later steps do not change; sharded arrays stay on their devices."""
        if not isinstance(x, Tensor):
            return x
        array = x._read().array
        if _is_sharded(array):
            return jnp.copy(array) if self.background else array
        return x.asnumpy()

    def clear_partial(self):
        """Do nothing: orbax removes partial files."""

    def read(self, number, present):
        content, reason = None, ""
        try:
            content = self._read(number, present)
        except Exception as error:  # noqa: BLE001 - orbax and tensorstore raise of any kind
            reason = _reason(error)
        reasons = [*filter(None, _of_ranks(reason))]  # each rank reads the shards of its devices
        if reasons:
            raise rejection("no-whole-checkpoint-orbax", "Checkpointer.restore",
                            argument=self.path(number), reasons=reasons[0])  # fmt: skip
        return content

    def _read(self, number, present):
        args = self._orbax.args
        state = self._manager.restore(number, args=args.Composite(state=args.JsonRestore())).state
        notes, here = state["arrays"], present()
        templates = {
            name: _template(np.dtype(dtype), tuple(shape), here.get(name))
            for name, (dtype, shape, _) in notes.items()
        }
        full = {k: x for k, x in templates.items() if x.size} or {"none": np.zeros(1)}
        items = args.Composite(arrays=args.StandardRestore(full))
        arrays = {**templates, **self._manager.restore(number, args=items).arrays}
        for name, (_, _, total) in notes.items():
            fits = total is None or _sum_of_whole(arrays[name]) in (total, None)
            require(fits, "checksum-does-not-fit-contents", name=name)
        return state["text"], {name: arrays[name] for name in notes}


def _reason(error):
    first = [*str(error).splitlines(), ""][0]
    return f"{type(error).__name__}: {first:.160}"


def _is_sharded(array) -> TypeGuard[jax.Array]:
    return isinstance(array, jax.Array) and len(array.sharding.device_set) > 1


def _sum(array):
    """Return the checksum of a single-device array; None for a sharded one."""
    if _is_sharded(array):
        return None
    return zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8))


def _sum_of_whole(array):
    """Return the checksum of an array; None for one that is sharded among ranks."""
    is_divided = isinstance(array, jax.Array) and not array.is_fully_addressable
    return None if is_divided and not array.is_fully_replicated else _sum(np.asarray(array))


def _of_ranks(value):
    """Gather a JSON value from all ranks of a launcher as a list."""
    if processes.size() == 1:
        return [value]
    data = groups.world().exchange(json.dumps(value).encode(), "Checkpointer")
    return [*map(json.loads, data)]


def _template(dtype, shape, here):
    """Return orbax's restore template: with the current array's sharding, or a NumPy array."""
    present = here._value.read() if isinstance(here, Tensor) and not here.is_meta else None
    if _is_sharded(present) and present.shape == shape:
        return jax.ShapeDtypeStruct(shape, dtype, sharding=present.sharding)
    return np.broadcast_to(np.zeros((), dtype), shape)  # takes no memory for any shape


FORMATS = {"ckpt": CheckpointFiles, "orbax": OrbaxFolders}
