"""The cases in PyTorch: eager, eager with channels-last images, and with `torch.compile`."""

import math
from itertools import chain
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.func import functional_call
from torch.utils.data import DataLoader, TensorDataset

from .. import shapes
from ..shapes import ATOMS, BLOCKS, ENCODER, JPEGS, LOOPS
from ..shipped import in_torch as shipped
from ..shipped.in_torch import CHANNELS_LAST, COMPILED, adam, classifier, images, prepared, trainer
from . import networks_torch as networks

EAGER = ""


def elementwise(style):
    x = torch.from_numpy(shapes.numbers(shapes.ELEMENTWISE.elements))
    function = prepared(lambda x: torch.tanh(x) * torch.sigmoid(x) + x / 2, style)
    return lambda: function(x).numpy()


def unet(style):
    net = prepared(networks.UNetBlock(), style)
    step = trainer(net, adam(net.parameters()), nn.MSELoss())
    x, y = (images(shapes.numbers(*s), style) for s in (shapes.UNET.input, shapes.UNET.target))
    return lambda: step(x, y)


def recommender(style):
    net = prepared(networks.Recommender(), style)
    step = trainer(net, adam(net.parameters()), nn.BCEWithLogitsLoss())
    rows, labels = shapes.clicks()
    x, y = torch.from_numpy(rows.astype(np.int64)), torch.from_numpy(labels)
    return lambda: step(x, y)


