"""`page`: the frame of a page, and its styles."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from sporax._src.diagnosis.rules import require
from sporax._src.workbench.pages.markup import Markup, element, escape

_HERE = Path(__file__).parent
# of the responses of a server to browsers
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_CONNECTS = "; connect-src 'self'"


@cache
def _file(name):
    return (_HERE / name).read_text("utf8")


def page(title, body, *, subtitle="", style="", script="", lang="en", is_live=False):
    """Return a complete HTML page as a string.

    `title`: the window title and heading; `subtitle`: a line below it. `body`: a `Markup`. `style`:
    additional CSS; use the colour variables of `pages/style.css`, which follow light and dark mode.
    `script`: JavaScript of the page. A content security policy blocks all other scripts (except the
    theme button's) and all loading; with `is_live`, the script may send requests to its server.

    >>> from sporax._src.workbench import pages
    >>> "<h1>A &amp; B</h1>" in pages.page("A & B", pages.element("p", "text"))
    True
    """
    require(isinstance(body, Markup), "markup", "page", body=body)
    scripts = [_file("theme.js"), *([script] if script else [])]
    hashes = " ".join(f"'sha256-{_digest(text)}'" for text in scripts)
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {hashes}; "
        f"base-uri 'none'; form-action 'none'{_CONNECTS if is_live else ''}"
    )
    button = element(
        "button", "Dark", id="theme", type="button",
        title="Switch between light and dark",
    )  # fmt: skip
    heading = element("h1", title) + (element("p", subtitle, class_="subtitle") if subtitle else "")
    header = element("header", element("div", Markup(heading)), button)
    blocks = "".join(f"<script>{text}</script>\n" for text in scripts)
    return (
        f'<!doctype html>\n<html lang="{escape(lang)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="sporax">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_file('style.css')}{style}</style>\n</head>\n"
        f"<body>\n{header}\n<main>\n{body}\n</main>\n{blocks}</body>\n</html>\n"
    )


def _digest(text):
    return base64.b64encode(hashlib.sha256(text.encode("utf8")).digest()).decode()


def write_page(path, title, body, **settings):
    """Write `page(title, body, **settings)` to a file atomically, create missing parent folders,
    and return its path."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(page(title, body, **settings), "utf8")
    temporary.replace(path)
    return path
