"""What goes into a captured function, and what comes out of it.

It must not change containers that it is given, since the program that it becomes would not. What it
returns is copied at each call, which an iterator cannot be.
"""

import types

import numpy as np

from sporax.core.tree import fields_of, itself, map_tensors
from sporax.graph_capture.side_effects import SideEffect
from sporax.guards.guard_types import same


class ArgumentSnapshot:
    """The lists, dicts, sets, arrays and dataclasses in arguments, as they are when it is made."""

    def __init__(self, arguments):
        self.before = [(thing, _content(thing)) for thing in _holders(arguments)]

    def effect(self):
        """The effect of the function, if one is not what it was; None if all are."""
        for thing, content in self.before:
            if not same(_content(thing), content):
                return SideEffect(
                    f"changes a {type(thing).__name__} that it is given",
                    "Change a copy of it, and return that.",
                )
        return None


def _holders(thing):
    """What may be changed in place among nested containers."""
    if isinstance(thing, dict):
        items = thing.values()
    elif isinstance(thing, (tuple, list)):
        items = thing
    else:
        items = [getattr(thing, name) for name in fields_of(thing)]
    if isinstance(thing, (list, dict, set, np.ndarray)) or fields_of(thing):
        yield thing
    for item in items:
        yield from _holders(item)


def _content(thing):
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.tobytes()
    if isinstance(thing, dict):
        return (*thing, *thing.values())
    if fields := fields_of(thing):
        return tuple([getattr(thing, name) for name in fields])
    return tuple(thing)


def used_up(result):
    """A result with a list in place of each iterator, which can be gone through once only."""
    found = []
    map_tensors(itself, result, lambda item: found.append(isinstance(item, _ITERATORS)))
    return map_tensors(itself, result, _listed) if any(found) else result


def _listed(item):
    return used_up(list(item)) if isinstance(item, _ITERATORS) else item


_ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed)
