"""The command: fetches the libraries, runs their tests, compares and records the verdicts."""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

from tools.strangers import folders, page
from tools.strangers.lane import Run
from tools.strangers.table import ROOT, libraries, read_record, write_record


def main():
    table = libraries()
    parser = argparse.ArgumentParser(prog="python -m tools.strangers")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(table))
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="outside the repository")
    parser.add_argument("--source", action="append", default=[], metavar="NAME=GIT_DIRECTORY")
    parser.add_argument("--mindspore", metavar="PYTHON", help="run under MindSpore, and record it")
    parser.add_argument("--python", default=sys.executable, help="the interpreter for sporax")
    parser.add_argument("--record", action="store_true", help="write records and pages")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a test")
    parser.add_argument("--again", action="store_true", help="forget sporax's verdicts so far")
    parser.add_argument("--retry", metavar="TEXT", help="run failed tests again that say TEXT")
    parser.add_argument("--page", action="store_true", help="write the pages from the records only")
    options = parser.parse_args()
    if options.page:
        page.write(table)
        return
    if unknown := [name for name in options.names if name not in table]:
        parser.error(f"no library is named {', '.join(unknown)}; there are {', '.join(table)}")
    if options.into is None or options.into.resolve().is_relative_to(ROOT):
        parser.error("--into must name a folder outside the repository")
    options.into = options.into.resolve()
    options.sources = dict(entry.split("=", 1) for entry in options.source)
    worse = [name for name in options.names or table if not _lane(table[name], options)]
    if options.record:
        page.write(table)
    sys.exit(f"worse than recorded: {', '.join(worse)}" if worse else None)


def _lane(library, options):
    """Run a library; return False if a test fails that passes by the record."""
    try:
        return _compared(library, options)
    except folders.Missing as missing:
        print(f"{library.name}: {missing}", flush=True)
        return True


def _compared(library, options):
    head, record = read_record(library)
    if head and head["commit"] != library.commit:
        print(f"{library.name}: the record is of {head['commit']}, not of {library.commit}")
        head, record = {}, {}
    if options.mindspore:
        real = _run(library, options, "mindspore", options.mindspore)
        version = _version(options.mindspore, "mindspore")
        head = {"mindspore": version}
        record = {name: record.get(name, {}) | {"mindspore": real[name]} for name in real}
        write_record(library, head, record)
        numbers = options.into / library.name / "mindspore" / "numbers.jsonl"
        if numbers.exists():
            rows = {json.loads(row)["case"]: row for row in numbers.read_text("utf8").splitlines()}
            text = "".join(f"{rows[case]}\n" for case in sorted(rows))
            library.numbers.write_text(text, "utf8")
    if not record:
        raise folders.Missing("has no record of MindSpore: run it with --mindspore PYTHON first")
    passing = [name for name, row in record.items() if row["mindspore"] == "passed"]
    ours = _run(library, options, "sporax", options.python, list(record))
    worse = [n for n in passing if record[n].get("sporax") == "passed" != ours[n]]
    counts = collections.Counter(ours[n] for n in passing)
    print(f"{library.name}: {counts['passed']} of {len(passing)} that pass under MindSpore")
    for verdict, count in counts.most_common():
        if verdict != "passed":
            print(f"  {count:4} {verdict}")
    for name in worse:
        print(f"  worse than recorded: {name}")
    if options.record:
        rows = {n: {"mindspore": r["mindspore"]} for n, r in record.items()}
        rows |= {n: rows[n] | {"sporax": v} for n, v in ours.items()
                 if n in passing or not v.startswith("lost")}  # fmt: skip
        write_record(library, {"mindspore": head["mindspore"]}, rows)
    return not worse


def _run(library, options, implementation, python, selected=None):
    folder = options.into / library.name
    archive = folders.fetch(library, folder, options.sources.get(library.name))
    mine = folder / implementation
    mine.mkdir(exist_ok=True)
    found = folders.environment(library, mine, Path(python))
    tree = folders.unpack(library, archive, mine / "tree", found)
    path = folders.path_folder(options.into)
    run = Run(library, mine, tree, found, path, options.limit, implementation == "sporax")
    if options.again and implementation == "sporax":
        run.events.unlink(missing_ok=True)
    if options.retry is not None and run.events.exists():
        run.forget(options.retry)
    return run.verdicts(selected)


def _version(python, package):
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
