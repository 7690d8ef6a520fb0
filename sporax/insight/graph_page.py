"""HTML page of a graph: boxes are foldable sections, laid out by the browser; a script draws the
edges between them, searches, zooms, and saves what is shown as a picture."""

from pathlib import Path

from sporax._src.workbench import pages
from sporax.insight.graph_nodes import label_of

_HERE = Path(__file__).parent
_FIRST_VISIBLE = 60  # nodes; outer boxes are opened first, up to this number


def write(top, count, path):
    """Write the page of the outermost box; returns its path."""
    open_boxes = _opened(top)
    ids = {node: k for k, node in enumerate(top.walk())}
    canvas = pages.element(
        "div", pages.Markup('<svg id="edges" aria-hidden="true"></svg>'),
        _rows(top, ids, open_boxes), id="canvas",
    )  # fmt: skip
    graph = pages.element(
        "div", pages.element("div", canvas, id="sheet"), id="graph", tabindex="0", role="region",
        aria_label="graph",
    )  # fmt: skip
    body = pages.join([_controls(count), graph])
    body += pages.embedded("links", _links(top, ids))
    title = f"Graph of {top.label}"
    style, script = (_HERE.joinpath(name).read_text("utf8") for name in ("graph.css", "graph.js"))
    return pages.write_page(
        path, title, pages.Markup(body), style=style, script=script,
        subtitle=f"{count} operations; a click on a Cell folds it; drag to move, Ctrl and the "
        "wheel, or + and -, to zoom",
    )  # fmt: skip


def _controls(count):
    label = pages.element("label", "Search", for_="search")
    field = pages.Markup(
        '<input id="search" type="search" placeholder="Cell or operation, Enter: next" '
        'autocomplete="off">'
    )
    matches = pages.element("output", "", id="found", for_="search")
    buttons = [
        pages.element("button", text, type="button", id=key)
        for key, text in (("open", "Open all"), ("close", "Fold all"))
    ]
    zoom = [
        pages.element(
            "button", text, type="button", id=key, title=said,
            aria_label=None if text.isalnum() else said,
        )
        for key, text, said in (
            ("smaller", "\N{MINUS SIGN}", "Zoom out"), ("whole", "100%", "Actual size, 100%"),
            ("larger", "+", "Zoom in"), ("fit", "Fit", "Zoom so that all of the graph is visible"),
            ("svg", "SVG", "Save what is shown as an SVG picture"),
            ("png", "PNG", "Save what is shown as a PNG picture"),
        )
    ]  # fmt: skip
    return pages.element("div", label, field, matches, *buttons, *zoom, class_="controls")


def _opened(top):
    """Return the boxes that are open initially: outer boxes first, while at most `_FIRST_VISIBLE`
    nodes are visible. A box with a single operation, such as a layer, stays folded and shows the
    operation's Parameters."""
    opened, queue, visible = {top}, [top], len(top.children)
    for box in queue:
        for node in box.children:
            more = len(node.children)
            if node.is_box and _only(node) is None and visible + more <= _FIRST_VISIBLE:
                visible += more
                opened.add(node)
                queue.append(node)
    return opened


def _only(box):
    """Return the operation of a box that has no other node, or None."""
    return box.children[0] if len(box.children) == 1 and not box.children[0].is_box else None


def _rows(box, ids, opened):
    _, lanes = box.lanes()
    rows = [
        pages.element("div", *[_node(node, ids, opened) for node in row], class_="row")
        for row in box.rows()
    ]
    return pages.element("div", *rows, class_="rows", style=f"--lanes:{lanes}")


def _node(node, ids, opened):
    note = pages.element("span", node.note, class_="note") if node.note else ""
    label = pages.element("span", node.label, class_="label")
    back = " back" if node.is_backward else ""
    key = f"p{ids[node]}"
    if node.is_box:
        inside = _only(node)
        only = pages.element("span", inside.note, class_="note only") if inside else ""
        summary = pages.element("summary", label, note, only, title=node.path or None)
        return pages.element(
            "details", summary, _rows(node, ids, opened), id=key, class_=f"box{back}",
            open=node in opened,
        )  # fmt: skip
    where = f"{node.line[0]}:{node.line[1]}" if node.line else None
    return pages.element("div", label, note, id=key, class_=f"part {node.kind}{back}", title=where)


def _links(top, ids):
    """Return [box, [[from, to, lane or -1, label], ...]] for each box; None is the outside."""
    every = []
    for box in top.walk():
        lanes, _ = box.lanes()
        indices = [ids[node] for node in box.children]
        ways = [*box.edges.items(), *(((None, j), s) for j, s in box.entries.items())]
        ways += [((i, None), s) for i, s in box.exits.items()]
        links = [
            [None if i is None else indices[i], None if j is None else indices[j],
             lanes.get((i, j), -1), label_of(shapes)]
            for (i, j), shapes in ways
        ]  # fmt: skip
        if links:
            every.append([ids[box], links])
    return every
