"""Train for a long time, and check that memory, files, threads and programs stay constant.

    python -m tools.soak [--steps N] [--minutes M] [--ways WAY,...] [--out FOLDER]

The training modes alternate, in rounds of a thousand steps. After each round a line is added to
FOLDER/soak.csv, so an interrupted run keeps its figures; at the end the curves are written to
FOLDER/soak.svg, and the slopes of the second half are printed, with their standard errors.
"""

import argparse
import csv
import gc
import itertools
import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

import jax
import numpy as np

import sporax as ms
from sporax import Tensor, data, nn, ops
from sporax._src.runtime.engine.program import compilations

ROUND = 1000  # steps
BATCH, SIZES = 32, 12  # rows of a batch; number of shapes where shapes change
COLUMNS = {
    "steps": "", "seconds": "", "resident": "memory, bytes", "arrays": "live arrays",
    "bytes": "bytes in live arrays", "files": "open files", "threads": "threads",
    "programs": "programs compiled", "objects": "Python objects",
}  # fmt: skip


class Net(nn.Cell):
    """Two layers, moving statistics and random numbers."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(16, 32), nn.BatchNorm1d(32), nn.Dense(32, 4)
        self.drop = nn.Dropout(p=0.1)

    def construct(self, x):
        return self.last(self.drop(ops.relu(self.norm(self.first(x)))))


class Way:
    """A separate network, trained on rows of the same data."""

    def __init__(self, folder):
        self.folder, self.net, self.loss = folder, Net(), nn.CrossEntropyLoss()
        self.net.set_train()
        self.optimizer = nn.Adam(self.net.trainable_params(), 1e-3)
        rng = np.random.default_rng(0)
        self.x = rng.standard_normal((1024, 16)).astype(np.float32)
        self.y = self.x[:, :4].argmax(1).astype(np.int32)
        self.gradient = ms.value_and_grad(
            lambda x, y, factor: self.loss(self.net(x), y) * factor, None, self.optimizer.parameters
        )
        self.count = 0

    def step(self, x, y, factor=1.0):
        loss, gradients = self.gradient(x, y, factor)
        self.optimizer(gradients)
        return loss

    def batch(self, size=BATCH):
        at = 37 * self.count % (1024 - size)
        self.count += 1
        return Tensor(self.x[at : at + size]), Tensor(self.y[at : at + size])

    def run(self, steps):
        for _ in range(steps):
            self.step(*self.batch())
        self.finish()

    def finish(self):
        loss = float(self.step(*self.batch()))
        if not np.isfinite(loss):
            raise RuntimeError(f"{type(self).__name__}: the loss is {loss}")


class Dynamic(Way):
    """Step by step, in dynamic mode."""


class Jit(Way):
    """The whole step as one program."""

    def __init__(self, folder):
        super().__init__(folder)
        self.step = ms.jit(self.step)


class Shapes(Way):
    """Batches of a different size on each step."""

    def run(self, steps):
        for _ in range(steps):
            self.step(*self.batch(2 + self.count % SIZES))
        self.finish()


class Numbers(Jit):
    """A captured function with a different Python number on each step."""

    def run(self, steps):
        for _ in range(steps):
            self.step(*self.batch(), 1.0 + self.count % 1009 / 1009)
        self.finish()


class Workers(Way):
    """Data loaded by workers: threads, and every tenth time processes."""

    def __init__(self, folder):
        super().__init__(folder)
        self.step, self.epochs = ms.jit(self.step), itertools.count(1)

    def run(self, steps):
        source = data.GeneratorDataset(
            list(zip(self.x, self.y, strict=True)), ["x", "y"], num_parallel_workers=2,
            python_multiprocessing=next(self.epochs) % 10 == 0,
        )  # fmt: skip
        source = source.map(
            lambda x: x * np.float32(0.5), input_columns="x", num_parallel_workers=2
        )
        rows = source.batch(BATCH, drop_remainder=True).repeat(steps * BATCH // 1024 + 1)
        for x, y in itertools.islice(rows.create_tuple_iterator(num_epochs=1), steps):
            self.step(x, y)
        self.finish()


class Checkpoints(Jit):
    """A checkpoint is written and loaded again every 40 steps."""

    def run(self, steps):
        path = os.path.join(self.folder, "net.ckpt")
        for i in range(steps):
            self.step(*self.batch())
            if i % 40 == 39:
                ms.save_checkpoint(self.net, path)
                ms.load_param_into_net(self.net, ms.load_checkpoint(path))
        self.finish()


WAYS = {
    kind.__name__.lower(): kind for kind in (Dynamic, Jit, Shapes, Numbers, Workers, Checkpoints)
}


def figures(steps, began):
    """The current figures of the process, as `COLUMNS`."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        resident = int(file.read().split()[1]) * resource.getpagesize()
    arrays = jax.live_arrays()
    return [
        steps, round(time.monotonic() - began, 1), resident, len(arrays),
        sum(a.nbytes for a in arrays), len(os.listdir("/proc/self/fd")), threading.active_count(),
        compilations["programs"], len(gc.get_objects()),
    ]  # fmt: skip


