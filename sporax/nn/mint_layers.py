"""Layers with weights or windows and the PyTorch-style arguments of `mint.nn`."""

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.initializers import Normal
from sporax.nn.cell import Cell
from sporax.nn.convolution import per_axis
from sporax.nn.layer_inputs import check_inputs, require_last, require_multiples
from sporax.nn.parameter_init import default_bias, default_weight, parameter
from sporax.ops.declare import MINT

_EDGES = ("reflect", "replicate", "circular")  # padding modes other than zeros


class Linear(Cell):
    r"""`mint.nn.Linear`: $y = x W^\top + b$ along the last axis, `(*, in)` -> `(*, out)`.

    `weight` is `(out, in)` and `bias` `(out,)`; unless `weight_init` and `bias_init` are given,
    both start uniform in $\pm 1 / \sqrt{in}$, as in `nn.Dense`.

    >>> mint.nn.Linear(3, 4)(ops.ones((2, 3))).shape
    (2, 4)
    """

    def __init__(
        self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None
    ):
        super().__init__()
        kinds.POSITIVE_INT("Linear", in_features=in_features, out_features=out_features)
        kinds.BOOL("Linear", bias=bias)
        self.in_features, self.out_features, self.has_bias = in_features, out_features, bias
        shape, dtype = (out_features, in_features), dtype or float32
        self.weight = parameter("Linear", "weight", default_weight(weight_init), shape, dtype)
        self.bias = None
        if bias:
            init = default_bias(bias_init, shape)
            self.bias = parameter("Linear", "bias", init, shape[:1], dtype)

    def construct(self, input):
        check_inputs("Linear", input)
        require_last("Linear", input, in_features=self.in_features)
        return ops.dense(input, self.weight, self.bias)

    def extend_repr(self):
        text = f"input_features={self.in_features}, output_features={self.out_features}"
        return text + f", has_bias={self.has_bias}"


