"""The numbers of a tensor as Python's, NumPy's or JAX's."""

import operator
from typing import Any

import jax
import numpy as np

from sporax.core.interruptions import uninterrupted
from sporax.core.memory_limits import budget, memory_error
from sporax.core.units import bytes_text
from sporax.core.value import contexts

_SMALL = 2**16  # elements; a copy of fewer is not counted


@uninterrupted
def wait_for(array):
    """Return when the elements of an array are there; raises what went wrong in its program."""
    try:
        array.block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        raise _failure(array, error) from error


def _failure(array, error):
    return memory_error(error, _lacking(array), "Compute on smaller batches, or with 'recompute'")


def _lacking(array):
    size = f"{array.dtype.name} {array.shape}, {bytes_text(array.nbytes)}"
    return (f"For reading a Tensor ({size}), memory must suffice for the program that computes it "
            "and for a copy")  # fmt: skip


def on_host(array):
    """The elements of an array as a NumPy array, which may share its memory."""
    if len(contexts) > 1:  # where Python may end meanwhile
        wait_for(array)
    try:
        # NumPy's look at the memory of an array whose program has failed ends the process, or never
        # ends: XLA takes its address before it asks whether there is one
        array.block_until_ready()
        return np.asarray(array)
    except jax.errors.JaxRuntimeError as error:
        raise _failure(array, error) from error
    except RuntimeError:
        if array.is_fully_addressable or array.is_fully_replicated:
            raise
        raise RuntimeError(
            "For reading a Tensor, it must be whole on this rank, but its parts are on the devices "
            "of several ranks. Let all ranks call 'sporax.parallel.whole' on it, and read the "
            "result."
        ) from None


def _element(array, index):
    """The element of an array at an index among all, or in each dimension, as a Python number."""
    try:
        places = tuple(map(operator.index, index if isinstance(index, tuple) else (index,)))
    except TypeError:
        raise TypeError(
            "For 'Tensor.item', 'index' must be an int, or a tuple of an int for each dimension, "
            f"but got {index!r:.80}."
        ) from None
    if len(places) not in (1, array.ndim):
        raise ValueError(
            f"For 'Tensor.item', 'index' must be one int, or {array.ndim} for the shape "
            f"{array.shape}, but got {index!r:.80}."
        )
    sizes = array.shape if len(places) == array.ndim else (array.size,)
    if not all(-size <= n < size for n, size in zip(places, sizes, strict=True)):
        raise IndexError(
            f"For 'Tensor.item', 'index' must be within the shape {array.shape}, but got {index}."
        )
    return array.item(*places)


class Reading:
    """The part of `Tensor` that gives its numbers away."""

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
        """How many dimensions there are.

        >>> Tensor([[1, 2]]).dim()
        2
        """
        return self.ndim

    def numel(self):
        """How many elements there are.

        >>> Tensor([[1, 2]]).numel()
        2
        """
        return self.size

    ndimension, nelement = dim, numel

    def asnumpy(self):
        """The elements as a NumPy array of its own, which may be written to.

        BFloat16 comes as the NumPy dtype of that name from `ml_dtypes`.

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
            raise memory_error(error, _lacking(array)) from error

    numpy = asnumpy

    def data_sync(self, wait=True):
        """Compute the elements now; with `wait`, return when they are there.

        >>> x = Tensor([1.0]) + 1
        >>> x.data_sync()
        """
        value = self._read()
        if wait:
            wait_for(value.array)

    def get_bytes(self):
        """The elements as bytes, row by row.

        >>> list(Tensor(np.array([1, 2], np.int8)).get_bytes())
        [1, 2]
        """
        return self.asnumpy().tobytes()

    def item(self, index=None):
        """One element as a Python number. `index`: its place among all elements, or a tuple of
        one for each dimension.

        >>> Tensor([1.5]).item()
        1.5
        """
        array = self.asnumpy()
        if index is not None:
            return _element(array, index)
        if array.size != 1:
            raise ValueError(
                f"For 'Tensor.item', the tensor must have one element, but got shape {self.shape}."
                " Give an index."
            )
        return array.item()

    def tolist(self):
        """The elements as nested lists of Python numbers.

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
        if array.dtype.kind not in "iub":
            raise TypeError(
                f"For 'Tensor.__index__', the tensor must hold an integer, but got {self.dtype}."
            )
        return int(array)

    def _one(self, what):
        if self.size != 1:
            raise ValueError(
                f"For '{what}', the tensor must have exactly one element, but got shape "
                f"{self.shape}. Reduce it first, e.g. with 'all', 'any', 'sum' or an index."
            )
        value = self._read()
        return np.array(on_host(value.array)).reshape(())

    def __len__(self):
        if not self.shape:
            raise TypeError("For 'len', the tensor must have a dimension, but it is 0-dimensional.")
        return self.shape[0]


@uninterrupted
def synchronize():
    """Wait until everything that was started on the devices has ended.

    >>> ms.synchronize()
    """
    jax.effects_barrier()
    for array in jax.live_arrays():  # a CPU's programs run in threads, in no order
        wait_for(array)
