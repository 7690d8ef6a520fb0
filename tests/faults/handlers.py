"""Signal handlers that run in the middle of a training step, with checks of what each sees."""

import contextlib
import functools
import io
import signal
import tempfile
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops
from tests.faults.injection import SIGNAL, Fault


class Handler:
    """A context manager that installs a signal handler for one training step.

    `state`: the state that it read; `problem`: what was wrong, or None; `count`: the number of its
    calls.
    """

    def __init__(self, training):
        self.training, self.state, self.problem, self.count = training, None, None, 0
        self.probe = nn.Dense(3, 2)
        self.weights = self.probe.weight.asnumpy(), self.probe.bias.asnumpy()

    def __enter__(self):
        self._before = signal.signal(SIGNAL, self._come)
        return self

    def __exit__(self, *exception):
        signal.signal(SIGNAL, self._before)

    def _come(self, number, frame):
        self.count += 1
        try:
            self.state = self.training.state()
            self.problem = self.work()
        except BaseException as error:  # noqa: BLE001 - the report has it
            self.problem = f"raises {type(error).__name__}: {error}"
        self.end()

    def work(self):
        """Use the library; return what is wrong."""

    def end(self):
        """Run at the end of the handler."""


class Compute(Handler):
    """Computes with the weights: operations, a gradient, captured functions, a Cell; prints."""

    def work(self):
        for name, handle in self.training.handles.items():
            if name == "random":
                continue
            is_there = np.frombuffer(self.state[name], handle.asnumpy().dtype).reshape(handle.shape)
            wide = is_there.astype(np.float64)
            square = functools.partial(_square, handle)
            slope = 2 * wide * handle.requires_grad
            found = {
                "a sum": ((handle * 2.0).sum(), 2 * wide.sum()),
                "a gradient": (ms.grad(square, None, handle)(), slope),
                "a captured function": (ms.jit(square)(), (wide * wide).sum()),
            }
            for what, (result, expected) in found.items():
                if not np.allclose(result.asnumpy(), expected, 1e-5, 1e-5):
                    return f"{what} of {name} is {result}, not {expected}"
        x = np.arange(12, dtype=np.float32).reshape(4, 3)
        expected = x @ self.weights[0].T + self.weights[1]
        for result in self.probe(Tensor(x)), ms.vmap(self.probe)(Tensor(x)):
            if not np.allclose(result.asnumpy(), expected, 1e-5, 1e-5):
                return f"a layer gives {result.asnumpy()}, not {expected}"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            print(ops.exp(Tensor([0.0])))
        return None if printed.getvalue() == "[1.]\n" else f"prints {printed.getvalue()!r}"


def _square(handle):
    return (handle * handle).sum()


class Save(Handler):
    """Saves a checkpoint of all state."""

    def work(self):
        entries = [{"name": name, "data": h} for name, h in self.training.handles.items()]
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "all.ckpt")
            ms.save_checkpoint(entries, path)
            saved = {name: x.asnumpy().tobytes() for name, x in ms.load_checkpoint(path).items()}
        return None if saved == self.state else "what it saves is not what it has read"


class Raise(Handler):
    """Raises an exception at the end."""

    def end(self):
        raise Fault


ACTS = {"compute": Compute, "save": Save, "raise": Raise}
