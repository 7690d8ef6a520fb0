"""Densely connected layers: each sees what all before it gave, concatenated."""

from collections import OrderedDict

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np


class DenseLayer(nn.Cell):
    def __init__(self, in_channels, growth_rate, bn_size, drop_rate=0.0):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(in_channels)
        self.relu1 = nn.ReLU()
        self.conv1 = nn.Conv2d(in_channels, bn_size * growth_rate, kernel_size=1, stride=1)
        self.norm2 = nn.BatchNorm2d(bn_size * growth_rate)
        self.relu2 = nn.ReLU()
        self.conv2 = nn.Conv2d(
            bn_size * growth_rate, growth_rate, kernel_size=3, pad_mode="pad", padding=1
        )
        self.drop_rate = drop_rate
        self.dropout = nn.Dropout(p=self.drop_rate)

    def construct(self, features):
        x = self.conv1(self.relu1(self.norm1(features)))
        x = self.conv2(self.relu2(self.norm2(x)))
        if self.drop_rate > 0.0:
            x = self.dropout(x)
        return x


class DenseBlock(nn.Cell):
    def __init__(self, num_layers, in_channels, bn_size, growth_rate, drop_rate):
        super().__init__()
        self.cell_list = nn.CellList()
        for i in range(num_layers):
            self.cell_list.append(
                DenseLayer(in_channels + i * growth_rate, growth_rate, bn_size, drop_rate)
            )
        self.cat = ops.Concat(axis=1)

    def construct(self, init_features):
        features = init_features
        for layer in self.cell_list:
            features = self.cat((features, layer(features)))
        return features


class Transition(nn.Cell):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.features = nn.SequentialCell(
            OrderedDict(
                [
                    ("norm", nn.BatchNorm2d(in_channels)),
                    ("relu", nn.ReLU()),
                    ("conv", nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=1)),
                    ("pool", nn.AvgPool2d(kernel_size=2, stride=2)),
                ]
            )
        )

    def construct(self, x):
        return self.features(x)


class DenseNet(nn.Cell):
    def __init__(self, growth_rate=4, block_config=(2, 3), bn_size=2, num_classes=5):
        super().__init__()
        layers = OrderedDict()
        num_features = 2 * growth_rate
        layers["conv0"] = nn.Conv2d(3, num_features, 7, stride=2, pad_mode="pad", padding=3)
        layers["norm0"] = nn.BatchNorm2d(num_features)
        layers["relu0"] = nn.ReLU()
        layers["pool0"] = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        for i, num_layers in enumerate(block_config):
            block = DenseBlock(num_layers, num_features, bn_size, growth_rate, drop_rate=0.0)
            layers[f"denseblock{i + 1}"] = block
            num_features += num_layers * growth_rate
            if i != len(block_config) - 1:
                layers[f"transition{i + 1}"] = Transition(num_features, num_features // 2)
                num_features = num_features // 2
        layers["norm5"] = nn.BatchNorm2d(num_features)
        layers["relu5"] = nn.ReLU()
        self.features = nn.SequentialCell(layers)
        self.mean = ops.ReduceMean()
        self.classifier = nn.Dense(num_features, num_classes)

    def construct(self, x):
        x = self.features(x)
        x = self.mean(x, (2, 3))
        return self.classifier(x)


class NetWithLoss(nn.Cell):
    def __init__(self, network, loss):
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss = loss

    def construct(self, data, label):
        return self.loss(self.network(data), label)


class TrainStep(nn.TrainOneStepCell):
    """A step of its own, which clips each gradient by value first."""

    def __init__(self, network, optimizer, clip=0.5):
        super().__init__(network, optimizer)
        self.clip = clip
        self.hyper_map = ops.HyperMap()

    def construct(self, data, label):
        loss = self.network(data, label)
        grads = self.grad(self.network, self.weights)(data, label, ops.ones_like(loss))
        grads = self.hyper_map(ops.Partial()(clip_gradient, self.clip), grads)
        grads = self.grad_reducer(grads)
        return ops.depend(loss, self.optimizer(grads))


def clip_gradient(bound, grad):
    return ops.clip_by_value(grad, ms.Tensor(-bound, grad.dtype), ms.Tensor(bound, grad.dtype))


def build():
    return DenseNet()


def batch(step):
    rng = np.random.default_rng([3, step])
    images = rng.standard_normal((4, 3, 32, 32)).astype(np.float32)
    return images, rng.integers(0, 5, 4).astype(np.int32)


def training(net):
    schedule = nn.ExponentialDecayLR(learning_rate=0.05, decay_rate=0.9, decay_steps=2)
    optimizer = nn.SGD(net.trainable_params(), schedule, momentum=0.9, weight_decay=1e-4)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = TrainStep(NetWithLoss(net, loss), optimizer)
    step.set_train(True)
    return step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
