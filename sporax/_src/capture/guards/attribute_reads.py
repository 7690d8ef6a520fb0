"""`Attributes`: the attributes of objects, classes and modules that a captured function can
read."""

import argparse
import enum
import sys
import types

from sporax._src.capture.guards.guard_types import (
    MISSING,
    Attribute,
    CellState,
    Contents,
    Entry,
    Size,
)
from sporax._src.capture.guards.module_origins import origin
from sporax._src.core.cell_tree import defines, is_cell_class
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message
from sporax._src.runtime.engine.operation import Op


class Attributes:
    """The objects that a `Dependence` follows, and the names of attributes in its code.

    `any_attribute`: True if attributes of any name are read.
    """

    def __init__(self, dependence):
        self._dependence = dependence
        self.any_attribute = False
        self._names, self._optional = {}, {}  # as ordered sets
        self._targets, self._owners = [], {}
        self._guarded = set()  # (class, name) of class attributes
        self._of_tensors = 0  # number of names that have been looked up in Tensor
        self._by_super = False  # whether the code calls `super`

    def name(self, names, optional):
        """Add attribute names in the code, which may detect the absence of the `optional` ones."""
        self._names.update(dict.fromkeys(names))
        self._optional.update(dict.fromkeys(optional))

    def names(self):
        """Return all names so far."""
        return self._names.keys()

    def call_super(self):
        """Record that the code calls `super`: methods of all bases are read."""
        if not self._by_super:
            self._by_super = True
            for target in self._targets:
                target.names, target.size = 0, None if target.size is None else -1
            self._guarded.clear()

    def add(self, thing, any_attribute=False):
        """Add an object whose attributes may be read; `any_attribute`: of any name."""
        self._targets.append(_Target(thing))
        self._targets[-1].any_attribute = any_attribute

    def _methods_of_tensors(self):
        """Guard the named methods of Tensors, which are arguments or created by the code."""
        for name in [*self._names][self._of_tensors :]:
            for space, owner in _SPACES_OF_TENSORS:
                if name in space:
                    entry = Entry(space, name, owner)
                    own = _is_own_function(entry.value)
                    (self._dependence.add if own else self._dependence.guard)(entry)
                    break
        self._of_tensors = len(self._names)
        if self._optional:
            self._dependence.add(Size(Tensor))

    def read(self):
        """Add guards for the named attributes of all objects; return True if any were new."""
        self._methods_of_tensors()
        size = len(self._names) + len(self._optional)
        pending = [
            t
            for t in self._targets
            if t.size != size or t.all_read < (self.any_attribute or t.any_attribute)
        ]
        for target in pending:
            names, optional = [*self._names][target.names :], [*self._optional][target.optional :]
            target.names, target.optional = len(self._names), len(self._optional)
            self._read(target, set(names), set(optional))
            target.size = size
            if self._dependence.is_too_large():
                break
        return bool(pending)

    def _read(self, target, names, optional):
        thing, kind = target.thing, target.kind
        owners = self._class(kind)
        if target.size is None:
            names |= self._implied(target, owners)
            is_own = isinstance(thing, (Tensor, type)) or is_cell_class(kind)
            if not is_own:
                self._identity(thing, kind)
        if (self.any_attribute or target.any_attribute) and not target.all_read:
            target.any_attribute = target.all_read = True
            names |= self._everything(target, owners)
        if isinstance(thing, Tensor) and "name" in names:
            names.add("_name")
        readable = owners.keys() | target.space.keys() if target.space else owners.keys()
        for name in sorted(readable & names):
            self._one(target, name, owners)
        if isinstance(thing, types.FunctionType):
            for name in names & _OF_FUNCTIONS:
                self._dependence.guard(Attribute(thing, name))
        elif kind.__flags__ & _IS_HEAP_TYPE and origin(kind.__module__) is None:
            for name in names & _OF_KINDS:
                self._dependence.add(Attribute(kind, name))
        getattr_owner = owners.get("__getattr__")
        is_module = isinstance(thing, types.ModuleType) and target.library is None
        if is_module and "__getattr__" in target.space:
            self._dependence.guard(Entry(target.space, "__getattr__"))
            optional |= names
        elif getattr_owner is not None and origin(getattr_owner.__module__) != "sporax":
            optional |= names
        for name in sorted(optional - owners.keys()):
            self._missing(target, name)

    def _identity(self, thing, kind):
        """Guard the class and the dict of an object, either of which may be replaced."""
        if isinstance(thing, types.ModuleType):
            self._dependence.add(Attribute(thing, "__class__"))
        elif origin(kind.__module__) is None and kind.__flags__ & _IS_HEAP_TYPE:
            self._dependence.add(Attribute(thing, "__class__"))
            if space_of(thing) is not None:
                self._dependence.add(Attribute(thing, "__dict__"))

    def _one(self, target, name, owners):
        """Guard an attribute by its name, in the object's dict or in its class."""
        space, owner = target.space, owners.get(name)
        value = MISSING if owner is None else vars(owner)[name]
        comes_first = defines(type(value), "__set__")  # a property, a slot: before the dict
        if space is not None and name in space and not comes_first:
            self._entry(target, name)
        elif owner is not None:
            self._of_class(target, name, owner, value)
            # a called Cell reports its own attributes: `Cell._captured_state`
            is_reported = name in _CALLED and is_cell_class(target.kind)
            if space is not None and not comes_first and not is_reported and not _is_special(name):
                self._dependence.add(Entry(space, name))

    def _entry(self, target, name):
        entry = Entry(target.space, name)
        if isinstance(target.thing, Tensor) and name in _OF_TENSORS:
            return
        if target.thing is sys and name in _STREAMS:
            return  # a deferred print looks them up at each run
        if entry.value is sys.modules:
            self._dependence.hide("sys.modules", message("can-be-read-for-everything"))
            return
        is_part = isinstance(entry.value, types.ModuleType) and target.library is not None
        may_call = target.library != "sporax" or self._dependence.may_call(entry.value, name)
        if is_part or not may_call:
            self._dependence.add(entry)
        else:
            self._dependence.guard(entry)

    def _of_class(self, target, name, owner, value):
        library = origin(owner.__module__)
        if library == "builtins":
            return
        kind, is_object = target.kind, target.thing is not target.kind
        if (kind, name) not in self._guarded:
            self._guarded.add((kind, name))
            self._of_bases(kind, name, owner)
        if type(value) is types.MemberDescriptorType:
            if is_object:
                self._dependence.guard(Attribute(target.thing, name))
        elif is_object and library == "sporax":
            if type(value) is property and is_cell_class(owner):
                self._dependence.add(CellState(target.thing))
        elif is_object and library is not None and owner not in _NAMESPACES:
            target.any_attribute = True  # a method that is not followed may read any attribute

    def _of_bases(self, kind, name, owner):
        """Guard a class attribute, and its absence in the classes before the owner in the MRO."""
        bases = kind.__mro__
        position = bases.index(owner)
        for base in bases[:position]:
            if origin(base.__module__) is None:
                self._dependence.add(Entry(vars(base), name, base))
        entry = Entry(vars(owner), name, owner)
        if origin(owner.__module__) == "standard" and _is_special(name) and name not in _BY_SYNTAX:
            self._dependence.add(entry)  # for all library objects, called or not
        elif type(entry.value) is not types.MemberDescriptorType:
            self._dependence.guard(entry)
        for base in bases[position + 1 :] if self._by_super else ():
            if name in vars(base) and origin(base.__module__) in (None, "sporax"):
                self._dependence.guard(Entry(vars(base), name, base))

    def _missing(self, target, name):
        """Guard the absence of an attribute."""
        if target.space is not None and name not in target.space:
            self._dependence.add(Entry(target.space, name))

    def _class(self, kind):
        """Return {name: defining class} for a class and its bases."""
        owners = self._owners.get(kind)
        if owners is None:
            owners = self._owners[kind] = {}
            for owner in reversed(kind.__mro__):
                if owner is not object:
                    owners.update(dict.fromkeys(vars(owner), owner))
            own = [owner for owner in kind.__mro__ if origin(owner.__module__) is None]
            for owner in own:
                self._dependence.add(Size(owner))
            if own and len(kind.__mro__) > _WITHOUT_BASES:
                self._dependence.add(Attribute(kind, "__mro__"))
        return owners

    def _implied(self, target, owners):
        """Return the names that are read although the code does not contain them."""
        kind, thing = target.kind, target.thing
        names = set() if id(thing) in self._dependence.owners else set(_CALLED)
        libraries = {origin(owner.__module__) for owner in kind.__mro__}
        if None not in libraries and libraries <= {"builtins", "sporax"}:
            return names | self._of_library(target)
        for name, owner in owners.items():
            special = _is_special(name) and name not in _QUIET
            if special and origin(owner.__module__) != "sporax":
                names.add(name)
        if origin(type(kind).__module__) is None:
            self._dependence.follow(kind)  # `type(thing).name` may be in its metaclass
        if thing is kind:
            names |= {"__init__", "__new__", "__post_init__"}
            self._dependence.follow(type(kind))
            if isinstance(kind, enum.EnumMeta):
                for name, member in kind.__members__.items():
                    self._dependence.follow(member, name)
        bases = libraries - {None, "builtins"}
        is_cell = is_cell_class(kind)
        if bases and not is_cell:  # the library may call any method
            names |= {n for n, o in owners.items() if origin(o.__module__) is None}
        return names | self._of_library(target) if is_cell else names

    def _of_library(self, target):
        """Return the attribute names of an object of sporax; for a Cell, follow its parts."""
        thing, kind = target.thing, target.kind
        if thing is kind or target.space is None or origin(kind.__module__) != "sporax":
            return set()
        if isinstance(thing, Tensor):
            return set()
        if is_cell_class(kind):
            self._parts_of(thing, target.space)
            return set()
        return {name for name in target.space if not name.startswith("_")}

    def _parts_of(self, cell, space):
        """Follow the attributes of a Cell; `Changes` counts changes of its settings."""
        for name in cell._captured_names():
            if not name.startswith("_") and name in space:
                self._dependence.follow(space[name], name)

    def _everything(self, target, owners):
        """Return the names of all attributes; a guard detects new ones."""
        thing, space = target.thing, target.space
        names = {n for n, o in owners.items() if origin(o.__module__) is None} - _QUIET
        if isinstance(thing, Tensor):
            return names
        if target.library is not None:
            self._dependence.add(Contents(space, thing.__name__))
            return names | {name for name in space if not _is_special(name)}
        if is_cell_class(target.kind):
            if thing is not target.kind:
                self._dependence.add(CellState(thing))
                self._parts_of(thing, space)
            return names
        if space is not None:
            self._dependence.add(Contents(space, target.kind.__name__))
            for name, value in space.items():
                self._dependence.follow(value, name)
        slots = types.MemberDescriptorType
        return names | {n for n, o in owners.items() if type(vars(o)[n]) is slots}


