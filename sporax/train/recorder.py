"""`Recorder`: a record of the steps of a training run, of which each can be computed again."""

import ast
import hashlib
import json
import math
import os
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.core.units import bytes_of_text
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.versions import JAXLIB
from sporax.io import atomic_write, untrusted_file
from sporax.io.untrusted_file import MALFORMED, cause
from sporax.train.callback import Callback, RunContext
from sporax.train.checkpoint_files import CheckpointFiles
from sporax.train.checkpointer import Checkpointer, random_states, set_random_states
from sporax.train.checkpointer_state import decode, encode

RUN, LOG, _SNAPSHOTS, _BATCHES = "run.json", "steps.jsonl", "snapshots", "batches"
_FORMAT = "sporax recording 1"
_ALL = 2**62  # checkpoints that are kept: the oldest are removed by their bytes


class Replay:
    """The request of `sporax replay`, for the recording in `directory`: step number `step` is
    computed again, after a call of `breakpoint()` with `breaks`. `code`: the exit code."""

    requested: "Replay | None" = None
    code: int | None = None

    def __init__(self, directory, step, breaks=False):
        self.directory, self.step, self.breaks = Path(directory), step, breaks


class LoggedStep(NamedTuple):
    """A line of the log: the number of a step, its loss, and the hash of all steps up to it."""

    step: int
    loss: float
    chain: str


