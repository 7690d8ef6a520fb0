"""BLEU score of translations."""

import math
from collections import Counter

import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.train.metrics.metric import Metric, rearrange_inputs


def _grams(words, longest):
    """Count the n-grams of 1 to `longest` words."""
    return Counter(
        tuple(words[i : i + n]) for n in range(1, longest + 1) for i in range(len(words) - n + 1)
    )


class BleuScore(Metric):
    r"""BLEU (Papineni et al., 2002): $b \, (\prod_{n=1}^N p_n)^{1/N}$ for N = `n_gram`, 1 to 4.

    $p_n$ is the share of the candidates' n-grams that occur in a reference, each counted at most as
    often as in the reference; the brevity penalty $b = \min(1, e^{1 - r / c})$ compares the
    candidates' c words with the r words of the references nearest in length. `smooth`: add one to
    counts and totals. 0 if no n-gram of some length matches.

    >>> words = "the cat is on the mat".split()
    >>> round(float(BleuScore(n_gram=2)([words], [[words]])), 4)
    1.0
    """

    def __init__(self, n_gram=4, smooth=False):
        super().__init__()
        kinds.INT("BleuScore", n_gram=n_gram)
        kinds.one_of(1, 2, 3, 4)("BleuScore", n_gram=n_gram)
        kinds.BOOL("BleuScore", smooth=smooth)
        self.n_gram, self.smooth = n_gram, smooth
        self.clear()

    def clear(self):
        """Reset the accumulated state."""
        self._matched, self._total = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._words = self._reference_words = 0
        self._is_empty = True

    @rearrange_inputs
    def update(self, *inputs):
        """Accumulate candidates (lists of words) and a list of references for each."""
        self._check_number(inputs, 2, "candidates and references")
        candidates, references = inputs
        n, got = len(candidates), len(references)
        require(n == got, "references-candidate", "BleuScore", got=got, count=n)
        for words, texts in zip(candidates, references, strict=True):
            self._words += len(words)
            nearest = min(texts, key=lambda text: abs(len(words) - len(text)))
            self._reference_words += len(nearest)
            known = Counter()
            for text in texts:
                known |= _grams(text, self.n_gram)
            seen = _grams(words, self.n_gram)
            for counts, where in ((seen & known, self._matched), (seen, self._total)):
                for gram, count in counts.items():
                    where[len(gram) - 1] += count
        self._is_empty = False

    def eval(self):
        """Return the score of all accumulated batches."""
        self._require_samples(self._is_empty)
        if not self._matched.all():
            return np.array(0.0)
        added = 1 if self.smooth else 0
        precision = np.exp(np.log((self._matched + added) / (self._total + added)).mean())
        return precision * min(1.0, math.exp(1 - self._reference_words / self._words))
