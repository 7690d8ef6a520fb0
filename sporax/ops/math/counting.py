"""Counts of values: histograms, confusion matrices, bits."""

import jax.numpy as jnp
import numpy as np

from sporax.core import dtype as dtypes
from sporax.core.tensor import Tensor
from sporax.index_checks.ranges import Range
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op


def _integers(**arrays):
    for name, array in arrays.items():
        if not jnp.issubdtype(array.dtype, jnp.integer):
            raise TypeError(f"'{name}' must be integers, but got {array.dtype}")


@op(
    function=(), primitive="Bincount()(array, size, weights)",
    bounds=lambda array, weights, size: [Range(array, jnp.iinfo(jnp.int64).max, low=0)],
)  # fmt: skip
def bincount_of_class(array: Array, weights: Array, size):
    """Count each int below `size` in `array`, weighted by `weights`, in their dtype; by 1 if
    `weights` is empty. Other ints are not counted.

    >>> ones = Tensor([1.0, 2.0, 4.0])
    >>> ops.Bincount()(Tensor([1, 2, 2], ms.int32), Tensor(4, ms.int32), ones).asnumpy()
    array([0., 1., 6., 0.], dtype=float32)
    """
    _integers(array=array)
    if weights.size and weights.shape != array.shape:
        raise ValueError(
            f"'weights' must have the shape of 'array' or no elements, but has {weights.shape} for "
            f"{array.shape}"
        )
    if not isinstance(size, int) or size < 0:
        raise ValueError(f"'size' must be an int of at least 0, but got {size!r}")
    added = weights if weights.size else jnp.ones(array.shape, weights.dtype)
    place = jnp.where((array < 0) | (array >= size), size, array)
    return jnp.zeros(size + 1, weights.dtype).at[place.reshape(-1)].add(added.reshape(-1))[:size]


def _classes(labels, predictions, weights, num_classes, **_):
    of = ", the classes"
    return [Range(a, num_classes, low=0, of=of) for a in (labels, predictions)]


@op(
    function=(), differentiable=False, bounds=_classes,
    primitive="ConfusionMatrix(num_classes, dtype='int32')(labels, predictions, weights=None)",
)  # fmt: skip
def confusion_matrix(
    labels: Array, predictions: Array, weights: OPTIONAL = None, num_classes=2, dtype="int32"
):
    """Row i, column j: the number of predictions j for label i (the sum of their `weights`).

    `labels`, `predictions`: vectors of ints below `num_classes`. `dtype`: the name of the result's
    dtype.

    >>> ops.ConfusionMatrix(2)(Tensor([0, 1, 1]), Tensor([1, 1, 1])).asnumpy()
    array([[0, 1],
           [0, 2]], dtype=int32)
    """
    _integers(labels=labels, predictions=predictions)
    if labels.ndim != 1 or predictions.shape != labels.shape:
        raise ValueError(
            f"'labels' and 'predictions' must be vectors of one length, but got {labels.shape} and "
            f"{predictions.shape}"
        )
    if weights is not None and weights.shape != labels.shape:
        raise ValueError(f"'weights' must have the shape {labels.shape}, but has {weights.shape}")
    if not isinstance(num_classes, int) or num_classes < 1:
        raise ValueError(f"'num_classes' must be an int of at least 1, but got {num_classes!r}")
    wanted = dtypes.to_numpy(dtype)
    added = jnp.ones(labels.shape, wanted) if weights is None else weights.astype(wanted)
    return jnp.zeros((num_classes, num_classes), wanted).at[labels, predictions].add(added)


@op(
    function=(), differentiable=False,
    primitive="HistogramFixedWidth(nbins, dtype='int32')(x, range)",
)  # fmt: skip
def histogram_fixed_width(x: Array, range: Array, nbins, dtype="int32"):
    """Count the elements in each of `nbins` equal bins from `range[0]` to `range[1]`: Int32.
    Elements outside are counted in the first or the last bin.

    >>> ops.HistogramFixedWidth(2)(Tensor([-1.0, 0.0, 3.0, 9.0]), Tensor([0.0, 4.0])).asnumpy()
    array([2, 2], dtype=int32)
    """
    if not isinstance(nbins, int) or nbins < 1:
        raise ValueError(f"'nbins' must be an int of at least 1, but got {nbins!r}")
    if dtype != "int32":
        raise ValueError(f"'dtype' must be 'int32', but got {dtype!r}")
    if range.shape != (2,) or range.dtype != x.dtype:
        raise ValueError(
            f"'range' must be (least, greatest) in the dtype of 'x', but got {range.dtype} of "
            f"shape {range.shape} for {x.dtype}"
        )
    kind = jnp.promote_types(x.dtype, jnp.float32)
    low, high = range.astype(kind)
    place = jnp.floor(nbins * (x.reshape(-1).astype(kind) - low) / (high - low))
    place = jnp.clip(place, 0, nbins - 1).astype(jnp.int32)
    return jnp.zeros(nbins, jnp.int32).at[place].add(1)


