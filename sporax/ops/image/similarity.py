"""Image similarity: SSIM, its mean over scales, PSNR; and image gradients."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, Arrays, op
from sporax.ops.operand_checks import require_shapes


def _pair(a, b, max_val):
    """Convert both images to Float32 or Float64, integer images scaled to [0, 1]; also returns
    their maximum value."""
    require_shapes(images=(a, "N C H W"))
    require(a.shape == b.shape, "images-one-shape", got=a.shape, shape=b.shape)
    require(a.dtype == b.dtype, "images-one-dtype", got=a.dtype, dtype=b.dtype)
    scale = 1.0
    if jnp.issubdtype(a.dtype, jnp.integer):
        scale = 1.0 / float(jnp.iinfo(a.dtype).max)
        a, b = (x.astype(jnp.float32) * scale for x in (a, b))
    wide = jnp.promote_types(a.dtype, jnp.float32)
    return a.astype(wide), b.astype(wide), max_val * scale


def _blurred(x, size, sigma):
    """Average the last two axes with a Gaussian window, one axis after the other."""
    offsets = np.arange(-size // 2 + 1, size // 2 + 1)
    weights = np.exp(-(offsets**2) / (2 * sigma**2))
    weights = (weights / weights.sum()).astype(x.dtype)
    for axis in (x.ndim - 2, x.ndim - 1):
        count = x.shape[axis] - size + 1
        slices = [w * lax.slice_in_dim(x, i, i + count, axis=axis) for i, w in enumerate(weights)]
        x = sum(slices, jnp.zeros((), x.dtype))
    return x


def _similarity(a, b, max_val, size, sigma, k1, k2):
    """Return SSIM, and its contrast-structure factor, for each image and channel."""
    require(min(a.shape[2:]) >= size, "plane-images-hold-window", shape=a.shape[2:], size=size)
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    moments = jnp.stack([a, b, a * a, b * b, a * b])
    mean_a, mean_b, square_a, square_b, product = _blurred(moments, size, sigma)
    luminance = (2 * mean_a * mean_b + c1) / (mean_a**2 + mean_b**2 + c1)
    covariance = product - mean_a * mean_b
    variances = (square_a - mean_a**2) + (square_b - mean_b**2)
    structure = (2 * covariance + c2) / (variances + c2)
    return (luminance * structure).mean((2, 3)), structure.mean((2, 3))


@op(function=(), name="SSIM")
def structural_similarity(
    img1: Array, img2: Array, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03
):
    r"""SSIM of each image, `(N, C, H, W)` -> `(N,)`; see `nn.SSIM`."""
    a, b, max_val = _pair(img1, img2, max_val)
    return _similarity(a, b, max_val, filter_size, filter_sigma, k1, k2)[0].mean(-1)


def _halved(x):
    """Average 2 x 2 elements; a last odd row or column is dropped."""
    height, width = (n // 2 for n in x.shape[2:])
    x = x[:, :, : 2 * height, : 2 * width]
    return x.reshape(*x.shape[:2], height, 2, width, 2).mean((3, 5))


@op(function=(), name="MSSSIM")
def multiscale_similarity(
    img1: Array, img2: Array, max_val=1.0, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03,
):  # fmt: skip
    """MS-SSIM of each image, `(N, C, H, W)` -> `(N,)`; see `nn.MSSSIM`."""
    a, b, max_val = _pair(img1, img2, max_val)
    last = len(power_factors) - 1
    fits, plane = min(a.shape[2:]) >> last >= filter_size, a.shape[2:]
    require(fits, "plane-images-halved-times", plane=plane, last=last, size=filter_size)
    result: Any = 1.0
    for level, power in enumerate(power_factors):
        whole, structure = _similarity(a, b, max_val, filter_size, filter_sigma, k1, k2)
        result = result * jax.nn.relu(whole if level == last else structure) ** power
        a, b = _halved(a), _halved(b)
    return result.mean(-1)


@op(function=(), name="PSNR")
def peak_signal_to_noise(img1: Array, img2: Array, max_val=1.0):
    r"""$10 \log_{10}(max^2 / MSE)$ of each image, `(N, C, H, W)` -> `(N,)`; see `nn.PSNR`."""
    a, b, max_val = _pair(img1, img2, max_val)
    error = jnp.square(a - b).mean((1, 2, 3))
    return 10 * jnp.log10(max_val**2 / error)


@op(function=(), name="ImageGradients")
def image_gradients(images: Array) -> Arrays:
    """The differences between each element of `(N, C, H, W)` and the next along H and along W; the
    last ones are 0."""
    require_shapes(images=(images, "N C H W"))

    def along(axis):
        steps = jnp.diff(images, axis=axis)
        return jnp.concatenate([steps, jnp.zeros_like(lax.slice_in_dim(images, 0, 1, axis=axis))],
                               axis)  # fmt: skip

    return along(2), along(3)
