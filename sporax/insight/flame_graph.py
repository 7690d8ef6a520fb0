"""A flame graph in HTML: nested bars whose widths are parts of a whole, with a search field."""

from pathlib import Path

from sporax._src.workbench import pages

LEAST = 0.001  # frames below this fraction of the whole are not shown
_HERE = Path(__file__).parent
_GROW = 1e5  # `flex-grow` of the whole: a sum below 1 would not fill a row


class Frame:
    """One bar of a flame graph. `label`, `note`; `kind`: its color, a key of the legend; `size`: in
    the unit of the graph; `children`: {key: Frame}."""

    def __init__(self, label, note="", kind="cell"):
        self.label, self.note, self.kind = label, note, kind
        self.size, self.children = 0.0, {}

    def below(self, key, *arguments):
        """Return the child frame with this key, created if missing."""
        return self.children.setdefault(key, Frame(*arguments))


def files():
    """Return the style and the script that a page with flame graphs needs."""
    return tuple(_HERE.joinpath(f"flame_graph.{kind}").read_text("utf8") for kind in ("css", "js"))


def flame_graph(top, text, legend, reset):
    """Return the flame graph of a `Frame`, the whole, with its controls. `text`: formats a size;
    `legend`: {kind: name}; `reset`: the label of the button that shows the whole."""
    search = pages.element(
        "label", "Search ", pages.Markup('<input type="search" autocomplete="off">')
    )
    keys = [pages.element("span", name, class_=f"key {kind}") for kind, name in legend.items()]
    button = pages.element("button", reset, type="button", class_="reset")
    controls = pages.element("div", search, button, *keys, class_="controls")
    flame = pages.element("div", _bar(top, top.size, text), class_="flame")
    return pages.element("div", controls, flame, class_="flame-graph")


def _bar(frame, whole, text):
    share = frame.size / whole
    words = f"{f'{frame.label} {frame.note}'.strip()}: {text(frame.size)}, {share:.1%}"
    label = pages.element(
        "button", pages.element("b", frame.label), " ", frame.note, " ", f"{share:.0%}",
        type="button", title=words, class_=f"bar-label {frame.kind}",
    )  # fmt: skip
    children = [child for child in frame.children.values() if child.size >= LEAST * whole]
    bars = [_bar(child, whole, text) for child in children]
    remainder = frame.size - sum(child.size for child in children)
    if bars and remainder > 0:
        bars.append(pages.element("div", style=f"flex-grow:{_GROW * remainder / whole:.2f}"))
    below = pages.element("div", *bars, class_="below") if bars else ""
    return pages.element(
        "div", label, pages.Markup(below), class_="frame", style=f"flex-grow:{_GROW * share:.2f}"
    )
