"""Argument conversions of MindSpore's generated functions: `ops._utils.arg_handler`."""

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message
from sporax._src.mindspore.compat.arg_dtype_cast import StringToEnum, normalize_int_sequence

dtype_to_type_id = ops.DtypeToEnum()
str_to_enum = StringToEnum()


def arg_invalid_info(op_name, arg_name, arg_val):
    """Return the message for an invalid argument."""
    return message("argument-invalid", op_name, argument=arg_name, got=arg_val)


def _pair(numbers, last):
    """Return a function (operation, argument, value) -> pair; `last`: take the last two of four."""

    def convert(op_name, arg_name, value):
        if isinstance(value, numbers):
            return value, value
        if not isinstance(value, tuple | list):
            raise ValueError(arg_invalid_info(op_name, arg_name, value))
        return (value[2], value[3]) if last and len(value) == 4 else value

    return convert


to_pair = _pair((int, float), False)
to_2d_paddings = _pair(int, False)
to_kernel_size = to_strides = to_rates = to_dilations = to_output_padding = _pair(int, True)


def generator_handler(op_name, arg_name, inputs):
    """Return the inputs, with ints converted to Int64 Tensors."""
    return tuple([Tensor(x, dtypes.int64) if isinstance(x, int) else x for x in inputs])


def _scalar_tensor_to_scalar(op_name, arg_name, x):
    """Convert a 0-d Tensor to a scalar; other types are returned unchanged."""
    if not isinstance(x, Tensor):
        return x
    if x.shape:
        raise ValueError(arg_invalid_info(op_name, arg_name, x))
    return x.item()


_scalar_tensor_to_int = _scalar_tensor_to_float = _scalar_tensor_to_scalar


def _normalize_int_sequence(op_name, arg_name, data):
    """Convert Tensors among the ints of a tuple or list to ints."""
    if not isinstance(data, tuple | list):
        return data
    return normalize_int_sequence(op_name, arg_name, data, isinstance(data, tuple))
