"""Threefry-2x32 in NumPy, bit-identical to JAX.

J. Salmon, M. Moraes, R. Dror, D. Shaw: Parallel random numbers: as easy as 1, 2, 3 (2011).
A key is stored as its two words, along the last axis.
"""

from typing import Any

import jax
import numpy as np

_config: Any = jax.config
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)
_CHUNK = 1 << 14  # words enciphered together, so that they stay in the cache


def refused(kind):
    """Return True if keys of this kind, or the way they are used, are not JAX's default."""
    return kind != "threefry2x32" or not _config.jax_threefry_partitionable


def threefry(key_0, key_1, high, low):
    """Encipher the two words `high`, `low` with the key; all uint32, broadcast together."""
    words = np.broadcast_arrays(key_0, key_1, high, low)
    shape = words[0].shape
    flat = [np.ravel(w) for w in words]
    hashed = np.empty((2, flat[0].size), np.uint32)
    for start in range(0, flat[0].size, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        hashed[0, chunk], hashed[1, chunk] = _encipher(*[w[chunk] for w in flat])
    return hashed[0].reshape(shape), hashed[1].reshape(shape)


def _encipher(key_0, key_1, x, y):
    keys = key_0, key_1, key_0 ^ key_1 ^ _PARITY
    x, y = x + keys[0], y + keys[1]
    turned = np.empty_like(y)
    for block in range(5):
        for rotation in _ROTATIONS[block % 2]:
            x += y
            np.left_shift(y, rotation, out=turned)
            y >>= 32 - rotation
            y |= turned
            y ^= x
        x += keys[(block + 1) % 3]
        y += keys[(block + 2) % 3]
        y += np.uint32(block + 1)
    return x, y


def _counted(key, shape):
    """Encipher the numbers 0, 1, ... in `shape` with each key."""
    counts = np.arange(np.prod(shape, dtype=np.uint64), dtype=np.uint64).reshape(shape)
    shape = key.shape[:-1] + (1,) * len(shape)
    first, second = key[..., 0].reshape(shape), key[..., 1].reshape(shape)
    high = (counts >> np.uint64(32)).astype(np.uint32)
    return threefry(first, second, high, counts.astype(np.uint32))


def bits(parameters, key):
    """Return random bits, `bit_width` in each element of `shape`."""
    width, (high, low) = parameters["bit_width"], _counted(key, parameters["shape"])
    if width == 64:
        return high.astype(np.uint64) << np.uint64(32) | low
    return (high ^ low).astype(np.dtype(f"u{width // 8}"))


def split(parameters, key):
    """Return a new key for each element of `shape`."""
    return np.stack(_counted(key, parameters["shape"]), -1)


def fold_in(parameters, key, data):
    """Return a new key for each number."""
    words = threefry(key[..., 0], key[..., 1], np.uint32(0), data.astype(np.uint32))
    return np.stack(words, -1)


def seed(parameters, seeds):
    """Return the key of an integer seed."""
    wide = seeds.astype(np.uint64) if seeds.dtype.itemsize == 8 else seeds.astype(np.uint32)
    high = np.right_shift(wide, 32).astype(np.uint32)
    return np.stack([high, wide.astype(np.uint32)], -1)
