"""The field above long tables hides the rows that lack a word, and counts the others."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.insight.browser import document_of

SCRIPT = (Path(__file__).parents[2] / "docs" / "_static" / "site.js").read_text("utf8")
NAMES = [f"row {i} {'Float32' if i % 2 else 'Int64'}" for i in range(24)]
LATER = """
addEventListener("load", () => {{
  const field = document.querySelector(".table-filter input");
  field.value = "{}";
  field.dispatchEvent(new Event("input"));
}});
"""


def table(names):
    rows = "".join(f"<tr><td>{name}</td><td><code>x</code></td></tr>" for name in names)
    return f"<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>{rows}</tbody></table>"


def opened(folder, names=NAMES, query="", lang="en", script=""):
    """Return (the names of the visible rows, the text of the filter, its HTML)."""
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="{lang}"><meta charset="utf-8">'
        f"<script>{SCRIPT}{script}</script>"
        f'<article><div class="table-wrapper">{table(names)}</div></article></html>',
        "utf8",
    )
    document, errors = document_of(f"{page.as_uri()}{query}")
    assert not errors
    _, _, article = document.partition("<article>")
    field, _, rest = article.partition('<div class="table-wrapper">')
    text = " ".join(re.sub(r"<[^>]+>", " ", field).split())
    return re.findall(r"<tr><td>(.*?)</td>", rest), text, field


def test_a_long_table_has_a_labelled_field_and_a_live_count(tmp_path):
    visible, text, field = opened(tmp_path)
    assert visible == NAMES and text == "Filter 24 of 24 rows"
    assert re.search(r'<label>Filter<input type="search"[^>]*></label>', field)
    assert '<output aria-live="polite">' in field


def test_a_short_table_has_none(tmp_path):
    assert opened(tmp_path, NAMES[:19]) == (NAMES[:19], "", "")


@pytest.mark.parametrize(
    "query, expected",
    [
        ("float32 ROW", NAMES[1::2]),  # each word, in any order and case
        ("2 int64", [name for name in NAMES[::2] if "2" in name]),
        ("row(1", []),
        ("  ", NAMES),
    ],
)
def test_the_address_gives_the_first_filter(query, expected, tmp_path):
    visible, text, _ = opened(tmp_path, query=f"?filter={quote(query)}")
    assert visible == expected and text == f"Filter {len(expected)} of 24 rows"


def test_the_count_follows_the_field(tmp_path):
    visible, text, _ = opened(tmp_path, query="?filter=float32", script=LATER.format("row 21"))
    assert visible == [NAMES[21]] and text == "Filter 1 of 24 rows"


def test_chinese_pages_have_chinese_words(tmp_path):
    visible, text, _ = opened(tmp_path, query="?filter=Int64", lang="zh-CN")
    assert visible == NAMES[::2] and text == "筛选 24 行中的 12 行"
