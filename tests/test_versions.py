"""Versions: what is refused, and that pyproject.toml and docs/versions.md say the same."""

import sys
import tomllib
from pathlib import Path

import jaxlib
import numpy as np
import pytest

from sporax._src import versions
from sporax._src.runtime.xla_kernels.jaxlib_faults import FAULTS
from tools import write_versions

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("found", ["0.4.38", "0.10.0", "0.10.1", "0.11.1"])
def test_refused(found):
    with pytest.raises(ImportError, match=rf"jaxlib must be .*, but got {found}, which .* pip "):
        versions.check(found)


def test_numpys_version_is_found_without_importing_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "numpy")
    assert versions.installed_numpy() == np.__version__
    monkeypatch.setattr(versions.PathFinder, "find_spec", lambda name: None)
    assert versions.installed_numpy() is None


@pytest.mark.parametrize("found", ["1.26.4", "1.0.dev1"])
def test_numpy_refused(found):
    with pytest.raises(ImportError, match=rf"NumPy must be 2.0 or later, but got {found}. .* pip "):
        versions.check(numpy=found)


@pytest.mark.parametrize("found", [*versions.NEWEST.values(), "0.11.0", "0.11.2", "1.0.dev2"])
def test_accepted(found):
    versions.check(found)


def test_faults_that_nothing_else_avoids():
    excluded = {f.last for f in FAULTS if f.remedy.endswith("excluded")}
    assert excluded == {"0.10.1", *versions.REFUSED}
    assert all(versions.numbers(last) < versions.numbers("0.10.2") or last in versions.REFUSED
               for last in excluded)  # fmt: skip


def test_the_project_asks_for_them():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    bounds = f">={versions.OLDEST}" + "".join(f",!={bad}" for bad in versions.REFUSED)
    asked = [d for d in project["dependencies"] if d.startswith("jax")]
    assert asked == [f"jax{bounds}", f"jaxlib{bounds}"]
    assert f"numpy>={versions.OLDEST_NUMPY}" in project["dependencies"]
    for extra, name in (("cuda", "cuda13"), ("cuda12", "cuda12")):
        assert f"jax[{name}]{bounds}" in project["optional-dependencies"][extra]
    pythons = [c.rpartition(" ")[2] for c in project["classifiers"] if ":: Python :: 3." in c]
    assert pythons == [*versions.NEWEST]
    assert project["requires-python"] == f">={pythons[0]}"


def test_these_tests_run_on_what_is_supported():
    assert "{}.{}".format(*sys.version_info) in versions.NEWEST
    assert versions.numbers(jaxlib.__version__) >= versions.numbers(versions.OLDEST)


def test_the_page_shows_the_tables():
    assert write_versions.PAGE.read_text("utf8") == write_versions.text()
