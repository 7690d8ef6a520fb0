"""Which attributes of objects, classes and modules a captured function can read."""

import argparse
import enum
import sys
import types

from sporax.core.tensor import Tensor
from sporax.guards.guard_types import MISSING, Attribute, CellState, Contents, Entry, Size
from sporax.guards.module_origins import is_immutable, origin


class Attributes:
    """The objects that a `Dependence` has found, and the names of attributes in its code.

    `whole`: whether attributes of any name are read.
    """

    def __init__(self, dependence):
        self._dependence = dependence
        self.whole = False
        self._names, self._optional = {}, {}  # as ordered sets
        self._found, self._merged = [], {}

    def name(self, names, optional):
        """The code names these attributes, and may notice that the `optional` ones are missing."""
        self._names.update(dict.fromkeys(names))
        self._optional.update(dict.fromkeys(optional))

    def add(self, thing):
        """An object of which attributes may be read."""
        self._found.append(_Found(thing))

    def read(self):
        """Add guards for all that is named of the objects; whether something was to be done."""
        size = len(self._names) + len(self._optional)
        waiting = [
            f for f in self._found if f.size != size or f.whole_read < (self.whole or f.whole)
        ]
        for found in waiting:
            known = [*self._names][found.names :], [*self._optional][found.optional :]
            found.names, found.optional = len(self._names), len(self._optional)
            self._read(found, *map(set, known))
            found.size = size
        return bool(waiting)

    def _read(self, found, names, optional):
        thing, kind = found.thing, found.kind
        merged = self._class(kind)
        if found.size is None:
            names |= self._implied(found, merged)
            known = isinstance(thing, (Tensor, type)) or hasattr(kind, "_static_state")
            if not known:
                self._identity(thing, kind)
        if (self.whole or found.whole) and not found.whole_read:
            found.whole = found.whole_read = True
            names |= self._everything(found, merged)
        if isinstance(thing, Tensor) and "name" in names:
            names.add("_name")
        readable = merged.keys() | found.space.keys() if found.space else merged.keys()
        for name in sorted(readable & names):
            self._one(found, name, merged)
        if found.library is not None:
            return
        hooked = merged.get("__getattr__")
        if "__getattr__" in (found.space or ()) or (
            hooked is not None and origin(hooked.__module__) != "sporax"
        ):
            optional |= names
        for name in sorted(optional - merged.keys()):
            self._missing(found, name)

    def _identity(self, thing, kind):
        """An object may get another class, or another dict."""
        if origin(kind.__module__) is None and kind.__flags__ & _IS_HEAP_TYPE:
            self._dependence.add(Attribute(thing, "__class__"))
            if space_of(thing) is not None:
                self._dependence.add(Attribute(thing, "__dict__"))

    def _one(self, found, name, merged):
        """Guard what is read under a name: of the object, or of its class."""
        space, owner = found.space, merged.get(name)
        value = MISSING if owner is None else vars(owner)[name]
        is_first = hasattr(type(value), "__set__")  # a property, a slot: the dict comes after it
        if space is not None and name in space and not is_first:
            self._entry(found, name)
        elif owner is not None:
            self._of_class(found, name, owner, value)
            # a called Cell notes what it gets: `Cell._static_state`
            noted = name in _CALLED and hasattr(found.kind, "_static_state")
            if space is not None and not is_first and not noted and not _is_special(name):
                self._dependence.add(Entry(space, name))

    def _entry(self, found, name):
        entry = Entry(found.space, name)
        if isinstance(found.thing, Tensor) and name in _OF_TENSORS:
            return
        if found.thing is sys and name in _STREAMS:
            return  # a print in a program looks them up at each run
        library = found.library
        if entry.value is sys.modules:
            self._dependence.hide("sys.modules", "can be read for everything")
        elif library is None or (library == "standard" and _is_state(entry.value)):
            self._dependence.guard(entry)
        else:
            self._dependence.add(entry)  # a library's functions keep what they read to themselves
            if library == "standard" and type(entry.value) in _FUNCTIONS:
                self._dependence.follow(entry.value, name, entry)

    def _of_class(self, found, name, owner, value):
        library = origin(owner.__module__)
        if library == "builtins":
            return
        for kind in found.kind.__mro__:
            if kind is owner:
                break
            if origin(kind.__module__) is None:
                self._dependence.add(Entry(vars(kind), name, kind))
        if type(value) is types.MemberDescriptorType:
            if found.thing is not found.kind:
                self._dependence.guard(Attribute(found.thing, name))
            return
        entry = Entry(vars(owner), name, owner)
        if library in (None, "sporax"):
            self._dependence.guard(entry)
        elif found.thing is not found.kind and owner not in _NAMESPACES:
            found.whole = True  # a method that was not looked at reads what it likes
            self._dependence.follow(value, name, entry)

    def _missing(self, found, name):
        """Guard that there is nothing under a name."""
        if found.space is not None and name not in found.space:
            self._dependence.add(Entry(found.space, name))

    def _class(self, kind):
        """{name: the class that has it} for a class and its bases."""
        merged = self._merged.get(kind)
        if merged is None:
            merged = self._merged[kind] = {}
            for owner in reversed(kind.__mro__):
                if owner is not object:
                    merged.update(dict.fromkeys(vars(owner), owner))
            for owner in kind.__mro__:
                if origin(owner.__module__) is None:
                    self._dependence.add(Size(owner))
        return merged

    def _implied(self, found, merged):
        """The names that are read though the code does not contain them."""
        kind, thing = found.kind, found.thing
        names = set() if id(thing) in self._dependence.owners else set(_CALLED)
        libraries = {origin(owner.__module__) for owner in kind.__mro__}
        if None not in libraries and libraries <= {"builtins", "sporax"}:
            return names | self._of_library(found)
        for name, owner in merged.items():
            special = _is_special(name) and name not in _QUIET
            if special and origin(owner.__module__) != "sporax":
                names.add(name)
        if thing is kind:
            names |= {"__init__", "__new__", "__post_init__"}
            self._dependence.follow(type(kind))
            if isinstance(kind, enum.EnumMeta):
                for name, member in kind.__members__.items():
                    self._dependence.follow(member, name)
        bases = libraries - {None, "builtins"}
        is_cell = hasattr(kind, "_static_state")
        if bases and not is_cell:  # the library may call what it finds
            names |= {n for n, o in merged.items() if origin(o.__module__) is None}
        return names | self._of_library(found) if is_cell else names

    def _of_library(self, found):
        """The names of what a Cell or another object of sporax keeps."""
        thing, kind = found.thing, found.kind
        if thing is kind or found.space is None or origin(kind.__module__) != "sporax":
            return set()
        if isinstance(thing, Tensor):
            return set()
        if hasattr(kind, "_static_state"):
            self._parts_of(thing, found.space)
            return set()
        return {name for name in found.space if not name.startswith("_")}

    def _parts_of(self, cell, space):
        """Follow what a Cell keeps; its own settings are counted as `Changes`."""
        for name in cell._static_names():
            if not name.startswith("_") and name in space:
                self._dependence.follow(space[name], name)

    def _everything(self, found, merged):
        """The names of all attributes; those that come later are noticed too."""
        thing, space = found.thing, found.space
        names = {n for n, o in merged.items() if origin(o.__module__) is None} - _QUIET
        if isinstance(thing, Tensor) or found.library is not None:
            return names
        if hasattr(found.kind, "_static_state"):
            if thing is not found.kind:
                self._dependence.add(CellState(thing))
                self._parts_of(thing, space)
            return names
        if space is not None:
            self._dependence.add(Contents(space, found.kind.__name__))
            for name, value in space.items():
                self._dependence.follow(value, name)
        slots = types.MemberDescriptorType
        return names | {n for n, o in merged.items() if type(vars(o)[n]) is slots}


