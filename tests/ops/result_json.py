"""Results of calls as JSON: read by the tests, written by `tools.record parity`.

It needs only NumPy, so that it runs with MindSpore and with sporax.
"""

import numpy as np

_NAMES = {"torch.bool": "Bool", "torch.bfloat16": "BFloat16", "torch.uint8": "UInt8"} | {
    f"torch.{kind}{bits}": f"{kind.capitalize()}{bits}"
    for kind in ("int", "float", "complex")
    for bits in (8, 16, 32, 64, 128)
}  # of PyTorch's dtypes
MOST = 64  # elements that are kept one by one; more are kept as a digest


def described(result):
    """Convert Tensors to [dtype, shape, numbers], and tuples and lists of them to lists."""
    if isinstance(result, (tuple, list)):
        return [described(r) for r in result]
    if not hasattr(result, "asnumpy"):
        return repr(result)
    dtype = _NAMES.get(str(result.dtype), str(result.dtype))
    array = (result.float() if dtype == "BFloat16" else result).asnumpy()
    return [dtype, list(array.shape), numbers(array)]


def numbers(array):
    """Return the elements as a list; three weighted means if there are more than `MOST`."""
    flat = array.reshape(-1)
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if flat.size > MOST:
        wide = flat.astype(np.float64)
        flat = np.stack(
            [wide.mean(), np.abs(wide).mean(), (wide * np.cos(range(wide.size))).mean()]
        )
    if flat.dtype.kind == "f":
        return [float(f"{number:.8g}") for number in flat.tolist()]
    return [int(number) for number in flat.tolist()]


def tensors_in(outcome):
    """Return the [dtype, shape, numbers] of a result as a flat list."""
    if isinstance(outcome, str) or (outcome and isinstance(outcome[0], str)):
        return [outcome]
    return [tensor for part in outcome for tensor in tensors_in(part)]


def assert_recorded(result, recorded, rtol, atol):
    """Assert that the result has the recorded dtypes and shapes, and elements within `rtol` and
    `atol`."""
    found, expected = tensors_in(described(result)), tensors_in(recorded)
    assert [x[:2] for x in found] == [x[:2] for x in expected]
    for (*_, values), (*_, wanted) in zip(found, expected, strict=True):
        np.testing.assert_allclose(values, wanted, rtol, atol)


def packed(array):
    """Convert an input to JSON data."""
    flat = array.reshape(-1)
    flat = flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat
    return [array.dtype.name, array.shape, flat.tolist()]


def unpacked(dtype, shape, flat):
    kind = np.dtype(dtype)
    real = np.zeros(0, kind).real.dtype
    return np.array(flat, real).view(kind).reshape(shape)
