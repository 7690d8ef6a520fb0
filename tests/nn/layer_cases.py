"""Layers to compare with MindSpore: their constructors and inputs."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Case:
    """`make`: the layer, as written in a script. `inputs`: shapes, lists of integers, or arrays.

    `low`, `high`: the range of the inputs. `differentiable`: the number of inputs whose gradients
    are compared. `atol`: absolute tolerance. `fixed`: Parameters that are not trained keep the
    layer's values. `graph`: MindSpore supports it only in a graph.
    """

    make: str
    inputs: list
    low: float = -1.0
    high: float = 1.0
    differentiable: int = 1
    atol: float = 2e-5
    fixed: bool = False
    graph: bool = False

    @property
    def modes(self):
        """Training and evaluation if they differ, else only training."""
        return (False, True) if "BatchNorm" in self.make else (True,)

    @property
    def name(self):
        shapes = ";".join(str(i if isinstance(i, tuple) else np.shape(i)) for i in self.inputs)
        return f"{self.make}-{shapes}-{self.low}".replace(" ", "")


def arrays(case):
    """Return the inputs of a case as NumPy arrays, from a fixed seed."""
    rng = np.random.default_rng(7)
    return [_array(i, case, rng) for i in case.inputs]


def _array(given, case, rng):
    if isinstance(given, tuple):
        return rng.uniform(case.low, case.high, given).astype(np.float32)
    if isinstance(given, list):
        return np.array(given, np.int32)
    return given if given.dtype == np.int64 else np.array(given, np.float32)


def build(case, nn, ms):
    """Build the layer of a case, with deterministic values in every Parameter."""
    layer = eval(case.make, {"nn": nn, "ms": ms, "np": np})
    rng = np.random.default_rng(8)
    for p in layer.trainable_params() if case.fixed else layer.get_parameters():
        values = rng.uniform(0.5, 1.5, p.shape) * rng.choice([-1, 1], p.shape)
        if "variance" in p.name:
            values = np.abs(values)
        p.set_data(ms.Tensor(values.astype(np.float32)))
    if case.graph and hasattr(ms, "jit"):
        layer.construct = ms.jit(layer.construct)
    return layer


def _flat(out):
    """Return a layer's outputs, in nested tuples, as a flat list."""
    return [x for part in out for x in _flat(part)] if isinstance(out, tuple) else [out]


def _number(layer, inputs, ms):
    """Reduce a layer's outputs to a scalar, with a separate weight for each element."""
    total = 0
    for out in _flat(layer(*inputs)):
        if out.dtype == ms.float32:
            weights = np.cos(np.arange(out.size)).reshape(out.shape).astype(np.float32)
            total = total + (out * ms.Tensor(weights)).sum()
    return total


def computed(case, train, nn, ms):
    """Return a layer's output, the gradients of its inputs and weights, and its other Parameters
    after.

    `nn`, `ms`: the modules to compute with.
    """
    layer = build(case, nn, ms)
    layer.set_train(train)
    inputs = [ms.Tensor(a) for a in arrays(case)]
    outs = _flat(layer(*inputs))
    result = {f"out{i or ''}": out for i, out in enumerate(outs)}
    layer = build(case, nn, ms)
    layer.set_train(train)
    weights = layer.trainable_params()
    floats = [i for i, t in enumerate(inputs) if t.dtype == ms.float32]
    positions = tuple(floats[: case.differentiable])
    if positions or weights:
        slopes = ms.grad(lambda *xs: _number(layer, xs, ms), positions or None, weights or None)
        argument = slopes(*inputs)
        argument = argument if positions and weights else (argument, argument)
        of_inputs, of_weights = (g if isinstance(g, tuple) else (g,) for g in argument)
        result |= {f"input{i}": g for i, g in zip(positions, of_inputs, strict=False)}
        result |= {f"weight{i}": of_weights[i] for i in range(len(weights))}
    states = () if case.fixed else layer.untrainable_params()
    result |= {f"state{i}": p for i, p in enumerate(states)}
    return {name: np.asarray(tensor.asnumpy()) for name, tensor in result.items()}


