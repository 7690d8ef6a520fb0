"""Float32 Tensors from numbers, results compared with expected results, and printed text."""

import contextlib
import io

import numpy as np

from sporax import Tensor


def tensor(*values):
    return Tensor(np.array(values, np.float32))


def to_numpy(result):
    """Convert a result to NumPy arrays, with lists for its tuples and lists."""
    if isinstance(result, (tuple, list)):
        return [to_numpy(item) for item in result]
    return np.asarray(result.asnumpy() if isinstance(result, Tensor) else result)


def assert_same(result, expected, **tolerance):
    """Assert that the arrays are equal, or close within `rtol` and `atol`."""
    result, expected = (x if isinstance(x, (tuple, list)) else [x] for x in (result, expected))
    for a, b in zip(to_numpy(result), to_numpy(expected), strict=True):
        if tolerance:
            np.testing.assert_allclose(a, b, **tolerance)
        else:
            np.testing.assert_array_equal(a, b)


def printed(function, *args):
    """Return what a call prints to (stdout, stderr)."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        function(*args)
    return out.getvalue(), err.getvalue()