def _paddings(layer, kernel_size, stride, dilation, padding):
    """Return (before, after) per axis."""
    count = len(kernel_size)
    if padding == "valid":
        return ((0, 0),) * count
    if padding != "same":
        return tuple((n, n) for n in per_axis(layer, "padding", padding, count, 0))
    require(max(stride) == 1, "stride-with-padding-same", layer, stride=stride)
    extra = [d * (k - 1) for k, d in zip(kernel_size, dilation, strict=True)]
    return tuple((e // 2, e - e // 2) for e in extra)


class _Convolution(Cell):
    """Base class of the convolutions; `_axes`: the number of spatial axes."""

    _axes, _padding_modes, _transposed = 2, ("zeros", *_EDGES), False

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
        bias=True, padding_mode="zeros", dtype=None,
    ):  # fmt: skip
        super().__init__()
        layer = type(self).__name__
        kinds.POSITIVE_INT(layer, in_channels=in_channels, out_channels=out_channels, groups=groups)
        kinds.BOOL(layer, bias=bias)
        kinds.one_of(*self._padding_modes)(layer, padding_mode=padding_mode)
        require_multiples(layer, groups=groups, in_channels=in_channels, out_channels=out_channels)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size = per_axis(layer, "kernel_size", kernel_size, self._axes)
        self.stride = per_axis(layer, "stride", stride, self._axes)
        self.dilation = per_axis(layer, "dilation", dilation, self._axes)
        self.padding_mode, self.has_bias = padding_mode, bias
        self._sides = _paddings(layer, self.kernel_size, self.stride, self.dilation, padding)
        self.padding = padding if isinstance(padding, str) else tuple(n for n, _ in self._sides)
        ends = (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        shape, dtype = (ends[0], ends[1] // groups, *self.kernel_size), dtype or float32
        self.weight = parameter(layer, "weight", default_weight(None), shape, dtype)
        self.bias = None
        if bias:
            init = default_bias(None, shape)
            self.bias = parameter(layer, "bias", init, (out_channels,), dtype)

    def _checked(self, input):
        """Return the input as a batch."""
        layer = type(self).__name__
        check_inputs(layer, input)
        axes = self._axes
        if input.ndim not in (axes + 1, axes + 2) or input.shape[-1 - axes] != self.in_channels:
            letters = ", ".join("DHW"[-axes:] if axes > 1 else "L")
            formats = f"(N, C, {letters})", f"(C, {letters})"
            fields = {"formats": formats, "in_channels": self.in_channels}
            raise rejection("input-channels", layer, shape=input.shape, **fields)
        return input if input.ndim == axes + 2 else input.expand_dims(0)

    def extend_repr(self):
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, groups={self.groups}, bias={self.has_bias}"
        )


class Conv2d(_Convolution):
    r"""`mint.nn.Conv2d`: $y_o = b_o + \sum_c w_{oc} \star x_c$, `(N, C, H, W)` -> `(N, O, H', W')`.

    Also `(C, H, W)`. `padding`: an int or two, 'valid' (none) or 'same' ($H' = H$). `padding_mode`:
    'zeros', 'reflect', 'replicate' or 'circular'. `weight` is `(O, C / groups, kh, kw)`;
    initialization as in `nn.Conv2d`.

    >>> mint.nn.Conv2d(3, 8, 3, padding=1)(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 5, 5)
    """

    def construct(self, input):
        x, sides = self._checked(input), self._sides
        around = tuple(n for n, _ in sides)
        if self.padding_mode != "zeros" or any(a != b for a, b in sides):
            every = tuple(n for pair in reversed(sides) for n in pair)
            mode = "constant" if self.padding_mode == "zeros" else self.padding_mode
            x, around = ops.pad(x, every, mode), (0,) * self._axes
        convolve = MINT[f"nn.functional.conv{self._axes}d"]
        y = convolve(x, self.weight, self.bias, self.stride, around, self.dilation, self.groups)
        return y if input.ndim == self._axes + 2 else y.squeeze(0)


class Conv1d(Conv2d):
    """`mint.nn.Conv1d`: `Conv2d` for `(N, C, L)` or `(C, L)`; `weight` is `(O, C / groups, k)`.

    >>> mint.nn.Conv1d(3, 8, 3, padding=1)(ops.ones((1, 3, 5))).shape
    (1, 8, 5)
    """

    _axes = 1


class Conv3d(Conv2d):
    """`mint.nn.Conv3d`: `Conv2d` for `(N, C, D, H, W)` or `(C, D, H, W)`.

    >>> mint.nn.Conv3d(3, 8, 3, padding=1)(ops.ones((1, 3, 5, 5, 5))).shape
    (1, 8, 5, 5, 5)
    """

    _axes = 3


class ConvTranspose2d(_Convolution):
    r"""`mint.nn.ConvTranspose2d`: the gradient of `Conv2d` with respect to its input.

    `(N, C, H, W)` -> `(N, O, H', W')` with $H' = (H - 1) s - 2 p + d (k - 1) + 1 + p'$, where p' is
    `output_padding`, or is computed from `output_size` if given. `weight`: `(C, O / groups, kh,
    kw)`.

    >>> mint.nn.ConvTranspose2d(3, 8, 4, 2, 1)(ops.ones((1, 3, 5, 5))).shape
    (1, 8, 10, 10)
    """

    _padding_modes, _transposed = ("zeros",), True

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
        groups=1, bias=True, dilation=1, padding_mode="zeros", dtype=None,
    ):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, dtype,
        )  # fmt: skip
        self.output_padding = per_axis("ConvTranspose2d", "output_padding", output_padding, 2, 0)

    def construct(self, input, output_size=None):
        x, more = self._checked(input), self.output_padding
        if output_size is not None:
            more = tuple(
                wanted - ((n - 1) * s - 2 * p + d * (k - 1) + 1)
                for wanted, n, s, (p, _), d, k in zip(
                    tuple(output_size)[-2:], x.shape[2:], self.stride, self._sides, self.dilation,
                    self.kernel_size, strict=True,
                )
            )  # fmt: skip
        padding = tuple(n for n, _ in self._sides)
        y = ops.conv_transpose2d(
            x, self.weight, self.bias, self.stride, padding, more, self.groups, self.dilation
        )
        return y if input.ndim == 4 else y.squeeze(0)


