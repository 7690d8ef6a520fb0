"""`import mindspore` imports sporax: an import finder, its module objects, and their table.

The table is `paths.csv`. A row whose `found_in` has a colon maps one name to an object; any other
row maps a module to the modules in which its names are looked up, in order. A module that maps to
none has no names here. All other modules and names of MindSpore are in `module_names.csv`, with
where MindSpore imports them from. `refused.csv` lists what sporax has no counterpart of, and why.
"""

import ast
import csv
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import inspect
import os
import sys
import types
from pathlib import Path

from sporax import __version__, module_if_there
from sporax._src.diagnosis.rules import rejection
from sporax._src.mindspore.compat import (
    child_processes,
    class_modules,
    installed_with,
    log_settings,
    module_names,
)
from sporax._src.mindspore.compat.refused_names import REFUSED, Refused, explained

ROOT = "mindspore"
MINDSPORE_VERSION = "2.10.0"  # the version that sporax follows; scripts compare it

_TABLE = Path(__file__).with_name("paths.csv")
_FROM_IMPORT = "_handle_fromlist"  # importlib's frame during `from x import y`


def _rows():
    modules, symbols = {}, {}
    with open(_TABLE, encoding="utf8") as file:
        for row in csv.DictReader(file):
            if ":" in row["found_in"]:
                symbols[row["path"]] = row["found_in"]
            else:
                modules[row["path"]] = row["found_in"].split()
    for path, home in class_modules.symbols().items():
        symbols.setdefault(path, home)
        while path := path.rpartition(".")[0]:
            modules.setdefault(path, [])
    return modules, symbols


MODULES, SYMBOLS = _rows()


def _refusals():
    """Return {(module of the look-up, name): path in the table} of the rejected names."""
    refused = {}
    for path in REFUSED:
        module, _, name = path.rpartition(".")
        for home in MODULES.get(module) or [module]:
            refused[home, name] = path
    return refused


_REFUSALS = _refusals()


def _symbol(path):
    home, _, name = SYMBOLS[path].partition(":")
    module = module_if_there(home)
    return getattr(module, name, None) if name else module


def find(module, name):
    """Return the object `name` of the alias module `module`; raises AttributeError if missing."""
    path = f"{module}.{name}"
    if path in SYMBOLS:
        value = _symbol(path)
        if value is not None:
            return value
        if path in REFUSED:
            return Refused(path)
    if path in MODULES:
        return importlib.import_module(path)
    if name[:2] == name[-2:] == "__":  # Python looks for these in each module that it imports
        raise AttributeError(explained(path))
    for home in MODULES.get(module, ()):
        value = getattr(module_if_there(home), name, None)
        # a submodule is a file of sporax, not a name of MindSpore
        if value is not None and not isinstance(value, types.ModuleType):
            return value
    for home in MODULES.get(module) or [module]:
        if (home, name) in _REFUSALS:
            return Refused(_REFUSALS[home, name])
    if path in module_names.table():
        return importlib.import_module(path)
    if name in module_names.names(module):
        return _recorded(module, name)
    raise AttributeError(explained(path))


def is_module(path):
    """Return True for the path of a module of MindSpore."""
    return path in MODULES or path in module_names.table()


def _recorded(module, name):
    """Return a name of the table of all modules: from where MindSpore imports it; its own ones from
    a module of sporax for the packages around; else a `Refused`."""
    origin, there = module_names.names(module)[name]
    if origin in module_names.OWN:
        if there != name:
            return ast.literal_eval(there)
        return _of_packages(module, name, origin) or Refused(f"{module}.{name}")
    try:
        if is_module(origin):
            return find(origin, there)
        home = importlib.import_module(origin.removesuffix(":"))
    except (AttributeError, ImportError):  # a part of MindSpore in C++, or a package it needs
        return Refused(f"{module}.{name}")
    return home if origin.endswith(":") else getattr(home, there)


def _of_packages(module, name, kind):
    """Return the class or function of this name in the packages around a module, below the root."""
    if kind == "value":
        return None
    is_kind = callable if kind == "function" else inspect.isclass
    while (module := module.rpartition(".")[0]) not in (ROOT, ""):
        for home in map(module_if_there, MODULES.get(module, ())):
            value = getattr(home, name, None)
            if value is not None and is_kind(value):
                return value
    return None


