"""Argument type conversions of MindSpore's generated functions: `ops._utils.arg_dtype_cast`."""

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.primitive import Primitive

_ITEMS = {"BOOL": bool, "INT": int, "FLOAT": float, "NUMBER": (int, float, bool), "TENSOR": Tensor,
          "STR": str, "ANY": object}  # fmt: skip
# MindSpore's ids of argument kinds -> (container type or None, item type)
_KINDS = {n: (None, item) for n, item in enumerate(_ITEMS, 1)}
_KINDS |= {n: (tuple, item) for n, item in enumerate(_ITEMS, 8)}
_KINDS |= {n: (list, item) for n, item in enumerate(_ITEMS, 15)}


def _named(number):
    box, item = _KINDS[number]
    return f"DT_{box.__name__.upper()}_{item}_VAL" if box else f"DT_{item}_VAL"


globals().update({_named(number): number for number in _KINDS}, DT_TYPE_VAL=22)
_NUMBERS = 1, 2, 3, 4

DtypeToEnum = ops.DtypeToEnum

_WORDS = {
    0: "sum nchw constant pad zeros bilinear right bsh", 1: "mean nhwc reflect same border nearest "
    "left trunc bnsd add", 2: "none valid reflection floor", 3: "update", 4: "tnd", 10: "tanh",
    15: "linear",
}  # fmt: skip
_ENUM = {word: number for number, words in _WORDS.items() for word in words.split()}


class StringToEnum(Primitive):
    """Converts a string ('mean', 'same', 'NCHW', ...) to MindSpore's C++ enum value."""

    def __init__(self):
        super().__init__("StringToEnum")

    def __call__(self, op_name, arg_name, enum_str):
        if enum_str is None:
            return None
        require(
            isinstance(enum_str, str),
            "must-be-type",
            op_name,
            argument=arg_name,
            got=enum_str,
            kind="a-str",
        )
        if enum_str.lower() not in _ENUM:
            raise rejection("one-of", op_name, argument=arg_name, choices=[*_ENUM], got=enum_str)
        return _ENUM[enum_str.lower()]


def is_tuple(type_id):
    """Return True if a kind is a tuple kind."""
    return type_id in _KINDS and _KINDS[type_id][0] is tuple


def is_list(type_id):
    """Return True if a kind is a list kind."""
    return type_id in _KINDS and _KINDS[type_id][0] is list


def is_number(type_id):
    """Return True if a kind is a scalar kind."""
    return type_id in _NUMBERS


def is_integral_mstype(dtype):
    """Return True if a dtype is an integer dtype."""
    return isinstance(dtype, dtypes.Int | dtypes.UInt)


def is_floating_point_mstype(dtype):
    """Return True if a dtype is Float16, Float32 or Float64."""
    return dtype in (dtypes.float16, dtypes.float32, dtypes.float64)


def is_instance_of(data, type_id):
    """Return True if data is of a kind; items are not checked."""
    if type_id not in _KINDS:
        return False
    box, item = _KINDS[type_id]
    return isinstance(data, box or _ITEMS[item])


def is_instance_in(data, type_id):
    """Return True if data is of one of several kinds."""
    kinds = type_id if isinstance(type_id, tuple) else (type_id,)
    return any(is_instance_of(data, kind) for kind in kinds)


def tuple_to_list(x):
    """Convert a tuple to a list."""
    return list(x)


def list_to_tuple(x):
    """Convert a list to a tuple."""
    return tuple(x)


def scalar_to_tuple(data):
    """Wrap a scalar in a tuple."""
    return (data,)


def int_to_float(data):
    """Convert an int to a float."""
    return float(data)


def scalar_to_tensor(data):
    """Convert a scalar to a Tensor: Bool, Int32 or Float32."""
    kinds = {bool: dtypes.bool_, int: dtypes.int32, float: dtypes.float32}
    return Tensor(data, kinds.get(type(data)))


def tuple_to_tensor(data):
    """Convert a tuple of scalars to a Tensor."""
    return ops.tuple_to_array(data)


def list_to_tensor(data):
    """Convert a list of scalars to a Tensor."""
    return tuple_to_tensor(tuple(data))


def tensor_to_tuple(data):
    """Convert a Tensor to a tuple of scalars."""
    return ops.TensorToTuple()(data)


def tensor_to_number(data, dst_type, op_name):
    """Convert a Tensor of one element to a scalar of a kind."""
    kinds = {_number: kind for _number, kind in enumerate((bool, int, float), 1)}
    return kinds.get(dst_type, lambda x: x)(data.item())


def normalize_int_tensor(op_name, arg_name, data):
    """Convert a Tensor of one integer to an int."""
    require(
        is_integral_mstype(data.dtype),
        "tensor-integers",
        op_name,
        argument=arg_name,
        got=data.dtype,
    )
    return int(data.item())


def normalize_int_sequence(op_name, arg_name, data, to_tuple=True):
    """Convert Tensors among ints to ints; any other sequence is returned unchanged."""
    if not all(isinstance(x, int | Tensor) for x in data):
        return data
    numbers = [
        normalize_int_tensor(op_name, arg_name, x) if isinstance(x, Tensor) else x for x in data
    ]
    return tuple(numbers) if to_tuple else numbers


# (type of the argument, target kind, conversion); the first match is used
_CONVERSIONS = [
    (int, lambda kind: kind == 3, int_to_float),
    ((int, float, bool), is_tuple, scalar_to_tuple), (list, is_tuple, tuple),
    (Tensor, is_tuple, tensor_to_tuple),
    ((int, float, bool), is_list, lambda x: [x]), (tuple, is_list, list),
    (Tensor, is_list, lambda x: list(tensor_to_tuple(x))),
    ((int, float, bool), lambda kind: kind == 5, scalar_to_tensor),
    ((tuple, list), lambda kind: kind == 5, list_to_tensor),
]  # fmt: skip


def do_type_cast(data, dst_type, op_name):
    """Convert data to a kind. Raises TypeError if no conversion exists."""
    if is_instance_of(data, dst_type):
        return data
    for kinds, is_wanted, convert in _CONVERSIONS:
        if isinstance(data, kinds) and is_wanted(dst_type):
            return convert(data)
    if is_number(dst_type) and isinstance(data, Tensor):
        return tensor_to_number(data, dst_type, op_name)
    raise rejection("type-conversion-failed", op_name=op_name)


def type_it(op_name, arg_name, data, src_type, dst_type):
    """Convert an argument of one of the kinds `src_type` to the kind `dst_type`."""
    if data is None:
        return None
    if not is_instance_in(data, src_type) and not is_instance_of(data, dst_type):
        sources = src_type if isinstance(src_type, tuple) else (src_type,)
        raise rejection(
            "one",
            op_name,
            argument=arg_name,
            items=[_named(kind) for kind in (*sources, dst_type)],
            got=data,
        )
    return do_type_cast(data, dst_type, op_name)
