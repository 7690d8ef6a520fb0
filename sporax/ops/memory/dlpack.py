"""Exchange of arrays with other libraries by DLPack, which shares memory.

A write to a Tensor allocates new memory, so the other library sees it only if it asks again. Writes
by the other library are visible here, unless the array was copied.
"""

import ctypes
from typing import Any

import jax
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import attach

_CPU = 1  # DLPack's code for that device type
# offset of device type and device id in the DLTensor of a capsule, by the capsule's name
_DEVICE_AT = {b"dltensor": 8, b"dltensor_versioned": 40}


class _Capsule:
    """An object that returns a capsule, with the DLPack methods of an array."""

    def __init__(self, capsule):
        self.capsule = capsule
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.name = name(capsule)
        require(self.name in _DEVICE_AT, "capsule-one-nobody-used", "from_dlpack", name=self.name)
        address = pointer(capsule, self.name) + _DEVICE_AT[self.name]
        self.device = tuple((ctypes.c_int32 * 2).from_address(address))

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def from_dlpack(dlpack):
    """Create a Tensor of the memory of another library's array: a PyTorch tensor, a NumPy or JAX
    array, or a capsule from their `to_dlpack`.

    It is copied if it is not contiguous, and on a CPU if it is not aligned to 64 bytes (NumPy's
    arrays may not be; PyTorch's are).

    >>> from sporax.ops.memory.dlpack import from_dlpack
    >>> from_dlpack(np.array([1.0, 2.0])).asnumpy()
    array([1., 2.])
    """
    if type(dlpack).__name__ == "PyCapsule":
        dlpack = _Capsule(dlpack)
    elif not hasattr(dlpack, "__dlpack__"):
        raise rejection("dlpack-capsule-array---dlpack", "from_dlpack", dlpack=dlpack)
    try:
        array = jax.dlpack.from_dlpack(dlpack)
    except jax.errors.JaxRuntimeError as error:  # not contiguous
        if isinstance(dlpack, _Capsule) or dlpack.__dlpack_device__()[0] != _CPU:
            raise rejection("elements-dlpack-follow-one", "from_dlpack") from error
        return Tensor(np.from_dlpack(dlpack))
    return Tensor(array)


def to_dlpack(tensor) -> Any:
    """Return a DLPack capsule of the tensor's memory, for another library's `from_dlpack`.

    >>> from sporax.ops.memory.dlpack import from_dlpack, to_dlpack
    >>> from_dlpack(to_dlpack(Tensor([1.0, 2.0]))).asnumpy()
    array([1., 2.], dtype=float32)
    """
    require(isinstance(tensor, Tensor), "must-be-type", "to_dlpack", tensor=tensor, kind="a-tensor")
    return tensor._read().array.__dlpack__()


def _dlpack(self, **options) -> Any:
    """Return the tensor's memory as a capsule, for `from_dlpack` of PyTorch, NumPy and JAX."""
    return self._read().array.__dlpack__(**options)


def _dlpack_device(self) -> tuple:
    """Return DLPack's device type and device id."""
    return self._read().array.__dlpack_device__()


attach("to_dlpack", to_dlpack)
attach("from_dlpack", staticmethod(from_dlpack))
attach("__dlpack__", _dlpack)
attach("__dlpack_device__", _dlpack_device)

__all__ = ["from_dlpack", "to_dlpack"]
