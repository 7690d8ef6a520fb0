"""Rows for `sporax.ops.image.similarity`: windows of two axes at once, from SciPy."""

import numpy as np
from scipy import signal

from sporax import nn, ops
from tests.samples import Refusal, Sample


def parts(a, b, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """SSIM and its factor of contrast and structure, for each image and channel."""
    along = np.exp(
        -(np.arange(-filter_size // 2 + 1, filter_size // 2 + 1) ** 2) / 2 / filter_sigma**2
    )
    window = np.outer(along, along) / np.outer(along, along).sum()

    def mean(x):
        return np.array([[signal.correlate2d(c, window, "valid") for c in image] for image in x])

    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    m, n = mean(a), mean(b)
    covariance, variances = mean(a * b) - m * n, mean(a * a) - m * m + mean(b * b) - n * n
    structure = (2 * covariance + c2) / (variances + c2)
    whole = structure * (2 * m * n + c1) / (m * m + n * n + c1)
    return whole.mean((2, 3)), structure.mean((2, 3))


def ssim(a, b, **settings):
    return parts(a, b, **settings)[0].mean(-1)


def halved(x):
    return (x[:, :, ::2, ::2] + x[:, :, 1::2, ::2] + x[:, :, ::2, 1::2] + x[:, :, 1::2, 1::2]) / 4


def ms_ssim(a, b, power_factors, **settings):
    first, second = power_factors
    factors = parts(a, b, **settings)[1], parts(halved(a), halved(b), **settings)[0]
    return (factors[0] ** first * factors[1] ** second).mean(-1)


def psnr(a, b, max_val=1.0):
    return 20 * np.log10(max_val) - 10 * np.log10(((a - b) ** 2).mean((1, 2, 3)))


def gradients(x):
    dy, dx = np.zeros_like(x), np.zeros_like(x)
    dy[:, :, :-1], dx[..., :-1] = x[:, :, 1:] - x[:, :, :-1], x[..., 1:] - x[..., :-1]
    return dy, dx


SMALL = {"filter_size": 3, "filter_sigma": 0.8}
SAMPLES = [
    Sample("structural_similarity", [(2, 2, 5, 6)] * 2, ssim, SMALL, (0.1, 1.0)),
    Sample(
        "structural_similarity", [(1, 1, 5, 4)] * 2, ssim,
        {"max_val": 2.0, "filter_size": 4, "k1": 0.1, "k2": 0.2}, (0.1, 2.0),
    ),
    Sample(
        "multiscale_similarity", [(1, 2, 8, 6)] * 2, ms_ssim,
        {"power_factors": (0.4, 0.6), "k2": 0.9, **SMALL}, (0.6, 1.0),
    ),
    Sample("peak_signal_to_noise", [(2, 1, 3, 2)] * 2, psnr, {"max_val": 3.0}),
    Sample("image_gradients", [(1, 2, 3, 4)], gradients),
]  # fmt: skip

X = ops.ones((1, 1, 4, 4))
REFUSALS = [
    Refusal("ssim-window", lambda: nn.SSIM()(X, X), ValueError, ("'SSIM'", "(4, 4)", "11 wide")),
    Refusal("psnr-shape", lambda: nn.PSNR()(X, X[:, :, 1:]), ValueError, ("'PSNR'", "one shape")),
]