def pinn(style):
    net, x = networks.pinn(), torch.from_numpy(shapes.collocation_points()).requires_grad_()
    optimizer, pushed = adam(net.parameters()), math.pi**2 * torch.sin(math.pi * x.detach())
    parameters = dict(net.named_parameters())

    def eager_loss():
        u = net(x)
        (slope,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        (curvature,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
        return ((curvature + pushed) ** 2).mean() + (u[[0, -1]] ** 2).mean()

    def functional_loss(p, x):
        def total(x):
            return functional_call(net, p, (x,)).sum()

        curvature = torch.func.grad(lambda x: torch.func.grad(total)(x).sum())(x)
        ends = functional_call(net, p, (x[[0, -1]],))
        return ((curvature + pushed) ** 2).mean() + (ends**2).mean()

    # torch.compile supports derivatives inside the compiled function, but no double backward
    gradient = torch.compile(torch.func.grad_and_value(functional_loss))

    def compiled_step():
        with torch.no_grad():
            gradients, loss = gradient(parameters, x)
        for name, p in parameters.items():
            p.grad = gradients[name]
        optimizer.step()
        return loss.item()

    def eager_step():
        optimizer.zero_grad()
        loss = eager_loss()
        loss.backward()
        optimizer.step()
        return loss.item()

    return compiled_step if style == COMPILED else eager_step


def sample_gradients(style):
    net = shipped.mlp(shapes.SAMPLES.sizes)
    parameters = {name: p.detach() for name, p in net.named_parameters()}

    def loss(parameters, x, y):
        logits = functional_call(net, parameters, (x[None],))
        return nn.functional.cross_entropy(logits, y[None])

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    gradients = prepared(gradients, style)
    x = torch.from_numpy(shapes.numbers(*shapes.SAMPLES.input))
    y = torch.arange(len(x)) % shapes.SAMPLES.sizes[-1]
    return lambda: gradients(parameters, x, y)["2.bias"].numpy()


class Operator(nn.Module):
    """A Fourier neural operator in one dimension."""

    def __init__(self):
        super().__init__()
        o = shapes.OPERATOR
        self.into, self.out = nn.Linear(1, o.width), nn.Linear(o.width, 1)
        self.skips = nn.ModuleList(nn.Linear(o.width, o.width) for _ in range(o.layers))
        parts = [torch.randn(2, o.width, o.width, o.modes) / o.width for _ in range(o.layers)]
        self.weights = nn.ParameterList(map(nn.Parameter, parts))

    def forward(self, x):
        x = self.into(x)
        for skip, (re, im) in zip(self.skips, self.weights, strict=True):
            waves = torch.fft.rfft(x, dim=1)
            kept = waves[:, : shapes.OPERATOR.modes]
            kept = torch.einsum("bmi,iom->bmo", kept, torch.complex(re, im))
            kept = nn.functional.pad(kept, (0, 0, 0, waves.shape[1] - kept.shape[1]))
            mixed = torch.fft.irfft(kept, x.shape[1], dim=1)
            x = nn.functional.gelu(mixed + skip(x))
        return self.out(x)


def operator(style):
    net = prepared(Operator(), style)
    step, (x, y) = trainer(net, adam(net.parameters()), nn.MSELoss()), shapes.waves()
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    return lambda: step(x, y)


class Graph(nn.Module):
    """Layers of messages along edges, summed at their ends."""

    def __init__(self, ends):
        super().__init__()
        w, layers = shapes.GRAPH.width, range(shapes.GRAPH.layers)
        self.messages = nn.ModuleList(nn.Linear(2 * w, w) for _ in layers)
        self.updates = nn.ModuleList(nn.Linear(w, w) for _ in layers)
        self.out, (self.start, self.end) = nn.Linear(w, 1), ends

    def forward(self, x):
        for message, update in zip(self.messages, self.updates, strict=True):
            pairs = torch.cat((x[self.start], x[self.end]), 1)
            messages = torch.relu(message(pairs))
            arrived = torch.zeros_like(x).index_add(0, self.end, messages)
            x = x + torch.relu(update(arrived))
        return self.out(x)


def graph_network(style):
    features, ends, target = shapes.graph()
    net = prepared(Graph(torch.from_numpy(ends.astype(np.int64))), style)
    step = trainer(net, adam(net.parameters()), nn.MSELoss())
    x, y = torch.from_numpy(features), torch.from_numpy(target)
    return lambda: step(x, y)


def digits(style):
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(512, 64), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(64, 10),
    )  # fmt: skip
    net = prepared(net, style)
    step = trainer(net, adam(net.parameters()), nn.CrossEntropyLoss())

    def train(x, y):
        net.train()
        step(images(x, style), torch.from_numpy(y.astype(np.int64)))

    @torch.no_grad()
    def predict(x):
        net.eval()
        return net(images(x, style)).numpy()

    return lambda: shapes.until_accurate(train, predict)


def policy_gradient(style):
    task = shapes.Pole()
    net = prepared(shipped.mlp(shapes.POLICY.sizes, nn.Tanh), style)
    optimizer = adam(net.parameters())

    def probabilities(state):
        with torch.no_grad():
            return torch.softmax(net(torch.from_numpy(state)), -1).numpy()

    def step():
        states, actions, sums = map(torch.from_numpy, task.episode(probabilities))
        optimizer.zero_grad()
        chosen = torch.log_softmax(net(states), -1)
        chosen = torch.gather(chosen, 1, actions[:, None].long())[:, 0]
        loss = -(chosen * sums).mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def cached_gpt(style):
    g, net = shapes.GPT, shipped.Gpt().eval()
    cache = torch.zeros(g.layers, 2, g.heads, g.length, g.width // g.heads)
    places = torch.arange(g.length)

    @torch.no_grad()
    def decode(word, place):
        x = net.words(word) + net.positions.weight[place]
        for (keys, values), block in zip(cache, net.blocks, strict=True):
            z = block.norm1(x)
            q, k, v = (f(z).reshape(g.heads, -1) for f in (block.query, block.key, block.value))
            keys[:, place], values[:, place] = k, v
            scores = torch.einsum("hd,htd->ht", q * block.scale, keys)
            scores = scores.masked_fill(places > place, -1e9)
            mixed = torch.einsum("ht,htd->hd", torch.softmax(scores, -1), values)
            x = x + block.out(mixed.reshape(-1))
            x = x + block.down(block.activation(block.up(block.norm2(x))))
        return net.out(net.norm(x)).argmax()

    decode, state = prepared(decode, style), [torch.tensor(1), 0]

    def step():
        word = decode(state[0], torch.tensor(state[1]))
        state[:] = word, (state[1] + 1) % g.length
        return word.item()

    return step


def small_blocks(count):
    def case(style):
        w = BLOCKS.width
        parts = [[nn.Linear(w, w), nn.LayerNorm(w), nn.GELU()] for _ in range(count)]
        net = prepared(nn.Sequential(*chain.from_iterable(parts)), style)
        step = trainer(net, adam(net.parameters()), nn.MSELoss())
        x = torch.from_numpy(shapes.numbers(BLOCKS.batch, w))
        return lambda: step(x, torch.zeros_like(x))

    return case


def molecular_dynamics(style):
    positions, nearest, box = shapes.atoms()
    state = [torch.from_numpy(positions), torch.zeros(positions.shape)]
    nearest = torch.from_numpy(nearest.astype(np.int64))

    def energy(r):
        apart = r[:, None] - r[nearest]
        apart = apart - box * torch.round(apart / box)
        inverse = 1 / (apart**2).sum(-1) ** 3
        return 2 * (inverse**2 - inverse).sum()

    energy = prepared(energy, style)

    def step():
        r, v = state
        r = r.requires_grad_()
        value = energy(r)
        (gradient,) = torch.autograd.grad(value, r)
        v = v - ATOMS.time_step * gradient
        state[:] = r.detach() + ATOMS.time_step * v, v
        return value.item()

    return step


def inference(net, shape):
    """Return a case: the output of `net` for one example."""

    def case(style):
        module = prepared(net().eval(), style)
        array = shapes.one(shape)
        is_index = array.dtype == np.int32
        one = torch.from_numpy(array.astype(np.int64) if is_index else array)
        one = images(array, style) if array.ndim == 4 else one

        @torch.no_grad()
        def call():
            return module(one).numpy()

        return call

    return case


def scaled(shape):
    return classifier(shape, lambda: networks.Stack(shape))


def changing_lengths(style):
    net = prepared(networks.Encoder(), style)
    step = trainer(net, adam(net.parameters()), nn.CrossEntropyLoss())
    y = torch.arange(ENCODER.batch) % ENCODER.classes
    following = iter(shapes.lengths())
    return lambda: step(torch.from_numpy(shapes.tokens(next(following)).astype(np.int64)), y)


def loop_full():
    parts = [torch.full((1, 8), float(i)) for i in range(LOOPS.full)]
    return torch.cat(parts).numpy()


def loop_assign():
    m = torch.zeros(LOOPS.assign, LOOPS.assign)
    for i in range(LOOPS.assign):
        for j in range(LOOPS.assign):
            m[i, j] = i * 0.5 + j
    return m.numpy()


def loop_grow():
    x = row = torch.ones(1, 8)
    for _ in range(LOOPS.grow):
        x = torch.cat((x, row))
    return x.numpy()


def loop_slice():
    x = torch.from_numpy(shapes.numbers(LOOPS.slice))
    total = 0
    for i in range(1, LOOPS.slice + 1):
        total = total + x[:i].sum()
    return total.numpy()


class Files(torch.utils.data.Dataset):
    """JPEG files, decoded, resized and normalised as by torchvision, with Pillow and NumPy."""

    def __init__(self, folder):
        self.paths = sorted(Path(folder).glob("*/*.jpg"))
        self.mean, self.std = (np.float32(x).reshape(-1, 1, 1) for x in (JPEGS.mean, JPEGS.std))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        from PIL import Image

        picture = Image.open(self.paths[i]).convert("RGB")
        pixels = np.asarray(picture.resize(JPEGS.resized[::-1], Image.Resampling.BILINEAR))
        x = np.ascontiguousarray(pixels.transpose(2, 0, 1)).astype(np.float32)
        x *= np.float32(1 / 255)
        x -= self.mean
        x /= self.std
        return torch.from_numpy(x), 0


def epochs(rows):
    """Return a case: each call iterates over an epoch and returns the last batch's first column."""

    def epoch():
        for x, _ in rows:
            last = x
        return last.numpy()

    return epoch


def jpeg_files(style):
    workers = {"num_workers": JPEGS.workers, "persistent_workers": True}
    return epochs(DataLoader(Files(shapes.jpeg_folder()), JPEGS.batch, **workers))


def arrays(style):
    columns = TensorDataset(*map(torch.from_numpy, shapes.arrays()))
    return epochs(DataLoader(columns, shapes.ARRAYS.batch, shuffle=True))


IMAGES = {
    "LeNet-5 step": shipped.CASES["LeNet-5 step"],
    "ResNet-18 step": classifier(shapes.RESNET, networks.resnet18),
    "MobileNetV2 step": classifier(shapes.MOBILENET, networks.mobilenet),
    "DenseNet step": classifier(shapes.DENSENET, networks.densenet),
    "ResNet-50 first step": classifier(shapes.RESNET50, networks.resnet50),
    "DenseNet-121 first step": classifier(shapes.DENSENET121, networks.densenet121),
    "HRNet-W32 first step": classifier(shapes.HRNET, networks.HRNet),
    "digits to 97 %": digits,
    "U-Net block step": unet,
    "ViT-tiny step": classifier(shapes.VIT, networks.Vit),
}
IMAGE_NETWORKS = {
    "LeNet-5": (shipped.lenet, shapes.LENET),
    "ResNet-18": (networks.resnet18, shapes.RESNET),
    "MobileNetV2": (networks.mobilenet, shapes.MOBILENET),
    "DenseNet": (networks.densenet, shapes.DENSENET),
    "U-Net block": (networks.UNetBlock, shapes.UNET),
    "ViT-tiny": (networks.Vit, shapes.VIT),
}
IMAGES |= {f"{name}, batch 1": inference(*net) for name, net in IMAGE_NETWORKS.items()}
OTHERS = {name: case for name, case in shipped.CASES.items() if name not in IMAGES}
OTHERS |= {
    "elementwise, 10 million": elementwise,
    "GRU step": classifier(shapes.GRU, networks.gru),
    "PINN step": pinn,
    "recommender step": recommender,
    "neural operator step": operator,
    "graph network step": graph_network,
    "policy gradient step": policy_gradient,
    "GPT with a cache, batch 1": cached_gpt,
    "per-sample gradients": sample_gradients,
    "molecular dynamics step": molecular_dynamics,
    "encoder, a new length each step": changing_lengths,
}
OTHER_NETWORKS = {
    "MLP": (shipped.mlp, shapes.MLP),
    "LSTM": (shipped.lstm, shapes.LSTM),
    "GRU": (networks.gru, shapes.GRU),
    "GPT": (shipped.Gpt, shapes.GPT),
    "PINN": (networks.pinn, shapes.PINN),
    "recommender": (networks.Recommender, shapes.RECOMMENDER),
}
OTHERS |= shapes.block_cases(small_blocks)
OTHERS |= {f"{name}, batch 1": inference(*net) for name, net in OTHER_NETWORKS.items()}
OTHERS |= {name: scaled(shape) for name, shape in shapes.scaled().items()}
LOOP_CASES = {
    "JPEG files": jpeg_files,
    "arrays in memory": arrays,
    "loop: full, then cat": lambda style: loop_full,
    "loop: m[i, j] = v": lambda style: loop_assign,
    "loop: x = cat((x, row))": lambda style: loop_grow,
    "loop: x[:i].sum()": lambda style: loop_slice,
}


def cases(style=EAGER):
    """Return the cases of `style`; channels-last has only images, and loops are eager only."""
    table = {EAGER: IMAGES | OTHERS | LOOP_CASES, CHANNELS_LAST: IMAGES}
    table[COMPILED] = {n: c for n, c in (IMAGES | OTHERS).items() if "a new length" not in n}
    return {name: lambda case=case: case(style) for name, case in table[style].items()}
