"""Rows for `sporax.ops.fft.spectrum`."""

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def fourier(x, signal_ndim, inverse, real, norm="backward", onesided=True, signal_sizes=()):
    axes = tuple(range(-signal_ndim, 0))
    if real and onesided:
        kind = np.fft.irfftn if inverse else np.fft.rfftn
        return kind(x, signal_sizes or None, axes=axes, norm=norm)
    out = (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=axes, norm=norm)
    return out.real if real and inverse else out


def vectors(x, full_matrices=False):
    """With the signs that JAX's routine gives, which is the one NumPy has too."""
    u, s, v = np.linalg.svd(x, full_matrices)
    return s, u, v.swapaxes(-1, -2)


HALF = np.array([[3.0, 1 - 2j, -0.5 + 1j], [1j, 2.0, 0.3 - 1j]])
REAL = {"signal_ndim": 1, "inverse": False, "real": True}
BACK = {"signal_ndim": 1, "inverse": True, "real": True}

SAMPLES = [
    Sample("fft_with_size", [(2, 5)], fourier, REAL, sharp="complex results"),
    Sample("fft_with_size", [(2, 3, 4)], fourier, REAL | {"signal_ndim": 2, "norm": "ortho"},
           sharp="complex results"),
    Sample("fft_with_size", [(2, 4)], fourier, REAL | {"onesided": False}, sharp="complex results"),
    Sample("fft_with_size", [HALF], fourier, BACK | {"signal_sizes": (5,)},
           sharp="imaginary parts that do not count"),
    Sample("fft_with_size", [HALF], fourier, BACK | {"onesided": False}),
    Sample("fft_with_size", [HALF], fourier,
           {"signal_ndim": 2, "inverse": True, "real": False, "norm": "forward"}),
    Sample("svdvals", [(2, 3, 2)], lambda x: np.linalg.svd(x, compute_uv=False)),
    Sample("svd_with_vectors", [(3, 2)], vectors),
    Sample("svd_with_vectors", [(2, 3, 2)], vectors, {"full_matrices": True},
           sharp="vectors of the null space are free"),
]  # fmt: skip

X = ops.ones((2, 3))
REFUSALS = [
    Refusal("fft-dims", lambda: ops.FFTWithSize(4, False, False)(X), ValueError, ("'signal_nd",)),
    Refusal("fft-norm", lambda: ops.FFTWithSize(1, False, True, "x")(X), ValueError, ("'norm'",)),
    Refusal("fft-dtype", lambda: ops.FFTWithSize(1, True, True)(X), TypeError, ("complex",)),
    Refusal("fft-one", lambda: ops.FFTWithSize(1, True, True)(Tensor(np.ones(1, np.complex64))),
            ValueError, ("'signal_sizes'", "(1,)")),
    Refusal("svd-dims", lambda: ops.svd(X[0]), ValueError, ("'svd'", "(..., M, N)", "(3,)")),
    Refusal(
        "sparse", lambda: ops.SparseTensorDenseMatmul()(Tensor([[0, 0]]), X[0, :1], (2, 2), X.T),
        ValueError, ("'SparseTensorDenseMatmul'", "(2, 2)", "(3, 2)"),
    ),
]  # fmt: skip
