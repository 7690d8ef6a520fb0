"""Measure sporax beside PyTorch, plain JAX and MindSpore, in one run, and print ratios.

    make bench            or   python bench/run.py [--seconds 1.0] [--repeats 7] [--only TEXT]

Each peer lives in a virtual environment of its own below `.venvs`. One process a peer stays up;
they take turns, one at a time, several rounds a case, so that what disturbs the machine disturbs
all of them. Shown: the median of all calls in milliseconds, the spread of the rounds' medians, and
every peer's time divided by sporax's (above 1: sporax is faster). Results also go to
`bench/results.json`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENVS = ROOT / ".venvs"
# what each environment is made of; only Python versions that MindSpore has can run it
PEERS = {
    "sporax": [str(ROOT)],
    "torch": ["torch==2.13.0", "numpy"],
    "jax": ["jax"],
    "mindspore": ["mindspore==2.10.0", "numpy<2"],
}
STEADY = [
    "small operation, forward",
    "small operation, forward + backward",
    "MLP step, dynamic",
    "MLP step, jit",
    "LeNet-5 step, dynamic",
    "LeNet-5 step, jit",
]
CHANGING, CALLS = "encoder, a new length each step", 100


def environment(peer):
    """The peer's interpreter, installed at the first use; None where it cannot be had."""
    python = VENVS / peer / "bin" / "python"
    ready = VENVS / peer / "ready"
    wanted = " ".join(PEERS[peer])
    if ready.exists() and ready.read_text() == wanted and peer != "sporax":
        return python
    print(f"setting up {peer} ...", file=sys.stderr, flush=True)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENVS / peer)], check=True)
    done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PEERS[peer]])
    if done.returncode:
        print(f"{peer} could not be installed; it is left out", file=sys.stderr)
        return None
    if peer == "sporax":  # the working tree as it is now, not a build of the same version
        again = ["install", "--quiet", "--no-deps", "--force-reinstall", str(ROOT)]
        subprocess.run([str(python), "-m", "pip", *again], check=True)
    ready.write_text(wanted)
    return python


class Worker:
    """A peer's process; see bench/worker.py."""

    def __init__(self, peer, python, cache="off"):
        variables = dict(os.environ, SPORAX_CACHE_DIR=cache, PYTHONPATH=str(ROOT), GLOG_v="3")
        with open(VENVS / f"{peer}.log", "w", encoding="utf8") as log:
            self.process = subprocess.Popen(
                [str(python), "-P", "-m", "bench.worker", peer], cwd=VENVS, env=variables,
                text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        self.peer = peer
        self.started = self._answer()[0]

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.peer} ended: see {VENVS / self.peer}.log")
        return json.loads(line)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def import_time(peer, python, repeats):
    """Seconds that a fresh interpreter needs to import the peer, without its own start."""
    module = {"sporax": "sporax, sporax.nn"}.get(peer, peer)
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    found = []
    for _ in range(repeats):
        out = subprocess.run(
            [str(python), "-c", code], capture_output=True, text=True, check=True, cwd=VENVS
        )
        found.append(float(out.stdout.split()[-1]))
    return statistics.median(found)


def installed_size(python):
    """Bytes below the environment's site-packages, without pip and setuptools."""
    folder = next((python.parents[1] / "lib").glob("python*/site-packages"))
    skip = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
    files = (f for top in folder.iterdir() if not top.name.startswith(skip) for f in walk(top))
    return sum(f.lstat().st_size for f in files)


def walk(path):
    return [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]


def steady(pythons, cases, seconds, repeats):
    """{case: {peer: medians of the rounds}}, and first-call seconds."""
    workers = {peer: Worker(peer, python) for peer, python in pythons.items()}
    rounds, first = {}, {}
    for case in cases:
        first[case] = {p: w.ask(do="first", case=case)[0] for p, w in workers.items()}
        for worker in workers.values():
            worker.ask(do="repeat", case=case, **{"for": min(seconds, 0.3)})  # warm up
        found = {peer: [] for peer in workers}
        for _ in range(repeats):
            for peer, worker in workers.items():
                calls = worker.ask(do="repeat", case=case, **{"for": seconds / repeats})
                found[peer].append(statistics.median(calls))
        rounds[case] = found
        print(f"measured: {case}", file=sys.stderr, flush=True)
    for worker in workers.values():
        worker.close()
    return rounds, first


def changing(pythons):
    """{peer: seconds of each of the hundred steps}, each in a fresh process, nothing cached."""
    found = {}
    for peer, python in pythons.items():
        worker = Worker(peer, python)
        found[peer] = worker.ask(do="each", case=CHANGING, calls=CALLS)
        worker.close()
        print(f"measured: {CHANGING}, {peer}", file=sys.stderr, flush=True)
    return found


def table(title, peers, rows):
    """Print rows (name, unit, {peer: (value, spread or None)}) with ratios to sporax."""
    print(f"\n{title}")
    print(f"{'':40}" + "".join(f"{p:>22}" for p in peers))
    for name, cells in rows:
        line = f"{name:40}"
        own = cells["sporax"][0]
        for peer in peers:
            if peer not in cells:
                line += f"{'-':>22}"
                continue
            value, spread = cells[peer]
            shown = f"{value:.4g}" + (f" ±{spread:.0%}" if spread is not None else "")
            line += f"{shown:>14} {value / own:6.2f}x"
        print(line)


def summary(values):
    middle = statistics.median(values)
    return middle, (max(values) - min(values)) / 2 / middle


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="a case and peer, all rounds")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--peers", default=",".join(PEERS))
    options = parser.parse_args()
    VENVS.mkdir(exist_ok=True)
    pythons = {p: environment(p) for p in options.peers.split(",")}
    pythons = {p: python for p, python in pythons.items() if python is not None}

    cases = [c for c in STEADY if options.only in c]
    rounds, first = steady(pythons, cases, options.seconds, options.repeats)
    peers = list(pythons)
    rows = []
    for case in cases:
        scale = 1e6 / 50 if case.startswith("small") else 1e3
        cells = {p: summary([v * scale for v in found]) for p, found in rounds[case].items()}
        rows.append((case + (" [us]" if scale != 1e3 else " [ms]"), cells))
    table("Time of one (operation, step), median ± half the rounds' spread, ratio", peers, rows)
    rows = [(f"{c} [s]", {p: (v, None) for p, v in first[c].items()}) for c in cases]
    table("Set-up and first call, nothing cached", peers, rows)
    results = {"rounds": rounds, "first": first}
    if options.only in CHANGING:
        each = changing(pythons)
        rows = [("100 steps [s]", {p: (sum(v), None) for p, v in each.items()})]
        rows += [
            ("one step, median [s]", {p: (statistics.median(v), None) for p, v in each.items()})
        ]
        table(f"{CHANGING} (1 to 100), cold", peers, rows)
        results["changing"] = each
    if not options.only:
        took = {p: (import_time(p, python, 3), None) for p, python in pythons.items()}
        size = {p: (installed_size(python) / 1e6, None) for p, python in pythons.items()}
        rows = [("import [s]", took), ("installed, with all it needs [MB]", size)]
        table("Weight", peers, rows)
        results |= {"import": took, "size": size}
    (ROOT / "bench" / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
