"""Similarity of the rows of a batch."""

import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.train.metrics.metric import Metric, rearrange_inputs

_REDUCED = {"none": lambda x: x, "sum": lambda x: x.sum(-1), "mean": lambda x: x.mean(-1)}


class CosineSimilarity(Metric):
    r"""$\frac{x_i \cdot x_j}{\|x_i\| \|x_j\|}$ for all pairs of rows of the last batch, `(N, D)` ->
    `(N, N)`.

    `similarity`: 'cosine', or 'dot' without the denominator. `reduction`: 'none', or the 'sum' or
    'mean' of each row. `zero_diagonal`: set the similarity of a row to itself to 0.

    >>> CosineSimilarity()(np.array([[3.0, 4.0], [4.0, 3.0]])).round(3)
    array([[0.  , 0.96],
           [0.96, 0.  ]])
    """

    def __init__(self, similarity="cosine", reduction="none", zero_diagonal=True):
        super().__init__()
        kinds.STR("CosineSimilarity", similarity=similarity, reduction=reduction)
        kinds.one_of("dot", "cosine")("CosineSimilarity", similarity=similarity)
        kinds.one_of(*_REDUCED)("CosineSimilarity", reduction=reduction)
        kinds.BOOL("CosineSimilarity", zero_diagonal=zero_diagonal)
        self.similarity, self.reduction = similarity, reduction
        self.zero_diagonal = zero_diagonal
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._products = None

    @rearrange_inputs
    def update(self, inputs):
        """Store a batch of rows, replacing the previous one."""
        rows = self._convert_data(inputs)
        require(rows.ndim == 2, "input-n-d", "CosineSimilarity", shape=rows.shape)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._products = rows @ rows.T

    def eval(self):
        """Return the similarities."""
        products = self._sampled(self._products)
        if self.zero_diagonal:
            np.fill_diagonal(products, 0)
        return _REDUCED[self.reduction](products)
