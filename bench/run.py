"""Measure sporax beside PyTorch, plain JAX and MindSpore, in one run, and write the page.

    make bench            or   python bench/run.py [--rows TEXT,TEXT] [--minutes 25] [--list] ...

Results are put into `docs/performance.json` after each row, and `docs/performance.md` with its
pictures is written from them at the end. A row that this very code was measured with already is
left as it is (so an interrupted run goes on where it was) unless `--again` is said. Each row keeps
its date, versions and the load of the machine. See bench/README.md.
"""

import argparse
import datetime
import functools
import hashlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import environments, page
from bench.environments import ROOT, LeftOutError, Worker
from bench.rows import COMPILING, LIBRARIES, OTHER_PEERS, PEERS, ROWS, library

RESULTS = ROOT / "docs" / "performance.json"


def say(text):
    print(text, file=sys.stderr, flush=True)


def source():
    """A hash of all code that is measured or measures."""
    files = sorted((*ROOT.glob("sporax/**/*.py"), *ROOT.glob("bench/**/*.py")))
    pages = "page.py", "picture.py", "readme.py"
    text = b"".join(f.read_bytes() for f in files if f.name not in pages)
    return hashlib.sha256(text).hexdigest()[:12]


def machine():
    model = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "processor": model[0] if model else platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }


def others_load(seconds=1.0):
    """Cores that other work uses while nothing is measured."""

    def ticks():
        user, nice, system, idle, waiting, *rest = map(
            int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]
        )
        return np.array([user + nice + system + sum(rest[:3]), idle + waiting])

    before = ticks()
    time.sleep(seconds)
    busy, idle = ticks() - before
    return float(os.cpu_count() * busy / (busy + idle))


class Measurement:
    """One row: a process a peer; every peer has answers by case, or the reason why it has none."""

    def __init__(self, row, pythons, options):
        self.row, self.pythons, self.options = row, pythons, options
        self.results = {case: {} for case in row.cases}
        self.workers, self.versions = {}, {}

    def run(self, folder):
        for peer in self.pythons:
            if peer in self.row.peers:
                self.start(peer, folder)
        probes = []
        if self.row.how == "steps":
            for case in self.row.cases:
                probes += self.rounds(case)
        for worker in self.workers.values():
            worker.close()
        if self.row.starts_warm:
            for peer in COMPILING:
                self.start_warm(peer, folder)
        middle = [statistics.median(values) for values in zip(*probes, strict=True)]
        return {"cases": self.results, "versions": self.versions, "probe": middle}

    def open(self, peer, folder):
        return Worker(peer, self.pythons[peer], Path(folder) / peer)

    def start(self, peer, folder):
        """The first calls of each case; the process remains for the rounds."""
        worker = None
        for case in self.row.cases:
            try:
                worker = worker or self.open(peer, folder)
                if case not in worker.cases:
                    continue
                self.versions[peer] = worker.version
                self.results[case][peer] = self.first(worker, case)
            except LeftOutError as reason:
                self.leave_out(peer, case, reason)
                worker = worker if worker and worker.is_running() else None
        if worker is not None and self.row.how == "steps":
            self.workers[peer] = worker
        elif worker is not None:
            worker.close()

    def leave_out(self, peer, case, reason):
        say(f"  {peer} leaves out {case}: {reason}")
        self.results[case][peer] = {"left_out": str(reason)}

    def first(self, worker, case):
        limit = self.options.limit
        if self.row.how == "each":
            return {"each": worker.ask(limit, do="each", case=case, calls=self.options.calls)}
        if self.row.how == "once":
            return {"first": worker.ask(limit, do="first", case=case)[0]}
        first, calls, highest, later = worker.ask(limit, do="start", case=case)
        return {"first": first, "calls": calls, "memory": [highest, later], "rounds": []}

    def rounds(self, case):
        """Append the medians of each round's calls, peer after peer, to the results; returns what
        the machine can do, measured once a round."""
        results, options, probes = self.results[case], self.options, []
        having = [p for p in self.workers if "rounds" in results.get(p, ())]
        seconds = options.seconds / options.repeats
        for _ in range(options.repeats):
            for peer in having:
                try:
                    calls = self.workers[peer].ask(do="repeat", case=case, **{"for": seconds})
                    results[peer]["rounds"].append(statistics.median(calls))
                except LeftOutError as reason:
                    self.leave_out(peer, case, reason)
            having = [p for p in having if "rounds" in results[p]]
            if "torch" in having:
                probes.append(self.workers["torch"].ask(do="probe"))
        return probes

    def start_warm(self, peer, folder):
        for case in self.row.cases:
            cold = self.results[case].get(peer, {})
            if "calls" in cold:
                try:
                    worker = self.open(peer, folder)
                    first, calls, *_ = worker.ask(self.options.limit, do="start", case=case)
                    cold["warm"] = {"first": first, "calls": calls}
                    worker.close()
                except LeftOutError as reason:
                    say(f"  {peer} has no warm start of {case}: {reason}")


