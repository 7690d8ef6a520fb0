"""`Dependence`: guards for all state that a captured function can read besides its arguments.

It follows the code of the function, and of the functions and methods that it names, to globals,
closure variables, default arguments, items of containers, and the attributes that the code names
(all attributes if it reads them under names that it does not contain). All of these have guards,
however many there are. A function that reads state that no guard can check (`hidden`) is not
captured. A called Cell reports its own state (`Cell._captured_state`).
"""

import abc
import array
import collections
import concurrent.futures
import functools
import gc
import itertools
import logging
import operator
import random
import sys
import threading
import types
import typing
from importlib.util import resolve_name

import numpy as np

from sporax._src.capture.guards.attribute_reads import Attributes, space_of
from sporax._src.capture.guards.bytecode_names import names
from sporax._src.capture.guards.class_cache import cached_by_class
from sporax._src.capture.guards.guard_types import (
    GENERATORS,
    MISSING,
    Attribute,
    Buffer,
    Contents,
    Entry,
    GeneratorState,
    Registered,
    same,
    written_code,
)  # fmt: skip
from sporax._src.capture.guards.library_reads import STATEFUL, LibraryReads
from sporax._src.capture.guards.module_origins import (
    has_effects,
    has_hidden_state,
    is_immutable,
    origin,
)
from sporax._src.capture.guards.snapshot import Snapshot
from sporax._src.core.cell_tree import CellProtocol, defines, is_cell, is_cell_class
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import itself, map_tensors
from sporax._src.diagnosis.rules import message

# limits on followed objects and on guards; a function that reads more is not captured
MAX_OBJECTS, MAX_GUARDS = 50_000, 200_000