class _Found:
    """An object, where its attributes are, and which of them have been read."""

    __slots__ = (
        "kind", "library", "names", "optional", "size", "space", "thing", "whole", "whole_read"
    )  # fmt: skip

    def __init__(self, thing):
        self.thing = thing
        self.kind = thing if isinstance(thing, type) else type(thing)
        # of a module: the library that it belongs to
        self.library = origin(thing.__name__) if isinstance(thing, types.ModuleType) else None
        self.space = None if thing is self.kind else space_of(thing)
        self.names = self.optional = 0
        self.size = None  # how many names there were when it was read last
        self.whole = self.whole_read = False


def space_of(thing):
    """The dict with an object's attributes; None if it has none."""
    try:
        return object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return None


def _is_special(name):
    return name.startswith("__") and name.endswith("__")


def _is_state(value):
    """Whether a module's attribute holds something that may change."""
    if is_immutable(type(value)) or hasattr(type(value), "__next__"):
        return False
    return not callable(value) and not isinstance(value, types.ModuleType)


_IS_HEAP_TYPE = 1 << 9
_CALLED = "__call__", "construct", "bprop", "forward", "backward"
# what is called by names in the code only, see `guards.bytecode_names`
_QUIET = {
    "__init__", "__new__", "__post_init__", "__repr__", "__str__", "__format__", "__del__",
    "__copy__", "__deepcopy__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__",
    "__dir__", "__sizeof__", "__init_subclass__", "__set_name__", "__class_getitem__", "__dict__",
    "__weakref__", "__module__", "__doc__", "__qualname__", "__annotations__", "__slots__",
    "__match_args__", "__dataclass_fields__", "__dataclass_params__", "__firstlineno__",
    "__static_attributes__", "__abstractmethods__", "__parameters__", "__orig_bases__",
    "__annotate__", "__getnewargs__", "__subclasshook__", "__instancecheck__", "__subclasscheck__",
    "__prepare__", "__type_params__",
}  # fmt: skip
_STREAMS = {"stdout", "stderr"}
_OF_TENSORS = {"_hooks", "_requires_grad", "_named", "requires_grad", "_value"}
_FUNCTIONS = {types.FunctionType, types.BuiltinFunctionType}
_NAMESPACES = {types.SimpleNamespace, argparse.Namespace}
