"""Placement of a tensor's elements: on the device, or in a file until they are used."""

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.core.jax_internals import device_array
from sporax._src.core.to_host import on_host
from sporax._src.core.value import Value
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, require
from sporax.ops.declare import attach
from sporax.ops.inspection import copy
from sporax.ops.shape.creation import zeros

_DEVICE = kinds.one_of("Ascend", "GPU", "CPU")


class Offloaded(Value):
    """A value whose elements are in a file until they are read."""

    __slots__ = ("checksum", "path")

    array: Any

    def __init__(self, aval, path, checksum):
        super().__init__(aval, None)
        self.path, self.checksum = path, checksum

    def read(self):
        """Return the concrete array, loaded from the file on the first call."""
        if self.array is None:
            data = Path(self.path).read_bytes() if Path(self.path).is_file() else b""
            is_own = zlib.crc32(data) == self.checksum
            require(is_own, "file-keep-tensor-s", "Tensor.offload", path=self.path)
            array = np.frombuffer(data, self.aval.dtype).reshape(self.aval.shape)
            self.array = device_array(array.copy())
        return self.array


def write_whole(who, path, data):
    """Write a file; on failure, remove it and raise an error that names it."""
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        if error.filename is None:  # the file was opened
            os.unlink(path)
        text = message("file-could-not-be-written", who, path=path, cause=error.strerror)
        raise OSError(error.errno, text) from error


def offload(self, file_path) -> bool:
    """Write the elements to a file and free their memory; they are loaded again on use. Returns
    True.

    >>> import tempfile, os
    >>> x = Tensor([1.0, 2.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     x.offload(os.path.join(folder, "x")), (x + 1).asnumpy()
    (True, array([2., 3.], dtype=float32))
    """
    is_path = isinstance(file_path, (str, os.PathLike)) and str(file_path)
    require(is_path, "must-be-type", "Tensor.offload", file_path=file_path, kind="a-path")
    value = self._read()
    data = on_host(value.array).tobytes()
    write_whole("Tensor.offload", file_path, data)
    self._bind(Offloaded(value.aval, os.path.abspath(file_path), zlib.crc32(data)))
    return True


def offload_file_path(self) -> str:
    """Return the file that holds the elements since `offload`; '' if they are in memory.

    >>> Tensor([1.0]).offload_file_path()
    ''
    """
    value = self._value
    return value.path if isinstance(value, Offloaded) and value.array is None else ""


def _check_device(name, argument, device, flag_name, flag):
    require(
        isinstance(flag, bool), "must-be-value", name, argument=flag_name, got=flag, kind="a-bool"
    )
    _DEVICE.checked(name, argument, device)


def move_to(self, to, blocking=True):
    """Return a copy of the tensor. `to`: 'Ascend', 'GPU' or 'CPU'; XLA chooses the device.

    >>> Tensor([1.0]).move_to("CPU").asnumpy()
    array([1.], dtype=float32)
    """
    _check_device("Tensor.move_to", "to", to, "blocking", blocking)
    return copy(self)


def to_in_place(self, device=None, non_blocking=False):
    """Return the tensor itself. `device`: 'Ascend', 'GPU' or 'CPU'; XLA chooses the device.

    >>> Tensor([1.0]).to_("CPU").asnumpy()
    array([1.], dtype=float32)
    """
    _check_device("Tensor.to_", "device", device, "non_blocking", non_blocking)
    return self


def delete_(self, non_blocking=False):
    """Free the memory of the elements, which become 0; returns the tensor.

    >>> Tensor([1.0, 2.0]).delete_().asnumpy()
    array([0., 0.], dtype=float32)
    """
    is_flag = isinstance(non_blocking, bool)
    require(is_flag, "must-be-value", "Tensor.delete_", non_blocking=non_blocking, kind="a-bool")
    return self._replace(zeros(self.shape, self.dtype)._value)  # computed when it is read


def pin_memory(self):
    """Return the tensor itself: arrays already are where XLA reads them.

    >>> Tensor([1.0]).pin_memory().asnumpy()
    array([1.], dtype=float32)
    """
    return self


def is_pinned(self) -> bool:
    """Return False: the elements are not in pinned host memory.

    >>> Tensor([1.0]).is_pinned()
    False
    """
    return False


def is_shared(self) -> bool:
    """Return False: other processes do not share the elements.

    >>> Tensor([1.0]).is_shared()
    False
    """
    return False


for _name, _method in {
    "offload": offload, "offload_file_path": offload_file_path, "move_to": move_to,
    "to_": to_in_place, "delete_": delete_, "pin_memory": pin_memory, "is_pinned": is_pinned,
    "is_shared": is_shared,
}.items():  # fmt: skip
    attach(_name, _method)
