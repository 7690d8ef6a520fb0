"""Convolution layers."""

from typing import Any, ClassVar

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import check_inputs, require_multiples
from sporax.nn.parameter_init import default_bias, default_weight, parameter
from sporax.ops.nn.convolution import PAD_MODES, convolution
from sporax.ops.nn.convolution3d import conv3d

_SIDES = {2: "four-sides", 3: "six-sides"}
_PAD_MODE = kinds.one_of(*PAD_MODES)


def per_axis(layer, name, value, count, lowest=1):
    """Expand an int to all axes, or check a per-axis tuple (of 4 for 2 axes, use the last 2)."""
    sizes = (value,) * count if isinstance(value, int) else value
    if not isinstance(sizes, tuple) or len(sizes) not in ((2, 4) if count == 2 else (count,)):
        raise rejection("int-or-ints-type", layer, argument=name, counts=(count,), got=value)
    sides = sizes[-count:]
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= lowest for n in sides):
        fields = {"argument": name, "lowest": lowest, "counts": (count,)}
        raise rejection("int-or-ints-at-least", layer, got=value, **fields)
    return sides


def _reading(shape, data_format, channels):
    """Return how an input of this shape becomes one of `data_format`, as a phrase: it may lack the
    batch axis, or have its channels last; None if neither fits."""
    channel_axis, n = data_format.index("C"), len(data_format)
    if len(shape) == n - 1 and shape[channel_axis - 1] == channels:
        return message("batch-axis-missing")
    if len(shape) not in (n - 1, n) or shape[-1] != channels:
        return None
    axes = [*range(len(shape) - 1)]
    axes.insert(channel_axis - (len(shape) < n), len(shape) - 1)
    rule = "channels-are-last" if len(shape) == n else "channels-last-no-batch"
    return message(rule, axes=tuple(axes))


def _checked_padding(layer, pad_mode, padding, count):
    _PAD_MODE(layer, pad_mode=pad_mode)
    sides = padding if isinstance(padding, tuple) else (padding,)
    if len(sides) not in (1, 2 * count) or not all(isinstance(n, int) and n >= 0 for n in sides):
        raise rejection("int-at-least-0", layer, padding=padding, sides=message(_SIDES[count]))
    fits = pad_mode == "pad" or not any(sides)
    require(fits, "0-pad-mode-not-pad", layer, padding=padding, pad_mode=pad_mode)


