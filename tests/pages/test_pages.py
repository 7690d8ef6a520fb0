"""`pages`: the text of users never becomes HTML, a page loads nothing from outside."""

import json
import re
from html.parser import HTMLParser

import pytest

from sporax._src.workbench import pages

EVIL = '</script><img src=x onerror="alert(1)">&\u2028\'"'


class Tags(HTMLParser):
    """The elements of a page, and its text outside of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text, self.inside = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.inside):
            self.text += data


PARTS = {
    "text": lambda: pages.element("p", EVIL),
    "attribute": lambda: pages.element("p", "text", title=EVIL),
    "table": lambda: pages.table([EVIL, "b"], [[EVIL, EVIL]], caption=EVIL),
    "facts": lambda: pages.facts([(EVIL, EVIL)]),
    "details": lambda: pages.details(EVIL, EVIL, is_open=True),
    "bar": lambda: pages.bar(0.5, EVIL, EVIL),
    "data": lambda: pages.embedded("data", {EVIL: EVIL}),
}


@pytest.mark.parametrize("part", PARTS)
def test_text_of_users_is_escaped(part):
    tags = Tags(pages.page(EVIL, PARTS[part](), subtitle=EVIL))
    assert not [tag for tag, _ in tags.tags if tag == "img"]
    assert not [name for _, attrs in tags.tags for name in attrs if name.startswith("on")]
    assert EVIL in tags.text


def test_embedded_data_is_read_again():
    data = {EVIL: [1, None, EVIL], "汉字": 0.5}
    text = pages.embedded("data", data)
    assert json.loads(text[text.index(">") + 1 : -len("</script>")]) == data
    with pytest.raises(ValueError):
        pages.embedded("data", float("nan"))


def test_nothing_comes_from_outside():
    text = pages.page("title", pages.element("p", "text"), script="document.title = 'x';")
    tags = Tags(text).tags
    assert not [attrs for _, attrs in tags if {"src", "href", "srcset"} & attrs.keys()]
    assert "url(" not in text and "@import" not in text
    policy = next(a["content"] for t, a in tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert len(re.findall("'sha256-", policy)) == [t for t, _ in tags].count("script") == 2


def test_body_is_markup():
    with pytest.raises(TypeError, match=r"^For 'page', 'body' must be Markup, but got str\."):
        pages.page("title", "<p>text</p>")


def test_write_page(tmp_path):
    path = pages.write_page(tmp_path / "a.html", "标题", pages.element("p", "正文"), lang="zh")
    assert "<h1>标题</h1>" in path.read_text("utf8")
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
