"""Files and names of sporax that the pages mention in code quotes exist."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_layout import FOLDERS as PACKAGES
from tests.test_layout import LINE

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"), ROOT / "bench" / "README.md", *sorted((ROOT / "docs").glob("**/*.md")),
]  # fmt: skip
PAGES.remove(ROOT / "CHANGELOG.md")  # has the names of its time

# Rooms whose names are sporax's own: those of `nn`, `ops` and others may be MindSpore's alone.
ROOMS = (
    "core", "xla_kernels", "numpy_interpreter", "engine", "storage", "index_checks", "guards",
    "staging", "ast_transform", "lifting", "autodiff", "batching", "control_flow", "graph_capture",
    "compat", "io",
)  # fmt: skip
STARTS = {ROOT, *((ROOT / "sporax" / folder).parent for folder in PACKAGES.values())}
FOLDERS = {path.name for folder in STARTS for path in folder.iterdir()}


def quoted(page):
    """The words between single backticks, outside of blocks."""
    text = re.sub(r"```.*?```", "", page.read_text("utf8"), flags=re.DOTALL)
    return [word for quote in re.findall(r"`([^`\n]+)`", text) for word in quote.split()]


def is_path(text):
    return re.fullmatch(r"[\w.-]+(/[\w.-]*)+", text) and text.split("/")[0] in FOLDERS


def is_name(text):
    room = text.removeprefix("sporax.").split(".")[0]
    return re.fullmatch(r"\w+(\.\w+)+", text) and room in ROOMS


def resolve(name):
    """Return the object of a dotted name, relative to `sporax` or to the folder of its package."""
    room, _, rest = name.removeprefix("sporax.").partition(".")
    parts = f"sporax/{PACKAGES.get(room, room)}/{rest}".replace("/", ".").strip(".").split(".")
    for end in range(len(parts), 0, -1):
        try:
            result = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            result = getattr(result, part)
        return result
    raise AttributeError(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_names_exist(page):
    missing = []
    for text in quoted(page):
        if is_path(text):
            if not any((start / text).exists() for start in (*STARTS, page.parent)):
                missing.append(text)
        elif is_name(text):
            try:
                resolve(text)
            except AttributeError:
                missing.append(text)
    assert not missing


# Prints those of the names in the arguments that `import sporax` alone does not lead to.
BARE = """
import functools, sys, sporax

for name in sys.argv[1:]:
    try:
        functools.reduce(getattr, name.split(".")[1:], sporax)
    except AttributeError:
        print(name)
"""


def test_names_need_only_import_sporax():
    names = set()
    for page in PAGES:
        names.update(
            re.findall(r"(?<![\w./-])sporax(?:\.[A-Za-z]\w*)+(?![\w/])", page.read_text("utf8"))
        )
    assert {"sporax.migrate.compare", "sporax.insight"} <= names
    run = [sys.executable, "-c", BARE, *sorted(names)]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == ""


def test_the_modules_to_begin_with_exist():
    text = (ROOT / "docs" / "engine.md").read_text("utf8")
    rows = re.findall(r"^\| `([\w/]+)/` \|.*\|(.*)\|.*\|$", text, re.MULTILINE)
    assert len(rows) == len(LINE)
    for folder, modules in rows:
        for module in re.findall(r"`(\w+)`", modules):
            module = ROOT / "sporax" / folder / module
            assert module.is_dir() or module.with_suffix(".py").exists(), module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_targets_and_variables_exist(page):
    text = page.read_text("utf8")
    prose = re.sub(r"`[^`]*`", "", text)
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose)
    assert not [link for link in links if not (page.parent / link).exists()]
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf8"), re.MULTILINE))
    assert {*re.findall(r"\bmake ([a-z-]+)(?=`|$)", text, re.MULTILINE)} <= targets
    code = "".join(path.read_text("utf8") for path in (ROOT / "sporax").rglob("*.py"))
    assert not [name for name in re.findall(r"\bSPORAX_[A-Z_]+", text) if name not in code]


def test_the_example_of_an_operation_is_in_the_source():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf8")
    declaration, sample = re.findall(r"```python\n# (\S+)\n(.*?)```", text, re.DOTALL)
    source = ast.parse((ROOT / declaration[0]).read_text("utf8")).body
    names = {node.name: ast.dump(node) for node in source if isinstance(node, ast.FunctionDef)}
    (function,) = ast.parse(declaration[1]).body
    assert names[function.name] == ast.dump(function)
    assert sample[1].strip() in (ROOT / sample[0]).read_text("utf8")
