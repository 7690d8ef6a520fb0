"""HTML page of a memory plan: a flame graph by kind and Cell, and the memory during the step."""

from sporax._src.core.units import bytes_text
from sporax._src.workbench import pages
from sporax.insight.flame_graph import Frame, files, flame_graph

_COLORS = {"activations": "forward", "gradients": "backward", "update": "backward"}
_LEGEND = {
    "cell": "Parameters, optimizer state, inputs", "forward": "activations",
    "backward": "gradients and update", "idle": "other",
}  # fmt: skip
_COLUMNS = 400  # maximum number of bars in the picture of the step
_HEIGHT = 100


def _frames(plan):
    top = Frame(plan.name)
    for kind, path, size in plan.by_cell():
        frame = top
        for name in (kind, *filter(None, path.split("."))):
            frame = frame.below(name, name, "", _COLORS.get(kind, "cell"))
            frame.size += size
    for row in plan.rows:
        if row.depth == 0 and row.name not in top.children and row.bytes > 0:
            top.below(row.name, row.name, "", "idle").size = row.bytes
    top.size = sum(child.size for child in top.children.values())
    return top


def _timeline(plan):
    """Return a picture of the temporary arrays during the step, the largest of each part of it."""
    moments = plan.timeline()
    width = -(-len(moments) // _COLUMNS) or 1
    columns = [moments[i : i + width] for i in range(0, len(moments), width)]
    most = max((size for size, _, _ in moments), default=0) or 1
    bars = []
    for k, column in enumerate(columns):
        size, kind, name = max(column)
        height = _HEIGHT * size / most
        bars.append(pages.element(
            "rect", pages.element("title", f"{bytes_text(size)}: {name}"), x=k,
            y=f"{_HEIGHT - height:.2f}", width=1, height=f"{height:.2f}",
            class_=_COLORS.get(kind, "idle"),
        ))  # fmt: skip
    return pages.element(
        "svg", *bars, viewBox=f"0 0 {max(len(columns), 1)} {_HEIGHT}", preserveAspectRatio="none",
        class_="timeline", role="img",
        aria_label=f"temporary arrays during the step, at most {bytes_text(most)}",
    )  # fmt: skip


def section(plan):
    """Return the pictures of a `MemoryPlan`, for its page or a profile's."""
    return pages.join([
        pages.element("p", "Widths are bytes at the peak, by kind and Cell.", class_="quiet"),
        flame_graph(_frames(plan), bytes_text, _LEGEND, "Whole peak"),
        pages.element("p", "Temporary arrays in the order of the step's operations (simulated; a "
                      "bar's title names the operation): the forward pass, then the backward pass "
                      "and the update.", class_="quiet"),
        _timeline(plan),
        pages.element("p", plan.where and f"At the peak: {plan.where}"),
    ])  # fmt: skip


def write(plan, path):
    """Write the page of a `MemoryPlan`; returns its path."""
    sizes = {"peak": plan.peak, "arguments": plan.arguments, "results": plan.results,
             "temporary arrays": plan.temporaries}  # fmt: skip
    facts = [(name, bytes_text(size)) for name, size in sizes.items()]
    rows = []
    for row in plan.rows:
        share = row.bytes / plan.peak
        bar = pages.bar(share, f"{share:.1%}")
        rows.append(("\u2003" * row.depth + row.name, bar, bytes_text(row.bytes)))
    body = pages.join([
        pages.facts(facts), pages.element("h2", "Memory at the peak"), section(plan),
        pages.element("h2", "Parts"),
        pages.table(("part", "share", "bytes"), rows, numeric=(2,)),
    ])  # fmt: skip
    style, script = files()
    return pages.write_page(
        path, f"Memory of {plan.name}", body, subtitle=f"{bytes_text(plan.peak)} at the peak",
        style=style, script=script,
    )  # fmt: skip
