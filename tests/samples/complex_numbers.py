"""Rows for `sporax.ops.math.complex_numbers`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

Z = np.array([1 + 2j, -3 - 4j, 0.5j], np.complex64)

SAMPLES = [
    *[Sample(name, [Z], getattr(np, name)) for name in ["real", "imag", "conj", "angle"]],
    *[Sample(name, [(2, 3)], getattr(np, name)) for name in ["real", "imag", "conj"]],
    Sample("angle", [(2, 3)], np.angle),
    Sample("isreal", [Z * [1, 1, 0]], np.isreal),
    Sample("view_as_real", [Z], lambda z: np.stack([z.real, z.imag], -1)),
    Sample("complex_of_class", [(2, 3), (2, 3)], lambda a, b: a + 1j * b),
    Sample("polar", [(2, 3), (2, 3)], lambda r, t: r * np.exp(1j * t)),
]

REFUSALS = [
    Refusal(
        "complex-of-two-dtypes",
        lambda: ops.Complex()(Tensor([1.0]), Tensor(np.array([1.0]))),
        TypeError,
        ("For 'Complex'", "both Float64"),
    ),
    Refusal(
        "view_as_real-of-real", lambda: ops.view_as_real(Tensor([1.0])), TypeError, ("complex",)
    ),
    Refusal("H-of-a-vector", lambda: Tensor([1.0]).H, ValueError, ("2 dimensions", "'mH'")),
]
