"""Transforms of arrays of words or numbers: windows, n-grams, truncation, conversion."""

import re

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.signature_errors import fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import BOOL, INT, STR
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.text.strings import TextTensorOperation, as_strings, row_of_strings


def _array(who, value, ndims):
    array = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    fits = array.dtype.kind in "biufU" and array.ndim in ndims
    fields = {"ndims": ndims, "got": array.dtype, "shape": array.shape}
    require(fits, "input-with-axes", who, **fields)
    return array


def _compact(array):
    """Return strings in the narrowest dtype that holds them."""
    if array.dtype.kind != "U":
        return array
    return np.array(array.ravel().tolist(), np.str_).reshape(array.shape)


class AddToken(TextTensorOperation):
    """Adds a token before the words of a row, or after them unless `begin`; to each row if 2-d.

    >>> AddToken("<s>")(["a", "b"]).tolist()
    ['<s>', 'a', 'b']
    """

    def __init__(self, token, begin=True):
        self.token = STR.checked("AddToken", "token", token)
        self.begin = BOOL.checked("AddToken", "begin", begin)

    def __call__(self, words):
        array = row_of_strings("AddToken", words, (1, 2))
        added = np.full((*array.shape[:-1], 1), self.token)
        return _compact(np.concatenate([added, array] if self.begin else [array, added], -1))


class Ngram(TextTensorOperation):
    """Returns the n-grams of words, joined by `separator`; '' if there are too few words.

    `n`: an int, or a list of ints, whose n-grams are concatenated. `left_pad`, `right_pad`: (token,
    count) at the ends, with a count of at most n - 1.

    >>> Ngram(2, left_pad=("_", 1), separator="-")(["a", "b", "c"]).tolist()
    ['_-a', 'a-b', 'b-c']
    """

    def __init__(self, n, left_pad=("", 0), right_pad=("", 0), separator=" "):
        sizes = [n] if isinstance(n, int) else n
        require(isinstance(sizes, list) and sizes, "positive-int-list-such", "Ngram", n=n)
        self.n = [check.COUNT.checked("Ngram", f"n[{i}]", size) for i, size in enumerate(sizes)]
        for name, pad in (("left_pad", left_pad), ("right_pad", right_pad)):
            fits = isinstance(pad, tuple) and list(map(type, pad)) == [str, int] and pad[1] >= 0
            require(fits, "token-how-often", "Ngram", argument=name, got=pad)
        self.left_pad, self.right_pad = left_pad, right_pad
        self.separator = STR.checked("Ngram", "separator", separator)

    def __call__(self, words):
        words = row_of_strings("Ngram", words).tolist()
        return np.array([gram for n in self.n for gram in self._grams(words, n)])

    def _grams(self, words, n):
        (left, lefts), (right, rights) = self.left_pad, self.right_pad
        padded = [left] * min(lefts, n - 1) + words + [right] * min(rights, n - 1)
        starts = range(len(padded) - n + 1)
        return [self.separator.join(padded[i : i + n]) for i in starts] or [""]


class SlidingWindow(TextTensorOperation):
    """Returns the windows of `width` consecutive elements of a row, as the rows of an array.

    >>> SlidingWindow(2)([1, 2, 3]).tolist()
    [[1, 2], [2, 3]]
    """

    def __init__(self, width, axis=0):
        self.width = check.COUNT.checked("SlidingWindow", "width", width)
        self.axis = INT.checked("SlidingWindow", "axis", axis)

    def __call__(self, row):
        array = _compact(_array("SlidingWindow", row, (1,)))
        require(self.axis in (0, -1), "0-1-axis-row", "SlidingWindow", axis=self.axis)
        if len(array) < self.width:
            return _compact(array[:0])
        return np.lib.stride_tricks.sliding_window_view(array, self.width).copy()


class Truncate(TextTensorOperation):
    """Truncates a row to its first `max_seq_len` elements; each row if 2-d.

    >>> Truncate(2)(["a", "b", "c"]).tolist()
    ['a', 'b']
    """

    def __init__(self, max_seq_len):
        self.max_seq_len = check.COUNT.checked("Truncate", "max_seq_len", max_seq_len)

    def __call__(self, row):
        return _compact(_array("Truncate", row, (1, 2))[..., : self.max_seq_len])


