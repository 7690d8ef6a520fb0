"""Pages that sporax writes: one HTML file each, without anything from outside of it.

`page` is the frame (title, styles for light and dark, a strict security policy), `table`, `bar` and
`embedded` are parts of bodies. Text becomes HTML by `escape` alone; what is HTML already is a
`Markup`.
"""

from sporax.pages.frame import page, write_page
from sporax.pages.markup import Markup, element, embedded, escape, join
from sporax.pages.parts import bar, details, facts, in_notebook, table

__all__ = [
    "Markup", "bar", "details", "element", "embedded", "escape", "facts", "in_notebook", "join",
    "page", "table", "write_page",
]  # fmt: skip
