"""Pooling layers."""

from sporax import ops
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.nn.cell import Cell
from sporax.nn.functional_layers import layer
from sporax.ops.nn.convolution import PAD_MODES
from sporax.ops.nn.pooling import avg_pool, max_pool, max_pool_with_index


class _Pool(Cell):
    """Base class of the poolings: window, strides and padding; `_axes`: number of spatial axes."""

    _axes, _formats = 2, ("NCHW", "NHWC")

    def __init__(self, kernel_size, stride, pad_mode, padding, data_format="NCHW"):
        super().__init__()
        layer = type(self).__name__
        padding = tuple(padding) if isinstance(padding, list) else padding
        for name, value, lowest in [
            ("kernel_size", kernel_size, 1), ("stride", stride, 1), ("padding", padding, 0),
        ]:  # fmt: skip
            sizes = value if isinstance(value, tuple) else (value,)
            are_sizes = all(isinstance(n, int) and n >= lowest for n in sizes)
            if len(sizes) not in (1, self._axes) or not are_sizes:
                fields = {"argument": name, "lowest": lowest, "counts": (self._axes,)}
                raise rejection("int-or-ints-at-least", layer, got=value, **fields)
        is_known = isinstance(pad_mode, str) and pad_mode.lower() in PAD_MODES
        require(is_known, "one-of", layer, pad_mode=pad_mode, choices=PAD_MODES)
        kinds.one_of(*self._formats)(layer, data_format=data_format)
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.pad_mode, self.format = pad_mode.upper(), data_format

    def _needs_pad_mode(self, **settings):
        """Raise ValueError for settings that need pad_mode='pad'."""
        changed = [f"'{name}'" for name, (value, default) in settings.items() if value != default]
        who, mode = type(self).__name__, self.pad_mode.lower()
        fits = not changed or mode == "pad"
        require(fits, "can-set-pad-mode-pad", who, changed=changed, got=mode)

    def extend_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class _MaxPool(_Pool):
    """Base class of the max poolings."""

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1,
        return_indices=False, ceil_mode=False, data_format="NCHW",
    ):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding, data_format)
        self._needs_pad_mode(
            padding=(padding, 0), dilation=(dilation, 1), ceil_mode=(ceil_mode, False),
            return_indices=(return_indices, False),
        )  # fmt: skip
        fits = not return_indices or data_format != "NHWC"
        require(fits, "needs-data-format-nchw", "MaxPool2d", argument="return_indices")
        self.dilation, self.return_indices, self.ceil_mode = dilation, return_indices, ceil_mode

    def construct(self, x):
        if self.return_indices:
            return max_pool_with_index(
                x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                self._axes,
            )  # fmt: skip
        return max_pool(
            x, self.kernel_size, self.stride, self.pad_mode, self.padding, self.dilation,
            self.ceil_mode, self.format, self._axes,
        )  # fmt: skip


class MaxPool2d(_MaxPool):
    r"""Maximum of each window: `(N, C, H, W)` -> `(N, C, H', W')`; also `(C, H, W)`.

    `pad_mode`: 'valid' (none), 'same' ($H' = \lceil H / stride \rceil$), 'pad' (by `padding`);
    only with 'pad': `dilation`, `ceil_mode` (a last window may reach beyond the padding) and
    `return_indices` (also return the position of each maximum in its plane).

    >>> nn.MaxPool2d(2, 2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 2, 2)
    """


def _printed_sizes(layer, kernel_size, stride):
    """Return the sizes as in MindSpore's repr, which pools 2-d inputs, or 3-d ones with 'pad'."""
    rows = (1,) * (2 if layer.pad_mode == "PAD" else 1)
    return (*rows, kernel_size), (*rows, stride)


