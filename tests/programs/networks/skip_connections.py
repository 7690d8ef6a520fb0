"""An encoder and a decoder with skip connections, transposed convolutions, Dice loss."""

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops.functional as F
import mindspore.ops.operations as P
import numpy as np
from mindspore import Tensor, ops


def double_conv(in_channels, out_channels):
    return nn.SequentialCell(
        [
            nn.Conv2d(in_channels, out_channels, 3, pad_mode="same", has_bias=True),
            nn.BatchNorm2d(out_channels),
            nn.LeakyReLU(0.1),
            nn.Conv2d(out_channels, out_channels, 3, pad_mode="same", has_bias=True),
            nn.PReLU(),
        ]
    )


class Up(nn.Cell):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.up = nn.Conv2dTranspose(
            in_channels, out_channels, kernel_size=2, stride=2, pad_mode="same", has_bias=True
        )
        self.conv = double_conv(out_channels * 2, out_channels)
        self.concat = P.Concat(axis=1)

    def construct(self, x, skip):
        return self.conv(self.concat((skip, self.up(x))))


class UNet(nn.Cell):
    def __init__(self, channels=(4, 8, 16), classes=2):
        super().__init__()
        self.inc = double_conv(1, channels[0])
        self.down = nn.CellList([double_conv(a, b) for a, b in zip(channels[:-1], channels[1:])])
        self.maxpool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.up = nn.CellList(
            [Up(b, a) for a, b in reversed(list(zip(channels[:-1], channels[1:])))]
        )
        self.outc = nn.Conv2d(channels[0], classes, kernel_size=1, has_bias=True)

    def construct(self, x):
        skips = [self.inc(x)]
        for block in self.down:
            skips.append(block(self.maxpool(skips[-1])))
        x = skips.pop()
        for block in self.up:
            x = block(x, skips.pop())
        return self.outc(x)


class DiceAndEntropy(nn.Cell):
    def __init__(self, classes=2, smooth=1e-5):
        super().__init__()
        self.classes, self.smooth = classes, smooth
        self.softmax = nn.Softmax(axis=1)
        self.sum = P.ReduceSum(keep_dims=False)

    def construct(self, logits, label):
        target = F.transpose(
            ops.one_hot(label, self.classes, Tensor(1.0), Tensor(0.0)), (0, 3, 1, 2)
        )
        probability = self.softmax(logits)
        both = self.sum(probability * target, (0, 2, 3))
        either = self.sum(probability, (0, 2, 3)) + self.sum(target, (0, 2, 3))
        dice = 1 - ((2 * both + self.smooth) / (either + self.smooth)).mean()
        entropy = -(target * F.log(probability + 1e-7)).sum(axis=1).mean()
        return dice + entropy


def build():
    return UNet()


def batch(step):
    rng = np.random.default_rng([9, step])
    images = rng.standard_normal((2, 1, 16, 16)).astype(np.float32)
    return images, (images[:, 0] > 0.3).astype(np.int32)


def training(net):
    net.set_train(True)
    criterion = DiceAndEntropy()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=3e-3, weight_decay=5e-4)
    net_with_loss = nn.WithLossCell(net, criterion)
    grad = ops.GradOperation(get_by_list=True, sens_param=True)

    def train_step(data, label):
        loss = net_with_loss(data, label)
        sens = F.fill(loss.dtype, loss.shape, 1024.0)
        grads = grad(net_with_loss, optimizer.parameters)(data, label, sens)
        grads = tuple(g / 1024.0 for g in grads)
        return F.depend(loss, optimizer(grads))

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
