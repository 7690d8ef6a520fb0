"""Three-dimensional convolutions."""

from jax import lax

from sporax._src.diagnosis.rules import require
from sporax._src.runtime.xla_kernels import precision
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.nn.convolution import (
    PAD_MODE,
    add_bias,
    check_channels,
    check_settings,
    padding_ints,
    per_axis,
    same_padding,
)
from sporax.ops.nn.dense import same_dtype, without_bias
from sporax.ops.operand_checks import require_shapes


def _around(pad_mode, padding, sizes, kernel, stride, dilation):
    """Return (before, after) for each axis; `padding` is one int, three or six."""
    PAD_MODE(None, pad_mode=pad_mode)
    pads = padding_ints(padding, (1, 3, 6), pad_mode)
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
    decompose=without_bias,
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
    require_shapes(input=(input, "N C D H W"), weight=(weight, "O I kd kh kw"))
    require(data_format == "NCDHW", "must-equal", data_format=data_format, value="NCDHW")
    check_settings(weight, out_channel, kernel_size, mode)
    check_channels(input, weight, groups)
    stride, dilation = per_axis("stride", stride, 3), per_axis("dilation", dilation, 3)
    around = _around(pad_mode, padding, input.shape[2:], weight.shape[2:], stride, dilation)
    y = lax.conv_general_dilated(
        input, weight, stride, around, rhs_dilation=dilation, feature_group_count=groups,
        dimension_numbers=("NCDHW", "OIDHW", "NCDHW"), precision=precision.of_convolution(),
    )  # fmt: skip
    require(0 not in y.shape[2:], "window-fit-into-padded", kernel=weight.shape[2:])
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
