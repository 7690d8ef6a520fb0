"""The MindSpore names that public scripts use, how often, and their status in sporax.

`tests/recorded/uses.csv` counts uses of names in 2,387 third-party files for MindSpore (image
models, molecular dynamics, scientific computing, courses, tutorials), `keywords.csv` the keyword
arguments passed to them; `public_names.csv` has all names that MindSpore 2.10 exports, `called.txt`
the names called in passing tests (`tests/compat/call_coverage.py` writes it). All come from
`tools/write_coverage.py`.
"""

import csv
import functools
import inspect

import sporax
from sporax._src.mindspore.compat.refused_names import Refused
from sporax._src.workbench.cli import check
from tests import records
from tests.compat.parameter_names import parameters_of

RECORDED = records.FOLDER

# the counted groups, by their usual names
GROUPS = [
    "mindspore (top level)",
    "mindspore dtypes",
    "Tensor methods",
    "Parameter methods",
    "nn",
    "nn.Cell methods",
    "nn.Optimizer methods",
    "ops (functions)",
    "ops (primitives)",
    "ops.Primitive methods",
    "common.initializer",
    "numpy",
    "mint",
    "mint.linalg",
    "mint.nn",
    "mint.nn.functional",
    "amp",
    "communication",
]

# of a third-party file: all names exist, all names of these groups exist, or neither
FILE_STATES = "whole", "counted", "other"


def rows(name):
    with open(RECORDED / name, encoding="utf8") as file:
        return list(csv.DictReader(file))


@functools.cache
def uses():
    """Return [(symbol, group, is_documented, uses)], most used first."""
    result = rows("uses.csv")
    return [(r["symbol"], r["group"], r["documented"] == "1", int(r["uses"])) for r in result]


@functools.cache
def public_names():
    """Return the paths of MindSpore 2.10's public names."""
    return [row["path"] for row in rows("public_names.csv")]


def is_counted(name):
    """Return True if a name, possibly with `(keyword=)`, belongs to the groups above.

    A name without counts belongs to the group of its siblings: `mindspore.ops.Any` to ops.
    """
    symbol = name.partition("(")[0]
    group = _groups().get(symbol)
    while group is None and "." in symbol:
        symbol = symbol.rpartition(".")[0]
        group = _groups_below().get(symbol)
    return group in GROUPS


@functools.cache
def _groups():
    return {symbol: group for symbol, group, *_ in uses()}


@functools.cache
def _groups_below():
    """Return {module: the group of its most used name}."""
    result = {}
    for symbol, group, *_ in uses():
        result.setdefault(symbol.rpartition(".")[0], group)
    return result


@functools.cache
def called():
    return frozenset((RECORDED / "called.txt").read_text("utf8").split())


@functools.cache
def follow(path):
    """Return the object at a path, a `Refused`, or None."""
    sporax.install_as_mindspore()
    name, result = check.follow(path)
    return (
        result
        if name == path or isinstance(result, Refused)
        else getattr(result, path[len(name) + 1 :], None)
    )


def code_of(result):
    """Return the code that runs when the object is called, or an attribute read; None if it is not
    Python.

    For a class it is `construct` or `__call__` of the instance, or, if it has neither, `__init__`.
    """
    if isinstance(result, Refused):
        return None
    if inspect.isclass(result):
        for name in ("construct", "__call__", "__init__"):
            method = inspect.getattr_static(result, name, None)
            if inspect.isfunction(method):
                return method.__code__
        return None
    result = getattr(result, "fget", result)
    result = getattr(result, "func", result)
    result = getattr(result, "__func__", result)
    return getattr(result, "__code__", None)


def status(symbol):
    """Return 'works', 'resolves', 'refused' or 'missing'.

    A name works if a passing test called it, or if it resolves to a value that is not called: a
    dtype, a number, an enumeration; a module only resolves.
    """
    result = follow(symbol)
    if result is None:
        return "missing"
    if isinstance(result, Refused):
        return "refused"
    is_value = code_of(result) is None and not inspect.ismodule(result)
    return "works" if is_value or symbol in called() else "resolves"


@functools.cache
def mindspores_parameters():
    """Return {name: its parameters according to MindSpore's `inspect.signature`}."""
    return records.read("parameters")


def _takes(parameters, keyword):
    return keyword in parameters or any(name.startswith("**") for name in parameters)


def keywords_missing():
    """Return [(symbol, keyword, times)]: the keywords in use that sporax's signatures lack, except
    those that MindSpore's own signature lacks too."""
    wrong = []
    for row in rows("keywords.csv"):
        symbol, keyword = row["symbol"], row["keyword"]
        result = follow(symbol)
        if isinstance(result, Refused) or not callable(result):
            continue
        actual = parameters_of(result, {})[""]
        expected = mindspores_parameters().get(symbol, [keyword])
        if actual is not None and _takes(expected, keyword) and not _takes(actual, keyword):
            wrong.append((symbol, keyword, int(row["times"])))
    return wrong
