"""The cases in MindSpore's API, for MindSpore and, through the alias, for sporax; in dynamic mode
and with `jit`."""

import math
from itertools import chain

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.dataset import vision

from .. import shapes
from ..shapes import ATOMS, BLOCKS, ENCODER, JPEGS, LOOPS
from ..shipped import in_mindspore as shipped
from ..shipped.in_mindspore import JIT, adam, classifier, prepared, stepper, trainer
from . import networks_mindspore as networks

DYNAMIC = ""


def elementwise(style):
    def function(x):
        return ops.tanh(x) * ops.sigmoid(x) + x / 2

    x = Tensor(shapes.numbers(shapes.ELEMENTWISE.elements))
    function = prepared(function, style)
    return lambda: function(x).asnumpy()


def unet(style):
    net = networks.UNetBlock()
    step = trainer(net, adam(net), nn.MSELoss(), style)
    x, y = (Tensor(shapes.numbers(*s)) for s in (shapes.UNET.input, shapes.UNET.target))
    return lambda: step(x, y).asnumpy()


def recommender(style):
    net = networks.Recommender()
    step = trainer(net, adam(net), nn.BCEWithLogitsLoss(), style)
    rows, labels = shapes.clicks()
    rows, labels = Tensor(rows), Tensor(labels)
    return lambda: step(rows, labels).asnumpy()


def pinn(style):
    net, points = networks.pinn(), shapes.collocation_points()
    pushed = Tensor((math.pi**2 * np.sin(math.pi * points)).astype(np.float32))
    points, ends = Tensor(points), Tensor(points[[0, -1]])

    def total(x):
        return net(x).sum()

    slope = ms.grad(total)

    def total_slope(x):
        return slope(x).sum()

    curvature = ms.grad(total_slope)

    def loss(x, ends):
        return ((curvature(x) + pushed) ** 2).mean() + (net(ends) ** 2).mean()

    step = stepper(loss, adam(net), style)
    return lambda: step(points, ends).asnumpy()


def sample_gradients(style):
    rng, (a, b, c) = np.random.default_rng(0), shapes.SAMPLES.sizes
    parameters = [
        Tensor(rng.uniform(-(m**-0.5), m**-0.5, s).astype(np.float32))
        for m, s in ((a, (a, b)), (a, (b,)), (b, (b, c)), (b, (c,)))
    ]

    def loss(w1, b1, w2, b2, x, y):
        logits = ops.matmul(ops.relu(ops.matmul(x, w1) + b1), w2) + b2
        return -(ops.log_softmax(logits, -1) * y).sum()

    gradients = ms.vmap(ms.grad(loss, (0, 1, 2, 3)), (None, None, None, None, 0, 0))
    gradients = prepared(gradients, style)
    x = shapes.numbers(*shapes.SAMPLES.input)
    x, y = Tensor(x), Tensor(np.eye(c, dtype=np.float32)[np.arange(len(x)) % c])
    return lambda: gradients(*parameters, x, y)[3].asnumpy()


class Operator(nn.Cell):
    """A Fourier neural operator in one dimension."""

    def __init__(self):
        super().__init__()
        o = shapes.OPERATOR
        self.into, self.out = nn.Dense(1, o.width), nn.Dense(o.width, 1)
        self.skips = nn.CellList([nn.Dense(o.width, o.width) for _ in range(o.layers)])
        part = shapes.numbers(o.layers, 2, o.width, o.width, o.modes) / o.width
        self.weights = ms.ParameterTuple([
            ms.Parameter(Tensor(w), name=f"weight{i}") for i, w in enumerate(part)
        ])  # fmt: skip

    def construct(self, x):
        x = self.into(x)
        for skip, weight in zip(self.skips, self.weights, strict=True):
            waves = ops.rfft(x, dim=1)
            kept = waves[:, : shapes.OPERATOR.modes]
            kept = ops.einsum("bmi,iom->bmo", kept, ops.Complex()(weight[0], weight[1]))
            rest = ops.zeros((x.shape[0], waves.shape[1] - kept.shape[1], x.shape[2]), kept.dtype)
            mixed = ops.irfft(ops.cat((kept, rest), 1), x.shape[1], dim=1)
            x = ops.gelu(mixed + skip(x), approximate="none")
        return self.out(x)


def operator(style):
    net, (x, y) = Operator(), map(Tensor, shapes.waves())
    step = trainer(net, adam(net), nn.MSELoss(), style)
    return lambda: step(x, y).asnumpy()


class Graph(nn.Cell):
    """Layers of messages along edges, summed at their ends."""

    def __init__(self, ends):
        super().__init__()
        w, layers = shapes.GRAPH.width, range(shapes.GRAPH.layers)
        self.messages = nn.CellList([nn.Dense(2 * w, w) for _ in layers])
        self.updates = nn.CellList([nn.Dense(w, w) for _ in layers])
        self.out, (self.start, self.end) = nn.Dense(w, 1), map(Tensor, ends)

    def construct(self, x):
        for message, update in zip(self.messages, self.updates, strict=True):
            pairs = ops.cat((x[self.start], x[self.end]), 1)
            messages = ops.relu(message(pairs))
            arrived = ops.unsorted_segment_sum(messages, self.end, x.shape[0])
            x = x + ops.relu(update(arrived))
        return self.out(x)


