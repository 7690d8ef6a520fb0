"""Run all of MindSpore's own tests that are marked for CPUs, in pieces of ten files.

    python -m tools.population LISTED.tsv --run RUN.PY --tests TREE --into FOLDER \
        [--mindspore PYTHON] [--sporax PYTHON] [--pieces N]
    python -m tools.population --page

`LISTED.tsv` has the tests' ids and areas, `RUN.PY` is the conformance run's program, `TREE` has
MindSpore's `tests/`. The files come in a fixed random order, so that the first N pieces are a
random sample. A piece that has run is not run again. The verdicts go to
`tests/recorded/population.jsonl`; those that stay different have a row in
`tests/recorded/population_causes.csv`, and `docs/conformance.md` is written from both.
"""

import argparse
import collections
import csv
import json
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests/recorded/population.jsonl"
CAUSES = ROOT / "tests/recorded/population_causes.csv"
PAGE = ROOT / "docs/conformance.md"
SEED, FILES, SECONDS = 20261129, 10, "40"
INTRO = """\
# MindSpore's own tests

MindSpore's repository of tests marks {functions:,} functions in {files:,} files for CPUs. They run
unchanged under MindSpore 2.10 and under sporax as `mindspore`; {run:,} have run under both, in a
random order of files. A function counts if it passes under MindSpore, with all its parameters.

`python -m tools.population` continues the run; `tests/recorded/population.jsonl` has the verdict of
each function. This page is written from it.
"""


def pieces(listed):
    """Return the tests, (id, area), in lists for ten files each, in a fixed random order."""
    files = {}
    for line in Path(listed).read_text("utf8").splitlines():
        test, area, *_, skipped = line.split("\t")
        if not skipped:
            files.setdefault(test.partition("::")[0], []).append((test, area))
    order = sorted(files)
    random.Random(SEED).shuffle(order)
    return [
        [row for name in order[i : i + FILES] for row in files[name]]
        for i in range(0, len(order), FILES)
    ]


def run(rows, program, tests, python, is_real, out):
    """Run one piece, unless its result is there."""
    if out.exists():
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    selected = out.with_suffix(".tsv")
    head = "id\tarea\tbaseline\tbaseline_seconds\tinstances"
    lines = [f"{test}\t{area}\tpassed\t0\t1" for test, area in rows]
    selected.write_text("\n".join([head, *lines, ""]), "utf8")
    unfinished = out.with_suffix(".unfinished")
    options = {
        "--python": python, "--tests": tests, "--selected": selected, "--jobs": 1,
        "--out": unfinished, "--logs": out.with_suffix(""), "--timeout": SECONDS,
    }  # fmt: skip
    command = [sys.executable, program, "--no-names", *(["--real"] if is_real else [])]
    for option, value in options.items():
        command += [option, str(value)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    print(out.stem, *(result.stdout or result.stderr).splitlines()[-1:], flush=True)
    unfinished.rename(out)


def record(folder, n_functions, n_files):
    """Write the verdicts of the pieces that have run under both, sorted by id."""
    verdicts = collections.defaultdict(dict)
    for name in ("mindspore", "sporax"):
        for path in (folder / name).glob("*.json"):
            for test in json.loads(path.read_text("utf8"))["tests"]:
                verdicts[test["id"]][name] = test["status"]
    both = [{"id": k} | v for k, v in sorted(verdicts.items()) if len(v) == 2]
    head = {"functions": n_functions, "files": n_files, "seed": SEED, "mindspore": "2.10"}
    RECORD.write_text("".join(json.dumps(row) + "\n" for row in [head, *both]), "utf8")


def read():
    """Return (the record's head, its verdicts, {id: (cause, reason)})."""
    head, *rows = map(json.loads, RECORD.read_text("utf8").splitlines())
    with CAUSES.open(encoding="utf8") as file:
        causes = {row["id"]: (row["cause"], row["reason"]) for row in csv.DictReader(file)}
    return head, rows, causes


def page():
    """The text of `docs/conformance.md`."""
    head, rows, causes = read()
    passing = [row for row in rows if row["mindspore"] == "passed"]
    parts = [INTRO.format(run=len(rows), **head)]
    areas = collections.defaultdict(collections.Counter)
    for row in passing:
        area = row["id"].split("/")[2]
        passes = int(row["sporax"] == "passed")
        areas[area].update(real=1, ours=passes)
        areas["**all**"].update(real=1, ours=passes)
    table = ["| area | pass under MindSpore | of these, under sporax | |", "|---|---|---|---|"]
    for area, n in sorted(areas.items(), key=lambda item: -item[1]["real"]):
        table.append(f"| {area} | {n['real']} | {n['ours']} | {n['ours'] / n['real']:.1%} |")
    parts.append("\n".join(table) + "\n")
    grouped = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in passing:
        if row["sporax"] != "passed":
            cause, reason = causes.get(row["id"], ("not looked at yet", ""))
            grouped[cause][reason].append(row["id"].removeprefix("tests/st/"))
    parts.append("## What does not pass, by cause\n")
    size = {cause: sum(map(len, reasons.values())) for cause, reasons in grouped.items()}
    for cause in sorted(grouped, key=lambda c: (-size[c], c)):
        parts.append(f"### {cause[0].upper()}{cause[1:]} ({size[cause]})\n")
        for reason, tests in grouped[cause].items():
            lines = [reason, "", *(f"- `{test}`" for test in tests), ""]
            parts.append("\n".join(lines if reason else lines[2:]))
    return "\n".join(parts)


def main():
    """Run what the arguments ask for, then write the record and the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("listed", nargs="?")
    for name in ("run", "tests", "into", "mindspore", "sporax"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--pieces", type=int)
    parser.add_argument("--page", action="store_true")
    asked = parser.parse_args()
    if not asked.page:
        every = pieces(asked.listed)
        folder = Path(asked.into)
        for i, rows in enumerate(every[: asked.pieces]):
            for name in ("mindspore", "sporax"):
                if python := getattr(asked, name):
                    out = folder / name / f"{i:03}.json"
                    run(rows, asked.run, asked.tests, python, name == "mindspore", out)
        files = {test.partition("::")[0] for rows in every for test, _ in rows}
        record(folder, sum(map(len, every)), len(files))
    PAGE.write_text(page(), "utf8")


if __name__ == "__main__":
    main()
