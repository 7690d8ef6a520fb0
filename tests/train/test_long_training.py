"""Five thousand steps of a real network leave memory flat, compile nothing, leave no thread."""

import gc
import resource
import threading

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.runtime.engine.program import compilations
from sporax._src.runtime.engine.recorder import Recorder

STEPS, WARM = 5000, 3


def resident():
    """Bytes of memory that the process occupies."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        )
        self.drop, self.classify = nn.Dropout(p=0.1), nn.Dense(128, 10)

    def construct(self, x):
        return self.classify(self.drop(self.features(x)))


@pytest.mark.skipif(Recorder.immediate, reason="about the deferred executor")
@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True], ids=["dynamic", "jit"])
def test_five_thousand_steps(compiled):
    net, loss_fn = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), nn.exponential_decay_lr(3e-3, 0.98, STEPS, 50, 1))
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    net.set_train()

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    step = ms.jit(step) if compiled else step
    rng = np.random.default_rng(0)
    images = rng.standard_normal((64, 16, 1, 8, 8)).astype(np.float32)
    labels = images[:, :, 0, :2, :5].reshape(64, 16, 10).argmax(2).astype(np.int32)
    losses, seen = [], []
    for i in range(STEPS):
        loss = step(Tensor(images[i % 64]), Tensor(labels[i % 64]))
        if i % 10 == 9:
            losses.append(float(loss))
        if i in (WARM - 1, STEPS // 2, STEPS - 1):
            gc.collect()
            programs, objects = compilations["programs"], len(gc.get_objects())
            seen.append((programs, objects, threading.active_count(), resident()))
    (programs, objects, threads, _), (_, _, _, middle), last = seen
    assert last[0] == programs
    assert abs(last[1] - objects) < 2000  # the losses kept here, and nothing else
    assert last[2] == threads
    assert last[3] - middle < 20e6
    assert np.mean(losses[-50:]) < 0.5 * np.mean(losses[:50])
    assert ops.isfinite(net.classify.weight).all()
