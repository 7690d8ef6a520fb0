"""Rows for `sporax.ops.math.counting`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def confusion(labels, predictions, weights=None, num_classes=2, dtype="int32"):
    out = np.zeros((num_classes, num_classes))
    np.add.at(out, (labels, predictions), 1 if weights is None else weights)
    return out


def fixed_width(x, range, nbins):
    place = np.floor((x - range[0]) / (range[1] - range[0]) * nbins).clip(0, nbins - 1)
    return np.bincount(place.astype(int).ravel(), minlength=nbins)


INTS = np.array([1, 2, 2, 7], np.int32)
LABELS, PREDICTED = np.array([0, 1, 1, 3]), np.array([1, 2, 1, 3])
SAMPLES = [
    Sample("bincount_of_class", [INTS, (4,)],
           lambda x, w, size: np.bincount(x, w, 9)[:size], {"size": 4}),
    Sample("bincount_of_class", [INTS.reshape(2, 2), np.zeros(0, np.float32)],
           lambda x, w, size: np.bincount(x.ravel(), minlength=size)[:size], {"size": 9},
           sharp="no weights"),
    Sample("confusion_matrix", [LABELS, PREDICTED], confusion, {"num_classes": 4}),
    Sample("confusion_matrix", [LABELS, PREDICTED, (4,)], confusion,
           {"num_classes": 5, "dtype": "float32"}),
    Sample("histogram_fixed_width", [(3, 4), np.array([-1.0, 1.5], np.float32)], fixed_width,
           {"nbins": 5}),
    Sample("equal_count", [LABELS, PREDICTED], lambda x, y: np.array([(x == y).sum()])),
    Sample("compare_and_bitpack", [(3, 16), np.array(0.25, np.float32)],
           lambda x, t: np.packbits(x > t, -1)),
]  # fmt: skip

REFUSALS = [
    Refusal(f"counting-{name}", call, error, says)
    for name, call, error, says in [
        ("weights", lambda: ops.Bincount()(Tensor(INTS), Tensor(4), ops.ones((3,))), ValueError,
         ("'Bincount'", "'weights'", "(3,)")),
        ("bins", lambda: ops.HistogramFixedWidth(0)(ops.ones((3,)), ops.ones((2,))), ValueError,
         ("'nbins'", "at least 1", "0")),
        ("range", lambda: ops.HistogramFixedWidth(2)(ops.ones((3,)), ops.ones((3,))), ValueError,
         ("'range'", "(3,)")),
        ("labels", lambda: ops.ConfusionMatrix(2)(ops.ones((3,)), ops.ones((3,))), TypeError,
         ("'ConfusionMatrix'", "'labels'", "integers")),
        ("classes", lambda: ops.ConfusionMatrix(2)(Tensor(LABELS), Tensor(LABELS)).asnumpy(),
         ValueError, ("'ConfusionMatrix'", "but got 3", "classes")),
        ("equal", lambda: ops.EqualCount()(Tensor(LABELS), Tensor(LABELS[:2])), ValueError,
         ("'EqualCount'", "(4,)", "(2,)")),
        ("bits", lambda: ops.CompareAndBitpack()(ops.ones((15,)), Tensor(1.0)), ValueError,
         ("'CompareAndBitpack'", "multiple of 8", "(15,)")),
        ("permutation", lambda: ops.InvertPermutation()((3, 0, 2, 2)), ValueError,
         ("'InvertPermutation'", "from 0 to 3", "(3, 0, 2, 2)")),
        ("permutation-tensor", lambda: ops.InvertPermutation()(Tensor([1, 0])), ValueError,
         ("'input_x'", "Tensor", "tolist")),
        ("permutation-float", lambda: ops.InvertPermutation()((1.0, 0)), TypeError, ("integers",)),
    ]
]  # fmt: skip
