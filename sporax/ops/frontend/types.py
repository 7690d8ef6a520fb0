"""Types of Python values and Tensors, by the names of MindSpore's compiler."""

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import PRIMITIVES, composite
from sporax.ops.primitive import Primitive


class TensorType(dtypes.Type):
    """The type of Tensors with elements of a dtype.

    >>> ms.TensorType(ms.float32)
    mindspore.tensor[float32]
    """

    def __init__(self, element):
        super().__init__(f"Tensor[{element.name}]", None, f"tensor[{element.attribute}]")
        self.element = element

    def element_type(self):
        """The dtype of the elements."""
        return self.element

    def __reduce__(self):
        return TensorType, (self.element,)


@composite()
def typeof(x) -> dtypes.Type:
    """Return the type of a value: for Tensors with dtype, for containers their kind.

    >>> ops.typeof(Tensor([1.0])), ops.typeof(3), ops.typeof((1, 2))
    (mindspore.tensor[float32], mindspore.int64, mindspore.tuple_)
    """
    if isinstance(x, Tensor):
        return TensorType(x.dtype)
    if isinstance(x, dict):
        shown = f"[{''.join(f'{k},' for k in x)}],[{','.join(str(typeof(v)) for v in x.values())}]"
        return dtypes.Type(f"Dictionary[{shown}]", None, f"Dictionary[{shown}]")
    kind = next((k for k in (bool, int, float, str, tuple, list) if isinstance(x, k)), type(x))
    return dtypes.float32 if kind is float else dtypes.pytype_to_dtype(kind)


@composite()
def hastype(x, dtype) -> bool:
    """Return True if `typeof(x)` is `dtype`, or of the kind that `dtype` names.

    >>> ops.hastype(3, ms.number), ops.hastype(3, ms.float32)
    (True, False)
    """
    own = typeof(x)
    if dtype == dtypes.tensor_type:
        return isinstance(own, TensorType)
    return dtypes.issubclass_(own, dtype)


@composite()
def isconstant(x) -> bool:
    """Return True if a value is constant during capture: any value but a Tensor that varies.

    >>> ops.isconstant(3)
    True
    """
    tracer = thread.recorder.tracer
    if tracer is None or not isinstance(x, Tensor):
        return True
    return bool(tracer.is_constant(thread.recorder, x._value))


def _known(name):
    def function(x) -> bool:
        if name == "is_dynamic_sequence_element_unknown":
            kinds.SEQUENCE(name, x=x)
        return False

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""Return False: a captured function is compiled for known sizes.

    >>> ops.{name}((1, 2))
    False
    """
    composite()(function)


for _name in (
    "is_sequence_value_unknown",
    "is_sequence_shape_unknown",
    "is_dynamic_sequence_element_unknown",
):
    _known(_name)


@composite()
def is_tensor_bool_cond(x) -> bool:
    """Return True if a Tensor can be a condition; raise ValueError if it has several elements.

    >>> ops.is_tensor_bool_cond(Tensor(True))
    True
    """
    require(x.shape in ((), (1,)), "shape-1-shape-size-types", "is_tensor_bool_cond", x=x.shape)
    return True


@composite()
def array_to_scalar(x) -> bool | int | float:
    """Return the element of a one-element Tensor, as a Python number.

    >>> ops.array_to_scalar(Tensor(3.5))
    3.5
    """
    return x.item()


# MindSpore's enum values of its types
_ENUM = {
    "String": 12, "TypeNone": 7, "Int": 31, "Float": 41, "Bool": 30, "Int8": 32, "Int16": 33,
    "Int32": 34, "Int64": 35, "UInt8": 37, "UInt16": 38, "UInt32": 39, "UInt64": 40, "Float16": 42,
    "Float32": 43, "Float64": 44, "BFloat16": 45, "Complex64": 51, "Complex128": 52,
}  # fmt: skip


class DtypeToEnum(Primitive):
    """The enum value of a dtype in MindSpore's C++; `op_name`, `arg_name`: for the message.

    >>> ops.DtypeToEnum()("Cast", "dtype", ms.float32)
    43
    """

    def __init__(self):
        super().__init__("DtypeToEnum")

    def __call__(self, op_name, arg_name, dtype):
        is_known = isinstance(dtype, dtypes.Type) and dtype.name in _ENUM
        require(is_known, "dtype", op_name, argument=arg_name, got=dtype)
        return _ENUM[dtype.name]


PRIMITIVES["DtypeToEnum"] = DtypeToEnum