def graph_network(style):
    features, ends, target = shapes.graph()
    net, x, y = Graph(ends), Tensor(features), Tensor(target)
    step = trainer(net, adam(net), nn.MSELoss(), style)
    return lambda: step(x, y).asnumpy()


def digits(style):
    net = nn.SequentialCell(
        nn.Conv2d(1, 16, 3, pad_mode="same"), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, pad_mode="same"), nn.BatchNorm2d(32), nn.ReLU(),
        nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(512, 64, activation="relu"),
        nn.Dropout(p=0.2), nn.Dense(64, 10),
    )  # fmt: skip
    step = trainer(net, adam(net), nn.CrossEntropyLoss(), style)

    def train(x, y):
        net.set_train(True)
        step(Tensor(x), Tensor(y)).asnumpy()

    def predict(x):
        net.set_train(False)
        return net(Tensor(x)).asnumpy()

    return lambda: shapes.until_accurate(train, predict)


def policy_gradient(style):
    task = shapes.Pole()
    net = shipped.mlp(shapes.POLICY.sizes, nn.Tanh)

    def loss(states, actions, sums):
        chosen = ops.log_softmax(net(states), -1)
        return -(ops.gather_elements(chosen, 1, actions[:, None])[:, 0] * sums).mean()

    update = shipped.stepper(loss, adam(net), style)
    act = prepared(lambda state: ops.softmax(net(state), -1), style)

    def step():
        played = task.episode(lambda state: act(Tensor(state)).asnumpy())
        return update(*map(Tensor, played)).asnumpy()

    return step


