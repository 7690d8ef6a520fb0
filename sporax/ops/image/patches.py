"""Windows of images, gathered; and pixels moved between channels and planes."""

import itertools

import jax.numpy as jnp

from sporax.ops.declare import Array, composite, op
from sporax.ops.nn.convolution import per_axis, same_padding


@op(name="unfold", function=())
def unfold_windows(input: Array, *, kernel, stride, dilation, around):
    """`(N, C, H, W)` -> `(N, C, kh, kw, H', W')`: what each window sees at each of its places."""
    if input.ndim != 4:
        raise ValueError("'input' must be (N, C, H, W)")
    x = jnp.pad(input, ((0, 0), (0, 0), *around))
    counts = [
        (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    ]
    if min(counts) < 1:
        raise ValueError(f"the window {kernel} must fit into the padded input")
    seen = []
    for place in itertools.product(*map(range, kernel)):
        along = [
            slice(i * d, i * d + (n - 1) * s + 1, s)
            for i, d, n, s in zip(place, dilation, counts, stride, strict=True)
        ]
        seen.append(x[..., *along])
    return jnp.stack(seen, 2).reshape(*x.shape[:2], *kernel, *counts)


@composite(tensor=True, mint="nn.functional.unfold")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being how many windows there are.

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
    """`(N, C, H, W)` -> `(N, kh kw C, H', W')`; `padding`: 'valid', or 'same' as convolutions'."""
    around = ((0, 0), (0, 0))
    if padding == "same":
        around = tuple(map(same_padding, images.shape[2:], kernel, stride, dilation))
    seen = unfold_windows(images, kernel=kernel, stride=stride, dilation=dilation, around=around)
    n, _, _, _, height, width = seen.shape
    return seen.permute(0, 2, 3, 1, 4, 5).reshape(n, -1, height, width)


def _checked(who, name, input, factor):
    if not isinstance(factor, int) or isinstance(factor, bool) or factor < 1:
        raise ValueError(f"For '{who}', '{name}' must be an int of at least 1, but got {factor!r}.")
    if input.ndim < 3:
        raise ValueError(
            f"For '{who}', 'input' must have at least 3 dimensions, but got shape {input.shape}."
        )


@composite(mint="nn.functional.pixel_shuffle")
def pixel_shuffle(input, upscale_factor):
    r"""Channels as finer planes: `(*, C r^2, H, W)` -> `(*, C, H r, W r)`, r = `upscale_factor`.

    >>> ops.pixel_shuffle(Tensor(np.arange(4.0).reshape(1, 4, 1, 1)), 2).tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    _checked("pixel_shuffle", "upscale_factor", input, upscale_factor)
    r, (*first, channels, height, width) = upscale_factor, input.shape
    if channels % (r * r):
        raise ValueError(
            f"For 'pixel_shuffle', the channels (axis -3) must be a multiple of {r * r} "
            f"('upscale_factor' squared), but got shape {input.shape}."
        )
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
    if height % r or width % r:
        raise ValueError(
            "For 'pixel_unshuffle', the last two axes must be multiples of 'downscale_factor' "
            f"{r}, but got shape {input.shape}."
        )
    split = input.reshape(-1, channels, height // r, r, width // r, r).permute(0, 1, 3, 5, 2, 4)
    return split.reshape(*first, channels * r * r, height // r, width // r)
