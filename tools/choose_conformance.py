"""Choose additional MindSpore tests at random for the conformance run.

    python tools/choose_conformance.py TREE LISTED.tsv --seed 13 > chosen.tsv
    python run.py --selected chosen.tsv --real --out real.json ...           # MindSpore itself
    python tools/choose_conformance.py TREE LISTED.tsv --seed 13 --passed real.json > compared.tsv
    python run.py --selected compared.tsv ...                                # sporax

`TREE` has MindSpore's `tests/`; files with a test in `LISTED.tsv` are skipped. `run.py` belongs to
the conformance run. Only tests that pass on MindSpore's CPU are compared (`--passed`).

A file is eligible if one of its test functions is marked for the CPU (`tests/st`) or, where there
are no marks (`tests/ut/python`), if it is not in a folder of `DEVICES`; and if its source contains
no name in `PRIVATE`: the tests of dumps, logs, subprocesses and compiler passes. Chosen functions
that compare message texts are skipped without `--messages`.
"""

import argparse
import ast
import csv
import json
import random
import re
import sys
from pathlib import Path

# folders of tests/ut/python: several devices, the compiler's passes, data that is not in the tree
DEVICES = ("parallel", "pipeline", "dataset_deprecated", "profiler", "hccl_test", "communication")
PRIVATE = re.compile(
    r"_c_expression|_cell_graph_executor|_pynative_executor\.(?!sync)|subprocess|capfd|capsys|caplog"
    r"|os\.environ|save_graphs|mindspore\._extends|\bimport torch|device_target=.(?:Ascend|GPU)"
    r"|set_auto_parallel_context|dataset/|\.mindir"
)
MESSAGES = re.compile(r"\bmatch=|\bstr\(\w+(\.value)?\)")


def functions(path):
    """Yield (name, marked for the CPU, compares messages) for each function that is not skipped."""
    for node in ast.parse(path.read_text(encoding="utf8")).body:
        is_class = isinstance(node, ast.ClassDef) and node.name.startswith("Test")
        for inner in node.body if is_class else [node]:
            if isinstance(inner, ast.FunctionDef) and inner.name.startswith("test"):
                marks = [ast.unparse(mark) for mark in inner.decorator_list]
                if not any(mark.startswith("pytest.mark.skip") for mark in marks):
                    prefix = f"{node.name}::" if is_class else ""
                    on_cpu = any("cpu_linux" in mark for mark in marks)
                    yield prefix + inner.name, on_cpu, bool(MESSAGES.search(ast.unparse(inner)))


def eligible(tree, listed):
    """Yield (file, {function: whether it compares messages}), sorted by file."""
    for path in sorted(tree.glob("tests/**/test_*.py")):
        file, marked = path.relative_to(tree).as_posix(), path.is_relative_to(tree / "tests" / "st")
        if not marked and not file.startswith("tests/ut/python/"):
            continue
        if file in listed or set(path.parts) & set(DEVICES):
            continue
        if PRIVATE.search(path.read_text("utf8")):
            continue
        names = {name: says for name, on_cpu, says in functions(path) if on_cpu or not marked}
        if names:
            yield file, names


def main():
    """Print the chosen tests in the form of the conformance run's list."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("listed", type=Path)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--per-file", type=int, default=4, help="functions of a file, at most")
    parser.add_argument("--messages", action="store_true", help="tests of messages too")
    parser.add_argument("--passed", type=Path, help="keep what passed in this result of run.py")
    args = parser.parse_args()
    with args.listed.open(encoding="utf8") as lines:
        listed = {row["id"].split("::")[0] for row in csv.DictReader(lines, delimiter="\t")}
    of_file = dict(eligible(args.tree, listed))
    draw, passed = random.Random(args.seed), None
    if args.passed:
        tests = json.loads(args.passed.read_text())["tests"]
        passed = {test["id"]: test for test in tests if test["status"] == "passed"}
    print("id", "area", "baseline", "baseline_seconds", "instances", sep="\t")
    for file in sorted(draw.sample(sorted(of_file), args.files)):
        names = of_file[file]
        for name in sorted(draw.sample([*names], min(args.per_file, len(names)))):
            if names[name] and not args.messages:
                continue
            test, row = f"{file}::{name}", {"seconds": 0, "passed": 1}
            if passed is not None and test not in passed:
                continue
            row = passed[test] if passed else row
            print(test, file.split("/")[-2], "passed", row["seconds"], row["passed"], sep="\t")
    print(f"{len(of_file)} files are eligible", file=sys.stderr)


if __name__ == "__main__":
    main()
