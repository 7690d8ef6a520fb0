"""Margin losses as Cells: for pairs, triplets or scores."""

from sporax import ops
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.functional_layers import layer
from sporax.nn.layer_inputs import check_inputs
from sporax.nn.loss import LossBase, checked_weight

MarginRankingLoss = layer(
    "MarginRankingLoss(margin=0.0, reduction='mean')(input1, input2, target)",
    ops.margin_ranking_loss, LossBase,
)  # fmt: skip


class CosineEmbeddingLoss(LossBase):
    r"""$1 - \cos$ for similar pairs, $\max(0, \cos - margin)$ for others; see
    `ops.cosine_embedding_loss`.

    >>> x, y = Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]])
    >>> nn.CosineEmbeddingLoss()(x, y, Tensor([1])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        kinds.COSINE("CosineEmbeddingLoss", margin=margin)
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels):
        return ops.cosine_embedding_loss(
            logits_x1, logits_x2, labels, self.margin, self.reduction
        )  # fmt: skip


HingeEmbeddingLoss = layer(
    "HingeEmbeddingLoss(margin=1.0, reduction='mean')(logits, labels)",
    ops.hinge_embedding_loss, LossBase,
)  # fmt: skip
SoftMarginLoss = layer(
    "SoftMarginLoss(reduction='mean')(logits, labels)", ops.soft_margin_loss, LossBase
)
MultiLabelSoftMarginLoss = layer(
    "MultiLabelSoftMarginLoss(weight=None, reduction='mean')(x, target)",
    ops.multilabel_soft_margin_loss, LossBase,
)  # fmt: skip


class MultiMarginLoss(LossBase):
    r"""$\frac1C \sum_{i \ne t} w_t \max(0, margin - x_t + x_i)^p$; see `ops.multi_margin_loss`.

    `weight`: of the layer; if None, the argument of the call.

    >>> nn.MultiMarginLoss()(Tensor([[0.5, 0.25, 0.0]]), Tensor([0])).asnumpy()
    array(0.41666666, dtype=float32)
    """

    def __init__(self, p=1, margin=1.0, reduction="mean", weight=None):
        super().__init__(reduction)
        kinds.one_of(1, 2)("MultiMarginLoss", p=p)
        kinds.FLOAT("MultiMarginLoss", margin=margin)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x, target, weight=None):
        check_inputs("MultiMarginLoss", x)
        weight = weight if self.weight is None else self.weight
        checked_weight("MultiMarginLoss", "weight", weight)
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


MultilabelMarginLoss = layer(
    "MultilabelMarginLoss(reduction='mean')(x, target)", ops.multilabel_margin_loss, LossBase
)


class TripletMarginLoss(LossBase):
    r"""$\max(0, d(x, positive) - d(x, negative) + margin)$; see `ops.triplet_margin_loss`.

    `margin`: of the layer; if that is 1, the argument of the call. A scalar or a Tensor.

    >>> a, p, n = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    >>> round(nn.TripletMarginLoss()(a, p, n).item(), 4)
    0.5
    """

    def __init__(self, p=2, swap=False, eps=1e-06, reduction="mean", margin=1.0):
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(self, x, positive, negative, margin=1.0):
        if isinstance(self.margin, Tensor) or self.margin != 1:
            margin = self.margin
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


_DISTANCE_LOSS = "TripletMarginWithDistanceLoss"


def _euclidean(x, y):
    require(x.ndim >= 2, "at-least-dimensions", _DISTANCE_LOSS, argument="x", n=2, shape=x.shape)
    return ops.norm(x - y, 2, dim=1)


class TripletMarginWithDistanceLoss(LossBase):
    r"""$\max(0, d(x, positive) - d(x, negative) + margin)$.

    `distance_function`: d, of two Tensors; by default the Euclidean distance along axis 1. `swap`:
    use the minimum of $d(x, negative)$ and $d(positive, negative)$.

    >>> a, p, n = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    >>> nn.TripletMarginWithDistanceLoss()(a, p, n).asnumpy()
    array(0.5, dtype=float32)
    """

    def __init__(self, distance_function=None, swap=False, reduction="mean", margin=1.0):
        super().__init__(reduction)
        kinds.FLOAT(_DISTANCE_LOSS, margin=margin)
        kinds.BOOL(_DISTANCE_LOSS, swap=swap)
        self.distance_function = _euclidean if distance_function is None else distance_function
        self.swap, self.margin = swap, margin

    def construct(self, x, positive, negative):
        check_inputs(_DISTANCE_LOSS, x, positive, negative)
        far = self.distance_function(x, negative)
        if self.swap:
            far = ops.minimum(far, self.distance_function(positive, negative))
        near = self.distance_function(x, positive)
        return self.get_loss(ops.relu(near - far + self.margin))
