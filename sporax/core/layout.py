"""How a tensor lies in memory: always row by row, at the beginning of storage of its own."""

from typing import Any


class Layout:
    """The part of `Tensor` that answers questions about its memory."""

    __slots__ = ()

    shape: Any
    size: Any
    _value: Any
    _read: Any

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self._value.aval.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def strides(self):
        """Bytes to step in each dimension, of the row-major layout."""
        steps, step = [], self.itemsize
        for n in reversed(self.shape):
            steps.append(step)
            step *= n
        return tuple(reversed(steps))

    def stride(self, dim=None):
        """Elements to step in each dimension (or in one), of the row-major layout.

        >>> Tensor([[1, 2], [3, 4]]).stride()
        [2, 1]
        """
        steps = [n // self.itemsize for n in self.strides]
        return steps if dim is None else steps[dim]

    def storage_offset(self):
        """Where the elements begin in their storage: at 0, every tensor has its own.

        >>> Tensor([1, 2]).storage_offset()
        0
        """
        return 0

    def is_contiguous(self):
        """Whether the layout is row-major; it always is.

        >>> Tensor([1, 2]).is_contiguous()
        True
        """
        return True

    def contiguous(self):
        """The tensor itself, whose layout is row-major.

        >>> Tensor([1, 2]).contiguous().asnumpy()
        array([1, 2])
        """
        return self

    def flush_from_cache(self):
        """Without effect: there is no cache between a tensor and its memory."""

    def data_ptr(self):
        """The address of the elements on the device, for comparing."""
        return self._read().array.unsafe_buffer_pointer()
