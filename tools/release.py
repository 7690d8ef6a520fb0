"""Build the distributions twice, compare them bit by bit and examine them; they are left in `dist`.

    python -m tools.release [--repository URL] [--tag vVERSION]

`--repository`: the address in the metadata and of the links in the long description, which are
relative otherwise. `--tag`: must be that of the version. The exit status is 1 if anything is wrong.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
_KEPT_OUT = ("tests/", "bench/", "tools/", "docs/", ".github/")


def version():
    text = (ROOT / "sporax" / "__init__.py").read_text("utf8")
    return re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)[1]


def _git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, text=True, capture_output=True)
    return done.stdout.strip()


def build(folder, repository):
    """Build both distributions into a folder, with the times of the last commit."""
    environment = dict(os.environ, SPORAX_REPOSITORY=repository)
    environment.setdefault("SOURCE_DATE_EPOCH", _git("log", "-1", "--format=%ct"))
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)],
        cwd=ROOT, check=True, env=environment, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def digests(folder):
    """Return {file name: SHA-256} of the distributions in a folder."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def faults(folder, tag=""):
    """Yield what is wrong with the distributions in a folder, one sentence each."""
    number = version()
    if tag and tag != f"v{number}":  # the name that the workflow gives
        yield f"the tag must be v{number}, but is {tag}"
    changes = (ROOT / "CHANGELOG.md").read_text("utf8")
    if not re.search(rf"^## {re.escape(number)}\b", changes, re.MULTILINE):
        yield f"CHANGELOG.md has no section for {number}"
    elif tag and f"## {number} (unreleased)" in changes:
        yield f"CHANGELOG.md calls {number} unreleased"
    names = {f"sporax-{number}-py3-none-any.whl", f"sporax-{number}.tar.gz"}
    found = {path.name for path in folder.iterdir()}
    if found != names:
        yield f"the distributions must be {sorted(names)}, but are {sorted(found)}"
        return
    with zipfile.ZipFile(folder / f"sporax-{number}-py3-none-any.whl") as wheel:
        yield from _wheel_faults({*wheel.namelist()}, number)
    with tarfile.open(folder / f"sporax-{number}.tar.gz") as source:
        inside = {name.partition("/")[2] for name in source.getnames()}
        missing = {"pyproject.toml", "hatch_build.py", "README.md", "LICENSE"} - inside
        if missing:
            yield f"the source distribution lacks {sorted(missing)}"


def _wheel_faults(inside, number):
    tracked = {*_git("ls-files", "sporax", "mindspore-stubs").split()}
    metadata = f"sporax-{number}.dist-info/"
    missing = tracked - inside
    if missing:
        yield f"the wheel lacks {sorted(missing)[:5]}"
    strange = {
        name for name in inside - tracked
        if not name.endswith(".pyi") and not name.startswith(metadata)
    }  # fmt: skip
    if strange or any(name.startswith(_KEPT_OUT) for name in inside):
        yield f"the wheel has {sorted(strange)[:5]}, which is not in git"
    if not any(name.endswith(".pyi") and name.startswith("sporax/") for name in inside):
        yield "the wheel has no stubs"
    for name in ("licenses/LICENSE", "sboms/sporax.cdx.json", "entry_points.txt"):
        if metadata + name not in inside:
            yield f"the wheel lacks {metadata}{name}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repository", default="", help="the address of the repository")
    parser.add_argument("--tag", default="", help="of the release, which must fit the version")
    options = parser.parse_args(arguments)
    shutil.rmtree(DIST, ignore_errors=True)
    build(DIST, options.repository)
    with tempfile.TemporaryDirectory() as again:
        build(Path(again), options.repository)
        first, second = digests(DIST), digests(Path(again))
    wrong = [f"{name} differs when it is built again" for name in first
             if first[name] != second.get(name)]  # fmt: skip
    wrong += faults(DIST, options.tag)
    if _git("status", "--porcelain", "--untracked-files=no"):
        print("note: files differ from the last commit", file=sys.stderr)
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, DIST.iterdir())], check=False
    )
    for sentence in wrong:
        print(f"release: {sentence}.", file=sys.stderr)
    for name, digest in first.items():
        print(f"{digest}  {name}  {(DIST / name).stat().st_size / 1e6:.2f} MB")
    return int(bool(wrong) or checked.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
