"""Methods of Tensor for its memory layout: strides, offset and contiguity."""

from typing import Any

from sporax._src.core.tensor import attach
from sporax._src.runtime.storage.strides import Strided


def layout_of(tensor):
    """Return the offset and strides of the elements in the tensor's (possibly shared) memory."""
    alias = getattr(tensor, "_alias", None)
    layout = None if alias is None else alias.layout
    return Strided.contiguous(tensor.shape) if layout is None else layout


@property
def strides(self) -> tuple:
    """Strides in bytes, one per dimension."""
    return tuple([n * self.itemsize for n in layout_of(self).strides])


def stride(self, dim=None) -> Any:
    """Return the strides in elements, as a list, or the stride of dimension `dim`.

    >>> Tensor([[1, 2], [3, 4]]).stride()
    [2, 1]
    >>> Tensor([[1, 2], [3, 4]]).T.stride(0)
    1
    """
    steps = list(layout_of(self).strides)
    return steps if dim is None else steps[dim]


def storage_offset(self) -> int:
    """Return the index of the first element in the tensor's (possibly shared) memory.

    >>> Tensor([1, 2, 3])[1:].storage_offset()
    1
    """
    return layout_of(self).offset


def is_contiguous(self) -> bool:
    """Return True if the elements are contiguous in memory, in row-major order.

    >>> Tensor([[1, 2], [3, 4]]).T.is_contiguous()
    False
    """
    return layout_of(self).is_contiguous()


def contiguous(self):
    """Return the tensor itself if its elements are contiguous in row-major order, else a copy.

    >>> Tensor([[1, 2], [3, 4]]).T.contiguous().stride()
    [2, 1]
    """
    return self if self.is_contiguous() else self.copy()


def flush_from_cache(self) -> None:
    """Do nothing: tensors have no cache between them and their memory."""


def data_ptr(self) -> int:
    """Return the address of the array on the device, for comparisons."""
    return self._read().array.unsafe_buffer_pointer()


def _stay(self, *args, **kwargs) -> None:
    """Do nothing: XLA places tensors, and they are not moved explicitly."""


attach("strides", strides)
attach("_data_ptr", data_ptr)
for _name in ("_offload", "_load"):
    attach(_name, _stay)
for _method in (stride, storage_offset, is_contiguous, contiguous, flush_from_cache, data_ptr):
    attach(_method.__name__, _method)
