"""Losses, which measure the distance between a prediction and its target."""

import itertools
import math

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.core.errors import warn
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.index_checks.ranges import Interval, Range
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.math.arithmetic import floating, magnitude
from sporax.ops.operand_checks import floats_only

_REDUCE = {"none": lambda x: x, "mean": lambda x: jnp.mean(floating(x)), "sum": jnp.sum}
_REDUCTION = kinds.one_of("none", "mean", "sum")


def _reduced(x, reduction):
    _REDUCTION(None, reduction=reduction)
    return _REDUCE[reduction](x)


def first_floating(name):
    """Return a check that rejects non-floating predictions; labels may have any dtype."""
    check = floats_only(name)
    return lambda predicted, *others: check(predicted)


def _warn_of_broadcast(name):
    """Return a check that warns, once for new shapes, if broadcasting enlarges the prediction, as
    of (N, 1) with (N,)."""

    def check(predicted, target):
        if predicted.shape == target.shape:
            return
        sizes = itertools.zip_longest(predicted.shape[::-1], target.shape[::-1], fillvalue=1)
        if any(mine == 1 != other for mine, other in sizes):
            warn(
                f"For '{name}', the prediction {predicted.shape} and the target {target.shape} are "
                "broadcast together, so that each number is compared with several. Give both one "
                "shape, e.g. with 'squeeze(-1)' or 'reshape'.",
                UserWarning,
            )

    return check


def _same_shape(a, b):
    require(a.shape == b.shape, "shapes-same", shapes=[a.shape, b.shape])


# of the distance of two numbers -------------------------------------------------------------


@op(
    mint="nn.functional.mse_loss",
    promotes=True,
    name="MSELoss",
    check=_warn_of_broadcast("MSELoss"),
)
def mse_loss(input: Array, target: Array, reduction="mean"):
    """$(input - target)^2$, broadcast together; `reduction`: 'mean', 'sum' or 'none'.

    >>> ops.mse_loss(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])).asnumpy()
    array(2., dtype=float32)
    """
    return _reduced(jnp.square(input - target), reduction)


@op(
    mint="nn.functional.l1_loss",
    promotes=True,
    name="L1Loss",
    check=_warn_of_broadcast("L1Loss"),
)
def l1_loss(input: Array, target: Array, reduction="mean"):
    """$|input - target|$, broadcast together; `reduction`: 'mean', 'sum' or 'none'.

    >>> ops.l1_loss(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])).asnumpy()
    array(1., dtype=float32)
    """
    return _reduced(magnitude(input - target), reduction)


@op(
    primitive="SmoothL1Loss(beta=1.0, reduction='none')(prediction: input, target)",
    mint="nn.functional.smooth_l1_loss(input, target, reduction='mean', beta=1.0)",
    promotes=True,
)
def smooth_l1_loss(input: Array, target: Array, beta=1.0, reduction="none"):
    r"""$d^2 / 2\beta$ where $d = |input - target| < \beta$, else $d - \beta / 2$ (Girshick, 2015).

    >>> ops.smooth_l1_loss(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 2.5], dtype=float32)
    """
    _same_shape(input, target)
    require(beta >= 0, "at-least", beta=beta, n=0)
    distance = jnp.abs(input - target)
    if beta == 0:
        return _reduced(distance, reduction)
    near = jnp.square(distance) / (2 * beta)
    return _reduced(jnp.where(distance < beta, near, distance - beta / 2), reduction)


@op(promotes=True, name="HuberLoss", check=_warn_of_broadcast("HuberLoss"))
def huber_loss(input: Array, target: Array, reduction="mean", delta=1.0):
    r"""$d^2 / 2$ where $d = |input - target| < \delta$, else $\delta (d - \delta / 2)$.

    >>> ops.huber_loss(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])).asnumpy()
    array(1.5, dtype=float32)
    """
    distance = jnp.abs(input - target)
    far = delta * (distance - delta / 2)
    return _reduced(jnp.where(distance < delta, jnp.square(distance) / 2, far), reduction)


