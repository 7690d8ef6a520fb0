"""Error messages in Chinese: sentence by sentence, from the table `chinese.csv`.

A row is a pattern and its translation. `<name>` is taken over as it is (one word, if the name is
one letter), `{name}` is translated by the table again; what no row fits stays in English. A row
with `{rule}` fits if its rule does.
"""

import csv
import functools
import re
from pathlib import Path

_SLOT = re.compile(r"<(\w+)>|\{(\w+)\}")
_SPACE = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
_SENTENCES = re.compile(r"(?<=[^.\s])\. (?=[A-Z'])")


@functools.cache
def _table():
    with open(Path(__file__).with_suffix(".csv"), encoding="utf8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [(_pattern(english), chinese) for english, chinese in rows]


def _pattern(english):
    """A regular expression in which each slot is a group of its name; the first letter may be a
    capital."""
    parts, end = [], 0
    if english[0].isalpha():
        parts, end = [f"(?i:{english[0]})"], 1
    for slot in _SLOT.finditer(english):
        name = slot[1] or slot[2]
        text = r"\S+" if len(name) == 1 else ".+?"
        parts += [re.escape(english[end : slot.start()]), f"(?P<{name}>{text})"]
        end = slot.end()
    return re.compile("".join([*parts, re.escape(english[end:])]), re.DOTALL)


def phrase(english):
    """A phrase in Chinese; None where no row fits."""
    for pattern, chinese in _table():
        found = pattern.fullmatch(english)
        if found is None or ("rule" in pattern.groupindex and phrase(found["rule"]) is None):
            continue

        def filled(slot, found=found):
            part = found[slot[1] or slot[2]]
            return part if slot[1] else phrase(part) or part

        return _SPACE.sub("", _SLOT.sub(filled, chinese))
    return None


def message(english):
    """A message in Chinese; None where its first sentence has no translation."""
    first, *others = _SENTENCES.split(english.strip())
    told = phrase(first.rstrip("."))
    if told is None:
        return None
    others = [one.rstrip(".") for one in others]
    return "。".join([told, *[phrase(one) or one for one in others]]) + "。"
