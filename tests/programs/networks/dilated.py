"""Segmentation: depth-wise and dilated convolutions, a pyramid, resizing, a masked loss."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops


class SeparableConv(nn.Cell):
    def __init__(self, in_channels, out_channels, stride=1, dilation=1):
        super().__init__()
        self.depthwise = nn.Conv2d(
            in_channels,
            in_channels,
            3,
            stride,
            pad_mode="pad",
            padding=dilation,
            dilation=dilation,
            group=in_channels,
        )
        self.pointwise = nn.Conv2d(in_channels, out_channels, 1, has_bias=True)
        self.norm = nn.BatchNorm2d(out_channels)
        self.act = nn.ReLU6()

    def construct(self, x):
        return self.act(self.norm(self.pointwise(self.depthwise(x))))


class Pooled(nn.Cell):
    """What the whole picture says, at each place of it."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, 1)
        self.act = nn.ReLU()

    def construct(self, x):
        size = ops.shape(x)
        out = ops.adaptive_avg_pool2d(x, 1)
        out = self.act(self.conv(out))
        return ops.tile(out, (1, 1, size[2], size[3]))


class Pyramid(nn.Cell):
    def __init__(self, in_channels, out_channels, rates):
        super().__init__()
        branches = [nn.Conv2d(in_channels, out_channels, 1)]
        for rate in rates:
            branches.append(nn.Conv2d(in_channels, out_channels, 3, pad_mode="same", dilation=rate))
        branches.append(Pooled(in_channels, out_channels))
        self.branches = nn.CellList(branches)
        self.project = nn.SequentialCell(
            [
                nn.Conv2d(out_channels * len(branches), out_channels, 1),
                nn.GroupNorm(2, out_channels),
            ]
        )

    def construct(self, x):
        found = ()
        for branch in self.branches:
            found += (branch(x),)
        return self.project(ops.concat(found, 1))


class Segmenter(nn.Cell):
    def __init__(self, num_classes=3):
        super().__init__()
        self.stem = nn.SequentialCell(SeparableConv(3, 8, stride=2), SeparableConv(8, 8))
        self.low = nn.Conv2d(8, 4, 1)
        self.deep = nn.SequentialCell(
            SeparableConv(8, 12, stride=2), SeparableConv(12, 12, dilation=2)
        )
        self.aspp = Pyramid(12, 8, rates=(1, 2, 3))
        self.head = nn.SequentialCell(
            [nn.Conv2d(12, 8, 3, pad_mode="same"), nn.ReLU(), nn.Conv2d(8, num_classes, 1)]
        )

    def construct(self, x):
        low = self.stem(x)
        out = self.aspp(self.deep(low))
        out = ops.interpolate(out, size=low.shape[2:], mode="bilinear", align_corners=True)
        out = self.head(ops.concat((out, self.low(low)), axis=1))
        return ops.interpolate(out, size=x.shape[2:], mode="bilinear", align_corners=True)


class PixelLoss(nn.Cell):
    def __init__(self, num_classes, ignore_label=255):
        super().__init__()
        self.num_classes = num_classes
        self.ignore_label = ignore_label
        self.one_hot = ops.OneHot(axis=-1)
        self.on_value = ms.Tensor(1.0, ms.float32)
        self.off_value = ms.Tensor(0.0, ms.float32)
        self.not_equal = ops.NotEqual()
        self.cast = ops.Cast()
        self.ce = nn.SoftmaxCrossEntropyWithLogits()
        self.sum = ops.ReduceSum(False)
        self.div = ops.RealDiv()

    def construct(self, logits, labels):
        labels_int = self.cast(labels, ms.int32).reshape((-1,))
        logits = ops.transpose(logits, (0, 2, 3, 1)).reshape((-1, self.num_classes))
        weights = self.cast(self.not_equal(labels_int, self.ignore_label), ms.float32)
        one_hot = self.one_hot(labels_int, self.num_classes, self.on_value, self.off_value)
        loss = ops.mul(weights, self.ce(logits, one_hot))
        return self.div(self.sum(loss), self.sum(weights))


def build():
    return Segmenter()


def batch(step):
    rng = np.random.default_rng([6, step])
    images = rng.standard_normal((2, 3, 16, 16)).astype(np.float32)
    labels = rng.integers(0, 3, (2, 16, 16))
    labels[rng.random((2, 16, 16)) < 0.2] = 255
    return images, labels.astype(np.int32)


def training(net):
    net.set_train()
    loss_fn = PixelLoss(3)
    optimizer = nn.Adagrad(net.trainable_params(), accum=0.1, learning_rate=0.02)

    def forward_fn(image, label):
        return loss_fn(net(image), label)

    grad_fn = ms.value_and_grad(forward_fn, None, net.trainable_params())

    def train_step(image, label):
        loss, grads = grad_fn(image, label)
        optimizer(grads)
        return loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
