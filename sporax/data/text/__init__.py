"""Transforms of text: vocabularies, tokenizers, normalization."""

from sporax.core.errors import missing
from sporax.data.text.enums import (
    JiebaMode,
    NormalizeForm,
    SentencePieceModel,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from sporax.data.text.normalization import (
    CaseFold,
    FilterWikipediaXML,
    NormalizeUTF8,
    RegexReplace,
)
from sporax.data.text.sequences import (
    AddToken,
    Ngram,
    SlidingWindow,
    ToNumber,
    Truncate,
    TruncateSequencePair,
    to_bytes,
    to_str,
)
from sporax.data.text.tokenizers import (
    BasicTokenizer,
    BertTokenizer,
    PythonTokenizer,
    RegexTokenizer,
    UnicodeCharTokenizer,
    UnicodeScriptTokenizer,
    WhitespaceTokenizer,
    WordpieceTokenizer,
)
from sporax.data.text.vocab import Lookup, Vocab

__all__ = [
    "AddToken", "BasicTokenizer", "BertTokenizer", "CaseFold", "FilterWikipediaXML", "JiebaMode",
    "Lookup", "Ngram", "NormalizeForm", "NormalizeUTF8", "PythonTokenizer", "RegexReplace",
    "RegexTokenizer", "SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel",
    "SlidingWindow", "ToNumber", "Truncate", "TruncateSequencePair", "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer", "Vocab", "WhitespaceTokenizer", "WordpieceTokenizer", "to_bytes",
    "to_str",
]  # fmt: skip


def __getattr__(name):
    raise missing("dataset.text", name)
