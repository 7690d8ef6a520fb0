"""Enumerations for the arguments of text transforms."""

import enum


class NormalizeForm(enum.IntEnum):
    """Unicode normalization forms (UAX 15).

    >>> NormalizeForm.NFKC.name
    'NFKC'
    """

    NONE = 0
    NFC = 1
    NFKC = 2
    NFD = 3
    NFKD = 4


class JiebaMode(enum.IntEnum):
    """Segmentation of Chinese text: by the most probable path through a dictionary (MP), by a
    hidden Markov model (HMM), or by both (MIX).

    >>> JiebaMode.MIX.value
    0
    """

    MIX = 0
    MP = 1
    HMM = 2


class SentencePieceModel(enum.IntEnum):
    """Subword algorithms of SentencePiece.

    >>> SentencePieceModel.BPE.name
    'BPE'
    """

    UNIGRAM = 0
    BPE = 1
    CHAR = 2
    WORD = 3


class SPieceTokenizerLoadType(enum.IntEnum):
    """The source of a SentencePiece model: a file, or a `SentencePieceVocab`.

    >>> SPieceTokenizerLoadType.MODEL.value
    1
    """

    FILE = 0
    MODEL = 1


class SPieceTokenizerOutType(enum.IntEnum):
    """The output of `SentencePieceTokenizer`: the pieces, or their ids.

    >>> SPieceTokenizerOutType.INT.value
    1
    """

    STRING = 0
    INT = 1


__all__ = [
    "JiebaMode", "NormalizeForm", "SPieceTokenizerLoadType", "SPieceTokenizerOutType",
    "SentencePieceModel",
]  # fmt: skip
