"""The kind of a call's arguments: what captures of a function are told apart by."""

import numpy as np

from sporax.core.dtype import Type
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.core.tree import fields_of
from sporax.graph_capture.mutable import MutableInput
from sporax.guards.dependence import hooks_at
from sporax.staging.symbolic_scalars import VARYING, exact


def kind_of(args, kwargs, tensors, numbers):
    """What a call's arguments must share for one graph to serve them; collects their Tensors and
    those numbers that may vary: by themselves, or in tuples."""
    seen = {}
    return (
        tuple,
        (tuple, *[_key(item, tensors, seen, numbers) for item in args]),
        (dict, *[(k, _key(v, tensors, seen, numbers)) for k, v in kwargs.items()]),
    )


def with_numbers(kind, given, steering):
    """The kind of arguments, with those of their numbers that have captures of their own."""
    return (*kind, tuple([exact(given[i]) for i in steering])) if given else kind


def _key(obj, tensors, seen, numbers=None):
    """The part of an argument in `_kind`; `numbers` is None where numbers do not vary."""
    if isinstance(obj, Tensor):
        first = seen.setdefault(id(obj), len(tensors))
        same = first != len(tensors)
        tensors.append(obj)
        if isinstance(obj, Parameter):
            return obj._value.aval, first, id(obj), obj.requires_grad, *map(Identity, hooks_at(obj))
        if obj.__class__ is not Tensor or hasattr(obj, "requires_grad"):
            return obj._value.aval, first, obj.__class__, getattr(obj, "requires_grad", True)
        if own := obj.__dict__:  # hooks, and attributes that a script gave it
            named = [(k, _key(v, tensors, seen)) for k, v in own.items() if k != "_hooks"]
            return obj._value.aval, first, *map(Identity, hooks_at(obj)), *named
        return (obj._value.aval, first) if same else obj._value.aval
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
    if isinstance(obj, (tuple, list)):
        return (obj.__class__, *[_key(item, tensors, seen) for item in obj])
    if isinstance(obj, dict):
        items = [(k if k.__class__ is str else _static(k), v) for k, v in obj.items()]
        return (obj.__class__, *[(k, _key(v, tensors, seen)) for k, v in items])
    if isinstance(obj, np.ndarray):
        return obj.shape, obj.dtype, obj.tobytes()
    if fields := fields_of(obj):
        return (obj.__class__, *[_key(getattr(obj, name), tensors, seen) for name in fields])
    if isinstance(obj, slice):
        return slice, obj.start, obj.stop, obj.step
    if isinstance(obj, (set, frozenset)):
        return obj.__class__, frozenset(map(_static, obj))
    if isinstance(obj, bytearray):
        return obj.__class__, bytes(obj)
    return _static(obj)


def _static(obj):
    """A hashable stand-in that equals another one only where nobody can tell the two apart: 1 is
    not True, 0.0 is not -0.0, and what has an `__eq__` of its own may differ in what that leaves
    out."""
    if isinstance(obj, (int, float, np.generic)):
        return exact(obj)
    if isinstance(obj, tuple):
        return obj.__class__, *map(_static, obj)
    return (obj.__class__, obj) if isinstance(obj, _PLAIN) else Identity(obj)


_PLAIN = (str, bytes, complex, type(None), type(Ellipsis), range, np.dtype, Type)


class Identity:
    """An object as part of a key by its identity; what it holds is watched by `Dependence`."""

    def __init__(self, obj):
        self.obj = obj

    def __hash__(self):
        return id(self.obj)

    def __eq__(self, other):
        return isinstance(other, Identity) and self.obj is other.obj