_IMAGE = [(2, 3, 7, 8)]
_SCORES = [(4, 5), [1, 0, 4, 2]]
_CHANCES = [(4, 5), np.array([[0.1, 0.2, 0.3, 0.4, 0.0]] * 3 + [[0.0, 0.0, 1.0, 0.0, 0.0]])]

_SIGNS = np.array([1.0, -1.0, -1.0, 1.0])

_ACTIVATIONS = """
    ReLU() GELU() GELU(False) Sigmoid() Softmax() Softmax(0) LogSoftmax() LogSoftmax(0) LeakyReLU()
    LeakyReLU(0.1) ReLU6() ELU() SiLU() HSwish() HSigmoid() LogSigmoid() Softsign() CELU(2.0)
    Hardtanh() HShrink() SoftShrink() PReLU() PReLU(5) Softmin()"""

CASES = [
    Case("nn.Dense(3, 4)", [(2, 3)]),
    Case("nn.Dense(3, 4)", [(3,)]),
    Case("nn.Dense(3, 4, has_bias=False, activation='relu')", [(2, 5, 3)]),
    Case("nn.Conv2d(3, 4, 3)", _IMAGE),
    Case("nn.Conv2d(3, 4, 4, stride=2, has_bias=True)", _IMAGE),
    Case("nn.Conv2d(3, 4, (2, 5), stride=(1, 3))", _IMAGE),
    Case("nn.Conv2d(3, 4, 3, pad_mode='valid', has_bias=True)", _IMAGE),
    Case("nn.Conv2d(3, 4, 3, pad_mode='valid', dilation=2)", _IMAGE),
    Case("nn.Conv2d(3, 4, 3, pad_mode='pad', padding=(1, 0, 2, 1), stride=2)", _IMAGE),
    Case("nn.Conv2d(3, 6, 5, pad_mode='pad', padding=2, group=3)", _IMAGE),
    Case("nn.Conv2d(1, 6, 5, pad_mode='valid')", [(2, 1, 14, 14)]),
    Case("nn.Conv2d(12, 4, 3, pad_mode='valid')", [(2, 12, 6, 6)]),
    Case("nn.Conv1d(3, 4, 3, has_bias=True)", [(2, 3, 7)]),
    Case("nn.Conv1d(4, 6, 3, 2, 'pad', 2, 2, 2)", [(2, 4, 9)]),
    Case("nn.MatMul()", [(2, 3, 4), (4, 5)], differentiable=2),
    Case("nn.MatMul(True, True)", [(2, 4, 3), (2, 5, 4)], differentiable=2),
    Case("nn.MatMul()", [(4,), (2, 4, 5)], differentiable=2),
    Case("nn.BatchNorm1d(3)", [(6, 3)]),
    Case("nn.BatchNorm1d(3, momentum=0.7, affine=False)", [(6, 3)]),
    Case("nn.BatchNorm2d(3)", _IMAGE),
    Case("nn.BatchNorm2d(3, eps=1e-3, use_batch_statistics=True)", _IMAGE),
    Case("nn.BatchNorm2d(3, use_batch_statistics=False)", _IMAGE),
    Case("nn.LayerNorm((8,))", _IMAGE),
    Case("nn.LayerNorm([7, 8], begin_norm_axis=2, begin_params_axis=2, epsilon=1e-5)", _IMAGE),
    Case("nn.LayerNorm([8], begin_norm_axis=2, begin_params_axis=3)", _IMAGE),
    Case("nn.GroupNorm(3, 6)", [(2, 6, 4, 4)]),
    Case("nn.Embedding(5, 3)", [[[1, 2], [2, 4]]]),
    Case("nn.Embedding(5, 3, padding_idx=2)", [[[1, 2], [2, 4]]]),
    Case("nn.Embedding(5, 3, use_one_hot=True)", [[[1, 2], [2, 4]]]),
    Case("nn.MaxPool2d()", _IMAGE),
    Case("nn.MaxPool2d(2, 2)", _IMAGE),
    Case("nn.MaxPool2d(2, 2)", [(3, 7, 8)]),
    Case("nn.MaxPool2d((2, 3), stride=(1, 2), pad_mode='same')", _IMAGE),
    Case("nn.MaxPool2d(3, 2, 'pad', 1)", _IMAGE),
    Case("nn.MaxPool2d(3, 2, 'pad', 1, ceil_mode=True)", _IMAGE),
    Case("nn.MaxPool2d(2, 1, 'pad', 0, dilation=2)", _IMAGE),
    Case("nn.MaxPool2d(6, 1)", _IMAGE),
    Case("nn.AvgPool2d(2, 2)", _IMAGE),
    Case("nn.AvgPool2d((2, 3), stride=(1, 2), pad_mode='same')", _IMAGE),
    Case("nn.AvgPool2d(3, 2, 'pad', 1)", _IMAGE),
    Case("nn.AvgPool2d(3, 2, 'pad', 1, count_include_pad=False)", _IMAGE),
    Case("nn.AvgPool2d(3, 2, 'pad', 1, ceil_mode=True)", _IMAGE),
    Case("nn.AvgPool2d(2, 2, divisor_override=3)", _IMAGE),
    Case("nn.AvgPool2d(6, 1)", _IMAGE),
    Case("nn.AdaptiveAvgPool2d((3, 5))", _IMAGE),
    Case("nn.Flatten()", _IMAGE),
    Case("nn.Flatten(0, 1)", _IMAGE),
    Case("nn.Identity()", [(2, 3)]),
    *[
        Case(f"nn.{name}", [(4, 5)], -4.0, 8.0)
        for name in _ACTIVATIONS.split()
    ],
    Case("nn.Tanh()", [(4, 5)]),
    Case("nn.Mish()", [(4, 5)]),
    Case("nn.Threshold(0.3, 9.0)", [(4, 5)]),
    Case("nn.CrossEntropyLoss()", _SCORES),
    Case("nn.CrossEntropyLoss(reduction='sum')", [(4, 5), [1, -100, 4, 2]]),
    Case("nn.CrossEntropyLoss(ignore_index=4)", _SCORES),
    Case("nn.CrossEntropyLoss(reduction='none', label_smoothing=0.1)", _SCORES),
    Case("nn.CrossEntropyLoss(ms.Tensor([.1, .2, .3, .4, .5]), label_smoothing=0.1)", _SCORES),
    Case("nn.CrossEntropyLoss(ms.Tensor([.1, .2, .3, .4, .5]))", [(4, 5), (4, 5)]),
    Case("nn.CrossEntropyLoss(label_smoothing=0.2)", [(4, 5), (4, 5)]),
    Case("nn.CrossEntropyLoss()", [(2, 5, 3), [[1, 0, 4], [2, 2, 3]]]),
    Case("nn.SoftmaxCrossEntropyWithLogits()", _CHANCES),
    Case("nn.SoftmaxCrossEntropyWithLogits(reduction='mean')", _CHANCES),
    Case("nn.SoftmaxCrossEntropyWithLogits(sparse=True)", _SCORES),
    Case("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", _SCORES),
    Case("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='sum')", _SCORES),
    Case("nn.MSELoss()", [(2, 3), (2, 3)], differentiable=2),
    Case("nn.MSELoss('sum')", [(2, 3), (3,)], differentiable=2),
    Case("nn.MSELoss('none')", [(2, 3), (2, 3)], differentiable=2),
    Case("nn.L1Loss()", [(2, 3), (2, 3)], differentiable=2),
    Case("nn.L1Loss('none')", [(2, 3), (2, 3)], differentiable=2),
    Case("nn.SmoothL1Loss()", [(2, 3), (2, 3)], -2, 2, differentiable=2),
    Case("nn.SmoothL1Loss(0.5, 'mean')", [(2, 3), (2, 3)], -2, 2, differentiable=2),
    Case("nn.HuberLoss()", [(2, 3), (2, 3)], -2, 2),
    Case("nn.HuberLoss('none', 0.5)", [(2, 3), (2, 3)], -2, 2),
    Case("nn.MAELoss('sum')", [(2, 3), (2, 3)], differentiable=2),
    Case("nn.RMSELoss()", [(2, 3), (2, 3)], differentiable=2),
    Case("nn.DiceLoss()", [(2, 3), (2, 3)], 0.05, 0.95, differentiable=2),
    Case("nn.MarginRankingLoss(0.3)", [(4,), (4,), _SIGNS], differentiable=2),
    Case("nn.HingeEmbeddingLoss(0.7, 'sum')", [(4,), _SIGNS]),
    Case("nn.CosineEmbeddingLoss(0.2)", [(4, 3), (4, 3), [1, -1, -1, 1]], differentiable=2),
    Case("nn.GaussianNLLLoss()", [(2, 3)] * 3, 0.05, 0.95, differentiable=3),
    Case("nn.GaussianNLLLoss(full=True, eps=0.5, reduction='sum')", [(2, 3), (2, 3), (2,)],
         0.05, 0.95, differentiable=2),
    Case("nn.BCELoss()", [(2, 3), (2, 3)], 0.05, 0.95),
    Case("nn.BCELoss(ms.Tensor(np.full((2, 3), 2.5, 'f')), 'none')", [(2, 3), (2, 3)], 0.05, 0.95),
    Case("nn.BCEWithLogitsLoss()", [(2, 3), (2, 3)]),
    Case("nn.BCEWithLogitsLoss('sum', ms.Tensor([1., 2., 3.]), ms.Tensor([3., 2., 1.]))",
         [(2, 3), (2, 3)]),
    Case("nn.NLLLoss()", _SCORES),
    Case("nn.NLLLoss(ms.Tensor([.1, .2, .3, .4, .5]), 4, 'mean')", _SCORES),
    Case("nn.NLLLoss(reduction='none')", [(2, 5, 3), [[1, 0, 4], [2, 2, 3]]]),
    Case("nn.KLDivLoss()", [(2, 3), (2, 3)], 0.05, 0.95),
    Case("nn.KLDivLoss('batchmean')", [(2, 3), (2, 3)], 0.05, 0.95),
]  # fmt: skip

