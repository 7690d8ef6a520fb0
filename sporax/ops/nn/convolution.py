"""Convolutions."""

import operator

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.xla_kernels.convolution import convolve
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.nn.dense import same_dtype, without_bias
from sporax.ops.operand_checks import require_shapes
from sporax.ops.shape.reshape import expand_dims, squeeze

PAD_MODES = ("valid", "same", "pad")
PAD_MODE, LAYOUT = kinds.one_of(*PAD_MODES), kinds.one_of("NCHW", "NHWC")


def per_axis(name, value, count=2, lowest=1) -> tuple[int, ...]:
    """Return an int per axis, from one for all or one each (for two axes, the last two of four)."""
    numbers = value if isinstance(value, (tuple, list)) else (value,) * count
    numbers = numbers[2:] if len(numbers) == 4 and count == 2 else numbers
    numbers = numbers * count if len(numbers) == 1 else numbers
    try:
        numbers = tuple(operator.index(n) for n in numbers)
    except TypeError:
        numbers = ()
    fits = len(numbers) == count and min(numbers) >= lowest
    given = {"argument": name, "got": value, "lowest": lowest, "counts": (count,)}
    require(fits, "int-or-ints-at-least", **given)
    return numbers


def same_padding(size, kernel, stride, dilation=1):
    """Return the padding (before, after) for ceil(size / stride) windows; an odd one is after."""
    windows = -(-size // stride)
    total = max(0, (windows - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def padding_ints(padding, counts, pad_mode="pad"):
    """Return the ints of a padding, `counts` of at least 0, all 0 unless `pad_mode` is 'pad'."""
    pads = padding if isinstance(padding, tuple) else (padding,)
    fits = all(isinstance(n, int) and n >= 0 for n in pads) and len(pads) in counts
    require(fits, "padding-ints", padding=padding, counts=counts)
    require(pad_mode == "pad" or not any(pads), "no-padding-unless-pad", padding=padding)
    return pads


def sides(padding, pad_mode="pad"):
    """(top, bottom, left, right) of a padding: one int, two or four."""
    values = padding_ints(padding, (1, 2, 4), pad_mode)
    return values if len(values) == 4 else (*(values[:1] * 2), *(values[-1:] * 2))


def check_channels(input, weight, groups):
    """Raise ValueError if the weight does not match the channels, on any number of axes."""
    channels = weight.shape[1] * groups
    fits = input.shape[1] == channels and not weight.shape[0] % groups
    require(fits, "channels-of-weight", input=input.shape[1], channels=channels, groups=groups)


def check_settings(weight, out_channel, kernel_size, mode):
    """Raise ValueError unless the settings of a Primitive are those of the weight."""
    require(mode == 1, "must-equal", mode=mode, value=1)
    channels, kernel = weight.shape[0], weight.shape[2:]
    fits = (out_channel or channels) == channels
    require(fits, "that-of-weight", out_channel=out_channel, value=channels)
    if kernel_size is not None:
        fits = per_axis("kernel_size", kernel_size, len(kernel)) == kernel
        require(fits, "that-of-weight", kernel_size=kernel_size, value=kernel)


def add_bias(y, bias, weight):
    """Add each channel's bias to the result, if there is one."""
    if bias is None:
        return y
    wanted = weight.shape[:1]
    require(bias.shape == wanted, "shape-shape-size", bias=bias.shape, shape=wanted)
    return y + bias.reshape(-1, *[1] * (y.ndim - 2))


def _padding(pad_mode, padding, sizes, kernel, stride, dilation):
    mode = pad_mode.lower() if isinstance(pad_mode, str) else pad_mode
    PAD_MODE(None, pad_mode=mode)
    pads = sides(padding, mode)
    if mode == "pad":
        return pads
    if mode == "valid":
        return pads
    rows, columns = map(same_padding, sizes, kernel, stride, dilation)
    return *rows, *columns


@op(
    function="conv2d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)",
    primitive="Conv2D(out_channel, kernel_size, mode=1, pad_mode='valid', pad: padding=0, "
    "stride=1, dilation=1, group: groups=1, data_format='NCHW')(x: input, weight)",
    check=same_dtype("Conv2D"), decompose=without_bias,
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
    LAYOUT(None, data_format=data_format)
    require_shapes(input=(input, " ".join(data_format)), weight=(weight, "O I kh kw"))
    last = data_format == "NHWC"
    if last:
        input, weight = input.transpose(0, 3, 1, 2), weight.transpose(0, 3, 1, 2)
    check_settings(weight, out_channel, kernel_size, mode)
    check_channels(input, weight, groups)
    stride, dilation = per_axis("stride", stride), per_axis("dilation", dilation)
    sizes, kernel = input.shape[2:], weight.shape[2:]
    around = _padding(pad_mode, padding, sizes, kernel, stride, dilation)
    pads, extents = zip(around[::2], around[1::2], strict=True), zip(kernel, dilation, strict=True)
    fits = all(
        size + sum(sides) >= (k - 1) * d + 1
        for size, sides, (k, d) in zip(sizes, pads, extents, strict=True)
    )
    require(fits, "window-fit-into-padded", kernel=kernel)
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
    function=(), op="conv2d",
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
    who, kernel = "DepthwiseConv2dNative", per_axis("kernel_size", kernel_size)
    shape = channel_multiplier, x.shape[1], *kernel
    require(w.shape == shape, "shape-shape-size", who, w=w.shape, shape=shape)
    require(mode == 3, "must-equal", who, mode=mode, value=3)
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
    require_shapes("conv_tbc", input=(input, "T N C"), weight=(weight, "k I O"))
    y = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, 1, "pad", pad)
    return y.permute(2, 0, 1)
