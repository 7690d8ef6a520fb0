"""Trainings in which rank 0 prints, reads, evaluates and saves at random places: no rank deadlocks,
and all end with the Parameters of a training without these actions.

interleavings.py FOLDER FIRST LAST: one training per seed from FIRST (inclusive) to LAST
(exclusive).
"""

import random
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

folder, first, last = sys.argv[1], *map(int, sys.argv[2:])
ms.set_context(op_timeout=60)
init()
me, n = get_rank(), get_group_size()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
STEPS = 8


class Training:
    """A network, its optimizer and data; `step` is one of three ways to train it."""

    def __init__(self, seed):
        ms.set_seed(seed)
        draw = random.Random(seed)  # the same on all ranks
        self.net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
        self.loss = nn.CrossEntropyLoss()
        rule = draw.choice([nn.SGD, nn.Adam, lambda p, r: nn.Momentum(p, r, 0.9)])
        self.optimizer = rule(self.net.trainable_params(), 1e-2)
        rng = np.random.default_rng([seed, me])
        self.x = rng.normal(size=(STEPS, 8, 4)).astype(np.float32)
        self.y = rng.integers(0, 2, (STEPS, 8)).astype(np.int32)
        self.seen = ops.zeros(())
        self.step = draw.choice([self.cell, self.captured, self.functions])()
        self.losses_met = draw.random() < 0.5

    def cell(self):
        with_loss = nn.WithLossCell(self.net, self.loss)
        return nn.TrainOneStepCell(with_loss, self.optimizer).set_train()

    def captured(self):
        return ms.jit(self.cell().__call__)

    def functions(self):
        weights = self.optimizer.parameters
        gradient = ms.value_and_grad(lambda x, y: self.loss(self.net(x), y), None, weights)
        reducer = nn.DistributedGradReducer(weights)

        def step(x, y):
            act(self)
            loss, gradients = gradient(x, y)
            act(self)
            gradients = reducer(gradients)
            act(self)
            self.optimizer(gradients)
            return loss

        return step

    def __call__(self):
        """Train; return the Parameters at the end."""
        for x, y in zip(self.x, self.y, strict=True):
            loss = self.step(ms.Tensor(x), ms.Tensor(y))
            self.seen = self.seen + loss
            act(self)
            if self.losses_met:
                self.seen = self.seen + ops.AllReduce()(loss)
                act(self)
        return [p.asnumpy() for p in self.net.trainable_params()]


def show(training):
    print(f"loss {float(training.seen):.3f}", training.net[2].bias)


def read(training):
    training.net[0].weight.asnumpy()


def compare(training):
    held.append(bool(training.seen > 1))


def evaluate(training):
    rows = chance.randrange(1, 9)  # a new set of shapes, interpreted or compiled
    x = rng.normal(size=(rows, 4)).astype(np.float32)
    held.append(training.net(ms.Tensor(x)).argmax(1).asnumpy())


def save(training):
    ms.save_checkpoint(training.net, f"{folder}/{me}.ckpt")


def load(training):
    save(training)
    ms.load_checkpoint(f"{folder}/{me}.ckpt", nn.SequentialCell(
        nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2)
    ))  # fmt: skip


def hold(training):
    held.append(training.net[0].weight * 2)  # pending, or not


def drop(training):
    held.clear()


def differentiate(training):
    held.append(ms.grad(lambda x: training.net(x).sum())(ops.ones((2, 4))))


def capture(training):
    held.append(ms.jit(lambda x: ops.tanh(training.net(x)))(ops.ones((3, 4))))


ACTIONS = show, read, compare, evaluate, save, load, hold, drop, differentiate, capture
held, chance, rng = [], None, None


def act(training):
    """Perform up to two random actions on rank 0."""
    for _ in range(chance.randrange(3) if chance is not None and me == 0 else 0):
        chance.choice(ACTIONS)(training)


for seed in range(first, last):
    chance = None
    alone = Training(seed)()
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    mixed = Training(seed)()
    for p, q in zip(alone, mixed, strict=True):
        np.testing.assert_allclose(q, p, 1e-5, 1e-6, err_msg=str(seed))
        everywhere = ops.AllGather()(ms.Tensor(q.reshape(1, -1))).asnumpy()
        assert (everywhere == everywhere[0]).all(), seed
    held.clear()
print("passed", last - first, flush=True)
