"""The house as docs/design.md describes it: which package may import which, how long files get,
and that tests are in folders of the packages' names."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "sporax"
TESTS = Path(__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

# Each package may import those before it; side rooms name what they hang from.
LINE = [
    "diagnosis", "core", "compilation_cache", "xla_kernels", "numpy_interpreter",
    "engine", "distributed", "sharding", "storage", "index_checks", "guards", "staging",
    "ast_transform", "lifting", "autodiff", "batching", "control_flow",
    "graph_capture", "ops", "initializers", "nn", "optim", "amp", "train",
]  # fmt: skip
ROOMS = {name: set(LINE[: i + 1]) for i, name in enumerate(LINE)}
ROOMS |= {
    "io": {*LINE[:-1], "__init__", "io"},
    "mint": {"core", "ops", "mint"},
    "numpy": {"diagnosis", "core", "ops", "numpy"},
    "scipy": {"core", "autodiff", "ops", "__init__", "scipy"},
    "profiler": {"core", "engine", "profiler"},
    "insight": {*LINE, "io", "pages", "insight"},
    "pages": {"pages"},
    "migrate": {*LINE, "io", "pages", "migrate"},
    "rewrite": {*LINE[:-3], "io", "rewrite"},
    "data": {"core", "distributed", "io", "data"},
    "parallel": {*LINE, "io", "parallel"},
}
ROOMS["train"] = ROOMS["train"] | {"io", "profiler"}
ROOMS["graph_capture"] = ROOMS["graph_capture"] | {"pages"}  # which notebooks show a graph with
ROOMS = {
    room: {*may, "diagnosis", "versions"} for room, may in {**ROOMS, "versions": set()}.items()
}
ANYTHING = {"compat", "cli", "__init__", "__main__"}  # nobody imports these

# Files below `graph_capture` that import a module by a string, each with its reason.
STRING_IMPORTS = {
    "core/tensor.py": "a pickled Tensor needs its operators",
    "engine/verification/finding.py": "a file of a wrong program is written with what exports",
    "guards/library_state.py": "state is read of the libraries that a function uses",
    "distributed/__init__.py": "settings are read by data sets, which need no engine",
}

# Lines that a file or a function may have, a function's without its docstring.
MAX_FILE, MAX_FUNCTION = 600, 40
# Functions that have more: the lines they have now. Entries become smaller or go; none is added.
LONG_FUNCTIONS = {
    # on the path of every operation, where a call is 50 ns
    "engine/recorder.py: record": 42,
    "engine/recorder.py: apply": 56,
    # one sequence, whose steps share most of their variables
    "graph_capture/dynamic_shapes/bucketed_shapes.py: __init__": 41,
    "graph_capture/graph_text.py: _record": 44,
    "graph_capture/jit.py: _entry": 48,
    "graph_capture/tracer.py: _capture": 48,
}


def package(path):
    part = path.relative_to(ROOT).parts[0]
    return part.removesuffix(".py")


def imports(tree):
    """The sporax packages that a module imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "sporax":
            names = [f"sporax.{a.name}" for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "sporax":
                yield parts[1] if len(parts) > 1 else "__init__"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_run_one_way(path):
    room = package(path)
    if room in ANYTHING:
        return
    upward = set(imports(ast.parse(path.read_text("utf8")))) - ROOMS[room]
    assert not upward, f"{room} must not import {sorted(upward)}"


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
    [p for p in FILES if package(p) in LINE[: LINE.index("graph_capture")]],
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
    rooms = {p.name for p in ROOT.iterdir() if (p / "__init__.py").exists()}
    folders = {p.name for p in TESTS.iterdir() if any(p.glob("test_*.py"))}
    assert folders - rooms == {"docs", "expressions", "programs"}


def test_no_room_without_a_name():
    forbidden = {"utils", "common", "helpers", "misc"}
    assert not [p for p in ROOT.rglob("*") if p.stem in forbidden and "compat" not in p.parts]
