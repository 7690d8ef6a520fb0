"""The layers that `mint.nn` has with arguments of their own: PyTorch's names and rules."""

from sporax import ops
from sporax.core.dtype import float32
from sporax.nn import argument
from sporax.nn.cell import Cell
from sporax.nn.convolution import per_axis
from sporax.nn.initial import default_bias, default_weight, parameter
from sporax.ops.declare import MINT

_EDGES = ("reflect", "replicate", "circular")  # how an edge is continued, other than by zeros


class Linear(Cell):
    r"""`mint.nn.Linear`: $y = x W^\top + b$ along the last axis, `(*, in)` -> `(*, out)`.

    `weight` is `(out, in)` and `bias` `(out,)`; as `nn.Dense`'s they start uniform in
    $\pm 1 / \sqrt{in}$ unless `weight_init` and `bias_init` say otherwise.

    >>> mint.nn.Linear(3, 4)(ops.ones((2, 3))).shape
    (2, 4)
    """

    def __init__(
        self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None
    ):
        super().__init__()
        argument.positive_int("Linear", in_features=in_features, out_features=out_features)
        argument.flag("Linear", bias=bias)
        self.in_features, self.out_features, self.has_bias = in_features, out_features, bias
        shape, dtype = (out_features, in_features), dtype or float32
        self.weight = parameter("Linear", "weight", default_weight(weight_init), shape, dtype)
        self.bias = None
        if bias:
            init = default_bias(bias_init, shape)
            self.bias = parameter("Linear", "bias", init, shape[:1], dtype)

    def construct(self, input):
        argument.tensor("Linear", input)
        if input.shape[-1:] != (self.in_features,):
            raise ValueError(
                f"For 'Linear', the last axis of the input must be {self.in_features} "
                f"('in_features'), but got shape {input.shape}."
            )
        return ops.dense(input, self.weight, self.bias)

    def extend_repr(self):
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return text + f", has_bias={self.has_bias}"


def _paddings(kernel_size, stride, dilation, padding):
    """Zeros at top, bottom, left and right."""
    if padding == "valid":
        return 0, 0, 0, 0
    if padding != "same":
        first, second = per_axis("Conv2d", "padding", padding, 2, 0)
        return first, first, second, second
    if stride != (1, 1):
        raise ValueError(
            f"For 'Conv2d', 'stride' must be 1 when 'padding' is 'same', but got {stride}."
        )
    extra = [d * (k - 1) for k, d in zip(kernel_size, dilation, strict=True)]
    return tuple([n for e in extra for n in (e // 2, e - e // 2)])


class Conv2d(Cell):
    r"""`mint.nn.Conv2d`: $y_o = b_o + \sum_c w_{oc} \star x_c$, `(N, C, H, W)` -> `(N, O, H', W')`.

    `(C, H, W)` too. `padding`: an int or two, 'valid' (none) or 'same' ($H' = H$). `padding_mode`:
    what is put there, 'zeros', or the edge by 'reflect', 'replicate' or 'circular'. `weight` is
    `(O, C / groups, kh, kw)`; it and `bias` start as `nn.Conv2d`'s.

    >>> mint.nn.Conv2d(3, 8, 3, padding=1)(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 5, 5)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        bias=True, padding_mode="zeros", dtype=None,
    ):  # fmt: skip
        super().__init__()
        argument.positive_int(
            "Conv2d", in_channels=in_channels, out_channels=out_channels, groups=groups
        )
        argument.flag("Conv2d", bias=bias)
        if padding_mode not in ("zeros", *_EDGES):
            raise ValueError(
                f"For 'Conv2d', 'padding_mode' must be one of {('zeros', *_EDGES)}, but got "
                f"{padding_mode!r}."
            )
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                "For 'Conv2d', 'in_channels' and 'out_channels' must be multiples of 'groups', but "
                f"got {in_channels}, {out_channels} and {groups}."
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = per_axis("Conv2d", "kernel_size", kernel_size, 2)
        self.stride = per_axis("Conv2d", "stride", stride, 2)
        self.dilation = per_axis("Conv2d", "dilation", dilation, 2)
        self.padding_mode, self.has_bias = padding_mode, bias
        self._sides = _paddings(self.kernel_size, self.stride, self.dilation, padding)
        self.padding = padding if isinstance(padding, str) else self._sides[::2]
        shape, dtype = (out_channels, in_channels // groups, *self.kernel_size), dtype or float32
        self.weight = parameter("Conv2d", "weight", default_weight(None), shape, dtype)
        self.bias = None
        if bias:
            init = default_bias(None, shape)
            self.bias = parameter("Conv2d", "bias", init, shape[:1], dtype)

    def construct(self, input):
        argument.tensor("Conv2d", input)
        if input.ndim not in (3, 4) or input.shape[-3] != self.in_channels:
            raise ValueError(
                f"For 'Conv2d', the input must be (N, C, H, W) or (C, H, W) with "
                f"{self.in_channels} channels ('in_channels'), but got shape {input.shape}."
            )
        x, sides = input if input.ndim == 4 else input.expand_dims(0), self._sides
        if self.padding_mode != "zeros":
            x, sides = ops.pad(x, (*sides[2:], *sides[:2]), self.padding_mode), (0, 0, 0, 0)
        y = ops.conv2d(
            x, self.weight, self.bias, self.stride, "pad", sides, self.dilation, self.groups
        )
        return y if input.ndim == 4 else y.squeeze(0)

    def extend_repr(self):
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, groups={self.groups}, bias={self.has_bias}"
        )


class AvgPool2dExt(Cell):
    r"""`mint.nn.AvgPool2d`: the mean of each window, `(N, C, H, W)` -> `(N, C, H', W')`.

    `stride`: the `kernel_size` unless given. Other arguments as `ops.avg_pool2d` has them.

    >>> mint.nn.AvgPool2d(2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 2, 2)
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def construct(self, input):
        return ops.avg_pool2d(
            input, self.kernel_size, self.kernel_size if self.stride is None else self.stride,
            self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override or 0,
        )  # fmt: skip


MINT["nn.Linear"], MINT["nn.Conv2d"], MINT["nn.AvgPool2d"] = Linear, Conv2d, AvgPool2dExt
