"""The report as text and as a page."""

import html.parser
import re

import numpy as np
import pytest

from sporax import migrate, nn
from sporax._src.workbench import pages
from sporax.migrate import report_page
from sporax.migrate.report import gap
from tests.migrate.cell_networks import Encoder, Wrapped
from tests.migrate.test_compare import run

pytestmark = pytest.mark.usefixtures("on_numpy")

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "ours, theirs, expected",
    [  # (absolute, relative, whether they depart)
        ([1.0, -4.0], [1.0, -4.0], (0, 0, False)),
        ([1.0, -4.0], [1.5, -4.0], (0.5, 0.125, True)),
        ([1000.0], [1000.01], (0.01, 1e-5, False)),
        ([NAN, INF], [NAN, INF], (0, 0, False)),
        ([NAN, 2.0], [1.0, 2.0], (INF, INF, True)),
        ([INF], [-INF], (INF, INF, True)),
        ([0.0], [1e-6], (1e-6, INF, False)),
        ([], [], (0, 0, False)),
        ([[1.0]], [1.0], (INF, INF, True)),
        (None, [0.0], (0, 0, False)),
        ([2.0], None, (2, 1, True)),
    ],
)
def test_gaps(ours, theirs, expected):
    found = gap(*(None if x is None else np.array(x) for x in (ours, theirs)), 2e-5, 1e-5)
    np.testing.assert_allclose((found.absolute, found.relative), expected[:2], rtol=1e-6)
    assert found.departs == expected[2]


def test_text():
    report = migrate.compare(run("encoder"), Encoder(nn.GELU))
    text = str(report)
    lines = text.splitlines()
    assert lines[0].split() == ["layer", "class", "forward", "backward"]
    first = next(line for line in lines if line.startswith("layers.0.mlp.1 "))
    assert first.endswith("departs forward and backward, the first")
    assert "layers.0.mlp.1 (GELU / GELU) is the first layer whose output differs" in text
    assert "  cause: form of GELU: none in PyTorch, tanh in the Cell. Write nn.GELU(" in text
    assert "initialisation: 'embedding.weight' has the standard deviation 1" in text
    assert not report and report.causes == report.first_departure.causes


def test_differences_without_an_effect_are_listed():
    report = migrate.compare(run("encoder"), Encoder(dropout=nn.Dropout(p=0.2)))
    says = "  layers.0.mlp.2, layers.1.mlp.2: probability: 0.1 in PyTorch, 0.2 in the Cell"
    assert report and says in str(report)


class Page(html.parser.HTMLParser):
    """The tags, the text, and whether each tag is closed."""

    VOID = frozenset({"meta"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.open, self.attributes = set(), [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


BAD = "<img src=x onerror=alert(1)>"


def hostile():
    """A report all of whose strings would be tags."""
    recorded = run("gelu")
    for module in recorded.modules:
        module.classes = [f"{BAD}{kind}" for kind in module.classes]
    recorded.modules[1].path = recorded.calls[0].path = BAD
    cell = Wrapped(nn.GELU())
    report = migrate.compare(recorded, cell)
    report.notes.append(BAD)
    report.only_cell.append(f"'\">{BAD}")
    report.mapping.pairs[BAD] = [BAD]
    return report


@pytest.mark.parametrize("make", [
    lambda: migrate.compare(run("encoder"), Encoder()),
    lambda: migrate.compare(run("encoder"), Encoder(act=False)), hostile,
])  # fmt: skip
def test_page(make, tmp_path):
    report = make()
    report.write_html(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf8")
    page = Page(text)
    assert not page.tags & {"img", "link", "iframe", "object"}
    assert (
        text.count("<script") == 1 and "default-src &#x27;none&#x27;" in text
    )  # the switch of the frame
    assert not any(name.startswith("on") for name in page.attributes)
    assert not re.search(r"https?:|url\(|@import", text)
    shown = "".join(page.text)
    for line in report.verdict().splitlines():
        assert line.strip().removeprefix("cause: ") in shown
    assert text.count("first departure") == (not report.equal)
    assert pages.in_notebook(report_page.body(report)) == report._repr_html_()
    assert report_page.body(report) in text


def test_a_page_that_cannot_be_written(tmp_path):
    report = migrate.compare(run("mlp"), Wrapped(nn.SequentialCell(
        nn.Dense(4, 6), nn.ReLU(), nn.Dense(6, 3), nn.Softmax())))  # fmt: skip
    with pytest.raises(OSError, match=r"For 'Report.write_html', '.*' could not be written: No su"):
        report.write_html(tmp_path / "nowhere" / "report.html")
