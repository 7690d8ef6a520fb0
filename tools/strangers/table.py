"""The table of libraries, and the records of their verdicts."""

import collections
import csv
import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "tests" / "recorded" / "libraries"
DRIVERS = Path(__file__).parent / "drivers"
IMPORT = "own_imports.py::test_import[{}]"


@dataclass(frozen=True)
class Library:
    """A row of `libraries.csv`; its columns with several entries are separated by spaces.

    `source`: a GitHub repository, `owner/name`. `commit`: the version of its files. `files`: the
    folders that are read from it, all if empty. `needs`: packages besides MindSpore's own, for
    pip. `path`: folders of Python's path. `tests`: files, patterns or folders; those that start
    with `own:` are files in `drivers`, whose results are compared with recorded numbers.
    `packages`: those whose modules are imported, too. `arguments`: of pytest. `lost`: modules
    that it imports and MindSpore 2.10 lacks. `about`: a phrase for the page, `about_zh` in Chinese.
    """

    name: str
    title: str
    source: str
    commit: str
    files: list[str]
    needs: list[str]
    path: list[str]
    tests: list[str]
    packages: list[str]
    arguments: list[str]
    lost: list[str]
    about: str
    about_zh: str

    @property
    def record(self):
        return RECORDS / f"{self.name}.jsonl"

    @property
    def numbers(self):
        """The results of the library's drivers under MindSpore, a case a line."""
        return RECORDS / f"{self.name}_numbers.jsonl"


LISTS = ("files", "needs", "path", "tests", "packages", "arguments", "lost")


def libraries():
    """Return the rows by name."""
    with (Path(__file__).parent / "libraries.csv").open(encoding="utf8", newline="") as lines:
        rows = [
            {key: text.split() if key in LISTS else text for key, text in row.items()}
            for row in csv.DictReader(lines)
        ]
    return {row["name"]: Library(**row) for row in rows}


def read_record(library):
    """Return ({key: value} of the library, {test: {"mindspore": verdict, "sporax": verdict}})."""
    if not library.record.exists():
        return {}, {}
    head, *rows = map(json.loads, library.record.read_text("utf8").splitlines())
    imports = [row for row in rows if "modules" in row]
    modules = {IMPORT.format(m): row for row in imports for m in row.pop("modules").split()}
    return head, modules | {row.pop("id"): row for row in rows if row not in imports}


def is_import(test):
    return test.startswith(IMPORT[:-3])


def write_record(library, versions, verdicts):
    """Write the library's version and, sorted by test, a verdict of each implementation.

    A row has all modules whose import has the same verdicts.
    """
    head = {"library": library.name, "source": library.source, "commit": library.commit, **versions}
    tests = [{"id": name, **verdicts[name]} for name in sorted(verdicts) if not is_import(name)]
    imports = collections.defaultdict(list)
    for name in sorted(filter(is_import, verdicts)):
        imports[json.dumps(verdicts[name])].append(name.removeprefix(IMPORT[:-3])[:-1])
    modules = [{"modules": " ".join(names), **json.loads(row)} for row, names in imports.items()]
    rows = [head, *modules, *tests]
    RECORDS.mkdir(exist_ok=True)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    library.record.write_text(text, "utf8")
