"""The tables of `docs/scaling.md` and its picture, from `docs/scaling.json`.

python -m bench.scaling.page
"""

import json
import re

from bench.scaling import model, picture
from bench.scaling.run import RESULTS, ROOT
from sporax._src.core.units import bytes_text, seconds

PAGE = ROOT / "docs" / "scaling.md"
WAYS = {"data": "data parallel", "states": "states divided", "tensor": "tensor parallel"}


def load():
    """The results."""
    return json.loads(RESULTS.read_text("utf8"))


def _table(head, rows):
    lines = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "--:|" * len(head), *lines])


def counted(results, network, is_topology=False):
    """Rows of a network, by devices: flops, bytes of arguments, bytes sent, in each way."""
    rows = {}
    for row in results["counted"]:
        if row["network"] == network and bool(row["topology"]) == is_topology:
            rows.setdefault(row["devices"], {})[row["way"]] = row
    cells = []
    for n, by_way in sorted(rows.items()):
        cells.append([by_way["data"]["topology"] or n])
        for way in WAYS:
            row = by_way[way]
            cells[-1] += [f"{row['flops'] / 1e6:,.0f}", bytes_text(row["arguments"]),
                          bytes_text(model.cost(row).traffic)]  # fmt: skip
    head = ["devices"]
    for name in WAYS.values():
        head += [f"{name}: Mflop", "arguments", "sent"]
    return _table(head, cells)


def kinds(results, network, n):
    """The collectives of each way on `n` devices: simulated, and on a TPU if available."""
    cells = []
    for row in results["counted"]:
        if (row["network"], row["devices"]) == (network, n):
            totals = {}
            for kind, size, count, *_ in row["collectives"]:
                before = totals.get(kind, (0, 0))
                totals[kind] = before[0] + count, before[1] + count * size
            shown = "; ".join(f"{c} {kind} of {bytes_text(b)}" for kind, (c, b) in totals.items())
            cells.append([WAYS[row["way"]], row["topology"] or "simulated", shown])
    return _table(["way", "devices", "collectives"], sorted(cells))


def fitted(results):
    """Measured against the model."""
    rows = list(model.fitted_rows(results["measured"]))
    fits = [abs(m / t - 1) for *_, t, m, is_fitted in rows if is_fitted]
    others = [m / t - 1 for *_, t, m, is_fitted in rows if not is_fitted]
    table = _table(
        ["what", "size", "measured", "model", "error", ""],
        [[what, size, seconds(t), seconds(m), f"{m / t - 1:+.0%}", "fitted" if is_fitted else ""]
         for what, size, t, m, is_fitted in rows],
    )  # fmt: skip
    return (
        f"{table}\n\nErrors of fitted rows: at most {max(fits):.0%}; of the others: "
        f"{min(others):+.0%} to {max(others):+.0%}. Load of the machine at the end: "
        f"{results['measured']['load']:.1f}."
    )


def figures(results):
    """The constants of the model."""
    rows = []
    for name, m in (
        ("fitted here", model.machine(results["measured"])),
        ("assumed", model.ASSUMED),
    ):
        inside = m.host_link or m.link
        rows.append([
            name, f"{m.rate / 1e9:,.1f} Gflop/s", seconds(m.start) if m.start else "0",
            f"{seconds(inside.latency)}, {bytes_text(inside.bandwidth)}/s",
            f"{seconds(m.link.latency)}, {bytes_text(m.link.bandwidth)}/s",
        ])  # fmt: skip
    head = ["machine", "rate of a device", "start of a step", "link in a host", "between hosts"]
    return _table(head, rows)


def predicted(results, network, machine):
    """Predicted times of a step: with communication overlapped as far as possible, and not at
    all."""
    rows = {}
    for row in results["counted"]:
        if row["network"] == network and not row["topology"]:
            short, long = model.cost(row).seconds(machine)
            text = seconds(long) if long < 1.01 * short else f"{seconds(short)} to {seconds(long)}"
            rows.setdefault(row["devices"], [row["devices"]]).append(text)
    return _table(["devices", *WAYS.values()], [rows[n] for n in sorted(rows)])


def blocks(results):
    """The tables of the page, by the names of their placeholders."""
    here = model.machine(results["measured"])
    return {
        "counted MLP": counted(results, "MLP"),
        "counted transformer": counted(results, "transformer"),
        "counted large": counted(results, "large transformer"),
        "topologies": counted(results, "MLP", is_topology=True),
        "kinds": kinds(results, "transformer", 16),
        "fitted": fitted(results),
        "figures": figures(results),
        "predicted here": predicted(results, "transformer", here),
        "predicted assumed": predicted(results, "transformer", model.ASSUMED),
        "predicted large": predicted(results, "large transformer", model.ASSUMED),
    }


def written(text, results):
    """The text of the page with the tables of these results."""
    for name, table in blocks(results).items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not place.search(text):
            raise ValueError(f"docs/scaling.md has no place for the table '{name}'.")
        text = place.sub(lambda m, table=table: f"{m[1]}{table}\n{m[2]}", text)
    return text


def main():
    results = load()
    PAGE.write_text(written(PAGE.read_text("utf8"), results), "utf8")
    picture.write(results, ROOT / "docs" / "scaling.svg")


if __name__ == "__main__":
    main()
