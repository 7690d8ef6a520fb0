"""What recording a branch or a turn of a loop does to Python, found and put back."""

import collections
import copy
import random

import numpy as np

from sporax.engine.dependence import MISSING, Class, Dependence, Variable, may_change
from sporax.engine.scalars import Scalar, known

DEEPEST = 4  # containers in containers that are looked at


class Restoring:
    """What a function and its arguments refer to, as it is when this is made."""

    def __init__(self, function, arguments):
        self.before = Dependence(function, arguments)
        self.contents = {}  # id -> (what may change in place, a copy of what is in it)
        for _, _, value, _ in self.before.reads:
            self._keep(value, DEEPEST)

    def _keep(self, value, depth):
        if not may_change(type(value)) or id(value) in self.contents or depth == 0:
            return
        if not isinstance(value, tuple):
            self.contents[id(value)] = value, _copied(value)
        if isinstance(value, (tuple, list, set, dict, collections.deque)):
            for item in value.values() if isinstance(value, dict) else value:
                self._keep(item, depth - 1)

    def restore(self):
        """Put back what is not what it was; the name of the first such value, or None."""
        name = self.before.changed()
        if name is None:
            return None
        for space, name_of, value, _ in self.before.reads:
            if space.get(name_of, MISSING) is not value:
                _put(space, name_of, value)
        for value, content in self.contents.values():
            _fill(value, content)
        return name


def leave_numbers(reads):
    """Put the numbers themselves where a captured function left what stood for them."""
    for space, name, _, _ in reads:
        now = space.get(name, MISSING)
        if type(now) is Scalar:
            _put(space, name, known(now))


def _put(space, name, value):
    """Let a variable have this value, or none."""
    if isinstance(space, Variable):
        if value is not MISSING:
            space.cell.cell_contents = value
        else:
            del space.cell.cell_contents
    elif isinstance(space, Class):
        setattr(space.kind, name, value)
    elif value is not MISSING:
        space[name] = value
    else:
        space.pop(name, None)


def _copied(value):
    if isinstance(value, random.Random):
        return value.getstate()
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    return value.get_state() if isinstance(value, np.random.RandomState) else copy.copy(value)


def _fill(value, content):
    """Let what may change in place have what it had."""
    if isinstance(value, random.Random):
        value.setstate(content)
    elif isinstance(value, np.random.Generator):
        value.bit_generator.state = content
    elif isinstance(value, np.random.RandomState):
        value.set_state(content)
    elif isinstance(value, np.ndarray):
        if value.flags.writeable:
            value[...] = content
    elif isinstance(value, (list, bytearray)):
        value[:] = content
    else:
        value.clear()
        (value.extend if isinstance(value, collections.deque) else value.update)(content)
