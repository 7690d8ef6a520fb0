"""The command `sporax bench`: measures rows one by one, prints them, and writes them to a file."""

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from types import SimpleNamespace

from sporax import __version__
from sporax.cli.bench.measurement import BUSY, Measurement, machine, others_load, start_up
from sporax.cli.bench.rows import (
    BYTES,
    INFERENCE,
    MULTIPLICATIONS,
    OPERATIONS,
    OWN,
    SAMPLES,
    TRAINING,
    library,
)

ROWS = {row.name: row for row in TRAINING + INFERENCE}
DEFAULT = ("small operation", "MLP", "LeNet-5", "ResNet-18", "LSTM", "GPT")
LIBRARIES = {"torch": "PyTorch", "mindspore": "MindSpore"}
LIMIT, ROUNDS = 120, 5  # seconds of a peer's first calls
_HEADS = ("", "a call", "spread", "samples/s", "first call", "from cache", "compiling",
          "of peak", "sporax takes")  # fmt: skip
_WIDTHS = (22, 9, 7, 11, 11, 11, 10, 8, 13)


def bench(parser, options):
    """Run the benchmark; return the exit code: 1 if sporax itself fails in a case, else 0."""
    rows = _rows(parser, options.rows)
    pythons = dict.fromkeys(OWN, sys.executable)
    for name in LIBRARIES:
        python = _interpreter(parser, name, getattr(options, name))
        pythons |= {name: python} if python else {}
    # opened first: a missing folder must not lose minutes of measurement
    file = _opened(parser, options.json)
    effort = SimpleNamespace(limit=LIMIT, repeats=ROUNDS, seconds=options.seconds)
    tree = {"sporax": __version__, "machine": machine(), "rows": {}}
    tree["load"] = load = others_load()
    print("{processor}, {cores} cores, {system}".format_map(tree["machine"]))
    if load is not None and load > BUSY:
        print(f"Other work uses {load:.1f} cores: measure again on a quiet machine.")
    print(_line(_HEADS))
    for row in rows:
        with tempfile.TemporaryDirectory(prefix="sporax-bench") as folder:
            result = Measurement(row, pythons, effort).run(folder)
        tree["rows"][row.name] = result
        for line in _lines(result):
            print(line, flush=True)
    print(_END)
    if file is not None:
        with file:
            json.dump(tree, file, indent=1)
    cases = [peers for row in tree["rows"].values() for peers in row["cases"].values()]
    return int(any("left_out" in peers.get(own, ()) for peers in cases for own in OWN))


_END = """
A call: the median of rounds in which all take turns; spread: half the distance of their extremes.
A step is forward, backward and optimizer. First call: from nothing kept, with building the network;
from cache: the same with the programs of the process before. Compiling: what the first calls take
beyond as many later ones. Of peak: of a product of 2048 x 2048 matrices (elementwise: of a copy).
Sporax takes: its best time as a multiple of that library's, below 1 where sporax is ahead."""


def _rows(parser, text):
    names = text.split(",") if text else DEFAULT
    known = {name.lower(): row for name, row in ROWS.items()}
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
        why = (run.stderr.strip().splitlines() or [f"status {run.returncode}"])[-1]
        parser.error(f"argument --{name}: {python!r} cannot import {name}: {why}")
    return python


def _opened(parser, path):
    try:
        return path and open(path, "w", encoding="utf8")
    except OSError as error:
        parser.error(f"argument --json: {path!r} cannot be written: {error.strerror}")


def _lines(result):
    """Yield the printed lines of a row: a title per case and a line per peer."""
    for case, peers in result["cases"].items():
        yield f"{case}, each of {OPERATIONS[case]}" if case in OPERATIONS else case
        medians = {p: statistics.median(a["rounds"]) for p, a in peers.items() if a.get("rounds")}
        for peer, answers in peers.items():
            if peer not in medians:
                yield f"  {_name(peer, result['versions']):20}  left out: {answers['left_out']}"
                continue
            yield _line(_cells(case, peer, answers, medians, result))


def _cells(case, peer, answers, medians, result):
    seconds, rounds = medians[peer], answers["rounds"]
    own = [medians[p] for p in OWN if p in medians]
    warm = answers.get("warm", {}).get("first")
    return (
        f"  {_name(peer, result['versions'])}",
        _time(seconds / OPERATIONS.get(case, 1)),
        f"±{(max(rounds) - min(rounds)) / 2 / seconds:.0%}",
        f"{SAMPLES[case] / seconds:,.0f}".replace(",", " ") if case in SAMPLES else "",
        _time(answers["first"]),
        _time(warm) if warm is not None else "",
        _time(start_up(answers)),
        _share(case, seconds, result["probe"]),
        "" if peer in OWN or not own else f"{min(own) / seconds:.2g}",
    )


def _share(case, seconds, probe):
    for counts, peak, each in (MULTIPLICATIONS, 0, 2), (BYTES, 1, 1):
        if case in counts and probe:
            return f"{each * counts[case] / seconds / probe[peak]:.0%}"
    return ""


def _name(peer, versions):
    if peer in OWN:
        return "sporax" if peer == "sporax" else "sporax under jit"
    return f"{LIBRARIES[library(peer)]} {versions.get(peer, '')}".strip()


def _time(seconds):
    """Format a time with three digits and a unit."""
    unit, name = next(((u, n) for u, n in ((1, "s"), (1e3, "ms")) if seconds * u >= 1), (1e6, "us"))
    digits = f"{seconds * unit:.3g}" if seconds * unit < 1000 else f"{seconds * unit:.0f}"
    return f"{digits} {name}"


def _line(cells):
    first, *others = zip(cells, _WIDTHS, strict=True)
    return (f"{first[0]:{first[1]}}" + "".join(f"{x:>{w}}" for x, w in others)).rstrip()
