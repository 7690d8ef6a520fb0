"""Affine couplings and invertible mixing: densities by change of variables, both directions."""

import math

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


class ActNorm(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.bias = Parameter(ops.zeros((1, dim), ms.float32), name="bias")
        self.log_scale = Parameter(ops.zeros((1, dim), ms.float32), name="log_scale")

    def construct(self, x, reverse=False):
        if reverse:
            return x * ops.exp(-self.log_scale) - self.bias, -self.log_scale.sum()
        return (x + self.bias) * ops.exp(self.log_scale), self.log_scale.sum()


class Mixing(nn.Cell):
    """x (L U)^T with unit lower L and U of a given sign: its determinant is the diagonal's."""

    def __init__(self, dim):
        super().__init__()
        self.lower = Parameter(ops.zeros((dim, dim), ms.float32), name="lower")
        self.upper = Parameter(ops.zeros((dim, dim), ms.float32), name="upper")
        self.log_diagonal = Parameter(ops.zeros(dim, ms.float32), name="log_diagonal")
        self.sign = Tensor(np.where(np.arange(dim) % 2, -1.0, 1.0), ms.float32)
        self.eye = ops.eye(dim, dim, ms.float32)
        self.inverse = ops.MatrixInverse()

    def weight(self):
        lower = ops.tril(self.lower, -1) + self.eye
        upper = ops.triu(self.upper, 1) + ops.diag(self.sign * ops.exp(self.log_diagonal))
        return ops.matmul(lower, upper)

    def construct(self, x, reverse=False):
        w = self.weight()
        if reverse:
            return ops.matmul(x, self.inverse(w).T), -self.log_diagonal.sum()
        return ops.matmul(x, w.T), self.log_diagonal.sum()


class Coupling(nn.Cell):
    def __init__(self, dim, hidden, mask):
        super().__init__()
        self.mask = Parameter(Tensor(mask, ms.float32), name="mask", requires_grad=False)
        self.scale = nn.SequentialCell(
            [nn.Dense(dim, hidden), nn.LeakyReLU(), nn.Dense(hidden, dim), nn.Tanh()]
        )
        self.shift = nn.SequentialCell(
            [nn.Dense(dim, hidden), nn.LeakyReLU(), nn.Dense(hidden, dim)]
        )

    def construct(self, x, reverse=False):
        kept = self.mask * x
        s = self.scale(kept) * (1 - self.mask)
        t = self.shift(kept) * (1 - self.mask)
        if reverse:
            return kept + (1 - self.mask) * (x - t) * ops.exp(-s), -s.sum(axis=-1)
        return kept + (1 - self.mask) * (x * ops.exp(s) + t), s.sum(axis=-1)


class Flow(nn.Cell):
    def __init__(self, dim=4, hidden=8, blocks=2):
        super().__init__()
        steps = []
        for i in range(blocks):
            mask = np.arange(dim) % 2 == i % 2
            steps += [ActNorm(dim), Mixing(dim), Coupling(dim, hidden, mask)]
        self.steps = nn.CellList(steps)
        self.dim = dim

    def construct(self, x):
        """(latent, log density)"""
        log_det = ops.zeros(x.shape[0], x.dtype)
        for step in self.steps:
            x, change = step(x)
            log_det = log_det + change
        prior = -0.5 * (x * x).sum(-1) - 0.5 * self.dim * math.log(2 * math.pi)
        return x, prior + log_det

    def inverse(self, z):
        for step in self.steps[::-1]:
            z, _ = step(z, True)
        return z


def start(net):
    """Masks are constants: the shared rule for weights must not have changed them."""
    for i, step in enumerate(net.steps):
        if isinstance(step, Coupling):
            ops.assign(step.mask, Tensor(np.arange(net.dim) % 2 == i // 3 % 2, ms.float32))
    return net


def build():
    return Flow()


def forward(net, x):
    z, log_density = start(net)(x)
    return z, log_density, net.inverse(z)


def batch(step):
    rng = np.random.default_rng([14, step])
    return (rng.standard_normal((16, 4)).astype(np.float32) * 0.5 + 1,)


def training(net):
    start(net).set_train()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=5e-3)

    def loss_fn(x):
        _, log_density = net(x)
        loss = -log_density.mean()
        return loss, ops.stop_gradient(loss / (net.dim * math.log(2)))

    grad_fn = ops.value_and_grad(loss_fn, None, net.trainable_params(), has_aux=True)

    def train_step(x):
        (loss, bits_per_dim), grads = grad_fn(x)
        optimizer(grads)
        return loss, bits_per_dim

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
