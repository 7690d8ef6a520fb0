"""Guards: each detects changes of one piece of Python state since capture, and can restore it."""

import abc
import collections
import random
import types
from abc import ABC, abstractmethod
from itertools import chain
from typing import Any

import numpy as np

from sporax._src.core.value import Changes
from sporax._src.diagnosis.rules import message


class Guard(ABC):
    """A guard of one piece of state. `name`: its name in user code; None if it has none, such as an
    item of an argument."""

    __slots__ = ()
    name: Any

    @property
    @abstractmethod
    def key(self) -> Any:
        """The identity of the state: there is one guard for each key."""

    @abstractmethod
    def now(self) -> Any:
        """Return the current value, or the object whose contents are guarded."""

    @abstractmethod
    def changed(self) -> bool:
        """Return True if the state has changed since capture."""

    @abstractmethod
    def restore(self):
        """Restore the state at capture."""

    def description(self):
        """Return the name of the state for a message, or else its type."""
        if self.name is None:
            return message("an-instance", kind=type(self.now()).__name__)
        return f"'{self.name}'"


class Entry(Guard):
    """A guard of the value under a key of a dict: a global, or an attribute in the dict of an
    object or a class (`owner`)."""

    __slots__ = ("name", "owner", "space", "value")

    def __init__(self, space, name, owner=None):
        self.space, self.name, self.owner = space, name, owner
        self.value = self.now()

    @property
    def key(self):
        return id(self.space if self.owner is None else self.owner), self.name

    def now(self):
        return self.space.get(self.name, MISSING)

    def changed(self):
        """Return True if the value has changed."""
        return not same(self.now(), self.value)

    def put(self, value):
        """Store a value."""
        if isinstance(self.owner, type):
            if value is not MISSING:
                setattr(self.owner, self.name, value)
            elif self.now() is not MISSING:
                delattr(self.owner, self.name)
        elif value is MISSING:
            self.space.pop(self.name, None)
        else:
            self.space[self.name] = value

    def restore(self):
        """Restore the value at capture."""
        if self.changed():
            self.put(self.value)


class Attribute(Entry):
    """A guard of an attribute outside the dict: a slot, a closure variable, a default. `name`: its
    name in user code."""

    __slots__ = ("attribute",)

    def __init__(self, thing, attribute, name=None):
        self.attribute = attribute
        super().__init__(thing, name or attribute)

    @property
    def key(self):
        return id(self.space), self.attribute

    def now(self):
        try:
            value = object.__getattribute__(self.space, self.attribute)
        except (AttributeError, ValueError):  # not bound yet
            return MISSING
        return written_code(value) if self.attribute == "__code__" else value

    def put(self, value):
        if self.attribute in _FIXED:
            return
        if value is not MISSING:
            object.__setattr__(self.space, self.attribute, value)
        elif self.now() is not MISSING:
            object.__delattr__(self.space, self.attribute)


class Held(Guard):
    """A guard of the contents of an object that is not itself replaced. `read`: the `Entry` that
    refers to it, if any."""

    __slots__ = ("name", "read", "thing")

    def __init__(self, thing, name=None, read=None):
        self.thing, self.name, self.read = thing, name, read

    @property
    def key(self):
        return id(self.thing)

    def now(self):
        return self.thing


class Contents(Held):
    """A guard of the items of a container."""

    __slots__ = ("items", "kind", "streams")

    def __init__(self, thing, name=None, read=None):
        super().__init__(thing, name, read)
        self.kind = next(kind for kind in _ITEMS if isinstance(thing, kind))
        self.streams = _ITEMS[self.kind](thing)
        self.items = tuple(chain.from_iterable(self.streams))

    def changed(self):
        """Return True if the items have changed."""
        now = tuple(chain.from_iterable(self.streams))
        return len(now) != len(self.items) or not all(map(same, now, self.items))

    def restore(self):
        """Restore the items at capture."""
        if not self.changed():
            return
        thing, kind, items = self.thing, self.kind, self.items
        if kind is np.ndarray:
            thing.reshape(-1)[:] = np.fromiter(items, object, len(items))
        elif kind is list:
            list.__setitem__(thing, slice(None), items)
        elif kind is not types.MappingProxyType:
            kind.clear(thing)
            half = len(items) // 2
            if len(self.streams) == 2:
                items = zip(items[:half], items[half:], strict=True)
            (kind.extend if kind is collections.deque else kind.update)(thing, items)


