"""HTML page of a profile: a flame graph of Cells and operations, and tables."""

from pathlib import Path

from sporax._src.core.units import bytes_text, quantity, seconds
from sporax._src.workbench import pages

_HERE = Path(__file__).parent
_LEAST = 0.001  # frames below this fraction of the step are not shown
_GROW = 1e5  # `flex-grow` of the whole step: a sum below 1 would not fill a row


class _Frame:
    """One bar of the flame graph: a Cell, or its operations of one name."""

    def __init__(self, label, note="", kind="cell"):
        self.label, self.note, self.kind = label, note, kind
        self.spent, self.children = 0.0, {}

    def below(self, key, *arguments):
        """Return the child frame with this key, created if missing."""
        return self.children.setdefault(key, _Frame(*arguments))


def _frames(profile):
    top = _Frame(profile.name)
    top.spent = profile.seconds
    for one, spent in zip(profile._recording.operations, profile.times, strict=False):
        if not spent:
            continue
        frame = top
        for call in one.call.chain:
            if call.cell is not None:
                frame = frame.below(call.path, call.name, type(call.cell).__name__)
                frame.spent += spent
        kind = "backward" if one.is_backward else "forward"
        leaf = frame.below((one.name, kind), one.name, kind, kind)
        leaf.spent += spent
    for label, spent in (("no operation running", profile.idle_seconds),
                         ("operations of XLA's own", float(profile.times[-1]))):  # fmt: skip
        if spent > 0:
            top.below(label, label, "", "idle").spent = spent
    return top


def _bar(frame, whole):
    share = frame.spent / whole
    words = f"{f'{frame.label} {frame.note}'.strip()}: {seconds(frame.spent)}, {share:.1%}"
    label = pages.element(
        "button", pages.element("b", frame.label), " ", frame.note, " ", f"{share:.0%}",
        type="button", title=words, class_=f"bar-label {frame.kind}",
    )  # fmt: skip
    children = [child for child in frame.children.values() if child.spent >= _LEAST * whole]
    bars = [_bar(child, whole) for child in children]  # in the order of their first operations
    remainder = frame.spent - sum(child.spent for child in children)
    if bars and remainder > 0:
        bars.append(pages.element("div", style=f"flex-grow:{_GROW * remainder / whole:.2f}"))
    below = pages.element("div", *bars, class_="below") if bars else ""
    return pages.element(
        "div", label, pages.Markup(below), class_="frame", style=f"flex-grow:{_GROW * share:.2f}"
    )


def _cell_rows(profile):
    for cell in profile.cells:
        if cell.total_seconds >= _LEAST * profile.seconds:
            share = cell.total_seconds / profile.seconds
            name = pages.element(
                "span", cell.name, title=cell.path,
                style=f"padding-left:{cell.depth * 1.2}em",
            )  # fmt: skip
            yield (
                pages.join([name, pages.element("span", f" {cell.cls}", class_="quiet")]),
                pages.bar(share, f"{share:.1%}"), seconds(cell.total_seconds),
                seconds(cell.forward), seconds(cell.backward), quantity(cell.rate, "FLOP/s"),
                f"{cell.rate / profile.peak:.0%}", bytes_text(cell.bytes),
            )  # fmt: skip


def _operation_rows(profile):
    for row in profile.operations:
        if row.seconds >= _LEAST * profile.seconds:
            share = row.seconds / profile.seconds
            yield (
                row.name, row.path, row.count, pages.bar(share, f"{share:.1%}"),
                seconds(row.seconds), quantity(row.rate, "FLOP/s"),
                f"{row.rate / profile.peak:.0%}", bytes_text(row.bytes),
            )  # fmt: skip


def write(profile, path):
    """Write the page of a `StepProfile`; returns its path."""
    flame = pages.element("div", _bar(_frames(profile), profile.seconds), id="flame")
    legend = pages.join(
        pages.element("span", name, class_=f"key {kind}")
        for name, kind in (("Cell", "cell"), ("forward", "forward"), ("backward", "backward"),
                           ("no operation", "idle"))
    )  # fmt: skip
    search = pages.Markup('<input id="search" type="search" autocomplete="off">')
    controls = pages.element(
        "div", pages.element("label", "Search", for_="search"), search,
        pages.element("button", "Whole step", type="button", id="reset"), legend, class_="controls",
    )  # fmt: skip
    body = pages.join([
        pages.facts(profile.facts),
        pages.element("h2", "Flame graph"),
        pages.element("p", "Widths are times of one step, in the order of its operations; a click "
                      "on a bar widens it.", class_="quiet"),
        controls, flame,
        pages.element("h2", "Cells"),
        pages.table(
            ("Cell", "share", "time", "own forward", "own backward", "rate", "of peak", "results"),
            _cell_rows(profile), caption="time with the Cells below, and own operations",
            numeric=(2, 3, 4, 5, 6, 7),
        ),
        pages.element("h2", "Operations"),
        pages.table(
            ("operation", "Cell", "count", "share", "time", "rate", "of peak", "results"),
            _operation_rows(profile), caption="operations of one name in one Cell",
            numeric=(2, 4, 5, 6, 7),
        ),
    ])  # fmt: skip
    style, script = (_HERE.joinpath(f"profile.{kind}").read_text("utf8") for kind in ("css", "js"))
    peak = f"{profile.peak_fraction:.0%} of the measured peak"
    subtitle = f"{seconds(profile.seconds)} a step, {peak}"
    return pages.write_page(
        path, f"Profile of {profile.name}", body, subtitle=subtitle, style=style, script=script
    )
