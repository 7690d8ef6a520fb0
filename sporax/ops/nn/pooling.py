"""Pooling."""

import functools
import math

import jax.numpy as jnp
import numpy as np

from sporax._src.core.dtype import int32, int64
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.xla_kernels import pooling as lowering
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.nn.convolution import PAD_MODE, per_axis, same_padding
from sporax.ops.operand_checks import floats_only, require_planes, require_shapes, tensors_only

_FORMATS = {
    1: kinds.one_of("NCHW"), 2: kinds.one_of("NCHW", "NHWC"), 3: kinds.one_of("NCHW", "NCDHW")
}  # fmt: skip


class Windows:
    """Positions of windows: `sizes` (counts), `kernel`, `stride`, `padding`, `dilation`.

    With `ceil_mode` a last window may reach beyond the padding, but must start before its end.
    """

    def __init__(self, planes, kernel, stride, pad_mode, padding, dilation=1, ceil_mode=False):
        count = len(planes)
        self.kernel = per_axis("kernel_size", kernel, count)
        self.stride = self.kernel if stride is None else per_axis("stride", stride, count)
        self.dilation = per_axis("dilation", dilation, count)
        mode = str(pad_mode).lower()
        PAD_MODE(None, pad_mode=mode)
        if isinstance(padding, (tuple, list)) and len(padding) == 2 * count != 4:
            self.padding = tuple(zip(padding[::2], padding[1::2], strict=True))
        else:
            self.padding = tuple((p, p) for p in per_axis("padding", padding, count, 0))
        largest = tuple(map(max, self.padding))
        require(mode == "pad" or not any(largest), "no-padding-unless-pad", padding=padding)
        fits = all(2 * p <= k for p, k in zip(largest, self.kernel, strict=True))
        require(fits, "at-most-half-kernel", padding=padding)
        if mode == "same":
            self.padding = tuple(map(same_padding, planes, self.kernel, self.stride, self.dilation))
        self.planes = tuple(planes)
        self.sizes = tuple(self._count(axis, ceil_mode) for axis in range(count))
        require(min(self.sizes) >= 1, "window-fit-into-padded", kernel=self.kernel)

    def _count(self, axis, ceil_mode):
        step, (before, after) = self.stride[axis], self.padding[axis]
        extent = (self.kernel[axis] - 1) * self.dilation[axis] + 1
        free = self.planes[axis] + before + after - extent
        count = free // step + 1
        if ceil_mode and free % step and count * step < self.planes[axis] + before:
            count += 1
        return count

    def window_sizes(self, count_include_pad):
        """Return the number of elements over which each window is averaged."""
        along = []
        for axis in range(len(self.sizes)):
            before, after = self.padding[axis] if count_include_pad else (0, 0)
            start = np.arange(self.sizes[axis]) * self.stride[axis] - self.padding[axis][0]
            end = np.minimum(start + self.kernel[axis], self.planes[axis] + after)
            along.append(np.maximum(end - np.maximum(start, -before), 1))
        return functools.reduce(np.multiply.outer, along)


def _pooled(input, data_format, axes, pool):
    """Apply `pool` to `input` with channels first, for any `data_format`."""
    _FORMATS[axes](None, data_format=data_format)
    require_planes(None, axes, input=input)
    if data_format != "NHWC":
        return pool(input)
    return jnp.moveaxis(pool(jnp.moveaxis(input, -1, -3)), -3, -1)


@op(
    primitive="MaxPool(kernel_size=1, strides: stride=1, pad_mode='valid', data_format='NCHW')"
    "(input)",
    function=(),
    check=tensors_only("MaxPool"),
)
def max_pool(
    input: Array, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1,
    ceil_mode=False, data_format="NCHW", axes=2,
):  # fmt: skip
    """The maximum of each window of `(N, C, *)` or `(C, *)`, * being the last `axes`.

    >>> ops.MaxPool(2, 2)(ops.ones((1, 1, 4, 4))).shape
    (1, 1, 2, 2)
    """

    def pool(x):
        w = Windows(x.shape[-axes:], kernel_size, stride, pad_mode, padding, dilation, ceil_mode)
        return lowering.max_pool(x, w.sizes, w.kernel, w.stride, w.padding, w.dilation)

    return _pooled(input, data_format, axes, pool)


