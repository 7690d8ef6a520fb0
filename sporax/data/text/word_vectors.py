"""Pre-trained word vectors, read from text files."""

from pathlib import Path

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, STR
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import argument_checks as check
from sporax.data.text.strings import TextTensorOperation, as_strings
from sporax.data.text_lines import lines


class Vectors:
    """Word vectors from a file with one line per word: the word and its numbers, separated by
    single spaces. A first line of only two fields (count, size) is skipped.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("cat 1 2\\ndog 3 4\\n")
    >>> ToVectors(Vectors.from_file(str(path)))(["dog", "cow"]).tolist()
    [[3.0, 4.0], [0.0, 0.0]]
    """

    _pattern = "*"  # pattern of the file name

    def __init__(self, indices, table):
        self._indices, self._table = indices, table  # word -> its row

    @classmethod
    def from_file(cls, file_path, max_vectors=None):
        """Read the vectors of a file; `max_vectors`: the maximum number, all for None or 0."""
        who = f"{cls.__name__}.from_file"
        path = Path(STR.checked(who, "file_path", file_path))
        most = (
            None
            if max_vectors is None
            else check.WHOLE.checked(who, "max_vectors", max_vectors) or None
        )
        fits, pattern = path.match(cls._pattern), cls._pattern
        require(fits, "name-file-file-missing", who, file_path=path, pattern=pattern)
        indices, rows = {}, []
        for number, line in enumerate(lines(who, path), 1):
            word, *fields = line.split(" ")
            if number == 1 and len(fields) == 1:
                continue
            row = _numbers(who, path, number, fields, rows)
            if word not in indices:
                indices[word] = len(rows)
                rows.append(row)
            if len(rows) == most:
                break
        require(rows, "file-hold-vectors-none", who, path=path)
        return cls(indices, np.array(rows, np.float32))

    @property
    def _size(self):
        return self._table.shape[1]

    def _vector(self, word, lower_case_backup):
        """Return the vector of a word, or None."""
        index = self._indices.get(word)
        if index is None and lower_case_backup:
            index = self._indices.get(word.lower())
        return None if index is None else self._table[index]


def _numbers(who, path, number, fields, rows):
    """Return the numbers of a line, as many as in the lines before, at least two."""
    fields = fields[:-1] if fields and not fields[-1] else fields
    if len(fields) < 2 or (rows and len(fields) != len(rows[0])):
        what = message("two-or-more-numbers")
        if rows:
            what = message("numbers-as-the-first", n=len(rows[0]))
        said = {"what": what, "got": len(fields)}
        raise rejection("line-of-vectors", who, path=path, i=number, **said)
    try:
        return list(map(float, fields))
    except ValueError as error:
        raise rejection("line-numbers", who, path=path, i=number, cause=error) from None


class GloVe(Vectors):
    """Word vectors (Pennington et al. 2014) from a file 'glove.*.txt'; see `Vectors`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "glove.6B.2d.txt"
    >>> _ = path.write_text("the 0.5 0.25\\n")
    >>> ToVectors(GloVe.from_file(str(path)))("the")
    array([0.5 , 0.25], dtype=float32)
    """

    _pattern = "glove.*.txt"


class FastText(Vectors):
    """Word vectors (Bojanowski et al. 2017) from a file '*.vec'; see `Vectors`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "wiki.vec"
    >>> _ = path.write_text("1 2\\nthe 0.5 0.25\\n")
    >>> ToVectors(FastText.from_file(str(path)))("the")
    array([0.5 , 0.25], dtype=float32)
    """

    _pattern = "*.vec"


class CharNGram(Vectors):
    """Vectors of sequences of 2, 3 and 4 characters (Hashimoto et al. 2017); a word's vector is the
    mean over its known sequences.

    The file's keys have the form '2gram-#BEGIN#c', '3gram-cat', '2gram-t#END#'; see `Vectors`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ngrams.txt"
    >>> _ = path.write_text("2gram-ca 1 2\\n2gram-at 3 4\\n")
    >>> ToVectors(CharNGram.from_file(str(path)))("cat")
    array([2., 3.], dtype=float32)
    """

    def _vector(self, word, lower_case_backup):
        chars = ["#BEGIN#", *(word.lower() if lower_case_backup else word), "#END#"]
        keys = [
            f"{n}gram-{''.join(chars[i : i + n])}"
            for n in (2, 3, 4)
            for i in range(len(chars) - n + 1)
        ]
        rows = [self._indices[key] for key in keys if key in self._indices]
        return self._table[rows].mean(0) if rows else None


class ToVectors(TextTensorOperation):
    """Returns the vectors of words as the rows of an array, or the vector of a single word.

    `vectors`: a `Vectors`, `GloVe`, `FastText` or `CharNGram`. `unk_init`: the vector of unknown
    words, by default zeros. `lower_case_backup`: look for a word in lower case if it is not found
    otherwise.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "vectors.txt"
    >>> _ = path.write_text("cat 1 2\\n")
    >>> lookup = ToVectors(Vectors.from_file(str(path)), [7, 8], lower_case_backup=True)
    >>> lookup(["Cat", "cow"]).tolist()
    [[1.0, 2.0], [7.0, 8.0]]
    """

    def __init__(self, vectors, unk_init=None, lower_case_backup=False):
        is_one = isinstance(vectors, Vectors)
        require(is_one, "vectors-glove-fasttext-charngram", "ToVectors", vectors=vectors)
        self.vectors = vectors
        if unk_init is None:
            unk_init = [0.0] * vectors._size
        unk_init = check.several("ToVectors", "unk_init", unk_init, (), check.ORDERED)
        self.unk_init = np.array(unk_init, np.float32)
        got, size = len(self.unk_init), vectors._size
        require(got == size, "numbers-vectors", "ToVectors", unk_init=got, size=size)
        self.lower_case_backup = BOOL.checked("ToVectors", "lower_case_backup", lower_case_backup)

    def __call__(self, words):
        listed = as_strings("ToVectors", words).ravel().tolist()
        vectors = [self.vectors._vector(word, self.lower_case_backup) for word in listed]
        rows = np.array([self.unk_init if row is None else row for row in vectors], np.float32)
        return rows[0] if len(listed) == 1 else rows


__all__ = ["CharNGram", "FastText", "GloVe", "ToVectors", "Vectors"]
