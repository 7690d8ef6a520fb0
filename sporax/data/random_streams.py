"""Random orders drawn as in MindSpore's data engine, so that a seed gives one order in both.

The engine draws with `std::mt19937` (a shuffle buffer with `std::mt19937_64`) and libstdc++'s
`std::shuffle`, which takes two positions from each number. `numpy.random.RandomState` generates
the same 32-bit numbers; NumPy lacks the 64-bit generator.
"""

import contextlib
import secrets
import threading
from bisect import bisect_right
from typing import Any

import numpy as np

from sporax.data import config

_WORD = 2**32
_MASK = 2**64 - 1


_fixed = []  # (seed, first epoch) of new pipelines, the innermost last


@contextlib.contextmanager
def fixed(seed, epoch=0):
    """Set the seed and the first epoch of pipelines that begin within this context."""
    _fixed.append((seed, epoch))
    try:
        yield
    finally:
        _fixed.pop()


def first_epoch():
    """Return the number of the first epoch of the next pipeline."""
    return _fixed[-1][1] if _fixed else 0


def seed():
    """Return the seed of the next pipeline: the configured seed, or a random one."""
    if _fixed:
        return _fixed[-1][0]
    return config.get_seed() if config.is_seeded() else secrets.randbits(32)


class _Streams(threading.local):
    innermost: Any = None  # generator of the row being computed, or its seeds
    own: Any = None  # of calls outside of pipelines


_streams = _Streams()


@contextlib.contextmanager
def drawing_from(*seeds):
    """Let random transforms within this context draw from a generator with these seeds, created at
    the first draw."""
    before, _streams.innermost = _streams.innermost, seeds
    try:
        yield
    finally:
        _streams.innermost = before


def stream():
    """Return the generator of a random transform: the current row's, or outside of pipelines the
    thread's, which restarts when a seed is set."""
    if isinstance(_streams.innermost, tuple):
        _streams.innermost = np.random.default_rng(_streams.innermost)
    if _streams.innermost is not None:
        return _streams.innermost
    if _streams.own is None or _streams.own[0] != config.times_seeded():
        _streams.own = config.times_seeded(), np.random.default_rng(seed())
    return _streams.own[1]


class Twister:
    """The 32-bit generator `std::mt19937`.

    >>> Twister(5489)()
    3499211612
    """

    def __init__(self, seed):
        self._state, self._ahead = np.random.RandomState(seed), np.empty(0, np.int64)

    def _next(self, count):
        """Return at least the next `count` numbers, without consuming them."""
        if (more := count - len(self._ahead)) > 0:
            words = np.frombuffer(self._state.bytes(4 * max(more, 624)), "<u4").astype(np.int64)
            self._ahead = np.concatenate([self._ahead, words])
        return self._ahead

    def __call__(self):
        number = self._next(1)[0].item()
        self._ahead = self._ahead[1:]
        return number

    def below(self, n):
        """Return a uniformly distributed int in [0, n)."""
        return self.below_each(np.array([n])).item()

    def below_each(self, sizes):
        """Return `below` of each size in turn; numbers that are too large are rejected."""
        widths = (_WORD - 1) // sizes
        limits = widths * sizes
        ends = np.cumsum(_WORD / limits)  # expected count of numbers drawn up to each size
        count = int(ends[-1] + 8 * len(sizes) ** 0.5) + 8 if len(sizes) else 0
        while True:
            numbers = self._next(count)[:count]
            # The size that a number is for depends on how many before it were rejected. The guess
            # is right for the first numbers, and each iteration makes it right for more.
            assigned = np.searchsorted(ends, np.arange(count))
            while True:
                fits = numbers < limits[np.minimum(assigned, len(sizes) - 1)]
                taken = np.cumsum(fits)
                if np.array_equal(assigned, now := taken - fits):
                    break
                assigned = now
            if not count or taken[-1] >= len(sizes):
                break
            count *= 2
        drawn = np.flatnonzero(fits)[: len(sizes)]
        self._ahead = self._ahead[drawn[-1] + 1 :] if count else self._ahead
        return numbers[drawn] // widths

    def fraction(self):
        """Return a number in [0, 1) from 64 random bits."""
        low, high = self(), self()
        return (low + high * _WORD) / _WORD**2


def shuffle(items, draw):
    """Shuffle a list in place; `draw`: a `Twister`."""
    size = len(items)
    if size >= _WORD >> 16:  # two positions do not fit into one number
        others = draw.below_each(np.arange(2, size + 1))
    else:
        first = draw.below_each(np.array([2] * (size > 0 and size % 2 == 0), int))
        ends = np.arange(2 + len(first), size + 1, 2)
        pairs = np.divmod(draw.below_each(ends * (ends + 1)), ends + 1)
        others = np.concatenate([first, np.stack(pairs, 1).ravel()])
    for position, other in enumerate(others.tolist(), 1):
        items[position], items[other] = items[other], items[position]


def weighted(weights, draw):
    """Return a random position, with probability proportional to its weight."""
    ends = np.cumsum(weights) / np.sum(weights)
    return min(bisect_right(ends.tolist(), draw.fraction()), len(weights) - 1)


class LongTwister:
    """The 64-bit generator `std::mt19937_64`.

    >>> LongTwister(5489)()
    14514284786278117030
    """

    def __init__(self, seed):
        words = [seed & _MASK]
        for i in range(1, 312):
            words.append((6364136223846793005 * (words[-1] ^ (words[-1] >> 62)) + i) & _MASK)
        self._words, self._at = words, 312

    def __call__(self):
        if self._at == 312:
            self._twist()
        x = self._words[self._at]
        self._at += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return (x ^ (x >> 43)) & _MASK

    def _twist(self):
        words = self._words
        for i in range(312):
            x = (words[i] & 0xFFFFFFFF80000000) | (words[(i + 1) % 312] & 0x7FFFFFFF)
            words[i] = words[(i + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        self._at = 0


def through_buffer(rows, size, draw):
    """Yield the rows, each drawn from a buffer of `size` rows; `draw`: a `LongTwister`."""
    buffer = []

    def take():
        index = draw() % len(buffer)
        row, buffer[index] = buffer[index], buffer[-1]
        buffer.pop()
        return row

    for row in rows:
        if len(buffer) == size:
            yield take()
        buffer.append(row)
    while buffer:
        yield take()
