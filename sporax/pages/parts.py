"""Parts of bodies and of what notebooks show: tables, bars, facts, foldable sections."""

from sporax.pages.markup import Markup, element, escape, join


def table(headers, rows, *, caption="", label="", numeric=(), classes=None):
    """An HTML table in a box that scrolls by itself on narrow screens.

    `headers`: the columns' names. `rows`: sequences of cells, text or `Markup`; the first cell of
    each is its heading. `label`: what a screen reader says of the box, where it is neither the
    caption nor the first headers. `numeric`: the indices of columns that are aligned to the right.
    `classes`: a CSS class for each row, or None.

    >>> from sporax import pages
    >>> "<td>1 &lt; 2</td>" in pages.table(["name", "rule"], [["a", "1 < 2"]])
    True
    """
    numeric = set(numeric)

    def cells(tag, contents, scope):
        for i, content in enumerate(contents):
            is_heading = tag == "th" or i == 0
            yield element(
                "th" if is_heading else "td", content,
                scope=scope if is_heading else None, class_="number" if i in numeric else None,
            )  # fmt: skip

    head = element("thead", element("tr", join(cells("th", headers, "col"))))
    body = element("tbody", join(
        element("tr", join(cells("td", row, "row")), class_=classes[k] if classes else None)
        for k, row in enumerate(rows)
    ))  # fmt: skip
    title = element("caption", caption) if caption else ""
    label = label or caption or ", ".join(map(str, headers[:3]))
    inside = element("table", Markup(title), head, body)
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=label)


_IN_NOTEBOOK = (
    ".sporax table th, .sporax table td {text-align: left !important} "
    ".sporax table .number {text-align: right !important} "
    ".sporax tbody th {font-weight: normal; white-space: pre}"
)


def in_notebook(*parts):
    """Tables and text for the output of a notebook, whose style aligns all cells to the right."""
    style = Markup(f"<style>{_IN_NOTEBOOK}</style>")
    return element("div", style, *parts, class_="sporax")


def bar(share, text="", kind=""):
    """A horizontal bar, `share` of the width (0 to 1) filled, with text beside it. `kind`: 'good',
    'bad', or '' for a neutral one."""
    percent = f"{100 * min(max(float(share), 0.0), 1.0):.2f}%"
    filled = Markup(f'<span class="bar {escape(kind)}" style="width:{percent}"></span>')
    return element("span", element("span", filled, class_="track"), text, class_="measured")


def facts(pairs):
    """Names and their values side by side: `[("parameters", "11.7 M"), ...]`."""
    items = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", join(items), class_="facts")


def details(summary, *contents, is_open=False):
    """A section that the reader can fold."""
    return element("details", element("summary", summary), *contents, open=is_open)
