"""Rows for `sporax.ops.random.dropout`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample

BITS = np.array([[True, False, True, True] * 4, [False] * 15 + [True]])
MASK = np.packbits(BITS, bitorder="little")
SAMPLES = [
    Sample("packed_bits", [BITS.ravel()],
           lambda x: x.reshape(-1, 8) @ (1 << np.arange(8))),
    Sample("dropout_by_mask", [(2, 16), MASK, np.array(0.8, np.float32)],
           lambda x, mask, keep: np.where(BITS, x / keep, 0), range=(0.5, 2.0)),
]  # fmt: skip

REFUSALS = [
    Refusal("dropout-mask", lambda: ops.DropoutDoMask()(ops.ones((3, 8)), ops.ones((3,)), 0.5),
            ValueError, ("'DropoutDoMask'", "24 elements", "(3,)")),
]  # fmt: skip
