"""Reading a tensor's elements as Python numbers, NumPy arrays or bytes."""

import operator
from typing import Any

import jax
import numpy as np

from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.memory_limits import budget, memory_error
from sporax._src.core.value import contexts
from sporax._src.diagnosis.rules import rejection, require

_SMALL = 2**16  # elements; the memory of a smaller copy is not counted


@uninterrupted
def wait_for(array):
    """Wait until an array is computed; raises the error of its program."""
    try:
        array.block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        raise _failure(array, error) from error


def _failure(array, error):
    return memory_error(error, array, "reading-a-tensor", is_large=True)


def on_host(array):
    """Return the elements of an array as a NumPy array, which may share its memory."""
    if len(contexts) > 1:  # Python may exit meanwhile
        wait_for(array)
    try:
        # if the program has failed, NumPy's access to the array's memory aborts the process or
        # hangs: XLA takes the address before it checks that there is one
        array.block_until_ready()
        return np.asarray(array)
    except jax.errors.JaxRuntimeError as error:
        raise _failure(array, error) from error
    except RuntimeError:
        if array.is_fully_addressable or array.is_fully_replicated:
            raise
        raise rejection("reading-tensor-whole-rank") from None


def _element(array, index):
    """Return the element at a flat index, or at one index per dimension, as a Python number."""
    try:
        indices = tuple(map(operator.index, index if isinstance(index, tuple) else (index,)))
    except TypeError:
        raise rejection("int-tuple-int-dimension", "Tensor.item", index=index) from None
    fits = len(indices) in (1, array.ndim)
    require(fits, "one-int-shape", "Tensor.item", index=index, ndim=array.ndim, shape=array.shape)
    sizes = array.shape if len(indices) == array.ndim else (array.size,)
    fits = all(-size <= n < size for n, size in zip(indices, sizes, strict=True))
    require(fits, "within-shape", "Tensor.item", index=index, shape=array.shape)
    return array.item(*indices)


class Reading:
    """The part of `Tensor` that reads its elements."""

    __slots__ = ()

    shape: Any
    ndim: Any
    dtype: Any
    size: Any
    _read: Any
    _value: Any

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self._value.aval.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size * self.itemsize

    def dim(self):
        """Return the number of dimensions.

        >>> Tensor([[1, 2]]).dim()
        2
        """
        return self.ndim

    def numel(self):
        """Return the number of elements.

        >>> Tensor([[1, 2]]).numel()
        2
        """
        return self.size

    ndimension, nelement = dim, numel

    def asnumpy(self):
        """Return a copy of the elements as a NumPy array, which is writable.

        BFloat16 becomes the NumPy dtype of that name from `ml_dtypes`.

        >>> Tensor([[1, 2]]).asnumpy()
        array([[1, 2]])
        """
        value = self._read()
        array = on_host(value.array)
        if array.size < _SMALL:
            return np.array(array)
        try:
            budget.spend(array.nbytes)
            return np.array(array)
        except MemoryError as error:
            raise memory_error(error, array, "reading-a-tensor") from error

    numpy = asnumpy

    def data_sync(self, wait=True):
        """Compute the elements now; with `wait`, return when they are computed.

        >>> x = Tensor([1.0]) + 1
        >>> x.data_sync()
        """
        value = self._read()
        if wait:
            wait_for(value.array)

    def get_bytes(self):
        """Return the elements as bytes, in row-major order.

        >>> list(Tensor(np.array([1, 2], np.int8)).get_bytes())
        [1, 2]
        """
        return self.asnumpy().tobytes()

    def item(self, index=None):
        """Return one element as a Python number. `index`: its flat index, or a tuple with an index
        for each dimension.

        >>> Tensor([1.5]).item()
        1.5
        """
        array = self.asnumpy()
        if index is not None:
            return _element(array, index)
        require(array.size == 1, "tensor-one-element", "Tensor.item", shape=self.shape)
        return array.item()

    def tolist(self):
        """Return the elements as nested lists of Python numbers.

        >>> Tensor([[1, 2]]).tolist()
        [[1, 2]]
        """
        return self.asnumpy().tolist()

    def __array__(self, dtype=None, copy=None):
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype)

    def __format__(self, spec):
        return format(self.item(), spec) if spec else str(self)

    def __float__(self):
        return float(self._one("float"))

    def __int__(self):
        return int(self._one("int"))

    def __complex__(self):
        return complex(self._one("complex"))

    def __bool__(self):
        return bool(self._one("bool"))

    def __index__(self):
        array = self._one("index")
        require(
            array.dtype.kind in "iub", "tensor-hold-integer", "Tensor.__index__", got=self.dtype
        )
        return int(array)

    def _one(self, what):
        require(self.size == 1, "tensor-exactly-one-element", what, shape=self.shape)
        value = self._read()
        return np.array(on_host(value.array)).reshape(())

    def __len__(self):
        require(self.shape, "tensor-dimension-0-dimensional", "len")
        return self.shape[0]


@uninterrupted
def synchronize():
    """Wait until all work started on the devices has finished, and raise its errors.

    >>> ms.synchronize()
    """
    jax.effects_barrier()
    for array in jax.live_arrays():  # CPU programs run in threads, in any order
        wait_for(array)
    hooks.raise_deferred()
