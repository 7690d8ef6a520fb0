"""A convolution or `Dense` with batch normalization and activation."""

from typing import Any

from sporax._src.diagnosis import argument_kinds as kinds
from sporax.nn.activation import LeakyReLU, activation_of
from sporax.nn.cell import Cell
from sporax.nn.convolution import Conv2d
from sporax.nn.dense import Dense
from sporax.nn.normalization import BatchNorm1d, BatchNorm2d


class _Combined(Cell):
    """Base class with an optional batch normalization and an optional activation."""

    _first: str
    _norm: Any

    def _follow(self, channels, has_bn, momentum, eps, activation, alpha, after_fake):
        layer = type(self).__name__
        kinds.BOOL(layer, has_bn=has_bn, after_fake=after_fake)
        self.has_bn, self.has_act, self.after_fake = has_bn, activation is not None, after_fake
        if has_bn:
            self.batchnorm = self._norm(channels, eps, momentum)
        if activation == "leakyrelu":
            self.activation = LeakyReLU(alpha)
        else:
            self.activation = activation_of(layer, activation)

    def construct(self, x):
        x = getattr(self, self._first)(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_Combined):
    """`Conv2d`, `BatchNorm2d` if `has_bn`, and `activation` (a name, a Cell or a Primitive).

    `alpha`: the slope of 'leakyrelu'. `after_fake`: accepted. Other arguments: see the layers.

    >>> nn.Conv2dBnAct(3, 8, 3, has_bn=True, activation="relu")(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 5, 5)
    """

    _first, _norm = "conv", BatchNorm2d

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init="normal", bias_init="zeros", has_bn=False,
        momentum=0.997, eps=1e-5, activation=None, alpha=0.2, after_fake=True,
    ):  # fmt: skip
        super().__init__()
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init,
        )  # fmt: skip
        self._follow(out_channels, has_bn, momentum, eps, activation, alpha, after_fake)


class DenseBnAct(_Combined):
    """`Dense`, `BatchNorm1d` if `has_bn`, and `activation` (a name, a Cell or a Primitive).

    `alpha`: the slope of 'leakyrelu'. `after_fake`: accepted. Other arguments: see the layers.

    >>> nn.DenseBnAct(3, 4, activation="relu")(ops.ones((2, 3))).shape
    (2, 4)
    """

    _first, _norm = "dense", BatchNorm1d

    def __init__(
        self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True,
        has_bn=False, momentum=0.9, eps=1e-5, activation=None, alpha=0.2, after_fake=True,
    ):  # fmt: skip
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._follow(out_channels, has_bn, momentum, eps, activation, alpha, after_fake)
