"""A `Report` as one HTML page, in the frame of `sporax._src.workbench.pages`."""

from sporax._src.workbench.pages import details, element, join, page, table
from sporax.io import atomic_write

_TITLE = "PyTorch and sporax, layer by layer"
_STYLE = """
.verdict { margin-top: 12px; padding: .8rem 1rem; border-radius: .5rem; overflow-wrap: anywhere;
  border: 1px solid var(--line); border-left-width: 5px; }
.verdict.equal { border-left-color: var(--good); }
.verdict.departs { border-left-color: var(--bad); }
.verdict p, .verdict ul { margin: .3rem 0; }
.departing { color: var(--bad); font-weight: 600; }
tr.first > * { background: var(--c4); }
tr.first > th:first-child { box-shadow: inset 4px 0 var(--bad); }
li { overflow-wrap: anywhere; }
.layers summary { white-space: nowrap; }
.layers > .scroll > table > tbody > tr > .number { white-space: normal; }
@media (max-width: 40rem) {
  .layers thead { position: absolute; clip-path: inset(50%); }
  .layers > .scroll > table > tbody > tr { display: block; padding: 5px 0;
    border-top: 1px solid var(--line); }
  .layers > .scroll > table > tbody > tr > * { display: block; border: 0; padding: 1px 10px;
    text-align: left; white-space: normal; overflow-wrap: anywhere; }
  .layers > .scroll > table > tbody > tr > :nth-child(3)::before { content: "forward: "; }
  .layers > .scroll > table > tbody > tr > :nth-child(4)::before { content: "backward: "; }
}
tbody details { margin: 0; }
"""


def write(report, path):
    """Write the page atomically."""
    text = page(_TITLE, body(report), style=_STYLE)
    with atomic_write.errors_named("Report.write_html", path):
        atomic_write.write(path, text.encode("utf8"))


def body(report):
    """Return the page without its frame, as a notebook shows it."""
    return join([_verdict(report), _rows(report), *_others(report), _mapping(report)])


def _code(text):
    return element("code", text)


def _items(contents):
    return element("ul", join(element("li", content) for content in contents)) if contents else ""


def _verdict(report):
    first, *_ = report.verdict().split("\n")
    causes = () if report.equal else (element("p", "Likely causes:"), _items(report.causes))
    kind = "equal" if report.equal else "departs"
    return element("div", element("p", first), *causes, class_=f"verdict {kind}")


def _rows(report):
    first = None if report.equal else report.first_departure.row
    says = (
        "The largest absolute difference, and in parentheses relative to the largest number of "
        "PyTorch's tensor. Rows are in the order of PyTorch's calls; they depart beyond "
        f"{report.atol:g} + {report.rtol:g} times that number."
    )
    lines = [_row(row, row is first) for row in report.rows]
    head = "layer", "class", "forward", "backward", "verdict"
    classes = ["first" if row is first else None for row in report.rows]
    shown = element("div", table(head, lines, numeric=(2, 3), classes=classes), class_="layers")
    return join([element("h2", "Layers"), element("p", says, class_="quiet"), shown])


def _row(row, is_first):
    kinds = [row.torch_class, *([row.cell_class] if row.cell_class != row.torch_class else [])]
    gaps = [[name, _number(gap)] for name, gap in row.gaps.items() if gap is not None]
    inside = details(
        _code(row.title),
        table(("tensor", "difference"), gaps, label=f"tensors of {row.title}", numeric=(1,)),
        _items(row.causes),
    )  # fmt: skip
    verdict = element("b", "first departure") if is_first else row.verdict()
    return inside, " / ".join(kinds), _number(row.forward), _number(row.backward), verdict


def _number(gap):
    if gap is None:
        return "-"
    return element("span", str(gap), class_="departing") if gap.departs else str(gap)


def _others(report):
    other = [join([_code(paths), f": {says}"]) for says, paths in report.other_differences()]
    sections = {
        "Also different": other,
        "Without a counterpart, of PyTorch": [_code(name) for name in report.only_torch],
        "Without a counterpart, of the Cell": [_code(name) for name in report.only_cell],
        "Notes": report.notes,
    }
    return [join([element("h2", title), _items(items)]) for title, items in sections.items()
            if items]  # fmt: skip


def _mapping(report):
    pairs = report.mapping.pairs.items()
    lines = [[_code(name), _code(", ".join(paths))] for name, paths in pairs]
    says = f"{len(lines)} of PyTorch's, and those of the Cell that have their values"
    return join([element("h2", "Parameters"), details(says, table(("PyTorch", "Cell"), lines))])