def read(path):
    """The rows of the written table; none is kept in memory while the process is measured."""
    with open(path, encoding="ascii", newline="") as file:
        _, *rows = csv.reader(file)
    return [[float(item) if "." in item else int(item) for item in row] for row in rows]


def slope(rows, column):
    """(per thousand steps in the second half, its standard error), by least squares."""
    table = np.array(rows[len(rows) // 2 :], float)
    if len(table) < 3:
        return float("nan"), float("nan")
    x, y = table[:, 0] / 1000, table[:, list(COLUMNS).index(column)]
    x = x - x.mean()
    value = (x * (y - y.mean())).sum() / (x * x).sum()
    rest = y - y.mean() - value * x
    return value, np.sqrt((rest * rest).sum() / (len(x) - 2) / (x * x).sum())


def picture(rows, path):
    """A curve for each figure."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    table, names = np.array(rows, float), list(COLUMNS)[2:]
    fig, axes = plt.subplots(len(names), 1, figsize=(8, 1.7 * len(names)), sharex=True)
    for axis, name in zip(axes, names, strict=True):
        values = table[:, list(COLUMNS).index(name)]
        scale = 1e6 if "bytes" in COLUMNS[name] else 1
        axis.plot(table[:, 0], values / scale, linewidth=0.8)
        axis.set_ylim(0, 1.1 * values.max() / scale)
        axis.set_title(COLUMNS[name].replace("bytes", "MB"), fontsize=9, loc="left")
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("training steps")
    fig.tight_layout()
    fig.savefig(path)


def report(rows):
    """The slopes as lines of a table."""
    first, last = rows[len(rows) // 2], rows[-1]
    lines = ["| figure | at half | at the end | per 1,000 steps |", "|---|---|---|---|"]
    for i, (name, words) in enumerate(COLUMNS.items()):
        if words:
            value, error = slope(rows, name)
            lines.append(f"| {words} | {first[i]:,} | {last[i]:,} | {value:.3f} ± {error:.3f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--minutes", type=float, default=1e9, help="end after this time")
    parser.add_argument("--ways", default=",".join(WAYS), help="which take turns")
    parser.add_argument("--out", type=Path, default=Path("outputs"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    began, steps = time.monotonic(), 0
    with (
        tempfile.TemporaryDirectory() as folder,
        open(args.out / "soak.csv", "w", encoding="ascii", newline="") as file,
    ):
        ways = [WAYS[name](folder) for name in args.ways.split(",")]
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        while steps < args.steps and time.monotonic() - began < 60 * args.minutes:
            for way in ways:
                way.run(ROUND // len(ways))
                steps += ROUND // len(ways) + 1
            writer.writerow(figures(steps, began))
            file.flush()
    rows = read(args.out / "soak.csv")
    picture(rows, args.out / "soak.svg")
    print(f"{steps:,} steps in {time.monotonic() - began:,.0f} s")
    print(report(rows))


if __name__ == "__main__":
    sys.exit(main())