class _MaxPoolChannelsFirst(_MaxPool):
    _formats = ("NCHW",)

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1,
        return_indices=False, ceil_mode=False,
    ):  # fmt: skip
        super().__init__(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class MaxPool1d(_MaxPoolChannelsFirst):
    """1-d version of `MaxPool2d`: `(N, C, L)` or `(C, L)`.

    >>> nn.MaxPool1d(2, 2)(ops.ones((1, 3, 4))).shape
    (1, 3, 2)
    """

    _axes = 1

    def extend_repr(self):
        kernel, stride = _printed_sizes(self, self.kernel_size, self.stride)
        return f"kernel_size={kernel}, stride={stride}, pad_mode={self.pad_mode}"


class MaxPool3d(_MaxPoolChannelsFirst):
    """3-d version of `MaxPool2d`: `(N, C, D, H, W)` or `(C, D, H, W)`.

    >>> nn.MaxPool3d(2, 2)(ops.ones((1, 3, 4, 4, 4))).shape
    (1, 3, 2, 2, 2)
    """

    _axes = 3


class _AvgPool(_Pool):
    """Base class of the average poolings."""

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
        count_include_pad=True, divisor_override=None, data_format="NCHW",
    ):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding, data_format)
        self._needs_pad_mode(padding=(padding, 0))
        who, fits = type(self).__name__, divisor_override is None or divisor_override > 0
        require(fits, "none-greater-than-0", who, divisor_override=divisor_override)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def construct(self, x):
        return avg_pool(
            x, self.kernel_size, self.stride, self.pad_mode, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override, self.format, self._axes,
        )  # fmt: skip


class AvgPool2d(_AvgPool):
    r"""Mean of each window: `(N, C, H, W)` -> `(N, C, H', W')`; also `(C, H, W)`.

    `pad_mode`: 'valid' (none), 'same' ($H' = \lceil H / stride \rceil$, padding is not counted),
    'pad' (by `padding`; counted if `count_include_pad`). `ceil_mode`: a last window may reach
    beyond the padding. `divisor_override`: the divisor of the sums.

    >>> nn.AvgPool2d(2, 2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 2, 2)
    """


class AvgPool1d(_AvgPool):
    """1-d version of `AvgPool2d`: `(N, C, L)` or `(C, L)`.

    >>> nn.AvgPool1d(2, 2)(ops.ones((1, 3, 4))).shape
    (1, 3, 2)
    """

    _axes, _formats = 1, ("NCHW",)

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
        count_include_pad=True,
    ):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad)

    def extend_repr(self):
        kernel, stride = self.kernel_size, self.stride
        if self.pad_mode != "PAD" and not self.ceil_mode and self.count_include_pad:
            kernel, stride = _printed_sizes(self, kernel, stride)
        return f"kernel_size={kernel}, stride={stride}, pad_mode={self.pad_mode}"


class AvgPool3d(_AvgPool):
    """3-d version of `AvgPool2d`: `(N, C, D, H, W)` or `(C, D, H, W)`.

    >>> nn.AvgPool3d(2, 2)(ops.ones((1, 3, 4, 4, 4))).shape
    (1, 3, 2, 2, 2)
    """

    _axes, _formats = 3, ("NCHW",)

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
        count_include_pad=True, divisor_override=None,
    ):  # fmt: skip
        super().__init__(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )


class _Adaptive(Cell):
    """Base class of the adaptive poolings."""

    def __init__(self, output_size):
        super().__init__()
        kinds.SIZES(type(self).__name__, output_size=output_size)
        self.output_size = output_size


AdaptiveAvgPool1d = layer(
    "AdaptiveAvgPool1d(output_size)(input)", ops.adaptive_avg_pool1d, _Adaptive
)
AdaptiveAvgPool2d = layer(
    "AdaptiveAvgPool2d(output_size)(input)", ops.adaptive_avg_pool2d, _Adaptive
)
AdaptiveAvgPool3d = layer(
    "AdaptiveAvgPool3d(output_size)(input)", ops.adaptive_avg_pool3d, _Adaptive
)
AdaptiveMaxPool1d = layer("AdaptiveMaxPool1d(output_size)(x)", ops.adaptive_max_pool1d, _Adaptive)
AdaptiveMaxPool2d = layer(
    "AdaptiveMaxPool2d(output_size, return_indices=False)(input)",
    ops.adaptive_max_pool2d,
    _Adaptive,
)
AdaptiveMaxPool3d = layer(
    "AdaptiveMaxPool3d(output_size, return_indices=False)(input)",
    ops.adaptive_max_pool3d,
    _Adaptive,
)
