"""`Tensor`: a mutable handle to an immutable Value."""

import importlib
import inspect
from collections import deque
from itertools import repeat
from typing import TYPE_CHECKING, Any
from weakref import ref

import jax
import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim

from sporax._src.core import context, printing
from sporax._src.core import dtype as dtypes
from sporax._src.core.from_host import (
    NUMBERS,
    blank,
    host_array,
    is_numpy_scalar,
    plain,
    python_number,
)
from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.jax_internals import device_array
from sporax._src.core.signature_errors import fitting_constructor
from sporax._src.core.to_host import Reading, wait_for
from sporax._src.core.value import (
    Aval,
    Meta,
    Uninitialized,
    UnknownShape,
    Value,
    deferred,
    owned_value,
    scalar_value,
    shared_value,
    thread,
    updating,
)  # fmt: skip
from sporax._src.diagnosis.pytorch_names import TensorNames
from sporax._src.diagnosis.rules import message, rejection, require, shown

if TYPE_CHECKING:  # the methods that operations attach: a stub, by tools/write_stubs.py
    from sporax._src.core.attached import Attached  # pyright: ignore[reportMissingModuleSource]
else:
    Attached = Reading


@fitting_constructor
class Tensor(Attached, TensorNames):
    """An n-dimensional array of one dtype.

    `input_data`: a Tensor, NumPy array, number, or nested list or tuple of them. `dtype`: by
    default the data's; Python floats (and lists of Float64) become Float32. `shape`, `dtype` and
    `init` (see `initializer`) give an uninitialized tensor: its elements are drawn by
    `init_data()`, when they are read (e.g. printed), or by a captured function (`jit`, GRAPH_MODE);
    an operation on it in dynamic code before that raises. Without data, a `shape` with None gives a
    placeholder for inputs (`Cell.set_inputs`). `device='meta'` gives a tensor with shape and dtype
    and without data; an operation on it returns another one.

    >>> Tensor([1, 2, 3], dtypes.float32).shape
    (3,)
    """

    # `_alias`: set if the tensor shares memory with others, see `storage.views`
    __slots__ = ("__dict__", "__weakref__", "_alias", "_value")
    _operand: Any  # `_value`, as operations read it; a subclass with `__fallback__` has none
    _source: Any = None  # the Tensor of which it is another handle, see `_make_subclass`
    _placement: Any = None  # its placement on several devices, see `sharding.mesh`
    __array_priority__ = 1000  # NumPy's operators defer to Tensor's

    def __init__(
        self, input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None
    ):
        if self._source is not None:
            return  # its `__new__` has called `_make_subclass`
        if device is not None:
            context.check_device("Tensor", device)
        if shape is not None and input_data is not None and init is None:
            raise rejection("none-input-data-given", "Tensor", shape=shape)
        if init is not None:
            if input_data is not None:
                raise rejection("init-not-both-given", "Tensor", argument="input_data")
            if shape is None or dtype is None:
                raise rejection("needs-shape-dtype-too", "Tensor", argument="init")
            if not hasattr(init, "draw"):  # the name of an initializer, or a number
                input_data = hooks.initial_value(init, shape, dtype)._value
            else:
                shape = plain(shape)
                sizes = (shape,) if isinstance(shape, int) else tuple(shape)
                input_data = Uninitialized(Aval.intern(sizes, dtypes.to_numpy(dtype)), init)
        elif input_data is None:
            input_data = blank(shape, dtype, device == "meta" or thread.recorder.is_meta)
        self._value = (meta_value if device == "meta" else new_value)(input_data, dtype)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "__fallback__" in cls.__dict__:
            cls._operand = property(_guarded_value)

    @staticmethod
    def _make_subclass(cls, tensor):
        """Return an object of a subclass of Tensor that is the same variable as `tensor`: it has
        its memory, and gradients with respect to either are those of both."""
        if cls._value is Tensor._value:
            cls._value, cls._alias = _of_source("_value"), _of_source("_alias")
        made = object.__new__(cls)
        made._source = tensor
        return made

    # what it is -----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension, a tuple of ints."""
        return self._value.aval.shape

    @property
    def dtype(self) -> dtypes.Type:
        """The MindSpore dtype of the elements."""
        return dtypes.from_numpy(self._value.aval.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._value.aval.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._value.aval.size

    @property
    def init(self):
        """The `Initializer` that has not drawn the elements yet, or None."""
        return self._value.init if self._value.__class__ is Uninitialized else None

    @init.setter
    def init(self, value):
        require(value is None, "none", "Tensor", init=value)
        if self.has_init:
            self.init_data()

    @property
    def has_init(self):
        """True if an `Initializer` has not drawn the elements yet."""
        return self._value.__class__ is Uninitialized

    def init_data(self, slice_index=None, shape=None, opt_shard_group=None):
        """Draw the elements of a tensor constructed with `init`, once; returns the tensor.

        `shape`: the shape of the slice to draw, by default the whole; other arguments are ignored.

        >>> from sporax._src.initializers import One
        >>> Tensor(shape=(2,), dtype=ms.float32, init=One()).init_data().asnumpy()
        array([1., 1.], dtype=float32)
        """
        init = self.init
        if init is None:
            raise rejection("tensor-initializer-not-drawn", "Tensor.init_data")
        drawn = init.draw(self.shape if shape is None else tuple(shape), self.dtype)
        _set_drawn(self, new_value(drawn, None))
        return self

    const_arg, init_flag = False, False

    @property
    def data(self):
        """The tensor itself."""
        return self

    @data.setter
    def data(self, data):
        self._set_data(data)

    @property
    def device(self):
        """The name of the device: 'CPU', 'GPU' or 'TPU'; 'meta' without data."""
        return "meta" if self.is_meta else context.get_context("device_target")

    @property
    def is_meta(self):
        """True if the tensor has shape and dtype and no data."""
        return self._value.__class__ is Meta

    def value(self):
        """Return the tensor itself.

        >>> Tensor([1.0]).value().asnumpy()
        array([1.], dtype=float32)
        """
        return self

    # its numbers ----------------------------------------------------------------------------

    def _read(self):
        """Return the Value, made concrete: runs pending operations, breaks the graph of a capture.
        While it is referenced, its array is not donated to a program of any thread."""
        if self._value.__class__ is Uninitialized:
            self.init_data()
        recorder = thread.recorder
        if recorder is not None and recorder.tracer is not None:
            recorder.tracer.concrete_value_needed(recorder, self._value)
        value = self._value
        value.read()
        if deferred:
            wait_for(value.array)
            hooks.raise_deferred()
        return value

    @staticmethod
    def convert_bytes_to_tensor(bytes_data, shape, dtype):
        """Return the tensor whose `get_bytes` returns `bytes_data`.

        >>> Tensor.convert_bytes_to_tensor(Tensor([1, 2]).get_bytes(), (2,), ms.int64).asnumpy()
        array([1, 2])
        """
        return Tensor(np.frombuffer(bytes_data, dtypes.to_numpy(dtype)).reshape(shape))

    def __str__(self):
        return repr(self) if self.is_meta else printing.text(self.asnumpy())

    def __repr__(self):
        if isinstance(self._value, (UnknownShape, Meta)):
            blank = " " if self.ndim == 1 else "\n"  # where MindSpore prints the elements
            blank += "<meta>" if self.is_meta else ""
            return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={blank})"
        return printing.representation(self.shape, self.dtype, self.asnumpy())

    def __contains__(self, element):
        if not isinstance(element, (Tensor, bool, int, float, complex, np.generic)):
            return False  # as in MindSpore: an array is not an element
        element = element.asnumpy() if isinstance(element, Tensor) else element
        return bool(np.any(self.asnumpy() == element))

    def __hash__(self):
        return id(self)

    # its identity ---------------------------------------------------------------------------

    def _rebind(self, value):
        """Write `value` to this tensor and to those that share its memory; operations recorded
        before keep the old Value."""
        alias = getattr(self, "_alias", None)
        if alias is None:
            return self._bind(value)
        alias.write(self, value)
        return self

    def _replace(self, value):
        """Give this tensor new memory that holds `value`; its views keep the old memory."""
        alias = getattr(self, "_alias", None)
        if alias is not None:
            alias.leave(self)
        return self._bind(value)

    def _bind(self, value):
        """Point only this handle to another Value."""
        self._value = self._prepared(value)
        return self

    def _prepared(self, value):
        """Return `value` with this handle's placement, and notify the tracer of the rebinding."""
        if value.__class__ is Uninitialized:
            value.read()  # raises: it cannot be computed with
        if value.__class__ is Meta and not self.is_meta:
            raise rejection("meta-into-data", self.__class__.__name__, shape=self.shape)
        recorder = thread.recorder
        if recorder.tracer is not None:
            recorder.tracer.before_rebind(recorder, self)
        if self._placement is not None:
            value = hooks.placed(value, self._placement)
        return value

    def _drop_data(self):
        """Move this tensor to the device 'meta'; its views keep the data."""
        recorder, alias = thread.recorder, getattr(self, "_alias", None)
        if recorder.tracer is not None:
            recorder.tracer.to_host(recorder)
        if alias is not None:
            alias.leave(self)
        self._value = meta_value(self, None)

    def assign_value(self, value):
        """Take over the contents, shape and dtype of another tensor.

        >>> Tensor([1.0]).assign_value(Tensor([2.0])).asnumpy()
        array([2.], dtype=float32)
        """
        return self._replace((value if isinstance(value, Tensor) else Tensor(value))._lift())

    def set_dtype(self, dtype):
        """Convert the elements in place; returns the dtype.

        >>> Tensor([1.0]).set_dtype(ms.int32)
        mindspore.int32
        """
        self._replace(self.astype(dtype)._value)
        return self.dtype

    def _lift(self):
        """Return this handle's Value; in a function being captured, its Value in that trace."""
        recorder = thread.recorder
        if recorder.tracer is not None:
            recorder.tracer.lift(recorder, self)
        return self._value

    def __copy__(self):
        copied = object.__new__(self.__class__)
        copied.__dict__.update(self.__dict__)
        copied._value = self._lift()
        return copied

    def __deepcopy__(self, memo):
        return memo.setdefault(id(self), self.__copy__())  # values are immutable: may be shared

    def __reduce_ex__(self, protocol):
        data = self._value.aval if self.is_meta else self.asnumpy()
        if self.is_meta:
            data = (data.shape, data.dtype)
        return _restore, (self.__class__, data, dict(self.__dict__))

    def asjax(self):
        """Return a copy of the elements as a `jax.Array`.

        >>> Tensor([1.0]).asjax()
        Array([1.], dtype=float32)
        """
        value = self._read()
        return jnp.copy(value.array)

    @staticmethod
    def from_numpy(array):
        """Return a tensor with the dtype and contents of a NumPy array.

        >>> Tensor.from_numpy(np.array([1.0])).dtype
        mindspore.float64
        """
        if not isinstance(array, np.ndarray):
            raise rejection("numpy-ndarray", "Tensor.from_numpy", array=array)
        return Tensor(array)


