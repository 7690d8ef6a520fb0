"""Windows of images and volumes; and pixels moved between channels and planes."""

import itertools

import jax
import jax.numpy as jnp

from sporax._src.core.dtype import to_numpy
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.nn.convolution import per_axis, same_padding
from sporax.ops.operand_checks import require_shapes
from sporax.ops.random.draws import next_key, normal_from_key, uniform_from_key
from sporax.ops.shape.creation import zeros

_PADDING = kinds.one_of("VALID", "SAME")


@op(name="unfold", function=())
def unfold_windows(input: Array, *, kernel, stride, dilation, around):
    """`(N, C, *)` -> `(N, C, *kernel, *)`: the window's elements at each position."""
    require_shapes(input=(input, " ".join("NC" + "DHW"[-len(kernel) :])))
    x = jnp.pad(input, ((0, 0), (0, 0), *around))
    counts = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    ]
    require(min(counts) >= 1, "window-fit-into-padded", kernel=kernel)
    seen = []
    for offset in itertools.product(*map(range, kernel)):
        along = [
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, n, s in zip(offset, dilation, counts, stride, strict=True)
        ]
        seen.append(x[..., *along])
    return jnp.stack(seen, 2).reshape(*x.shape[:2], *kernel, *counts)


@composite(tensor=True, mint="nn.functional.unfold")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being the number of windows.

    `kernel_size`, `dilation`, `padding`, `stride`: ints or pairs; `padding` also top, bottom, left,
    right.

    >>> ops.unfold(ops.ones((1, 3, 4, 4)), 2).shape
    (1, 12, 9)
    """
    kernel = per_axis("kernel_size", kernel_size)
    if isinstance(padding, (tuple, list)) and len(padding) == 4:
        around = tuple(zip(padding[::2], padding[1::2], strict=True))
    else:
        around = tuple((n, n) for n in per_axis("padding", padding, lowest=0))
    seen = unfold_windows(
        input, kernel=kernel, stride=per_axis("stride", stride),
        dilation=per_axis("dilation", dilation), around=around,
    )  # fmt: skip
    n, c, *_ = seen.shape
    return seen.reshape(n, c * kernel[0] * kernel[1], -1)


def patches(images, kernel, stride, dilation, padding):
    """`(N, C, *)` -> `(N, window size * C, *)`; `padding`: 'valid' or 'same' (as `conv2d`)."""
    axes = len(kernel)
    around = ((0, 0),) * axes
    if padding == "same":
        around = tuple(map(same_padding, images.shape[2:], kernel, stride, dilation))
    seen = unfold_windows(images, kernel=kernel, stride=stride, dilation=dilation, around=around)
    n, _, *sizes = seen.shape
    turned = seen.permute(0, *range(2, 2 + axes), 1, *range(2 + axes, 2 + 2 * axes))
    return turned.reshape(n, -1, *sizes[axes:])


@composite(
    function=(), op="unfold_windows",
    primitive="Im2Col(ksizes, strides=1, dilations=1, pads=0)(x)",
)  # fmt: skip
def im2col(x, ksizes, strides=1, dilations=1, pads=0):
    """Windows as columns, per channel: `(N, C, H, W)` -> `(N, C, kh kw, L)`; settings are ints or
    pairs.

    >>> ops.Im2Col(2)(ops.ones((1, 3, 4, 4))).shape
    (1, 3, 4, 9)
    """
    kernel = per_axis("ksizes", ksizes)
    seen = unfold_windows(
        x, kernel=kernel, stride=per_axis("strides", strides),
        dilation=per_axis("dilations", dilations),
        around=tuple((n, n) for n in per_axis("pads", pads, lowest=0)),
    )  # fmt: skip
    return seen.reshape(*x.shape[:2], kernel[0] * kernel[1], -1)


def _padding(who, padding):
    known = isinstance(padding, str) and _PADDING.accepts(padding.upper())
    _PADDING(who, padding=padding.upper() if known else padding)
    return padding.lower()


@composite(
    function=(), op="unfold_windows",
    primitive="ExtractImagePatches(ksizes, strides, rates, padding='VALID')(input_x)",
)  # fmt: skip
def extract_image_patches(input_x, ksizes, strides, rates, padding="VALID"):
    """Extract windows of images into the channels: `(N, C, H, W)` -> `(N, kh kw C, H', W')`.

    `ksizes`, `strides`, `rates` (the distance between a window's elements): two ints. `padding`:
    'VALID' or 'SAME'.

    >>> ops.ExtractImagePatches([2, 2], [1, 1], [1, 1])(ops.ones((1, 3, 4, 4))).shape
    (1, 12, 3, 3)
    """
    sizes = [per_axis(name, value) for name, value in
             (("ksizes", ksizes), ("strides", strides), ("rates", rates))]  # fmt: skip
    return patches(input_x, *sizes, padding=_padding("ExtractImagePatches", padding))


@composite(
    function=(), op="unfold_windows",
    primitive="ExtractVolumePatches(kernel_size, strides, padding)(input_x)",
)  # fmt: skip
def extract_volume_patches(input_x, kernel_size, strides, padding):
    """Extract windows of volumes to channels: `(N, C, D, H, W)` -> `(N, kd kh kw C, D', H', W')`.

    `kernel_size`, `strides`: three ints, or five of which the first two are 1. `padding`: 'VALID'
    or 'SAME'.

    >>> ops.ExtractVolumePatches(2, 1, "VALID")(ops.ones((1, 3, 4, 4, 4))).shape
    (1, 24, 3, 3, 3)
    """
    sizes = []
    for name, value in (("kernel_size", kernel_size), ("strides", strides)):
        five = isinstance(value, (tuple, list)) and len(value) == 5
        fits = not five or tuple(value[:2]) == (1, 1)
        require(fits, "first-two-1", "ExtractVolumePatches", argument=name, got=value)
        sizes.append(per_axis(name, value[2:] if five else value, 3))
    known = _padding("ExtractVolumePatches", padding)
    return patches(input_x, *sizes, dilation=(1, 1, 1), padding=known)


@op(function=(), name="ExtractGlimpse")
def glimpse(x: Array, offsets: Array, noise: Array, size, centered, normalized):
    """Extract windows of that size from images `(N, H, W, C)`, with `noise` outside: `(N, *size,
    C)`; see `ExtractGlimpse`."""
    require_shapes(x=(x, "N H W C"), offsets=(offsets, "N 2"))
    planes = jnp.array(x.shape[1:3], offsets.dtype)
    middle = offsets * planes if normalized else offsets
    middle = (middle + planes) / 2 if centered else middle
    starts = jnp.trunc(middle - jnp.array(size, offsets.dtype) / 2).astype(jnp.int32)

    def see(image, start, noise):
        indices = [begin + jnp.arange(n) for begin, n in zip(start, size, strict=True)]
        inside = [(a >= 0) & (a < n) for a, n in zip(indices, image.shape, strict=False)]
        row, column = (jnp.clip(a, 0, n - 1) for a, n in zip(indices, image.shape, strict=False))
        seen = image[row[:, None], column]
        return jnp.where((inside[0][:, None] & inside[1])[..., None], seen, noise)

    return jax.vmap(see)(x, starts, noise)


_NOISES = ("uniform", "gaussian", "zero")


@composite(
    function=(), op="glimpse",
    primitive="ExtractGlimpse(centered=True, normalized=True, uniform_noise=True, noise='uniform')"
    "(x, size, offsets)",
)  # fmt: skip
def extract_glimpse(
    x, size, offsets, centered=True, normalized=True, uniform_noise=True, noise="uniform"
):
    """Extract a window of `size` (height, width) from each image `(N, H, W, C)`: `(N, *size, C)`.

    `offsets` `(N, 2)`: (y, x) of the window's centre; `normalized`: relative to the image's sizes,
    `centered`: from the image's centre, with the edges at -1 and 1 of a normalized offset. Outside
    the image is `noise`: 'uniform' in [-1, 1), 'gaussian' (mean 0, standard deviation 1), 'zero'.

    >>> image, at = Tensor(np.arange(9.0).reshape(1, 3, 3, 1)), Tensor([[0.0, 0.0]])
    >>> ops.ExtractGlimpse()(image, Tensor([1, 2], ms.int32), at).asnumpy().ravel()
    array([3., 4.])
    """
    who = "ExtractGlimpse"
    fits = noise in _NOISES and (not uniform_noise or noise == "uniform")
    require(fits, "uniform-uniform-noise-false-gaussian", who, noise=noise)
    sizes = tuple(size.tolist() if isinstance(size, Tensor) else size)
    require(len(sizes) == 2 and min(sizes) >= 1, "height-width-at-least-1", who, size=sizes)
    shape, kind = (x.shape[0], *sizes, x.shape[-1]), to_numpy(x.dtype)
    if noise == "zero":
        drawn = zeros(shape, x.dtype)
    else:
        is_uniform = noise == "uniform"
        drawn = (uniform_from_key if is_uniform else normal_from_key)(next_key(), shape, kind)
        drawn = drawn * 2 - 1 if is_uniform else drawn
    return glimpse(x, offsets, drawn, sizes, bool(centered), bool(normalized))


def _checked(who, name, input, factor):
    fits = isinstance(factor, int) and not isinstance(factor, bool) and factor >= 1
    require(fits, "int-at-least", who, argument=name, n=1, got=factor)
    require_shapes(who, input=(input, "... C H W"))


@composite(mint="nn.functional.pixel_shuffle")
def pixel_shuffle(input, upscale_factor):
    r"""Channels as finer planes: `(*, C r^2, H, W)` -> `(*, C, H r, W r)`, r = `upscale_factor`.

    >>> ops.pixel_shuffle(Tensor(np.arange(4.0).reshape(1, 4, 1, 1)), 2).tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    _checked("pixel_shuffle", "upscale_factor", input, upscale_factor)
    r, (*first, channels, height, width) = upscale_factor, input.shape
    given = {"square": r * r, "shape": input.shape}
    require(not channels % (r * r), "channels-axis-3-multiple", "pixel_shuffle", **given)
    split = input.reshape(-1, channels // (r * r), r, r, height, width).permute(0, 1, 4, 2, 5, 3)
    return split.reshape(*first, channels // (r * r), height * r, width * r)


@composite()
def pixel_unshuffle(input, downscale_factor):
    r"""The inverse of `pixel_shuffle`: `(*, C, H r, W r)` -> `(*, C r^2, H, W)`.

    >>> ops.pixel_unshuffle(ops.ones((1, 1, 2, 4)), 2).shape
    (1, 4, 1, 2)
    """
    _checked("pixel_unshuffle", "downscale_factor", input, downscale_factor)
    r, (*first, channels, height, width) = downscale_factor, input.shape
    fits = not height % r and not width % r
    require(fits, "last-two-axes-multiples", "pixel_unshuffle", r=r, shape=input.shape)
    split = input.reshape(-1, channels, height // r, r, width // r, r).permute(0, 1, 3, 5, 2, 4)
    return split.reshape(*first, channels * r * r, height // r, width // r)
