"""Counts of values: histograms, confusion matrices, bits."""

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op


def _integers(who=None, **arrays):
    for name, array in arrays.items():
        is_integer = jnp.issubdtype(array.dtype, jnp.integer)
        require(is_integer, "integer-dtype", who, argument=name, got=array.dtype)


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
    fits = not weights.size or weights.shape == array.shape
    require(fits, "shape-of", weights=weights.shape, shape=array.shape, other="array")
    require(isinstance(size, int) and size >= 0, "int-at-least", size=size, n=0)
    added = weights if weights.size else jnp.ones(array.shape, weights.dtype)
    index = jnp.where((array < 0) | (array >= size), size, array)
    return jnp.zeros(size + 1, weights.dtype).at[index.reshape(-1)].add(added.reshape(-1))[:size]


def _classes(labels, predictions, weights, num_classes, **_):
    return [Range(a, num_classes, low=0, span="the-classes") for a in (labels, predictions)]


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
    shape = predictions.shape
    is_vector = labels.ndim == 1 and shape == labels.shape
    require(is_vector, "vectors-one-length", labels=labels.shape, other="predictions", shape=shape)
    if weights is not None and weights.shape != labels.shape:
        raise rejection("shape-of", weights=weights.shape, shape=labels.shape, other="labels")
    is_count = isinstance(num_classes, int) and num_classes >= 1
    require(is_count, "int-at-least", num_classes=num_classes, n=1)
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
    require(isinstance(nbins, int) and nbins >= 1, "int-at-least", nbins=nbins, n=1)
    require(dtype == "int32", "must-equal", dtype=dtype, value="int32")
    is_pair, got = range.shape == (2,) and range.dtype == x.dtype, [range.dtype, range.shape]
    require(is_pair, "least-greatest", range=got, other="x", dtype=x.dtype)
    kind = jnp.promote_types(x.dtype, jnp.float32)
    low, high = range.astype(kind)
    index = jnp.floor(nbins * (x.reshape(-1).astype(kind) - low) / (high - low))
    index = jnp.clip(index, 0, nbins - 1).astype(jnp.int32)
    return jnp.zeros(nbins, jnp.int32).at[index].add(1)


@op(function=(), primitive="EqualCount()(x, y)", differentiable=False)
def equal_count(x: Array, y: Array):
    """Count the equal elements of `x` and `y`: `(1,)`, in their dtype.

    >>> ops.EqualCount()(Tensor([1, 2, 3]), Tensor([1, 2, 5])).asnumpy()
    array([2])
    """
    same = (x.shape, x.dtype) == (y.shape, y.dtype)
    require(same, "shape-dtype-of", y=[y.dtype, y.shape], other="x", own=[x.dtype, x.shape])
    return jnp.sum(x == y).astype(x.dtype).reshape(1)


@op(function=(), primitive="CompareAndBitpack()(x, threshold)", differentiable=False)
def compare_and_bitpack(x: Array, threshold: Array):
    """Pack whether elements exceed `threshold`, eight of the last axis in one UInt8, the first in
    its highest bit: `(*, n)` -> `(*, n / 8)`.

    >>> ops.CompareAndBitpack()(Tensor([1.0, 0, 0, 0, 0, 0, 0, 1.0]), Tensor(0.5)).asnumpy()
    array([129], dtype=uint8)
    """
    require(x.ndim >= 1 and (not x.shape[-1] % 8), "last-axis-x-multiple", shape=x.shape)
    is_number = (threshold.ndim, threshold.dtype) == (0, x.dtype)
    got = [threshold.dtype, threshold.shape]
    require(is_number, "number-of-dtype", threshold=got, other="x", dtype=x.dtype)
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
    who, shape = "ComputeAccidentalHits", true_classes.shape
    is_matrix = len(shape) == 2 and shape[1] == num_true
    require(is_matrix, "shape-letters", who, true_classes=shape, letters=f"(n, {num_true})")
    shape = sampled_candidates.shape
    require(len(shape) == 1, "vector", who, argument="sampled_candidates", shape=shape)
    true, sampled = true_classes.asnumpy(), sampled_candidates.asnumpy()
    _integers(who, true_classes=true, sampled_candidates=sampled)
    rows, _, positions = np.nonzero(true[:, :, None] == sampled)
    least = np.full(len(rows), np.finfo(np.float32).min, np.float32)
    return Tensor(rows.astype(np.int32)), Tensor(positions.astype(np.int64)), Tensor(least)


@composite(function=(), primitive="InvertPermutation()(input_x)")
def invert_permutation(input_x) -> tuple:
    """The inverse y, with y[x[i]] = i, of a permutation: a tuple or list of the ints from 0 on.

    >>> ops.InvertPermutation()((2, 0, 1))
    (1, 2, 0)
    """
    who, is_sequence = "InvertPermutation", isinstance(input_x, (tuple, list))
    require(is_sequence, "tuple-list-ints-argument-value", who, input_x=input_x)
    is_whole = all(map(kinds.INT.accepts, input_x))
    require(is_whole, "integers-argument-type", who, input_x=input_x)
    is_permutation = sorted(input_x) == list(range(len(input_x)))
    require(is_permutation, "int-0-once", who, input_x=input_x, number=len(input_x) - 1)
    return tuple(sorted(range(len(input_x)), key=lambda i: input_x[i]))
