"""The tables of docs/scaling.md are those of its results, and the results what can be counted."""

import pytest

from bench.scaling import model, page

RESULTS = page.load()
ROWS = {(r["network"], r["way"], r["devices"], r["topology"]): r for r in RESULTS["counted"]}
SEVERAL = 2, 4, 8, 16, 32, 64, 128, 256, 512
MLP = 512 * 2048 + 2048 + 2048 * 512 + 512 + 512 * 16 + 16  # its elements
# of a block: four products with biases, the network, two norms
BLOCK = 4 * (256 * 256 + 256) + 256 * 1024 + 1024 + 1024 * 256 + 256 + 4 * 256
ELEMENTS = {"MLP": MLP, "transformer": 2 * BLOCK + 256 * 16 + 16}


def test_the_tables_are_those_of_the_results():
    text = page.PAGE.read_text("utf8")
    assert page.written(text, RESULTS) == text
    assert (page.ROOT / "docs" / "scaling.svg").read_text("utf8").rstrip().endswith("</svg>")


@pytest.mark.parametrize("network", ELEMENTS)
@pytest.mark.parametrize("n", SEVERAL)
def test_counts_are_those_by_hand(network, n):
    whole = 4 * ELEMENTS[network]
    data, states = (ROWS[network, way, n, ""] for way in ("data", "states"))
    reduced = sum(size * count for kind, size, count, *_ in data["collectives"])
    assert {kind for kind, *_ in data["collectives"]} == {"all-reduce"}
    assert reduced == whole + 12  # and three sums for the loss
    alone = ROWS[network, "data", 1, ""]
    # what each device computes whole: the update, some operations for each element
    whole_work = (n * data["flops"] - alone["flops"]) / (n - 1)
    assert 2 * ELEMENTS[network] < whole_work < 12 * ELEMENTS[network]
    # 2(n-1)/n of the gradients and (n-1)/n of the weights whose states are divided
    gathered = sum(size * c for kind, size, c, *_ in states["collectives"] if kind == "all-gather")
    assert gathered <= whole and states["arguments"] < data["arguments"]
    sent = 2 * (n - 1) / n * reduced + (n - 1) / n * gathered
    assert model.cost(states).traffic == pytest.approx(sent)


def test_the_constants_are_found_again():
    """From times that the model itself has given."""
    flops = [1e6, 1e7, 1e8, 1e9]
    sizes = [1e3, 1e5, 1e7]
    measured = {
        "programs": [[0, f, 0] for f in flops],
        "steps": {"1": [[0, 0, 2e-5 + f / 3e10] for f in flops]},
        "links": {"2": [[s, 2 * 1e-4 + s / 5e8, 0] for s in sizes]},
    }
    found = model.machine(measured)
    constants = found.rate, found.start, found.link.latency, found.link.bandwidth
    assert constants == pytest.approx((3e10, 2e-5, 1e-4, 5e8), rel=1e-6)
