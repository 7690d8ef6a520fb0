"""The counted training steps, and three ways to partition each."""

from types import SimpleNamespace

import numpy as np

import sporax as ms
from sporax import Tensor, nn, parallel

ms.install_as_mindspore()

from bench.peers.networks_mindspore import Stack  # noqa: E402
from bench.shipped.in_mindspore import exact_gelu, mlp  # noqa: E402

HEADS = 8


def transformer(width, layers):
    return Stack(SimpleNamespace(width=width, layers=layers, heads=HEADS, classes=16), exact_gelu)


def partition(net):
    """{Parameter: its placement} for a partition of heads and hidden units: columns, then rows."""
    if not isinstance(net, Stack):
        return _columns_and_rows([net[0]], net[2])
    placements = {}
    for block in net.blocks:
        placements |= _columns_and_rows([block.query, block.key, block.value], block.out)
        placements |= _columns_and_rows([block.up], block.down)
    return placements


def _columns_and_rows(first, second):
    """A weight's first dimension is its number of outputs."""
    placements = {second.weight: (None, "model")}
    for layer in first:
        placements |= {layer.weight: ("model",), layer.bias: ("model",)}
    return placements


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
        placements = partition(self.net)
        for p, moment in zip(self.optimizer.parameters, self.optimizer.moments, strict=True):
            if p in placements:
                parallel.place(p, *placements[p])
                parallel.place(moment, *placements[p])


# name -> (network, shape of a batch)
NETWORKS = {
    "MLP": (lambda: mlp((512, 2048, 512, 16)), (4096, 512)),
    "transformer": (lambda: transformer(256, 2), (512, 64, 256)),
    "large transformer": (lambda: transformer(768, 12), (512, 256, 768)),
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
