"""Write docs/coverage.md: which of the names that scripts use exist, and which work.

    python tools/write_coverage.py                     # the page, from what is recorded
    python tools/write_coverage.py --calls FOLDER      # what `pytest --calls FOLDER` noted, first
    python tools/write_coverage.py --usage FOLDER      # the counts of names and keywords, first
    python tools/write_coverage.py --trees NAME=FOLDER ...   # the files that have all names, first

`make coverage` runs the tests, records their calls, and writes the page.
"""

import argparse
import collections
import csv
import sys
from pathlib import Path

from tests import records

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from sporax._src.mindspore.compat import alias, module_names  # noqa: E402
from sporax._src.mindspore.compat.refused_names import Refused  # noqa: E402
from sporax._src.workbench.cli.check import CannotRead, programs, uses_in  # noqa: E402
from tests.compat import surface  # noqa: E402
from tools import population  # noqa: E402

PAGE = ROOT / "docs" / "coverage.md"
# the classes whose members are counted -> their paths
CLASSES = {
    "Tensor": "mindspore.Tensor", "Parameter": "mindspore.Parameter", "Cell": "mindspore.nn.Cell",
    "Optimizer": "mindspore.nn.Optimizer", "Model": "mindspore.Model",
}  # fmt: skip
STATES = ("works", "resolves", "refused", "missing")
HEAD = """\
# API coverage

Written by `tools/write_coverage.py`; `make coverage` regenerates it. It counts the uses of
MindSpore's names in 2,387 third-party files of image models, molecular dynamics, scientific
computing, courses and tutorials, except `mindnlp`.

A name *works* if a passing test calls it, a layer or Primitive if an instance runs in such a test.
Names that are not callable (dtypes, numbers, enumerations) work if they exist. A name *resolves* if
it exists, but no test calls it by that name. A name is *refused* if using it raises an error with
the reason and an alternative. A name that works may not support all of its keywords; keywords in
use that are not accepted are listed.
"""
PUBLIC = """\
The `__all__` of MindSpore 2.10's public modules, and the members of its main classes. A name is in
one of the states above; names that apply only to Ascend are refused.
"""
MODULES = """\
All names that the Python modules of MindSpore 2.10 have, public or not. A name *resolves* if sporax
has it: most are imported from another module. A name without a counterpart can be imported; its use
raises an error with the reason.

| modules | names | resolve | answer with a reason |
|---|--:|--:|--:|"""
EXAMPLES = """\
Results of `tools/run_examples.py` for an installed MindSpore 2.10: of its {docstrings} docstrings
with examples, including private ones, {equal} print the documented output here, or run if none is
documented; {as MindSpore} behave as MindSpore itself does on a CPU, which prints other output or
fails as well. {random} are random there too. {devices} need an Ascend, a GPU or several processes,
{files} need files, {refused} use a refused name. {differs} print other output (random numbers of a
seed, memory figures, differences in `docs/differences.md`), {keyword} use an unsupported argument,
{error} fail with another error (most need several processes or a file), {timeout} take too long,
and {missing} fail at a missing name.

Of the tutorials in the documentation parts beginner, dataset and model_infer ({tutorials} pages
with code, {cells} cells; small files in place of downloads), {run} cells run here. MindSpore runs
{there} on a machine with two processors; of these, {stop} fails here, because a file is missing.
"""
OWN_TESTS = """\
Of the {run:,} functions in MindSpore's repository of tests that have run so far, {real:,} pass
under MindSpore 2.10 on a CPU, and {passed:,} of these ({share:.1%}) under sporax;
[conformance.md](conformance.md) has them by area, and the causes of the others.
"""
BY_FILE = """\
Results of `sporax check` on public repositories: the files that use MindSpore, the files for which
every name of the groups below exists, and the files for which every name exists (including image,
text and audio datasets, profiling and private paths). Attributes of Tensors and Cells that are
looked up at run time are not included.
"""


