"""Names of MindSpore: where they are defined, and their parameters and settings."""

import csv
import functools
import importlib
import inspect
import json
import re
import types
from pathlib import Path

ROOT = Path(__file__).parents[2]

MODULES = [
    "ops.function", "ops.function.math_func", "ops.function.nn_func", "ops.function.array_func",
    "ops.function.random_func", "ops.auto_generate", "ops.functional",
]  # fmt: skip
SUFFIXES = "_ext", "_view"
TYPES = [
    "Number", "Bool", "Int", "Int32", "Int64", "UInt8", "Float", "Float32", "Float64", "Tensor",
    "Tensor[Float32]", "String", "Tuple", "List", "Dictionary", "Function", "None", "TypeType",
    "COOTensor",
]  # fmt: skip


def ops_names(ms):
    return {"ops_names.txt": [name for name in dir(ms.ops) if not name.startswith("__")]}


def ext_names(ms):
    """Return names of `ops` that are functions of `mint`, where the names differ."""
    places = {"": ms.mint}
    places |= {f"{n}.": getattr(ms.mint, n) for n in ("linalg", "special")}
    places["nn.functional."] = ms.mint.nn.functional
    faces, answer = {}, {}
    for place in ("", "nn.functional.", "linalg.", "special."):
        for name, value in vars(places[place]).items():
            is_face = callable(value) and not isinstance(value, types.ModuleType)
            if is_face and not name.endswith(SUFFIXES):
                faces.setdefault(id(value), f"{place}{name}")
    for path in MODULES:
        for name, value in vars(importlib.import_module(f"mindspore.{path}")).items():
            if name.endswith(SUFFIXES) and id(value) in faces:
                answer[f"mindspore.{path}.{name}"] = faces[id(value)]
    return {"ext_names.json": dict(sorted(answer.items()))}


def classes(ms):
    """Return the modules in which MindSpore defines its classes, by the shortest path to each."""
    with open(ROOT / "sporax/_src/mindspore/compat/paths.csv", encoding="utf8") as file:
        paths = [row["path"] for row in csv.DictReader(file) if ":" not in row["found_in"]]
    shortest = {}
    for path in paths:
        try:
            module = importlib.import_module(path)
        except ImportError:
            continue
        for name in dir(module):
            kind = getattr(module, name, None)
            home = str(getattr(kind, "__module__", ""))
            if isinstance(kind, type) and home.startswith("mindspore.") and kind.__name__ == name:
                known = shortest.get((home, name))
                if known is None or path.count(".") < known.count("."):
                    shortest[home, name] = path
    found = {f"{path}.{name}": home for (home, name), path in sorted(shortest.items())}
    return {"classes.json": found}


def multitype(ms):
    """Return the arguments that `MultitypeFuncGraph` accepts for each type name."""
    from tests.graph_capture.multitype_values import values

    given = values(ms).items()
    takes = {name: [key for key, value in given if _takes(ms, name, value)] for name in TYPES}
    return {"multitype.json": takes}


def _takes(ms, name, value):
    """Return True if a function registered for that type is called with the value."""
    graph = ms.ops.MultitypeFuncGraph("graph")
    graph.register(name)(lambda x: True)
    graph.register("Tensor", "Tensor")(lambda x, y: None)  # a single function accepts everything
    try:
        return graph(value)
    except ValueError:
        return False


def parameters(ms):
    """Return parameters in order, of each name of `uses.csv` with three uses or more.

    For a class, the parameters of its constructor; for a Primitive also the parameters of its call
    (under `name()`).
    """
    from tests.compat.parameter_names import ANYTHING, parameters_of

    through, kept = {ms.ops.Primitive: "__call__", ms.nn.Cell: "construct"}, {}
    with open(ROOT / "tests/recorded/uses.csv", encoding="utf8") as file:
        symbols = [row["symbol"] for row in csv.DictReader(file) if int(row["uses"]) >= 3]
    for symbol in sorted(symbols):
        value = _follow(symbol)
        if callable(value):
            for suffix, names in parameters_of(value, through).items():
                if names is not None and names != ANYTHING:
                    kept[symbol + suffix] = names
    return {"parameters.json": kept}


def _follow(path):
    """The object at a path; None if there is none."""
    parts = path.split(".")
    for i in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:i]))
        except ImportError:
            continue
        return functools.reduce(lambda at, name: getattr(at, name, None), parts[i:], module)
    return None


def settings(ms):
    """Return settings and initial values on a CPU, without read-only ones and parts of others."""
    from mindspore._c_expression import ms_ctx_param

    names = {n for n in dir(ms_ctx_param) if not n.startswith("_")} - {"name", "value"}
    results = {}
    for name in sorted(names | set(ms.context._context().setters)):
        try:
            value = ms.context.get_context(name)
            ms.context.set_context(**{name: value})
            results[name] = json.loads(json.dumps(value))
        except (TypeError, ValueError, RuntimeError):
            continue
    return {"settings.json": results}


def signatures(ms):
    """Return {'nn.Dense': ..., 'nn.Dense.construct': ..., 'ops.relu': ...}; classes by their
    constructor."""
    results = {}
    for module in ("nn", "ops"):
        for name in dir(getattr(ms, module)):
            member = getattr(getattr(ms, module), name)
            if name[0] == "_" or inspect.ismodule(member) or not callable(member):
                continue
            kinds = {"": member}
            if isinstance(member, type) and hasattr(member, "construct"):
                kinds[".construct"] = member.construct
            for suffix, function in kinds.items():
                try:
                    results[f"{module}.{name}{suffix}"] = _written(function)
                except ValueError:  # it is compiled, and has no signature
                    continue
    return {"signatures.json": results}


def _written(function):
    """Names and defaults, as written in a `def`."""
    parts = []
    for p in inspect.signature(function).parameters.values():
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else f"={p.default!r}".replace("mindspore.", "")
        parts.append(f"{stars}{p.name}{default}")
    return ", ".join(parts)


def overloads(ms):
    """Return {'Tensor.median': ['dim keepdim', 'axis keepdims'], ...}: keywords of each way to call
    it. Methods are compiled and have no signatures; their error messages list the parameters."""
    results, tensor = {}, ms.Tensor([[1.0]])
    for name in dir(tensor):
        method = getattr(tensor, name)
        if name[0] == "_" or not callable(method):
            continue
        try:
            method(no_such_keyword=1)
        except Exception as error:  # noqa: BLE001
            ways = re.findall(rf'^"Tensor.{name}\((.*)\)"$', str(error), re.M)
            ways = [" ".join(re.findall(r"(\w+)=<", way)) for way in ways]
            results[f"Tensor.{name}"] = sorted({way for way in ways if way})
    return {"overloads.json": {name: ways for name, ways in results.items() if ways}}