class Size(Held):
    """A guard of the number of a class's own attributes: a new one may shadow one of a base."""

    __slots__ = ("items",)

    def __init__(self, thing):
        super().__init__(thing, thing.__name__)
        self.items = len(vars(thing))

    def changed(self):
        """Return True if the number has changed."""
        return len(vars(self.thing)) != self.items

    def restore(self):
        """Do nothing: class attributes that were read have their own guards."""


class CellState(Held):
    """A guard of a Cell's static state, checked after a change to any Cell."""

    __slots__ = ("count", "items")

    def __init__(self, thing):
        super().__init__(thing, type(thing).__name__)
        self.items, self.count = thing._captured_state(), Changes.count

    def changed(self):
        """Return True if any part of the state has changed."""
        if self.count == Changes.count:
            return False
        count = Changes.count
        if not same(tuple(self.thing._captured_state()), tuple(self.items)):
            return True
        self.count = count
        return False

    def restore(self):
        """Do nothing: attributes that were written have their own guards."""


class Reading(Guard):
    """A guard of the result of a function without arguments. `identity`: a faster function, whose
    result is the same object while the result of `read` is unchanged; or None."""

    __slots__ = ("identity", "name", "read", "then", "value")

    def __init__(self, name, read, identity=None):
        self.name, self.read, self.identity = name, read, identity
        self.then = identity and identity()
        self.value = self.now()

    @property
    def key(self):
        return "call", self.name

    def now(self):
        try:
            value = self.read()
        except OSError:  # for example, the current directory was removed
            return MISSING
        return value if type(value) in _COMPARED or type(value) is tuple else repr(value)

    def changed(self):
        """Return True if the function's result has changed."""
        if self.identity is None:
            return not same(self.now(), self.value)
        identity = self.identity()
        if identity is self.then:
            return False
        if not same(self.now(), self.value):
            return True
        self.then = identity
        return False

    def restore(self):
        """Do nothing: library state has its own setters."""


class Registered(Held):
    """A guard of the classes that are registered with an abstract class or its subclasses."""

    __slots__ = ("items", "token")

    def __init__(self, thing):
        super().__init__(thing, thing.__name__)
        self.token, self.items = abc.get_cache_token(), _registered(thing)

    @property
    def key(self):
        return "registered", id(self.thing)

    def changed(self):
        """Return True if the registered classes have changed."""
        token = abc.get_cache_token()
        if token == self.token:
            return False
        if _registered(self.thing) != self.items:
            return True
        self.token = token
        return False

    def restore(self):
        """Do nothing: a class stays registered."""


class Based:
    """The items of an instance of a container's subclass, read by the container's own methods."""

    __slots__ = ("kind", "thing")

    def __init__(self, kind, thing):
        self.kind, self.thing = kind, thing

    def __len__(self):
        return self.kind.__len__(self.thing)

    def __iter__(self):
        return self.kind.__iter__(self.thing)


class Objects:
    """The items of an object array."""

    __slots__ = ("thing",)

    def __init__(self, thing):
        self.thing = thing

    def __len__(self):
        return self.thing.size

    def __iter__(self):
        return iter(self.thing.ravel().tolist())


