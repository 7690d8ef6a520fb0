"""Ranks that diverge on a Mesh of all their devices, in the way given by the argument."""

import sys
import time

import jax
import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops, parallel

ms.set_context(op_timeout=8)
WHAT, RANK, COUNT = sys.argv[1], jax.process_index(), jax.device_count()
LATER = 4  # the step at which something goes wrong
seed = RANK if WHAT == "seeds" else 1
ms.set_seed(seed)
rng = np.random.default_rng(seed)


def network():
    return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))


before = network() if WHAT == "seeds" else None
with parallel.Mesh(data={"larger": 2 * COUNT, "some": COUNT - 1}.get(WHAT, COUNT)) as mesh:
    net = before or network()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    gradient = ms.value_and_grad(lambda x, f: (net(x) ** 2).mean() * f, None, optimizer.parameters)

    @ms.jit
    def step(x, f):
        loss, gradients = gradient(x, f)
        optimizer(gradients)
        return loss

    def batch(k):
        """Return the input of step `k`; at a fault in the input, it differs between the ranks."""
        is_wrong = k == LATER
        data = np.full((24 if is_wrong and WHAT == "size" and RANK else 16, 8), k % 3, np.float32)
        data += RANK if is_wrong and WHAT in ("batch", "tensor") else 0
        if WHAT == "tensor":
            return Tensor(data)
        if WHAT == "part":
            return mesh.batch(data[: 8 + 8 * RANK] if is_wrong else data, jax.process_count())
        return mesh.batch(data)

    def factor(k):
        """Return a Python number that each rank has already seen."""
        return [1.0, 2.0][(k + (RANK if k >= LATER and WHAT == "number" else 0)) % 2]

    def do(k, loss):
        """Perform the action of a single rank, at a fault."""
        if WHAT == "read":  # a program of which rank 1 knows nothing yet
            print(float(ops.sqrt(loss)))
        if WHAT == "read again":
            print(float(ops.sqrt(loss)), np.sqrt(float(loss)))
        if WHAT == "divided":
            print(net(batch(0)).asnumpy())
        if WHAT == "whole":
            print(parallel.whole(net(batch(0))).asnumpy())
        if WHAT == "late":
            time.sleep(60)
        if WHAT == "collective":
            ops.AllReduce()(loss)
        if WHAT == "pipeline":
            nn.PipelineCell(nn.WithLossCell(net, nn.MSELoss()), 2, {"_backbone": 0, "_loss_fn": 1})

    if WHAT == "pipeline":
        ms.set_auto_parallel_context(pipeline_stages=2)
    for k in range(LATER + 4):
        if k == LATER:
            print(f"failing at {time.time()}", flush=True)
        loss = step(batch(k), Tensor(1.0)) * factor(k)
        everywhere = WHAT in ("divided", "collective", "pipeline")
        known = WHAT in ("read again", "whole") and k == 1
        who = 1 if WHAT == "late" else 0
        if known or (k == LATER and (everywhere or who == RANK)):
            do(k, loss)
    print("through", float(loss))
