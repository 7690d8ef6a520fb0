"""A rank of a measurement: seconds of all-reduces and of training steps.

    sporax launch -n N bench/scaling/ranks.py (links|steps) SIZE,SIZE,...

`links`: bytes of an all-reduce; `steps`: hidden units of an MLP, whose step has 256 rows a rank.
Each rank is bound to one core, if there are enough. Rank 0 prints a line of JSON: [[size, seconds,
processor seconds]], the minimum of many rounds.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

REPEATS, ROUNDS = 2, 150
ROWS, WIDTH, CLASSES = 256, 512, 16


def keep_to_a_core(rank, size):
    cores = sorted(os.sched_getaffinity(0))
    if size <= len(cores):
        os.sched_setaffinity(0, {cores[rank]})


def main(what, sizes):
    keep_to_a_core(int(os.environ.get("RANK_ID", 0)), int(os.environ.get("MS_WORKER_NUM", 1)))
    from mindspore.communication import get_rank, init

    init()
    found = []
    for size in map(int, sizes.split(",")):
        once = {"links": all_reduce, "steps": training_step}[what](size)
        for _ in range(3):
            once()
        times = [measured(once) for _ in range(ROUNDS)]
        found.append([size, *map(min, zip(*times, strict=True))])
    if get_rank() == 0:
        print(json.dumps(found), flush=True)


def measured(once):
    began, worked = time.perf_counter(), time.process_time()
    for _ in range(REPEATS):
        once()
    seconds = time.perf_counter() - began, time.process_time() - worked
    return [s / REPEATS for s in seconds]


def all_reduce(size):
    from mindspore import Tensor, jit, ops

    x, reduce = Tensor(np.ones(size // 4, np.float32)), ops.AllReduce()
    function = jit(lambda x: reduce(x))
    return lambda: function(x)[:1].asnumpy()


def training_step(hidden):
    import mindspore as ms
    from mindspore import Tensor, jit, nn
    from mindspore.communication import get_group_size

    from bench.shipped.in_mindspore import mlp

    net = mlp((WIDTH, hidden, CLASSES))
    loss, optimizer = nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9)
    ms.set_auto_parallel_context(
        parallel_mode="data_parallel", gradients_mean=True, device_num=get_group_size()
    )
    reduce = nn.DistributedGradReducer(optimizer.parameters)
    gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    x, y = Tensor(np.ones((ROWS, WIDTH), np.float32)), Tensor(np.zeros(ROWS, np.int32))

    @jit
    def step(x, y):
        value, gradients = gradient(x, y)
        optimizer(reduce(gradients))
        return value

    return lambda: step(x, y).asnumpy()


if __name__ == "__main__":
    main(*sys.argv[1:])