class Dependence(Snapshot):
    """A snapshot of the values that a function and its arguments refer to.

    `owners`: Cells whose own code is not followed. `hidden`: (name, reason) of state that no guard
    can check, or None. `iterator`, `threads`: the name of an iterator or file that it reads, or of
    threads that it uses, or None. `effect`: (description, name in the code) of a side effect of a
    library function that it calls, or None.
    """

    def __init__(self, function, arguments, owners=()):
        super().__init__()
        self.owners = {id(cell) for cell in owners}
        self.tensors = set()  # ids of the Tensors that it can reach
        self.codes = set()
        self.sees_identity = False  # of numbers, or their classes
        self.iterator = self.threads = self.hidden = None
        self.structures = []  # (Cell, the Cells and Parameters that are its parts)
        self._seen, self._queue, self._parts = {}, collections.deque(), set()
        self.flags = []  # (Tensor, its `requires_grad`)
        self._functions, self._values = [], set()  # see `_read_functions`
        self._attributes, self._libraries = Attributes(self), LibraryReads(self)
        self.follow(function)
        map_tensors(itself, arguments, self.follow)
        while not self.is_too_large() and (
            self._queue
            or self._read_functions()
            or self._attributes.read()
            or self._libraries.settle(self._attributes.names())
        ):
            while self._queue:
                self._follow(*self._queue.popleft())
        if self.is_too_large():
            self.hide("the function", message("refers-to-too-many", most=MAX_OBJECTS))
        self.effect = self._libraries.effect
        del self._attributes, self._libraries, self._queue, self._functions, self._values

    def is_too_large(self):
        """Return True if the number of followed objects or guards exceeds its limit."""
        return len(self._seen) > MAX_OBJECTS or len(self.guards) > MAX_GUARDS

    def followed(self):
        """Return all followed objects, with the function and its arguments, but without Cells that
        are parts of other Cells."""
        return [value for key, value in self._seen.items() if key not in self._parts]

    def restructured(self):
        """Return (Cell or Tensor, difference) of the first Cell with another class or other parts,
        else of the first Tensor with another `requires_grad`; or None. These are not guards: they
        are checked only after `Changes`, which counts these changes."""
        for cell, kind, before in self.structures:
            if type(cell) is not kind:
                return cell, f"is a {type(cell).__name__} now"
            now = parts_of(cell)
            if len(now) != len(before) or not all(map(operator.is_, now, before)):
                return cell, "has other Cells or Parameters"
        for tensor, flag in self.flags:
            if getattr(tensor, "requires_grad", None) is not flag:
                return tensor, "has another 'requires_grad'"
        return None

    def leave_out(self, owners, function, arguments):
        """Drop the guards of state that only the code of these Cells reads, which runs at each
        call."""
        others = Dependence(function, arguments, owners)
        self.guards = {key: guard for key, guard in self.guards.items() if key in others.guards}
        self._check = None

    # following values -----------------------------------------------------------------------

    def follow(self, value, name=None, read=None, is_bound=False):
        """Follow a value later, once. `name`: its name in user code; `read`: its guard; `is_bound`:
        True if it is the root of a dotted name that is followed."""
        kind = type(value)
        if kind is types.ModuleType and not is_bound:
            self._libraries.read_whole(value)
        if is_immutable(kind):
            if kind is str:
                self._libraries.texts.add(value)
            elif kind in STATEFUL:
                self._libraries.use_instance(value)
        elif id(value) not in self._seen:
            self._seen[id(value)] = value
            self._queue.append((value, name, read))

    def guard(self, guard, is_bound=False):
        """Add a guard, and follow the value; `is_bound` as for `follow`."""
        if guard.key not in self.guards:
            self.guards[guard.key] = guard
        if guard.value is not MISSING:
            self.follow(guard.value, guard.name, guard, is_bound)

    def hide(self, name, why):
        """Record state that no guard can check."""
        self.hidden = self.hidden or (name, why)

    def read_all(self):
        """Record that the code reads attributes of any name."""
        self._attributes.any_attribute = True

    def may_call(self, function, name):
        """Return True if the code may call a function of sporax that it looks up by name. A side
        effect requires the full name in the code; `getattr(ms, dtype)` has none."""
        return self._libraries.may_call(function, name)

    def read_attributes_of(self, thing):
        """Record that attributes of any name of an object, or the named ones of a module, are
        read."""
        self._attributes.add(thing, not isinstance(thing, types.ModuleType))

    def name(self, attributes, optional=()):
        """Record that the code names these attributes."""
        self._attributes.name(attributes, optional)

    def _follow(self, value, name, read):
        kind = type(value)
        if defines(kind, "__next__"):
            self.iterator = name or kind.__name__
            return
        _rule(kind)(self, value, name, read)

    def _tensor(self, tensor, name, read):
        self.tensors.add(id(tensor))
        self.flags.append((tensor, getattr(tensor, "requires_grad", None)))
        for hook in hooks_at(tensor):
            self.follow(hook)
        self._attributes.add(tensor)

    def _items(self, items, name, read):
        for item in items:
            self.follow(item, name, read)
        if type(items) is not tuple and type(items) is not frozenset:
            self._attributes.add(items)

    def _container(self, thing, name, read):
        if isinstance(thing, np.ndarray) and thing.dtype != object:
            self.hide(name, message("array-with-objects"))
            return
        contents = self.add(Contents(thing, name, read))
        kinds = set(map(type, contents.items))
        if not (all(map(is_immutable, kinds)) and kinds.isdisjoint(STATEFUL)):
            for item in contents.items:
                self.follow(item, name, read)
        if isinstance(thing, collections.defaultdict):
            self.guard(Attribute(thing, "default_factory"))
        if type(thing) not in _PLAIN_CONTAINERS:
            self._attributes.add(thing)

    def _array(self, thing, name, read):
        self._libraries.has_arrays = True
        if thing.dtype.hasobject:
            self._container(thing, name, read)
        else:
            self._buffer(thing, name, read)
        if type(thing) is not np.ndarray:
            self._attributes.add(thing)

    def _buffer(self, thing, name, read):
        self.add(Buffer(thing, name, read))

    def _generator(self, generator, name, read):
        if isinstance(generator, random.SystemRandom):
            self.hide(name, message("draws-from-system"))
            return
        self.add(GeneratorState(generator, name, read))

    def _partial(self, partial, name, read):
        for field in ("func", "args", "keywords"):
            self.guard(Attribute(partial, field))
        self._attributes.add(partial)

    def _method(self, method, name, read):
        self.follow(method.__self__, name, read)
        self.follow(method.__func__, name, read)
        if origin(getattr(method.__func__, "__module__", None)) == "standard":
            self._attributes.add(method.__self__, True)

    def _builtin(self, function, name, read):
        owner, own = function.__self__, function.__name__
        if name != own:  # the code uses another name
            named = names(compile(own, "", "eval")) if own.isidentifier() else None
            if named is not None and named.unbounded is not None:
                self.hide(own, message("can-read-everything"))
            elif named is not None and named.any_attribute:
                self.read_all()
        self._libraries.use_builtin(function, name)
        if owner is not None and not isinstance(owner, (types.ModuleType, type)):
            self.follow(owner, name, read)

    def _wrapper(self, wrapper, name, read):
        self.follow(wrapper.__func__, name, read)

    def _property(self, own, name, read):
        for function in (own.fget, own.fset, own.fdel):
            self.follow(function, name, read)

    def _cached(self, function, name, read):
        """Follow a function with `functools.cache` and the dict of its results."""
        for referent in gc.get_referents(function):
            self.follow(referent, name, read)

    def _getter(self, getter, name, read):
        """Follow an `operator.attrgetter` or `methodcaller`."""
        _, arguments, *_ = getter.__reduce__()
        words = [w for a in arguments if isinstance(a, str) for w in a.split(".")]
        self.name(words, words)
        self.follow(arguments, name, read)

    def _logger(self, logger, name, read):
        self._libraries.use_logger(logger)

    def _variable(self, cell, name, read):
        self.guard(Attribute(cell, "cell_contents", name))

    def _class(self, kind, name, read):
        if issubclass(kind, _THREADS):
            self.threads = name or kind.__name__
        if isinstance(kind, abc.ABCMeta):
            self.add(Registered(kind))
            self._protocol(kind)
        self._libraries.use_class(kind, name)
        if origin(kind.__module__) is None:
            self._attributes.add(kind)

    def _protocol(self, kind):
        """Record the attributes that a check against a `typing.Protocol` looks up."""
        for base in kind.__mro__:
            if vars(base).get("_is_protocol") and base is not typing.Protocol:
                self.name(vars(base), vars(base))

    def _module(self, module, name, read):
        if origin(module.__name__) is None:
            self._attributes.add(module)

    def _threads(self, thing, name, read):
        self.threads = name or type(thing).__name__

    def _object(self, thing, name, read):
        if type(thing).__name__ in _CYTHON:
            self._libraries.use(thing.__module__, thing.__qualname__, name, thing)
            return
        if has_hidden_state(type(thing)) or has_effects(type(thing)):
            kind = type(thing).__name__
            self.hide(name or kind, message("is-of-type", kind=kind))
        wrapped = (space_of(thing) or {}).get("__wrapped__")
        if wrapped is not None and origin(type(thing).__module__):
            self.follow(wrapped, name, read)
            return
        self._attributes.add(thing)
        if is_cell_class(type(thing)):
            self._in_cell(thing)

    def _in_cell(self, cell: CellProtocol):
        """Follow the hooks of a Cell, which the capture calls, and its parts."""
        self.structures.append((cell, type(cell), parts_of(cell)))
        for hook in itertools.chain.from_iterable(cell._cell_hooks or ()):
            self.follow(hook[1])
        for parameter in cell._params.values():
            self.flags.append((parameter, getattr(parameter, "requires_grad", None)))
            for hook in hooks_at(parameter):
                self.follow(hook)
        for child in cell._cells.values():
            if child is not None and id(child) not in self._seen:
                self._parts.add(id(child))
                self.follow(child)

    def _function(self, function, name, read):
        self.follow(getattr(function, "__wrapped__", None), name, read)
        code, closure = written_code(function.__code__), function.__closure__ or ()
        space = function.__globals__
        library = origin(space.get("__name__") or function.__module__)
        if library is not None:
            self._libraries.use_function(function, name)
            self._library_closure(code, closure, space)
            return
        self.codes.add(code)
        enclosing = {}
        for cell, variable in zip(closure, code.co_freevars, strict=True):
            guard = Attribute(cell, "cell_contents", variable)
            self.guard(guard, is_bound=True)
            enclosing[variable] = guard.value
        for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
            self.guard(Attribute(function, attribute))
        self._functions.append((function, name))
        self._code(code, space, enclosing)

    def _library_closure(self, code, closure, space):
        """Follow the functions that a library's decorator calls."""
        for cell, variable in zip(closure, code.co_freevars, strict=True):
            value = Attribute(cell, "cell_contents").value
            is_own = origin(type(value).__module__) == "sporax" and not is_cell(value)
            is_table = variable == "registry" and space.get("__name__") == "functools"
            if is_table or (callable(value) and not isinstance(value, type) and not is_own):
                self.follow(value, variable)

    def _read_functions(self):
        """Add the attributes of functions that are not only called; return True if any were."""
        kept, size = [], len(self._functions)
        for function, name in self._functions:
            if function.__dict__ or name is None or name in self._values:
                self._attributes.add(function)
            else:
                kept.append((function, name))
        self._functions = kept
        return len(kept) < size

    def _code(self, code, space, enclosing):
        named = names(code)
        if named.unbounded is not None:
            self.hide(named.unbounded, message("can-read-everything"))
        if named.any_attribute:
            self.read_all()
        self.name(named.attributes, named.optional)
        self.sees_identity |= named.sees_identity
        self._values |= named.values
        if "super" in named.variables:
            self._attributes.call_super()
        self._libraries.has_texts = self._libraries.has_texts or named.has_texts
        self._libraries.texts |= named.texts
        modules = [module for module, _ in named.modules]
        values = [space.get(variable) for variable in named.variables]
        modules += [value.__name__ for value in values if type(value) is types.ModuleType]
        if any(module.partition(".")[0] in _THREADING for module in modules):
            self.threads = self.threads or min(named.attributes & _STARTS_THREADS, default=None)
        builtins = space.get("__builtins__", {})
        builtins = vars(builtins) if isinstance(builtins, types.ModuleType) else builtins
        for variable in sorted(named.variables):
            self.guard(Entry(space, variable), is_bound=True)
            if variable not in space and variable in builtins and variable != "print":
                self.guard(Entry(builtins, variable))
        if named.modules or named.imported:
            self.guard(Entry(builtins, "__import__"))
            self._imports(named, space)
        for dotted in sorted(named.dotted):
            if dotted.kind == "import":
                value = sys.modules.get(_resolved(dotted.root, dotted.level, space), MISSING)
            else:
                value = (space if dotted.kind == "global" else enclosing).get(dotted.root, MISSING)
            self._libraries.walk(dotted, value)

    def _imports(self, named, space):
        """Guard the modules that code imports."""
        for module, level in named.modules:
            for path in itertools.accumulate(_resolved(module, level, space).split("."), _DOTTED):
                self._libraries.use_import(path)
                for variable in named.attributes:  # `from package import module`
                    if f"{path}.{variable}" in sys.modules:
                        self.guard(Entry(sys.modules, f"{path}.{variable}"), is_bound=True)
        for module in named.imported:
            for path in itertools.accumulate(module.split("."), _DOTTED):
                self._libraries.use_import(path)
                self._libraries.read_whole(sys.modules.get(path))


