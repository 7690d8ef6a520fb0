"""Three-dimensional convolutions."""

from jax import lax

from sporax.diagnosis.rules import require
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.nn.convolution import PAD_MODES, add_bias, check_channels, per_axis, same_padding
from sporax.ops.nn.dense import bias_apart, same_dtype


def _around(pad_mode, padding, sizes, kernel, stride, dilation):
    """Return (before, after) for each axis; `padding` is one int, three or six."""
    require(pad_mode in PAD_MODES, "one-of", pad_mode=pad_mode, choices=PAD_MODES)
    pads = padding if isinstance(padding, tuple) else (padding,)
    require(
        all(isinstance(n, int) and n >= 0 for n in pads) and len(pads) in (1, 3, 6),
        "ints-at-least",
        padding=padding,
        n=1,
        n2=3,
        n3=6,
        n4=0,
    )
    require(pad_mode == "pad" or not any(pads), "0-unless-padded", padding=padding)
    if pad_mode == "same":
        return tuple(map(same_padding, sizes, kernel, stride, dilation))
    if len(pads) == 6:
        return tuple(zip(pads[::2], pads[1::2], strict=True))
    each = pads * 3 if len(pads) == 1 else pads
    return tuple((n, n) for n in each)


@op(
    primitive="Conv3D(out_channel, kernel_size, mode=1, pad_mode='valid', pad: padding=0, "
    "stride=1, dilation=1, group: groups=1, data_format='NCDHW')(x: input, weight)",
    function="conv3d(input, weight, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, "
    "groups=1)",
    check=same_dtype("Conv3D"),
    parts=bias_apart,
)
def conv3d(
    input: Array, weight: Array, bias: OPTIONAL = None, stride=1, pad_mode="valid", padding=0,
    dilation=1, groups=1, out_channel=None, kernel_size=None, mode=1, data_format="NCDHW",
):  # fmt: skip
    r"""$y_{no} = b_o + \sum_c x_{nc} \star w_{oc}$: `(N, C, D, H, W)` -> `(N, O, D', H', W')`.

    `weight`: `(O, C / groups, kd, kh, kw)`; `bias`: `(O,)`. `pad_mode`: 'valid' (no padding),
    'same' ($D' = \lceil D / stride \rceil$), 'pad' (zeros by `padding`: for all sides, for each
    axis, or front, back, top, bottom, left, right). `stride`, `dilation`: ints or three.

    >>> ops.conv3d(ops.ones((1, 1, 4, 4, 4)), ops.ones((2, 1, 3, 3, 3))).shape
    (1, 2, 2, 2, 2)
    """
    require(input.ndim == 5 and weight.ndim == 5, "weight-dimensions", argument="input", n=5)
    require(data_format == "NCDHW" and mode == 1, "ncdhw-mode-1", argument="data_format")
    require(
        (out_channel or weight.shape[0]) == weight.shape[0]
        and (kernel_size is None or per_axis("kernel_size", kernel_size, 3) == weight.shape[2:]),
        "kernel-size-those-weight",
        argument="out_channel",
    )
    check_channels(input, weight, groups)
    stride, dilation = per_axis("stride", stride, 3), per_axis("dilation", dilation, 3)
    around = _around(pad_mode, padding, input.shape[2:], weight.shape[2:], stride, dilation)
    y = lax.conv_general_dilated(
        input, weight, stride, around, rhs_dilation=dilation, feature_group_count=groups,
        dimension_numbers=("NCDHW", "OIDHW", "NCDHW"),
    )  # fmt: skip
    require(0 not in y.shape[2:], "padded-input-at-least-large-kernel")
    return add_bias(y, bias, weight)


@composite(
    mint="nn.functional.conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    function=(),
)
def conv3d_of_mint(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """As `ops.conv3d`; `padding`: ints, or 'valid' or 'same'.

    >>> x, w = ops.ones((1, 3, 5, 5, 5)), ops.ones((4, 3, 3, 3, 3))
    >>> mint.nn.functional.conv3d(x, w, padding=1).shape
    (1, 4, 5, 5, 5)
    """
    if isinstance(padding, str):
        return conv3d(input, weight, bias, stride, padding, 0, dilation, groups)
    return conv3d(input, weight, bias, stride, "pad", padding, dilation, groups)
