"""Philox 4x32-10 (Salmon et al., 2011), and MindSpore's distributions of initial values.

A stream is a function of its seed and a counter, so its blocks can be computed in any order: by
several threads, in arrays that fit in the processor's cache.
"""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

_ROUNDS = 10
_MULTIPLIERS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_LOW, _HALF = np.array(0xFFFFFFFF, np.uint64), np.array(32, np.uint64)
_BLOCK = 1 << 14  # words computed at once
_ALONE = 1 << 17  # up to this many words, a single thread is used


def words(seed, start, count):
    """Return `count` words (UInt32) of the stream of a 64-bit seed, from word `start` on, a
    multiple of 4.

    >>> words(1, 4, 2).tolist() == words(1, 0, 6)[4:].tolist()
    True
    """
    seed = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    steps = [[s + r * n & 0xFFFFFFFF for s, n in zip(seed, _KEY_STEPS, strict=True)]
             for r in range(_ROUNDS)]  # fmt: skip
    counter = np.arange(start // 4, (start + count + 3) // 4, dtype=np.uint64)
    even, odd, product = np.empty((3, 2, counter.size), np.uint64)  # words 0 and 2, words 1 and 3
    even[0], even[1], odd[0], odd[1] = counter & _LOW, seed[0], counter >> _HALF, seed[1]
    for key in np.array(steps, np.uint64)[:, :, None]:
        np.multiply(even, _MULTIPLIERS, out=product)
        np.right_shift(product[::-1], _HALF, out=even)
        even ^= odd
        even ^= key
        np.bitwise_and(product[::-1], _LOW, out=odd)
    drawn = np.empty((counter.size, 4), np.uint32)
    drawn[:, ::2], drawn[:, 1::2] = even.T, odd.T
    return drawn.reshape(-1)[:count]


def fill(array, seed, sampler):
    """Fill a contiguous Float32 array in place with `sampler(words)` of a seed's stream."""
    flat = array.reshape(-1)

    def fill_block(start):
        block = flat[start : start + _BLOCK]
        # an even number: the normal distribution maps two words to two values
        block[...] = sampler(words(seed, start, block.size + block.size % 2))[: block.size]

    starts = range(0, flat.size, _BLOCK)
    if flat.size <= _ALONE:
        for start in starts:
            fill_block(start)
    else:
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for _ in threads.map(fill_block, starts):
                pass


def _as_float32(*numbers):
    return (float(np.float32(n)) for n in numbers)


def uniform(low, high):
    """Return the sampler of the uniform distribution on [low, high)."""
    low, high = _as_float32(low, high)
    return lambda drawn: drawn * 2.0**-32 * (high - low) + low


def normal(mean, sigma):
    """Return the normal sampler: Box-Muller transform of 23 bits of each word."""
    mean, sigma = _as_float32(mean, sigma)
    circle = 2 * float(np.float32(3.1415926))

    def sampler(drawn):
        unit = np.maximum((drawn & np.uint32(0x7FFFFF)) * 2.0**-23, 1e-7)
        distances, angles = np.ascontiguousarray(unit.reshape(-1, 2).T)
        radius = np.sqrt(-2 * np.log(distances)) * sigma
        angles *= circle
        values = np.stack([radius * np.cos(angles), radius * np.sin(angles)], 1).reshape(-1)
        values += mean
        return values

    return sampler


def truncated_normal(mean, sigma, low, high):
    """Return the sampler of the normal distribution truncated to [low, high], by inverse CDF."""
    from scipy.special import erfc, erfcinv  # slow import (0.1 s), used only here

    mean, sigma, low, high = _as_float32(mean, sigma, low, high)
    width = float(np.float32(2**0.5)) * sigma
    side = 1 if low > mean else -1  # erfc is precise in the upper tail
    first, last = (erfc(side * (bound - mean) / width) for bound in (low, high))

    def sampler(drawn):
        values = erfcinv(first + drawn * 2.0**-32 * (last - first))
        return np.clip(mean + side * width * values, low, high)

    return sampler