class Convolution(Cell):
    """Base class of convolutions: settings, Parameters and `repr`.

    `_axes`: the number of spatial axes. `_formats`: the supported data formats.
    `_transposed`: True if the weight has the layout of the convolution it transposes.
    """

    _axes, _formats, _transposed = 2, ("NCHW",), False
    _on_request: ClassVar = {"bias_add": lambda layer: ops.BiasAdd(layer.data_format)}

    def _settings(self):
        """Return the constructor arguments of the equivalent Primitive."""
        return {
            "out_channel": self.out_channels, "kernel_size": self.kernel_size, "pad": self.padding,
            "pad_mode": self.pad_mode, "stride": self.stride, "dilation": self.dilation,
            "group": self.group, "data_format": self.data_format,
        }  # fmt: skip

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW",
        dtype=float32,
    ):  # fmt: skip
        super().__init__()
        layer, count = type(self).__name__, self._axes
        kinds.POSITIVE_INT(layer, in_channels=in_channels, out_channels=out_channels, group=group)
        kinds.BOOL(layer, has_bias=has_bias)
        _checked_padding(layer, pad_mode, padding, count)
        require_multiples(layer, group=group, in_channels=in_channels, out_channels=out_channels)
        kinds.one_of(*self._formats)(layer, data_format=data_format)
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.kernel_size = per_axis(layer, "kernel_size", kernel_size, count)
        self.stride = per_axis(layer, "stride", stride, count)
        self.dilation = per_axis(layer, "dilation", dilation, count)
        self.pad_mode, self.padding, self.data_format = pad_mode, padding, data_format
        self.has_bias = has_bias
        channels = (
            (in_channels, out_channels // group)
            if self._transposed
            else (out_channels, in_channels // group)
        )
        shape = *channels, *self.kernel_size
        self.weight_init = default_weight(weight_init)
        self.bias_init = default_bias(bias_init, shape) if has_bias else bias_init
        kept = (shape[0], *shape[2:], shape[1]) if data_format == "NHWC" else shape
        self.weight = parameter(layer, "weight", self.weight_init, kept, dtype)
        self.bias = None
        if has_bias:
            self.bias = parameter(layer, "bias", self.bias_init, (out_channels,), dtype)

    def _check_input(self, x, data_format=None):
        data_format = data_format or self.data_format
        layer, formats = type(self).__name__, (data_format,)
        check_inputs(layer, x)
        channels = x.shape[data_format.index("C")] if x.ndim == len(data_format) else None
        if channels != self.in_channels:
            fields = {"formats": formats, "in_channels": self.in_channels, "shape": x.shape}
            remedy = _reading(x.shape, data_format, self.in_channels)
            if remedy is None:
                raise rejection("input-channels", layer, **fields)
            raise rejection("input-channels-looks", layer, **fields, remedy=remedy)

    def extend_repr(self):
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, "
            f"has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


def line_settings(layer, kernel_size, stride, padding, dilation, weight_init) -> dict[str, Any]:
    """Check that 1-d sizes are ints; return the settings of the equivalent 2-d convolution."""
    kinds.POSITIVE_INT(layer, kernel_size=kernel_size, stride=stride, dilation=dilation)
    kinds.instance(int, "an-int")(layer, padding=padding)
    if isinstance(weight_init, Tensor) and weight_init.ndim == 3:
        weight_init = weight_init.expand_dims(2)
    return {
        "kernel_size": (1, kernel_size), "stride": (1, stride), "dilation": (1, dilation),
        "padding": (0, 0, padding, padding), "weight_init": weight_init,
    }  # fmt: skip


def as_plane(layer, x):
    """Reshape an input `(N, C, L)` to `(N, C, 1, L)`; raise ValueError for other shapes."""
    layer._check_input(x, "NCL")
    return x.expand_dims(2)


class Conv2d(Convolution):
    r"""$y_o = b_o + \sum_c w_{oc} \star x_c$: `(N, C, H, W)` -> `(N, O, H', W')`.

    `weight` is `(O, C / group, kh, kw)`, `bias` `(O,)`; unless given, both start uniform in
    $\pm 1 / \sqrt{C k_h k_w / group}$. `pad_mode`: 'same' (zeros, the odd one last:
    $H' = \lceil H / stride \rceil$), 'valid' (none) or 'pad' (by `padding`: one int, or top,
    bottom, left, right).

    >>> nn.Conv2d(3, 8, 3)(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 5, 5)
    """

    _formats = "NCHW", "NHWC"
    _on_request: ClassVar = {
        **Convolution._on_request,
        "conv2d": lambda layer: ops.Conv2D(**layer._settings()),
    }

    def construct(self, x):
        self._check_input(x)
        return convolution(
            x, self.weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation,
            self.group, data_format=self.data_format,
        )  # fmt: skip


class Conv1d(Conv2d):
    r"""1-d version of `Conv2d`: `(N, C, L)` -> `(N, O, L')`.

    `weight` is `(O, C / group, 1, k)`; `kernel_size`, `stride`, `padding` and `dilation` are ints.

    >>> nn.Conv1d(3, 8, 3)(ops.ones((1, 3, 5))).shape
    (1, 8, 5)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, dtype=float32,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, pad_mode=pad_mode, group=group, has_bias=has_bias,
            bias_init=bias_init, dtype=dtype,
            **line_settings("Conv1d", kernel_size, stride, padding, dilation, weight_init),
        )  # fmt: skip

    def construct(self, x):
        return super().construct(as_plane(self, x)).squeeze(2)


class Conv3d(Convolution):
    r"""3-d version of `Conv2d`: `(N, C, D, H, W)` -> `(N, O, D', H', W')`.

    `weight` is `(O, C / group, kd, kh, kw)`; `padding`: one int, or front, back, top, bottom, left,
    right.

    >>> nn.Conv3d(3, 8, 3)(ops.ones((1, 3, 5, 5, 5))).shape
    (1, 8, 5, 5, 5)
    """

    _axes, _formats = 3, ("NCDHW",)
    _on_request: ClassVar = {
        **Convolution._on_request,
        "conv3d": lambda layer: ops.Conv3D(**layer._settings()),
    }

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW",
        dtype=float32,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, data_format, dtype,
        )  # fmt: skip

    def construct(self, x):
        self._check_input(x)
        return conv3d(
            x, self.weight, self.bias, self.stride, self.pad_mode, self.padding, self.dilation,
            self.group,
        )  # fmt: skip
