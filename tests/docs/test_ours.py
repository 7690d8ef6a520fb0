"""docs/ours.md lists all public names and commands that MindSpore lacks, and no others."""

import re
from pathlib import Path

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
