"""Guides are short enough to be read at once; a longer one is split into pages in its folder."""

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
LIMIT = 1500  # words
LONGER = {
    # one script from the first block to the last
    "how_it_works.md",
    # written by tools, or around tables that tools write
    "conformance.md", "coverage.md", "graph_syntax.md", "libraries.md", "performance.md",
    "scaling.md",
    # a list of scripts, each below its own heading
    "cookbook.md",
    # internals, and reports of tests
    "design.md", "engine.md", "faults.md", "mutations.md",
}  # fmt: skip
PAGES = sorted(path for path in DOCS.rglob("*.md") if "zh" not in path.parts)  # no spaces there


def words(page):
    return len(page.read_text("utf8").split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_page_is_short_unless_listed(page):
    is_listed = str(page.relative_to(DOCS)) in LONGER
    assert (words(page) > LIMIT) == is_listed, f"{words(page)} words"
