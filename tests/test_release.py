"""The distributions as `make release` examines them, links of the long description, workflows."""

import importlib.util
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import sporax
from tools import release, site_versions

ROOT = Path(__file__).parents[1]
WHEEL = f"sporax-{sporax.__version__}-py3-none-any.whl"
INFO = f"sporax-{sporax.__version__}.dist-info"


@pytest.fixture(scope="module")
def names():
    """The names in a wheel as it should be."""
    tracked = subprocess.run(
        ["git", "ls-files", "sporax", "mindspore-stubs"], cwd=ROOT, check=True, text=True,
        capture_output=True,
    ).stdout.split()  # fmt: skip
    parts = ("METADATA", "RECORD", "licenses/LICENSE", "sboms/sporax.cdx.json", "entry_points.txt")
    return {*tracked, "sporax/nn/__init__.pyi", *(f"{INFO}/{part}" for part in parts)}


def distributions(folder, names):
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        for name in names:
            wheel.writestr(name, "")
    with tarfile.open(folder / f"sporax-{sporax.__version__}.tar.gz", "w:gz") as source:
        for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
            source.add(ROOT / name, f"sporax-{sporax.__version__}/{name}")
    return folder


def test_accepts_what_is_right(names, tmp_path):
    assert list(release.faults(distributions(tmp_path, names))) == []


@pytest.mark.parametrize(
    ("lacks", "has", "tag", "sentence"),
    [
        ("sporax/_src/diagnosis/rules.csv", None, "", "lacks ['sporax/_src/diagnosis/rules.csv']"),
        (None, "sporax/local.txt", "", "has ['sporax/local.txt'], which is not in git"),
        (None, "tests/conftest.py", "", "has ['tests/conftest.py']"),
        ("sporax/nn/__init__.pyi", None, "", "has no stubs"),
        (f"{INFO}/sboms/sporax.cdx.json", None, "", "lacks .*sboms/sporax.cdx.json"),
        (None, None, f"v{sporax.__version__}", "CHANGELOG.md calls .* unreleased"),
    ],
)
def test_names_what_is_wrong(lacks, has, tag, sentence, names, tmp_path):
    folder = distributions(tmp_path, (names - {lacks}) | ({has} if has else set()))
    (found,) = release.faults(folder, tag)
    assert re.search(sentence.replace("[", r"\["), found)


def test_a_missing_distribution(names, tmp_path):
    (distributions(tmp_path, names) / WHEEL).unlink()
    (found,) = release.faults(tmp_path)
    assert "the distributions must be" in found


def test_the_citation_has_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf8"))
    assert citation["version"] == release.version() == sporax.__version__


def test_the_lists_of_parts_are_those_of_the_locked_versions():
    locked = (ROOT / "locks" / "users.txt").read_text("utf8")
    parts = (ROOT / "locks" / "sporax.cdx.json").read_text("utf8")
    pinned = re.findall(r"^([\w.-]+)==([\w.+]+)", locked, re.MULTILINE)
    assert {"jax", "jaxlib", "numpy"} <= {name for name, _ in pinned}
    for name, version in pinned:
        assert f"pkg:pypi/{name}@{version}" in parts


def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="comes with make release")
def test_the_long_description_has_absolute_links(monkeypatch):
    description = hook().Description(str(ROOT), {})
    monkeypatch.setenv("SPORAX_REPOSITORY", "https://example.org/sporax/")
    metadata = {}
    description.update(metadata)
    text = metadata["readme"]["text"]
    assert "](https://example.org/sporax/blob/main/docs/performance.md)" in text
    assert 'src="https://example.org/sporax/raw/main/docs/performance.svg"' in text
    assert not re.search(r'(?:\]\(|src=")(?!https:|#)', text)
    assert metadata["urls"]["Issues"] == "https://example.org/sporax/issues"


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_targets_that_exist(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf8"), re.MULTILINE))
    text = path.read_text("utf8")
    called = set(re.findall(r"make ([a-z][\w-]*)", text)) | set(
        re.findall(r"target: ([\w-]+)", text)
    )
    assert called and called <= targets


FORMS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[sw]*.yml")),
    "citation-file-format": [ROOT / "CITATION.cff"],
}


@pytest.mark.skipif(
    importlib.util.find_spec("check_jsonschema") is None, reason="comes with the extra 'lint'"
)
@pytest.mark.parametrize("form", FORMS)
def test_files_fit_their_schemas(form):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{form}"]
    done = subprocess.run([*command, *map(str, FORMS[form])], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_versions_of_the_site_lie_side_by_side(tmp_path):
    for name in ("latest", "v0.9.0", "v0.10.0", "v0.9.0"):
        built = tmp_path / "built"
        built.mkdir(exist_ok=True)
        (built / "index.html").write_text(name)
        site_versions.put(built, tmp_path / "site", name)
    page = (tmp_path / "site" / "index.html").read_text()
    assert "url=v0.10.0/index.html" in page
    assert re.findall(r'href="([\w.]+)/', page) == ["v0.10.0", "v0.9.0", "latest"]
    assert (tmp_path / "site" / "latest" / "index.html").read_text() == "latest"


@pytest.mark.parametrize("version", ["../x", "", ".git", "a b"])
def test_a_version_must_be_a_name(version, tmp_path):
    with pytest.raises(SystemExit, match="a version must be a plain name"):
        site_versions.put(tmp_path, tmp_path, version)