PRINTED = [
    "nn.Dense(3, 4)",
    "nn.Dense(3, 4, has_bias=False)",
    "nn.Dense(3, 4, activation='relu')",
    "nn.Dense(3, 4, activation=ops.ReLU())",
    "nn.Conv2d(4, 6, (3, 5), 2, 'pad', (1, 1, 2, 2), 2, 2, True, 'normal', 'zeros')",
    "nn.BatchNorm1d(4)",
    "nn.BatchNorm2d(4, momentum=0.8, affine=False)",
    "nn.LayerNorm((4,))",
    "nn.LayerNorm([4, 5], epsilon=1e-6)",
    "nn.GroupNorm(2, 4)",
    "nn.Dropout()",
    "nn.Dropout(p=0.2)",
    "nn.Dropout(keep_prob=0.9)",
    "nn.Dropout2d(0.3)",
    "nn.Embedding(10, 3)",
    "nn.Embedding(10, 3, True, 'normal', padding_idx=0)",
    "nn.MaxPool2d((2, 3), stride=(1, 2), pad_mode='same')",
    "nn.MaxPool2d(3, 2, 'pad', 1)",
    "nn.AvgPool2d(3, 2, 'pad', padding=1)",
    "nn.AdaptiveAvgPool2d(2)",
    "nn.Flatten()",
    "nn.LeakyReLU(0.1)",
    "nn.GELU(False)",
    "nn.Softmax(axis=1)",
    "nn.PReLU()",
    "nn.CrossEntropyLoss()",
    "nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')",
    "nn.get_activation('hsigmoid')",
    "nn.SequentialCell(nn.Conv2d(1, 6, 5, weight_init='ones'), nn.BatchNorm2d(6), nn.ReLU(), "
    "nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(6, 2))",
]

