"""NumPy faces of declarations: numbers and lists are accepted as arrays, `dtype` casts the result.

A face is compiled at the first access of its name. Its operands (parameters annotated `Array`, also
in composites) may be Tensors, numbers, NumPy arrays, or lists and tuples of these.
"""

import functools
from typing import Any

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.from_host import plain
from sporax._src.core.signature_errors import fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declaration import compiled
from sporax.ops.declare import NUMPY, OPTIONAL, Array, Arrays, op
from sporax.ops.declare import composite as _composite

_NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32}
_PYTHON = {int: dtypes.int32, float: dtypes.float32, bool: dtypes.bool_}
_NAMES = {"int": dtypes.int32, "uint": dtypes.uint32, "float": dtypes.float32, "?": dtypes.bool_}
_KINDS = {dtypes.int_: dtypes.int32, dtypes.uint: dtypes.uint32, dtypes.float_: dtypes.float32}

composite = functools.partial(_composite, function=())


def array_op(name, public=True, **options) -> Any:
    """Declare an array operation that `ops` does not have; `name` may be a written face.

    `public`: if False, the operation has no face; other functions call it.
    """
    short = name.partition("(")[0]

    def declare(fn):
        fn.__name__ = f"numpy_{short}"
        face = name if public else None
        return op(function=(), numpy=face, name=f"numpy.{short}", **options)(fn)

    return declare


def dtype_of(dtype):
    """Convert `dtype` to a MindSpore dtype; Python types and names such as "int" are 32-bit."""
    if isinstance(dtype, dtypes.Type):
        return _KINDS.get(dtype, dtype)
    if isinstance(dtype, str):
        dtype = _NAMES.get(dtype.lower(), dtype.lower())
    if isinstance(dtype, type):
        dtype = _PYTHON.get(dtype, dtype)
    try:
        return dtypes.from_numpy(dtypes.to_numpy(dtype))
    except (TypeError, ValueError):  # e.g. NumPy compares a Tensor with names
        raise rejection("dtype-name-python-type", "numpy", dtype=dtype) from None


def array_of(x, name="asarray", argument="a"):
    """Convert to a Tensor: Tensors unchanged, numbers and lists of them as Int32, Float32 or
    Bool."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, np.ndarray):
        return Tensor(x)
    x = plain(x)
    if isinstance(x, (tuple, list)) and _holds_tensors(x):
        return _stacked([array_of(e, name, argument) for e in x])
    who, types = f"numpy.{name}", (bool, int, float, complex, tuple, list)
    require(isinstance(x, types), "tensor-number-list-tuple", who, argument=argument, got=x)
    try:
        array = np.asarray(x)
    except ValueError:
        array = np.empty(0, object)
    require(array.dtype.kind in "biufc", "numbers-many-row", who, argument=argument, got=x)
    return Tensor(array.astype(_NARROW.get(array.dtype, array.dtype)))


def as_tensors(*values):
    """Convert each value by `array_of`; return one Tensor for a single value, else a tuple."""
    tensors = tuple([array_of(v) for v in values])
    return tensors[0] if len(tensors) == 1 else tensors


def _holds_tensors(x):
    return any(isinstance(e, Tensor) or (isinstance(e, list | tuple) and _holds_tensors(e))
               for e in x)  # fmt: skip


def _stacked(arrays):
    from sporax.ops.shape.joining import stack

    return stack(in_one_dtype(arrays))


def in_one_dtype(tensors):
    """Return the Tensors, cast to their promoted dtype, as a tuple."""
    met = result_of(tensors)
    return tuple([t if t.dtype == met else t.astype(met) for t in tensors])


def result_of(tensors):
    """Return the promoted dtype of Tensors: NumPy's, except that integers never widen floats."""
    return functools.reduce(promoted, [t.dtype for t in tensors])


