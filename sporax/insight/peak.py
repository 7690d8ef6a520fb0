"""Measurement of this machine's peak rate in floating-point operations per second."""

import functools
import time

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.jax_internals import default_platform
from sporax._src.runtime.xla_kernels.rewrite import rewritten

_RUNS = 7


@functools.cache
def measured_peak(dtype="float32"):
    """Return the better rate of a 1024 x 1024 matrix product and a 3 x 3 convolution with 128
    channels, in operations per second."""
    side, channels, width = 1024, 128, 28
    matrix = jnp.asarray(np.ones((side, side)), dtype)
    image = jnp.asarray(np.ones((8, channels, width, width)), dtype)
    kernel = jnp.asarray(np.ones((channels, channels, 3, 3)), dtype)

    def convolve(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)))

    product = _best(jnp.matmul, matrix, matrix)
    convolution = _best(convolve, image, kernel)
    return max(
        2 * side**3 / product, 2 * 8 * channels**2 * width**2 * 9 / convolution
    )  # fmt: skip


def _best(function, *operands):
    if default_platform() == "cpu":
        function = rewritten(function)
    run = jax.jit(function)
    jax.block_until_ready(run(*operands))
    times = []
    for _ in range(_RUNS):
        begin = time.perf_counter()
        jax.block_until_ready(run(*operands))
        times.append(time.perf_counter() - begin)
    return min(times)
