"""Transforms of each string by itself: Unicode normalization, case, regular expressions."""

import functools
import re
import unicodedata

from sporax.data import argument_checks as check
from sporax.data.text.enums import NormalizeForm
from sporax.data.text.regular_expressions import compiled, filled_in, template
from sporax.data.text.strings import ElementwiseOperation

# Code points without a form of their own (Default_Ignorable_Code_Point in Unicode).
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


@functools.cache
def _folded(char):
    """A character's NFKC_Casefold mapping."""
    folded = unicodedata.normalize("NFD", _IGNORABLE.sub("", char)).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())


def case_folded(text):
    """Unicode's NFKC_Casefold: compatible forms, without case and without invisible characters."""
    return unicodedata.normalize("NFC", "".join(map(_folded, text)))


def normalized(text, form):
    """The text in a normalization form."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)


class CaseFold(ElementwiseOperation):
    """Strings in Unicode's case folding, which also replaces compatible forms (NFKC_Casefold).

    >>> str(CaseFold()("Straße ＡＢＣ"))
    'strasse abc'
    """

    def _string(self, text):
        return case_folded(text)


class NormalizeUTF8(ElementwiseOperation):
    """Strings in a normalization form of Unicode, a member of `NormalizeForm`.

    >>> str(NormalizeUTF8(NormalizeForm.NFKC)("ﬁ 2⁵"))
    'fi 25'
    """

    def __init__(self, normalize_form=NormalizeForm.NFKC):
        self.normalize_form = check.member(
            "NormalizeUTF8", "normalize_form", normalize_form, NormalizeForm
        )

    def _string(self, text):
        return normalized(text, self.normalize_form)


class RegexReplace(ElementwiseOperation):
    """Strings in which `replace` stands for what matches `pattern`, everywhere or, unless
    `replace_all`, at the first place.

    `pattern`: a regular expression of ICU's syntax. `replace`: $1 and ${name} in it stand for
    groups; a backslash makes the next character an ordinary one. Needs the library regex:
    `pip install 'sporax[text]'`.

    >>> str(RegexReplace(r"(\\w+) (\\w+)", "$2 $1")("hello world"))
    'world hello'
    """

    def __init__(self, pattern, replace, replace_all=True):
        self.pattern = check.text("RegexReplace", "pattern", pattern)
        self.replace = check.text("RegexReplace", "replace", replace)
        self.replace_all = check.true_or_false("RegexReplace", "replace_all", replace_all)

    def _string(self, text):
        expression = compiled(self._who, "pattern", self.pattern)
        parts = template(self._who, self.replace, expression)
        count = 0 if self.replace_all else 1
        return expression.sub(lambda match: filled_in(parts, match), text, count)


_DIGITS = "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"
_MARKUP = [  # (what goes, what comes in its place), one after another
    (re.compile(r"(?is).*#redirect.*"), ""),
    (re.compile(r"<.*>|<[^>]*>"), ""),
    (re.compile("&[^;]*;"), " "),
    (re.compile("[A-Z]"), lambda match: match[0].lower()),
    (re.compile("[0-9]"), lambda match: f" {_DIGITS[int(match[0])]} "),
    (re.compile(r"[^a-z\n]+"), " "),
    (re.compile("\n "), ""),
    (re.compile(r"\s+"), " "),
]


class FilterWikipediaXML(ElementwiseOperation):
    """Strings of a dump of Wikipedia in XML as words of a to z between single spaces: without tags,
    with digits spelled out; '' for a page that refers to another by #REDIRECT.

    >>> str(FilterWikipediaXML()("<b>bold</b> In 1984, it's BIG."))
    'in one nine eight four it s big'
    """

    def _string(self, text):
        for pattern, replacement in _MARKUP:
            text = pattern.sub(replacement, text)
        return text.strip()


__all__ = ["CaseFold", "FilterWikipediaXML", "NormalizeUTF8", "RegexReplace"]
