"""Measure sporax beside PyTorch, plain JAX and MindSpore, in one run, and print ratios.

    make bench            or   python bench/run.py [--seconds 1.0] [--repeats 7] [--only TEXT]
                                                   [--peers sporax,torch] [--memory]

A peer is a library in one style: sporax in dynamic mode and with `jit`, PyTorch eager, with images
channels-last and compiled, and so on. Each library lives in a virtual environment of its own below
`.venvs`. One process a peer stays up; they take turns, one at a time, several rounds a case, so
that what disturbs the machine disturbs all of them. Shown: the median of all calls in milliseconds,
the spread of the rounds' medians, and every peer's time divided by sporax's best (above 1: sporax
is faster); last, sporax's best divided by the best of the others. Results also go to
`bench/results.json`.
"""

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENVS = ROOT / ".venvs"
# what each environment is made of; only Python versions that MindSpore has can run it
LIBRARIES = {
    "sporax": [str(ROOT)],
    "torch": ["torch==2.13.0", "numpy"],
    "jax": ["jax"],
    "mindspore": ["mindspore==2.10.0", "numpy<2"],
}
PEERS = [
    "sporax", "sporax-jit", "torch", "torch-channels-last", "torch-compile", "jax", "mindspore",
    "mindspore-jit",
]  # fmt: skip
STEADY = [
    "small operation, forward",
    "small operation, forward + backward",
    "elementwise, 10 million",
    "MLP step",
    "LeNet-5 step",
    "ResNet-18 step",
    "MobileNetV2 step",
    "U-Net block step",
    "LSTM step",
    "GRU step",
    "GPT step",
    "ViT-tiny step",
    "PINN step",
    "recommender step",
    "per-sample gradients",
    "molecular dynamics step",
    "ResNet-18, one image",
    "GPT, one text",
]
# measured once, in a fresh process each
COLD = [
    "MobileNetV2 step",
    "loop: full, then cat",
    "loop: m[i, j] = v",
    "loop: x = cat((x, row))",
    "loop: x[:i].sum()",
]
CHANGING, CALLS = "encoder, a new length each step", 100


def library(peer):
    return peer.partition("-")[0]


def environment(name):
    """The library's interpreter, installed at the first use; None where it cannot be had."""
    python = VENVS / name / "bin" / "python"
    ready = VENVS / name / "ready"
    wanted = " ".join(LIBRARIES[name])
    if ready.exists() and ready.read_text() == wanted and name != "sporax":
        return python
    print(f"setting up {name} ...", file=sys.stderr, flush=True)
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENVS / name)], check=True)
    done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *LIBRARIES[name]])
    if done.returncode:
        print(f"{name} could not be installed; it is left out", file=sys.stderr)
        return None
    if name == "sporax":  # the working tree as it is now, not a build of the same version
        again = ["install", "--quiet", "--no-deps", "--force-reinstall", str(ROOT)]
        subprocess.run([str(python), "-m", "pip", *again], check=True)
    ready.write_text(wanted)
    return python


