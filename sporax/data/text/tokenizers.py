"""Tokenizers, which split a string into an array of tokens.

With `with_offsets` they also return the start and end of each token, in bytes of UTF-8, UInt32.
"""

import functools
import re
import sys
import unicodedata

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, FUNCTION, STR, instance_of, member_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.operation import PyTensorOperation
from sporax.data.text.enums import NormalizeForm
from sporax.data.text.normalization import case_folded, normalized
from sporax.data.text.regular_expressions import compiled
from sporax.data.text.strings import TextTensorOperation, as_strings, one_string, row_of_strings
from sporax.data.text.vocab import Vocab

_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # White_Space


class Tokenizer(TextTensorOperation):
    """Base of tokenizers: `_spans(text)` returns the (start, end) of each token in characters."""

    def __init__(self, with_offsets=False):
        self.with_offsets = BOOL.checked(self._who, "with_offsets", with_offsets)

    def __call__(self, text):
        text = self._prepared(one_string(self._who, text))
        spans = list(self._spans(text)) or [(0, 0)]
        words = [text[start:end] for start, end in spans]
        if not self.with_offsets:
            return self._result(words, None, None)
        offsets = np.cumsum([0, *[len(char.encode()) for char in text]], dtype=np.uint32)
        starts, ends = np.array(spans).T
        return self._result(words, offsets[starts], offsets[ends])

    def _result(self, words, starts, ends):
        tokens = np.array(words)
        return tokens if starts is None else (tokens, starts, ends)

    def _prepared(self, text):
        return text

    def _spans(self, text):
        raise rejection("method-defined", self._who, other="_spans")


class UnicodeCharTokenizer(Tokenizer):
    """Splits a string into characters.

    >>> UnicodeCharTokenizer()("床a")
    array(['床', 'a'], dtype='<U1')
    """

    def _spans(self, text):
        return [(i, i + 1) for i in range(len(text))]


class WhitespaceTokenizer(Tokenizer):
    """Splits a string at white space.

    >>> [x.tolist() for x in WhitespaceTokenizer(with_offsets=True)("Welcome  To")]
    [['Welcome', 'To'], [0, 9], [7, 11]]
    """

    def _spans(self, text):
        return [match.span() for match in re.finditer(f"[^{_SPACE}]+", text)]


@functools.cache
def _kind(char):
    """Return a character's script, and True if it is white space."""
    try:
        from fontTools.unicodedata import script
    except ModuleNotFoundError:
        raise rejection("sporax-needs-fonttools-tell") from None
    return script(char), bool(re.match(f"[{_SPACE}]", char))


class UnicodeScriptTokenizer(Tokenizer):
    """Splits a string into parts of one script, such as Latin or Han; white space is a separate
    part, which is kept only with `keep_whitespace`.

    Requires the library fonttools: `pip install 'sporax[text]'`.

    >>> UnicodeScriptTokenizer()("Welcome 北京!").tolist()
    ['Welcome', '北京', '!']
    """

    def __init__(self, keep_whitespace=False, with_offsets=False):
        super().__init__(with_offsets)
        self.keep_whitespace = BOOL.checked(self._who, "keep_whitespace", keep_whitespace)

    def _spans(self, text):
        kinds = list(map(_kind, text))
        borders = [i for i in range(1, len(text)) if kinds[i] != kinds[i - 1]]
        starts = [0, *borders] if text else []
        return [
            span for span in zip(starts, [*borders, len(text)], strict=False)
            if self.keep_whitespace or not kinds[span[0]][1]
        ]  # fmt: skip


def _between(text, delimiter, kept):
    """Yield the spans between the matches of `delimiter`, and the matches that match `kept`."""
    start = 0
    for match in delimiter.finditer(text):
        if start < match.start():
            yield start, match.start()
        if match.end() > match.start() and kept is not None and kept.fullmatch(match.group()):
            yield match.span()
        start = match.end()
    if start < len(text):
        yield start, len(text)


class RegexTokenizer(Tokenizer):
    """Splits a string at the matches of `delim_pattern`; keeps the matches that also match
    `keep_delim_pattern`, none if it is ''.

    The patterns are regular expressions in ICU syntax. Requires the library regex:
    `pip install 'sporax[text]'`.

    >>> RegexTokenizer(r"[\\s,]", ",")("Welcome, To").tolist()
    ['Welcome', ',', 'To']
    """

    def __init__(self, delim_pattern, keep_delim_pattern="", with_offsets=False):
        super().__init__(with_offsets)
        self.delim_pattern = STR.checked(self._who, "delim_pattern", delim_pattern)
        self.keep_delim_pattern = STR.checked(self._who, "keep_delim_pattern", keep_delim_pattern)

    def _spans(self, text):
        kept = self.keep_delim_pattern
        return _between(
            text,
            compiled(self._who, "delim_pattern", self.delim_pattern),
            compiled(self._who, "keep_delim_pattern", kept) if kept else None,
        )


