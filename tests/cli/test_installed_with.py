"""Packages that MindSpore's installation brings along: an extra, a note where one is missing."""

import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sporax._src.installation import as_installed
from sporax._src.mindspore.compat import (
    MINDSPORE_VERSION,
    install_as_mindspore,
    installed_with,
)
from sporax._src.workbench.cli import run
from sporax._src.workbench.cli.command import main

ROOT = Path(__file__).parents[2]
COMMAND = as_installed("pip install 'sporax[mindspore]'")
# Requires-Dist of mindspore 2.10.0
OF_MINDSPORE = "asttokens astunparse dill numpy packaging pillow protobuf psutil safetensors scipy"


def test_the_extra_has_what_mindspore_requires():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extra = project["optional-dependencies"]["mindspore"] + project["dependencies"]
    named = {requirement.partition(">")[0] for requirement in extra}
    assert {*OF_MINDSPORE.split()} - named == {"pillow", "scipy"} and "sporax[vision]" in named
    assert {*OF_MINDSPORE.split()} - {*installed_with.EXTRA.values()} == {
        *["numpy", "safetensors", "scipy"]  # JAX requires SciPy
    }


@pytest.fixture
def not_installed(monkeypatch):
    monkeypatch.setattr(installed_with, "EXTRA", {"no_such": "no-such", "google.no": "no"})


SCRIPTS = {
    "import no_such": True,
    "import no_such.deeper as d": True,
    "from no_such import name": True,
    "from google import no": True,
    "from google.no import name": True,
    "import numpy, google.other": False,
    "from .no_such import name": False,
    "try:\n    import no_such\nexcept ImportError:\n    pass": False,
}


@pytest.mark.parametrize("source", SCRIPTS)
@pytest.mark.usefixtures("not_installed")
def test_check_names_the_extra(source, tmp_path, capsys):
    path = tmp_path / "train.py"
    path.write_text(source + "\n")
    assert main(["check", str(path)]) == SCRIPTS[source]
    assert (COMMAND in capsys.readouterr().out) is SCRIPTS[source]


@pytest.mark.parametrize(("name", "has"), [("no_such", True), ("google.no.x", True), ("x", False)])
@pytest.mark.usefixtures("not_installed")
def test_run_adds_a_note(name, has, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    run._report(ModuleNotFoundError(f"No module named '{name}'", name=name))
    assert (COMMAND in capsys.readouterr().err) is has


def test_pil_has_image_as_after_mindspores_import():
    script = "import mindspore, PIL; print(PIL.Image.new('L', (1, 2)).size, hasattr(PIL, 'no'))"
    command = [sys.executable, "-c", f"import sporax; sporax.install_as_mindspore(); {script}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "(1, 2) False\n"


def test_metadata_has_mindspores_version():
    finders = [*sys.meta_path]
    install_as_mindspore()
    try:
        assert importlib.metadata.version("mindspore") == MINDSPORE_VERSION
        assert importlib.metadata.packages_distributions()["mindspore"] == ["mindspore"]
    finally:
        sys.meta_path[:] = finders
