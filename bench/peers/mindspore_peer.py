"""The cases in MindSpore's API, for MindSpore and, through the alias, for sporax; in dynamic mode
and with `jit`."""

import math

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


def blocks(count):
    def case(style):
        w = BLOCKS.width
        parts = [[nn.Dense(w, w), nn.LayerNorm((w,)), nn.GELU(False)] for _ in range(count)]
        net = nn.SequentialCell(*sum(parts, []))
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
    "U-Net block step": unet,
    "GRU step": classifier(shapes.GRU, networks.gru),
    "ViT-tiny step": classifier(shapes.VIT, networks.Vit),
    "PINN step": pinn,
    "recommender step": recommender,
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
CASES |= shapes.block_cases(blocks)
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