class TruncateSequencePair(TextTensorOperation):
    """Truncates two rows to `max_length` elements in total: the longer one loses its last elements
    first, the second one if both are equally long.

    >>> [x.tolist() for x in TruncateSequencePair(4)([1, 2, 3], [4, 5])]
    [[1, 2], [4, 5]]
    """

    def __init__(self, max_length):
        who = "TruncateSequencePair"
        INT(who, max_length=max_length)
        require(max_length >= 0, "at-least", who, max_length=max_length, n=0, error=RuntimeError)
        self.max_length = max_length

    def __call__(self, first, second):
        first, second = (_array("TruncateSequencePair", x, (1,)) for x in (first, second))
        small, large = self.max_length // 2, (self.max_length + 1) // 2
        kept_first = min(len(first), max(large, self.max_length - len(second)))
        kept_second = min(len(second), max(small, self.max_length - kept_first))
        return _compact(first[:kept_first]), _compact(second[:kept_second])


_INT = re.compile(r"\s*([+-]?[0-9]+)", re.ASCII)
_FLOAT = re.compile(
    r"\s*([+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?|nan|inf(?:inity)?"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))", re.ASCII | re.IGNORECASE,
)  # fmt: skip


class ToNumber(TextTensorOperation):
    """Converts strings to numbers of `data_type`, a dtype of MindSpore.

    As in C's strtol and strtod, leading white space and trailing characters are ignored: '12.5 kg'
    is the int 12 and the float 12.5.

    >>> ToNumber(ms.float32)(["1", "2.5"])
    array([1. , 2.5], dtype=float32)
    """

    def __init__(self, data_type):
        is_dtype = isinstance(data_type, dtypes.Type)
        require(is_dtype, "dtype-mindspore", "ToNumber", data_type=data_type)
        self.data_type = data_type
        require(data_type in _NUMBERS, "integer-float-type", "ToNumber", data_type=data_type)
        self._dtype = np.dtype(dtypes.to_numpy(data_type))

    def __call__(self, strings):
        array = as_strings("ToNumber", strings)
        convert = self._float if self._dtype.kind == "f" else self._int
        numbers = [convert(text) for text in array.ravel().tolist()]
        return np.array(numbers, self._dtype).reshape(array.shape)

    def _int(self, text):
        match = _matched(_INT, text)
        limits = np.iinfo(self._dtype)
        negative = limits.min == 0 and match[1].startswith("-")
        if negative or not limits.min <= int(match[1]) <= limits.max:
            interval = f"[{limits.min}, {limits.max}]"
            raise rejection("strings-in-interval", "ToNumber", interval=interval, got=text)
        return int(match[1])

    def _float(self, text):
        match = _matched(_FLOAT, text)
        digits = match[1].lower()
        exact = float.fromhex(digits) if "0x" in digits else float(digits)
        with np.errstate(over="ignore"):
            number = self._dtype.type(exact)
        if np.isinf(number) or (number == 0 and re.search("[1-9]", digits.partition("e")[0])):
            raise rejection("strings-in-range", "ToNumber", dtype=self._dtype, got=text)
        return number


def _matched(pattern, text):
    match = pattern.match(text)
    if match is None:
        raise rejection("strings-numbers", "ToNumber", got=text)
    return match


_NUMBERS = [
    getattr(dtypes, f"{kind}{bits}")
    for kind, sizes in (
        ("int", (8, 16, 32, 64)),
        ("uint", (8, 16, 32, 64)),
        ("float", (16, 32, 64)),
    )
    for bits in sizes
]


@fitting
def to_bytes(array, encoding="utf8"):
    """Encode an array of strings as an array of bytes.

    >>> to_bytes(np.array(["a", "é"]))
    array([b'a', b'\\xc3\\xa9'], dtype='|S2')
    """
    require(isinstance(array, np.ndarray), "array", "to_bytes", array=array)
    return np.char.encode(array, encoding)


@fitting
def to_str(array, encoding="utf8"):
    """Decode an array of bytes to an array of strings.

    >>> to_str(np.array([b"a", b"b"]))
    array(['a', 'b'], dtype='<U1')
    """
    require(isinstance(array, np.ndarray), "array", "to_str", array=array, error=TypeError)
    return np.char.decode(array, encoding)


__all__ = [
    "AddToken", "Ngram", "SlidingWindow", "ToNumber", "Truncate", "TruncateSequencePair",
    "to_bytes", "to_str",
]  # fmt: skip
