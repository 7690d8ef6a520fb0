"""`Initializer`, the registered names, and `initializer`, which creates Tensors."""

import math
import numbers
from typing import Any

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.errors import REFUSALS, refuse
from sporax._src.core.hooks import hooks
from sporax._src.core.signature_errors import Fitting, fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.diagnosis.sizes import check_size

ALIASES = {}  # lower-case name -> class


def register(*aliases):
    """Class decorator: register an initializer under its lower-case name and `aliases`.

    >>> @register("sevens")
    ... class Sevens(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[...] = 7
    >>> initializer("sevens", 2).asnumpy()
    array([7., 7.], dtype=float32)
    """

    def named(cls):
        for name in (cls.__name__.lower(), *aliases):
            ALIASES.setdefault(name, cls)
        return cls

    return named


class Initializer(Fitting):
    """Base class of initializers: a subclass fills an array in place in `_initialize(self, arr)`.

    `kwargs`: stored as `_kwargs`, only for printing and comparison.

    >>> class Ramp(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[...] = np.arange(arr.size).reshape(arr.shape)
    >>> initializer(Ramp(), (3,)).asnumpy()
    array([0., 1., 2.], dtype=float32)
    """

    def __init__(self, **kwargs):
        self._kwargs = kwargs

    def _initialize(self, arr):
        raise rejection("method--initialize-self-arr", type(self).__name__)

    def __call__(self, arr):
        """Fill a NumPy array in place."""
        return self._initialize(arr)

    def draw(self, shape, dtype=dtypes.float32):
        """Return a NumPy array of initial values."""
        check_size(type(self).__name__, shape, dtypes.to_numpy(dtype), "'shape'")
        array = np.zeros(shape, dtypes.to_numpy(dtype))
        try:
            self(array)
        except REFUSALS as cause:
            refuse(type(self).__name__, {**vars(self), "shape": shape}, cause)
            raise
        return array


@fitting
def initializer(init, shape=None, dtype: Any = dtypes.float32) -> Tensor:
    """Return a Tensor of initial values.

    `init`: an `Initializer`, the name of one (such as 'xavier_uniform'), a fill value, or a Tensor
    of that shape, which is returned unchanged. `shape`: an int, or a tuple or list of positive
    ints. The same `set_seed` gives the same values.

    >>> initializer("ones", (2, 2)).asnumpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    fits = isinstance(init, (Tensor, numbers.Number, str, Initializer))
    require(fits, "tensor-number-name-initializer", "initializer", init=init)
    if isinstance(init, Tensor):
        return _as_given(init, shape)
    shape = _checked(shape)
    if isinstance(init, str):
        init = named(init)
    elif not isinstance(init, Initializer):
        init = ALIASES["constant"](init)
    return Tensor(shape=shape, dtype=dtype, init=init)


hooks.initial_value = initializer


def named(name):
    """Return the initializer called `name`, with default arguments."""
    cls = ALIASES.get(name.lower())
    if cls is None:
        raise rejection("name-initializer", "initializer", init=name, names=sorted(ALIASES))
    try:
        return cls()
    except TypeError:
        fields = {"argument": name, "cls": cls.__name__}
        raise rejection("cannot-made-name-alone", "initializer", **fields) from None


def _as_given(tensor, shape):
    wanted = tensor.shape if shape is None else _checked(shape)
    fits, got = tensor.shape == wanted, tensor.shape
    require(fits, "shape-init-shape", "initializer", wanted=wanted, got=got)
    return tensor


def _checked(shape):
    sizes: Any = (shape,) if isinstance(shape, numbers.Number) else shape
    good = isinstance(sizes, (tuple, list)) and all(
        isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n > 0 for n in sizes
    )
    sizes = tuple(sizes) if isinstance(sizes, list) else sizes
    require(good, "positive-int-tuple-list", "initializer", shape=sizes)
    return tuple(int(n) for n in sizes)


def fans(shape):
    """Return (fan_in, fan_out) of a weight with shape (outputs, inputs, *kernel).

    >>> fans((16, 3, 5, 5))
    (75, 400)
    """
    if len(shape) < 2:
        raise rejection("weight-at-least-2-dimensions", "initializer", shape=tuple(shape))
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


def assign(array, data):
    """Copy data (an array or a number) into an array in place; returns the array."""
    array[...] = data
    return array
