"""Rows for `sporax.ops.nn.padding`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

NUMPY = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def padded(x, value=None, *, paddings, mode):
    options = {} if value is None else {"constant_values": value}
    return np.pad(x, paddings, NUMPY[mode], **options)


AROUND = ((0, 1), (2, 1))

SAMPLES = [
    *[
        Sample("pad_each_side", [(2, 3)], padded, {"paddings": AROUND, "mode": mode})
        for mode in NUMPY
    ],
    Sample("pad_each_side", [(2, 3), ()], padded, {"paddings": AROUND, "mode": "constant"}),
    Sample(
        "pad_each_side", [(3, 4)], lambda x, paddings, mode: np.pad(x, ((0, 2), (0, 0)))[1:, :-2],
        {"paddings": ((-1, 2), (0, -2)), "mode": "constant"},
    ),
    Sample(
        "pad_each_side", [np.array([[True, False]])], padded,
        {"paddings": ((0, 1), (1, 0)), "mode": "constant"},
    ),
]  # fmt: skip

X = Tensor([[1.0, 2.0, 3.0]])
REFUSALS = [
    Refusal("pad-odd", lambda: ops.pad(X, (1,)), ValueError, ("For 'pad'", "'padding'", "got 1")),
    Refusal("pad-many", lambda: ops.pad(X, (1,) * 6), ValueError, ("at most 2 axes", "got 6")),
    Refusal("pad-float", lambda: ops.pad(X, (1.5, 1)), TypeError, ("'padding' must be integers",)),
    Refusal("pad-mode", lambda: ops.pad(X, (1, 1), "x"), ValueError, ("'mode'", "'reflect'")),
    Refusal(
        "pad-reflect", lambda: ops.pad(X, (3, 0), "reflect"), ValueError, ("at most 2", "size 3")
    ),
    Refusal(
        "pad-value", lambda: ops.pad(X, (1, 0), "reflect", 1), ValueError, ("'value'", "None")
    ),
    Refusal(
        "mirror-mode", lambda: ops.MirrorPad("x")(X, ((0, 0), (1, 1))), ValueError, ("'SYMMETRIC'",)
    ),
]  # fmt: skip
