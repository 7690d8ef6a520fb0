"""A GAN on two-dimensional points: two optimizers, stop_gradient, BCE losses, in-place buffers."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

parser = argparse.ArgumentParser()
parser.add_argument("--jit", action="store_true")
args = parser.parse_args()
rng = np.random.RandomState(7)


def dense(i, o, **kw):
    return nn.Dense(
        i,
        o,
        weight_init=Tensor(rng.uniform(-0.4, 0.4, (o, i)).astype(np.float32)),
        bias_init=Tensor(rng.uniform(-0.1, 0.1, o).astype(np.float32)),
        **kw,
    )


class Generator(nn.Cell):
    def __init__(self, latent):
        super().__init__()
        self.net = nn.SequentialCell(
            dense(latent, 16),
            nn.BatchNorm1d(16, momentum=0.8),
            nn.LeakyReLU(0.2),
            dense(16, 16),
            nn.ReLU(),
            dense(16, 2, activation="tanh"),
        )

    def construct(self, z):
        return self.net(z)


class Discriminator(nn.Cell):
    def __init__(self):
        super().__init__()
        layers = []
        for i, o in ((2, 16), (16, 16)):
            layers += [dense(i, o), nn.LeakyReLU(alpha=0.2)]
        self.net = nn.SequentialCell(*layers, dense(16, 1), nn.Sigmoid())

    def construct(self, x):
        return self.net(x)


G, D = Generator(4), Discriminator()
opt_g = nn.Adam(G.trainable_params(), learning_rate=2e-3, beta1=0.5, beta2=0.999)
opt_d = nn.Adam(D.trainable_params(), learning_rate=2e-3, beta1=0.5, beta2=0.999)
opt_g.update_parameters_name("optim_g.")
opt_d.update_parameters_name("optim_d.")
bce = nn.BCELoss(reduction="mean")


def generator_forward(real, z, valid):
    fake = G(z)
    return bce(D(fake), valid), fake


def discriminator_forward(real, fake, valid, zeros):
    real_loss = bce(D(real), valid)
    fake_loss = bce(D(fake), zeros)
    return (real_loss + fake_loss) / 2


grad_g = ms.value_and_grad(generator_forward, None, opt_g.parameters, has_aux=True)
grad_d = ms.value_and_grad(discriminator_forward, None, opt_d.parameters)


def train_step(real, z):
    valid = ops.ones((real.shape[0], 1), ms.float32)
    zeros = ops.zeros((real.shape[0], 1), ms.float32)
    (g_loss, fake), g_grads = grad_g(real, z, valid)
    opt_g(g_grads)
    d_loss, d_grads = grad_d(real, ops.stop_gradient(fake), valid, zeros)
    opt_d(d_grads)
    return g_loss, d_loss, fake


if args.jit:
    train_step = ms.jit(train_step)

G.set_train()
D.set_train()
history = []
for i in range(9):
    angle = rng.rand(32) * 2 * np.pi
    real = np.stack([np.cos(angle), np.sin(angle)], 1).astype(np.float32) * 0.8
    z = rng.randn(32, 4).astype(np.float32)
    g, d, fake = train_step(Tensor(real), Tensor(z))
    history.append((g, d))
    if (i + 1) % 3 == 0:
        print(f"[{i + 1:>3d}/9] G {g.asnumpy():>7.5f} D {d.asnumpy():>7.5f}")
print("mean G", np.mean([h[0].asnumpy() for h in history]).round(5))
print("mean D", float(sum(h[1] for h in history) / len(history)))
G.set_train(False)
print(G(Tensor(z[:3])))
print(G)
print(fake.mean(axis=0), fake.std(axis=0))
print(repr(D.net[0].bias))
for p in opt_g.parameters[:2]:
    print(p.name)
for p in list(opt_d.get_parameters())[:6]:
    print(p.name, p.shape)
