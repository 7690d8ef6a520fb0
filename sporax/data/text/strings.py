"""Input strings of text transforms: a str, a list, or an array of strings."""

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.data.operation import TensorOperation


def as_strings(who, value):
    """Return an array of strings."""
    array = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    if array.dtype.kind != "U":
        rule = "input-strings-no-bytes" if array.dtype.kind == "S" else "input-strings"
        fields = {"dtype": array.dtype, "shape": array.shape, "got": value}
        error = TypeError if array.dtype == object else RuntimeError
        raise rejection(rule, who, **fields, error=error)
    return array


def one_string(who, value):
    """Return a single str."""
    array = as_strings(who, value)
    require(not array.ndim, "input-one-string", who, shape=array.shape)
    return str(array)


def row_of_strings(who, value, ndims=(1,)):
    """Return an array of strings whose number of axes is in `ndims`."""
    array = as_strings(who, value)
    fits = array.ndim in ndims
    require(fits, "input-of-strings-with-axes", who, ndims=ndims, shape=array.shape)
    return array


class TextTensorOperation(TensorOperation):
    """Base of text transforms."""

    @property
    def _who(self):
        return type(self).__name__


class ElementwiseOperation(TextTensorOperation):
    """Base of transforms of each string of an array: `_string(text)` returns the new string."""

    def __call__(self, text):
        array = as_strings(self._who, text)
        changed = [self._string(str(each)) for each in array.ravel()]
        return np.array(changed, np.str_).reshape(array.shape)

    def _string(self, text):
        raise rejection("method-defined", self._who, other="_string")
