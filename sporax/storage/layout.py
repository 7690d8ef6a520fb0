"""How a tensor lies in memory, row by row or as a view of what lies so: methods of Tensor."""

from typing import Any

from sporax.core.tensor import Tensor
from sporax.storage.strides import Strided


def layout_of(tensor):
    """Offset and strides of the elements in the memory that the tensor shares with others."""
    alias = getattr(tensor, "_alias", None)
    layout = None if alias is None else alias.layout
    return Strided.contiguous(tensor.shape) if layout is None else layout


@property
def strides(self) -> tuple:
    """Bytes to step in each dimension."""
    return tuple([n * self.itemsize for n in layout_of(self).strides])


def stride(self, dim=None) -> Any:
    """Elements to step in each dimension, or in one.

    >>> Tensor([[1, 2], [3, 4]]).stride()
    [2, 1]
    >>> Tensor([[1, 2], [3, 4]]).T.stride(0)
    1
    """
    steps = list(layout_of(self).strides)
    return steps if dim is None else steps[dim]


def storage_offset(self) -> int:
    """The number of the first element in the memory that the tensor shares with others.

    >>> Tensor([1, 2, 3])[1:].storage_offset()
    1
    """
    return layout_of(self).offset


def is_contiguous(self) -> bool:
    """Whether the elements follow one another in memory, row by row.

    >>> Tensor([[1, 2], [3, 4]]).T.is_contiguous()
    False
    """
    return layout_of(self).is_contiguous()


def contiguous(self):
    """The tensor itself if its elements follow one another row by row, else a copy.

    >>> Tensor([[1, 2], [3, 4]]).T.contiguous().stride()
    [2, 1]
    """
    return self if self.is_contiguous() else self.copy()


def flush_from_cache(self) -> None:
    """Without effect: there is no cache between a tensor and its memory."""


def data_ptr(self) -> int:
    """The address of the elements on the device, for comparing."""
    return self._read().array.unsafe_buffer_pointer()


def _stay(self, *args, **kwargs) -> None:
    """Without effect: tensors live where XLA keeps them, and nothing is moved by hand."""


Tensor.strides = strides
Tensor._data_ptr, Tensor._offload, Tensor._load = data_ptr, _stay, _stay
for _method in (stride, storage_offset, is_contiguous, contiguous, flush_from_cache, data_ptr):
    setattr(Tensor, _method.__name__, _method)
