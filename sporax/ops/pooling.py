"""Pooling."""

import jax.numpy as jnp
import numpy as np

from sporax.lowering import pooling as lowering
from sporax.ops.activation import floats_only, tensors_only
from sporax.ops.convolution import PAD_MODES, pair, same_padding
from sporax.ops.declare import Array, composite, op

_FORMATS = ("NCHW", "NHWC")


class Windows:
    """Where the windows lie: `sizes` (how many), `kernel`, `stride`, `padding`, `dilation`.

    With `ceil_mode` a last window may reach beyond the padding, but must start before its end.
    """

    def __init__(self, planes, kernel, stride, pad_mode, padding, dilation=1, ceil_mode=False):
        self.kernel = pair("kernel_size", kernel)
        self.stride = self.kernel if stride is None else pair("stride", stride)
        self.dilation = pair("dilation", dilation)
        mode = str(pad_mode).lower()
        if mode not in PAD_MODES:
            raise ValueError(f"'pad_mode' must be one of {PAD_MODES}, but got {pad_mode!r}")
        given = pair("padding", padding, 0)
        if mode != "pad" and any(given):
            raise ValueError(f"'padding' must be 0 unless 'pad_mode' is 'pad', but got {padding}")
        if any(2 * p > k for p, k in zip(given, self.kernel, strict=True)):
            raise ValueError(f"'padding' must be at most half the kernel, but got {padding}")
        self.padding = tuple((p, p) for p in given)
        if mode == "same":
            self.padding = tuple(map(same_padding, planes, self.kernel, self.stride, self.dilation))
        self.planes = tuple(planes)
        self.sizes = tuple(self._count(axis, ceil_mode) for axis in (0, 1))
        if min(self.sizes) < 1:
            raise ValueError(f"the window {self.kernel} must fit into the padded input")

    def _count(self, axis, ceil_mode):
        step, (before, after) = self.stride[axis], self.padding[axis]
        extent = (self.kernel[axis] - 1) * self.dilation[axis] + 1
        free = self.planes[axis] + before + after - extent
        count = free // step + 1
        if ceil_mode and free % step and count * step < self.planes[axis] + before:
            count += 1
        return count

    def covered(self, count_include_pad):
        """How many places of each window count for its average."""
        along = []
        for axis in (0, 1):
            before, after = self.padding[axis] if count_include_pad else (0, 0)
            start = np.arange(self.sizes[axis]) * self.stride[axis] - self.padding[axis][0]
            end = np.minimum(start + self.kernel[axis], self.planes[axis] + after)
            along.append(np.maximum(end - np.maximum(start, -before), 1))
        return np.outer(*along)


def _pooled(input, data_format, pool):
    """`pool` applied to `input` with its channels first, whatever `data_format` says."""
    if data_format not in _FORMATS:
        raise ValueError(f"'data_format' must be one of {_FORMATS}, but got {data_format!r}")
    if input.ndim not in (3, 4):
        raise ValueError("'input' must be (N, C, H, W) or (C, H, W)")
    if data_format == "NCHW":
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
    ceil_mode=False, data_format="NCHW",
):  # fmt: skip
    """The greatest number of each window of `(N, C, H, W)` or `(C, H, W)`."""

    def pool(x):
        at = Windows(x.shape[-2:], kernel_size, stride, pad_mode, padding, dilation, ceil_mode)
        return lowering.max_pool(x, at.sizes, at.kernel, at.stride, at.padding, at.dilation)

    return _pooled(input, data_format, pool)


@op(function=(), check=tensors_only("MaxPool"))
def max_pool_with_index(
    input: Array, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False
):
    """As `max_pool`, and where in its plane each number was found (Int64, in reading order)."""
    at = Windows(input.shape[-2:], kernel_size, stride, "pad", padding, dilation, ceil_mode)
    return lowering.max_pool_with_index(
        input, at.sizes, at.kernel, at.stride, at.padding, at.dilation
    )


