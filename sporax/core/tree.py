"""Nested tuples, lists, dicts and dataclasses of tensors, as one flat list and back."""

import copy

from sporax.core.tensor import Tensor


def tensors_of(obj, into=None):
    """All Tensors in nested containers, in order."""
    into = [] if into is None else into
    if isinstance(obj, Tensor):
        into.append(obj)
    elif isinstance(obj, (tuple, list)):
        for item in obj:
            tensors_of(item, into)
    elif isinstance(obj, dict):
        for item in obj.values():
            tensors_of(item, into)
    else:
        for name in fields_of(obj):
            tensors_of(getattr(obj, name), into)
    return into


def fields_of(obj):
    """The names of the fields of a dataclass's instance; none for anything else."""
    return () if isinstance(obj, type) else getattr(obj, "__dataclass_fields__", ())


def map_tensors(function, obj, rest=None):
    """The same containers with `function(tensor)` in place of each Tensor, and `rest(item)` (by
    default the item) in place of everything else."""
    if isinstance(obj, Tensor):
        return function(obj)
    if isinstance(obj, tuple):
        items = [map_tensors(function, item, rest) for item in obj]
        return type(obj)(*items) if hasattr(obj, "_fields") else tuple(items)
    if isinstance(obj, list):
        return [map_tensors(function, item, rest) for item in obj]
    if isinstance(obj, dict):
        items = {key: map_tensors(function, item, rest) for key, item in obj.items()}
        return items if obj.__class__ is dict else _filled(obj, items)
    if fields := fields_of(obj):
        copied = copy.copy(obj)
        for name in fields:
            object.__setattr__(copied, name, map_tensors(function, getattr(obj, name), rest))
        return copied
    return obj if rest is None else rest(obj)


def itself(tensor):
    """The Tensor as it is: `map_tensors(itself, obj)` copies the containers alone."""
    return tensor


def with_tensors(obj, tensors):
    """The same containers with these Tensors, in order, in place of theirs; an iterator is used up
    as far as there is need."""
    rest = iter(tensors)
    return map_tensors(lambda _: next(rest), obj)


def _filled(kind, items):
    """A mapping of the kind of another (an OrderedDict, a defaultdict)."""
    copied = copy.copy(kind)
    copied.update(items)
    return copied
