"""A residual network of bottlenecks with grouped convolutions, trained by TrainOneStepCell."""

from typing import List, Optional, Type, Union

import mindspore as ms
import mindspore.common.initializer as init
import numpy as np
from mindspore import Tensor, nn, ops


class GlobalAvgPooling(nn.Cell):
    """The mean over height and width, which are kept if asked for."""

    def __init__(self, keep_dims: bool = False) -> None:
        super().__init__()
        self.keep_dims = keep_dims

    def construct(self, x):
        return ops.mean(x, axis=(2, 3), keep_dims=self.keep_dims)


class BasicBlock(nn.Cell):
    expansion: int = 1

    def __init__(
        self,
        in_channels: int,
        channels: int,
        stride: int = 1,
        groups: int = 1,
        base_width: int = 64,
        norm: Optional[nn.Cell] = None,
        down_sample: Optional[nn.Cell] = None,
    ) -> None:
        super().__init__()
        norm = norm or nn.BatchNorm2d
        assert groups == 1 and base_width == 64, "BasicBlock has one group of the usual width"
        self.conv1 = nn.Conv2d(
            in_channels, channels, kernel_size=3, stride=stride, padding=1, pad_mode="pad"
        )
        self.bn1 = norm(channels)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(
            channels, channels, kernel_size=3, stride=1, padding=1, pad_mode="pad"
        )
        self.bn2 = norm(channels)
        self.down_sample = down_sample

    def construct(self, x: Tensor) -> Tensor:
        identity = x
        out = self.conv1(x)
        out = self.bn1(out)
        out = self.relu(out)
        out = self.conv2(out)
        out = self.bn2(out)
        if self.down_sample is not None:
            identity = self.down_sample(x)
        out += identity
        return self.relu(out)


class Bottleneck(nn.Cell):
    expansion: int = 4

    def __init__(
        self,
        in_channels: int,
        channels: int,
        stride: int = 1,
        groups: int = 1,
        base_width: int = 64,
        norm: Optional[nn.Cell] = None,
        down_sample: Optional[nn.Cell] = None,
    ) -> None:
        super().__init__()
        norm = norm or nn.BatchNorm2d
        width = int(channels * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2d(in_channels, width, kernel_size=1, stride=1)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2d(
            width, width, kernel_size=3, stride=stride, padding=1, pad_mode="pad", group=groups
        )
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2d(width, channels * self.expansion, kernel_size=1, stride=1)
        self.bn3 = norm(channels * self.expansion)
        self.relu = nn.ReLU()
        self.down_sample = down_sample

    def construct(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Cell):
    def __init__(
        self,
        blocks: List[Type[Union[BasicBlock, Bottleneck]]],
        layers: List[int],
        num_classes: int = 10,
        in_channels: int = 3,
        groups: int = 1,
        base_width: int = 64,
        norm: Optional[nn.Cell] = None,
    ) -> None:
        super().__init__()
        self.norm = norm or nn.BatchNorm2d
        self.input_channels = 8
        self.groups = groups
        self.base_width = base_width
        self.conv1 = nn.Conv2d(
            in_channels, self.input_channels, kernel_size=7, stride=2, pad_mode="pad", padding=3
        )
        self.bn1 = self.norm(self.input_channels)
        self.relu = nn.ReLU()
        self.max_pool = nn.SequentialCell(
            [
                nn.Pad(paddings=((0, 0), (0, 0), (1, 1), (1, 1)), mode="CONSTANT"),
                nn.MaxPool2d(kernel_size=3, stride=2),
            ]
        )
        self.layer1 = self._make_layer(blocks[0], 8, layers[0], groups=1, base_width=64)
        self.layer2 = self._make_layer(blocks[1], 8, layers[1], 2, groups, base_width)
        self.pool = GlobalAvgPooling()
        self.num_features = 8 * blocks[1].expansion
        self.classifier = nn.Dense(self.num_features, num_classes)
        self._initialize_weights()

    def _initialize_weights(self) -> None:
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                cell.weight.set_data(
                    init.initializer(
                        init.HeNormal(mode="fan_out", nonlinearity="relu"),
                        cell.weight.shape,
                        cell.weight.dtype,
                    )
                )
            elif isinstance(cell, nn.BatchNorm2d):
                cell.gamma.set_data(init.initializer("ones", cell.gamma.shape, cell.gamma.dtype))
                cell.beta.set_data(init.initializer("zeros", cell.beta.shape, cell.beta.dtype))
            elif isinstance(cell, nn.Dense):
                cell.weight.set_data(
                    init.initializer(
                        init.HeUniform(mode="fan_in", nonlinearity="sigmoid"),
                        cell.weight.shape,
                        cell.weight.dtype,
                    )
                )
                cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))

    def _make_layer(self, block, channels, block_nums, stride=1, groups=1, base_width=64):
        down_sample = None
        if stride != 1 or self.input_channels != channels * block.expansion:
            down_sample = nn.SequentialCell(
                [
                    nn.Conv2d(
                        self.input_channels,
                        channels * block.expansion,
                        kernel_size=1,
                        stride=stride,
                    ),
                    self.norm(channels * block.expansion),
                ]
            )
        layers = []
        layers.append(
            block(
                self.input_channels,
                channels,
                stride=stride,
                down_sample=down_sample,
                groups=groups,
                base_width=base_width,
                norm=self.norm,
            )
        )
        self.input_channels = channels * block.expansion
        for _ in range(1, block_nums):
            layers.append(
                block(
                    self.input_channels,
                    channels,
                    groups=groups,
                    base_width=base_width,
                    norm=self.norm,
                )
            )
        return nn.SequentialCell(layers)

    def forward_features(self, x: Tensor) -> Tensor:
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.max_pool(x)
        x = self.layer1(x)
        return self.layer2(x)

    def forward_head(self, x: Tensor) -> Tensor:
        return self.classifier(self.pool(x))

    def construct(self, x: Tensor) -> Tensor:
        return self.forward_head(self.forward_features(x))


def build():
    return ResNet([BasicBlock, Bottleneck], [1, 2], num_classes=5, groups=2, base_width=32)


def batch(step):
    rng = np.random.default_rng([1, step])
    images = rng.standard_normal((4, 3, 24, 24)).astype(np.float32)
    return images, rng.integers(0, 5, 4).astype(np.int32)


def training(net):
    decayed = [p for p in net.trainable_params() if p.name.endswith("weight")]
    names = [p.name for p in decayed]
    others = [p for p in net.trainable_params() if p.name not in names]
    groups = [
        {"params": decayed, "weight_decay": 1e-3},
        {"params": others, "weight_decay": 0.0},
        {"order_params": net.trainable_params()},
    ]
    optimizer = nn.Momentum(groups, learning_rate=0.02, momentum=0.9)
    criterion = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    train = nn.TrainOneStepCell(nn.WithLossCell(net, criterion), optimizer)
    return train.set_train()


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
