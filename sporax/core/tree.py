"""Nested tuples, lists and dicts of tensors, as one flat list and back."""

from sporax.core.tensor import Tensor

_LEAF = "tensor"


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
    return into


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
        return {key: map_tensors(function, item, rest) for key, item in obj.items()}
    return obj if rest is None else rest(obj)
