"""Write the stubs (`.pyi`) of names generated at run time: names and parameters, for editors.

    python tools/write_stubs.py

Operations come from declarations, Tensor methods are attached, and names are looked up on use, so
their names are not in any source file. Names that a module's source defines are imported from
there. `mindspore-stubs` has stubs for the paths under which scripts import them. Git ignores stubs:
`make stubs` and builds (`hatch_build.py`) write them.
"""

import ast
import builtins
import csv
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
import sporax  # noqa: E402
from sporax import mint, nn, ops, optim  # noqa: E402
from sporax import numpy as mnp  # noqa: E402
from sporax._src.core import dtype as dtypes  # noqa: E402
from sporax._src.core.tensor import Tensor  # noqa: E402
from sporax._src.mindspore.compat import alias  # noqa: E402
from sporax._src.mindspore.compat.class_modules import module_of  # noqa: E402
from sporax.ops.declare import FUNCTIONS, MINT, PRIMITIVES, Array, Arrays  # noqa: E402
from sporax.ops.sparse.tensors import (  # noqa: E402
    COOTensor,
    CSRTensor,
    RowTensor,
    RowTensorInner,
)

# return annotations of declarations that are not Python classes; none: an array
RESULTS = {
    inspect.Signature.empty: "Tensor",
    Array: "Tensor",
    Tensor: "Tensor",
    Arrays: "builtins.tuple[Tensor, ...]",
    Iterator: "Iterator[Tensor]",
    dtypes.Type: "Type",
    **{kind: kind.__name__ for kind in (COOTensor, CSRTensor, RowTensor, RowTensorInner)},
}
OFTEN = 20  # uses of a module's path in public scripts
LITERAL = bool | int | str | None  # defaults that are shown


def stubs():
    """{path of a stub: its current text}."""
    texts = {
        "sporax/__init__.pyi": _module("MindSpore's names", _top()),
        "sporax/_src/core/attached.pyi": _module("Tensor's methods", _attached()),
        "sporax/_src/core/named.pyi": _module("The dtypes", _dtypes()),
        "sporax/ops/__init__.pyi": _module("The operations, by name", _operations()),
        "sporax/nn/__init__.pyi": _module("The cells, by name", _cells()),
        "sporax/numpy/__init__.pyi": _module("The operations as NumPy's users call them", _numpy()),
    }
    for path in ("", *[f"{module}." for module in mint.EXPORTED]):
        head = f"What `{'.'.join(['mint', path]).strip('.')}` has"
        texts[f"sporax/mint/{path.replace('.', '/')}__init__.pyi"] = _module(head, _mint(path))
    return texts | _paths()


# parts of a stub ---------------------------------------------------------------------------------

_USED = {
    "builtins.": "import builtins",
    "overload\n": "from typing import overload",
    "Any": "from typing import Any",
    "Iterator[": "from collections.abc import Iterator",
    " Tensor": "from sporax._src.core.tensor import Tensor as Tensor",
    "[Tensor": "from sporax._src.core.tensor import Tensor as Tensor",
    **{
        f"-> {name}:": f"from sporax.ops.sparse.tensors import {name} as {name}"
        for name in ("COOTensor", "CSRTensor", "RowTensor", "RowTensorInner")
    },
    "-> Type": "from sporax._src.core.dtype import Type as Type",
    "(Primitive)": "from sporax.ops.primitive import Primitive as Primitive",
    "(Cell)": "from sporax.nn.cell import Cell as Cell",
}


def _module(head, lines):
    lines = list(lines)
    body = [line for line in lines if not line.startswith("from ")]
    text = "\n".join(body)
    used = {line for sign, line in _USED.items() if sign in text and line not in lines}
    imports = sorted({*used, *lines} - set(body))
    head = f'"""{head}; written by tools/write_stubs.py."""'
    return "\n".join([head, "", *imports, "", *body, ""])


def _item(name, value):
    """The lines that declare an object under a name."""
    if isinstance(value, types.ModuleType):
        package, _, module = value.__name__.rpartition(".")
        return [f"from {package} import {module} as {name}"]
    home = module_of(value)
    declared = "declaration" in vars(value) if hasattr(value, "__dict__") else False
    own = getattr(value, "__name__", name)
    if not declared and _stands(home, own, value):
        return [f"from {home} import {own} as {name}"]
    if inspect.isclass(value):
        return list(_class(name, value))
    if callable(value):
        return _function(name, value)
    return [f"{name}: {_shown(type(value))}"]


