"""HTML pages that sporax writes, each a self-contained file.

`page` builds the frame (title, light and dark styles, a strict content security policy); `table`,
`bar` and `embedded` are parts of bodies. Text becomes HTML only through `escape`; existing HTML is
`Markup`.
"""

from sporax._src.workbench.pages.fragments import bar, details, facts, in_notebook, table
from sporax._src.workbench.pages.frame import HEADERS, page, write_page
from sporax._src.workbench.pages.markup import Markup, element, embedded, escape, join

__all__ = [
    "HEADERS", "Markup", "bar", "details", "element", "embedded", "escape", "facts", "in_notebook",
    "join", "page", "table", "write_page",
]  # fmt: skip
