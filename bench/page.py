"""`docs/performance.md`, its pictures and the tables of the READMEs, from `docs/performance.json`.

python -m bench.page
"""

import json
import re
import statistics
from pathlib import Path

from bench import picture, readme
from bench.measurement import BUSY, start_up
from bench.rows import (
    ACCURACY,
    BYTES,
    CHANGING,
    DATA,
    FIRST_STEPS,
    INFERENCE,
    MULTIPLICATIONS,
    ONCE,
    OWN,
    PEERS,
    ROWS,
    SCALED,
    TRAINING,
)
from bench.shapes import CHAIN

ROOT = Path(__file__).resolve().parents[1]
STYLES = {
    "sporax": "sporax dynamic", "sporax-jit": "sporax jit", "torch": "PyTorch eager",
    "torch-channels-last": "channels-last", "torch-compile": "torch.compile", "jax": "JAX jit",
    "mindspore": "MindSpore", "mindspore-jit": "MindSpore jit",
}  # fmt: skip
LIBRARY_NAMES = {"sporax": "sporax", "torch": "PyTorch", "jax": "JAX", "mindspore": "MindSpore"}
DISTURBED = (
    "other work disturbed it. That slows PyTorch's threads above all, so the ratios flatter "
    "sporax: to be measured again on a quiet machine."
)
OPERATIONS = CHAIN.operations  # in one call of "small operation"


def ratio(cells):
    """sporax's best value divided by the best of the other peers; None if one is missing, or if
    another peer's value is 0."""
    own = [v for p, v in cells.items() if p in OWN]
    others = [v for p, v in cells.items() if p not in OWN]
    return min(own) / min(others) if own and others and min(others) else None


def number(value):
    """Three digits, no exponent."""
    if value >= 100:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}" if value >= 0.001 or value == 0 else f"{value:.1e}"


def table(title, rows, names=STYLES, extra=()):
    """Markdown: a row for each (name, {peer: value}, further cells); only peers that occur."""
    rows = [row for row in rows if row[1]]
    here = [p for p in names if any(p in cells for _, cells, *_ in rows)]
    heads = [title, *(names[p] for p in here), "sporax / best peer", *extra]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, cells, *further in rows:
        quotient = ratio(cells)
        shown = [number(cells[p]) if p in cells else "-" for p in here]
        shown.append("-" if quotient is None else f"**{quotient:.2f}**")
        lines.append("| " + " | ".join([name, *shown, *further]) + " |")
    return lines


class Results:
    """The measurements, by case."""

    def __init__(self, results):
        self.tree = results
        self.rows = results["rows"]

    def cases(self, rows):
        """(case, {peer: answers}, [matrix products' operations, copied bytes] a second)."""
        for row in rows:
            measured = self.rows.get(row.name, {"cases": ()})
            for case in filter(measured["cases"].__contains__, row.cases):
                yield case, measured["cases"][case], measured["probe"]

    def medians(self, rows, unit=1e3):
        """(case, {peer: median of the rounds}) in milliseconds, or microseconds an operation."""
        for case, peers, _ in self.cases(rows):
            small = case.startswith("small")
            scale, name = (1e6 / OPERATIONS, f"{case}, us") if small else (unit, case)
            yield name, {
                p: scale * statistics.median(a["rounds"])
                for p, a in peers.items() if a.get("rounds")
            }  # fmt: skip

    def spread(self, rows):
        """The median, over cases and peers, of half the distance of the rounds' extremes."""
        found = [
            (max(a["rounds"]) - min(a["rounds"])) / 2 / statistics.median(a["rounds"])
            for _, peers, _ in self.cases(rows) for a in peers.values() if a.get("rounds")
        ]  # fmt: skip
        return statistics.median(found) if found else 0.0

    def shares(self, rows):
        """{case: sporax's share of the measured peak of matrix products, or of copying}."""
        shares = {}
        for case, peers, probe in self.cases(rows):
            times = [
                statistics.median(peers[p]["rounds"]) for p in OWN if peers.get(p, {}).get("rounds")
            ]
            if not times or not probe:
                continue
            if case in MULTIPLICATIONS:
                shares[case] = f"{2 * MULTIPLICATIONS[case] / min(times) / probe[0]:.0%}"
            elif case in BYTES:
                shares[case] = f"{BYTES[case] / min(times) / probe[1]:.0%} of copying"
        return shares

    def answers(self, rows, value):
        """(case, {peer: value(answers)}) of peers that were not left out; None is left out too."""
        for case, peers, _ in self.cases(rows):
            found = {p: value(a) for p, a in peers.items() if "left_out" not in a}
            yield case, {p: v for p, v in found.items() if v is not None}


