"""Error messages in Chinese, translated sentence by sentence with the table `chinese.csv`.

A row is a pattern and its translation: the rules and words of a grammar. A match of `{name}` is
translated recursively and must be translated completely; a match of `{name?}` may stay English, a
match of `{rule}` in part. A match of `<name>` is copied: `<n>` matches a number, another one-letter
name matches one word; a two-letter name (`<aa>`) matches no English words. A row that begins with a
capital matches only at the beginning of a sentence. Of the matching rows, the one that leaves the
fewest letters in English words is used, the first of several.
"""

import collections
import csv
import functools
import re
from pathlib import Path
from typing import NamedTuple

_SLOT = re.compile(r"('?)(?:<(\w+)>|\{(\w+)(\??)\})\1")
_WHOLE_WORD = re.compile(r"(?<![\w{<])[a-z]{2,}(?![\w}>])")
_SENTENCES = re.compile(r"(?<=[^.\s])\. (?=[A-Z'])")
# text without English words: quoted text, and tuples of names
_CODE = re.compile(r"(?<!\w)'[^']*'|[(\[](?:[\w.*']*(?: [A-Za-z]{1,2})*, ?)+[\w.*']*[)\]]")
# a separate lower-case word: not part of code, and not a word that Chinese keeps
_KEPT = "jit|vmap|grad|vjp|jvp|jax|numpy|pip|install|torch|int|float|bool|str|epoch|mesh"
_FIRST = "A|An|The|Use|Give|Write|Call|Run|Set|Make|Pass|Install|Choose|Add"
_ENGLISH = re.compile(
    rf"(?<![\w.=/@$(-])(?!(?:{_KEPT})\b)(?:a|[a-z][a-z]+|{_FIRST})(?![\w.(=/\[-])"
)
_OPEN, _CLOSED = re.compile(r"[(\[]"), re.compile(r"[)\]]")
_CJK, _STOPS = re.compile("[\u4e00-\u9fff]"), "，：；。、（）"


class Told(NamedTuple):
    """A translated phrase. `left`: its letters in English words; `rows`: the rows used."""

    chinese: str
    left: int
    rows: frozenset


class _Row:
    def __init__(self, english, chinese):
        self.english, self.chinese = english, chinese
        self.literals = [part for part in _SLOT.sub("\0", english).lower().split("\0") if part]
        self.has_slots = bool(_SLOT.search(english))
        self.words = set(_WHOLE_WORD.findall(_SLOT.sub("_", english).lower()))

    @functools.cached_property
    def patterns(self):
        """Regular expressions in which each slot is a group: non-greedy, greedy. The first letter
        may be a capital."""
        return [re.compile(self._pattern(many), re.DOTALL) for many in (".+?", ".+")]

    def _pattern(self, many):
        parts, end = [], 0
        if self.english[0].islower():
            parts, end = [f"(?i:{self.english[0]})"], 1
        for slot in _SLOT.finditer(self.english):
            quote, name = slot[1], slot[2] or slot[3]
            text = many
            if slot[2] and len(name) == 1:
                text = r"-?\d+(?:[.,]\d+)*" if name == "n" else r"\S+"
            text = "[^']*" if quote else text
            literal = re.escape(self.english[end : slot.start()])
            parts += [literal, f"{quote}(?P<{name}>{text}){quote}"]
            end = slot.end()
        return "".join([*parts, re.escape(self.english[end:])])

    def matches(self, english, lowered):
        if all(part in lowered for part in self.literals):
            for pattern in self.patterns:
                if (found := pattern.fullmatch(english)) is not None:
                    yield found

    def told(self, found):
        """Return the translation for a match; None if a slot has no translation."""
        parts, left, used, end = [], 0, {self.english}, 0
        for slot in _SLOT.finditer(self.chinese):
            text, quote = found[slot[2] or slot[3]], slot[1]
            if _OPEN.subn("", text)[1] != _CLOSED.subn("", text)[1]:
                return None
            if slot[3]:
                one = _told(text)
                if not one.rows if slot[3] == "rule" else one.left and not slot[4]:
                    return None
                text, left, used = one.chinese, left + one.left, used | one.rows
            elif not quote and (letters := _letters(text)):
                if len(slot[2]) < 3:
                    return None
                left += letters
            parts += [self.chinese[end : slot.start()], f"{quote}{text}{quote}"]
            end = slot.end()
        return Told(_joined([*parts, self.chinese[end:]]), left, frozenset(used))


@functools.cache
def rows():
    """Return the rows of the table."""
    with open(Path(__file__).with_suffix(".csv"), encoding="utf8", newline="") as file:
        return [_Row(*row) for row in list(csv.reader(file))[1:]]


@functools.cache
def _table():
    """Return ({English: row} of rows without slots, {word: [(place, row)]} of rows with slots).
    Each row is listed under its rarest word, or under '' if it has no words."""
    counts = collections.Counter(word for row in rows() for word in row.words)
    by_word = collections.defaultdict(list)
    for place, row in enumerate(rows()):
        if row.has_slots:
            by_word[min(row.words, key=counts.get, default="")].append((place, row))
    return {row.english: row for row in rows() if not row.has_slots}, by_word


def _candidates(lowered):
    """Return the rows with slots whose words are all in a text, in the order of the table."""
    words, (_, by_word) = {"", *_WHOLE_WORD.findall(lowered)}, _table()
    found = [one for word in words if word in by_word for one in by_word[word]]
    return [row for _, row in sorted(found, key=lambda one: one[0]) if row.words <= words]


def _letters(text):
    """Return the number of letters in English words of a text."""
    return sum(map(len, _ENGLISH.findall(_CODE.sub("''", text))))


def _joined(parts):
    """Join the parts of a sentence, with a space between Chinese and other text."""
    whole = ""
    for part in filter(None, parts):
        before, after = whole.rstrip()[-1:], part.lstrip()[:1]
        if _CJK.match(before) or _CJK.match(after) or {before, after} & set(_STOPS):
            whole, part = whole.rstrip(), part.lstrip()
            is_edge = bool(_CJK.match(before)) != bool(_CJK.match(after))
            whole += " " * (before != "" and is_edge and not {before, after} & set(_STOPS))
        whole += part
    return whole


@functools.lru_cache(4096)
def _told(english):
    words, _ = _table()
    beginning = english[:1].lower() if " " in english else english[:1]
    word = words.get(english) or words.get(beginning + english[1:])
    if word is not None:
        return Told(word.chinese, 0, frozenset([word.english]))
    best, lowered = Told(english, _letters(english), frozenset()), english.lower()
    for row in _candidates(lowered) if best.left else ():
        if english.startswith("For '") and not row.english.startswith("For"):
            continue  # the text after it is a separate sentence
        for found in row.matches(english, lowered):
            one = row.told(found)
            if one is not None and one.left < best.left:
                best = one
        if not best.left:
            break
    return best


def phrase(english):
    """Return a phrase in Chinese; None if no row matches."""
    told = _told(english)
    return told.chinese if told.rows or not told.left else None


def sentences(english):
    """Return the translation of each sentence of a message."""
    return [_told(one.rstrip(".")) for one in _SENTENCES.split(english.strip())]


def message(english):
    """Return a message in Chinese; None if its first sentence has no translation."""
    told = sentences(english)
    return "。".join(one.chinese for one in told) + "。" if told[0].rows else None
