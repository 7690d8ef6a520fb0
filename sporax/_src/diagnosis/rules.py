"""Messages of errors, from the rules of the table `rules.csv`, in English and in Chinese.

A row of the table: the rule's id, the class of its error, its entry in the error index (and those
of arguments of certain names and of other classes: `argument-value params:optimizer-parameters
TypeError:argument-type`), and its text in both languages; a phrase, which is only a part of
messages, has neither class nor entry. A text has slots as in `str.format`; besides Python's, these
are formats:

- `type`: the name of the value's type
- `shown`: the `repr` of the value, cut at 80 characters, or its type
- `typed`: its type and that; of an array, dtype and shape
- `sentence`: a message that begins a sentence
- `phrase`: a phrase, or its id
- `list`, `clauses`, `and`, `or`: the items of a sequence, joined

If a text has the slots `{argument}` and `{got}` and neither is given, they are the name and the
value of the first field that is no slot:
`require(n > 0, "greater-than", "Dense", in_channels=n, n=0)`.
"""

import builtins
import csv
import functools
import io
import re
import string
from pathlib import Path
from typing import NamedTuple

from sporax._src.installation import as_installed

_CJK, _STOPS = re.compile("[\u4e00-\u9fff]"), "，：；。、（）"
_HEADS = {"english": "For '{}', {}.", "chinese": "'{}'：{}。"}


class Rule(NamedTuple):
    """One row of the table."""

    error: str
    entry: str
    english: str
    chinese: str


@functools.cache
def _text():
    return Path(__file__).with_suffix(".csv").read_text("utf8")


def table():
    """Return {id: Rule}."""
    _, *rows = csv.reader(io.StringIO(_text(), newline=""))
    return {name: Rule(*row) for name, *row in rows}


@functools.cache
def row_of(rule):
    """Return the `Rule` of an id. Only its row is parsed: the whole table takes 10 ms, and a first
    message belongs to the start, as Python asks modules for names that they lack."""
    start = _text().find(f"\n{rule},") + 1
    if not start:
        raise KeyError(rule)
    rows = io.StringIO(_text(), newline="")
    rows.seek(start)
    return Rule(*next(csv.reader(rows))[1:])


@functools.cache
def template_fields(text):
    """Return [(literal text, slot or None, its conversion, its format)] of a rule's text."""
    return [*string.Formatter().parse(text)]


def is_array(value):
    """Return True for an array of any library, such as a Tensor or a NumPy array."""
    return hasattr(type(value), "shape") and hasattr(type(value), "dtype")


def shown(value):
    """Return an argument's text for messages: its `repr`, cut at 80 characters, or the name of its
    type if the `repr` has an address or several lines."""
    text = repr(value)
    if " at 0x" in text or "\n" in text or isinstance(value, type):
        return (
            value.__name__
            if isinstance(value, type)
            else message("an-instance", kind=type(value).__name__)
        )
    return text if len(text) <= 80 else f"{text[:77]}..."


def _typed(value):
    name = type(value).__name__
    if is_array(value):
        return f"{name} {value.dtype} {tuple(value.shape)}"
    text = shown(value)
    return text.removeprefix("a ") if value is None or text == f"a {name}" else f"{name} {text}"


class Phrase(str):
    """A text in English that has one in Chinese, `chinese`."""

    chinese: str


def phrase(english, chinese):
    """Return the `Phrase` of a text in both languages."""
    text = Phrase(english)
    text.chinese = chinese
    return text


def _capitalized(text):
    return text[:1].upper() + text[1:]


def _joining(english, chinese=None, comma=", "):
    """Return a format that joins items, the last one by another word; a text is one item."""

    def join(items):
        items = [items] if isinstance(items, str) else items
        texts = [*map(str, items)], [getattr(item, "chinese", str(item)) for item in items]
        return phrase(*[
            word.join([*filter(None, [(comma or word).join(text[:-1])]), *text[-1:]])
            for text, word in zip(texts, (english, chinese or english), strict=True)
        ])  # fmt: skip

    return join


_FORMATS = {
    "type": lambda value: type(value).__name__, "shown": shown, "typed": _typed,
    "list": _joining(", "), "clauses": _joining("; ", "；", ""),
    "and": _joining(" and ", " 和 "), "or": _joining(" or ", " 或 "),
}  # fmt: skip


