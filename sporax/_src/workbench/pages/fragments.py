"""Parts of page bodies and notebook outputs: tables, bars, facts, collapsible sections."""

from sporax._src.workbench.pages.markup import Markup, element, escape, join


def table(headers, rows, *, caption="", label="", numeric=(), classes=None):
    """Return an HTML table in a box that scrolls on narrow screens.

    `headers`: the column names. `rows`: sequences of cells, text or `Markup`; the first cell of
    each row is its heading. `label`: the box's text for screen readers, by default the caption or
    the first headers. `numeric`: indices of right-aligned columns. `classes`: a CSS class for each
    row, or None.

    >>> from sporax._src.workbench import pages
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


def in_notebook(*contents):
    """Wrap tables and text for a notebook, overriding its right alignment of all cells."""
    style = Markup(f"<style>{_IN_NOTEBOOK}</style>")
    return element("div", style, *contents, class_="sporax")


def bar(share, text="", kind=""):
    """Return a horizontal bar, filled to `share` (0 to 1) of its width, with text beside it.
    `kind`: 'good', 'bad', or '' (neutral)."""
    percent = f"{100 * min(max(float(share), 0.0), 1.0):.2f}%"
    filled = Markup(f'<span class="bar {escape(kind)}" style="width:{percent}"></span>')
    return element("span", element("span", filled, class_="track"), text, class_="measured")


def facts(pairs):
    """Return names with their values: `[("parameters", "11.7 M"), ...]`."""
    items = (element("div", element("dt", name), element("dd", value)) for name, value in pairs)
    return element("dl", join(items), class_="facts")


def details(summary, *contents, is_open=False):
    """Return a collapsible section."""
    return element("details", element("summary", summary), *contents, open=is_open)
