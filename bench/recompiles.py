"""Measure the compilations of a captured function while its arguments change:
`python bench/recompiles.py`.

Each case calls one captured function many times. Shown are the number of captures, the number of
programs that XLA compiled, the seconds until the last new program was ready, and microseconds per
call after that. The compilation cache is not used.
"""

import os
import sys
import time

os.environ["SPORAX_CACHE_DIR"] = "off"

import numpy as np

import sporax as ms
from sporax import Tensor, jit, nn, ops
from sporax._src.runtime.engine.program import compilations

X = Tensor(np.ones((4, 8), np.float32))
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000


def numbers():
    return jit(lambda x, a, n: x * a + n), lambda i: (X, i * 0.5, i)


def mutable_numbers():
    return jit(lambda x, a: x * a), lambda i: (X, ms.mutable(i * 0.5))


def steering():
    def f(x, n):
        return x * n if n > STEPS // 2 else x + n

    return jit(f), lambda i: (X, i)


def tuples():
    return jit(lambda x, pair: x * pair[0] + pair[1]), lambda i: (X, (i * 0.5, X))


def network():
    net = nn.SequentialCell(nn.Dense(8, 8), nn.ReLU(), nn.Dense(8, 4))
    return net, nn.MSELoss(), Tensor(np.zeros((4, 4), np.float32))


def rate_inside():
    net, loss, y = network()
    rate = nn.CosineDecayLR(0.0, 0.1, STEPS)
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9)
    gradient = ms.value_and_grad(lambda x: loss(net(x), y), None, net.trainable_params())

    def step(x):
        value, gradients = gradient(x)
        optimizer(gradients)
        return value

    return jit(step), lambda i: (X,)


def rate_set():
    net, loss, y = network()
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    gradient = ms.value_and_grad(lambda x: loss(net(x), y), None, net.trainable_params())

    def step(x):
        value, gradients = gradient(x)
        optimizer(gradients)
        return value

    def arguments(i):
        ops.assign(optimizer.learning_rate, Tensor(0.1 / (i + 1), ms.float32))
        return (X,)

    return jit(step), arguments


def rate_outside():
    net, loss, y = network()
    optimizer = nn.Momentum(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 10), 0.9)
    gradient = ms.value_and_grad(lambda x: loss(net(x), y), None, net.trainable_params())
    captured = jit(gradient)

    def step(x):
        value, gradients = captured(x)
        optimizer(gradients)
        return value

    step.captured = captured
    return step, lambda i: (X,)


def loss_scale():
    net, loss, y = network()
    gradient = ms.value_and_grad(
        lambda x, scale: loss(net(x), y) * scale, None, net.trainable_params()
    )

    def step(x, scale):
        value, gradients = gradient(x, scale)
        return value / scale, [g / scale for g in gradients]

    return jit(step), lambda i: (X, 2.0 ** (i % 16))


def sentences(lengths):
    class Tagger(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embedding, self.norm, self.out = (
                nn.Embedding(50, 8),
                nn.LayerNorm((8,)),
                nn.Dense(8, 50),
            )

        def construct(self, t):
            x = self.embedding(t)
            weights = ops.softmax(x @ x.transpose(0, 2, 1), -1)
            return self.out(self.norm(x + weights @ x))

    net, loss = Tagger(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 0.01)

    def forward(t):
        return loss(net(t).reshape(-1, 50), t.reshape(-1))

    gradient = ms.value_and_grad(forward, None, net.trainable_params())

    def step(t):
        value, gradients = gradient(t)
        optimizer(gradients)
        return value

    batches = {n: Tensor(np.arange(2 * n, dtype=np.int32).reshape(2, n) % 50) for n in lengths}
    order = np.random.default_rng(0).choice(lengths, STEPS)
    return step, lambda i: (batches[order[i]],)


def eight_lengths():
    step, arguments = sentences(range(8, 65, 8))
    return jit(step), arguments


def many_lengths():
    step, arguments = sentences(range(2, 66))
    return jit(dynamic=1)(step), arguments


def many_lengths_each():
    step, arguments = sentences(range(2, 66))
    return jit(step), arguments


CASES = {
    "a float and an int in the arguments": numbers,
    "mutable numbers": mutable_numbers,
    "an int that a branch asks for": steering,
    "a tuple's contents": tuples,
    "learning rate schedule, optimizer inside": rate_inside,
    "learning rate set between steps": rate_set,
    "learning rate schedule, optimizer outside": rate_outside,
    "loss scale": loss_scale,
    "training, 8 lengths": eight_lengths,
    "training, 64 lengths, dynamic=1": many_lengths,
    "training, 64 lengths, as without": many_lengths_each,
}


def measured(case):
    """(captures, programs, seconds until the last program, microseconds a call since)."""
    run, arguments = CASES[case]()
    before, last = compilations["programs"], 0
    began = time.perf_counter()
    settled, at = began, 0
    for i in range(STEPS):
        run(*arguments(i))
        if compilations["programs"] != last:
            last, at, settled = compilations["programs"], i + 1, time.perf_counter()
    ended = time.perf_counter()
    programs = compilations["programs"] - before
    each = (ended - settled) / max(1, STEPS - at) * 1e6
    return getattr(run, "captured", run).captures, programs, settled - began, each


if __name__ == "__main__":
    print(f"{STEPS} calls a case\n")
    print("| case | captures | programs | seconds to the last | us a call then |")
    print("|---|---|---|---|---|")
    for name in CASES:
        captures, programs, seconds, each = measured(name)
        print(f"| {name} | {captures} | {programs} | {seconds:.1f} | {each:.0f} |", flush=True)
