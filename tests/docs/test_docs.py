"""Every example runs: those in docstrings, and the Python blocks of README and docs pages."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import sporax
from sporax import mint, nn, ops
from sporax._src.mindspore.compat.class_modules import module_of
from sporax._src.transforms import autodiff, batching
from sporax.ops.declare import FUNCTIONS, MINT, PRIMITIVES
from tests.docs import test_tutorial
from tests.docs.return_checks import Results

pytestmark = pytest.mark.usefixtures("on_numpy")

RESULTS = Results()
ROOT = Path(__file__).parents[2]
_SCRIPTS = {*(ROOT / "docs").glob("zh/**/*.md"), *test_tutorial.PAGES}  # run as a whole
PAGES = [*ROOT.glob("README*.md"), *sorted({*(ROOT / "docs").glob("**/*.md")} - _SCRIPTS)]


def modules():
    skip = ("sporax._src.mindspore.compat", "sporax._src.workbench.cli", "sporax.__main__")
    for result in pkgutil.walk_packages(sporax.__path__, "sporax."):
        if not result.name.startswith(skip):
            yield importlib.import_module(result.name)


def documented():
    """(name, docstring) of everything public that shows an example, each docstring once."""
    texts = {}
    for registry in (FUNCTIONS, PRIMITIVES, MINT):
        for name, obj in registry.items():
            texts.setdefault(inspect.getdoc(obj), f"ops.{name}")
    for module in modules():
        for name, obj in vars(module).items():
            if module_of(obj) != module.__name__:
                continue
            texts.setdefault(inspect.getdoc(obj), f"{module.__name__}.{name}")
            if inspect.isclass(obj):
                for member, value in vars(obj).items():
                    if callable(value):
                        where = f"{module.__name__}.{name}.{member}"
                        texts.setdefault(inspect.getdoc(value), where)
    return [(name, text) for text, name in texts.items() if text and ">>>" in text]


@pytest.mark.parametrize("name, text", documented(), ids=lambda item: str(item)[:60])
def test_docstring_example(name, text):
    scope = _home(name)
    shared = ("Tensor", "Parameter", "ParameterTuple", "jit")
    scope |= {k: getattr(sporax, k) for k in shared}
    for room in (autodiff, batching):
        scope |= {k: getattr(room, k) for k in room.__all__}
    scope |= {"np": np, "ops": ops, "mint": mint, "nn": nn, "ms": sporax, "sporax": sporax}
    example = doctest.DocTestParser().get_doctest(text, scope, name, None, 0)
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    RESULTS.wrong.clear()
    with RESULTS.watching():
        runner.run(example, out=report.append)
    assert not report, "".join(report)
    assert not RESULTS.wrong  # what declarations say that operations return, stubs repeat


def _home(name):
    """The names of the module that a docstring stands in."""
    parts = name.split(".")
    while parts:
        try:
            return dict(vars(importlib.import_module(".".join(parts))))
        except ModuleNotFoundError:
            parts.pop()
    return {}


def blocks():
    for page in PAGES:
        text = page.read_text("utf8")
        for i, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
            yield pytest.param(code, id=f"{page.relative_to(ROOT)}-{i}")


@pytest.mark.parametrize("code", list(blocks()))
def test_block_of_a_page(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sporax.install_as_mindspore()
    script = tmp_path / "page.py"  # where captured functions find their source
    script.write_text(code, "utf8")
    exec(compile(code, str(script), "exec"), {"__name__": "__main__"})


def test_readmes_name_the_same_commands():
    commands = [
        re.findall(r"^(?:make|sporax) .*$", page.read_text("utf8"), re.MULTILINE)
        for page in ROOT.glob("README*.md")
    ]
    assert len(commands) == 2
    assert commands[0] == commands[1]
