"""`Checkpointer`: save and restore the full state of a training run in one file."""

import json
import logging
import os
import random as python_random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sporax._src.amp.loss_scale_manager import LossScaleManager
from sporax._src.amp.loss_scaler import LossScaler
from sporax._src.core import cell_tree, random
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import updating
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import untrusted_file
from sporax.io.untrusted_file import MALFORMED, cause
from sporax.nn.cell import Cell
from sporax.train.callback import Callback, RunContext
from sporax.train.checkpoint_files import FORMATS
from sporax.train.checkpointer_state import decode, encode

_log = logging.getLogger("sporax")
_SHOWN = 5  # number of mismatches listed in an error


class Position(NamedTuple):
    """Progress of a training run."""

    epoch: int  # index of the epoch, from 0
    step: int  # steps done in this epoch
    total: int  # steps done in total
    more: dict[str, Any]  # the keyword arguments of `save`


class Checkpointer(Callback, accept=None):  # dicts with NumPy scalars are not copied
    """Saves the full training state and resumes from it in another process, also in the middle of
    an epoch, with the same results as an uninterrupted run.

    `directory`: the folder of the files, created if its parent exists. `network`, `optimizer` and
    `objects`: Cells (their Parameters and buffers), Generators, loss scalers and managers, dicts,
    `numpy.random.Generator`s, or objects with `state_dict()` and `load_state_dict(state)`. The
    states of sporax's default generator, of NumPy's global one and of Python's are saved too.
    `dataset`: its order is determined by epoch and row; skipped rows are not read if samplers,
    `batch` and `map` select them. `keep`: the number of files to keep. `every`: the number of steps
    between saves, None for once per epoch. `background`: write in a thread while the program
    continues. `format`: 'ckpt' for one file per checkpoint, 'orbax' for one orbax folder each (`pip
    install sporax[orbax]`), which writes parts of large arrays in parallel, and sharded arrays from
    each device.

    In a loop, `for epoch in c.epochs(n):` with `for row in c.batches():` inside restores, saves and
    resumes automatically; `restore()` and `save()` do so explicitly. As a callback of `Model.train`
    or `Model.fit`, with only the directory, it uses the Model's network, optimizer, loss scale,
    data and the `state_dict()` of the other callbacks.

    A file is written atomically, with a checksum; a damaged one is replaced by the previous one,
    with a warning. Raises FileNotFoundError without the parent folder, RuntimeError for a
    checkpoint of another network, OSError if the disk is full. The same results need the same
    programs: call `set_deterministic(True)`, since an interpreter runs a program at first. If the
    data has several workers, user functions must not draw from global generators, since workers use
    them in random order.

    >>> import tempfile; folder = tempfile.mkdtemp()
    >>> net, counts = nn.Dense(1, 1), {"rows": 0}
    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset([1.0, 2.0, 3.0], ["x"])
    >>> def train(epochs):
    ...     checkpointer = Checkpointer(folder, net, dataset=data, counts=counts)
    ...     for epoch in checkpointer.epochs(epochs):
    ...         for row in checkpointer.batches():
    ...             counts["rows"] += 1
    >>> train(2); train(3); counts["rows"]
    9
    """

    def __init__(
        self, directory: str | os.PathLike[str], network: Cell | None = None, optimizer: Any = None,
        dataset: Any = None, keep: int = 3, every: int | None = None, background: bool = False,
        format: str = "ckpt", **objects: Any,
    ) -> None:  # fmt: skip
        who = "Checkpointer"
        kinds.PATH(who, directory=directory)
        kinds.POSITIVE_INT(who, keep=keep)
        kinds.optional(kinds.POSITIVE_INT)(who, every=every)
        kinds.BOOL(who, background=background)
        kinds.one_of(*FORMATS)(who, format=format)
        self.directory = _folder(directory)
        self.keep, self.every, self.background = keep, every, background
        named = {"network": network, "optimizer": optimizer}
        self._objects = {k: x for k, x in {**named, **objects}.items() if x is not None}
        for name, x in self._objects.items():
            _kind(name, x)
        self._run: Any = None
        self._callbacks = {}
        self._epoch = self._step = self._total = 0
        self._position = self._pending = None
        self._is_restored = False
        self._files = FORMATS[format](self.directory, keep, background)
        self._set_dataset(dataset)

    def _set_dataset(self, dataset):
        self._dataset = dataset
        self._source = dataset._resumable() if hasattr(dataset, "_resumable") else None

    # saving ---------------------------------------------------------------------------------

    def save(self, step: int | None = None, **more: Any) -> None:
        """Write a checkpoint; `more`: numbers, strings, arrays, Tensors, lists and dicts to be
        returned by `restore`. `step`: the steps done, in a loop without `epochs` and `batches`."""
        if step is not None:
            kinds.COUNT("Checkpointer.save", step=step)
            self._step = self._total = step
        self.wait()
        files = self._files
        later = [n for n in files.numbers() if n > self._total and n not in files.damaged]
        if later:
            raise rejection("step-latest-checkpoint-step", "Checkpointer.save", total=self._total,
                            directory=self.directory, max=max(later))  # fmt: skip
        arrays = {}
        state = json.dumps(encode(self._state(more), arrays))
        self._files.save(self._total, state, arrays)

    def wait(self) -> None:
        """Block until a background checkpoint is on disk; re-raises its errors."""
        self._files.wait()

    def _state(self, more):
        run = self._run
        return {
            "position": (self._epoch, self._step, self._total),
            "data": None if self._source is None else self._source.seed,
            "random": random_states(),
            "objects": {k: _kind(k, x).state(x) for k, x in self._objects.items()},
            "callbacks": {k: x.state_dict() for k, x in self._callbacks.items()},
            "outputs": None if run is None else run.net_outputs,
            "more": more,
        }

    # restoring ------------------------------------------------------------------------------

    def restore(self, step: int | None = None) -> Position | None:
        """Restore everything from the newest checkpoint, or from the newest of at most `step` steps
        in total; returns its `Position` (epoch, step, total, more), or None without a
        checkpoint."""
        kinds.optional(kinds.COUNT)("Checkpointer.restore", step=step)
        self.wait()
        self._files.clear_partial()
        state = self._newest(step)
        self._is_restored = True
        if state is None:
            return None
        path, state = state
        self._check_fits(path, state["objects"])
        for name, x in self._objects.items():
            try:
                _kind(name, x).load(x, state["objects"][name])
            except MALFORMED as error:
                raise rejection("hold-state", "Checkpointer.restore", argument=path, name=name,
                                cause=cause(error)) from error  # fmt: skip
        if self._source is not None and state["data"] is not None:
            self._source.seed = state["data"]
        self._epoch, self._step, self._total = state["position"]
        self._position = Position(self._epoch, self._step, self._total, state["more"])
        self._pending = state
        set_random_states(state["random"])
        return self._position

    def _newest(self, most=None):
        """Return (path, state) of the newest intact file, of at most `most` steps; None without
        files."""
        files = self._files
        numbers = sorted((n for n in files.numbers() if most is None or n <= most), reverse=True)
        for number in numbers:
            try:
                path, contents = files.path(number), files.read(number, self._present)
                return path, _checked_state(path, *contents)
            except ValueError as error:
                _log.warning("%s The checkpoint before is taken.", error)
                files.damaged.add(number)
        if numbers:
            raise rejection("one-checkpoint-whole-all", "Checkpointer.restore",
                            directory=self.directory, count=len(numbers))  # fmt: skip
        return None

    def _present(self):
        """Return the arrays that a checkpoint of the current state would contain, by name."""
        arrays = {}
        encode(self._state({}), arrays)
        return arrays

    def _check_fits(self, path, saved):
        here = {name: _kind(name, x).state(x) for name, x in self._objects.items()}
        misfits = [
            f"'{key}' is {_shown(_at(saved, key))} there and {_shown(_at(here, key))} here"
            for key in sorted({*_keys(saved, self._objects), *_keys(here, self._objects)})
            if _shown(_at(saved, key)) != _shown(_at(here, key))
        ]
        if misfits:
            more = f"; and {len(misfits) - _SHOWN} more" if len(misfits) > _SHOWN else ""
            raise rejection("hold-state-these-objects", "Checkpointer.restore", argument=path,
                            names="; ".join(misfits[:_SHOWN]), more=more)  # fmt: skip

    def _load_pending(self):
        """Restore the states that code before the first step after a restart may have changed."""
        state, self._pending = self._pending, None
        if state is None:
            return
        for name, callback in self._callbacks.items():
            if name in state["callbacks"]:
                callback.load_state_dict(state["callbacks"][name])
        if self._run is not None:
            self._run.net_outputs = state["outputs"]
        set_random_states(state["random"])

    # loops ----------------------------------------------------------------------------------

    def epochs(self, n: int) -> Iterator[int]:
        """Yield the epoch indices up to `n`, from the newest checkpoint's on; saves after each
        epoch without `every`, and after the last one."""
        kinds.COUNT("Checkpointer.epochs", n=n)
        if not self._is_restored:
            self.restore()
        if self._step == 0:
            self._load_pending()
        try:
            while self._epoch < n:
                yield self._epoch
                self._epoch, self._step = self._epoch + 1, 0
                if self.every is None or self._epoch == n:
                    self.save()
        finally:
            self.wait()

    def batches(self) -> Iterator[Any]:
        """Yield the rows of the epoch, from the newest checkpoint's position on; saves every
        `every` steps, before the next row is read."""
        require(self._dataset is not None, "dataset-argument-value", "Checkpointer.batches")
        rows = self._rows()
        if self._step:
            self._load_pending()
        for row in rows:
            yield row
            self._step, self._total = self._step + 1, self._total + 1
            if self.every is not None and self._total % self.every == 0:
                self.save()

    def _rows(self):
        if self._source is not None:
            return self._source.rows(self._epoch, self._step)
        rows = iter(self._dataset)
        for _ in zip(range(self._step), rows, strict=False):
            pass
        return rows

    # a Model's run --------------------------------------------------------------------------

    def on_train_begin(self, run_context: RunContext) -> None:
        """Use the objects that the Model trains."""
        self._run = run = run_context.original_args()
        own = {"network": run.train_network, "loss_scale_manager": run.loss_scale_mananger}
        others = {k: x for k, x in self._objects.items() if k not in ("network", "optimizer")}
        self._objects = {**{k: x for k, x in own.items() if x is not None}, **others}
        self._set_dataset(run.train_dataset)
        self._callbacks, counts = {}, {}
        for callback in run.list_callback:
            if callback is not self:
                name = type(callback).__name__
                counts[name] = counts.get(name, 0) + 1
                self._callbacks[f"{name} {counts[name]}"] = callback
        self._epoch = self._step = self._total = 0
        self._is_restored = False

    def epochs_of_model(self, epochs: range) -> Iterator[tuple[int, Iterator[Any]]]:
        """Yield (index, rows) of each epoch in a range, from the newest checkpoint on."""
        if self.restore() is None:
            self._epoch = epochs.start
        self._run.cur_step_num = self._total
        for epoch in self.epochs(epochs.stop):
            yield epoch, self.batches()


