"""Kind of a call's arguments: the key of its cache entries."""

import numpy as np

from sporax._src.capture.graph_capture.mutable import MutableInput
from sporax._src.capture.guards.dependence import hooks_at
from sporax._src.capture.staging.symbolic_scalars import VARYING, exact
from sporax._src.core.dtype import Type
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import fields_of
from sporax._src.runtime.engine.trace_tree import OnMeta


def kind_of(args, kwargs, tensors, numbers):
    """Return the hashable kind of a call's arguments; collects their Tensors, and the numbers that
    may be symbolic scalars: direct arguments or in tuples."""
    seen = {}
    return (
        tuple,
        (tuple, *[_key(item, tensors, seen, numbers) for item in args]),
        (dict, *[(k, _key(v, tensors, seen, numbers)) for k, v in kwargs.items()]),
    )


def with_numbers(kind, values, static):
    """Return the kind of arguments, with the values of their static numbers."""
    return (*kind, tuple([exact(values[i]) for i in static])) if values else kind


def _key(obj, tensors, seen, numbers=None):
    """Return the kind of one argument; `numbers` is None where numbers are static."""
    if isinstance(obj, Tensor):
        position = seen.setdefault(id(obj), len(tensors))
        is_repeated = position != len(tensors)
        tensors.append(obj)
        value = obj._value
        if value.array is None:
            value = _drawn(obj)
        aval = value.aval
        if isinstance(obj, Parameter):
            hooks = map(Identity, hooks_at(obj))
            return aval, position, id(obj), obj.requires_grad, *hooks
        if obj.__class__ is not Tensor or hasattr(obj, "requires_grad"):
            return aval, position, obj.__class__, getattr(obj, "requires_grad", True)
        attributes = obj.__dict__  # hooks, and attributes set by user code
        if attributes and not is_repeated:
            named = [(k, _key(v, tensors, seen)) for k, v in attributes.items() if k != "_hooks"]
            return aval, position, *map(Identity, hooks_at(obj)), *named
        return (aval, position) if is_repeated else aval
    if isinstance(obj, MutableInput):
        tensors.append(obj.as_input())
        return tensors[-1]._value.aval
    if numbers is not None:
        kind = obj.__class__
        if kind in VARYING:
            numbers.append(obj)
            return VARYING[kind]
        if kind is tuple:
            return (tuple, *[_key(item, tensors, seen, numbers) for item in obj])
    if isinstance(obj, np.ndarray):
        return obj.shape, obj.dtype, obj.tobytes()
    items = _items(obj)
    if items is None:
        return _without_tensors(obj)
    if id(obj) in seen:
        raise SelfContaining
    seen[id(obj)] = None  # while its items are walked
    kind = (obj.__class__, *[(k, _key(v, tensors, seen)) for k, v in items])
    del seen[id(obj)]
    return kind


def _drawn(tensor):
    """Return the Value of an argument, drawn by its initializer if it has one, as in MindSpore;
    raises `OnMeta` for one without data."""
    if tensor.is_meta:
        raise OnMeta
    return tensor.init_data()._value if tensor.has_init else tensor._value


class SelfContaining(ValueError):
    """Raised for an argument that contains itself; it has no kind."""


def _items(obj):
    """Return the (key, item) pairs of a container of arguments; None for other objects."""
    if isinstance(obj, (tuple, list)):
        return enumerate(obj)
    if isinstance(obj, dict):
        return [(k if k.__class__ is str else _static(k), v) for k, v in obj.items()]
    fields = fields_of(obj)
    return [(name, getattr(obj, name)) for name in fields] if fields else None


def _without_tensors(obj):
    """Return the kind of an argument without Tensors."""
    if isinstance(obj, slice):
        return slice, obj.start, obj.stop, obj.step
    if isinstance(obj, (set, frozenset)):
        return obj.__class__, frozenset(map(_static, obj))
    if isinstance(obj, bytearray):
        return obj.__class__, bytes(obj)
    return _static(obj)


def _static(obj):
    """Return a hashable key of a static argument. Code cannot distinguish values with equal keys:
    1 is not True, 0.0 is not -0.0, and a class's `__eq__` may ignore differences."""
    if isinstance(obj, (int, float, np.generic)):
        return exact(obj)
    if isinstance(obj, tuple):
        return obj.__class__, *map(_static, obj)
    return (obj.__class__, obj) if isinstance(obj, _HASHABLE) else Identity(obj)


_HASHABLE = (str, bytes, complex, type(None), type(Ellipsis), range, np.dtype, Type)


class Identity:
    """Key of an object by identity; `Dependence` guards its state."""

    def __init__(self, obj):
        self.obj = obj

    def __hash__(self):
        return id(self.obj)

    def __eq__(self, other):
        return isinstance(other, Identity) and self.obj is other.obj
