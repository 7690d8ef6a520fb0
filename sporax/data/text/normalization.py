"""Transforms of single strings: Unicode normalization, case, regular expressions."""

import functools
import re
import unicodedata

from sporax._src.diagnosis.argument_kinds import BOOL, STR, member_of
from sporax.data.text.enums import NormalizeForm
from sporax.data.text.regular_expressions import compiled, filled_in, template
from sporax.data.text.strings import ElementwiseOperation

# Invisible code points (Default_Ignorable_Code_Point in Unicode).
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


@functools.cache
def _folded(char):
    """Return a character's NFKC_Casefold mapping."""
    folded = unicodedata.normalize("NFD", _IGNORABLE.sub("", char)).casefold()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())


def case_folded(text):
    """Return Unicode's NFKC_Casefold of a text: normalized, without case and invisibles."""
    return unicodedata.normalize("NFC", "".join(map(_folded, text)))


def normalized(text, form):
    """Return the text in a normalization form."""
    return text if form is NormalizeForm.NONE else unicodedata.normalize(form.name, text)


class CaseFold(ElementwiseOperation):
    """Applies Unicode case folding, which also replaces compatibility forms (NFKC_Casefold).

    >>> str(CaseFold()("Straße ＡＢＣ"))
    'strasse abc'
    """

    def _string(self, text):
        return case_folded(text)


class NormalizeUTF8(ElementwiseOperation):
    """Normalizes strings to a Unicode normalization form, a member of `NormalizeForm`.

    >>> str(NormalizeUTF8(NormalizeForm.NFKC)("ﬁ 2⁵"))
    'fi 25'
    """

    def __init__(self, normalize_form=NormalizeForm.NFKC):
        member_of(NormalizeForm)("NormalizeUTF8", normalize_form=normalize_form)
        self.normalize_form = normalize_form

    def _string(self, text):
        return normalized(text, self.normalize_form)


class RegexReplace(ElementwiseOperation):
    """Replaces the matches of `pattern` in strings by `replace`: all, or only the first without
    `replace_all`.

    `pattern`: a regular expression in ICU syntax. `replace`: may refer to groups as $1 and
    ${name}; a backslash escapes the next character. Requires the library regex:
    `pip install 'sporax[text]'`.

    >>> str(RegexReplace(r"(\\w+) (\\w+)", "$2 $1")("hello world"))
    'world hello'
    """

    def __init__(self, pattern, replace, replace_all=True):
        self.pattern = STR.checked("RegexReplace", "pattern", pattern)
        self.replace = STR.checked("RegexReplace", "replace", replace)
        self.replace_all = BOOL.checked("RegexReplace", "replace_all", replace_all)

    def _string(self, text):
        expression = compiled(self._who, "pattern", self.pattern)
        tokens = template(self._who, self.replace, expression)
        count = 0 if self.replace_all else 1
        return expression.sub(lambda match: filled_in(tokens, match), text, count)


_DIGITS = "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"
_MARKUP = [  # (pattern, replacement), applied in order
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
    """Converts strings of a Wikipedia XML dump to words of a to z between single spaces: without
    tags, with digits spelled out; '' for a #REDIRECT page.

    >>> str(FilterWikipediaXML()("<b>bold</b> In 1984, it's BIG."))
    'in one nine eight four it s big'
    """

    def _string(self, text):
        for pattern, replacement in _MARKUP:
            text = pattern.sub(replacement, text)
        return text.strip()


__all__ = ["CaseFold", "FilterWikipediaXML", "NormalizeUTF8", "RegexReplace"]