def promoted(left, right):
    """Return the promoted dtype of two: a floating dtype is kept when the other is an integer."""
    a, b = left.default, right.default
    floating = [d for d in (a, b) if _is_floating(d)]
    if len(floating) == 1:
        return dtypes.from_numpy(floating[0])
    return dtypes.from_numpy(np.promote_types(a, b))


def _is_floating(dtype):
    return dtypes.from_numpy(dtype) in (
        dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
    )  # fmt: skip


def _arrays_of(value, name, argument):
    if isinstance(value, Tensor):
        return tuple(value)
    is_sequence = isinstance(value, (tuple, list))
    require(is_sequence, "tuple-list-tensors", f"numpy.{name}", argument=argument, got=value)
    return tuple([array_of(x, name, argument) for x in value])


def _optional(x, name, argument):
    return None if x is None else array_of(x, name, argument)


def _axis(axis, name):
    """Return an axis or sequence of axes after a check; JAX would accept strings as named axes."""
    for a in axis if isinstance(axis, (tuple, list)) else (axis,):
        is_int = isinstance(a, (int, np.integer)) and not isinstance(a, bool)
        require(is_int, "int-tuple-ints-none", f"numpy.{name}", axis=axis)
    return axis


def cast(result, dtype):
    """Cast the result to `dtype`, unless it is None."""
    if dtype is None:
        return result
    if isinstance(result, tuple):
        return tuple([cast(r, dtype) for r in result])
    return result.astype(dtype_of(dtype))


_CONVERSIONS = {Array: "_array", OPTIONAL: "_optional", Arrays: "_arrays"}
_SCOPE = {
    "_array": array_of, "_optional": _optional, "_arrays": _arrays_of, "_cast": cast,
    "_dtype": lambda dtype: None if dtype is None else dtype_of(dtype), "_Tensor": Tensor,
    "_axis": _axis,
}  # fmt: skip


def face(declaration, written):
    """Compile the face with the written signature; True or a bare name: the declaration's own."""
    own = declaration.signature.parameters
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in own.values()):
        return fitting(declaration.fn, f"numpy.{declaration.fn.__name__}")
    if written is True or "(" not in written:
        name = declaration.fn.__name__ if written is True else written
        parameters = [(p, p.name) for p in own.values()]
    else:
        name, parameters = declaration.parse(written, more=("dtype",))
    fills = {canonical: p.name for p, canonical in parameters}
    scope = dict(_SCOPE, _call=declaration.face())
    call = f"_call({', '.join(_argument(p, fills, name, scope) for p in own.values())})"
    if "dtype" in fills and "dtype" not in own:
        call = f"_cast({call}, dtype)"
    plain = [p for p, _ in parameters]
    function = compiled(name, plain, f"    return {call}", scope, f"numpy.{name}")
    function.__doc__, function.__module__ = declaration.fn.__doc__, declaration.fn.__module__
    function.declaration = declaration
    return function


def _argument(parameter, fills, name, scope):
    """Return the expression that is passed for a parameter of the declaration."""
    canonical = parameter.name
    prefix = f"{canonical}=" if parameter.kind is parameter.KEYWORD_ONLY else ""
    if canonical not in fills:
        scope[f"_default_{canonical}"] = parameter.default
        return f"{prefix}_default_{canonical}"
    here = fills[canonical]
    if canonical == "dtype":
        return f"{prefix}_dtype({here})"
    if here == "axis":
        plain = "axis is None or axis.__class__ is int"
        return f"{prefix}(axis if {plain} else _axis(axis, '{name}'))"
    convert = _CONVERSIONS.get(parameter.annotation)
    if convert is None:
        return f"{prefix}{here}"
    converted = f"{convert}({here}, '{name}', '{here}')"
    return f"{prefix}({here} if {here}.__class__ is _Tensor else {converted})"


__all__ = [
    "NUMPY", "OPTIONAL", "Array", "Arrays", "array_of", "array_op", "as_tensors", "cast",
    "composite", "dtype_of", "face", "in_one_dtype", "promoted", "result_of",
]  # fmt: skip
