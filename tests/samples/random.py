"""Rows for `sporax.ops.random`: the generator (Threefry, Salmon et al., 2011) written out."""

import numpy as np
from scipy import special

from sporax import ops
from tests.samples import Refusal, Sample

KEY = np.array([7, 2**31 + 5], np.uint32)
_ROTATIONS = [(13, 15, 26, 6), (17, 29, 16, 24)]


def threefry(key, high, low):
    """Two words out of the counter (high, low)."""
    keys = [key[:1], key[1:], key[:1] ^ key[1:] ^ np.uint32(0x1BD11BDA)]
    a, b = high + keys[0], low + keys[1]
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            a = a + b
            b = a ^ (b << np.uint32(turn) | b >> np.uint32(32 - turn))
        a = a + keys[(group + 1) % 3]
        b = b + keys[(group + 2) % 3] + np.uint32(group + 1)
    return a, b


def words(key, shape):
    low = np.arange(np.prod(shape, dtype=int), dtype=np.uint32).reshape(shape)
    return threefry(key, np.zeros_like(low), low)


def long_words(key, shape):
    a, b = words(key, shape)
    return a.astype(np.uint64) << np.uint64(32) | b


def unit(key, shape):
    a, b = words(key, shape)
    return ((a ^ b) >> np.uint32(9)).astype(np.float64) / 2**23


def normal(key, shape, dtype):
    least = np.nextafter(np.float32(-1), np.float32(0))
    u = np.maximum(least, unit(key, shape) * (1 - float(least)) + float(least))
    return np.sqrt(2) * special.erfinv(u)


def integers(key, low, high, shape, dtype):
    return low + (long_words(key, shape) % np.uint64(high - low)).astype(np.int64)


def classes(key, weights, count, replacement):
    if replacement:
        sums = weights.cumsum()
        return np.searchsorted(sums, unit(key, (count,)) * sums[-1], "right")
    noise = -np.log(-np.log(unit(key, weights.shape)))
    return np.argsort(-(np.log(weights) + noise))[:count]


def drop(x, key, p, whole_channels=False):
    shape = (*x.shape[:2], *[1] * (x.ndim - 2)) if whole_channels else x.shape
    kept = unit(key, shape) >= p
    return np.where(kept, x / (1 - p), 0), kept


def advance(state):
    a, b = threefry(state[:2], np.zeros(1, np.uint32), state[2:])
    return np.concatenate([a, b]), state + np.array([0, 0, 1], np.uint32)


FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)
LOW, HIGH, P = np.array(-3), np.array(4), np.array(0.3)
SAMPLES = [
    Sample("advance", [np.array([1, 2, 3], np.uint32)], advance),
    Sample(
        "draw_uniform", [KEY], lambda k, shape, dtype: unit(k, shape),
        {"shape": (3, 4), "dtype": FLOAT},
    ),
    Sample("draw_normal", [KEY], normal, {"shape": (3, 4), "dtype": FLOAT}),
    Sample("draw_integers", [KEY, LOW, HIGH], integers, {"shape": (9,), "dtype": INT}),
    Sample(
        "draw_permutation", [KEY], lambda k, n, dtype: np.argsort(long_words(k, (n,))),
        {"n": 9, "dtype": INT},
    ),
    Sample(
        "draw_bernoulli", [KEY, P.astype(np.float32)],
        lambda key, p, shape, dtype: unit(key, shape) < p,
        {"shape": (9,), "dtype": FLOAT},
    ),
    Sample(
        "draw_classes", [KEY, np.array([0.1, 0.4, 0.2], np.float32)], classes,
        {"count": 9, "replacement": True},
    ),
    Sample(
        "draw_classes", [KEY, np.array([0.1, 0.4, 0.2], np.float32)], classes,
        {"count": 2, "replacement": False},
    ),
    Sample("drop", [(3, 4), KEY, P.astype(np.float32)], drop),
    Sample(
        "drop", [(2, 3, 2), KEY, P.astype(np.float32)], drop, {"whole_channels": True},
    ),
]  # fmt: skip

REFUSALS = [
    Refusal("randint", lambda: ops.randint(3, 3, (2,)), ValueError, ("'randint'", "'low'")),
    Refusal("randperm", lambda: ops.randperm(-1), ValueError, ("'randperm'", "-1")),
    Refusal("shape", lambda: ops.standard_normal((2, -1)), ValueError, ("'StandardNormal'", "-1")),
    Refusal("dropout", lambda: ops.dropout(ops.ones((2,)), 1.5), ValueError, ("'Dropout'", "1.5")),
    Refusal("p", lambda: ops.bernoulli(ops.ones((2,)), 1.5), ValueError, ("'bernoulli'", "1.5")),
]
