"""The time model, fitted to the measurements, and its predictions."""

import numpy as np

from sporax import parallel
from sporax._src.devices.sharding.collective_bytes import MESSAGES, TRAFFIC

# Not measured: round figures for eight accelerators a host, and a network adapter for each.
ASSUMED = parallel.Machine(
    rate=50e12, per_host=8, host_link=parallel.Link(3e-6, 200e9), link=parallel.Link(10e-6, 25e9),
)  # fmt: skip


def _fitted(columns, seconds):
    """Nonnegative coefficients that minimise the sum of squared relative errors."""
    seconds = np.array(seconds)
    matrix = np.array(columns, np.float64).T / seconds[:, None]
    kept = list(range(matrix.shape[1]))
    while True:
        found = np.linalg.lstsq(matrix[:, kept], np.ones(len(seconds)), rcond=None)[0]
        if (found >= 0).all():
            break
        kept.pop(int(found.argmin()))
    result = np.zeros(matrix.shape[1])
    result[kept] = found
    return result


def machine(measured):
    """The `Machine` of this host, with one core per rank: fitted to the processor time of training
    steps of one rank, and to the all-reduces of two ranks."""
    flops = [row[1] for row in measured["programs"]]
    start, per_flop = _fitted(
        [np.ones(len(flops)), flops], [worked for *_, worked in measured["steps"]["1"]]
    )
    sizes, seconds, _ = zip(*measured["links"]["2"], strict=True)
    latency, per_byte = _fitted(
        [
            [MESSAGES["all-reduce"](2)] * len(sizes),
            [size * TRAFFIC["all-reduce"](2) for size in sizes],
        ],
        seconds,
    )
    link = parallel.Link(float(latency), 1 / float(per_byte))
    return parallel.Machine(rate=1 / float(per_flop), link=link, start=float(start))


def fitted_rows(measured):
    """(kind, size, measured seconds, the model's seconds, True if used for fitting) of each
    measurement."""
    here = machine(measured)
    for n, rows in measured["links"].items():
        for size, seconds, _ in rows:
            time = _cost(int(n), 0, size).communication_seconds(here)
            yield f"all-reduce, {n} ranks", f"{size:,} bytes", seconds, time, n == "2"
    for n, rows in measured["steps"].items():
        for (hidden, *times), (_, flops, size) in zip(rows, measured["programs"], strict=True):
            time = _cost(int(n), flops, size if n != "1" else 0).seconds(here)[1]
            what = "step of 1 rank, of the processor" if n == "1" else f"step of {n} ranks"
            yield what, f"{hidden:,} hidden units", times[n == "1"], time, n == "1"


def _cost(n, flops, size):
    """A program that computes, then reduces some bytes among `n` devices."""
    reduced = [parallel.Collective("all-reduce", size, (tuple(range(n)),))] if size else []
    return parallel.ProgramCost(n, flops, 0, 0, 0, reduced)


def cost(row):
    """The `ProgramCost` of a counted row."""
    found = [
        parallel.Collective(kind, size, (tuple(range(at, at + step * n, step)),), count)
        for kind, size, count, at, step, n in row["collectives"]
    ]
    return parallel.ProgramCost(
        row["devices"], row["flops"], row["arguments"], 0, row["temporary"], found
    )