def _stands(home, name, value):
    """Return True if the object is defined under that name in its module's source."""
    return name in _source_names(home) and getattr(sys.modules[home], name) is value


@functools.cache
def _source_names(module):
    """The names that a module's source assigns, or defines without a decorator."""
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    if not file.endswith(".py"):
        return set()
    return set(_names_of(ast.parse(Path(file).read_text("utf8")).body))


def _names_of(body):
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            called = {ast.unparse(d).partition("(")[0] for d in node.decorator_list}
            if called.isdisjoint({"op", "composite", "array_op"}):
                yield node.name


def _shown(kind):
    """A class as an annotation."""
    if kind in RESULTS:
        return RESULTS[kind]
    if isinstance(kind, type) and getattr(builtins, kind.__name__, None) is kind:
        return f"builtins.{kind.__name__}"
    if kind in (None, type(None)):
        return "None"
    return "Any"


def _result(function):
    declaration = getattr(function, "declaration", None)
    signature = inspect.signature(function) if declaration is None else declaration.signature
    return _shown(signature.return_annotation)


def _function(name, function, indent="", result=None, decorator=()):
    """The lines of a `def`, or of several `def`s if there are several signatures."""
    several = getattr(function, "overloads", None)
    if several and indent:
        return [line for f in several for line in _function(name, f, indent, None, ["@overload"])]
    parameters = _parameters(function, "self" if indent else None)
    head = f"{indent}def {name}({parameters}) -> {result or _result(function)}:"
    before = [indent + d for d in decorator]
    text = _summary(function)
    return [*before, head, f"{indent}    {text}"] if text else [*before, f"{head} ..."]


def _class(name, cls):
    yield f"class {name}({'Cell' if issubclass(cls, nn.Cell) else 'Primitive'}):"
    if _summary(cls):
        yield f"    {_summary(cls)}"
    yield f"    def __init__({_parameters(cls.__init__)}) -> None: ..."
    yield f"    def __call__({_parameters(cls.__call__)}) -> {_result(cls.__call__)}: ..."


def _summary(value):
    """The first paragraph of the docstring, as a docstring."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split()).split(" >>> ")[0]
    if not text or '"""' in text:
        return ""
    end = " " if text[-1] in '"\\' else ""
    return f'{"r" if chr(92) in text else ""}"""{text}{end}"""'


def _parameters(function, first=None):
    """The parameters as in a `def`, with the defaults that can be written as source."""
    shown = [
        p.replace(
            annotation=Any if type(p.default) in (int, float) else p.empty,  # not of that type only
            default=p.empty if p.default is p.empty else _Default(p),
        )
        for p in inspect.signature(function).parameters.values()
    ]
    if first and shown[0].kind is not inspect.Parameter.VAR_POSITIONAL:
        shown[0] = shown[0].replace(name=first)  # as a method's is called, whatever the function's
    return str(inspect.Signature(shown))[1:-1]


class _Default:
    def __init__(self, parameter):
        value = parameter.default
        parts = value if isinstance(value, tuple) else (value,)
        numbers = isinstance(value, float) and value - value == 0
        plain = numbers or all(isinstance(part, LITERAL) for part in parts)
        self.text = repr(value) if plain else "..."

    def __repr__(self):
        return self.text


# the modules ----------------------------------------------------------------------------------


def _operations():
    for name in sorted(ops.__all__):
        value = {**FUNCTIONS, **PRIMITIVES}.get(name, getattr(ops, name))
        yield from _item(name, value)


def _numpy():
    for name in dir(mnp):
        yield from _item(name, getattr(mnp, name))


def _mint(prefix):
    """The names directly below a module; names of submodules are in their own stubs."""
    space = mint if not prefix else getattr(mint, prefix[:-1].split(".")[0])
    for part in prefix[:-1].split(".")[1:]:
        space = getattr(space, part)
    exported = {} if prefix else mint.exported()
    for name in dir(space):
        if f"{prefix}{name}" in MINT:
            yield from _item(name, MINT[f"{prefix}{name}"])
        elif name in exported:
            yield f"from .{exported[name]} import {name} as {name}"
        else:
            yield f"from . import {name} as {name}"


