"""Further losses as Cells: of margins, of overlaps, of Gaussians."""

from sporax import ops
from sporax.nn import argument
from sporax.nn.cell import Cell
from sporax.nn.loss import LossBase


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
        argument.cosine("CosineEmbeddingLoss", margin=margin)
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
        argument.positive("GaussianNLLLoss", eps=eps)
        argument.flag("GaussianNLLLoss", full=full)
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
        argument.positive("DiceLoss", smooth=smooth)
        self.smooth = smooth

    def construct(self, logits, label):
        if logits.shape != label.shape:
            raise ValueError(
                f"For 'DiceLoss', 'label' must have the shape of 'logits', {logits.shape}, but got "
                f"{label.shape}."
            )
        total = (logits * logits).sum() + (label * label).sum()
        return 1 - 2 * (logits * label).sum() / (total + self.smooth)