def root(tensor):
    """Return the first handle of a variable, see `Tensor._make_subclass`."""
    while tensor._source is not None:
        tensor = tensor._source
    return tensor


def _of_source(name):
    """Return a property for a slot of the first handle."""
    slot = Tensor.__dict__[name]

    def get(self):
        return slot.__get__(self) if self._source is None else getattr(self._source, name)

    def put(self, value):
        slot.__set__(self, value) if self._source is None else setattr(self._source, name, value)

    def delete(self):
        slot.__delete__(self) if self._source is None else delattr(self._source, name)

    return property(get, put, delete)


def _guarded_value(self):
    if thread.calls_fallback:
        raise AttributeError(name="_operand", obj=self)
    return self._value


Tensor._operand = Tensor.__dict__["_value"]


class FallsBack(Exception):
    """Raised for an operand whose class has a `__fallback__`, which does the operation."""


def falls_back(tensor):
    """Return True if operations on the Tensor call its `__fallback__`."""
    return not hasattr(tensor, "_operand")


def bind_all(pairs):
    """Point the handles of (handle, Value) pairs to their Values, in one call into C: an interrupt
    sees either all of them rebound or none."""
    handles, recorder = [handle for handle, _ in pairs], thread.recorder
    is_captured = recorder.tracer is not None
    values = [
        value if value.__class__ is Value and handle._placement is None and not is_captured
        else handle._prepared(value)
        for handle, value in pairs
    ]  # fmt: skip
    if not is_captured:
        olds = [handle._value for handle in handles]
        recorder.replaced += [
            (ref(h), array) for h, old, value in zip(handles, olds, values, strict=True)
            if value.trace is recorder
            and (array := old.computed() if old.array is None else old.array) is not None
        ]  # fmt: skip
    deque(map(setattr, handles, repeat("_value"), values), 0)