def _cells():
    homes = {name: getattr(nn, name) for name in [*nn.__all__, *optim.__all__]}
    for name, value in sorted(homes.items()):
        yield from _item(name, value)


def _top():
    for name, home in sorted(sporax._HOMES.items()):
        if getattr(sporax.module_if_there(home), name, None) is not None:
            yield f"from {home} import {name} as {name}"
    for name, home in sorted(sporax._MODULES.items()):
        package, _, module = home.rpartition(".")
        if sporax.module_if_there(home) is not None:
            yield f"from {package} import {module} as {name}"
    yield "__version__: str"
    yield "def module_if_there(name) -> Any: ..."


def _dtypes():
    kinds = {type(dtype) for dtype in dtypes.NAMES.values() if dtype.numpy_dtype is not None}
    yield from (f"from sporax._src.core.dtype import {k.__name__} as {k.__name__}" for k in kinds)
    for name, dtype in sorted(dtypes.NAMES.items()):
        if dtype.numpy_dtype is not None and vars(dtypes).get(name) is dtype:
            yield f"{name}: {type(dtype).__name__}"


def _attached():
    """The attributes of Tensor that its source does not define."""
    module = ast.parse(Path(sys.modules[module_of(Tensor)].__file__).read_text(encoding="utf-8"))
    (source,) = [n for n in module.body if isinstance(n, ast.ClassDef) and n.name == "Tensor"]
    own = {node.name for node in source.body if isinstance(node, ast.FunctionDef)}
    assigned = [node for node in source.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    names = [n for node in assigned for n in ast.walk(node) if isinstance(n, ast.Name)]
    own |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    base = Tensor.__base__
    yield f"from {module_of(base)} import {base.__name__} as {base.__name__}"
    yield f"class Attached({base.__name__}):"
    for name, value in sorted(vars(Tensor).items()):
        if name in own or name in ("__hash__", "__annotate_func__"):
            continue
        if isinstance(value, property):
            yield from _function(name, value.fget, "    ", decorator=["@property"])
        elif isinstance(value, types.FunctionType):
            yield from _function(name, value, "    ")
        elif isinstance(value, staticmethod):
            yield from (
                "    " + line for line in ["@staticmethod", *_function(name, value.__func__)]
            )


def _paths():
    """`mindspore-stubs`: for each path that scripts write, the modules its names come from."""
    written = {path for path in alias.MODULES if _is_written(path)}
    packages = {path.rpartition(".")[0] for path in written}
    paths = {}
    for path in written | packages - {""}:
        homes = alias.MODULES[path]
        lines = [f"from {home} import *" for home in homes if sporax.module_if_there(home)]
        lines += [line for symbol in alias.SYMBOLS for line in _symbol(path, symbol)]
        if not lines:
            continue
        file = path.replace(".", "/").replace("mindspore", "mindspore-stubs", 1)
        file += "/__init__.pyi" if path in packages else ".pyi"
        paths[file] = _module(f"`{path}`, as sporax has it", lines)
    return paths


def _is_written(path):
    """Return True if a module's path is public, and short or often used; other paths are legacy."""
    is_private = any(part.startswith("_") for part in path.split("."))
    is_short = path.count(".") < 2 or path.startswith(("mindspore.mint.", "mindspore.scipy."))
    return not is_private and (is_short or _uses().get(path, 0) >= OFTEN)


@functools.cache
def _uses():
    with open(ROOT / "sporax/_src/mindspore/compat/paths.csv", encoding="utf8") as file:
        return {row["path"]: int(row["uses"]) for row in csv.DictReader(file)}


def _symbol(path, symbol):
    """The line for one object of the table, if it is in that module."""
    module, _, name = symbol.rpartition(".")
    home, _, original = alias.SYMBOLS[symbol].partition(":")
    if module != path or name.startswith("__") or alias._symbol(symbol) is None:
        return
    if not original:
        home, _, original = home.rpartition(".")
    yield f"from {home} import {original} as {name}" if home else f"import {original} as {name}"


if __name__ == "__main__":
    texts = stubs()
    for folder in ("sporax", "mindspore-stubs"):
        for old in {*(ROOT / folder).rglob("*.pyi")} - {ROOT / path for path in texts}:
            old.unlink()
    for path, text in texts.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, "utf8")