def usage(folder):
    """Read the counts of names, keywords and paths from a folder of measurements."""
    kept = []
    for r in _read(folder / "api_usage.csv"):
        uses = _outside(r)
        if uses:
            kept.append((r["symbol"], r["module_group"], r["documented"], uses))
    kept.sort(key=lambda row: (-row[3], row[0]))
    _write("uses.csv", ("symbol", "group", "documented", "uses"), kept)
    known = {symbol for symbol, *_ in kept}
    kept = [
        (r["symbol"], r["keyword"], r["times_passed"])
        for r in _read(folder / "api_kwargs.csv")
        if r["symbol"] in known
    ]
    _write("keywords.csv", ("symbol", "keyword", "times"), kept)
    kept = [
        (r["path_as_written"], r["canonical_symbol"], r["path_resolves_in_2_10"], _outside(r),
         r["files"])
        for r in _read(folder / "api_import_paths.csv")
    ]  # fmt: skip
    _write("import_paths.csv", ("path", "canonical", "in_mindspore", "uses", "files"), kept)
    kept = [
        (f"{CLASSES.get(r['module'], r['module'])}.{r['name']}", r["kind"])
        for r in _read(folder / "api_public.csv")
    ]
    _write("public_names.csv", ("path", "kind"), kept)


def _outside(row):
    return int(row["uses_total"]) - int(row["uses_mindnlp"])


def _read(path):
    with open(path, encoding="utf8") as file:
        return list(csv.DictReader(file))


