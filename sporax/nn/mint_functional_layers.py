"""Layers of `mint.nn` without weights: each calls its function in `mint.nn.functional`."""

from sporax import ops
from sporax.nn.activation import Identity
from sporax.nn.cell import Cell
from sporax.nn.functional_layers import layer
from sporax.nn.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    PadLayer,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from sporax.ops.declare import MINT

# Constructor and call signature of the class -> its function. A constructor argument fills the
# parameter of the same name.
_ROWS = {
    "AdaptiveAvgPool1d(output_size)(input)": "adaptive_avg_pool1d",
    "AdaptiveAvgPool2d(output_size)(input)": "adaptive_avg_pool2d",
    "AdaptiveAvgPool3d(output_size)(input)": "adaptive_avg_pool3d",
    "AdaptiveMaxPool1d(output_size, return_indices=False)(input)": "adaptive_max_pool1d",
    "AdaptiveMaxPool2d(output_size, return_indices=False)(input)": "adaptive_max_pool2d",
    "AvgPool1d(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)(input)": "avg_pool1d",
    "AvgPool3d(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)": "avg_pool3d",
    "BCELoss(weight=None, reduction='mean')(input, target)": "binary_cross_entropy",
    "BCEWithLogitsLoss(weight=None, reduction='mean', pos_weight=None)(input, "
    "target)": "binary_cross_entropy_with_logits",
    "CosineEmbeddingLoss(margin=0.0, reduction='mean')(input1, input2, "
    "target)": "cosine_embedding_loss",
    "CrossEntropyLoss(weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)(input, target)": "cross_entropy",
    "ELU(alpha=1.0, inplace=False)(input)": "elu",
    "Flatten(start_dim=1, end_dim=-1)(input)": "flatten",
    "Fold(output_size, kernel_size, dilation=1, padding=0, stride=1)(input)": "fold",
    "GELU(approximate='none')(input)": "gelu",
    "GLU(dim=-1)(input)": "glu",
    "Hardshrink(lambd=0.5)(input)": "hardshrink",
    "Hardsigmoid()(input)": "hardsigmoid",
    "Hardswish()(input)": "hardswish",
    "Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)(input)": "hardtanh",
    "KLDivLoss(reduction='mean', log_target=False)(input, target)": "kl_div",
    "L1Loss(reduction='mean')(logits, labels)": "l1_loss",
    "LogSigmoid()(input)": "logsigmoid",
    "LogSoftmax(dim=None)(x)": "log_softmax",
    "MSELoss(reduction='mean')(input, target)": "mse_loss",
    "MaxPool2d(kernel_size=1, stride=None, padding=0, dilation=1, return_indices=False, "
    "ceil_mode=False)(input)": "max_pool2d",
    "MaxUnpool2d(kernel_size, stride=None, padding=0)(input, indices, "
    "output_size=None)": "max_unpool2d",
    "Mish()(input)": "mish",
    "NLLLoss(weight=None, ignore_index=-100, reduction='mean')(input, target)": "nll_loss",
    "PixelShuffle(upscale_factor)(input)": "pixel_shuffle",
    "ReLU()(input)": "relu",
    "ReLU6(inplace=False)(input)": "relu6",
    "SELU()(input)": "selu",
    "SiLU(inplace=False)(x)": "silu",
    "Sigmoid()(input)": "sigmoid",
    "SmoothL1Loss(reduction='mean', beta=1.0)(input, target)": "smooth_l1_loss",
    "SoftMarginLoss(reduction='mean')(logits, labels)": "soft_margin_loss",
    "Softmax(dim=None)(input)": "softmax",
    "Softshrink(lambd=0.5)(input)": "softshrink",
    "Tanh()(input)": "tanh",
    "Threshold(threshold, value, inplace=False)(input)": "threshold",
    "Unfold(kernel_size, dilation=1, padding=0, stride=1)(input)": "unfold",
    "Upsample(size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)(input)": "interpolate",
}


for _signature, _path in _ROWS.items():
    _class = layer(_signature, MINT[f"nn.functional.{_path}"])
    globals()[_class.__name__] = MINT[f"nn.{_class.__name__}"] = _class


class ZeroPad1d(PadLayer):
    """Zero padding of the last axis; `padding`: an int or (left, right).

    >>> mint.nn.ZeroPad1d((1, 0))(Tensor([[1, 2]])).asnumpy()
    array([[0, 1, 2]])
    """

    _axes = 1


class ZeroPad3d(PadLayer):
    """Zero padding of the last 3 axes; `padding`: int or (before, after) pairs, last axis first.

    >>> mint.nn.ZeroPad3d(1)(ops.ones((1, 2, 2, 2))).shape
    (1, 4, 4, 4)
    """

    _axes = 3


class UpsamplingNearest2d(Cell):
    """Nearest-neighbour resize of `(N, C, H, W)` to `size` or by `scale_factor`.

    >>> mint.nn.UpsamplingNearest2d(scale_factor=2)(ops.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """

    _mode, _corners = "nearest", None

    def __init__(self, size=None, scale_factor=None):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def construct(self, input):
        return ops.interpolate(input, self.size, self.scale_factor, self._mode, self._corners)


class UpsamplingBilinear2d(UpsamplingNearest2d):
    """Bilinear resize of `(N, C, H, W)` to `size` or by `scale_factor`, with aligned corners.

    >>> mint.nn.UpsamplingBilinear2d(size=3)(Tensor([[[[1.0, 3.0]]]])).shape
    (1, 1, 3, 3)
    """

    _mode, _corners = "bilinear", True


# the same classes as in `nn`
for _class in (
    ConstantPad1d, ConstantPad2d, ConstantPad3d, Identity, ReflectionPad1d, ReflectionPad2d,
    ReflectionPad3d, ReplicationPad1d, ReplicationPad2d, ReplicationPad3d, ZeroPad2d,
    ZeroPad1d, ZeroPad3d, UpsamplingBilinear2d, UpsamplingNearest2d,
):  # fmt: skip
    MINT[f"nn.{_class.__name__}"] = _class
