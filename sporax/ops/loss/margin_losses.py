"""Margin losses, for pairs that should differ, or agree, by a margin."""

import math

import jax
import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import OPTIONAL, Array, Arrays, op
from sporax.ops.loss.losses import _reduced, first_floating
from sporax.ops.math.arithmetic import floating
from sporax.ops.operand_checks import require_integers, require_shapes

_POWER = kinds.one_of(1, 2)


@op(name="MarginRankingLoss", mint="nn.functional.margin_ranking_loss", promotes=True)
def margin_ranking_loss(input1: Array, input2: Array, target: Array, margin=0.0, reduction="mean"):
    r"""$\max(0, -target (input_1 - input_2) + margin)$: 1 in `target` means that the first should
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
    require(-1 <= margin <= 1, "in-interval", margin=margin, interval="[-1, 1]")
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

    `var`: the shape of `x`, or without its last axis.

    >>> ops.gaussian_nll_loss(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).asnumpy()
    array(2., dtype=float32)
    """
    require(eps > 0, "greater-than", eps=eps, n=0)
    if var.shape != x.shape and var.shape == x.shape[:-1]:
        var = var[..., None]
    var = jnp.maximum(var, eps)
    constant = 0.5 * math.log(2 * math.pi) if full else 0
    return _reduced(0.5 * (jnp.log(var) + jnp.square(x - target) / var) + constant, reduction)


# of scores of classes -----------------------------------------------------------------------


def _scores_and_class(input, target, weight):
    """Raise unless scores, classes and weights fit."""
    require_shapes(input=(input, "N C"), target=(target, "N"), weight=(weight, "C"))
    require_integers(target=target)


@op(
    primitive="MultiMarginLoss(p=1, margin=1.0, reduction='mean')"
    "(inputs: input, target, weight=None)",
    check=first_floating("MultiMarginLoss"),
    bounds=lambda input, target, **_: [Range(target, input.shape[-1], low=0, span="the-classes")],
)
def multi_margin_loss(
    input: Array, target: Array, p=1, margin=1, weight: OPTIONAL = None, reduction="mean"
):
    r"""$\frac1C \sum_{i \ne t} w_t \max(0, margin - x_t + x_i)^p$, x scores and t the true class.

    `input`: `(N, C)`; `target`: class indices `(N,)`. `p`: 1 or 2. `weight`: `(C,)`.

    >>> ops.multi_margin_loss(Tensor([[0.5, 0.25, 0.0]]), Tensor([0])).asnumpy()
    array(0.41666666, dtype=float32)
    """
    _scores_and_class(input, target, weight)
    _POWER(None, p=p)
    is_true = target[:, None] == jnp.arange(input.shape[1], dtype=target.dtype)
    true_score = jnp.where(is_true, input, 0).sum(1, keepdims=True)
    loss = jnp.where(is_true, 0, jnp.maximum(0, margin - true_score + input) ** p)
    if weight is not None:
        loss = loss * jnp.where(is_true, weight.astype(input.dtype), 0).sum(1, keepdims=True)
    return _reduced(loss.sum(1) / input.shape[1], reduction)


def _multilabel_margin(input, target, reduction):
    """Return the loss, and 1 for each class in its row of `target`."""
    fits = input.ndim in (1, 2) and target.shape == input.shape
    require(fits, "input-n-c-c-target", shapes=[input.shape, target.shape])
    require_integers(target=target)
    listed = jnp.cumsum(target < 0, -1) == 0  # a row's classes end at its first -1
    classes = jnp.arange(input.shape[-1], dtype=target.dtype)
    picks = listed[..., None] & (target[..., None] == classes)  # (..., place in target, class)
    is_target = picks.any(-2)
    scores = jnp.where(picks, input[..., None, :], 0).sum(-1)
    hinge = jnp.maximum(0, 1 - scores[..., :, None] + input[..., None, :])
    counts = listed[..., :, None] & ~is_target[..., None, :]
    loss = jnp.where(counts, hinge, 0).sum((-2, -1)) / input.shape[-1]
    return _reduced(loss, reduction), is_target.astype(jnp.int32)


def _labels_or_ends(input, target, **_):
    """Return the range of class labels, of which -1 ends a row."""
    return [Range(target, input.shape[-1], low=-1, span="the-classes-and--1")]


