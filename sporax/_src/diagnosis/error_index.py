"""The error index: lookup of the entry for an error.

An entry is a `###` section of `error_index.md`: title, cause, remedy, and blocks that show them;
`error_index.zh.md` has titles, causes and remedies in Chinese. Its messages are those of the rules
that name it in `rules.csv`, and the exception of a rule carries the rule. Errors in the words of
Python or MindSpore have none: a line of the entry has a part of their text, in which `<name>`
matches any text.
"""

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sporax._src.diagnosis import rules
from sporax._src.diagnosis.causes import is_raised_here

_PAGES = {"en": Path(__file__).with_suffix(".md"), "zh": Path(__file__).with_suffix(".zh.md")}
_PACKAGES = "sporax.", "mindspore."  # module prefixes of sporax's classes
_SHOWN = 3  # messages of an entry in the terminal
_TEXTS = {"en": "english", "zh": "chinese"}  # columns of the table
_REST = {"en": "{} more messages", "zh": "其余 {} 条报错"}
_WORKS = {"en": "This works:", "zh": "改正后："}
# a line break between Chinese characters does not count as a space
_BROKEN = re.compile(r"(?<=[^\x00-\x7f])\n(?=[^\x00-\x7f])|(?<=[，。；：、])\n(?=\S)")
_HEADING = re.compile(r"^##(?= )", re.MULTILINE)
_SECTION = re.compile(r"^### ", re.MULTILINE)
_MARKS = re.compile(r"[\\`*_<\[$]")  # of Markdown
_SLOT = re.compile(r"<\w+>")
_ENTRY = re.compile(
    r"(?P<name>[\w-]+)\n\n(?P<title>[^\n]+)\n\n(?P<foreign>(?:- [\w, ]+: `[^\n]+`\n)*)\n*"
    r"(?P<prose>.*?)\n*(?P<blocks>^```.*)?\Z",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Entry:
    """`foreign`: (exception names, parts of messages that have no rule, with slots). `prose`: cause
    and remedy. `blocks`: code and its output."""

    name: str
    title: str
    foreign: list[tuple[list[str], list[str]]]
    prose: str
    blocks: str

    language: str = "en"

    def messages(self):
        """Return all messages, the shortest first: those of rules, then those without."""
        ours = sorted(_of_rules(self.language)[self.name], key=len)
        return ours + [f"{kinds[0]}: ... {text} ..." for kinds, texts in self.foreign
                       for text in texts]  # fmt: skip

    def printed(self):
        """Return the first messages, and how many more there are."""
        messages = self.messages()
        more = [_REST[self.language].format(len(messages) - _SHOWN)] if messages[_SHOWN:] else []
        return messages[:_SHOWN] + more

    def shown(self):
        """Return the blocks, with a heading before the working code."""
        failing, mark, working = self.blocks.rpartition("```python")
        return f"{failing}{_WORKS[self.language]}\n\n{mark}{working}" if failing else self.blocks

    def markdown(self):
        """Return the entry as a section of a page, in which long lines of output are wrapped."""
        listed = "\n".join(f"- {escaped(message)}" for message in self.messages())
        if more := self.printed()[_SHOWN:]:
            listed = f"<details>\n<summary>{more[0]}</summary>\n\n{listed}\n\n</details>"
        blocks = self.shown().replace("```text\n", "```{code-block} text\n:class: message\n\n")
        sections = f"### {self.name}", f"**{self.title}**", listed, self.prose, blocks
        return "\n\n".join(section for section in sections if section) + "\n"


def escaped(text):
    """Return a text without marks of Markdown."""
    return _MARKS.sub(r"\\\g<0>", text)


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
    match: Any = _ENTRY.fullmatch(text.strip())
    lines = re.findall(r"^- ([\w, ]+): (.*)$", match["foreign"], re.MULTILINE)
    foreign = [(kinds.split(", "), re.findall("`([^`]+)`", texts)) for kinds, texts in lines]
    blocks = match["blocks"] or ""
    if language != "en":
        english = entries()[match["name"]]
        foreign, blocks = english.foreign, english.blocks
    return Entry(match["name"], match["title"], foreign, match["prose"], blocks, language)


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
def _of_rules(language):
    """Return {name of an entry: messages of its rules}, with `<name>` for a slot."""
    messages = {name: [] for name in entries()}
    for row in rules.table().values():
        for name in row.entry.split():
            argument, _, entry = name.rpartition(":")
            filled = {None: ""} | ({"argument": argument} if argument else {})
            pieces = rules.template_fields(getattr(row, _TEXTS[language]))
            text = "".join(literal + filled.get(slot, f"<{slot}>") for literal, slot, *_ in pieces)
            text = f"{row.error}: {text}" if row.error else text
            messages[entry].append(" ".join(text.split()))
    return messages


@functools.cache
def _foreign():
    """Return (exception names, regular expression, name of the entry) per message without rule."""
    return [
        (kinds, re.compile(".+?".join(map(re.escape, _SLOT.split(text))), re.DOTALL), entry.name)
        for entry in entries().values() for kinds, texts in entry.foreign for text in texts
    ]  # fmt: skip


def entry_of_message(kinds, message):
    """Return the entry for a message without rule of an exception whose class and bases have these
    names; None if there is none."""
    for named, pattern, name in _foreign():
        if not set(kinds).isdisjoint(named) and pattern.search(message):
            return entries()[name]
    return None


def entry_of(error):
    """Return the entry for an exception that sporax raised; None for others."""
    if (message := rules.message_of(error)) is not None:
        return entries().get(message.entry(type(error).__name__))
    if not (is_raised_here(error) or _lacks_attribute(error)):
        return None
    return entry_of_message([kind.__name__ for kind in type(error).__mro__], str(error))


def _lacks_attribute(error):
    """Return True for the AttributeError of an object of a sporax class."""
    if not isinstance(error, AttributeError):
        return False
    return any(kind.__module__.startswith(_PACKAGES) for kind in type(error.obj).__mro__)
