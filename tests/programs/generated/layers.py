"""Layers: their answers, gradients, Parameters and printed text, from weights that are always the same."""

from tests.programs.generated import lines

# layer | shape of the input (or an expression)
TABLE = """
    nn.Dense(3, 2) | (4, 3)
    nn.Dense(3, 2, has_bias=False) | (3,)
    nn.Dense(3, 2, activation="relu") | (2, 2, 3)
    nn.Dense(3, 2, weight_init="ones", bias_init=0.5) | (2, 3)
    nn.Conv1d(2, 3, 3) | (1, 2, 6)
    nn.Conv1d(2, 3, 3, pad_mode="valid", has_bias=True) | (1, 2, 6)
    nn.Conv2d(2, 3, 3) | (1, 2, 5, 5)
    nn.Conv2d(2, 4, 3, stride=2, pad_mode="pad", padding=1, has_bias=True) | (1, 2, 5, 5)
    nn.Conv2d(2, 4, (3, 1), pad_mode="valid") | (1, 2, 5, 5)
    nn.Conv2d(4, 4, 3, group=2) | (1, 4, 5, 5)
    nn.Conv2d(2, 2, 3, dilation=2) | (1, 2, 6, 6)
    nn.Conv2dTranspose(2, 3, 3) | (1, 2, 4, 4)
    nn.Conv2dTranspose(2, 3, 3, stride=2, pad_mode="pad", padding=1, output_padding=1) | (1, 2, 4, 4)
    nn.Conv1dTranspose(2, 3, 3, pad_mode="pad") | (1, 2, 5)
    nn.Conv3d(1, 2, 2) | (1, 1, 3, 3, 3)
    nn.BatchNorm1d(3) | (4, 3)
    nn.BatchNorm2d(2) | (2, 2, 3, 3)
    nn.BatchNorm2d(2, momentum=0.5, affine=False) | (2, 2, 3, 3)
    nn.BatchNorm3d(2) | (1, 2, 2, 2, 2)
    nn.LayerNorm((3,)) | (2, 3)
    nn.LayerNorm((2, 3), begin_norm_axis=1, begin_params_axis=1) | (2, 2, 3)
    nn.GroupNorm(2, 4) | (1, 4, 2, 2)
    nn.Embedding(5, 3) | Tensor([[0, 1], [4, 2]])
    nn.Embedding(5, 3, padding_idx=0) | Tensor([0, 1])
    nn.Embedding(5, 3, use_one_hot=True) | Tensor([0, 1])
    nn.LSTM(3, 2) | (4, 1, 3)
    nn.LSTM(3, 2, batch_first=True, bidirectional=True) | (1, 4, 3)
    nn.LSTM(3, 2, num_layers=2) | (2, 2, 3)
    nn.GRU(3, 2) | (4, 1, 3)
    nn.GRU(3, 2, batch_first=True) | (2, 3, 3)
    nn.RNN(3, 2) | (4, 1, 3)
    nn.RNN(3, 2, nonlinearity="relu") | (4, 1, 3)
    nn.MultiheadAttention(4, 2) | (3, 1, 4) *3
    nn.MultiheadAttention(4, 2, batch_first=True) | (1, 3, 4) *3
    nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0) | (3, 1, 4)
    nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), 2) | (3, 1, 4)
    nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0) | (3, 1, 4) *2
    nn.ReLU() | (2, 3)
    nn.ReLU6() | (2, 3)
    nn.LeakyReLU() | (2, 3)
    nn.LeakyReLU(0.1) | (2, 3)
    nn.ELU() | (2, 3)
    nn.CELU() | (2, 3)
    nn.SeLU() | (2, 3)
    nn.GELU() | (2, 3)
    nn.GELU(approximate=False) | (2, 3)
    nn.FastGelu() | (2, 3)
    nn.SiLU() | (2, 3)
    nn.Mish() | (2, 3)
    nn.Sigmoid() | (2, 3)
    nn.Tanh() | (2, 3)
    nn.Softmax() | (2, 3)
    nn.Softmax(axis=0) | (2, 3)
    nn.LogSoftmax() | (2, 3)
    nn.Softmin() | (2, 3)
    nn.Softsign() | (2, 3)
    nn.HSigmoid() | (2, 3)
    nn.HSwish() | (2, 3)
    nn.Hardtanh() | (2, 3)
    nn.HShrink() | (2, 3)
    nn.SoftShrink() | (2, 3)
    nn.Tanhshrink() | (2, 3)
    nn.Threshold(0.1, 20) | (2, 3)
    nn.LogSigmoid() | (2, 3)
    nn.PReLU() | (1, 2, 2, 2)
    nn.PReLU(2) | (1, 2, 2, 2)
    nn.GLU() | (2, 4)
    nn.MaxPool1d(2, 2) | (1, 2, 6)
    nn.MaxPool2d(2, 2) | (1, 2, 4, 4)
    nn.MaxPool2d(kernel_size=3, stride=1, pad_mode="same") | (1, 2, 4, 4)
    nn.MaxPool2d(3, 2, pad_mode="pad", padding=1) | (1, 2, 5, 5)
    nn.MaxPool2d(2, 2, return_indices=True) | (1, 1, 4, 4)
    nn.AvgPool1d(2) | (1, 2, 6)
    nn.AvgPool2d(2, 2) | (1, 2, 4, 4)
    nn.AvgPool2d(3, 1, "same") | (1, 2, 4, 4)
    nn.AvgPool2d(2, 2, pad_mode="pad", padding=1, count_include_pad=False) | (1, 1, 4, 4)
    nn.AdaptiveAvgPool1d(2) | (1, 2, 6)
    nn.AdaptiveAvgPool2d(2) | (1, 2, 4, 4)
    nn.AdaptiveAvgPool2d((None, 1)) | (1, 2, 4, 4)
    nn.AdaptiveMaxPool2d(2) | (1, 2, 4, 4)
    nn.AdaptiveMaxPool1d(3) | (1, 2, 6)
    nn.Flatten() | (2, 3, 2)
    nn.Flatten(start_dim=0) | (2, 3)
    nn.Identity() | (2, 3)
    nn.Dropout(p=0.0) | (2, 3)
    nn.Pad(((0, 0), (1, 2))) | (2, 3)
    nn.Pad(((1, 1), (1, 1)), mode="REFLECT") | (3, 3)
    nn.ZeroPad2d((1, 1, 0, 2)) | (1, 1, 2, 2)
    nn.ConstantPad1d(1, 3.0) | (1, 2, 3)
    nn.ReflectionPad2d(1) | (1, 2, 3, 3)
    nn.ReplicationPad2d(1) | (1, 1, 2, 2)
    nn.Upsample(scale_factor=2.0, recompute_scale_factor=True) | (1, 1, 2, 2)
    nn.Upsample(size=(4, 4), mode="bilinear") | (1, 1, 2, 2)
    nn.PixelShuffle(2) | (1, 4, 2, 2)
    nn.PixelUnshuffle(2) | (1, 1, 4, 4)
    nn.ChannelShuffle(2) | (1, 4, 2, 2)
    nn.OneHot(depth=3) | Tensor([0, 2])
    nn.OneHot(axis=0, depth=3, on_value=2.0) | Tensor([0, 2])
    nn.Norm(axis=1) | (2, 3)
    nn.Moments(axis=0) | (3, 2)
    nn.CosineSimilarity() | (2, 3) *2
    nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2)) | (2, 3)
    nn.SequentialCell([nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()]) | (1, 1, 4, 4)
    nn.SequentialCell(OrderedDict([("a", nn.Dense(3, 3)), ("b", nn.Tanh())])) | (2, 3)
    nn.LSTMCell(3, 2) | (2, 3)
    nn.GRUCell(3, 2) | (2, 3), (2, 2)
    nn.RNNCell(3, 2) | (2, 3), (2, 2)
    nn.ReduceLogSumExp(1) | (2, 3)
    nn.ClipByNorm() | (2, 3)
    nn.Triu() | (3, 3)
    nn.MatMul() | (2, 3), (3, 2)
    nn.get_activation("relu") | (2, 3)
    nn.get_activation("gelu") | (2, 3)
    nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu") | (1, 1, 4, 4)
    nn.DenseBnAct(3, 2, activation="relu") | (2, 3)
    nn.MaxPool3d(2, 2) | (1, 1, 2, 2, 2)
    nn.AvgPool3d(2, 2) | (1, 1, 2, 2, 2)
    nn.SyncBatchNorm(2) | (2, 2, 2, 2)
    nn.Dropout(keep_prob=1.0) | (2, 3)
    nn.Dense(3, 2).to_float(ms.float16) | (2, 3)
"""
FILL = """\
net = <layer>
random = np.random.RandomState(<seed>)
for p in net.get_parameters():
    numbers = random.uniform(0.2, 1.0, p.shape) * random.choice([-1.0, 1.0], p.shape)
    numbers = np.abs(numbers) if "variance" in p.name else numbers
    p.set_data(Tensor(numbers.astype(np.float32)))
"""
LOSS = """\
weights = list(net.trainable_params())

def loss(*args):
    out = net(*args)
    while isinstance(out, tuple):
        out = out[0]
    return (out * out).mean() + out.sum()

"""
SHOWN = {
    "forward": "net(*inputs)",
    "in training": "[net.set_train()(*inputs), [p for p in net.get_parameters() if not p.requires_grad]]",
    "gradients": LOSS + "ms.grad(loss, None, weights)(*inputs) if weights else ms.grad(loss)(*inputs)",
    "gradient of the input": LOSS + "ms.grad(loss, 0)(*inputs)",
    "its Parameters": "[(p.name, p.shape, p.requires_grad, str(p.dtype)) for p in net.get_parameters()]",
    "printed": "str(net)",
}  # fmt: skip


def inputs(written, draw):
    """The source of a tuple of inputs."""
    if written.startswith("Tensor"):
        return f"({written},)"
    shape, _, times = written.partition("*")
    shapes = eval(f"[{shape}]") * int(times or 1)
    seeds = [draw.randint(0, 99) for _ in shapes]
    built = [
        f"Tensor(np.random.RandomState({seed}).randn(*{shape}).astype(np.float32))"
        for seed, shape in zip(seeds, shapes, strict=True)
    ]
    return f"({', '.join(built)},)" if built else "()"


def checks(draw):
    for row in lines(TABLE):
        layer, _, argument = row.rpartition("|")
        layer, argument = layer.strip(), argument.strip()
        fill = FILL.replace("<layer>", layer).replace("<seed>", str(draw.randint(0, 99)))
        ready = f"{fill}inputs = {inputs(argument, draw)}\n"
        for what, source in SHOWN.items():
            if what == "gradient of the input" and argument.startswith("Tensor"):
                continue
            if what == "in training" and "Norm" not in layer and "Bn" not in layer:
                continue
            yield f"{what} of {layer} of {argument}", ready + source
