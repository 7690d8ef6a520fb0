"""Fourier transforms by all their names, against SciPy's."""

import numpy as np
import pytest
import scipy.fft

import sporax.numpy.fft as in_numpy
from sporax import ops
from sporax._src.core.tensor import Tensor

pytestmark = pytest.mark.usefixtures("on_numpy")

rng = np.random.default_rng(2)
REAL = rng.uniform(-1, 1, (3, 4, 5))
COMPLEX = REAL + 1j * rng.uniform(-1, 1, (3, 4, 5))
KINDS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_transforms_are_scipys(kind, norm):
    x = REAL if kind in ("rfft", "ihfft") else COMPLEX
    rows = [
        ("", {}, {}), ("", {"n": 6, "dim": 0}, {"n": 6, "axis": 0}),
        ("2", {}, {}), ("n", {}, {}),
        ("n", {"s": (4, 3), "dim": (0, 2)}, {"s": (4, 3), "axes": (0, 2)}),
    ]  # fmt: skip
    for letters, actual, reference in rows:
        expected = getattr(scipy.fft, kind + letters)(x, norm=norm, **reference)
        result = getattr(ops, kind + letters)(Tensor(x), norm=norm, **actual)
        np.testing.assert_allclose(
            result.asnumpy(), expected, 1e-9, 1e-12, err_msg=f"{letters}{actual}"
        )
        result = getattr(in_numpy, kind + letters)(Tensor(x), norm=norm, **reference)
        np.testing.assert_allclose(result.asnumpy(), expected, 1e-9, 1e-12)


def test_frequencies_and_shifts_are_numpys():
    for n in (4, 5):
        x = np.arange(n * 3).reshape(n, 3)
        for name in ("fftfreq", "rfftfreq"):
            expected = getattr(np.fft, name)(n, 0.5)
            np.testing.assert_allclose(getattr(ops, name)(n, 0.5).asnumpy(), expected)
            np.testing.assert_allclose(getattr(in_numpy, name)(n, 0.5).asnumpy(), expected)
        for name in ("fftshift", "ifftshift"):
            for axis in (None, 1, (0, 1)):
                expected = getattr(np.fft, name)(x, axis)
                np.testing.assert_array_equal(
                    getattr(ops, name)(Tensor(x), axis).asnumpy(), expected
                )
                result = getattr(in_numpy, name)(Tensor(x), axes=axis).asnumpy()
                np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (AttributeError, r"numpy\.fft\.none", lambda: in_numpy.none),
        (ValueError, "'norm'", lambda: ops.fft(Tensor(REAL), norm="half")),
        (ValueError, "real", lambda: ops.rfft(Tensor(COMPLEX))),
    ],
)
def test_what_is_not_there_is_named(error, message, call):
    with pytest.raises(error, match=message):
        call()
