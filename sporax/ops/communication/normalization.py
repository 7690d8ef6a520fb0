"""Batch normalization with the moments of all ranks' batches."""

import jax.numpy as jnp
from jax import lax

from sporax._src.devices.distributed.rank_function import axis_name
from sporax._src.diagnosis.rules import require
from sporax.ops.communication import opaque
from sporax.ops.communication.collectives import collective
from sporax.ops.declaration import Array, Arrays
from sporax.ops.nn.normalization import keep, normalize_batch


@collective("SyncBatchNorm")
def _normalize(
    input: Array, scale: Array, bias: Array, mean: Array, variance: Array, momentum, epsilon, ranks
) -> Arrays:
    """`ops.nn.normalization.batch_norm_training` over the batches of all ranks, which may differ in
    size; does not return the moments."""
    axes = (0, *range(2, input.ndim))
    shape = tuple(n if i == 1 else 1 for i, n in enumerate(input.shape))
    dtype = jnp.result_type(input, scale, bias, jnp.float32)
    x = input.astype(dtype)
    count = opaque.psum(jnp.asarray(input.size // scale.size, dtype), axis_name())
    m = opaque.psum(x.sum(axes), axis_name()) / count
    centered = x - m.reshape(shape)
    v = opaque.psum((centered * centered).sum(axes), axis_name()) / count
    factor = scale.astype(dtype) * lax.rsqrt(v + epsilon)
    y = centered * factor.reshape(shape) + bias.astype(dtype).reshape(shape)
    unbiased = v * (count / jnp.maximum(count - 1, 1))
    moved = [
        (old + momentum * (lax.stop_gradient(new) - old)).astype(old.dtype)
        for old, new in ((mean, m), (variance, unbiased))
    ]
    return y.astype(input.dtype), *moved


def normalize_together(input, mean, variance, scale, bias, training, momentum, eps, group):
    """`ops.batch_norm`; in training, with the moments of the batches of all ranks of a group."""
    if not training or group.size == 1:
        return normalize_batch(input, mean, variance, scale, bias, training, momentum, eps)
    fits = input.ndim >= 2 and input.shape[1] == scale.size
    require(fits, "input-n-c-c-channels", "SyncBatchNorm", size=scale.size, shape=input.shape)
    y, *moved = _normalize(input, scale, bias, mean, variance, momentum, eps, group)
    keep(zip((mean, variance), moved, strict=True))
    return y
