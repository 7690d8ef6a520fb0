"""HTML page of a profile: a flame graph of Cells and operations, and tables."""

from sporax._src.core.units import bytes_text, quantity, seconds, seconds_range
from sporax._src.workbench import pages
from sporax.insight import memory_page
from sporax.insight.flame_graph import LEAST, Frame, files, flame_graph

_LEGEND = {
    "cell": "Cell", "forward": "forward", "backward": "backward", "idle": "no operation"
}  # fmt: skip


def _frames(profile):
    top = Frame(profile.name)
    top.size = profile.seconds
    for one, spent in zip(profile._recording.operations, profile.times, strict=False):
        if not spent:
            continue
        frame = top
        for call in one.call.chain:
            if call.cell is not None:
                frame = frame.below(call.path, call.name, type(call.cell).__name__)
                frame.size += spent
        kind = "backward" if one.is_backward else "forward"
        leaf = frame.below((one.name, kind), one.name, kind, kind)
        leaf.size += spent
    for label, spent in (("no operation running", profile.idle_seconds),
                         ("operations of XLA's own", float(profile.times[-1]))):  # fmt: skip
        if spent > 0:
            top.below(label, label, "", "idle").size = spent
    return top


def _cell_rows(profile):
    for cell in profile.cells:
        if cell.total_seconds >= LEAST * profile.seconds:
            share = cell.total_seconds / profile.seconds
            name = pages.element(
                "span", cell.name, title=cell.path,
                style=f"padding-left:{cell.depth * 1.2}em",
            )  # fmt: skip
            yield (
                pages.join([name, pages.element("span", f" {cell.cls}", class_="quiet")]),
                pages.bar(share, f"{share:.1%}"), seconds(cell.total_seconds),
                seconds_range(cell.spread), seconds(cell.forward), seconds(cell.backward),
                quantity(cell.rate, "FLOP/s"), profile.of_peak(cell), bytes_text(cell.bytes),
            )  # fmt: skip


def _operation_rows(profile):
    for row in profile.operations:
        if row.seconds >= LEAST * profile.seconds:
            share = row.seconds / profile.seconds
            yield (
                row.name, row.path, row.count, pages.bar(share, f"{share:.1%}"),
                seconds(row.seconds), seconds_range(row.spread), quantity(row.rate, "FLOP/s"),
                profile.of_peak(row), bytes_text(row.bytes),
            )  # fmt: skip


def write(profile, path, plan=None):
    """Write the page of a `StepProfile`, with the pictures of a `MemoryPlan`; returns its path."""
    body = pages.join([
        pages.facts(profile.facts),
        pages.element("h2", "Flame graph"),
        pages.element("p", "Widths are times of one step, in the order of its operations; a click "
                      "on a bar widens it.", class_="quiet"),
        flame_graph(_frames(profile), seconds, _LEGEND, "Whole step"),
        *([pages.element("h2", "Memory at the peak"), memory_page.section(plan)] if plan else []),
        pages.element("h2", "Cells"),
        pages.table(
            ("Cell", "share", "time", "in all runs", "own forward", "own backward", "rate",
             "of peak", "results"),
            _cell_rows(profile), caption="time with the Cells below, and own operations",
            numeric=range(2, 9),
        ),
        pages.element("h2", "Operations"),
        pages.table(
            ("operation", "Cell", "count", "share", "time", "in all runs", "rate", "of peak",
             "results"),
            _operation_rows(profile), caption="operations of one name in one Cell",
            numeric=(2, *range(4, 9)),
        ),
    ])  # fmt: skip
    style, script = files()
    peak = f"{profile.peak_fraction:.0%} of the measured peak"
    subtitle = f"{seconds(profile.seconds)} a step ({seconds_range(profile.spread)}), {peak}"
    return pages.write_page(
        path, f"Profile of {profile.name}", body, subtitle=subtitle, style=style, script=script
    )