def calls(answers):
    return answers["calls"][0] + 1 if "calls" in answers else None


def warm_first(answers):
    return answers["warm"]["first"] if "warm" in answers else None


STEPS = """\
Milliseconds of a training step (forward, backward, Adam) or of what the name says. "Of the peak":
sporax's share of the speed of a 2048 x 2048 matrix product (of a copy), measured by PyTorch between
the rounds of the same row. Half the distance of the rounds' extremes is typically {:.0%} of the
median."""
FIRST = """\
Seconds of building the network and its first step, in a fresh process after the import, nothing
kept in files."""
WARM = "The same with the compiled programs that the process before has left in files:"
COMPILING = """\
Compile time, cold: what the first calls (20, or those of two seconds) take beyond as many later
ones."""
LOOPS = """\
Seconds, once, in a fresh process; the encoder takes 100 steps on sentences of 1 to 100 words."""
CALLS = """\
Calls until the last program is compiled, with which the steps above are measured:"""
MEMORY = "Megabytes beyond those after the import, of later steps, when all is compiled:"
DATA_ROWS = """\
Milliseconds of an epoch of `mindspore.dataset`, or of PyTorch's DataLoader: 128 JPEG files decoded,
resized and normalised by two workers (two threads in sporax, two processes in PyTorch), batches of
32; and 20,000 rows of 784 numbers in memory, shuffled, batches of 64."""
SCALING = """\
Milliseconds of a step of a transformer as one size grows; in "overhead" there is next to nothing
to compute, so that Python and dispatch remain.

![Time as sizes grow](performance-scaling.svg)"""
LEFT_OUT = "Peers that failed, or took more than the limit of time for their first calls:"


def sections(results):
    """(title, text, lines) of each."""
    r, weight = Results(results), results.get("weight", {})
    shares = r.shares(TRAINING)
    steps = [(*row, shares.get(row[0], "")) for row in r.medians(TRAINING)]
    steps = table("ms", steps, extra=("of the peak",))
    yield "## Steps", STEPS.format(r.spread(TRAINING)), steps
    yield "## Inference at batch 1", "Milliseconds.", table("ms", r.medians(INFERENCE))
    yield (
        "## First step",
        FIRST,
        table("s, cold", r.answers(TRAINING + FIRST_STEPS, lambda a: a["first"])),
    )
    yield "", WARM, table("s, warm", r.answers(TRAINING, warm_first))
    yield "", COMPILING, table("s", r.answers(TRAINING, start_up))
    yield "", CALLS, table("calls", r.answers(TRAINING, calls))
    once = [*r.answers((*ONCE, ACCURACY), lambda a: a["first"])]
    once += r.answers((CHANGING,), lambda a: sum(a["each"]))
    yield "## Loops, changing lengths, training to an accuracy", LOOPS, table("s, cold", once)
    yield "## Data", DATA_ROWS, table("ms", r.medians(DATA))
    later, highest = (
        table("MB", r.answers(TRAINING, lambda a, i=i: a["memory"][i] / 1e6)) for i in (1, 0)
    )
    yield "## Peak memory", MEMORY, later
    yield "", "With set-up, compiling and the first calls:", highest
    yield "## Scaling", SCALING, table("ms", r.medians(SCALED))
    rows = [
        ("import, s", {p: w["import"] for p, w in weight.items()}),
        ("installed with all it needs, MB", {p: w["size"] / 1e6 for p, w in weight.items()}),
    ]
    yield "## Weight", "Of the libraries.", table("library", rows, LIBRARY_NAMES)
    left_out = [
        f"- {case}: {STYLES[p]}, {a['left_out']}"
        for case, peers, _ in r.cases(ROWS)
        for p, a in peers.items()
        if "left_out" in a
    ]
    yield "## Left out", LEFT_OUT, ["", *left_out, ""]


