"""Vocabularies: words and their ids."""

import itertools
import re
from collections import Counter
from pathlib import Path

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.signature_errors import Fitting, fitting
from sporax._src.diagnosis.argument_kinds import BOOL, DICT, LIST, STR, TUPLE, instance_of, optional
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.dataset import Dataset, column_indices, names
from sporax.data.text.strings import TextTensorOperation, as_strings
from sporax.data.text_lines import lines


def _words(who, name, words, others=()):
    """Check a list of distinct words, none of which is among `others`."""
    LIST.checked(who, name, words)
    seen = set(others)
    for i, word in enumerate(words):
        is_new = STR.checked(who, f"{name}[{i}]", word) not in seen
        require(is_new, "hold-words-not-already", who, argument=name, got=word, i=i)
        seen.add(word)
    return words


class Vocab(Fitting, accept=None, methods=("vocab", "tokens_to_ids", "ids_to_tokens")):
    """Words and their ids, created by `from_list`, `from_dict`, `from_file` or `from_dataset`.

    >>> vocab = Vocab.from_list(["cat", "dog"], special_tokens=["<unk>"])
    >>> vocab.tokens_to_ids(["dog", "cow"]), vocab.ids_to_tokens([0, 1, 9])
    ([2, -1], ['<unk>', 'cat', ''])
    """

    _by_number: dict[int, str]

    def __init__(self):
        self._numbers = None

    @classmethod
    def _of(cls, numbers):
        vocab = cls()
        vocab._numbers = numbers
        vocab._by_number = {number: word for word, number in numbers.items()}
        return vocab

    @classmethod
    def _of_words(cls, words, special_tokens, special_first):
        special = special_tokens or []
        listed = [*special, *words] if special_first else [*words, *special]
        return cls._of({word: number for number, word in enumerate(listed)})

    @classmethod
    @fitting
    def from_list(cls, word_list, special_tokens=None, special_first=True):
        """Create a vocabulary of words in order, with ids from 0 on, and `special_tokens` before
        them, or after them unless `special_first`.

        >>> Vocab.from_list(["a", "b"], ["<pad>"], special_first=False).vocab()
        {'a': 0, 'b': 1, '<pad>': 2}
        """
        who = "Vocab.from_list"
        words = _words(who, "word_list", word_list)
        if special_tokens is not None:
            _words(who, "special_tokens", special_tokens, words)
        BOOL(who, special_first=special_first)
        return cls._of_words(words, special_tokens, special_first)

    @classmethod
    @fitting
    def from_dict(cls, word_dict):
        """Create a vocabulary of words with user-defined ids, which must be at least 0.

        >>> Vocab.from_dict({"a": 7}).ids_to_tokens(7)
        'a'
        """
        who = "Vocab.from_dict"
        DICT(who, word_dict=word_dict)
        for word, number in word_dict.items():
            STR.checked(who, "a word", word)
            check.WHOLE.checked(who, f"word_dict[{word!r}]", number)
        return cls._of(dict(word_dict))

    @classmethod
    @fitting
    def from_file(
        cls, file_path, delimiter="", vocab_size=None, special_tokens=None, special_first=True
    ):
        """Create a vocabulary of one word per line of a text file, up to `delimiter` if given.

        `vocab_size`: the maximum number of words. `special_tokens`, `special_first`: as for
        `from_list`.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "words.txt"
        >>> _ = path.write_text("cat,12\\ndog,7\\n")
        >>> Vocab.from_file(str(path), ",").vocab()
        {'cat': 0, 'dog': 1}
        """
        who = "Vocab.from_file"
        path = Path(STR.checked(who, "file_path", file_path))
        STR(who, delimiter=delimiter)
        optional(check.COUNT)(who, vocab_size=vocab_size)
        special = [] if special_tokens is None else _words(who, "special_tokens", special_tokens)
        BOOL(who, special_first=special_first)
        return cls._of_words(
            _words_of_file(who, path, delimiter, vocab_size, special), special, special_first
        )

    @classmethod
    @fitting
    def from_dataset(
        cls, dataset, columns=None, freq_range=None, top_k=None, special_tokens=None,
        special_first=True,
    ):  # fmt: skip
        """Create a vocabulary of the words in `columns` (all by default) of a dataset: the most
        frequent first, words of equal frequency in alphabetical order.

        `freq_range`: (least, most) occurrences of a word, None for no limit. `top_k`: the maximum
        number of words. `special_tokens`, `special_first`: as for `from_list`.

        >>> from sporax.data import NumpySlicesDataset
        >>> rows = NumpySlicesDataset({"x": [["a", "b"], ["c", "b"]]})
        >>> Vocab.from_dataset(rows, "x", top_k=2).vocab()
        {'b': 0, 'a': 1}
        """
        who = "Vocab.from_dataset"
        instance_of(Dataset)(who, dataset=dataset)
        least, most = _frequencies(who, freq_range)
        optional(check.COUNT)(who, top_k=top_k)
        special = [] if special_tokens is None else _words(who, "special_tokens", special_tokens)
        BOOL(who, special_first=special_first)
        counts = _counted(who, dataset, columns)
        for word in special:
            is_new = word not in counts
            require(is_new, "not-words-dataset-one", who, special_tokens=word)
        kept = [word for word, count in counts.items() if least <= count <= most]
        kept.sort(key=lambda word: (-counts[word], word))
        return cls._of_words(kept[:top_k], special, special_first)

    def _there(self):
        if self._numbers is None:
            raise rejection("words-none", "Vocab")
        return self._numbers

    def vocab(self):
        """Return {word: id}."""
        return dict(self._there())

    def tokens_to_ids(self, tokens):
        """Return the id of a word, or of each in a list or array; -1 for unknown words."""
        numbers = self._there()
        if isinstance(tokens, np.ndarray):
            tokens = tokens.tolist()
        if isinstance(tokens, str):
            return numbers.get(tokens, -1)
        require(isinstance(tokens, list), "str-list-array", "Vocab.tokens_to_ids", tokens=tokens)
        return [
            numbers.get(STR.checked("Vocab.tokens_to_ids", f"tokens[{i}]", token), -1)
            for i, token in enumerate(tokens)
        ]

    def ids_to_tokens(self, ids):
        """Return the word of an id, or of each in a list or array; '' for unknown ids."""
        self._there()
        if isinstance(ids, np.ndarray):
            ids = ids.tolist()
        if isinstance(ids, int):
            return self._word("ids", ids)
        require(isinstance(ids, list), "int-list-array", "Vocab.ids_to_tokens", ids=ids)
        return [self._word(f"ids[{i}]", number) for i, number in enumerate(ids)]

    def _word(self, name, number):
        if isinstance(number, np.integer):
            number = int(number)
        return self._by_number.get(check.WHOLE.checked("Vocab.ids_to_tokens", name, number), "")


