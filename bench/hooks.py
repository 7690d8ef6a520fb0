"""Measure the cost that hooks and bprops add to a Cell's call in dynamic mode and its backward
pass.

    python bench/hooks.py [--cells 50] [--rounds 60]

A chain of Cells that each double 16 numbers is run with and without hooks, in turn, and the
difference is divided by the number of Cells that have one. `call`: the Cells are called without a
derivative. `call + walk`: forward and backward. `one of them`: one Cell in the middle has a hook,
and the cost is the cost of the whole step, so it includes the overhead of interrupting the backward
pass there.

Times are this thread's processor time, because the cost of hooks is Python code; each round uses
the best of 12 calls. Shown: the median of the rounds and half the interquartile range.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sporax import nn
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad


class Double(nn.Cell):
    def construct(self, x):
        return x * 2.0


class Own(Double):
    """A Cell whose bprop computes the same as the plain derivative: one operation."""

    def bprop(self, x, out, dout):
        return (dout * 2.0,)


def hooked(register):
    def make():
        cell = Double()
        getattr(cell, register)(lambda *given: None)
        return cell

    return make


KINDS = {
    "nothing": Double,
    "forward pre hook": hooked("register_forward_pre_hook"),
    "forward hook": hooked("register_forward_hook"),
    "backward pre hook": hooked("register_backward_pre_hook"),
    "backward hook": hooked("register_backward_hook"),
    "bprop": Own,
}


def chain(cells):
    def run(x):
        for cell in cells:
            x = cell(x)
        return x

    return run


def best(function, x, calls=12):
    found = []
    for _ in range(calls):
        start = time.thread_time()
        function(x).asnumpy()
        found.append(time.thread_time() - start)
    return min(found)


def forms(count):
    """{(kind, measurement): (function, number of Cells that have it)}."""
    found = {}
    for kind, make in KINDS.items():
        every = chain([make() for _ in range(count)])
        middle = [Double() for _ in range(count)]
        middle[count // 2] = make()
        found[kind, "call"] = every, count
        found[kind, "call + walk"] = grad(every), count
        found[kind, "one of them"] = grad(chain(middle)), 1
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    x, measured = Tensor(np.ones(16, np.float32)), forms(options.cells)
    for function, _ in measured.values():
        for _ in range(20):  # compiled at the second call, and the backward pass cached
            best(function, x)
    rounds = [
        {name: best(function, x) for name, (function, _) in measured.items()}
        for _ in range(options.rounds)
    ]
    columns = list(dict.fromkeys(column for _, column in measured))
    print(f"{'microseconds added by':24}" + "".join(f"{c:>18}" for c in columns))
    for kind in KINDS:
        line = f"{kind:24}"
        for column in columns:
            count = measured[kind, column][1]
            if kind == "nothing":
                cells = [r[kind, column] / options.cells * 1e6 for r in rounds]
            else:
                cells = [(r[kind, column] - r["nothing", column]) / count * 1e6 for r in rounds]
            low, middle, high = statistics.quantiles(cells, n=4)
            line += f"{middle:12.2f} ±{(high - low) / 2:4.2f}"
        print(line + ("   (a Cell in all)" if kind == "nothing" else ""))


if __name__ == "__main__":
    main()
