"""Inverses of windowing: columns folded into images, maxima restored to their positions."""

import itertools

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, composite, op
from sporax.ops.nn.convolution import per_axis
from sporax.ops.operand_checks import require_integers, require_planes


@op(function=(), name="fold")
def fold_windows(columns: Array, *, size, kernel, stride, dilation, around):
    """`(N, C, kh kw, L)` -> `(N, C, *size)`: add each column's elements at its window."""
    padded = [n + before + after for n, (before, after) in zip(size, around, strict=True)]
    counts = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(padded, kernel, stride, dilation, strict=True)
    ]
    fits = columns.ndim == 4 and min(counts) >= 1 and columns.shape[3] == counts[0] * counts[1]
    require(fits, "windows-of-settings", rows=counts[0], columns=counts[1])
    n, c = columns.shape[:2]
    windows = columns.reshape(n, c, *kernel, *counts)
    image = jnp.zeros((n, c, *padded), columns.dtype)
    for offset in itertools.product(*map(range, kernel)):
        along = tuple(
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, n, s in zip(offset, dilation, counts, stride, strict=True)
        )
        image = image.at[(..., *along)].add(windows[:, :, *offset])
    inner = tuple(slice(before, before + n) for n, (before, _) in zip(size, around, strict=True))
    return image[(..., *inner)]


def _sizes(name, value, lowest=1):
    sizes = value.tolist() if isinstance(value, Tensor) else value
    return per_axis(name, tuple(sizes) if isinstance(sizes, list) else sizes, lowest=lowest)


@composite(tensor=True, mint="nn.functional.fold")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Combine windows given as columns, summed where they overlap: the transpose of `unfold`.

    `(N, C kh kw, L)` -> `(N, C, *output_size)`; `output_size`: two ints or a Tensor of them; the
    other settings as for `unfold`.

    >>> ops.fold(ops.ones((1, 4, 4)), (3, 3), 2).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    kernel = _sizes("kernel_size", kernel_size)
    fits = input.ndim in (2, 3) and not input.shape[-2] % (kernel[0] * kernel[1])
    require(fits, "n-c-kh-kw", "fold", input=input.shape, kernel=kernel)
    columns = input.reshape(-1, input.shape[-2] // (kernel[0] * kernel[1]),
                            kernel[0] * kernel[1], input.shape[-1])  # fmt: skip
    out = fold_windows(
        columns, size=_sizes("output_size", output_size), kernel=kernel,
        stride=_sizes("stride", stride), dilation=_sizes("dilation", dilation),
        around=tuple((n, n) for n in _sizes("padding", padding, 0)),
    )  # fmt: skip
    return out if input.ndim == 3 else out.squeeze(0)


@composite(
    tensor="col2im(input_x, output_size, kernel_size, dilation, padding_value, stride)",
    primitive="Col2Im(kernel_size, dilation=1, padding: padding_value=0, stride=1)"
    "(x: input_x, output_size)",
)  # fmt: skip
def col2im(input_x, output_size, kernel_size, dilation, padding_value, stride):
    """As `fold`, for `(N, C, kh kw, L)`.

    >>> ops.col2im(ops.ones((1, 1, 4, 4)), (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)).shape
    (1, 1, 3, 3)
    """
    return fold_windows(
        input_x, size=_sizes("output_size", output_size), kernel=_sizes("kernel_size", kernel_size),
        stride=_sizes("stride", stride), dilation=_sizes("dilation", dilation),
        around=tuple((n, n) for n in _sizes("padding_value", padding_value, 0)),
    )  # fmt: skip


@op(
    function=(),
    name="max_unpool",
    bounds=lambda x, indices, size: [
        Range(indices, _count(size), low=0, span="the-size-of-the-plane")
    ],
)
def max_unpool(x: Array, indices: Array, *, size):
    """Return zeros of `size` in the last axes, with each element of `x` at its index."""
    axes = len(size)
    require_planes(None, axes, x=x)
    require(x.shape == indices.shape, "shape-shape-size", indices=indices.shape, shape=x.shape)
    require_integers(indices=indices)
    planes = x.reshape(-1, *x.shape[-axes:]).reshape(-1, _count(x.shape[-axes:]))
    index = indices.reshape(planes.shape)
    rows = jnp.arange(planes.shape[0])[:, None]
    flat = jnp.zeros((planes.shape[0], _count(size)), x.dtype).at[rows, index].set(planes)
    return flat.reshape(*x.shape[:-axes], *size)