# The special tokens of Bert's vocabulary.
_SPECIAL = r"\[CLS\]|\[SEP\]|\[UNK\]|\[PAD\]|\[MASK\]"
_HAN = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b820-\U0002ceaf\uf900-\ufaff\U0002f800-\U0002fa1f"
)


@functools.cache
def _of_categories(*categories):
    """Return the characters of these Unicode categories."""
    chars = map(chr, range(sys.maxunicode + 1))
    return [char for char in chars if unicodedata.category(char).startswith(categories)]


@functools.cache
def _replacing(replacement, *categories):
    """Return a table for `str.translate` that replaces the characters of these categories."""
    return str.maketrans(dict.fromkeys(_of_categories(*categories), replacement))


@functools.cache
def _basic_delimiters(spaces, special):
    alternatives = [rf"{_SPECIAL}|\[unused\d+\]"] if special else []
    alternatives += [f"[{_SPACE}]+"] if spaces else []
    single = re.escape("".join(_of_categories("P"))) + r"!-/:-@\[-`{-~" + _HAN
    return re.compile("|".join([*alternatives, f"[{single}]"]))


class BasicTokenizer(Tokenizer):
    """Splits text into words, punctuation marks and Chinese characters, as Bert's authors do.

    `lower_case`: fold the case and remove accents; otherwise normalize the text to
    `normalization_form`. `keep_whitespace`: white space is a token too.
    `preserve_unused_token`: keep [CLS], [SEP], [UNK], [PAD], [MASK] and [unused1] whole. Control
    characters count as spaces; offsets refer to the normalized text.

    >>> BasicTokenizer(lower_case=True)("Déjà vu, [CLS] 北京!").tolist()
    ['deja', 'vu', ',', '[CLS]', '北', '京', '!']
    """

    def __init__(
        self, lower_case=False, keep_whitespace=False, normalization_form=NormalizeForm.NONE,
        preserve_unused_token=True, with_offsets=False,
    ):  # fmt: skip
        super().__init__(with_offsets)
        self.lower_case = BOOL.checked(self._who, "lower_case", lower_case)
        self.keep_whitespace = BOOL.checked(self._who, "keep_whitespace", keep_whitespace)
        member_of(NormalizeForm)(self._who, normalization_form=normalization_form)
        BOOL(self._who, preserve_unused_token=preserve_unused_token)
        self.normalization_form = normalization_form
        self.preserve_unused_token = preserve_unused_token

    def _prepared(self, text):
        if self.lower_case:
            text = unicodedata.normalize("NFD", self._folded(text))
            text = text.translate(_replacing("", "Mn"))
        else:
            text = normalized(text, self.normalization_form)
        return text.translate(_replacing(" ", "Cc", "Cf"))

    def _folded(self, text):
        if not self.preserve_unused_token:
            return case_folded(text)
        segments = re.split(f"({_SPECIAL})", text)
        return "".join(
            [segment if i % 2 else case_folded(segment) for i, segment in enumerate(segments)]
        )

    def _spans(self, text):
        special = self.preserve_unused_token
        return _between(
            text, _basic_delimiters(True, special), _basic_delimiters(self.keep_whitespace, special)
        )


