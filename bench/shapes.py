"""The sizes of the benchmark's cases and their inputs, the same for every peer."""

import atexit
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from .shipped.sizes import (  # noqa: F401 (peers have them from here)
    CHAIN,
    GPT,
    LENET,
    LSTM,
    MLP,
    causal_mask,
    classes,
    numbers,
    text,
)

ENCODER = SimpleNamespace(words=1000, width=64, heads=4, layers=2, batch=8, classes=10, longest=100)
# ResNet-18: (width, stride) of each stage's first block; two blocks per stage
RESNET = SimpleNamespace(
    input=(32, 3, 32, 32), classes=10, stages=((64, 1), (128, 2), (256, 2), (512, 2))
)
# MobileNetV2 at width 0.35: (expansion, channels, repeats, stride) of each stage
MOBILENET = SimpleNamespace(
    input=(32, 3, 96, 96), classes=10, stem=16, head=1280,
    stages=(
        (1, 8, 1, 1), (6, 8, 2, 2), (6, 16, 3, 2), (6, 24, 4, 2), (6, 32, 3, 1), (6, 56, 3, 2),
        (6, 112, 1, 1),
    ),
)  # fmt: skip
# DenseNet: layers of each block; a layer adds `growth` channels, a transition halves the channels
DENSENET = SimpleNamespace(input=(32, 3, 32, 32), classes=10, stem=24, growth=12, blocks=(6, 6, 6))
# Networks whose first step is measured. ResNet-50: (channels, blocks, stride) of each stage
RESNET50 = SimpleNamespace(
    input=(8, 3, 64, 64), classes=10, stem=64,
    stages=((256, 3, 1), (512, 4, 2), (1024, 6, 2), (2048, 3, 2)),
)  # fmt: skip
DENSENET121 = SimpleNamespace(
    input=(8, 3, 64, 64), classes=10, stem=64, growth=32, blocks=(6, 12, 24, 16)
)
# HRNet-W32: modules of each stage; a stage has one branch more than the previous one
HRNET = SimpleNamespace(
    input=(2, 3, 128, 128), classes=10, stem=64, widths=(32, 64, 128, 256), modules=(1, 4, 3)
)
UNET = SimpleNamespace(input=(8, 3, 64, 64), target=(8, 1, 64, 64), widths=(32, 64))
GRU = SimpleNamespace(input=(32, 128, 256), hidden=128, layers=3, classes=10)
VIT = SimpleNamespace(
    input=(32, 3, 32, 32), patch=4, patches=64, width=192, heads=3, layers=6, classes=10
)
PINN = SimpleNamespace(points=256, width=64)
RECOMMENDER = SimpleNamespace(tables=8, rows=5000, width=64, batch=1024, hidden=128)
SAMPLES = SimpleNamespace(sizes=(64, 128, 10), input=(64, 64))
# Fourier neural operator: (batch, points, 1) to (batch, points, 1)
OPERATOR = SimpleNamespace(input=(16, 256, 1), width=32, modes=16, layers=4)
# Messages along edges, summed at their ends
GRAPH = SimpleNamespace(nodes=1000, edges=8000, width=64, layers=3)
# A policy that acts in a pole-balancing task, and a step of REINFORCE after each `steps`
POLICY = SimpleNamespace(sizes=(4, 64, 64, 2), steps=32, discount=0.99)
# Blocks of Dense, LayerNorm and GELU, four Parameters each; the target is 0
BLOCKS = SimpleNamespace(width=16, batch=8, counts=(4, 32, 256))
ATOMS = SimpleNamespace(side=10, spacing=1.1, neighbours=32, time_step=1e-3)
ELEMENTWISE = SimpleNamespace(elements=10_000_000)
JPEGS = SimpleNamespace(
    count=128, size=(500, 375), resized=(224, 224), batch=32, workers=2,
    mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225),
)  # fmt: skip
ARRAYS = SimpleNamespace(rows=20_000, width=784, batch=64)
# Transformers whose named size is 1, 2, 4 and 8 times as large; the number of parameters grows with
# the square of the width. "overhead" is depth with little computation.
SCALING = {
    "depth": ({"layers": 1, "width": 64, "batch": 4, "length": 32}, "layers", (1, 2, 4, 8)),
    "batch": ({"layers": 2, "width": 64, "batch": 8, "length": 32}, "batch", (8, 16, 32, 64)),
    "length": ({"layers": 2, "width": 64, "batch": 4, "length": 64}, "length", (64, 128, 256, 512)),
    "parameters": (
        {"layers": 2, "width": 128, "batch": 8, "length": 32},
        "width",
        (128, 184, 256, 360),
    ),
    "overhead": ({"layers": 1, "width": 8, "batch": 1, "length": 2}, "layers", (1, 2, 4, 8)),
}
# Iterations of each loop
LOOPS = SimpleNamespace(full=500, assign=60, grow=150, slice=200)


