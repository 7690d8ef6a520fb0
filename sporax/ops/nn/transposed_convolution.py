"""Transposed convolutions: gradients of convolutions with respect to their input."""

from jax import lax

from sporax._src.diagnosis.rules import require
from sporax._src.runtime.xla_kernels import precision
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.nn.convolution import PAD_MODE, add_bias, same_padding
from sporax.ops.nn.dense import same_dtype, without_bias
from sporax.ops.operand_checks import require_planes, require_shapes

_AXES = "DHW"


@op(name="conv_transpose", function=(), check=same_dtype("conv_transpose"), decompose=without_bias)
def conv_transpose(
    input: Array, weight: Array, bias: OPTIONAL = None, *, stride, around, sizes, dilation=None,
    groups=1,
):  # fmt: skip
    """`(N, C, *)` with `weight` `(C, O / groups, *k)` -> `(N, O, *sizes)`, on any number of axes.

    The gradient with respect to its input of the convolution with `stride`, `dilation` and padding
    `around` ((before, after) of each axis) that maps `sizes` to the input's.
    """
    count = input.ndim - 2
    fits = count >= 1 and weight.ndim == input.ndim
    require(fits, "weight-dimensions", argument="input", n=len(stride) + 2)
    channels = weight.shape[0]
    fits = input.shape[1] == channels and not channels % groups
    require(fits, "channels-of-transposed", input=input.shape[1], channels=channels, groups=groups)
    dilation = dilation or (1,) * count
    padding = []
    for n, k, s, d, size, (before, _) in zip(
        input.shape[2:], weight.shape[2:], stride, dilation, sizes, around, strict=True
    ):
        reach = (k - 1) * d  # the last window ends where the requested size does
        padding.append((reach - before, size - (n - 1) * s + before - 1))
    # a group's (C / groups, O / groups) become (O / groups, C / groups)
    split = weight.reshape(groups, -1, *weight.shape[1:]).swapaxes(1, 2)
    kernel = lax.rev(split.reshape(-1, *split.shape[2:]), range(2, weight.ndim))
    letters = _AXES[-count:]
    y = lax.conv_general_dilated(
        input, kernel, (1,) * count, padding, lhs_dilation=stride, rhs_dilation=dilation,
        dimension_numbers=(f"NC{letters}", f"OI{letters}", f"NC{letters}"),
        feature_group_count=groups, precision=precision.of_convolution(),
    )  # fmt: skip
    return add_bias(y, bias, kernel)


def _numbers(who, name, value, count, lowest):
    """Return an int for each axis, from one for all or one each."""
    each = (value,) * count if isinstance(value, int) else value
    fits = isinstance(each, (tuple, list)) and len(each) == count
    fits = fits and all(isinstance(n, int) and n >= lowest for n in each)
    given = {"argument": name, "got": value, "lowest": lowest, "counts": (count,)}
    require(fits, "int-or-ints-at-least", who, **given)
    return tuple(each)


def around_of(who, pad_mode, padding, count):
    """Return ((before, after) of each axis) for `padding`: one int, one or two per axis."""
    PAD_MODE(who, pad_mode=pad_mode)
    each = (padding,) * count if isinstance(padding, int) else tuple(padding)
    fits = len(each) in (count, 2 * count) and all(isinstance(n, int) and n >= 0 for n in each)
    require(fits, "padding-ints", who, padding=padding, counts=(1, count, 2 * count))
    require(pad_mode == "pad" or not any(each), "no-padding-unless-pad", who, padding=padding)
    if len(each) == count:
        return tuple((n, n) for n in each)
    return tuple(zip(each[::2], each[1::2], strict=True))


def transposed_as_mode(
    who, x, weight, bias, stride, pad_mode, padding, dilation, groups, more=None
):
    """`conv_transpose` to the sizes for `pad_mode`; `more`: the extra size by axis.

    'same': $n s$; 'valid': $(n - 1) s + \\max(k, s)$; 'pad': $(n - 1) s + k$ minus the padding,
    with the extent k of the dilated kernel and stride s.
    """
    count = x.ndim - 2
    around = around_of(who, pad_mode, padding, count)
    sizes, paddings = [], []
    for n, k, s, d, sides, extra in zip(
        x.shape[2:], weight.shape[2:], stride, dilation, around, more or (0,) * count, strict=True
    ):
        extent = (k - 1) * d + 1
        size = {"same": n * s, "valid": (n - 1) * s + max(extent, s)}.get(
            pad_mode, (n - 1) * s + extent - sum(sides)
        )
        sizes.append(size + extra)
        paddings.append(same_padding(size, k, s, d) if pad_mode == "same" else sides)
    given = {"shape": x.shape, "padding": padding, "sizes": tuple(sizes)}
    require(min(sizes) >= 1, "result-at-least-1-element", who, **given)
    return conv_transpose(
        x, weight, bias, stride=tuple(stride), around=tuple(paddings), sizes=tuple(sizes),
        dilation=tuple(dilation), groups=groups,
    )  # fmt: skip


def _of_axes(who, count, input, weight, bias, stride, padding, output_padding, groups, dilation):
    require_planes(who, count, input=input)
    stride = _numbers(who, "stride", stride, count, 1)
    dilation = _numbers(who, "dilation", dilation, count, 1)
    more = _numbers(who, "output_padding", output_padding, count, 0)
    fits = all(m < max(s, d) for m, s, d in zip(more, stride, dilation, strict=True))
    require(fits, "less-than-stride-dilation", who, output_padding=output_padding)
    padding = _numbers(who, "padding", padding, count, 0)
    batch = input if input.ndim == count + 2 else input.expand_dims(0)
    y = transposed_as_mode(
        who, batch, weight, bias, stride, "pad", padding, dilation, groups, more
    )  # fmt: skip
    return y if input.ndim == count + 2 else y.squeeze(0)


