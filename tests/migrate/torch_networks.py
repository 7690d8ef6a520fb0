"""PyTorch's side of the rows: {name: (module, inputs)}; imported where PyTorch is installed."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Wrapped(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, *x):
        return self.net(*x)


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(after)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(after)
        self.downsample = None
        if stride != 1:
            self.downsample = nn.Sequential(
                nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after)
            )

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + shortcut)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(6)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(2)
        self.layer1 = nn.Sequential(Block(6, 6, 1), Block(6, 6, 1))
        self.layer2 = nn.Sequential(Block(6, 8, 2), Block(8, 8, 1))
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        return self.fc(x.mean((2, 3)))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Dropout(0.1), nn.Linear(16, 8))

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30, 8)
        self.layers = nn.ModuleList([EncoderLayer(), EncoderLayer()])
        self.head = nn.Linear(8, 30, bias=False)
        self.register_buffer("positions", torch.arange(6), persistent=False)

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Recurrent(nn.Module):
    def __init__(self, kind=nn.LSTM):
        super().__init__()
        self.embedding = nn.Embedding(20, 5)
        self.recurrent = kind(5, 4, num_layers=2, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(8, 3)

    def forward(self, ids):
        y, _ = self.recurrent(self.embedding(ids))
        return self.fc(y[:, -1])


class OneLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent = nn.LSTM(5, 4)

    def forward(self, x):
        return self.recurrent(x)[0]


class Classifier(nn.Module):
    """Functions between the layers, and a layer that is called twice."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 6)
        self.shared = nn.Linear(6, 6)
        self.last = nn.Linear(6, 3)

    def forward(self, x):
        x = F.relu(self.first(x))
        return self.last(torch.tanh(self.shared(F.relu(self.shared(x)))))


class Loss(nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.fc, self.loss = nn.Linear(4, 3), loss

    def forward(self, x, y):
        return self.loss(self.fc(x), y)


def noise(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype(np.float32)


IDS = np.random.default_rng(8).integers(0, 20, (3, 6))
PLANE, ROWS, LABELS = noise(2, 4, 6, 6), noise(5, 4), np.array([0, 2, 1, 1, 0])

# {name: (a function that makes the module, inputs)}
NETWORKS = {
    "story": (lambda: Wrapped(nn.Conv2d(6, 8, 4, bias=False)), noise(1, 6, 9, 9)),
    "resnet": (ResNet, noise(3, 3, 8, 8)),
    "resnet_eval": (lambda: ResNet().eval(), noise(3, 3, 8, 8)),
    "encoder": (lambda: Encoder().eval(), IDS),
    "lstm": (Recurrent, IDS),
    "gru": (lambda: Recurrent(nn.GRU), IDS),
    "one_lstm": (OneLSTM, noise(6, 2, 5)),
    "classifier": (Classifier, ROWS),
    "mlp": (
        lambda: nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3), nn.Softmax(-1)), ROWS,
    ),
    "conv": (lambda: Wrapped(nn.Conv2d(4, 8, 3, 2, 1)), PLANE),
    "flattened": (
        lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 3)), PLANE,
    ),
    "conv1d": (lambda: Wrapped(nn.Conv1d(4, 6, 3, padding=1)), noise(2, 4, 9)),
    "transposed": (lambda: Wrapped(nn.ConvTranspose2d(4, 3, 3)), PLANE),
    "max_pool": (lambda: Wrapped(nn.MaxPool2d(3, 2)), PLANE),
    "average_pool": (lambda: Wrapped(nn.AvgPool2d(2, padding=1)), PLANE),
    "batch_norm": (lambda: Wrapped(nn.BatchNorm2d(4)), PLANE),
    "batch_norm_3d": (lambda: Wrapped(nn.BatchNorm3d(4)), noise(2, 4, 3, 4, 5)),
    "instance_norm": (lambda: Wrapped(nn.InstanceNorm2d(4, affine=True)), PLANE),
    "layer_norm": (lambda: Wrapped(nn.LayerNorm((6, 6))), PLANE / 300),
    "group_norm": (lambda: Wrapped(nn.GroupNorm(2, 4)), PLANE),
    "dropout": (lambda: nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.2)), ROWS),
    "dropout_eval": (lambda: nn.Sequential(nn.Linear(4, 6), nn.Dropout(0.2)).eval(), ROWS),
    "gelu": (lambda: Wrapped(nn.GELU()), ROWS * 2),
    "leaky_relu": (lambda: Wrapped(nn.LeakyReLU()), ROWS),
    "elu": (lambda: Wrapped(nn.ELU()), ROWS),
    "softmax": (lambda: Wrapped(nn.Softmax(1)), noise(2, 3, 4)),
    "softshrink": (lambda: Wrapped(nn.Softshrink(0.3)), ROWS),
    "prelu": (lambda: Wrapped(nn.PReLU(4)), ROWS),
    "upsample": (
        lambda: Wrapped(nn.Upsample(scale_factor=2.0, mode="bilinear", align_corners=True)), PLANE,
    ),
    "flatten": (lambda: Wrapped(nn.Flatten()), PLANE),
    "padding_idx": (lambda: Wrapped(nn.Embedding(20, 6, padding_idx=3)), IDS),
    "max_norm": (lambda: Wrapped(nn.Embedding(20, 6, max_norm=1.0)), IDS),
    "reflecting": (lambda: Wrapped(nn.Conv2d(4, 8, 3, padding=1, padding_mode="reflect")), PLANE),
    "lstm_dropout": (lambda: Wrapped(nn.LSTM(5, 4, 2, dropout=0.3)), noise(6, 2, 5)),
    "attention": (lambda: nn.MultiheadAttention(8, 2), (noise(4, 3, 8),) * 3),
    "layer": (
        lambda: Wrapped(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)),
        noise(3, 4, 8),
    ),
    "cross_entropy": (lambda: Loss(nn.CrossEntropyLoss()), (ROWS, LABELS)),
    "ignored": (lambda: Loss(nn.CrossEntropyLoss(ignore_index=1)), (ROWS, LABELS)),
    "smooth_l1": (lambda: Loss(nn.SmoothL1Loss()), (ROWS, noise(5, 3))),
}  # fmt: skip


def network(name):
    """(module, inputs); its weights, statistics included, are random numbers of a seed."""
    make, inputs = NETWORKS[name]
    torch.manual_seed(3)
    module = make()
    for key, x in module.state_dict().items():
        if key.endswith(("running_mean", "bias")):
            x.normal_(0, 0.3)
        elif key.endswith(("running_var",)) or ("weight" in key and x.ndim == 1):
            x.uniform_(0.5, 1.5)
    return module, inputs
