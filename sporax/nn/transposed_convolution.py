"""Transposed convolutions as layers."""

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.diagnosis.rules import require
from sporax.nn.convolution import Convolution, as_plane, line_settings, per_axis
from sporax.ops.nn.transposed_convolution import transposed_as_mode


class _Transposed(Convolution):
    """Base class of the transposed convolutions; `more`: output padding, zeros at the end."""

    _transposed = True

    def _computed(self, x, more=None):
        return transposed_as_mode(
            type(self).__name__, x, self.weight, self.bias, self.stride, self.pad_mode,
            self.padding, self.dilation, self.group, more,
        )  # fmt: skip

    def _check_more(self, more):
        """Raise ValueError for an output padding of at least the stride and the dilation."""
        layer = type(self).__name__
        for n, stride, dilation in zip(more, self.stride, self.dilation, strict=True):
            fits = n < max(stride, dilation)
            require(fits, "less-than-stride-dilation", layer, output_padding=more)
        fits, mode = not any(more) or self.pad_mode == "pad", self.pad_mode
        require(fits, "0-pad-mode-not-pad", layer, output_padding=more, pad_mode=mode)


class Conv2dTranspose(_Transposed):
    r"""Gradient of `Conv2d` with respect to its input: `(N, C, H, W)` -> `(N, O, H', W')`.

    `weight` is `(C, O / group, kh, kw)`. With stride s and extent k of the dilated kernel,
    `pad_mode` 'same' gives $H' = H s$, 'valid' $(H - 1) s + \max(k, s)$, 'pad' $(H - 1) s + k$
    minus the padding, plus `output_padding` rows of zeros at the end.

    >>> nn.Conv2dTranspose(3, 8, 4, 2)(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 10, 10)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        output_padding=0, dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None,
        dtype=float32,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, "NCHW", dtype,
        )  # fmt: skip
        self.output_padding = output_padding
        self._more = per_axis("Conv2dTranspose", "output_padding", output_padding, 2, 0)
        self._check_more(self._more)

    def construct(self, x):
        self._check_input(x)
        y = self._computed(x)
        if not any(self._more):
            return y
        rows, columns = self._more
        return ops.pad(y, (0, columns, 0, rows))


class Conv1dTranspose(_Transposed):
    r"""1-d version of `Conv2dTranspose`: `(N, C, L)` -> `(N, O, L')`.

    `weight` is `(C, O / group, 1, k)`; `kernel_size`, `stride`, `padding` and `dilation` are ints.

    >>> nn.Conv1dTranspose(3, 8, 4, 2)(ops.ones((1, 3, 5))).shape
    (1, 8, 10)
    """

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, dtype=float32,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, pad_mode=pad_mode, group=group, has_bias=has_bias,
            bias_init=bias_init, dtype=dtype,
            **line_settings("Conv1dTranspose", kernel_size, stride, padding, dilation, weight_init),
        )  # fmt: skip

    def construct(self, x):
        return self._computed(as_plane(self, x)).squeeze(2)


class Conv3dTranspose(_Transposed):
    r"""3-d version of `Conv2dTranspose`: `(N, C, D, H, W)` -> `(N, O, D', H', W')`.

    `weight` is `(C, O / group, kd, kh, kw)`. `output_padding` enlarges the result; the stride makes
    its size ambiguous.

    >>> nn.Conv3dTranspose(3, 8, 4, 2)(ops.ones((1, 3, 5, 5, 5))).shape
    (1, 8, 10, 10, 10)
    """

    _axes, _formats = 3, ("NCDHW",)

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
        dilation=1, group=1, output_padding=0, has_bias=False, weight_init=None, bias_init=None,
        data_format="NCDHW", dtype=float32,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, data_format, dtype,
        )  # fmt: skip
        self.output_padding = per_axis("Conv3dTranspose", "output_padding", output_padding, 3, 0)
        self._check_more(self.output_padding)

    def construct(self, x):
        self._check_input(x)
        return self._computed(x, self.output_padding)
