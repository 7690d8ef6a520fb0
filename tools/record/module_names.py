"""Names of MindSpore's modules, and where each comes from: read from sources and live modules."""

import __future__

import ast
import contextlib
import importlib
import inspect
import io
import pkgutil
import sys
import types

# programs, and kernels of Ascend
LEFT_OUT = (
    "mindspore.ops._op_impl.", "mindspore.ops_generate.", "mindspore.profiler.analysis.",
    "mindspore.profiler.common.", "mindspore.profiler.platform.",
)  # fmt: skip
TABLE = "../../sporax/_src/mindspore/compat/module_names.csv"
PLAIN = int, bool, type(None)


def module_names(ms):
    """Return the table's lines: module, where names come from, names.

    The second column is a module (`name=other` if the name differs there), a module with a colon
    for names that are modules, `class`, `function` or `value` for the module's own ones,
    `primitive` for a class of Primitives whose constructor takes no arguments.
    """
    modules = _modules(ms)
    sources = {path: _imported(path, module) for path, module in modules.items()}
    lines = ["module,found_in,names"]
    for path, module in sorted(modules.items()):
        groups = {}
        for name, value in vars(module).items():
            is_future = getattr(__future__, name, None) is value
            if not is_future and not (name.startswith("__") and name.endswith("__")):
                home, text = _home(path, name, value, modules, sources)
                groups.setdefault(home, []).append(text)
        for home, texts in sorted(groups.items()) or [("", [])]:
            lines.append(f"{path},{home},{' '.join(sorted(texts))}")
    return {TABLE: lines}


def _modules(ms):
    modules = {"mindspore": ms}
    for found in pkgutil.walk_packages(ms.__path__, "mindspore.", onerror=lambda name: None):
        if not f"{found.name}.".startswith(LEFT_OUT):
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(ImportError):
                modules[found.name] = importlib.import_module(found.name)
    return modules


def _home(path, name, value, modules, sources):
    """Return (second column, text of the name) of a module's name."""
    if isinstance(value, types.ModuleType):
        return f"{value.__name__}:", name
    home, origin = _origin(path, name, modules, sources)
    if (home, origin) == (path, name) and isinstance(value, type | types.FunctionType):
        defined = sys.modules.get(str(value.__module__))
        if defined is not None and vars(defined).get(value.__qualname__) is value:
            home, origin = value.__module__, value.__qualname__
    if (home, origin) != (path, name):
        return home, name if name == origin else f"{name}={origin}"
    if isinstance(value, type):
        primitive = modules["mindspore"].ops.Primitive
        is_plain = issubclass(value, primitive) and not inspect.signature(value).parameters
        return "primitive" if is_plain else "class", name
    if callable(value):
        return "function", name
    return "value", f"{name}={value!r}" if type(value) in PLAIN else name


def _origin(path, name, modules, sources):
    """Return the module and name at the end of a chain of imports."""
    seen = set()
    while name in sources.get(path, ()) and (path, name) not in seen:
        seen.add((path, name))
        path, name = sources[path][name]
    return path, name


def _imported(path, module):
    """Return {name: (module, name there)} of the `from` imports that run with the module."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError):
        return {}
    package = path if hasattr(module, "__path__") else path.rpartition(".")[0]
    found = {}
    _visit(tree.body, package, found)
    return found


def _visit(statements, package, found):
    for node in statements:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [base])])
            for alias in node.names:
                names = _starred(base) if alias.name == "*" else [alias.name]
                found.update({alias.asname or name: (base, name) for name in names})
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.pop(node.name, None)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                found.pop(getattr(target, "id", None), None)
        else:
            for part in ("body", "handlers", "orelse", "finalbody"):
                _visit(getattr(node, part, []), package, found)


def _starred(path):
    module = sys.modules.get(path)
    return getattr(module, "__all__", None) or [n for n in vars(module or ()) if n[0] != "_"]
