"""Convolutions."""

import operator

from sporax.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.nn.dense import bias_apart, same_dtype
from sporax.ops.shape.reshape import expand_dims, squeeze
from sporax.xla_kernels.convolution import convolve

PAD_MODES = ("valid", "same", "pad")


def per_axis(name, value, count=2, lowest=1):
    """Return an int per axis, from one for all or one each (for two axes, the last two of four)."""
    numbers = value if isinstance(value, (tuple, list)) else (value,) * count
    numbers = numbers[2:] if len(numbers) == 4 and count == 2 else numbers
    numbers = numbers * count if len(numbers) == 1 else numbers
    try:
        numbers = tuple(operator.index(n) for n in numbers)
    except TypeError:
        numbers = ()
    if len(numbers) != count or min(numbers) < lowest:
        raise rejection(
            "int-or-ints-at-least", argument=name, lowest=lowest, counts=(count,), got=value
        )
    return numbers


def same_padding(size, kernel, stride, dilation=1):
    """Return the padding (before, after) for ceil(size / stride) windows; an odd one is after."""
    windows = -(-size // stride)
    total = max(0, (windows - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def sides(padding):
    """(top, bottom, left, right) of a padding: one int, two or four."""
    values = padding if isinstance(padding, tuple) else (padding,)
    require(
        all(isinstance(n, int) and n >= 0 for n in values) and len(values) in (1, 2, 4),
        "ints-at-least",
        padding=padding,
        n=1,
        n2=2,
        n3=4,
        n4=0,
    )
    return values if len(values) == 4 else (*(values[:1] * 2), *(values[-1:] * 2))


def check_channels(input, weight, groups):
    """Raise ValueError if the weight does not match the channels, on any number of axes."""
    if input.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise rejection(
            "channels-second-size-weight",
            argument="input",
            number=weight.shape[1] * groups,
            groups=groups,
            shape=input.shape[1],
        )


def add_bias(y, bias, weight):
    """Add each channel's bias to the result, if there is one."""
    if bias is None:
        return y
    require(
        bias.shape == weight.shape[:1],
        "shape-shape-size-matrices",
        argument="bias",
        value=weight.shape[:1],
    )
    return y + bias.reshape(-1, *[1] * (y.ndim - 2))


def _padding(pad_mode, padding, sizes, kernel, stride, dilation):
    mode = pad_mode.lower() if isinstance(pad_mode, str) else pad_mode
    require(mode in PAD_MODES, "one-of", pad_mode=pad_mode, choices=PAD_MODES)
    pads = sides(padding)
    if mode == "pad":
        return pads
    require(not any(pads), "0-unless-padded", padding=padding)
    if mode == "valid":
        return pads
    rows, columns = map(same_padding, sizes, kernel, stride, dilation)
    return *rows, *columns


@op(
    function="conv2d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)",
    primitive="Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad: padding=0, "
    "stride=1, dilation=1, group: groups=1, data_format='NCHW')(x: input, weight)",
    check=same_dtype("Conv2D"), parts=bias_apart,
)  # fmt: skip
def conv2d(
    input: Array, weight: Array, bias: OPTIONAL = None, stride=1, pad_mode="valid", padding=0,
    dilation=1, groups=1, out_channel=None, kernel_size=None, mode=1, data_format="NCHW",
):  # fmt: skip
    r"""$y_{no} = b_o + \sum_c x_{nc} \star w_{oc}$: `(N, C, H, W)` -> `(N, O, H', W')`.

    `weight`: `(O, C / groups, kh, kw)`; `bias`: `(O,)`. `pad_mode`: 'valid' (no padding), 'same'
    ($H' = \lceil H / stride \rceil$; an odd row or column of zeros is appended), 'pad' (zeros by
    `padding`: for all sides, for both axes, or top, bottom, left, right). `stride`, `dilation`:
    ints or pairs.

    >>> ops.conv2d(ops.ones((1, 1, 4, 4)), ops.ones((2, 1, 3, 3))).shape
    (1, 2, 2, 2)
    """
    require(
        data_format in ("NCHW", "NHWC"), "one-of", data_format=data_format, choices=("NCHW", "NHWC")
    )
    require(input.ndim == 4 and weight.ndim == 4, "weight-dimensions", argument="input", n=4)
    last = data_format == "NHWC"
    if last:
        input, weight = input.transpose(0, 3, 1, 2), weight.transpose(0, 3, 1, 2)
    require(
        mode == 1 and (out_channel or weight.shape[0]) == weight.shape[0],
        "1-out-channel-first-size",
        argument="mode",
    )
    require(
        kernel_size is None or per_axis("kernel_size", kernel_size) == weight.shape[2:],
        "kernel-size-weight",
        kernel_size=kernel_size,
    )
    check_channels(input, weight, groups)
    stride, dilation = per_axis("stride", stride), per_axis("dilation", dilation)
    sizes, kernel = input.shape[2:], weight.shape[2:]
    around = _padding(pad_mode, padding, sizes, kernel, stride, dilation)
    for size, k, d, before, after in zip(
        sizes, kernel, dilation, around[::2], around[1::2], strict=True
    ):
        if size + before + after < (k - 1) * d + 1:
            raise rejection(
                "padded-input-at-least-large",
                size=size,
                number=before + after,
                number2=(k - 1) * d + 1,
            )
    y = convolve(input, weight, stride, around, dilation, groups)
    y = add_bias(y, bias, weight)
    return y.transpose(0, 2, 3, 1) if last else y


convolution = conv2d.declaration.face()  # with all arguments of the class


@composite(
    mint="nn.functional.conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    function=(),
)
def conv2d_of_mint(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As `ops.conv2d`; `padding`: ints, or 'valid' or 'same'.

    >>> x, w = ops.ones((1, 3, 5, 5)), ops.ones((4, 3, 3, 3))
    >>> mint.nn.functional.conv2d(x, w, padding="same").shape
    (1, 4, 5, 5)
    """
    if isinstance(padding, str):
        return conv2d(input, weight, bias, stride, padding, 0, dilation, groups)
    return conv2d(input, weight, bias, stride, "pad", padding, dilation, groups)


@composite(
    function=(), of="conv2d",
    primitive="DepthwiseConv2dNative(channel_multiplier, kernel_size, mode=3, pad_mode='valid', "
    "pad=0, stride=1, dilation=1, group=1)(x, w)",
)  # fmt: skip
def depthwise_conv2d(
    x, w, channel_multiplier, kernel_size, mode=3, pad_mode="valid", pad=0, stride=1, dilation=1,
    group=1,
):  # fmt: skip
    """Convolve each channel separately: `(N, C, H, W)`, `w` `(M, C, kh, kw)` -> `(N, C M, H', W')`
    with M = `channel_multiplier`, the results of one channel adjacent.

    >>> ops.DepthwiseConv2dNative(1, 3)(ops.ones((1, 2, 4, 4)), ops.ones((1, 2, 3, 3))).shape
    (1, 2, 2, 2)
    """
    kernel = per_axis("kernel_size", kernel_size)
    if w.ndim != 4 or w.shape != (channel_multiplier, x.shape[1], *kernel) or mode != 3:
        raise rejection(
            "shape-mode-3",
            "DepthwiseConv2dNative",
            w=w.shape,
            items=(channel_multiplier, x.shape[1], *kernel),
            mode=mode,
        )
    weight = w.permute(1, 0, 2, 3).reshape(-1, 1, *kernel)
    return conv2d(x, weight, None, stride, pad_mode, pad, dilation, x.shape[1])


@composite()
def conv1d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """`(N, C, L)` with `weight` `(O, C / groups, k)` -> `(N, O, L')`; arguments as for `conv2d`.

    >>> ops.conv1d(ops.ones((1, 1, 4)), ops.ones((2, 1, 3))).shape
    (1, 2, 2)
    """
    along = [n[0] if isinstance(n, (tuple, list)) else n for n in (stride, padding, dilation)]
    stride, padding, dilation = along
    around = (0, 0, padding, padding) if pad_mode == "pad" else padding
    y = conv2d(
        expand_dims(input, 2), expand_dims(weight, 2), bias, (1, stride), pad_mode, around,
        (1, dilation), groups,
    )  # fmt: skip
    return squeeze(y, 2)


@composite(mint="conv_tbc", function=())
def conv_tbc(input, weight, bias, pad=0):
    r"""Convolution along the leading time axis: `(T, N, C)` with `weight` `(k, C, O)` and `bias`
    `(O,)` -> `(T + 2 pad - k + 1, N, O)`.

    >>> mint.conv_tbc(ops.ones((4, 1, 2)), ops.ones((3, 2, 5)), ops.zeros(5)).shape
    (2, 1, 5)
    """
    if input.ndim != 3 or weight.ndim != 3:
        raise rejection(
            "weight-3-dimensions", "conv_tbc", argument="input", ndim=input.ndim, ndim2=weight.ndim
        )
    y = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, "pad", pad)
    return y.permute(2, 0, 1)
