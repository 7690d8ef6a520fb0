"""What a captured function reads besides its arguments, and whether that is still the same.

Followed is the function's code and that of the functions and methods it names: the globals and
closures that they refer to, and those attributes of objects found there which the code names. Cells
note for themselves what they are (`Cell._static_state`) when they are called.
"""

import collections
import dis
import functools
import itertools
import operator
import random
import types

import numpy as np

from sporax.core.tensor import Tensor
from sporax.core.tree import itself, map_tensors

MOST = 256  # items of a container that are looked at; values that are followed
LARGEST = 65_536  # bytes of a NumPy array that are looked at
_LIBRARIES = {"builtins", "jax", "jaxlib", "mindspore", "numpy", "sporax"}
# what is written counts too: another's change to it would be lost
_GLOBAL = {"LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL"}
_ATTRIBUTE = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}
_KINDS = _GLOBAL, _ATTRIBUTE, {"STORE_ATTR"}


class Dependence:
    """The values that a function and its arguments refer to, as they are when this is made.

    `owners`: Cells whose own code is left out.
    """

    def __init__(self, function, arguments, owners=()):
        self._owners = {id(cell) for cell in owners}
        self.reads = []  # (namespace, name, the value, what is in it)
        self.tensors = set()  # ids of the Tensors among them
        self.codes = set()
        self.iterator = None  # the name of something that gives something else each time
        self._closed = set()  # ids of the variables of enclosing functions that were read
        self._entered = set()  # ids of Cells
        self._seen, self._objects, self._names, self._stored = {}, [], set(), set()
        self._follow(function)
        map_tensors(itself, arguments, self._follow)
        read = set()
        while new := [
            (i, name)
            for i, thing in enumerate(self._objects)
            for name in sorted(self._names)
            if (i, name) not in read
        ]:
            read.update(new)
            for i, name in new:
                self._attribute(self._objects[i], name)
        del self._objects, self._names, self._stored, self._closed, self._entered

    def followed(self):
        """The objects that were found, the function and its arguments among them."""
        return list(self._seen.values())

    def leave_out(self, owners, function, arguments):
        """Forget what only the code of these Cells refers to in them: it runs at each call."""
        rest = Dependence(function, arguments, owners)
        read = {(id(space), name) for space, name, _, _ in rest.reads}
        own = {id(vars(cell)) for cell in owners}
        self.reads = [r for r in self.reads if id(r[0]) not in own or (id(r[0]), r[1]) in read]

    def changed(self):
        """The name of the first value that is not what it was; None if there is none."""
        return next(self.changes(), _NOTHING)[0]

    def changes(self):
        """(name, value now) of each value that is not what it was."""
        for space, name, value, content in self.reads:
            now = space.get(name, MISSING)
            if now is value:
                if (
                    content is not value
                    and not (content.__class__ is Flat and content.is_of(now))
                    and not same(_content(now), content)
                ):
                    yield name, now
            elif not same(now, value):
                yield name, now

    def _read(self, space, name):
        value = space.get(name, MISSING)
        self.reads.append((space, name, value, _content(value)))
        self._follow(value, name)

    def _attribute(self, thing, name):
        if name in vars(thing):
            self._read(vars(thing), name)
            return
        kinds = (thing if isinstance(thing, type) else type(thing)).__mro__
        kind = next((k for k in kinds if name in vars(k)), None)
        if kind is not None and not _is_of_library(kind.__module__):
            self._read(Class(kind), name)
        elif kind is None and name in self._stored:
            self.reads.append((vars(thing), name, MISSING, MISSING))

    def _follow(self, value, name=None):
        """Note what a value refers to."""
        if isinstance(value, _NUMBERS) or id(value) in self._seen or len(self._seen) > MOST:
            return
        self._seen[id(value)] = value
        if hasattr(type(value), "__next__"):
            self.iterator = name or type(value).__name__
        if isinstance(value, Tensor):
            self.tensors.add(id(value))
            self._hooks_of(value)
        elif isinstance(value, (tuple, list, set, dict)):
            for item in _items(value):
                self._follow(item)
        elif isinstance(value, functools.partial):
            self._follow((value.func, value.args, value.keywords))
        elif isinstance(value, types.MethodType):
            self._follow(value.__self__)
            self._function(value.__func__)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, (staticmethod, classmethod)):
            self._follow(value.__func__)
        elif isinstance(value, property):
            self._follow(value.fget)
        elif _is_object(value):
            self._follow(vars(value).get("__wrapped__"))
            self._objects.append(value)
            for name in () if id(value) in self._owners else _CALLED:
                self._attribute(value, name)
            if hasattr(type(value), "_static_state"):
                self._in_cell(value)

    def _in_cell(self, cell):
        """Note the hooks in a Cell and below, which the capture calls."""
        if id(cell) in self._entered:
            return
        self._entered.add(id(cell))
        for hook in itertools.chain.from_iterable(cell._hooks or ()):
            self._follow(hook[1])
        for parameter in cell._params.values():
            self._hooks_of(parameter)
        for part in cell._cells.values():
            if part is not None:
                self._in_cell(part)

    def _hooks_of(self, tensor):
        for hook in hooks_at(tensor):
            self._follow(hook)

    def _function(self, function):
        self._follow(getattr(function, "__wrapped__", None))
        code, closure = function.__code__, function.__closure__ or ()
        if _is_of_library(function.__globals__.get("__name__")):
            return
        if code in self.codes and all(id(cell) in self._closed for cell in closure):
            return
        self.codes.add(code)
        self._closed.update(map(id, closure))
        for cell, name in zip(closure, code.co_freevars, strict=True):
            self._read(Variable(cell), name)
        named, attributes, stored = _names(code)
        self._names |= attributes | stored
        self._stored |= stored
        for name in named:
            self._read(function.__globals__, name)


