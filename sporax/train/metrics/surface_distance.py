"""Distances between the surfaces of two segmentations."""

import numpy as np
from scipy import ndimage

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.train.metrics.metric import Metric, rearrange_inputs

_METRICS = ("euclidean", "chessboard", "taxicab")


def _surface(mask):
    """Return the elements of a region that have a neighbour outside it."""
    return mask ^ ndimage.binary_erosion(mask)


class _SurfaceDistance(Metric):
    """Base class: `update` finds the surfaces of a region in predictions and labels."""

    def __init__(self, distance_metric):
        super().__init__()
        name = type(self).__name__
        kinds.STR(name, distance_metric=distance_metric)
        kinds.one_of(*_METRICS)(name, distance_metric=distance_metric)
        self.distance_metric = distance_metric
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._surfaces = None

    @rearrange_inputs
    def update(self, *inputs):
        """Store the surfaces for predictions, labels of the same shape, and a class."""
        name = type(self).__name__
        self._check_number(inputs, 3, "predictions, labels and a class")
        predicted, labels = (self._convert_data(data) for data in inputs[:2])
        require(isinstance(inputs[2], (int, float)), "class-int-float", name, got=inputs[2])
        if predicted.size == 0 or predicted.shape != labels.shape:
            shapes = [predicted.shape, labels.shape]
            raise rejection("predictions-labels-with-elements", name, shapes=shapes)
        regions = [a if a.dtype == bool else a == inputs[2] for a in (predicted, labels)]
        if not any(region.any() for region in regions):
            raise rejection("class-predictions-labels-neither", name, inputs=inputs[2])
        self._surfaces = self._surfaces_of(*regions)

    def _surfaces_of(self, predicted, labels):
        return _surface(predicted), _surface(labels)

    def _distances(self, source, target):
        """Return distances of a surface's elements to another surface; inf if that is empty."""
        if not target.any():
            return np.full(source.sum(), np.inf)
        if self.distance_metric == "euclidean":
            distances = ndimage.distance_transform_edt(~target)
        else:
            distances = ndimage.distance_transform_cdt(~target, metric=self.distance_metric)
        return np.asarray(distances)[source]

    def _directions(self, both):
        """Return the distances from the predictions' surface and, with `both`, from the labels'."""
        predicted, labels = self._sampled(self._surfaces)
        pairs = [(predicted, labels), (labels, predicted)] if both else [(predicted, labels)]
        return [self._distances(source, target) for source, target in pairs]


class HausdorffDistance(_SurfaceDistance):
    r"""$\max(h(A, B), h(B, A))$ with $h(A, B) = \max_{a \in A} \min_{b \in B} \|a - b\|$ for the
    surfaces of predictions and labels.

    `distance_metric`: 'euclidean', 'chessboard' or 'taxicab'. `percentile`, 0 to 100: use this
    percentile of the distances instead of the maximum. `directed`: only $h(A, B)$. `crop`: crop to
    both regions first, which is faster. Infinite if a surface is empty.

    >>> a = Tensor(np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]))
    >>> b = Tensor(np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]]))
    >>> round(float(HausdorffDistance()(a, b, 0)), 4)
    1.4142
    """

    def __init__(self, distance_metric="euclidean", percentile=None, directed=False, crop=True):
        super().__init__(distance_metric)
        percentage = kinds.optional(kinds.within(0, 100, kinds.FLOAT))
        percentage("HausdorffDistance", percentile=percentile)
        kinds.BOOL("HausdorffDistance", directed=bool(directed), crop=bool(crop))
        self.percentile, self.directed, self.crop = percentile, directed, crop

    def _surfaces_of(self, predicted, labels):
        if self.crop:
            (region,) = ndimage.find_objects((predicted | labels).astype(np.int8))
            predicted, labels = predicted[region], labels[region]
        return super()._surfaces_of(predicted, labels)

    def eval(self):
        """Return the distance."""
        largest = []
        for distances in self._directions(both=not self.directed):
            if not distances.size:
                largest.append(np.inf)
            elif self.percentile is None:
                largest.append(distances.max())
            else:
                largest.append(np.percentile(distances, self.percentile))
        return max(largest)


class MeanSurfaceDistance(_SurfaceDistance):
    r"""$\frac{1}{|A|} \sum_{a \in A} \min_{b \in B} \|a - b\|$ for the surfaces A of predictions
    and B of labels.

    `symmetric`: the mean of the distances from A to B and from B to A. `distance_metric`:
    'euclidean', 'chessboard' or 'taxicab'. Infinite if a surface is empty.

    >>> a = Tensor(np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]))
    >>> b = Tensor(np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]]))
    >>> round(float(MeanSurfaceDistance()(a, b, 0)), 4)
    0.8047
    """

    _power = 1

    def __init__(self, symmetric=False, distance_metric="euclidean"):
        super().__init__(distance_metric)
        kinds.BOOL(type(self).__name__, symmetric=symmetric)
        self.symmetric = symmetric

    def eval(self):
        """Return the distance."""
        directions = self._directions(both=self.symmetric)
        if not all(distances.size for distances in directions):
            return np.inf
        means = [np.mean(distances.astype(float) ** self._power) for distances in directions]
        return np.mean(means) ** (1 / self._power)


class RootMeanSquareDistance(MeanSurfaceDistance):
    r"""$\sqrt{\frac{1}{|A|} \sum_{a \in A} \min_{b \in B} \|a - b\|^2}$ for the surfaces A of
    predictions and B of labels.

    `symmetric`: under the root, the mean of both directions. `distance_metric`: 'euclidean',
    'chessboard' or 'taxicab'. Infinite if a surface is empty.

    >>> a = Tensor(np.array([[3, 0, 1], [1, 3, 0], [1, 0, 2]]))
    >>> b = Tensor(np.array([[0, 2, 1], [1, 2, 1], [0, 0, 1]]))
    >>> round(float(RootMeanSquareDistance(symmetric=True)(a, b, 0)), 4)
    0.9129
    """

    _power = 2
