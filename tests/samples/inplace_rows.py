"""Rows for `sporax.ops.indexing.inplace_rows`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def replaced(x, v, indices):
    y = x.copy()
    y[indices] = v
    return y


def increased(x, v, indices, sign=1):
    y = x.copy()
    np.add.at(y, indices, sign * v)
    return y


SAMPLES = [
    Sample("inplace_update", [(4, 2), (2, 2), np.array([3, 1])], replaced),
    Sample("inplace_add", [(4, 2), (3, 2), np.array([3, 1, 3])], increased),
    Sample("inplace_sub", [(4, 2), (3, 2), np.array([3, 1, 3])], lambda *a: increased(*a, -1)),
]

REFUSALS = [
    Refusal(
        "inplace-outside",
        lambda: ops.inplace_add(Tensor([1.0]), Tensor([1.0]), 1),
        ValueError,
        ("For 'InplaceAdd'", "'indices'", "[-1, 1)"),
    ),
    Refusal(
        "inplace-shape",
        lambda: ops.inplace_update(Tensor([[1.0]]), Tensor([1.0]), 0),
        ValueError,
        ("'v'", "shape (1,)"),
    ),
]
