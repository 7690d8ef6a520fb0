"""The command `sporax bench`: measures cases one by one, prints them, and writes them to a file."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from sporax import __version__
from sporax._src.runtime.engine.verification import admission
from sporax._src.workbench.cli.bench_peers.sizes import OPERATIONS, ROWS, SAMPLES

OWN = {"sporax": "sporax", "sporax-jit": "sporax under jit"}
LIBRARIES = {"torch": "PyTorch", "mindspore": "MindSpore"}
LIMIT, RUNS = 300, 2  # seconds of a process; processes of a peer for a case
_HEADS = ("", "a call", "spread", "samples/s", "first call", "from cache", "sporax takes")
_WIDTHS = (22, 9, 7, 11, 11, 11, 13)
_PEERS = Path(__file__).with_name("bench_peers")
# The folder becomes a top-level package: its parents would import sporax, whose dependencies an
# interpreter of another library may lack.
_START = """
import sys, types
package = types.ModuleType("bench_peers")
package.__path__ = [sys.argv[1]]
sys.modules["bench_peers"] = package
from bench_peers import worker
worker.measure(*sys.argv[2:])
"""


def bench(parser, options):
    """Run the benchmark; return the exit code: 1 if sporax itself fails in a case, else 0."""
    rows = _rows(parser, options.rows)
    pythons = dict.fromkeys(OWN, sys.executable)
    for name in LIBRARIES:
        python = _interpreter(parser, name, getattr(options, name))
        pythons |= {name: python} if python else {}
    # opened first: a missing folder must not lose minutes of measurement
    file = _opened(parser, options.json)
    tree = {"sporax": __version__, "machine": machine(), "cases": {}}
    print("{processor}, {cores} cores, {system}".format_map(tree["machine"]))
    print(_line(_HEADS))
    for case in [case for row in rows for case in ROWS[row]]:
        tree["cases"][case] = peers = _measured(case, pythons, options.seconds)
        for line in _lines(case, peers):
            print(line, flush=True)
    print(_END)
    if file is not None:
        with file:
            json.dump(tree, file, indent=1)
    return int(any("left_out" in peers[own] for peers in tree["cases"].values() for own in OWN))


_END = """
A call: the median; spread: half the distance of its quartiles. A step is forward, backward and
optimizer. First call: from nothing kept, with building the network; from cache: the same with the
programs that the process before has left. Each library has two processes for a case, in turn.
Sporax takes: its best time as a multiple of that library's, below 1 where sporax is ahead."""


def machine():
    """Describe the processor, cores and system as a dict."""
    return {
        "processor": admission.processor()[0],
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }


def _rows(parser, text):
    names, known = text.split(",") if text else ROWS, {name.lower(): name for name in ROWS}
    for name in names:
        if name.strip().lower() not in known:
            parser.error(f"argument --rows: no row {name!r}; there are {', '.join(ROWS)}")
    return [known[name.strip().lower()] for name in names]


def _interpreter(parser, name, python):
    """Return the interpreter for a library: `python`, else this one if it has it, else None."""
    if python is None:
        return sys.executable if importlib.util.find_spec(name) else None
    try:
        run = subprocess.run([python, "-c", f"import {name}"], capture_output=True, text=True)
    except OSError as error:
        parser.error(f"argument --{name}: {python!r} does not run: {error.strerror}")
    if run.returncode:
        parser.error(f"argument --{name}: {python!r} cannot import {name}: {_reason(run)}")
    return os.path.abspath(shutil.which(python) or python)  # it runs in another folder


def _opened(parser, path):
    try:
        return path and open(path, "w", encoding="utf8")
    except OSError as error:
        parser.error(f"argument --json: {path!r} cannot be written: {error.strerror}")


def _measured(case, pythons, seconds):
    """Return {peer: its answers}; the peers take turns, so that what disturbs one disturbs all."""
    with tempfile.TemporaryDirectory(prefix="sporax-bench") as folder:
        runs = [
            {peer: _run(peer, python, case, seconds / RUNS, Path(folder) / peer)
             for peer, python in pythons.items()}
            for _ in range(RUNS)
        ]  # fmt: skip
    return {peer: _joined([run[peer] for run in runs]) for peer in pythons}


def _run(peer, python, case, seconds, folder):
    """Return what the peer's process measures, or {"left_out": reason}."""
    folder.mkdir(exist_ok=True)
    variables = os.environ | {"GLOG_v": "3", "SPORAX_CACHE_DIR": str(folder)}
    if peer in OWN:
        paths = [str(_PEERS.parents[2]), os.environ.get("PYTHONPATH", "")]
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    command = [python, "-P", "-c", _START, str(_PEERS), peer, case, str(seconds)]
    limit = LIMIT + seconds
    try:
        run = subprocess.run(
            command,
            cwd=folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return {"left_out": f"more than {limit:g} s"}
    if run.returncode:
        return {"left_out": _reason(run)}
    return json.loads(run.stdout.splitlines()[-1])


def _reason(run):
    return (run.stderr.strip().splitlines() or [f"status {run.returncode}"])[-1]


def _joined(runs):
    """Return the answers of a peer's processes as one: the quicker one's calls."""
    failed = [run for run in runs if "left_out" in run]
    if failed:
        return failed[0]
    best = min(runs, key=lambda run: run["quartiles"][1])
    return best | {"first": runs[0]["first"], "from cache": runs[-1]["first"]}


def _lines(case, peers):
    """Yield the printed lines of a case: a title and a line per peer."""
    yield f"{case}, each of {OPERATIONS[case]}" if case in OPERATIONS else case
    medians = {p: a["quartiles"][1] for p, a in peers.items() if "quartiles" in a}
    for peer, answers in peers.items():
        name = OWN.get(peer) or f"{LIBRARIES[peer]} {answers.get('version', '')}".strip()
        if peer not in medians:
            yield f"  {name:20}  left out: {answers['left_out']}"
            continue
        low, seconds, high = answers["quartiles"]
        own = [medians[p] for p in OWN if p in medians]
        yield _line((
            f"  {name}",
            _time(seconds / OPERATIONS.get(case, 1)),
            f"±{(high - low) / 2 / seconds:.0%}",
            f"{SAMPLES[case] / seconds:,.0f}".replace(",", " ") if case in SAMPLES else "",
            _time(answers["first"]),
            _time(answers["from cache"]) if peer in OWN else "",
            "" if peer in OWN or not own else f"{min(own) / seconds:.2g}",
        ))  # fmt: skip


def _time(seconds):
    """Format a time with three digits and a unit."""
    unit, name = next(((u, n) for u, n in ((1, "s"), (1e3, "ms")) if seconds * u >= 1), (1e6, "us"))
    digits = f"{seconds * unit:.3g}" if seconds * unit < 1000 else f"{seconds * unit:.0f}"
    return f"{digits} {name}"


def _line(cells):
    first, *others = zip(cells, _WIDTHS, strict=True)
    return (f"{first[0]:{first[1]}}" + "".join(f"{x:>{w}}" for x, w in others)).rstrip()
