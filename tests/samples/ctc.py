"""Rows for `sporax.ops.loss.ctc`: every alignment written out."""

import itertools

import numpy as np

from tests.samples import Sample


def collapsed(path, blank):
    return [c for c, _ in itertools.groupby(path) if c != blank]


def every_alignment(log_probs, targets, input_lengths, target_lengths, blank=0):
    """The sum over all sequences of classes that collapse to the labels, and to parts of them."""
    steps, n, classes = log_probs.shape
    losses, alphas = [], np.full((n, steps, 2 * targets.shape[1] + 1), -np.inf)
    for i in range(n):
        labels, size = targets[i, : target_lengths[i]].tolist(), input_lengths[i]
        total = 0.0
        for path in itertools.product(range(classes), repeat=int(size)):
            if collapsed(path, blank) == labels:
                total += np.exp(sum(log_probs[t, i, c] for t, c in enumerate(path)))
        losses.append(-np.log(total))
        for t in range(int(size)):
            for path in itertools.product(range(classes), repeat=t + 1):
                done = collapsed(path, blank)
                if labels[: len(done)] == done:
                    place = 2 * len(done) - (path[-1] != blank)
                    weight = sum(log_probs[k, i, c] for k, c in enumerate(path))
                    alphas[i, t, place] = np.logaddexp(alphas[i, t, place], weight)
    return np.array(losses), alphas


LABELS = np.array([[1, 2], [2, 2]], np.int32)
SAMPLES = [
    Sample("ctc_loss_and_alphas", [(4, 2, 3), LABELS, np.array([4, 4]), np.array([2, 2])],
           every_alignment,
           outputs=(0,), rtol=1e-4),
    Sample("ctc_loss_and_alphas", [(4, 2, 3), LABELS, np.array([3, 4]), np.array([1, 2])],
           every_alignment,
           outputs=(0,), rtol=1e-4),
]  # fmt: skip