class Worker:
    """A peer's process; see bench/worker.py."""

    def __init__(self, peer, python):
        self.peer, self.python = peer, python
        self._start()

    def _start(self):
        variables = dict(os.environ, SPORAX_CACHE_DIR="off", PYTHONPATH=str(ROOT), GLOG_v="3")
        variables["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
        with open(VENVS / f"{self.peer}.log", "w", encoding="utf8") as log:
            self.process = subprocess.Popen(
                [str(self.python), "-P", "-m", "bench.worker", self.peer], cwd=VENVS, text=True,
                env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        self.started, self.cases = self._answer()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.peer} ended: see {VENVS / self.peer}.log")
        return json.loads(line)

    def ask(self, limit=None, **request):
        """The answer to a request; None, and a line on stderr, where the case failed or took more
        than `limit` seconds."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        if select.select([self.process.stdout], [], [], limit)[0]:
            answer = self._answer()
            if isinstance(answer, list):
                return answer
            reason = answer["error"].splitlines()[0]
        else:
            self.process.kill()
            self.close()
            self._start()
            reason = f"more than {limit:g} s"
        print(f"{self.peer} leaves out {request['case']}: {reason}", file=sys.stderr, flush=True)
        return None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def import_time(name, python, repeats):
    """Seconds that a fresh interpreter needs to import the library, without its own start."""
    module = {"sporax": "sporax, sporax.nn"}.get(name, name)
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


def steady(pythons, cases, seconds, repeats, limit):
    """{case: {peer: medians of the rounds}}, and first-call seconds, for the peers that have it."""
    workers = {peer: Worker(peer, python) for peer, python in pythons.items()}
    rounds, first = {}, {}
    for case in cases:
        having = {p: w for p, w in workers.items() if case in w.cases}
        took = {p: w.ask(limit, do="first", case=case) for p, w in having.items()}
        first[case] = {p: answer[0] for p, answer in took.items() if answer}
        for peer in first[case]:  # warm up
            workers[peer].ask(do="repeat", case=case, **{"for": min(seconds, 0.3)})
        found = {peer: [] for peer in first[case]}
        for _ in range(repeats):
            for peer, medians in found.items():
                calls = workers[peer].ask(do="repeat", case=case, **{"for": seconds / repeats})
                medians.append(statistics.median(calls))
        rounds[case] = found
        print(f"measured: {case}", file=sys.stderr, flush=True)
    for worker in workers.values():
        worker.close()
    return rounds, first


def fresh(pythons, case, limit=None, **request):
    """{peer: answer} to one request about a case, each in a fresh process, nothing cached."""
    answers = {}
    for peer, python in pythons.items():
        worker = Worker(peer, python)
        answer = worker.ask(limit, case=case, **request) if case in worker.cases else None
        worker.close()
        if answer:
            answers[peer] = answer
            print(f"measured: {request['do']}, {case}, {peer}", file=sys.stderr, flush=True)
    return answers


def best(cells, own):
    """The least value among sporax's styles, or among the others; None where there is none."""
    return min((c[0] for p, c in cells.items() if (library(p) == "sporax") == own), default=None)


def times(ratio):
    return f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x"


def table(title, peers, rows):
    """Print rows (name, {peer: (value, spread or None)}) with ratios to sporax's best."""
    print(f"\n{title}")
    print(f"{'':42}" + "".join(f"{p:>23}" for p in peers) + f"{'sporax / best other':>23}")
    for name, cells in rows:
        line, own, other = f"{name:42}", best(cells, True), best(cells, False)
        for peer in peers:
            if peer not in cells:
                line += f"{'-':>23}"
                continue
            value, spread = cells[peer]
            shown = f"{value:.4g}" + (f" ±{spread:.0%}" if spread is not None else "")
            ratio = times(value / own) if own else ""
            line += f"{shown:>14} {ratio:>8}"
        print(line + (f"{times(own / other):>23}" if own and other else ""))


def summary(values):
    middle = statistics.median(values)
    return middle, (max(values) - min(values)) / 2 / middle


def steady_tables(pythons, cases, options):
    rounds, first = steady(pythons, cases, options.seconds, options.repeats, options.limit)
    rows = []
    for case in cases:
        scale, unit = (1e6 / 50, "us") if case.startswith("small") else (1e3, "ms")
        cells = {p: summary([v * scale for v in found]) for p, found in rounds[case].items()}
        rows.append((f"{case} [{unit}]", cells))
    peers = list(pythons)
    table("Time of one (operation, step), median ± half the rounds' spread, ratio", peers, rows)
    rows = [(f"{c} [s]", {p: (v, None) for p, v in first[c].items()}) for c in cases]
    table("Set-up and first call in that process, nothing cached", peers, rows)
    return {"rounds": rounds, "first": first}


def cold_table(pythons, cases, limit):
    cold = {case: fresh(pythons, case, limit, do="first") for case in cases}
    rows = [(f"{c} [s]", {p: (v[0], None) for p, v in cold[c].items()}) for c in cases]
    table("Set-up and first call in a fresh process, nothing cached", list(pythons), rows)
    return {"cold": cold}


def changing_table(pythons):
    each = fresh(pythons, CHANGING, do="each", calls=CALLS)
    rows = [
        (name, {p: (measure(v), None) for p, v in each.items()})
        for name, measure in (("100 steps [s]", sum), ("one step, median [s]", statistics.median))
    ]
    table(f"{CHANGING} (1 to 100), cold", list(pythons), rows)
    return {"changing": each}


def memory_table(pythons, cases, limit):
    found = {case: fresh(pythons, case, limit, do="memory") for case in cases}
    rows = []
    for i, what in enumerate(("with set-up", "later steps")):
        for case in cases:
            cells = {p: (v[i] / 1e6, None) for p, v in found[case].items()}
            rows.append((f"{case}, {what} [MB]", cells))
    table("Peak memory beyond the import's, in a fresh process", list(pythons), rows)
    return {"memory": found}


def weight_table(pythons):
    took = {p: (import_time(p, python, 3), None) for p, python in pythons.items()}
    size = {p: (installed_size(python) / 1e6, None) for p, python in pythons.items()}
    rows = [("import [s]", took), ("installed, with all it needs [MB]", size)]
    table("Weight", list(pythons), rows)
    return {"import": took, "size": size}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="a case and peer, all rounds")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--limit", type=float, default=300, help="seconds that a peer may take")
    parser.add_argument("--memory", action="store_true", help="peak memory too")
    options = parser.parse_args()
    VENVS.mkdir(exist_ok=True)
    chosen = options.peers.split(",")
    libraries = {n: environment(n) for n in dict.fromkeys(map(library, chosen))}
    libraries = {n: python for n, python in libraries.items() if python is not None}
    pythons = {p: libraries[library(p)] for p in chosen if library(p) in libraries}

    cases = [c for c in STEADY if options.only in c]
    results = steady_tables(pythons, cases, options) if cases else {}
    if cold := [c for c in COLD if options.only in c]:
        results |= cold_table(pythons, cold, options.limit)
    if options.only in CHANGING:
        results |= changing_table(pythons)
    if options.memory:
        results |= memory_table(pythons, cases, options.limit)
    if not options.only:
        results |= weight_table(libraries)
    (ROOT / "bench" / "results.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
