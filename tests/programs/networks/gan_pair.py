"""A generator and a discriminator of convolutions, each with its optimizer, one step for both."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common import initializer as init


def conv(in_channels, out_channels, kernel_size, stride, padding):
    return nn.Conv2d(
        in_channels,
        out_channels,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        weight_init=init.Normal(0.02),
        has_bias=False,
        pad_mode="pad",
    )


def conv_transpose(in_channels, out_channels, kernel_size, stride=1, padding=0):
    return nn.Conv2dTranspose(
        in_channels,
        out_channels,
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        weight_init=init.Normal(0.02),
        has_bias=False,
        pad_mode="pad",
    )


class Generator(nn.Cell):
    def __init__(self, nz=6, ngf=4, nc=1):
        super().__init__()
        self.generator = nn.SequentialCell()
        self.generator.append(conv_transpose(nz, ngf * 2, 4, 1, 0))
        self.generator.append(nn.BatchNorm2d(ngf * 2))
        self.generator.append(nn.ReLU())
        self.generator.append(conv_transpose(ngf * 2, ngf, 4, 2, 1))
        self.generator.append(nn.BatchNorm2d(ngf))
        self.generator.append(nn.ReLU())
        self.generator.append(conv_transpose(ngf, nc, 4, 2, 1))
        self.generator.append(nn.Tanh())

    def construct(self, x):
        return self.generator(x)


class Discriminator(nn.Cell):
    def __init__(self, ndf=4, nc=1):
        super().__init__()
        self.discriminator = nn.SequentialCell(
            conv(nc, ndf, 4, 2, 1),
            nn.LeakyReLU(0.2),
            conv(ndf, ndf * 2, 4, 2, 1),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2),
            conv(ndf * 2, 1, 4, 1, 0),
        )
        self.sigmoid = nn.Sigmoid()

    def construct(self, x):
        return self.sigmoid(self.discriminator(x)).reshape(x.shape[0], -1)


class WithLossG(nn.Cell):
    def __init__(self, net_d, net_g, loss_fn):
        super().__init__(auto_prefix=True)
        self.net_d, self.net_g, self.loss_fn = net_d, net_g, loss_fn

    def construct(self, latent):
        fake = self.net_g(latent)
        out = self.net_d(fake)
        return self.loss_fn(out, ops.ones_like(out))


class WithLossD(nn.Cell):
    def __init__(self, net_d, net_g, loss_fn):
        super().__init__(auto_prefix=True)
        self.net_d, self.net_g, self.loss_fn = net_d, net_g, loss_fn

    def construct(self, real, latent):
        out1 = self.net_d(real)
        loss1 = self.loss_fn(out1, ops.ones_like(out1))
        fake = ops.stop_gradient(self.net_g(latent))
        out2 = self.net_d(fake)
        return loss1 + self.loss_fn(out2, ops.zeros_like(out2))


class DCGAN(nn.Cell):
    def __init__(self, my_train_one_step_cell_for_d, my_train_one_step_cell_for_g):
        super().__init__(auto_prefix=True)
        self.trainer_d = my_train_one_step_cell_for_d
        self.trainer_g = my_train_one_step_cell_for_g

    def construct(self, real, latent):
        loss_d = self.trainer_d(real, latent).view(-1)
        loss_g = self.trainer_g(latent).view(-1)
        return loss_d.mean(), loss_g.mean()


class Pair(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net_g = Generator()
        self.net_d = Discriminator()

    def construct(self, real, latent):
        return self.net_d(real), self.net_g(latent)


def build():
    return Pair()


def forward(net, real, latent):
    return net(real, latent)


def batch(step):
    rng = np.random.default_rng([10, step])
    real = np.tanh(rng.standard_normal((4, 1, 16, 16)))
    return real.astype(np.float32), rng.standard_normal((4, 6, 1, 1)).astype(np.float32)


def training(net):
    criterion = nn.BCELoss(reduction="mean")
    rate = Tensor(0.002)
    net_d, net_g = net.net_d, net.net_g
    optimizer_d = nn.Adam(net_d.trainable_params(), rate, beta1=0.5, beta2=0.999)
    optimizer_g = nn.Adam(net_g.trainable_params(), learning_rate=rate, beta1=0.5, beta2=0.999)
    step_d = nn.TrainOneStepCell(WithLossD(net_d, net_g, criterion), optimizer_d)
    step_g = nn.TrainOneStepCell(WithLossG(net_d, net_g, criterion), optimizer_g)
    dcgan = DCGAN(step_d, step_g)
    dcgan.set_train()
    return dcgan


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
