"""The structure that docs/engine.md describes: which package may import which, how long files get,
and that tests are in folders of the packages' names."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "sporax"
TESTS = Path(__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
PAGE = TESTS.parent / "docs" / "engine.md"

# The packages in the order of imports: their folders by name, and the names in their last columns.
ROWS = re.findall(r"^\| `([\w/]+)/` \|.*\|(.*)\|$", PAGE.read_text("utf8"), re.MULTILINE)
FOLDERS = {path.rpartition("/")[2]: path for path, _ in ROWS}
LINE = list(FOLDERS)
ALONE = (
    "versions",
    "operating_system",
    "installation",
)  # modules of no package, which all may import
MAY = {
    name: {name, "diagnosis", *ALONE, *(only.split(", ") if only else LINE[:place])}
    for place, (name, only) in enumerate(zip(LINE, (o.strip() for _, o in ROWS), strict=True))
}
MAY |= {"versions": {"diagnosis"}, "operating_system": set(), "installation": set()} | {
    name: MAY[name] | {""} for name in ("io", "scipy", "compat", "cli")
}
GROUPS = {"", "_src", *(path.rpartition("/")[0] for path in FOLDERS.values())}

# Files below `graph_capture` that import a module by a string, each with its reason.
STRING_IMPORTS = {
    "_src/core/tensor.py": "a pickled Tensor needs its operators",
    "_src/runtime/engine/verification/finding.py": "writes a program to a file, which exports it",
    "_src/capture/guards/library_state.py": "state is read of the libraries that a function uses",
    "_src/devices/distributed/__init__.py": "settings are read by data sets, which need no engine",
}

# Lines that a file or a function may have, a function's without its docstring.
MAX_FILE, MAX_FUNCTION = 600, 40
# Functions that have more: the lines they have now. Entries become smaller or go; none is added.
LONG_FUNCTIONS = {
    # on the path of every operation, where a call is 50 ns
    "_src/runtime/engine/recorder.py: record": 42,
    "_src/runtime/engine/recorder.py: apply": 56,
    # one sequence, whose steps share most of their variables
    "_src/capture/graph_capture/dynamic_shapes/bucketed_shapes.py: __init__": 41,
    "_src/capture/graph_capture/graph_text.py: _record": 44,
    "_src/capture/graph_capture/jit.py: _entry": 48,
    "_src/capture/graph_capture/tracer.py: _capture": 48,
}


def package(name):
    """Return the package with a module of this dotted name, "" for sporax's own names."""
    path = name.removeprefix("sporax").strip(".").replace(".", "/")
    found = [room for room, folder in FOLDERS.items() if f"{path}/".startswith(f"{folder}/")]
    return found[0] if found else next((n for n in ALONE if path.startswith(f"_src/{n}")), "")


def package_of(path):
    return package(".".join(path.relative_to(ROOT).with_suffix("").parts))


def imports(tree):
    """Yield the dotted names in sporax that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{a.name}" for a in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "sporax")


def test_each_folder_is_in_the_table():
    folders = {path.parent.relative_to(ROOT).as_posix() for path in FILES}
    assert not [f for f in folders if f != "." and f not in GROUPS and not package(f)]
    assert not [folder for folder in FOLDERS.values() if folder not in folders]
    assert len([p for p in ROOT.iterdir() if p.is_dir() and p.name[:2] != "__"]) <= 12


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_run_one_way(path):
    room, names = package_of(path), imports(ast.parse(path.read_text("utf8")))
    rooms = {package(name) for name in names if name != "sporax._src.PACKAGE"}
    assert not room or rooms <= MAY[room], f"{room} must not import {rooms - MAY[room]}"


def imports_by_string(tree):
    """The lines of a module at which `import_module` or `__import__` is named."""
    names = {"import_module", "__import__"}
    return [
        node.lineno for node in ast.walk(tree)
        if isinstance(node, ast.alias | ast.Name | ast.Attribute)
        and names & {getattr(node, part, None) for part in ("name", "id", "attr")}
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    [p for p in FILES if package_of(p) in LINE[: LINE.index("graph_capture")]],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_no_import_by_string_below_capture(path):
    lines = imports_by_string(ast.parse(path.read_text("utf8")))
    assert bool(lines) == (str(path.relative_to(ROOT)) in STRING_IMPORTS), lines


def test_imports_by_string_are_seen():
    for text in (
        "import importlib\nimportlib.import_module('sporax.ops')",
        "from importlib import import_module",
        "module = __import__('sporax.ops')",
    ):
        assert imports_by_string(ast.parse(text))


def test_files_stay_short():
    lengths = {p: len(p.read_text("utf8").splitlines()) for p in [*FILES, *TESTS.rglob("*.py")]}
    assert not {str(p): n for p, n in lengths.items() if n > MAX_FILE}


def code_lines(function):
    first = function.body[0]
    docstring = first.end_lineno - first.lineno + 1 if ast.get_docstring(function) else 0
    return function.end_lineno - function.lineno + 1 - docstring


def test_functions_stay_short():
    lengths = {
        f"{path.relative_to(ROOT)}: {node.name}": code_lines(node)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text("utf8")))
        if isinstance(node, ast.FunctionDef)
        and node.end_lineno - node.lineno >= MAX_FUNCTION
        and code_lines(node) > MAX_FUNCTION
    }
    longer = {name: n for name, n in lengths.items() if n > LONG_FUNCTIONS.get(name, 0)}
    assert not longer, f"split these functions where a part has a name of its own: {longer}"
    assert lengths.keys() == LONG_FUNCTIONS.keys(), "remove the entries of what is short now"


def test_tests_mirror_the_rooms():
    folders = {p.name for p in TESTS.iterdir() if any(p.glob("test_*.py"))}
    assert folders - FOLDERS.keys() == {"docs", "expressions", "programs"}


def test_no_room_without_a_name():
    forbidden = {"utils", "common", "helpers", "misc"}
    assert not [p for p in ROOT.rglob("*") if p.stem in forbidden and "compat" not in p.parts]