def scaled():
    """Return {name: sizes of a transformer with floating-point inputs} for the cases of
    `SCALING`."""
    return {
        f"{what} x{times}": SimpleNamespace(
            **{**base, size: value}, heads=4, classes=10,
            input=tuple({**base, size: value}[n] for n in ("batch", "length", "width")),
        )
        for what, (base, size, values) in SCALING.items()
        for times, value in zip((1, 2, 4, 8), values, strict=True)
    }  # fmt: skip


def lengths():
    """Return a fixed random permutation of 1 to 100."""
    return np.random.default_rng(1).permutation(np.arange(1, ENCODER.longest + 1)).tolist()


def tokens(length):
    rng = np.random.default_rng(length)
    return rng.integers(0, ENCODER.words, (ENCODER.batch, length)).astype(np.int32)


def one(shape):
    """Return the input of a network for one example."""
    if shape is GPT:
        return text(1)[0]
    if shape is RECOMMENDER:
        return clicks()[0][:1]
    return collocation_points()[:1] if shape is PINN else numbers(1, *shape.input[1:])


def waves():
    """Return sums of sines `(batch, points, 1)`, and their derivatives."""
    o, rng = OPERATOR, np.random.default_rng(0)
    x = np.linspace(0, 2 * np.pi, o.input[1], endpoint=False)
    k, a = np.arange(1, 9), rng.standard_normal((o.input[0], 8, 1)) / 8
    y, slope = (a * np.sin(k[:, None] * x)).sum(1), (a * k[:, None] * np.cos(k[:, None] * x)).sum(1)
    return y[..., None].astype(np.float32), slope[..., None].astype(np.float32)


def graph():
    """Return features `(nodes, width)`, the edges' ends `(2, edges)`, and targets `(nodes, 1)`."""
    g, rng = GRAPH, np.random.default_rng(0)
    ends = rng.integers(0, g.nodes, (2, g.edges)).astype(np.int32)
    return numbers(g.nodes, g.width), ends, numbers(g.nodes, 1)


def until_accurate(train, predict):
    """Train on the digits until 97 % of the held-out ones are recognised; return the epochs.

    `train(images, labels)` takes a step on a batch, `predict(images)` returns scores.
    """
    with np.load(Path(__file__).parents[1] / "sporax/data/digits.npz") as file:
        images = file["images"][:, None].astype(np.float32) / 16
        labels = file["labels"].astype(np.int32)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(labels))
    test, rest = order[::5], np.delete(order, np.s_[::5])
    for epoch in range(1, 101):
        rng.shuffle(rest)
        for start in range(0, len(rest) - 63, 64):
            batch = rest[start : start + 64]
            train(images[batch], labels[batch])
        if (predict(images[test]).argmax(1) == labels[test]).mean() >= 0.97:
            return epoch
    raise RuntimeError("100 epochs do not suffice")


