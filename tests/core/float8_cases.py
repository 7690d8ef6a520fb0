"""Expressions of `test_float8.py`, for MindSpore and for sporax."""

NAMES = ["float8_e4m3fn", "float8_e5m2"]
VALUES = [1.5, -2.25, 300.0, 1e-3, 0.0]
EXPRESSIONS = [
    "dtype", "str(dtype)", "dtype == ms.float32", "isinstance(dtype, ms.Type)", "x", "x.dtype",
    "x.itemsize", "x.nbytes", "x.shape", "x.is_floating_point()", "ms.Tensor(x)",
    "ms.Tensor(1.5, dtype)", "ms.tensor([1.0], dtype=dtype)",
    "ms.Tensor([1.0, float('nan'), float('inf'), 1e9], dtype)", "ms.Tensor([1, 2], dtype)",
    "ms.Tensor([[1.0, 2.5], [-3.0, 0.1]], dtype)",
]  # fmt: skip
