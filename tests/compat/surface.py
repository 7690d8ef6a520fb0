"""The names of MindSpore's that public scripts use, how often, and what sporax makes of each.

`tests/recorded/uses.csv` counts uses of names in 2,387 files written for MindSpore by others (image
models, molecular dynamics, scientific computing, courses, tutorials), `keywords.csv` the keyword
arguments passed to them; `public_names.csv` has all names that MindSpore 2.10 exports, `called.txt`
those that passing tests called (`tests/compat/call_coverage.py` writes it). All come from
`tools/write_coverage.py`.
"""

import csv
import functools
import inspect
import json
from pathlib import Path

import sporax
from sporax.cli import check
from sporax.compat.refused_names import Refused
from tests.compat.parameter_names import parameters_of

RECORDED = Path(__file__).parents[1] / "recorded"

# the groups that are counted, as a reader knows them
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

# of a file that others wrote: every name is there, every one of these groups, or not even those
FILE_STATES = "whole", "counted", "other"


def rows(name):
    with open(RECORDED / name, encoding="utf8") as file:
        return list(csv.DictReader(file))


@functools.cache
def uses():
    """[(symbol, group, whether it is documented, uses)], most used first."""
    result = rows("uses.csv")
    return [(r["symbol"], r["group"], r["documented"] == "1", int(r["uses"])) for r in result]


@functools.cache
def public_names():
    """The paths of MindSpore 2.10's public names."""
    return [row["path"] for row in rows("public_names.csv")]


def is_counted(name):
    """Whether a name, `keyword=` and all, belongs to the groups above.

    One that is not in the counts belongs where its siblings do: `mindspore.ops.Any` to ops.
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
    """{module: the group of its most used name}."""
    result = {}
    for symbol, group, *_ in uses():
        result.setdefault(symbol.rpartition(".")[0], group)
    return result


@functools.cache
def called():
    return frozenset((RECORDED / "called.txt").read_text("utf8").split())


@functools.cache
def follow(path):
    """The object at a path, a `Refused`, or None."""
    sporax.install_as_mindspore()
    name, result = check.follow(path)
    return (
        result
        if name == path or isinstance(result, Refused)
        else getattr(result, path[len(name) + 1 :], None)
    )


def code_of(result):
    """What runs when the object is called, or an attribute read; None where it is no Python.

    A class is called through `construct` or `__call__` of what it makes; only where there is
    neither, through its `__init__`.
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
    """'works', 'resolves', 'refused' or 'missing'.

    A name works if a passing test called it, or if it resolves to something that is not called: a
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
    """{name: its parameters, as MindSpore's `inspect.signature` shows them}."""
    return json.loads((RECORDED / "parameters.json").read_text("utf8"))


def _takes(parameters, keyword):
    return keyword in parameters or any(name.startswith("**") for name in parameters)


def keywords_missing():
    """[(symbol, keyword, times)]: the keywords in use that the signatures here do not take, without
    those that MindSpore's own signature does not take either."""
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
