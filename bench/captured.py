"""Measure the cost of calling a captured function, and the gain of capturing a training step.

    python bench/captured.py [--rounds 40]

`call`: the forward pass of a chain of narrow Dense layers under `jit`, compared with a call of the
same program through `jax.jit` with the same arrays; the difference is sporax's overhead. `step`:
the same training step in dynamic mode and under `jit`. Each round runs all of them in turn and uses
the best call. Shown: the median of the rounds and half the interquartile range.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import sporax

sporax.install_as_mindspore()

from bench.peers import mindspore_peer as peer  # noqa: E402
from bench.peers import networks_mindspore as networks  # noqa: E402
from bench.shapes import ENCODER, tokens  # noqa: E402
from sporax import Tensor, nn  # noqa: E402

PARAMETERS = (2, 20, 100, 300)


def best(run, seconds=0.03):
    """The shortest call within the time budget, in microseconds."""
    found, end = [], time.perf_counter() + seconds
    while not found or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found) * 1e6


def call(count):
    """A call of a captured function with the given number of Parameters, and a call of only its
    program."""
    net = nn.SequentialCell(*[nn.Dense(4, 4) for _ in range(count // 2)])
    captured, x = sporax.jit(net), Tensor(np.ones((2, 4), np.float32))
    captured(x).asnumpy()
    ((entry,),) = captured.entries.values()
    program = jax.jit(entry.graph.op.fn)
    arrays = [handle._value.read() for handle in entry.graph.sources.handles_for([x])]
    return lambda: captured(x)._value.read().block_until_ready(), lambda: jax.block_until_ready(
        program(*arrays)
    )


def narrow(style):
    shape = SimpleNamespace(input=(8, 16), classes=4)
    layers = [layer for _ in range(10) for layer in (nn.Dense(16, 16), nn.Tanh())]
    return peer.classifier(shape, lambda: nn.SequentialCell(*layers))(style)


def encoder(style):
    net = networks.Encoder()
    step = peer.trainer(net, peer.adam(net), nn.CrossEntropyLoss(), style)
    x = Tensor(tokens(32))
    y = Tensor((np.arange(ENCODER.batch) % ENCODER.classes).astype(np.int32))
    return lambda: step(x, y).asnumpy()


STEPS = {
    "10 Dense layers, 16 wide": narrow,
    "MLP": peer.CASES["MLP step"],
    "LeNet-5": peer.CASES["LeNet-5 step"],
    "encoder, length 32": encoder,
}


def shown(numbers, digits):
    low, middle, high = statistics.quantiles(numbers, n=4)
    return f"{middle:10.{digits}f} ±{(high - low) / 2:.{digits}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    pairs = {f"call, {n} parameters": call(n) for n in PARAMETERS}
    pairs |= {f"step, {name}": (make(peer.JIT), make(peer.DYNAMIC)) for name, make in STEPS.items()}
    for pair in pairs.values():
        for run in pair:
            best(run, 0.3)
    rounds = [
        {name: [best(run) for run in pair] for name, pair in pairs.items()}
        for _ in range(options.rounds)
    ]
    print(f"{'microseconds':28}{'captured':>14}{'program alone':>18}{'difference':>18}")
    for name in pairs:
        captured, other = zip(*[r[name] for r in rounds], strict=True)
        if name.startswith("step"):
            continue
        added = [a - b for a, b in zip(captured, other, strict=True)]
        print(f"{name:28}{shown(captured, 0)}{shown(other, 0):>18}{shown(added, 1):>18}")
    print(f"{'microseconds':28}{'captured':>14}{'dynamic':>18}{'ratio':>18}")
    for name in pairs:
        captured, other = zip(*[r[name] for r in rounds], strict=True)
        if name.startswith("step"):
            ratio = [b / a for a, b in zip(captured, other, strict=True)]
            print(f"{name:28}{shown(captured, 0)}{shown(other, 0):>18}{shown(ratio, 2):>18}")


if __name__ == "__main__":
    main()
