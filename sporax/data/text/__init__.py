"""Text transforms: vocabularies, tokenizers, normalization."""

from sporax._src.core.errors import missing
from sporax.data.text.enums import (
    JiebaMode,
    NormalizeForm,
    SentencePieceModel,
    SPieceTokenizerLoadType,
    SPieceTokenizerOutType,
)
from sporax.data.text.jieba_tokenizer import JiebaTokenizer
from sporax.data.text.normalization import (
    CaseFold,
    FilterWikipediaXML,
    NormalizeUTF8,
    RegexReplace,
)
from sporax.data.text.sentence_piece import SentencePieceTokenizer, SentencePieceVocab
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
from sporax.data.text.word_vectors import CharNGram, FastText, GloVe, ToVectors, Vectors

__all__ = [
    "AddToken", "BasicTokenizer", "BertTokenizer", "CaseFold", "CharNGram", "FastText",
    "FilterWikipediaXML", "GloVe", "JiebaMode", "JiebaTokenizer", "Lookup", "Ngram",
    "NormalizeForm", "NormalizeUTF8", "PythonTokenizer", "RegexReplace", "RegexTokenizer",
    "SPieceTokenizerLoadType", "SPieceTokenizerOutType", "SentencePieceModel",
    "SentencePieceTokenizer", "SentencePieceVocab", "SlidingWindow", "ToNumber", "ToVectors",
    "Truncate", "TruncateSequencePair", "UnicodeCharTokenizer", "UnicodeScriptTokenizer", "Vectors",
    "Vocab", "WhitespaceTokenizer", "WordpieceTokenizer", "to_bytes", "to_str",
]  # fmt: skip


def __getattr__(name):
    raise missing("dataset.text", name)
