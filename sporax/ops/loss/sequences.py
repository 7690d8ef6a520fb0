"""Label sequences: decoded from probabilities, and compared with others."""

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection
from sporax.ops.declare import Arrays, composite
from sporax.ops.indexing.gather import gather_elements
from sporax.ops.operand_checks import require_shapes


@composite(primitive="CTCGreedyDecoder(merge_repeated=True)(inputs, sequence_length)")
def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True) -> Arrays:
    r"""The most likely class of each step, without blanks (the last class), for logits `(T, N, C)`
    and lengths `(N,)`.

    `merge_repeated`: merges equal adjacent labels. Returns examples and positions `(L, 2)` of the
    labels, the labels `(L,)`, (N, the most labels of an example), all Int64, and $-\sum_t \max_c
    x_{tnc}$ `(N, 1)`. The shapes depend on the values, so this call runs the pending operations.

    >>> logits = Tensor([[[0.1, 0.8, 0.1]], [[0.1, 0.7, 0.2]], [[0.0, 0.1, 0.9]]])
    >>> places, labels, shape, score = ops.ctc_greedy_decoder(logits, Tensor([3], ms.int32))
    >>> labels.tolist(), shape.tolist()
    ([1], [1, 1])
    """
    who = "CTCGreedyDecoder"
    kinds.BOOL(who, merge_repeated=merge_repeated)
    require_shapes(who, inputs=(inputs, "T N C"), sequence_length=(sequence_length, "N"))
    steps, count, classes = inputs.shape
    lengths = sequence_length.asnumpy()
    if lengths.size and not 0 <= lengths.min() <= lengths.max() <= steps:
        raise rejection("0-steps", who, sequence_length=lengths.tolist(), steps=steps)
    best = inputs.argmax(-1)
    seen = np.arange(steps)[:, None] < lengths
    likely = gather_elements(inputs, -1, best.expand_dims(-1))[..., 0]
    score = -(likely * Tensor(seen).astype(inputs.dtype)).sum(0).reshape(count, 1)
    best = best.asnumpy()
    kept = seen & (best != classes - 1)
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    rows, times = np.nonzero(kept.T)
    columns = np.arange(len(rows)) - np.searchsorted(rows, rows)
    most = int(kept.sum(0).max()) if count and steps else 0
    indices = np.stack([rows, columns], 1).astype(np.int64)
    shape = np.array([count, most], np.int64)
    return Tensor(indices), Tensor(best.T[rows, times].astype(np.int64)), Tensor(shape), score


def _by_sequence(indices, values, shape, name):
    """Return {leading indices: list of values in the order of the last index}."""
    names = [f"{name}_{field}" for field in ("indices", "values", "shape")]
    specs = (indices, "n r"), (values, "n"), (shape, "r")
    require_shapes("EditDistance", **dict(zip(names, specs, strict=True)))
    if indices.size and (indices.min() < 0 or (indices >= shape).any()):
        given = {"argument": names[0], "got": indices.tolist(), "limits": shape.tolist()}
        raise rejection("within-other", "EditDistance", other=names[2], **given)
    result = {}
    for index, value in zip(indices.tolist(), values.tolist(), strict=True):
        result.setdefault(tuple(index[:-1]), []).append(value)
    return result


def _distance(first, second):
    """Return the number of labels to replace, insert or delete (Levenshtein, 1966)."""
    costs = np.arange(len(second) + 1)
    for i, label in enumerate(first, 1):
        differs = np.array([label != other for other in second], int)
        above = np.concatenate([[i], np.minimum(costs[1:] + 1, costs[:-1] + differs)])
        # an insertion: the minimum over those to the left, plus one for each step
        costs = np.minimum.accumulate(above - np.arange(len(above))) + np.arange(len(above))
    return int(costs[-1])


@composite(
    function=(),
    primitive="EditDistance(normalize=True)(hypothesis_indices, hypothesis_values, "
    "hypothesis_shape, truth_indices, truth_values, truth_shape)",
)
def edit_distance(
    hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values,
    truth_shape, normalize=True,
):  # fmt: skip
    """The edit distance of each sequence to the true one, in labels to replace, insert or delete:
    Float32, divided by the length of the true one if `normalize` (infinite if it is empty).

    Sequences are sparse: `indices` `(n, r)` in ascending order, the last being the position in the
    sequence, `values` `(n,)`, `shape` `(r,)`. The result has the first r - 1 axes of the larger
    shape.

    >>> places, shape = Tensor([[0, 0], [0, 1]]), Tensor([1, 2])
    >>> distance = ops.EditDistance(False)
    >>> distance(places, Tensor([1, 2]), shape, places, Tensor([1, 3]), shape).asnumpy()
    array([1.], dtype=float32)
    """
    arrays = [
        t.asnumpy() if isinstance(t, Tensor) else np.array(t)
        for t in (hypothesis_indices, hypothesis_values, hypothesis_shape,
                  truth_indices, truth_values, truth_shape)
    ]  # fmt: skip
    hypotheses = _by_sequence(*arrays[:3], name="hypothesis")
    truths = _by_sequence(*arrays[3:], name="truth")
    require_shapes("EditDistance", hypothesis_shape=(arrays[2], "r"), truth_shape=(arrays[5], "r"))
    result = np.zeros(np.maximum(arrays[2], arrays[5])[:-1], np.float32)
    for index in {*hypotheses, *truths}:
        hypothesis, truth = hypotheses.get(index, []), truths.get(index, [])
        steps = _distance(hypothesis, truth)
        if normalize:
            steps = steps / len(truth) if truth else np.inf
        result[index] = steps
    return Tensor(result)
