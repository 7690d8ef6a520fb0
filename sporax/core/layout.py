"""How a tensor lies in memory: row by row, or as a view of what lies so."""

from typing import Any

from sporax.core.strides import Strided


class Layout:
    """The part of `Tensor` that answers questions about its memory."""

    __slots__ = ()

    shape: Any
    size: Any
    _value: Any
    copy: Any
    _read: Any

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self._value.aval.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size * self.itemsize

    def _layout(self):
        alias = getattr(self, "_alias", None)
        layout = None if alias is None else alias.layout
        return Strided.contiguous(self.shape) if layout is None else layout

    @property
    def strides(self):
        """Bytes to step in each dimension."""
        return tuple([n * self.itemsize for n in self._layout().strides])

    def stride(self, dim=None):
        """Elements to step in each dimension, or in one.

        >>> Tensor([[1, 2], [3, 4]]).stride()
        [2, 1]
        >>> Tensor([[1, 2], [3, 4]]).T.stride(0)
        1
        """
        steps = list(self._layout().strides)
        return steps if dim is None else steps[dim]

    def storage_offset(self):
        """The number of the first element in the memory that the tensor shares with others.

        >>> Tensor([1, 2, 3])[1:].storage_offset()
        1
        """
        return self._layout().offset

    def is_contiguous(self):
        """Whether the elements follow one another in memory, row by row.

        >>> Tensor([[1, 2], [3, 4]]).T.is_contiguous()
        False
        """
        return self._layout().is_contiguous()

    def contiguous(self):
        """The tensor itself if its elements follow one another row by row, else a copy.

        >>> Tensor([[1, 2], [3, 4]]).T.contiguous().stride()
        [2, 1]
        """
        return self if self.is_contiguous() else self.copy()

    def flush_from_cache(self):
        """Without effect: there is no cache between a tensor and its memory."""

    def data_ptr(self):
        """The address of the elements on the device, for comparing."""
        return self._read().array.unsafe_buffer_pointer()
