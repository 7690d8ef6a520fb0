"""`core.hooks`: each hook is set and used where its comment says, and nowhere else."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import sporax
from sporax._src.core.hooks import Hooks
from tests.test_layout import FOLDERS, package

PACKAGE = Path(sporax.__file__).parent


def named(path):
    """Return a module's name, from its package on."""
    whole = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    room = package(whole)
    return whole.replace(FOLDERS[room].replace("/", "."), room, 1) if room in FOLDERS else whole


SOURCES = {named(path): path.read_text("utf8") for path in PACKAGE.rglob("*.py")}
COMMENTS = re.findall(
    r"# ([\w. ]+) -> ([\w. ]+): .*\n    (\w+):",
    re.sub(r"\n    # (?!.* -> )", " ", SOURCES.pop("core.hooks")),  # each comment in one line
)


def modules_with(pattern):
    return {module for module, text in SOURCES.items() if re.search(pattern, text)}


def test_each_hook_has_its_comment():
    assert [name for *_, name in COMMENTS] == [field.name for field in fields(Hooks)]


@pytest.mark.parametrize("setters, users, name", COMMENTS, ids=[row[2] for row in COMMENTS])
def test_a_hook_is_set_and_used_where_it_says(setters, users, name):
    assert modules_with(rf"\bhooks\.{name} = ") == {*setters.split()}
    assert modules_with(rf"\bhooks\.{name}\b(?! = )") == {*users.split()}