@op(function=(), check=tensors_only("MaxPool"))
def max_pool_with_index(
    input: Array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, axes=2,
    pad_mode="pad",
) -> Arrays:  # fmt: skip
    """As `max_pool`, with the index of each maximum in its plane (Int64, row-major)."""
    w = Windows(input.shape[-axes:], kernel_size, stride, pad_mode, padding, dilation, ceil_mode)
    return lowering.max_pool_with_index(input, w.sizes, w.kernel, w.stride, w.padding, w.dilation)


@composite(
    mint="nn.functional.max_pool2d(input: x, kernel_size, stride=None, padding=0, dilation=1, "
    "ceil_mode=False, return_indices=False)"
)
def max_pool2d(
    x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
) -> Array | Arrays:
    """The maximum of each window of `(N, C, H, W)`.

    `kernel_size`, `stride` (by default the kernel), `padding`, `dilation`: an int or two.
    `ceil_mode`: a last window may reach beyond the padding. `return_indices`: also return the index
    of each maximum in its plane.

    >>> ops.max_pool2d(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)), 2).asnumpy()[0, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    if return_indices:
        return max_pool_with_index(x, kernel_size, stride, padding, dilation, ceil_mode)
    return max_pool(x, kernel_size, stride, "pad", padding, dilation, ceil_mode)


@op(
    primitive="AvgPool(kernel_size=1, strides: stride=1, pad_mode='valid', data_format='NCHW')"
    "(x: input)",
    function=(),
    check=floats_only("AvgPool"),
)
def avg_pool(
    input: Array, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
    count_include_pad=True, divisor_override=None, data_format="NCHW", axes=2,
):  # fmt: skip
    """The mean of each window of `(N, C, *)` or `(C, *)`, * being the last `axes`.

    >>> ops.AvgPool(2, 2)(ops.ones((1, 1, 4, 4))).shape
    (1, 1, 2, 2)
    """

    def pool(x):
        w = Windows(x.shape[-axes:], kernel_size, stride, pad_mode, padding, 1, ceil_mode)
        # MindSpore counts the padding of 'same' in volumes, not in planes
        counts_padding = count_include_pad and (str(pad_mode).lower() == "pad" or axes == 3)
        divisor = divisor_override or w.window_sizes(counts_padding)
        return lowering.average_pool(x, w.sizes, w.kernel, w.stride, w.padding, divisor)

    return _pooled(input, data_format, axes, pool)


@composite(
    mint="nn.functional.avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)",
    function="avg_pool2d(input_x: input, kernel_size=1, stride=1, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0)",
)
def avg_pool2d(
    input, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=0,
):  # fmt: skip
    """The mean of each window of `(N, C, H, W)`, or its sum over `divisor_override` if given.

    `count_include_pad`: includes the zeros of the padding. Other arguments as for `max_pool2d`.

    >>> ops.avg_pool2d(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)), 2, 2).asnumpy()[0, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    """
    return avg_pool(
        input, kernel_size, stride, "pad", padding, ceil_mode,
        count_include_pad, divisor_override,
    )  # fmt: skip


@composite()
def max_pool3d(
    x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
) -> Array | Arrays:
    """As `max_pool2d`, for `(N, C, D, H, W)`; settings are ints or three.

    >>> ops.max_pool3d(ops.ones((1, 3, 4, 4, 4)), 2).shape
    (1, 3, 2, 2, 2)
    """
    if return_indices:
        return max_pool_with_index(x, kernel_size, stride, padding, dilation, ceil_mode, 3)
    return max_pool(x, kernel_size, stride, "pad", padding, dilation, ceil_mode, axes=3)


@composite(
    mint="nn.functional.avg_pool1d(input: input_x, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True)",
)
def avg_pool1d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True
):
    """As `avg_pool2d`, for `(N, C, L)`.

    >>> ops.avg_pool1d(Tensor([[[1.0, 2.0, 3.0, 5.0]]]), 2, 2).asnumpy()
    array([[[1.5, 4. ]]], dtype=float32)
    """
    return avg_pool(
        input_x, kernel_size, stride, "pad", padding, ceil_mode, count_include_pad, axes=1
    )


@composite(
    mint="nn.functional.avg_pool3d(input: input_x, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None)",
)
def avg_pool3d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=0,
):  # fmt: skip
    """As `avg_pool2d`, for `(N, C, D, H, W)`; settings are ints or three.

    >>> ops.avg_pool3d(ops.ones((1, 3, 4, 4, 4)), 2, 2).shape
    (1, 3, 2, 2, 2)
    """
    return avg_pool(
        input_x, kernel_size, stride, "pad", padding, ceil_mode, count_include_pad,
        divisor_override, axes=3,
    )  # fmt: skip


@composite(
    function=(),
    primitive="MaxPool3D(kernel_size=1, strides=1, pad_mode='VALID', pad_list=0, ceil_mode=None, "
    "data_format='NCDHW')(x)",
)
def max_pool3d_of_class(
    x, kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, ceil_mode=None, data_format="NCDHW"
):
    """As `max_pool3d`; `pad_list`: one int, three, or front, back, top, bottom, left, right.

    >>> ops.MaxPool3D(2, 2)(ops.ones((1, 1, 4, 4, 4))).shape
    (1, 1, 2, 2, 2)
    """
    return max_pool(
        x, kernel_size, strides, pad_mode, pad_list, 1, bool(ceil_mode), data_format, 3
    )  # fmt: skip


@composite(
    function=(),
    primitive="AvgPool3D(kernel_size=1, strides=1, pad_mode='valid', pad=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=0, data_format='NCDHW')(input)",
)
def avg_pool3d_of_class(
    input, kernel_size=1, strides=1, pad_mode="valid", pad=0, ceil_mode=False,
    count_include_pad=True, divisor_override=0, data_format="NCDHW",
):  # fmt: skip
    """As `avg_pool3d`; `pad`: one int, three, or front, back, top, bottom, left, right.

    >>> ops.AvgPool3D(2, 2)(ops.ones((1, 1, 4, 4, 4))).shape
    (1, 1, 2, 2, 2)
    """
    return avg_pool(
        input, kernel_size, strides, pad_mode, pad, ceil_mode, count_include_pad, divisor_override,
        data_format, 3,
    )  # fmt: skip


@op(function=(), name="LPPool", check=floats_only("LPPool"))
def lp_pool(x: Array, norm_type, kernel_size, stride=None, ceil_mode=False, axes=2):
    r"""$(\sum x^p)^{1/p}$ of each window of the last `axes` axes; its gradient is 0 where it is
    0."""
    kinds.NUMBER(None, norm_type=norm_type)
    require(norm_type != 0, "not-0", argument="norm_type")
    require_planes(None, axes, x=x)
    w = Windows(x.shape[-axes:], kernel_size, stride, "pad", 0, 1, ceil_mode)
    args = w.sizes, w.kernel, w.stride, w.padding
    # a window that reaches beyond the end counts as its mean times the size of a full one
    share = w.window_sizes(True) / math.prod(w.kernel)
    total = lowering.average_pool(x**norm_type, *args, share)
    is_zero, one = total == 0, jnp.ones((), total.dtype)
    return jnp.where(is_zero, 0, jnp.where(is_zero, one, total) ** (1 / norm_type))


@composite()
def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    r"""$(\sum x^p)^{1/p}$ of each window of `(N, C, L)` or `(C, L)`, p being `norm_type`.

    `stride`: by default the kernel's size. `ceil_mode`: a last window may reach beyond the end.

    >>> ops.lp_pool1d(Tensor([[[3.0, 4.0, 6.0, 8.0]]]), 2, 2).asnumpy()
    array([[[ 5., 10.]]], dtype=float32)
    """
    return lp_pool(x, norm_type, kernel_size, stride, ceil_mode, 1)


@composite()
def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """As `lp_pool1d`, for `(N, C, H, W)`; `kernel_size`, `stride`: an int or two.

    >>> ops.lp_pool2d(ops.ones((1, 1, 4, 4)), 2, 2).asnumpy()[0, 0]
    array([[2., 2.],
           [2., 2.]], dtype=float32)
    """
    return lp_pool(x, norm_type, kernel_size, stride, ceil_mode)


# with the places of the maxima ----------------------------------------------------------------


def _with_indices(who, x, axes, argmax_type, *windows):
    """Return maxima and their indices in this dtype; `x` must have `axes` + 2 dimensions."""
    is_index = argmax_type in (int32, int64)
    require(is_index, "int32-int64", who, argmax_type=argmax_type, error=ValueError)
    require_shapes(who, x=(x, " ".join("NC" + "DHW"[-axes:])))
    y, index = max_pool_with_index(x, *windows)
    return y, index.astype(argmax_type)


@composite(
    primitive="MaxPoolWithArgmaxV2(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x)",
    function=(),
)
def max_pool_with_argmax_v2(
    x, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=int64
) -> Arrays:
    """The maximum of each window of `(N, C, H, W)`, and its row-major index in its plane.

    `strides`: by default the kernel. `ceil_mode`: a last window may reach beyond the padding.
    `argmax_type`: the dtype of the indices, int32 or int64.

    >>> y, at = ops.MaxPoolWithArgmaxV2(2)(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)))
    >>> at.asnumpy()[0, 0]
    array([[ 5,  7],
           [13, 15]])
    """
    windows = kernel_size, strides, pads, dilation, ceil_mode, 2
    return _with_indices("MaxPoolWithArgmaxV2", x, 2, argmax_type, *windows)


@composite(
    primitive="MaxPoolWithArgmax(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')"
    "(x)",
    function=(),
)
def max_pool_with_argmax(
    x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"
) -> Arrays:
    """As `MaxPoolWithArgmaxV2`, padded by `pad_mode`, 'valid' or 'same'; the indices, Int32, count
    through all channels of an example.

    >>> y, at = ops.MaxPoolWithArgmax(2, 2)(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)))
    >>> at.asnumpy()[0, 0]
    array([[ 5,  7],
           [13, 15]], dtype=int32)
    """
    require(data_format == "NCHW", "nchw", "MaxPoolWithArgmax", data_format=data_format)
    windows = kernel_size, strides, 0, 1, False, 2, pad_mode
    y, index = _with_indices("MaxPoolWithArgmax", x, 2, int32, *windows)
    channels = np.arange(x.shape[1], dtype=np.int32).reshape(-1, 1, 1)
    return y, index + Tensor(channels * (x.shape[2] * x.shape[3]))


@composite(
    primitive="MaxPool3DWithArgmax(ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, "
    "data_format='NCDHW', argmax_type=int64)(x)",
    function=(),
)
def max_pool3d_with_argmax(
    x, ksize, strides, pads, dilation=(1, 1, 1), ceil_mode=False, data_format="NCDHW",
    argmax_type=int64,
) -> Arrays:  # fmt: skip
    """As `MaxPoolWithArgmaxV2`, for `(N, C, D, H, W)`.

    >>> y, at = ops.MaxPool3DWithArgmax(2, 2, 0)(ops.ones((1, 1, 4, 4, 4)))
    >>> at.shape
    (1, 1, 2, 2, 2)
    """
    who = "MaxPool3DWithArgmax"
    require(data_format == "NCDHW", "must-equal", who, data_format=data_format, value="NCDHW")
    return _with_indices(who, x, 3, argmax_type, ksize, strides, pads, dilation, ceil_mode, 3)