def _words_of_file(who, path, delimiter, vocab_size, special):
    """Return the words of a file's lines: the text before any of the delimiter's characters."""
    end = re.compile(f"[{re.escape(delimiter)}]" if delimiter else r"\Z")
    known = dict.fromkeys(special, "'special_tokens'")
    words = []
    for i, line in enumerate(itertools.islice(lines(who, path), vocab_size)):
        word = end.split(line, 1)[0]
        if word in known:
            fields = {"word": word, "i": i + 1, "known": known[word]}
            raise rejection("words-different-line-too", who, path=path, **fields)
        known[word] = f"line {i + 1}"
        words.append(word)
    return words


def _frequencies(who, freq_range):
    if freq_range is None:
        return 0, float("inf")
    TUPLE(who, freq_range=freq_range)
    fits = len(freq_range) == 2 and all(n is None or isinstance(n, int) for n in freq_range)
    require(fits, "least-most-ints-none", who, freq_range=freq_range)
    least, most = freq_range[0] or 0, float("inf") if freq_range[1] is None else freq_range[1]
    require(0 <= least <= most, "least-most-0-least", who, freq_range=freq_range)
    return least, most


def _counted(who, dataset, columns):
    """Return the count of each word."""
    listed = dataset.get_col_names() if columns is None else names(who, columns)
    indices, counts = column_indices(who, dataset, listed), Counter()
    for row in dataset._begin()():
        for name, i in zip(listed, indices, strict=True):
            words = np.asarray(row[i])
            require(words.dtype.kind == "U", "column-hold-strings", who, name=name, got=words.dtype)
            counts.update(words.ravel().tolist())
    return counts


class Lookup(TextTensorOperation):
    """Returns the id of each word in a vocabulary, as `data_type`.

    `unknown_token`: the word whose id replaces words that are not in the vocabulary; without it,
    they raise RuntimeError.

    >>> Lookup(Vocab.from_list(["<unk>", "cat", "dog"]), "<unk>")(["dog", "cow"])
    array([2, 0], dtype=int32)
    """

    def __init__(self, vocab, unknown_token=None, data_type=dtypes.int32):
        instance_of(Vocab)("Lookup", vocab=vocab)
        optional(STR)("Lookup", unknown_token=unknown_token)
        is_dtype = isinstance(data_type, dtypes.Type)
        require(is_dtype, "dtype-mindspore", "Lookup", data_type=data_type)
        require(data_type != dtypes.string, "numeric", "Lookup", argument="data_type")
        self.vocab, self.unknown_token, self.data_type = vocab, unknown_token, data_type
        self._numbers = vocab.vocab()
        self._unknown = self._numbers.get(unknown_token)
        known, n = unknown_token is None or self._unknown is not None, len(self._numbers)
        require(known, "one-words-vocab", "Lookup", unknown_token=unknown_token, n=n)

    def __call__(self, words):
        array = as_strings("Lookup", words)
        listed = array.ravel().tolist()
        numbers = [self._numbers.get(word, self._unknown) for word in listed]
        if None in numbers:
            n, got = len(self._numbers), listed[numbers.index(None)]
            raise rejection("words-among-vocab", "Lookup", n=n, got=got)
        return np.array(numbers, dtypes.to_numpy(self.data_type)).reshape(array.shape)


__all__ = ["Lookup", "Vocab"]
