"""A training in which ranks read, print, evaluate and save as they like: nobody waits for ever."""

import random
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_rank, init

init()
me, folder = get_rank(), sys.argv[1]
chance = random.Random(me)  # another one on each rank
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
ms.set_seed(1)
net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
step = nn.TrainOneStepCell(
    nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), 1e-2)
)
fast = ms.jit(step.__call__)
rng = np.random.default_rng(me)
seen, held = ops.zeros(()), []


def read():
    float(seen)


def evaluate():
    size = chance.randrange(1, 9)  # a new set of shapes, interpreted or compiled
    net(ms.Tensor(rng.normal(size=(size, 4)).astype(np.float32))).argmax(1).asnumpy()


def save():
    ms.save_checkpoint(net, f"{folder}/{me}.ckpt")


def hold():
    held.append(net[0].weight * 2)  # pending, or not


def drop():
    held.clear()


def differentiate():
    ms.grad(lambda x: net(x).sum())(ops.ones((2, 4)))


for number in range(100):
    rows = chance.choice([4, 8]) if number < 4 else 8
    x = ms.Tensor(rng.normal(size=(rows, 4)).astype(np.float32))
    y = ms.Tensor(rng.integers(0, 2, rows).astype(np.int32))
    loss = (fast if number % 3 == 0 and number > 4 else step)(x, y)
    seen = seen + loss
    for _ in range(chance.randrange(3)):
        chance.choice([read, evaluate, save, hold, drop, differentiate])()
total = ops.AllGather()(net[0].weight.reshape(1, -1)).asnumpy()
assert (total == total[0]).all()
print("passed", flush=True)