def complete():
    """Import the modules that attach operators to Tensor, and initializers to Parameter."""
    for name in ("sporax.ops", "sporax._src.initializers"):
        importlib.import_module(name)


def _restore(kind, array, attributes):
    complete()  # unpickling a Tensor may be the first use of sporax in a process
    tensor = object.__new__(kind)
    tensor.__dict__.update(attributes)
    if isinstance(array, tuple):  # shape and dtype
        tensor._value = Meta(Aval.intern(*array))
        return tensor
    tensor._value = new_value(array, None)
    return tensor if tensor._placement is None else tensor._bind(tensor._value)


def new_value(data, dtype, is_owned=False):
    """Return a concrete Value of host data, converted to `dtype`; a Tensor shares its Value.
    `is_owned`: whether nobody else will change the data."""
    recorder = thread.recorder
    if recorder is not None and recorder.is_meta:
        return meta_value(data, dtype)
    if isinstance(data, Tensor):
        if data._value.__class__ is Uninitialized:
            data.init_data()
        value = data._lift()
        if dtype is None or dtypes.to_numpy(dtype) == value.aval.dtype:
            return value
        return data.astype(dtype)._value
    if isinstance(data, Value):
        return data
    wanted = None if dtype is None else dtypes.to_numpy(dtype)
    if isinstance(data, jax.Array):
        return shared_value(data if wanted is None else data.astype(wanted))
    array = host_array(data, wanted)
    aval = Aval.intern(array.shape, array.dtype)
    array = array if is_owned else array.copy()
    value = Value(aval, device_array(array))  # `jnp.array` would compile for each shape
    if recorder is not None and recorder.tracer is not None:
        recorder.tracer.add_constant(recorder, value)
    return value


