"""Rows for `sporax.ops.row_updates`."""

import numpy as np

from sporax import ops
from sporax.core.tensor import Tensor
from tests.samples import Refusal, Sample


def updated(x, v, at, how="set"):
    y = x.copy()
    if how == "set":
        y[at] = v
    else:
        np.add.at(y, at, v)
    return y


SAMPLES = [
    Sample("rows_updated", [(4, 2), (2, 2), np.array([3, 1])], updated),
    Sample("rows_updated", [(4, 2), (3, 2), np.array([3, 1, 3])], updated, {"how": "add"}),
]

REFUSALS = [
    Refusal(
        "inplace-outside",
        lambda: ops.inplace_add(Tensor([1.0]), Tensor([1.0]), 1),
        ValueError,
        ("For 'InplaceUpdate'", "'indices'", "[-1, 1)"),
    ),
    Refusal(
        "inplace-shape",
        lambda: ops.inplace_update(Tensor([[1.0]]), Tensor([1.0]), 0),
        ValueError,
        ("'v'", "shape (1,)"),
    ),
]
