"""Pooling layers."""

from sporax import ops
from sporax.nn.cell import Cell
from sporax.ops.convolution import PAD_MODES
from sporax.ops.pooling import avg_pool, max_pool, max_pool_with_index


class _Pool(Cell):
    """What the poolings share: where their windows lie."""

    def __init__(self, kernel_size, stride, pad_mode, padding, data_format="NCHW"):
        super().__init__()
        layer = type(self).__name__
        for name, value, lowest in [
            ("kernel_size", kernel_size, 1), ("stride", stride, 1), ("padding", padding, 0),
        ]:  # fmt: skip
            sizes = value if isinstance(value, tuple) else (value,)
            if len(sizes) not in (1, 2) or not all(
                isinstance(n, int) and n >= lowest for n in sizes
            ):
                raise ValueError(
                    f"For '{layer}', '{name}' must be an int of at least {lowest} or two, but got "
                    f"{value!r}."
                )
        if not isinstance(pad_mode, str) or pad_mode.lower() not in PAD_MODES:
            raise ValueError(
                f"For '{layer}', 'pad_mode' must be one of {PAD_MODES}, but got {pad_mode!r}."
            )
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(
                f"For '{layer}', 'data_format' must be 'NCHW' or 'NHWC', but got {data_format!r}."
            )
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.pad_mode, self.format = pad_mode.upper(), data_format

    def _needs_pad_mode(self, **given):
        """Refuse settings that count only with pad_mode='pad'."""
        changed = [name for name, (value, default) in given.items() if value != default]
        if changed and self.pad_mode != "PAD":
            raise ValueError(
                f"For '{type(self).__name__}', {changed} can only be set when 'pad_mode' is 'pad', "
                f"but got '{self.pad_mode.lower()}'. Pass pad_mode='pad'."
            )

    def extend_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class MaxPool2d(_Pool):
    r"""The greatest number of each window: `(N, C, H, W)` -> `(N, C, H', W')`; `(C, H, W)` too.

    `pad_mode`: 'valid' (none), 'same' ($H' = \lceil H / stride \rceil$), 'pad' (as `padding` says);
    only with 'pad': `dilation`, `ceil_mode` (a last window may reach beyond the padding) and
    `return_indices` (also return where in its plane each number was found).

    >>> nn.MaxPool2d(2, 2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 2, 2)
    """

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1,
        return_indices=False, ceil_mode=False, data_format="NCHW",
    ):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding, data_format)
        self._needs_pad_mode(
            padding=(padding, 0), dilation=(dilation, 1), ceil_mode=(ceil_mode, False),
            return_indices=(return_indices, False),
        )  # fmt: skip
        if return_indices and data_format == "NHWC":
            raise ValueError("For 'MaxPool2d', 'return_indices' needs data_format='NCHW'.")
        self.dilation, self.return_indices, self.ceil_mode = dilation, return_indices, ceil_mode

    def construct(self, x):
        if self.return_indices:
            return max_pool_with_index(
                x, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode
            )
        return max_pool(
            x, self.kernel_size, self.stride, self.pad_mode, self.padding, self.dilation,
            self.ceil_mode, self.format,
        )  # fmt: skip


class AvgPool2d(_Pool):
    r"""The mean of each window: `(N, C, H, W)` -> `(N, C, H', W')`; `(C, H, W)` too.

    `pad_mode`: 'valid' (none), 'same' ($H' = \lceil H / stride \rceil$, padding does not count),
    'pad' (as `padding` says; it counts if `count_include_pad`). `ceil_mode`: a last window may
    reach beyond the padding. `divisor_override`: what to divide the sums by.

    >>> nn.AvgPool2d(2, 2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 2, 2)
    """

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
        count_include_pad=True, divisor_override=None, data_format="NCHW",
    ):  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding, data_format)
        self._needs_pad_mode(padding=(padding, 0))
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(
                "For 'AvgPool2d', 'divisor_override' must be None or greater than 0, but got "
                f"{divisor_override}."
            )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def construct(self, x):
        return avg_pool(
            x, self.kernel_size, self.stride, self.pad_mode, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override, self.format,
        )  # fmt: skip


class AdaptiveAvgPool2d(Cell):
    r"""Means over $H' \times W'$ nearly equal parts of each plane; `output_size`: an int or two.

    >>> nn.AdaptiveAvgPool2d(1)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 1, 1)
    """

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def construct(self, x):
        return ops.adaptive_avg_pool2d(x, self.output_size)


class AdaptiveMaxPool2d(Cell):
    r"""The greatest numbers of $H' \times W'$ nearly equal parts of each plane.

    `output_size`: an int or two; None leaves an axis as it is. `return_indices`: also return where
    in its plane each was found.

    >>> nn.AdaptiveMaxPool2d((1, 2))(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 1, 2)
    """

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def construct(self, x):
        return ops.adaptive_max_pool2d(x, self.output_size, self.return_indices)
