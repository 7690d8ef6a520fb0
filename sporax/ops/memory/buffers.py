"""Tensors of the bytes of Python buffers, and Tensors that swap their memory."""

from weakref import ref

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.ops.memory.dlpack import from_dlpack


def frombuffer(buffer, dtype, count=-1, offset=0):
    """Create a vector of the elements in a `bytes`, `bytearray`, `memoryview` or NumPy array.

    `count`: the number of elements, all by default; `offset`: the first byte. The memory is shared
    if it is writable and aligned to 64 bytes, else it is copied.

    >>> from sporax import frombuffer
    >>> frombuffer(bytearray([1, 2, 3, 4]), ms.uint8, count=2, offset=1).asnumpy()
    array([2, 3], dtype=uint8)
    """
    require(isinstance(dtype, dtypes.Type), "dtype-mindspore", "frombuffer", dtype=dtype)
    kind = dtypes.to_numpy(dtype)
    try:
        length = memoryview(buffer).nbytes
    except TypeError:
        raise rejection("object-python-s-buffer", "frombuffer", buffer=buffer) from None
    fits = count >= -1 and 0 not in (count, length)
    require(fits, "1-positive-int-buffer", "frombuffer", count=count, length=length)
    require(0 <= offset < length, "0-within-buffer", "frombuffer", offset=offset, length=length)
    available = length - offset
    size, takes_all = kind.itemsize, count == -1
    fits = not available % size if takes_all else count * size <= available
    which = message("whole-elements") if takes_all else message("n-elements", n=count)
    require(
        fits, "bytes-after-offset-hold", "frombuffer", rest=available, which=which, itemsize=size
    )
    array = np.frombuffer(buffer, kind, count, offset)
    shared = array.flags.writeable and kind.kind != "V"  # NumPy's DLPack lacks kind V
    return from_dlpack(array) if shared else Tensor(array)


def swap_tensors(t1, t2):
    """Swap class, attributes and memory of two Tensors; the objects keep their identity, and views
    follow the memory.

    >>> from sporax import swap_tensors
    >>> x, y = Tensor([1.0]), Tensor([2.0, 3.0])
    >>> swap_tensors(x, y)
    >>> x.shape, y.shape
    ((2,), (1,))
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        require(
            isinstance(tensor, Tensor),
            "must-be-type",
            "swap_tensors",
            argument=name,
            got=tensor,
            kind="a-tensor",
        )
    if t1 is t2:
        return
    if thread.recorder.tracer is not None:
        t1._read()  # object identity is not part of a graph
    aliases = [getattr(t, "_alias", None) for t in (t1, t2)]
    for alias, old, new in zip(aliases, (t1, t2), (t2, t1), strict=True):
        if alias is not None:
            _move(alias.storage, old, new)
    for tensor, alias in zip((t2, t1), aliases, strict=True):
        if alias is not None:
            tensor._alias = alias
        elif hasattr(tensor, "_alias"):
            del tensor._alias
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    t1._value, t2._value = t2._value, t1._value


def _move(storage, old, new):
    """Replace `old` by `new` among the handles of a storage."""
    storage.alive()  # moves handles of copies to separate storages
    storage = old._alias.storage
    is_root = storage.root() is old
    storage.handles = [r for r in storage.handles if r() is not old]
    storage.add(new)
    if is_root:
        storage.root = ref(new)


__all__ = ["frombuffer", "swap_tensors"]
