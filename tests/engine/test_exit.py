"""A thread that trains while Python ends: the process ends quietly."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys, threading, time
import numpy as np
import sporax as ms
from sporax import Tensor, nn, ops

way, size, steps = sys.argv[1], *map(int, sys.argv[2:])
net = nn.SequentialCell(nn.Dense(size, size), nn.Dropout(p=0.5), nn.Dense(size, 3))
net.set_train()
optimizer, loss_fn = nn.Adam(net.trainable_params(), 0.01), nn.CrossEntropyLoss()
gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

def step(x, y):
    loss, gradients = gradient(x, y)
    optimizer(gradients)
    return loss

step = ms.jit(step) if way == "jit" else step
done = []

def train():
    while True:
        x = Tensor(np.ones((64, size), np.float32))
        loss = step(x, Tensor(np.zeros(64, np.int32)))
        if len(done) % 2:
            float(loss), net.trainable_params()[0].asnumpy()
        done.append(1)

threading.Thread(target=train, daemon=True).start()
while len(done) < steps:
    time.sleep(0.001)
print("end")
"""
ROWS = [
    *[("jit", "off", 200, 3), ("dynamic", "on", 16, 20)],
    *[
        pytest.param(way, tiers, size, steps, marks=pytest.mark.slow)
        for way in ("dynamic", "jit")
        for tiers in ("on", "off")
        for size in (16, 500)
        for steps in (0, 1, 5, 40)
    ],
]


@pytest.mark.parametrize("way, tiers, size, steps", ROWS)
def test_a_daemon_thread_trains_at_the_end(way, tiers, size, steps):
    environment = {**os.environ, "SPORAX_TIERS": tiers}
    command = sys.executable, "-c", SCRIPT, way, str(size), str(steps)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
