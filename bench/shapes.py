"""The sizes of the benchmark's cases and their inputs, the same for every peer."""

from types import SimpleNamespace

import numpy as np

CHAIN = SimpleNamespace(operations=50, elements=16)
MLP = SimpleNamespace(sizes=(784, 512, 512, 10), input=(64, 784), classes=10)
LENET = SimpleNamespace(input=(64, 1, 32, 32), classes=10)
ENCODER = SimpleNamespace(words=1000, width=64, heads=4, layers=2, batch=8, classes=10, longest=100)


def numbers(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def lengths():
    """1 to 100, each once, in an order without pattern."""
    return np.random.default_rng(1).permutation(np.arange(1, ENCODER.longest + 1)).tolist()


def tokens(length):
    rng = np.random.default_rng(length)
    return rng.integers(0, ENCODER.words, (ENCODER.batch, length)).astype(np.int32)
