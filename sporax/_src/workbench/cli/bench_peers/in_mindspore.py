"""The networks and cases in MindSpore's API, for MindSpore and sporax, dynamic or under `jit`."""

import itertools

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal

from . import sizes
from .sizes import CHAIN, GPT, LSTM, MLP

JIT = "jit"


def mlp(sizes=MLP.sizes, activation=nn.ReLU):
    """Return Dense layers with an activation between each two."""
    layers = []
    for width, out in itertools.pairwise(sizes):
        layers += [nn.Dense(width, out), activation()]
    return nn.SequentialCell(*layers[:-1])


def lenet():
    return nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), *mlp((400, 120, 84, 10)),
    )  # fmt: skip


class Recurrent(nn.Cell):
    """A recurrent layer and a classifier on its mean output."""

    def __init__(self, layer, width, classes):
        super().__init__()
        self.layer, self.classify = layer, nn.Dense(width, classes)

    def construct(self, x):
        return self.classify(self.layer(x)[0].mean(1))


def lstm():
    layer = nn.LSTM(LSTM.input[2], LSTM.hidden, batch_first=True)
    return Recurrent(layer, LSTM.hidden, LSTM.classes)


class Block(nn.Cell):
    """A transformer block with explicit attention."""

    def __init__(self, width, heads, activation):
        super().__init__()
        self.heads, self.scale, self.activation = heads, (width // heads) ** -0.5, activation
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.query, self.key = nn.Dense(width, width), nn.Dense(width, width)
        self.value, self.out = nn.Dense(width, width), nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)

    def split(self, x):
        b, t, d = x.shape
        return x.reshape((b, t, self.heads, d // self.heads)).transpose((0, 2, 1, 3))

    def construct(self, x, mask=None):
        z = self.norm1(x)
        q, k, v = self.split(self.query(z)), self.split(self.key(z)), self.split(self.value(z))
        scores = ops.matmul(q * self.scale, k.transpose((0, 1, 3, 2)))
        if mask is not None:
            scores = scores + mask
        weights = ops.softmax(scores, -1)
        mixed = ops.matmul(weights, v).transpose((0, 2, 1, 3)).reshape(x.shape)
        x = x + self.out(mixed)
        return x + self.down(self.activation(self.up(self.norm2(x))))


def blocks(shape, activation):
    layers = [Block(shape.width, shape.heads, activation()) for _ in range(shape.layers)]
    return nn.CellList(layers)


def exact_gelu():
    return nn.GELU(approximate=False)


def embedding(rows, width):
    """Return an embedding initialised from N(0, 1), as in PyTorch."""
    return nn.Embedding(rows, width, embedding_table=Normal(1.0))


class Gpt(nn.Cell):
    def __init__(self):
        super().__init__()
        g = GPT
        self.words, self.blocks = embedding(g.words, g.width), blocks(g, exact_gelu)
        self.positions = Parameter(Tensor(sizes.numbers(g.length, g.width)), name="positions")
        self.norm, self.out = nn.LayerNorm((g.width,)), nn.Dense(g.width, g.words)
        self.mask = Tensor(sizes.causal_mask())

    def construct(self, ids):
        x = self.words(ids) + self.positions
        for block in self.blocks:
            x = block(x, self.mask)
        return self.out(self.norm(x))


def prepared(function, style):
    return ms.jit(function) if style == JIT else function


def chain(x):
    z = x
    for _ in range(CHAIN.operations // 2):
        z = ops.sin(z) * x
    return z.sum()


def small_forward(style):
    x, function = Tensor(sizes.numbers(CHAIN.elements)), prepared(chain, style)
    return lambda: function(x).asnumpy()


def small_gradient(style):
    x, gradient = Tensor(sizes.numbers(CHAIN.elements)), prepared(ms.grad(chain), style)
    return lambda: gradient(x).asnumpy()


def stepper(loss, optimizer, style):
    """Return a training step: value and gradients of `loss`, then the optimizer."""
    gradient = ms.value_and_grad(loss, None, optimizer.parameters)

    def step(*inputs):
        value, gradients = gradient(*inputs)
        optimizer(gradients)
        return value

    return prepared(step, style)


def trainer(net, optimizer, loss_fn, style):
    net.set_train()

    def loss(x, y):
        return loss_fn(net(x), y)

    return stepper(loss, optimizer, style)


def adam(net):
    return nn.Adam(net.trainable_params(), 1e-3)


def momentum(net):
    return nn.Momentum(net.trainable_params(), 1e-2, 0.9)


def classifier(shape, net, optimizer=adam):
    def case(style):
        cell = net()
        step = trainer(cell, optimizer(cell), nn.CrossEntropyLoss(), style)
        x, y = Tensor(sizes.numbers(*shape.input)), Tensor(sizes.classes(shape))
        return lambda: step(x, y).asnumpy()

    return case


def gpt(style):
    def loss_fn(logits, y):
        return ops.cross_entropy(logits.reshape((-1, GPT.words)), y)

    net = Gpt()
    step = trainer(net, adam(net), loss_fn, style)
    x, y = sizes.text()
    x, y = Tensor(x), Tensor(y.flatten())
    return lambda: step(x, y).asnumpy()


CASES = {
    "small operation, forward": small_forward,
    "small operation, forward + backward": small_gradient,
    "MLP step": classifier(MLP, mlp),
    "LeNet-5 step": classifier(sizes.LENET, lenet, momentum),
    "LSTM step": classifier(LSTM, lstm),
    "GPT step": gpt,
}
