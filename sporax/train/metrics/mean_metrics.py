"""Metrics that are means over samples or batches."""

import math

import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.train.metrics.metric import Metric, rearrange_inputs


class _Mean(Metric):
    """A mean, stored as sum and count."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._sum, self._count = 0.0, 0

    def eval(self):
        """Return the mean of all accumulated batches."""
        self._require_samples(self._count == 0)
        return self._sum / self._count


class MAE(_Mean):
    r"""$\sum |y - \hat y| / n$ with n samples along the first axis.

    >>> MAE()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0]))
    1.5
    """

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate predictions and labels of the same size."""
        predicted, labels = self._two(inputs)
        self._sum += self._deviation(labels.reshape(predicted.shape) - predicted)
        self._count += labels.shape[0]

    def _deviation(self, difference):
        return float(np.abs(difference).sum())


class MSE(MAE):
    r"""$\sum (y - \hat y)^2 / n$ with n samples along the first axis.

    >>> MSE()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0]))
    2.5
    """

    def _deviation(self, difference):
        return float(np.square(difference).sum())


class Loss(_Mean):
    """Mean over the batches of the loss (a 0-d or 1-d Tensor).

    >>> Loss()(Tensor(0.5))
    0.5
    """

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the loss of a batch."""
        self._check_number(inputs, 1, "the loss")
        loss = self._convert_data(inputs[0])
        require(loss.ndim <= 1, "loss-no-one-axis", "Loss", shape=loss.shape)
        self._sum += float(loss.mean())
        self._count += 1


class Perplexity(_Mean):
    r"""$\exp(-\frac{1}{n} \sum \ln p_{label})$ for probabilities `(n, classes)` and labels `(n,)`;
    labels equal to `ignore_label` are ignored.

    >>> round(Perplexity()(Tensor([[0.5, 0.5], [0.25, 0.75]]), Tensor([0, 0])), 4)
    2.8284
    """

    def __init__(self, ignore_label=None):
        super().__init__()
        kinds.instance((int, type(None)), "an-int-or-none")("Perplexity", ignore_label=ignore_label)
        self.ignore_label = ignore_label

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate the probabilities and labels of a batch."""
        predicted, labels = self._two(inputs)
        labels = labels.reshape(-1).astype(int)
        if labels.size * predicted.shape[-1] != predicted.size:
            shapes = [predicted.shape, inputs[1].shape]
            raise rejection("label-of-each-row", "Perplexity", shapes=shapes)
        chosen = predicted.reshape(labels.size, -1)[np.arange(labels.size), labels]
        counts = (
            np.ones(labels.shape, bool)
            if self.ignore_label is None
            else (labels != self.ignore_label)
        )
        self._sum -= float(np.log(np.maximum(1e-10, chosen))[counts].sum())
        self._count += int(counts.sum())

    def eval(self):
        """Return the perplexity of all labels that are not ignored."""
        return math.exp(super().eval())


class Dice(_Mean):
    r"""Mean over samples of $2 \sum \hat y y / (\sum \hat y^2 + \sum y^2 + smooth)$, one value
    per batch.

    >>> round(Dice()(Tensor([[1.0, 0.0]]), Tensor([[1.0, 1.0]])), 4)
    0.6667
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        kinds.POSITIVE("Dice", smooth=smooth)
        self.smooth = smooth

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate predictions and labels of the same shape."""
        predicted, labels = self._two(inputs)
        shapes = [predicted.shape, labels.shape]
        require(shapes[0] == shapes[1], "predictions-labels-one-shape", "Dice", shapes=shapes)
        both = float((predicted * labels).sum())
        each = float(np.square(predicted).sum() + np.square(labels).sum())
        self._sum += 2 * both / (each + self.smooth)
        self._count += labels.shape[0]