def _formatted(value, conversion, spec):
    """Return the text of a field, which stays a `Phrase` if it is one, or an error's text."""
    if isinstance(value, BaseException) and len(value.args) == 1:
        value = value.args[0] if isinstance(value.args[0], Phrase) else value
    if spec == "phrase" and not isinstance(value, Phrase):
        return message(value)
    if spec in _FORMATS:
        return _FORMATS[spec](value)
    if isinstance(value, Phrase) and not conversion and spec in ("", "sentence", "phrase"):
        return value
    spec = "" if spec == "sentence" else spec
    return format({"r": repr, "s": str, "a": ascii}.get(conversion, lambda x: x)(value), spec)


def _joined(texts):
    """Join the parts of a Chinese sentence, with a space between Chinese and other text."""
    whole = ""
    for text in filter(None, texts):
        before, after = whole.rstrip(" ")[-1:], text.lstrip(" ")[:1]
        if _CJK.match(before) or _CJK.match(after) or {before, after} & set(_STOPS):
            whole, text = whole.rstrip(" "), text.lstrip(" ")
            is_edge = bool(_CJK.match(before)) != bool(_CJK.match(after))
            whole += " " * (before != "" and is_edge and not {before, after} & set(_STOPS))
        whole += text
    return whole


class Message(Phrase):
    """The English text of a rule for given fields; `chinese` is the Chinese one.

    `rule`: its id; `who`: the rejecting function, or None for a part of another message; `fields`:
    {slot with its format: text}.
    """

    rule: str
    who: str | None
    fields: dict

    def __new__(cls, rule, who, fields):
        texts = {
            slot: _capitalized(text) if slot.endswith(":sentence") else text
            for slot, text in fields.items()
        }
        self = super().__new__(cls, _headed("english", who, _filled(row_of(rule).english, texts)))
        self.rule, self.who, self.fields = rule, who, fields
        return self

    def __reduce__(self):
        return Message, (self.rule, self.who, self.fields)

    @property
    def chinese(self):
        """The text in Chinese."""
        texts = {slot: getattr(text, "chinese", text) for slot, text in self.fields.items()}
        return _headed("chinese", self.who, _joined(_filled(row_of(self.rule).chinese, texts)))

    def entry(self, error=""):
        """Return the entry in the error index, of the first part that has one, else of the rule.
        `error`: the name of the error's class."""
        entries = (text.entry() for text in self.fields.values() if isinstance(text, Message))
        entry, *special = row_of(self.rule).entry.split() or [""]
        named = dict(item.split(":") for item in special)
        own = named.get(self.fields.get("argument!:", ""), named.get(error, entry))
        return next(filter(None, entries), None) or own

    def clause(self):
        """Return the message without `who`, as a clause of another one."""
        return Message(self.rule, None, self.fields)


def message_of(error):
    """Return the `Message` that an exception carries, or None."""
    return next((item for item in error.args if isinstance(item, Message)), None)


def _filled(text, fields):
    """Return the literal texts and fields of a rule's text, in order."""
    for literal, name, spec, conversion in template_fields(text):
        yield as_installed(literal) if "sporax[" in literal else literal
        if name is not None:
            yield fields[_slot(name, spec, conversion)].rstrip(".。" if spec == "sentence" else "")


def _headed(language, who, texts):
    text = "".join(texts)
    if who is None:
        return text
    return _HEADS[language].format(who, text.removesuffix(".").removesuffix("。"))


def _slot(name, spec, conversion):
    return f"{name}!{conversion or ''}:{spec}"


@functools.cache
def _slots(rule):
    """Return the slots of a rule's texts, {slot with its format: (name, conversion, format)}."""
    row = row_of(rule)
    return {
        _slot(name, spec, conversion): (name, conversion, spec)
        for text in (row.english, row.chinese)
        for _, name, spec, conversion in template_fields(text)
        if name is not None
    }


def message(rule, who=None, /, **fields):
    """Return the `Message` of a rule. `who`: the name of the function or class that rejects its
    arguments, if it is not to be a part of another message."""
    slots = _slots(rule)
    names = {name for name, _, _ in slots.values()}
    if "argument" in names and "argument" not in fields:
        name = next(name for name in fields if name not in names)
        fields |= {"argument": name, "got": fields[name]}
    return Message(rule, who, {
        slot: _formatted(fields[name], conversion, spec)
        for slot, (name, conversion, spec) in slots.items()
    })  # fmt: skip


def rejection(rule, who=None, /, error=None, **fields):
    """Return the error of a rule, to be raised. `error`: its class, by default the table's."""
    return (error or getattr(builtins, row_of(rule).error))(message(rule, who, **fields))


def require(holds, rule, who=None, /, error=None, **fields) -> None:
    """Raise the error of a rule unless it `holds`."""
    if not holds:
        raise rejection(rule, who, error, **fields)
