"""Builds and runs the networks of tests/programs/networks, with MindSpore and with sporax.

Each is a script with `build()`, which returns a Cell, `batch(step)`, which returns NumPy arrays,
and `training(net)`, which returns a function or Cell that takes one step and returns its loss or
losses; `forward(net, *batch)` computes the network's output if that is not `net` of the first
array. All numbers are derived from names and step counts, so that both frameworks start with the
same values.
"""

import importlib.util
import re
import sys
import zlib
from pathlib import Path

import mindspore as ms
import numpy as np

FOLDER = Path(__file__).parent / "networks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
STEPS = 4
KEPT = 8  # so many numbers of each output are compared
OBJECT = re.compile(r"<[\w.]*?(\w+) object at 0x\w+>")


def load(name):
    """Import the script as a new module at each call."""
    spec = importlib.util.spec_from_file_location(f"networks_{name}", FOLDER / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def weight(name, shape):
    """Return the initial values of a Parameter with this name and shape."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    drawn = rng.standard_normal(shape)
    if len(shape) > 1:
        return drawn / np.sqrt(np.prod(shape[1:]))
    if name.endswith(("gamma", "variance")):
        return np.abs(1 + 0.1 * drawn)
    return 0.1 * drawn


def fill(net):
    """Set every Float32 Parameter of `net` to the values derived from its name; return `net`."""
    for name, parameter in net.parameters_and_names():
        if parameter.dtype == ms.float32:
            numbers = weight(name, parameter.shape).astype(np.float32)
            parameter.set_data(ms.Tensor(numbers))
    return net


def numbers(result):
    """Convert a result to a list of [shape, mean, first elements], one per Tensor."""
    if isinstance(result, (tuple, list)):
        return [row for item in result for row in numbers(item)]
    array = np.asarray(result.asnumpy(), dtype=np.float64)
    return [[list(array.shape), array.mean().item(), *array.ravel()[:KEPT].tolist()]]


class Run:
    """One network, with weights, its training step and its batches."""

    def __init__(self, name):
        self.module = load(name)
        self.net = fill(self.module.build())
        self.batches = [tuple(map(ms.Tensor, self.module.batch(i))) for i in range(STEPS)]

    def predict(self):
        """Return the network's output for the first batch, in evaluation mode."""
        self.net.set_train(False)
        forward = getattr(self.module, "forward", lambda net, *batch: net(batch[0]))
        return numbers(forward(self.net, *self.batches[0]))

    def train(self, wrap=lambda step: step):
        """Return the losses of a few steps of `wrap(training step)`."""
        step = wrap(self.module.training(self.net))
        return [numbers(step(*batch)) for batch in self.batches]


def everything(name):
    """Return the record of a network in tests/recorded/networks.json."""
    run = Run(name)
    return {
        "printed": OBJECT.sub(r"<\1>", str(run.net)).splitlines(),
        "parameters": [[n, list(p.shape)] for n, p in run.net.parameters_and_names()],
        "answer": run.predict(),
        "losses": run.train(),
        "trained": run.predict(),
    }
