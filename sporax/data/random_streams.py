"""Orders drawn as MindSpore's data engine draws them, so that one seed gives one order in both.

The engine draws with `std::mt19937` (a buffer of rows with `std::mt19937_64`) and libstdc++'s
`std::shuffle`, which takes two positions from each number. Their 32-bit numbers are those of
`numpy.random.RandomState`; the 64-bit generator NumPy does not have.
"""

import contextlib
import secrets
import threading
from bisect import bisect_right

import numpy as np

from sporax.data import config

_WORD = 2**32
_MASK = 2**64 - 1


_fixed = []  # (seed, epoch) that pipelines begin with, the innermost last


@contextlib.contextmanager
def fixed(seed, epoch=0):
    """Pipelines that begin within draw from this seed, and count epochs from this one."""
    _fixed.append((seed, epoch))
    try:
        yield
    finally:
        _fixed.pop()


def first_epoch():
    """The number of the first epoch of the next pipeline."""
    return _fixed[-1][1] if _fixed else 0


def seed():
    """The seed of the next pipeline: the configured seed, or a random one."""
    if _fixed:
        return _fixed[-1][0]
    return config.get_seed() if config.is_seeded() else secrets.randbits(32)


class _Streams(threading.local):
    innermost = None  # stream of the row that is being computed, or its seeds
    own = None  # of calls outside of pipelines


_streams = _Streams()


@contextlib.contextmanager
def drawing_from(*seeds):
    """Random transforms called within draw from a generator with these seeds; it begins when the
    first one draws."""
    before, _streams.innermost = _streams.innermost, seeds
    try:
        yield
    finally:
        _streams.innermost = before


def stream():
    """The generator of a random transform: that of the pipeline, or one that began when the
    seed was set."""
    if isinstance(_streams.innermost, tuple):
        _streams.innermost = np.random.default_rng(_streams.innermost)
    if _streams.innermost is not None:
        return _streams.innermost
    if _streams.own is None or _streams.own[0] != config.times_seeded():
        _streams.own = config.times_seeded(), np.random.default_rng(seed())
    return _streams.own[1]


class Twister:
    """32-bit numbers of `std::mt19937`.

    >>> Twister(5489)()
    3499211612
    """

    def __init__(self, seed):
        self._state, self._ahead = np.random.RandomState(seed), np.empty(0, np.int64)

    def _next(self, count):
        """The next `count` numbers at least, which are not taken by that."""
        if (more := count - len(self._ahead)) > 0:
            words = np.frombuffer(self._state.bytes(4 * max(more, 624)), "<u4").astype(np.int64)
            self._ahead = np.concatenate([self._ahead, words])
        return self._ahead

    def __call__(self):
        number = self._next(1)[0].item()
        self._ahead = self._ahead[1:]
        return number

    def below(self, n):
        """A number in [0, n), all equally likely."""
        return self.below_each(np.array([n])).item()

    def below_each(self, sizes):
        """As `below` of each size in turn, which draws again while a number is too large."""
        widths = (_WORD - 1) // sizes
        limits = widths * sizes
        ends = np.cumsum(_WORD / limits)  # numbers that are drawn for the sizes up to each
        count = int(ends[-1] + 8 * len(sizes) ** 0.5) + 8 if len(sizes) else 0
        while True:
            numbers = self._next(count)[:count]
            # The size that a number is for depends on how many before it were too large. What is
            # guessed for the first numbers is right, and each turn makes it right for more.
            turns = np.searchsorted(ends, np.arange(count))
            while True:
                fits = numbers < limits[np.minimum(turns, len(sizes) - 1)]
                taken = np.cumsum(fits)
                if np.array_equal(turns, now := taken - fits):
                    break
                turns = now
            if not count or taken[-1] >= len(sizes):
                break
            count *= 2
        drawn = np.flatnonzero(fits)[: len(sizes)]
        self._ahead = self._ahead[drawn[-1] + 1 :] if count else self._ahead
        return numbers[drawn] // widths

    def fraction(self):
        """A number in [0, 1) of 64 bits."""
        low, high = self(), self()
        return (low + high * _WORD) / _WORD**2


def shuffle(items, draw):
    """Bring a list into a random order, in place; `draw`: a `Twister`."""
    size = len(items)
    if size >= _WORD >> 16:  # two positions do not fit into one number
        others = draw.below_each(np.arange(2, size + 1))
    else:
        first = draw.below_each(np.array([2] * (size > 0 and size % 2 == 0), int))
        ends = np.arange(2 + len(first), size + 1, 2)
        pairs = np.divmod(draw.below_each(ends * (ends + 1)), ends + 1)
        others = np.concatenate([first, np.stack(pairs, 1).ravel()])
    for at, other in enumerate(others.tolist(), 1):
        items[at], items[other] = items[other], items[at]


def weighted(weights, draw):
    """A position of the list, as likely as its weight says."""
    ends = np.cumsum(weights) / np.sum(weights)
    return min(bisect_right(ends.tolist(), draw.fraction()), len(weights) - 1)


class LongTwister:
    """64-bit numbers of `std::mt19937_64`.

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
            self._turn()
        x = self._words[self._at]
        self._at += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return (x ^ (x >> 43)) & _MASK

    def _turn(self):
        words = self._words
        for i in range(312):
            x = (words[i] & 0xFFFFFFFF80000000) | (words[(i + 1) % 312] & 0x7FFFFFFF)
            words[i] = words[(i + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        self._at = 0


def through_buffer(rows, size, draw):
    """The rows, each taken at random out of a buffer of that many; `draw`: a `LongTwister`."""
    buffer = []

    def take():
        at = draw() % len(buffer)
        row, buffer[at] = buffer[at], buffer[-1]
        buffer.pop()
        return row

    for row in rows:
        if len(buffer) == size:
            yield take()
        buffer.append(row)
    while buffer:
        yield take()
