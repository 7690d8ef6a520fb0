"""Trees of tuples, lists, dicts and dataclasses: flatten, unflatten and map. As `jax.tree`, but the
leaves are Tensors, and all other objects belong to the treedef."""

import copy
import gc
import itertools
from typing import Any

from sporax._src.core.tensor import Tensor


class Leaf(Tensor):
    """Placeholder for a leaf in a treedef."""

    def __init__(self):
        self._value = None

    def __repr__(self):
        return "None"


LEAF = Leaf()


def nothing(item):
    """Return None: the gradient of an item that is not a Tensor."""


def flatten(tree, every=False, on_other=None):
    """(leaves, treedef): the Tensors in order, and the containers with LEAF in place of each.

    `every`: whether items that are neither Tensors nor containers are leaves too; `on_other`: see
    `map_tensors`.
    """
    leaves = []

    def leaf(item):
        leaves.append(item)
        return LEAF

    return leaves, map_tensors(leaf, tree, leaf if every else on_other)


def unflatten(treedef, leaves, on_other=None):
    """Return a treedef (or any tree) with its leaves replaced by `leaves`, and every other item by
    `on_other(item)` (by default the item). Consumes only as many items of an iterator as needed."""
    leaves = iter(leaves)
    return (
        next(leaves) if treedef is LEAF else map_tensors(lambda _: next(leaves), treedef, on_other)
    )


def tensors_of(tree, into=None):
    """Return the Tensors in order: the leaves of `flatten`."""
    into = [] if into is None else into
    if isinstance(tree, Tensor):
        into.append(tree)
    else:
        for item in tree if isinstance(tree, (tuple, list)) else children(tree):
            tensors_of(item, into)
    return into


def map_tensors(function, tree, on_other=None) -> Any:
    """Return the tree with each Tensor replaced by `function(tensor)`, and every other item by
    `on_other(item)` (by default the item).

    A dataclass field with "kept" in its metadata is left unchanged: if "always", or if "gradient"
    and `on_other` is `nothing`."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, tuple):
        items = [map_tensors(function, item, on_other) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
    if isinstance(tree, list):
        return [map_tensors(function, item, on_other) for item in tree]
    if isinstance(tree, dict):
        items = {key: map_tensors(function, item, on_other) for key, item in tree.items()}
        if tree.__class__ is dict:
            return items
        copied = copy.copy(tree)  # an OrderedDict, a defaultdict
        copied.update(items)
        return copied
    if fields := fields_of(tree):
        copied = copy.copy(tree)
        for name, field in fields.items():
            kept = field.metadata.get("kept")
            if kept is None or (kept == "gradient" and on_other is not nothing):
                object.__setattr__(
                    copied, name, map_tensors(function, getattr(tree, name), on_other)
                )
        return copied
    return tree if on_other is None else on_other(tree)


def itself(tensor):
    """Return the Tensor itself: `map_tensors(itself, tree)` copies only the containers."""
    return tensor


def leaves_with_paths(tree, path=""):
    """Yield (path, leaf) of each leaf, Tensor or not, in order: `[0]`, `['key']`, `.field`."""
    if isinstance(tree, dict):
        steps = [f"[{key!r}]" for key in tree]
    elif isinstance(tree, (tuple, list)):
        steps = [f"[{i}]" for i in range(len(tree))]
    elif fields := fields_of(tree):
        steps = [f".{name}" for name in fields]
    else:
        yield path, tree
        return
    for step, item in zip(steps, children(tree), strict=True):
        yield from leaves_with_paths(item, path + step)


def children(tree):
    """Return the items of a container in order; none for other objects."""
    if isinstance(tree, (tuple, list)):
        return tree
    if isinstance(tree, dict):
        return tree.values()
    return [getattr(tree, name) for name in fields_of(tree)]


def fields_of(obj):
    """Return the fields of a dataclass instance, by name; none for other objects."""
    return () if isinstance(obj, type) else getattr(obj, "__dataclass_fields__", ())


def live_objects(kind):
    """Return all objects of a class that the garbage collector tracks.

    One call into C lists, filters and releases them, so that no other thread runs meanwhile:
    CPython raises SystemError if a thread resizes a tuple that such a list references. The list
    contains the buffer of `tee`: unless it is cleared, the two keep all the objects alive.
    """
    once, again, last = itertools.tee(map(gc.get_objects, (None,)), 3)
    classes = map(type, itertools.chain.from_iterable(again))
    listed = itertools.chain.from_iterable(once)
    instances = itertools.compress(listed, map(kind.__subclasscheck__, classes))
    return list(itertools.chain(instances, filter(None, map(list.clear, last))))