class Buffer(Held):
    """A guard of the bytes of an array, by comparison with a copy."""

    __slots__ = ("copy", "form")

    def __init__(self, thing, name=None, read=None):
        super().__init__(thing, name, read)
        self.form = _form(thing)
        self.copy = bytearray(_bytes(thing))

    def changed(self):
        """Return True if the bytes have changed."""
        return self.form != _form(self.thing) or self.copy != _bytes(self.thing)

    def restore(self):
        """Restore the bytes at capture."""
        if not self.changed():
            return
        if isinstance(self.thing, bytearray):
            self.thing[:] = self.copy
        elif isinstance(self.thing, np.ndarray):
            array = np.frombuffer(self.copy, np.uint8).view(self.thing.dtype)
            self.thing[...] = array.reshape(self.thing.shape)
        else:
            del self.thing[:]
            self.thing.frombytes(self.copy)


class GeneratorState(Held):
    """A guard of the state of a random generator."""

    __slots__ = ("state",)

    def __init__(self, thing, name=None, read=None):
        super().__init__(thing, name, read)
        self.state = _state(thing)

    def changed(self):
        """Return True if the state has changed, because of a draw or a new seed."""
        return repr(_state(self.thing)) != repr(self.state)

    def restore(self):
        """Restore the state of the generator at capture."""
        if isinstance(self.thing, (np.random.Generator, np.random.BitGenerator)):
            bits: Any = getattr(self.thing, "bit_generator", self.thing)
            bits.state = self.state
        elif isinstance(self.thing, random.Random):
            self.thing.setstate(self.state)
        else:
            self.thing.set_state(self.state)


def same(now, then):
    """Return True if two values are identical, or plain, of one type and equal."""
    if now is then:
        return True
    kind = type(now)
    if kind is not type(then):
        return False
    if kind is float or kind is complex:
        return repr(now) == repr(then)  # distinguishes signed zeros; NaNs are equal
    if kind in _COMPARED:
        return now == then
    if kind is tuple or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return len(now) == len(then) and all(map(same, now, then))
    if issubclass(kind, np.generic):
        return (
            now.dtype == then.dtype and not now.dtype.hasobject and now.tobytes() == then.tobytes()
        )
    return False


def _registered(kind):
    classes = {kind}
    pending = [kind]
    while pending:
        below = [c for c in type.__subclasses__(pending.pop()) if isinstance(c, abc.ABCMeta)]
        pending += set(below) - classes
        classes.update(below)
    return {(c, entry()) for c in classes for entry in abc._get_dump(c)[0]}  # type: ignore[attr-defined]


def _form(thing):
    return (thing.shape, thing.strides, thing.dtype) if isinstance(thing, np.ndarray) else None


def _bytes(thing):
    if isinstance(thing, np.ndarray):
        flat: Any = np.ascontiguousarray(thing).reshape(-1).view(np.uint8)
        return memoryview(flat)
    return memoryview(thing).cast("B")


def _state(generator) -> Any:
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    if isinstance(generator, np.random.BitGenerator):
        return generator.state
    return generator.getstate() if isinstance(generator, random.Random) else generator.get_state()


def _sequence(kind):
    return lambda thing: [thing if thing.__class__ is kind else Based(kind, thing)]


def _mapping(kind):
    return lambda thing: [kind.keys(thing), kind.values(thing)]


# kind of a container -> function that returns live views of its items
_ITEMS = {
    list: _sequence(list),
    collections.OrderedDict: _mapping(collections.OrderedDict),
    dict: _mapping(dict),
    set: _sequence(set),
    collections.deque: _sequence(collections.deque),
    types.MappingProxyType: _mapping(types.MappingProxyType),
    np.ndarray: lambda thing: [Objects(thing)],
}
_COMPARED = {bool, int, str, bytes, range}
GENERATORS = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)
MISSING = object()
_FIXED = {"__code__", "__class__", "__dict__", "__mro__"}  # which only their owner may set
originals = {}  # id of code that a capture has converted -> the user's code


def written_code(code):
    """Return the user's code for code that a capture, in any thread, has converted; else `code`."""
    return originals.get(id(code), code)
