"""Arrays of other libraries as Tensors, and the reverse, by DLPack: both see the same memory.

Tensors change by getting new memory, so the other library sees what sporax writes only if it asks
again. What the other library writes is seen here, where the array was not copied.
"""

import ctypes
from typing import Any

import jax
import numpy as np

from sporax.core.tensor import Tensor
from sporax.ops.declare import attach

_CPU = 1  # DLPack's number of that device type
# Offset of device type and device number of the DLTensor behind a capsule, by its name
_DEVICE_AT = {b"dltensor": 8, b"dltensor_versioned": 40}


class _Capsule:
    """A capsule as an object that gives it: what libraries ask of the array itself."""

    def __init__(self, capsule):
        self.capsule = capsule
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self.name = name(capsule)
        if self.name not in _DEVICE_AT:
            raise ValueError(
                "For 'from_dlpack', a capsule must be one that nobody has used yet, but it is "
                f"named {self.name!r}. Make a new one with 'to_dlpack'."
            )
        at = pointer(capsule, self.name) + _DEVICE_AT[self.name]
        self.device = tuple((ctypes.c_int32 * 2).from_address(at))

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def from_dlpack(dlpack):
    """A Tensor of the memory of another library's array: a PyTorch tensor, a NumPy or JAX array, or
    what their `to_dlpack` gives.

    It is copied where its elements do not follow one another, and on a CPU where it does not begin
    at a multiple of 64 bytes (as NumPy's need not; PyTorch's do).

    >>> from sporax.ops.memory.dlpack import from_dlpack
    >>> from_dlpack(np.array([1.0, 2.0])).asnumpy()
    array([1., 2.])
    """
    if type(dlpack).__name__ == "PyCapsule":
        dlpack = _Capsule(dlpack)
    elif not hasattr(dlpack, "__dlpack__"):
        raise TypeError(
            "For 'from_dlpack', 'dlpack' must be a DLPack capsule or an array that has "
            f"'__dlpack__', but got {type(dlpack).__name__}. Use 'Tensor(...)' for other data."
        )
    try:
        array = jax.dlpack.from_dlpack(dlpack)
    except jax.errors.JaxRuntimeError as error:  # of elements that do not follow one another
        if isinstance(dlpack, _Capsule) or dlpack.__dlpack_device__()[0] != _CPU:
            raise ValueError(
                "For 'from_dlpack', the elements of 'dlpack' must follow one another in memory, "
                "but do not. Make the array contiguous first."
            ) from error
        return Tensor(np.from_dlpack(dlpack))
    return Tensor(array)


def to_dlpack(tensor) -> Any:
    """A DLPack capsule of the tensor's memory, for another library's `from_dlpack`.

    >>> from sporax.ops.memory.dlpack import from_dlpack, to_dlpack
    >>> from_dlpack(to_dlpack(Tensor([1.0, 2.0]))).asnumpy()
    array([1., 2.], dtype=float32)
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"For 'to_dlpack', 'tensor' must be a Tensor, but got {type(tensor).__name__}."
        )
    return tensor._read().array.__dlpack__()


def _dlpack(self, **options) -> Any:
    """The tensor's memory as a capsule, for `from_dlpack` of PyTorch, NumPy and JAX."""
    return self._read().array.__dlpack__(**options)


def _dlpack_device(self) -> tuple:
    """The type and the number of the device, as DLPack counts them."""
    return self._read().array.__dlpack_device__()


attach("to_dlpack", to_dlpack)
attach("from_dlpack", staticmethod(from_dlpack))
attach("__dlpack__", _dlpack)
attach("__dlpack_device__", _dlpack_device)

__all__ = ["from_dlpack", "to_dlpack"]
