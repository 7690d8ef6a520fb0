"""`Parameter`: a Tensor with a name and an identity, that an optimizer changes."""

import functools
import itertools
from typing import Any

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.context import check_device
from sporax._src.core.from_host import plain, python_number
from sporax._src.core.hooks import hooks
from sporax._src.core.signature_errors import fitting_constructor
from sporax._src.core.tensor import Tensor, bind_all, meta_value, new_value
from sporax._src.core.tree import live_objects
from sporax._src.core.value import Changes, thread
from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import rejection, require


@fitting_constructor
class Parameter(Tensor):
    """A Tensor that a Cell registers and an optimizer updates.

    `default_input`: a Tensor, NumPy array or number. `name`: by default the attribute under which a
    Cell keeps it. `requires_grad`: whether it is differentiated. A pending initializer draws at
    construction. `device`: 'meta' for no data.

    >>> Parameter(Tensor([1.0]), name="w").requires_grad
    True
    """

    __slots__ = ()

    checkpoint: Any  # the file of a loaded Parameter
    _is_buffer = False  # created with requires_grad=False, such as BatchNorm's statistics

    def __new__(cls, default_input=None, *args, **kwargs):
        kind = type(default_input)
        new: Any = kind.__new__
        if not issubclass(kind, Tensor) or new in (object.__new__, Parameter.__new__):
            return object.__new__(cls)
        return new(_combined(cls, kind), default_input)

    def __init__(
        self, default_input, name=None, requires_grad=True, layerwise_parallel=False,
        parallel_optimizer=True, storage_format="", device=None,
    ):  # fmt: skip
        if device not in (None, "Remote"):
            check_device("Parameter", device)
        # a Python int is an Int32 here, unlike in a Tensor, as in MindSpore
        if isinstance(default_input, np.generic):
            default_input = python_number(default_input)
        _check_kind(default_input)
        narrow = dtypes.NAMES["int32"] if default_input.__class__ is int else None
        as_value = meta_value if device == "meta" else new_value
        value = self._value = _apart(as_value(default_input, narrow))
        if value.array is None and value.trace is thread.recorder:
            thread.recorder.has_initial_values = True
        self.name = name
        self.requires_grad = requires_grad
        if not requires_grad:
            self._is_buffer = True
        self.layerwise_parallel, self.parallel_optimizer = layerwise_parallel, parallel_optimizer
        if hooks.new_parameter is not None:  # a Mesh is entered
            hooks.new_parameter(self)

    unique = False  # pyright: ignore[reportAssignmentType]  (a method of other Tensors)

    @property
    def name(self) -> str:
        """The parameter's name in checkpoints and optimizers; an unnamed one gets a number, until a
        Cell registers it as an attribute."""
        self._name = self._name or f"{GENERATED}{next(_numbers)}"
        return self._name

    @name.setter
    def name(self, name):
        fits, kind = isinstance(name, str | None), "a-string-or-none"
        require(fits, "must-be-type", "Parameter", ValueError, name=name, kind=kind)
        name = (name or "").strip()
        fits, most = len(name) <= _LONGEST_NAME, _LONGEST_NAME
        require(fits, "at-most-characters", "Parameter", name=name, most=most, length=len(name))
        self._name, self._named = name or None, bool(name)

    def _keep_under(self, name):
        """Take the name of the attribute that holds the parameter, unless it was named before."""
        if not self._named:
            self.name = name

    @property
    def requires_grad(self):
        """True if the parameter is differentiated."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, flag):
        self._requires_grad = BOOL.checked("Parameter", "requires_grad", flag)
        Changes.count += 1

    @property
    def data(self):
        """The parameter itself; assigning to it calls `set_data`."""
        return self

    @data.setter
    def data(self, data):
        self.set_data(data)

    @property
    def param_info(self):
        """The parameter itself; assigning another's copies its name and settings."""
        return self

    @param_info.setter
    def param_info(self, info):
        for name in ("name", "requires_grad", "layerwise_parallel", "parallel_optimizer"):
            setattr(self, name, getattr(info, name))

    def __repr__(self):
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __str__ = __repr__

    def __copy__(self):
        copied = super().__copy__()
        copied._value = _apart(copied._value)
        return copied

    def _bind(self, value):
        bind_all([(self, value)])
        return self

    def value(self):
        """Return a Tensor with the parameter's current contents."""
        tensor = object.__new__(Tensor)
        tensor._value = self._lift()
        return tensor

    def set_data(self, data, slice_shape=False):
        """Replace the contents by `data`: a Tensor of the same shape (any, with `slice_shape`), or
        a number for a 0-d parameter.

        The dtype does not change; floating data for an integer parameter raises TypeError.
        """
        data, who = plain(data), "Parameter.set_data"
        require(isinstance(data, (Tensor, int, float)), "tensor-number", who, data=data)
        if not isinstance(data, Tensor):
            data = Tensor(data)
        if data.has_init:
            data.init_data()
        value = data._lift()
        if value.aval.shape != self.shape and not slice_shape:
            fields = {"kept": self.shape, "shape": value.aval.shape, "name": self.name}
            raise rejection("shape-stay", who, **fields)
        mine = self._value.aval.dtype
        if value.aval.dtype != mine:
            if value.aval.inexact and mine.kind in "biu":
                given = dtypes.from_numpy(value.aval.dtype)
                fields = {"given": given, "name": self.name, "dtype": self.dtype}
                raise rejection("data-does-not-fit", who, **fields)
            value = data.astype(self.dtype)._value
        self.sliced = slice_shape
        return self._replace(value)

    def init_data(self, layout=None, set_sliced=False):
        """Return the parameter itself: it was initialized when constructed."""
        return self

    def copy(self):
        """Return a new Parameter with the same name and contents."""
        return self.clone()

    def clone(self, init="same"):
        """Return a new Parameter of the same shape and dtype: with the same contents for
        `init='same'`, else drawn by the initializer (or its name) or filled with the number `init`.
        """
        name = self.name if self._named else None
        if isinstance(init, str) and init == "same":
            copied = Parameter(self, name=name)
        else:
            start = hooks.initial_value(init, self._value.aval.shape, self.dtype)
            copied = Parameter(start, name=name, device="meta" if self.is_meta else None)
        copied.requires_grad = self.requires_grad
        copied._is_buffer = self._is_buffer
        copied.layerwise_parallel = self.layerwise_parallel
        copied.parallel_optimizer = self.parallel_optimizer
        if self._placement is not None:
            copied._placement = self._placement
            copied._bind(copied._value)
        return copied


@functools.cache
def _combined(cls, kind):
    """Return the class of Parameters made from a Tensor subclass that constructs its objects."""
    return type(f"Parameter{kind.__name__}", (kind, cls), {"__init__": cls.__init__})


def live_parameters():
    """Return the live Parameters. Objects whose constructor raised are left out: a traceback may
    keep them alive, and they have no value or no name."""
    return [p for p in live_objects(Parameter) if hasattr(p, "_value") and hasattr(p, "_name")]


def _apart(value):
    """Return the value, detached if it is tracked: a new variable."""
    return hooks.detached(value) if value.tracked else value


def _check_kind(data):
    """Raise for data of a type that MindSpore rejects for a Parameter."""
    require(not isinstance(data, bool), "not-bool", "Parameter", argument="default_input")
    is_data = data is not None and not isinstance(data, (str, tuple))
    require(is_data, "tensor-int-float-numpy", "Parameter", default_input=data)


def _checked(name, flag):
    return flag


_numbers = itertools.count(1)
GENERATED = "Parameter#"  # begins the name of a Parameter that was given none
_LONGEST_NAME = 1024
