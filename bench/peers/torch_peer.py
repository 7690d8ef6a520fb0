"""The cases in PyTorch, eager."""

import numpy as np
import torch
from torch import nn

from bench.shapes import CHAIN, ENCODER, LENET, MLP, lengths, numbers, tokens


def chain(x):
    z = x
    for _ in range(CHAIN.operations // 2):
        z = torch.sin(z) * x
    return z.sum()


def small_forward():
    x = torch.from_numpy(numbers(CHAIN.elements))
    return lambda: chain(x).numpy()


def small_gradient():
    x = torch.from_numpy(numbers(CHAIN.elements)).requires_grad_()
    return lambda: torch.autograd.grad(chain(x), x)[0].numpy()


def mlp_net():
    a, b, c, d = MLP.sizes
    return nn.Sequential(
        nn.Linear(a, b), nn.ReLU(), nn.Linear(b, c), nn.ReLU(), nn.Linear(c, d)
    )  # fmt: skip


def lenet_net():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84),
        nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def split(self, x):
        b, t, d = x.shape
        return x.reshape(b, t, self.heads, d // self.heads).permute(0, 2, 1, 3)

    def forward(self, x):
        z = self.norm1(x)
        q, k, v = self.split(self.query(z)), self.split(self.key(z)), self.split(self.value(z))
        weights = torch.softmax(q * self.scale @ k.transpose(2, 3), -1)
        x = x + self.out((weights @ v).permute(0, 2, 1, 3).reshape(x.shape))
        return x + self.down(torch.relu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        e = ENCODER
        self.embed = nn.Embedding(e.words, e.width)
        self.blocks = nn.Sequential(*[Block(e.width, e.heads) for _ in range(e.layers)])
        self.classify = nn.Linear(e.width, e.classes)

    def forward(self, ids):
        return self.classify(self.blocks(self.embed(ids)).mean(1))


def trainer(net, optimizer):
    loss_fn = nn.CrossEntropyLoss()

    def step(x, y):
        optimizer.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def training(shape, net, optimizer):
    step = trainer(net, optimizer(net.parameters()))
    x = torch.from_numpy(numbers(*shape.input))
    y = torch.arange(shape.input[0]) % shape.classes
    return lambda: step(x, y)


def mlp():
    return training(MLP, mlp_net(), lambda p: torch.optim.Adam(p, 1e-3))


def lenet():
    return training(LENET, lenet_net(), lambda p: torch.optim.SGD(p, 1e-2, momentum=0.9))


def changing_lengths():
    net = Encoder()
    step = trainer(net, torch.optim.Adam(net.parameters(), 1e-3))
    y = torch.arange(ENCODER.batch) % ENCODER.classes
    following = iter(lengths())
    return lambda: step(torch.from_numpy(tokens(next(following)).astype(np.int64)), y)


CASES = {
    "small operation, forward": small_forward,
    "small operation, forward + backward": small_gradient,
    "MLP step, dynamic": mlp,
    "MLP step, jit": mlp,  # eager again: what the jit rows are measured against
    "LeNet-5 step, dynamic": lenet,
    "LeNet-5 step, jit": lenet,
    "encoder, a new length each step": changing_lengths,
}