_VOLUME = [(1, 2, 4, 5, 4)]
_LINE = [(2, 3, 7)]
_SEQUENCE = [(3, 2, 4)]
_ROUGH = 5e-4  # MindSpore's tanh is off by up to 2.5e-4 on a CPU

CASES += [
    Case("nn.Conv2dTranspose(3, 4, 3)", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, 4, 2, has_bias=True)", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, (3, 2), (2, 3))", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, 3, 2, 'pad', (0, 1, 1, 2), has_bias=True)", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, 3, 2, 'pad', 1, output_padding=1, has_bias=True)",
         [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, 3, 2, 'pad', 1, output_padding=(0, 1))", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, 2, 3, 'valid')", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(3, 4, 3, 2, 'same', dilation=2)", [(2, 3, 4, 5)]),
    Case("nn.Conv2dTranspose(4, 6, 3, 2, 'same', group=2)", [(2, 4, 4, 5)]),
    Case("nn.Conv1dTranspose(3, 4, 4, 2, has_bias=True)", [(2, 3, 5)]),
    Case("nn.Conv1dTranspose(3, 4, 3, 2, 'pad', 1)", [(2, 3, 5)]),
    Case("nn.Conv3d(3, 4, 3)", [(1, 3, 4, 5, 4)]),
    Case("nn.Conv3d(3, 4, (2, 3, 1), 2, 'pad', (1, 0, 1, 1, 0, 0), has_bias=True)",
         [(1, 3, 4, 5, 4)]),
    Case("nn.Conv3d(4, 6, 2, 1, 'valid', group=2, has_bias=True)", [(1, 4, 4, 5, 4)]),
    Case("nn.Conv3dTranspose(3, 4, 3, 2, has_bias=True)", [(1, 3, 2, 3, 2)]),
    Case("nn.Conv3dTranspose(3, 4, 2, 3, 'valid')", [(1, 3, 2, 3, 2)]),
    Case("nn.Conv3dTranspose(3, 4, 3, 2, 'pad', 1, output_padding=1)", [(1, 3, 2, 3, 2)]),
    Case("nn.Conv3dTranspose(3, 4, 3, 2, 'pad', (1, 0, 1, 1, 0, 0))", [(1, 3, 2, 3, 2)]),
    Case("nn.MaxPool1d(2, 2)", _LINE),
    Case("nn.MaxPool1d(3, 2, 'same')", [(3, 7)]),
    Case("nn.MaxPool1d(3, 2, 'pad', 1, return_indices=True)", _LINE),
    Case("nn.MaxPool1d(3, 2, 'pad', 1, 2)", _LINE),
    Case("nn.MaxPool3d(2, 2)", _VOLUME),
    Case("nn.MaxPool3d((2, 3, 1), 1, 'same')", [(2, 4, 5, 4)]),
    Case("nn.MaxPool3d(3, 2, 'pad', 1, ceil_mode=True)", _VOLUME),
    Case("nn.MaxPool3d(2, 1, 'pad', 0, 2, True)", _VOLUME),
    Case("nn.AvgPool1d(2, 2)", _LINE),
    Case("nn.AvgPool1d(3, 2, 'same')", [(3, 7)]),
    Case("nn.AvgPool1d(3, 2, 'pad', 1, count_include_pad=False)", _LINE),
    Case("nn.AvgPool3d((2, 3, 1), 1, 'same')", [(2, 4, 5, 4)]),
    Case("nn.AvgPool3d(3, 2, 'pad', (1, 0, 1), True, False)", _VOLUME),
    Case("nn.AvgPool3d(2, 2, divisor_override=3)", _VOLUME),
    Case("nn.AdaptiveAvgPool1d(3)", [(2, 3, 6)]),
    Case("nn.AdaptiveAvgPool3d((3, None, 2))", _VOLUME),
    Case("nn.AdaptiveMaxPool1d(3)", [(2, 3, 6)]),
    Case("nn.AdaptiveMaxPool2d(2, True)", [(1, 2, 4, 5)]),
    Case("nn.AdaptiveMaxPool3d(2, True)", _VOLUME),
    Case("nn.SyncBatchNorm(3)", _IMAGE),
    Case("nn.RNNCell(3, 4)", [(2, 3), (2, 4)], differentiable=2, atol=_ROUGH),
    Case("nn.RNNCell(3, 4, False, 'relu')", [(2, 3), (2, 4)], differentiable=2),
    Case("nn.GRUCell(3, 4)", [(2, 3), (2, 4)], differentiable=2, atol=_ROUGH),
    Case("nn.RNN(3, 4, 2)", [(5, 2, 3)], atol=_ROUGH),
    Case("nn.RNN(3, 4, nonlinearity='relu', has_bias=False)", [(5, 2, 3), (1, 2, 4)],
         differentiable=2),
    Case("nn.LSTM(3, 4)", [(5, 2, 3)], atol=_ROUGH),
    Case("nn.LSTM(3, 4, 2, bidirectional=True, batch_first=True)", [(2, 5, 3)], atol=_ROUGH),
    Case("nn.LSTM(3, 4, has_bias=False)", [(5, 2, 3)], atol=_ROUGH),
    Case("nn.GRU(3, 4, 2, bidirectional=True)", [(5, 2, 3)], atol=_ROUGH),
    Case("nn.GRU(3, 4, batch_first=True)", [(2, 5, 3), (1, 2, 4)], differentiable=2, atol=_ROUGH),
    Case("nn.MultiheadAttention(4, 2)", [(3, 2, 4), (5, 2, 4), (5, 2, 4)], differentiable=3),
    Case("nn.MultiheadAttention(4, 2, batch_first=True, has_bias=False)", [(2, 3, 4)] * 3,
         differentiable=3),
    Case("nn.MultiheadAttention(4, 2, kdim=3, vdim=5, add_bias_kv=True, add_zero_attn=True)",
         [(3, 2, 4), (5, 2, 3), (5, 2, 5)]),
    Case("nn.MultiheadAttention(4, 2)", [(3, 4), (5, 4), (5, 4)]),
    Case("nn.TransformerEncoderLayer(4, 2, 6, 0.0, 'gelu')", _SEQUENCE),
    Case("nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True, norm_first=True)", _SEQUENCE),
    Case("nn.TransformerDecoderLayer(4, 2, 6, 0.0)", [(3, 2, 4), (5, 2, 4)], differentiable=2),
    Case("nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, 0.0), 2, nn.LayerNorm((4,)))",
         _SEQUENCE),
    Case("nn.Transformer(4, 2, 1, 2, 6, 0.0, norm_first=True)", [(3, 2, 4), (5, 2, 4)]),
    Case("nn.OneHot(0, 3, 2, 1, ms.int32)", [[0, 2, 5]]),
    Case("nn.OneHot(depth=3)", [[[0, 2], [1, 1]]]),
    Case("nn.Norm((0, 1))", [(2, 3)]),
    Case("nn.Norm(1, True)", [(2, 3)]),
    Case("nn.ReduceLogSumExp((0, 1), True)", [(2, 3)]),
    Case("nn.ReduceLogSumExp(1)", [(2, 3)]),
    Case("nn.ClipByNorm()", [(2, 3), np.array(0.5)]),
    Case("nn.Moments()", [(2, 3)]),
    Case("nn.Moments((0, 2), True)", [(2, 3, 4)]),
    Case("nn.Moments(1)", [(2, 3)]),
    Case("nn.CentralCrop(0.5)", [(2, 3, 4, 7)]),
    Case("nn.CentralCrop(0.7)", [(3, 5, 9)]),
    Case("nn.Triu()", [(3, 4)]),
    Case("nn.Tril()", [(3, 4)]),
    Case("nn.FastGelu()", [(2, 3)], -4, 4),
    Case("nn.PixelShuffle(2)", [(2, 8, 2, 3)]),
    Case("nn.PixelUnshuffle(2)", [(2, 2, 4, 6)]),
    Case("nn.Upsample((5, 6), mode='bilinear', align_corners=True)", [(1, 2, 3, 4)]),
    Case("nn.Upsample((5, 6))", [(1, 2, 3, 4)]),
    Case("nn.Pad(((1, 1), (0, 2)))", [(2, 3)]),
    Case("nn.Pad(((0, 0), (1, 1)), 'SYMMETRIC')", [(2, 3)]),
    Case("nn.Pad(((0, 0), (1, 2)), 'REFLECT')", [(2, 3)]),
    Case("nn.ZeroPad2d((1, 2, -1, 0))", [(1, 2, 3, 4)]),
    Case("nn.ConstantPad1d((1, 2), 0.5)", [(2, 3)]),
    Case("nn.ConstantPad2d(1, 0.5)", [(2, 3, 4)]),
    Case("nn.ConstantPad3d((1, 0, 0, 2, 1, 1), 0.5)", [(1, 2, 3, 4)]),
    Case("nn.ReflectionPad1d((1, 2))", [(2, 3, 4)]),
    Case("nn.ReflectionPad2d(1)", [(1, 2, 3, 4)]),
    Case("nn.ReflectionPad3d(1)", [(1, 2, 3, 4, 2)]),
    Case("nn.ReplicationPad1d(2)", [(2, 3, 4)]),
    Case("nn.ReplicationPad2d((1, 0, 2, 1))", [(2, 3, 4)]),
    Case("nn.ReplicationPad3d(1)", [(1, 2, 2, 3, 2)]),
    Case("nn.Conv2dBnAct(3, 4, 3, has_bn=True, activation='relu')", _IMAGE),
    Case("nn.DenseBnAct(3, 4, has_bn=True, activation='leakyrelu')", [(5, 3)]),
]  # fmt: skip

