"""Occlusion sensitivity: change of a classifier's score under occlusion of the image."""

import itertools

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.train.metrics.metric import Metric, rearrange_inputs


class OcclusionSensitivity(Metric):
    """For each element of an image, the drop of the score of `label` when the elements around it
    are occluded (Zeiler & Fergus, 2014); large where the model attends.

    Called with the model (a Cell `(N, *)` -> `(N, classes)`), the image `(1, *)` and the label.
    `pad_val`: the occluding value. `margin`: its extent, an int, or one per axis. `n_batch`: the
    number of occluded images per prediction. `b_box`: [lowest, highest, ...] index to evaluate for
    each axis; a highest index of -1 is the last.

    >>> class Total(nn.Cell):
    ...     def construct(self, x):
    ...         return x.reshape(x.shape[0], -1).sum(1, keepdims=True)
    >>> metric = OcclusionSensitivity(margin=1)
    >>> metric(Total(), Tensor([[1.0, 2.0, 4.0]]), Tensor([0])).round(3)
    array([1., 3., 6.], dtype=float32)
    """

    def __init__(self, pad_val=0.0, margin=2, n_batch=128, b_box=None):
        super().__init__()
        kinds.FLOAT("OcclusionSensitivity", pad_val=pad_val)
        kinds.instance((int, list), "an-int-or-a-list")("OcclusionSensitivity", margin=margin)
        kinds.POSITIVE_INT("OcclusionSensitivity", n_batch=n_batch)
        kinds.optional(kinds.LIST)("OcclusionSensitivity", b_box=b_box)
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._sensitivity = None

    def _box(self, shape):
        """Return the start and stop index to evaluate for each axis."""
        if self.b_box is None:
            return [0] * len(shape), list(shape)
        low, high = [max(0, n) for n in self.b_box[::2]], self.b_box[1::2]
        who, n, got = "OcclusionSensitivity", 2 * len(shape), len(self.b_box)
        require(got == n, "indices-two-axis-image", who, b_box=got, number=n)
        high = [n - 1 if h < 0 else h for n, h in zip(shape, high, strict=True)]
        fits = all(a <= b < n for a, b, n in zip(low, high, shape, strict=True))
        require(fits, "lie-image-shape-lowest", who, b_box=self.b_box, shape=shape)
        return low, [n + 1 for n in high]

    @rearrange_inputs
    def update(self, *inputs):
        """Evaluate a model, an image and a label."""
        self._check_number(inputs, 3, "a model, an image and a label")
        model, label = inputs[0], inputs[2]
        kinds.instance(Cell, "a-cell")("OcclusionSensitivity", model=model)
        image = self._convert_data(inputs[1])
        label = np.asarray(label) if isinstance(label, int) else self._convert_data(label)
        n, size = len(image), label.size
        require(n == size == 1, "one-image-one-label", "OcclusionSensitivity", got=n, size=size)
        low, end = self._box(image.shape[1:])
        positions = itertools.product(*map(range, low, end))
        scores = []
        while batch := list(itertools.islice(positions, self.n_batch)):
            covered = np.concatenate([self._covered(image, position) for position in batch])
            scores.append(model(Tensor(covered)).asnumpy()[:, int(label.item())])
        baseline = model(Tensor(image)).asnumpy()[0, int(label.item())]
        sizes = [b - a for a, b in zip(low, end, strict=True)]
        self._sensitivity = (baseline - np.concatenate(scores)).reshape(sizes)

    def _covered(self, image, position):
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * len(position)
        window = tuple(
            slice(max(0, i - m), min(n, i + m))
            for i, m, n in zip(position, margins, image.shape[1:], strict=True)
        )
        image = image.copy()
        image[:, *window] = self.pad_val
        return image

    def eval(self):
        """Return the score drops in the shape of the image (or of `b_box`), without axes of size
        1."""
        return self._sampled(self._sensitivity).squeeze()
