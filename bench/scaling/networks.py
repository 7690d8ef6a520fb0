"""The counted training steps, and three ways to partition each."""

import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops, parallel

HEADS = 8


class MLP(nn.Cell):
    """Three products; a weight's first dimension is its number of outputs."""

    def __init__(self, width=512, hidden=2048, classes=16):
        super().__init__()
        self.first, self.second = nn.Dense(width, hidden), nn.Dense(hidden, width)
        self.head = nn.Dense(width, classes)

    def construct(self, x):
        return self.head(ops.relu(self.second(ops.relu(self.first(x)))))

    def divided(self):
        """{Parameter: its placement} for a partition of the hidden units: columns, then rows."""
        first, second = self.first, self.second
        return {first.weight: ("model",), first.bias: ("model",), second.weight: (None, "model")}


class Block(nn.Cell):
    """Attention and a feed-forward network, each with a residual connection."""

    def __init__(self, width, hidden):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.query, self.key, self.value, self.out = (nn.Dense(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Dense(width, hidden), nn.Dense(hidden, width)

    def construct(self, x):
        rows, length, width = x.shape
        y = self.norm1(x)
        q, k, v = (
            part(y).reshape(rows, length, HEADS, width // HEADS).swapaxes(1, 2)
            for part in (self.query, self.key, self.value)
        )
        scores = ops.softmax(q @ k.swapaxes(2, 3) * (width // HEADS) ** -0.5, -1)
        x = x + self.out((scores @ v).swapaxes(1, 2).reshape(rows, length, width))
        return x + self.narrow(ops.gelu(self.wide(self.norm2(x))))

    def divided(self):
        placements = {self.out.weight: (None, "model"), self.narrow.weight: (None, "model")}
        for layer in (self.query, self.key, self.value, self.wide):
            placements |= {layer.weight: ("model",), layer.bias: ("model",)}
        return placements


class Transformer(nn.Cell):
    """Blocks, and a classifier of the mean."""

    def __init__(self, width=256, hidden=1024, blocks=2, classes=16):
        super().__init__()
        self.blocks = nn.CellList([Block(width, hidden) for _ in range(blocks)])
        self.head = nn.Dense(width, classes)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))

    def divided(self):
        """{Parameter: its placement} for a partition of heads and hidden units."""
        return {p: spec for block in self.blocks for p, spec in block.divided().items()}


class Training:
    """A network and Momentum; `step` is one of their steps."""

    def __init__(self, net):
        self.net, self.loss = net, nn.CrossEntropyLoss()
        self.optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
        self.gradient = ms.value_and_grad(
            lambda x, y: self.loss(self.net(x), y), None, self.optimizer.parameters
        )

    def step(self, x, y):
        loss, gradients = self.gradient(x, y)
        self.optimizer(gradients)
        return loss

    def divide_states(self):
        parallel.divide(self.optimizer.moments)

    def divide_units(self):
        placements = self.net.divided()
        for p, moment in zip(self.optimizer.parameters, self.optimizer.moments, strict=True):
            if p in placements:
                parallel.place(p, *placements[p])
                parallel.place(moment, *placements[p])


# name -> (network, shape of a batch)
NETWORKS = {
    "MLP": (MLP, (4096, 512)),
    "transformer": (Transformer, (512, 64, 256)),
    "large transformer": (lambda: Transformer(768, 3072, 12), (512, 256, 768)),
}
# name -> (the axes of the mesh for n devices, the function that partitions the Parameters)
WAYS = {
    "data": (lambda n: {"data": n}, lambda training: None),
    "states": (lambda n: {"data": n}, Training.divide_states),
    "tensor": (
        lambda n: {"data": max(n // HEADS, 1), "model": min(n, HEADS)}, Training.divide_units,
    ),
}  # fmt: skip


def batch(shape):
    """Inputs and labels."""
    return Tensor(np.zeros(shape, np.float32)), Tensor(np.zeros(shape[0], np.int32))