def _folder(directory):
    path = os.path.realpath(directory)
    has_folder = os.path.isdir(os.path.dirname(path))
    require(has_folder, "folder-does-not-exist", "Checkpointer", path=path)
    is_file = os.path.exists(path) and not os.path.isdir(path)
    require(not is_file, "folder-is-file", "Checkpointer", directory=directory, path=path)
    os.makedirs(path, exist_ok=True)
    return path


# kinds of objects ----------------------------------------------------------------------------


class _Kind(NamedTuple):
    """Functions that save and restore a kind of objects."""

    includes: Any  # object -> True if it is of the kind
    state: Any  # object -> state
    load: Any  # (object, state) -> None


def _tensors(cell):
    """Return {path: Parameter or buffer} of a Cell, plus the learning rate lists of optimizers."""
    state = dict(cell_tree.parameters(cell))
    seen = {id(x) for x in state.values()}
    for path, subcell in cell_tree.tree(cell):
        rates = [(f"lrs.{i}", x) for i, x in enumerate(getattr(subcell, "lrs", ()))]
        for name, x in [*subcell._buffers.items(), *rates]:
            if isinstance(x, Tensor) and id(x) not in seen:
                seen.add(id(x))
                state[f"{path}.{name}" if path else name] = x
    return state


@uninterrupted
def _set_tensor(tensor, value):
    if isinstance(tensor, Parameter):
        tensor.set_data(value)
    else:
        with updating:
            tensor._rebind(value._lift())