PRINTED += [
    "nn.Conv1dTranspose(3, 4, 3, has_bias=True, weight_init='ones', bias_init='ones')",
    "nn.Conv2dTranspose(3, 4, 3, 2, weight_init='ones')",
    "nn.Conv3d(3, 4, 3, 2, 'pad', (1, 0, 1, 0, 1, 0), weight_init='ones')",
    "nn.Conv3dTranspose(3, 4, 3, weight_init='ones')",
    "nn.MaxPool1d(2, 2)",
    "nn.MaxPool1d(2, 2, 'pad')",
    "nn.AvgPool1d(2)",
    "nn.AvgPool1d(2, 2, 'pad', 1)",
    "nn.MaxPool3d(2)",
    "nn.AvgPool3d((1, 2, 3))",
    "nn.AdaptiveAvgPool1d(2)",
    "nn.AdaptiveMaxPool3d(2)",
    "nn.LSTM(3, 4, 2, bidirectional=True)",
    "nn.RNN(3, 4, nonlinearity='relu')",
    "nn.GRU(3, 4, dropout=0.5, num_layers=2)",
    "nn.GRUCell(3, 4)",
    "nn.MultiheadAttention(4, 2, kdim=3, has_bias=False)",
    "nn.Transformer(4, 2, 1, 1, 6)",
    "nn.SyncBatchNorm(3)",
    "nn.InstanceNorm2d(3, affine=False)",
    "nn.OneHot(depth=3)",
    "nn.Norm(axis=0)",
    "nn.Pad(((1, 1), (0, 2)))",
    "nn.ReflectionPad2d(1)",
    "nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])",
    "nn.get_activation('fast_gelu')",
    "nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation='relu')",
    "nn.DenseBnAct(1, 2, has_bn=True, activation='leakyrelu')",
    "[p.name for p in nn.LSTM(3, 4, 2, bidirectional=True).get_parameters()]",
    "[p.name for p in nn.Transformer(4, 2, 1, 1, 6).get_parameters()]",
    "[p.name for p in nn.MultiheadAttention(4, 2, kdim=3, add_bias_kv=True).get_parameters()]",
]