@op(function=(), primitive="EqualCount()(x, y)", differentiable=False)
def equal_count(x: Array, y: Array):
    """Count the equal elements of `x` and `y`: `(1,)`, in their dtype.

    >>> ops.EqualCount()(Tensor([1, 2, 3]), Tensor([1, 2, 5])).asnumpy()
    array([2])
    """
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(
            f"'x' and 'y' must have one shape and dtype, but got {x.dtype}{x.shape} and "
            f"{y.dtype}{y.shape}"
        )
    return jnp.sum(x == y).astype(x.dtype).reshape(1)


@op(function=(), primitive="CompareAndBitpack()(x, threshold)", differentiable=False)
def compare_and_bitpack(x: Array, threshold: Array):
    """Pack whether elements exceed `threshold`, eight of the last axis in one UInt8, the first in
    its highest bit: `(*, n)` -> `(*, n / 8)`.

    >>> ops.CompareAndBitpack()(Tensor([1.0, 0, 0, 0, 0, 0, 0, 1.0]), Tensor(0.5)).asnumpy()
    array([129], dtype=uint8)
    """
    if x.ndim < 1 or x.shape[-1] % 8:
        raise ValueError(f"the last axis of 'x' must be a multiple of 8, but got shape {x.shape}")
    if threshold.ndim or threshold.dtype != x.dtype:
        raise ValueError(
            f"'threshold' must have no axes and the dtype of 'x', but got {threshold.dtype} of "
            f"shape {threshold.shape} for {x.dtype}"
        )
    return jnp.packbits(x > threshold, -1)


@composite(
    function=(), primitive="ComputeAccidentalHits(num_true=1)(true_classes, sampled_candidates)"
)
def accidental_hits(true_classes, sampled_candidates, num_true=1) -> Arrays:
    """Find the sampled classes that are true classes: the rows of `true_classes` `(n, num_true)`
    (Int32), the positions in `sampled_candidates` `(k,)` (Int64), and for each the lowest Float32,
    which masks a logit when added to it.

    The shape depends on the values, so this call runs the pending operations.

    >>> rows, places, _ = ops.ComputeAccidentalHits()(Tensor([[1], [4]]), Tensor([4, 0, 1]))
    >>> rows.tolist(), places.tolist()
    ([0, 1], [2, 0])
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true or sampled_candidates.ndim != 1:
        raise ValueError(
            f"For 'ComputeAccidentalHits', 'true_classes' must be (n, {num_true}) and "
            f"'sampled_candidates' a vector, but got {true_classes.shape} and "
            f"{sampled_candidates.shape}."
        )
    true, sampled = true_classes.asnumpy(), sampled_candidates.asnumpy()
    if true.dtype.kind not in "iu" or sampled.dtype.kind not in "iu":
        raise TypeError(
            "For 'ComputeAccidentalHits', 'true_classes' and 'sampled_candidates' must be "
            f"integers, but got {true_classes.dtype} and {sampled_candidates.dtype}."
        )
    rows, _, places = np.nonzero(true[:, :, None] == sampled)
    least = np.full(len(rows), np.finfo(np.float32).min, np.float32)
    return Tensor(rows.astype(np.int32)), Tensor(places.astype(np.int64)), Tensor(least)


@composite(function=(), primitive="InvertPermutation()(input_x)")
def invert_permutation(input_x) -> tuple:
    """The inverse y, with y[x[i]] = i, of a permutation: a tuple or list of the ints from 0 on.

    >>> ops.InvertPermutation()((2, 0, 1))
    (1, 2, 0)
    """
    if not isinstance(input_x, (tuple, list)):
        raise ValueError(
            f"For 'InvertPermutation', 'input_x' must be a tuple or list of ints, but got "
            f"{type(input_x).__name__}. Give 'tuple(x.tolist())' of a Tensor."
        )
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in input_x):
        raise TypeError(
            f"For 'InvertPermutation', 'input_x' must be ints, but got {input_x!r:.80}."
        )
    if sorted(input_x) != list(range(len(input_x))):
        raise ValueError(
            f"For 'InvertPermutation', 'input_x' must have each int from 0 to {len(input_x) - 1} "
            f"once, but got {input_x!r:.80}."
        )
    return tuple(sorted(range(len(input_x)), key=lambda i: input_x[i]))
