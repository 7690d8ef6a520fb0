"""Rows for `sporax.ops.arithmetic`."""

import numpy as np

from sporax import ops
from sporax.core.tensor import Tensor
from tests.samples import Refusal, Sample

SAMPLES = [
    Sample("add", [(2, 3), (3,)], np.add),
    Sample("sub", [(2, 3), (2, 1)], np.subtract),
    Sample("mul", [(2, 3), (1, 3)], np.multiply),
    Sample("div", [(2, 3), (2, 3)], np.divide, range=(0.5, 2.0)),
]

REFUSALS = [
    Refusal(
        "add-shapes",
        lambda: ops.add(Tensor(np.ones((2, 3))), Tensor(np.ones((2, 4)))),
        ValueError,
        ("For 'Add'", "(2, 3)", "(2, 4)"),
    ),
]