class _Target:
    """An object, the dict `space` of its attributes, and the number of names already read."""

    __slots__ = (
        "all_read", "any_attribute", "kind", "library", "names", "optional", "size", "space",
        "thing",
    )  # fmt: skip

    def __init__(self, thing):
        self.thing = thing
        self.kind = thing if isinstance(thing, type) else type(thing)
        # of a module: the library that it belongs to
        self.library = origin(thing.__name__) if isinstance(thing, types.ModuleType) else None
        self.space = None if thing is self.kind else space_of(thing)
        self.names = self.optional = 0
        self.size = None  # number of all names at the last read
        self.any_attribute = self.all_read = False


def space_of(thing):
    """Return the dict with an object's attributes; None if it has none."""
    try:
        return object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return None


def _is_own_function(value):
    """Return True for a function of sporax whose closure has no callables but `Op`s."""
    if type(value) is not types.FunctionType:
        return False
    cells = value.__closure__ or ()
    return origin(value.__globals__.get("__name__") or value.__module__) == "sporax" and all(
        [not callable(cell.cell_contents) or type(cell.cell_contents) is Op for cell in cells]
    )


def _is_special(name):
    return name.startswith("__") and name.endswith("__")


_SPACES_OF_TENSORS = [(vars(kind), kind) for kind in Tensor.__mro__ if kind is not object]
_IS_HEAP_TYPE = 1 << 9
_CALLED = "__call__", "construct", "bprop", "forward", "backward"
# special methods that Python calls only for names in the code, see `guards.bytecode_names`
_QUIET = {
    "__init__", "__new__", "__post_init__", "__repr__", "__str__", "__format__", "__del__",
    "__copy__", "__deepcopy__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__",
    "__dir__", "__sizeof__", "__init_subclass__", "__set_name__", "__dict__",
    "__weakref__", "__module__", "__doc__", "__qualname__", "__annotations__", "__slots__",
    "__match_args__", "__dataclass_fields__", "__dataclass_params__", "__firstlineno__",
    "__static_attributes__", "__abstractmethods__", "__parameters__", "__orig_bases__",
    "__annotate__", "__annotate_func__", "__annotations_cache__", "__getnewargs__",
    "__getnewargs_ex__", "__replace__", "__prepare__",
    "__type_params__",
}  # fmt: skip
_STREAMS = {"stdout", "stderr"}
_OF_TENSORS = {"_hooks", "_requires_grad", "_named", "requires_grad", "_value"}
# attributes outside the dict
_OF_FUNCTIONS = {
    "__annotations__", "__doc__", "__module__", "__name__", "__qualname__", "__type_params__",
}  # fmt: skip
_OF_KINDS = {"__name__", "__qualname__"}
# special methods of library objects that count as called if the code has their syntax
_BY_SYNTAX = {"__contains__", "__enter__", "__exit__", "__getitem__", "__iter__", "__next__"}
_WITHOUT_BASES = 2  # (class, object): Python does not allow other bases for such a class
_NAMESPACES = {types.SimpleNamespace, argparse.Namespace}
