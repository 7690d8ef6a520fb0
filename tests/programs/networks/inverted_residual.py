"""Inverted residuals with squeeze-and-excite: a table of rows, hard activations, RMSProp."""

import math

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import Normal, initializer


def make_divisible(value, divisor=8, min_value=None):
    """`value` to the nearest multiple of `divisor`, by at most a tenth less."""
    if min_value is None:
        min_value = divisor
    new_value = max(min_value, int(value + divisor / 2) // divisor * divisor)
    if new_value < 0.9 * value:
        new_value += divisor
    return new_value


class ConvNormAct(nn.SequentialCell):
    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, groups=1, act=nn.ReLU):
        cells = [
            nn.Conv2d(
                in_channels,
                out_channels,
                kernel_size,
                stride=stride,
                pad_mode="pad",
                padding=(kernel_size - 1) // 2,
                group=groups,
                has_bias=False,
            ),
            nn.BatchNorm2d(out_channels, momentum=0.9, eps=1e-3),
        ]
        if act is not None:
            cells.append(act())
        super().__init__(cells)


class SqueezeExcite(nn.Cell):
    def __init__(self, channels, ratio=0.25, gate="hsigmoid"):
        super().__init__()
        reduced = make_divisible(channels * ratio, 4)
        self.conv_reduce = nn.Conv2d(channels, reduced, 1, has_bias=True)
        self.act = nn.get_activation("relu")
        self.conv_expand = nn.Conv2d(reduced, channels, 1, has_bias=True)
        self.gate = nn.get_activation(gate)
        self.pool = ops.ReduceMean(keep_dims=True)
        self.mul = ops.Mul()

    def construct(self, x):
        se = self.pool(x, (2, 3))
        se = self.act(self.conv_reduce(se))
        return self.mul(x, self.gate(self.conv_expand(se)))


class InvertedResidual(nn.Cell):
    def __init__(self, in_channels, kernel, expanded, out_channels, use_se, activation, stride):
        super().__init__()
        if stride not in (1, 2):
            raise ValueError(f"stride must be 1 or 2, but got {stride}")
        self.use_res_connect = stride == 1 and in_channels == out_channels
        act = {"HS": nn.HSwish, "RE": nn.ReLU}[activation]
        layers = []
        if expanded != in_channels:
            layers.append(ConvNormAct(in_channels, expanded, kernel_size=1, act=act))
        layers.append(ConvNormAct(expanded, expanded, kernel, stride, groups=expanded, act=act))
        if use_se:
            layers.append(SqueezeExcite(expanded))
        layers.append(ConvNormAct(expanded, out_channels, kernel_size=1, act=None))
        self.layers = nn.SequentialCell(layers)

    def construct(self, x):
        if self.use_res_connect:
            return x + self.layers(x)
        return self.layers(x)


class MobileNet(nn.Cell):
    # kernel, expanded, out, squeeze, activation, stride
    ROWS = [
        [3, 8, 8, True, "RE", 2],
        [3, 24, 12, False, "RE", 2],
        [5, 48, 12, True, "HS", 1],
    ]

    def __init__(self, num_classes=6, alpha=1.0):
        super().__init__()
        channels = make_divisible(8 * alpha)
        self.features = nn.CellList([ConvNormAct(3, channels, 3, stride=2, act=nn.HSwish)])
        for kernel, expanded, out, use_se, act, stride in self.ROWS:
            self.features.append(
                InvertedResidual(channels, kernel, expanded, out, use_se, act, stride)
            )
            channels = out
        self.features.append(ConvNormAct(channels, 48, kernel_size=1, act=nn.HSwish))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.SequentialCell(
            [nn.Dense(48, 32), nn.HSwish(), nn.Dropout(p=0.0), nn.Dense(32, num_classes)]
        )
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                n = cell.kernel_size[0] * cell.kernel_size[1] * cell.out_channels
                cell.weight.set_data(
                    initializer(Normal(math.sqrt(2.0 / n)), cell.weight.shape, cell.weight.dtype)
                )

    def construct(self, x):
        for feature in self.features:
            x = feature(x)
        x = self.pool(x)
        x = ops.flatten(x)
        return self.classifier(x)


def build():
    return MobileNet()


def batch(step):
    rng = np.random.default_rng([2, step])
    images = rng.standard_normal((4, 3, 32, 32)).astype(np.float32)
    return images, rng.integers(0, 6, 4).astype(np.int32)


def training(net):
    rates = nn.cosine_decay_lr(1e-4, 2e-3, total_step=8, step_per_epoch=4, decay_epoch=2)
    optimizer = nn.RMSProp(
        net.trainable_params(), rates, decay=0.9, momentum=0.9, epsilon=1e-3, weight_decay=1e-5
    )
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)

    def forward_fn(data, label):
        logits = net(data)
        return criterion(logits, label), logits

    grad_fn = ops.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)
    net.set_train()

    def train_step(data, label):
        (loss, _), grads = grad_fn(data, label)
        return ops.depend(loss, optimizer(grads))

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
