"""Shape, dtype and size of a tensor, as Python values or as tensors."""

from typing import Any

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.core.value import Aval
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.recorder import wrap
from sporax.ops.declare import FUNCTIONS, attach, composite
from sporax.ops.operand_checks import TENSOR


def _aval(x):
    if getattr(x, "is_sparse", False):
        return Aval.intern(x.shape, x.values._value.aval.dtype)
    return (x if isinstance(x, Tensor) else Tensor(x))._value.aval


def _checked(name, input_x):
    """Return the aval of a Tensor, which may be sparse."""
    if not getattr(input_x, "is_sparse", False):
        TENSOR(name, input_x=input_x)
    return _aval(input_x)


@composite(primitive="Shape()(x: input_x)")
def shape(input_x) -> tuple:
    """Return the size of each dimension, a tuple of ints.

    >>> ops.shape(Tensor([[1, 2]]))
    (1, 2)
    """
    return _checked("Shape", input_x).shape


@composite(primitive="Rank()(x: input_x)")
def rank(input_x) -> int:
    """Return the number of dimensions, an int.

    >>> ops.rank(Tensor([[1, 2]]))
    2
    """
    return _checked("Rank", input_x).ndim


@composite(primitive="Size()(input_x)")
def size(input_x) -> int:
    """Return the number of elements, an int.

    >>> ops.size(Tensor([[1, 2]]))
    2
    """
    return _aval(input_x).size


@composite(primitive="DType()(x)")
def dtype(x) -> dtypes.Type:
    """Return the MindSpore dtype of the elements.

    >>> print(ops.dtype(Tensor([1.0])))
    Float32
    """
    return dtypes.from_numpy(_aval(x).dtype)


@composite()
def numel(input) -> int:
    """Return the number of elements, an int.

    >>> ops.numel(Tensor([[1, 2]]))
    2
    """
    return _aval(input).size


@composite(primitive=("TensorShape()(input_x)", "DynamicShape()(input_x)"))
def dyn_shape(input_x):
    """Return the size of each dimension, an Int64 tensor.

    >>> ops.dyn_shape(Tensor([[1, 2]])).asnumpy()
    array([1, 2])
    """
    return Tensor(np.asarray(_aval(input_x).shape, np.int64))


FUNCTIONS["is_tensor"] = is_tensor


def _kind(name, kind, kinds):
    def function(input) -> bool:
        return _aval(input).dtype.kind in kinds

    function.__name__ = name
    function.__doc__ = f"""Return True if the dtype is {kind}.

    >>> ops.{name}(Tensor([1.0])), ops.{name}(Tensor([1 + 2j]))
    {"f" in kinds, "c" in kinds}
    """
    return composite(tensor=True)(function)


# bfloat16 has the kind 'V' in NumPy
is_floating_point = _kind("is_floating_point", "floating", "fV")
is_complex = _kind("is_complex", "complex", "c")


def _is_signed(self) -> bool:
    """Return True if the dtype has negative values.

    >>> Tensor([1]).is_signed()
    True
    """
    return self._value.aval.dtype.kind in "fViR"


attach("is_signed", _is_signed)

# the same contents --------------------------------------------------------------------------


@composite()
def identity(x):
    """Return `x` itself.

    >>> ops.identity(Tensor([1.0])).asnumpy()
    array([1.], dtype=float32)
    """
    return x


@composite(function=(), primitive="IdentityN()(x)")
def identity_of_several(x) -> tuple:
    """Return copies of the Tensors in `x`, a tuple or list, as a tuple.

    >>> len(ops.IdentityN()((Tensor([1.0]), Tensor([2.0]))))
    2
    """
    fits = isinstance(x, (tuple, list)) and all(isinstance(t, Tensor) for t in x)
    require(fits, "tuple-list-tensors", "IdentityN", x=x)
    return tuple([copy(t) for t in x])


@composite(
    tensor=("copy", "clone"),
    mint="clone",
    function="deepcopy(input_x: input)",
    primitive="Identity()(input_x: input)",
)
def copy(input):
    """Return an independent tensor with the same contents; derivatives pass through.

    >>> x = Tensor([1.0])
    >>> y = x.copy()
    >>> y += 1
    >>> x.asnumpy()
    array([1.], dtype=float32)
    """
    return wrap(input._lift())


@composite(primitive="Depend()(value, expr)")
def depend(value, expr) -> Any:
    """Return `value`; operations take effect in program order anyway.

    >>> ops.depend(Tensor([1.0]), Tensor([2.0])).asnumpy()
    array([1.], dtype=float32)
    """
    return value


# from Python's numbers ----------------------------------------------------------------------


@composite(primitive="ScalarToTensor()(x: input_x, dtype=float32)")
def scalar_to_tensor(input_x, dtype=dtypes.float32):
    """Convert a number to a 0-d tensor.

    >>> ops.scalar_to_tensor(3).asnumpy()
    array(3., dtype=float32)
    """
    return Tensor(input_x, dtype)


@composite(primitive="ScalarToArray()(input_x)")
def scalar_to_array(input_x):
    """Convert a number to a 0-d tensor of its natural dtype (ints: Int64, floats: Float32).

    >>> ops.scalar_to_array(3).asnumpy()
    array(3)
    """
    return Tensor(input_x)


@composite(primitive="TupleToArray()(input_x)")
def tuple_to_array(input_x):
    """Convert a tuple of numbers to a tensor: Int32 for ints, Float32 for floats.

    >>> ops.tuple_to_array((1, 2)).asnumpy()
    array([1, 2], dtype=int32)
    """
    whole = all(isinstance(n, int) for n in input_x)
    return Tensor(input_x, dtypes.int32 if whole else dtypes.float32)


@composite(primitive="TensorToTuple()(input_tensor)", function=())
def tensor_to_tuple(input_tensor) -> tuple:
    """Convert a 1-d or 0-d tensor to a tuple of Python numbers.

    >>> ops.TensorToTuple()(Tensor([1, 2]))
    (1, 2)
    """
    ndim = input_tensor.ndim
    require(ndim <= 1, "at-most-one-dimension", "TensorToTuple", input_tensor=ndim)
    return tuple(input_tensor.asnumpy().reshape(-1).tolist())


@composite(primitive="ScalarCast()(input_x, input_y)")
def scalar_cast(input_x, input_y) -> bool | int | float:
    """Convert a Python number to another dtype; returns a Python number.

    >>> ops.scalar_cast(2.7, ms.int64)
    2
    """
    return dtypes.to_numpy(input_y).type(input_x).item()
