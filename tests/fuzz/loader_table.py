"""The table of loaders: the class of its rows, and the function that adds a row."""

import dataclasses
import fnmatch
import os
import sys
from collections.abc import Callable

from tests import records
from tests.fuzz.file_formats import gzipped, png, sqlite
from tests.fuzz.mutations import binary, json_lines, json_text, xml
from tests.fuzz.mutations import text as words

RECORDED = records.FOLDER


# how a file is mutated, by its name; the first pattern that fits
_CHANGES = {
    "*.png": png, "*.jpg": png, "*.json": json_text, "*.manifest": json_lines, "*.xml": xml,
    "*.txt": words, "*.csv": words, "*.tsv": words, "*.gz": gzipped(binary), "*.db": sqlite,
    "*": binary,
}  # fmt: skip


@dataclasses.dataclass
class Loader:
    """`write(folder)` makes intact files, `load(folder)` reads them. `changes`: {file name pattern:
    mutation}, with priority over the common ones; `only`: patterns of the files that are mutated,
    by default all that `load` opens. `names_file`: True if its errors name the file. `tricks`: True
    if links, folders and pipes may replace files. `seconds`: time limit of a case, if not the
    default."""

    write: Callable
    load: Callable
    changes: dict = dataclasses.field(default_factory=dict)
    only: tuple = ()
    names_file: bool = True
    tricks: bool = True
    seconds: float | None = None

    def change_of(self, path):
        patterns = self.changes | {k: v for k, v in _CHANGES.items() if k not in self.changes}
        return next(c for p, c in patterns.items() if fnmatch.fnmatch(str(path), p))

    def targets(self, folder, files):
        """Return the files that are mutated."""
        opened = set()
        _watched.append(opened)
        try:
            self.load(folder)
        finally:
            _watched.clear()
        if self.only:
            files = [f for f in files if any(fnmatch.fnmatch(str(f), p) for p in self.only)]
        return [f for f in files if str(folder / f) in opened] or files  # opened outside of Python


_watched = []  # sets that the names of opened files are put into


def _note(event, args):
    if _watched and event == "open":
        _watched[0].add(os.fspath(args[0]) if isinstance(args[0], (str, os.PathLike)) else args[0])


sys.addaudithook(_note)
LOADERS = {}


def add(name, write, load, **options):
    assert name not in LOADERS, name
    LOADERS[name] = Loader(write, load, **options)


def copied(*names):
    """Return a `write` function that copies recorded files."""

    def write(folder):
        for name in names:
            (folder / name).write_bytes((RECORDED / name).read_bytes())

    return write
