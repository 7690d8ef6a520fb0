"""The benchmark's networks in MindSpore's API, which is also sporax's."""

import itertools

from mindspore import Parameter, Tensor, nn, ops

from ..shapes import (
    DENSENET,
    DENSENET121,
    ENCODER,
    GRU,
    HRNET,
    MOBILENET,
    PINN,
    RECOMMENDER,
    RESNET,
    RESNET50,
    UNET,
    VIT,
    numbers,
)
from ..shipped.in_mindspore import Recurrent, blocks, embedding, exact_gelu, mlp


def conv(width, out, kernel=1, stride=1, group=1, has_bias=False):
    return nn.Conv2d(width, out, kernel, stride, "pad", kernel // 2, group=group, has_bias=has_bias)


class Residual(nn.Cell):
    """The basic block of ResNet."""

    def __init__(self, width, out, stride):
        super().__init__()
        self.conv1, self.conv2 = conv(width, out, 3, stride), conv(out, out, 3)
        self.norm1, self.norm2 = nn.BatchNorm2d(out), nn.BatchNorm2d(out)
        self.shortcut = nn.Identity()
        if stride != 1 or width != out:
            self.shortcut = nn.SequentialCell(conv(width, out, 1, stride), nn.BatchNorm2d(out))

    def construct(self, x):
        z = ops.relu(self.norm1(self.conv1(x)))
        return ops.relu(self.norm2(self.conv2(z)) + self.shortcut(x))


class Classifier(nn.Cell):
    """Image layers, global average pooling and a Dense layer."""

    def __init__(self, layers, width, classes):
        super().__init__()
        self.layers, self.classify = nn.SequentialCell(*layers), nn.Dense(width, classes)

    def construct(self, x):
        return self.classify(self.layers(x).mean((2, 3)))


def resnet18():
    width = RESNET.stages[0][0]
    layers = [conv(3, width, 3), nn.BatchNorm2d(width), nn.ReLU()]
    for out, stride in RESNET.stages:
        layers += [Residual(width, out, stride), Residual(out, out, 1)]
        width = out
    return Classifier(layers, width, RESNET.classes)


def conv_norm(width, out, kernel=1, stride=1, group=1):
    return [conv(width, out, kernel, stride, group), nn.BatchNorm2d(out)]


class InvertedResidual(nn.Cell):
    def __init__(self, width, out, stride, expansion):
        super().__init__()
        wide = width * expansion
        layers = [*conv_norm(width, wide), nn.ReLU6()] if expansion != 1 else []
        layers += [*conv_norm(wide, wide, 3, stride, wide), nn.ReLU6(), *conv_norm(wide, out)]
        self.layers = nn.SequentialCell(*layers)
        self.adds = stride == 1 and width == out

    def construct(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet():
    m = MOBILENET
    layers, width = [*conv_norm(3, m.stem, 3, 2), nn.ReLU6()], m.stem
    for expansion, out, repeats, stride in m.stages:
        for i in range(repeats):
            layers.append(InvertedResidual(width, out, stride if i == 0 else 1, expansion))
            width = out
    layers += [*conv_norm(width, m.head), nn.ReLU6()]
    return Classifier(layers, m.head, m.classes)


def norm_conv(width, out, kernel=1):
    return [nn.BatchNorm2d(width), nn.ReLU(), conv(width, out, kernel)]


class DenseLayer(nn.Cell):
    def __init__(self, width, growth):
        super().__init__()
        self.layers = nn.SequentialCell(*norm_conv(width, growth, 3))

    def construct(self, x):
        return ops.cat((x, self.layers(x)), 1)


def densenet():
    d, width = DENSENET, DENSENET.stem
    layers = [conv(3, width, 3)]
    for count in d.blocks:
        for _ in range(count):
            layers.append(DenseLayer(width, d.growth))
            width += d.growth
        layers += [*norm_conv(width, width // 2), nn.AvgPool2d(2, 2)]
        width //= 2
    return Classifier(layers, width, d.classes)


class Bottleneck(nn.Cell):
    """The bottleneck block of ResNet-50."""

    def __init__(self, width, out, stride=1):
        super().__init__()
        mid = out // 4
        self.layers = nn.SequentialCell(
            *conv_norm(width, mid), nn.ReLU(), *conv_norm(mid, mid, 3, stride), nn.ReLU(),
            *conv_norm(mid, out),
        )  # fmt: skip
        self.shortcut = nn.Identity()
        if stride != 1 or width != out:
            self.shortcut = nn.SequentialCell(*conv_norm(width, out, 1, stride))

    def construct(self, x):
        return ops.relu(self.layers(x) + self.shortcut(x))


def pool():
    return nn.MaxPool2d(3, 2, "pad", 1)


def resnet50():
    width = RESNET50.stem
    layers = [*conv_norm(3, width, 7, 2), nn.ReLU(), pool()]
    for out, count, stride in RESNET50.stages:
        layers.append(Bottleneck(width, out, stride))
        layers += [Bottleneck(out, out) for _ in range(count - 1)]
        width = out
    return Classifier(layers, width, RESNET50.classes)


class WideDenseLayer(DenseLayer):
    """The layer of DenseNet-121, with a bottleneck before its 3x3 convolution."""

    def __init__(self, width, growth):
        super().__init__(width, growth)
        wide = 4 * growth
        self.layers = nn.SequentialCell(*norm_conv(width, wide), *norm_conv(wide, growth, 3))


def densenet121():
    d, width = DENSENET121, DENSENET121.stem
    layers = [*conv_norm(3, width, 7, 2), nn.ReLU(), pool()]
    for i, count in enumerate(d.blocks):
        if i:
            layers += [*norm_conv(width, width // 2), nn.AvgPool2d(2, 2)]
            width //= 2
        for _ in range(count):
            layers.append(WideDenseLayer(width, d.growth))
            width += d.growth
    return Classifier([*layers, nn.BatchNorm2d(width), nn.ReLU()], width, d.classes)


class Exchange(nn.Cell):
    """The HRNet module: four residual blocks per branch; then each branch adds all others, resized
    by strides of 2 or by repetition."""

    def __init__(self, widths):
        super().__init__()
        self.branches = nn.CellList(
            [nn.SequentialCell(*(Residual(w, w, 1) for _ in range(4))) for w in widths]
        )
        self.resized = nn.CellList(
            [
                nn.CellList([self.path(widths, i, j) for i in range(len(widths))])
                for j in range(len(widths))
            ]
        )

    def path(self, widths, source, target):
        if source == target:
            return nn.Identity()
        if source > target:
            return nn.SequentialCell(*conv_norm(widths[source], widths[target]))
        layers, width = [], widths[source]
        for i in range(source, target):
            out = widths[target] if i == target - 1 else width
            layers += [*conv_norm(width, out, 3, 2), *([nn.ReLU()] if i < target - 1 else [])]
        return nn.SequentialCell(*layers)

    def construct(self, xs):
        xs, outs = [branch(x) for branch, x in zip(self.branches, xs, strict=True)], []
        for target, paths in enumerate(self.resized):
            total = 0
            for source, path in enumerate(paths):
                x = path(xs[source])
                if source > target:
                    x = ops.interpolate(x, size=xs[target].shape[2:], mode="nearest")
                total = total + x
            outs.append(ops.relu(total))
        return outs


class HRNet(nn.Cell):
    """HRNet-W32, which classifies from the means of all branches."""

    def __init__(self):
        super().__init__()
        h, width = HRNET, HRNET.stem
        self.stem = nn.SequentialCell(
            *conv_norm(3, width, 3, 2), nn.ReLU(), *conv_norm(width, width, 3, 2), nn.ReLU(),
            Bottleneck(width, 256), *(Bottleneck(256, 256) for _ in range(3)),
            *conv_norm(256, h.widths[0], 3), nn.ReLU(),
        )  # fmt: skip
        self.narrower = nn.CellList(
            [
                nn.SequentialCell(*conv_norm(a, b, 3, 2), nn.ReLU())
                for a, b in itertools.pairwise(h.widths)
            ]
        )
        self.stages = nn.CellList(
            [
                nn.CellList([Exchange(h.widths[: i + 2]) for _ in range(count)])
                for i, count in enumerate(h.modules)
            ]
        )
        self.classify = nn.Dense(sum(h.widths), h.classes)

    def construct(self, x):
        xs = [self.stem(x)]
        for narrower, modules in zip(self.narrower, self.stages, strict=True):
            xs.append(narrower(xs[-1]))
            for module in modules:
                xs = module(xs)
        return self.classify(ops.cat([x.mean((2, 3)) for x in xs], 1))


class UNetBlock(nn.Cell):
    def __init__(self):
        super().__init__()
        a, b = UNET.widths
        self.conv1, self.conv2 = conv(3, a, 3, has_bias=True), conv(a, b, 3, has_bias=True)
        self.conv3, self.pool = conv(b, b, 3, has_bias=True), nn.MaxPool2d(2, 2)
        self.up = nn.Conv2dTranspose(b, b, 2, 2, "valid", has_bias=True)
        self.out = conv(2 * b, 1, has_bias=True)

    def construct(self, x):
        skip = ops.relu(self.conv2(ops.relu(self.conv1(x))))
        x = self.up(ops.relu(self.conv3(self.pool(skip))))
        return self.out(ops.cat((x, skip), 1))


def gru():
    g = GRU
    layer = nn.GRU(g.input[2], g.hidden, g.layers, batch_first=True, bidirectional=True)
    return Recurrent(layer, 2 * g.hidden, g.classes)


class Encoder(nn.Cell):
    def __init__(self):
        super().__init__()
        e = ENCODER
        self.embed, self.blocks = embedding(e.words, e.width), blocks(e, nn.ReLU)
        self.classify = nn.Dense(e.width, e.classes)

    def construct(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.classify(x.mean(1))


class Vit(nn.Cell):
    def __init__(self):
        super().__init__()
        v = VIT
        self.patches = nn.Conv2d(3, v.width, v.patch, v.patch, "valid", has_bias=True)
        self.places = Parameter(Tensor(numbers(v.patches, v.width) * 0.02), name="places")
        self.blocks = blocks(v, exact_gelu)
        self.norm, self.classify = nn.LayerNorm((v.width,)), nn.Dense(v.width, v.classes)

    def construct(self, x):
        x = self.patches(x)
        b, d, _, _ = x.shape
        x = x.reshape((b, d, -1)).transpose((0, 2, 1)) + self.places
        for block in self.blocks:
            x = block(x)
        return self.classify(self.norm(x).mean(1))


class Stack(nn.Cell):
    """A transformer that classifies floating-point sequences."""

    def __init__(self, shape, activation=nn.ReLU):
        super().__init__()
        self.blocks = blocks(shape, activation)
        self.classify = nn.Dense(shape.width, shape.classes)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.classify(x.mean(1))


def pinn():
    return mlp((1, PINN.width, PINN.width, 1), nn.Tanh)


class Recommender(nn.Cell):
    def __init__(self):
        super().__init__()
        r = RECOMMENDER
        self.tables = nn.CellList([embedding(r.rows, r.width) for _ in range(r.tables)])
        self.dense = nn.Dense(r.tables * r.width, r.hidden)
        self.out = nn.Dense(r.hidden, 1)

    def construct(self, rows):
        found = []
        for i, table in enumerate(self.tables):
            found.append(table(rows[:, i]))
        return self.out(ops.relu(self.dense(ops.cat(found, 1))))
