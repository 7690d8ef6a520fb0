"""`python -m tests.wrong_arguments [--count N] [--seed N] [CLASS ...]`: wrong calls of all classes,
or some, `--count` of each (all, without); how they end, the faults with a call each, and 1 if there
is one. Each class runs in a process of its own."""

import argparse
import collections
import subprocess
import sys
from unittest import mock

from sporax._src.capture.graph_capture import graph_call
from sporax._src.runtime.engine import recorder
from tests import interpretation
from tests.wrong_arguments import sweep, valid_calls


def run(kind, count, seed):
    """(tally, {fault: calls}) of a class."""
    tally, faults = collections.Counter(), collections.defaultdict(list)
    for call in sweep.sample(kind, count, seed):
        outcome, fault, text = sweep.outcome(call)
        tally[outcome] += 1
        if fault is not None:
            faults[fault].append(f"{call}: {text}")
    return tally, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10**9, help="calls of each class")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("classes", nargs="*")
    args = parser.parse_args()
    if len(args.classes) != 1:
        command = [sys.executable, "-m", "tests.wrong_arguments", f"--count={args.count}"]
        kinds = args.classes or valid_calls.CLASSES
        codes = [
            subprocess.run([*command, f"--seed={args.seed}", k], check=False).returncode
            for k in kinds
        ]
        return max(codes, key=abs)
    (kind,) = args.classes
    prepare = interpretation.prepare
    with mock.patch.multiple(recorder, prepare=prepare), mock.patch.object(
        graph_call, "prepare", prepare
    ):  # fmt: skip
        tally, faults = run(kind, args.count, args.seed)
    shown = ", ".join(f"{tally[name]:,} {name}" for name in sweep.OUTCOMES)
    print(f"{kind}: {tally.total():,} calls, {shown}", flush=True)
    for fault, calls in faults.items():
        print(f"  {len(calls)} times {fault}, such as", *[f"\n    {c[:400]}" for c in calls[:9]])
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
