"""Layers of `mint.nn` as PyTorch has them too: how each is made, and the shape that goes in."""

import math

import numpy as np

ROWS = [
    ("nn.Linear(3, 4)", (2, 3)),
    ("nn.Linear(in_features=3, out_features=2, bias=False)", (2, 2, 3)),
    ("nn.Conv2d(2, 3, 3)", (1, 2, 5, 4)),
    ("nn.Conv2d(2, 4, kernel_size=(3, 2), stride=2, padding=1, groups=2)", (2, 2, 5, 4)),
    ("nn.Conv2d(1, 2, 3, padding=(2, 0), dilation=2, bias=False)", (1, 1, 6, 5)),
    ("nn.Conv2d(2, 2, (4, 3), padding='same')", (1, 2, 5, 4)),
    ("nn.Conv2d(1, 2, 3, padding=1, padding_mode='reflect')", (1, 1, 4, 4)),
    ("nn.Conv2d(1, 2, 3, padding=(1, 2), padding_mode='circular')", (1, 1, 4, 4)),
    ("nn.Conv2d(1, 2, 3, padding='same', padding_mode='replicate')", (1, 4, 4)),
    ("nn.AvgPool2d(2)", (1, 2, 5, 4)),
    ("nn.AvgPool2d((3, 2), stride=1, padding=1, count_include_pad=False)", (1, 1, 4, 4)),
    ("nn.AvgPool2d(3, stride=2, ceil_mode=True, divisor_override=4)", (1, 1, 6, 4)),
    ("nn.Conv1d(2, 4, 3, stride=2, padding=1, groups=2)", (2, 2, 7)),
    ("nn.Conv1d(2, 3, 4, padding='same', padding_mode='reflect')", (2, 6)),
    ("nn.Conv3d(2, 3, (1, 2, 3), padding=(0, 1, 1), bias=False)", (1, 2, 3, 3, 4)),
    ("nn.Conv3d(1, 2, 3, padding=1, dilation=2, padding_mode='circular')", (1, 1, 4, 4, 4)),
    ("nn.ConvTranspose2d(2, 4, 3, 2, 1, output_padding=1, groups=2)", (1, 2, 3, 4)),
    ("nn.ConvTranspose2d(2, 1, (2, 3), bias=False, dilation=2)", (2, 3, 4)),
    ("nn.GroupNorm(2, 4)", (2, 4, 3)),
    ("nn.GroupNorm(1, 2, eps=0.1, affine=False)", (2, 2, 3, 3)),
    ("nn.LayerNorm(4)", (2, 3, 4)),
    ("nn.LayerNorm((3, 4), eps=0.1, bias=False)", (2, 3, 4)),
    ("nn.LayerNorm([4], elementwise_affine=False)", (2, 4)),
    ("nn.BatchNorm1d(3)", (4, 3)),
    ("nn.BatchNorm1d(3, momentum=None, affine=False)", (2, 3, 4)),
    ("nn.BatchNorm2d(2, eps=0.1, momentum=0.3)", (3, 2, 3, 2)),
    ("nn.BatchNorm2d(2, track_running_stats=False)", (3, 2, 3, 2)),
    ("nn.BatchNorm3d(2)", (2, 2, 2, 3, 2)),
    ("nn.PReLU()", (2, 3)),
    ("nn.PReLU(3, init=0.5)", (2, 3, 2)),
]