class AvgPool2dExt(Cell):
    r"""`mint.nn.AvgPool2d`: the mean of each window, `(N, C, H, W)` -> `(N, C, H', W')`.

    `stride`: default `kernel_size`. Other arguments: see `ops.avg_pool2d`.

    >>> mint.nn.AvgPool2d(2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 2, 2)
    """

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
        divisor_override=None,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def construct(self, input):
        return ops.avg_pool2d(
            input, self.kernel_size, self.kernel_size if self.stride is None else self.stride,
            self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override or 0,
        )  # fmt: skip


class EmbeddingExt(Cell):
    """`mint.nn.Embedding`: look up rows of `weight` `(num_embeddings, embedding_dim)`.

    `weight` is initialized standard normal, or with `_weight`; row `padding_idx` starts at 0 and
    has no gradient. `max_norm`: clip looked-up rows to that `norm_type`-norm in place. `_freeze`:
    do not train the weight. `scale_grad_by_freq`: divide the gradient of a row by its number of
    look-ups.

    >>> mint.nn.Embedding(10, 3)(Tensor([[1, 2]])).shape
    (1, 2, 3)
    """

    def __init__(
        self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
        scale_grad_by_freq=False, sparse=False, _weight=None, _freeze=False, dtype=None,
    ):  # fmt: skip
        super().__init__()
        kinds.POSITIVE_INT("Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        require(not sparse, "false-argument-value", "Embedding", argument="sparse")
        if padding_idx is not None:
            n = num_embeddings
            is_row = isinstance(padding_idx, int) and -n <= padding_idx < n
            who, interval = "Embedding", f"[{-n}, {n})"
            require(is_row, "int-in-interval", who, padding_idx=padding_idx, interval=interval)
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx, self.max_norm, self.norm_type = padding_idx, max_norm, norm_type
        self.scale_grad_by_freq, self.dtype = scale_grad_by_freq, dtype or float32
        shape = num_embeddings, embedding_dim
        init = Normal(1.0) if _weight is None else _weight
        table = parameter("Embedding", "weight", init, shape, self.dtype)
        if padding_idx is not None and _weight is None:
            rows = table.asnumpy()
            rows[padding_idx] = 0
            table = Parameter(Tensor(rows))
        table.requires_grad = not _freeze
        self.weight = table

    def construct(self, input):
        return ops.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq,
        )  # fmt: skip

    def extend_repr(self):
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, "
            f"norm_type={self.norm_type}, scale_grad_by_freq={self.scale_grad_by_freq}, "
            f"dtype={self.dtype}"
        )


class PReLUExt(Cell):
    r"""`mint.nn.PReLU`: $\max(x, 0) + w \min(x, 0)$; `weight`: one slope, or one per channel.

    >>> mint.nn.PReLU()(Tensor([[-4.0, 2.0]])).asnumpy()
    array([[-1.,  2.]], dtype=float32)
    """

    def __init__(self, num_parameters=1, init=0.25, dtype=None):
        super().__init__()
        kinds.POSITIVE_INT("PReLU", num_parameters=num_parameters)
        self.weight = parameter("PReLU", "weight", init, (num_parameters,), dtype or float32)

    def construct(self, input):
        return ops.prelu(input, self.weight)


MINT["nn.AvgPool2d"], MINT["nn.Embedding"], MINT["nn.PReLU"] = AvgPool2dExt, EmbeddingExt, PReLUExt
for _class in (Linear, Conv1d, Conv2d, Conv3d, ConvTranspose2d):
    MINT[f"nn.{_class.__name__}"] = _class