class _Wordpiece:
    """Greedy longest-match-first subwords of a vocabulary (Wu et al. 2016)."""

    def __init__(self, who, vocab, suffix_indicator, max_bytes_per_token, unknown_token):
        instance_of(Vocab)(who, vocab=vocab)
        self._words = vocab.vocab()
        self._suffix = STR.checked(who, "suffix_indicator", suffix_indicator)
        self._most = check.UINT32.checked(who, "max_bytes_per_token", max_bytes_per_token)
        self._unknown = STR.checked(who, "unknown_token", unknown_token)

    def split(self, words, starts):
        """Return the subwords of all words, with their starts and ends if `starts` is given."""
        offsets = [0] * len(words) if starts is None else starts.tolist()
        split = [self._pieces(word, offset) for word, offset in zip(words, offsets, strict=True)]
        tokens, firsts, ends = zip(*[piece for pieces in split for piece in pieces], strict=True)
        if starts is None:
            return np.array(tokens)
        return np.array(tokens), np.array(firsts, np.uint32), np.array(ends, np.uint32)

    def _pieces(self, word, start):
        """Return (subword, first byte, end byte) of the subwords of a word at byte `start`."""
        size = len(word.encode())
        whole = [(self._unknown or word, start, start + size)]
        if size > self._most:
            return whole
        subwords, position = [], 0
        while position < len(word):
            prefix = self._suffix if position else ""
            ends = range(len(word), position, -1)
            end = next((end for end in ends if prefix + word[position:end] in self._words), None)
            if end is None:
                return whole
            length = len(word[position:end].encode())
            subwords.append((prefix + word[position:end], start, start + length))
            position, start = end, start + length
        return subwords or [("", start, start)]


class WordpieceTokenizer(TextTensorOperation):
    """Splits the words of a string or an array of strings into the longest subwords in `vocab`.

    `suffix_indicator`: the prefix of all but the first subword of a word. A word that the
    subwords do not cover, or of more than `max_bytes_per_token` bytes, becomes `unknown_token`, or
    is unchanged if that is ''.

    >>> vocab = Vocab.from_list(["favor", "##ite", "my"])
    >>> WordpieceTokenizer(vocab)(["my", "favorite", "cow"]).tolist()
    ['my', 'favor', '##ite', '[UNK]']
    """

    def __init__(
        self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
        with_offsets=False,
    ):  # fmt: skip
        self._wordpiece = _Wordpiece(
            self._who, vocab, suffix_indicator, max_bytes_per_token, unknown_token
        )
        self.with_offsets = BOOL.checked(self._who, "with_offsets", with_offsets)

    def __call__(self, words):
        listed = np.atleast_1d(row_of_strings(self._who, words, (0, 1))).tolist()
        starts = np.zeros(len(listed), np.uint32) if self.with_offsets else None
        return self._wordpiece.split(listed, starts)


class BertTokenizer(BasicTokenizer):
    """Splits a string by `BasicTokenizer`, and the result by `WordpieceTokenizer`.

    >>> vocab = Vocab.from_list(["favor", "##ite", "my", "!"])
    >>> BertTokenizer(vocab, lower_case=True)("My FAVORITE cow!").tolist()
    ['my', 'favor', '##ite', '[UNK]', '!']
    """

    def __init__(
        self, vocab, suffix_indicator="##", max_bytes_per_token=100, unknown_token="[UNK]",
        lower_case=False, keep_whitespace=False, normalization_form=NormalizeForm.NONE,
        preserve_unused_token=True, with_offsets=False,
    ):  # fmt: skip
        super().__init__(lower_case, keep_whitespace, normalization_form, preserve_unused_token,
                         with_offsets)  # fmt: skip
        self._wordpiece = _Wordpiece(
            self._who, vocab, suffix_indicator, max_bytes_per_token, unknown_token
        )

    def _result(self, words, starts, ends):
        return self._wordpiece.split(words, starts)


class PythonTokenizer(PyTensorOperation):
    """Splits each str of an array by a function; all must have the same number of tokens.

    >>> PythonTokenizer(str.split)(np.array("Hello world")).tolist()
    ['Hello', 'world']
    """

    def __init__(self, tokenizer):
        FUNCTION("PythonTokenizer", tokenizer=tokenizer)
        self.tokenizer = tokenizer

    def __call__(self, text):
        array = np.asarray(text)
        array = as_strings(
            "PythonTokenizer", np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array
        )
        rows = [self._tokens(each) for each in array.ravel().tolist()]
        lengths = [len(row) for row in rows]
        require(len({*lengths}) <= 1, "all-strings-array-many", "PythonTokenizer", got=lengths)
        return np.array(rows, np.str_).reshape(*array.shape, len(rows[0]) if rows else 0)

    def _tokens(self, text):
        try:
            return list(self.tokenizer(text))
        except Exception as error:
            fields = {"argument": "tokenizer", "text": text, "cause": error}
            raise rejection("make-list-str-str", "PythonTokenizer", **fields) from error


__all__ = [
    "BasicTokenizer", "BertTokenizer", "PythonTokenizer", "RegexTokenizer",
    "UnicodeCharTokenizer", "UnicodeScriptTokenizer", "WhitespaceTokenizer", "WordpieceTokenizer",
]  # fmt: skip
