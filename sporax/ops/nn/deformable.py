"""Convolutions whose windows are deformed by learned offsets (Dai et al., 2017; Zhu et al., 2019),
and grey dilation."""

import itertools

import jax
import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.nn.convolution import LAYOUT, conv2d, per_axis, same_padding
from sporax.ops.operand_checks import floats_only, require_shapes

_PAD_MODE = kinds.one_of("SAME", "same", "VALID", "valid")


def _plane(name, value, data_format):
    """Return the ints for rows and columns, from one for each of four axes."""
    last = data_format == "NHWC"
    fits = isinstance(value, (tuple, list)) and len(value) == 4
    outer = (value[0], value[3] if last else value[1]) if fits else ()
    fits = outer == (1, 1) and all(isinstance(n, int) and n >= 1 for n in value)
    require(fits, "four-ints-at-least-1", argument=name, got=value)
    return tuple(value[1:3] if last else value[2:])


def _sampled(plane, y, x):
    """Interpolate `plane` `(C, H, W)` at points `(...)`: `(C, ...)`; 0 outside."""
    height, width = plane.shape[1:]
    top, left = (jnp.floor(jax.lax.stop_gradient(a)) for a in (y, x))
    total = 0
    for down, right in itertools.product((0, 1), (0, 1)):
        row, column = top + down, left + right
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        weight = (1 - jnp.abs(y - row)) * (1 - jnp.abs(x - column))
        i, j = (
            jnp.clip(a, 0, n - 1).astype(jnp.int32) for a, n in ((row, height), (column, width))
        )
        total = total + jnp.where(inside, weight * plane[:, i, j], 0)
    return total