def _load_cell(cell, state):
    for name, tensor in _tensors(cell).items():
        _set_tensor(tensor, state[name])


def _attributes(x):
    plain = (bool, int, float, Parameter)
    return {name: value for name, value in vars(x).items() if isinstance(value, plain)}


def _load_attributes(x, state):
    known = _attributes(x)
    for name, value in state.items():
        require(name in known, "no-file-damaged", name=name)
        if isinstance(value, Tensor):
            _set_tensor(getattr(x, name), value)
        else:
            setattr(x, name, value)


def _load_dict(x, state):
    x.clear()
    x.update(state)


_KINDS = [
    _Kind(cell_tree.is_cell, _tensors, _load_cell),
    _Kind(
        lambda x: isinstance(x, random.Generator),
        random.Generator.get_state, random.Generator.set_state,
    ),
    _Kind(
        lambda x: isinstance(x, np.random.Generator),
        lambda x: x.bit_generator.state, lambda x, state: setattr(x.bit_generator, "state", state),
    ),
    _Kind(
        lambda x: hasattr(x, "state_dict") and hasattr(x, "load_state_dict"),
        lambda x: x.state_dict(), lambda x, state: x.load_state_dict(state),
    ),
    _Kind(lambda x: isinstance(x, dict), dict, _load_dict),
    _Kind(lambda x: isinstance(x, (LossScaler, LossScaleManager)), _attributes, _load_attributes),
]  # fmt: skip


