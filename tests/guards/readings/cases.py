"""Cases: a `Kind`, one of its reads and changes, and a way of reading; and their results.

The reference is the uncaptured function, called in the same way in separate modules made from the
same source. A case is wrong if the captured function returns something else: it is stale.
"""

import contextlib
import importlib
import itertools
import sys
import types
import warnings
from typing import NamedTuple

import numpy as np

from sporax import Tensor, jit
from sporax._src.capture.graph_capture import graph_call
from tests import interpretation
from tests.guards.readings.kinds import KINDS, Kind, rows

# modules that the source of all cases may name
NAMES = (
    "abc", "argparse", "array", "ast", "asyncio", "atexit", "bisect", "builtins", "calendar",
    "codecs", "collections", "configparser", "contextlib", "contextvars", "copy", "copyreg",
    "csv", "ctypes", "dataclasses", "datetime", "decimal", "difflib", "enum", "faulthandler",
    "filecmp", "fileinput", "fractions", "functools", "gc", "gettext", "glob", "graphlib",
    "hashlib", "heapq", "hmac", "importlib", "inspect", "io", "ipaddress", "itertools", "json",
    "linecache", "locale", "logging", "marshal", "math", "mimetypes", "mmap", "multiprocessing",
    "numbers", "operator", "os", "pathlib", "pickle", "pkgutil", "platform", "posixpath",
    "pprint", "queue", "random", "re", "reprlib", "resource", "sched", "secrets", "selectors",
    "shelve", "shlex", "shutil", "signal", "socket", "sqlite3", "statistics", "string", "struct",
    "subprocess", "sys", "tempfile", "textwrap", "threading", "time", "timeit", "tracemalloc",
    "types", "typing", "unicodedata", "uuid", "warnings", "weakref", "zlib", "zoneinfo",
)  # fmt: skip
PARTS = (
    "collections.abc", "concurrent.futures", "dbm.dumb", "email.charset", "email.utils",
    "importlib.resources", "importlib.util", "urllib.parse",
)  # fmt: skip
IMPORTS = """
import numpy as np
import sporax as ms
import sporax.data as ds
import time as _time
import xml.etree.ElementTree as ET
from calendar import monthcalendar as month_lines
from sporax import Parameter, Tensor, get_context, grad, jit, mint, nn, ops, value_and_grad, vmap
NAME, NAME2, MODULE = "k", "sqrt", "case_alone"
"""
# source with `{read}` in place of the expression; `function` where `f` is in a module of its own
WAYS = rows("ways")
X = np.array([1.0, 2.0], np.float32)


class Case(NamedTuple):
    """A case; `read` and `change` are from the kind."""

    kind: Kind
    read: str
    change: str
    way: str

    def sources(self):
        """Return [source of the state's module, source of the function's module if it is
        separate]."""
        start, *others = [
            text.replace("{read!r}", repr(self.read)).replace("{read}", self.read)
            for _, text in WAYS[self.way]
        ]
        return [f"{self.kind.setup}\n{start}", *others]


class World:
    """The modules of a case, and `function`: `f` in the last of them."""

    def __init__(self, case):
        self.case = case
        names = "state_case", "function_case"
        self.modules = []
        for name, source in zip(names, case.sources(), strict=False):
            module = _module(name)
            vars(module).update(state=self.modules[0] if self.modules else None)
            self.modules.append(module)
            _run(source, module)
        self.function = self.modules[-1].f

    def change(self):
        """Change the state."""
        _run(self.case.change, self.modules[0])

    def undo(self):
        """Restore process-wide state."""
        _run(self.case.kind.undo, self.modules[0])


def _module(name):
    module = sys.modules[name] = types.ModuleType(name, "ab")
    space = vars(module)
    space.update({part: importlib.import_module(part) for part in NAMES})
    for part in PARTS:
        importlib.import_module(part)
        space.setdefault(part.partition(".")[0], sys.modules[part.partition(".")[0]])
    space.update(__file__=__file__)
    _run(IMPORTS, module)
    return module


def _run(source, module):
    exec(compile(source, f"<{module.__name__}>", "exec"), vars(module))


def outcome(function):
    """Return the elements of a call's result, or the kind of its error."""
    try:
        return np.asarray(function(Tensor(X)).asnumpy(), np.float64)
    except Exception as error:  # noqa: BLE001 (whatever it is, both calls must raise it)
        return "refused" if "must not need a number" in str(error) else type(error).__name__


class Result(NamedTuple):
    """The result of a case: `captured` and `reference` (outcomes of two calls, a change and two
    calls), `dynamic` (True if it ran dynamically), and the text of the warning, if any."""

    captured: list
    reference: list
    dynamic: bool
    warning: str

    def is_wrong(self, moves):
        """Return True if the captured function is stale. State that `moves` cannot be compared: two
        of its calls must differ instead, or run dynamically."""
        if self.is_refused():
            return False
        if moves and not isinstance(self.reference[0], str):
            return not self.dynamic and _is_equal(self.captured[0], self.captured[-1])
        return not all(map(_is_equal, self.captured, self.reference))

    def is_refused(self):
        """Return True if each captured call raises the error of `recompute` and similar functions
        for reading a concrete value of a computed Tensor."""
        return set(map(str, self.captured)) == {"refused"}

    def matters(self):
        """Return True if the change affects the result of the function."""
        return not _is_equal(self.reference[0], self.reference[-1])


def _is_equal(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and isinstance(other, str) and one == other
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-4, equal_nan=True)


def _calls(case, capture):
    """Return (the outcomes of two calls, a change and two calls; the function)."""
    world = World(case)
    try:
        function = jit(world.function) if capture else world.function
        before = [outcome(function) for _ in range(2)]
        world.change()
        return before + [outcome(function) for _ in range(2)], function
    finally:
        world.undo()
        for module in world.modules:
            sys.modules.pop(module.__name__, None)


def run(case):
    """Return the `Result` of a case; None if its read is not valid source in this way."""
    try:
        for source in case.sources():
            compile(source, "", "exec")
    except SyntaxError:
        return None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reference, _ = _calls(case, capture=False)
        captured, function = _calls(case, capture=True)
    texts = [str(w.message) for w in caught if "dynamically" in str(w.message)]
    return Result(captured, reference, function.dynamic or bool(texts), "".join(texts[:1]))


def all_cases():
    """Yield all cases."""
    for kind in KINDS:
        for read, change, way in itertools.product(kind.reads, kind.changes, WAYS):
            yield Case(kind, read, change, way)


def chosen(count, seed, kinds=KINDS):
    """Choose `count` random cases: each kind first, then each read and change, then others."""
    rng = np.random.default_rng(seed)
    ways, cases = [*WAYS], {}

    def pick(items):
        return items[rng.integers(len(items))]

    def add(kind, read, change):
        case = Case(kind, read, change, pick(ways))
        cases.setdefault((kind.name, read, change, case.way), case)

    for kind in kinds:
        add(kind, pick(kind.reads), pick(kind.changes))
    pairs = [(k, r, c) for k in kinds for r in k.reads for c in k.changes]
    for i in rng.permutation(len(pairs)):
        add(*pairs[i])
    most = len(pairs) * len(ways)
    while len(cases) < min(count, most):
        kind = pick(kinds)
        add(kind, pick(kind.reads), pick(kind.changes))
    return [*itertools.islice(cases.values(), count)]


@contextlib.contextmanager
def interpreted():
    """Interpret programs by NumPy: every capture has a separate program, which is not under
    test."""
    kept, graph_call.prepare = graph_call.prepare, interpretation.prepare
    try:
        yield
    finally:
        graph_call.prepare = kept