@op(
    function=(), check=floats_only("DeformableOffsets"),
    primitive="DeformableOffsets(strides, pads, ksize, dilations=(1, 1, 1, 1), data_format='NCHW', "
    "deformable_groups=1, modulated=True)(x, offsets)",
)  # fmt: skip
def deformable_offsets(
    x: Array, offsets: Array, strides, pads, ksize, dilations=(1, 1, 1, 1), data_format="NCHW",
    deformable_groups=1, modulated=True,
):  # fmt: skip
    """Return the elements of each deformed window: `(N, C, H, W)` -> `(N, C, H' kh, W' kw)`; see
    `deformable_conv2d`.

    >>> moved = ops.DeformableOffsets((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
    >>> moved(ops.ones((1, 3, 4, 4)), ops.ones((1, 12, 3, 3))).shape
    (1, 3, 6, 6)
    """
    LAYOUT(None, data_format=data_format)
    require(modulated is True, "true-argument-value", modulated=modulated)
    stride, dilation = (_plane(n, v, data_format) for n, v in
                        (("strides", strides), ("dilations", dilations)))  # fmt: skip
    kernel = per_axis("ksize", ksize)
    require_shapes(x=(x, " ".join(data_format)), offsets=(offsets, " ".join(data_format.lower())))
    require(len(pads) == 4, "items", pads=pads, lengths=(4,), error=ValueError)
    if data_format == "NHWC":
        x, offsets = (jnp.moveaxis(a, -1, 1) for a in (x, offsets))
    n, channels, *plane = x.shape
    sizes = tuple(
        (size + pads[2 * i] + pads[2 * i + 1] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        for i, size in enumerate(plane)
    )
    groups, area = deformable_groups, kernel[0] * kernel[1]
    shape = n, 3 * groups * area, *sizes
    require(not channels % groups, "channels-of-groups", x=x.shape, groups=groups)
    require(offsets.shape == shape, "shape-shape-size", offsets=offsets.shape, shape=shape)
    right, down, mask = jnp.moveaxis(offsets.reshape(n, 3, groups, *kernel, *sizes), 1, 0)
    right, down = (a.astype(jnp.promote_types(a.dtype, jnp.float32)) for a in (right, down))
    grids = []
    for i, size in enumerate(sizes):
        positions = jnp.arange(size) * stride[i] - pads[2 * i]
        positions = positions + (jnp.arange(kernel[i]) * dilation[i])[:, None]
        grids.append(positions.reshape([kernel[i] if a == i else size if a == i + 2 else 1
                                  for a in range(4)]))  # fmt: skip
    grouped = x.reshape(n, groups, channels // groups, *plane)
    seen = jax.vmap(jax.vmap(_sampled))(grouped, grids[0] + down, grids[1] + right)
    seen = (seen * mask[:, :, None]).transpose(0, 1, 2, 5, 3, 6, 4)
    result = seen.reshape(n, channels, sizes[0] * kernel[0], sizes[1] * kernel[1]).astype(x.dtype)
    return jnp.moveaxis(result, 1, -1) if data_format == "NHWC" else result


@composite()
def deformable_conv2d(
    x, weight, offsets, kernel_size, strides, padding, bias=None, dilations=(1, 1, 1, 1), groups=1,
    deformable_groups=1, modulated=True,
):  # fmt: skip
    r"""$y(p) = \sum_k w_k \, m_k \, x(p + p_k + \Delta p_k)$: a convolution whose windows' elements
    are moved by $\Delta p_k$, interpolated, and weighted by $m_k$ (Zhu et al., 2019).

    `x` `(N, C, H, W)`, `weight` `(O, C / groups, kh, kw)`. `offsets` `(N, 3 G kh kw, H', W')`: to
    the right, down, and weights, each for G = `deformable_groups` groups of channels.
    `kernel_size`: (kh, kw). `strides`, `dilations`: (1, 1, rows, columns). `padding`: top, bottom,
    left, right. Returns `(N, O, H', W')`.

    >>> x, w, offsets = ops.ones((1, 1, 4, 4)), ops.ones((2, 1, 2, 2)), ops.zeros((1, 12, 3, 3))
    >>> ops.deformable_conv2d(x, w, offsets, (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)).shape
    (1, 2, 3, 3)
    """
    seen = deformable_offsets(
        x, offsets, strides, padding, kernel_size, dilations, "NCHW", deformable_groups, modulated
    )
    return conv2d(seen, weight, bias, kernel_size, "valid", 0, 1, groups)


# kept here, for it moves a window as well ---------------------------------------------------------


@op(
    function=(), name="Dilation2D",
    primitive="Dilation2D(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, filter)",
)  # fmt: skip
def dilation2d(x: Array, filter: Array, stride, dilation, pad_mode="SAME", data_format="NCHW"):
    r"""$\max_{m n} (x_{c, s h + d m, s w + d n} + filter_{c m n})$: `(N, C, H, W)`, `(C, kh, kw)`.

    `stride`, `dilation`: an int, two, or four of which the first two are 1. `pad_mode`: 'SAME' or
    'VALID'; elements outside are ignored.

    >>> ops.Dilation2D(1, 1, "VALID")(ops.ones((1, 3, 4, 4)), ops.zeros((3, 2, 2))).shape
    (1, 3, 3, 3)
    """
    require_shapes(x=(x, "N C H W"), filter=(filter, "C kh kw"))
    _PAD_MODE(None, pad_mode=pad_mode)
    require(data_format == "NCHW", "must-equal", data_format=data_format, value="NCHW")
    stride, dilation = per_axis("stride", stride), per_axis("dilation", dilation)
    kernel, planes = filter.shape[1:], x.shape[2:]
    around = [(0, 0)] * 2
    if pad_mode.upper() == "SAME":
        around = list(map(same_padding, planes, kernel, stride, dilation))
    whole = jnp.issubdtype(x.dtype, jnp.integer)
    least = jnp.iinfo(x.dtype).min if whole else -jnp.inf
    counts = [
        (n + sum(pads) - (k - 1) * d - 1) // s + 1
        for n, pads, k, d, s in zip(planes, around, kernel, dilation, stride, strict=True)
    ]
    require(min(counts) >= 1, "window-fit-into-padded", kernel=kernel)
    padded = jnp.pad(x, ((0, 0), (0, 0), *around), constant_values=least)
    seen = []
    for offset in itertools.product(*map(range, kernel)):
        along = [
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, n, s in zip(offset, dilation, counts, stride, strict=True)
        ]
        window, term = padded[..., *along], filter[:, *offset][:, None, None]
        seen.append(jnp.where(window == least, window, window + term))
    return jnp.stack(seen).max(0)
