"""NumPy functions of Tensors, computed on the host with the elements as arrays."""

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax.ops.declare import attach

# these call the array's method of that name, with arguments that a Tensor's does not take
_OF_ARRAYS = frozenset(
    [np.all, np.amax, np.amin, np.any, np.max, np.mean, np.min, np.prod, np.std, np.sum, np.var]
)


def _array_function(self, function, types, args, kwargs):
    """Implement NumPy's call of `function(*args, **kwargs)` with Tensors among the arguments."""
    if function in _OF_ARRAYS:
        args = [_host(value) for value in args]
        kwargs = {name: _host(value) for name, value in kwargs.items()}
    return function._implementation(*args, **kwargs)


def _host(value):
    return value.asnumpy() if isinstance(value, Tensor) else value


attach("__array_function__", _array_function)
