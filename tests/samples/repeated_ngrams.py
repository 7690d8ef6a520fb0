"""Rows for `sporax.ops.nn.repeated_ngrams`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample

WORDS = np.array([[[1, 2, 1, 2, 5, 1, 2], [9, 3, 9, 5, 4, 1, 5]],
                  [[4, 8, 6, 4, 5, 6, 4], [4, 8, 8, 4, 3, 4, 8]]], np.int32)  # fmt: skip


def without_repeats(words, scores, ngram_size=1):
    scores = scores.copy()
    for at in np.ndindex(words.shape[:2]):
        row = words[at].tolist()
        last = row[len(row) - ngram_size + 1 :]
        for i in range(len(row) - ngram_size + 1):
            if row[i : i + ngram_size - 1] == last:
                scores[at][row[i + ngram_size - 1]] = np.finfo(np.float32).min
    return scores


SAMPLES = [
    Sample("no_repeat_ngram", [WORDS, (2, 2, 10)], without_repeats, {"ngram_size": n},
           sharp="the lowest number is that of the dtype")
    for n in (3, 2, 1)
] + [
    Sample("no_repeat_ngram", [WORDS[:1, 1:], (1, 1, 10)], without_repeats, {"ngram_size": 3}),
]  # fmt: skip

REFUSALS = [
    Refusal("ngram-size", lambda: ops.NoRepeatNGram(8)(Tensor(WORDS), ops.ones((2, 2, 10))),
            ValueError, ("'NoRepeatNGram'", "'ngram_size'", "[1, 7]", "8")),
]  # fmt: skip
