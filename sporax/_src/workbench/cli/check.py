"""`sporax check`: lists the MindSpore names in a program that sporax lacks, without running it.

A name is resolved if it can be followed from an import: `ms.nn.Conv2d`, and
`ops.relu` after `from mindspore import ops`. Attributes of Tensors and Cells are not resolved.
"""

import ast
import dataclasses
import importlib
import inspect
import os
import sys
import types
import warnings
from collections import Counter
from pathlib import Path

from sporax._src.diagnosis.rules import rejection
from sporax._src.mindspore.compat import install_as_mindspore, installed_with
from sporax._src.mindspore.compat.refused_names import REFUSED, Refused, explained
from sporax.io import untrusted_file

ROOT = "mindspore"
_KINDS = ".py", ".ipynb"
_SKIPPED = "__pycache__", "node_modules", "site-packages"
_MAGIC = tuple("!%?")  # first characters of notebook lines that are not Python
_WRONG, _NO_FILE = 1, 2


@dataclasses.dataclass(frozen=True)
class Use:
    """A use of a MindSpore name in a file; `fault` says what is wrong with it, or is None."""

    location: str  # "train.py:12", "lesson.ipynb, cell 3:2"
    name: str
    fault: str | None


class CannotRead(Exception):
    """Raised for a file that is not a Python program."""


def check(paths):
    """Print every missing name in the files below `paths`; return the exit code.

    0: no name is missing; 1: a name is missing or a file cannot be read; 2: a path does not exist.
    """
    if is_absent(paths):
        return _NO_FILE
    all_uses, files, unread = [], 0, 0
    for uses in read_each(paths, uses_in):
        if uses is None:
            unread += 1
            continue
        files += bool(uses)
        all_uses += uses
        for use in uses:
            if use.fault:
                print(f"{use.location}: {use.fault}")
    print(_summary(all_uses, files))
    return _WRONG if unread or any(use.fault for use in all_uses) else 0


def _summary(uses, files):
    faults = Counter(use.name for use in uses if use.fault)
    names = len({use.name for use in uses})
    said = f"of MindSpore: {names} names, used {len(uses)} times, files: {files}; "
    if not faults:
        return said + "all are there"
    most = ", ".join(f"{name} ({count})" for name, count in faults.most_common(8))
    return said + f"names that fail: {len(faults)}, used {faults.total()} times: {most}"


def is_absent(paths):
    """Return True if one of the paths does not exist, after printing which."""
    absent = [path for path in paths if not os.path.exists(path)]
    if absent:
        print(f"sporax: no file or folder '{absent[0]}'", file=sys.stderr)
    return bool(absent)


def read_each(paths, read):
    """Yield `read(path)` for each program below `paths`; for one that cannot be read, print the
    reason and yield None."""
    for path in programs(paths):
        try:
            result = read(path)
        except CannotRead as error:
            print(f"{path}: {error}")
            result = None
        yield result


def programs(paths):
    """Yield the files in `paths`, and the Python files and notebooks below its folders, in
    order."""
    for path in map(Path, paths):
        if not path.is_dir():
            yield path
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(f for f in folders if f[0] != "." and f not in _SKIPPED)
            yield from (Path(folder, file) for file in sorted(files) if file.endswith(_KINDS))


def uses_in(path):
    """Return the [Use] of a Python file or a notebook, in order; raise CannotRead if it is
    neither."""
    reader = Reader()
    read_with(reader, parsed(path))
    return reader.uses


