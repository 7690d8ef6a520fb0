"""`sporax errors`: the error index in the terminal."""

import difflib
import re
import sys
import textwrap

from sporax._src.core.language import language
from sporax._src.diagnosis import error_index

_WIDTH = 96
_BLOCK = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)
_FENCE = re.compile(r"^```\w*\n?", re.MULTILINE)
_UNKNOWN = 2  # exit code, the same as for other wrong arguments


def errors(name):
    """Print the entry with that name, or list all if it is None; return the exit code."""
    known = error_index.entries(language())
    if name is None:
        return _list()
    if name not in known:
        return _refused(name, known)
    entry = known[name]
    print(f"{entry.name}: {_plain(entry.title)}\n")
    for message in entry.printed():
        print(f"  {message}")
    for paragraph in entry.prose.split("\n\n"):
        print("\n" + _wrapped(_plain(paragraph)))
    for item in _BLOCK.split(entry.shown()):
        code = _FENCE.sub("", item)
        if item.strip():
            print("\n" + (textwrap.indent(code.rstrip(), "    ") if code != item else item.strip()))
    return 0


def _list():
    named = error_index.groups(language())[1]
    width = max(len(entry.name) for group in named.values() for entry in group)
    for i, (title, group) in enumerate(named.items()):
        print(f"{title}" if i == 0 else f"\n{title}")
        for entry in group:
            print(f"  {entry.name:<{width}}  {_plain(entry.title)}")
    return 0


def _refused(name, known):
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    near = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    print(f"sporax errors: no entry has the name {name!r}.{near} "
          "'sporax errors' lists all of them.", file=sys.stderr)  # fmt: skip
    return _UNKNOWN


def _plain(markdown):
    """Return Markdown text without links, backquotes and bold marks."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", markdown)
    text = re.sub(r"`([^`]+)`|\*\*([^*]+)\*\*", lambda m: m[1] or m[2], text)
    return text.replace("： ", "：")  # Markdown needs the space


def _wrapped(text):
    """Wrap text at `_WIDTH` columns; Chinese text is left to the terminal's line breaking."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return text
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
