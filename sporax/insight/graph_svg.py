"""A graph of boxes as a standalone SVG picture."""

from sporax._src.workbench import pages
from sporax.insight.graph_nodes import label_of

_CHARACTER, _HEIGHT, _GAP, _ROW_GAP, _PAD, _HEAD, _LANE = 7.3, 26, 44, 34, 12, 24, 12
_LEAST = 190  # minimum inner width of a box, so that edge labels fit
_STYLE = """
text { font: 12px ui-monospace, "DejaVu Sans Mono", monospace; fill: #1f2328; }
.quiet { fill: #57606a; } .edge { fill: none; stroke: #57606a; } .arrow { fill: #57606a; }
rect { stroke: #8c959f; rx: 5px; fill: #ffffff; } .box { fill: #f6f8fa; } .back { fill: #fff1d6; }
.ends { fill: #ddf4ff; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .quiet { fill: #9da7b3; } .edge { stroke: #9da7b3; }
.arrow { fill: #9da7b3; } rect { stroke: #656c76; fill: #0d1117; } .box { fill: #161b22; }
.back { fill: #45330f; } .ends { fill: #12304d; }
}
"""


class _Box:
    """Layout of a node: `x`, `y` relative to the enclosing box, width and height."""

    def __init__(self, node, depth, max_depth):
        self.node, self.x, self.y, self.row_bottom = node, 0, 0, 0
        is_folded = max_depth is not None and depth >= max_depth
        self.is_open = node.is_box and bool(node.children) and not is_folded
        self.text = node.label + (f": {node.note}" if node.note else "")
        self.width, self.height = len(self.text) * _CHARACTER + 2 * _PAD, _HEIGHT
        self.children = []
        if self.is_open:
            self.children = [_Box(inner, depth + 1, max_depth) for inner in node.children]
            self._arrange()

    def _arrange(self):
        _, lanes = self.node.lanes()
        rows = [[self.children[p.index] for p in row] for row in self.node.rows()]
        widths = [sum(p.width for p in row) + _GAP * (len(row) - 1) for row in rows]
        side = _PAD + lanes * _LANE
        inner = max([*widths, self.width - 2 * side, _LEAST])
        y = _HEAD + _ROW_GAP
        for row, width in zip(rows, widths, strict=True):
            x, tallest = side + (inner - width) / 2, max(p.height for p in row)
            for box in row:
                box.x, box.y, box.row_bottom = x, y, y + tallest
                x += box.width + _GAP
            y += tallest + _ROW_GAP
        self.width, self.height = inner + 2 * side, y - _ROW_GAP // 2


def picture(top, depth=None):
    """Return the SVG of a box; Cells deeper than `depth` are folded."""
    box = _Box(top, 0, depth)
    out = []
    _draw(box, 0, 0, out)
    arrow = (
        '<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path class="arrow" d="M0 0L8 4L0 8z"/></marker>'
    )
    width, height = box.width + 2, box.height + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="-1 -1 {width:.0f} '
        f'{height:.0f}" width="{width:.0f}" height="{height:.0f}"><title>'
        f"{pages.escape(top.label)}</title><style>{_STYLE}</style><defs>{arrow}</defs>"
        f"{''.join(out)}</svg>\n"
    )


_CLASSES = {"cell": "box", "group": "box", "input": "ends", "output": "ends"}


def _draw(box, x, y, out):
    node = box.node
    kind = _CLASSES.get(node.kind, "") + (" back" if node.is_backward and not box.is_open else "")
    out.append(
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}"/><text x="{x + _PAD:.1f}" y="{y + 17:.1f}">'
        f"{pages.escape(box.text)}</text>"
    )
    if not box.is_open:
        return
    for inner in box.children:
        _draw(inner, x + inner.x, y + inner.y, out)
    lanes, _ = node.lanes()
    ways = [*node.edges.items(), *(((None, j), shapes) for j, shapes in node.entries.items())]
    ways += [((i, None), shapes) for i, shapes in node.exits.items()]
    arriving = {}
    for (i, j), _ in ways:
        arriving.setdefault(j, []).append(i)
    for (i, j), shapes in ways:
        start, end = (None if k is None else box.children[k] for k in (i, j))
        fraction = (arriving[j].index(i) + 1) / (len(arriving[j]) + 1)
        is_labelled = (i, j) in lanes or arriving[j][-1] == i
        label = label_of(shapes) if end is not None and is_labelled else ""
        out.append(_edge(box, start, end, x, y, lanes.get((i, j)), fraction, label))


def _edge(box, start, end, x, y, lane, fraction, label):
    """Return the SVG of an edge between two nodes of a box, or from or to its border (None)."""
    side, bottom = x + box.width - _PAD / 2 - (lane or 0) * _LANE, y + box.height
    y1 = y + start.y + start.height if start else y + _HEAD
    y2 = y + end.y if end else bottom
    x1 = x + start.x + start.width / 2 if start else side
    x2 = x + end.x + end.width * fraction if end else side
    if lane is None:  # straight down to, or from, the border
        x1, x2 = (x1 if start else x2), (x2 if end else x1)
    text = pages.escape(label)
    if lane is None:
        path = f"M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 + 14:.1f} {x2:.1f} {y2 - 14:.1f} {x2:.1f} {y2:.1f}"
        position = f'x="{x2 + 6:.1f}" y="{y2 - 13:.1f}"'
    else:
        path = f"M{x1:.1f} {y1:.1f}"
        if start:
            path += f"V{y + start.row_bottom + 5:.1f}H{side:.1f}"
        path += f"V{y2 - 8:.1f}H{x2:.1f}V{y2:.1f}" if end else f"V{bottom:.1f}"
        position = f'x="{side - 4:.1f}" y="{y2 - 11:.1f}" text-anchor="end"'
    arrow = ' marker-end="url(#arrow)"' if end else ""
    words = f'<text class="quiet" {position}>{text}</text>' if text else ""
    return f'<path class="edge" d="{path}"{arrow}/>{words}'
