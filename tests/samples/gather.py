"""Rows for `sporax.ops.indexing.gather`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

MASK = np.array([[True, False, True], [False, False, True]])
AT = np.array([2, 0, -1])
PAIRS = np.array([[0, 1], [1, 2]])


def gather(x, index, axis, batch_dims=0):
    if batch_dims:
        return np.stack([np.take(a, i, axis - 1) for a, i in zip(x, index, strict=True)])
    return np.take(x, index, axis)


def gather_elements(x, index, dim):
    kept = tuple(slice(None if i == dim else n) for i, n in enumerate(index.shape))
    return np.take_along_axis(x[kept], index, dim)


def one_hot(at, on, off, depth, axis=-1):
    rows = np.where(at[..., None] == np.arange(depth), on, off)
    return np.moveaxis(rows, -1, axis)


SAMPLES = [
    Sample("where", [MASK, (2, 3), ()], np.where),
    Sample("where", [np.array([1, 0, 2]), (2, 3), (2, 1)], np.where),
    Sample("masked_fill", [(2, 3), MASK, ()], lambda x, m, v: np.where(m, v, x)),
    Sample("nonzero_sized", [MASK], lambda m, size: np.argwhere(m), {"size": 3}),
    Sample("gather", [(2, 3), AT], gather, {"axis": 1}),
    Sample("gather", [(2, 3), np.array([[1, 0]])], gather, {"axis": 0}),
    Sample("gather", [(2, 3), np.array(1)], gather, {"axis": -1}),
    Sample("gather", [(2, 3), np.array([[2], [0]])], gather, {"axis": 1, "batch_dims": 1}),
    Sample(
        "gather_elements",
        [(2, 3), np.array([[2, 0], [1, 1]])],
        gather_elements,
        {"dim": 1},
    ),
    Sample("gather_elements", [(2, 3), np.array([[1, -1]])], gather_elements, {"dim": 0}),
    Sample("gather_nd", [(2, 3), PAIRS], lambda x, i: x[i[:, 0], i[:, 1]]),
    Sample("gather_nd", [(2, 3), PAIRS[:, :1]], lambda x, i: x[i[:, 0]]),
    Sample("index_select", [(2, 3), AT], lambda x, i, axis: np.take(x, i, axis), {"axis": 1}),
    Sample(
        "take_with_mode",
        [(2, 3), np.array([5, 0])],
        lambda x, i, axis: np.take(x, i, axis, mode="clip"),
        {"axis": 1},
    ),
    Sample(
        "take_with_mode",
        [(2, 3), np.array([5, 0])],
        lambda x, i, axis, mode: np.take(x, i, axis, mode=mode),
        {"axis": 1, "mode": "wrap"},
    ),
    Sample("one_hot", [AT, np.array(3.0), np.array(1.0)], one_hot, {"depth": 3}),
    Sample("one_hot", [PAIRS, np.array(1), np.array(0)], one_hot, {"depth": 4, "axis": 0}),
]
# attributes stand between the operands in some signatures: these are given by name
BY_NAME = {
    "gather": ["input_params", "input_indices"],
    "gather_elements": ["input", "index"],
    "index_select": ["input", "index"],
    "one_hot": ["indices", "on_value", "off_value"],
}
for _sample in SAMPLES:
    _sample.names = BY_NAME.get(_sample.op)


SAMPLES += [
    Sample("embedding_lookup_of_class", [(4, 2), np.array([[5, 2], [8, 4]], np.int32)],
           lambda x, at, offset: np.pad(x, ((2, 1), (0, 0)))[at - offset + 2], {"offset": 4}),
]  # fmt: skip


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


REFUSALS = [
    Refusal(
        "embedding-lookup",
        lambda: ops.EmbeddingLookup()(zeros(2, 2, 2), Tensor([0]), 0),
        ValueError,
        ("'EmbeddingLookup'", "(2, 2, 2)"),
    ),
    Refusal(
        "gather-floats",
        lambda: ops.gather(zeros(3), zeros(2), 0),
        TypeError,
        ("For 'Gather'", "integers", "Float32 (2,)"),
    ),
    Refusal(
        "gather-axis",
        lambda: ops.gather(zeros(3), Tensor([0]), 2),
        ValueError,
        ("For 'Gather'", "axis", "2"),
    ),
    Refusal(
        "mask-ints",
        lambda: ops.masked_fill(zeros(3), Tensor([1, 0, 1]), 0.0),
        TypeError,
        ("For 'MaskedFill'", "Bool"),
    ),
    Refusal(
        "where-shapes",
        lambda: ops.where(Tensor([True, False]), zeros(3), 0.0),
        ValueError,
        ("For 'Select'", "(2,)", "(3,)"),
    ),
]