def _write(name, head, kept):
    with open(surface.RECORDED / name, "w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([head, *kept])


def calls(folder):
    """Read the names that tests called from the files of their processes."""
    symbols = {name for path in folder.glob("*.txt") for name in path.read_text("utf8").split()}
    text = "".join(f"{name}\n" for name in sorted(symbols))
    (surface.RECORDED / "called.txt").write_text(text, "utf8")


def trees(paths):
    """Count the files of each NAME=FOLDER whose names all exist."""
    kept = []
    for name, _, folder in (text.partition("=") for text in paths):
        states = collections.Counter(map(_state_of_file, programs([folder])))
        kept.append((name, *(states[state] for state in surface.FILE_STATES)))
    _write("files.csv", ("corpus", *surface.FILE_STATES), kept)


def _state_of_file(path):
    """'whole': all names exist; 'counted': all names of the counted groups; 'other'; or None."""
    try:
        uses = uses_in(path)
    except CannotRead:
        return None
    faults = [use.name for use in uses if use.fault]
    if not uses:
        return None
    if not faults:
        return "whole"
    return "other" if any(map(surface.is_counted, faults)) else "counted"


def page():
    """The current text of the page."""
    groups = collections.defaultdict(list)
    for symbol, group, documented, count in surface.uses():
        groups[group].append((surface.status(symbol), documented, count, symbol))
    counted = [row for group in surface.GROUPS for row in groups[group]]
    others = {g: r for g, r in groups.items() if g not in surface.GROUPS}
    public = _public_names()
    return "\n".join([
        HEAD,
        "## Public names\n",
        PUBLIC,
        *_public_table(public),
        "### Refused\n",
        *_refused(public),
        "### Missing\n",
        *_missing(public),
        "## All names\n",
        MODULES,
        *_of_modules(),
        "## Examples of MindSpore's documentation\n",
        _examples(),
        "## MindSpore's own tests\n",
        _own_tests(),
        "## By use\n",
        *_by_use(counted),
        "## By file\n",
        *_by_file(),
        "## By group\n",
        *_table({g: groups[g] for g in surface.GROUPS}),
        "## Names that no test calls, by use\n",
        _listed(counted, "resolves"),
        "## Names that are refused, by use\n",
        _listed(counted, "refused"),
        "## Names that are missing, by use\n",
        _listed(counted, "missing"),
        "## Keywords in use that are not accepted\n",
        "Among the keywords that MindSpore 2.10 accepts.\n",
        ", ".join(f"`{s}({k}=)` {n}" for s, k, n in surface.keywords_missing()) or "None.",
        "\n## Other groups\n",
        "File, image and text datasets, profiling, and legacy and private paths.\n",
        *_table(others),
    ])  # fmt: skip


def _own_tests():
    _, rows, _ = population.read()
    real = [row for row in rows if row["mindspore"] == "passed"]
    passed = sum(row["sporax"] == "passed" for row in real)
    share = passed / len(real)
    return OWN_TESTS.format(run=len(rows), real=len(real), passed=passed, share=share)


def _of_modules():
    """Return a line for each package of MindSpore."""
    counts = collections.defaultdict(collections.Counter)
    for module, names in module_names.table().items():
        package = ".".join(module.split(".")[:2])
        for name in names:
            is_refused = isinstance(alias.find(module, name), Refused)
            for group in (package, "all"):
                counts[group][is_refused] += 1
    rows = sorted(counts.items(), key=lambda row: -row[1].total())
    return [f"| `{g}` | {n.total()} | {n[False]} | {n[True]} |" for g, n in rows if n.total() > 99]


def _public_names():
    """{module or class: {name: state}}."""
    modules = collections.defaultdict(dict)
    for path in surface.public_names():
        module, _, name = path.rpartition(".")
        modules[module][name] = surface.status(path)
    return modules


def _public_table(modules):
    total = collections.Counter(state for names in modules.values() for state in names.values())
    yield "| where | names | work | resolve only | refused | missing |"
    yield "|---|--:|--:|--:|--:|--:|"
    for module, names in [*modules.items(), ("all", None)]:
        states = total if names is None else collections.Counter(names.values())
        cells = [states.total(), *(states[state] for state in STATES)]
        yield f"| `{module}` | {' | '.join(map(str, cells))} |"
    shares = ", ".join(f"{100 * total[s] / total.total():.1f} % {s}" for s in STATES)
    yield f"\nOf all: {shares}.\n"


def _refused(modules):
    """One line per reason."""
    reasons = collections.defaultdict(list)
    for module, names in modules.items():
        for name, state in names.items():
            if state == "refused":
                path = f"{module}.{name}"
                reasons[surface.follow(path).reason].append(path.removeprefix("mindspore."))
    for reason, paths in reasons.items():
        yield f"- {reason}: {', '.join(f'`{path}`' for path in paths)}"
    yield ""


def _missing(modules):
    missing = {
        m: [n for n, state in names.items() if state == "missing"] for m, names in modules.items()
    }
    lines = [f"- `{m}` ({len(names)}): {', '.join(names)}" for m, names in missing.items() if names]
    return [*(lines or ["None."]), ""]


def _examples():
    counts = records.read("examples")
    return EXAMPLES.format(**counts["docstrings"], **counts["tutorials"])


def _by_use(counted):
    total = sum(count for _, _, count, _ in counted)
    often = [row for row in counted if row[2] >= 3]
    for title, rows in (("all names", counted), ("names with three uses or more", often)):
        by = _uses_by_state(rows)
        here = by["works"] + by["resolves"]
        yield (
            f"- {title} ({len(rows)}): {100 * here / sum(by.values()):.1f} % of uses are of names "
            f"that are there, {100 * by['works'] / sum(by.values()):.1f} % of names that work, "
            f"{100 * by['refused'] / sum(by.values()):.1f} % of names that are refused"
        )
    yield f"- uses in all: {total}\n"


def _by_file():
    """For each corpus: its files, and the number of files whose names all exist."""
    yield BY_FILE
    yield "| corpus | files | every name of these groups | every name |"
    yield "|---|--:|--:|--:|"
    for row in surface.rows("files.csv"):
        whole, counted, other = (int(row[state]) for state in surface.FILE_STATES)
        files = whole + counted + other
        shares = (f"{n} ({100 * n / files:.1f} %)" for n in (whole + counted, whole))
        yield f"| {row['corpus']} | {files} | {' | '.join(shares)} |"
    yield ""


def _uses_by_state(rows):
    by = collections.Counter()
    for state, _, count, _ in rows:
        by[state] += count
    return by


def _table(groups):
    """One row per group: names, documented names, names by state, and uses that resolve."""
    yield "| group | names | documented | work | resolve only | refused | missing | uses there |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for group, rows in groups.items():
        states = collections.Counter(state for state, *_ in rows)
        by = _uses_by_state(rows)
        share = 100 * (by["works"] + by["resolves"]) / max(1, sum(by.values()))
        cells = [len(rows), sum(documented for _, documented, *_ in rows)]
        cells += [states[state] for state in STATES]
        yield f"| {group} | {' | '.join(map(str, cells))} | {share:.1f} % |"
    yield ""


def _listed(rows, wanted):
    rows_listed = sorted(
        (-n, s.removeprefix("mindspore.")) for state, _, n, s in rows if state == wanted
    )
    return (
        ", ".join(f"`{name}` {-count}" for count, name in rows_listed) + ".\n"
        if rows_listed
        else "None.\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--usage", type=Path)
    parser.add_argument("--calls", type=Path)
    parser.add_argument("--trees", nargs="+", metavar="NAME=FOLDER", default=())
    options = parser.parse_args()
    if options.usage:
        usage(options.usage)
    if options.calls:
        calls(options.calls)
    if options.trees:
        trees(options.trees)
    PAGE.write_text(page(), "utf8")