_DOTTED = "{}.{}".format


def _resolved(module, level, space):
    """Return the full name of a module that code imports from `level` packages up."""
    if not level:
        return module
    package = space.get("__package__") or space["__name__"].rpartition(".")[0]
    return resolve_name("." * level + module, package)


@cached_by_class
def _rule(kind):
    return next(rule for base, rule in _RULES if issubclass(kind, base))


def parts_of(cell):
    """Return the Parameters and Cells that are attributes of a Cell, or items of a container."""
    return (*cell._params.values(), *cell._cells, *cell._cells.values())


def marks_of(handles):
    """Return [(Tensor, (`requires_grad`, placement, hooks...))]: a graph depends on these."""
    handles = [h for h in handles if isinstance(h, Tensor)]
    return [(handle, _mark(handle)) for handle in handles]


def hooks_at(tensor):
    """Return the functions registered by `register_hook`."""
    return getattr(tensor, "_hooks", _NO_HOOKS).functions.values()


def _mark(handle):
    hooks = getattr(handle, "_hooks", _NO_HOOKS).functions
    return getattr(handle, "requires_grad", None), handle._placement, *hooks


def unchanged(cells, marks):
    """Return True if each Cell has its static state, and each Tensor its mark of `marks_of`."""
    if any(_mark(handle) != mark for handle, mark in marks):
        return False
    return all(same(tuple(cell._captured_state()), tuple(state)) for cell, state in cells)


