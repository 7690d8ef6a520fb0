"""A small training for tests: `python -m tests.train.resumed_training FOLDER KIND [RESULT]` trains
with a `Checkpointer` in FOLDER and writes a digest of all states at the end to RESULT."""

import functools
import hashlib
import os
import sys
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.capture.graph_capture import graph_call
from sporax._src.runtime.engine import recorder
from sporax.data import NumpySlicesDataset
from sporax.train import Checkpointer, History, LossMonitor, Model
from tests import interpretation

EPOCHS, ROWS, BATCH = 5, 24, 4
X = np.random.default_rng(1).normal(size=(ROWS, 5)).astype(np.float32)
Y = (X[:, 0] > 0).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(5, 8), nn.BatchNorm1d(8), nn.Dense(8, 2)
        self.dropout = nn.Dropout(p=0.5)
        self.register_buffer("steps", Tensor([0]))

    def construct(self, x):
        self.steps.add_(1)
        return self.last(self.dropout(ops.relu(self.norm(self.first(x)))))


OPTIMIZERS = {
    "adam": lambda p: nn.Adam(p, nn.CosineDecayLR(0.001, 0.1, 30), weight_decay=0.01),
    "momentum": lambda p: nn.Momentum(p, [0.1 / (i + 1) for i in range(30)], 0.9),
}


def noisy(x):
    """A transform that draws from NumPy's global generator."""
    return x + np.random.normal(size=x.shape).astype(np.float32)


def dataset():
    return NumpySlicesDataset((X, Y), ["x", "y"], shuffle=True).map(noisy, "x").batch(BATCH)


def digest(*states):
    total = hashlib.sha256()
    for x in states:
        total.update(x.asnumpy().tobytes() if isinstance(x, Tensor) else repr(x).encode())
    return total.hexdigest()


def by_hand(folder, after_step=lambda: None, every=2, background=True, format="ckpt"):
    """Train with a hand-written loop."""
    ms.set_seed(3)
    net = Net()
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    optimizer = OPTIMIZERS["adam"](net.trainable_params())
    step, seen = nn.TrainOneStepCell(loss, optimizer).set_train(), {"losses": []}
    checkpointer = Checkpointer(
        folder,
        net,
        optimizer,
        dataset(),
        every=every,
        background=background,
        format=format,
        seen=seen,
    )
    for _ in checkpointer.epochs(EPOCHS):
        for x, y in checkpointer.batches():
            seen["losses"].append(step(x, y).item())
            after_step()
    return digest(*step.get_parameters(), net.steps, seen["losses"], ms.get_rng_state())


def by_model(folder, after_step=lambda: None, every=2, background=False):
    """`Model.train`, with a loss scale and callbacks."""
    ms.set_seed(3)
    net, history = Net(), History()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    manager = ms.amp.DynamicLossScaleManager(1024, 2, 5)
    model = Model(net, loss, OPTIMIZERS["momentum"](net.trainable_params()),
                  loss_scale_manager=manager)  # fmt: skip
    after = ms.train.LambdaCallback(on_train_step_end=lambda context: after_step())
    checkpointer = Checkpointer(folder, every=every, background=background)
    model.train(EPOCHS, dataset(), [history, checkpointer, LossMonitor(0), after])
    parameters = model.train_network.get_parameters()
    return digest(*parameters, net.steps, history.history, history.epoch, ms.get_rng_state())


KINDS = {"hand": by_hand, "model": by_model}
ALL = {**KINDS, "orbax": functools.partial(by_hand, format="orbax")}

if __name__ == "__main__":
    if "COMPILED" not in os.environ:  # the interpreter begins at once
        recorder.prepare = graph_call.prepare = interpretation.prepare
    result = ALL[sys.argv[2]](sys.argv[1], lambda: print("step", flush=True), every=1)
    Path(sys.argv[3]).write_text(result, "ascii")
