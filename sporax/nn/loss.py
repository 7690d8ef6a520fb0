"""Losses as Cells."""

from functools import partial
from typing import ClassVar

from sporax import ops
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.nn.activation import get_activation
from sporax.nn.cell import Cell
from sporax.nn.functional_layers import layer
from sporax.nn.layer_inputs import OPTIONAL_TENSOR, check_inputs
from sporax.ops.loss.losses import (
    focal_loss,
    poisson_nll_loss,
    sampled_softmax_loss,
    softmax_cross_entropy,
)

_REDUCTION = kinds.one_of("mean", "sum", "none")


class LossBase(Cell):
    """Base class of losses: `get_loss` reduces element-wise losses by `reduction`.

    `reduction`: 'mean', 'sum' or 'none'.

    >>> class Distance(nn.LossBase):
    ...     def construct(self, logits, labels):
    ...         return self.get_loss(ops.abs(logits - labels))
    >>> Distance()(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).asnumpy()
    array(0.5, dtype=float32)
    """

    _on_request: ClassVar = {
        "cast": lambda loss: ops.Cast(),
        "mul": lambda loss: ops.Mul(),
        "reduce_mean": lambda loss: ops.ReduceMean(),
        "reduce_sum": lambda loss: ops.ReduceSum(),
    }

    def __init__(self, reduction="mean"):
        super().__init__()
        _REDUCTION(type(self).__name__, reduction=reduction)
        self.reduction = reduction
        self.average, self.reduce = reduction == "mean", reduction != "none"

    def get_axis(self, x):
        """Return all axes of `x`."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """Return `x * weights`, reduced."""
        x = x * weights
        if not self.reduce:
            return x
        return ops.mean(x) if self.average else ops.sum(x)


checked_weight = OPTIONAL_TENSOR.checked


MSELoss = layer("MSELoss(reduction='mean')(logits, labels)", ops.mse_loss, LossBase)
L1Loss = layer("L1Loss(reduction='mean')(logits, labels)", ops.l1_loss, LossBase)
SmoothL1Loss = layer(
    "SmoothL1Loss(beta=1.0, reduction='none')(logits, labels)", ops.smooth_l1_loss, LossBase
)
HuberLoss = layer(
    "HuberLoss(reduction='mean', delta=1.0)(logits, labels)", ops.huber_loss, LossBase
)


class BCELoss(LossBase):
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of the same shape.

    >>> nn.BCELoss()(Tensor([0.5]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = checked_weight("BCELoss", "weight", weight)

    def construct(self, logits, labels):
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    r"""`BCELoss` of $\sigma(x)$, stable for large $|x|$; `pos_weight` multiplies positive labels.

    >>> nn.BCEWithLogitsLoss()(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight = checked_weight("BCEWithLogitsLoss", "weight", weight)
        self.pos_weight = checked_weight("BCEWithLogitsLoss", "pos_weight", pos_weight)

    def construct(self, input, target):
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


KLDivLoss = layer("KLDivLoss(reduction='mean')(logits, labels)", ops.kl_div)


class NLLLoss(LossBase):
    """The negative log-likelihood of classes; see `ops.nll_loss`.

    >>> nn.NLLLoss()(Tensor([[-1.0, -2.0]]), Tensor([1])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        kinds.INT("NLLLoss", ignore_index=ignore_index)
        self.weight, self.ignore_index = checked_weight("NLLLoss", "weight", weight), ignore_index

    def construct(self, logits, labels):
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(LossBase):
    r"""$-\ln \operatorname{softmax}(x)_t$ for scores of classes (axis 1); see `ops.cross_entropy`.

    `weight`: one scalar per class. Targets equal to `ignore_index` are ignored.
    `label_smoothing`: the share of a target that is spread uniformly over all classes.

    >>> nn.CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(reduction)
        fits = isinstance(label_smoothing, (int, float)) and 0 <= label_smoothing <= 1
        fields = {"label_smoothing": label_smoothing, "interval": "[0, 1]"}
        require(fits, "in-interval", "CrossEntropyLoss", **fields)
        self.weight = checked_weight("CrossEntropyLoss", "weight", weight)
        kinds.INT("CrossEntropyLoss", ignore_index=ignore_index)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def construct(self, logits, labels):
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class SoftmaxCrossEntropyWithLogits(LossBase):
    r"""$-\sum_c y_c \ln \operatorname{softmax}(x)_c$ for each row of scores `(N, C)`; not reduced.

    `sparse`: labels are class indices `(N,)` rather than probabilities `(N, C)`.

    >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    >>> loss(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, sparse=False, reduction="none"):
        super().__init__(reduction)
        kinds.BOOL("SoftmaxCrossEntropyWithLogits", sparse=sparse)
        self.sparse = sparse

    def construct(self, logits, labels):
        return softmax_cross_entropy(logits, labels, self.sparse, self.reduction)


class MAELoss(LossBase):
    """$|logits - label|$ with broadcasting; same as `L1Loss`.

    >>> nn.MAELoss()(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])).asnumpy()
    array(1., dtype=float32)
    """

    def construct(self, logits, label):
        return self.get_loss(ops.abs(logits - label))


class RMSELoss(LossBase):
    r"""$\sqrt{\operatorname{mean}((logits - label)^2)}$.

    >>> nn.RMSELoss()(Tensor([1.0, 3.0]), Tensor([3.0, 1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self):
        super().__init__()

    def construct(self, logits, label):
        return ops.sqrt(ops.mse_loss(logits, label))


class GaussianNLLLoss(LossBase):
    r"""Negative log-likelihood of `labels` under a Gaussian with mean `logits` and variance `var`,
    at least `eps`; see `ops.gaussian_nll_loss`.

    >>> nn.GaussianNLLLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(reduction)
        kinds.POSITIVE("GaussianNLLLoss", eps=eps)
        kinds.BOOL("GaussianNLLLoss", full=full)
        self.full, self.eps = full, eps

    def construct(self, logits, labels, var):
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class DiceLoss(Cell):
    r"""$1 - 2 \sum x y / (\sum x^2 + \sum y^2 + smooth)$, over all elements.

    >>> nn.DiceLoss(smooth=1.0)(Tensor([1.0, 0.0]), Tensor([1.0, 1.0])).asnumpy()
    array(0.5, dtype=float32)
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        kinds.POSITIVE("DiceLoss", smooth=smooth)
        self.smooth = smooth

    def construct(self, logits, label):
        shape, fits = logits.shape, logits.shape == label.shape
        require(fits, "shape-of", "DiceLoss", label=label.shape, shape=shape, other="logits")
        total = (logits * logits).sum() + (label * label).sum()
        return 1 - 2 * (logits * label).sum() / (total + self.smooth)


class PoissonNLLLoss(LossBase):
    r"""$e^x - t x$ for the predicted log-mean x of a Poisson distribution and a count t; without
    `log_input`, x is the mean itself: $x - t \ln(x + eps)$.

    `full`: add Stirling's approximation of $\ln t!$ where $t > 1$.

    >>> nn.PoissonNLLLoss()(Tensor([0.0, 0.0]), Tensor([1.0, 2.0])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, log_input=True, full=False, eps=1e-08, reduction="mean"):
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input, target):
        check_inputs("PoissonNLLLoss", input)
        return poisson_nll_loss(
            input, target, self.log_input, self.full, self.eps, self.reduction
        )  # fmt: skip


class FocalLoss(LossBase):
    r"""$-w_t (1 - p_t)^\gamma \ln p_t$, $p = \operatorname{softmax}(logits)$ (Lin et al., 2017).

    `logits`: `(N, C)` or `(N, C, *)`. `labels`: class indices `(N, 1)` or `(N, 1, *)`, or one-hot,
    in the shape of `logits`. `weight`: `(C,)`. The loss is averaged over *, then reduced over rows,
    and over classes if labels are one-hot.

    >>> round(nn.FocalLoss()(Tensor([[0.0, 0.0]]), Tensor([[1]], ms.int32)).item(), 4)
    0.1733
    """

    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(reduction)
        kinds.FLOAT("FocalLoss", gamma=gamma)
        self.weight, self.gamma = checked_weight("FocalLoss", "weight", weight), gamma
        if weight is not None and weight.ndim != 1:
            raise rejection("number-of-dimensions", "FocalLoss", weight=weight.shape, n=(1,))

    def construct(self, logits, labels):
        check_inputs("FocalLoss", logits, labels)
        return focal_loss(logits, labels, self.weight, self.gamma, self.reduction)


_ACTIVATIONS = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")


class MultiClassDiceLoss(LossBase):
    """Mean over classes (axis 1) of `DiceLoss`, after an activation of `logits`.

    `logits`, `label`: of the same shape, `(N, C, *)`. `weights`: a Tensor with 2 axes, whose row c
    multiplies the loss of class c. `ignore_indiex`: a class to ignore. `activation`: a Cell, None,
    or 'softmax', 'logsoftmax', 'relu', 'relu6', 'tanh', 'sigmoid'.

    >>> x = Tensor([[0.0, 1.0], [1.0, 0.0]])
    >>> round(nn.MultiClassDiceLoss(activation=None)(x, x).item(), 4)
    0.0
    """

    def __init__(self, weights=None, ignore_indiex=None, activation="softmax"):
        who = "MultiClassDiceLoss"
        super().__init__()
        self.weights = checked_weight(who, "weights", weights)
        if weights is not None and weights.ndim != 2:
            raise rejection("number-of-dimensions", who, weights=weights.shape, n=(2,))
        kinds.optional(kinds.INT)(who, ignore_indiex=ignore_indiex)
        if isinstance(activation, str):
            kinds.one_of(*_ACTIVATIONS)(who, activation=activation)
            activation = get_activation(activation)
        kinds.instance((Cell, type(None)), "cell-string-or-none")(who, activation=activation)
        self.binarydiceloss = DiceLoss()
        self.ignore_indiex, self.activation = ignore_indiex, activation

    def construct(self, logits, label):
        who, shape = "MultiClassDiceLoss", label.shape
        check_inputs(who, logits, label)
        fits = logits.shape == shape and len(shape) >= 2
        require(fits, "label-one-shape-n", who, logits=logits.shape, shape=shape)
        count, weights = shape[1], self.weights
        if weights is not None and weights.shape[0] != count:
            raise rejection("rows-one-class", who, weights=weights.shape, count=count)
        logits = logits if self.activation is None else self.activation(logits)
        total = 0
        for c in range(count):
            if c != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, c], label[:, c])
                total = total + (loss if weights is None else loss * weights[c])
        return total / count


_SAMPLED = kinds.Kind(
    partial(message, "three-tensors-or-none"),
    lambda value: value is None or isinstance(value, (list, tuple)),
    lambda value: value is None or len(value) == 3,
)


class SampledSoftmaxLoss(LossBase):
    r"""Cross entropy over the true and `num_sampled` sampled classes, for very many classes.

    Called with `weights` `(num_classes, D)`, `biases` `(num_classes,)`, `labels` `(N,)` or `(N,
    num_true)`, and `logits`, the inputs `(N, D)` of the last layer. The logarithm of its expected
    sampling count is subtracted from a class's score (Jean et al., 2014). `sampled_values`: the
    classes and expected counts to use instead of sampling, as returned by
    `ops.uniform_candidate_sampler`; `remove_accidental_hits`: do not sample true classes.

    >>> loss = nn.SampledSoftmaxLoss(num_sampled=2, num_classes=5)
    >>> x, w, b = ops.zeros((3, 4)), ops.zeros((5, 4)), ops.zeros((5,))
    >>> loss(w, b, Tensor([0, 1, 2]), x).shape
    (3,)
    """

    def __init__(
        self, num_sampled, num_classes, num_true=1, sampled_values=None,
        remove_accidental_hits=True, seed=0, reduction="none",
    ):  # fmt: skip
        super().__init__(reduction)
        layer = "SampledSoftmaxLoss"
        kinds.POSITIVE_INT(layer, num_true=num_true)
        kinds.COUNT(layer, seed=seed)
        most = {"other": "num_classes", "value": num_classes}
        for name, count in [("num_sampled", num_sampled), ("num_true", num_true)]:
            require(count <= num_classes, "at-most", layer, argument=name, got=count, **most)
        _SAMPLED(layer, sampled_values=sampled_values)
        self.num_true, self.sampled_values = num_true, sampled_values
        self.sampler = ops.UniformCandidateSampler(
            num_true, num_sampled, True, num_classes, seed, remove_accidental_hits
        )

    def construct(self, weights, biases, labels, logits):
        check_inputs("SampledSoftmaxLoss", weights, biases, labels, logits)
        labels = labels.reshape(-1, self.num_true)
        drawn = self.sampler(labels) if self.sampled_values is None else self.sampled_values
        loss = sampled_softmax_loss(weights, biases, labels, logits, *drawn, self.num_true)
        return self.get_loss(loss)
