"""The Cells of the rows, equal to PyTorch's and with one planted difference each."""

from sporax import mint, nn, ops


class Wrapped(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, *x):
        return self.net(*x)


class Block(nn.Cell):
    def __init__(self, before, after, stride, conv, **norm):
        super().__init__()
        self.conv1 = conv(before, after, 3, stride)
        self.bn1 = nn.BatchNorm2d(after, **norm)
        self.relu = nn.ReLU()
        self.conv2 = conv(after, after, 3)
        self.bn2 = nn.BatchNorm2d(after, **norm)
        self.downsample = None
        if stride != 1:
            self.downsample = nn.SequentialCell(
                nn.Conv2d(before, after, 1, stride), nn.BatchNorm2d(after, **norm)
            )

    def construct(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + shortcut)


def padded(before, after, size, stride=1):
    return nn.Conv2d(before, after, size, stride, pad_mode="pad", padding=size // 2)


class ResNet(nn.Cell):
    def __init__(self, conv=padded, pool=None, norm=None, train=True):
        super().__init__()
        norm = norm or {}
        self.conv1 = padded(3, 6, 3)
        self.bn1 = nn.BatchNorm2d(6, **norm)
        self.relu = nn.ReLU()
        self.maxpool = pool or nn.MaxPool2d(2, 2)
        self.layer1 = nn.SequentialCell(Block(6, 6, 1, padded, **norm), Block(6, 6, 1, padded))
        self.layer2 = nn.SequentialCell(Block(6, 8, 2, conv), Block(8, 8, 1, conv))
        self.fc = nn.Dense(8, 5)
        self.set_train(train)

    def construct(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        return self.fc(x.mean((2, 3)))


class EncoderLayer(nn.Cell):
    def __init__(self, gelu, epsilon, dropout, heads, act):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, heads, batch_first=True)
        self.norm1, self.norm2 = (nn.LayerNorm((8,), epsilon=epsilon) for _ in range(2))
        parts = [nn.Dense(8, 16), gelu() if act else None, dropout, nn.Dense(16, 8)]
        self.mlp = nn.SequentialCell([part for part in parts if part is not None])

    def construct(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Encoder(nn.Cell):
    def __init__(self, gelu=lambda: nn.GELU(approximate=False), epsilon=1e-5, dropout=None, heads=2,
                 act=True):  # fmt: skip
        super().__init__()
        dropout = dropout or nn.Dropout(p=0.1)
        self.embedding = nn.Embedding(30, 8)
        self.layers = nn.CellList(
            [EncoderLayer(gelu, epsilon, dropout, heads, act) for _ in range(2)]
        )
        self.head = nn.Dense(8, 30, has_bias=False)

    def construct(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Recurrent(nn.Cell):
    def __init__(self, kind=nn.LSTM, batch_first=True, last=-1, **bias):
        super().__init__()
        self.embedding = nn.Embedding(20, 5)
        self.recurrent = kind(5, 4, num_layers=2, bidirectional=True, batch_first=batch_first)
        self.fc = nn.Dense(8, 3, **bias)
        self.last = last

    def construct(self, ids):
        y, _ = self.recurrent(self.embedding(ids))
        return self.fc(y[:, self.last])


class OwnLSTM(nn.Cell):
    """An LSTM written by hand; `order`: where the gates i, f, g, o are among the rows."""

    def __init__(self, order):
        super().__init__()
        known = nn.LSTM(5, 4)
        self.weight_ih_l0, self.weight_hh_l0 = known.weight_ih_l0, known.weight_hh_l0
        self.bias_ih_l0, self.bias_hh_l0 = known.bias_ih_l0, known.bias_hh_l0
        self.order = order

    def construct(self, x):
        h = c = ops.zeros((x.shape[1], 4))
        outputs = []
        for t in range(x.shape[0]):
            gates = ops.matmul(x[t], self.weight_ih_l0.T) + self.bias_ih_l0
            gates = gates + ops.matmul(h, self.weight_hh_l0.T) + self.bias_hh_l0
            i, f, g, o = (gates[:, 4 * k : 4 * k + 4] for k in self.order)
            c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
            h = ops.sigmoid(o) * ops.tanh(c)
            outputs.append(h)
        return ops.stack(outputs)


class OneLSTM(nn.Cell):
    def __init__(self, recurrent=None):
        super().__init__()
        self.recurrent = recurrent or nn.LSTM(5, 4)

    def construct(self, x):
        y = self.recurrent(x)
        return y[0] if isinstance(y, tuple) else y


class Classifier(nn.Cell):
    def __init__(self, first=ops.relu, stop=False, frozen=False, after=None):
        super().__init__()
        self.first, self.shared, self.last = nn.Dense(4, 6), nn.Dense(6, 6), nn.Dense(6, 3)
        self.function, self.stop, self.after = first, stop, after
        if frozen:
            self.first.weight.requires_grad = False

    def construct(self, x):
        x = self.shared(ops.relu(self.shared(self.function(self.first(x)))))
        y = self.last(ops.tanh(ops.stop_gradient(x) if self.stop else x))
        return y if self.after is None else self.after(y)


class Loss(nn.Cell):
    def __init__(self, loss):
        super().__init__()
        self.fc, self.loss = nn.Dense(4, 3), loss

    def construct(self, x, y):
        return self.loss(self.fc(x), y)


def mlp(*parts):
    parts = parts or (nn.ReLU(),)
    return nn.SequentialCell([nn.Dense(4, 6), *parts, nn.Dense(6, 3), nn.Softmax()])


def in_training(cell):
    return cell.set_train()


def same(before, after, size, stride=1):
    return nn.Conv2d(before, after, size, stride)


def conv(**settings):
    chosen = {"stride": 2, "pad_mode": "pad", "padding": 1, "has_bias": True} | settings
    return Wrapped(nn.Conv2d(4, 8, 3, **chosen))


def flattened(**settings):
    return nn.SequentialCell(
        nn.Conv2d(4, 6, 3, has_bias=True, **settings), nn.ReLU(), nn.Flatten(), nn.Dense(96, 3)
    )


def upsample(**settings):
    chosen = {"scale_factor": 2.0, "mode": "bilinear", "align_corners": True} | settings
    return Wrapped(nn.Upsample(**chosen))


LAYER = {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "dropout": 0.0, "batch_first": True}
NORM = {"begin_norm_axis": -2, "begin_params_axis": -2, "epsilon": 1e-5}
PADS = {"pad_mode": "pad", "padding": 1}

# (PyTorch's network, what is planted, the Cell, (place, the cause's name) or None: equal)
ROWS = [
    ("story", "pad_mode left out", lambda: Wrapped(nn.Conv2d(6, 8, 4, has_bias=False)),
     ("layer", "pad_mode")),
    ("story", "", lambda: Wrapped(nn.Conv2d(6, 8, 4, has_bias=False, pad_mode="pad")), None),
    ("resnet", "", ResNet, None),
    ("resnet", "same", lambda: ResNet(conv=same), ("layer", "pad_mode")),
    ("resnet", "pool", lambda: ResNet(pool=nn.MaxPool2d(2)), ("layer", "stride")),
    ("resnet", "momentum", lambda: ResNet(norm={"momentum": 0.1}), ("state", "momentum")),
    ("resnet", "mode", lambda: ResNet(train=False), ("layer", "mode")),
    ("resnet_eval", "", lambda: ResNet(train=False), None),
    ("resnet_eval", "eps", lambda: ResNet(norm={"eps": 1e-2}, train=False), ("layer", "eps")),
    ("encoder", "", Encoder, None),
    ("encoder", "tanh", lambda: Encoder(nn.GELU), ("layer", "form of GELU")),
    ("encoder", "no activation", lambda: Encoder(act=False), ("between", "missing activation")),
    ("encoder", "another activation", lambda: Encoder(nn.ReLU), ("layer", "activation")),
    ("encoder", "heads", lambda: Encoder(heads=4), ("layer", "num_heads")),
    ("encoder", "epsilon", lambda: Encoder(epsilon=1e-2), ("layer", "eps")),
    ("lstm", "", Recurrent, None),
    ("lstm", "batch_first", lambda: Recurrent(batch_first=False), ("layer", "batch_first")),
    ("lstm", "no bias", lambda: Recurrent(has_bias=False), ("layer", "has_bias")),
    ("lstm", "another step", lambda: Recurrent(last=0), ("between", "the code of forward")),
    ("gru", "", lambda: Recurrent(nn.GRU), None),
    ("gru", "batch_first", lambda: Recurrent(nn.GRU, batch_first=False),
     ("layer", "batch_first")),
    ("one_lstm", "by hand", lambda: OneLSTM(OwnLSTM((0, 1, 2, 3))), None),
    ("one_lstm", "gates", lambda: OneLSTM(OwnLSTM((0, 1, 3, 2))), ("layer", "layout of gates")),
    ("classifier", "", Classifier, None),
    ("classifier", "function", lambda: Classifier(ops.gelu), ("between", "the code of forward")),
    ("classifier", "stop", lambda: Classifier(stop=True), ("backward", "unknown: ")),
    ("classifier", "frozen", lambda: Classifier(frozen=True), ("backward", "requires_grad")),
    ("classifier", "at the end", lambda: Classifier(after=ops.tanh),
     ("layer", "the code of forward")),
    ("mlp", "", mlp, None),
    ("mlp", "in the layer", lambda: nn.SequentialCell(
        nn.Dense(4, 6, activation="relu"), nn.Dense(6, 3), nn.Softmax()), None),
    ("mlp", "twice", lambda: nn.SequentialCell(nn.Dense(4, 6), nn.ReLU(), nn.Dense(
        6, 3, activation="relu"), nn.Softmax()), ("layer", "activation in the layer")),
    ("mlp", "identity", lambda: mlp(nn.Identity()), ("layer", "activation")),
    ("mlp", "none", lambda: nn.SequentialCell(nn.Dense(4, 6), nn.Dense(6, 3), nn.Softmax()),
     ("between", "missing activation")),
    ("mlp", "one more", lambda: mlp(nn.ReLU(), nn.Tanh()), ("between", "missing activation")),
    ("conv", "", conv, None),
    ("conv", "stride", lambda: conv(stride=1), ("layer", "stride")),
    ("conv", "dilation", lambda: conv(dilation=2), ("layer", "dilation")),
    ("conv", "same", lambda: conv(pad_mode="same", padding=0), ("layer", "pad_mode")),
    ("conv", "bias", lambda: conv(has_bias=False), ("layer", "has_bias")),
    ("flattened", "", lambda: flattened(pad_mode="valid"), None),
    ("flattened", "a size that Dense refuses", flattened, ("layer", "pad_mode")),
    ("conv1d", "", lambda: Wrapped(nn.Conv1d(4, 6, 3, has_bias=True)), None),
    ("conv1d", "valid", lambda: Wrapped(nn.Conv1d(4, 6, 3, has_bias=True, pad_mode="valid")),
     ("layer", "pad_mode")),
    ("transposed", "", lambda: Wrapped(nn.Conv2dTranspose(4, 3, 3, pad_mode="valid",
                                                          has_bias=True)), None),
    ("transposed", "same", lambda: Wrapped(nn.Conv2dTranspose(4, 3, 3, has_bias=True)),
     ("layer", "pad_mode")),
    ("max_pool", "", lambda: Wrapped(nn.MaxPool2d(3, 2)), None),
    ("max_pool", "size", lambda: Wrapped(nn.MaxPool2d(2, 2)), ("layer", "kernel_size")),
    ("max_pool", "same", lambda: Wrapped(nn.MaxPool2d(3, 2, "same")), ("layer", "pad_mode")),
    ("max_pool", "ceil", lambda: Wrapped(nn.MaxPool2d(3, 2, "pad", ceil_mode=True)),
     ("layer", "ceil_mode")),
    ("average_pool", "", lambda: Wrapped(nn.AvgPool2d(2, 2, **PADS)), None),
    ("average_pool", "padding", lambda: Wrapped(nn.AvgPool2d(
        2, 2, count_include_pad=False, **PADS)), ("layer", "count_include_pad")),
    ("batch_norm", "", lambda: in_training(Wrapped(nn.BatchNorm2d(4))), None),
    ("batch_norm", "chosen", lambda: in_training(Wrapped(nn.BatchNorm2d(
        4, use_batch_statistics=False))), ("layer", "batch statistics")),
    ("batch_norm_3d", "", lambda: in_training(Wrapped(nn.BatchNorm3d(4))), None),
    ("instance_norm", "", lambda: in_training(Wrapped(nn.InstanceNorm2d(4))), None),
    ("instance_norm", "eps", lambda: in_training(Wrapped(nn.InstanceNorm2d(4, 0.1))),
     ("layer", "eps")),
    ("layer_norm", "", lambda: Wrapped(nn.LayerNorm((6, 6), **NORM)), None),
    ("layer_norm", "epsilon", lambda: Wrapped(nn.LayerNorm((6, 6), -2, -2)), ("layer", "eps")),
    ("layer_norm", "axes", lambda: Wrapped(nn.LayerNorm((6, 6), -1, -2, epsilon=1e-5)),
     ("layer", "normalised axes")),
    ("group_norm", "", lambda: Wrapped(nn.GroupNorm(2, 4)), None),
    ("group_norm", "groups", lambda: Wrapped(nn.GroupNorm(4, 4)), ("layer", "num_groups")),
    ("dropout", "random", lambda: in_training(nn.SequentialCell(
        nn.Dense(4, 6), nn.Dropout(p=0.2))), ("layer", "random masks")),
    ("dropout", "keep_prob", lambda: in_training(nn.SequentialCell(
        nn.Dense(4, 6), nn.Dropout(0.2))), ("layer", "probability")),
    ("dropout_eval", "", lambda: nn.SequentialCell(nn.Dense(4, 6), nn.Dropout(p=0.2)), None),
    ("gelu", "", lambda: Wrapped(nn.GELU(False)), None),
    ("gelu", "tanh", lambda: Wrapped(nn.GELU()), ("layer", "form of GELU")),
    ("leaky_relu", "", lambda: Wrapped(nn.LeakyReLU(0.01)), None),
    ("leaky_relu", "slope", lambda: Wrapped(nn.LeakyReLU()), ("layer", "slope")),
    ("elu", "", lambda: Wrapped(nn.ELU()), None),
    ("elu", "alpha", lambda: Wrapped(nn.CELU(2.0)), ("layer", "alpha")),
    ("softmax", "", lambda: Wrapped(nn.Softmax(1)), None),
    ("softmax", "axis", lambda: Wrapped(nn.Softmax()), ("layer", "axis")),
    ("softshrink", "", lambda: Wrapped(nn.SoftShrink(0.3)), None),
    ("softshrink", "lambd", lambda: Wrapped(nn.SoftShrink()), ("layer", "lambd")),
    ("prelu", "", lambda: Wrapped(nn.PReLU(4)), None),
    ("upsample", "", upsample, None),
    ("upsample", "corners", lambda: upsample(align_corners=False), ("layer", "align_corners")),
    ("upsample", "mode", lambda: upsample(mode="bicubic"), ("layer", "mode of interpolation")),
    ("upsample", "size", lambda: upsample(scale_factor=3.0), ("layer", "size")),
    ("flatten", "", lambda: Wrapped(nn.Flatten()), None),
    ("flatten", "start", lambda: Wrapped(nn.Flatten(start_dim=2)), ("layer", "start_dim")),
    ("padding_idx", "", lambda: Wrapped(mint.nn.Embedding(20, 6, padding_idx=3)), None),
    ("padding_idx", "trained", lambda: Wrapped(nn.Embedding(20, 6, padding_idx=3)),
     ("backward", "gradient of padding_idx")),
    ("padding_idx", "none", lambda: Wrapped(nn.Embedding(20, 6)), ("backward", "padding_idx")),
    ("max_norm", "", lambda: Wrapped(mint.nn.Embedding(20, 6, max_norm=1.0)), None),
    ("max_norm", "none", lambda: Wrapped(nn.Embedding(20, 6)), ("layer", "max_norm")),
    ("reflecting", "zeros", lambda: conv(stride=1), ("layer", "padding_mode")),
    ("lstm_dropout", "none", lambda: in_training(Wrapped(nn.LSTM(5, 4, 2))), ("layer", "dropout")),
    ("one_lstm", "both directions", lambda: OneLSTM(nn.LSTM(5, 4, bidirectional=True)),
     ("layer", "bidirectional")),
    ("attention", "", lambda: nn.MultiheadAttention(8, 2), None),
    ("attention", "batch_first", lambda: nn.MultiheadAttention(8, 2, batch_first=True),
     ("layer", "batch_first")),
    ("layer", "", lambda: Wrapped(nn.TransformerEncoderLayer(**LAYER)), None),
    ("layer", "norm_first", lambda: Wrapped(nn.TransformerEncoderLayer(norm_first=True, **LAYER)),
     ("between", "norm_first")),
    ("layer", "activation", lambda: Wrapped(nn.TransformerEncoderLayer(activation="gelu", **LAYER)),
     ("between", "activation of the layer")),
    ("cross_entropy", "", lambda: Loss(nn.CrossEntropyLoss()), None),
    ("cross_entropy", "reduction", lambda: Loss(nn.CrossEntropyLoss(reduction="sum")),
     ("layer", "reduction")),
    ("cross_entropy", "smoothing", lambda: Loss(nn.CrossEntropyLoss(label_smoothing=0.1)),
     ("layer", "label_smoothing")),
    ("ignored", "", lambda: Loss(nn.CrossEntropyLoss(ignore_index=1)), None),
    ("ignored", "counted", lambda: Loss(nn.CrossEntropyLoss()), ("layer", "ignore_index")),
    ("smooth_l1", "", lambda: Loss(nn.SmoothL1Loss(reduction="mean")), None),
    ("smooth_l1", "reduction", lambda: Loss(nn.SmoothL1Loss()), ("layer", "reduction")),
    ("smooth_l1", "beta", lambda: Loss(nn.SmoothL1Loss(0.5, "mean")), ("layer", "beta")),
]  # fmt: skip
IDS = [f"{name}-{planted or 'equal'}" for name, planted, _, _ in ROWS]