class Pole:
    """A pole on a cart, pushed to the left or right; Barto, Sutton and Anderson, 1983."""

    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.begin()

    def begin(self):
        self.state = self.rng.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32)

    def act(self, push):
        """Return (the next state, True if the pole has fallen), 0.02 s later."""
        _, v, angle, turn = self.state
        force, mass = (10.0 if push else -10.0), 1.1
        sine, cosine = np.sin(angle), np.cos(angle)
        push = (force + 0.05 * turn**2 * sine) / mass
        bend = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine**2 / mass))
        move = push - 0.05 * bend * cosine / mass
        self.state = self.state + 0.02 * np.array([v, move, turn, bend])
        fallen = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return self.state.astype(np.float32), fallen

    def episode(self, probabilities):
        """Act `POLICY.steps` times; return the states, the actions, and the discounted sums of
        rewards. `probabilities`: a function from a state `(1, 4)` to those of the two actions."""
        states, actions, falls, state = [], [], [], self.state.astype(np.float32)
        for _ in range(POLICY.steps):
            states.append(state)
            actions.append(int(self.rng.random() < probabilities(state[None])[0, 1]))
            state, fallen = self.act(actions[-1])
            falls.append(fallen)
            state = self.begin() if fallen else state
        sums, total = np.zeros(POLICY.steps, np.float32), 0.0
        for i in reversed(range(POLICY.steps)):
            total = 1.0 + (0.0 if falls[i] else POLICY.discount * total)
            sums[i] = total
        return np.stack(states), np.array(actions, np.int32), sums - sums.mean()


def block_cases(case):
    """Return {name: `case(number of blocks)`} for the networks of many Parameters."""
    return {f"{4 * n} Parameters step": case(n) for n in BLOCKS.counts}


def collocation_points():
    """Return points in [0, 1], `(points, 1)`, for the equation u'' = -pi^2 sin(pi x)."""
    return np.linspace(0, 1, PINN.points, dtype=np.float32)[:, None]


def clicks():
    """Return `(batch, tables)` row indices of the embedding tables, and `(batch, 1)` 0/1 labels."""
    rng, r = np.random.default_rng(0), RECOMMENDER
    rows = rng.integers(0, r.rows, (r.batch, r.tables)).astype(np.int32)
    return rows, rng.integers(0, 2, (r.batch, 1)).astype(np.float32)


def jpeg_folder():
    """Return a folder with a subfolder of smooth random JPEG files; it is deleted at exit."""
    from PIL import Image

    folder, rng = tempfile.mkdtemp(prefix="bench"), np.random.default_rng(0)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (Path(folder) / "one").mkdir()
    for i in range(JPEGS.count):
        few = Image.fromarray(rng.integers(0, 256, (30, 40, 3), np.uint8))
        path = Path(folder) / "one" / f"{i:03}.jpg"
        few.resize(JPEGS.size, Image.Resampling.BICUBIC).save(path, quality=90)
    return folder


def arrays():
    """Return `(rows, width)` random numbers and `(rows,)` labels."""
    return numbers(ARRAYS.rows, ARRAYS.width), np.arange(ARRAYS.rows, dtype=np.int32)


def atoms():
    """Return positions `(n, 3)` near a cubic lattice, the indices of each atom's nearest
    neighbours `(n, neighbours)`, and the length of the periodic box."""
    a, rng = ATOMS, np.random.default_rng(0)
    grid = np.stack(np.meshgrid(*[np.arange(a.side)] * 3, indexing="ij"), -1).reshape(-1, 3)
    positions = (grid + rng.uniform(-0.05, 0.05, grid.shape)) * a.spacing
    box = a.side * a.spacing
    apart = positions[:, None] - positions
    apart -= box * np.round(apart / box)
    nearest = np.argsort((apart**2).sum(-1), 1)[:, 1 : a.neighbours + 1]
    return positions.astype(np.float32), nearest.astype(np.int32), float(box)