def _is_of_library(module):
    return str(module).partition(".")[0] in _LIBRARIES


def _is_object(value):
    """Whether attributes of the value matter: those of libraries keep what they are to themselves,
    except a Cell, which has the script's parameters and settings."""
    if isinstance(value, types.ModuleType) or not hasattr(value, "__dict__"):
        return False
    if isinstance(value, type):
        return not _is_of_library(value.__module__)
    own = "__wrapped__" in vars(value) or hasattr(value, "_static_state")
    return own or not _is_of_library(type(value).__module__)


class Variable:
    """A variable of an enclosing function, as a namespace."""

    def __init__(self, cell):
        self.cell = cell

    def get(self, name, missing):
        try:
            return self.cell.cell_contents
        except ValueError:  # not bound yet
            return missing


class Class:
    """A class as a namespace: its own attributes."""

    def __init__(self, kind):
        self.kind = kind

    def get(self, name, missing):
        return vars(self.kind).get(name, missing)


@functools.cache
def _names(code):
    """The globals that code names, the attributes, and those that it sets, in functions inside it
    too."""
    steps = [step for part in codes_in([code]) for step in dis.get_instructions(part)]
    return tuple({s.argval for s in steps if s.opname in kind} for kind in _KINDS)


def codes_in(codes):
    """These codes, and those of the functions inside them."""
    for code in codes:
        yield code
        yield from codes_in([c for c in code.co_consts if isinstance(c, types.CodeType)])


def _items(value):
    return list(itertools.islice(value.values() if isinstance(value, dict) else value, MOST))


def _content(value, depth=4):
    """What is in something that may change in place; anything else as it is."""
    if not may_change(value.__class__):
        return value
    if isinstance(value, np.ndarray):
        return (value.shape, value.tobytes()) if value.nbytes <= LARGEST else value
    if isinstance(value, _GENERATORS):
        return repr(_state(value))
    if depth == 0:
        return value
    if len(value) > MOST:
        return len(value)
    items = Flat(_keys_and_values(value))
    if any(map(may_change, map(type, items))):
        items = tuple([_content(item, depth - 1) for item in items])
    return value if isinstance(value, tuple) and all(map(operator.is_, items, value)) else items


def _keys_and_values(value):
    return (*value, *value.values()) if isinstance(value, dict) else value


class Flat(tuple):
    """What is in a container in which nothing else may change."""

    __slots__ = ()

    def is_of(self, value):
        """Whether the very same things are in the container now; quick, unlike `same`."""
        now = _keys_and_values(value)
        return len(now) == len(self) and all(map(operator.is_, now, self))


@functools.cache
def may_change(kind):
    """Whether what is in a value of this kind may change; a tuple's items may."""
    return issubclass(kind, (tuple, *_HOLDERS, np.ndarray, *_GENERATORS))


def _state(generator):
    """What a random generator will give next."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.getstate() if isinstance(generator, random.Random) else generator.get_state()


def same(now, then):
    """Whether two values cannot be told apart: identical, or plain and equal."""
    if now is then:
        return True
    if now.__class__ is not then.__class__ or not isinstance(now, _PLAIN):
        return False
    if isinstance(now, tuple):
        return len(now) == len(then) and all(map(same, now, then))
    return now == then


def marks_of(handles):
    """(handle, what derivatives depend on there besides the Value: whether they are taken, and the
    hooks) of each handle."""
    handles = [h for h in handles if isinstance(h, Tensor)]
    return [(handle, _mark(handle)) for handle in handles]


def hooks_at(tensor):
    """The functions that `register_hook` has registered."""
    return getattr(tensor, "_hooks", _NO_HOOKS).functions.values()


def _mark(handle):
    return getattr(handle, "requires_grad", None), *getattr(handle, "_hooks", _NO_HOOKS).functions


def unchanged(cells, trained):
    """Whether each Cell is what it was, and each Tensor as `marks_of` has noted it."""
    if any(_mark(handle) != mark for handle, mark in trained):
        return False
    return all(same(tuple(cell._static_state()), tuple(state)) for cell, state in cells)


_HOLDERS = (list, set, dict, collections.deque, bytearray)
_GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)
_CALLED = "__call__", "construct", "bprop", "forward", "backward"
_NO_HOOKS = types.SimpleNamespace(functions={})
MISSING = object()
_NOTHING = None, None
_NUMBERS = (bool, int, float, complex, str, bytes, type(None))
_PLAIN = (*_NUMBERS, tuple)
