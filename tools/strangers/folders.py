"""Folders of a library outside the repository: its files, and an environment that has its needs."""

import io
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from tools.strangers.table import DRIVERS, ROOT

# What MindSpore's package installs or imports besides NumPy: libraries rely on it.
WITH_MINDSPORE = ["psutil", "astunparse", "asttokens", "dill", "protobuf", "pillow", "scipy"]


class Missing(Exception):
    """A part of a library that cannot be had; the lane says so and continues."""


def _run(*command, **options):
    done = subprocess.run(command, capture_output=True, **options)
    if done.returncode:
        text = (done.stderr or done.stdout).decode(errors="replace").strip()
        last = text.splitlines()[-1] if text else f"exit code {done.returncode}"
        raise Missing(f"{' '.join(map(str, command[:4]))} ...: {last}")
    return done.stdout


def fetch(library, folder, git):
    """Write the library's files at its commit to an archive, from a git directory or GitHub."""
    archive = folder / "source.tar"
    if archive.exists():
        return archive
    folder.mkdir(parents=True, exist_ok=True)
    if git is None:
        git = folder / "repository.git"
        if not git.exists():
            address = f"https://github.com/{library.source}"
            _run("git", "clone", "--quiet", "--bare", address, str(git))
    listing = _run("git", "--git-dir", git, "ls-tree", "-r", "-z", library.commit, *library.files)
    blobs = [row.decode().split("\t", 1) for row in listing.split(b"\0") if row]
    blobs = [(about.split(), path) for about, path in blobs]
    # not `git archive`, which stops at an object that a partial copy lacks
    names = "".join(f"{about[2]}\n" for about, _ in blobs).encode()
    content = io.BytesIO(_run("git", "--git-dir", git, "cat-file", "--batch", input=names))
    absent, part = 0, archive.with_suffix(".part")
    with tarfile.open(part, "w") as tar:
        for (mode, _, _), path in blobs:
            head = content.readline().split()
            if head[-1] == b"missing":
                absent += 1
                continue
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = int(head[2]), int(mode, 8) & 0o777
            if mode == "120000":
                entry.type, entry.linkname = tarfile.SYMTYPE, content.read(entry.size).decode()
                entry.size = 0
                tar.addfile(entry)
            else:
                tar.addfile(entry, io.BytesIO(content.read(entry.size)))
            content.read(1)
    if absent:
        print(f"{library.name}: {absent} of {len(blobs)} files are not in {git}", flush=True)
    part.rename(archive)
    return archive


def unpack(library, archive, tree, python):
    """Extract the archive, unless it has been: tests may write into this copy. Add fixtures."""
    if not tree.exists():
        part = tree.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        with tarfile.open(archive) as tar:
            tar.extractall(part, filter="tar")
        _run(python, DRIVERS / "fixtures.py", library.name, cwd=part)
        part.rename(tree)
    return tree


def environment(library, folder, python):
    """Return the interpreter of an environment that sees all of `python`'s and adds the needs."""
    place = folder / "env"
    found, ready = place / "bin" / "python", place / "ready"
    needs = sorted({*library.needs, *WITH_MINDSPORE, "pytest"})
    if ready.exists() and ready.read_text("utf8") == " ".join(needs):
        return found
    _run(python, "-m", "venv", place)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    parent, own = (_run(p, "-c", code, text=False).decode().strip() for p in (python, found))
    startup = "u.find_spec('strangers_startup') and __import__('strangers_startup')"
    lines = f"import site; site.addsitedir({parent!r})\nimport importlib.util as u; {startup}\n"
    Path(own, "parent.pth").write_text(lines, "utf8")
    # the versions of what is there: MindSpore requires NumPy 1
    kept = place / "constraints.txt"
    frozen = _run(python, "-m", "pip", "list", "--format=freeze", "--exclude-editable").decode()
    named = {re.split("[<>=]", need)[0].lower() for need in needs} | {"pip"}
    lines = [row for row in frozen.splitlines() if row.split("==")[0].lower() not in named]
    kept.write_text("\n".join(lines), "utf8")
    _run(found, "-m", "pip", "install", "--quiet", "--constraint", kept, *needs)
    ready.write_text(" ".join(needs), "utf8")
    return found


def path_folder(into):
    """Return a folder of Python's path with sporax and the plugin, but no `tests` or `tools`."""
    place = into / "path"
    place.mkdir(parents=True, exist_ok=True)
    for target in (ROOT / "sporax", *(Path(__file__).parent / "on_path").glob("*.py")):
        link = place / target.name
        if not link.is_symlink() or os.readlink(link) != str(target):
            link.unlink(missing_ok=True)
            link.symlink_to(target)
    return place
