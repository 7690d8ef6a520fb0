"""Convolution layers."""

from sporax.core.dtype import float32
from sporax.core.tensor import Tensor
from sporax.nn import argument
from sporax.nn.cell import Cell
from sporax.nn.initial import default_bias, default_weight, parameter
from sporax.ops.convolution import PAD_MODES, convolution


def pair_of(layer, name, value, lowest=1):
    pair = (value, value) if isinstance(value, int) else value
    if not isinstance(pair, tuple) or len(pair) not in (2, 4):
        raise TypeError(f"For '{layer}', '{name}' must be an int or two, but got {value!r}.")
    pair = pair[2:] if len(pair) == 4 else pair
    for n in pair:
        if not isinstance(n, int) or isinstance(n, bool) or n < lowest:
            raise ValueError(
                f"For '{layer}', '{name}' must be an int of at least {lowest} or two, but got "
                f"{value!r}."
            )
    return pair


def _checked_padding(layer, pad_mode, padding):
    if pad_mode not in PAD_MODES:
        raise ValueError(
            f"For '{layer}', 'pad_mode' must be one of {PAD_MODES}, but got {pad_mode!r}."
        )
    sides = padding if isinstance(padding, tuple) else (padding,)
    if len(sides) not in (1, 4) or not all(isinstance(n, int) and n >= 0 for n in sides):
        raise ValueError(
            f"For '{layer}', 'padding' must be an int of at least 0 or four (top, bottom, left, "
            f"right), but got {padding!r}."
        )
    if pad_mode != "pad" and any(sides):
        raise ValueError(
            f"For '{layer}', 'padding' must be 0 when 'pad_mode' is not 'pad', but got {padding} "
            f"and '{pad_mode}'. Pass pad_mode='pad'."
        )


class Conv2d(Cell):
    r"""$y_o = b_o + \sum_c w_{oc} \star x_c$: `(N, C, H, W)` -> `(N, O, H', W')`.

    `weight` is `(O, C / group, kh, kw)`, `bias` `(O,)`; both start uniform in plus or minus one
    over the root of $C kh kw / group$ unless given. `pad_mode`: 'same' (zeros, the odd one after:
    $H' = \lceil H / stride \rceil$), 'valid' (none) or 'pad' (as `padding` says: one int, or top,
    bottom, left, right).

    >>> nn.Conv2d(3, 8, 3)(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 5, 5)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW",
        dtype=float32,
    ):  # fmt: skip
        super().__init__()
        layer = type(self).__name__
        argument.positive_int(
            layer, in_channels=in_channels, out_channels=out_channels, group=group
        )
        argument.flag(layer, has_bias=has_bias)
        _checked_padding(layer, pad_mode, padding)
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"For '{layer}', 'in_channels' and 'out_channels' must be multiples of 'group', "
                f"but got {in_channels}, {out_channels} and {group}."
            )
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(
                f"For '{layer}', 'data_format' must be 'NCHW' or 'NHWC', but got {data_format!r}."
            )
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.kernel_size = pair_of(layer, "kernel_size", kernel_size)
        self.stride = pair_of(layer, "stride", stride)
        self.dilation = pair_of(layer, "dilation", dilation)
        self.pad_mode, self.padding, self.data_format = pad_mode, padding, data_format
        self.has_bias = has_bias
        shape = out_channels, in_channels // group, *self.kernel_size
        self.weight_init = default_weight(weight_init)
        self.bias_init = default_bias(bias_init, shape) if has_bias else bias_init
        kept = shape if data_format == "NCHW" else (shape[0], *shape[2:], shape[1])
        self.weight = parameter(layer, "weight", self.weight_init, kept, dtype)
        self.bias = parameter(layer, "bias", self.bias_init, shape[:1], dtype) if has_bias else None

    def construct(self, x):
        argument.tensor(type(self).__name__, x)
        channels = x.shape[1 if self.data_format == "NCHW" else 3] if x.ndim == 4 else None
        if channels != self.in_channels:
            raise ValueError(
                f"For '{type(self).__name__}', the input must be {self.data_format} with "
                f"{self.in_channels} channels ('in_channels'), but got shape {x.shape}."
            )
        return convolution(
            x, self.weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation,
            self.group, data_format=self.data_format,
        )  # fmt: skip

    def extend_repr(self):
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


class Conv1d(Conv2d):
    r"""As `Conv2d`, of one axis: `(N, C, L)` -> `(N, O, L')`.

    `weight` is `(O, C / group, 1, k)`; `kernel_size`, `stride`, `padding` and `dilation` are ints.

    >>> nn.Conv1d(3, 8, 3)(ops.ones((1, 3, 5))).shape
    (1, 8, 5)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, dtype=float32,
    ):  # fmt: skip
        argument.positive_int("Conv1d", kernel_size=kernel_size, stride=stride, dilation=dilation)
        if not isinstance(padding, int):
            raise TypeError(
                f"For 'Conv1d', 'padding' must be an int, but got {type(padding).__name__}."
            )
        if isinstance(weight_init, Tensor) and weight_init.ndim == 3:
            weight_init = weight_init.expand_dims(2)
        super().__init__(
            in_channels, out_channels, (1, kernel_size), (1, stride), pad_mode,
            (0, 0, padding, padding), (1, dilation), group, has_bias, weight_init, bias_init,
            dtype=dtype,
        )  # fmt: skip

    def construct(self, x):
        argument.tensor("Conv1d", x)
        if x.ndim != 3:
            raise ValueError(f"For 'Conv1d', the input must be (N, C, L), but got shape {x.shape}.")
        return super().construct(x.expand_dims(2)).squeeze(2)
