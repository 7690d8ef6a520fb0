"""The benchmark's networks in PyTorch."""

import itertools

import torch
from torch import nn

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
)
from ..shipped.in_torch import Recurrent, blocks, mlp


def image_classifier(layers, width, classes):
    """Return image layers, global average pooling and a linear layer."""
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))


class Residual(nn.Module):
    """The basic block of ResNet."""

    def __init__(self, width, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(width, out, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(out), nn.BatchNorm2d(out)
        self.shortcut = nn.Identity()
        if stride != 1 or width != out:
            conv = nn.Conv2d(width, out, 1, stride, bias=False)
            self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(out))

    def forward(self, x):
        z = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(z)) + self.shortcut(x))


def resnet18():
    width = RESNET.stages[0][0]
    layers = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    for out, stride in RESNET.stages:
        layers += [Residual(width, out, stride), Residual(out, out, 1)]
        width = out
    return image_classifier(layers, width, RESNET.classes)


def conv_norm(width, out, kernel=1, stride=1, groups=1):
    conv = nn.Conv2d(width, out, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(out)]


class InvertedResidual(nn.Module):
    def __init__(self, width, out, stride, expansion):
        super().__init__()
        wide = width * expansion
        layers = [*conv_norm(width, wide), nn.ReLU6()] if expansion != 1 else []
        layers += [*conv_norm(wide, wide, 3, stride, wide), nn.ReLU6(), *conv_norm(wide, out)]
        self.layers = nn.Sequential(*layers)
        self.adds = stride == 1 and width == out

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet():
    m = MOBILENET
    layers, width = [*conv_norm(3, m.stem, 3, 2), nn.ReLU6()], m.stem
    for expansion, out, repeats, stride in m.stages:
        for i in range(repeats):
            layers.append(InvertedResidual(width, out, stride if i == 0 else 1, expansion))
            width = out
    layers += [*conv_norm(width, m.head), nn.ReLU6()]
    return image_classifier(layers, m.head, m.classes)


