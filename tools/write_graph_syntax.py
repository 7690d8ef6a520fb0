"""Write docs/graph_syntax.md from the rows of tests/graph_capture/syntax_rows.

python -m tools.write_graph_syntax
"""

import itertools
import sys
from collections import Counter
from pathlib import Path

from tests.graph_capture.syntax_rows import ROWS
from tests.graph_capture.syntax_rows.row import BREAKS, REJECTED, WORKS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "graph_syntax.md"

_HEAD = """# Python syntax supported in `jit`

MindSpore compiles a function's source, and its tutorials list the syntax that the source may use.
sporax runs the function once and records it, so code that does not depend on Tensor values is plain
Python. This page has a row for each construct that the tutorials (static graph syntax, operators,
statements, built-in functions, programming techniques; July 2025) allow or forbid, and for some
that they do not mention ("not listed").

- **works**: runs as one graph, with the results of dynamic mode.
- **breaks the graph**: runs dynamically, with the same results. One warning names the line and an
  alternative; with `fullgraph=True` it is an error.
- **rejected**: raises an error that suggests an alternative.

Of {total} rows {works} work, {breaks} break the graph and {rejected} are rejected. Each is a test:
the function named in the last column, in
[tests/graph_capture/syntax_rows](../tests/graph_capture/syntax_rows).
`tools/write_graph_syntax.py` writes this page.
"""


def _cell(text):
    return text.replace("|", "\\|")


def _section(rows):
    module = sys.modules[rows[0].about.__module__]
    lines = [f"\n## {module.__doc__.strip()}\n", "| written | MindSpore | sporax | test |"]
    lines.append("|---|---|---|---|")
    for row in rows:
        verdict = f"**{row.verdict}**" if row.verdict != WORKS else row.verdict
        if row.note:
            verdict += f": {row.note}"
        cells = [row.written, row.says, verdict, f"`{row.about.__name__}`"]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def page():
    """The page's text."""
    counts = Counter(row.verdict for row in ROWS)
    works, breaks, rejected = (counts[verdict] for verdict in (WORKS, BREAKS, REJECTED))
    parts = [_HEAD.format(total=len(ROWS), works=works, breaks=breaks, rejected=rejected)]
    parts += [_section(list(rows)) for _, rows in itertools.groupby(ROWS, lambda row: row.topic)]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
