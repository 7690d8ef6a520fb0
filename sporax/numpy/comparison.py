"""Dtype promotion, and equality of whole arrays."""

import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.numpy.faces import array_of, as_tensors, composite, dtype_of, promoted
from sporax.numpy.manipulation import common_shape


@composite(numpy=True)
def promote_types(type1, type2) -> dtypes.Type:
    """Return the promoted dtype of two dtypes.

    >>> promote_types("int32", "float16")
    mindspore.float16
    """
    return promoted(dtype_of(type1), dtype_of(type2))


@composite(numpy=True)
def result_type(*arrays_and_dtypes) -> dtypes.Type:
    """Return the promoted dtype of Tensors, numbers and dtypes.

    >>> result_type(Tensor([1]), 2.5)
    mindspore.float32
    """

    def kind(x):
        if isinstance(x, (Tensor, bool, int, float)) and not isinstance(x, type):
            return array_of(x).dtype
        return dtype_of(x)

    require(arrays_and_dtypes, "at-least-one-array-dtype", "numpy.result_type")
    dtype = kind(arrays_and_dtypes[0])
    for x in arrays_and_dtypes[1:]:
        dtype = promoted(dtype, kind(x))
    return dtype


@composite(numpy=True)
def isscalar(element) -> bool:
    """Return True if `element` is a number or a string, not a Tensor or a sequence.

    >>> isscalar(3.5)
    True
    """
    return isinstance(element, (bool, int, float, complex, str, np.generic))


@composite(numpy=True)
def array_equal(a1, a2, equal_nan=False):
    """Return a 0-d Bool: True if shapes and elements are equal (`equal_nan`: NaN equals NaN).

    >>> array_equal([1, 2], [1, 2]).item()
    True
    """
    kinds.BOOL("numpy.array_equal", equal_nan=equal_nan)
    a, b = as_tensors(a1, a2)
    if a.shape != b.shape:
        return Tensor(False)
    same = ops.equal(a, b)
    if equal_nan:
        same = ops.logical_or(same, ops.logical_and(ops.isnan(a), ops.isnan(b)))
    return same.all()


@composite(numpy=True)
def array_equiv(a1, a2):
    """Return a 0-d Bool: True if the arrays broadcast together and their elements are equal.

    >>> array_equiv([1, 1], [[1], [1]]).item()
    True
    """
    a, b = as_tensors(a1, a2)
    try:
        common_shape("array_equiv", a, b)
    except ValueError:
        return Tensor(False)
    return ops.equal(a, b).all()
