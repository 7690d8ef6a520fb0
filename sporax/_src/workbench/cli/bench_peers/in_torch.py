"""The networks and cases in PyTorch: eager, channels-last images, or under `torch.compile`."""

import itertools

import numpy as np
import torch
from torch import nn

from . import sizes
from .sizes import CHAIN, GPT, LSTM, MLP

CHANNELS_LAST, COMPILED = "channels-last", "compile"


def mlp(sizes=MLP.sizes, activation=nn.ReLU):
    """Return linear layers with an activation between each two."""
    layers = []
    for width, out in itertools.pairwise(sizes):
        layers += [nn.Linear(width, out), activation()]
    return nn.Sequential(*layers[:-1])


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), *mlp((400, 120, 84, 10)),
    )  # fmt: skip


class Recurrent(nn.Module):
    """A recurrent layer and a classifier on its mean output."""

    def __init__(self, layer, width, classes):
        super().__init__()
        self.layer, self.classify = layer, nn.Linear(width, classes)

    def forward(self, x):
        return self.classify(self.layer(x)[0].mean(1))


def lstm():
    layer = nn.LSTM(LSTM.input[2], LSTM.hidden, batch_first=True)
    return Recurrent(layer, LSTM.hidden, LSTM.classes)


class Block(nn.Module):
    """A transformer block with explicit attention."""

    def __init__(self, width, heads, activation):
        super().__init__()
        self.heads, self.scale, self.activation = heads, (width // heads) ** -0.5, activation
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x):
        b, t, d = x.shape
        return x.reshape(b, t, self.heads, d // self.heads).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        z = self.norm1(x)
        q, k, v = self.split(self.query(z)), self.split(self.key(z)), self.split(self.value(z))
        scores = q * self.scale @ k.transpose(2, 3)
        weights = torch.softmax(scores if mask is None else scores + mask, -1)
        x = x + self.out((weights @ v).permute(0, 2, 1, 3).reshape(x.shape))
        return x + self.down(self.activation(self.up(self.norm2(x))))


def blocks(shape, activation):
    return nn.ModuleList(Block(shape.width, shape.heads, activation) for _ in range(shape.layers))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        g = GPT
        self.words, self.positions = nn.Embedding(g.words, g.width), nn.Embedding(g.length, g.width)
        self.blocks = blocks(g, nn.functional.gelu)
        self.norm, self.out = nn.LayerNorm(g.width), nn.Linear(g.width, g.words)
        self.register_buffer("mask", torch.from_numpy(sizes.causal_mask()))

    def forward(self, ids):
        x = self.words(ids) + self.positions.weight
        for block in self.blocks:
            x = block(x, self.mask)
        return self.out(self.norm(x))


def prepared(function, style):
    """Prepare a network or function for `style`."""
    if style == COMPILED:
        return torch.compile(function)
    return function.to(memory_format=torch.channels_last) if style == CHANNELS_LAST else function


def images(x, style):
    format = torch.channels_last if style == CHANNELS_LAST else torch.contiguous_format
    return torch.from_numpy(x).contiguous(memory_format=format)


def chain(x):
    z = x
    for _ in range(CHAIN.operations // 2):
        z = torch.sin(z) * x
    return z.sum()


def small_forward(style):
    x, function = torch.from_numpy(sizes.numbers(CHAIN.elements)), prepared(chain, style)
    return lambda: function(x).numpy()


def small_gradient(style):
    x = torch.from_numpy(sizes.numbers(CHAIN.elements)).requires_grad_()
    function = prepared(chain, style)
    return lambda: torch.autograd.grad(function(x), x)[0].numpy()


def trainer(net, optimizer, loss_fn):
    def step(x, y):
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def adam(parameters):
    return torch.optim.Adam(parameters, 1e-3)


def momentum(parameters):
    return torch.optim.SGD(parameters, 1e-2, momentum=0.9)


def classifier(shape, net, optimizer=adam):
    def case(style):
        module = prepared(net(), style)
        step = trainer(module, optimizer(module.parameters()), nn.CrossEntropyLoss())
        numbers = sizes.numbers(*shape.input)
        x = images(numbers, style) if len(shape.input) == 4 else torch.from_numpy(numbers)
        y = torch.from_numpy(sizes.classes(shape).astype(np.int64))
        return lambda: step(x, y)

    return case


def gpt(style):
    net, cross_entropy = prepared(Gpt(), style), nn.CrossEntropyLoss()
    step = trainer(net, adam(net.parameters()), lambda z, y: cross_entropy(z.flatten(0, 1), y))
    x, y = (torch.from_numpy(a.astype(np.int64)) for a in sizes.text())
    return lambda: step(x, y.flatten())


CASES = {
    "small operation, forward": small_forward,
    "small operation, forward + backward": small_gradient,
    "MLP step": classifier(MLP, mlp),
    "LeNet-5 step": classifier(sizes.LENET, lenet, momentum),
    "LSTM step": classifier(LSTM, lstm),
    "GPT step": gpt,
}
