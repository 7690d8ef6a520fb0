"""Branches of several receptive fields, concatenated; an auxiliary head while training."""

from typing import Tuple, Union

import mindspore as ms
import mindspore.ops.operations as P
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import XavierUniform, initializer


class BasicConv2d(nn.Cell):
    def __init__(self, in_channels, out_channels, kernel_size=1, stride=1, padding=0, mode="pad"):
        super().__init__()
        self.conv = nn.Conv2d(
            in_channels, out_channels, kernel_size, stride, padding=padding, pad_mode=mode
        )
        self.bn = nn.BatchNorm2d(out_channels, eps=0.001, momentum=0.9997)
        self.relu = P.ReLU()

    def construct(self, x):
        return self.relu(self.bn(self.conv(x)))


class InceptionA(nn.Cell):
    def __init__(self, in_channels, pool_features):
        super().__init__()
        self.branch0 = BasicConv2d(in_channels, 4, kernel_size=1)
        self.branch1 = nn.SequentialCell(
            [
                BasicConv2d(in_channels, 4, kernel_size=1),
                BasicConv2d(4, 6, kernel_size=5, mode="same"),
            ]
        )
        self.branch2 = nn.SequentialCell(
            [
                BasicConv2d(in_channels, 4, kernel_size=1),
                BasicConv2d(4, 6, kernel_size=3, padding=1),
            ]
        )
        self.branch_pool = nn.SequentialCell(
            [
                nn.AvgPool2d(kernel_size=3, pad_mode="same"),
                BasicConv2d(in_channels, pool_features, kernel_size=1),
            ]
        )
        self.concat = P.Concat(axis=1)

    def construct(self, x):
        x0 = self.branch0(x)
        x1 = self.branch1(x)
        x2 = self.branch2(x)
        branch_pool = self.branch_pool(x)
        return self.concat((x0, x1, x2, branch_pool))


class InceptionB(nn.Cell):
    """Factorised convolutions, and two of them split again."""

    def __init__(self, in_channels):
        super().__init__()
        self.concat = P.Concat(axis=1)
        self.branch0 = BasicConv2d(in_channels, 6, kernel_size=3, stride=2, mode="same")
        self.branch1 = BasicConv2d(in_channels, 4, kernel_size=1)
        self.branch1_a = BasicConv2d(4, 4, kernel_size=(1, 3), stride=2, mode="same")
        self.branch1_b = BasicConv2d(4, 4, kernel_size=(3, 1), stride=2, padding=(1, 1, 0, 0))
        self.branch_pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")

    def construct(self, x):
        x1 = self.branch1(x)
        x1 = self.concat((self.branch1_a(x1), self.branch1_b(x1)))
        return self.concat((self.branch0(x), x1, self.branch_pool(x)))


class AuxHead(nn.Cell):
    def __init__(self, in_channels, num_classes):
        super().__init__()
        self.avg_pool = nn.AvgPool2d(5, stride=3, pad_mode="valid")
        self.conv = BasicConv2d(in_channels, 8, kernel_size=1)
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(8 * 2 * 2, num_classes)

    def construct(self, x):
        return self.fc(self.flatten(self.conv(self.avg_pool(x))))


class Inception(nn.Cell):
    def __init__(self, num_classes=5, aux_logits=True):
        super().__init__()
        self.aux_logits = aux_logits
        self.stem = BasicConv2d(3, 8, kernel_size=3, stride=2, mode="valid")
        self.block0 = InceptionA(8, pool_features=4)
        if self.aux_logits:
            self.aux = AuxHead(20, num_classes)
        self.block1 = InceptionB(20)
        self.pool = P.ReduceMean(keep_dims=False)
        self.dropout = nn.Dropout(keep_prob=1.0)
        self.classifier = nn.Dense(34, num_classes)
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                cell.weight.set_data(
                    initializer(XavierUniform(), cell.weight.shape, cell.weight.dtype)
                )

    def forward_preaux(self, x: Tensor) -> Tensor:
        return self.block0(self.stem(x))

    def construct(self, x: Tensor) -> Union[Tensor, Tuple[Tensor, Tensor]]:
        x = self.forward_preaux(x)
        aux = None
        if self.training and self.aux_logits:
            aux = self.aux(x)
        x = self.pool(self.block1(x), (2, 3))
        x = self.classifier(self.dropout(x))
        if self.training and self.aux_logits:
            return x, aux
        return x


class AuxLoss(nn.LossBase):
    def __init__(self, factor=0.4):
        super().__init__()
        self.factor = factor
        self.cross_entropy = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, outputs, labels):
        if isinstance(outputs, tuple):
            logits, aux = outputs
            return self.cross_entropy(logits, labels) + self.factor * self.cross_entropy(
                aux, labels
            )
        return self.cross_entropy(outputs, labels)


def build():
    return Inception()


def batch(step):
    rng = np.random.default_rng([4, step])
    images = rng.standard_normal((4, 3, 17, 17)).astype(np.float32)
    return images, rng.integers(0, 5, 4).astype(np.int32)


def training(net):
    net.set_train(True)
    loss_fn = AuxLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3, weight_decay=4e-5, eps=1e-3)
    grad_fn = ms.value_and_grad(
        lambda data, label: loss_fn(net(data), label), None, optimizer.parameters
    )

    def train_step(data, label):
        loss, grads = grad_fn(data, label)
        grads = ops.clip_by_global_norm(grads, 1.0)
        optimizer(grads)
        return loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
