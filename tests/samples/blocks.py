"""Rows for `sporax.ops.shape.blocks`."""

import itertools

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def places_of_block(at, block):
    return tuple(slice(i, None, b) for i, b in zip(at, block, strict=True))


def space_to_batch(x, block_size, paddings):
    """Each place of a block is a strided slice; the batch is within the places."""
    first = x.ndim - len(block_size)
    x = np.pad(x, [(0, 0)] * first + [tuple(p) for p in paddings])
    places = itertools.product(*map(range, block_size))
    return np.concatenate([
        x[(slice(None),) * first + places_of_block(at, block_size)] for at in places
    ])  # fmt: skip


def batch_to_space(x, block_shape, crops):
    first = x.ndim - len(block_shape)
    sizes = [w * b for w, b in zip(x.shape[first:], block_shape, strict=True)]
    parts = np.split(x, np.prod(block_shape))
    whole = np.zeros((len(parts[0]), *x.shape[1:first], *sizes))
    for part, at in zip(parts, itertools.product(*map(range, block_shape)), strict=True):
        whole[(slice(None),) * first + places_of_block(at, block_shape)] = part
    cut = tuple(slice(a, n - b) for n, (a, b) in zip(sizes, crops, strict=True))
    return whole[(slice(None),) * first + cut]


PADS = ((0, 2), (1, 2))
SAMPLES = [
    Sample("space_to_batch_nd", [(2, 2, 2, 3)], space_to_batch,
           {"block_size": (2, 3), "paddings": PADS}),
    Sample("space_to_batch_nd", [(2, 4)], space_to_batch,
           {"block_size": (2,), "paddings": ((0, 0),)}),
    Sample("batch_to_space", [(12, 2, 2, 3)], batch_to_space,
           {"block_shape": (2, 3), "crops": ((0, 1), (2, 0))}),
]  # fmt: skip

X = ops.ones((4, 1, 2, 3))
REFUSALS = [
    Refusal(f"blocks-{name}", call, error, says)
    for name, call, error, says in [
        ("multiple", lambda: ops.space_to_batch_nd(X, 2, [[0, 0], [0, 0]]), ValueError,
         ("'SpaceToBatchND'", "(2, 3)", "multiples of (2, 2)")),
        ("crops", lambda: ops.batch_to_space_nd(X, 2, [[1, 3], [0, 0]]), ValueError,
         ("'BatchToSpaceND'", "'crops'", "[4, 6]")),
        ("batch", lambda: ops.BatchToSpace(3, [[0, 0], [0, 0]])(X), ValueError, ("multiple of 9",)),
        ("block", lambda: ops.batch_to_space_nd(X, 0, [[0, 0], [0, 0]]), ValueError,
         ("'block_shape'", "at least 1", "0")),
        ("pairs", lambda: ops.SpaceToBatchND(2, [[0, -1]])(X), ValueError,
         ("'paddings'", "((0, -1),)")),
        ("no pairs", lambda: ops.SpaceToBatchND(2, 3)(X), ValueError, ("'paddings'", "3")),
    ]
]  # fmt: skip
