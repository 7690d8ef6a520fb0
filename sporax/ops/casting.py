"""Conversion from one dtype to another."""

from typing import Any

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.storage.views import view
from sporax.ops.declare import Array, attach, composite, op


def _cast_of_reals(input, dtype):
    """Differentiated in place of `cast` for integer inputs: the identity for an integer `dtype`."""
    wanted = dtypes.to_numpy(dtype)
    return input if wanted.kind in "iu" else input.astype(wanted)


@op(
    primitive="Cast()(input_x: input, dtype)",
    function="cast(input, dtype)",
    real=_cast_of_reals,
    converts=False,
    view=True,
)
def cast(input: Array, dtype):
    """Cast a tensor to `dtype`: a MindSpore or NumPy dtype, a Python type or a name.

    Floats are truncated toward zero; complex numbers lose their imaginary part. Values out of range
    of an integer dtype wrap around, as in C: -1.5 becomes 255 in UInt8.

    >>> ops.cast(Tensor([1.7]), np.int32).asnumpy()
    array([1], dtype=int32)
    """
    wanted = dtypes.to_numpy(dtype)
    if jnp.issubdtype(input.dtype, jnp.complexfloating) and wanted.kind != "c":
        input = input.real
    if jnp.issubdtype(input.dtype, jnp.floating) and wanted.kind in "iu" and wanted.itemsize < 8:
        input = input.astype(jnp.int64)  # XLA saturates values that are out of range
    return input.astype(wanted)


def _astype(self, dtype, copy=True):
    """Cast the tensor to `dtype`; see `ops.cast`. `copy=False`: returns self if it has that dtype.

    >>> Tensor([1.7]).astype(np.int32).asnumpy()
    array([1], dtype=int32)
    """
    if not copy and self._value.aval.dtype == dtypes.to_numpy(dtype):
        return self
    return cast(self, dtype)


_DEVICES = ("CPU", "GPU", "TPU", "Ascend", "meta")


def _to(self, dtype=None, non_blocking=False, copy=False, *, device=None, other=None):
    """Cast the tensor to `dtype`, or to the dtype of `other` if it is a Tensor; `to('meta')` drops
    the data, which no other device can restore. XLA chooses among the other devices.

    >>> Tensor([1.7]).to(ms.int32).asnumpy()
    array([1], dtype=int32)
    """
    dtype = dtype if other is None else other
    if isinstance(dtype, str) and dtype.partition(":")[0] in _DEVICES:
        device, dtype = dtype, None if isinstance(non_blocking, bool) else non_blocking
    if device is not None and (device == "meta") != self.is_meta:
        self = Tensor(self if device == "meta" else self._read(), device=device)
    dtype = dtype.dtype if isinstance(dtype, Tensor) else dtype
    return self if dtype is None else _astype(self, dtype, copy)


def _type(self, dtype=None) -> Any:
    """Return the name of the dtype, or the tensor cast to `dtype`.

    >>> Tensor([1.7]).type()
    'Float32'
    """
    return str(self.dtype) if dtype is None else cast(self, dtype)


@composite(tensor=True)
def type_as(input, other):
    """Cast `input` to the dtype of `other`.

    >>> ops.type_as(Tensor([1.7]), Tensor([1])).dtype
    mindspore.int64
    """
    return cast(input, other.dtype)


for _name, _method in [("astype", _astype), ("to", _to), ("type", _type)]:
    attach(_name, _method)


def _converting(name, dtype):
    bound = cast.declaration.bind((dtype,))

    def convert(self):
        return view(bound, self)

    convert.__name__ = name
    convert.__doc__ = f"""The tensor in {dtype}.

    >>> Tensor([1]).{name}().dtype
    {dtype!r}
    """
    return convert


# Tensor.float() and similar methods
for _name, _dtype in {
    "float": "float32", "int": "int32", "half": "float16", "long": "int64", "bool": "bool",
    "double": "float64", "short": "int16", "byte": "uint8", "bfloat16": "bfloat16",
}.items():  # fmt: skip
    attach(_name, _converting(_name, dtypes.NAMES[_dtype]))