@op(function=(), name="PoissonNLLLoss", check=first_floating("PoissonNLLLoss"))
def poisson_nll_loss(
    input: Array, target: Array, log_input=True, full=False, eps=1e-8, reduction="mean"
):
    r"""$e^x - t x$, or without `log_input` $x - t \ln(x + eps)$; `full` adds Stirling's
    approximation of $\ln t!$ where $t > 1$."""
    target = target.astype(input.dtype)
    if log_input:
        loss = jnp.exp(input) - target * input
    else:
        loss = input - target * jnp.log(input + eps)
    if full:
        t = jnp.where(target > 1, target, jnp.ones((), target.dtype))
        stirling = (t + 0.5) * jnp.log(t) - t + 0.5 * math.log(2 * math.pi)
        loss = loss + jnp.where(target > 1, stirling, jnp.zeros((), t.dtype))
    return _reduced(loss, reduction)


# of two distributions -----------------------------------------------------------------------


@op(
    primitive="KLDivLoss(reduction='mean')(logits, labels)",
    promotes=True,
    check=floats_only("KLDivLoss"),
)
def kl_div(logits: Array, labels: Array, reduction="mean"):
    r"""$y (\ln y - x)$ for logarithms of probabilities $x$ and probabilities $y$.

    `reduction`: 'mean', 'sum', 'none', or 'batchmean', the sum over the size of the first axis.

    >>> ops.kl_div(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array(0., dtype=float32)
    """
    _same_shape(logits, labels)
    none = (labels <= 0) & ~jnp.isnan(logits)
    safe = jnp.where(none, jnp.ones((), labels.dtype), labels)
    loss = jnp.where(none, jnp.zeros((), labels.dtype), labels * (jnp.log(safe) - logits))
    if reduction == "batchmean":
        return loss.sum() / (labels.shape[0] if labels.ndim else 1)
    return _reduced(loss, reduction)


_SMALLEST = 1e-12  # added to probabilities before the logarithm, as MindSpore does