def cached_gpt(style):
    g, net = shapes.GPT, shipped.Gpt()
    net.set_train(False)
    cache = ms.Parameter(ops.zeros((g.layers, 2, g.heads, g.length, g.width // g.heads)))
    places = Tensor(list(range(g.length)), ms.int32)

    def decode(word, place):
        x = net.words(word) + net.positions[place]
        for i, block in enumerate(net.blocks):
            z = block.norm1(x)
            q, k, v = [f(z).reshape((g.heads, -1)) for f in (block.query, block.key, block.value)]
            cache[i, 0, :, place] = k
            cache[i, 1, :, place] = v
            scores = ops.einsum("hd,htd->ht", q * block.scale, cache[i, 0])
            scores = ops.masked_fill(scores, places > place, -1e9)
            mixed = ops.einsum("ht,htd->hd", ops.softmax(scores, -1), cache[i, 1])
            x = x + block.out(mixed.reshape((1, -1)))
            x = x + block.down(block.activation(block.up(block.norm2(x))))
        return ops.argmax(net.out(net.norm(x)), -1)

    decode, state = prepared(decode, style), [Tensor([1], ms.int32), 0]

    def step():
        state[0] = decode(state[0], Tensor(state[1], ms.int32)).astype(ms.int32)
        state[1] = (state[1] + 1) % g.length
        return state[0].asnumpy()

    return step


def small_blocks(count):
    def case(style):
        w = BLOCKS.width
        parts = [[nn.Dense(w, w), nn.LayerNorm((w,)), nn.GELU(False)] for _ in range(count)]
        net = nn.SequentialCell(*chain.from_iterable(parts))
        step = trainer(net, adam(net), nn.MSELoss(), style)
        x, y = Tensor(shapes.numbers(BLOCKS.batch, w)), ops.zeros((BLOCKS.batch, w), ms.float32)
        return lambda: step(x, y).asnumpy()

    return case


def molecular_dynamics(style):
    positions, nearest, box = shapes.atoms()
    nearest = Tensor(nearest)

    def energy(r):
        apart = r[:, None] - r[nearest]
        apart = apart - box * ops.round(apart / box)
        inverse = 1 / (apart**2).sum(-1) ** 3
        return 2 * (inverse**2 - inverse).sum()

    gradient = ms.value_and_grad(energy)

    def move(r, v):
        value, slope = gradient(r)
        v = v - ATOMS.time_step * slope
        return value, r + ATOMS.time_step * v, v

    move = prepared(move, style)
    state = [Tensor(positions), ops.zeros(positions.shape, ms.float32)]

    def step():
        value, *state[:] = move(*state)
        return value.asnumpy()

    return step


def inference(net, shape):
    """Return a case: the output of `net` for one example."""

    def case(style):
        cell, one = net(), Tensor(shapes.one(shape))
        cell.set_train(False)

        def forward(x):
            return cell(x)

        function = prepared(forward, style)
        return lambda: function(one).asnumpy()

    return case


def scaled(shape):
    return classifier(shape, lambda: networks.Stack(shape))


def changing_lengths(style):
    """Return a case: each call is a step on sentences of the next length."""
    net = networks.Encoder()
    step = trainer(net, adam(net), nn.CrossEntropyLoss(), style)
    y = Tensor((np.arange(ENCODER.batch) % ENCODER.classes).astype(np.int32))
    following = iter(shapes.lengths())
    return lambda: step(Tensor(shapes.tokens(next(following))), y).asnumpy()


def loop_full():
    parts = [ops.full((1, 8), float(i)) for i in range(LOOPS.full)]
    return ops.cat(parts).asnumpy()


def loop_assign():
    m = ops.zeros((LOOPS.assign, LOOPS.assign), ms.float32)
    for i in range(LOOPS.assign):
        for j in range(LOOPS.assign):
            m[i, j] = i * 0.5 + j
    return m.asnumpy()


def loop_grow():
    x = row = ops.ones((1, 8), ms.float32)
    for _ in range(LOOPS.grow):
        x = ops.cat((x, row))
    return x.asnumpy()


def loop_slice():
    x = Tensor(shapes.numbers(LOOPS.slice))
    total = 0
    for i in range(1, LOOPS.slice + 1):
        total = total + x[:i].sum()
    return total.asnumpy()


def epochs(dataset):
    """Return a case: each call iterates over an epoch and returns the last batch's first column."""
    rows = dataset.create_tuple_iterator()

    def epoch():
        for x, _ in rows:
            last = x
        return last.asnumpy()

    return epoch


def jpeg_files(style):
    with_workers = {"num_parallel_workers": JPEGS.workers}
    files = ds.ImageFolderDataset(shapes.jpeg_folder(), shuffle=False, **with_workers)
    transforms = [
        vision.Decode(to_pil=True), vision.Resize(JPEGS.resized, vision.Inter.BILINEAR),
        vision.ToTensor(), vision.Normalize(JPEGS.mean, JPEGS.std, is_hwc=False),
    ]  # fmt: skip
    return epochs(files.map(transforms, "image", **with_workers).batch(JPEGS.batch))


def arrays(style):
    columns = dict(zip(("x", "y"), shapes.arrays(), strict=True))
    return epochs(ds.NumpySlicesDataset(columns, shuffle=True).batch(shapes.ARRAYS.batch))


CASES = shipped.CASES | {
    "elementwise, 10 million": elementwise,
    "ResNet-18 step": classifier(shapes.RESNET, networks.resnet18),
    "MobileNetV2 step": classifier(shapes.MOBILENET, networks.mobilenet),
    "DenseNet step": classifier(shapes.DENSENET, networks.densenet),
    "ResNet-50 first step": classifier(shapes.RESNET50, networks.resnet50),
    "DenseNet-121 first step": classifier(shapes.DENSENET121, networks.densenet121),
    "HRNet-W32 first step": classifier(shapes.HRNET, networks.HRNet),
    "digits to 97 %": digits,
    "U-Net block step": unet,
    "GRU step": classifier(shapes.GRU, networks.gru),
    "ViT-tiny step": classifier(shapes.VIT, networks.Vit),
    "PINN step": pinn,
    "recommender step": recommender,
    "neural operator step": operator,
    "graph network step": graph_network,
    "policy gradient step": policy_gradient,
    "GPT with a cache, batch 1": cached_gpt,
    "per-sample gradients": sample_gradients,
    "molecular dynamics step": molecular_dynamics,
}
NETWORKS = {
    "MLP": (shipped.mlp, shapes.MLP),
    "LeNet-5": (shipped.lenet, shapes.LENET),
    "ResNet-18": (networks.resnet18, shapes.RESNET),
    "MobileNetV2": (networks.mobilenet, shapes.MOBILENET),
    "DenseNet": (networks.densenet, shapes.DENSENET),
    "U-Net block": (networks.UNetBlock, shapes.UNET),
    "LSTM": (shipped.lstm, shapes.LSTM),
    "GRU": (networks.gru, shapes.GRU),
    "GPT": (shipped.Gpt, shapes.GPT),
    "ViT-tiny": (networks.Vit, shapes.VIT),
    "PINN": (networks.pinn, shapes.PINN),
    "recommender": (networks.Recommender, shapes.RECOMMENDER),
}
CASES |= shapes.block_cases(small_blocks)
CASES |= {f"{name}, batch 1": inference(*net) for name, net in NETWORKS.items()}
CASES |= {name: scaled(shape) for name, shape in shapes.scaled().items()}
LOOP_CASES = {
    "JPEG files": jpeg_files,
    "arrays in memory": arrays,
    "encoder, a new length each step": changing_lengths,
    "loop: full, then cat": lambda style: loop_full,
    "loop: m[i, j] = v": lambda style: loop_assign,
    "loop: x = cat((x, row))": lambda style: loop_grow,
    "loop: x[:i].sum()": lambda style: loop_slice,
}


def cases(style=DYNAMIC):
    """Return the cases of `style`; loops and changing lengths are dynamic only."""
    table = CASES if style == JIT else CASES | LOOP_CASES
    return {name: lambda case=case: case(style) for name, case in table.items()}
