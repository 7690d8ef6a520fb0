"""Flags of MindSpore's runtime on a Tensor or a Parameter, and related methods.

Flags may be set, are checked and kept, and have no effect, as `nn.ignored_settings` of Cells.
"""

import ctypes

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import attach

# class -> {flag: (initial value, allowed types; None: read-only)}
_FLAGS = {
    Tensor: {
        "symbolic_shape": (None, (list, tuple, type(None))),
        "virtual_flag": (False, (bool,)),
        "parent_tensor_": (None, (Tensor, type(None))),
        "index_of_parent_": (None, (object,)),
        "param_info": (None, (object,)),
    },
    Parameter: {
        "cache_enable": (False, (bool,)),
        "cache_shape": ((), (list, tuple)),
        "comm_fusion": (1, (int,)),
        "inited_param": (None, None),
        "is_init": (False, (bool,)),
        "key": (-1, (int,)),
        "layerwise_parallel": (False, (bool,)),
        "parallel_optimizer": (True, (bool,)),
        "parallel_optimizer_comm_recompute": (False, (bool,)),
        "sliced": (False, (bool,)),
    },
}


def _flag(kind, name, start, types):
    """Return the property of a flag, stored in the object's `__dict__` once it is set."""
    attribute = f"_{name}"

    def get(self):
        value = self.__dict__.get(attribute, start)
        return list(value) if value == () else value

    def put(self, value):
        if not isinstance(value, types) or (isinstance(value, bool) and types == (int,)):
            names = [t.__name__ for t in types]
            raise rejection("of-types", kind.__name__, argument=name, names=names, got=value)
        self.__dict__[attribute] = value

    get.__name__ = name
    get.__doc__ = f"A flag of MindSpore's runtime, {start!r} at first; it changes nothing here."
    return property(get, put if types else None)


for _kind, _rows in _FLAGS.items():
    for _name, _row in _rows.items():
        setattr(_kind, _name, _flag(_kind, _name, *_row))

attach("delta_seed", 0)  # the offset that MindSpore adds to the seeds of slices


@property
def init_finished(self) -> bool:
    """True if the elements exist, False if only an initializer does."""
    return not self.has_init


def is_init(self) -> bool:
    """Return the flag set by `set_init_flag`; initially False.

    >>> Tensor([1.0]).is_init()
    False
    """
    return self.init_flag


def set_init_flag(self, flag) -> None:
    """Set the bool that `is_init` returns.

    >>> x = Tensor([1.0])
    >>> x.set_init_flag(True), x.is_init()
    (None, True)
    """
    kinds.BOOL("Tensor.set_init_flag", flag=flag)
    self.init_flag = flag


def set_const_arg(self, const_arg=True):
    """Keep a bool as `const_arg`; returns the tensor. In a captured function, tensors are inputs in
    any case.

    >>> Tensor([1.0]).set_const_arg().const_arg
    True
    """
    kinds.BOOL("Tensor.set_const_arg", const_arg=const_arg)
    self.const_arg = const_arg
    return self


def set_cast_dtype(self, dtype=None) -> None:
    """Accepted, without effect: a Cell sets the dtype of its computations (`Cell.to_float`).

    >>> Tensor([1.0]).set_cast_dtype(ms.float16)
    """
    if dtype is not None:
        dtypes.to_numpy(dtype)


def set_param_info(self, param_info) -> None:
    """Keep an object as `param_info`; ignored for a Parameter, which is its own.

    >>> x = Tensor([1.0])
    >>> x.set_param_info("about x")
    >>> x.param_info
    'about x'
    """
    if not isinstance(self, Parameter):
        self.param_info = param_info


def set_device_address(self, address, shape, dtype) -> None:
    """Fill the tensor with a copy of the elements at an address in host memory, in row-major order.

    >>> source = np.array([1.0, 2.0])
    >>> x = Tensor([0.0])
    >>> x.set_device_address(source.ctypes.data, (2,), ms.float64)
    >>> x.asnumpy()
    array([1., 2.])
    """
    fits, who = kinds.POSITIVE_INT.accepts(address), "Tensor.set_device_address"
    require(fits, "int-at-least", who, address=address, n=1)
    kind = dtypes.to_numpy(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    data = (ctypes.c_uint8 * (count * kind.itemsize)).from_address(address)
    self._replace(Tensor(np.frombuffer(data, kind, count).reshape(shape))._value)


def wait_pipeline(self) -> None:
    """Block until the elements are computed.

    >>> (Tensor([1.0]) + 1).wait_pipeline()
    """
    self.data_sync()


def remove_hook(hook) -> None:
    """Remove a hook by the handle that `register_hook` returned.

    >>> x = Tensor([1.0])
    >>> Tensor.remove_hook(x.register_hook(lambda g: g * 2))
    >>> x.hooks()
    []
    """
    is_hook = callable(getattr(hook, "remove", None))
    require(is_hook, "what-register-hook-returned", "Tensor.remove_hook", hook=hook)
    hook.remove()


def assign_value_cpp(self, value):
    """As `assign_value`.

    >>> Tensor([1.0]).assign_value_cpp(Tensor([2.0])).asnumpy()
    array([2.], dtype=float32)
    """
    return self.assign_value(value)


for _method in (
    is_init, set_init_flag, set_const_arg, set_cast_dtype, set_param_info, set_device_address,
    wait_pipeline, assign_value_cpp,
):  # fmt: skip
    attach(_method.__name__, _method)
attach("init_finished", init_finished)
attach("remove_hook", staticmethod(remove_hook))


def add_pipeline_stage(self, stage) -> None:
    """Record a stage of pipeline parallelism; without effect on one device.

    >>> Parameter(Tensor([1.0])).add_pipeline_stage(1)
    """
    fits, who = kinds.COUNT.accepts(stage), "Parameter.add_pipeline_stage"
    require(fits, "int-at-least", who, error=TypeError, stage=stage, n=0)
    self.__dict__.setdefault("_pipeline_stages", []).append(stage)


setattr(Parameter, add_pipeline_stage.__name__, add_pipeline_stage)
