"""The cases in MindSpore's API: one file for MindSpore and, through the alias, for sporax."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from bench.shapes import CHAIN, ENCODER, LENET, MLP, lengths, numbers, tokens


def chain(x):
    z = x
    for _ in range(CHAIN.operations // 2):
        z = ops.sin(z) * x
    return z.sum()


def small_forward():
    x = Tensor(numbers(CHAIN.elements))
    return lambda: chain(x).asnumpy()


def small_gradient():
    x, gradient = Tensor(numbers(CHAIN.elements)), ms.grad(chain)
    return lambda: gradient(x).asnumpy()


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        sizes = MLP.sizes
        self.layers = nn.SequentialCell(
            nn.Dense(sizes[0], sizes[1]), nn.ReLU(),
            nn.Dense(sizes[1], sizes[2]), nn.ReLU(),
            nn.Dense(sizes[2], sizes[3]),
        )  # fmt: skip

    def construct(self, x):
        return self.layers(x)


class LeNet5(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool, self.flatten, self.relu = nn.MaxPool2d(2, 2), nn.Flatten(), nn.ReLU()
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.flatten(self.pool(self.relu(self.conv2(x))))
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


class Block(nn.Cell):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.scale = heads, (width // heads) ** -0.5
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.query, self.key = nn.Dense(width, width), nn.Dense(width, width)
        self.value, self.out = nn.Dense(width, width), nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)

    def split(self, x):
        b, t, d = x.shape
        return x.reshape((b, t, self.heads, d // self.heads)).transpose((0, 2, 1, 3))

    def construct(self, x):
        z = self.norm1(x)
        q, k, v = self.split(self.query(z)), self.split(self.key(z)), self.split(self.value(z))
        weights = ops.softmax(ops.matmul(q * self.scale, k.transpose((0, 1, 3, 2))), -1)
        mixed = ops.matmul(weights, v).transpose((0, 2, 1, 3)).reshape(x.shape)
        x = x + self.out(mixed)
        return x + self.down(ops.relu(self.up(self.norm2(x))))


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        e = ENCODER
        self.embed = nn.Embedding(e.words, e.width)
        self.blocks = nn.SequentialCell(*[Block(e.width, e.heads) for _ in range(e.layers)])
        self.classify = nn.Dense(e.width, e.classes)

    def construct(self, ids):
        return self.classify(self.blocks(self.embed(ids)).mean(1))


def trainer(net, optimizer, jit):
    loss_fn = nn.CrossEntropyLoss()
    net.set_train()

    def forward(x, y):
        return loss_fn(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return ms.jit(step) if jit else step


def training(shape, net, optimizer, jit):
    net = net()
    step = trainer(net, optimizer(net.trainable_params()), jit)
    x = Tensor(numbers(*shape.input))
    y = Tensor((np.arange(shape.input[0]) % shape.classes).astype(np.int32))
    return lambda: step(x, y).asnumpy()


def mlp(jit=False):
    return training(MLP, Mlp, lambda p: nn.Adam(p, 1e-3), jit)


def lenet(jit=False):
    return training(LENET, LeNet5, lambda p: nn.Momentum(p, 1e-2, 0.9), jit)


def changing_lengths():
    """One call is a step on sentences of the next length."""
    net = Encoder()
    step = trainer(net, nn.Adam(net.trainable_params(), 1e-3), False)
    y = Tensor((np.arange(ENCODER.batch) % ENCODER.classes).astype(np.int32))
    following = iter(lengths())
    return lambda: step(Tensor(tokens(next(following))), y).asnumpy()


CASES = {
    "small operation, forward": small_forward,
    "small operation, forward + backward": small_gradient,
    "MLP step, dynamic": mlp,
    "MLP step, jit": lambda: mlp(True),
    "LeNet-5 step, dynamic": lenet,
    "LeNet-5 step, jit": lambda: lenet(True),
    "encoder, a new length each step": changing_lengths,
}