@composite(mint="nn.functional.conv_transpose2d")
def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    r"""The gradient of `conv2d` with respect to its input: `(N, C, H, W)` -> `(N, O, H', W')`.

    `weight`: `(C, O / groups, kh, kw)`; $H' = (H - 1) s - 2 p + d (kh - 1) + 1 + p'$ with `stride`
    s, `padding` p, `dilation` d and `output_padding` p', ints or pairs.

    >>> ops.conv_transpose2d(ops.ones((1, 1, 2, 2)), ops.ones((1, 3, 3, 3)), stride=2).shape
    (1, 3, 5, 5)
    """
    return _of_axes(
        "conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups,
        dilation,
    )  # fmt: skip


@composite(
    function=(),
    op="conv_transpose",
    primitive=(
        "Conv2DTranspose(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, mode=1, "
        "stride=1, dilation=1, group=1, data_format='NCHW')(dout, weight, input_size)",
        "Conv2DBackpropInput(out_channel, kernel_size, pad_mode='valid', pad=0, pad_list=None, "
        "mode=1, stride=1, dilation=1, group=1, data_format='NCHW')(dout, weight, input_size)",
    ),
)
def conv2d_gradient(
    dout, weight, input_size, out_channel, kernel_size, pad_mode="valid", pad=0, pad_list=None,
    mode=1, stride=1, dilation=1, group=1, data_format="NCHW",
):  # fmt: skip
    """The gradient of `Conv2D` with respect to its input, of shape `input_size`. The sizes of
    `weight` count, not `out_channel` and `kernel_size`.

    >>> y, w = ops.ones((1, 2, 4, 4)), ops.ones((2, 3, 3, 3))
    >>> ops.Conv2DTranspose(2, 3)(y, w, (1, 3, 6, 6)).shape
    (1, 3, 6, 6)
    """
    who = "Conv2DTranspose"
    require(data_format == "NCHW", "must-equal", who, data_format=data_format, value="NCHW")
    require(mode == 1, "must-equal", who, mode=mode, value=1)
    require_shapes(who, weight=(weight, "O C H W"))
    require_shapes(who, dout=(dout, f"N {weight.shape[0]} H W"))
    stride, dilation = (
        _numbers(who, name, value[2:] if isinstance(value, tuple) and len(value) == 4 else value,
                 2, 1)
        for name, value in [("stride", stride), ("dilation", dilation)]
    )  # fmt: skip
    mode_of_pad = pad_mode.lower()
    around = around_of(who, mode_of_pad, pad_list or pad, 2)
    sizes = tuple(int(n) for n in input_size[2:])
    if mode_of_pad == "same":
        around = tuple(map(same_padding, sizes, weight.shape[2:], stride, dilation))
    return conv_transpose(
        dout, weight, stride=stride, around=around, sizes=sizes, dilation=dilation, groups=group
    )


@composite(
    function=(),
    op="conv_transpose",
    primitive="Conv3DTranspose(in_channel, out_channel, kernel_size, mode=1, pad_mode='valid', "
    "pad=0, stride=1, dilation=1, group=1, output_padding=0, data_format='NCDHW')"
    "(dout, weight, bias=None)",
)
def conv3d_transpose(
    dout, weight, in_channel, out_channel, kernel_size, bias=None, mode=1, pad_mode="valid", pad=0,
    stride=1, dilation=1, group=1, output_padding=0, data_format="NCDHW",
):  # fmt: skip
    """The gradient of `Conv3D` with respect to its input.

    >>> y, w = ops.ones((1, 2, 4, 4, 4)), ops.ones((2, 3, 3, 3, 3))
    >>> ops.Conv3DTranspose(2, 3, 3)(y, w).shape
    (1, 3, 6, 6, 6)
    """
    who = "Conv3DTranspose"
    require_shapes(who, dout=(dout, f"N {in_channel} D H W"))
    require(data_format == "NCDHW", "must-equal", who, data_format=data_format, value="NCDHW")
    require(mode == 1, "must-equal", who, mode=mode, value=1)
    return transposed_as_mode(
        who, dout, weight, bias, _numbers(who, "stride", stride, 3, 1), pad_mode.lower(), pad,
        _numbers(who, "dilation", dilation, 3, 1), group,
        _numbers(who, "output_padding", output_padding, 3, 0),
    )  # fmt: skip


@composite(
    function="conv3d_transpose(inputs, weight, pad_mode='valid', padding=0, stride=1, dilation=1, "
    "group=1, output_padding=0)",
)
def conv3d_gradient(
    inputs, weight, pad_mode="valid", padding=0, stride=1, dilation=1, group=1, output_padding=0
):
    """The gradient of a three-dimensional convolution with respect to its input: `(N, C, D, H, W)`,
    `weight` `(C, out / group, *kernel)` -> `(N, out, ...)`.

    `pad_mode`: the convolution's, 'valid', 'same' or 'pad' with `padding`, an int, three, or six.
    `output_padding`: the extra size of the result.

    >>> y, w = ops.ones((1, 2, 4, 4, 4)), ops.ones((2, 3, 3, 3, 3))
    >>> ops.conv3d_transpose(y, w).shape
    (1, 3, 6, 6, 6)
    """
    require_shapes("conv3d_transpose", weight=(weight, "C O D H W"))
    sizes = weight.shape[:2], weight.shape[2:]
    return conv3d_transpose(
        inputs, weight, *sizes[0], sizes[1], None, 1, pad_mode, padding, stride, dilation, group,
        output_padding,
    )  # fmt: skip