class AliasModule(types.ModuleType):
    """A MindSpore module whose names are looked up in sporax on first use."""

    def __getattr__(self, name):
        if name == "__all__":
            return self._public()
        value = find(self.__name__, name)
        class_modules.show()
        self.__dict__[name] = value
        return value

    def __setattr__(self, name, value):
        # Importing a submodule sets it as an attribute of its parent, where it must not replace a
        # function of the same name (mindspore.common.tensor).
        path = f"{self.__name__}.{name}"
        if isinstance(value, AliasModule) and (path in SYMBOLS or path in REFUSED):
            return
        super().__setattr__(name, value)

    def _public(self):
        """Return the names of a star import: public, resolvable, and not modules."""
        names = []
        for home in map(module_if_there, MODULES.get(self.__name__, ())):
            listed = getattr(home, "__all__", None) or [n for n in dir(home) if n[0] != "_"]
            names += [n for n in listed if not isinstance(getattr(home, n), types.ModuleType)]
        return sorted(set(names))

    def __dir__(self):
        symbols = (path.rpartition(".") for path in SYMBOLS)
        own = {name for module, _, name in symbols if module == self.__name__}
        names = module_names.names(self.__name__) or self._public()
        return sorted({*self.__dict__, *own, *names})


class AliasFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads `mindspore` and its submodules, and PIL as MindSpore leaves it; ignores all
    other names."""

    def find_spec(self, fullname, path=None, target=None):
        """Return the spec of a module of the table; raises ImportError for a missing path."""
        if fullname == "PIL":
            return installed_with.pillow_spec()
        if fullname.partition(".")[0] != ROOT:
            return None
        if not is_module(fullname):
            kind = ImportError if _in_from_import() else ModuleNotFoundError
            raise kind(explained(fullname), name=fullname)
        return importlib.machinery.ModuleSpec(
            fullname, self, origin=str(_TABLE.parent), is_package=True
        )

    def find_distributions(self, context):
        """Yield MindSpore's distribution, of which libraries ask the version."""
        if context.name in (None, ROOT):
            yield installed_with.MindSpore(MINDSPORE_VERSION)

    def create_module(self, spec):
        """Create an empty module, which is filled as its names are used."""
        return AliasModule(spec.name, f"`{spec.name}`, as sporax has it.")

    def exec_module(self, module):
        """Do nothing: no code runs at import."""


def _in_from_import():
    frame = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename.startswith("<frozen importlib"):
        if frame.f_code.co_name == _FROM_IMPORT:
            return True
        frame = frame.f_back
    return False


FINDER = AliasFinder()


def install_as_mindspore() -> types.ModuleType:
    """Make `import mindspore`, and every submodule, import sporax from now on, in this process and
    its child processes (`multiprocessing` of every kind; Python as a subprocess, which inherits
    PYTHONPATH).

    Returns the module. If a real MindSpore is also installed, prints once to stderr which one runs.
    Raises RuntimeError if the real one is already imported. `mindspore.__version__` is the version
    whose behaviour sporax follows; `mindspore.__sporax__` is sporax's own version.

    >>> import sporax
    >>> sporax.install_as_mindspore().float32 is sporax.float32
    True
    """
    present = sys.modules.get(ROOT)
    if present is not None and not isinstance(present, AliasModule):
        raise rejection(
            "another-not-imported-yet",
            "install_as_mindspore",
            root=ROOT,
            getattr=getattr(present, "__file__", "one"),
        )
    if FINDER not in sys.meta_path:
        elsewhere = [path for path in sys.path if path != child_processes.FOLDER]
        other = importlib.machinery.PathFinder.find_spec(ROOT, elsewhere)
        if other is not None:
            _say_which(other)
        sys.meta_path.insert(0, FINDER)
    child_processes.inherit()
    # as MindSpore does: modules that an old protoc generated need the first; libraries read both
    os.environ.setdefault("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python")
    os.environ.setdefault("LD_LIBRARY_PATH", "")
    class_modules.show()
    log_settings.configure()
    if os.environ.get("MS_PROFILER_OPTIONS"):
        importlib.import_module("sporax._src.workbench.profiler").EnvProfiler.init_profiler()
    return importlib.import_module(ROOT)


def _say_which(other):
    try:
        version = importlib.metadata.version(ROOT)
    except importlib.metadata.PackageNotFoundError:
        version = "of unknown version"
    locations = other.submodule_search_locations or [other.origin]
    print(
        f"sporax: 'import {ROOT}' is sporax {__version__}, not the MindSpore {version} in "
        f"{next(iter(locations))}.",
        file=sys.stderr,
    )