def norm_conv(width, out, kernel=1):
    conv = nn.Conv2d(width, out, kernel, padding=kernel // 2, bias=False)
    return [nn.BatchNorm2d(width), nn.ReLU(), conv]


class DenseLayer(nn.Module):
    def __init__(self, width, growth):
        super().__init__()
        self.layers = nn.Sequential(*norm_conv(width, growth, 3))

    def forward(self, x):
        return torch.cat((x, self.layers(x)), 1)


def densenet():
    d, width = DENSENET, DENSENET.stem
    layers = [nn.Conv2d(3, width, 3, padding=1, bias=False)]
    for count in d.blocks:
        for _ in range(count):
            layers.append(DenseLayer(width, d.growth))
            width += d.growth
        layers += [*norm_conv(width, width // 2), nn.AvgPool2d(2)]
        width //= 2
    return image_classifier(layers, width, d.classes)


class Bottleneck(nn.Module):
    """The bottleneck block of ResNet-50."""

    def __init__(self, width, out, stride=1):
        super().__init__()
        mid = out // 4
        self.layers = nn.Sequential(
            *conv_norm(width, mid), nn.ReLU(), *conv_norm(mid, mid, 3, stride), nn.ReLU(),
            *conv_norm(mid, out),
        )  # fmt: skip
        self.shortcut = nn.Identity()
        if stride != 1 or width != out:
            self.shortcut = nn.Sequential(*conv_norm(width, out, 1, stride))

    def forward(self, x):
        return torch.relu(self.layers(x) + self.shortcut(x))


def pool():
    return nn.MaxPool2d(3, 2, 1)


def resnet50():
    width = RESNET50.stem
    layers = [*conv_norm(3, width, 7, 2), nn.ReLU(), pool()]
    for out, count, stride in RESNET50.stages:
        layers.append(Bottleneck(width, out, stride))
        layers += [Bottleneck(out, out) for _ in range(count - 1)]
        width = out
    return image_classifier(layers, width, RESNET50.classes)


class WideDenseLayer(DenseLayer):
    """The layer of DenseNet-121, with a bottleneck before its 3x3 convolution."""

    def __init__(self, width, growth):
        super().__init__(width, growth)
        wide = 4 * growth
        self.layers = nn.Sequential(*norm_conv(width, wide), *norm_conv(wide, growth, 3))


def densenet121():
    d, width = DENSENET121, DENSENET121.stem
    layers = [*conv_norm(3, width, 7, 2), nn.ReLU(), pool()]
    for i, count in enumerate(d.blocks):
        if i:
            layers += [*norm_conv(width, width // 2), nn.AvgPool2d(2)]
            width //= 2
        for _ in range(count):
            layers.append(WideDenseLayer(width, d.growth))
            width += d.growth
    return image_classifier([*layers, nn.BatchNorm2d(width), nn.ReLU()], width, d.classes)


class Exchange(nn.Module):
    """The HRNet module: four residual blocks per branch; then each branch adds all others, resized
    by strides of 2 or by repetition."""

    def __init__(self, widths):
        super().__init__()
        self.branches = nn.ModuleList(
            [nn.Sequential(*(Residual(w, w, 1) for _ in range(4))) for w in widths]
        )
        self.resized = nn.ModuleList(
            [
                nn.ModuleList([self.path(widths, i, j) for i in range(len(widths))])
                for j in range(len(widths))
            ]
        )

    def path(self, widths, source, target):
        if source == target:
            return nn.Identity()
        if source > target:
            return nn.Sequential(*conv_norm(widths[source], widths[target]))
        layers, width = [], widths[source]
        for i in range(source, target):
            out = widths[target] if i == target - 1 else width
            layers += [*conv_norm(width, out, 3, 2), *([nn.ReLU()] if i < target - 1 else [])]
        return nn.Sequential(*layers)

    def forward(self, xs):
        xs, outs = [branch(x) for branch, x in zip(self.branches, xs, strict=True)], []
        for target, paths in enumerate(self.resized):
            total = 0
            for source, path in enumerate(paths):
                x = path(xs[source])
                if source > target:
                    x = nn.functional.interpolate(x, size=xs[target].shape[2:], mode="nearest")
                total = total + x
            outs.append(torch.relu(total))
        return outs


class HRNet(nn.Module):
    """HRNet-W32, which classifies from the means of all branches."""

    def __init__(self):
        super().__init__()
        h, width = HRNET, HRNET.stem
        self.stem = nn.Sequential(
            *conv_norm(3, width, 3, 2), nn.ReLU(), *conv_norm(width, width, 3, 2), nn.ReLU(),
            Bottleneck(width, 256), *(Bottleneck(256, 256) for _ in range(3)),
            *conv_norm(256, h.widths[0], 3), nn.ReLU(),
        )  # fmt: skip
        self.narrower = nn.ModuleList(
            [
                nn.Sequential(*conv_norm(a, b, 3, 2), nn.ReLU())
                for a, b in itertools.pairwise(h.widths)
            ]
        )
        self.stages = nn.ModuleList(
            [
                nn.ModuleList([Exchange(h.widths[: i + 2]) for _ in range(count)])
                for i, count in enumerate(h.modules)
            ]
        )
        self.classify = nn.Linear(sum(h.widths), h.classes)

    def forward(self, x):
        xs = [self.stem(x)]
        for narrower, modules in zip(self.narrower, self.stages, strict=True):
            xs.append(narrower(xs[-1]))
            for module in modules:
                xs = module(xs)
        return self.classify(torch.cat([x.mean((2, 3)) for x in xs], 1))


class UNetBlock(nn.Module):
    def __init__(self):
        super().__init__()
        a, b = UNET.widths
        self.conv1, self.conv2 = nn.Conv2d(3, a, 3, padding=1), nn.Conv2d(a, b, 3, padding=1)
        self.conv3, self.pool = nn.Conv2d(b, b, 3, padding=1), nn.MaxPool2d(2)
        self.up, self.out = nn.ConvTranspose2d(b, b, 2, 2), nn.Conv2d(2 * b, 1, 1)

    def forward(self, x):
        skip = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        x = self.up(torch.relu(self.conv3(self.pool(skip))))
        return self.out(torch.cat((x, skip), 1))


def gru():
    g = GRU
    layer = nn.GRU(g.input[2], g.hidden, g.layers, batch_first=True, bidirectional=True)
    return Recurrent(layer, 2 * g.hidden, g.classes)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        e = ENCODER
        self.embed = nn.Embedding(e.words, e.width)
        self.blocks = blocks(e, torch.relu)
        self.classify = nn.Linear(e.width, e.classes)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.classify(x.mean(1))


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        v = VIT
        self.patches = nn.Conv2d(3, v.width, v.patch, v.patch)
        self.places = nn.Parameter(torch.randn(v.patches, v.width) * 0.02)
        self.blocks = blocks(v, nn.functional.gelu)
        self.norm, self.classify = nn.LayerNorm(v.width), nn.Linear(v.width, v.classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2) + self.places
        for block in self.blocks:
            x = block(x)
        return self.classify(self.norm(x).mean(1))


class Stack(nn.Module):
    """A transformer that classifies floating-point sequences."""

    def __init__(self, shape):
        super().__init__()
        self.blocks = blocks(shape, torch.relu)
        self.classify = nn.Linear(shape.width, shape.classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.classify(x.mean(1))


def pinn():
    return mlp((1, PINN.width, PINN.width, 1), nn.Tanh)


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        r = RECOMMENDER
        self.tables = nn.ModuleList(nn.Embedding(r.rows, r.width) for _ in range(r.tables))
        self.dense = nn.Linear(r.tables * r.width, r.hidden)
        self.out = nn.Linear(r.hidden, 1)

    def forward(self, rows):
        found = [table(rows[:, i]) for i, table in enumerate(self.tables)]
        return self.out(torch.relu(self.dense(torch.cat(found, 1))))
