"""Rows for `sporax.ops.fft.transforms`; every name is called in `tests/ops/test_fft.py`."""

import numpy as np
import scipy.fft

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def transformed(x, kind, sizes=None, axes=None, norm=None):
    return getattr(scipy.fft, f"{kind}n")(x, sizes, axes, norm)


SAMPLES = [
    Sample("fft_of_kind", [(2, 4)], transformed, {"kind": kind, **more}, rtol=1e-4, atol=1e-5)
    for kind, more in [
        ("fft", {}),
        ("ifft", {"sizes": (3,), "axes": (0,)}),
        ("rfft", {"norm": "ortho"}),
        ("irfft", {"axes": (1,)}),
        ("hfft", {"norm": "forward"}),
        ("ihfft", {"axes": (0, 1)}),
    ]
]

REFUSALS = [
    Refusal("fft-norm", lambda: ops.fft(Tensor([1.0]), norm="half"), ValueError,
            ("'norm'", "half")),
    Refusal("rfft-complex", lambda: ops.rfft(Tensor(np.ones(2, np.complex64))), ValueError,
            ("'input'", "real")),
]  # fmt: skip