# calls of layers without weights, and of functions, on `x`
CALLS = [
    ("nn.AdaptiveAvgPool1d(3)(x)", (1, 2, 7)),
    ("nn.AdaptiveAvgPool2d((2, None))(x)", (1, 2, 5, 3)),
    ("nn.AdaptiveAvgPool3d(2)(x)", (1, 1, 4, 3, 5)),
    ("nn.AdaptiveMaxPool1d(3)(x)", (1, 2, 7)),
    ("nn.AdaptiveMaxPool1d(3, return_indices=True)(x)[1] * x.sum()", (1, 2, 7)),
    ("nn.AdaptiveMaxPool2d(2)(x)", (1, 2, 5, 3)),
    ("nn.AvgPool1d(3, 2, 1, count_include_pad=False)(x)", (1, 2, 7)),
    ("nn.AvgPool3d(2, padding=1, divisor_override=3)(x)", (1, 2, 3, 4, 3)),
    ("nn.MaxPool2d(2, 1, return_indices=True)(x)[0]", (1, 2, 4, 3)),
    ("F.max_pool2d(x, 2, 2, 0, 1, True)", (1, 2, 5, 3)),
    ("nn.MaxUnpool2d(2)(*nn.MaxPool2d(2, return_indices=True)(x))", (1, 2, 4, 4)),
    ("nn.MaxUnpool2d(2)(*nn.MaxPool2d(2, return_indices=True)(x), output_size=(5, 4))",
     (1, 2, 5, 4)),
    ("nn.Fold((4, 5), (2, 3), padding=1, stride=(1, 2))(nn.Unfold((2, 3), padding=1, "
     "stride=(1, 2))(x))", (2, 2, 4, 5)),
    ("nn.Fold(4, 2, dilation=2)(nn.Unfold(2, dilation=2)(x))", (1, 2, 4, 4)),
    ("nn.BCELoss()(x.sigmoid(), x.new_ones((2, 3)) * 0.3)", (2, 3)),
    ("nn.BCEWithLogitsLoss(reduction='sum')(x, x.new_ones((2, 3)) * 0.3)", (2, 3)),
    ("nn.CosineEmbeddingLoss(margin=0.2)(x, x * x, -x.new_ones((2,)))", (2, 3)),
    ("nn.CrossEntropyLoss(label_smoothing=0.1)(x, (x.new_ones((2, 3)) * 0.3))", (2, 3)),
    ("nn.KLDivLoss(reduction='batchmean')(x, x.new_ones((2, 3)) * 0.3)", (2, 3)),
    ("nn.KLDivLoss(reduction='sum', log_target=True)(x, x * 0.5)", (2, 3)),
    ("nn.L1Loss()(x, x * x)", (2, 3)),
    ("nn.MSELoss(reduction='none')(x, x * 0.5 + 1)", (2, 3)),
    ("nn.SmoothL1Loss(beta=0.5)(x, x * x)", (2, 3)),
    ("nn.SoftMarginLoss()(x, x.new_ones((2, 3)))", (2, 3)),
    ("nn.NLLLoss()(x, x.new_zeros((2,)).long())" , (2, 3)),
    ("nn.ELU(0.5)(x)", (2, 3)), ("nn.Flatten()(x)", (2, 3, 2)),
    ("nn.Flatten(0, 1)(x)", (2, 3, 2)), ("nn.GELU()(x)", (2, 3)),
    ("nn.GELU(approximate='tanh')(x)", (2, 3)), ("nn.GLU(1)(x)", (2, 4)),
    ("nn.Hardshrink(0.3)(x)", (2, 3)), ("nn.Hardsigmoid()(x)", (2, 3)),
    ("nn.Hardswish()(x)", (2, 3)), ("nn.Hardtanh(-0.5, 0.5)(x)", (2, 3)),
    ("nn.LogSigmoid()(x)", (2, 3)), ("nn.LogSoftmax(1)(x)", (2, 3)),
    ("nn.Softmax(-1)(x)", (2, 3)), ("nn.Mish()(x)", (2, 3)),
    ("nn.PixelShuffle(2)(x)", (1, 4, 2, 3)),
    ("nn.ReLU()(x)", (2, 3)), ("nn.ReLU6()(x * 9)", (2, 3)), ("nn.SELU()(x)", (2, 3)),
    ("nn.SiLU()(x)", (2, 3)), ("nn.Sigmoid()(x)", (2, 3)), ("nn.Softshrink(0.2)(x)", (2, 3)),
    ("nn.Tanh()(x)", (2, 3)), ("nn.Threshold(0.1, 2.0)(x)", (2, 3)), ("nn.Identity(3)(x)", (2,)),
    ("nn.Upsample(scale_factor=2)(x)", (1, 1, 2, 3)),
    ("nn.Upsample(size=(3, 4), mode='bilinear', align_corners=True)(x)", (1, 1, 2, 3)),
    ("nn.UpsamplingNearest2d(size=(3, 4))(x)", (1, 1, 2, 3)),
    ("nn.UpsamplingBilinear2d(scale_factor=2)(x)", (1, 1, 2, 3)),
    ("nn.ConstantPad1d((1, 0), 2.0)(x)", (2, 3)), ("nn.ConstantPad2d(1, 2.0)(x)", (1, 2, 3)),
    ("nn.ConstantPad3d(1, 2.0)(x)", (1, 1, 2, 3)), ("nn.ReflectionPad1d(1)(x)", (2, 3)),
    ("nn.ReflectionPad2d(1)(x)", (1, 2, 3)), ("nn.ReflectionPad3d(1)(x)", (1, 2, 3, 2)),
    ("nn.ReplicationPad1d(1)(x)", (2, 3)), ("nn.ReplicationPad2d(1)(x)", (1, 2, 3)),
    ("nn.ReplicationPad3d(1)(x)", (1, 2, 3, 2)), ("nn.ZeroPad1d(1)(x)", (2, 3)),
    ("nn.ZeroPad2d((1, 0, 2, 0))(x)", (1, 2, 3)), ("nn.ZeroPad3d(1)(x)", (1, 2, 3, 2)),
    ("F.conv1d(x, x[:1] * 2, padding=1)", (2, 2, 3)), ("F.normalize(x)", (2, 3)),
    ("F.normalize(x, p=1.0, dim=0)", (2, 3)), ("F.softmax(x, dim=1)", (2, 3)),
    ("F.log_softmax(x, dim=1)", (2, 3, 2)), ("F.silu(x)", (2, 3)), ("F.relu6(x)", (2, 3)),
    ("F.logsigmoid(x)", (2, 3)), ("F.threshold(x, 0.1, 2.0)", (2, 3)), ("F.elu(x)", (2, 3)),
    ("F.hardtanh(x)", (2, 3)), ("F.upsample(x, scale_factor=2)", (1, 1, 2, 3)),
    ("F.avg_pool1d(x, 2)", (1, 2, 5)), ("F.avg_pool3d(x, 2)", (1, 2, 4, 4, 3)),
    ("F.adaptive_max_pool2d(x, 2)", (1, 2, 4, 3)), ("F.kl_div(x, x, log_target=True)", (2, 3)),
    ("F.batch_norm(x, None, None, training=True)", (4, 3)),
    *[(f"F.{name}_(x * 1{more})", (2, 3)) for name, more in [
        ("relu", ""), ("elu", ", 0.5"), ("hardtanh", ", -0.5, 0.5"), ("threshold", ", 0.1, 2.0"),
    ]],
    *[(f"F.{name}(x * 1, inplace=True)", (2, 3)) for name in ("elu", "silu", "relu6", "hardtanh")],
]  # fmt: skip


def numbers(shape):
    """Numbers that are always the same."""
    at = np.arange(math.prod(shape), dtype=np.float64).reshape(shape)
    return np.sin(at * 1.7 + len(shape)).astype(np.float32)


def weights(parameters):
    return [numbers(tuple(p.shape)) for p in parameters]