METHOD = """## Method

- One process a peer, fresh for each row; they take turns, one at a time, seven rounds a case, so
  that what disturbs the machine disturbs all of them. Shown is the median of the rounds' medians.
  Every call ends with its result on the host.
- Peers in their ordinary best style: PyTorch eager, with channels-last images, and under
  `torch.compile`; plain JAX with one `jax.jit` a step. A ratio is the best of sporax's two modes
  divided by the best of the other peers: below 1 sporax is ahead.
- The cases are described in `bench/README.md`, their sizes in `bench/shapes.py`. All is
  float32.
- [Profiles](profiles.md) has the times of single operations.

## Run it

`make bench` measures what has not been measured with the code as it is, 25 minutes at most, row by
row (run it again to go on), and writes this page. `make bench ARGS="--rows GPT,LSTM --again"`
measures two rows anew. The numbers of each round are in `docs/performance.json`, with date, load
and versions of each row.
"""


def heading(results):
    rows, machine = results["rows"].values(), results["machine"]
    versions = sorted({
        f"{peer.partition('-')[0]} {version}"
        for row in rows for peer, version in row["versions"].items()
    })  # fmt: skip
    dates = sorted(row["date"] for row in rows)
    loads = [row["load"] for row in rows]
    probes = [row["probe"] for row in rows if row["probe"]]
    lines = [
        "# Performance", "",
        "Written by `python -m bench.page` from `docs/performance.json`, not by hand.", "",
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; "
        f"{', '.join(versions)}. Measured {dates[0]} to {dates[-1]} (UTC); load "
        f"of the machine by other work before a row {min(loads):g} to {max(loads):g}"
        + ("." if max(loads) <= BUSY else f": {DISTURBED}"),
    ]  # fmt: skip
    if probes:
        product, copy = (statistics.median(p) for p in zip(*probes, strict=True))
        lines += ["", (
            f"A matrix product runs at {product / 1e9:.0f} GFLOP/s, a copy at {copy / 1e9:.1f} "
            "GB/s (read and written), medians of all rows."
        )]  # fmt: skip
    return lines


def text(results):
    """The page, without sections that have no rows."""
    lines = [*heading(results), "", "![Times beside the best peer](performance.svg)", ""]
    for title, intro, body in sections(results):
        if len(body) > 2:
            lines += [title, ""] if title else []
            lines += [intro, "", *body, ""]
    return re.sub("\n{3,}", "\n\n", "\n".join(lines) + "\n" + METHOD)


def pictures(results):
    r = Results(results)
    rows = [(n, ratio(c)) for n, c in r.medians(TRAINING + INFERENCE)]
    bars = [(name.removesuffix(", us"), value) for name, value in rows if value is not None]
    title = "Time of sporax / best peer: left of 1, sporax is faster"
    panels, peers = {}, [p for p in PEERS if p in SCALED[0].peers]
    for row in SCALED:
        cells = [cells for _, cells in r.medians((row,))]
        curves = {p: [c[p] for c in cells] for p in peers if cells and all(p in c for c in cells)}
        if curves:
            panels[row.name.removeprefix("scaling: ")] = curves
    names = [STYLES[p] for p in peers]
    panels = {n: {STYLES[p]: t for p, t in curves.items()} for n, curves in panels.items()}
    drawn = {"performance.svg": picture.ratios(bars, title)}
    if panels:
        growth = picture.growth(panels, names, "Time of a step as one size grows")
        drawn["performance-scaling.svg"] = growth
    return drawn


def files(results):
    """{path: text} of all files written from the results."""
    pages = {
        f"docs/{n}": t for n, t in ({"performance.md": text(results)} | pictures(results)).items()
    }
    for name in readme.HEADS:
        content = readme.table(name, Results(results), ratio)
        pages[name] = readme.with_table((ROOT / name).read_text("utf8"), content)
    return pages


def write(results):
    for name, content in files(results).items():
        (ROOT / name).write_text(content, encoding="utf8")


def load():
    return json.loads((ROOT / "docs/performance.json").read_text(encoding="utf8"))


if __name__ == "__main__":
    write(load())
