"""MindSpore's dtypes under all their names, and the rule by which operands meet."""

import ml_dtypes
import numpy as np


class Type:
    """Base of all dtype objects, as `mindspore.dtype.Type`."""

    def __init__(self, name, numpy_dtype=None, alias=None):
        self.name, self.numpy_dtype, self.attribute = name, numpy_dtype, alias or name.lower()

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"mindspore.{self.attribute}"

    def __eq__(self, other):
        return self is other or (isinstance(other, Type) and other.name == self.name)

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return (_by_name, (self.name,))


class Number(Type):
    """A dtype of numbers (or booleans)."""


class Float(Number):
    """A floating dtype."""


class Int(Number):
    """A signed integer dtype."""


class UInt(Number):
    """An unsigned integer dtype."""


class Complex(Number):
    """A complex dtype."""


class Bool(Number):
    """The boolean dtype."""


# One row a dtype: class, MindSpore's name, NumPy's dtype, the names it goes by.
_ROWS = [
    (Bool, "Bool", np.bool_, "bool bool_"),
    (Int, "Int8", np.int8, "int8 byte"),
    (Int, "Int16", np.int16, "int16 short"),
    (Int, "Int32", np.int32, "int32 intc"),
    (Int, "Int64", np.int64, "int64 intp int_"),
    (UInt, "UInt8", np.uint8, "uint8 ubyte"),
    (UInt, "UInt16", np.uint16, "uint16 ushort"),
    (UInt, "UInt32", np.uint32, "uint32 uintc"),
    (UInt, "UInt64", np.uint64, "uint64 uintp uint"),
    (Float, "Float16", np.float16, "float16 half"),
    (Float, "Float32", np.float32, "float32 single"),
    (Float, "Float64", np.float64, "float64 double"),
    (Float, "BFloat16", ml_dtypes.bfloat16, "bfloat16"),
    (Complex, "Complex64", np.complex64, "complex64"),
    (Complex, "Complex128", np.complex128, "complex128"),
]

NAMES = {}  # every name a dtype goes by -> the dtype
_FROM_NUMPY = {}
_BY_NAME = {}
for _kind, _name, _numpy, _aliases in _ROWS:
    _type = _kind(_name, np.dtype(_numpy), _aliases.split()[0])
    _BY_NAME[_name] = _FROM_NUMPY[np.dtype(_numpy)] = _type
    NAMES.update(dict.fromkeys(_aliases.split(), _type))
globals().update({k: v for k, v in NAMES.items() if k != "bool"})

number = Number("Number", alias="number")
int_type, uint_type, float_type = Int("Int"), UInt("UInt"), Float("Float")
tensor_type, string, type_none = Type("Tensor"), Type("String"), Type("None")
NAMES.update(float_=_BY_NAME["Float32"], number=number, string=string)
float_ = _BY_NAME["Float32"]

_PYTHON = {bool: "Bool", int: "Int64", float: "Float32", complex: "Complex64"}


def _by_name(name):
    return _BY_NAME[name]


def from_numpy(dtype):
    """MindSpore's dtype for a NumPy dtype."""
    found = _FROM_NUMPY.get(dtype)
    if found is None:
        found = _FROM_NUMPY.get(np.dtype(dtype))
    if found is None:
        raise TypeError(
            f"For 'Tensor', a dtype must be one of {', '.join(_BY_NAME)}, but got {dtype}. "
            "Convert the data first, e.g. with 'numpy.ndarray.astype'."
        )
    return found


def to_numpy(dtype):
    """NumPy's dtype for whatever names one: a MindSpore or NumPy dtype, a Python type, a name."""
    if isinstance(dtype, Type):
        if dtype.numpy_dtype is None:
            raise TypeError(f"'{dtype}' is a kind of dtypes, not a dtype that a tensor can have.")
        return dtype.numpy_dtype
    if dtype in _PYTHON:
        return _BY_NAME[_PYTHON[dtype]].numpy_dtype
    if isinstance(dtype, str) and dtype in NAMES:
        return NAMES[dtype].numpy_dtype
    return from_numpy(dtype).numpy_dtype


def dtype_to_nptype(type_):
    """NumPy's scalar type for a MindSpore dtype.

    >>> dtype_to_nptype(float32)
    <class 'numpy.float32'>
    """
    return to_numpy(type_).type


def dtype_to_pytype(type_):
    """Python's type for a MindSpore dtype: bool, int, float or complex."""
    kind = to_numpy(type_).kind
    return {"b": bool, "i": int, "u": int, "c": complex}.get(kind, float)


def pytype_to_dtype(obj):
    """MindSpore's dtype for a Python or NumPy type."""
    if isinstance(obj, Type):
        return obj
    if obj in _PYTHON:
        return _BY_NAME[_PYTHON[obj]]
    return from_numpy(obj)


def get_py_obj_dtype(obj):
    """MindSpore's dtype for a Python object."""
    return pytype_to_dtype(obj.dtype if hasattr(obj, "dtype") else type(obj))


def issubclass_(type_, dtype):
    """Whether `type_` is `dtype` or one of the kind that `dtype` names."""
    if not isinstance(type_, Type) or not isinstance(dtype, Type):
        return False
    return type_ == dtype or (dtype.numpy_dtype is None and isinstance(type_, type(dtype)))


_issubclass_ = issubclass_