def _kind(name, x):
    for kind in _KINDS:
        if kind.includes(x):
            return kind
    raise rejection("cell-generator-loss-scaler", "Checkpointer", argument=name, got=x)


def _keys(states, objects):
    """Yield the names of the objects, and of the tensors of Cells among them."""
    for name, state in states.items():
        yield name
        if cell_tree.is_cell(objects.get(name)):
            yield from (f"{name}/{key}" for key in state)


def _at(states, key):
    name, _, inner = key.partition("/")
    state = states.get(name)
    return state.get(inner) if inner and state is not None else state


def _shown(x):
    if isinstance(x, Tensor):
        return f"{x.dtype} {x.shape}"
    return "absent" if x is None else "present"


# what a file says ----------------------------------------------------------------------------

_KEYS = "position", "data", "random", "objects", "callbacks", "outputs", "more"


def _checked_state(path, text, arrays):
    """Decode the state in a file's text and arrays; ValueError if `save` did not write it."""
    try:
        state = decode(untrusted_file.json_of(text), arrays)
        missing = [key for key in _KEYS if key not in state]
        counts = state["position"]
        if missing or [type(n) for n in counts] != [int] * 3 or min(counts) < 0:
            raise rejection("position-three-ints", names=", ".join(_KEYS))
        fits = all(isinstance(state[key], dict) for key in ("objects", "callbacks", "random"))
        require(fits, "objects-callbacks-name")
        _check_random_states(state["random"])
    except MALFORMED as error:
        raise rejection("hold-state-training", "Checkpointer.restore", argument=path,
                        cause=cause(error)) from error  # fmt: skip
    return state


def _check_random_states(states):
    """Raise on invalid states: NumPy's own check accepts out-of-range positions."""
    kind, keys, position, *_ = states["numpy"]
    fits = kind == "MT19937" and np.shape(keys) == (624,) and (0 <= position <= 624)
    require(fits, "state-numpy-random-none")
    np.random.RandomState().set_state(states["numpy"])
    python_random.Random().setstate(states["python"])
    require(type(states["seed"]) in (int, type(None)), "seed-int", states=states["seed"])
    default = random.default_generator.get_state()
    fits = _shown(states["default"]) == _shown(default)
    require(fits, "state-default-generator", shown=_shown(default))


# random states -------------------------------------------------------------------------------


def random_states():
    return {
        "seed": random.get_seed(),
        "default": random.default_generator.get_state(),
        "numpy": np.random.get_state(),
        "python": python_random.getstate(),
    }


def set_random_states(states):
    random._Seed.value = states["seed"]
    random.default_generator.set_state(states["default"])
    np.random.set_state(states["numpy"])
    python_random.setstate(states["python"])


__all__ = ["Checkpointer", "Position"]
