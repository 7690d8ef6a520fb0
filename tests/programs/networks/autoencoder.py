"""A variational autoencoder whose noise comes with the batch; trained by Model-style cells."""

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import context  # noqa: F401  what scripts import whether they use it or not


class Encoder(nn.Cell):
    def __init__(self, latent):
        super().__init__()
        self.net = nn.SequentialCell(
            nn.Conv2d(1, 4, 3, stride=2, pad_mode="same", has_bias=True),
            nn.ELU(),
            nn.Conv2d(4, 8, 3, stride=2, pad_mode="same", has_bias=True),
            nn.ELU(),
            nn.Flatten(),
        )
        self.mu = nn.Dense(8 * 2 * 2, latent)
        self.log_var = nn.Dense(8 * 2 * 2, latent)

    def construct(self, x):
        x = self.net(x)
        return self.mu(x), self.log_var(x)


class Decoder(nn.Cell):
    def __init__(self, latent):
        super().__init__()
        self.fc = nn.Dense(latent, 8 * 2 * 2, activation="relu")
        self.up1 = nn.Conv2dTranspose(8, 4, 4, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.up2 = nn.Conv2dTranspose(4, 1, 3, stride=2, pad_mode="same", has_bias=True)
        self.act = ops.Softplus()

    def construct(self, z):
        x = self.fc(z).reshape((-1, 8, 2, 2))
        return self.up2(self.act(self.up1(x)))


class VAE(nn.Cell):
    def __init__(self, latent=3):
        super().__init__()
        self.encoder = Encoder(latent)
        self.decoder = Decoder(latent)
        self.exp = ops.Exp()

    def construct(self, x, noise):
        mu, log_var = self.encoder(x)
        std = self.exp(0.5 * log_var)
        z = ops.addcmul(mu, std, noise, ms.Tensor([1.0], ms.float32))
        return self.decoder(z), mu, log_var


class ELBO(nn.Cell):
    def __init__(self, net, beta=0.5):
        super().__init__()
        self.net = net
        self.beta = beta
        self.bce = nn.BCEWithLogitsLoss(reduction="sum")

    def construct(self, x, noise):
        logits, mu, log_var = self.net(x, noise)
        reconstruction = self.bce(logits, x) / x.shape[0]
        kl = -0.5 * ops.reduce_sum(1 + log_var - ops.pow(mu, 2) - ops.exp(log_var), 1)
        return reconstruction + self.beta * kl.mean()


def build():
    return VAE()


def forward(net, x, noise):
    return net(x, noise)


def batch(step):
    rng = np.random.default_rng([15, step])
    images = rng.random((4, 1, 8, 8)).astype(np.float32)
    return images, rng.standard_normal((4, 3)).astype(np.float32)


def training(net):
    elbo = ELBO(net)
    optimizer = nn.RMSProp(params=net.trainable_params(), learning_rate=1e-3, centered=True)
    step = nn.TrainOneStepCell(elbo, optimizer)
    return step.set_train()


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
