"""MindSpore's dtypes under all their names, and conversions to NumPy and Python types."""

from typing import TYPE_CHECKING

import ml_dtypes
import numpy as np

from sporax._src.diagnosis.rules import rejection

if TYPE_CHECKING:  # the dtypes by name: a stub, by tools/write_stubs.py
    from sporax._src.core.named import *  # noqa: F403  # pyright: ignore[reportMissingModuleSource]


class Type:
    """Base of all dtype objects, as `mindspore.dtype.Type`.

    `numpy_dtype`: NumPy's dtype, or None for an abstract dtype, such as `number`. `attribute`: its
    name in the package. `default`: the dtype of a tensor for an abstract dtype.

    >>> ms.float32, ms.float32.itemsize
    (mindspore.float32, 4)
    """

    def __init__(self, name, numpy_dtype, attribute, default=None):
        self.name, self.numpy_dtype, self.attribute = name, numpy_dtype, attribute
        self.default = numpy_dtype if default is None else default

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"mindspore.{self.attribute}"

    @property
    def itemsize(self):
        """Bytes of one element."""
        return to_numpy(self).itemsize

    @property
    def is_floating_point(self):
        """True for a floating dtype."""
        return isinstance(self, (Float, BFloat))

    @property
    def is_complex(self):
        """True for a complex dtype."""
        return isinstance(self, Complex)

    @property
    def is_signed(self):
        """True if elements may be negative."""
        return not isinstance(self, (UInt, Bool))

    def __eq__(self, other):
        return self is other or (isinstance(other, Type) and other.name == self.name)

    def __hash__(self):
        return hash(self.name)

    def __reduce__(self):
        return _by_name, (self.name,)


class Number(Type):
    """A dtype of numbers (or booleans)."""


class Float(Number):
    """A floating dtype."""


class BFloat(Number):
    """The floating dtypes with the exponents of float32: bfloat16."""


class Int(Number):
    """A signed integer dtype: `Int(32)` is int32, `Int()` any.

    >>> ms.Int(32) == ms.int32
    True
    """

    def __init__(self, name="Int", numpy_dtype=None, attribute="int", default=None):
        if isinstance(name, int):
            name, numpy_dtype, attribute = f"Int{name}", to_numpy(f"int{name}"), f"int{name}"
        super().__init__(name, numpy_dtype, attribute, default)


class UInt(Number):
    """An unsigned integer dtype."""


class Complex(Number):
    """A complex dtype."""


class Bool(Number):
    """The boolean dtype."""


class _NullType(Type):
    """The type of `_null`, for absent values."""

    def __init__(self, name="Null", numpy_dtype=None, attribute="Null", default=None):
        super().__init__(name, numpy_dtype, attribute, default)


# One row per dtype: class, MindSpore's name, NumPy's dtype, its names here.
_ROWS = [
    (Bool, "Bool", np.bool_, "bool bool_"),
    (Int, "Int8", np.int8, "int8 byte"),
    (Int, "Int16", np.int16, "int16 short"),
    (Int, "Int32", np.int32, "int32 intc"),
    (Int, "Int64", np.int64, "int64 intp long"),
    (UInt, "UInt8", np.uint8, "uint8 ubyte"),
    (UInt, "UInt16", np.uint16, "uint16 ushort"),
    (UInt, "UInt32", np.uint32, "uint32 uintc"),
    (UInt, "UInt64", np.uint64, "uint64 uintp"),
    (Float, "Float16", np.float16, "float16 half"),
    (Float, "Float32", np.float32, "float32 single"),
    (Float, "Float64", np.float64, "float64 double"),
    (BFloat, "BFloat16", ml_dtypes.bfloat16, "bfloat16"),
    (Float, "Float8E4M3FN", ml_dtypes.float8_e4m3fn, "float8_e4m3fn"),
    (Float, "Float8E5M2", ml_dtypes.float8_e5m2, "float8_e5m2"),
    (Complex, "Complex64", np.complex64, "complex64 cfloat"),
    (Complex, "Complex128", np.complex128, "complex128 cdouble"),
]

NAMES = {}  # every name of a dtype -> the dtype
_FROM_NUMPY = {}
_BY_NAME = {}
for _kind, _name, _numpy, _aliases in _ROWS:
    _type = _kind(_name, np.dtype(_numpy), _aliases.split()[0])
    _BY_NAME[_name] = _FROM_NUMPY[np.dtype(_numpy)] = _type
    NAMES.update(dict.fromkeys(_aliases.split(), _type))
globals().update({k: v for k, v in NAMES.items() if k != "bool"})
# builtin names, which this module needs itself; the string "int" is Int64, "float" Float64
_HIDDEN = {"bool": NAMES["bool"], "int": NAMES["int32"], "float": NAMES["float32"]}

