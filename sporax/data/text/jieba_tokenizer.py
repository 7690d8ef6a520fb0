"""Segmentation of Chinese text as in jieba, with the dictionaries of cppjieba."""

import math
import re
from operator import itemgetter
from pathlib import Path

from sporax._src.diagnosis.argument_kinds import STR, member_of, optional
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.text.enums import JiebaMode
from sporax.data.text.tokenizers import Tokenizer
from sporax.data.text_lines import lines

_NEVER = -3.14e100  # the logarithm of a probability of 0
_FREQUENCY = r"(?=[\d.]*[1-9])[0-9]{1,15}(\.[0-9]{1,15})?"  # more than 0
_WITH_END = 1, 3  # among the states begin, end, middle, single: end and single


class _Dictionary:
    """Words with their log-probabilities."""

    def __init__(self, who, path):
        frequencies = {}
        for number, line in enumerate(lines(who, path), 1):
            fields = line.split(" ")
            fits = len(fields) >= 2 and re.fullmatch(_FREQUENCY, fields[1])
            require(fits, "line-of-dictionary", who, path=path, i=number, got=line)
            frequencies[fields[0]] = float(fields[1])
        self._sum = sum(frequencies.values())
        require(self._sum, "file-hold-words-none", who, path=path)
        self.weights = {word: self._weight(count) for word, count in frequencies.items()}
        ordered = sorted(self.weights.values())
        self.least, self._median = ordered[0], ordered[len(ordered) // 2]
        self.longest = max(map(len, self.weights))

    def _weight(self, frequency):
        return math.log(frequency / self._sum)

    def add(self, word, frequency):
        """Add a user word; frequency 0: as frequent as the median word."""
        self.weights[word] = self._weight(frequency) if frequency else self._median
        self.longest = max(self.longest, len(word))

    def spans(self, text, start, end):
        """Yield the most probable split of text[start:end] into words and single characters."""
        scores, ends = [0.0] * (end - start + 1), [0] * (end - start)
        for i in range(end - 1, start - 1, -1):
            best = None
            for j in range(i + 1, min(i + self.longest, end) + 1):
                weight = self.weights.get(text[i:j], self.least if j == i + 1 else None)
                if weight is not None and (best is None or weight + scores[j - start] > best):
                    best, ends[i - start] = weight + scores[j - start], j
            scores[i - start] = best
        while start < end:
            stop, start = start, ends[start - end]
            yield stop, start


class _HiddenMarkov:
    """A hidden Markov model of the positions begin, end, middle and single of characters."""

    def __init__(self, who, path):
        rows = [line for line in lines(who, path) if line and not line.startswith("#")]
        try:
            numbers = [[float(x) for x in row.split()] for row in rows[:5]]
            self.start, self.steps = numbers[0], numbers[1:]
            self.emissions = [
                {pair[0]: float(pair[2:]) for pair in row.split(",") if pair} for row in rows[5:9]
            ]
            fits = [len(row) for row in numbers] == [4] * 5 and len(self.emissions) == 4
        except (IndexError, ValueError):
            fits = False
        require(fits, "file-model-cppjieba-lines", who, path=path)

    def spans(self, text, start, end):
        """Yield words of letters and digits, and the most probable words between (Viterbi)."""
        for match in re.finditer(r"[a-zA-Z][a-zA-Z0-9]*|[0-9][0-9.]*|[\0-\x7f]|[^\0-\x7f]+",
                                text[start:end]):  # fmt: skip
            first, last = start + match.start(), start + match.end()
            if text[first] < "\x80":
                yield first, last
                continue
            for boundary, state in enumerate(self._states(text[first:last]), first + 1):
                if state in _WITH_END:
                    yield first, boundary
                    first = boundary

    def _states(self, text):
        def emitted(state, char):
            return self.emissions[state].get(char, _NEVER)

        scores, back = [self.start[s] + emitted(s, text[0]) for s in range(4)], []
        for char in text[1:]:
            ways = [
                [
                    (_NEVER, 1),
                    *((scores[p] + self.steps[p][s] + emitted(s, char), p) for p in range(4)),
                ]
                for s in range(4)
            ]
            best = [max(way, key=itemgetter(0)) for way in ways]  # the first of equals
            scores, before = zip(*best, strict=True)
            back.append(before)
        states = [max(_WITH_END, key=scores.__getitem__)]
        for before in reversed(back):
            states.append(before[states[-1]])
        return states[::-1]


class JiebaTokenizer(Tokenizer):
    """Segments Chinese text into words, by a dictionary and a hidden Markov model.

    `hmm_path`, `mp_path`: the files `hmm_model.utf8` and `jieba.dict.utf8` of cppjieba, or of the
    same format. `mode`: JiebaMode.MP, by the most probable path through the dictionary; HMM, by the
    model; MIX, by the model where the path has single characters. `with_offsets`: also return the
    start and end of each token, in bytes of UTF-8.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> words, model = folder / "dict", folder / "model"
    >>> _ = words.write_text("床 5 n\\n前 5 f\\n明月光 9 n\\n", encoding="utf-8")
    >>> _ = model.write_text("0 0 0 0\\n" * 5 + "床:-1\\n" * 4, encoding="utf-8")
    >>> tokenizer = JiebaTokenizer(str(model), str(words), JiebaMode.MP)
    >>> tokenizer("床前明月光").tolist()
    ['床', '前', '明月光']
    """

    def __init__(self, hmm_path, mp_path, mode=JiebaMode.MIX, with_offsets=False):
        super().__init__(with_offsets)
        for name, path in (("hmm_path", hmm_path), ("mp_path", mp_path)):
            require(path is not None, "given-argument-missing", self._who, argument=name)
            is_file = Path(STR.checked(self._who, name, path)).is_file()
            require(is_file, "existing-file", self._who, argument=name, got=path)
        self.mode = member_of(JiebaMode).checked(self._who, "mode", mode)
        self._model = _HiddenMarkov(self._who, hmm_path)
        self._dictionary = _Dictionary(self._who, mp_path)

    def add_word(self, word, freq=None):
        """Add a word to the dictionary; `freq`: its frequency, by default the median's."""
        who, is_given = "JiebaTokenizer.add_word", word is not None
        require(is_given, "given-argument-missing", who, argument="word")
        optional(check.UINT32)("JiebaTokenizer.add_word", freq=freq)
        self._dictionary.add(STR.checked("JiebaTokenizer.add_word", "word", word), freq or 0)

    def add_dict(self, user_dict):
        """Add several words to the dictionary: {word: frequency}, or a file with a word and
        optionally its frequency per line. Other lines are ignored."""
        if isinstance(user_dict, str):
            is_file = Path(user_dict).is_file()
            require(is_file, "there-must-be-file", "JiebaTokenizer.add_dict", path=user_dict)
            listed = lines("JiebaTokenizer.add_dict", user_dict)
            matches = [re.fullmatch(r"\s*([^\s*]+?)\s*([0-9]+)?\s*", line) for line in listed]
            path, user_dict = user_dict, {}
            for number, match in enumerate(matches, 1):
                if match and len(match[2] or "") > 9:
                    fields = {"path": path, "i": number, "got": match[2]}
                    raise rejection("line-frequency", "JiebaTokenizer.add_dict", **fields)
                if match:
                    user_dict[match[1]] = int(match[2] or 0)
        is_dict = isinstance(user_dict, dict)
        require(is_dict, "path-dict", "JiebaTokenizer.add_dict", user_dict=user_dict)
        for word, frequency in user_dict.items():
            self.add_word(word, frequency)

    def _spans(self, text):
        for match in re.finditer("[ \t\n，。]|[^ \t\n，。]+", text):
            yield from self._words(text, *match.span())

    def _words(self, text, start, end):
        if self.mode is JiebaMode.HMM:
            yield from self._model.spans(text, start, end)
            return
        single = None  # where a sequence of single characters began
        for first, last in self._dictionary.spans(text, start, end):
            if self.mode is JiebaMode.MIX and last == first + 1:
                single = first if single is None else single
                continue
            if single is not None:
                yield from self._model.spans(text, single, first)
                single = None
            yield first, last
        if single is not None:
            yield from self._model.spans(text, single, end)


__all__ = ["JiebaTokenizer"]