@composite(mint="nn.functional.max_pool2d")
def max_pool2d(
    x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
):
    """The greatest number of each window of `(N, C, H, W)`.

    `kernel_size`, `stride` (by default the kernel), `padding`, `dilation`: an int or two.
    `ceil_mode`: whether a last window may reach beyond the padding. `return_indices`: also return
    where in its plane each was found.

    >>> ops.max_pool2d(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)), 2).asnumpy()[0, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    if return_indices:
        return max_pool_with_index(x, kernel_size, stride, padding, dilation, ceil_mode)
    return max_pool(
        x, kernel_size, kernel_size if stride is None else stride, "pad", padding, dilation,
        ceil_mode,
    )  # fmt: skip


@op(
    primitive="AvgPool(kernel_size=1, strides: stride=1, pad_mode='valid', data_format='NCHW')"
    "(x: input)",
    function=(),
    check=floats_only("AvgPool"),
)
def avg_pool(
    input: Array, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False,
    count_include_pad=True, divisor_override=None, data_format="NCHW",
):  # fmt: skip
    """The mean of each window of `(N, C, H, W)` or `(C, H, W)`."""

    def pool(x):
        at = Windows(x.shape[-2:], kernel_size, stride, pad_mode, padding, 1, ceil_mode)
        counts_padding = count_include_pad and str(pad_mode).lower() == "pad"
        divisor = divisor_override or at.covered(counts_padding)
        return lowering.average_pool(x, at.sizes, at.kernel, at.stride, at.padding, divisor)

    return _pooled(input, data_format, pool)


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
    """The mean of each window of `(N, C, H, W)`, the sum over `divisor_override` if that is given.

    `count_include_pad`: whether the zeros of the padding count. Other arguments as `max_pool2d`'s.

    >>> ops.avg_pool2d(Tensor(np.arange(16.0).reshape(1, 1, 4, 4)), 2, 2).asnumpy()[0, 0]
    array([[ 2.5,  4.5],
           [10.5, 12.5]])
    """
    return avg_pool(
        input, kernel_size, kernel_size if stride is None else stride, "pad", padding, ceil_mode,
        count_include_pad, divisor_override,
    )  # fmt: skip


@op(primitive="AdaptiveAvgPool2D(output_size)(input)", mint="nn.functional.adaptive_avg_pool2d",
    check=floats_only("AdaptiveAvgPool2D"))  # fmt: skip
def adaptive_avg_pool2d(input: Array, output_size):
    r"""Means over $H' \times W'$ nearly equal parts of each plane.

    `output_size`: an int or two; None leaves an axis as it is.

    >>> ops.adaptive_avg_pool2d(ops.ones((1, 3, 5, 7)), 2).shape
    (1, 3, 2, 2)
    """
    rows, columns = (
        jnp.asarray(_averaging(size, parts), input.dtype)
        for size, parts in zip(input.shape[-2:], _parts(input, output_size), strict=True)
    )
    return jnp.matmul(rows, jnp.matmul(input, columns.T))


@op(function=(), name="AdaptiveMaxPool2D", check=floats_only("AdaptiveMaxPool2D"))
def adaptive_max_pool_with_index(input: Array, output_size):
    """As `adaptive_max_pool2d`, and where in its plane each number was found (Int64)."""
    rows, columns = _parts(input, output_size)
    plane = np.arange(np.prod(input.shape[-2:]), dtype=np.int64).reshape(input.shape[-2:])
    seen = [plane[down, across].ravel() for down in rows for across in columns]
    longest = max(map(len, seen))
    # a part of fewer places sees its last one several times
    places = jnp.asarray([np.pad(s, (0, longest - len(s)), "edge") for s in seen])
    flat = input.reshape(*input.shape[:-2], -1)
    best = jnp.argmax(flat[..., places], -1)
    found = places[np.arange(len(seen)), best]
    shape = *input.shape[:-2], len(rows), len(columns)
    return jnp.take_along_axis(flat, found, -1).reshape(shape), found.reshape(shape)


@composite()
def adaptive_max_pool2d(input, output_size, return_indices=False):
    r"""The greatest numbers of $H' \times W'$ nearly equal parts of each plane.

    `output_size`: an int or two; None leaves an axis as it is. `return_indices`: also return where
    in its plane each was found.

    >>> ops.adaptive_max_pool2d(Tensor(np.arange(15.0).reshape(1, 3, 5)), 2).asnumpy()[0]
    array([[ 7.,  9.],
           [12., 14.]])
    """
    pooled, found = adaptive_max_pool_with_index(input, output_size)
    return (pooled, found) if return_indices else pooled


def _parts(input, output_size):
    """For each of the last two axes its parts, of which the i-th of n goes from floor(i size / n)
    to ceil((i + 1) size / n)."""
    if input.ndim not in (3, 4):
        raise ValueError("'input' must be (N, C, H, W) or (C, H, W)")
    wanted = output_size if isinstance(output_size, tuple) else (output_size, output_size)
    parts = []
    for size, n in zip(input.shape[-2:], wanted, strict=True):
        n = size if n is None else n
        parts.append([slice(i * size // n, -(-(i + 1) * size // n)) for i in range(n)])
    return parts


def _averaging(size, parts):
    """(len(parts), size): each row averages over one part."""
    weights = np.zeros((len(parts), size))
    for row, part in zip(weights, parts, strict=True):
        row[part] = 1 / (part.stop - part.start)
    return weights