def measure(row, pythons, options):
    load, began = others_load(), time.time()
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        result = Measurement(row, pythons, options).run(folder)
    commit = ["git", "describe", "--always", "--dirty"]
    done = subprocess.run(commit, cwd=ROOT, capture_output=True, text=True)
    result |= {
        "source": source(),
        "commit": done.stdout.strip(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M"),
        "load": round(load, 1),
        "seconds": round(time.time() - began, 1),
    }
    return result


def weight(pythons):
    """What each library weighs: import and files."""
    libraries = {library(peer): python for peer, python in pythons.items()}
    return {
        name: {
            "import": environments.import_time(name, python),
            "size": environments.installed_size(name, python),
        }
        for name, python in libraries.items()
    }


def rounded(tree):
    """Numbers with four digits, which is more than they are known to."""
    if isinstance(tree, dict):
        return {key: rounded(value) for key, value in tree.items()}
    if isinstance(tree, list):
        return [rounded(value) for value in tree]
    return float(f"{tree:.4g}") if isinstance(tree, float) else tree


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default="", help="only rows whose names hold one of these texts")
    parser.add_argument("--list", action="store_true", help="names of rows and cases, and no more")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"also {', '.join(OTHER_PEERS)}")
    parser.add_argument("--minutes", type=float, default=25, help="no row starts after these")
    parser.add_argument("--limit", type=float, default=120, help="seconds of a peer's first calls")
    parser.add_argument("--seconds", type=float, default=1.4, help="a case and peer, all rounds")
    parser.add_argument("--repeats", type=int, default=7, help="rounds")
    parser.add_argument("--calls", type=int, default=100, help="lengths of the changing sentences")
    parser.add_argument("--again", action="store_true", help="also what was measured already")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument(
        "--python", action="append", default=[], metavar="LIBRARY=PATH",
        help="an interpreter that has the library; otherwise it is installed below .venvs",
    )  # fmt: skip
    return parser.parse_args()


def interpreters(options):
    """{peer: interpreter} of those that can be had."""
    known = {name: Path(path) for name, _, path in (p.partition("=") for p in options.python)}
    for name in known:
        if name not in LIBRARIES:
            raise SystemExit(f"--python: no library {name!r}; there are {', '.join(LIBRARIES)}")
    find = functools.cache(lambda name: known.get(name) or environments.interpreter(name))
    pythons = {}
    for peer in options.peers.split(","):
        if peer not in PEERS + OTHER_PEERS:
            raise SystemExit(
                f"--peers: no peer {peer!r}; there are {', '.join(PEERS + OTHER_PEERS)}"
            )
        if (python := find(library(peer))) is not None:
            pythons[peer] = python
    return pythons


def main():
    options = parsed()
    texts = options.rows.split(",")
    rows = [row for row in ROWS if any(text in row.name for text in texts)]
    if options.list:
        for row in rows:
            print(f"{row.name}: {', '.join(row.cases)}")
        return
    pythons, began = interpreters(options), time.time()
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    results |= {"machine": machine(), "rows": results.get("rows", {})}

    def save():
        options.results.write_text(json.dumps(rounded(results), indent=1) + "\n")

    if options.again or "weight" not in results:
        results["weight"] = weight(pythons)
    for i, row in enumerate(rows):
        before = results["rows"].get(row.name, {})
        if before.get("source") == source() and not options.again:
            continue
        if time.time() - began > 60 * options.minutes:
            say(f"{len(rows) - i} rows are left, from {row.name!r} on; run it again")
            break
        results["rows"][row.name] = result = measure(row, pythons, options)
        save()
        say(f"measured: {row.name}, {result['seconds']:.0f} s")
    save()
    if options.results == RESULTS:
        page.write(rounded(results))
    print(page.text(rounded(results)))


if __name__ == "__main__":
    main()