class Recorder(Callback, accept=None):  # dicts with NumPy scalars are not copied
    """Records the batch, the random states and the loss of each step of a training run, and at each
    `every`-th step a snapshot of the full state, so that `sporax replay DIRECTORY --step 1817`
    computes that step again, bit for bit.

    `directory`: a new folder, created if its parent exists. `network`, `optimizer` and `objects`:
    as for `Checkpointer`. `max_bytes`: of snapshots and batches, as text such as '1GB' or a number;
    the oldest snapshot, with the batches up to the next one, is removed beyond that.

    In a loop, `loss = recorder.step(function, x, y)` records and returns `function(x, y)`, where
    `function` does all that a step changes; as a callback of `Model.train`, with only the
    directory, all steps are recorded. The first result is the loss. The log, `steps.jsonl`, is kept
    whole: its last line has a hash of all batches and losses (`chain`), by which two runs can be
    compared. The same bits need the same programs: call `set_deterministic(True)`, since an
    interpreter runs a program at first.

    Raises FileExistsError if the folder holds a recording, FileNotFoundError without its parent.

    >>> import tempfile; folder = tempfile.mkdtemp() + "/run"
    >>> net = nn.Dense(1, 1)
    >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
    >>> gradient = value_and_grad(lambda x: (net(x) ** 2).mean(), None, optimizer.parameters)
    >>> def step(x):
    ...     loss, gradients = gradient(x)
    ...     optimizer(gradients)
    ...     return loss
    >>> with Recorder(folder, net, optimizer) as recorder:
    ...     for k in range(3):
    ...         loss = recorder.step(step, Tensor([[float(k)]]))
    >>> [line.step for line in logged(folder)]
    [1, 2, 3]
    """

    def __init__(
        self, directory: str | os.PathLike[str], network: Any = None, optimizer: Any = None,
        every: int = 100, max_bytes: int | str = "1GB", **objects: Any,
    ) -> None:  # fmt: skip
        who = "Recorder"
        kinds.PATH(who, directory=directory)
        kinds.POSITIVE_INT(who, every=every)
        self.directory, self.every = Path(directory), every
        self.max_bytes: Any = bytes_of_text(who, max_bytes, "max_bytes")
        replay = Replay.requested
        is_own = replay is not None and replay.directory.resolve() == self.directory.resolve()
        self._replay = replay if is_own else None
        if self._replay is None:
            self._begin(who)
        folder = os.fspath(self.directory / _SNAPSHOTS)
        self._snapshots = Checkpointer(folder, network, optimizer, keep=_ALL, **objects)
        self._done, self._pending, self._chain = 0, None, ""

    def _begin(self, who):
        """Create the folder, and note the script."""
        require(self.directory.absolute().parent.is_dir(), "folder-does-not-exist", who,
                path=self.directory.absolute())  # fmt: skip
        if (self.directory / RUN).exists():
            raise rejection("recording-exists", who, directory=self.directory)
        self.directory.mkdir(exist_ok=True)
        text = json.dumps({"format": _FORMAT, **_script(), "jaxlib": JAXLIB, "every": self.every})
        atomic_write.write(self.directory / RUN, text.encode())
        (self.directory / LOG).touch()

    def __exit__(self, *error: Any) -> None:
        self.close()

    @property
    def chain(self) -> str:
        """The hash of all batches and losses so far."""
        self._log()
        return self._chain

    def close(self) -> None:
        """Write what the log lacks of the last step."""
        self._log()

    # recording ------------------------------------------------------------------------------

    def step(self, function: Any, *batch: Any) -> Any:
        """Record a step, and return `function(*batch)`."""
        if self._replay is not None:
            self._compute_again(function)
        self._before(batch)
        outputs = function(*batch)
        self._pending = self._pending, _first(outputs)
        return outputs

    def _before(self, batch):
        self._log()
        if self._done % self.every == 0:
            self._snapshots.save(self._done)
            self._remove_oldest()
            _batches(self.directory, self._done, is_new=True)
        arrays = {}
        text = json.dumps(encode({"batch": batch, "random": random_states()}, arrays))
        files = _batches(self.directory, self._done - self._done % self.every)
        self._done += 1
        files.save(self._done, text, arrays)
        self._pending = _digest(batch)  # with the first result, once the step has returned

    def _log(self):
        """Append the line of the last step; its loss is read only now, when it is computed. A step
        that has raised an error has no line."""
        if not isinstance(self._pending, tuple):
            return
        (digest, loss), self._pending = self._pending, None
        loss, bits = _read(loss)
        self._chain = _linked(self._chain, digest, bits)
        number = loss if math.isfinite(loss) else str(loss)
        line = {"step": self._done, "loss": number, "chain": self._chain}
        with open(self.directory / LOG, "a", encoding="utf8") as file:
            file.write(json.dumps(line) + "\n")

    def _remove_oldest(self):
        """Remove the oldest snapshots, with their batches, while there are too many bytes."""
        snapshots, sizes = self._snapshots._files, {}
        for number in snapshots.numbers():
            batches = Path(_batches(self.directory, number).directory)
            files = [Path(snapshots.path(number)), *batches.glob("*.ckpt")]
            sizes[number] = sum(file.stat().st_size for file in files)
        for number in sorted(sizes)[:-1]:
            if sum(sizes.values()) <= self.max_bytes:
                return
            os.remove(snapshots.path(number))
            shutil.rmtree(_batches(self.directory, number).directory)
            del sizes[number]

    # a Model's run --------------------------------------------------------------------------

    def on_train_begin(self, run_context: RunContext) -> None:
        """Use the objects that the Model trains."""
        self._snapshots.on_train_begin(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Record the batch, or compute the requested step again."""
        run: Any = run_context.original_args()
        if self._replay is not None:
            run.train_network.set_train(True)
            self._compute_again(run.train_network)
        self._before(run.train_dataset_element)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record the loss."""
        self._pending = self._pending, _first(run_context.original_args().net_outputs)

    def on_train_end(self, run_context: RunContext) -> None:
        """Write what the log lacks."""
        self.close()

    # replaying ------------------------------------------------------------------------------

    def _compute_again(self, function):
        """Restore the snapshot before the requested step, compute the steps from there on, print
        what the last one gives, and end the process."""
        assert self._replay is not None
        wanted, lines = self._replay.step, {line.step: line for line in logged(self.directory)}
        position: Any = self._snapshots.restore(wanted - 1)
        every = header(self.directory)["every"]
        outputs = digest = None
        for number in range(position.total + 1, wanted + 1):
            batch = self._restored((number - 1) // every * every, number)
            digest = _digest(batch)
            if number == wanted and self._replay.breaks:
                breakpoint()
            outputs = function(*batch)
        loss, bits = _read(_first(outputs))
        before = lines[wanted - 1].chain if wanted - 1 in lines else ""
        is_equal = wanted in lines and _linked(before, digest, bits) == lines[wanted].chain
        said = "as recorded" if is_equal else "not bit for bit as recorded"
        print(f"step {wanted}: loss {loss!r}, {said}", flush=True)
        self._replay.code = 0 if is_equal else 1
        sys.exit(self._replay.code)

    def _restored(self, snapshot, number):
        """Restore the random states before a step, and return its batch."""
        files = _batches(self.directory, snapshot)
        path = files.path(number)
        text, arrays = files.read(number, None)
        try:
            state = decode(untrusted_file.json_of(text), arrays)
            set_random_states(state["random"])
            return state["batch"]
        except MALFORMED as error:
            raise rejection("recording-damaged", "replay", path=path, cause=cause(error)) from error


def logged(directory):
    """Return the `LoggedStep`s of a recording; a last line that is still being written is left
    out."""
    path = Path(directory) / LOG
    whole, _, _ = _content(path).rpartition(b"\n")
    try:
        lines = map(untrusted_file.json_of, whole.decode().splitlines())
        return [LoggedStep(int(x["step"]), float(x["loss"]), str(x["chain"])) for x in lines]
    except MALFORMED as error:
        raise rejection("recording-damaged", "replay", path=path, cause=cause(error)) from error


def _content(path):
    try:
        return untrusted_file.content(path)
    except OSError as error:
        raise rejection("cannot-read", "replay", argument=path, cause=cause(error)) from None


def require_step(directory, step):
    """Raise ValueError unless a recording has this step, and a snapshot before it."""
    snapshots = CheckpointFiles(os.fspath(Path(directory) / _SNAPSHOTS), _ALL, False)
    before = max((number for number in snapshots.numbers() if number < step), default=None)
    numbers = []
    if before is not None and os.path.isdir((files := _batches(directory, before)).directory):
        numbers = files.numbers()
    fits = before is not None and {*range(before + 1, step + 1)} <= {*numbers}
    require(fits, "recording-lacks-step", "replay", step=step)


def _batches(directory, snapshot, is_new=False):
    """Return the files of the batches after a snapshot, in a folder of their own: with those of all
    steps in one, each save would list more files."""
    folder = Path(directory) / _BATCHES / f"{snapshot:012d}"
    if is_new:
        folder.mkdir(parents=True, exist_ok=True)
    return CheckpointFiles(os.fspath(folder), _ALL, False)


def header(directory):
    """Return what a recording says of its script. Raises FileNotFoundError without a recording,
    ValueError for a file of another kind."""
    path = Path(directory) / RUN
    if not path.is_file():
        raise rejection("recording-missing", "replay", directory=directory)
    try:
        found = untrusted_file.json_of(_content(path).decode())
        require(found["format"] == _FORMAT, "recording-other-format", got=found["format"])
        require(
            type(found["every"]) is int and found["every"] > 0, "recording-other-format", got=""
        )
    except MALFORMED as error:
        raise rejection("recording-damaged", "replay", path=path, cause=cause(error)) from error
    return found


def first_step(directory, condition):
    """Return the number of the first logged step for which a condition on `loss` and `step` holds,
    such as 'loss > 10' or 'isnan(loss)'; None if there is none. Raises ValueError for other text.
    """
    tree: Any = _parsed(condition)
    names = {"isnan": math.isnan, "isinf": math.isinf, "abs": abs, "__builtins__": {}}
    code = compile(tree, "condition", "eval")
    for line in logged(directory):
        try:
            if eval(code, names, {"loss": line.loss, "step": line.step}):
                return line.step
        except (ArithmeticError, TypeError):  # such as 1 / 0
            raise rejection("replay-condition", "replay", got=condition) from None
    return None


_ALLOWED = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.Compare,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Name, ast.Load, ast.Constant, ast.Call,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod,
)  # fmt: skip
_FUNCTIONS = {"isnan", "isinf", "abs"}


def _parsed(condition):
    """Return the syntax tree of a condition, which has comparisons and arithmetic of `loss`, `step`
    and numbers, and calls of a few functions."""
    try:
        tree = ast.parse(condition, mode="eval")
    except (SyntaxError, ValueError):
        tree = None
    nodes = [] if tree is None else list(ast.walk(tree))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    fits = tree is not None and all(
        isinstance(n, _ALLOWED)
        and (not isinstance(n, ast.Constant) or type(n.value) in (int, float))
        and (not isinstance(n, ast.Name)
             or n.id in (_FUNCTIONS if id(n) in called else {"loss", "step"}))
        and (not isinstance(n, ast.Call) or (isinstance(n.func, ast.Name) and not n.keywords))
        for n in nodes
    )  # fmt: skip
    if not fits:
        raise rejection("replay-condition", "replay", got=condition)
    return tree


# hashes and the script -----------------------------------------------------------------------


def _first(outputs):
    return outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs


def _digest(batch):
    """Return a hash of the arrays and plain values of a batch."""
    total, arrays = hashlib.sha256(), {}
    text = json.dumps(encode(batch, arrays))
    total.update(text.encode())
    for array in arrays.values():
        array = np.ascontiguousarray(array.asnumpy() if isinstance(array, Tensor) else array)
        total.update(f"{array.dtype} {array.shape}".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def _read(loss):
    """Return (a step's first result as a number, the mean of an array, NaN for other objects; its
    bits)."""
    if not isinstance(loss, (Tensor, np.ndarray, np.generic, bool, int, float)):
        return math.nan, _digest(loss).encode()
    value = np.asarray(loss.asnumpy() if isinstance(loss, Tensor) else loss)
    return float(value.astype(float).mean()), value.tobytes()


def _linked(chain, digest, bits):
    """Return the hash of a step: of the hash before it, its batch and the bits of its loss."""
    return hashlib.sha256(f"{chain} {digest} ".encode() + bits).hexdigest()[:32]


def _script():
    """Return the script that runs, as `sporax replay` starts it again, and a hash of its text."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    spec = getattr(main, "__spec__", None)
    path = None if file is None else os.path.abspath(file)
    return {
        "script": path, "module": spec.name if spec is not None else None,
        "arguments": sys.argv[1:], "folder": os.getcwd(), "source": source_hash(path),
    }  # fmt: skip


def source_hash(path):
    """Return a hash of a script's text; None if the file does not exist."""
    if path is None or not os.path.isfile(path):
        return None
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


__all__ = ["Recorder"]
