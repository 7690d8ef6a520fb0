"""2-D convolutions, channels first.

For few input channels, XLA's convolution on a CPU spends its time moving data. In that case each
row of the image is multiplied by a band matrix of the kernel's shifted rows: more multiplications,
but in one large matmul. For LeNet-5's layers, forward and both gradients, it takes half the time;
oneDNN's convolution, if available, takes less.
"""

import jax.numpy as jnp
from jax import lax

from sporax._src.core.jax_internals import default_platform
from sporax._src.runtime.xla_kernels import precision
from sporax._src.runtime.xla_kernels.onednn import library

# where the band matrix was measured to be faster
_MOST_CHANNELS, _WIDEST, _MOST_WASTE, _SMALLEST_TILE = 8, 64, 8, 5


def convolve(x, weight, stride, padding, dilation, groups):
    """`x` (N, C, H, W) with `weight` (O, C / groups, kh, kw) -> (N, O, H', W').

    `padding`: (top, bottom, left, right).
    """
    top, bottom, left, right = padding
    tile = _tile(x, weight, stride, padding, dilation, groups)
    if tile:
        if any(padding):
            x = jnp.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
        return _banded(x, weight, tile)
    return lax.conv_general_dilated(
        x,
        weight,
        stride,
        [(top, bottom), (left, right)],
        rhs_dilation=dilation,
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
        feature_group_count=groups,
        precision=precision.of_convolution(),
    )


def _tile(x, weight, stride, padding, dilation, groups):
    """Return the number of result columns of one band matrix; 0 if `lax`'s form is better."""
    kernel = weight.shape[3]
    width = x.shape[3] + padding[2] + padding[3] - kernel + 1
    plain = stride == dilation == (1, 1) and groups == 1 and default_platform() == "cpu"
    if library.load() is not None and str(x.dtype) in library.TYPES:
        return 0
    if not plain or x.shape[1] > _MOST_CHANNELS or not 1 <= width <= _WIDEST or kernel < 3:
        return 0
    smallest = min(width, max(kernel, _SMALLEST_TILE))
    tile = next(n for n in range(smallest, width + 1) if width % n == 0)
    return tile if tile + kernel - 1 <= _MOST_WASTE * kernel else 0


def _banded(x, weight, tile):
    outputs, channels, kh, kw = weight.shape
    count, _, height, width = x.shape
    height, tiles, seen = height - kh + 1, (width - kw + 1) // tile, tile + kw - 1
    x = x.transpose(0, 2, 1, 3)
    rows = jnp.stack([x[:, i : i + height] for i in range(kh)], 2)
    if tiles > 1:
        rows = jnp.stack([rows[..., i * tile : i * tile + seen] for i in range(tiles)], 2)
    rows = rows.reshape(count * height * tiles, kh * channels * seen)
    y = (rows @ _band(weight, tile)).reshape(count, height, tiles, outputs, tile)
    return y.transpose(0, 3, 1, 2, 4).reshape(count, outputs, height, tiles * tile)


def _band(weight, tile):
    """Return the (kh * C * (tile + kw - 1), O * tile) band matrix, whose column (o, t) holds the
    kernel shifted by t.

    Padded kernel rows are one element longer than the band's rows, so a reshape shifts them.
    """
    outputs, channels, kh, kw = weight.shape
    seen = tile + kw - 1
    rows = jnp.pad(weight.transpose(2, 1, 0, 3), ((0, 0), (0, 0), (0, 0), (0, tile)))
    rows = jnp.broadcast_to(rows[:, :, :, None], (kh, channels, outputs, tile, seen + 1))
    flat = rows.reshape(kh, channels, outputs, tile * (seen + 1))[..., : tile * seen]
    band = flat.reshape(kh, channels, outputs, tile, seen)
    return band.transpose(0, 1, 4, 2, 3).reshape(kh * channels * seen, outputs * tile)