_NO_HOOKS = types.SimpleNamespace(functions={})
_PLAIN_CONTAINERS = {
    list, dict, set, collections.deque, collections.defaultdict,
    types.MappingProxyType, np.ndarray,
}  # fmt: skip
_THREADS = threading.Thread, concurrent.futures.Executor
_THREADING = {"threading", "_thread", "concurrent", "multiprocessing", "asyncio"}
_STARTS_THREADS = {
    "Thread", "Timer", "start_new_thread", "ThreadPoolExecutor", "ProcessPoolExecutor",
    "ThreadPool", "Pool", "to_thread", "run_in_executor",
}  # fmt: skip
_CYTHON = {"cython_function_or_method", "fused_cython_function"}
# (type, method that follows a value of it); the first match is used
_RULES = (
    (Tensor, Dependence._tensor),
    ((tuple, frozenset), Dependence._items),
    ((list, dict, set, collections.deque, types.MappingProxyType), Dependence._container),
    (np.ndarray, Dependence._array),
    ((bytearray, array.array), Dependence._buffer),
    (GENERATORS, Dependence._generator),
    (functools.partial, Dependence._partial),
    (types.FunctionType, Dependence._function),
    (types.MethodType, Dependence._method),
    (types.BuiltinFunctionType, Dependence._builtin),
    ((staticmethod, classmethod), Dependence._wrapper),
    (property, Dependence._property),
    (functools._lru_cache_wrapper, Dependence._cached),
    ((operator.attrgetter, operator.methodcaller), Dependence._getter),
    (logging.Logger, Dependence._logger),
    (types.CellType, Dependence._variable),
    (types.ModuleType, Dependence._module),
    (_THREADS, Dependence._threads),
    (type, Dependence._class),
    (object, Dependence._object),
)