def parsed(path):
    """Return [(place, syntax tree)] of a Python file or of a notebook's cells; else raise
    CannotRead."""
    install_as_mindspore()
    try:
        text = untrusted_file.content(path).decode("utf8")
        if path.suffix == ".ipynb":
            cells = untrusted_file.json_of(text)["cells"]
            sources = [
                (f"{path}, cell {number}", _without_magic("".join(cell["source"])))
                for number, cell in enumerate(cells, 1)
                if cell["cell_type"] == "code"
            ]
        else:
            sources = [(str(path), text)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about the program, e.g. "\d" in a string
            return [(location, ast.parse(source)) for location, source in sources]
    except SyntaxError as error:
        fields = {"cause": error.msg, "line": error.lineno}
        raise rejection("no-python-program-line", error=CannotRead, **fields) from None
    # the parser raises MemoryError if brackets are nested too deeply
    except (MemoryError, *untrusted_file.MALFORMED) as error:
        cause = untrusted_file.cause(error)
        raise rejection("no-python-program", cause=cause, error=CannotRead) from None


def read_with(reader, trees):
    """Visit the trees with a `Reader`; raise CannotRead if they are nested too deeply."""
    try:
        for _, tree in trees:
            reader.bind(tree)
        for location, tree in trees:
            reader.location = location
            reader.visit(tree)
    except RecursionError:
        raise rejection("expressions-nested-too-deeply", error=CannotRead) from None


def _without_magic(source):
    """Return a cell's source with shell and magic lines replaced by `pass`; "" for a `%%` cell."""
    if source.startswith("%%"):
        return ""
    lines = source.split("\n")
    kept = (
        line[: len(line) - len(line.lstrip())] + "pass" if line.lstrip()[:1] in _MAGIC else line
        for line in lines
    )
    return "\n".join(kept)


class Reader(ast.NodeVisitor):
    """Follows the names that imports bind through a file, in two passes."""

    def __init__(self, root=ROOT):
        self.root = root
        self.bound = {}  # name in the file -> path it resolves to
        self.uses = []
        self.location = ""
        self.guarded = 0  # number of enclosing `try` statements that handle a failed import

    def bind(self, tree):
        """Record the names that a file's imports bind, except names that are assigned elsewhere."""
        for node in ast.walk(tree):
            for path, name in _imported(node, self.root):
                if name.asname:
                    self.bound[name.asname] = path
                elif name.name != "*":
                    self.bound[self.root] = self.root
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                self.bound.pop(node.arg, None)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.bound.pop(node.id, None)

    def visit_Try(self, node):
        catches = any(_catches_imports(handler) for handler in node.handlers)
        self.guarded += catches
        for statement in node.body:
            self.visit(statement)
        self.guarded -= catches
        for statement in [*node.handlers, *node.orelse, *node.finalbody]:
            self.visit(statement)

    def visit_Import(self, node):
        for path, _ in _imported(node, self.root):
            self._note(node, path)
        for module in _modules(node):
            fault = None if self.guarded else installed_with.missing(module)
            if fault:
                self.uses.append(Use(f"{self.location}:{node.lineno}", module, fault))

    visit_ImportFrom = visit_Import

    def visit_Attribute(self, node):
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        else:
            self._note(node, path)

    def visit_Name(self, node):
        path = self.bound.get(node.id)
        if path is not None and isinstance(node.ctx, ast.Load):
            self._note(node, path)

    def visit_Call(self, node):
        path = self._path(node.func)
        if path is not None:
            for keyword in node.keywords:
                if keyword.arg is not None:
                    self._note_keyword(node, path, keyword.arg)
        self.generic_visit(node)

    def _path(self, node):
        """Return 'mindspore.nn.Conv2d' for `nn.Conv2d`; None if no import leads to the node."""
        names = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        path = self.bound.get(node.id) if isinstance(node, ast.Name) else None
        return None if path is None else ".".join([path, *reversed(names)])

    def _note(self, node, path):
        importing = isinstance(node, ast.Import | ast.ImportFrom)
        name, value = follow(path)
        fault = None
        if isinstance(value, Refused):  # imports are allowed; later uses are reported
            fault = None if importing else repr(value)[1:-1]
        elif value is None and not self.guarded:
            fault = explained(name)
        self.uses.append(Use(f"{self.location}:{node.lineno}", name, fault))

    def _note_keyword(self, node, path, keyword):
        name, value = follow(path)
        taken = None if name != path else _parameters(value)
        if taken is not None and keyword not in taken:
            fault = f"{name} takes no '{keyword}' (it takes {', '.join(taken)})"
            self.uses.append(Use(f"{self.location}:{node.lineno}", f"{name}({keyword}=)", fault))


def _imported(node, root):
    """Yield (path, alias) of each name of package `root` that an import statement imports."""
    if isinstance(node, ast.Import):
        imports = [(name.name, name) for name in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        imports = [(_joined(node.module, name.name), name) for name in node.names]
    else:
        imports = []
    for path, name in imports:
        if path == root or path.startswith(f"{root}."):
            if isinstance(node, ast.ImportFrom) and name.name != "*" and name.asname is None:
                name = ast.alias(name.name, name.name)
            yield path, name


def _modules(node):
    """Return the modules that an import statement names, but for those of the program itself."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    return [] if node.level else [_joined(node.module, name.name) for name in node.names]


def _joined(module, name):
    return module if name == "*" else f"{module}.{name}"


def _catches_imports(handler):
    names = [n.id for n in ast.walk(handler.type or ast.Name("Exception")) if hasattr(n, "id")]
    return any(n in ("ImportError", "ModuleNotFoundError", "Exception", "AttributeError")
               for n in names)  # fmt: skip


def follow(path):
    """Return (name, value) of a path through modules and classes; the value is None if missing.

    The name ends at the first part that is missing or is neither a module nor a class.
    """
    name, value = ROOT, importlib.import_module(ROOT)
    for component in path.split(".")[1:]:
        if not isinstance(value, types.ModuleType | type):
            module = _module(name)  # a function and a module share the name `common.tensor`
            if module is None:
                return name, value
            value = module
        name = f"{name}.{component}"
        value = getattr(value, component, None)
        if value is None:
            value = _module(name)
        if value is None:
            return name, Refused(name) if name in REFUSED else None
    return name, value


def _module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _parameters(value):
    """Return the keyword names that a call takes; None if it takes any, or they are unknown."""
    if isinstance(value, Refused) or not callable(value) or hasattr(value, "overloads"):
        return None
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