# Abstract dtypes, and types that are not tensor dtypes: class, name, attribute, default if any.
_KINDS = [
    (Number, "Number", "number", None),
    (Int, "Int", "int", "Int64"),
    (UInt, "UInt", "uint", "UInt64"),
    (Float, "Float", "float", "Float32"),
    (Type, "Tensor", "tensor", None),
    (Type, "String", "string_", None),
    (Type, "List", "list_", None),
    (Type, "Tuple", "tuple_", None),
    (Type, "None", "type_none", None),
    (_NullType, "Null", "Null", None),
]
_KIND_BY_NAME = {
    name: kind(name, None, attribute, default and _BY_NAME[default].numpy_dtype)
    for kind, name, attribute, default in _KINDS
}
number, int_, uint, float_, tensor_type, string, list_, tuple_, type_none, _null = (
    _KIND_BY_NAME.values()
)
NAMES.update(
    number=number, int_=int_, uint=uint, float_=float_, tensor_type=tensor_type, string=string,
    list_=list_, tuple_=tuple_, type_none=type_none,
)  # fmt: skip

# the dtypes of a kind, in MindSpore's order
int_type, uint_type, complex_type = (
    tuple(t for t in _BY_NAME.values() if isinstance(t, kind)) for kind in (Int, UInt, Complex)
)
float_type = tuple(t for t in _BY_NAME.values() if t.is_floating_point)
number_type = int_type + uint_type + float_type + complex_type
signed_type = int_type + float_type + complex_type
all_types = (_BY_NAME["Bool"], *number_type)

# by NumPy kind; bfloat16 and float8_e4m3fn have kind 'V'
PYTHON_TYPES = {"b": bool, "i": int, "u": int, "f": float, "c": complex, "V": float}
_PYTHON = {bool: "Bool", int: "Int64", float: "Float64", complex: "Complex128"}
_PYTHON_OTHERS = {str: string, list: list_, tuple: tuple_, type(None): type_none}


def _by_name(name):
    return _BY_NAME.get(name) or _KIND_BY_NAME[name]


def from_numpy(dtype):
    """Return MindSpore's dtype for a NumPy dtype."""
    try:
        known = _FROM_NUMPY.get(dtype) or (
            None if dtype is None else _FROM_NUMPY.get(np.dtype(dtype))  # None would be float64
        )
    except (TypeError, ValueError):
        known = None
    if known is None:
        raise rejection("one-dtype-name", "Tensor", dtype=dtype, names=_BY_NAME)
    return known


def to_numpy(dtype):
    """Return NumPy's dtype for a MindSpore or NumPy dtype, a Python type or a name."""
    if isinstance(dtype, Type):
        if dtype.default is None:
            raise rejection("one-dtype-name", "Tensor", dtype=dtype, names=_BY_NAME)
        return dtype.default
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _BY_NAME[_PYTHON[dtype]].numpy_dtype
    if isinstance(dtype, str) and dtype in NAMES:
        return to_numpy(NAMES[dtype])
    return from_numpy(dtype).numpy_dtype


def dtype_to_nptype(type_):
    """Return NumPy's scalar type for a MindSpore dtype.

    >>> dtype_to_nptype(float32)
    <class 'numpy.float32'>
    """
    return to_numpy(type_).type


def dtype_to_pytype(type_):
    """Return Python's type for a MindSpore dtype: bool, int, float or complex.

    >>> ms.dtype_to_pytype(ms.float32)
    <class 'float'>
    """
    return PYTHON_TYPES[to_numpy(type_).kind]


def pytype_to_dtype(obj):
    """Return MindSpore's dtype for a Python or NumPy type.

    >>> ms.pytype_to_dtype(float)
    mindspore.float64
    """
    if isinstance(obj, Type):
        return obj
    if obj in _PYTHON:
        return _BY_NAME[_PYTHON[obj]]
    return _PYTHON_OTHERS[obj] if obj in _PYTHON_OTHERS else from_numpy(obj)


def get_py_obj_dtype(obj):
    """Return MindSpore's dtype for a Python object.

    >>> ms.get_py_obj_dtype(1.5)
    mindspore.float64
    """
    return pytype_to_dtype(obj.dtype if hasattr(obj, "dtype") else type(obj))


def issubclass_(type_, dtype):
    """Return True if `type_` is `dtype` or belongs to the abstract dtype `dtype`."""
    if not isinstance(type_, Type) or not isinstance(dtype, Type):
        return False
    kind = dtype.numpy_dtype is None and isinstance(dtype, Number)
    return type_ == dtype or (kind and isinstance(type_, type(dtype)))


def type_size_in_bytes(type_):
    """Return the size of an element, in bytes."""
    return to_numpy(type_).itemsize


# MindSpore's names of the same functions in its other modules
_issubclass_, _get_py_obj_dtype, _pytype_to_dtype = issubclass_, get_py_obj_dtype, pytype_to_dtype
_dtype_to_nptype, _dtype_to_pytype = dtype_to_nptype, dtype_to_pytype


def __getattr__(name) -> Number:
    if name in _HIDDEN:
        return _HIDDEN[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
