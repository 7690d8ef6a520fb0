"""Deselects rows for a quick run (`make check`): the rows of changed test files stay, and of the
others one in each N, by a checksum of their names, so that all parts of sporax are touched.
"""

import subprocess
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def changed():
    """Return the files below `tests` that differ from the last commit, as git names them."""
    names = set()
    for command in ("diff --name-only HEAD", "ls-files --others --exclude-standard"):
        done = subprocess.run(
            ["git", *command.split(), "--", "tests"], cwd=ROOT, check=True, text=True,
            capture_output=True,
        )  # fmt: skip
        names.update(done.stdout.split())
    return names


def is_kept(row, n, files):
    """Return True if a row belongs to the sample of one in `n`, or to one of the changed files."""
    return row.partition("::")[0] in files or not zlib.crc32(row.encode()) % n


class Sample:
    """Deselects the rows outside the sample."""

    def __init__(self, n):
        self.n, self.files = n, changed()

    def pytest_collection_modifyitems(self, config, items):
        kept = [item for item in items if is_kept(item.nodeid, self.n, self.files)]
        names = {item.nodeid for item in kept}
        config.hook.pytest_deselected(items=[i for i in items if i.nodeid not in names])
        items[:] = kept
