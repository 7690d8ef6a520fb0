"""The error index: lookup of the entry for an error.

An entry is a `###` section of `error_index.md`: title, messages, cause, remedy, and blocks that
show them. A message is a part of the printed text, in which `<name>` matches any text; of several
matches, the one with the longest literal text determines the entry. `error_index.zh.md` has titles,
causes and remedies in Chinese.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from sporax._src.diagnosis.causes import innermost, is_raised_here
from sporax._src.diagnosis.rules import Message

_PAGES = {"en": Path(__file__).with_suffix(".md"), "zh": Path(__file__).with_suffix(".zh.md")}
_PACKAGES = "sporax.", "mindspore."  # module prefixes of sporax's classes
_SHOWN = 2  # messages: the others are less specific
_WORKS = {"en": "This works:", "zh": "改正后："}
# a line break between Chinese characters does not count as a space
_BROKEN = re.compile(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])|(?<=[，。；：、])\n(?=\S)")
_HEADING = re.compile(r"^##(?= )", re.MULTILINE)
_SECTION = re.compile(r"^### ", re.MULTILINE)
# the operands, in an error of an operation; the rule follows
_OPERANDS = re.compile(r"the (?:operands|arguments) do not fit: .*?\. (?=[A-Z'])", re.DOTALL)
_SLOT = re.compile(r"<\w+>")
_ENTRY = re.compile(
    r"(?P<name>[\w-]+)\n\n(?P<title>[^\n]+)\n\n(?P<messages>(?:- [\w, ]+: `[^\n]+`\n)*)\n*"
    r"(?P<prose>.*?)\n*(?P<blocks>^```.*)?\Z",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Entry:
    """`messages`: (exception names, parts of their messages, with slots). `prose`: cause and
    remedy. `blocks`: code and its output."""

    name: str
    title: str
    messages: list[tuple[list[str], list[str]]]
    prose: str
    blocks: str

    language: str = "en"

    def printed(self):
        """Return the most specific messages, as they are printed."""
        rows = [(kinds[0], text) for kinds, texts in self.messages for text in texts]
        rows = [(kind, text) for kind, text in rows if _SLOT.sub("", text)]
        return [f"{kind}: ... {text} ..." for kind, text in rows[:_SHOWN]]

    def shown(self):
        """Return the blocks, with a heading before the working code."""
        failing, mark, working = self.blocks.rpartition("```python")
        return f"{failing}{_WORKS[self.language]}\n\n{mark}{working}" if failing else self.blocks

    def markdown(self):
        """Return the entry as a section of a page, in which long lines of output are wrapped."""
        listed = "\n".join(f"- `{message}`" for message in self.printed())
        blocks = self.shown().replace("```text\n", "```{code-block} text\n:class: message\n\n")
        parts = f"### {self.name}", f"**{self.title}**", listed, self.prose, blocks
        return "\n\n".join(part for part in parts if part) + "\n"


@functools.cache
def groups(language="en"):
    """Return (introduction, {title of a group: its entries})."""
    first, *sections = _HEADING.split(_BROKEN.sub("", _PAGES[language].read_text("utf8")))
    named = {}
    for section in sections:
        title, *texts = _SECTION.split(section)
        named[title.strip()] = [_parsed(text, language) for text in texts]
    return first.strip(), named


def _parsed(text, language):
    found = _ENTRY.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"The entry must have name, title and prose, but is {text[:60]!r}.")
    lines = re.findall(r"^- ([\w, ]+): (.*)$", found["messages"], re.MULTILINE)
    messages = [(kinds.split(", "), re.findall("`([^`]+)`", texts)) for kinds, texts in lines]
    blocks = found["blocks"] or ""
    if language != "en":
        english = entries()[found["name"]]
        messages, blocks = english.messages, english.blocks
    return Entry(found["name"], found["title"], messages, found["prose"], blocks, language)


@functools.cache
def entries(language="en"):
    """Return {name: Entry}."""
    return {entry.name: entry for group in groups(language)[1].values() for entry in group}


def page(language):
    """Return the whole page in Markdown."""
    first, named = groups(language)
    sections = [f"## {title}\n\n" + "\n".join(entry.markdown() for entry in group)
                for title, group in named.items()]  # fmt: skip
    return "\n\n".join([first, *sections])


@functools.cache
def _patterns():
    """Return (exception names, length of literal text, regular expression, entry) per message."""
    rows = []
    for entry in entries().values():
        for kinds, texts in entry.messages:
            rows += [(kinds, *_pattern(text), entry) for text in texts]
    return rows


def _pattern(text):
    parts = _SLOT.split(text)
    words = ".+?".join(map(re.escape, parts))
    starts, ends = [r"\b" if one.isalnum() else "" for one in (text[0], text[-1])]
    return sum(map(len, parts)), re.compile(starts + words + ends, re.DOTALL)


def entry_of_message(kinds, message):
    """Return the entry for a message of an exception whose class and bases have these names, in
    this order; None if there is none."""
    rule = _OPERANDS.sub("", message)
    best, found = (), None
    for named, length, pattern, entry in _patterns():
        depth = min((kinds.index(kind) for kind in named if kind in kinds), default=None)
        if depth is not None and (length, -depth) > best and pattern.search(rule):
            best, found = (length, -depth), entry
    return found


def entry_of(error):
    """Return the entry for an exception that sporax raised; None for others."""
    if not (is_raised_here(error) or _is_at_a_face(error) or _lacks_attribute(error)):
        return None
    message = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    if isinstance(message, Message):
        return entries().get(message.entry)
    return entry_of_message([kind.__name__ for kind in type(error).__mro__], message)


def _is_at_a_face(error):
    """Return True if a public function has rejected its arguments: such functions are compiled with
    None as the module's name."""
    at = innermost(error)
    return at is not None and at.tb_frame.f_globals.get("__name__", "") is None


def _lacks_attribute(error):
    """Return True for the AttributeError of an object of a sporax class."""
    if not isinstance(error, AttributeError):
        return False
    return any(kind.__module__.startswith(_PACKAGES) for kind in type(error.obj).__mro__)