def _count(sizes):
    total = 1
    for n in sizes:
        total *= n
    return total


def _unpooled(who, axes, x, indices, kernel_size, stride, padding, output_size):
    kernel = per_axis("kernel_size", kernel_size, axes)
    is_kernel = stride is None or not np.any(stride)
    stride = kernel if is_kernel else per_axis("stride", stride, axes)
    padding = per_axis("padding", padding, axes, lowest=0)
    size = tuple(
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(x.shape[-axes:], stride, padding, kernel, strict=True)
    )
    if output_size:
        wanted = tuple(output_size)[-axes:]
        far = [abs(a - b) >= s for a, b, s in zip(wanted, size, stride, strict=True)]
        require(not any(far), "less-than-one-stride", who, output_size=wanted, size=size)
        size = wanted
    return max_unpool(x, indices, size=size)


def _unpool(axes, letters):
    def function(x, indices, kernel_size, stride=None, padding=0, output_size=None):
        return _unpooled(
            function.__name__, axes, x, indices, kernel_size, stride, padding, output_size
        )

    function.__name__, function.__module__ = f"max_unpool{axes}d", __name__
    function.__doc__ = f"""Write each maximum back to its position, zeros elsewhere: {letters}.

    `indices`: the position of each in its plane, as returned by `max_pool{axes}d`. `kernel_size`,
    `stride`, `padding`: the pooling's; `output_size`: the sizes, if several give the same pooled
    sizes.

    >>> y, at = ops.max_pool2d(ops.ones((1, 1, 4, 4)), 2, return_indices=True)
    >>> ops.max_unpool2d(y, at, 2).shape
    (1, 1, 4, 4)
    """
    mint = (
        "nn.functional.max_unpool2d(input: x, indices, kernel_size, stride=None, padding=0, "
        "output_size=None)"
    )
    return composite(mint=mint if axes == 2 else None)(function)


max_unpool1d = _unpool(1, "`(N, C, L)`")
max_unpool2d = _unpool(2, "`(N, C, H, W)`")
max_unpool3d = _unpool(3, "`(N, C, D, H, W)`")


def _unpool_class(axes, channels_last):
    """`MaxUnpool2D` or `MaxUnpool3D`: `max_unpool` with attributes, in either layout."""
    name, first = f"MaxUnpool{axes}D", f"NC{'DHW'[-axes:]}"
    layout = kinds.one_of(first, channels_last)

    def function(x, argmax, ksize, strides=0, pads=0, output_shape=(), data_format=first):
        layout(name, data_format=data_format)
        fits = not output_shape or len(output_shape) == axes + 2
        require(fits, "sizes", name, output_shape=output_shape, number=axes + 2)
        if data_format == first:
            return _unpooled(name, axes, x, argmax, ksize, strides, pads, output_shape)
        order = (0, axes + 1, *range(1, axes + 1))
        sizes = tuple(output_shape[i] for i in order) if output_shape else ()
        x, argmax = x.permute(*order), argmax.permute(*order)
        y = _unpooled(name, axes, x, argmax, ksize, strides, pads, sizes)
        return y.permute(0, *range(2, axes + 2), 1)

    function.__name__, function.__module__ = f"max_unpool{axes}d_of_class", __name__
    function.__doc__ = f"""As `max_unpool{axes}d`; `output_shape`: all sizes of the result.

    `strides`: by default (0) the kernel. `data_format`: '{first}' or '{channels_last}'.

    >>> x = ops.ones((1, 1{", 1" * axes}))
    >>> ops.MaxUnpool{axes}D(2)(x, Tensor(np.zeros(x.shape, np.int64))).shape
    (1, 1{", 2" * axes})
    """
    written = f"{name}(ksize, strides=0, pads=0, output_shape=(), data_format='{first}')(x, argmax)"
    return composite(primitive=written, function=())(function)


_unpool_class(2, "NHWC")
_unpool_class(3, "NDHWC")
