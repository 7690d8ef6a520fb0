"""Float32 Tensors from numbers, results compared with expected results, and printed text."""

import contextlib
import io

import numpy as np

from sporax import Tensor


def tensor(*values):
    return Tensor(np.array(values, np.float32))


def to_numpy(result):
    """A result as NumPy arrays, in lists where it has tuples or lists."""
    if isinstance(result, (tuple, list)):
        return [to_numpy(item) for item in result]
    return np.asarray(result.asnumpy() if isinstance(result, Tensor) else result)


def assert_same(result, expected, **tolerance):
    """The arrays are equal, or as near as `rtol` and `atol` allow."""
    result, expected = (x if isinstance(x, (tuple, list)) else [x] for x in (result, expected))
    for a, b in zip(to_numpy(result), to_numpy(expected), strict=True):
        if tolerance:
            np.testing.assert_allclose(a, b, **tolerance)
        else:
            np.testing.assert_array_equal(a, b)


def printed(function, *args):
    """What a call prints, to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        function(*args)
    return out.getvalue(), err.getvalue()
