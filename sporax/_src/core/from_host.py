"""Conversion of user data (numbers, NumPy arrays, nested lists) to a NumPy array of one dtype."""

import operator
from typing import Any

import ml_dtypes
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.value import Aval, Meta, UnknownShape, is_unknown
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.diagnosis.sizes import check_size

NUMBERS = (bool, int, float, complex)


def is_numpy_scalar(data):
    """Return True if `data` is a NumPy scalar or 0-d array: operations treat it as a number."""
    return isinstance(data, np.generic) or (isinstance(data, np.ndarray) and data.ndim == 0)


def python_number(scalar):
    """Return the Python number of a NumPy scalar or 0-d array; the scalar itself if it is not
    numeric (a string, a date)."""
    convert = getattr(scalar, "_as_python", None)  # of a placeholder for a scalar in a capture
    if convert is not None:
        return convert()
    dtype = scalar.dtype
    python_type = None if dtype.type is np.void else dtypes.PYTHON_TYPES.get(dtype.kind)
    return scalar if python_type is None else python_type(scalar)


NUMPY_NUMBERS = tuple([np.dtype(code).type for code in "bBhHiIlLqQefd"])
SCALARS = frozenset([*NUMPY_NUMBERS, np.bool_, np.complex64, np.complex128, ml_dtypes.bfloat16])
HOLDING = SCALARS | {tuple, list, dict}  # classes of the objects that `plain` may replace


def plain(data) -> Any:
    """Replace NumPy scalars in an argument by Python numbers, also in tuples, lists and dicts.

    Returns the same object if there are none.
    """
    kind = data.__class__
    if kind is tuple or kind is list:
        if HOLDING.isdisjoint([item.__class__ for item in data]):
            return data
        converted = [plain(item) for item in data]
        same = all(map(operator.is_, converted, data))
        return data if same else kind(converted)
    if kind is dict:
        converted = {key: plain(item) for key, item in data.items()}
        return data if all(map(operator.is_, converted.values(), data.values())) else converted
    return python_number(data) if kind in SCALARS else data


def host_array(data, wanted):
    """Convert numbers, NumPy data or nested lists to a NumPy array, of dtype `wanted` if given."""
    if isinstance(data, (list, tuple, range)):
        array = _nested(data)
    elif isinstance(data, (np.ndarray, np.generic, *NUMBERS)):
        array = np.asarray(data)
    else:
        raise rejection("tensor-number-numpy-array", "Tensor", input_data=data)
    is_number, dtype = array.dtype.kind not in _NO_NUMBERS, array.dtype
    error = RuntimeError if isinstance(data, int) else None  # as in MindSpore
    require(is_number, "hold-numbers-at-most-64", "Tensor", error, input_data=data, dtype=dtype)
    if wanted is None:
        if not isinstance(data, (np.ndarray, np.generic)):
            return array.astype(_DEFAULTS.get(array.dtype, array.dtype), copy=False)
        return array.astype(dtypes.from_numpy(array.dtype).numpy_dtype, copy=False)
    with np.errstate(invalid="ignore", over="ignore"):  # NaN into integers, infinities
        return array.astype(wanted, copy=False)


def blank(shape, dtype, is_meta=False):
    """Return the data of a Tensor without `input_data`: zeros, a `Meta`, or an
    `UnknownShape`."""
    if dtype is None:
        raise rejection("given-shape-dtype-init", "Tensor", argument="input_data")
    if shape is None or (isinstance(shape, (tuple, list)) and any(map(is_unknown, shape))):
        return UnknownShape(shape, dtypes.to_numpy(dtype))
    if is_meta:
        return Meta(Aval.intern(tuple(np.atleast_1d(shape).tolist()), dtypes.to_numpy(dtype)))
    check_size("Tensor", np.atleast_1d(shape).tolist(), dtypes.to_numpy(dtype), "'shape'")
    return np.zeros(shape, dtypes.to_numpy(dtype))


_NO_NUMBERS = "SUOMm"

# defaults for Python numbers and nested lists
_DEFAULTS = {np.dtype(np.float64): np.dtype(np.float32), np.dtype(np.int32): np.dtype(np.int64)}


def _nested(data):
    def plain(item):
        if hasattr(item, "asnumpy"):
            return item.asnumpy()
        return [plain(i) for i in item] if isinstance(item, (list, tuple)) else item

    try:
        array = np.array(plain(data))
    except ValueError:
        array = None
    if array is None or array.dtype.kind in _NO_NUMBERS:
        raise rejection("rows-input-data-numbers-equally", "Tensor", got=data)
    return array
