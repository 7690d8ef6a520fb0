"""Charts of the results: SVG for light and dark pages, written element by element."""

import math
from xml.etree import ElementTree

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.grid { stroke: #d0d7de; } .one { stroke: #57606a; stroke-width: 1.5; }
.ahead { fill: #1a7f5a; } .behind { fill: #b4540a; }
.s0 { stroke: #1a7f5a; } .s1 { stroke: #0969da; } .s2 { stroke: #b4540a; } .s3 { stroke: #8250df; }
polyline { fill: none; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
text { fill: #d1d7e0; } .grid { stroke: #3d444d; } .one { stroke: #9198a1; }
.ahead { fill: #3fb984; } .behind { fill: #e08b46; }
.s0 { stroke: #3fb984; } .s1 { stroke: #4493f8; } .s2 { stroke: #e08b46; } .s3 { stroke: #ab7df8; }
}
"""


class Picture:
    def __init__(self, width, height, title):
        box = {"viewBox": f"0 0 {width} {height}", "width": str(width), "height": str(height)}
        self.svg = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img", **box)
        ElementTree.SubElement(self.svg, "title").text = title
        ElementTree.SubElement(self.svg, "style").text = STYLE

    def text(self, x, y, text, anchor="start"):
        place = {"x": f"{x:.0f}", "y": f"{y:.0f}", "text-anchor": anchor}
        ElementTree.SubElement(self.svg, "text", place).text = text

    def line(self, x1, y1, x2, y2, kind):
        ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
        ends = {name: f"{value:.1f}" for name, value in ends.items()}
        ElementTree.SubElement(self.svg, "line", ends | {"class": kind})

    def bar(self, x1, x2, y, height, kind):
        place = {"x": min(x1, x2), "y": y, "width": abs(x2 - x1), "height": height}
        place = {name: f"{value:.1f}" for name, value in place.items()}
        ElementTree.SubElement(self.svg, "rect", place | {"class": kind})

    def curve(self, points, kind):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        ElementTree.SubElement(self.svg, "polyline", {"points": points, "class": kind})

    def source(self):
        ElementTree.indent(self.svg)
        return ElementTree.tostring(self.svg, "unicode") + "\n"


def ratios(rows, title):
    """Bars from 1, on a logarithmic axis; `rows`: (name, ratio)."""
    left, width, step, top = 260, 380, 22, 58
    bottom = top + step * len(rows)
    picture = Picture(left + width + 70, bottom + 14, title)
    picture.text(12, 22, title)
    low = min([0.25, *(r for _, r in rows)])
    high = max([4, *(r for _, r in rows)])

    def place(ratio):
        return left + width * math.log(ratio / low) / math.log(high / low)

    for mark in (0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100):
        if low <= mark <= high:
            picture.line(place(mark), top - 6, place(mark), bottom, "one" if mark == 1 else "grid")
            picture.text(place(mark), top - 12, f"{mark:g}", "middle")
    for i, (name, ratio) in enumerate(rows):
        y = top + step * i
        picture.text(left - 10, y + 13, name, "end")
        picture.bar(place(1), place(ratio), y + 3, step - 8, "ahead" if ratio <= 1 else "behind")
        picture.text(max(place(ratio), place(1)) + 6, y + 13, f"{ratio:.2g}")
    return picture.source()


def growth(panels, peers, title):
    """Small diagrams side by side, both axes logarithmic; `panels`: {name: {peer: four times}}."""
    size, gap, left, top = 150, 34, 40, 70
    picture = Picture(left + (size + gap) * len(panels), top + size + 34, title)
    picture.text(12, 22, title)
    for i, peer in enumerate(peers):
        picture.curve([(left + 150 * i, 40), (left + 150 * i + 20, 40)], f"s{i}")
        picture.text(left + 150 * i + 26, 45, peer)
    for i, (name, curves) in enumerate(panels.items()):
        x0 = left + (size + gap) * i
        low = min(t for times in curves.values() for t in times)
        high = max(t for times in curves.values() for t in times)

        def at(k, t, x0=x0, low=low, high=high):
            share = math.log(t / low) / max(math.log(high / low), 1e-9)
            return x0 + size * k / 3, top + size * (1 - share)

        for k, times in enumerate((1, 2, 4, 8)):
            picture.line(x0 + size * k / 3, top, x0 + size * k / 3, top + size, "grid")
            picture.text(x0 + size * k / 3, top + size + 15, f"x{times}", "middle")
        picture.text(x0, top - 6, f"{name}: {low:.3g} to {high:.3g} ms")
        for peer, times in curves.items():
            picture.curve([at(k, t) for k, t in enumerate(times)], f"s{peers.index(peer)}")
    return picture.source()
