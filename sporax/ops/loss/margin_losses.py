"""Losses of margins: of pairs that should differ, or be alike, by so much."""

import math

import jax.numpy as jnp

from sporax.ops.declare import Array, op
from sporax.ops.loss.losses import _reduced
from sporax.ops.math.arithmetic import floating


@op(name="MarginRankingLoss", mint="nn.functional.margin_ranking_loss", promotes=True)
def margin_ranking_loss(input1: Array, input2: Array, target: Array, margin=0.0, reduction="mean"):
    r"""$\max(0, -target (input_1 - input_2) + margin)$: 1 in `target` says that the first should
    be larger, -1 the second.

    >>> x, y = Tensor([1.0, 2.0]), Tensor([3.0, 1.0])
    >>> ops.margin_ranking_loss(x, y, Tensor([1.0, 1.0]), reduction="none").asnumpy()
    array([2., 0.], dtype=float32)
    """
    return _reduced(jnp.maximum(0, margin - target * (input1 - input2)), reduction)


@op(
    primitive="SoftMarginLoss(reduction='mean')(logits: input, labels: target)",
    mint="nn.functional.soft_margin_loss",
    promotes=True,
)
def soft_margin_loss(input: Array, target: Array, reduction="mean"):
    r"""$\ln(1 + e^{-target \cdot input})$, `target` being 1 or -1.

    >>> ops.soft_margin_loss(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    return _reduced(jnp.logaddexp(0, -target * input), reduction)


@op(name="HingeEmbeddingLoss", mint="nn.functional.hinge_embedding_loss(input: inputs, "
    "target: targets, margin=1.0, reduction='mean')", promotes=(0,))  # fmt: skip
def hinge_embedding_loss(inputs: Array, targets: Array, margin=1.0, reduction="mean"):
    r"""$x$ where `targets` is 1, $\max(0, margin - x)$ where it is -1, 0 elsewhere.

    >>> x, wanted = Tensor([0.5, 0.25]), Tensor([1.0, -1.0])
    >>> ops.hinge_embedding_loss(x, wanted, reduction="none").asnumpy()
    array([0.5 , 0.75], dtype=float32)
    """
    apart = jnp.maximum(0, margin - inputs)
    return _reduced(jnp.where(targets > 0, inputs, jnp.where(targets < 0, apart, 0)), reduction)


@op(name="CosineEmbeddingLoss", mint="nn.functional.cosine_embedding_loss", promotes=(0, 1))
def cosine_embedding_loss(
    input1: Array, input2: Array, target: Array, margin=0.0, reduction="mean"
):
    r"""$1 - \cos(x_1, x_2)$ where `target` is 1, $\max(0, \cos(x_1, x_2) - margin)$ where it is -1.

    `input1`, `input2`: `(N, D)`; `target`: `(N,)`. `margin`: in [-1, 1].

    >>> x, y = Tensor([[3.0, 4.0]]), Tensor([[4.0, 3.0]])
    >>> print(round(ops.cosine_embedding_loss(x, y, Tensor([1])).asnumpy().item(), 4))
    0.04
    """
    if not -1 <= margin <= 1:
        raise ValueError(f"'margin' must be in [-1, 1], but got {margin}")
    a, b = floating(input1, input2)
    sizes = jnp.sqrt(jnp.square(a).sum(1)) * jnp.sqrt(jnp.square(b).sum(1))
    cosine = (a * b).sum(1) / sizes
    apart = jnp.maximum(0, cosine - margin)
    loss = jnp.where(target == 1, 1 - cosine, jnp.where(target == -1, apart, 0))
    return _reduced(loss, reduction)


@op(name="GaussianNLLLoss", promotes=True)
def gaussian_nll_loss(x: Array, target: Array, var: Array, full=False, eps=1e-6, reduction="mean"):
    r"""$\frac12 (\ln v + (x - target)^2 / v)$ with $v = \max(var, eps)$; `full` adds
    $\frac12 \ln 2\pi$.

    `var`: the shape of `x`, or without its last axis. Raises ValueError for an `eps` of 0 or less.

    >>> ops.gaussian_nll_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).asnumpy()
    array(2., dtype=float32)
    """
    if eps <= 0:
        raise ValueError(f"'eps' must be greater than 0, but got {eps}")
    if var.shape != x.shape and var.shape == x.shape[:-1]:
        var = var[..., None]
    var = jnp.maximum(var, eps)
    rest = 0.5 * math.log(2 * math.pi) if full else 0
    return _reduced(0.5 * (jnp.log(var) + jnp.square(x - target) / var) + rest, reduction)
