"""Losses as Cells."""

from typing import ClassVar

from sporax import ops
from sporax.core.tensor import Tensor
from sporax.nn import argument_checks as check
from sporax.nn.cell import Cell
from sporax.ops.loss.losses import softmax_cross_entropy


class LossBase(Cell):
    """Base of losses: `get_loss` reduces the losses of the elements as `reduction` says.

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
        check.choice(type(self).__name__, ("mean", "sum", "none"), reduction=reduction)
        self.reduction = reduction
        self.average, self.reduce = reduction == "mean", reduction != "none"

    def get_axis(self, x):
        """All axes of `x`."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """`x` times `weights`, reduced."""
        x = x * weights
        if not self.reduce:
            return x
        return ops.mean(x) if self.average else ops.sum(x)


def _weight(layer, name, weight):
    if weight is not None and not isinstance(weight, Tensor):
        raise TypeError(
            f"For '{layer}', '{name}' must be a Tensor or None, but got {type(weight).__name__}."
        )
    return weight


class MSELoss(LossBase):
    """$(logits - labels)^2$, broadcast together.

    >>> nn.MSELoss()(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def construct(self, logits, labels):
        return ops.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """$|logits - labels|$, broadcast together.

    >>> nn.L1Loss()(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])).asnumpy()
    array(1., dtype=float32)
    """

    def construct(self, logits, labels):
        return ops.l1_loss(logits, labels, self.reduction)


class SmoothL1Loss(LossBase):
    r"""$d^2 / 2\beta$ where $d = |logits - labels| < \beta$, else $d - \beta / 2$; not reduced.

    >>> nn.SmoothL1Loss()(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])).asnumpy()
    array([0.5, 2.5], dtype=float32)
    """

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits, labels):
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    r"""$d^2 / 2$ where $d = |logits - labels| < \delta$, else $\delta (d - \delta / 2)$.

    >>> nn.HuberLoss()(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])).asnumpy()
    array(1.5, dtype=float32)
    """

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits, labels):
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class BCELoss(LossBase):
    r"""$-w (y \ln x + (1 - y) \ln (1 - x))$ for probabilities $x$ and labels $y$ of one shape.

    >>> nn.BCELoss()(Tensor([0.5]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = _weight("BCELoss", "weight", weight)

    def construct(self, logits, labels):
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    r"""`BCELoss` of $\sigma(x)$, stable for large $|x|$; `pos_weight` multiplies positive labels.

    >>> nn.BCEWithLogitsLoss()(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight = _weight("BCEWithLogitsLoss", "weight", weight)
        self.pos_weight = _weight("BCEWithLogitsLoss", "pos_weight", pos_weight)

    def construct(self, input, target):
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class KLDivLoss(Cell):
    r"""$y (\ln y - x)$; `reduction` may also be 'batchmean'. See `ops.kl_div`.

    >>> nn.KLDivLoss()(Tensor([0.0]), Tensor([1.0])).asnumpy()
    array(0., dtype=float32)
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction

    def construct(self, logits, labels):
        return ops.kl_div(logits, labels, self.reduction)


class NLLLoss(LossBase):
    """The negative log-likelihood of classes; see `ops.nll_loss`.

    >>> nn.NLLLoss()(Tensor([[-1.0, -2.0]]), Tensor([1])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        check.integer("NLLLoss", ignore_index=ignore_index)
        self.weight, self.ignore_index = _weight("NLLLoss", "weight", weight), ignore_index

    def construct(self, logits, labels):
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(LossBase):
    r"""$-\ln \operatorname{softmax}(x)_t$ for scores of classes (axis 1); see `ops.cross_entropy`.

    `weight`: one number for each class. Targets equal to `ignore_index` do not count.
    `label_smoothing`: the share of a target that is spread evenly over all classes.

    >>> nn.CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(reduction)
        if not isinstance(label_smoothing, (int, float)) or not 0 <= label_smoothing <= 1:
            raise ValueError(
                "For 'CrossEntropyLoss', 'label_smoothing' must be in [0, 1], but got "
                f"{label_smoothing!r}."
            )
        self.weight = _weight("CrossEntropyLoss", "weight", weight)
        check.integer("CrossEntropyLoss", ignore_index=ignore_index)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def construct(self, logits, labels):
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class SoftmaxCrossEntropyWithLogits(LossBase):
    r"""$-\sum_c y_c \ln \operatorname{softmax}(x)_c$ for each row of scores `(N, C)`; not reduced.

    `sparse`: whether labels are class indices `(N,)` rather than probabilities `(N, C)`.

    >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    >>> loss(Tensor([[0.0, 0.0]]), Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """

    def __init__(self, sparse=False, reduction="none"):
        super().__init__(reduction)
        check.flag("SoftmaxCrossEntropyWithLogits", sparse=sparse)
        self.sparse = sparse

    def construct(self, logits, labels):
        return softmax_cross_entropy(logits, labels, self.sparse, self.reduction)


class MAELoss(LossBase):
    """$|logits - label|$, broadcast together; as `L1Loss`.

    >>> nn.MAELoss()(Tensor([1.0, 3.0]), Tensor([1.0, 1.0])).asnumpy()
    array(1., dtype=float32)
    """

    def construct(self, logits, label):
        return self.get_loss(ops.abs(logits - label))


class RMSELoss(LossBase):
    r"""$\sqrt{\operatorname{mean}(logits - label)^2}$.

    >>> nn.RMSELoss()(Tensor([1.0, 3.0]), Tensor([3.0, 1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self):
        super().__init__()

    def construct(self, logits, label):
        return ops.sqrt(ops.mse_loss(logits, label))


class MarginRankingLoss(LossBase):
    r"""$\max(0, -target (input_1 - input_2) + margin)$; see `ops.margin_ranking_loss`.

    >>> nn.MarginRankingLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target):
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class CosineEmbeddingLoss(LossBase):
    r"""$1 - \cos$ for pairs that should be alike, $\max(0, \cos - margin)$ for others; see
    `ops.cosine_embedding_loss`.

    >>> x, y = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
    >>> nn.CosineEmbeddingLoss()(x, y, Tensor([1])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        check.cosine("CosineEmbeddingLoss", margin=margin)
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels):
        return ops.cosine_embedding_loss(
            logits_x1, logits_x2, labels, self.margin, self.reduction
        )  # fmt: skip


class HingeEmbeddingLoss(LossBase):
    r"""$x$ where the label is 1, $\max(0, margin - x)$ where it is -1.

    >>> nn.HingeEmbeddingLoss()(Tensor([0.5, 0.25]), Tensor([1, -1])).asnumpy()
    array(0.625, dtype=float32)
    """

    def __init__(self, margin=1.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits, labels):
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class SoftMarginLoss(LossBase):
    r"""$\ln(1 + e^{-labels \cdot logits})$, `labels` being 1 or -1.

    >>> round(float(nn.SoftMarginLoss()(Tensor([0.0]), Tensor([1.0]))), 4)
    0.6931
    """

    def construct(self, logits, labels):
        return ops.soft_margin_loss(logits, labels, self.reduction)


class GaussianNLLLoss(LossBase):
    r"""The negative logarithm of a Gaussian's density at `labels`, with the mean `logits` and the
    variance `var`, at least `eps`; see `ops.gaussian_nll_loss`.

    >>> nn.GaussianNLLLoss()(Tensor([1.0]), Tensor([3.0]), Tensor([1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, *, full=False, eps=1e-6, reduction="mean"):
        super().__init__(reduction)
        check.positive("GaussianNLLLoss", eps=eps)
        check.flag("GaussianNLLLoss", full=full)
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
        check.positive("DiceLoss", smooth=smooth)
        self.smooth = smooth

    def construct(self, logits, label):
        if logits.shape != label.shape:
            raise ValueError(
                f"For 'DiceLoss', 'label' must have the shape of 'logits', {logits.shape}, but got "
                f"{label.shape}."
            )
        total = (logits * logits).sum() + (label * label).sum()
        return 1 - 2 * (logits * label).sum() / (total + self.smooth)
