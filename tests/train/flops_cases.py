"""Networks whose operations MindSpore (`tools.record flops`) and sporax count."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class Convolved(nn.Cell):
    def __init__(self, layers):
        super().__init__()
        self.layers, self.mean = layers, ops.ReduceMean()

    def construct(self, x):
        return self.mean(self.layers(x.reshape(-1, 4, 5, 5)), (2, 3))


class Batched(nn.Cell):
    def __init__(self):
        super().__init__()
        self.product, self.dense = ops.BatchMatMul(), nn.Dense(10, 8)

    def construct(self, x):
        x = x.reshape(-1, 10, 10)
        return self.dense(self.product(x, x).sum(1))


class Recomputed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Dense(100, 20), nn.Dense(20, 8)
        self.middle = nn.SequentialCell(nn.Dense(20, 20), nn.Tanh(), nn.Dense(20, 20), nn.Tanh())
        self.middle.recompute()

    def construct(self, x):
        return self.last(self.middle(self.first(x)))


NETWORKS = {
    "dense": lambda: nn.Dense(100, 8),
    "layers": lambda: nn.SequentialCell(nn.Dense(100, 7), nn.ReLU(), nn.Dense(7, 8)),
    "valid": lambda: Convolved(nn.Conv2d(4, 8, 3, pad_mode="valid")),
    "same": lambda: Convolved(nn.Conv2d(4, 8, 3)),
    "strided": lambda: Convolved(
        nn.SequentialCell(nn.Conv2d(4, 8, 3, stride=2), nn.Conv2d(8, 8, 3, stride=2))
    ),
    "two": lambda: Convolved(nn.SequentialCell(nn.Conv2d(4, 8, 3), nn.Conv2d(8, 8, 1))),
    "batched": Batched,
    "recomputed": Recomputed,
}
ROWS = 32


def batch():
    x = np.linspace(-1, 1, ROWS * 100, dtype=np.float32).reshape(ROWS, 100)
    return ms.Tensor(x), ms.Tensor(np.arange(ROWS, dtype=np.int32) % 5)


def steps(name):
    """Return the networks of a training step and of an evaluation, with their inputs."""
    network = NETWORKS[name]()
    loss = nn.WithLossCell(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    step = nn.TrainOneStepCell(loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    x, labels = batch()
    return {"train": (step, (x, labels)), "eval": (network, (x,))}
