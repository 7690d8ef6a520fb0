"""A small residual network in the model-zoo style: groups, a list of rates, clipping by hand."""

import argparse
import math

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.common import initializer as init

RNG = np.random.default_rng(11)


def weight(shape):
    fan_in = int(np.prod(shape[1:]))
    return ms.Tensor((RNG.standard_normal(shape) * math.sqrt(2.0 / fan_in)).astype("float32"))


def conv3x3(in_channels, out_channels, stride=1):
    return nn.Conv2d(
        in_channels,
        out_channels,
        3,
        stride=stride,
        padding=1,
        pad_mode="pad",
        weight_init=weight((out_channels, in_channels, 3, 3)),
    )


def conv1x1(in_channels, out_channels, stride=1):
    return nn.Conv2d(
        in_channels,
        out_channels,
        1,
        stride=stride,
        padding=0,
        pad_mode="same",
        weight_init=weight((out_channels, in_channels, 1, 1)),
    )


class BasicBlock(nn.Cell):
    expansion = 1

    def __init__(self, in_channels, channels, stride=1, downsample=None):
        super().__init__()
        self.conv1 = conv3x3(in_channels, channels, stride)
        self.bn1 = nn.BatchNorm2d(channels, eps=1e-4, momentum=0.9, gamma_init=1, beta_init=0)
        self.relu = nn.ReLU()
        self.conv2 = conv3x3(channels, channels)
        self.bn2 = nn.BatchNorm2d(channels)
        self.down_sample = downsample
        self.add = ops.Add()

    def construct(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        return self.relu(self.add(out, identity))


class ResNet(nn.Cell):
    def __init__(self, block, layers, num_classes=5):
        super().__init__(auto_prefix=True)
        self.in_channels = 8
        self.conv1 = conv3x3(3, 8)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu = ops.ReLU()
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        self.layer1 = self._make_layer(block, 8, layers[0])
        self.layer2 = self._make_layer(block, 16, layers[1], stride=2)
        self.mean = ops.ReduceMean(keep_dims=True)
        self.flatten = nn.Flatten()
        self.end_point = nn.Dense(
            16, num_classes, weight_init=weight((num_classes, 16)), bias_init="zeros"
        )

    def _make_layer(self, block, channels, blocks, stride=1):
        down = None
        if stride != 1 or self.in_channels != channels * block.expansion:
            down = nn.SequentialCell(
                [conv1x1(self.in_channels, channels, stride), nn.BatchNorm2d(channels)]
            )
        layers = [block(self.in_channels, channels, stride, down)]
        self.in_channels = channels
        for _ in range(1, blocks):
            layers.append(block(self.in_channels, channels))
        return nn.SequentialCell(layers)

    def construct(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.maxpool(x)
        x = self.layer2(self.layer1(x))
        x = self.flatten(self.mean(x, (2, 3)))
        return self.end_point(x)


class LabelSmoothing(nn.LossBase):
    def __init__(self, smooth, classes, reduction="mean"):
        super().__init__(reduction)
        self.onehot = ops.OneHot()
        self.on_value = ms.Tensor(1.0 - smooth, ms.float32)
        self.off_value = ms.Tensor(smooth / (classes - 1), ms.float32)
        self.classes = classes
        self.log_softmax = ops.LogSoftmax(axis=-1)

    def construct(self, logits, labels):
        target = self.onehot(labels, self.classes, self.on_value, self.off_value)
        nll = -(self.log_softmax(logits) * target).sum(axis=1)
        return self.get_loss(nll)


def lr_schedule(total, peak=0.05, warmup=4):
    rates = []
    for step in range(total):
        if step < warmup:
            rates.append(peak * (step + 1) / warmup)
        else:
            rates.append(0.5 * peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))))
    return np.array(rates).astype(np.float32)


def global_norm(grads):
    total = ms.Tensor(0.0, ms.float32)
    for g in grads:
        total = total + ops.square(g).sum()
    return ops.sqrt(total)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--jit", action="store_true")
    args = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE if args.graph else ms.PYNATIVE_MODE)
    ms.set_seed(0)
    net = ResNet(BasicBlock, [1, 1])
    for name, cell in net.cells_and_names():
        if isinstance(cell, nn.Conv2d):
            cell.weight.set_data(
                init.initializer(weight(cell.weight.shape), cell.weight.shape, cell.weight.dtype)
            )
    steps = 7
    decayed = [
        p
        for p in net.trainable_params()
        if "gamma" not in p.name and "beta" not in p.name and "bias" not in p.name
    ]
    rest = [p for p in net.trainable_params() if all(p is not q for q in decayed)]
    groups = [
        {"params": decayed, "weight_decay": 1e-3},
        {"params": rest},
        {"order_params": net.trainable_params()},
    ]
    opt = nn.Momentum(groups, ms.Tensor(lr_schedule(steps)), 0.9, weight_decay=0.0, loss_scale=1.0)
    loss_fn = LabelSmoothing(0.1, 5)
    images = RNG.random((4, 8, 3, 16, 16), dtype="float32")
    labels = RNG.integers(0, 5, (4, 8)).astype("int32")

    def forward_fn(x, y):
        logits = net(x)
        return loss_fn(logits, y), logits

    grad_fn = ms.value_and_grad(forward_fn, None, opt.parameters, has_aux=True)

    def train_step(x, y):
        (loss, logits), grads = grad_fn(x, y)
        norm = global_norm(grads)
        scale = ops.minimum(ms.Tensor(1.0, ms.float32), 1.0 / (norm + 1e-6))
        grads = tuple(g * scale for g in grads)
        opt(grads)
        return loss, norm

    if args.jit:
        train_step = ms.jit(train_step)
    net.set_train()
    for step in range(steps):
        loss, norm = train_step(ms.Tensor(images[step % 4]), ms.Tensor(labels[step % 4]))
        if step % 3 == 0:
            print(f"step {step} loss {loss.asnumpy():.5f} norm {float(norm):.5f}")
    net.set_train(False)
    out = net(ms.Tensor(images[0]))
    print(out.shape, out.dtype)
    print(out[:2])
    print(net.layer1)
    print(net.bn1.moving_mean)
    print(net.bn1.moving_variance.asnumpy()[:4])
    print([p.name for p in net.get_parameters() if not p.requires_grad][:4])
    print(len(net.trainable_params()), len(list(net.get_parameters())))


main()