@op(
    primitive="BinaryCrossEntropy(reduction='mean')(input: logits, target: labels, weight=None)",
    mint="nn.functional.binary_cross_entropy(input: logits, target: labels, weight=None, "
    "reduction='mean')",
    check=floats_only("BinaryCrossEntropy"),
    bounds=lambda logits, labels, weight, reduction: [Interval(logits, 0, 1, "apply-sigmoid")],
)
def binary_cross_entropy(logits: Array, labels: Array, weight: OPTIONAL = None, reduction="mean"):
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of one shape.

    >>> ops.binary_cross_entropy(Tensor([0.5]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    _same_shape(logits, labels)
    yes, no = jnp.log(logits + _SMALLEST), jnp.log(1 - logits + _SMALLEST)
    loss = -(labels * yes + (1 - labels) * no)
    if weight is not None:
        jnp.broadcast_shapes(loss.shape, weight.shape)
        loss = loss * weight
    return _reduced(loss, reduction)


@op(
    primitive="BCEWithLogitsLoss(reduction='mean')"
    "(input, target, weight=None, posWeight: pos_weight=None)",
    mint="nn.functional.binary_cross_entropy_with_logits(input, target, weight=None, "
    "reduction='mean', pos_weight=None)",
    check=floats_only("BCEWithLogitsLoss"),
)
def binary_cross_entropy_with_logits(
    input: Array, target: Array, weight: OPTIONAL = None, pos_weight: OPTIONAL = None,
    reduction="mean",
):  # fmt: skip
    r"""$-w (p \, y \ln \sigma(x) + (1 - y) \ln (1 - \sigma(x)))$, stable for large $|x|$.

    `weight` $w$ and `pos_weight` $p$ (1 if None) are broadcast.

    >>> ops.binary_cross_entropy_with_logits(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    _same_shape(input, target)
    yes, no = jax.nn.log_sigmoid(input), jax.nn.log_sigmoid(-input)
    positive = target if pos_weight is None else target * pos_weight
    loss = -(positive * yes + (1 - target) * no)
    return _reduced(loss if weight is None else loss * weight, reduction)


# of classes ---------------------------------------------------------------------------------


def _check_weight(weight, classes):
    if weight is not None and weight.shape != (classes,):
        raise rejection("weight-of-classes", weight=weight.shape, classes=classes)


def _classes(scores, target, weight):
    """Raise unless scores, targets and weights fit; returns the axis of classes."""
    axis = 1 if scores.ndim > 1 else 0
    fits = scores.ndim >= 1 and target.shape == scores.shape[:axis] + scores.shape[axis + 1 :]
    require(fits, "input-n-c-n", shapes=[scores.shape, target.shape])
    require(jnp.issubdtype(target.dtype, jnp.integer), "target-hold-class-indices")
    _check_weight(weight, scores.shape[axis])
    return axis


def _labels(scores, labels, ignored=None):
    """Return the range of class indices; none for probabilities."""
    if not jnp.issubdtype(labels.dtype, jnp.integer):
        return []
    axis = 1 if scores.ndim > 1 else 0
    return [Range(labels, scores.shape[axis], low=0, other=ignored, span="the-classes")]


def _picked(scores, target, axis):
    """Select scores[..., target, ...] by comparison: its gradient needs no scatter. An invalid
    class index gives NaN."""
    number = lax.broadcasted_iota(target.dtype, scores.shape, axis)
    here = number == jnp.expand_dims(target, axis)
    scores_of_labels = jnp.where(here, scores, jnp.zeros((), scores.dtype)).sum(axis)
    known = (target >= 0) & (target < scores.shape[axis])
    return jnp.where(known, scores_of_labels, jnp.asarray(jnp.nan, scores.dtype))


def _likelihood_loss(scores, target, weight, ignore_index, reduction, label_smoothing):
    """The negative log-likelihood of `target`, given logarithms of probabilities."""
    require(isinstance(ignore_index, int), "must-be-type", ignore_index=ignore_index, kind="an-int")
    axis = _classes(scores, target, weight)
    kept = target != ignore_index
    inside = jnp.where(kept, target, jnp.zeros((), target.dtype))
    zero = jnp.zeros((), scores.dtype)
    share = jnp.ones((), scores.dtype)
    if weight is not None:
        share = _picked(_along(weight.astype(scores.dtype), scores, axis), inside, axis)
    share = jnp.where(kept, share, zero)
    loss = jnp.where(kept, -_picked(scores, inside, axis), zero) * share
    if label_smoothing:
        each = scores if weight is None else scores * _along(weight, scores, axis)
        even = jnp.where(kept, -each.sum(axis), zero) / scores.shape[axis]
        loss = (1 - label_smoothing) * loss + label_smoothing * even
    if reduction == "mean":
        return loss.sum() / share.sum()
    return _reduced(loss, reduction)


def _along(weight, scores, axis):
    return jnp.broadcast_to(
        weight.reshape((-1,) + (1,) * (scores.ndim - 1 - axis)), scores.shape
    ).astype(scores.dtype)


@op(
    function="nll_loss(inputs: input, target, weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)",
    mint="nn.functional.nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean')",
    name="NLLLoss",
    bounds=lambda input, target, ignore_index, **_: _labels(input, target, ignore_index),
)
def nll_loss(
    input: Array, target: Array, weight: OPTIONAL = None, ignore_index=-100, reduction="mean",
    label_smoothing=0.0,
):  # fmt: skip
    r"""$-w_t x_t$ for logarithms of probabilities $x$ of the classes and the true class $t$.

    `input`: `(N, C)`, `(N, C, d...)` or `(C,)`; `target`: indices, `(N,)`, `(N, d...)` or `()`.
    'mean' is over the weights of the targets; targets equal to `ignore_index` are ignored. Other
    invalid classes raise an error (see `set_context`, 'check_indices'). `label_smoothing`: the
    share distributed evenly over all classes.

    >>> ops.nll_loss(Tensor([[-1.0, -2.0]]), Tensor([1])).asnumpy()
    array(2., dtype=float32)
    """
    return _likelihood_loss(input, target, weight, ignore_index, reduction, label_smoothing)


@op(
    function=(),
    primitive="NLLLoss(reduction='mean', ignore_index=-100)(logits, labels, weight)",
    bounds=lambda logits, labels, ignore_index, **_: _labels(logits, labels, ignore_index),
)
def nll_loss_of_class(
    logits: Array, labels: Array, weight: Array, reduction="mean", ignore_index=-100
) -> Arrays:
    """`nll_loss`, and the sum of the weights used.

    >>> labels, weights = Tensor([1], ms.int32), Tensor([1.0, 1.0])
    >>> loss, weight = ops.NLLLoss()(Tensor([[-1.0, -2.0]]), labels, weights)
    >>> float(loss), float(weight)
    (2.0, 1.0)
    """
    loss = _likelihood_loss(logits, labels, weight, ignore_index, reduction, 0.0)
    axis = _classes(logits, labels, weight)
    kept = labels != ignore_index
    inside = jnp.where(kept, labels, jnp.zeros((), labels.dtype))
    share = _picked(_along(weight, logits, axis), inside, axis)
    return loss, jnp.where(kept, share, jnp.zeros((), share.dtype)).sum()


@op(
    mint="nn.functional.cross_entropy",
    name="CrossEntropyLoss",
    bounds=lambda input, target, ignore_index, **_: _labels(input, target, ignore_index),
)
def cross_entropy(
    input: Array, target: Array, weight: OPTIONAL = None, ignore_index=-100, reduction="mean",
    label_smoothing=0.0,
):  # fmt: skip
    r"""$-\ln \operatorname{softmax}(x)_t$ for scores $x$ of the classes (axis 1) and target $t$.

    `input`: `(N, C)`, `(N, C, d...)` or `(C,)`. `target`: indices (as in `nll_loss`), or
    probabilities of the classes in the shape of `input`.

    >>> ops.cross_entropy(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    axis = 1 if input.ndim > 1 else 0
    scores = jax.nn.log_softmax(input, axis)
    if jnp.issubdtype(target.dtype, jnp.integer):
        return _likelihood_loss(scores, target, weight, ignore_index, reduction, label_smoothing)
    require(target.shape == input.shape, "target-hold-class-indices-integer", shape=input.shape)
    target = target * (1 - label_smoothing) + label_smoothing / input.shape[axis]
    loss = -(target * scores)
    loss = (loss if weight is None else loss * _along(weight, scores, axis)).sum(axis)
    if reduction == "mean":
        return loss.sum() / loss.size
    return _reduced(loss, reduction)


def _focal_labels(logits, labels, **_):
    """Return the range of class indices; none for one-hot labels."""
    if labels.ndim < 2 or labels.shape[1] != 1 or logits.shape[1] == 1:
        return []
    return [Range(labels.astype(jnp.int32), logits.shape[1], low=0, span="the-classes")]


@op(function=(), name="FocalLoss", check=first_floating("FocalLoss"), bounds=_focal_labels)
def focal_loss(
    logits: Array, labels: Array, weight: OPTIONAL = None, gamma=2.0, reduction="mean"
):  # fmt: skip
    r"""$-w_t (1 - p_t)^\gamma \ln p_t$ with $p = \operatorname{softmax}(logits)$ over axis 1.

    `logits`: `(N, C, *)`; `labels`: indices `(N, 1, *)`, or `(N, C, *)`, one-hot. The mean over *
    for each row, and for each class if labels are one-hot, is then reduced.
    """
    classes = logits.shape[1] if logits.ndim > 1 else 0
    fits = labels.ndim == logits.ndim >= 2 and labels.shape[1] in (1, classes)
    require(fits, "n-c-labels-n", argument="logits", shapes=[logits.shape, labels.shape])
    _check_weight(weight, classes)
    scores = jax.nn.log_softmax(logits, 1)
    loss = -((1 - jnp.exp(scores)) ** gamma) * scores
    loss = loss if weight is None else loss * _along(weight, loss, 1)
    if labels.shape[1] == 1:
        loss = _picked(loss, labels[:, 0].astype(jnp.int32), 1)
    else:
        loss = loss * labels.astype(loss.dtype)
    kept = 1 if labels.shape[1] == 1 else 2
    return _reduced(loss.reshape(*loss.shape[:kept], -1).mean(-1), reduction)


@op(function=(), name="SampledSoftmaxLoss")
def sampled_softmax_loss(
    weights: Array, biases: Array, labels: Array, logits: Array, sampled: Array,
    true_expected: Array, sampled_expected: Array, num_true=1,
):  # fmt: skip
    r"""Cross entropy over the true classes and the `sampled` ones, for rows $x$ of `logits`.

    The score of a class c is $x \cdot w_c + b_c - \ln e_c$, e being its expected number of draws
    (Jean et al., 2014); the `num_true` labels of a row share its probability evenly.
    """
    labels = labels.reshape(-1, num_true).astype(jnp.int32)
    sampled = sampled.astype(jnp.int32)
    true = jnp.einsum("nd,ntd->nt", logits, weights[labels]) + biases[labels]
    others = logits @ weights[sampled].T + biases[sampled]
    scores = [true - jnp.log(true_expected), others - jnp.log(sampled_expected)]
    return -jax.nn.log_softmax(jnp.concatenate(scores, 1))[:, :num_true].mean(1)


@op(primitive="L2Loss()(input_x: x)", function=(), check=floats_only("L2Loss"))
def l2_loss(x: Array):
    """Half the sum of the squares.

    >>> ops.L2Loss()(Tensor([3.0, 4.0])).item()
    12.5
    """
    return (x * x).sum() / 2


def _soft_loss(logits, labels):
    return -(labels * jax.nn.log_softmax(logits)).sum(-1)


@op(primitive="SoftmaxCrossEntropyWithLogits()(logits, labels)", function=(),
    check=floats_only("SoftmaxCrossEntropyWithLogits"))  # fmt: skip
def softmax_cross_entropy_with_logits(logits: Array, labels: Array) -> Arrays:
    r"""$-\sum_c y_c \ln \operatorname{softmax}(x)_c$ of each row, and its gradient.

    >>> logits, labels = Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]])
    >>> loss, slope = ops.SoftmaxCrossEntropyWithLogits()(logits, labels)
    >>> loss.asnumpy().round(4), slope.asnumpy()
    (array([0.6931], dtype=float32), array([[-0.5,  0.5]], dtype=float32))
    """
    _same_shape(logits, labels)
    return _soft_loss(logits, labels), lax.stop_gradient(jax.nn.softmax(logits) - labels)


@op(primitive="SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(logits, labels)", function=(),
    bounds=lambda logits, labels, **_: _labels(logits, labels))  # fmt: skip
def sparse_softmax_cross_entropy_with_logits(logits: Array, labels: Array, is_grad=False):
    """The mean cross entropy of the rows for class indices, or (`is_grad`) its gradient.

    >>> logits, labels = Tensor([[0.0, 0.0]]), Tensor([1], ms.int32)
    >>> round(float(ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels)), 4)
    0.6931
    """

    axis = _classes(logits, labels, None)

    def loss(x):
        return -_picked(jax.nn.log_softmax(x), labels, axis).mean()

    return jax.grad(loss)(logits) if is_grad else loss(logits)


def _sparse_labels(logits, labels, sparse, **_):
    ranges = _labels(logits, labels) if sparse else []
    return [within._replace(size=logits.shape[-1]) for within in ranges]


@op(function=(), name="SoftmaxCrossEntropyWithLogits", bounds=_sparse_labels)
def softmax_cross_entropy(logits: Array, labels: Array, sparse=False, reduction="none"):
    r"""The rows' $-\sum_c y_c \ln \operatorname{softmax}(x)_c$; `sparse`: `labels` are indices."""
    if sparse:
        fits = jnp.issubdtype(labels.dtype, jnp.integer) and labels.shape == logits.shape[:-1]
        require(fits, "sparse-true-labels-indices")
        scores = jax.nn.log_softmax(logits)
        return _reduced(-_picked(scores, labels, scores.ndim - 1), reduction)
    _same_shape(logits, labels)
    require(logits.dtype == labels.dtype, "sparse-false-labels-probabilities")
    return _reduced(_soft_loss(logits, labels), reduction)


@composite(function=(), primitive="SigmoidCrossEntropyWithLogits()(logits, label)")
def sigmoid_cross_entropy(logits, label):
    """Elementwise `binary_cross_entropy_with_logits`.

    >>> ops.SigmoidCrossEntropyWithLogits()(Tensor([0.0]), Tensor([1.0])).asnumpy().round(4)
    array([0.6931], dtype=float32)
    """
    return binary_cross_entropy_with_logits(logits, label, reduction="none")
