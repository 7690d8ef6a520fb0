"""docs/ours.md lists all public names and commands that MindSpore lacks, and no others."""

import inspect
import re
from operator import attrgetter
from pathlib import Path

import pytest

import sporax
from sporax._src.workbench.cli.command import _parser
from tests.compat import surface

PAGE = (Path(__file__).parents[2] / "docs" / "ours.md").read_text("utf8")
CELLS = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| ")]
MODULES = [
    "", "amp", "insight", "io", "migrate", "nn", "ops", "optim", "parallel", "profiler", "train",
]  # fmt: skip
# names that mean something else elsewhere in MindSpore
ELSEWHERE = {"insight.profile", "migrate.compare", "parallel.divide"}
# MindSpore's, although it does not list them, or those of an earlier version
LISTED_NOWHERE = {
    "no_grad", "reset_ps_context", "parallel.reset_ps_context",
    "nn.register_cell_buffer_registration_hook", "ops.Eigh",
}  # fmt: skip


def names_of_mindspore():
    tables = "public_names.csv", "import_paths.csv", "uses.csv"
    paths = [next(iter(row.values())) for table in tables for row in surface.rows(table)]
    return {path.rpartition(".")[2] for path in paths}


def test_all_names_of_ours():
    theirs, ours = names_of_mindspore(), set()
    for part in MODULES:
        module = getattr(sporax, part) if part else sporax
        public = [name for name in module.__all__ if not name.startswith("_")]
        ours |= {f"{part}.{name}".lstrip(".") for name in public if name not in theirs}
    names = {name for cell in CELLS for name in re.findall(r"`([\w.]+)`", cell)}
    assert names == ours - LISTED_NOWHERE | ELSEWHERE


def test_all_commands():
    (commands,) = (action.choices for action in _parser()._actions if action.choices)
    assert {name for cell in CELLS for name in re.findall(r"`sporax (\w+)`", cell)} == {*commands}


def lacks_types(function):
    """Return True if a parameter or the result of a function has no annotation."""
    signature = inspect.signature(function)
    given = [p.annotation for p in signature.parameters.values() if p.name not in ("self", "cls")]
    return inspect.Signature.empty in [*given, signature.return_annotation]


def functions_of(name):
    """Yield a public function, or the constructor and the public methods of a class."""
    public = attrgetter(name)(sporax)
    if not inspect.isclass(public):
        yield public
        return
    for key, member in vars(public).items():
        member = getattr(member, "fget", member)  # of a property
        member = getattr(member, "__func__", member)  # of a class or static method
        if inspect.isfunction(member) and (key == "__init__" or key[0] != "_"):
            yield member


@pytest.mark.parametrize("name", re.findall(r"`([\w.]+)`", " ".join(CELLS)))
def test_names_of_ours_have_types(name):
    without = [f.__qualname__ for f in functions_of(name) if lacks_types(f)]
    assert not without, "annotate all parameters and the result"
