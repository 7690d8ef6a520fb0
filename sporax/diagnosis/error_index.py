"""The error index: which entry is about an error, and what it says.

An entry is a `###` section of `error_index.md`: title, messages, cause, remedy, and blocks that
show them. A message is a part of what is printed, and `<name>` in it stands for any text; where
several fit, the one with most text of its own says which entry it is. `error_index.zh.md` has
titles, causes and remedies in Chinese.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path

from sporax.diagnosis.causes import innermost, is_raised_here

_PAGES = {"en": Path(__file__).with_suffix(".md"), "zh": Path(__file__).with_suffix(".zh.md")}
_PACKAGES = "sporax.", "mindspore."  # that classes of sporax's name as theirs
_SHOWN = 2  # messages: the others are less particular
_WORKS = {"en": "This works:", "zh": "改正后："}
# a line break between characters of Chinese is no space
_BROKEN = re.compile(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])|(?<=[，。；：、])\n(?=\S)")
_HEADING = re.compile(r"^##(?= )", re.MULTILINE)
_SECTION = re.compile(r"^### ", re.MULTILINE)
# what came, in an error of an operation: the rule stands behind it
_OPERANDS = re.compile(r"the (?:operands|arguments) do not fit: .*?\. (?=[A-Z'])", re.DOTALL)
_SLOT = re.compile(r"<\w+>")
_ENTRY = re.compile(
    r"(?P<name>[\w-]+)\n\n(?P<title>[^\n]+)\n\n(?P<messages>(?:- [\w, ]+: `[^\n]+`\n)*)\n*"
    r"(?P<prose>.*?)\n*(?P<blocks>^```.*)?\Z",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Entry:
    """`messages`: (names of exceptions, parts of their messages, with slots). `prose`: cause and
    remedy. `blocks`: code and what it prints."""

    name: str
    title: str
    messages: list[tuple[list[str], list[str]]]
    prose: str
    blocks: str

    language: str = "en"

    def printed(self):
        """The messages as they are printed, the most particular ones."""
        rows = [(kinds[0], text) for kinds, texts in self.messages for text in texts]
        rows = [(kind, text) for kind, text in rows if _SLOT.sub("", text)]
        return [f"{kind}: ... {text} ..." for kind, text in rows[:_SHOWN]]

    def shown(self):
        """The blocks, with words before the code that works."""
        failing, mark, working = self.blocks.rpartition("```python")
        return f"{failing}{_WORKS[self.language]}\n\n{mark}{working}" if failing else self.blocks

    def markdown(self):
        """The entry as a section of a page, in which long lines of what is printed are broken."""
        listed = "\n".join(f"- `{message}`" for message in self.printed())
        blocks = self.shown().replace("```text\n", "```{code-block} text\n:class: message\n\n")
        parts = f"### {self.name}", f"**{self.title}**", listed, self.prose, blocks
        return "\n\n".join(part for part in parts if part) + "\n"


@functools.cache
def groups(language="en"):
    """(introduction, {title of a group: its entries})."""
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
    """{name: Entry}."""
    return {entry.name: entry for group in groups(language)[1].values() for entry in group}


def page(language):
    """The whole page, in Markdown."""
    first, named = groups(language)
    sections = [f"## {title}\n\n" + "\n".join(entry.markdown() for entry in group)
                for title, group in named.items()]  # fmt: skip
    return "\n\n".join([first, *sections])


@functools.cache
def _patterns():
    """(names of exceptions, length of its own text, regular expression, entry) of each message."""
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
    """The entry about a message of an exception whose class and bases have these names, in this
    order; None if there is none."""
    rule = _OPERANDS.sub("", message)
    best, found = (), None
    for named, length, pattern, entry in _patterns():
        depth = min((kinds.index(kind) for kind in named if kind in kinds), default=None)
        if depth is not None and (length, -depth) > best and pattern.search(rule):
            best, found = (length, -depth), entry
    return found


def entry_of(error):
    """The entry about an exception that sporax raised; None for others."""
    if not (is_raised_here(error) or _is_at_a_face(error) or _lacks_attribute(error)):
        return None
    message = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return entry_of_message([kind.__name__ for kind in type(error).__mro__], message)


def _is_at_a_face(error):
    """Whether a public function has refused its arguments: those are compiled, with None for a
    module's name."""
    at = innermost(error)
    return at is not None and at.tb_frame.f_globals.get("__name__", "") is None


def _lacks_attribute(error):
    """Whether Python has not found an attribute of an object of a class of sporax's."""
    if not isinstance(error, AttributeError):
        return False
    return any(kind.__module__.startswith(_PACKAGES) for kind in type(error.obj).__mro__)
