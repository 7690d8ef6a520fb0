"""Conversion from one dtype to another."""

from typing import Any

import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.context import check_device
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
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


_DEVICES = {"cpu", "gpu", "ascend", "npu", "cuda", "mps", "xpu", "tpu", "meta"}  # in any library


def _to(self, *args, **kwargs):
    """Cast the tensor to `dtype`, or to the dtype of `other`.

    Called as `to(dtype, non_blocking, copy)`, `to(other, non_blocking, copy)` or `to(device, dtype,
    non_blocking, copy)`; `device` must be the one in use, or 'meta', which drops the data;
    `non_blocking` has no effect.

    >>> Tensor([1.7]).to("CPU", ms.int32).asnumpy()
    array([1], dtype=int32)
    """
    first, names = args[0] if args else None, ("dtype", "non_blocking", "copy")
    is_absent = first is None and len(args) > 1 and not isinstance(args[1], bool)
    if is_absent or (isinstance(first, str) and first.partition(":")[0].lower() in _DEVICES):
        names = ("device", *names)
    by_position = dict(zip(names, args, strict=False))
    given = by_position | kwargs
    fits = len(given) == len(args) + len(kwargs) and given.keys() <= {"device", *names, "other"}
    require(fits, "arguments-dtype-tensor-device", "Tensor.to", got=args, kwargs=kwargs)
    if (device := given.get("device")) is not None:
        check_device("Tensor.to", device)
        if (device == "meta") != self.is_meta:
            moved = Tensor(self if device == "meta" else self._read(), device=device)
            return _to(moved, **(given | {"device": None}))
    dtype, copies = given.get("other", given.get("dtype")), given.get("copy", False)
    dtype = getattr(self if dtype is None and copies else dtype, "dtype", dtype)
    return self if dtype is None else _astype(self, dtype, copies)


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
