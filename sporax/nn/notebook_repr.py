"""Notebook display of a Cell as a collapsible tree."""

from html import escape


class NotebookRepr:
    """Mixin of `Cell` for notebook display."""

    def _repr_html_(self):
        """Return the tree of cells as HTML, with the outermost expanded."""
        return f'<div style="font-family:monospace">{_html("", self, "open")}</div>'


def _html(name, cell, state=""):
    children = [_html(name, child) for name, child in cell._cells.items() if child is not None]
    words = "" if children else cell.extend_repr()
    head = escape(f"{name}: " if name else "") + f"<b>{escape(type(cell).__name__)}</b>"
    head += f"({escape(words)})" if words else ""
    inside = "".join(children)
    if not children:
        return f'<div style="margin-left:1.5em">{head}</div>'
    return f'<details {state} style="margin-left:1.5em"><summary>{head}</summary>{inside}</details>'