def meta_value(data, dtype):
    """Return the Value of the device 'meta' with the shape of data, in `dtype` or the data's."""
    if isinstance(data, UnknownShape):
        return data
    wanted = None if dtype is None else dtypes.to_numpy(dtype)
    if isinstance(data, Tensor):
        data = data._value
    if isinstance(data, Value):
        data = data.aval
    elif not isinstance(data, jax.Array):
        data = host_array(data, wanted)
    return Meta(Aval.intern(data.shape, wanted or data.dtype))


def drawn_value(tensor):
    """Return the concrete Value of an uninitialized tensor, drawn first."""
    init = tensor.init
    if init is None:  # another thread has drawn it meanwhile
        return tensor._value
    drawn = init.draw(tensor.shape, tensor.dtype)
    return _set_drawn(tensor, owned_value(device_array(drawn)))


@uninterrupted
def _set_drawn(tensor, value):
    """Set the Value that an initializer has drawn, unless a thread or signal handler has done so
    meanwhile; returns the tensor's Value."""
    with updating:
        if tensor.has_init:
            tensor._value = value
        return tensor._value


class NeedsStack(Exception):
    """Raised for an operand that is a sequence of Tensors, see `stacked_operands`."""


def _holds_tensors(data):
    return isinstance(data, (list, tuple)) and any(
        isinstance(item, Tensor) or _holds_tensors(item) for item in data
    )


def stacked_operands(op, operands):
    """Return the operands with each sequence of Tensors stacked, so that gradients flow through."""
    return [
        hooks.stacked(f"For '{op.name}', {_operand_name(op, n)}", x) if _holds_tensors(x) else x
        for n, x in enumerate(operands)
    ]


def _operand_name(op, index):
    """Return the name of an operand for messages."""
    return f"'{op.operands[index]}'" if index < len(op.operands) else message("an-operand")


def as_value(op, operand, index):
    """Return the Value of an operand that is not a Tensor: a number or NumPy data. `index`: its
    index among the operands. Raises `NeedsStack` for a sequence of Tensors."""
    name, kind = op.name, operand.__class__
    if kind in NUMBERS:
        return scalar_value(name, operand)
    if is_numpy_scalar(operand):
        operand = python_number(operand)
        if operand.__class__ in NUMBERS:
            return scalar_value(name, operand)
    if isinstance(operand, Tensor):
        raise FallsBack
    if isinstance(operand, (np.ndarray, jax.Array, list, tuple)):
        if _holds_tensors(operand):
            raise NeedsStack
        return new_value(operand, None)
    if isinstance(operand, NUMBERS):  # subclasses, e.g. an IntEnum
        base: Any = next(k for k in NUMBERS if isinstance(operand, k))
        return scalar_value(name, base(operand))
    if is_symbolic_dim(operand):
        return thread.recorder.tracer.symbolic_size(operand)
    what = "" if hasattr(kind, "is_sparse") else f": {shown(operand)}"  # its repr reads Tensors
    fields = {"place": _operand_name(op, index), "got": kind.__name__, "what": what}
    raise rejection("tensor-number-argument-type", name, **fields)


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None):
    """Construct a `Tensor`; the arguments are the same as for the class.

    >>> tensor([1.0, 2.0]).dtype
    mindspore.float32
    """
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def is_tensor(obj) -> bool:
    """Return True if `obj` is a Tensor (a Parameter is one too).

    >>> ops.is_tensor(Tensor([1])), ops.is_tensor(1)
    (True, False)
    """
    return isinstance(obj, Tensor)


def attach(name, method):
    """Add a method to `Tensor`; raise NameError if the name is taken."""
    require(name not in Tensor.__dict__, "tensor-already", name=name)
    if inspect.isfunction(method) and method.__name__.startswith(("_", "<")):
        method.__name__, method.__qualname__ = name, f"Tensor.{name}"  # shown in Python's errors
    setattr(Tensor, name, method)


from_numpy = Tensor.from_numpy


def concrete(array):
    """Return a Tensor that owns a `jax.Array`."""
    tensor = object.__new__(Tensor)
    tensor._value = owned_value(array)
    return tensor
