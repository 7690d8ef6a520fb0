"""Write docs/graph_syntax.md from the rows in tests/syntax_rows: `python -m tools.write_graph_syntax`."""

import itertools
import sys
from collections import Counter
from pathlib import Path

from tests.syntax_rows import ROWS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "graph_syntax.md"

_HEAD = """# What you may write inside `jit`

MindSpore compiles the source of a function, and its tutorial on static graph syntax says what that source may
have in it. sporax runs the function and records it, so that most of what depends on no Tensor's numbers is plain
Python. This page has a row for each thing that the tutorial (MindSpore 2.7: the pages on graph mode, statements,
operators, built-in functions and programming techniques) allows or forbids.

- **works**: the function runs as one graph, with the results of dynamic mode.
- **breaks the graph**: it runs dynamically, with the same results. One warning names the line and what to write
  instead; with `fullgraph=True` that is an error.
- **refused**: an error says what to write.

{counts}. Each row is a test: the code that stands for it is the function of the name given, in
[tests/syntax_rows](../tests/syntax_rows). This page is written by `tools/write_graph_syntax.py`.
"""


def _cell(text):
    return text.replace("|", "\\|")


def _section(rows):
    module = sys.modules[rows[0].about.__module__]
    lines = [f"\n## {module.__doc__.strip()}\n", "| written | MindSpore | sporax | test |"]
    lines.append("|---|---|---|---|")
    for row in rows:
        verdict = f"**{row.verdict}**" if row.verdict != "works" else row.verdict
        if row.note:
            verdict += f": {row.note}"
        cells = [row.written, row.says, verdict, f"`{row.about.__name__}`"]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines) + "\n"


def page():
    """The page's text."""
    counts = Counter(row.verdict for row in ROWS)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    parts = [_HEAD.format(counts=f"Of {len(ROWS)} rows: {told}")]
    parts += [_section(list(rows)) for _, rows in itertools.groupby(ROWS, lambda row: row.topic)]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
