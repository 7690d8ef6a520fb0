"""Check the links of the built site, and write the index that its search reads.

    python tools/finish_site.py FOLDER

Each `href` and `src` must lead to an existing file and anchor; pages must not load external
resources. The exit status is 1 if a check fails. The index, `_static/search_index.js`, is read by
docs/_static/search.js.
"""

import json
import os
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_BLOCKS = re.compile("p|li|tr|td|th|div|dd|dt|pre|section|h[1-6]")
_UNREAD = {"math", "script", "style"}
_UNLISTED = {"genindex.html", "search.html"}


class Page(HTMLParser):
    """A page: its links, its anchors, and its text below each heading and each name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}  # links as (address, whether it is loaded)
        self.parts = []  # [anchor, title, pieces of text]
        self._section, self._into, self._article, self._unread = "", 2, False, ""
        self.feed(path.read_text("utf8"))
        self.title = self.parts[0][1].strip() if self.parts else path.stem

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        self.anchors |= {has[name] for name in ("id", "name") if has.get(name)}
        if "href" in has:
            self.links.append((has["href"], tag == "link" and has.get("rel") != "canonical"))
        self.links += [(has[name], True) for name in ("src", "data") if name in has]
        if tag in _UNREAD or "headerlink" in (has.get("class") or ""):
            self._unread = self._unread or tag
        self._article = self._article or tag == "article"
        if tag == "section":
            self._section = has.get("id", "")
        elif self._article and re.fullmatch("h[1-6]", tag):
            self.parts.append([self._section if tag != "h1" else "", "", []])
            self._into = 1
        elif tag == "dt" and "sig-object" in (has.get("class") or "") and "id" in has:
            self.parts.append([has["id"], has["id"].removeprefix("mindspore."), []])
        self._space(tag)

    def handle_endtag(self, tag):
        self._article = self._article and tag != "article"
        self._unread = "" if tag == self._unread else self._unread
        if re.fullmatch("h[1-6]", tag):
            self._into = 2
        self._space(tag)

    def _space(self, tag):
        if self.parts and _BLOCKS.fullmatch(tag):
            self.parts[-1][2].append(" ")

    def handle_data(self, data):
        if not self._article or not self.parts or self._unread:
            return
        if self._into == 1:
            self.parts[-1][1] += data
        else:
            self.parts[-1][2].append(data)


def faults(folder, pages):
    """Return the broken links of `pages`, {path: Page}, and of the styles, one message each."""
    for path, page in pages.items():
        for address, is_loaded in page.links:
            there = urlsplit(address)
            if there.scheme or there.netloc:
                if is_loaded and there.scheme != "data":
                    yield f"{path.relative_to(folder)}: loads {address}"
                continue
            target = path
            if there.path:
                target = Path(os.path.normpath(path.parent / unquote(there.path)))
            if target not in pages and not target.is_file():
                yield f"{path.relative_to(folder)}: no file {address}"
            elif target in pages and unquote(there.fragment) not in pages[target].anchors:
                yield f"{path.relative_to(folder)}: no anchor {address}"
    for style in folder.rglob("*.css"):
        for address in re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)]*)", style.read_text("utf8")):
            yield f"{style.relative_to(folder)}: loads {address}"


def index(folder, pages):
    """{"pages": [[path, title]], "entries": [[page's place there, anchor, title, text]]}."""
    listed = {path: page for path, page in pages.items() if path.name not in _UNLISTED}
    entries = [
        [i, anchor, title.strip(), re.sub(r"\s+", " ", "".join(pieces)).strip()]
        for i, page in enumerate(listed.values())
        for anchor, title, pieces in page.parts
    ]
    paths = [[str(path.relative_to(folder)), page.title] for path, page in listed.items()]
    return {"pages": paths, "entries": entries}


def main(folder):
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    text = json.dumps(index(folder, pages), ensure_ascii=False, separators=(",", ":"))
    (folder / "_static" / "search_index.js").write_text(f"const SEARCH_INDEX = {text};\n", "utf8")
    wrong = list(faults(folder, pages))
    print("\n".join(wrong), file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
