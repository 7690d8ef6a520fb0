"""Batch normalization in three steps, for a batch distributed over several devices."""

import jax.numpy as jnp
from jax import lax

from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.nn.normalization import _precise, keep
from sporax.ops.operand_checks import floats_only, require_shapes


@op(function=(), mint=True, check=floats_only("batch_norm_stats"))
def batch_norm_stats(input: Array, eps) -> Arrays:
    r"""$\mu$ and $1 / \sqrt{\sigma^2 + \epsilon}$ of each channel (axis 1), Float32 at least.

    >>> [t.asnumpy() for t in mint.batch_norm_stats(Tensor([[1.0], [3.0]]), 0.0)]
    [array([2.], dtype=float32), array([1.], dtype=float32)]
    """
    require_shapes(input=(input, "N C ..."))
    x = _precise(input)
    axes = (0, *range(2, x.ndim))
    return x.mean(axes), lax.rsqrt(x.var(axes) + eps)


@op(function=(), name="batch_norm_gather_stats_with_counts")
def merged_statistics(
    input: Array, mean: Array, invstd: Array, running_mean: Array, running_var: Array,
    momentum, eps, counts: Array,
) -> Arrays:  # fmt: skip
    """Return the moments of all parts together, and the updated running moments."""
    require_shapes(
        input=(input, "N C ..."), mean=(mean, "parts C"), invstd=(invstd, "parts C"),
        counts=(counts, "parts"),
    )  # fmt: skip
    mean, invstd = _precise(mean), _precise(invstd)
    weights = counts.astype(mean.dtype)[:, None]
    total = weights.sum()
    center = (weights * mean).sum(0) / total
    variances = 1 / invstd**2 - eps
    variance = (weights * (variances + (mean - center) ** 2)).sum(0) / total
    unbiased = variance * total / jnp.maximum(total - 1, 1)
    moved = [
        ((1 - momentum) * old + momentum * new).astype(old.dtype)
        for old, new in [(running_mean, center), (running_var, unbiased)]
    ]
    return center, lax.rsqrt(variance + eps), *moved


@composite(mint=True, function=())
def batch_norm_gather_stats_with_counts(
    input, mean, invstd, running_mean=None, running_var=None, momentum=0.1, eps=1e-5, counts=None
) -> Arrays:
    r"""Combine $\mu$ and $1 / \sqrt{\sigma^2 + \epsilon}$ of the parts of a batch.

    `mean` and `invstd` `(parts, C)`: the results of `batch_norm_stats` for each part; `counts`
    `(parts,)`: the number of elements of a channel in each, by default equal. `running_mean` and
    `running_var` `(C,)` are updated in place:
    $running \leftarrow (1 - momentum) \, running + momentum \, batch$, with the unbiased variance.

    >>> x = Tensor([[1.0], [3.0], [5.0]])
    >>> parts = [mint.batch_norm_stats(part, 0.0) for part in (x[:2], x[1:])]
    >>> means, deviations = (mint.stack(moments) for moments in zip(*parts))
    >>> n = Tensor([2.0, 2.0])
    >>> mint.batch_norm_gather_stats_with_counts(x, means, deviations, counts=n)[0].asnumpy()
    array([3.], dtype=float32)
    """
    channels = mean[0]
    if counts is None:
        counts = mean[:, 0] * 0 + input.size // (input.shape[1] * mean.shape[0])
    states = [running_mean, running_var]
    olds = [channels * 0 if state is None else state for state in states]
    center, deviation, *moved = merged_statistics(input, mean, invstd, *olds, momentum, eps, counts)
    keep(pair for pair in zip(states, moved, strict=True) if pair[0] is not None)
    return center, deviation


@op(function=(), mint=True, check=floats_only("batch_norm_elemt"))
def batch_norm_elemt(
    input: Array, weight: OPTIONAL = None, bias: OPTIONAL = None, mean: OPTIONAL = None,
    invstd: OPTIONAL = None, eps=1e-5,
):  # fmt: skip
    r"""$w (x - \mu) \, s + b$ for each channel (axis 1), where `invstd` is $s = 1 / \sqrt{\sigma^2
    + \epsilon}$; `mean` and `invstd` default to the statistics of `input`.

    >>> x, mean, invstd = Tensor([[1.0], [3.0]]), Tensor([2.0]), Tensor([1.0])
    >>> mint.batch_norm_elemt(x, None, None, mean, invstd).asnumpy()
    array([[-1.],
           [ 1.]], dtype=float32)
    """
    require_shapes(
        input=(input, "N C ..."), weight=(weight, "C"), bias=(bias, "C"), mean=(mean, "C"),
        invstd=(invstd, "C"),
    )  # fmt: skip
    shape = (-1, *[1] * (input.ndim - 2))
    x = _precise(input)
    axes = (0, *range(2, x.ndim))
    center = x.mean(axes) if mean is None else _precise(mean)
    scale = lax.rsqrt(x.var(axes) + eps) if invstd is None else _precise(invstd)
    y = (x - center.reshape(shape)) * scale.reshape(shape)
    y = y if weight is None else y * weight.reshape(shape)
    return (y if bias is None else y + bias.reshape(shape)).astype(input.dtype)
