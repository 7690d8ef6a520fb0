"""Measure sporax, PyTorch, plain JAX and MindSpore in one run, and write the page.

    make bench            or   python bench/run.py [--rows TEXT,TEXT] [--minutes 25] [--list] ...

Results are put into `docs/performance.json` after each row, and `docs/performance.md` with its
pictures is written from them at the end. A row already measured with the same code is kept (so an
interrupted run resumes) unless `--again` is given. Each row stores its date, versions and the load
of the machine. See bench/README.md.
"""

import argparse
import datetime
import functools
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import environments, page
from bench.environments import ROOT
from bench.measurement import Measurement, others_load, say
from bench.rows import LIBRARIES, OTHER_PEERS, PEERS, ROWS, library
from sporax._src.workbench.cli.bench import machine

RESULTS = ROOT / "docs" / "performance.json"


def source():
    """A hash of all measured and measuring code."""
    files = sorted((*ROOT.glob("sporax/**/*.py"), *ROOT.glob("bench/**/*.py")))
    pages = "page.py", "picture.py", "readme.py"
    text = b"".join(f.read_bytes() for f in files if f.name not in pages)
    return hashlib.sha256(text).hexdigest()[:12]


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
    """Import time and installed size of each library."""
    libraries = {library(peer): python for peer, python in pythons.items()}
    return {
        name: {
            "import": environments.import_time(name, python),
            "size": environments.installed_size(name, python),
        }
        for name, python in libraries.items()
    }


def rounded(tree):
    """Numbers rounded to four digits, which exceeds their accuracy."""
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
    """{peer: interpreter} of the available peers."""
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
