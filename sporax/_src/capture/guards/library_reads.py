"""`LibraryReads`: library state that a captured function reads, by `library_rules`."""

import datetime
import decimal
import functools
import importlib.util
import sys
import threading
import types
from pathlib import Path, PosixPath, PurePath, WindowsPath

import numpy as np

from sporax._src.capture.guards.guard_types import MISSING, Contents, Entry, Reading
from sporax._src.capture.guards.library_rules import known_as, rule_of, rules_of_methods
from sporax._src.capture.guards.library_state import IDENTITIES, find, is_own_codec
from sporax._src.capture.guards.module_origins import origin
from sporax._src.diagnosis.rules import message

# immutable types with methods that read state
STATEFUL = {
    decimal.Decimal, datetime.date, datetime.datetime, Path, PosixPath, PurePath, WindowsPath,
    type(threading.Lock()), type(threading.RLock()),
}  # fmt: skip
_STREAMS = {"stdout", "stderr"}


class LibraryReads:
    """The library functions, classes and modules that a `Dependence` finds.

    `effect`: (description, name in the code) of the first side effect, or None.
    """

    def __init__(self, dependence):
        self._dependence = dependence
        self.effect = None
        self.has_arrays = self.has_texts = False
        self._whole = set()  # ids of modules that are not only the root of a dotted name
        self._methods = {}  # method of a class -> (its full name, its rule)
        self._seeded, self._calls = {}, {}  # function id -> its names; whether it is bare
        self._locks, self._loggers = [], []
        self._settled = None  # number of parts and names at the last `settle`
        self.texts = set()  # string constants of the code and string values of its variables

    # dotted names ---------------------------------------------------------------------------

    def walk(self, dotted, value):
        """Guard the module attributes that a dotted name reads, starting at `value`."""
        for name in dotted.path:
            if type(value) is not types.ModuleType or origin(value.__name__) is None:
                if not name.startswith("__"):  # a method, called with an object
                    self._calls.setdefault(id(value), False)
                break
            if name == "__dict__":
                self.read_whole(value)
                break
            value = self._attribute(value, name)
        else:
            if type(value) is types.ModuleType:
                self.read_whole(value)
            is_bare = dotted.is_bare or not dotted.is_called
            self._calls[id(value)] = self._calls.get(id(value), False) or is_bare

    def read_whole(self, module):
        """Record that any attribute of a module may be read."""
        is_library = type(module) is types.ModuleType and origin(module.__name__) is not None
        if is_library and id(module) not in self._whole:
            self._whole.add(id(module))
            self._dependence.read_attributes_of(module)

    def _attribute(self, module, name):
        """Guard an attribute of a library module, and return it."""
        if module is sys and name in _STREAMS:
            return MISSING  # a deferred print looks them up at each run
        entry = Entry(vars(module), name)
        value = entry.value
        if value is MISSING:
            if "__getattr__" in vars(module) and origin(module.__name__) == "standard":
                read = functools.partial(getattr, module, name, MISSING)
                self._dependence.add(Reading(f"{module.__name__}.{name}", read))
            return value
        if value is sys.modules:
            self._dependence.hide("sys.modules", message("can-be-read-for-everything"))
            return value
        self._dependence.guard(entry, is_bound=True)
        if isinstance(value, (np.ufunc, type(np.sum))):  # immutable: not followed
            self.use(module.__name__, name, name)
        return value

    def use_import(self, module):
        """Guard a module that the code imports."""
        is_missing = "." not in module and module not in sys.modules
        if is_missing and importlib.util.find_spec(module) is None:
            self._note(message("imports-missing", module=module), module)
        self._dependence.guard(Entry(sys.modules, module), is_bound=True)

    def _note(self, what, name):
        self.effect = self.effect or (what, name)

    # functions and classes ------------------------------------------------------------------

    def use(self, module, qualified, name, value=None):
        """Apply the rule of a function or class. `name`: its name in the code."""
        rule = rule_of(str(module), qualified)
        full = f"{known_as(str(module))}.{qualified}".removeprefix("builtins.")
        full = "open" if full == "io.open" else full
        self.has_arrays = self.has_arrays or str(module).partition(".")[0] == "numpy"
        if rule.kind == "seeded":
            self._seeded[id(value)] = full, name or qualified.rpartition(".")[2]
        else:
            self._apply(rule, full, name or qualified.rpartition(".")[2])

    def may_call(self, function, name):
        """Return True if a function has no side effect, or its name is a text in the code."""
        if type(function) is not types.FunctionType or name in self.texts:
            return True
        return rule_of(str(function.__module__), function.__qualname__).kind != "effect"

    def use_function(self, function, name):
        """Apply the rule of a Python function."""
        if "__wrapped__" in vars(function):  # its names are copied from the wrapped function
            code, space = function.__code__, function.__globals__
            self.use(space.get("__name__"), code.co_qualname, name, function)
        else:
            self.use(function.__module__, function.__qualname__, name, function)

    def use_builtin(self, function, name):
        """Apply the rule of a C function."""
        owner = function.__self__
        if isinstance(owner, type):
            self._use_method(owner, function.__name__, name)
        elif owner is None or isinstance(owner, types.ModuleType):
            module = function.__module__ or getattr(owner, "__name__", "builtins")
            self.use(module, function.__qualname__, name, function)
        else:
            if function.__name__ == "locked":
                self._dependence.add(Reading(f"locked() of {id(owner)}", function))
            self._use_method(type(owner), function.__name__, name)

    def use_class(self, kind, name):
        """Apply the rule of a class."""
        rules = rules_of_methods(kind)
        self._methods.update(rules)
        if origin(kind.__module__) is not None and not issubclass(kind, BaseException):
            self.use(str(kind.__module__), kind.__qualname__, name, kind)

    def use_instance(self, thing):
        """Record an object whose methods may have rules."""
        kind = type(thing)
        self._methods.update(rules_of_methods(kind))
        if kind is decimal.Decimal:
            self.use_class(kind, None)
        elif hasattr(kind, "locked"):
            self._locks.append(thing)

    def use_logger(self, logger):
        """Guard the settings of a logger and of its ancestors."""
        self._loggers.append(logger)
        while logger is not None:
            for name in ("level", "disabled", "parent"):
                self._dependence.add(Entry(vars(logger), name))
            self._dependence.add(Entry(vars(logger.manager), "_disable"))
            logger = logger.parent

    def _use_method(self, kind, method, name):
        """Apply the rule of a bound method. A method under its own name is deferred to `settle`,
        since it may be an attribute that only the library reads."""
        self._methods.update(rules := rules_of_methods(kind))
        if method in rules and name != method:
            full, rule = rules[method]
            self._apply(rule, full, name or method)

    def _apply(self, rule, full, name):
        if rule.kind == "effect":
            self._note(message("calls-function", name=full), name)
        elif rule.kind == "gives":
            owner, attribute = find(*rule.state)
            self._methods.update(rules_of_methods(getattr(owner, attribute)))
        elif rule.kind == "call":
            self.state(f"{full}()")
        for path in rule.state if rule.kind == "reads" else ():
            self.state(path)

    def state(self, path):
        """Guard state: an object by its dotted name, the result of a call, an attribute of the
        arguments (`.name`), or all their attributes (`*`)."""
        if path == "*":
            self._dependence.read_all()
            return
        if path.startswith("."):
            self._dependence.name([path[1:]])
            return
        owner, name = find(path.removesuffix("()"))
        if path.endswith("()"):
            read = getattr(owner, name)
            self._dependence.add(Reading(path, read, IDENTITIES.get(read)))
            return
        value = getattr(owner, name)
        if type(value) is not dict:
            self._dependence.guard(Entry(vars(owner), name))
            self._dependence.read_attributes_of(value)
            return
        self._dependence.add(Entry(vars(owner), name))
        self._dependence.add(Contents(value, name))
        for item in value.values():  # libraries register functions that need not be called
            if not (callable(item) and origin(getattr(item, "__module__", None))):
                self._dependence.follow(item, name)

    # when all code has been followed --------------------------------------------------------

    def settle(self, names):
        """Apply the rules that depend on all attribute names in the code; return True if any of
        these names, or of the objects with rules, were new."""
        had, self._settled = self._settled, self._size() + len(names)
        if had == self._settled:
            return False
        for name in sorted(self._methods.keys() & names):
            full, rule = self._methods[name]
            self._apply(rule, full, name)
        for key, (full, name) in self._seeded.items():
            if self._calls.get(key, True):
                self._note(message("calls-function", name=full), name)
        if "locked" in names:
            for lock in self._locks:
                self._dependence.add(Reading(f"locked() of {id(lock)}", lock.locked))
        for logger in self._loggers:
            for name in sorted(names & vars(logger).keys()):
                value = vars(logger)[name]
                self._dependence.add(Entry(vars(logger), name))
                if isinstance(value, list):
                    self._dependence.add(Contents(value, name))
        if not names.isdisjoint(("encode", "decode")):
            for text in filter(is_own_codec, sorted(self.texts)):
                self._note(message("encodes-by", codec=text), text)
        if self.has_arrays:
            self.state("numpy.geterr()")
            if self.has_texts:
                self.state("numpy.get_printoptions()")
        return True

    def _size(self):
        collections = self._methods, self._seeded, self._locks, self._loggers, self.texts
        return sum(map(len, collections)) + self.has_arrays + self.has_texts