@op(
    check=first_floating("MultilabelMarginLoss"),
    name="MultilabelMarginLoss",
    bounds=_labels_or_ends,
)
def multilabel_margin_loss(input: Array, target: Array, reduction="mean"):
    r"""$\frac1C \sum_j \sum_{i \notin t} \max(0, 1 - (x_{t_j} - x_i))$ for several true classes t.

    `input`: `(N, C)` or `(C,)`; `target`: integers of its shape, a row's true classes first, then
    -1, after which entries are ignored.

    >>> ops.multilabel_margin_loss(Tensor([0.25, 0.5, 1.0]), Tensor([2, 0, -1])).asnumpy()
    array(0.5833333, dtype=float32)
    """
    return _multilabel_margin(input, target, reduction)[0]


@op(
    primitive="MultilabelMarginLoss(reduction='mean')(x: input, target)",
    function=(),
    check=first_floating("MultilabelMarginLoss"),
    bounds=_labels_or_ends,
)
def multilabel_margin_loss_of_class(input: Array, target: Array, reduction="mean") -> Arrays:
    """`multilabel_margin_loss`, and 1 (Int32) for each class in its row of `target`.

    >>> loss, is_target = ops.MultilabelMarginLoss()(Tensor([[0.5, 1.0]]), Tensor([[1, -1]]))
    >>> loss.item(), is_target.tolist()
    (0.25, [[0, 1]])
    """
    return _multilabel_margin(input, target, reduction)


@op(
    check=first_floating("MultilabelSoftMarginLoss"), name="MultilabelSoftMarginLoss",
    promotes=(0, 1),
)  # fmt: skip
def multilabel_soft_margin_loss(
    input: Array, target: Array, weight: OPTIONAL = None, reduction="mean"
):
    r"""$-\frac1C \sum_c w_c (y_c \ln \sigma(x_c) + (1 - y_c) \ln \sigma(-x_c))$ of each row.

    `input`, `target`: `(N, C)`, with labels 0 or 1; `weight`: broadcast to them.

    >>> ops.multilabel_soft_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    fits = input.ndim >= 1 and target.shape == input.shape
    require(fits, "target-as-input", shapes=[target.shape, input.shape])
    loss = -(target * jax.nn.log_sigmoid(input) + (1 - target) * jax.nn.log_sigmoid(-input))
    loss = loss if weight is None else loss * weight
    return _reduced(loss.mean(-1), reduction)


# of triplets --------------------------------------------------------------------------------


def _distance(a, b, p, eps):
    r"""$\|a - b + eps\|_p$ along the last axis; its gradient is 0 where it is 0."""
    apart = jnp.abs(a - b + eps)
    total = (apart**p).sum(-1)
    safe = jnp.where(total == 0, jnp.ones((), total.dtype), total)
    return jnp.where(total == 0, jnp.zeros((), total.dtype), safe ** (1 / p))


@op(
    primitive="TripletMarginLoss(p=2, swap=False, eps=1e-06, reduction='mean')"
    "(x: anchor, positive, negative, margin)",
    promotes=(0, 1, 2),
    check=first_floating("TripletMarginLoss"),
)
def triplet_margin_loss(
    anchor: Array, positive: Array, negative: Array, margin: Array = 1.0, p=2, eps=1e-06,
    swap=False, reduction="mean",
):  # fmt: skip
    r"""$\max(0, d(a, p) - d(a, n) + margin)$ with $d(x, y) = \|x - y + eps\|_p$ of the last axis.

    `anchor`, `positive`, `negative`: at least two axes, broadcast together. `swap`: uses the
    smaller of $d(a, n)$ and $d(p, n)$ (Balntas et al., 2016).

    >>> a, p, n = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    >>> round(ops.triplet_margin_loss(a, p, n).item(), 4)
    0.5
    """
    shapes = [x.shape for x in (anchor, positive, negative)]
    require(min(map(len, shapes)) >= 2, "three-inputs-at-least-2", shapes=shapes)
    require(p > 0, "greater-than", p=p, n=0)
    far = _distance(anchor, negative, p, eps)
    if swap:
        far = jnp.minimum(far, _distance(positive, negative, p, eps))
    apart = _distance(anchor, positive, p, eps) - far + jnp.asarray(margin, anchor.dtype)
    return _reduced(jnp.maximum(0, apart), reduction)
