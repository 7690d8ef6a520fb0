"""Half of the channels pass by, the others are convolved; then channels are shuffled."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.ops import operations as P


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    batch_size, channels, height, width = x.shape
    x = ops.reshape(x, (batch_size, groups, channels // groups, height, width))
    x = ops.transpose(x, (0, 2, 1, 3, 4))
    return ops.reshape(x, (batch_size, -1, height, width))


class ShuffleUnit(nn.Cell):
    def __init__(self, inp, oup, mid, ksize=3, stride=2):
        super().__init__()
        self.stride = stride
        outputs = oup - inp
        self.branch_main = nn.SequentialCell(
            [
                nn.Conv2d(inp, mid, kernel_size=1, stride=1, has_bias=False),
                nn.BatchNorm2d(num_features=mid, momentum=0.9),
                nn.ReLU(),
                nn.Conv2d(mid, mid, ksize, stride, pad_mode="pad", padding=ksize // 2, group=mid),
                nn.BatchNorm2d(num_features=mid, momentum=0.9),
                nn.Conv2d(mid, outputs, kernel_size=1, stride=1, has_bias=False),
                nn.BatchNorm2d(num_features=outputs, momentum=0.9),
                nn.ReLU(),
            ]
        )
        if stride == 2:
            self.branch_proj = nn.SequentialCell(
                [
                    nn.Conv2d(
                        inp, inp, ksize, stride, pad_mode="pad", padding=ksize // 2, group=inp
                    ),
                    nn.BatchNorm2d(num_features=inp, momentum=0.9),
                    nn.Conv2d(inp, inp, kernel_size=1, stride=1, has_bias=False),
                    nn.BatchNorm2d(num_features=inp, momentum=0.9),
                    nn.ReLU(),
                ]
            )
        else:
            self.branch_proj = None

    def construct(self, old_x):
        if self.stride == 1:
            x_proj, x = self.channel_shuffle(old_x)
            return P.Concat(1)((x_proj, self.branch_main(x)))
        return P.Concat(1)((self.branch_proj(old_x), self.branch_main(old_x)))

    def channel_shuffle(self, x):
        batch_size, num_channels, height, width = P.Shape()(x)
        x = P.Reshape()(x, (batch_size * num_channels // 2, 2, height * width))
        x = P.Transpose()(x, (1, 0, 2))
        x = P.Reshape()(x, (2, -1, num_channels // 2, height, width))
        return x[0], x[1]


class GroupUnit(nn.Cell):
    """The first version: grouped 1 x 1 convolutions with a shuffle between them."""

    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.compress = nn.Conv2d(channels, channels // 2, 1, group=groups)
        self.norm = nn.BatchNorm2d(channels // 2)
        self.depthwise = nn.Conv2d(channels // 2, channels // 2, 3, group=channels // 2)
        self.expand = nn.Conv2d(channels // 2, channels, 1, group=groups)
        self.relu = nn.ReLU()

    def construct(self, x):
        out = self.relu(self.norm(self.compress(x)))
        out = channel_shuffle(out, self.groups)
        out = self.expand(self.depthwise(out))
        return self.relu(x + out)


class ShuffleNet(nn.Cell):
    def __init__(self, stage_repeats=(2, 2), stage_out_channels=(8, 16, 32), num_classes=4):
        super().__init__()
        channels = stage_out_channels[0]
        self.first_conv = nn.SequentialCell(
            nn.Conv2d(3, channels, 3, stride=2, pad_mode="pad", padding=1),
            nn.BatchNorm2d(channels, momentum=0.9),
            nn.ReLU(),
        )
        features = []
        for repeats, out in zip(stage_repeats, stage_out_channels[1:]):
            for i in range(repeats):
                if i == 0:
                    features.append(ShuffleUnit(channels, out, out // 2, stride=2))
                else:
                    features.append(ShuffleUnit(channels // 2, out, out // 2, stride=1))
                channels = out
        self.features = nn.SequentialCell([*features])
        self.grouped = GroupUnit(channels, groups=2)
        self.globalpool = nn.AvgPool2d(kernel_size=2)
        self.classifier = nn.SequentialCell([nn.Dense(channels, num_classes, has_bias=False)])

    def construct(self, x):
        x = self.first_conv(x)
        x = self.grouped(self.features(x))
        x = self.globalpool(x)
        x = x.reshape((-1, x.shape[1]))
        return self.classifier(x)


def build():
    return ShuffleNet()


def batch(step):
    rng = np.random.default_rng([5, step])
    images = rng.standard_normal((4, 3, 16, 16)).astype(np.float32)
    return images, np.eye(4, dtype=np.float32)[rng.integers(0, 4, 4)]


def training(net):
    rates = nn.polynomial_decay_lr(0.05, 0.001, 8, 4, 2, power=1.0)
    optimizer = nn.Momentum(net.trainable_params(), Tensor(rates, ms.float32), 0.9, 1e-4)
    criterion = nn.SoftmaxCrossEntropyWithLogits(reduction="mean")
    net.set_train()
    forward = nn.ForwardValueAndGrad(
        nn.WithLossCell(net, criterion), weights=optimizer.parameters, get_by_list=True
    )

    def train_step(data, label):
        loss, grads = forward(data, label)
        optimizer(grads)
        return loss

    return train_step


if __name__ == "__main__":
    net = build()
    print(net)
    step = training(net)
    for i in range(3):
        print(step(*[ms.Tensor(x) for x in batch(i)]))
