"""`UntypedStorage`, the memory that tensors share; `set_` moves tensors to other memory."""

import functools
from weakref import ref

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.storage import views
from sporax._src.runtime.storage.strides import Strided
from sporax._src.runtime.storage.view_access import Part, access, write
from sporax.ops.declare import attach
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat
from sporax.ops.shape.reshape import reshape, sizes


class UntypedStorage:
    """The memory of a tensor and of all that share it, from `Tensor.untyped_storage()`. Its sizes
    are in bytes.

    >>> x = Tensor([1.0, 2.0, 3.0])
    >>> x[1:].untyped_storage().nbytes()
    12
    """

    def __init__(self, tensor):
        is_tensor = isinstance(tensor, Tensor)
        require(is_tensor, "tensor-memory-device-address", "UntypedStorage", tensor=tensor)
        self._root = _root_of(tensor)  # keeps the whole memory alive

    @property
    def _storage(self):
        return self._root._alias.storage

    @property
    def dtype(self):
        """The dtype with which the memory was filled."""
        return self._root.dtype

    @property
    def device(self):
        """The name of the device: 'CPU', 'GPU' or 'TPU'."""
        return self._root.device

    def nbytes(self):
        """Return the number of bytes."""
        extent = self._storage.extent
        return self._root.nbytes if extent is None else extent

    size = __len__ = nbytes

    def element_size(self):
        """Return 1: the elements are bytes."""
        return 1

    def data_ptr(self):
        """Return the address of the memory on the device, for comparison."""
        return self._root.data_ptr()

    def is_shared(self):
        """Return False: other processes do not share the memory."""
        return False

    def _bytes(self):
        return np.frombuffer(self._root.asnumpy().tobytes(), np.uint8).copy()

    def _fill(self, data):
        """Write bytes, a NumPy array, to the beginning of the memory."""
        whole = self._bytes()
        whole[: data.size] = data
        here = self._root._value.aval
        new = np.frombuffer(whole.tobytes(), here.dtype).reshape(here.shape)
        self._root._rebind(Tensor(new)._value)

    def __getitem__(self, index):
        return self._bytes()[: self.nbytes()][index].tolist()

    def __setitem__(self, index, value):
        data = self._bytes()[: self.nbytes()]
        data[index] = value
        self._fill(data)

    def copy_(self, src, non_blocking=False):
        """Copy the bytes of another storage of the same size; returns this one."""
        require(isinstance(src, UntypedStorage), "untypedstorage", "UntypedStorage.copy_", src=src)
        n, size = self.nbytes(), src.nbytes()
        require(size == n, "bytes", "UntypedStorage.copy_", argument="src", nbytes=n, nbytes2=size)
        if src._root._value.aval is self._root._value.aval:
            self._root._rebind(src._root._lift())
        else:
            self._fill(src._bytes()[: src.nbytes()])
        return self

    def resize_(self, size):
        """Resize the memory to `size` bytes; bytes that are added, or restored after shrinking, are
        0. Tensors in the memory keep their shapes, and read 0 beyond its end."""
        rule, is_size = "int-at-least", kinds.COUNT.accepts(size)
        require(is_size, rule, "UntypedStorage.resize_", size=size, n=0)
        root, item = self._root, self._root.itemsize
        kept = min(size, self.nbytes())
        if kept < root.nbytes:
            count = kept // item
            flat = reshape(root, (-1,))
            zeroed = zeros(root.size - count, root.dtype)
            cleared = concat((flat[:count], zeroed)) if count else zeroed
            root._rebind(reshape(cleared, root.shape)._value)
        if size > root.nbytes:
            self._root = _extended(root, -(-size // item))
        self._storage.extent = size

    def __repr__(self):
        return f"<UntypedStorage of {self.nbytes()} bytes on {self.device}>"


def _root_of(tensor):
    """Return the handle of all memory that the tensor shares; creates one if there is none."""
    alias = getattr(tensor, "_alias", None) or views.share(tensor)
    alias.resolve()
    storage = alias.storage
    root = storage.root()
    if root is None:
        root = zeros(storage.aval.shape, Tensor(np.zeros(0, storage.aval.dtype)).dtype)
        for handle in storage.alive():
            path = handle._alias.path
            if all(segment.is_writable() for segment in path):
                root = write(root, path, handle)
        root._alias = views.Alias(storage, None, None, (), 0, None)
        storage.root = ref(root)
        storage.add(root)
    return root


def _extended(root, count):
    """Return a root of `count` elements that begins with the elements of `root`; all handles of
    that memory move to it."""
    storage = root._alias.storage
    flat = reshape(root, (-1,))
    whole = concat((flat, zeros(count - root.size, root.dtype)))
    del flat
    alias = views.share(whole)
    for handle in storage.alive():
        first, *tail = (*handle._alias.path, None)
        if isinstance(first, Part):
            path = (Part((count,), first.layout), *tail[:-1])
        else:
            inner = Part((count,), Strided.contiguous(storage.aval.shape))
            path = (inner, *handle._alias.path)
        moved = views.Alias(alias.storage, alias, _strided((), (), 0), (), 0, None)
        moved._path, handle._alias = path, moved
        alias.storage.add(handle)
    return whole


def untyped_storage(self) -> UntypedStorage:
    """The memory that the tensor shares with others, an `UntypedStorage`.

    >>> Tensor([1.0, 2.0]).untyped_storage().nbytes()
    8
    """
    return UntypedStorage(self)


def storage(self) -> UntypedStorage:
    """As `untyped_storage`.

    >>> Tensor([1.0, 2.0]).storage().nbytes()
    8
    """
    return UntypedStorage(self)


@functools.cache
def _strided(size, stride, offset):
    """Return the operation that reads elements by offset and strides from a row-major array."""
    layout = Strided(size, stride, offset)

    def read(x):
        key, starts = access(x.shape, layout)
        return key.read(x, *[jnp.asarray(start) for start in starts])

    op = Op("set_", read)
    op.layout = lambda _: layout
    return op


def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Move the tensor to other memory, which it then shares: the memory of `source`, a Tensor or an
    `UntypedStorage`. The tensors that it shared memory with keep theirs.

    `storage_offset`, `size`, `stride`: its elements in that memory; by default the elements of a
    Tensor `source`, and all of a storage. Without a source the tensor is empty.

    >>> x, y = Tensor([1.0, 2.0, 3.0]), Tensor([0.0])
    >>> y.set_(x.untyped_storage(), 1, (2,), (1,)).asnumpy()
    array([2., 3.], dtype=float32)
    """
    if thread.recorder.tracer is not None:
        self._read()  # a tensor's memory is not part of a graph
    if source is None:
        return self._replace(zeros((0,), self.dtype)._value)
    is_memory = isinstance(source, (Tensor, UntypedStorage))
    require(is_memory, "tensor-untypedstorage", "Tensor.set_", source=source)
    if isinstance(source, Tensor):
        dtype = source.dtype
        require(
            dtype == self.dtype, "dtype-of-tensor", "Tensor.set_", source=dtype, dtype=self.dtype
        )
    if isinstance(source, Tensor) and size is None:
        return _into(self, reshape(source, source.shape))
    root = (source if isinstance(source, UntypedStorage) else UntypedStorage(source))._root
    if root.dtype != self.dtype:
        root = reshape(root, (-1,)).view(self.dtype)
    return _into(self, _strided_view(root, storage_offset, size, stride))


def _into(tensor, view):
    """Move `tensor` to the memory and the position of `view`."""
    tensor._replace(view._value)
    tensor._alias = view._alias
    tensor._alias.storage.add(tensor)
    return tensor


def _set_data(self, data):
    require(isinstance(data, Tensor), "set-tensor", "Tensor.data", got=data)
    if thread.recorder.tracer is not None:
        self._read()
    _into(self, reshape(data, data.shape))


def _strided_view(root, offset, size, stride):
    """Return the view of these elements of `root`, a row-major array."""
    size = (root.size - offset,) if size is None else sizes((size,))
    stride = Strided.contiguous(size).strides if stride is None else sizes((stride,))
    layout = Strided(size, stride, offset)
    negative = min((offset, *size, *stride), default=0) < 0
    if negative or len(size) != len(stride) or layout.bounds()[1] >= root.size:
        raise rejection(
            "storage-offset-size-stride-name", "Tensor.set_",
            size=root.size, got=offset, size2=size, stride=stride,
        )  # fmt: skip
    return views.view(_strided(size, stride, offset), root)


for _name, _method in {
    "untyped_storage": untyped_storage,
    "storage": storage,
    "set_": set_,
    "_set_data": _set_data,  # by the setter of `Tensor.data`
}.items():
    attach(_name, _method)

__all__ = ["UntypedStorage"]
